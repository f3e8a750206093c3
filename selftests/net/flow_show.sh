#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_show.sh - flows that are remembered are shown, counted, bounded and forgotten
#
# What is shown is held against what clients were answered by.
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 400 60)

shown()			# shown [SERVICE [ADDR]]: how many
{
	rlbj flow show "$@" | jq length
}

stat()			# stat KEY
{
	rlbj flow stats | jq ".$1"
}

is()			# is COMMAND WORD VALUE
{
	[[ $("$1" "$2") == "$3" ]]
}

held()			# held: what backends say that they have, in sum
{
	rlbj backend show | jq '[.[].flows] | add'
}

# Each flow as its client knows it: client and who answers.
as_told()		# as_told ROUND
{
	jq -r 'select(.round == "'"$1"'") | "\(.src) \(.name)"' "$tmp/tcp" "$tmp/udp" | sort
}

as_shown()
{
	rlbj flow show | jq -r '.[] | "\(.client) be\(.backend |
		capture("1(?<n>[0-9])[]]?:[0-9]+$").n)"' | sort
}

# Each remembered flow is one that was answered, and by whom it is shown with.
is_true()		# is_true ROUND
{
	as_told "$1" >"$tmp/told"
	as_shown >"$tmp/shown"
	[[ -s $tmp/shown && -z $(comm -13 "$tmp/told" "$tmp/shown" | tee "$tmp/untrue") ]] ||
		{ head -n 5 "$tmp/untrue"; false; }
}

ktap_plan 25
open_flows "$n"
ktap_is "flows: at rest none is remembered" "$(shown) $(stat flows) $(held) $(stat added)" "0 0 0 0"

must rlb backend add web "$(be_at 4 5 8080)"
must rlb backend add dns "$(be_at 6 5 5353)"
round second tcp udp
ktap_check "flows: those that a change would have moved are shown with their backends" is_true second
all=$(shown)
ktap_check "flows: they are a part of all" test "$all" -gt $((n / 6)) -a "$all" -lt $((n * 3 / 4))
ktap_is "flows: as many as the table has, and as backends have" \
	"$(stat flows) $(held) $(stat added)" "$all $all $all"
ktap_is "flows: by service" $(($(shown web) + $(shown dns))) "$all"
sum=0
for i in 1 2 3 4 5; do
	sum=$((sum + $(shown web "$(be_at 4 $i 8080)")))
done
ktap_is "flows: by backend" "$sum" "$(shown web)"
ktap_is "flows: states" "$(rlbj flow show | jq -c '[.[] | .protocol + " " + .state] | unique')" \
	'["tcp established","udp datagrams"]'
ktap_is "flows: they are forgotten when silent for the service's timeout" \
	"$(rlbj flow show web | jq '[.[].left] | min > 840 and max <= 900')" true
ktap_is "flows: a line each as text" "$(rlb flow show web | grep -c ' established left ')" \
	"$(shown web)"
flow=$(rlbj flow show web | jq -c '.[0]')
ktap_is "lookup: tells that a flow is remembered" \
	"$(rlbj lookup tcp "$(jq -r .client <<<"$flow")" "$vip4:80" | jq -c '[.pin, .backend] | unique')" \
	"$(jq -c '[.backend]' <<<"$flow")"
ktap_is "lookup: and says so" \
	"$(rlb lookup tcp "$(jq -r .client <<<"$flow")" "$vip4:80" | grep -c 'why .*the flow is remembered, and stays with')" 1
old=$(rlbj lookup tcp "$(jq -r .client <<<"$flow")" "$vip4:80" | jq -r .old_owner)
ktap_is "lookup: tells who had the slot" "$old" "$(jq -r .backend <<<"$flow")"

must rlb flow flush web
ktap_is "flush: of a service: none of it is left" "$(shown web)" 0
ktap_is "flush: and all of the other" "$(shown dns) $(stat flows)" "$((all - $(stat removed))) $(shown dns)"
round third tcp udp
ktap_check "flush: their slots are in transition: nobody is moved" \
	judge stay "$tmp/tcp:second" "$tmp/tcp:third"
ktap_check "flush: and they are remembered again" is_true third
ktap_check "flush: of a backend" rlb flow flush web "$(be_at 4 1 8080)"
ktap_is "flush: its flows alone" "$(shown web "$(be_at 4 1 8080)") $(held)" "0 $(stat flows)"

out=$(rlb flow set limit 1023 2>&1)
ktap_is "limit: too low: refused" "$? $out" '1 ringlb: limit "1023": expected 1024 to 67108864'
ktap_is "limit: at first it is nobody's choice" "$(rlb save | grep -c '^flow')" 0
must rlb flow set limit 2048
ktap_is "limit: what is set is shown" "$(stat limit)" 2048
ktap_is "limit: and saved" "$(rlb save | grep '^flow')" "flow set limit 2048"
web=$(shown web)
must rlb service del dns
ktap_is "a service removed: its flows are not shown" "$(shown)" "$web"
ktap_check "a service removed: its flows are forgotten" wait_for 20 is stat flows "$web"
must rlb flow flush
ktap_is "flush: of all" "$(shown) $(stat flows) $(held)" "0 0 0"
