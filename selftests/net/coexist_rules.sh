#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coexist_rules.sh - beside other people's rules: iptables, masquerade both ways, a flowtable
#
# Rules name backends, as conntrack does, and know nothing of VIPs.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40 8)

firewall()		# firewall COMMAND...: each family's iptables, a stateful filter
{
	local command nets

	for command; do
		nets=(10.0.1.0/24 10.0.2.0/24)
		[[ $command != ip6* ]] || nets=(fd00:1::/64 fd00:2::/64)
		must in_ns "$gw" "$command-restore" <<-END
			*filter
			:INPUT ACCEPT [0:0]
			:FORWARD DROP [0:0]
			:OUTPUT ACCEPT [0:0]
			-A FORWARD -m conntrack --ctstate INVALID -j DROP
			-A FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT
			-A FORWARD -s ${nets[0]} -d ${nets[1]} -p tcp --dport 8080 -j ACCEPT
			-A FORWARD -s ${nets[0]} -d ${nets[1]} -p udp --dport 5353 -j ACCEPT
			COMMIT
		END
	done
}

firewall_dropped()	# firewall_dropped COMMAND...: packets, of all chains and rules
{
	local command

	for command; do
		in_ns "$gw" "$command-save" -c
	done | sed -n 's/^:FORWARD DROP \[\([0-9]*\):.*/\1/p; s/^\[\([0-9]*\):.*-j DROP$/\1/p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}

firewall_end()		# firewall_end COMMAND...
{
	local command

	for command; do
		must in_ns "$gw" "$command" -P FORWARD ACCEPT
		must in_ns "$gw" "$command" -F
	done
}

offloaded()		# offloaded: flows that are the flowtable's
{
	in_ns "$gw" conntrack -L 2>/dev/null | grep -c '\[OFFLOAD\]'
}

seen_from()		# seen_from: what addresses the servers saw clients at
{
	jq -r 'select(.peer) | .peer | sub(":[0-9]+$"; "")' "$servers_log" | sort -u | tr '\n' ' '
}

ktap_plan 23
bed 3
servers 8080 5353
watch_leaks cli
both_services 2

port=20000
for kind in legacy nft; do
	commands=("iptables-$kind" "ip6tables-$kind")
	firewall "${commands[@]}"
	traffic "iptables-$kind" $((port += 500)) "$n"
	ktap_is "iptables-$kind: the filter dropped nothing" "$(firewall_dropped "${commands[@]}")" 0
	firewall_end "${commands[@]}"
done

# On the way to backends: they see the gateway, and their answers find the way back.
must in_ns "$gw" nft -f - <<'END'
	table inet nat {
		chain postrouting {
			type nat hook postrouting priority srcnat;
			oifname "be*" masquerade
		}
	}
END
forget
traffic "masquerade toward backends" 22000 "$n"
ktap_is "masquerade toward backends: they see the gateway alone" "$(seen_from)" \
	"10.0.2.1 [fd00:2::1] "

# On the way out: for backends' own connections. Answers to clients are none of these.
must in_ns "$gw" nft -f - <<'END'
	flush ruleset
	table inet nat {
		chain postrouting {
			type nat hook postrouting priority srcnat;
			oifname "cli" ip saddr 10.0.2.0/24 masquerade
			oifname "cli" ip6 saddr fd00:2::/64 masquerade
		}
	}
END
traffic "masquerade on the way out" 23000 "$n"

ktap_is "rules: no packet with a backend's address came to the client" "$(leaks cli)" 0

# A flowtable for all but the backends' answers; be3 is no backend, and its flows go that way.
must in_ns "$gw" nft -f - <<'END'
	flush ruleset
	table inet filter {
		flowtable fast {
			hook ingress priority filter
			devices = { cli, be1, be2, be3 }
		}
		chain forward {
			type filter hook forward priority filter; policy accept;
			ip daddr 10.0.2.13 flow add @fast
			ip6 daddr fd00:2::13 flow add @fast
		}
	}
END
rounds straight cli tcp 10.0.2.13 8080 --source "$cli4" --ports "25000-25009"
round one straight
round two straight
ktap_is "flowtable: flows of others are its own" "$(offloaded)" 10
traffic "flowtable of others" 24000 "$n"
round three straight
ktap_check "flowtable: these go on" judge back "$tmp/straight:one" "$tmp/straight:three"
hush straight
ktap_is "rules: every reply was translated" \
	"$(counted web4 untranslated) $(counted dns6 untranslated)" "0 0"
ktap_is "rules: no receiver saw a damaged packet" "$(wire_errors cli be1 be2)" 0
