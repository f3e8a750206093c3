#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mode_tunnel.sh - packets go to backends inside others, answers straight to the client
#
# be1 is a backend by its IPv4 address, be2 by its IPv6 address, of services of both families;
# what unwraps packets there are Linux' own devices. be3 is be1, by way of be2, whose link to be1
# is narrow.
# timeout: 240
set -u
# shellcheck source=selftests/straight.sh
. "$(dirname "$0")/../straight.sh"

mode=tunnel
n=$(scaled 100 8)	# short connections of each kind
few=8
size=$(scaled 10000000)
far=('' 10.0.5.9 fd00:5::9)

tunnels()		# tunnels TYPE: services with this tunnel
{
	local family

	for family in 4 6; do
		must rlb service add "web$family" tcp "$(at "$family" vip 80)" tunnel "$1"
		must rlb service add "dns$family" udp "$(at "$family" vip 53)" tunnel "$1"
		must rlb backend add "web$family" 10.0.2.11 fd00:2::12
		must rlb backend add "dns$family" 10.0.2.11 fd00:2::12
	done
}

to_each()		# to_each tcp|udp FUNCTION WORD...: added are FAMILY of the VIP, backend, client's port
{
	local family backend proto=$1

	shift
	for family in 4 6; do
		for backend in 10.0.2.11 fd00:2::12; do
			"$@" "$family" "$backend" "$(port_to "$proto" "$family" "$backend")"
		done
	done
}

