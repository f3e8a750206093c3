#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# snat_icmp.sh - errors about a flow in which the gateway stands in the client's place reach its
# right end, and show neither backend nor client to the other
#
#   cli ---- rtr ---- gw ---- hop ---- be1
# timeout: 240
set -u
# shellcheck source=selftests/hops.sh
. "$(dirname "$0")/../hops.sh"

size=$(scaled 400000)

heard_by()		# heard_by LOG JQ: errors that came to a host, and are so
{
	jq -s "[.[] | select(.way == \"in\" and .quoted) | select($2)] | length" "$tmp/$1"
}

ktap_plan 19
bed 1
hops
servers 8080
for family in 4 6; do
	must rlb service add "web$family" tcp "$(at "$family" vip 80)" snat on snat-ports 20000-20999
	must rlb backend add "web$family" "$(be_at "$family" 1 8080)"
	must rlb service add "dead$family" udp "$(at "$family" vip 53)" snat on snat-ports 20000-20999
	must rlb backend add "dead$family" "$(be_at "$family" 1 5353)"
done
sniff cli "$tmp/icmp" --proto icmp
to_client=$background_pid
sniff be1 "$tmp/back" --proto icmp
to_backend=$background_pid

refusals "a client" 10.0.3.2 fd00:3::2 cli
must ip -n "$gw" route add "$vip4/32" dev cli
must ip -n "$gw" route add "$vip6/128" dev cli
refusals "the gateway" 10.0.4.1 fd00:4::1 gw
narrow "backend's own link narrow" put "$hop" be1 "$be1" hop
narrow "gateway's link to the backend narrow" put "$gw" be1 "$hop" gw
narrow "client's own link narrow" get "$cli" rtr "$rtr" cli
narrow "gateway's link to the client narrow" get "$gw" cli "$rtr" gw
end "$to_client"
end "$to_backend"

ktap_is "icmp: every error that came to the client quotes the VIP" "$(heard_by icmp \
	'(.quoted.dst == "192.0.2.10" or .quoted.dst == "2001:db8::10") | not')" 0
ktap_is "icmp: no error that came to the client is from a backend" \
	"$(heard_by icmp '.src == "10.0.2.11" or .src == "fd00:2::11"')" 0
ktap_is "icmp: every error that came to the backend quotes what it sent, to the gateway" \
	"$(heard_by back '.quoted.dst | IN("10.0.4.1", "fd00:4::1", "fd00:2::1") | not')" 0
ktap_check "icmp: the client was told of 1300 bytes" \
	test "$(heard_by icmp '.mtu % 65536 == 1300')" -ge 2
ktap_check "icmp: and so was the backend" test "$(heard_by back '.mtu % 65536 == 1300')" -ge 2
for name in icmp back; do
	ktap_is "icmp: every checksum in them is right ($name)" "$(heard_by "$name" \
		'(.checksum_good | not) or .header_good == false or .quoted.header_good == false')" 0
done
