#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coexist_conntrack.sh - beside conntrack and a stateful firewall that drops what it calls invalid
#
# Conntrack sees flows between client and backend, from the first packet on and both ways: so
# nothing is invalid to it, and rules name backends.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 50)

firewall()
{
	must in_ns "$gw" nft -f - <<-'END'
		table inet filter {
			counter invalid { }
			counter other { }
			chain sane {
				ct state invalid counter name invalid drop
				ct state established,related accept
				icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
			}
			chain forward {
				type filter hook forward priority filter; policy drop;
				jump sane
				ip saddr 10.0.1.0/24 ip daddr 10.0.2.11-10.0.2.19 ct state new accept
				ip6 saddr fd00:1::/64 ip6 daddr fd00:2::11-fd00:2::19 ct state new accept
				counter name other
			}
			chain input {
				type filter hook input priority filter; policy drop;
				jump sane
				counter name other
			}
			chain output {
				type filter hook output priority filter; policy accept;
				ct state invalid counter name invalid drop
			}
		}
	END
}

dropped()		# by the firewall, for each of its two reasons
{
	in_ns "$gw" nft -j list counters |
		jq -r '[.nftables[].counter | select(. != null) | .packets] | join(" ")'
}

traffic()		# traffic WORDS PORTS: 8 claims
{
	local family log

	for family in 4 6; do
		local -n vip=vip$family client=cli$family gateway=gw$family
		log=$tmp/$2.$family
		flows cli "$log.tcp" tcp "$vip" 80 --source "$client" --ports "$2-$(($2 + n - 1))"
		flows gw "$log.tcp" tcp "$vip" 80 --source "$gateway" \
			--ports "$2-$(($2 + n - 1))"
		ktap_check "conntrack: $1: TCP over IPv$family, client and gateway" \
			judge answered "$log.tcp" $((2 * n))
		flows cli "$log.udp" udp "$vip" 53 --source "$client" --ports "$2-$(($2 + n - 1))"
		flows gw "$log.udp" udp "$vip" 53 --source "$gateway" \
			--ports "$2-$(($2 + n - 1))"
		flows cli "$log.udp" udp "$vip" 53 --source "$client" --size 8000 --reply 8000
		ktap_check "conntrack: $1: UDP over IPv$family, client and gateway" \
			judge answered "$log.udp" $((2 * n + 1))
		flows cli "$log.big" tcp "$vip" 80 --op "put:$(scaled 5000000)"
		flows cli "$log.big" tcp "$vip" 80 --op "get:$(scaled 5000000)"
		ktap_check "conntrack: $1: large transfers over IPv$family" \
			judge answered "$log.big" 2
		flows cli "$log.refused" udp "$vip" 54 --connected --source "$client"
		ktap_check "conntrack: $1: errors about flows over IPv$family" \
			judge failed "$log.refused" 1 ECONNREFUSED
	done
}

ktap_plan 21
bed 2
servers 8080 5353
for family in 4 6; do
	service "web$family" tcp "$family" 80 8080
	service "dns$family" udp "$family" 53 5353
	service "dead$family" udp "$family" 54 5354
done
must ip -n "$gw" route add "$vip4/32" dev cli
must ip -n "$gw" route add "$vip6/128" dev cli

firewall
traffic "with a firewall" 21000
ktap_is "conntrack: nothing was invalid, nothing dropped" "$(dropped)" "0 0"
if command -v conntrack >/dev/null; then
	ktap_check "conntrack: it sees the client's flows to the backends" \
		test "$(in_ns "$gw" conntrack -L -p tcp -s "$cli4" 2>/dev/null |
			grep -c 'dst=10\.0\.2\.1[12] ')" -ge "$n"
	ktap_is "conntrack: and none to the VIP" \
		"$(in_ns "$gw" conntrack -L -d "$vip4" 2>/dev/null | wc -l)" 0
else
	ktap_skip "conntrack: it sees the client's flows to the backends" "conntrack, the tool"
	ktap_skip "conntrack: and none to the VIP" "conntrack, the tool"
fi
must in_ns "$gw" nft flush ruleset
traffic "firewall gone again" 22000
ktap_is "conntrack: no receiver saw a damaged packet" "$(wire_errors cli be1 be2)" 0
ktap_is "conntrack: every reply was translated" "$(counted web4 untranslated)" 0