put()			# put WORDS LOG FAMILY BACKEND PORT: a claim
{
	local -n vip=vip$3
	local log=$tmp/$2.$3.${4//:/-}

	flows cli "$log" tcp "$vip" 80 --ports "$5-$5" --op "put:$size" --timeout 20
	ktap_check "tunnel: $1: $size bytes over IPv$3 to $4" judge answered "$log" 1
}

large()			# large FAMILY BACKEND PORT: a datagram of several fragments, and a larger one
{
	local -n vip=vip$1

	flows cli "$tmp/large" udp "$vip" 53 --ports "$3-$3" --size 1473
	flows cli "$tmp/large" udp "$vip" 53 --ports "$3-$3" --size 8000
}

names()			# names LOG: who answered
{
	jq -rs 'map(.name) | unique | join(" ")' "$@"
}

told_mtus()		# told_mtus FAMILY:MTU...: just that the client was told of packets to VIPs
{
	[[ $(jq -rs '[.[] | select(.way == "in" and .quoted) | "\(.family):\(.mtu % 65536)"] |
		unique | join(" ")' "$tmp/icmp") == "$*" ]]
}

ktap_plan 36
bed 2
servers 53 80 81
errors_of_way=()	# of each transfer by the narrow way
must rlb secret set 000102030405060708090a0b0c0d0e0f	# flows go the same way each time
cables
straight on
unwrap "$be1" 10.0.2.11 fd00:2::11
unwrap "$be2" 10.0.2.12 fd00:2::12
tunnels ipip

sniff be1 "$tmp/be1" --device gw
sniffer1=$background_pid
sniff be2 "$tmp/be2" --device gw
sniffer2=$background_pid
must in_ns "$cli" nft -f - <<-'END'
	table inet dscp {
		chain out {
			type filter hook output priority 0;
			meta nfproto ipv4 udp dport 53 ip dscp set 46
			meta nfproto ipv6 udp dport 53 ip6 dscp set 46
			meta nfproto ipv4 udp dport 53 ip ecn set ect0
			meta nfproto ipv6 udp dport 53 ip6 ecn set ect0
		}
	}
END
cells "from a client" 20000 cli "$n"
end "$sniffer1"
end "$sniffer2"
must in_ns "$cli" nft delete table inet dscp
ktap_is "tunnel: both backends had flows of both families" \
	"$(names "$tmp/20000.tcp.4") $(names "$tmp/20000.udp.6")" "be1 be2 be1 be2"
ktap_check "tunnel: at the backend that lookup names" \
	judge lookup "$servers_log" "$(at 6 vip 53)" 3 ringlb -n "$gw"
ktap_is "tunnel: as many packets were sent on as datagrams came" \
	"$(counted dns4 packets_in)" "$n"
outer()			# outer LOG: what outer packets look like, those with UDP inside
{
	jq -r 'select(.way == "in" and .inner.proto == "udp") | "\(.src) \(.dst) " +
		"\(.ttl) \(.dsfield) \(.df) \(.header_good): \(.inner.dst) \(.inner.ttl) \(.inner.dsfield)"' \
		"$1" | sort -u
}
ktap_is "tunnel: outer packets by IPv4: from the gateway, DSCP and ECN kept, hops anew" \
	"$(outer "$tmp/be1")" "10.0.2.1 10.0.2.11 64 186 true true: $vip4 63 186
10.0.2.1 10.0.2.11 64 186 true true: $vip6 63 186"
ktap_is "tunnel: and by IPv6" "$(outer "$tmp/be2")" \
	"fd00:2::1 fd00:2::12 64 186 null null: $vip4 63 186
fd00:2::1 fd00:2::12 64 186 null null: $vip6 63 186"

sniff cli "$tmp/icmp" --device gw --proto icmp
to_each tcp put "offloads on" on
ktap_check "tunnel: the client was told how large packets may be" \
	wait_for 10 told_mtus 4:1460 4:1480 6:1460 6:1480
to_each udp large
ktap_check "tunnel: datagrams of several fragments are answered" judge answered "$tmp/large" 8

# By way of be2, whose link to be1 takes 1300 bytes.
link_add "$be2" be1 "$be1" be2
must in_ns "$be2" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
must ip -n "$be2" -b - <<-END
	link set be1 mtu 1300
	addr add 10.0.5.1/24 dev be1
	addr add fd00:5::1/64 dev be1 nodad
END
must ip -n "$be1" -b - <<-END
	addr add ${far[1]}/24 dev be2
	addr add ${far[2]}/64 dev be2 nodad
END
unwrap "$be1" "${far[@]:1}"
must ip -n "$gw" route add 10.0.5.0/24 via 10.0.2.12 dev be2 onlink
must ip -n "$gw" route add fd00:5::/64 via fd00:2::12 dev be2 onlink
only_at_first()		# only_at_first N N 0 0: when neither way was known
{
	(($1 > 0 && $2 > 0 && $3 == 0 && $4 == 0))
}

far()			# far FAMILY ADDRESS WORDS: a transfer to be1 at this address; 1 claim
{
	local -n vip=vip$1
	local log=$tmp/far.$1.${2//:/-}

	must rlb service add far tcp "$(at "$1" vip 81)" tunnel ipip
	must rlb backend add far "$2"
	flows cli "$log" tcp "$vip" 81 --op "put:$((size / 10))" --timeout 20
	ktap_check "tunnel: a narrow way to $2: $((size / 10)) bytes over IPv$1" judge answered "$log" 1
	errors_of_way+=("$(counted far icmp_out)")
	must rlb service del far
}
: >"$tmp/icmp"
for family in 4 6; do
	for address in "${far[@]:1}"; do
		far "$family" "$address"
	done
done
ktap_check "tunnel: errors about outer packets are told the client about those inside" \
	wait_for 10 told_mtus 4:1260 4:1280 6:1280
ktap_check "tunnel: until the gateway knows: then it says so itself" only_at_first "${errors_of_way[@]}"
ktap_is "tunnel: errors quote what was sent to the VIP, and all sums are right" \
	"$(errors "(.quoted.dst != \"$vip4\" and .quoted.dst != \"$vip6\") or
		(.checksum_good | not) or .header_good == false")" 0

# The gateway's own; strict filters know no way back to a VIP by a backend's cable.
for dev in all be1 be2; do
	must in_ns "$gw" sysctl -qw "net.ipv4.conf.$dev.rp_filter=0"
done
must ip -n "$gw" link add vips type dummy
must ip -n "$gw" link set vips up
must ip -n "$gw" route add "$vip4/32" dev vips
must ip -n "$gw" route add "$vip6/128" dev vips
cells "from the gateway" 21000 gw $few
must ip -n "$gw" link del vips

offloads off
size=$((size / 5))
to_each tcp put "offloads off" off
ktap_is "tunnel: no receiver saw a damaged packet" "$(wire_errors cli gw be1 be2)" 0

ktap_is "tunnel: lookup tells the mode" \
	"$(rlbj lookup tcp 10.0.1.2:20000 "$(at 4 vip 80)" | jq -r '[.] | flatten | .[0].mode')" \
	tunnel
for own in "$gw4" "$gw6"; do
	ktap_refuse "tunnel: to $own, which is the gateway" 2 \
		'backend is an address of this host, which this mode cannot send to' \
		rlb backend add web4 "$own"
done
ktap_refuse "tunnel: a backend with a port" 2 \
	'backend has a port, which this mode does not change \(attribute: port\)' \
	rlb backend add web4 10.0.2.14:8080
rlb save >"$tmp/saved"
must rlb flush
must rlb -b "$tmp/saved"
ktap_is "tunnel: what was saved comes back" "$(rlb save | diff - "$tmp/saved")" ""
