#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mode_dsr.sh - packets go to backends as they are, answers straight to the client
#
# timeout: 240
set -u
# shellcheck source=selftests/straight.sh
. "$(dirname "$0")/../straight.sh"

mode=dsr
n=$(scaled 100 8)	# short connections of each kind
few=8
size=$(scaled 10000000)

dsr()			# dsr NAME tcp|udp 4|6 PORT [WORD...]: a service with all backends
{
	must rlb service add "$1" "$2" "$(at "$3" vip "$4")" mode dsr "${@:5}"
	# shellcheck disable=SC2046
	must rlb backend add "$1" $(for ((i = 1; i <= backends; i++)); do be_at "$3" "$i"; done)
}

transfers()		# transfers WORDS PORT [SIZE]: 2 claims
{
	local family

	for family in 4 6; do
		local -n vip=vip$family
		flows cli "$tmp/put.$2.$family" tcp "$vip" 80 --op "put:${3:-$size}" --timeout 20
		ktap_check "dsr: ${3:-$size} bytes over IPv$family, $1" \
			judge answered "$tmp/put.$2.$family" 1
	done
}

ktap_plan 40
bed 3
servers 53 80
must rlb secret set 000102030405060708090a0b0c0d0e0f	# flows go the same way each time
cables
straight on
dsr web4 tcp 4 80
dsr web6 tcp 6 80
dsr dns4 udp 4 53
dsr dns6 udp 6 53

cells "from a client" 20000 cli "$n"
ktap_check "dsr: at the backend that lookup names" \
	judge lookup "$servers_log" "$(at 6 vip 53)" 3 ringlb -n "$gw"
ktap_is "dsr: answers did not come by" "$(counted web4 packets_out)$(counted dns6 packets_out)" 00
ktap_is "dsr: as many packets were sent on as datagrams came" \
	"$(counted dns4 packets_in)" "$n"
ktap_is "dsr: lookup tells the mode" \
	"$(rlbj lookup tcp 10.0.1.2:20000 "$(at 4 vip 80)" | jq -r '[.] | flatten | .[0].mode')" dsr

error_came()		# error_came FAMILY: to be1, about an answer
{
	jq -se "any(.family == $1 and (.mtu // 0) % 65536 == 1400 and .checksum_good)" "$tmp/be1"
}

mac=$(ip -n "$gw" -j link show cli | jq -r '.[0].address')
sniff be1 "$tmp/be1" --device gw
flows cli "$tmp/ttl" udp "$vip4" 53 --source "$cli4" --ports "20000-$((19999 + few))"
flows cli "$tmp/ttl" udp "$vip6" 53 --source "$cli6" --ports "20000-$((19999 + few))"
ktap_check "dsr: the same flows again: answered" judge answered "$tmp/ttl" $((2 * few))
for family in 4 6; do
	declare -n source=cli$family
	must zygote craft --netns "$cli" --device gw --mac "$mac" \
		toobig "$family" 53 "$source" \
		"$(port_to udp "$family" "$(be_at "$family" 1)")" 1400 8
	ktap_check "dsr: IPv$family: an error about an answer comes to its backend" \
		wait_for 10 error_came "$family"
done
end "$background_pid"
ktap_is "dsr: backends see client and VIP, and one hop less" \
	"$(jq -r 'select(.way == "in" and .proto == "udp") | "\(.src) \(.dst) \(.ttl)"' "$tmp/be1" |
		sort -u | tr '\n' ' ')" "$cli4 $vip4 63 $cli6 $vip6 63 "
ktap_is "dsr: errors are counted" "$(drops icmp_in)" 2

transfers "offloads on" on

# The gateway's own; strict filters know no way back to a VIP by a backend's cable.
for dev in all be1 be2 be3; do
	must in_ns "$gw" sysctl -qw "net.ipv4.conf.$dev.rp_filter=0"
done
must ip -n "$gw" link add vips type dummy
must ip -n "$gw" link set vips up
must ip -n "$gw" route add "$vip4/32" dev vips
must ip -n "$gw" route add "$vip6/128" dev vips
cells "from the gateway" 21000 gw $few
must ip -n "$gw" addr add "$vip4/32" dev vips
must ip -n "$gw" addr add "$vip6/128" dev vips nodad
forget
cell "from a client, VIP an address of the gateway" 22000 cli $few tcp 4
cell "from a client, VIP an address of the gateway" 22000 cli $few udp 6
must ip -n "$gw" link del vips

