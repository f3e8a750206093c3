#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# netns_isolation.sh - two gateways on one kernel, alike in every address, know nothing of one another
#
# Beside the bed stands a second one, cli2 -- gw2 -- be3, be4, with the addresses of the first.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 100 40)

second_bed()		# everything as in bed(), in other namespaces
{
	local gw_kept=$gw cli_kept=$cli

	ns_add cli2
	ns_add gw2
	# shellcheck disable=SC2154 # ns_add sets them
	gw=$gw2 cli=$cli2
	forward "$gw"
	link_client
	backend_add_ns 3
	backend_add_ns 4
	gw=$gw_kept cli=$cli_kept
}

rlb2()
{
	ringlb -n "$gw2" "$@"
}

seen_by()		# the backends in the servers' log
{
	jq -r .backend "$servers_log" | sort -u | tr '\n' ' '
}

ktap_plan 14
bed 2
second_bed
backends=4
servers 5353
backends=2
service dns4 udp 4 53 5353
must rlb2 service add dns4 udp "$vip4:53" method ring
must rlb2 backend add dns4 10.0.2.13:5353
must rlb2 backend add dns4 10.0.2.14:5353

flows cli "$tmp/one" udp "$vip4" 53 --source "$cli4" --ports "20000-$((19999 + n))"
ktap_check "netns: flows of the first client are answered" judge answered "$tmp/one" "$n"
ktap_is "netns: by the first gateway's backends alone" "$(seen_by)" "be1 be2 "
ktap_is "netns: the second gateway has counted nothing" \
	"$(rlb2 -j -s service show dns4 | jq '[.. | .packets_in? | numbers] | add // 0')" 0
forget
flows cli2 "$tmp/two" udp "$vip4" 53 --source "$cli4" --ports "20000-$((19999 + n))"
ktap_check "netns: the same flows of the second client are answered" \
	judge answered "$tmp/two" "$n"
ktap_is "netns: by the second gateway's backends alone" "$(seen_by)" "be3 be4 "
ktap_check "netns: as the second gateway's lookup says" \
	judge lookup "$servers_log" "$vip4:53" 20 ringlb -n "$gw2"

ktap_is "netns: each shows its own services" \
	"$(rlbj backend show dns4 | jq -c '[.. | .backend?, .address? | strings]') $(
	   rlb2 -j backend show dns4 | jq -c '[.. | .backend?, .address? | strings]')" \
	'["10.0.2.11:5353","10.0.2.12:5353"] ["10.0.2.13:5353","10.0.2.14:5353"]'
ktap_is "netns: a third namespace has none" "$(ringlb -n "$cli" -j service show)" "[]"
ktap_check "netns: each has a secret of its own" \
	test "$(rlb secret show)" != "$(rlb2 secret show)"
forget
flows be1 "$tmp/none" udp "$vip4" 53 --source 10.0.2.11 --timeout 0.3 --ports 20000-20003
ktap_is "netns: a backend of the first cannot reach the second's" \
	"$(seen_by | tr -d 'be12 ')" ""

must rlb2 flush
ktap_is "netns: flushing one leaves the other" "$(rlb service show | wc -l)" 1
flows cli2 "$tmp/flushed" udp "$vip4" 53 --connected --timeout 1
ktap_check "netns: a flushed one serves nothing" \
	test "$(jq -r .error "$tmp/flushed")" != null
ip netns del "$gw2"
flows cli "$tmp/after" udp "$vip4" 53 --source "$cli4" --ports "20000-$((19999 + n))"
ktap_check "netns: with the second gone, the first goes on" judge answered "$tmp/after" "$n"
ktap_check "netns: with every flow where it was" judge back "$tmp/one" "$tmp/after"
