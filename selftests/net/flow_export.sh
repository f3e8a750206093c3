#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_export.sh - flows for another gateway: all of them, whole, as they change, in little memory
#
# The other gateway sees no packet: what it remembers, it was told. It has the same configuration.
# timeout: 180
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 200 40) many=$(scaled 20000 4000)

both()			# both WORD...: a change in both gateways, in the other one first
{
	must rlb2 "$@"
	must rlb "$@"
}

flows_of()		# flows_of FILE: in a stream, each with its backend; without those that end
{
	awk '$1 == "is" && !/fin-|rst/ { print $2, $3, $4, $5 }' "$1" | sort
}

same()			# do both gateways remember the same flows?
{
	rlb flow export >"$tmp/one" && rlb2 flow export >"$tmp/two" || return
	flows_of "$tmp/one" >"$tmp/one.flows"
	[[ -s $tmp/one.flows ]] && flows_of "$tmp/two" | diff "$tmp/one.flows" -
}

stat2()			# stat2 KEY: of the other gateway's table
{
	rlb2 -j flow stats | jq ".$1"
}

a_line()		# all in one line
{
	tr -s '\n ' ' ' | sed 's/ $//'
}

import()		# import LINE...: after the header; its exit status, and what it says
{
	local status

	printf '%s\n' "ringlb flows 1" "$@" | rlb2 flow import "${import_how[@]}" >"$tmp/out" 2>&1
	status=$?
	echo "$status $(a_line <"$tmp/out")"
}

import_how=()
took='full 0 forgotten 0 refused 0'

is()			# is PORT BACKEND: a line about a flow of web
{
	echo "is web tcp 198.51.100.7:$1 $2 heard begin,answer,both seq 7 ack 8 left 600"
}

at2()			# at2 PORT: with whom the other gateway remembers it
{
	rlb2 -j flow show web | jq -r --arg c "198.51.100.7:$1" '.[] | select(.client == $c).backend'
}

thrifty()		# thrifty COMMAND...: with 1 MiB of memory beside its code
{
	(ulimit -d 1024 && exec "$@")
}

make_flows()		# make_flows N NETWORK: a stream of flows of web
{
	awk -v n="$1" -v network="$2" -v one="$one" -v two="$two" 'BEGIN {
		print "ringlb flows 1"
		for (i = 0; i < n; i++)
			printf "is web tcp %s.%d:%d %s heard begin,answer,both seq %d ack %d left 900\n",
				network, i / 50000, 1 + i % 50000, i % 2 ? one : two, i, i + 1
		print "synced " n
	}'
}

midway()		# midway FILE: one export, during which these flows come
{
	local fd line

	exec {fd}< <(rlb2 flow export web)
	read -r line <&"$fd"
	rlb2 flow import "$1" >"$tmp/out"
	cat <&"$fd"
	exec {fd}<&-
}

is_synced()		# is_synced FILE: some were lost, and all flows have followed since
{
	local lost

	lost=$(grep -n '^lost' "$1" | tail -n 1) && tail -n "+${lost%%:*}" "$1" | grep -q '^synced'
}

ktap_plan 30
open_flows "$n"
must rlb backend add web "$(be_at 4 5 8080)"
must rlb backend add dns "$(be_at 6 5 5353)"
ns_add gw2
rlb save secret >"$tmp/conf"
must rlb2 -b "$tmp/conf"
round second tcp udp
one=$(be_at 4 1 8080) two=$(be_at 4 2 8080)

must rlb flow export >"$tmp/all"
all=$(rlbj flow show | jq length)
ktap_is "export: each flow that is remembered, once" "$(flows_of "$tmp/all" | md5sum)" \
	"$(rlbj flow show | jq -r '.[] | "\(.service) \(.protocol) \(.client) \(.backend)"' | sort |
		md5sum)"
ktap_is "export: how many they are" "$(tail -n 1 "$tmp/all")" "synced $all"
ktap_is "export: services that have had packets" "$(grep ^service "$tmp/all" | sort | a_line)" \
	"service dns service web"
