#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# service_quic.sh - key quic-cid: connection ids lead to the backends that made them
#
# Ids are of configuration 3 (first byte 6x) with server ids of one byte: 1, 2, 3 are be1, be2, be3.
# timeout: 240
set -u
# shellcheck source=selftests/straight.sh
. "$(dirname "$0")/../straight.sh"

nonce=8f3c51d206
declare -A port_of=([quic4]=443 [quic6]=443 [straight4]=53)

asked()			# asked 4|6 SERVICE WORD...: who answers what quic.py sends from cli, on one line
{
	local -n asked_vip=vip$1

	zygote quic --netns "$cli" "$asked_vip" "${port_of[$2]}" "${@:3}" | paste -sd' '
}

named()			# named 4|6 SPORT [WORD...]: whom lookup names for a packet to the service, as beN
{
	rlbj lookup udp "$(at "$1" cli "$2")" "$(at "$1" vip 443)" "${@:3}" |
		jq -r '[.] | flatten | .[0].backend | sub("^.*1(?<n>[0-9])\\]?(:[0-9]+)?$"; "be\(.n)")'
}

refuses()		# refuses WORDS TEXT WORD...: 1 claim
{
	local words=$1 text=$2

	shift 2
	ktap_refuse "quic: $words" 2 "$text" ringlb -n "$gw" "$@"
}

by_addresses()		# by_addresses WORDS FAMILY SPORT KIND/CID...: 1 claim
{
	local words=$1 family=$2 sport=$3 given=() wanted=() kind

	shift 3
	for kind; do
		wanted+=("$(named "$family" "$sport")")
		given+=("$sport/$kind")
		((sport++))
	done
	ktap_is "quic: $words" "$(asked "$family" "quic$family" "${given[@]}")" "${wanted[*]}"
}

found_cids()
{
	rlbj check | jq -r '[.[] | select(.finding == "no_cids").about] | join(" ")'
}

ktap_plan 39
bed 3
servers 4433 53
must rlb secret set 000102030405060708090a0b0c0d0e0f	# flows go the same way each time
for family in 4 6; do
	must rlb service add "quic$family" udp "$(at "$family" vip 443)" \
		key quic-cid cid-config 3 sid-length 1 track all
	for n in 1 2 3; do
		echo "backend add quic$family $(be_at "$family" "$n" 4433) id $n"
	done | must rlb -b /dev/stdin
done
watch_leaks cli

# Ids of no backend: of no configuration, another one, or an unknown server; too short; none.
by_addresses "IPv4: ids that no backend has made go by addresses and ports" 4 20000 \
	short/e001$nonce long/e001$nonce short/4001$nonce long/4001$nonce short/6063$nonce \
	long/6063$nonce long/6001${nonce:4} long/ long/"$(printf '6001%038d' 0)"
by_addresses "IPv6: ids that no backend has made go by addresses and ports" 6 20000 \
	short/e001$nonce long/4001$nonce long/6063$nonce
for family in 4 6; do
	ktap_is "quic: IPv$family: none is counted as found by its id" \
		"$(counted "quic$family" by_cid)" 0
done
ktap_is "quic: check finds that no server makes ids of its backends" "$(found_cids)" quic4

for family in 4 6; do
	ktap_is "quic: IPv$family: short headers: to whose id it is, from ports that are new" \
		"$(asked "$family" "quic$family" 2110{1/short/6001,2/short/7f02,3/short/6a03}$nonce)" \
		"be1 be2 be3"
	ktap_is "quic: IPv$family: long headers, too" \
		"$(asked "$family" "quic$family" 2120{1/long/6001,2/long/7f02,3/long/6a03}$nonce)" \
		"be1 be2 be3"
	ktap_is "quic: IPv$family: an id comes before what is remembered of the port" \
		"$(asked "$family" "quic$family" 21300/{short/6001,long/6002,short/6003,short/6001}$nonce)" \
		"be1 be2 be3 be1"
	ktap_is "quic: IPv$family: which then leads packets without such an id" \
		"$(asked "$family" "quic$family" 21300/{long/,short/e003$nonce})" "be1 be1"
	ktap_is "quic: IPv$family: found by their ids, and not one answer untranslated" \
		"$(counted "quic$family" by_cid untranslated | paste -sd' ')" "10 0"
done
ktap_is "quic: check finds nothing of that kind any more" "$(found_cids)" ""

# A client that gets another address
must ip -n "$cli" addr add 10.0.1.77/24 dev gw
before=$(asked 4 quic4 21400/short/6002$nonce)
after=$(zygote quic --netns "$cli" --source 10.0.1.77 "$vip4" 443 21401/short/6002$nonce)
ktap_is "quic: a client that changes its address keeps its backend" "$before $after" "be2 be2"
ktap_is "quic: its flow from there is remembered, with that one" \
	"$(rlbj flow show quic4 | jq -r '.[] | select(.client == "10.0.1.77:21401").backend')" \
	"$(be_at 4 2 4433)"
ktap_is "quic: no packet with a backend's address came to the client" "$(leaks cli)" 0

