#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_failover.sh - a second gateway goes on with the flows of the first
#
# Both have the same secret and configuration. Live flows are led from one to the other. Without
# a word between the gateways, those of slots that are settled must not notice; and if both
# gateways know of a change, none that began before it. With a stream of flows none at all may
# break, not even on a gateway that has seen no packet. What breaks beyond that is told.
# timeout: 180
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

tcp=$(scaled 1000 40) udp=$(scaled 100 20)
late=$((5 * ${RINGLB_PATIENCE:-1}))
some_tcp=$(scaled 250 40) some_udp=$(scaled 25 20)
((${SCALE:-1} == 1)) || tcp=$(scaled 500 40)
members=8

configure()		# configure: the second gateway, afresh, as the first is
{
	must rlb2 flush
	must rlb save secret >"$tmp/conf"
	must rlb2 -b "$tmp/conf"
}

clients()		# clients NAME PORTS TCP UDP: so many of each
{
	live "$1.tcp" cli --source "$cli4" --ports "$2" --lanes "$3" --every 3 --life 600-600 \
		--late "$late" "$vip4" 80
	live "$1.udp" cli --source "$cli4" --ports "$2" --lanes "$4" --every 3 --life 600-600 \
		--late "$late" --udp "$vip4" 53
}

talk()			# talk NAME...: these clients' flows, each once
{
	local n names=()

	for n; do
		names+=("$n.tcp" "$n.udp")
	done
	talks=$((${talks:-0} + 1))
	round "$talks" "${names[@]}"
}

stop()			# stop NAME: its verdicts, to $tmp/NAME.tcp.verdict and .udp.verdict
{
	local proto

	round stop "$1.tcp" "$1.udp"
	for proto in tcp udp; do
		must zygote broken "$tmp/$1.$proto" /dev/null "$servers_log" \
			>"$tmp/$1.$proto.verdict"
	done
}

broken()		# broken NAME PROTO: "BROKEN of FLOWS"
{
	jq -r '"\(.broken) of \(.flows)"' "$tmp/$1.$2.verdict"
}

unbroken()		# unbroken NAME PROTO FLOWS CLAIM: 1 claim
{
	local expected="0 of $3"

	[[ $(broken "$1" "$2") == "$expected" ]] ||
		ktap_note "$(jq -c '.kinds, .some[]' "$tmp/$1.$2.verdict")"
	ktap_is "fail-over: $4" "$(broken "$1" "$2")" "$expected"
}

both()			# both WORD...: a change in both gateways
{
	must rlb "$@"
	must rlb2 "$@"
}

# Routers send errors about the VIP's packets their own way: to a gateway that has seen none.
errors_by_gw2()		# 2 claims
{
	local port mac last=20009

	mac=$(ip -n "$gw2" -j link show cli | jq -r '.[0].address')
	sniff farm "$tmp/errors" --proto icmp --device gw2
	for ((port = 20000; port <= last; port++)); do
		must zygote craft --netns "$cli" --device gw2 --mac "$mac" \
			toobig 4 53 "$cli4" "$port" 1300 8
		echo "$port $(rlb2 -j lookup udp "$cli4:$port" "$vip4:53" |
			jq -r .backend | cut -d: -f1)"
	done >"$tmp/asked"
	ktap_check "fail-over: an error about a flow of another gateway reaches its backend" \
		wait_for 10 errors_are_there
	end "$background_pid"
	ktap_check "fail-over: and the backend sends what fits" wait_for 10 learnt 1300
	must ip -n "$farm" route flush cache
}

learnt()		# learnt MTU: of the backends' way to the client
{
	ip -n "$farm" route get "$cli4" | grep -qw "mtu $1"
}

errors_are_there()	# of each error: the client's port, the backend
{
	jq -r 'select(.way == "in" and .quoted) | "\(.quoted.dport) \(.quoted.src)"' "$tmp/errors" |
		sort -n | cmp - "$tmp/asked"
}

