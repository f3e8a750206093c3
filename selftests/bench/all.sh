#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# all.sh - what a packet costs, one thing varied at a time
#
# The point of reference is quick.sh's: 8192 flows of one service, IPv4, requests, nothing
# remembered, all backends up. Beside it: replies and IPv6, of each path; then more and fewer
# flows, many services, remembered flows, a backend that is down. Each figure is a claim as it
# comes, so that one sees how far the run is. Instructions, or under the timed kernel times.
# SCALE divides the numbers of flows and services.
# timeout: 36000
set -u
# shellcheck source=selftests/bench/bed.sh
. "$(dirname "$0")/bed.sh"
# shellcheck source=selftests/bench/nftables.sh
. "$bench/nftables.sh"

found=${RINGLB_SHARE:-$tmp}/bench.json
few=1024
flows_shipped=("$few" "$(scaled 65536 2048)" "$(scaled 1048576 4096)")
flows_ringlb=("${flows_shipped[@]}" "$(scaled 10485760 16384)")
flows_tuned=("${flows_shipped[@]}")
many_clients=$(scaled 1048576 4096)	# flows, 128 of each client
many_services=("$(scaled 100 2)" "$(scaled 10000 3)")
pins=65536
fleet=20		# backends, of which one is down
is_timed=''
if [[ $column == timed_ns ]]; then
	is_timed=yes
	flows_tuned+=("$(scaled 4194304 12288)")
fi

each_figure()
{
	ktap_ok "bench: $1, IPv$2, $3, ${at[flows]} flows, ${at[services]} services, ${at[pins]} remembered, ${at[down]} down: $(tail -n 1 "$rows" | jq .cost)"
}

flows_vary()		# flows_vary PATH N...
{
	local path=$1 n

	shift
	for n; do
		at[flows]=$n
		figure "$path" 4 request -v 1
	done
	at[flows]=8192
}

services_vary()
{
	local n

	for n in "${many_services[@]}"; do
		ringlb_family_up 4 "$n" slots 4096
		figure "ringlb hook" 4 request -v "$n"
		ringlb_down
	done
}

# The fast path keeps routes to 1024 clients of each family.
fast_flows_vary()
{
	local family

	at[flows]=$many_clients
	figure "ringlb fast path" 4 request -v 1
	for family in 4 6; do
		figure "ringlb fast path" $family reply -v 1
	done
	at[flows]=8192
}

one_down()		# of more backends than all else has, so it comes last
{
	bench_bed_grow "$fleet"
	ringlb_family_up 4 1
	must rlb backend down s4-0 "$(be_at 4 1 8080)"
	at[down]=1
	figure "ringlb hook" 4 request -v 1
	ringlb_down
}

cost_at()		# cost_at COLUMN VALUE: of ringlb's IPv4 requests, where all else is as usual
{
	jq --arg column "$1" --argjson value "$2" '
		({ flows: 8192, services: 1, pins: 0, down: 0 } + { ($column): $value }) as $where |
		.[] | select(.path == "ringlb hook" and .family == 4 and .direction == "request" and
			{ flows, services, pins, down } == $where) | .counted_instr' "$found"
}

within_tenth()		# within_tenth COLUMN VALUE FEW
{
	jq -n -e "$(cost_at "$1" "$2") / $(cost_at "$1" "$3") |
		\"\(. * 1000 | round / 10) %\", . <= 1.1"
}

goals()			# times are told; instructions are held against goals
{
	[[ ! $is_timed ]] || return
	ktap_check "bench: of ${flows_ringlb[-1]} flows a packet costs at most 10 % more than of $few" \
		within_tenth flows "${flows_ringlb[-1]}" $few
	ktap_check "bench: with ${many_services[-1]} services a packet costs at most 10 % more than with one" \
		within_tenth services "${many_services[-1]}" 1
}

ktap_plan $((4 * 9 + 3 + ${#flows_ringlb[@]} + ${#flows_shipped[@]} + ${#flows_tuned[@]} +
	${#many_services[@]} + 2 + ${is_timed:+-2} + 2))
bench_bed 4
anchors
ringlb_up 1
row "ringlb hook" -v 1
flows_vary "ringlb hook" "${flows_ringlb[@]}"
dev_all add
row "ringlb fast path" -v 1
fast_flows_vary
dev_all del
pins_up "$pins"
figure "ringlb hook" 4 request -v 1
ringlb_down
nftables_up
row "nftables jhash map" -v 1
flowtable_up
row "nftables flowtable" -v 1
nftables_down
ipvs_up conn_tab_bits=20 mh-fallback,mh-port
row "IPVS mh tuned" -v 1
flows_vary "IPVS mh tuned" "${flows_tuned[@]}"
ipvs_down
ipvs_up
row "IPVS mh as shipped" -v 1
flows_vary "IPVS mh as shipped" "${flows_shipped[@]}"
ipvs_down
services_vary
one_down

results >"$found"
goals
