#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# hook_last.sh - replies are translated last of all: a rule set at any priority before the last
# sees the backend, and never the VIP
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40 4)

# One chain before the last place there is, in each hook that replies leave by.
watch()
{
	local hook

	for hook in postrouting input; do
		must in_ns "$gw" nft -f - <<-END
			table inet last {
				counter ${hook}_backend { }
				counter ${hook}_vip { }
				chain $hook {
					type filter hook $hook priority 2147483646;
					ip saddr 10.0.2.11 tcp sport 8080 counter name ${hook}_backend
					ip6 saddr fd00:2::11 tcp sport 8080 counter name ${hook}_backend
					ip saddr $vip4 counter name ${hook}_vip
					ip6 saddr $vip6 counter name ${hook}_vip
				}
			}
		END
	done
}

packets()		# packets COUNTER
{
	in_ns "$gw" nft -j list counter inet last "$1" |
		jq '[.nftables[].counter.packets // empty] | add'
}

# Each flow asks once: its request and its end are two packets of the backend at least.
claims()		# claims NS SOURCE4 SOURCE6 WHO HOOK CHAIN
{
	flows "$1" "$tmp/$1" tcp "$vip4" 80 --source "$2" --ports "21000-$((20999 + n))"
	flows "$1" "$tmp/$1" tcp "$vip6" 80 --source "$3" --ports "21000-$((20999 + n))"
	ktap_check "last: flows of $4 are answered by the VIP" judge answered "$tmp/$1" $((2 * n))
	ktap_check "last: in $5, replies have the backend's address until the end" \
		test "$(packets "$6_backend")" -ge $((4 * n))
	ktap_is "last: and no rule sees the VIP's in $5" "$(packets "$6_vip")" 0
}

ktap_plan 6
bed 1
servers 8080
service web4 tcp 4 80 8080
service web6 tcp 6 80 8080
must ip -n "$gw" route add "$vip4/32" dev cli
must ip -n "$gw" route add "$vip6/128" dev cli
watch
claims cli "$cli4" "$cli6" "a client" POST_ROUTING postrouting
claims gw "$gw4" "$gw6" "the gateway" LOCAL_IN input
