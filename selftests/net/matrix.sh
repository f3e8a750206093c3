#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# matrix.sh - traffic through each combination of mode, family, protocol and offloads
#
# In:  the file matrix beside this one. RINGLB_LONG=1: ten times as much of everything.
#      A cell carries 10 MB, compared, 100 short flows, and 4 MB of iperf3; all divided by SCALE.
# timeout: 3600
set -u
# shellcheck source=selftests/straight.sh
. "$(dirname "$0")/../straight.sh"

matrix=$(dirname "$0")/matrix
times=$((${RINGLB_LONG:-0} ? 10 : 1))
flows=$(scaled $((100 * times)))
bytes=$(scaled $((10000000 * times)))
modes=(nat snat dsr tunnel)
families=(4 6)
protocols=(tcp udp sctp)

cells()			# cells OFFLOADS: "mode family protocol" of each
{
	awk -v offloads="$1" '!/^#/ && $4 == offloads { print $1, $2, $3 }' "$matrix"
}

missing()		# missing: combinations that are not in the file
{
	local mode family protocol offloads

	for mode in "${modes[@]}"; do
		for family in "${families[@]}"; do
			for protocol in "${protocols[@]}"; do
				for offloads in on off; do
					printf '%s\t%s\t%s\t%s\n' "$mode" "$family" "$protocol" "$offloads"
				done
			done
		done
	done | while IFS= read -r cell; do
		grep -qx "$cell" "$matrix" || echo "$cell"
	done
}

add_service()		# add_service MODE FAMILY PROTOCOL NAME PORT BACKENDPORT N: be1..beN
{
	local words=()

	[[ $1 != snat ]] || words=(snat on snat-ports 10000-19999)
	case $1 in
	dsr) service "$4" "$3" "$2" "$5" "" "$7" mode dsr ;;
	tunnel)
		must rlb service add "$4" "$3" "$(at "$2" vip "$5")" tunnel ipip
		must rlb backend add "$4" 10.0.2.11
		[[ $7 == 1 ]] || must rlb backend add "$4" fd00:2::12
		;;
	*) service "$4" "$3" "$2" "$5" "$6" "$7" "${words[@]}" ;;
	esac
}

# The way of answers that MODE needs
answers()		# answers MODE
{
	local way=off

	[[ $1 != dsr && $1 != tunnel ]] || way=on
	[[ $way == "$now" ]] || straight "$way"
	now=$way
}

# An SCTP socket that is bound to no address tells its peer all of its host's, of both families;
# the peer looks whether they are there, by other ways than the VIP's, and is told they are not.
bulk()			# bulk FAMILY PROTOCOL LOG: $bytes each way; how many flows they take: $sent
{
	local -n vip=vip$1 client=cli$1
	local size=50000

	if [[ $2 == udp ]]; then
		sent=$((bytes / size))
		flows cli "$3" udp "$vip" 80 --ports "20000-$((19999 + sent))" \
			--size "$size" --reply "$size" --window 8
		return
	fi
	sent=2
	flows cli "$3" "$2" "$vip" 80 --source "$client" --op "put:$bytes"
	flows cli "$3" "$2" "$vip" 80 --source "$client" --op "get:$bytes"
}

# Its control connection and its data must meet the same iperf3: one backend, two services.
iperf_got()		# iperf_got FAMILY PROTOCOL: bytes that the far end received
{
	local -n vip=vip$1 client=cli$1
	local words=(-c "$vip" -B "$client" -J -n "$(scaled $((4000000 * times)))")

	case $2 in
	udp) words+=(-u -b 200M -l 1300) ;;
	sctp) words+=(--sctp) ;;
	esac
	in_ns "$cli" iperf3 "${words[@]}" >"$tmp/iperf" 2>&1
	jq '.end.sum_received.bytes // 0 | floor' "$tmp/iperf"
}

iperf_servers()
{
	background listening in_ns "$be1" stdbuf -oL iperf3 -s
}

received()		# received FAMILY PROTOCOL: iperf3 carried something
{
	local got

	got=$(iperf_got "$1" "$2")
	((got > 0)) && return
	cat "$tmp/iperf"
	return 1
}

# Whoever learns of a smaller path MTU loses what told him of it. TCP sends that again; a UDP
# sender does not, and which flow is the first to meet the narrower tunnel is chance. A Linux SCTP
# socket takes its own address for its peer's from then on, so getpeername() says. In tunnels
# these two know before how large packets may be.
mtu_known()		# mtu_known add|del MODE FAMILY PROTOCOL
{
	local -n vip=vip$3
	local router=10.0.1.1

	[[ $2 == tunnel && $4 != tcp ]] || return 0
	[[ $3 == 4 ]] || router=fd00:1::1
	must ip -n "$cli" route "$1" "$vip" via "$router" mtu 1400
}

carry()			# carry MODE FAMILY PROTOCOL OFFLOADS; 3 claims
{
	local name="matrix: $1, IPv$2, $3, offloads $4" log=$tmp/$1.$2.$3.$4 sent
	local -n vip=vip$2 client=cli$2

	answers "$1"
	mtu_known add "$1" "$2" "$3"
	add_service "$1" "$2" "$3" cell 80 8080 2
	bulk "$2" "$3" "$log.bulk"
	ktap_check "$name: $bytes bytes each way arrive as they were sent" \
		judge answered "$log.bulk" "$sent"
	flows cli "$log.short" "$3" "$vip" 80 --source "$client" --ports "30000-$((29999 + flows))"
	ktap_check "$name: $flows short flows" judge answered "$log.short" "$flows"
	must rlb service del cell

	add_service "$1" "$2" tcp control 5201 "" 1
	[[ $3 == tcp ]] || add_service "$1" "$2" "$3" cell 5201 "" 1
	ktap_check "$name: iperf3 comes through" received "$2" "$3"
	must rlb service del control
	[[ $3 == tcp ]] || must rlb service del cell
	mtu_known del "$1" "$2" "$3"
}

ktap_plan $((1 + 3 * $(grep -vc '^#' "$matrix") + 1))
ktap_is "matrix: each combination is in the file" "$(missing)" ""
bed 2
servers 80 8080 --sctp
iperf_servers
cables
unwrap "$be1" 10.0.2.11 fd00:2::11
unwrap "$be2" 10.0.2.12 fd00:2::12
now=off
for offloads in on off; do
	offloads "$offloads"
	while read -r -u 9 mode family protocol; do
		carry "$mode" "$family" "$protocol" "$offloads"
	done 9< <(cells "$offloads")
done
ktap_is "matrix: no receiver saw a damaged packet" "$(wire_errors cli be1 be2)" 0