ktap_is "quic: lookup names whose id it is" \
	"$(rlbj lookup udp "$(at 4 cli 22000)" "$(at 4 vip 443)" cid 6003$nonce |
		jq -r '[.] | flatten | .[0] | "\(.backend) \(.cid_backend)"')" \
	"$(be_at 4 3 4433) $(be_at 4 3 4433)"
rlb save secret >"$tmp/secret"
ktap_is "quic: and so it does offline" \
	"$(for cid in 6001 6003 6009 4001; do
		ringlb -j -f "$tmp/secret" lookup udp "$(at 4 cli 22000)" "$(at 4 vip 443)" cid $cid$nonce
	done | jq -c '[.] | flatten | .[0] | [.backend, .cid_backend]' | paste -sd' ')" \
	"$(for cid in 6001 6003 6009 4001; do
		rlbj lookup udp "$(at 4 cli 22000)" "$(at 4 vip 443)" cid $cid$nonce
	done | jq -c '[.] | flatten | .[0] | [.backend, .cid_backend]' | paste -sd' ')"

# States
must rlb backend drain quic4 "$(be_at 4 1 4433)"
ktap_is "quic: ids of a draining backend lead to it" \
	"$(asked 4 quic4 23000/short/6001$nonce)" be1
must rlb service set quic4 udp-drain rehash
ktap_is "quic: unless its flows are to move at once" \
	"$(asked 4 quic4 23001/short/6001$nonce)" "$(named 4 23001 cid 6001$nonce)"
must rlb service set quic4 udp-drain keep
must rlb backend down quic4 "$(be_at 4 1 4433)"
by_addresses "those of one that is down go by addresses and ports" 4 23100 \
	{short,long,short}/6001$nonce
must rlb backend up quic4 "$(be_at 4 1 4433)"
ktap_is "quic: and to it when it is up again" "$(asked 4 quic4 23100/short/6001$nonce)" be1
must rlb backend set quic4 "$(be_at 4 1 4433)" weight 0
ktap_is "quic: those of one without weight lead to it" \
	"$(asked 4 quic4 23200/short/6001$nonce)" be1
must rlb backend set quic4 "$(be_at 4 1 4433)" id 77
ktap_is "quic: another id is another backend's" \
	"$(asked 4 quic4 2330{0/short/604d,1/long/604d}$nonce)" "be1 be1"
must rlb backend del quic4 "$(be_at 4 1 4433)"
by_addresses "those of one that is gone go by addresses and ports" 4 23400 \
	{short,long,short}/604d$nonce
must rlb backend add quic4 "$(be_at 4 1 4433)" id 1

must rlb dev add cli
ktap_is "quic: devices with the fast path leave it to the stack, which is right" \
	"$(asked 4 quic4 2350{1/short/6001,2/short/6002,3/long/6003}$nonce)" "be1 be2 be3"
must rlb dev del cli

rlb save >"$tmp/saved"
ktap_is "quic: to apply what there is changes nothing" "$(rlb apply "$tmp/saved")" ""
must rlb service set quic6 key 5tuple track auto
ktap_is "quic: to another key that hashes alike no slot moves" \
	"$(rlbj service show quic6 | jq -r '.[0] | "\(.key) \(.transitions) \(.cid_config)"')" \
	"5tuple 0 null"
must rlb apply "$tmp/saved"
ktap_is "quic: apply brings it back" "$(rlb save | diff - "$tmp/saved")" ""

refuses "no tcp" "key quic-cid needs protocol udp" \
	service add more tcp "$(at 4 vip 80)" key quic-cid track all
refuses "not all flows remembered" \
	"answers do not tell that a connection id chose their backend: track must be all, or mode dsr or tunnel" \
	service set quic4 track auto
refuses "a backend without id" "key quic-cid needs an id of each backend" \
	backend add quic4 10.0.2.99:4433
refuses "an id that is too large" "id of a backend needs more than sid-length bytes" \
	backend add quic4 10.0.2.99:4433 id 256

# Answers go straight to the client: nothing is remembered.
cables
straight on
must rlb service add straight4 udp "$(at 4 vip 53)" mode dsr key quic-cid cid-config 3 sid-length 1
for n in 1 2 3; do
	echo "backend add straight4 $(be_at 4 "$n") id $n"
done | must rlb -b /dev/stdin
ktap_is "quic: dsr: to whose id it is, one port after the other, and with one port" \
	"$(asked 4 straight4 24000/{short/6001,long/6002,short/6003}$nonce 24001/short/6002$nonce)" \
	"be1 be2 be3 be2"
ktap_is "quic: dsr: nothing of it is remembered" "$(rlbj flow show straight4 | jq length)" 0
must rlb backend drain straight4 "$(be_at 4 2)"
ktap_is "quic: dsr: but flows of a draining backend are, so that it is told when it has none" \
	"$(asked 4 straight4 2400{2/short/6002,3/long/6002,4/short/6003}$nonce) $(
		rlbj flow show straight4 | jq -r '.[].client' | sort | paste -sd' ')" \
	"be2 be2 be3 $(at 4 cli 24002) $(at 4 cli 24003)"
