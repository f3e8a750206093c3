# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154
#
# clients.sh - two clients of bed.sh's bed, each on a processor of its own
#
#   bench_bed 4
#   second_client
#   both -v 1		# what cost says of each: $tmp/0, $tmp/1
#
# In:  bed.sh's functions; a VM of two processors; $packets: flows that each client sends.

clients=()		# namespaces, by processor
cli2=''			# set by ns_add

second_client()		# namespace cli2, on a device of its own
{
	ns_add cli2
	link_add "$cli2" gw "$gw" cli2
	must ip -n "$gw" addr add 10.0.3.1/24 dev cli2
	must ip -n "$gw" addr add fd00:3::1/64 dev cli2
	cable_end "$cli2" cli2 10.0.3.2 fd00:3::2
	clients=("$cli" "$cli2")
	senders=("$cli" "${senders[@]:1:backends}")
	# A busy processor leaves packets to ksoftirqd: the queue must hold them until then.
	must sysctl -qw net.core.netdev_max_backlog=1000000
}

client()		# client CPU [OPTION]...: what cost says goes to $tmp/CPU
{
	local cpu=$1

	shift
	taskset -c "$cpu" "$bench/cost" -f "$packets" "$@" "${clients[cpu]}" "${senders[@]:1}" \
		>"$tmp/$cpu"
}

both()			# both [OPTION]...: of cost, at the same time
{
	local first

	client 0 "$@" &
	first=$!
	must client 1 "$@"
	must wait "$first"
}
