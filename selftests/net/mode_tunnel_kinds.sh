#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mode_tunnel_kinds.sh - mode tunnel by GRE and GUE, unwrapped by Linux' own devices
#
# be1 is a backend by its IPv4 address, be2 by its IPv6 address, of services of both families. By
# GUE, those of IPv6 have a port of their own.
# timeout: 240
set -u
# shellcheck source=selftests/straight.sh
. "$(dirname "$0")/../straight.sh"

n=$(scaled 40 8)
size=$(scaled 4000000)

outer()			# outer LOG: what outer packets look like, those with UDP inside
{
	jq -r 'select(.way == "in" and .inner.proto == "udp") |
		"\(.src) \(.proto) \(.dport) \(.checksum == 0): \(.inner.dst)"' "$1" | sort -u
}

ports()			# ports LOG: more than one source port of outer packets
{
	(($(jq -r 'select(.way == "in" and .inner.proto == "udp") | .sport' "$1" | sort -u | wc -l) > 1))
}

is_unreached()		# the client was told so
{
	(($(nstat_of cli Icmp6InDestUnreachs) == 1))
}

unheard()		# nobody unwraps at be1 and the other port, and says so to the gateway; 2 claims
{
	local port

	port=$(port_to udp 6 10.0.2.11)
	must ip -n "$be1" fou del port 6081
	flows cli "$tmp/unheard" udp "$vip6" 53 --ports "$port-$port" --timeout 0.1
	ktap_check "$mode: an error about an outer packet is told the client" \
		wait_for 10 is_unreached
	ktap_is "$mode: and counted" "$(drops icmp_out)" 1
}

# fou writes to the IPv4 header of what it unwraps, and sniffers see that.
kind()			# kind TYPE V4 V6 PORTS: outer packets say V4 by IPv4, V6 by IPv6; 8 claims, gue: 11
{
	local family proto backend log=$tmp/$1 port other=()

	mode="tunnel $1"
	sniff be1 "$log.be1" --device gw
	local sniffer=$background_pid
	sniff be2 "$log.be2" --device gw
	for family in 4 6; do
		[[ $1$family != gue6 ]] || other=(tunnel-port 6081)
		must rlb service add "web$family" tcp "$(at "$family" vip 80)" tunnel "$1" "${other[@]}"
		must rlb service add "dns$family" udp "$(at "$family" vip 53)" tunnel "$1" "${other[@]}"
		for proto in web dns; do
			must rlb backend add "$proto$family" 10.0.2.11 fd00:2::12
		done
	done
	cells "from a client" "$4" cli "$n"
	end "$sniffer"
	end "$background_pid"
	ktap_is "$mode: outer packets by IPv4" "$(outer "$log.be1")" \
		"10.0.2.1 $2: $vip4
10.0.2.1 ${2/6080/6081}: $vip6"
	ktap_is "$mode: and by IPv6" "$(outer "$log.be2")" \
		"fd00:2::1 $3: $vip4
fd00:2::1 ${3/6080/6081}: $vip6"
	for family in 4 6; do
		local -n vip=vip$family
		for backend in 10.0.2.11 fd00:2::12; do
			port=$(port_to tcp "$family" "$backend")
			flows cli "$log.put" tcp "$vip" 80 --ports "$port-$port" --op "put:$size" --timeout 20
		done
	done
	ktap_check "$mode: $size bytes over either family inside either" judge answered "$log.put" 4
	if [[ $1 == gue ]]; then
		ktap_check "$mode: source ports go by the flow" ports "$log.be1"
		unheard
	fi
	rlb save >"$tmp/saved"
	must rlb flush
	must rlb -b "$tmp/saved"
	ktap_is "$mode: what was saved comes back" "$(rlb save | diff - "$tmp/saved")" ""
	must rlb flush
}

ktap_plan 20
bed 2
must modprobe -a ip_gre ip6_gre fou
servers 53 80
must rlb secret set 000102030405060708090a0b0c0d0e0f	# flows go the same way each time
cables
straight on
unwrap "$be1" 10.0.2.11 fd00:2::11
unwrap "$be2" 10.0.2.12 fd00:2::12
must ip -n "$be1" link add gre4 type gre local 10.0.2.11
must ip -n "$be1" link set gre4 up
must ip -n "$be2" link add gre6 type ip6gre local fd00:2::12
must ip -n "$be2" link set gre6 up
for port in 6080 6081; do
	must ip -n "$be1" fou add port "$port" gue
	must ip -n "$be2" -6 fou add port "$port" gue
done

kind gre "47 null false" "47 null false" 20000
kind gue "udp 6080 true" "udp 6080 false" 22000
ktap_is "tunnel: no receiver saw a damaged packet" "$(wire_errors cli gw be1 be2)" 0
