#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_drain.sh - a draining backend keeps its flows until they end or its time is over; one
# that leaves is removed then; the tool tells how far it is, and waits
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 100 40)
idle=$((6 * ${RINGLB_PATIENCE:-1}))

of()			# of N KEY: of a backend of web
{
	rlbj backend show web "$(be_at 4 "$1" 8080)" | jq ".[0].$2"
}

is()			# is N KEY VALUE
{
	[[ $(of "$1" "$2") == "$3" ]]
}

no_backend()		# no_backend SERVICE ADDR
{
	! rlb backend show "$@" >/dev/null 2>&1
}

# Connections go on, so that none counts as ended.
talk_until()		# talk_until N KEY VALUE
{
	local left=$((idle * 20))

	until is "$@"; do
		((left--)) || return
		round talk tcp
	done
}

has_flows()		# has_flows N NAME ROUND: as many as clients have with it
{
	is "$1" flows "$(jq -r "select(.round == \"$3\" and .name == \"be$1\").src" "$tmp/$2" | wc -l)"
}

ktap_plan 22
open_flows "$n"
generation=$(rlbj service show web | jq '.[0].generation')

must rlb backend drain web "$(be_at 4 1 8080)"
ktap_is "drain: its time is told" "$(of 1 'drain_left > 880')" true
round drain tcp
ktap_check "drain: connections stay" judge stay "$tmp/tcp:first" "$tmp/tcp:drain"
ktap_check "drain: its flows are those that it has" has_flows 1 tcp drain
flows cli "$tmp/new" tcp "$vip4" 80 --ports "30000-$((29999 + n))"
ktap_check "drain: new connections are answered" judge answered "$tmp/new" "$n"
ktap_is "drain: none by it" "$(grep -c be1 "$tmp/new")" 0
ktap_refuse "wait: flows are left when the time is over" 2 \
	'wait: 1 seconds are over, and flows are left: they keep draining' \
	rlb backend drain web "$(be_at 4 1 8080)" wait 1
ktap_is "wait: and nothing else has changed" "$(of 1 state)" '"drain"'
must rlb backend up web "$(be_at 4 1 8080)"
ktap_is "up: nothing is told of a drain" "$(of 1 drain_left)" null
round up tcp
ktap_check "up: connections stay" judge stay "$tmp/tcp:drain" "$tmp/tcp:up"

# Its end comes while connections of the other service, below, are seen to the end.
round before udp
must rlb service set dns drain-timeout "$idle"
must rlb backend del dns "$(be_at 6 3 5353)" drain
round kept udp
ktap_check "hard end: UDP stays before it" judge stay "$tmp/udp:before" "$tmp/udp:kept"

must rlb service set web timeout "$idle"
must rlb backend del web "$(be_at 4 2 8080)" drain
ktap_is "leave: it is shown" "$(of 2 state)" '"leave"'
ktap_is "leave: no table is built for it" \
	"$(rlbj service show web | jq '.[0].generation')" "$generation"
round leave tcp
ktap_check "leave: connections stay" judge stay "$tmp/tcp:up" "$tmp/tcp:leave"
ktap_check "leave: in time all that it has is known" talk_until 2 unseen_left 0
round still tcp
ktap_check "leave: with flows it stays" judge stay "$tmp/tcp:leave" "$tmp/tcp:still"
ktap_is "leave: and is there" "$(of 2 state)" '"leave"'
hush tcp
ktap_check "wait: until connections have ended" rlb backend del web "$(be_at 4 2 8080)" drain wait 60
ktap_check "leave: then it is gone" no_backend web "$(be_at 4 2 8080)"
ktap_is "leave: by one change" \
	"$(rlbj service show web | jq '.[0].generation')" "$((generation + 1))"

ktap_check "hard end: after it the backend is gone, flows or not" wait_for $((idle * 5)) \
	no_backend dns "$(be_at 6 3 5353)"
round after udp
ktap_check "hard end: its flows are elsewhere, others stay" \
	judge stay "$tmp/udp:kept" "$tmp/udp:after" except 3 gone 3
ktap_is "hard end: save tells a leaving one as such" \
	"$(rlb backend del dns "$(be_at 6 4 5353)" drain; rlb save | grep -c 'state leave$')" 1
