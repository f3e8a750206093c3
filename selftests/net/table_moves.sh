#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_moves.sh - what a change moves in the table of the running kernel, slot by slot
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

backend()		# backend VERB SERVICE N [WORD]...: of an IPv4 service with port 8080
{
	must rlb backend "$1" "$2" "$(be_at 4 "$3" 8080)" "${@:4}"
}

table()			# table SERVICE NAME: the kernel's table to $tmp/NAME
{
	must rlbj table show "$1" >"$tmp/$2"
}

# The same configuration, computed by the tool alone.
offline()		# offline SERVICE NAME
{
	must rlb save >"$tmp/saved"
	must ringlb -f "$tmp/saved" -j table show "$1" >"$tmp/$2"
}

random_sets()		# kernel and tool on sets of backends that nobody chose
{
	local i j n name

	for ((i = 1; i <= $(scaled 6); i++)); do
		name=set$i
		n=$((RANDOM % 60 + 1))
		echo "service add $name tcp $vip4:$((1000 + i)) method ring" \
			"vnodes $((RANDOM % 300 + 1))"
		for ((j = 1; j <= n; j++)); do
			echo "backend add $name 10.$((RANDOM % 250)).$((RANDOM % 250)).$j:$((9000 + i))" \
				"weight $((RANDOM % 20))"
		done
	done | sort -t . -k 2 | sort -s -k 1,1r >"$tmp/sets"
	rlb -b "$tmp/sets" || return
	rlb save >"$tmp/saved" || return
	for ((i = 1; i <= $(scaled 6); i++)); do
		rlbj table show "set$i" >"$tmp/kernel" &&
			ringlb -f "$tmp/saved" -j table show "set$i" >"$tmp/tool" &&
			judge same "$tmp/kernel" "$tmp/tool" || return
	done
}

ktap_plan 17
need_module
zygote_start
ns_add gw

must rlb service add web tcp "$vip4:80" method ring
for n in 1 2 3 4; do
	backend add web "$n"
done
table web four
backend add web 5
table web five
ktap_check "moves: a fifth equal backend takes 15 to 25 % of the slots, all others stay" \
	judge moves "$tmp/four" "$tmp/five" only-to 5 share 15 25
backend del web 2
table web without
ktap_check "moves: removing one moves its slots and no other" \
	judge moves "$tmp/five" "$tmp/without" only-from 2 share 10 30
backend add web 2
table web again
ktap_check "moves: removed and added again: the table of before" \
	judge same "$tmp/five" "$tmp/again"
backend set web 3 weight 2
table web heavier
ktap_check "moves: a higher weight takes slots and moves no other" \
	judge moves "$tmp/five" "$tmp/heavier" toward 3 share 5 25
backend set web 3 weight 1
table web lighter
ktap_check "moves: a lower weight gives the same slots back" \
	judge same "$tmp/five" "$tmp/lighter"
backend set web 1 weight 0
table web zero
ktap_check "moves: weight 0 gives away all slots and moves no other" \
	judge moves "$tmp/five" "$tmp/zero" only-from 1
backend set web 1 weight 1

backend drain web 4
table web drained
ktap_check "moves: draining leaves the table as it is" judge same "$tmp/five" "$tmp/drained"
backend down web 4
table web down
ktap_check "moves: taking down leaves the table as it is" judge same "$tmp/five" "$tmp/down"
backend up web 4

offline web tool
ktap_check "moves: kernel and tool compute the same table" judge same "$tmp/five" "$tmp/tool"
ktap_is "moves: and the same digest" "$(rlbj table digest | jq -c 'map(.digest)')" \
	"$(ringlb -f "$tmp/saved" -j table digest | jq -c 'map(.digest)')"

must rlb secret set random
table web secret
ktap_check "moves: a change of the secret leaves the table as it is" \
	judge same "$tmp/five" "$tmp/secret"

# Another namespace, another order, several backends at once, and words between.
ns_add other
# shellcheck disable=SC2154 # ns_add sets it
{
	echo "service add elsewhere tcp $vip4:80 method ring key src"
	for n in 4 2 5 1 3; do
		echo "backend add elsewhere $(be_at 4 "$n" 8080) weight $n"
	done
	for n in 3 5 4 2; do
		echo "backend set elsewhere $(be_at 4 "$n" 8080) weight 1"
	done
} | must ringlb -n "$other" -b /dev/stdin
must ringlb -n "$other" -j table show elsewhere >"$tmp/elsewhere"
ktap_check "moves: order of arrival, history and name of the service do not matter" \
	judge same "$tmp/five" "$tmp/elsewhere"

must rlb service add six udp "[$vip6]:53" method ring vnodes 100
for n in 3 1 2; do
	must rlb backend add six "$(be_at 6 "$n")" weight "$n"
done
table six six
offline six six.tool
ktap_check "moves: kernel and tool compute the same table over IPv6, ports kept" \
	judge same "$tmp/six" "$tmp/six.tool"
ktap_check "moves: kernel and tool compute the same table for random sets" random_sets

must rlb flush
must rlb service add none tcp "$vip4:80" method ring
rlbj table show none >"$tmp/none"
ktap_is "moves: without backends no slot has an owner" \
	"$(jq -c '.[0].owners | unique' "$tmp/none")" "[null]"
backend add none 1
table none one
ktap_is "moves: a single backend owns every slot" \
	"$(jq -c '.[0].owners | unique' "$tmp/one")" '["10.0.2.11:8080"]'
ktap_is "moves: a table has 65536 slots, and says the method" \
	"$(jq -c '.[0] | [.service, .method, .slots, (.owners | length)]' "$tmp/one")" \
	'["none","ring",65536,65536]'
