#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# snat_limits.sh - ports that run out, backends that drain or go down, and what is refused
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

talk()			# talk NAME FIRST N: connections that stay open, from these ports
{
	rounds "$1" cli tcp "$vip4" 80 --source "$cli4" --ports "$2-$(($2 + $3 - 1))" \
		--timeout "${4:-3}"
}

gates()			# the gateway's ports in use
{
	rlbj flow show web | jq -r '.[].snat' | sort | tr '\n' ' '
}

failed()		# failed NAME:ROUND: how many did
{
	jq -r --arg round "${1#*:}" 'select(.round == $round and .error) | .error' \
		"$tmp/${1%:*}" | wc -l
}

all_closed()		# those of the second backend have ended
{
	rlbj flow show web "$(be_at 4 2 8080)" | jq -e 'all(.[]; .state != "established" and .state != "closing")'
}

no_flows()		# none is remembered
{
	rlbj flow show | jq -e "length == 0"
}

add=(service add web tcp "$vip4:80")
ktap_plan 25
bed 2
servers 8080

# Refusals, and what is saved
ktap_refuse "snat: ports of the gateway's own connections are refused" 2 "ip_local_port_range" \
	rlb "${add[@]}" snat on
ktap_refuse "snat: all flows are remembered" 2 "track must be all" \
	rlb "${add[@]}" snat on track auto snat-ports 20000-20003
ktap_refuse "snat: an address is of the VIP's family" 2 "not of the address family" \
	rlb "${add[@]}" snat on snat-address fd00::1 snat-ports 20000-20003
ktap_refuse "snat: an address is one that a host can have" 2 "multicast" \
	rlb "${add[@]}" snat on snat-address 224.0.0.1 snat-ports 20000-20003
ktap_refuse "snat: ports without snat are refused" 2 "of use with snat only" \
	rlb "${add[@]}" snat-ports 20000-20003
ktap_refuse "snat: a range that ends before it begins is refused" 1 "FIRST-LAST, 1 to 65535" \
	rlb "${add[@]}" snat on snat-ports 20003-20000
ktap_is "snat: nothing of that is there" "$(rlb service show | wc -l)" 0
must rlb "${add[@]}" snat on force on
must rlb service add six tcp "[$vip6]:80" snat on snat-ports 1-1 snat-address fd00:2::1
rlb save >"$tmp/saved"
must rlb flush
must rlb -b "$tmp/saved"
ktap_is "snat: what is saved is restored, forced ports, too" "$(rlb save)" "$(<"$tmp/saved")"
ktap_is "snat: and is the same offline" "$(rlbj -f "$tmp/saved" service show |
	jq -c '[.[] | {service, snat, snat_address, snat_ports, track}]')" \
	'[{"service":"six","snat":"on","snat_address":"fd00:2::1","snat_ports":"1-1","track":"all"},{"service":"web","snat":"on","snat_address":"route","snat_ports":"61000-65535","track":"all"}]'
ktap_refuse "snat: tracking stays" 2 "track must be all" rlb service set web track none
must rlb flush

# Four ports, one backend
must rlb "${add[@]}" snat on snat-ports 20000-20003
must rlb backend add web "$(be_at 4 1 8080)"
talk four 30000 4
round one four
ktap_check "snat: four connections have four ports" judge answered "$tmp/four:one" 4
ktap_is "snat: each its own" "$(gates)" \
	"10.0.2.1:20000 10.0.2.1:20001 10.0.2.1:20002 10.0.2.1:20003 "
talk fifth 31000 1 1
round one fifth
ktap_is "snat: a fifth gets no answer" "$(failed fifth:one)" 1
ktap_is "snat: which is counted" "$(($(counted web drop_snat_ports) > 0))" 1
hush fifth
round two four
ktap_check "snat: the four go on" judge stay "$tmp/four:one" "$tmp/four:two"
must rlb backend add web "$(be_at 4 2 8080)"
must rlb backend drain web "$(be_at 4 1 8080)"
talk more 32000 4
round one more
ktap_check "snat: another backend, and the same four ports serve four more" \
	judge answered "$tmp/more:one" 4
ktap_is "snat: eight flows, four ports" "$(gates | xargs -n1 | uniq -c | awk '{ print $1 }' | xargs)" \
	"2 2 2 2"
round three four
ktap_check "snat: connections of a backend that drains stay" \
	judge stay "$tmp/four:one" "$tmp/four:three"
hush more
must wait_for 10 all_closed
must rlb flow flush web "$(be_at 4 2 8080)"
ktap_is "snat: ports of flows that are forgotten are free" "$(gates | wc -w)" 4
must zygote craft --netns "$cli" --device gw \
	--mac "$(ip -n "$gw" -j link show cli | jq -r '.[0].address')" flood 0x02 40
talk again 33000 4
round one again
ktap_check "snat: and serve others, before those that are not meant" \
	judge answered "$tmp/again:one" 4
hush again

# Down
must wait_for 10 all_closed
must rlb flow flush web "$(be_at 4 2 8080)"
must rlb backend down web "$(be_at 4 1 8080)"
round four four
ktap_is "snat: connections of a backend that is down end, and their clients know" \
	"$(jq -r 'select(.round == "four" and .error) | .error' "$tmp/four" | sort | uniq -c | xargs)" \
	"4 ECONNRESET"
hush four
must rlb flow flush
flows cli "$tmp/new" tcp "$vip4" 80 --ports 34000-34003
ktap_check "snat: new ones are at the other one" judge answered "$tmp/new" 4
ktap_is "snat: all of them" "$(jq -r .name "$tmp/new" | sort | uniq -c | xargs)" "4 be2"

# The backend's host is another one: a flow begins anew at the same place or another.
must rlb backend del web "$(be_at 4 1 8080)"
ktap_is "snat: a removed backend's flows are forgotten" \
	"$(rlbj flow show web | jq '[.[] | select(.backend | startswith("10.0.2.11"))] | length')" 0
must rlb service del web
ktap_is "snat: and a removed service's" "$(wait_for 10 no_flows; rlbj flow show | jq length)" 0
