#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nat_basic.sh - the main job: connections to a VIP are answered, by the backend they belong to
#
# From a client, and from the gateway itself with the VIP routed to a device and with the VIP
# as a local address.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 24 8)	# few enough to be quick, enough for every backend to have some

from()			# from NS SOURCE4 SOURCE6 WORDS PORTS: all four kinds of flows; 8 claims
{
	local family proto name port log

	for proto in tcp udp; do
		for family in 4 6; do
			local -n vip=vip$family
			local source=$2
			((family == 4)) || source=$3
			port=80
			[[ $proto == tcp ]] || port=53
			name="nat: $proto over IPv$family from $4"
			log=$tmp/$1.$5.$proto.$family
			forget
			flows "$1" "$log" "$proto" "$vip" "$port" --source "$source" \
				--ports "$5-$(($5 + n - 1))"
			ktap_check "$name: all answered, each by just one backend as the VIP" \
				judge answered "$log" "$n" + agree "$log" "$servers_log"
			ktap_check "$name: at the backend that lookup names, live and from a file" \
				judge lookup "$servers_log" "$(at "$family" vip "$port")" 8 \
					ringlb -n "$gw" \
				+ lookup "$servers_log" "$(at "$family" vip "$port")" 4 \
					ringlb -f "$tmp/saved"
			cat "$servers_log" >>"$tmp/all"
		done
	done
}

ktap_plan 30
bed 4
servers 8080 8081 5353
watch_leaks cli
service web4 tcp 4 80 8080
service web6 tcp 6 80 8080
service dns4 udp 4 53 5353
service dns6 udp 6 53 5353
service kept tcp 4 8081 ""
must rlb save secret >"$tmp/saved"

from cli "$cli4" "$cli6" "a client" 20000

must ip -n "$gw" link add vips type dummy
must ip -n "$gw" link set vips up
must ip -n "$gw" route add "$vip4/32" dev vips
must ip -n "$gw" route add "$vip6/128" dev vips
from gw "$gw4" "$gw6" "the gateway, VIP routed to a device" 21000

must ip -n "$gw" addr add "$vip4/32" dev vips
must ip -n "$gw" addr add "$vip6/128" dev vips nodad
from gw "$gw4" "$gw6" "the gateway, VIP a local address" 22000

flows cli "$tmp/local" tcp "$vip4" 80 --source "$cli4" --ports "23000-$((22999 + n))"
ktap_check "nat: from a client, VIP a local address: all answered" \
	judge answered "$tmp/local" "$n"

forget
flows cli "$tmp/kept" tcp "$vip4" 8081 --source "$cli4" --ports "24000-$((23999 + n))"
ktap_check "nat: backends without a port get the VIP's" judge answered "$tmp/kept" "$n"

ktap_is "nat: every backend had flows" \
	"$(jq -r .backend "$tmp/all" | sort -u | tr '\n' ' ')" "be1 be2 be3 be4 "
ktap_is "nat: backends saw the client's own address" \
	"$(jq -r '.peer | sub(":[0-9]+$"; "")' "$tmp/all" | sort -u | tr '\n' ' ')" \
	"10.0.1.2 10.0.2.1 [fd00:1::2] [fd00:2::1] "
ktap_is "nat: no packet with a backend's address came to the client" "$(leaks cli)" 0
# shellcheck disable=SC2046
ktap_is "nat: no receiver saw a damaged packet" "$(wire_errors cli gw $(all_bes))" 0
