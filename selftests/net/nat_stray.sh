#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nat_stray.sh - a backend's segments with numbers out of any window come from the VIP, too
#
# Conntrack calls them invalid and would not translate them; a client that got one from the
# backend's own address would reset the connection.
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 100 30)

watch_strays()		# at the client, by their flags, which no kernel sends
{
	must in_ns "$cli" nft -f - <<-END
		table inet strays {
			counter vip { }
			counter bare { }
			chain in {
				type filter hook prerouting priority -400;
				tcp flags != psh | ack | urg accept
				ip saddr $vip4 tcp sport 80 counter name vip
				ip saddr 10.0.2.11-10.0.2.19 counter name bare
			}
		}
	END
}

came()			# came: from the VIP and from backends, N each time that they were sent
{
	in_ns "$cli" nft -j list counters |
		jq -c '[.nftables[].counter | select(.) | {(.name): .packets}] | add |
			[.vip, .bare]'
}

came_are()		# came_are N
{
	[[ $(came) == "[$1,0]" ]]
}

stray()			# stray WORDS TIMES ROUND BEFORE: 2 claims
{
	must zygote craft --netns "$be1" --device gw --mac "$mac" stray 8080 "20000-$((19999 + n))"
	ktap_check "stray: $1: all come from the VIP, none from the backend" \
		wait_for 30 came_are $(($2 * n))
	round "$3" web
	ktap_check "stray: $1: their connections go on" judge back "$tmp/web:$4" "$tmp/web:$3"
}

ktap_plan 6
bed 2
servers 8080
service web tcp 4 80 8080 1
watch_strays
mac=$(ip -n "$gw" -j link show dev be1 | jq -r '.[0].address')
rounds web cli tcp "$vip4" 80 --source "$cli4" --ports "20000-$((19999 + n))"
round one web
stray "at rest" 1 two one

must rlb backend add web "$(be_at 4 2 8080)"
must rlb backend drain web "$(be_at 4 1 8080)"
round three web
stray "remembered" 2 four three

must in_ns "$gw" nft -f - <<-'END'
	table inet track {
		chain forward { type filter hook forward priority 0; ct state invalid counter; }
	}
END
round five web
stray "beside conntrack" 3 six five
