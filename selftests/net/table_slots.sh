#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_slots.sh - method slots in the running kernel: the table is the operator's map
# timeout: 120
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n_flows=$(scaled 200 50)
slots=4096

map()			# map FILE SEED N...: slots to these backends, in lines of any order
{
	must "$selftests/net/table_slots.py" map "$1" $slots "${@:2}"
}

come()			# come LOG PORTS: connections, and where they came
{
	forget
	flows cli answers tcp "$vip4" 80 --source "$cli4" --ports "$2"
	cp "$servers_log" "$1"
}

table()			# table FILE: of the kernel; and what changes it took
{
	must rlbj table show web >"$1"
	rlbj service show web | jq -c '.[0] | [.generation, .pending]' >"$1.facts"
}

backend()		# backend N
{
	be_at 4 "$1" 8080
}

refused()		# refused CLAIM TEXT WORD...
{
	ktap_is "slots: $1" "$(rlb "${@:3}" 2>&1)" "ringlb: $3 $4: $2"
}

ktap_plan 17
farm 4
farm_servers 4 "$servers_log" 8080
cd "$tmp" || exit
must rlb service add web tcp "$vip4:80" slots $slots
must rlb backend add web "$(backend 1)" "$(backend 2)" "$(backend 3)"
map one 1 1 2 3
map two 2 1 3 4

table before
must rlbj plan web service set method slots map one >one.plan
must rlb service set web method slots map one
table one.table
come one.log "20000-$((19999 + n_flows))"

busy="map gives slots to a backend that would go or have no weight: give another map first, or in one change"
refused "a backend that owns slots is not removed" "$busy" backend del web "$(backend 2)"
refused "nor does it lose its weight" "$busy" backend set web "$(backend 1)" weight 0
refused "another number of slots needs a map" "another number of slots needs a map of them" \
	service set web slots 8192
sed 's/ .*/ 10.0.2.14:8080/' one >strange
line=$(grep -n -E '^0(-| )' strange | cut -d: -f1)
last=$(sed -n "${line}s/^0-*\([0-9]*\) .*/\1/p" strange)
refused "a backend that is not there is told with the line" \
	"strange:$line: slots 0 to ${last:-0} are given to 10.0.2.14:8080, which is no backend of the service" \
	service set web map strange
table still
ktap_check "slots: of all this nothing has changed" cmp one.table still

must rlbj plan web backend add "$(backend 4)" backend del "$(backend 2)" \
	service set map two >two.plan
must rlb -b - <<-END
	backend add web $(backend 4)
	service set web map two
	backend del web $(backend 2)
END
table two.table
come two.log "40000-$((39999 + n_flows))"

must rlb save secret >saved
must rlb table map web >three
ns_add other
# shellcheck disable=SC2154 # ns_add sets it
must ringlb -n "$other" -b saved
must ringlb -n "$other" save secret >again
must ringlb -n "$other" -j table show web >other.table
must ringlb -f saved -j table show web >file.table
ktap_check "slots: what is saved makes the same, and is saved as the same" cmp saved again
ktap_is "slots: tool and other gateways have the same table from it" \
	"$(jq -c '.[0] | [.slots, .digest, .owners]' two.table other.table file.table | uniq | wc -l)" 1

# Slots of flows are asked now, because their number changes.
in_ns "$gw" "$selftests/net/table_slots.py" judge map:one:one.table plan:one.plan:before:one.table \
	astray:one.table:one.log map:two:two.table plan:two.plan:one.table:two.table \
	astray:two.table:two.log map:three:two.table >judged
# As many ranges as slots, in many messages
seq 0 16383 | sed 's/[02468]$/& 10.0.2.11:8080/; t; s/$/ 10.0.2.13:8080/' >long
must rlb service set web slots 16384 map long
table long.table
"$selftests/net/table_slots.py" judge map:long:long.table >>judged

judged()		# judged CLAIM EXPECTED [FACTS]: the next line of it, and what was told
{
	local line

	read -r line <&3
	ktap_is "slots: $1" "$line${3:+ $(cat "$3")}" "$2"
}

exec 3<judged
judged "every slot is the backend's that the map names, in one change, at once" \
	"0 $slots [3,0]" one.table.facts
judged "a plan says what moves, slot by slot" "same 0 0 0"
judged "connections come to the owners of their slots" "0 $n_flows"
judged "a new map, a new backend and one that goes are one change" \
	"0 $slots [4,0]" two.table.facts
judged "the plan of it says what moves, slot by slot" "same 0 0 0"
judged "connections come to the new owners" "0 $n_flows"
judged "table map prints a map of the table" "0 $slots"
judged "a map that takes many messages is one change" "0 16384 [5,0]" long.table.facts
must rlb service set web method rendezvous settle 0%
ktap_is "slots: another method moves nothing at once" "$(rlbj service show web |
	jq -c '.[0] | [.method, .pending > 0]')" '["rendezvous",true]'
must rlbj table show web >last.table
ktap_is "slots: so that the table is the map still" \
	"$(jq -c '.[0].owners' last.table long.table | uniq | wc -l)" 1
