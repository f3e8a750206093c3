# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# nftables.sh - the bed's gateway as a balancer by nftables and conntrack alone
#
#   . "$(dirname "$0")/bed.sh"
#   . "$(dirname "$0")/nftables.sh"
#   nftables_up; row "nftables jhash map" -v 1; nftables_down
#   nftables_up; flowtable_up; row "nftables flowtable" -v 1; nftables_down
#
# In:  the bed (bed.sh). Out: the functions below.

# shellcheck disable=SC2154 # what bed.sh sets

balance_rules()		# balance_rules FAMILY WORD_OF_FAMILY: one table of a family
{
	local family=$1 ip=$2 vip n to=()

	vip=$(vip_at "$family" 0)
	vip=${vip%:*}
	for ((n = 1; n <= backends; n++)); do
		to+=("$((n - 1)) : $(be_at "$family" "$n") . 8080")
	done
	printf 'table %s balance {\nchain pre {\n' "$ip"
	printf 'type nat hook prerouting priority dstnat;\n'
	printf '%s daddr %s udp dport 80 dnat %s addr . port to ' "$ip" "$(tr -d '[]' <<<"$vip")" "$ip"
	printf 'jhash %s saddr . udp sport mod %d map { %s }\n}\n}\n' "$ip" "$backends" \
		"$(IFS=,; echo "${to[*]}")"
}

nftables_up()
{
	{ balance_rules 4 ip; balance_rules 6 ip6; } >"$tmp/balance.nft"
	must in_ns "$gw" nft -f "$tmp/balance.nft"
}

# From a flow's third packet on, its packets skip the stack: the second, forwarded, offers it.
flowtable_up()
{
	local devices

	devices=$(printf ', be%d' $(seq "$backends"))
	must in_ns "$gw" nft -f - <<-END
		table inet shortcut {
			flowtable fast {
				hook ingress priority filter
				devices = { cli$devices }
			}
			chain forward {
				type filter hook forward priority filter;
				meta l4proto udp flow add @fast
			}
		}
	END
}

nftables_down()
{
	must in_ns "$gw" nft flush ruleset
}
