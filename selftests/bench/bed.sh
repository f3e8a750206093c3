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
# In:  root in a VM whose clock counts instructions (scripts/vm -i), or under the timed kernel
#      (-k timed), with the module loaded; cost, built.
# Out: the functions below; lib.sh's. Figures as lines of JSON: costs of packets in $rows, all
#      else in $figures.
#
#   generator (cli) -> gw -> be1..beN: veth pairs of one kernel on one processor. Whoever a
#   packet is for drops it first thing, in tc: nothing counts but the way to there. Neighbours
#   are permanent, so that no cost comes and goes with them; and no reverse path is looked for,
#   as in a kernel that nobody has configured, so that forwarding is not dearer than it must be.

bench=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=selftests/lib.sh
. "$bench/../lib.sh"

rows=$tmp/rows
figures=$tmp/figures
here_mac=02:00:00:00:00:01	# of gw's devices; cost.c knows it
there_mac=02:00:00:00:00:02
# What is measured: under the timed kernel, whose figures are those of caches too, all flows,
# or of many flows as many as fill no cache, each once after all others.
if [[ $(uname -r) == *-timed ]]; then
	column=timed_ns count=(-t -p 25) count_many=(-t -p 1 -m 131072)
else
	column=counted_instr count=(-m 2700) count_many=(-m 2700 -w "$(scaled 1048576)")
fi
many=200000		# flows from which on $count_many holds
declare -A at=([flows]=8192 [services]=1 [pins]=0 [down]=0)	# what rows are of; columns
protocol=udp		# of services
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
	need_module
	ns_add cli
	ns_add gw
	forward "$gw"
	must in_ns "$gw" sysctl -qw net.ipv4.conf.all.rp_filter=0
	link_client
	cable_end "$cli" cli "$cli4" "$cli6"
	must ip -n "$gw" route add 198.18.0.0/15 via "$cli4"
	must ip -n "$gw" route add 2001:db8:c::/48 via "$cli6"
	bench_bed_grow "$1"
}

