#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# service_any.sh - services of every protocol: who takes a packet, and where a client's go
#
# VIPs with three backends in mode dsr, and beside them a service of UDP port 53 with be1 alone.
# Protocol 50 is ESP, of which nobody here knows a key; 253 is nobody's (RFC 3692).
# timeout: 240
set -u
# shellcheck source=selftests/straight.sh
. "$(dirname "$0")/../straight.sh"

n=$(scaled 40 8)
clients=$(scaled 24 5)
size=$(scaled 2000000)
# shellcheck disable=SC2034	# found by name
none4=192.0.2.99 none6=2001:db8::99

sources()		# sources 4|6: of packets without ports
{
	local i

	for ((i = 1; i <= clients; i++)); do
		[[ $1 == 4 ]] && echo "10.9.0.$i" || echo "fd00:9::$i"
	done
}

looked_up()		# looked_up WORD...: be1, be2 or be3, as lookup says
{
	rlbj lookup "$@" | jq -r '[.] | flatten | .[0].backend | "be\(.[-1:])"'
}

craft()			# craft WORD...: from the client to the gateway
{
	must zygote craft --netns "$cli" --device gw --mac "$mac" "$@"
}

watch_backends()		# what comes to them: $tmp/be1..be3
{
	local i

	watchers=()
	for ((i = 1; i <= backends; i++)); do
		: >"$tmp/be$i"
		sniff "be$i" "$tmp/be$i" --device gw
		watchers+=("$background_pid")
	done
}

came()			# came JQ: "backend source" of each packet that has come
{
	local i

	for ((i = 1; i <= backends; i++)); do
		jq -r "select(.way == \"in\") | select($1) | \"be$i \(.src)\"" "$tmp/be$i"
	done | sort
}

have_come()		# have_come N JQ
{
	[[ $(came "$2" | wc -l) -eq $1 ]]
}

of()			# of 4|6 NUMBER: packets to the VIP
{
	local -n vip_of=vip$1

	echo ".dst == \"$vip_of\" and .proto == \"$2\""
}

names()			# names LOG: of the backends that answered
{
	jq -rs '[.[].name] | unique | join(" ")' "$1"
}

connections()		# connections 4|6: 4 claims
{
	local -n vip=vip$1 source=cli$1
	local log=$tmp/$1 backend

	backend=$(looked_up tcp "$(at "$1" cli 20000)" "$(at "$1" vip 80)")
	flows cli "$log.tcp" tcp "$vip" 80 --source "$source" --ports "20000-$((19999 + n))"
	flows cli "$log.tcp" tcp "$vip" 81 --source "$source" --ports "20000-$((19999 + n))"
	ktap_check "any: TCP over IPv$1 to two ports: all are answered" \
		judge answered "$log.tcp" $((2 * n))
	ktap_is "any: all of them are a flow, where lookup says" "$(names "$log.tcp")" "$backend"
	flows cli "$log.udp" udp "$vip" 53 --source "$source" --ports "20000-$((19999 + n))"
	ktap_is "any: a service of their own protocol comes first" "$(names "$log.udp")" be1
	ktap_is "any: and counts them" "$(counted "dns$1" packets_in)" "$n"
}

without_ports()		# without_ports 4|6: 5 claims
{
	local -n vip=vip$1 source=cli$1
	local src family=$1 all

	mapfile -t all < <(sources "$family")
	watch_backends
	craft portless "$family" 50 "$vip" "${all[@]}"
	ktap_check "any: packets without ports over IPv$family come" \
		wait_for 10 have_come "$clients" "$(of "$family" 50)"
	ktap_is "any: each client's where lookup says" "$(came "$(of "$family" 50)")" \
		"$(for src in "${all[@]}"; do
			echo "$(looked_up 50 "$src" "$vip") $src"
		done | sort)"
	ktap_is "any: as by a router" "$(jq -r "select($(of "$family" 50)) | .ttl" "$tmp"/be? | sort -u)" 63
	craft pieces "$family" 50 "$vip" "$source"
	ktap_check "any: both fragments of one come to its backend" \
		wait_for 10 pieces_came "$family" "$(looked_up 50 "$source" "$vip")"
	craft about "$family" 50
	ktap_check "any: an error about an answer comes to the backend of its flow" \
		wait_for 10 error_came "$family" "$(looked_up 50 "$source" "$vip")"
}

