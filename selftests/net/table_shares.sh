#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_shares.sh - slots follow weights, and flows follow slots, as closely as chance allows
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

settled()		# settled SERVICE
{
	[[ $(rlbj service show "$1" | jq '.[0].pending') == 0 ]]
}

n=$(scaled 2000 400)

ktap_plan 7
bed 4
servers 5353 8080

service dns4 udp 4 53 5353
for i in 1 2 3 4; do
	must rlb backend set dns4 "$(be_at 4 "$i" 5353)" weight "$i"
done
rlbj table show dns4 >"$tmp/table4"
ktap_check "shares: weights 1 to 4 have slots as a ring of 160 virtual nodes gives" \
	judge weights "$tmp/table4" 160 1=1 2=2 3=3 4=4
# Another number of virtual nodes moves nothing at once: it settles.
must rlb service set dns4 vnodes 4000 settle 100% timeout 1
must wait_for 30 settled dns4
rlbj table show dns4 >"$tmp/table4.fine"
ktap_check "shares: more virtual nodes, closer shares" \
	judge weights "$tmp/table4.fine" 4000 1=1 2=2 3=3 4=4
must rlb service set dns4 vnodes 160
must wait_for 30 settled dns4
rlbj table show dns4 >"$tmp/table4.again"
ktap_check "shares: the same settings, the same table" judge same "$tmp/table4" "$tmp/table4.again"

# One client with ports of one parity, in order: what a load generator does.
flows cli "$tmp/udp4" udp "$vip4" 53 --source "$cli4" --step 2 \
	--ports "32768-$((32767 + 2 * n))"
ktap_check "shares: UDP over IPv4, every other port: flows follow slots" \
	judge answered "$tmp/udp4" "$n" + fair "$servers_log" "$tmp/table4"

# Clients that differ in one group of their address alone, first or last.
service dns6 udp 6 53 5353
rlbj table show dns6 >"$tmp/table6"
ktap_check "shares: equal weights have equal slots, give or take" \
	judge weights "$tmp/table6" 160 1=1 2=1 3=1 4=1
sources=()
for ((i = 1; i <= 100; i++)); do
	sources+=(--source "fd00:1::$(printf %x $((256 + i)))"
		--source "fd00:1:0:$(printf %x "$i")::7")
done
for source in "${sources[@]}"; do
	[[ $source == --source ]] || echo "addr add $source/128 dev gw nodad"
done >"$tmp/addrs"
must ip -n "$cli" -b "$tmp/addrs"
must ip -n "$gw" route add fd00:1::/48 via "$cli6"
forget
flows cli "$tmp/udp6" udp "$vip6" 53 "${sources[@]}" --ports "20000-$((19999 + n))"
ktap_check "shares: UDP over IPv6, neighbouring clients: flows follow slots" \
	judge answered "$tmp/udp6" "$n" + fair "$servers_log" "$tmp/table6"

service web4 tcp 4 80 8080
rlbj table show web4 >"$tmp/table"
forget
flows cli "$tmp/tcp4" tcp "$vip4" 80 --source "$cli4" --ports "20000-$((19999 + n / 2))"
ktap_check "shares: TCP over IPv4, consecutive ports: flows follow slots" \
	judge answered "$tmp/tcp4" "$((n / 2))" + fair "$servers_log" "$tmp/table"
