#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# more.sh - what else balancing costs: floods, connections, memory, building, swapping
#
# A flood is SYNs of as many connections, each seen once: so its cost is that of a connection's
# first packet, too. Memory is what the whole kernel has less. Swaps: a process ahead of all
# others sends a packet each 100 us, as a network card would, while another changes a table of
# 65536 slots and 1000 backends a thousand times, on the same processor; the kernel lets itself
# be interrupted everywhere (preempt=full), as it does by cards.
# timeout: 36000
set -u
# shellcheck source=selftests/bench/bed.sh
. "$(dirname "$0")/bed.sh"

found=${RINGLB_SHARE:-$tmp}/more.json
flood=131072
fleet=1000
swaps=1000
slower_ns=1000000	# of the longest gap: how much it may be above that without swaps
unit=instructions
[[ $column == counted_instr ]] || unit=ns

# --- floods ----------------------------------------------------------------------

memory_used()		# KiB, caches of files aside
{
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemTotal:/ { used += $2 }
		/^(MemFree|Buffers|Cached|SReclaimable):/ { used -= $2 }
		END { print used }' /proc/meminfo
}

# As many as a flood has, of all that follow: what the kernel does meanwhile is told with them.
syns()			# syns N ARRIVE: N of them, all or none of which arrive; what one costs
{
	local options=(-n -s -v 1 -f "$1")

	[[ $unit == instructions ]] || options+=(-t)
	cost "${options[@]}" | jq --argjson arrive "$2" \
		'if .received == (if $arrive then .sent else 0 end) then .cost else error(tojson) end'
}

flooded()		# flooded PATH
{
	local before cost

	must syns 1024 true >/dev/null		# what is made once
	before=$(memory_used)
	cost=$(must syns "$flood" true)
	told "SYN of a flood" "$1" "$(jq -n "$cost - $generator | round")" "$unit"
	told "memory for each SYN" "$1" \
		"$(jq -n "($(memory_used) - $before) * 1024 / $flood | round")" bytes
}

pin_size()		# right after a flood: of what is remembered of each
{
	told "memory for each remembered flow" ringlb \
		"$(tail -n 1 "$figures" | jq ".value * $flood / $(rlbj flow stats | jq .flows) |
			round")" bytes
}

floods()
{
	protocol=tcp
	tc_first drop drop
	must syns "$flood" false >/dev/null
	generator=$(must syns "$flood" false)
	tc_none
	ringlb_family_up 4 1
	flooded "ringlb, at rest"
	ktap_is "bench: of a flood nothing is remembered at rest" "$(rlbj flow stats | jq .flows)" 0
	ringlb_down
	must rlb flow set limit $((2 * flood))
	ringlb_family_up 4 1 track all
	flooded "ringlb, each remembered"
	pin_size
	ringlb_down
	ipvs_up conn_tab_bits=20 mh-fallback,mh-port
	flooded "IPVS mh tuned"
	ipvs_down
	protocol=udp
}

# --- connections -------------------------------------------------------------------

ends_open()		# which dropped packets until now
{
	local ns

	for ns in "${senders[@]}"; do
		must tc -n "$ns" qdisc del dev gw clsact
	done
}

# Each path has ports of its own at the client: a backend refuses a connection that looks like an
# old one of another path's.
connections()		# connections PATH ADDRESS PORT: what one costs, and how many in a second
{
	local cost

	ports=$((ports + 10000))
	must in_ns "$cli" sysctl -qw net.ipv4.ip_local_port_range="$ports $((ports + 9999))"
	"$bench/conns" "$2" "$3" 8080 "${senders[@]}" >"$tmp/conns" || {
		ktap_note "$1: connections fail"
		exit 1
	}
	cost=$(jq .cost "$tmp/conns")
	told "a TCP connection, both ends of it" "$1" "$(jq -n "$cost | round")" "$unit"
	[[ $unit == instructions ]] ||
		told "new TCP connections" "$1" "$(jq -n "1e9 / $cost | round")" "a second"
}

# At rest ringlb adds at most half as much to a connection as IPVS does.
connection_holds()
{
	jq -s -e 'map(select(.figure | startswith("a TCP connection")) | { (.path): .value }) | add |
		(.["ringlb hook, at rest"] - .forwarding) as $ringlb |
		(.["IPVS mh tuned"] - .forwarding) as $ipvs |
		"\($ringlb), \($ipvs)", 2 * $ringlb <= $ipvs' "$figures"
}