replicated()		# does the second gateway remember what the first does?
{
	rlb flow export | awk '$1 == "is" { print $2, $3, $4, $5 }' | sort >"$tmp/one"
	[[ -s $tmp/one ]] && rlb2 flow export | awk '$1 == "is" { print $2, $3, $4, $5 }' | sort |
		cmp - "$tmp/one"
}

ktap_plan 13
farm $((members + 2))
gateway2
by_way_of gw
farm_servers $((members + 2)) "$servers_log" 8080
for service in "web tcp $vip4:80" "dns udp $vip4:53"; do
	echo "service add $service slots 4096"
	for ((n = 1; n <= members; n++)); do
		echo "backend add ${service%% *} $(be_at 4 "$n" 8080)"
	done
done >"$tmp/conf"
must rlb -b "$tmp/conf"		# backends of a service together: one table, nothing moves
configure
ktap_is "fail-over: both gateways have the same tables" "$(rlb2 table digest)" \
	"$(rlb table digest)"

clients old 20000-29999 "$tcp" "$udp"
talk old
errors_by_gw2
by_way_of gw2
talk old
by_way_of gw
talk old
at_rest=${talker_said[old.tcp]}
ktap_is "fail-over: at rest, there and back, no connection breaks" "$at_rest" \
	" $tcp 0"
ktap_check "fail-over: the second gateway has forwarded them" \
	test "$(gw=$gw2 counted web packets_in)" -ge "$tcp"

both backend add web "$(be_at 4 $((members + 1)) 8080)"
both backend add dns "$(be_at 4 $((members + 1)) 8080)"
clients new 30000-39999 "$some_tcp" "$some_udp"
talk old new
by_way_of gw2
talk old new
stop old
stop new
unbroken old tcp "$tcp" "a backend added to both just before: no connection that began earlier breaks"
unbroken old udp "$udp" "no UDP sender meets another backend, neither at rest nor after that"
ktap_note "without a stream, at rest, broke: TCP ${at_rest##* } of $tcp;" \
	"a change just before: TCP $(broken old tcp) older, UDP $(broken old udp) older"
ktap_note "of those that began after it, without exchange of state, broke:" \
	"TCP $(broken new tcp), UDP $(broken new udp)"

clients fresh 40000-49999 "$some_tcp" "$some_udp"
talk fresh
must rlb2 backend add web "$(be_at 4 $((members + 2)) 8080)"
must rlb2 backend add dns "$(be_at 4 $((members + 2)) 8080)"
rlb2 save secret >"$tmp/conf"
must rlb flush
must rlb -b "$tmp/conf"
by_way_of gw
talk fresh
stop fresh
ktap_note "on a gateway that was configured after the change, and knows of none, broke:" \
	"TCP $(broken fresh tcp), UDP $(broken fresh udp)"

# Once more, with a stream, and a second gateway that begins with nothing each time.
configure
replicate
clients kept 50000-54999 "$tcp" "$udp"
talk kept
by_way_of gw2
talk kept
by_way_of gw
talk kept
ktap_is "fail-over: with a stream, at rest, there and back, no connection breaks" \
	"${talker_said[kept.tcp]}" " $tcp 0"
configure
both backend drain web "$(be_at 4 1 8080)"
both backend drain dns "$(be_at 4 1 8080)"
both backend set web "$(be_at 4 2 8080)" weight 3
clients since 55000-59999 "$some_tcp" "$some_udp"
talk kept since
ktap_check "fail-over: the second gateway is told of all that the first one remembers" \
	wait_for 30 replicated
by_way_of gw2
talk kept since
stop kept
stop since
unbroken kept tcp "$tcp" "with a stream, changes just before: no connection that began earlier breaks"
unbroken kept udp "$udp" "with a stream: no UDP sender that began earlier meets another backend"
unbroken since tcp "$some_tcp" "with a stream: no connection that began after the changes breaks"
unbroken since udp "$some_udp" "with a stream: no UDP sender that did"
ktap_note "with a stream of flows, changes just before, broke:" \
	"TCP $(broken kept tcp) older and $(broken since tcp) newer," \
	"UDP $(broken kept udp) older and $(broken since udp) newer"
