#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# service_ports.sh - ranges of ports and every port: who takes a packet, where it goes, refusals
#
# On one address: a port (be1), a range with that port (be2), every port (be3).
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40 8)

matches()		# matches 4|6 PORT SERVICE MATCH BACKEND: 3 claims
{
	local -n to=vip$1
	local proto log

	for proto in tcp udp; do
		log=$tmp/$1.$2.$proto
		flows cli "$log" "$proto" "$to" "$2" --ports "20000-$((19999 + n))"
	done
	ktap_check "ports: IPv$1, port $2: answered by the backend of $3, from that port" \
		judge answered "$tmp/$1.$2.tcp" "$n" + answered "$tmp/$1.$2.udp" "$n"
	ktap_is "ports: IPv$1, port $2: and by no other" \
		"$(jq -rs '[.[].name] | unique | join(" ")' "$tmp/$1.$2".*)" "be$5"
	ktap_is "ports: IPv$1, port $2: lookup says by what" \
		"$(rlbj lookup tcp "$(at "$1" cli 20000)" "$(at "$1" vip "$2")" |
			jq -r '"\(.service) \(.match // "port")"')" "$3 $4"
}

refuses()		# refuses WORDS TEXT WORD...: 1 claim
{
	local words=$1 text=$2

	shift 2
	ktap_refuse "ports: $words" 2 "$text" ringlb -n "$gw" "$@"
}

ktap_plan 36
bed 4
servers 8000 8005 8999 9100
for family in 4 6; do
	{
		for proto in tcp udp; do
			echo "service add one$proto$family $proto $(at "$family" vip 8005)"
			echo "service add some$proto$family $proto $(at "$family" vip 8000-8999)"
			echo "service add all$proto$family $proto $(at "$family" vip '*')"
			echo "backend add one$proto$family $(be_at "$family" 1)"
			echo "backend add some$proto$family $(be_at "$family" 2)"
			echo "backend add all$proto$family $(be_at "$family" 3)"
		done
	} | must rlb -b /dev/stdin
done
watch_leaks cli

for family in 4 6; do
	matches "$family" 8005 onetcp$family port 1
	matches "$family" 8000 sometcp$family ports 2
	matches "$family" 8999 sometcp$family ports 2
	matches "$family" 9100 alltcp$family every-port 3
done
ktap_is "ports: no packet with a backend's address came to the client" "$(leaks cli)" 0

# One port of the client, two of the VIP: two flows, which a change must not mix up.
for port in 8000 8999; do
	rounds "p$port" cli tcp "$vip4" "$port" --source "$cli4" --ports "30000-$((29999 + n))"
	round first "p$port"
done
must rlb backend add sometcp4 "$(be_at 4 4)"
must rlb backend drain sometcp4 "$(be_at 4 2)"
for port in 8000 8999; do
	round second "p$port"
done
ktap_check "ports: connections to two ports from one stay when backends change" \
	judge stay "$tmp/p8000:first" "$tmp/p8000:second" + \
	stay "$tmp/p8999:first" "$tmp/p8999:second"
ktap_is "ports: and are remembered each" "$(rlbj flow show sometcp4 | jq length)" $((2 * n))

rlb save >"$tmp/saved"
must rlb flush
must rlb -b "$tmp/saved"
ktap_is "ports: save and -b are a round trip" "$(rlb save | diff - "$tmp/saved")" ""

refuses "ranges with a port in common" \
	"a service of this protocol and address has a range with some of these ports" \
	service add more tcp "$(at 4 vip 8999-9001)"
refuses "a backend's own port" \
	"answers of a backend with a port do not tell several ports apart: track must be all" \
	backend add sometcp4 "$(be_at 4 1 80)"

# The same backend behind two ranges and one port: whose an answer is, the port says, or a pin.
must rlb flush
{
	echo "service add low tcp $vip4:8000-8005 track all"
	echo "service add high tcp $vip4:8006-8999 track all"
	echo "service add one tcp $vip4:9100"
	echo "backend add low $(be_at 4 1)"
	echo "backend add high $(be_at 4 1)"
	echo "backend add one $(be_at 4 1)"
} | must rlb -b /dev/stdin
for port in 8000 8999 9100; do
	flows cli "$tmp/shared.$port" tcp "$vip4" "$port" --ports "40000-$((39999 + n))"
done
ktap_check "ports: two ranges and one port have the same backend" \
	judge answered "$tmp/shared.8000" "$n" + answered "$tmp/shared.8999" "$n" + \
	answered "$tmp/shared.9100" "$n"
must rlb service del one
refuses "a shared backend, and flows that are not remembered" \
	"another service sends to a backend of this one: track must be all in both" \
	service set low track auto

# An address of the gateway.
must ip -n "$gw" addr add 192.0.2.77/32 dev lo
refuses "every port of the gateway's own address" \
	"address is this host's, whose own connections use some of the ports .ip_local_port_range.: force it, or take others" \
	service add own tcp '192.0.2.77:*'
background ready "$selftests/net/who.py" --log "$tmp/own" --port 7000 "own=$gw"
refuses "a range with a socket of the gateway's" \
	"address is this host's, and a socket has one of the ports: force it, or take others" \
	service add own tcp 192.0.2.77:6990-7010
ktap_check "ports: of the gateway's own address, ports that nobody has" \
	rlb service add own tcp 192.0.2.77:6990-6999
ktap_is "ports: what was forced is saved as such" \
	"$(rlb service add forced tcp '192.0.2.77:*' force on; rlb save | grep -c 'force on$')" 1
