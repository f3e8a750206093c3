#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# netns_lifecycle.sh - namespaces come and go with configuration and traffic in them
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

life()			# life NAME: born, configured, used, gone; the tool and a socket live on
{
	ip netns add "$1" &&
		ringlb -n "$1" -b "$tmp/config" &&
		ip -n "$1" -b "$tmp/links" &&
		ip -n "$1" -6 -b "$tmp/links6" &&
		in_ns "$1" "$selftests/net/spray.py" $((RANDOM % 40)) 192.0.2.10 53 \
			2001:db8::10 53 &&
		ip netns del "$1"
}

lives()			# lives N
{
	local i

	for ((i = 1; i <= $1; i++)); do
		life "life$i-$tag" || return
	done
}

crowd()			# crowd N: many at once, deleted at once
{
	local i

	for ((i = 1; i <= $1; i++)); do
		ip netns add "crowd$i-$tag" && ringlb -n "crowd$i-$tag" -b "$tmp/config" || return
	done
	for ((i = 1; i <= $1; i++)); do
		ip netns del "crowd$i-$tag" || return
	done
}

# Namespaces end some time after their names. The kernel's count is exact once it has given
# back what it keeps at hand for each CPU.
netns_count()
{
	echo 1 >/sys/kernel/slab/net_namespace/shrink
	awk '$1 == "net_namespace" { print $2 }' /proc/slabinfo
}

settled()		# no more namespaces than before
{
	(($(netns_count) <= namespaces + 2))
}

kept()			# kB that the kernel keeps for itself, caches given back first
{
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^(SUnreclaim|VmallocUsed|Percpu):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# A table has 128 KiB: one lost in each namespace would be twice as much. Free memory would be
# the wrong measure: a processor's own lists of free pages, which it leaves out, hold more.
memory_back()
{
	(($(kept) < before + 64 * lived + 2048))
}

config_loop()		# config_loop NAME: changes until they are refused
{
	local i

	for ((i = 0; i < 1000; i++)); do
		ringlb -n "$1" backend set dns4 10.0.2.11:5353 weight $((i % 9 + 1)) || return
	done
} 2>/dev/null

under_change()		# under_change N: a namespace goes while its configuration changes
{
	local i name pid

	for ((i = 1; i <= $1; i++)); do
		name=change$i-$tag
		ip netns add "$name" && ringlb -n "$name" -b "$tmp/config" || return
		config_loop "$name" &
		pid=$!
		ringlb -n "$name" backend set dns4 10.0.2.12:5353 weight 7 || return
		ip netns del "$name" || return
		wait "$pid"
	done
	return 0
}

ktap_plan 7
need_module
cat >"$tmp/config" <<-'END'
	service add dns4 udp 192.0.2.10:53 method ring
	backend add dns4 10.0.2.11:5353
	backend add dns4 10.0.2.12:5353 weight 3
	service add dns6 udp [2001:db8::10]:53 method ring
	backend add dns6 [fd00:2::11]:5353
	service add web tcp 192.0.2.10:80 method ring
	backend add web 10.0.2.11:8080
END
cat >"$tmp/links" <<-'END'
	link add vips type dummy
	link set vips up
	link set lo up
	addr add 10.0.2.1/24 dev vips
	route add 192.0.2.10/32 dev vips
END
cat >"$tmp/links6" <<-'END'
	addr add fd00:2::1/64 dev vips nodad
	route add 2001:db8::10/128 dev vips
END

namespaces=$(netns_count 2>/dev/null)
lives 3				# what the first ones leave in caches
crowd 3
before=$(kept)
lived=$(($(scaled 30) + $(scaled 60)))

ktap_check "lifecycle: $(scaled 30) namespaces with services and traffic come and go" \
	lives "$(scaled 30)"
ktap_check "lifecycle: $(scaled 60) namespaces with services at once" crowd "$(scaled 60)"
ktap_check "lifecycle: $(scaled 10) go while their configuration changes" \
	under_change "$(scaled 10)"
if [[ -n $namespaces ]]; then
	ktap_check "lifecycle: none of them is left in the kernel" wait_for 60 settled
	ktap_note "namespaces: $namespaces before, $(netns_count) after"
else
	ktap_skip "lifecycle: none of them is left in the kernel" "net_namespace in /proc/slabinfo"
fi
ktap_check "lifecycle: their memory came back" wait_for 30 memory_back
ktap_note "kB: $before before, $(kept) after"

keeps_name()		# the configuration lives with the namespace, not with who made it
{
	ip netns add "keep-$tag" && ringlb -n "keep-$tag" -b "$tmp/config" &&
		[[ $(ringlb -n "keep-$tag" -j service show | jq length) == 3 ]] &&
		ip netns del "keep-$tag"
}

ktap_check "lifecycle: configuration stays when the tool has ended" keeps_name
ktap_is "lifecycle: no namespace holds the module" "$(</sys/module/ringlb/refcnt)" 0
