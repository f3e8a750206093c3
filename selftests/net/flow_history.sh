#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_history.sh - each change is in the ledger: what it moved, and what became of flows
#
# Slots are held against dumps of the table, flows against what clients saw.
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 200 60)

last()			# last FILTER: of the latest entry of web
{
	rlbj history web | jq -c ".[-1] | $1"
}

owners()
{
	rlbj table show web | jq -r '.[0].owners[]'
}

# Entries, after a change: event, generation, slots that moved as dumps tell
told()			# told CLAIM EVENT BEFORE
{
	owners >"$tmp/after"
	ktap_is "history: $1" "$(last '[.change, .generation, .moved]')" \
		"[\"$2\",$(rlbj service show web | jq '.[0].generation'),$(
			paste "$3" "$tmp/after" | awk '$1 != $2' | wc -l)]"
	mv "$tmp/after" "$3"
}

settled()
{
	[[ $(last .change) == '"settled"' ]]
}

ktap_plan 15
open_flows "$n"
must rlb service set web settle 0%
owners >"$tmp/slots"
entries=$(rlbj history | jq length)
must rlb backend add web "$(be_at 4 5 8080)"
told "a backend added" backends "$tmp/slots"
ktap_is "history: one entry for one change" "$(rlbj history | jq length)" "$((entries + 1))"
round second tcp
ktap_is "history: flows that were remembered because of it" "$(last .pinned)" \
	"$(rlbj flow stats | jq .added)"
ktap_is "history: none was lost" "$(last .lost)" 0
before=$(last .pinned)
must rlb backend down web "$(be_at 4 1 8080)"
told "one taken down moves no slot" backends "$tmp/slots"
round third tcp
ktap_is "history: what it had is lost" "$(last .lost)" \
	"$(jq -r 'select(.round == "second" and .name == "be1").src' "$tmp/tcp" | wc -l)"
ktap_is "history: the entry before keeps what it had" "$(rlbj history web | jq '.[-2].pinned')" "$before"
must rlb service set web timeout 1 drain-timeout 1 method maglev
told "another method moves nothing at once" service-set "$tmp/slots"
must rlb service set web settle 100%
ktap_check "history: settling that was stopped goes on, and ends" wait_for 30 settled
told "what has followed" settled "$tmp/slots"
must rlb service set web slots 4096
ktap_is "history: another number of slots moves all" "$(last '[.change, .slots, .moved]')" \
	'["service-set",4096,4096]'
must rlb service del web
ktap_is "history: a service that is gone is told" "$(last .change)" '"service-del"'
ktap_is "history: numbers have no gaps" \
	"$(rlbj history | jq -c '[.[].number] == [range(1; length + 1)]')" true
must rlb service add many udp "$vip4:99"
ktap_is "history: a service that is new is told" \
	"$(rlbj history many | jq -c '[.[] | .change, .generation]')" '["service-add",1]'
for i in $(seq 600); do
	echo "service set many settle $((i % 2 + 1))%"
done | must rlb -b /dev/stdin
ktap_is "history: the last 512 are kept" \
	"$(rlbj history | jq -c '[length, .[-1].number - .[0].number]')" "[512,511]"
