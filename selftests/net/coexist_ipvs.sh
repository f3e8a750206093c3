#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coexist_ipvs.sh - beside IPVS: services of both on one gateway, one VIP, and the same backends
#
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40 8)

ipvs_service()		# ipvs_service 4|6 tcp|udp PORT BACKENDPORT: to be1 and be2, the same ports
{
	local vip be option=-t

	[[ $2 == tcp ]] || option=-u
	vip=$(at "$1" vip "$3")
	must in_ns "$gw" ipvsadm -A "$option" "$vip" -s rr
	for be in 1 2; do
		must in_ns "$gw" ipvsadm -a "$option" "$vip" -r "$(be_at "$1" "$be" "$4")" -m
	done
}

by_ipvs()		# by_ipvs WORDS PORT: flows to its services; a claim
{
	local family log=$tmp/ipvs.$2

	for family in 4 6; do
		local -n vip=vip$family client=cli$family
		flows cli "$log" tcp "$vip" 180 --source "$client" --ports "$2-$(($2 + n - 1))"
		flows cli "$log" udp "$vip" 153 --source "$client" --ports "$2-$(($2 + n - 1))"
	done
	ktap_check "ipvs: its services answer$1" judge answered "$log" $((4 * n))
}

command -v ipvsadm >/dev/null || ktap_skip_rest "ipvsadm"
ktap_plan 13
bed 2
servers 8080 5353
watch_leaks cli
must modprobe ip_vs
must modprobe ip_vs_rr

# It takes packets that are the gateway's own, so the VIPs are.
must ip -n "$gw" addr add "$vip4/32" dev lo
must ip -n "$gw" addr add "$vip6/128" dev lo
both_services 2
traffic "ipvs: loaded" 20000 "$n"
for family in 4 6; do
	ipvs_service "$family" tcp 180 8080
	ipvs_service "$family" udp 153 5353
done
by_ipvs ", too" 21000
traffic "ipvs: with services" 22000 "$n"
must in_ns "$gw" sysctl -qw net.ipv4.vs.conntrack=1
by_ipvs " with conntrack" 23000
traffic "ipvs: with services, and conntrack" 24000 "$n"
ktap_is "ipvs: no packet with a backend's address came to the client" "$(leaks cli)" 0
ktap_is "ipvs: no receiver saw a damaged packet" "$(wire_errors cli be1 be2)" 0
