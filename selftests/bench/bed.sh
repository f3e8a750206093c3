# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# bed.sh - the bed that costs are measured on, and rows of figures
#
#   . "$(dirname "$0")/bed.sh"
#   bench_bed 4
#   row forwarding
#   ringlb_up 1; row "ringlb hook" -v 1; ringlb_down
#
# In:  root in a VM whose clock counts instructions (scripts/vm -i), with the module loaded;
#      cost, built.
# Out: the functions below; lib.sh's. Figures as lines of JSON in $rows.
#
#   generator (cli) -> gw -> be1..beN: veth pairs of one kernel on one processor. Whoever a
#   packet is for drops it first thing, in tc: nothing counts but the way to there. Neighbours
#   are permanent, so that no cost comes and goes with them; and no reverse path is looked for,
#   as in a kernel that nobody has configured, so that forwarding is not dearer than it must be.

bench=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=selftests/lib.sh
. "$bench/../lib.sh"

rows=$tmp/rows
here_mac=02:00:00:00:00:01	# of gw's devices; cost.c knows it
there_mac=02:00:00:00:00:02
sample=2700		# flows of which each packet is counted: some of each backend's
declare -A at=([flows]=8192 [services]=1 [pins]=0 [down]=0)	# what rows are of; columns
senders=()		# namespaces, as cost wants them: the client, then backends

cable_end()		# cable_end NS DEV ADDRESS4 ADDRESS6: at the other end of gw's device DEV
{
	must ip -n "$gw" link set "$2" address "$here_mac"
	must ip -n "$1" link set gw address "$there_mac"
	must ip -n "$gw" neigh replace "$3" lladdr "$there_mac" dev "$2" nud permanent
	must ip -n "$gw" neigh replace "$4" lladdr "$there_mac" dev "$2" nud permanent
	must tc -n "$1" qdisc add dev gw clsact
	must tc -n "$1" filter add dev gw ingress matchall action drop
	senders+=("$1")
}

bench_bed()		# bench_bed N: cli, gw, be1..beN
{
	local n

	need_module
	ns_add cli
	ns_add gw
	forward "$gw"
	must in_ns "$gw" sysctl -qw net.ipv4.conf.all.rp_filter=0
	link_client
	cable_end "$cli" cli "$cli4" "$cli6"
	must ip -n "$gw" route add 198.18.0.0/15 via "$cli4"
	must ip -n "$gw" route add 2001:db8:c::/48 via "$cli6"
	for ((n = 1; n <= $1; n++)); do
		backend_add_ns "$n"
		cable_end "be$n-$tag" "be$n" "$(be_at 4 "$n")" "$(be_at 6 "$n")"
	done
	backends=$1
}

# What all packets that reach the gateway meet first, instead of the stack.
tc_first()		# tc_first ACTION_FROM_CLIENT ACTION_FROM_BACKEND; words of tc
{
	local dev action=$1

	for dev in cli $(printf 'be%d ' $(seq "$backends")); do
		must tc -n "$gw" qdisc add dev "$dev" clsact
		# shellcheck disable=SC2086
		must tc -n "$gw" filter add dev "$dev" ingress matchall action $action
		action=$2
	done
}

tc_none()
{
	local dev

	for dev in cli $(printf 'be%d ' $(seq "$backends")); do
		must tc -n "$gw" qdisc del dev "$dev" clsact
	done
}

vip_at()		# vip_at 4|6 N: address and port of the service N, as cost.c has them
{
	if [[ $1 == 6 ]]; then
		printf '[2001:db8:f::%x]:80\n' "$(($2 + 1))"
	else
		printf '203.0.%d.%d:80\n' "$((113 + ($2 + 1) / 256))" "$((($2 + 1) % 256))"
	fi
}

backend_words()		# backend_words SERVICE FAMILY PORT: to add all backends
{
	local n

	for ((n = 1; n <= backends; n++)); do
		echo "backend add $1 $(be_at "$2" "$n" "$3")"
	done
}

