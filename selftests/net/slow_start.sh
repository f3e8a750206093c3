#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# slow_start.sh - one that comes takes its flows little by little, and no flow breaks by it
#
# The hash key is a given one: of the flows here, none is among the first that such a backend
# takes, so that what it gets in its first hour does not depend on how fast the machine is.
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 100 25)
declare -A port=([web]=8080 [ntp]=1123 [dns]=5353) family=([web]=4 [ntp]=4 [dns]=6)
services="web ntp dns"

at_of()			# at_of SERVICE N: beN as a backend of it
{
	be_at "${family[$1]}" "$2" "${port[$1]}"
}

change()		# change "N..." COMMAND [WORD...]: these backends, of all services
{
	local s be where

	for s in $services; do
		where=''
		for be in $1; do
			where+=" $(at_of "$s" "$be")"
		done
		echo "backend $2 $s$where ${*:3}"
	done | must rlb -b /dev/stdin
}

third()			# third COMMAND [WORD...]: be3, of all services
{
	change 3 "$@"
}

facts()			# facts JQ: of be3, of all services
{
	rlbj backend show |
		jq -c ".[] | select(.backend | test(\"10.0.2.13|fd00:2::13\")) | $1" | sort -u
}

starting()		# does be3 of some service take a share only?
{
	facts 'has("accepts") or has("slow_start_left")' | grep -q true
}

told_whole()		# notices since line $1 say of each service that be3 takes all
{
	tail -n "+$1" "$monitor" |
		jq -e -s 'map(select(.event == "set" and .slow_start == 3 and
			(has("accepts") or has("slow_start_left") | not)) | .service) | unique |
			length == 3'
}

ktap_plan 17
bed 3
servers 8080 1123 5353
must rlb secret set 00112233445566778899aabbccdd0067
service web tcp 4 80 8080
service ntp udp 4 123 1123
service dns udp 6 53 5353
must rlb service set dns track none
third set slow-start 86400
third down
change "1 2" down
third up
ktap_is "slow: one that comes where nobody is up takes all" \
	"$(facts 'has("accepts") or has("slow_start_left")')" false
change "1 2" up
rounds dns cli udp "$vip6" 53 --source "$cli6" --ports "20000-$((19999 + n))"
round whole dns
third down
round without dns
background listening ringlb -n "$gw" -j monitor
monitor=$background_out

third set slow-start 86400 state up
ktap_is "slow: one that comes up takes a share, which rises for so long" "$(facts \
	'.slow_start == 86400 and .slow_start_left > 80000 and .accepts > 0 and .accepts < 5')" true
ktap_is "slow: save says so" "$(rlb save | grep -c '10.0.2.13:.* state up slow-start 86400$')" 2
forget
rounds tcp cli tcp "$vip4" 80 --source "$cli4" --ports "20000-$((19999 + n))"
rounds udp cli udp "$vip4" 123 --source "$cli4" --ports "20000-$((19999 + n))"
round start tcp udp dns
ktap_check "slow: new connections are all answered" judge answered "$tmp/tcp:start" "$n"
ktap_check "slow: so is UDP" judge answered "$tmp/udp:start" "$n"
ktap_is "slow: the first are not for one that has just come up" \
	"$(grep -c '"be3"' "$servers_log")" 0
ktap_check "slow: they are where they are without it" judge back "$tmp/dns:without" "$tmp/dns:start"

third down
from=$(($(wc -l <"$monitor") + 1))
third set slow-start 3 state up
labels=(start)
while starting || ((${#labels[@]} < 3)); do
	labels+=("rise${#labels[@]}")
	round "${labels[-1]}" tcp udp dns
done
ktap_check "slow: notices tell when it takes all" wait_for 30 told_whole "$from"
labels+=(risen)
round risen tcp udp dns
ktap_check "slow: while the share rises, connections stay" judge course "$tmp/tcp" - "${labels[@]}"
ktap_check "slow: UDP stays" judge course "$tmp/udp" - "${labels[@]}"
ktap_check "slow: UDP of which nothing is remembered goes to it, and never back" \
	judge course "$tmp/dns" 3 "${labels[@]}"
ktap_check "slow: in the end it has all of its flows" judge back "$tmp/dns:whole" "$tmp/dns:risen"
forget
flows cli "$tmp/new" tcp "$vip4" 80 --source "$cli4" --ports "30000-$((29999 + n))"
ktap_check "slow: new connections are where lookup says" \
	judge lookup "$servers_log" "$vip4:80" "$n" ringlb -n "$gw"

third down
third set slow-start 86400 state up
starting || ktap_note "it does not start"
third set slow-start none
ktap_is "slow: none ends it" "$(facts 'has("slow_start") or has("accepts")')" false

third del
third add slow-start 86400
forget
flows cli "$tmp/added" tcp "$vip4" 80 --source "$cli4" --ports "40000-$((39999 + n))"
ktap_check "slow: with one added, new connections are all answered" \
	judge answered "$tmp/added" "$n"
ktap_is "slow: the first are not for one that has just been added" \
	"$(grep -c '"be3"' "$servers_log")" 0
round added tcp
ktap_check "slow: one added moves no connection" judge back "$tmp/tcp:risen" "$tmp/tcp:added"
