#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_methods.sh - every method and size: kernel and tool compute the same table and lookups,
# and two gateways that were told in different orders agree
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

methods="rendezvous ring maglev"
sizes="4096 65536"
n_backends=40
n_lookups=12

config()		# config: a service for each method and size, with backends of their own
{
	local method slots port=80 i

	for method in $methods; do
		for slots in $sizes; do
			echo "service add $method-$slots tcp 192.0.2.10:$port method $method slots $slots"
			for ((i = 1; i <= n_backends; i++)); do
				echo "backend add $method-$slots 10.0.$((i / 200 + 1)).$((i % 200 + 1))" \
					"weight $((i % 7 + 1))"
			done
			((port++))
		done
	done
	echo "secret set 000102030405060708090a0b0c0d0e0f"
}

# What two ways of asking must agree on.
tables()		# tables RINGLB_OPTION...
{
	local method slots

	for method in $methods; do
		for slots in $sizes; do
			ringlb -j "$@" table show "$method-$slots" |
				jq -c '.[] | [.service, .method, .slots, .digest, .owners]'
		done
	done
}

lookups()		# lookups RINGLB_OPTION...
{
	local i

	for ((i = 0; i < n_lookups; i++)); do
		ringlb -j "$@" lookup tcp "198.51.100.$((i % 250)):$((i * 257 + 1024))" \
			"192.0.2.10:$((80 + i % 6))" | jq -c '[.service, .slot, .owner, .backend, .probes]'
	done
}

ktap_plan 5
need_module
ns_add one
ns_add two
config >"$tmp/config"
{
	grep ^secret "$tmp/config"
	grep ^service "$tmp/config" | tac
	grep ^backend "$tmp/config" | shuf
} >"$tmp/shuffled"
# shellcheck disable=SC2154 # ns_add sets them
must ringlb -n "$one" -b "$tmp/config"
# shellcheck disable=SC2154
must ringlb -n "$two" -b "$tmp/shuffled"
# What a gateway was told one by one settles; ask it to be quick.
for method in $methods; do
	for slots in $sizes; do
		must ringlb -n "$one" service set "$method-$slots" settle 100% timeout 1
		must ringlb -n "$two" service set "$method-$slots" settle 100% timeout 1
	done
done
settled()		# settled NETNS
{
	[[ $(ringlb -n "$1" -j service show | jq '[.[].pending] | add') == 0 ]]
}
must wait_for 60 settled "$one"
must wait_for 60 settled "$two"

tables -n "$one" >"$tmp/one"
tables -n "$two" >"$tmp/two"
tables -f "$tmp/config" >"$tmp/file"
ktap_is "table: six of them, of three methods and two sizes" "$(jq -c '.[4] | length' "$tmp/one" |
	sort -n | uniq -c | tr -s ' \n' ' ')" " 3 4096 3 65536 "
ktap_check "table: kernel and tool compute the same, byte for byte" cmp "$tmp/one" "$tmp/file"
ktap_check "table: two gateways agree, whatever the order in which they were told" \
	cmp "$tmp/one" "$tmp/two"
lookups -n "$one" >"$tmp/one.l"
lookups -n "$two" >"$tmp/two.l"
lookups -f "$tmp/config" >"$tmp/file.l"
ktap_check "lookup: kernel and tool answer the same" cmp "$tmp/one.l" "$tmp/file.l"
ktap_check "lookup: two gateways answer the same" cmp "$tmp/one.l" "$tmp/two.l"