# Flows stay with a backend that drains, and go on when it is up again.
rounds tcp cli tcp "$vip4" 80 --source "$cli4" --ports "23000-$((22999 + 2 * few))" --timeout 10
round first tcp
must rlb backend drain web4 "$(be_at 4 1)"
round drain tcp
ktap_check "dsr: connections stay with a backend that drains" \
	judge stay "$tmp/tcp:first" "$tmp/tcp:drain"
must rlb backend up web4 "$(be_at 4 1)"
must rlb backend set web4 "$(be_at 4 2)" weight 5
round up tcp
ktap_check "dsr: and when it is up again, and another weighs more" \
	judge stay "$tmp/tcp:drain" "$tmp/tcp:up"
must rlb backend down web4 "$(be_at 4 3)"
round down tcp
ktap_check "dsr: down moves what it must" \
	judge stay "$tmp/tcp:up" "$tmp/tcp:down" except 3 gone 3
hush tcp

must rlb service add far udp "$vip4:54" mode dsr
must ip -n "$gw" route add 10.0.5.9/32 via 10.0.2.11
must rlb backend add far 10.0.5.9
flows cli "$tmp/far" udp "$vip4" 54 --ports 20000-20004 --timeout 0.2
ktap_is "dsr: a backend behind a router gets nothing, and that is counted" \
	"$(counted far drop_off_link packets_in | tr '\n' ' ')" "5 0 "
ktap_is "dsr: check tells it" "$(rlbj check | jq -r '[.[].finding] | join(" ")')" backend_off_link
must rlb backend del far 10.0.5.9
must rlb backend add far 198.51.100.9
flows cli "$tmp/far" udp "$vip4" 54 --ports 20000-20004 --timeout 0.2
ktap_is "dsr: no route to the backend: counted" "$(counted far drop_no_route)" 5
must rlb service del far

# Sizes and hops: the gateway tells the sender, with what was sent to the VIP. Backends have heard
# of 1400 bytes above, and ask for no larger segments.
sniff cli "$tmp/icmp" --device gw --proto icmp
for i in 1 2 3; do
	must ip -n "$gw" link set "be$i" mtu 1300
done
transfers "a narrow link to backends" narrow $((size / 10))
for family in 4 6; do
	ktap_check "dsr: IPv$family: the client was told of 1300 bytes" wait_for 10 \
		told 1 ".mtu % 65536 == 1300 and .quoted.family == $family"
done
for i in 1 2 3; do
	must ip -n "$gw" link set "be$i" mtu 1500
done
hops()			# hops N: of what the client sends
{
	must in_ns "$cli" sysctl -qw net.ipv4.ip_default_ttl="$1" \
		net.ipv6.conf.all.hop_limit="$1" net.ipv6.conf.gw.hop_limit="$1"
}

hops 1
flows cli "$tmp/old" udp "$vip4" 53 --source "$cli4" --ports 20000-20002 --timeout 0.2
flows cli "$tmp/old" udp "$vip6" 53 --source "$cli6" --ports 20000-20002 --timeout 0.2
ktap_is "dsr: whose hops are used up is dropped, and counted" "$(drops drop_ttl)" 6
ktap_check "dsr: and the client is told" wait_for 10 \
	told 6 '.type == (if .family == 4 then 11 else 3 end)'
ktap_is "dsr: errors quote what was sent to the VIP, and all sums are right" \
	"$(errors "(.quoted.dst != \"$vip4\" and .quoted.dst != \"$vip6\") or
		(.checksum_good | not) or .header_good == false")" 0

ktap_refuse "dsr: a backend with a port" 2 \
	'backend has a port, which this mode does not change \(attribute: port\)' \
	rlb backend add web4 10.0.2.14:8080
ktap_refuse "dsr: a backend that is the gateway" 2 \
	'backend is an address of this host, which this mode cannot send to' \
	rlb backend add web4 "$gw4"
ktap_refuse "dsr: a backend that is the VIP" 2 'backend is the address and port of a service' \
	rlb backend add web4 "$vip4"
hops 64
offloads off
transfers "offloads off" off $((size / 5))

rlb save >"$tmp/saved"
must rlb flush
must rlb -b "$tmp/saved"
ktap_is "dsr: what was saved comes back" "$(rlb save | diff - "$tmp/saved")" ""
