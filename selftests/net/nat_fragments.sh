#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nat_fragments.sh - datagrams above the MTU reach one backend whole, and so do the answers
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 16)

datagrams()		# datagrams NS SIZE REPLY WORDS: a claim for each family
{
	local family log

	for family in 4 6; do
		local -n vip=vip$family source=$1$family
		log=$tmp/$1.$2.$3.$family
		forget
		flows "$1" "$log" udp "$vip" 53 --source "$source" --size "$2" --reply "$3" \
			--ports "20000-$((19999 + n))" --window 4
		ktap_check "fragments: $4 over IPv$family: all answered, undamaged, by one each" \
			judge answered "$log" "$n" + agree "$log" "$servers_log"
	done
}

ktap_plan 12
bed 4
servers 5353
watch_leaks cli
service dns4 udp 4 53 5353
service dns6 udp 6 53 5353

datagrams cli 4000 4000 "4000 bytes both ways"
datagrams cli 60000 60000 "60000 bytes both ways"
datagrams cli 60000 0 "60000 bytes to the VIP"
datagrams cli 0 60000 "60000 bytes from the VIP"

must ip -n "$gw" route add "$vip4/32" dev cli
must ip -n "$gw" route add "$vip6/128" dev cli
datagrams gw 20000 20000 "20000 bytes both ways from the gateway"

# shellcheck disable=SC2046
ktap_is "fragments: all were put together again, none damaged" \
	"$(wire_errors cli gw $(all_bes))" 0
ktap_is "fragments: no packet with a backend's address came to the client" "$(leaks cli)" 0