# All backends of a service in one change: none of its slots is in transition after it.
ringlb_up()		# ringlb_up SERVICES: so many of each family
{
	local family i

	for family in 4 6; do
		for ((i = 0; i < $1; i++)); do
			echo "service add s$family-$i udp $(vip_at "$family" "$i")"
			backend_words "s$family-$i" "$family" 8080
		done
	done | must rlb -b /dev/stdin
	at[services]=$1
}

ringlb_down()
{
	must rlb flush
	at[pins]=0
}

pins_are()		# pins_are N
{
	must test "$(rlb -j flow stats | jq .flows)" -eq "$1"
}

# Flows of another service of each family, the one behind those of ringlb_up(), that are all
# remembered: half of them each. $pinned: options of cost for them.
pins_up()		# pins_up FLOWS
{
	local family flows=$(($1 / 2))

	for family in 4 6; do
		echo "service add p$family udp $(vip_at $family "${at[services]}")" \
			"track all timeout 7200"
		backend_words "p$family" $family 8081
	done | must rlb -b /dev/stdin
	pinned=(-v 1 -a "${at[services]}" -b 8081)
	must "$bench/cost" "${pinned[@]}" -f "$flows" -m 64 "${senders[@]}" >"$tmp/pins4"
	must "$bench/cost" "${pinned[@]}" -f "$flows" -m 64 -6 "${senders[@]}" >"$tmp/pins6"
	pins_are "$1"
	at[pins]=$1
}

ipvs_up()		# as an operator sets it up who knows it well
{
	local family n

	must modprobe ip_vs conn_tab_bits=20
	must ip -n "$gw" route add local 203.0.113.1 dev lo
	must ip -n "$gw" route add local 2001:db8:f::1 dev lo
	for family in 4 6; do
		echo "-A -u $(vip_at $family 0) -s mh -b mh-fallback,mh-port"
		for ((n = 1; n <= backends; n++)); do
			echo "-a -u $(vip_at $family 0) -r $(be_at $family "$n" 8080) -m"
		done
	done | must in_ns "$gw" ipvsadm -R
}

ipvs_down()
{
	must in_ns "$gw" ipvsadm -C
	must ip -n "$gw" route del local 203.0.113.1 dev lo
	must ip -n "$gw" route del local 2001:db8:f::1 dev lo
}

# Four figures of a path: requests and replies, IPv4 and IPv6. Each packet must arrive.
row()			# row PATH [OPTION_OF_COST]...
{
	local path=$1 family direction options said arrives=true of

	shift
	of=$(printf '{ "flows": %d, "services": %d, "pins": %d, "down": %d }' \
		"${at[flows]}" "${at[services]}" "${at[pins]}" "${at[down]}")
	[[ $path != generator ]] || arrives=false
	for family in 4 6; do
		for direction in request reply; do
			options=(-f "${at[flows]}" -m "$sample" "$@")
			[[ $family == 4 ]] || options+=(-6)
			[[ $direction == request ]] || options+=(-r)
			said=$(must "$bench/cost" "${options[@]}" "${senders[@]}")
			jq -c --arg path "$path" --argjson family $family --argjson a $arrives \
				--arg direction "$direction" --argjson of "$of" '
				if .received == (if $a then .sent else 0 end)
				then { $path, $family, $direction } + $of + . else error(tojson) end
			' <<<"$said" >>"$rows" || {
				ktap_note "$path, IPv$family, $direction: packets astray: $said"
				exit 1
			}
		done
	done
}

# bench.json: what a packet costs beyond the generator's part.
results()
{
	jq -s 'def generator($f; $d): .[] |
			select(.path == "generator" and .family == $f and .direction == $d);
		. as $all | map({ path, family, direction, flows, services, pins, down,
			counted_instr: (.instructions - if .path == "generator" then 0 else
				(.family as $f | .direction as $d | $all | generator($f; $d)).instructions
				end | . * 10 | round / 10) })' "$rows"
}
