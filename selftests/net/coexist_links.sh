#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coexist_links.sh - gateways whose devices are ports of bridges or slaves of a VRF, and whose
# routes depend on more than the destination
#
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40 8)

bridge_port()		# bridge_port DEV: it is a port of a bridge, which has its addresses now
{
	local bridge=br-$1 address

	must ip -n "$gw" link add "$bridge" type bridge
	must ip -n "$gw" link set "$bridge" up
	ip -n "$gw" route show dev "$1" >"$tmp/routes4"
	ip -n "$gw" -6 route show dev "$1" | grep -v '^fe80' >"$tmp/routes6"
	for address in $(ip -n "$gw" -o addr show dev "$1" scope global | awk '{ print $4 }'); do
		must ip -n "$gw" addr del "$address" dev "$1"
		must ip -n "$gw" addr add "$address" dev "$bridge" nodad
	done
	must ip -n "$gw" link set "$1" master "$bridge"
	sed "s/ proto kernel.*//; s/^/route replace /; s/\$/ dev $bridge/" "$tmp/routes4" |
		must ip -n "$gw" -b -
	sed "s/ proto kernel.*//; s/^/route replace /; s/ metric.*//; s/\$/ dev $bridge/" \
		"$tmp/routes6" | must ip -n "$gw" -6 -b -
}

filter_bridges()	# filter_bridges 0|1: packets that bridges see pass netfilter's IP hooks
{
	must in_ns "$gw" sysctl -qw net.bridge.bridge-nf-call-iptables="$1" \
		net.bridge.bridge-nf-call-ip6tables="$1"
}

ktap_plan 19
bed 2
servers 8080 5353
watch_leaks cli
both_services 2

# Where a packet goes depends on where it comes from, and on its mark.
must ip -n "$gw" -b - <<END
	rule add priority 100 fwmark 0x1 lookup 101
	rule add priority 200 from 10.0.1.0/24 to 10.0.2.0/24 lookup 100
	route add 10.0.2.11/32 dev be1 table 100
	route add prohibit 10.0.2.12/32 table 100
	route add 10.0.2.12/32 dev be2 table 101
END
must ip -n "$gw" -6 -b - <<END
	rule add priority 200 from fd00:1::/64 to fd00:2::/64 lookup 100
	route add fd00:2::11/128 dev be1 table 100
	route add fd00:2::12/128 dev be2 table 100
END
must in_ns "$gw" sysctl -qw net.ipv4.conf.be2.src_valid_mark=1
must in_ns "$gw" nft -f - <<'END'
	table inet marks {
		chain prerouting {
			type filter hook prerouting priority mangle;
			iifname "cli" ip daddr 10.0.2.12 meta mark set 0x1
			iifname "be2" ip saddr 10.0.2.12 meta mark set 0x1
		}
	}
END
traffic "routes by source and by mark" 20000 "$n"
must in_ns "$gw" nft flush ruleset
must ip -n "$gw" rule del priority 100
must ip -n "$gw" rule del priority 200
must ip -n "$gw" -6 rule del priority 200

# All of the gateway's devices in one VRF
must ip -n "$gw" link add red type vrf table 10
must ip -n "$gw" link set red up
for dev in cli be1 be2; do
	must in_ns "$gw" sysctl -qw "net.ipv6.conf.$dev.keep_addr_on_down=1"
	ip -n "$gw" route show dev "$dev" | sed "s/^/route add /; s/ proto kernel.*//; s/\$/ dev $dev/"
	ip -n "$gw" -6 route show dev "$dev" | grep -v ^fe80 |
		sed "s/^/route add /; s/ proto.*//; s/ metric.*//; s/\$/ dev $dev/"
	must ip -n "$gw" link set "$dev" master red
done >"$tmp/routes"
sed 's/^route add/route replace/; s/$/ table 10/' "$tmp/routes" | must ip -n "$gw" -b -
traffic "a VRF" 21000 "$n"
for dev in cli be1 be2; do
	must ip -n "$gw" link set "$dev" nomaster
done
must ip -n "$gw" link del red
sed 's/^route add/route replace/' "$tmp/routes" | must ip -n "$gw" -b -

# Both sides behind bridges, of which netfilter sees the packets, too, or does not
must modprobe br_netfilter
bridge_port cli
bridge_port be1
bridge_port be2
filter_bridges 0
traffic "bridges" 22000 "$n"
filter_bridges 1
traffic "bridges that call iptables" 23000 "$n"
must in_ns "$gw" nft -f - <<'END'
	table inet filter {
		chain forward {
			type filter hook forward priority filter; policy drop;
			ct state established,related accept
			ip daddr 10.0.2.11-10.0.2.12 ct state new accept
			ip6 daddr fd00:2::11-fd00:2::12 ct state new accept
			icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
		}
	}
END
traffic "bridges that call iptables, and a stateful firewall" 24000 "$n"

ktap_is "links: no packet with a backend's address came to the client" "$(leaks cli)" 0
ktap_is "links: every reply was translated" \
	"$(counted web4 untranslated) $(counted web6 untranslated)" "0 0"
ktap_is "links: no receiver saw a damaged packet" "$(wire_errors cli be1 be2)" 0
ktap_is "links: nothing was dropped for want of a route" "$(counted web4 drop_no_route)" 0
