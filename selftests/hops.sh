# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# hops.sh - a longer bed, for errors that hosts on the way make
#
#   cli ---- rtr ---- gw ---- hop ---- be1
#
# In:  as lib.sh, which it brings; `bed 1` comes first. Out: the functions below; $rtr, $hop.

# shellcheck source=selftests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

size=$(scaled 1000000)

# beN behind a router, cli behind another one: the links of the bed get a hop each.
hops()
{
	ns_add rtr
	ns_add hop
	# shellcheck disable=SC2154 # ns_add sets them
	forward "$rtr"
	# shellcheck disable=SC2154
	forward "$hop"
	must ip -n "$cli" link set gw netns "$rtr" name gw
	link_add "$cli" rtr "$rtr" cli
	must ip -n "$be1" link set gw netns "$hop" name gw
	link_add "$be1" hop "$hop" be1
	must ip -n "$rtr" -b - <<-END
		link set gw up
		addr add 10.0.3.1/24 dev cli
		addr add fd00:3::1/64 dev cli
		addr add 10.0.1.2/24 dev gw
		addr add fd00:1::2/64 dev gw
		route add default via 10.0.1.1
		route add default via fd00:1::1
	END
	must ip -n "$cli" -b - <<-END
		addr add 10.0.3.2/24 dev rtr
		addr add fd00:3::2/64 dev rtr
		route add default via 10.0.3.1
		route add default via fd00:3::1
	END
	must ip -n "$gw" -b - <<-END
		route add 10.0.3.0/24 via 10.0.1.2
		route add fd00:3::/64 via fd00:1::2
		addr add 10.0.4.1/24 dev be1
		addr add fd00:4::1/64 dev be1
		route replace 10.0.2.11/32 via 10.0.4.2
		route replace fd00:2::11/128 via fd00:4::2
	END
	must ip -n "$hop" -b - <<-END
		link set gw up
		addr add 10.0.4.2/24 dev gw
		addr add fd00:4::2/64 dev gw
		route add default via 10.0.4.1
		route add default via fd00:4::1
		addr add 10.0.5.1/24 dev be1
		addr add fd00:5::1/64 dev be1
		route add 10.0.2.11/32 via 10.0.5.2
		route add fd00:2::11/128 via fd00:5::2
	END
	must ip -n "$be1" -b - <<-END
		addr add 10.0.5.2/24 dev hop
		addr add fd00:5::2/64 dev hop
		addr add 10.0.2.11/32 dev lo
		addr add fd00:2::11/128 dev lo nodad
		route add default via 10.0.5.1 src 10.0.2.11 advmss 1440
		route add default via fd00:5::1 src fd00:2::11 advmss 1420
	END
	must ip -n "$cli" route replace default via 10.0.3.1 advmss 1440
	must ip -n "$cli" -6 route replace default via fd00:3::1 advmss 1420
}

mtu()			# mtu BYTES NS1 DEV1 NS2 DEV2: of a link
{
	must ip -n "$2" link set "$3" mtu "$1"
	must ip -n "$4" link set "$5" mtu "$1"
	# what was learnt of the former one
	for ns in "$cli" "$be1" "$gw"; do
		ip -n "$ns" route flush cache
		ip -n "$ns" -6 route flush cache
	done
}

# A narrow link beyond which the sender learns of it; the transfer goes that way.
from=cli
narrow()		# narrow WORDS OP NS1 DEV1 NS2 DEV2: 1 claim for each family
{
	local words=$1 op=$2 family

	shift 2
	mtu 1300 "$@"
	for family in 4 6; do
		local -n vip=vip$family
		flows "$from" "$tmp/$words.$family" tcp "$vip" 80 --op "$op:$size" --timeout 10
		ktap_check "icmp: $words, IPv$family: a large transfer goes through" \
			judge answered "$tmp/$words.$family" 1
	done
	mtu 1500 "$@"
}

refusals()		# refusals WORDS SOURCE4 SOURCE6 NS: 1 claim for each family
{
	local family

	for family in 4 6; do
		local -n vip=vip$family
		local source=$2
		((family == 4)) || source=$3
		flows "$4" "$tmp/refused.$4.$family" udp "$vip" 53 --connected --source "$source" \
			--ports 20000-20007
		ktap_check "icmp: $1, IPv$family: a closed port of the backend refuses at once" \
			judge failed "$tmp/refused.$4.$family" 8 ECONNREFUSED
	done
}

errors()		# errors JQ: of those that came to the client, how many are so
{
	jq -s "[.[] | select(.way == \"in\" and .quoted) | select($1)] | length" "$tmp/icmp"
}
