#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_pins.sh - established flows stay where they are, whatever changes elsewhere
#
# Flows that stay open ask once after each change; who answers, says so.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 100 60)

backend()		# backend WORD...: of both services; N stands for a backend
{
	must rlb backend "$1" web "$(be_at 4 "$2" 8080)" "${@:3}"
	must rlb backend "$1" dns "$(be_at 6 "$2" 5353)" "${@:3}"
}

kept()			# kept WORDS BEFORE AFTER [WORD...]: 2 claims
{
	round "$3" tcp udp
	ktap_check "pins: $1: connections over IPv4 stay" \
		judge stay "$tmp/tcp:$2" "$tmp/tcp:$3" "${@:4}"
	ktap_check "pins: $1: UDP over IPv6 stays" \
		judge stay "$tmp/udp:$2" "$tmp/udp:$3" "${@:4}"
}

transitions()		# transitions SERVICE: slots
{
	rlbj service show "$1" | jq '.[0].transitions'
}

ktap_plan 21
open_flows "$n"
ktap_is "pins: at rest no slot is in transition" "$(transitions web) $(transitions dns)" "0 0"

backend add 5
kept "a fifth backend" first five
ktap_check "pins: slots are in transition" test "$(transitions web)" -gt 6000
kept "once more" five again
flows cli "$tmp/new" tcp "$vip4" 80 --ports "30000-$((29999 + n))"
ktap_check "pins: new connections are answered" judge answered "$tmp/new" "$n"
ktap_check "pins: the fifth gets some of them" grep -q be5 "$tmp/new"
backend set 2 weight 3
kept "a weight raised" again raised
backend set 2 weight 1
kept "a weight lowered" raised lowered
backend drain 3
kept "one draining" lowered drained
backend up 3
kept "up again" drained up
backend down 4
kept "another one down" up down except 4
backend up 4
round upagain udp
ktap_check "pins: up again: UDP that has left it stays" judge back "$tmp/udp:down" "$tmp/udp:upagain"
backend del 1
round removed udp
ktap_check "pins: one removed: UDP leaves it at once" \
	judge stay "$tmp/udp:upagain" "$tmp/udp:removed" except 1 gone 1
backend add 1
round back udp
ktap_check "pins: added again: UDP that has left it stays" \
	judge back "$tmp/udp:removed" "$tmp/udp:back"
