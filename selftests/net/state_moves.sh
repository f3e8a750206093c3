#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# state_moves.sh - draining moves no flow, taking down that backend's flows alone, up none
#
# A flow that has been moved stays where it is. A UDP flow goes on there; a TCP connection is
# unknown there and breaks.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

# So many that each backend has some: none of four in 60 comes once in 30 million runs.
n=$(scaled 150 60)
t=$(scaled 60 60)
all=(dns4 dns6 web4 web6)

state()			# state up|drain|down N...: of these backends, in all services
{
	local service i port family to=$1

	shift
	for service in "${all[@]}"; do
		port=8080
		[[ $service == web* ]] || port=5353
		family=${service: -1}
		for i; do
			must rlb backend "$to" "$service" "$(be_at "$family" "$i" "$port")"
		done
	done
}

udp_stay()		# udp_stay WORDS BEFORE AFTER WORD...: 2 claims
{
	ktap_check "states: $1: UDP over IPv4" judge stay "$tmp/u4:$2" "$tmp/u4:$3" "${@:4}"
	ktap_check "states: $1: UDP over IPv6" judge stay "$tmp/u6:$2" "$tmp/u6:$3" "${@:4}"
}

udp_back()		# udp_back WORDS BEFORE AFTER: 2 claims
{
	ktap_check "states: $1: UDP over IPv4" judge back "$tmp/u4:$2" "$tmp/u4:$3"
	ktap_check "states: $1: UDP over IPv6" judge back "$tmp/u6:$2" "$tmp/u6:$3"
}

names()			# names FILE:LABEL: where the flows of a round are
{
	jq -r --arg round "${1#*:}" 'select(.round == $round) | .name // .error' "${1%:*}" |
		sort -u | tr '\n' ' '
}

ktap_plan 24
bed 4
servers 5353 8080
service dns4 udp 4 53 5353
service dns6 udp 6 53 5353
service web4 tcp 4 80 8080
service web6 tcp 6 80 8080

rounds u4 cli udp "$vip4" 53 --source "$cli4" --ports "20000-$((19999 + n))" --timeout 2
rounds u6 cli udp "$vip6" 53 --source "$cli6" --ports "20000-$((19999 + n))" --timeout 2
rounds t4 cli tcp "$vip4" 80 --source "$cli4" --ports "20000-$((19999 + t))" --timeout 2
rounds t6 cli tcp "$vip6" 80 --source "$cli6" --ports "20000-$((19999 + t))" --timeout 2
round first u4 u6 t4 t6
ktap_is "states: flows are spread over all backends" "$(names "$tmp/u4:first")" \
	"be1 be2 be3 be4 "

state drain 1
round drained u4 u6 t4
udp_back "draining one moves no flow" first drained
ktap_check "states: draining one breaks no connection: TCP over IPv4" \
	judge back "$tmp/t4:first" "$tmp/t4:drained"
ktap_check "states: packets whose owner takes none are counted" \
	test "$(counted dns4 looked_again)" -gt 0
flows cli "$tmp/new" tcp "$vip4" 80 --source "$cli4" --ports "30000-$((29999 + t))"
ktap_check "states: one draining: all new connections are answered" \
	judge answered "$tmp/new" "$t"
ktap_is "states: one draining: it gets no new connection" \
	"$(jq -r .name "$tmp/new" | grep -c be1)" 0

state up 1
round restored u4 u6
udp_back "up leaves a drained one its flows" first restored

state down 2
round downed u4 u6 t6
udp_stay "taking one down moves its flows alone" first downed except 2 gone 2
ktap_check "states: taking one down breaks its connections alone: TCP over IPv6" \
	judge stay "$tmp/t6:first" "$tmp/t6:downed" except 2

state down 3
round downed2 u4 u6
udp_stay "taking another one down moves its flows alone" downed downed2 except 3 gone 3

state up 2 3
round back u4 u6
udp_back "up moves no flow" downed2 back

state down 2 3 4
state drain 1
round last u4 u6
ktap_is "states: draining is the last resort" "$(names "$tmp/u4:last") $(names "$tmp/u6:last")" \
	"be1  be1 "

state down 1
before=$(counted dns4 drop_no_backend)
round nobody u4 u6
ktap_is "states: none up, no flow is answered" \
	"$(names "$tmp/u4:nobody") $(names "$tmp/u6:nobody")" "timeout  timeout "
ktap_is "states: each of their packets is a counted drop" \
	"$(($(counted dns4 drop_no_backend) - before))" "$n"
flows cli "$tmp/none" tcp "$vip4" 80 --timeout 0.5
ktap_check "states: none up, each connection is refused" judge failed "$tmp/none" 1 ECONNREFUSED

state up 1 2 3 4
round end u4 u6
udp_back "all up again, all flows stay where they are" last end

rounds v4 cli udp "$vip4" 53 --source "$cli4" --ports "40000-$((39999 + n))" --timeout 2
round fresh v4
must rlb backend del dns4 "$(be_at 4 4 5353)"
round removed v4
ktap_check "states: removing one moves its flows alone" \
	judge stay "$tmp/v4:fresh" "$tmp/v4:removed" except 4 gone 4
must rlb backend add dns4 "$(be_at 4 4 5353)"
round added v4
ktap_check "states: added again, it moves no flow" \
	judge back "$tmp/v4:removed" "$tmp/v4:added"