pieces_came()		# pieces_came 4|6 BACKEND: and no other has one
{
	local -n pieces_from=cli$1

	[[ $(came "$(of "$1" 50) and .fragment") == "$2 $pieces_from
$2 $pieces_from" ]]
}

error_came()		# error_came 4|6 BACKEND
{
	jq -se "any(.family == $1 and (.mtu // 0) % 65536 == 1400 and .checksum_good and
		.quoted.proto == \"50\")" "$tmp/$2"
}

echo_stays()		# echo_stays 4|6: 1 claim
{
	local -n vip=vip$1

	ktap_is "any: echo over IPv$1 is answered by the gateway, whose address it is" \
		"$(in_ns "$cli" busybox ping -c 2 -W 5 "$vip" | grep -c 'bytes from') $(came \
			".dst == \"$vip\" and (.type == 8 or .type == 128)" | wc -l)" "2 0"
}

# A client's tunnel to a VIP that ends at backends; its packets come merged to the gateway.
carries()		# carries WORDS VIP N...: be N have it; 1 claim
{
	local words=$1 vip=$2 i

	shift 2
	must ip -n "$cli" -b - <<-END
		link add gre1 type gre local $cli4 remote $vip
		addr add 10.77.0.1/30 dev gre1
		link set gre1 mtu 1400 up
	END
	for i; do
		must ip -n "be$i-$tag" -b - <<-END
			link add gre1 type gre local $vip remote $cli4
			addr add 10.77.0.2/30 dev gre1
			link set gre1 mtu 1400 up
		END
	done
	flows cli "$tmp/gre.$vip" tcp 10.77.0.2 80 --op "put:$size" --timeout 20
	ktap_check "any: $words" judge answered "$tmp/gre.$vip" 1
	for i; do
		must ip -n "be$i-$tag" link del gre1
	done
	must ip -n "$cli" link del gre1
}

refuses()		# refuses WORDS TEXT WORD...: 1 claim
{
	local words=$1 text=$2

	shift 2
	ktap_refuse "any: $words" 2 "$text" ringlb -n "$gw" "$@"
}

flow_facts()		# flow_facts: whom the flows of all4 that are remembered are with
{
	rlbj flow show all4 | jq -r '.[] | "\(.protocol) \(.client) \(.backend) \(.state)"' | sort
}

ktap_plan 44
bed 3
servers 53 80 81
must rlb secret set 000102030405060708090a0b0c0d0e0f	# flows go the same way each time
cables
straight on
mac=$(ip -n "$gw" -j link show cli | jq -r '.[0].address')
for family in 4 6; do
	vip=vip$family none=none$family
	{
		echo "service add all$family any ${!vip} mode dsr"
		echo "backend add all$family $(be_at "$family" 1) $(be_at "$family" 2) $(be_at "$family" 3)"
		echo "service add dns$family udp $(at "$family" vip 53) mode dsr"
		echo "backend add dns$family $(be_at "$family" 1)"
		echo "service add none$family any ${!none} mode dsr"
	} | must rlb -b /dev/stdin
done

for family in 4 6; do
	connections "$family"
	without_ports "$family"
	for pid in "${watchers[@]}"; do
		end "$pid"
	done
done
ktap_is "any: answers did not come by" "$(counted all4 packets_out)$(counted all6 packets_out)" 00

# Who drains keeps the client's flow; who is down does not.
watch_backends
src=10.9.0.1
was=$(looked_up 50 "$src" "$vip4")
must rlb backend drain all4 "$(be_at 4 "${was#be}")"
craft portless 4 50 "$vip4" "$src"
ktap_check "any: a flow stays with a backend that drains" \
	wait_for 10 have_come 1 "$(of 4 50)"
ktap_is "any: with that one" "$(came "$(of 4 50)")" "$was $src"
ktap_is "any: it is remembered, without a port" "$(flow_facts)" \
	"50 $src $(be_at 4 "${was#be}") datagrams"
before=$(flow_facts)
must rlb flow export all4 >"$tmp/flows"
must rlb flow flush all4
ktap_is "any: forgotten" "$(flow_facts)" ""
must rlb flow import "$tmp/flows" >"$tmp/imported"
ktap_is "any: export and import are a round trip" "$(flow_facts)" "$before"
must rlb backend down all4 "$(be_at 4 "${was#be}")"
now=$(looked_up 50 "$src" "$vip4")
craft portless 4 50 "$vip4" "$src"
must wait_for 10 have_come 2 "$(of 4 50)"
ktap_is "any: and not with one that is down" "$(came "$(of 4 50)")" \
	"$(printf '%s\n' "$was $src" "$now $src" | sort)"
ktap_check "any: which is another" test "$was" != "$now"
must rlb backend up all4 "$(be_at 4 "${was#be}")"

# In a tunnel, to all of a prefix.
must rlb service add tun any 198.18.0.0/24 tunnel ipip
must rlb backend add tun "$(be_at 4 2)"
craft portless 4 50 198.18.0.7 "$cli4"
ktap_check "any: a prefix in mode tunnel: the packet is inside another one" \
	wait_for 10 have_come 1 '.inner.proto == "50" and .inner.dst == "198.18.0.7"'

# The gateway's own address: echo and neighbours are its own.
must ip -n "$gw" link add vips type dummy
must ip -n "$gw" link set vips up
must ip -n "$gw" addr add "$vip4/32" dev vips
must ip -n "$gw" addr add "$vip6/128" dev vips nodad
for family in 4 6; do
	echo_stays "$family"
done
flows cli "$tmp/own" tcp "$vip4" 80 --source "$cli4" --ports "21000-$((20999 + n))"
ktap_check "any: a VIP that is the gateway's: TCP is answered by backends" \
	judge answered "$tmp/own" "$n"

for pid in "${watchers[@]}"; do
	end "$pid"
done
must modprobe ip_gre
carries "a tunnel to the VIP carries $size bytes of TCP" "$vip4" 1 2 3
unwrap "$be2" 10.0.2.12 fd00:2::12
must ip -n "$be2" addr add 198.18.0.7/32 dev lo
carries "so does one inside a tunnel of the gateway's" 198.18.0.7 2

# No backend
sniff cli "$tmp/icmp" --device gw --proto icmp
for family in 4 6; do
	none=none$family
	flows cli "$tmp/none" tcp "${!none}" 80 --ports "22000-$((21999 + n))"
	source=cli$family
	craft portless "$family" 253 "${!none}" "${!source}"
done
ktap_check "any: no backend: TCP is refused" judge failed "$tmp/none" $((2 * n)) ECONNREFUSED
ktap_check "any: no backend: other protocols' clients are told that nobody speaks it" wait_for 10 \
	told 2 '.quoted.proto == "253" and
		(if .family == 4 then [.type, .code] == [3, 2] else [.type, .code] == [4, 1] end)'

rlb save >"$tmp/saved"
rlb save secret >"$tmp/secret"
ktap_is "any: lookup offline says the same" \
	"$(ringlb -j -f "$tmp/secret" lookup 51 "$src" "$vip4" | jq -c '[.] | flatten | .[0] |
		[.service, .match, .slot, .backend]')" \
	"$(rlbj lookup 51 "$src" "$vip4" | jq -c '[.] | flatten | .[0] |
		[.service, .match, .slot, .backend]')"
ktap_is "any: to apply what there is changes nothing" "$(rlb apply "$tmp/saved")" ""

refuses "mode nat" "not every protocol can be rewritten: mode must be dsr or tunnel" \
	service add more any 198.18.1.1
refuses "the same address again" "a service of every protocol and this address exists" \
	service add more any "$vip4" mode dsr
refuses "a backend with a port" "backend has a port, which this mode does not change" \
	backend add all4 10.0.2.14:80
refuses "a backend that is such a VIP" "backend is the address and port of a service" \
	backend add dns4 198.18.0.9
must ip -n "$gw" addr add 192.0.2.200/32 dev vips
refuses "an address of the gateway" \
	"address is this host's, which would get no packets to it any more: force it, or take another" \
	service add own any 192.0.2.200 mode dsr
ktap_check "any: unless forced" rlb service add own any 192.0.2.200 mode dsr force on
must rlb service del own
refuses "what no service takes" "destination is no service" \
	lookup 255 "$src" 198.51.100.99
must ip -n "$gw" link del vips
must rlb flush
must rlb -b "$tmp/saved"
ktap_is "any: save and -b are a round trip" "$(rlb save | diff - "$tmp/saved")" ""
