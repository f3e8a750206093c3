#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nat_sctp.sh - SCTP by way of a VIP: every byte, every checksum, flows that stay, refusals
#
# VIP port 80 goes to backends' port 8080, so each packet needs another CRC32c. A checksum that
# is left to the device is never computed between veths: what such a packet holds proves nothing;
# so transfers are done with and without offloads, and the receivers' counters judge.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

size=$(scaled 8000000 1000000)
n=$(scaled 60 20)

damaged()		# damaged: packets that any kernel here found damaged
{
	local ns

	for ns in "$cli" "$be1" "$be2" "$be3"; do
		in_ns "$ns" cat /proc/net/sctp/snmp
	done | awk '$1 == "SctpChecksumErrors" { sum += $2 } END { print sum + 0 }'
}

asks()			# asks NAME FAMILY PORTS [OPTION]...: associations of the client
{
	local -n to=vip$2 from=cli$2
	local name=$1 ports=$3

	shift 3
	flows cli "$tmp/$name" sctp "$to" 80 --source "$from" --ports "$ports" "$@"
}

transfers()		# transfers on|off FAMILY FAMILY: to the VIP over one, from it over the other
{
	local op way=$1

	for op in put get; do
		shift
		asks "$op.$way" "$1" 30001-30001 --op "$op:$size" --timeout 30
		ktap_check "sctp: offload $way: $size bytes, $op, over IPv$1" \
			judge answered "$tmp/$op.$way" 1
	done
}

# As by a host without SCTP: of what ICMP can say, only that ends an association.
refused()		# refused NS FAMILY SOURCE: 1 claim
{
	local -n to=vip$2

	flows "$1" "$tmp/none.$1.$2" sctp "$to" 80 --source "$3" --ports 20000-20004 --timeout 10
	ktap_check "sctp: none up: $1 is refused over IPv$2" \
		judge failed "$tmp/none.$1.$2" 5 ENOPROTOOPT
}

states()		# states: of the flows that are remembered, each once
{
	rlbj flow show call4 | jq -r '[.[].state] | unique | join(" ")'
}

are_closed()		# or forgotten already
{
	[[ $(states) == @(closed|) ]]
}

ktap_plan 17
must modprobe sctp
bed 3
for ns in "$cli" "$gw" "$be1" "$be2" "$be3"; do
	must in_ns "$ns" sysctl -qw net.sctp.rto_min=100 net.sctp.rto_initial=200
done
servers 8080 --sctp
service call4 sctp 4 80 8080 2
service call6 sctp 6 80 8080 2
must ip -n "$gw" route add "$vip4/32" dev cli
must ip -n "$gw" route add "$vip6/128" dev cli

for family in 4 6; do
	asks "many$family" "$family" "20000-$((19999 + n))"
	ktap_check "sctp: $n associations over IPv$family" judge answered "$tmp/many$family" "$n"
done
ktap_check "sctp: each with the backend that lookup names" \
	judge lookup "$servers_log" "$(at 4 vip 80)" $((2 * n)) ringlb -n "$gw"
transfers on 4 6
offloads off
for n_be in 1 2; do
	must in_ns "be$n_be-$tag" ethtool -K gw tx-checksum-sctp off >/dev/null
done
must in_ns "$cli" ethtool -K gw tx-checksum-sctp off >/dev/null
transfers off 6 4
ktap_is "sctp: no receiver saw a damaged packet" "$(damaged)" 0
ktap_is "sctp: a service remembers a flow for 900 s" \
	"$(rlbj service show call4 | jq '.[0].timeout')" 900

# Flows that live while backends change.
rounds kept cli sctp "$vip4" 80 --source "$cli4" --ports "40000-$((39999 + n))" --timeout 10
round first kept
must rlb backend add call4 "$(be_at 4 3 8080)"
must rlb backend drain call4 "$(be_at 4 1 8080)"
round second kept
ktap_check "sctp: associations stay when backends change" judge stay "$tmp/kept:first" "$tmp/kept:second"
ktap_is "sctp: those that would have moved are remembered as established" "$(states)" established
rounds new cli sctp "$vip4" 80 --source "$cli4" --ports "50000-$((49999 + n))" --timeout 10
round first new
ktap_is "sctp: a draining backend gets no new ones" "$(grep -c '"be1"' "$tmp/new")" 0
hush new
hush kept
ktap_check "sctp: when both ends have said so, they are closed" \
	wait_for 30 are_closed

for family in 4 6; do
	rlbj backend show "call$family" | jq -r '.[].backend' | while read -r at; do
		echo "backend down call$family $at"
	done | must rlb -b /dev/stdin
done
for family in 4 6; do
	declare -n source=cli$family gw_source=gw$family
	refused cli "$family" "$source"
	refused gw "$family" "$gw_source"
done
