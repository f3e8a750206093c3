#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# snat_hairpin.sh - backends that are clients of their own VIP, and the gateway whose own
# address the VIP is
#
# With snat backends see the gateway as their client, whoever asks. Conntrack and a stateful
# firewall, where there are any, see client and backend all the same.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 60 15)
much=$(scaled 1000000)
range=20000-20999

snat()			# snat NAME PROTO FAMILY VIPPORT BACKENDPORT N: with be1..beN
{
	must rlb service add "$1" "$2" "$(at "$3" vip "$4")" method ring snat on snat-ports "$range"
	for ((b = 1; b <= $6; b++)); do
		must rlb backend add "$1" "$(be_at "$3" "$b" "$5")"
	done
}

ask()			# ask WORDS NS PROTO FAMILY PORT [WORD...]: 1 claim
{
	local words=$1 log=$tmp/$2.$3.$4.$5
	local -n vip=vip$4

	rm -f "$log"
	flows "$2" "$log" "$3" "$vip" "$5" "${@:6}" --ports "30000-$((30000 + n - 1))"
	ktap_check "snat: $words, $3, IPv$4: all are answered by the VIP" judge answered "$log" "$n"
}

strangers()		# what backends saw that was not the gateway, at its ports
{
	jq -r 'select(.peer) | .peer' "$servers_log" |
		grep -Evc '^(10\.0\.2\.1|\[fd00:2::1\]):20[0-9]{3}$'
}

firewall()
{
	must in_ns "$gw" nft -f - <<-'END'
		table inet filter {
			counter invalid { }
			counter other { }
			chain forward {
				type filter hook forward priority filter; policy drop;
				ct state invalid counter name invalid drop
				ct state established,related accept
				ip saddr { 10.0.1.2, 10.0.2.11 } ip daddr 10.0.2.11-10.0.2.12 ct state new accept
				ip6 saddr { fd00:1::2, fd00:2::11 } ip6 daddr fd00:2::11-fd00:2::12 ct state new accept
				icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
				counter name other
			}
			chain input {
				type filter hook input priority filter; policy accept;
				ct state invalid counter name invalid drop
			}
		}
	END
}

dropped()		# by the firewall
{
	in_ns "$gw" nft -j list counters | jq '[.nftables[].counter | select(. != null) | .packets] | add'
}

ktap_plan 27
bed 2
servers 5353 8080
for ns in "$cli" "$be1" "$be2"; do
	must in_ns "$ns" sysctl -qw net.ipv4.conf.all.accept_redirects=1
done
for family in 4 6; do
	snat "self$family" tcp "$family" 80 8080 1
	snat "both$family" tcp "$family" 81 5353 2
	snat "dns$family" udp "$family" 53 5353 1
done

for family in 4 6; do
	ask "its only backend asks" be1 tcp "$family" 80
	ask "one of two backends asks" be1 tcp "$family" 81
	ask "its only backend asks" be1 udp "$family" 53
	ask "a client asks" cli tcp "$family" 81
	n=3 ask "a client sends much" cli tcp "$family" 80 --op "put:$much"
	ask "a client sends long datagrams" cli udp "$family" 53 --size 3000 --reply 3000
done
ktap_is "snat: backends saw the gateway alone, at its ports" "$(strangers)" 0
ktap_is "snat: flows are shown with them" \
	"$(rlbj flow show self4 | jq '[.[] | select(.snat | startswith("10.0.2.1:20"))] | length')" \
	"$(rlbj flow show self4 | jq length)"
ktap_is "snat: nobody was sent elsewhere" "$(redirects cli be1 be2)" 0
ktap_is "snat: no sum was wrong" "$(wire_errors cli gw be1 be2)" 0

# The VIP is the gateway's own address: it asks itself, as the sockets have it.
forget
for device in lo dummy0; do
	[[ $device == lo ]] || must ip -n "$gw" link add dummy0 up type dummy
	must ip -n "$gw" addr add "$vip4/32" dev "$device"
	must ip -n "$gw" addr add "$vip6/128" dev "$device"
	ask "the gateway asks, its VIP on $device" gw tcp 4 80 --source "$vip4"
	ask "the gateway asks, its VIP on $device" gw tcp 6 80 --source "$vip6"
	must ip -n "$gw" addr del "$vip4/32" dev "$device"
	must ip -n "$gw" addr del "$vip6/128" dev "$device"
done
ktap_is "snat: backends saw another address of the gateway" "$(strangers)" 0

firewall
ask "beside a firewall, a client asks" cli tcp 4 80
ask "beside a firewall, a client asks" cli tcp 6 80
ask "beside a firewall, the backend asks" be1 tcp 4 80
ask "beside a firewall, the backend asks" be1 udp 6 53
ktap_is "snat: to conntrack nothing is invalid, and rules name clients and backends" "$(dropped)" 0
ktap_is "snat: nothing was dropped" \
	"$(for s in self4 self6 both4 both6; do counted "$s" drop_snat_ports drop_unpinned drop_clash; done | paste -sd+ | bc)" 0
