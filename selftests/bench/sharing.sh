#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sharing.sh - two processors steer packets, and write to no cache line in common
#
# Two clients, each on a processor of its own, send to one service at the same time. Each store of
# the module is watched from outside (sharing.c). Memory of packets changes hands now and then,
# as one processor frees what the other then takes; how often a line does that both write for
# each packet, with this machine in its present state, is told by a build of the module that
# counts packets in one place for all.
# timeout: 3600
# cpus: 2
set -u
# shellcheck source=selftests/bench/bed.sh
. "$(dirname "$0")/bed.sh"
# shellcheck source=selftests/bench/clients.sh
. "$bench/clients.sh"

found=${RINGLB_SHARE:-$tmp}/more.json
moved=0 common=0
packets=8192	# of each client, in each of four passes

both_wrote()		# for each packet, at the least once
{
	jq -e --argjson least "$packets" '.stores | all(. > $least)' "$tmp/sharing" >/dev/null
}

no_line_common()	# as far as what each packet writes goes
{
	jq -e --argjson most "$((common / 8))" '., .passed <= $most' "$tmp/sharing"
}

watched()		# watched [OPTION]...: of cost; what is shared goes to $tmp/sharing
{
	must client 0 "$@" >/dev/null	# once before, for what is made once
	must client 1 "$@" >/dev/null
	must "$bench/mark" begin
	both "$@"
	must "$bench/mark" end
	cp "$RINGLB_SHARE/sharing" "$tmp/sharing"
	must both_wrote
}

moves()			# moves PATH: how often the line moved that did so most; a figure
{
	moved=$(jq .passed "$tmp/sharing")
	told "a cache line moves, two processors" "$1" "$moved" "times, $((2 * 4 * packets)) packets"
}

apart()			# apart PATH [OPTION]...: both wrote much, and to nothing that both write; 2 claims
{
	local path=$1

	shift
	watched "$@"
	moves "$path"
	ktap_check "two processors: $path: no cache line is written to by both all the time" \
		no_line_common
}

module_range()		# where the module is, for sharing.c
{
	sed -n 's/^ringlb \([0-9]*\) .* \(0x[0-9a-f]*\).*/\2 \1/p' /proc/modules \
		>"$RINGLB_SHARE/range"
}

swap()			# swap FILE.ko [PARAMETER]: the module, now this one
{
	must rmmod ringlb
	must insmod "$@"
	module_range
}

need_module
ktap_plan 10
bench_bed 4
second_client
ktap_defer swap "$RINGLB_KO"
swap "$RINGLB_SABOTAGE_KO" sabotage=4
ringlb_up 1
watched -v 1
moves "one counter for all"
common=$moved
ktap_check "two processors: a counter that both write to is seen" test "$common" -ge 64
ringlb_down
swap "$RINGLB_KO"
ringlb_up 1
apart "ringlb, IPv4 requests" -v 1
apart "ringlb, IPv6 requests" -v 1 -6
apart "ringlb, replies" -r
pins_up 4096
apart "ringlb, flows remembered" -v 1
ringlb_down
jq -s . "$figures" >"$found"
