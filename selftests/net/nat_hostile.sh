#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nat_hostile.sh - packets that someone else holds, lies in headers, errors that quote little
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40)

craft()			# craft WORD...: craft.py at the client's end of the link to gw
{
	zygote craft --netns "$cli" --device gw --mac "$gw_mac" "$@"
}

serves()		# serves NAME: flows of all four kinds are answered
{
	local family

	for family in 4 6; do
		local -n vip=vip$family
		flows cli "$tmp/$1" udp "$vip" 53 --ports "20000-$((19999 + n))"
		flows cli "$tmp/$1" tcp "$vip" 80 --ports "20000-$((19999 + n))"
	done
	judge answered "$tmp/$1" $((4 * n))
}

# The backend has learnt of a narrow path to the client, by an error that came to the VIP.
path_mtu()		# path_mtu FAMILY
{
	local -n client=cli$1

	ip -n "$be1" -j route get "$client" | jq '[.. | .mtu? | numbers] | add'
}

quote()			# quote FAMILY WHAT MTU: 1 claim
{
	local -n client=cli$1

	ip -n "$be1" route flush cache
	ip -n "$be1" -6 route flush cache
	must craft toobig "$1" 53 "$client" 20000 "$3" "$2"
	wait_for 5 eval "[[ \$(path_mtu $1) == $3 ]]"
	ktap_is "hostile: an error over IPv$1 that quotes $2: the backend learns the path MTU" \
		"$(path_mtu "$1")" "$3"
}

ktap_plan 11
bed 1
servers 5353 8080
for family in 4 6; do
	service "dns$family" udp "$family" 53 5353
	service "web$family" tcp "$family" 80 8080
done
gw_mac=$(ip -n "$gw" -j link show cli | jq -r '.[0].address')

# Another device gets a copy of each packet from the client before ringlb sees it: the copies
# share their bytes with the packets, and must stay as they came.
must ip -n "$gw" link add copies type dummy
must ip -n "$gw" link set copies up
must in_ns "$gw" tc qdisc add dev cli clsact
must in_ns "$gw" tc filter add dev cli ingress matchall action mirred egress mirror dev copies
sniff gw "$tmp/copies" --device copies
ktap_check "hostile: packets with copies elsewhere: flows are answered" serves copied
end "$background_pid"
ktap_is "hostile: the copies stay as they came" "$(jq -r 'select(.proto == "udp" or
	.proto == "tcp") | "\(.dst) \(.dport)"' "$tmp/copies" | sort -u | tr '\n' ' ')" \
	"192.0.2.10 53 192.0.2.10 80 2001:db8::10 53 2001:db8::10 80 "
ktap_is "hostile: no packet was damaged" "$(wire_errors cli be1)" 0
must in_ns "$gw" tc qdisc del dev cli clsact

serves before >/dev/null
quote 4 8 1300
quote 4 more 1310
quote 4 options 1320
quote 6 8 1330
quote 6 more 1340
ktap_check "hostile: each of these errors was counted" \
	test "$(counted dns4 icmp_in)" -eq 3 -a "$(counted dns6 icmp_in)" -eq 2

damaged=$(scaled 5000)
ktap_check "hostile: $damaged damaged packets" craft fuzz "$damaged"
ktap_check "hostile: after these, flows are answered" serves after
