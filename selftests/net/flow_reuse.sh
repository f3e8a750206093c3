#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_reuse.sh - a client's port that has been used goes on to be of use: at once, and with a
# backend that takes new flows
#
# Whatever is left of the connection before, in the flow table, in conntrack, at a backend: each
# SYN that reaches the gateway leaves it, and none towards a backend that drains or is gone.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 200 30)

syns()			# syns: those that came for the VIP, those that went to backends
{
	in_ns "$gw" nft -j list counters |
		jq -r '[.nftables[].counter | select(. != null)] | sort_by(.name) |
			map("\(.name) \(.packets)") | join(" ")'
}

watch_syns()		# watch_syns [RULE]: first and last of all that a packet meets in the gateway
{
	must in_ns "$gw" nft -f - <<-END
		table inet syns {
			counter came { }
			counter went { }
			chain in {
				type filter hook prerouting priority -400;
				ip daddr $vip4 tcp flags & (syn | ack) == syn counter name came
			}
			chain out {
				type filter hook postrouting priority 400;
				ip daddr 10.0.2.11-10.0.2.19 tcp flags & (syn | ack) == syn counter name went
			}
			${1:-}
		}
	END
}

again()			# again CLAIM FROM [N]: 1 or 2 claims; the ports from FROM on; none by beN
{
	local came went

	rm -f "$tmp/again"
	flows cli "$tmp/again" tcp "$vip4" 80 --source "$cli4" --ports "$2-$(($2 + n - 1))"
	ktap_check "reuse: $1: all are answered" judge answered "$tmp/again" "$n"
	[[ -z ${3:-} ]] || ktap_is "reuse: $1: none by the one that takes none" \
		"$(jq -r .name "$tmp/again" | grep -c "be$3")" 0
	read -r _ came _ went <<<"$(syns)"
	ktap_is "reuse: $1: no SYN is lost" "$went" "$came"
}

# Connections that a change has pinned, and that end; others go on.
life()			# life WORDS FROM: 16 claims
{
	local words=$1 old=$2 stay=$(($2 + 1000))

	again "$words, at rest" "$old"
	again "$words, at rest, again" "$old"
	rounds "old$old" cli tcp "$vip4" 80 --source "$cli4" --ports "$old-$((old + n - 1))"
	rounds "stay$old" cli tcp "$vip4" 80 --source "$cli4" --ports "$stay-$((stay + n - 1))"
	rounds "udp$old" cli udp "$vip4" 53 --source "$cli4" --ports "$old-$((old + n - 1))"
	round one "old$old" "stay$old" "udp$old"
	must rlb backend add web "$(be_at 4 4 8080)"
	must rlb backend drain web "$(be_at 4 1 8080)"
	round two "old$old" "stay$old" "udp$old"
	ktap_check "reuse: $words: the connections before stay" \
		judge stay "$tmp/old$old:one" "$tmp/old$old:two"
	hush "old$old"
	again "$words, one draining" "$old" 1
	again "$words, one draining, again" "$old" 1
	must rlb backend del web "$(be_at 4 2 8080)"
	again "$words, one removed" "$old" 2
	round three "stay$old"
	ktap_check "reuse: $words: other connections go on all the while" \
		judge stay "$tmp/stay$old:two" "$tmp/stay$old:three" except 2
	must rlb backend del dns "$(be_at 4 2 5353)"
	round three "udp$old"
	ktap_check "reuse: $words: datagrams leave one that is removed, and no other" \
		judge stay "$tmp/udp$old:two" "$tmp/udp$old:three" except 2 gone 2
	hush "stay$old"
	hush "udp$old"
}

ktap_plan 32
bed 4
servers 5353 8080
service web tcp 4 80 8080 3
service dns udp 4 53 5353 3
must rlb service set dns timeout 3600
watch_syns
life "without conntrack" 20000

must in_ns "$gw" nft delete table inet syns
watch_syns "chain track { type filter hook forward priority 0; ct state invalid drop; }"
must rlb backend del web "$(be_at 4 4 8080)"
must rlb backend up web "$(be_at 4 1 8080)"
must rlb backend add web "$(be_at 4 2 8080)"
must rlb backend add dns "$(be_at 4 2 5353)"
life "with conntrack" 30000