must rlb flow export web >"$tmp/web"
ktap_is "export: of one service, its flows alone" "$(flows_of "$tmp/web" | md5sum)" \
	"$(flows_of "$tmp/all" | grep '^web' | md5sum)"

ktap_is "import: takes them all" "$(rlb2 flow import "$tmp/all" | a_line)" "taken $all kept 0 $took"
must rlb2 flow export >"$tmp/again"
ktap_is "import: exported again they are as they were, numbers and all" \
	"$(grep ^is "$tmp/again" | sed 's/ left.*//' | sort | md5sum)" \
	"$(grep ^is "$tmp/all" | sed 's/ left.*//' | sort | md5sum)"
ktap_is "import: none lasts longer than where it came from" \
	"$(awk '$1 == "is" { if (NR == FNR) left[$4] = $NF; else n += $NF > left[$4] }
		END { print n + 0 }' "$tmp/all" "$tmp/again")" 0
transitions=$(rlb2 -j service show web | jq '.[0].transitions')
must rlb2 backend set web "$one" weight 2
ktap_is "import: a gateway that has seen no packet knows that there are flows: a change keeps them" \
	"$transitions $(rlb2 -j service show web | jq '.[0].transitions > 0')" "0 true"
must rlb2 backend set web "$one" weight 1
must rlb2 flow flush

ktap_is "import: what is no stream" "$(rlb2 flow import 2>&1 <<<x | a_line)" \
	'ringlb: stdin:1: header "x": expected "ringlb flows 1"; flows taken before: 0 taken 0 kept 0 full 0 forgotten 0 refused 0'
ktap_is "import: a bad line is named, those before it are taken" \
	"$(import "$(is 1 "$one")" "$(is 2 10.0.2)" "$(is 3 "$one")")" \
	"1 ringlb: stdin:3: backend \"10.0.2\": expected ADDR or ADDR:PORT, as 10.0.0.11, 10.0.0.11:80, fd00::11 or [fd00::11]:80; flows taken before: 1 taken 1 kept 0 $took"
ktap_is "import: a stream that was cut off" "$(import "$(is 1 "$one")" | sed 's/ taken.*//')" \
	"2 ringlb: stdin: expected synced COUNT in the end: the stream was cut off"
ktap_is "import: flows that are missing" "$(import "$(is 1 "$one")" 'synced 2' | sed 's/;.*//')" \
	'1 ringlb: stdin:3: number of flows "2": expected how many is lines there were: some are missing'
ktap_is "import: what is refused is named and left out, the others are taken" \
	"$(import "$(is 4 "$one")" "$(is 5 10.0.2.77:80)" "$(is 6 "$one" | sed 's/web/wob/')" \
		"$(is 7 "$one" | sed 's/begin/begin,answer/; s/answer,answer/answer/; s/tcp/udp/')" \
		"$(is 8 "$one")" 'synced 5')" \
	"2 ringlb: stdin:3: flow of web from 198.51.100.7:5: service has no such backend ringlb: stdin:4: flow of wob from 198.51.100.7:6: no such service ringlb: stdin:5: flow of web from 198.51.100.7:7: flow is not of the protocol and address family of its service taken 2 kept 0 full 0 forgotten 0 refused 3"
ktap_is "import: what is remembered with another backend stays" \
	"$(import "$(is 8 "$two")" 'synced 1') $(at2 8)" "0 taken 0 kept 1 $took $one"
ktap_is "import: unless that has changed since" \
	"$(import 'synced 0' "$(is 8 "$two" | sed 's/^is/new/')") $(at2 8)" "0 taken 1 kept 0 $took $two"
import_how=(replace)
ktap_is "import: or whoever imports says so" \
	"$(import "$(is 8 "$one")" 'synced 1') $(at2 8)" "0 taken 1 kept 0 $took $one"
import_how=()
ktap_is "import: a flow that is gone is forgotten" \
	"$(import 'synced 0' 'gone web tcp 198.51.100.7:8' 'gone web tcp 198.51.100.7:9') $(at2 8)" \
	"0 taken 0 kept 0 full 0 forgotten 2 refused 0 "

