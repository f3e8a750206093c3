#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nat_icmp.sh - errors about a flow reach its right end, and show no backend to clients
#
#   cli ---- rtr ---- gw ---- hop ---- be1
# Each of the four links is made narrow in turn; a full-size transfer with DF must go on.
# timeout: 240
set -u
# shellcheck source=selftests/hops.sh
. "$(dirname "$0")/../hops.sh"

ktap_plan 24
bed 1
hops
servers 8080
service web4 tcp 4 80 8080
service web6 tcp 6 80 8080
service dead4 udp 4 53 5353
service dead6 udp 6 53 5353
sniff cli "$tmp/icmp" --proto icmp

refusals "a client" 10.0.3.2 fd00:3::2 cli
must ip -n "$gw" route add "$vip4/32" dev cli
must ip -n "$gw" route add "$vip6/128" dev cli
refusals "the gateway" 10.0.4.1 fd00:4::1 gw

narrow "backend's own link narrow" put "$hop" be1 "$be1" hop
narrow "gateway's link to the backend narrow" put "$gw" be1 "$hop" gw
narrow "client's own link narrow" get "$cli" rtr "$rtr" cli
narrow "gateway's link to the client narrow" get "$gw" cli "$rtr" gw
narrow "gateway's link to the backend narrow, answers" get "$gw" be1 "$hop" gw
narrow "client's own link narrow, requests" put "$cli" rtr "$rtr" cli
from=gw
narrow "gateway's own requests, its link narrow" put "$gw" be1 "$hop" gw
narrow "gateway's own requests, backend's link narrow" put "$hop" be1 "$be1" hop
end "$background_pid"

# shellcheck disable=SC2016 # jq's
vips='(.quoted.dst == "192.0.2.10" or .quoted.dst == "2001:db8::10")'
ktap_is "icmp: every error that came to the client quotes the VIP" \
	"$(errors "$vips | not")" 0
ktap_is "icmp: no error that came to the client is from a backend" \
	"$(errors '.src == "10.0.2.11" or .src == "fd00:2::11"')" 0
ktap_is "icmp: every checksum in them is right" \
	"$(errors '(.checksum_good | not) or .header_good == false or .quoted.header_good == false')" 0
ktap_check "icmp: the client was told of 1300 bytes" \
	test "$(errors '.mtu % 65536 == 1300')" -ge 2
