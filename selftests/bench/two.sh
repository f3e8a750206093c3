#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# two.sh - two processors forward, and balance, how many times as much as one?
#
# A client on each processor, at the same time and alone; of three rounds the best. What keeps
# forwarding below twice as much is the machine's: balancing is held against that.
# timeout: 1200
# cpus: 2
set -u
# shellcheck source=selftests/bench/bed.sh
. "$(dirname "$0")/bed.sh"
# shellcheck source=selftests/bench/clients.sh
. "$bench/clients.sh"

found=${RINGLB_SHARE:-$tmp}/more.json
packets=8192
seconds=3

per_second()		# per_second CPU...: packets that these clients sent
{
	local cpu

	for cpu; do
		cat "$tmp/$cpu"
	done | jq -s 'map(.rate) | add'
}

gain()			# gain [OPTION]...: of two, how many times that of one
{
	local one

	must client 0 -d "$seconds" "$@"
	one=$(per_second 0)
	both -d "$seconds" "$@"
	jq -n "$(per_second 0 1) / $one"
}

scales()		# scales PATH [OPTION]...: a figure, and the claim that it is there
{
	local path=$1 value

	shift
	must client 0 -d 1 "$@"		# for what is made once
	must client 1 -d 1 "$@"
	value=$(for _ in 1 2 3; do gain "$@"; done | jq -s 'max * 100 | round / 100')
	told "packets a second, two processors" "$path" "$value" "of one"
}

holds()			# ringlb gains nine tenths of what forwarding gains, or more
{
	jq -s -e 'map({ (.path): .value }) | add |
		., .["ringlb hook"] >= 0.9 * .forwarding' "$figures"
}

ktap_plan 4
bench_bed 4
second_client
scales forwarding
ringlb_up 1
scales "ringlb hook" -v 1
ringlb_down
ipvs_up conn_tab_bits=20 mh-fallback,mh-port
scales "IPVS mh tuned" -v 1
ipvs_down
ktap_check "bench: with two processors balancing gains what forwarding gains" holds
jq -s . "$figures" >"$found"
