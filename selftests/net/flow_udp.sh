#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_udp.sh - senders of datagrams: who keeps them when a backend drains, goes down, is removed
#
# A sender that never pauses must not be glued to a backend that is gone, nor be sent around for
# nothing. Each asks once a round; who answers, says so.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 400 100)

be()			# be COMMAND N [WORD...]: of service dns
{
	local service=${service:-dns} port=5353

	[[ $service == dns ]] || port=5354	# each service's backends are its own
	must rlb backend "$1" "$service" "$(be_at 4 "$2" $port)" "${@:3}"
}

senders()		# senders NAME PORT VIPPORT: n of them, with source ports from PORT on
{
	rounds "$1" cli udp "$vip4" "$3" --source "$cli4" --ports "$2-$(($2 + n - 1))" --timeout 2
}

leave()			# leave CLAIM NAME BEFORE AFTER N: 1 claim; all of beN, and nobody else
{
	round "$4" "$2"
	ktap_check "udp: $1" judge stay "$tmp/$2:$3" "$tmp/$2:$4" except "$5" gone "$5"
}

stay()			# stay CLAIM NAME BEFORE AFTER: 1 claim
{
	round "$4" "$2"
	ktap_check "udp: $1" judge back "$tmp/$2:$3" "$tmp/$2:$4"
}

names()			# names FILE:LABEL: who answered in a round
{
	jq -r --arg round "${1#*:}" 'select(.round == $round) | .name // .error' "${1%:*}" |
		sort -u | tr '\n' ' '
}

next_turn()		# next_turn: $turn, never the same
{
	echo >>"$tmp/turns"	# wait_for asks in a subshell
	turn=$(wc -l <"$tmp/turns")
}

shunned()		# shunned NAME N: in one round more, beN answers nobody
{
	next_turn
	round "turn$turn" "$1"
	! names "$tmp/$1:turn$turn" | grep -q "be$2"
}

newcomers_shun()	# newcomers_shun N: senders with ports that were never used
{
	local first

	next_turn
	first=$((50000 + 20 * turn))
	flows cli "$tmp/new$turn" udp "$vip4" 53 --source "$cli4" --ports "$first-$((first + 19))"
	! grep -q "\"be$1\"" "$tmp/new$turn"
}

moved_to()		# moved_to NAME BEFORE AFTER: where those are that are elsewhere now
{
	jq -rs --arg a "$2" --arg b "$3" '
		(map(select(.round == $a) | {(.src): .name}) | add) as $old | .[] |
		select(.round == $b and .name != $old[.src]) | .name // .error' "$tmp/$1" |
		sort -u | tr '\n' ' '
}

transitions()		# transitions SERVICE: slots
{
	rlbj service show "$1" | jq '.[0].transitions'
}

keeps_flows()		# a change of the service late leaves slots in transition
{
	next_turn
	rlb backend set late "$(be_at 4 1 5355)" weight $((turn % 2 + 1)) &&
		[[ $(transitions late) -gt 0 ]]
}

ktap_plan 19
farm 5
farm_servers 5 "$servers_log" 5353 5354
rounds early cli udp "$vip4" 53 --source "$cli4" --ports 20000-20009 --timeout 0.5
round without early
ktap_is "udp: without a service nobody answers" "$(names "$tmp/early:without")" "timeout "
must rlb service add dns udp "$vip4:53" slots 4096
for i in 1 2 3 4; do
	be add $i
done
ktap_is "udp: a service without senders, filled one by one: no slot is in transition" \
	"$(transitions dns)" 0
must rlb service add late udp "$vip4:99" slots 4096 timeout 1
must rlb backend add late "$(be_at 4 1 5355)" "$(be_at 4 2 5355)"
ktap_is "udp: a service without senders, just added: no slot is in transition" \
	"$(transitions late)" 0
ktap_check "udp: after its timeout it may be another gateway's standby: slots are in transition" \
	wait_for 30 keeps_flows
must rlb service del late
round with early
ktap_is "udp: senders that were there before the service are answered" \
	"$(names "$tmp/early:with" | grep -c timeout)" 0
forget
senders udp 30000 53
round first udp
rlbj table show dns >"$tmp/table"
ktap_check "udp: they are spread over all backends at once" judge fair "$servers_log" "$tmp/table"

be down 1
leave "those of one that is down leave it at once" udp first down 1
be up 1
stay "up again: those that have left it stay away" udp down up
be del 2
leave "those of one that is removed leave it at once" udp up removed 2
be add 2
stay "added again: those that have left it stay away" udp removed again
be drain 3
stay "those of one that drains stay" udp again drained
must rlb service set dns drain-timeout 1
ktap_check "udp: until its hard end" wait_for 30 shunned udp 3
leave "nobody else has moved" udp drained ended 3
be up 3

must rlb service set dns drain-timeout 900 udp-drain rehash
be drain 4
leave "rehash: those of one that drains leave it at once" udp ended rehashed 4
be up 4
must rlb service set dns udp-drain keep timeout 1
be drain 1
ktap_check "udp: a while after it began to drain, it gets no new senders" \
	wait_for 30 newcomers_shun 1

# Without a cap on shares no slot moves later for balance alone, with what is not tracked.
must rlb service add bare udp "$vip4:54" slots 4096 slack none track none
for i in 1 2 3 4; do
	service=bare be add $i
done
senders none 40000 54
round first none
service=bare be add 5
round added none
ktap_is "udp: not tracked: some move to a new backend at once, and nowhere else" \
	"$(moved_to none first added)" "be5 "
service=bare be drain 2
leave "not tracked: those of one that drains leave it at once" none added drained 2
service=bare be up 2
round up none
ktap_is "udp: not tracked: up again, they are back" "$(moved_to none added up)" ""
ktap_is "udp: not tracked: none is remembered" "$(rlbj flow show bare)" "[]"