must rlb2 flow flush
must rlb2 flow set limit 1024
make_flows "$many" 10.99.0 >"$tmp/many"
ktap_is "import: a table that is full takes no more, forgets nobody, and says so" \
	"$(import 'synced 0' "$(is 1 "$one" | sed 's/^is/new/')") $(rlb2 flow import "$tmp/many" 2>&1 | a_line) $(stat2 flows) $(stat2 evicted) $(at2 1)" \
	"0 taken 1 kept 0 $took ringlb: $tmp/many: $((many - 1023)) flows found the flow table full: see flow set limit taken 1023 kept 0 full $((many - 1023)) forgotten 0 refused 0 1024 0 $one"
must rlb2 flow set limit 400000
must rlb2 flow flush
ktap_is "import: $many flows in a MiB" \
	"$(thrifty ringlb -n "$gw2" flow import "$tmp/many" | a_line) $(stat2 flows)" \
	"taken $many kept 0 $took $many"
must thrifty ringlb -n "$gw2" flow export web >"$tmp/out"
ktap_is "export: $many flows in a MiB" "$(flows_of "$tmp/out" | md5sum)" \
	"$(flows_of "$tmp/many" | md5sum)"
must thrifty ringlb -n "$gw2" -j flow show web >"$tmp/out"
ktap_is "show: $many flows in a MiB" "$(jq -r '.[].client' "$tmp/out" | sort | md5sum)" \
	"$(awk '$1 == "is" { print $4 }' "$tmp/many" | sort | md5sum)"
make_flows $((2 * many)) 10.98.0 >"$tmp/others"
midway "$tmp/others" >"$tmp/midway"
ktap_is "export: while others come and the table grows, each that stays is told once" \
	"$(flows_of "$tmp/midway" | grep ' 10\.99\.' | md5sum) $(stat2 flows)" \
	"$(flows_of "$tmp/many" | md5sum) $((3 * many))"

must rlb2 flow flush
replicate
ktap_check "follow: what there is is known to the other gateway" wait_for 30 same
both service set web track all
both service set dns track all
rounds more cli tcp "$vip4" 80 --source "$cli4" --ports "40000-$((39999 + n))" --timeout 5
round first more
ktap_check "follow: flows that begin" wait_for 30 same
both backend down dns "$(be_at 6 3 5353)"
round third udp
ktap_check "follow: flows that go elsewhere" wait_for 30 same
both backend up dns "$(be_at 6 3 5353)"
both service set dns track auto
both backend down dns "$(be_at 6 1 5353)"
round fourth udp
ktap_check "follow: flows that need no more be remembered" wait_for 30 same
must rlb2 flow flush dns
ktap_is "follow: the other gateway's own affairs are not told back" \
	"$(rlb flow export dns | grep -c ^is)" "$(rlbj flow show dns | jq length)"

# A reader that stands still: its buffer holds few of the notices.
ringlb -n "$gw" flow export follow buffer 4096 >"$tmp/slow" 2>"$tmp/slow.err" </dev/null &
slow=$!
ktap_defer end "$slow"
must wait_for 30 grep -q '^synced' "$tmp/slow"
must kill -STOP "$slow"
for first in 50000 51000 52000; do
	flows cli "$tmp/new" tcp "$vip4" 80 --source "$cli4" --ports "$first-$((first + n - 1))"
done
must kill -CONT "$slow"
ktap_check "overrun: a reader that stood still says that some were lost, and tells all" \
	wait_for 30 is_synced "$tmp/slow"
tac "$tmp/slow" | sed '/^lost/q' >"$tmp/since"
must rlb flow export >"$tmp/all"
ktap_is "overrun: all there is" "$(flows_of "$tmp/since" | md5sum)" "$(flows_of "$tmp/all" | md5sum)"
ktap_is "overrun: nobody complains, and who keeps up goes on" \
	"$(cat "$tmp/slow.err" "$tmp/exported" "$tmp/imported"; kill -0 "$slow" "$exporter" "$importer" 2>&1)" ""
