# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# straight.sh - for tests of modes whose answers do not come back through the gateway
#
# In:  as lib.sh, which it brings; a bed; services web4, web6, dns4 and dns6 at ports 80 and 53
#      of the VIPs; $tmp/icmp, what a sniffer at cli says. Out: the functions below.

# shellcheck source=selftests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mode=''			# what claims are about

# Each backend has a cable of its own to the client.
cables()
{
	local n

	for ((n = 1; n <= backends; n++)); do
		local -n cable_ns=be$n
		link_add "$cable_ns" cli "$cli" "be$n"
		must ip -n "$cli" addr add "$cli6/128" dev "be$n" nodad
		must in_ns "$cable_ns" sysctl -qw net.ipv4.conf.all.arp_ignore=1 \
			net.ipv4.conf.all.arp_announce=2
	done
}

# UDP servers, bound to no address, answer from the VIP then. Else the VIPs are no addresses of
# backends: of SCTP, these would tell clients of them.
straight()		# straight on|off: backends have the VIPs, and send to cli by these cables
{
	local n

	for ((n = 1; n <= backends; n++)); do
		local -n straight_ns=be$n
		if [[ $1 == on ]]; then
			must ip -n "$straight_ns" -b - <<-END
				addr add $vip4/32 dev lo
				addr add $vip6/128 dev lo nodad
				route add $cli4/32 dev cli src $vip4
				route add $cli6/128 dev cli src $vip6
				route change $gw4/32 dev gw src $vip4
				route change $gw6/128 dev gw src $vip6
			END
		else
			must ip -n "$straight_ns" -b - <<-END
				route del $cli4/32 dev cli
				route del $cli6/128 dev cli
				route change $gw4/32 dev gw
				route change $gw6/128 dev gw
				addr del $vip4/32 dev lo
				addr del $vip6/128 dev lo
			END
		fi
	done
}

# A sit device makes itself an IPv6 address of its IPv4 one, of which SCTP would tell clients.
unwrap()		# unwrap NETNS IPV4 IPV6: what comes to these addresses in tunnels
{
	must modprobe -a ipip sit ip6_tunnel
	must ip -n "$1" -b - <<-END
		link add in4.$2 type ipip local $2
		link add in6.$2 type sit local $2
		link add in.$2 type ip6tnl mode any local $3
		link set in4.$2 up
		link set in6.$2 up
		link set in.$2 up
		addr flush dev in6.$2
	END
}

cell()			# cell WORDS PORTS NS N tcp|udp 4|6: a claim
{
	local -n vip=vip$6 source=$3$6
	local port=80 log=$tmp/$2.$5.$6

	[[ $5 == tcp ]] || port=53
	forget
	flows "$3" "$log" "$5" "$vip" "$port" --source "$source" --ports "$2-$(($2 + $4 - 1))"
	ktap_check "$mode: $5 over IPv$6 $1: all answered, by one backend each" \
		judge answered "$log" "$4" + agree "$log" "$servers_log"
}

cells()			# cells WORDS PORTS NS N: a claim for each protocol and family
{
	local family proto

	for proto in tcp udp; do
		for family in 4 6; do
			cell "$@" "$proto" "$family"
		done
	done
}

port_to()		# port_to tcp|udp 4|6 BACKEND: of a flow of cli to web or dns that goes there
{
	local port=24000 to=80

	[[ $1 == tcp ]] || to=53
	until rlbj lookup "$1" "$(at "$2" cli "$port")" "$(at "$2" vip "$to")" |
		jq -e --arg to "$3" '[.] | flatten | .[0].backend == $to' >/dev/null; do
		((port++))
	done
	echo "$port"
}

drops()			# drops COUNTER: of all services
{
	rlbj -s service show | jq "[.[].counters.$1] | add"
}

errors()		# errors JQ: ICMP errors at the client about packets to a VIP
{
	jq -s "[.[] | select(.way == \"in\" and .quoted) | select($1)] | length" "$tmp/icmp"
}

told()			# told N JQ: so many of them have come, or more
{
	(($(errors "$2") >= $1))
}
