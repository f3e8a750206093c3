#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_full.sh - floods cost bounded memory and break no flow; nor do clocks that jump
#
# All backends but one drain, so that nearly every packet that comes wants to be remembered.
# Then the module goes while the flow table is full, and at the end the namespace does.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 200 60)
most=1024		# flows that may be remembered: the least that can be chosen
some=$((most / 2))

stat()			# stat KEY: of the flow table
{
	rlbj flow stats | jq ".$1"
}

crafted()		# crafted WORD...: packets from the client's link
{
	must zygote craft --netns "$cli" --device gw --mac "$mac" "$@"
}

stay()			# stay CLAIM LABEL: 1 claim; each connection is where it was at first
{
	round "$2" tcp
	ktap_check "full: $1" judge back "$tmp/tcp:first" "$tmp/tcp:$2"
}

bounded()		# bounded CLAIM: 1 claim
{
	local flows

	flows=$(stat flows)
	ktap_note "$1: $flows flows, $(stat evicted) evicted"
	ktap_check "full: $1: no more flows than may be" test "$flows" -le $most
}

jump()			# jump SECONDS: the clock on the wall
{
	must date -s "@$(($(date +%s) + $1))" >/dev/null
}

configure()
{
	local i

	must rlb flow set limit $most
	for i in 1 2 3 4 5 6; do
		echo "backend add web $(be_at 4 "$i" 8080)"
		echo "backend add dns $(be_at 4 "$i" 8080)"
	done | sort >"$tmp/backends"
	must rlb service add web tcp "$vip4:80" slots 4096
	must rlb service add dns udp "$vip4:53" slots 4096 track all
	must rlb -b "$tmp/backends"
}

ktap_plan 20
need_ko
farm 6
farm_servers 6 "$servers_log" 8080
must ip -n "$gw" route add 10.9.0.0/16 via "$cli4"	# who is not there does not object
mac=$(ip -n "$gw" -j link show cli | jq -r '.[0].address')
configure
rounds tcp cli tcp "$vip4" 80 --source "$cli4" --ports "20000-$((19999 + n))" --timeout 5
round first tcp
for i in 1 2 3 4 5; do
	must rlb backend drain web "$(be_at 4 "$i" 8080)"
done
stay "five of six drain: each connection stays" drained
pinned=$(stat flows)
ktap_check "full: most of them are remembered" test "$pinned" -gt $((n / 2))

crafted flood 0x02 $((most * 3 / 2))
bounded "SYNs of nobody"
ktap_check "full: SYNs of nobody: half-open ones make room for others" test "$(stat evicted)" -gt 0
stay "SYNs of nobody: each connection stays" syn
flows cli "$tmp/new" tcp "$vip4" 80 --ports "30000-$((29999 + n))"
ktap_check "full: SYNs of nobody: new connections are answered" judge answered "$tmp/new" "$n"

crafted flood 0x10 $some
bounded "ACKs of nobody"
stay "ACKs of nobody: each connection stays" ack
crafted flood 0x14 $some
bounded "RSTs of nobody"
crafted flood 0x02 $((n * 2)) "20000-$((19999 + n))"
stay "SYNs in the client's name: each connection stays" guessed-syn
crafted flood 0x04 $((n * 2)) "20000-$((19999 + n))"
stay "RSTs in the client's name: each connection stays" guessed-rst
crafted flood 0x11 $((n * 2)) "20000-$((19999 + n))"
stay "FINs in the client's name: each connection stays" guessed-fin

jump 100000
stay "the clock jumps by a day: each connection stays" tomorrow
jump -200000
stay "the clock jumps back by two days: each connection stays" yesterday
jump 100000

flows cli "$tmp/udp" udp "$vip4" 53 --source "$cli4" --ports "30000-$((29999 + most))"
ktap_check "full: of flows that all live: each is answered" judge answered "$tmp/udp" $most
ktap_check "full: and some are counted as not remembered" test "$(stat full)" -gt 0
stay "nobody makes room who lives: each connection stays" last
flows cli "$tmp/lost" tcp "$vip4" 80 --ports "40000-$((39999 + 4 * n))" --timeout 2
ktap_check "full: connections that would move to one that drains are lost, and counted" \
	test "$(stat unpinned)" -gt 0

ktap_check "full: the module goes" wait_for 20 unloaded
must load
configure
crafted flood udp $((most + most / 8))
bounded "datagrams of nobody"