bench_bed_grow()	# bench_bed_grow N: N backends by now
{
	while ((backends < $1)); do
		backends=$((backends + 1))
		backend_add_ns "$backends"
		cable_end "be$backends-$tag" "be$backends" "$(be_at 4 "$backends")" \
			"$(be_at 6 "$backends")"
	done
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

# Into a variable: of ten thousand services a process for each word would take minutes.
vip_to()		# vip_to VARIABLE 4|6 N: address and port of the service N, as frame.c has them
{
	if [[ $2 == 6 ]]; then
		printf -v "$1" '[2001:db8:f::%x]:80' "$(($3 + 1))"
	else
		printf -v "$1" '203.0.%d.%d:80' "$((113 + ($3 + 1) / 256))" "$((($3 + 1) % 256))"
	fi
}

vip_at()		# vip_at 4|6 N
{
	local at_vip

	vip_to at_vip "$@"
	echo "$at_vip"
}

# services_words FAMILY PREFIX FIRST N PORT [WORD]...: to add N services, the first at the
# FIRSTth VIP with backends at PORT, the next at the next, with all backends and these words
services_words()
{
	local family=$1 prefix=$2 first=$3 services=$4 port=$5 vip real reals=() n

	shift 5
	for ((n = 1; n <= backends; n++)); do
		real=$(be_at "$family" "$n" 0)
		reals+=("${real%0}")
	done
	for ((n = 0; n < services; n++)); do
		vip_to vip "$family" $((first + n))
		echo "service add $prefix$n $protocol $vip $*"
		for real in "${reals[@]}"; do
			echo "backend add $prefix$n $real$((port + n))"
		done
	done
}

# All backends of a service in one change: none of its slots is in transition after it. A
# backend's port is in one service alone, so requests alone can be sent to many services.
ringlb_family_up()	# ringlb_family_up FAMILY SERVICES [WORD]...: so many, with these words
{
	local family=$1 n=$2

	shift 2
	services_words "$family" "s$family-" 0 "$n" 8080 "$@" | must rlb -b /dev/stdin
	at[services]=$n
}

ringlb_up()		# ringlb_up SERVICES [WORD]...: so many of each family
{
	ringlb_family_up 4 "$@"
	ringlb_family_up 6 "$@"
}

ringlb_down()
{
	must rlb flush
	at[services]=1 at[pins]=0 at[down]=0
}

# All devices of the gateway with the fast path, or none
dev_all()		# dev_all add|del
{
	local dev

	for dev in cli $(printf 'be%d ' $(seq "$backends")); do
		must rlb dev "$1" "$dev"
	done
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
		services_words $family "p$family-" "${at[services]}" 1 8081 track all timeout 7200
	done | must rlb -b /dev/stdin
	pinned=(-v 1 -a "${at[services]}" -b 8081)
	must cost "${pinned[@]}" -f "$flows" -m 64 >"$tmp/pins4"
	must cost "${pinned[@]}" -f "$flows" -m 64 -6 >"$tmp/pins6"
	pins_are "$1"
	at[pins]=$1
}

# As an operator sets it up who knows it well: ipvs_up conn_tab_bits=20 mh-fallback,mh-port. VIPs
# are addresses: after the first route of type local, IPv4 looks for the way back to each source.
ipvs_up()		# ipvs_up [WORD_OF_MODULE [FLAGS]]
{
	local family n

	must modprobe ip_vs ${1:+"$1"}
	must ip -n "$gw" addr add 203.0.113.1/32 dev lo
	must ip -n "$gw" addr add 2001:db8:f::1/128 dev lo nodad
	for family in 4 6; do
		echo "-A -${protocol:0:1} $(vip_at $family 0) -s mh${2:+ -b $2}"
		for ((n = 1; n <= backends; n++)); do
			echo "-a -${protocol:0:1} $(vip_at $family 0) -r $(be_at $family "$n" 8080) -m"
		done
	done | must in_ns "$gw" ipvsadm -R
}

ipvs_down()
{
	must in_ns "$gw" ipvsadm -C
	must ip -n "$gw" addr del 203.0.113.1/32 dev lo
	must ip -n "$gw" addr del 2001:db8:f::1/128 dev lo
	must modprobe -r ip_vs_mh ip_vs
}

cost()			# cost [OPTION]...: cost.c, with client and backends of the bed
{
	"$bench/cost" "$@" "${senders[@]}"
}

# Called with each figure's path, family and direction; for who wants to tell of it.
each_figure()
{
	:
}

# One figure of a path, of what $at says. Each packet must arrive, but the generator's.
figure()		# figure PATH FAMILY DIRECTION [OPTION_OF_COST]...
{
	local path=$1 family=$2 direction=$3 options said of arrives=true

	shift 3
	of=$(printf '{ "flows": %d, "services": %d, "pins": %d, "down": %d }' \
		"${at[flows]}" "${at[services]}" "${at[pins]}" "${at[down]}")
	[[ $path != generator ]] || arrives=false
	options=("${count[@]}")
	((at[flows] < many)) || options=("${count_many[@]}")
	options+=(-f "${at[flows]}" "$@")
	[[ $family == 4 ]] || options+=(-6)
	[[ $direction == request ]] || options+=(-r)
	said=$(must cost "${options[@]}")
	jq -c --arg path "$path" --argjson family "$family" --argjson a $arrives \
		--arg direction "$direction" --argjson of "$of" '
		if .received == (if $a then .sent else 0 end)
		then { $path, $family, $direction } + $of + . else error(tojson) end
	' <<<"$said" >>"$rows" || {
		ktap_note "$path, IPv$family, $direction: packets astray: $said"
		exit 1
	}
	each_figure "$path" "$family" "$direction"
}

# Four figures of a path: requests and replies, IPv4 and IPv6
row()			# row PATH [OPTION_OF_COST]...
{
	local path=$1 family direction

	shift
	for family in 4 6; do
		for direction in request reply; do
			figure "$path" $family $direction "$@"
		done
	done
}

told()			# told FIGURE PATH VALUE UNIT: a figure, and the claim that it is there
{
	jq -n -c --arg figure "$1" --arg path "$2" --argjson value "$3" --arg unit "$4" \
		'{ $figure, $path, $value, $unit }' >>"$figures"
	ktap_ok "bench: $1, $2: $3 $4"
}

# What all else is held against: what sending costs, the least a packet can, and forwarding
anchors()
{
	tc_first drop drop
	row generator
	tc_none
	tc_first "mirred egress redirect dev be1" "mirred egress redirect dev cli"
	row "tc redirect"
	tc_none
	row forwarding
}

# bench.json: what a packet costs beyond the generator's part.
results()
{
	jq -s --arg column "$column" '
		def generator($f; $d): .[] |
			select(.path == "generator" and .family == $f and .direction == $d);
		. as $all | map({ path, family, direction, flows, services, pins, down,
			counted_instr: null, timed_ns: null } +
			{ ($column): (.cost - if .path == "generator" then 0 else
				(.family as $f | .direction as $d | $all | generator($f; $d)).cost
				end | . * 10 | round / 10) })' "$rows"
}
