#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dev_twin.sh - the fast path sends what the stack would have sent, byte for byte
#
# Two gateways with the same addresses, routes, services and secret, of which one has the fast
# path on its devices, get the same random packets: see dev_twin.py.
# timeout: 900
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

# 100,000, and much less in a run that is scaled down, but enough that each reason comes
count=100000
((${SCALE:-1} == 1)) || count=$(scaled 12000 3000)
each=$((count / 1000))		# packets declined for each reason, at least
declare -A gateway counter
taken=0
wire=''				# set by ns_add

# Cables to the one namespace that plays everybody else; nobody has to be asked for.
gateway_make()		# gateway_make A|B
{
	local ns dev n

	ns_add "gw$1"
	local -n made=gw$1
	ns=$made gateway[$1]=$made
	forward "$ns"
	must in_ns "$ns" sysctl -qw net.ipv4.icmp_ratemask=0 net.ipv4.conf.all.send_redirects=0 \
		net.ipv4.conf.default.send_redirects=0
	for dev in cli be; do
		link_add "$ns" "$dev" "$wire" "${dev:0:1}$1"
		must ip -n "$ns" link set "$dev" address 02:00:00:00:00:01
		must ip -n "$wire" link set "${dev:0:1}$1" address 02:00:00:00:00:02
		must in_ns "$ns" sysctl -qw "net.ipv4.conf.$dev.send_redirects=0" \
			"net.ipv4.neigh.$dev.mcast_solicit=0" "net.ipv6.neigh.$dev.mcast_solicit=0"
	done
	must ip -n "$ns" -b - <<-END
		link set be mtu 1400
		addr add 10.0.1.1/24 dev cli
		addr add 10.0.2.1/24 dev be
		addr add fd00:1::1/64 dev cli
		addr add fd00:2::1/64 dev be
		route add 198.18.0.0/15 via 10.0.1.2
		route add 203.0.113.128/25 nexthop via 10.0.1.2 nexthop via 10.0.1.3
		route add blackhole 192.0.2.10/32
		route add 2001:db8:c::/48 via fd00:1::2
		route add blackhole 2001:db8::10/128
		neigh add 10.0.1.2 dev cli lladdr 02:00:00:00:00:02
		neigh add 10.0.1.3 dev cli lladdr 02:00:00:00:00:03
		neigh add fd00:1::2 dev cli lladdr 02:00:00:00:00:02
		$(for n in 1 2 3 4 5; do
			echo "neigh add 10.0.2.1$n dev be lladdr 02:00:00:00:00:1$n"
			echo "neigh add fd00:2::1$n dev be lladdr 02:00:00:00:00:1$n"
		done)
	END
}

# Of each family and protocol: one service that remembers nothing and one that remembers all;
# one without a backend that is up, and one with a backend that nobody has heard of.
services()
{
	local family proto n at

	echo "secret set 00112233445566778899aabbccddeeff"
	for family in 4 6; do
		for proto in tcp udp; do
			at=$proto$family
			echo "service add $at $proto $(at "$family" vip 80)"
			echo "service add $at-all $proto $(at "$family" vip 81) track all"
			echo "service add $at-down $proto $(at "$family" vip 82) none drop"
			echo "service add $at-lost $proto $(at "$family" vip 83)"
			for n in 1 2 3 4; do
				echo "backend add $at $(be_at "$family" "$n" 8080)"
			done
			for n in 1 2 3 4; do
				echo "backend add $at-all $(be_at "$family" "$n" 8081)"
			done
			echo "backend add $at-down $(be_at "$family" 1 8082) state down"
			echo "backend add $at-lost $(be_at "$family" 9 8083)"
		done
	done
}

on_both()		# on_both COMMAND...: in both gateways
{
	must in_ns "${gateway[A]}" "$@"
	must in_ns "${gateway[B]}" "$@"
}

read_counters()		# of both devices together, into $counter
{
	local key n

	while read -r key n; do
		counter[$key]=$n
	done < <(ringlb -n "${gateway[B]}" -j -s dev show | jq -r '
		[.[].counters | to_entries[]] | group_by(.key)[] |
		"\(.[0].key) \(map(.value) | add)"')
	taken=$((counter[taken_in] + counter[taken_out]))
}

twins()			# twins WORD...: of dev_twin.py
{
	must "$selftests/net/dev_twin.py" --netns "$wire" "$@" >"$tmp/twins"
}

are_same()		# are_same LEAST: what came out, and so many frames did
{
	cat "$tmp/twins"
	jq -e "(.wrong | not) and .received >= $1" "$tmp/twins" >/dev/null
}

declined()		# declined REASON
{
	echo "${counter[declined_$1]}"
	test "${counter[declined_$1]}" -ge $each
}

phase()			# phase NAME REASON: plain packets, none of which is taken
{
	local before=$taken

	twins --phase "$1" --count $((4 * each)) --seed 7
	ktap_check "twins: $1: the same comes out" are_same 0
	read_counters
	ktap_is "twins: $1: nothing is taken" "$taken" "$before"
	ktap_check "twins: $1: packets are declined for it" declined "$2"
}

in_random=(address vlan options fragment protocol malformed ttl source unsettled no_flow route
	neighbour mtu other)

ktap_plan $((2 + ${#in_random[@]} + 6))
need_module
must sysctl -qw net.ipv4.icmp_msgs_per_sec=1000000 net.ipv4.icmp_msgs_burst=1000000
ns_add wire
must in_ns "$wire" sysctl -qw net.ipv6.conf.default.disable_ipv6=1 net.ipv6.conf.all.disable_ipv6=1
for name in A B; do
	gateway_make $name
	services | must ringlb -n "${gateway[$name]}" -b /dev/stdin
done
for dev in cli be; do
	must ringlb -n "${gateway[B]}" dev add $dev
done

twins --count "$count"
ktap_check "twins: what comes out is the same, byte for byte" are_same $((count * 6 / 10))
read_counters
ktap_check "twins: at least half of the packets are taken" test $taken -ge $((count / 2))
ktap_note "$(declare -p counter)"
for reason in "${in_random[@]}"; do
	ktap_check "twins: packets are declined: $reason" declined "$reason"
done

on_both sysctl -qw net.ipv4.conf.cli.forwarding=0 net.ipv6.conf.all.forwarding=0
phase "no forwarding" forwarding
on_both sysctl -qw net.ipv4.conf.cli.forwarding=1 net.ipv6.conf.all.forwarding=1
on_both ip link add above link cli type macvlan
phase "a device above" port
