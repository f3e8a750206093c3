#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# monitor_overrun.sh - a monitor that cannot keep up says so, tells what there is, and goes on
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

mon=$tmp/monitor

synced()		# the state that followed the last loss is told to its end
{
	[[ $(grep -n '"lost"' "$mon" | tail -1 | cut -d: -f1) -lt \
		$(grep -n '"synced"' "$mon" | tail -1 | cut -d: -f1) ]]
}

told()			# the backends that were told after the last loss, before the end of it
{
	awk '/"lost"/ { n = 0 } /"synced"/ { exit } { line[n++] = $0 }
		END { for (i = 0; i < n; i++) print line[i] }' "$mon" |
		jq -r 'select(.object == "backend") | "\(.event) \(.backend) \(.weight)"' | sort
}

ktap_plan 6
need_module
ns_add gw
must rlb service add web tcp "$vip4:80" slots 4096 settle 0%
ringlb -n "$gw" -j monitor >"$mon" 2>"$mon.err" </dev/null &
pid=$!
ktap_defer end "$pid"
must wait_for 30 grep -q '"listening"' "$mon"
must rlb backend add web 10.9.0.1
must wait_for 30 grep -q '"10.9.0.1"' "$mon"
ktap_is "monitor: nothing is lost while it keeps up" "$(grep -c lost "$mon")" 0

must kill -STOP "$pid"
for ((i = 0; i < 4000; i++)); do
	echo "backend add web 10.0.$((i / 250)).$((i % 250 + 1)) weight $((i % 5))"
done >"$tmp/f"
must rlb -b "$tmp/f"
must kill -CONT "$pid"
ktap_check "monitor: stopped while 4000 backends come, it says that notices were lost" \
	wait_for 60 grep -q '"lost"' "$mon"
ktap_check "monitor: and when it has told what there is" wait_for 60 synced
told >"$tmp/told"
rlb save | sed -n 's/^backend add web \([^ ]*\) weight \([0-9]*\) .*/is \1 \2/p' | sort >"$tmp/there"
ktap_check "monitor: that is every backend as it is, once" cmp "$tmp/told" "$tmp/there"
must rlb backend set web 10.9.0.1 weight 77
ktap_check "monitor: and it goes on with what changes next" \
	wait_for 30 grep -q '"event":"set".*"weight":77' "$mon"
ktap_is "monitor: without a word of error" "$(cat "$mon.err"; kill -0 "$pid" 2>&1)" ""
