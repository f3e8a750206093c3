#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# counters.sh - ringlb counts what clients and servers count, packets and bytes, both ways
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 200)

counts()		# counts WHAT: of a service, or a backend: the four of them
{
	counted "$1" packets_in bytes_in packets_out bytes_out | tr '\n' ' '
}

# What was sent, as seen from the network header on. Sizes are so that none is in fragments.
expected()		# expected JQ HEADERS: for the records that JQ lets through
{
	jq -r -s --argjson headers "$2" "[.[] | select(.event == \"datagram\" and $1)] |
		[length, (map(.bytes_in + \$headers) | add // 0),
		 length, (map(.bytes_out + \$headers) | add // 0)] | @text \"\\(join(\" \")) \"" \
		"$servers_log"
}

snmp()			# snmp NS...: TCP packets sent, and IPv4 bytes received, in all
{
	local name

	for name; do
		local -n snmp_ns=$name
		in_ns "$snmp_ns" nstat -asz
	done | awk '$1 == "TcpOutSegs" || $1 == "TcpRetransSegs" { packets += $2 }
		$1 == "IpExtInOctets" { bytes += $2 }
		END { print packets + 0, bytes + 0 }'
}

ktap_plan 17
bed 3
servers 5353 8080
for family in 4 6; do
	service "dns$family" udp "$family" 53 5353
done
service web4 tcp 4 80 8080
ktap_is "counters: before any packet all are 0" "$(counts dns4)$(counts web4)" "0 0 0 0 0 0 0 0 "

for family in 4 6; do
	declare -n vip=vip$family source=cli$family
	headers=$((family == 4 ? 28 : 48))
	forget
	flows cli "$tmp/udp$family" udp "$vip" 53 --source "$source" --size 900 --reply 300 \
		--ports "20000-$((19999 + n))"
	flows cli "$tmp/udp$family" udp "$vip" 53 --source "$source" \
		--ports "30000-$((29999 + n / 2))"
	ktap_check "counters: UDP over IPv$family: all answered" \
		judge answered "$tmp/udp$family" $((n + n / 2))
	ktap_is "counters: UDP over IPv$family: the service" "$(counts "dns$family")" \
		"$(expected true "$headers")"
	for i in 1 2 3; do
		ktap_is "counters: UDP over IPv$family: backend $i" \
			"$(counts "dns$family/$(be_at "$family" "$i" 5353)")" \
			"$(expected ".backend == \"be$i\"" "$headers")"
	done
done

# A merged packet counts as the packets it stands for, and its headers once. Senders count
# the packets, receivers the bytes.
declare -a before=(0 0 0 0)
kernels()		# what went over, since $before, in the order of counts
{
	local requests answers

	read -ra requests < <(snmp cli)
	# shellcheck disable=SC2046
	read -ra answers < <(snmp $(all_bes))
	echo "$((requests[0] - before[0])) $((answers[1] - before[1]))" \
		"$((answers[0] - before[2])) $((requests[1] - before[3])) "
}

settled()		# the last acknowledgements have come, too
{
	[[ $(counts web4) == "$(kernels)" ]]
}

read -ra before < <(kernels)
flows cli "$tmp/tcp" tcp "$vip4" 80 --op "put:$(scaled 1000000)"
flows cli "$tmp/tcp" tcp "$vip4" 80 --op "get:$(scaled 1000000)"
flows cli "$tmp/tcp" tcp "$vip4" 80 --ports "20000-$((19999 + n / 4))"
ktap_check "counters: TCP: all answered" judge answered "$tmp/tcp" $((n / 4 + 2))
ktap_check "counters: TCP: as many packets and bytes as sent and received" \
	wait_for 5 settled
ktap_note "ringlb: $(counts web4)" "kernels: $(kernels)"

errors=$(counted dns4 icmp_out)
must rlb service add dead udp "$vip4:54" method ring
must rlb backend add dead 10.0.2.11:5454
flows cli "$tmp/dead" udp "$vip4" 54 --connected --ports 20000-20004
ktap_is "counters: errors from backends" "$(counted dead icmp_out)" 5
ktap_is "counters: another service's errors are not its own" "$(counted dns4 icmp_out)" "$errors"
ktap_is "counters: no reply was left untranslated, nothing dropped" \
	"$(for service in dns4 dns6 web4; do
		counted "$service" untranslated drop_no_backend drop_no_memory drop_no_route
	done | sort -u)" 0
ktap_is "counters: without -s none is shown" \
	"$(rlbj service show | jq '[.. | .packets_in? | numbers] | length')" 0
