#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_failover.sh - a second gateway goes on with the flows of the first
#
# Both have the same secret and configuration, and tell each other nothing. Live flows are led
# from one to the other. Those of slots that are settled must not notice.
# timeout: 180
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

tcp=$(scaled 1000 40) udp=$(scaled 100 20)
late=$((5 * ${RINGLB_PATIENCE:-1}))
members=8

configure()		# configure: the second gateway, afresh, as the first is
{
	must rlb2 flush
	must rlb save secret >"$tmp/conf"
	must rlb2 -b "$tmp/conf"
}

clients()		# clients NAME PORTS: TCP and UDP
{
	live "$1.tcp" cli --source "$cli4" --ports "$2" --lanes "$tcp" --life 300-300 \
		--late "$late" "$vip4" 80
	live "$1.udp" cli --source "$cli4" --ports "$2" --lanes "$udp" --life 300-300 \
		--late "$late" --udp "$vip4" 53
}

talk()			# talk NAME...: these clients' flows, each twice
{
	local n names=()

	for n; do
		names+=("$n.tcp" "$n.udp")
	done
	talks=$((${talks:-0} + 1))
	round "$talks.1" "${names[@]}"
	round "$talks.2" "${names[@]}"
}

stop()			# stop NAME...: their verdicts, to $tmp/NAME.tcp.verdict and .udp.verdict
{
	local name proto

	for name; do
		round stop "$name.tcp" "$name.udp"
		for proto in tcp udp; do
			must zygote broken "$tmp/$name.$proto" /dev/null "$servers_log" \
				>"$tmp/$name.$proto.verdict"
		done
	done
}

broken()		# broken NAME PROTO: "BROKEN of FLOWS"
{
	jq -r '"\(.broken) of \(.flows)"' "$tmp/$1.$2.verdict"
}

unbroken()		# unbroken NAME CLAIM: 2 claims
{
	local proto

	for proto in tcp udp; do
		[[ $(broken "$1" $proto) == "0 of "* ]] ||
			ktap_note "$(jq -c '.kinds, .some[]' "$tmp/$1.$proto.verdict")"
	done
	ktap_is "fail-over: $2: TCP" "$(broken "$1" tcp)" "0 of $tcp"
	ktap_is "fail-over: $2: UDP" "$(broken "$1" udp)" "0 of $udp"
}

ktap_plan 4
farm $members
gateway2
by_way_of gw
farm_servers $members "$servers_log" 8080
for service in "web tcp $vip4:80" "dns udp $vip4:53"; do
	echo "service add $service"
	for ((n = 1; n <= members; n++)); do
		echo "backend add ${service%% *} $(be_at 4 "$n" 8080)"
	done
done >"$tmp/conf"
must rlb -b "$tmp/conf"		# backends of a service together: one table, nothing moves
configure
ktap_is "fail-over: both gateways have the same tables" "$(rlb2 table digest)" \
	"$(rlb table digest)"

clients rest 20000-29999
talk rest
by_way_of gw2
talk rest
by_way_of gw
talk rest
stop rest
unbroken rest "at rest, there and back, no flow breaks"
ktap_check "fail-over: the second gateway has forwarded them" \
	test "$(gw=$gw2 counted web packets_in)" -ge "$((2 * tcp))"
