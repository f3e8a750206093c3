#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# service_prefix.sh - a prefix for a VIP, and one backend port for several: who takes a packet,
# where it goes, whom its answer is from
#
# An address (be1), a prefix with it (be2), and a longer prefix in that one (be3).
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40 8)
# shellcheck disable=SC2034	# found by name
net4=192.0.2.0/24 half4=192.0.2.128/25 near4=192.0.2.11 far4=192.0.2.129
# shellcheck disable=SC2034	# likewise
net6=2001:db8::/64 half6=2001:db8:0:0:8000::/65 near6=2001:db8::11 far6=2001:db8::8000:0:0:2

on()			# on 4|6 ADDR PORT
{
	[[ $1 == 6 ]] && echo "[$2]:$3" || echo "$2:$3"
}

service()		# service NAME 4|6 ADDR BACKEND: commands
{
	echo "service add $1$2 tcp $(on "$2" "$3" 80) track all"
	echo "backend add $1$2 $(be_at "$2" "$4" 8080)"
}

meets()			# meets 4|6 ADDR SERVICE PREFIX BACKEND: 3 claims
{
	local log=$tmp/meets.$3

	flows cli "$log" tcp "$2" 80 --ports "20000-$((19999 + n))"
	ktap_check "prefix: $2: all are answered, from there" judge answered "$log" "$n"
	ktap_is "prefix: $2: by the backend of $3" \
		"$(jq -rs '[.[].name] | unique | join(" ")' "$log")" "be$5"
	ktap_is "prefix: $2: lookup says by what" \
		"$(rlbj lookup tcp "$(at "$1" cli 20000)" "$(on "$1" "$2" 80)" |
			jq -r '"\(.service) \(.prefix // "address")"')" "$3 $4"
}

refuses()		# refuses WORDS TEXT WORD...: 1 claim
{
	local words=$1 text=$2

	shift 2
	ktap_refuse "prefix: $words" 2 "$text" ringlb -n "$gw" "$@"
}

ktap_plan 34
bed 3
servers 8080 8005
for family in 4 6; do
	of=net$family in=half$family vip=vip$family
	{
		service one "$family" "${!vip}" 1
		service net "$family" "${!of}" 2
		service half "$family" "${!in}" 3
	} | must rlb -b /dev/stdin
done
watch_leaks cli

for family in 4 6; do
	vip=vip$family near=near$family far=far$family
	bits=(24 25)
	[[ $family == 6 ]] && bits=(64 65)
	meets "$family" "${!vip}" one$family address 1
	meets "$family" "${!near}" net$family "${bits[0]}" 2
	meets "$family" "${!far}" half$family "${bits[1]}" 3
done
ktap_is "prefix: no packet with a backend's address came to the client" "$(leaks cli)" 0

rlb save >"$tmp/saved"
rlb save secret >"$tmp/secret"
ktap_is "prefix: lookup offline says the same" \
	"$(for to in "$vip4" "$near4" "$far4"; do
		ringlb -j -f "$tmp/secret" lookup tcp "$(at 4 cli 20000)" "$to:80" | jq -r '.service'
	done | paste -sd' ')" "one4 net4 half4"
must rlb flush
must rlb -b "$tmp/saved"
ktap_is "prefix: save and -b are a round trip" "$(rlb save | diff - "$tmp/saved")" ""
ktap_is "prefix: to apply what there is changes nothing" "$(rlb apply "$tmp/saved")" ""

# One port of the client, two addresses of the prefix: who has one flow of it does not get the other.
must rlb backend add net4 "$(be_at 4 1 8005)"
for to in "$near4" 192.0.2.12; do
	rounds "$to" cli tcp "$to" 80 --source "$cli4" --ports "30000-$((29999 + n))"
	round first "$to"
done
ktap_check "prefix: one port of a client has flows to two addresses" \
	judge answered "$tmp/$near4:first" "$n" + answered "$tmp/192.0.2.12:first" "$n"
must rlb backend drain net4 "$(be_at 4 2 8080)"
for to in "$near4" 192.0.2.12; do
	round second "$to"
done
ktap_check "prefix: and they stay when backends change" \
	judge stay "$tmp/$near4:first" "$tmp/$near4:second" + \
	stay "$tmp/192.0.2.12:first" "$tmp/192.0.2.12:second"

refuses "flows that are not remembered" \
	"answers do not tell the addresses of a prefix apart: track must be all" \
	service add more tcp 198.18.0.0/24:80
refuses "nor later" "answers do not tell the addresses of a prefix apart: track must be all" \
	service set net4 track auto
refuses "the same prefix again" "a service of this protocol, address and port exists" \
	service add more tcp "$net4:80" track all
must rlb service add out tcp 198.18.0.0/24:80 track all
refuses "a backend that a prefix has" "backend is the address and port of a service" \
	backend add one4 198.18.0.7:80
refuses "a prefix that has a backend" "address and port are those of a backend" \
	service add more tcp 10.0.2.0/28:8080 track all
why="prefix has an address of this host: force it, or take another"
refuses "a prefix that has an address of the gateway" "$why" \
	service add more tcp 10.0.1.0/24:80 track all
refuses "the same of IPv6" "$why" service add more tcp '[fd00:1::/64]:80' track all
ktap_check "prefix: in mode dsr no flow has to be remembered" \
	rlb service add direct tcp 198.19.0.0/16:80 mode dsr

# A backend's one port for several of the VIP.
must rlb service add some tcp "$vip4:8000-8005"
refuses "several ports for one, and flows that are not remembered" \
	"answers of a backend with a port do not tell several ports apart: track must be all" \
	backend add some "$(be_at 4 3 8005)"
must rlb service set some track all
must rlb backend add some "$(be_at 4 3 8005)"
for port in 8000 8003; do
	flows cli "$tmp/some.$port" tcp "$vip4" "$port" --ports "40000-$((39999 + n))"
done
ktap_check "prefix: several ports for one: answers come from the port that was asked" \
	judge answered "$tmp/some.8000" "$n" + answered "$tmp/some.8003" "$n"
