#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# unload_traffic.sh - the module goes at any moment: under traffic, changes and with services there
# timeout: 300
# cpus: 2
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

answered()		# a flow through each VIP
{
	rm -f "$tmp/probe"
	flows cli "$tmp/probe" udp "$vip4" 53 --timeout 2
	flows cli "$tmp/probe" udp "$vip6" 53 --timeout 2
	flows cli "$tmp/probe" tcp "$vip4" 80 --timeout 2
	flows cli "$tmp/probe" tcp "$vip6" 80 --timeout 2
	judge answered "$tmp/probe" 4
}

changes()		# configuration that changes all the time, module or not
{
	while :; do
		rlb backend set dns4 10.0.2.11:5353 weight $((RANDOM % 9 + 1))
		rlb backend drain dns6 "[fd00:2::12]:5353"
		rlb -j table show web4
		rlb backend up dns6 "[fd00:2::12]:5353"
	done >/dev/null 2>&1
}

rounds_of()		# rounds_of N: out and in again under traffic
{
	local i

	for ((i = 1; i <= $1; i++)); do
		wait_for 20 unloaded || return
		load || return
		rlb -b "$tmp/config" || return
		if ((i % 3 == 0)); then
			wait_for 20 answered || return
		fi
	done
}

ktap_plan 8
need_ko
bed 2
servers 8080 5353
service dns4 udp 4 53 5353
service dns6 udp 6 53 5353
service web4 tcp 4 80 8080
service web6 tcp 6 80 8080
must rlb save secret >"$tmp/config"
ktap_check "unload: before it, flows are answered" answered

ktap_check "unload: at rest, with services configured" unloaded
forget
flows cli "$tmp/without" udp "$vip4" 53 --timeout 0.5 --ports 20000-20009
ktap_is "unload: without the module no packet reaches a backend" "$(wc -l <"$servers_log")" 0
must load
ktap_is "unload: loaded again, no service is left" "$(rlbj service show)" "[]"
must rlb -b "$tmp/config"

background ready "$selftests/net/flood.py" --netns "$cli" "$vip4:53" "[$vip6]:53" "$vip4:80" \
	"[$vip6]:80"
must ip -n "$gw" route add "$vip4/32" dev cli
background ready "$selftests/net/flood.py" --netns "$gw" --sockets 4 "$vip4:53" "$vip4:80"
ktap_check "unload: $(scaled 12) rounds under traffic" rounds_of "$(scaled 12)"

changes &
changes_pid=$!
ktap_defer end "$changes_pid"
ktap_check "unload: $(scaled 6) rounds under traffic and changes" rounds_of "$(scaled 6)"
end "$changes_pid"

# Packets that ringlb has rewritten wait in a queue while the module goes.
must in_ns "$gw" tc qdisc add dev be1 root netem delay 500ms
must in_ns "$gw" tc qdisc add dev cli root netem delay 500ms
ktap_check "unload: $(scaled 6) rounds with packets in queues" rounds_of "$(scaled 6)"
must in_ns "$gw" tc qdisc del dev be1 root
must in_ns "$gw" tc qdisc del dev cli root
must rlb flush
must rlb -b "$tmp/config"
ktap_check "unload: after all that, flows are answered" wait_for 20 answered
