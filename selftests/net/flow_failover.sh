#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_failover.sh - a second gateway goes on with the flows of the first
#
# Both have the same secret and configuration, and tell each other nothing. Live flows are led
# from one to the other. Those of slots that are settled must not notice; and if both gateways
# know of a change, none that began before it. What breaks beyond that is told, not judged.
# timeout: 180
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

tcp=$(scaled 1000 40) udp=$(scaled 100 20)
late=$((5 * ${RINGLB_PATIENCE:-1}))
some_tcp=$(scaled 250 40) some_udp=$(scaled 25 20)
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

unbroken()		# unbroken NAME PROTO CLAIM: 1 claim
{
	local expected="0 of ${!2}"

	[[ $(broken "$1" "$2") == "$expected" ]] ||
		ktap_note "$(jq -c '.kinds, .some[]' "$tmp/$1.$2.verdict")"
	ktap_is "fail-over: $3" "$(broken "$1" "$2")" "$expected"
}

both()			# both WORD...: a change in both gateways
{
	must rlb "$@"
	must rlb2 "$@"
}

ktap_plan 5
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
by_way_of gw2
talk old
by_way_of gw
talk old
ktap_is "fail-over: at rest, there and back, no connection breaks" "${talker_said[old.tcp]}" \
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
unbroken old tcp "a backend added to both just before: no connection that began earlier breaks"
unbroken old udp "no UDP sender meets another backend, neither at rest nor after that"
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