all_connections()
{
	local vip ports=0

	vip=$(vip_at 4 0)
	ends_open
	protocol=tcp
	connections forwarding "$(be_at 4 1)" 8080
	ringlb_family_up 4 1
	connections "ringlb hook, at rest" "${vip%:*}" 80
	dev_all add
	connections "ringlb fast path, at rest" "${vip%:*}" 80
	dev_all del
	ringlb_down
	ringlb_family_up 4 1 track all
	connections "ringlb hook, each remembered" "${vip%:*}" 80
	ringlb_down
	ipvs_up conn_tab_bits=20 mh-fallback,mh-port
	connections "IPVS mh tuned" "${vip%:*}" 80
	ipvs_down
	protocol=udp
	[[ $unit != instructions ]] || ktap_check \
		"bench: a connection costs at most half of what IPVS adds" connection_holds
}

# --- tables ----------------------------------------------------------------------

big_up()		# big_up N: a service with N backends, all behind the bed's first
{
	local n

	{
		echo "service add big udp $(vip_at 4 0)"
		for ((n = 0; n < $1; n++)); do
			echo "backend add big 10.9.$((n / 250)).$((n % 250 + 1)):8080"
		done
		echo "service add other udp $(vip_at 4 1)"
	} | must rlb -b /dev/stdin
}

changes()		# changes N: a batch of N, each of one backend's weight, none joined to another
{
	local i none=(reject drop)

	for ((i = 0; i < $1; i++)); do
		echo "backend set big 10.9.0.1:8080 weight $((i % 2 + 2))"
		echo "service set other none ${none[i % 2]}"
	done
}

us_of()			# us_of COMMAND...: the best of three
{
	local began us best=0 i

	for i in 1 2 3; do
		began=${EPOCHREALTIME/./}
		must "$@"
		us=$((${EPOCHREALTIME/./} - began))
		((i > 1 && us >= best)) || best=$us
	done
	echo "$best"
}

build_times()
{
	local n few many

	changes 5 >"$tmp/few"
	changes 25 >"$tmp/many"
	for n in 10 100 "$fleet"; do
		big_up "$n"
		few=$(us_of rlb -b "$tmp/few")
		many=$(us_of rlb -b "$tmp/many")
		told "a change of a table of 65536 slots, $n backends" ringlb \
			$(((many - few) / 20)) us
		must rlb flush
	done
}

longest_gap()		# longest_gap COMMAND...: while it runs; what cost says
{
	local go

	must mkfifo "$tmp/go"
	cost -g 100 -v 1 <"$tmp/go" >"$tmp/gap" &
	exec {go}>"$tmp/go"
	must "$@" >&2
	exec {go}>&-
	wait $!
	rm "$tmp/go"
	cat "$tmp/gap"
}

swap()
{
	local without with

	echo full >/sys/kernel/debug/sched/preempt
	big_up "$fleet"
	changes "$swaps" >"$tmp/swaps"
	without=$(longest_gap sleep 3)
	with=$(longest_gap rlb -b "$tmp/swaps")
	told "longest gap between packets" "ringlb, no swap" "$(jq .gap <<<"$without")" ns
	told "longest gap between packets" "ringlb, $swaps swaps" "$(jq .gap <<<"$with")" ns
	ktap_is "bench: of the packets sent during $swaps swaps none was lost" \
		"$(jq '.sent - .received' <<<"$with")" 0
	ktap_check "bench: during $swaps swaps no gap is 1 ms longer than without" \
		jq -n -e "($with).gap - ($without).gap <= $slower_ns"
	must rlb flush
}

n_swap=4			# claims; time does not stand still for a kernel that runs natively
n_connections=6
[[ $unit == instructions ]] || n_swap=0 n_connections=10
ktap_plan $((2 * 3 + 2 + 3 + n_swap + n_connections))
bench_bed 4
must ip -n "$gw" route add 10.9.0.0/16 via "$(be_at 4 1)" dev be1
floods
build_times
((n_swap == 0)) || swap
all_connections
jq -s . "$figures" >"$found"
