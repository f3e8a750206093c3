#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# nat_offload.sh - every byte arrives, and every checksum is right, whoever computes it
#
# veth leaves checksums and segmentation to the receiver while offloads are on: what such a
# packet holds proves nothing. So everything is done twice, and receivers' counters judge.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

size=$(scaled 21000000)
n=$(scaled 50)

transfers()		# transfers WORDS: 5 claims
{
	local family op way

	for family in 4 6; do
		local -n vip=vip$family
		for op in put get; do
			way=to
			[[ $op == put ]] || way=from
			flows cli "$tmp/$op.$family.$1" tcp "$vip" 80 --op "$op:$size" --timeout 20
			ktap_check "offload $1: $size bytes $way the VIP over IPv$family" \
				judge answered "$tmp/$op.$family.$1" 1
		done
		flows cli "$tmp/udp.$1" udp "$vip" 53 --size 1400 --reply 1400 \
			--ports "20000-$((19999 + n))"
	done
	ktap_check "offload $1: datagrams both ways" judge answered "$tmp/udp.$1" $((2 * n))
}

# The two bytes at the end of "who\n" that make the checksum 0 once it goes to the backend.
to_zero()		# to_zero SRC SPORT DST DPORT
{
	python3 - "$@" <<-'END'
		import socket, struct, sys
		src, sport, dst, dport = sys.argv[1:]
		family = socket.AF_INET6 if ":" in src else socket.AF_INET
		data = (socket.inet_pton(family, src) + socket.inet_pton(family, dst) +
		        struct.pack(">IIHHHH", 14, 17, int(sport), int(dport), 14, 0) + b"who\n")
		total = sum(struct.unpack(f">{len(data) // 2}H", data))
		print(f"{-total % 0xffff:04x}")
	END
}

checksums_seen()	# checksums_seen LOG: of datagrams from the client, each once
{
	jq -r 'select(.way == "in" and .proto == "udp" and .sport >= 30000) | .checksum' "$1" |
		sort -u | tr '\n' ' '
}

ktap_plan 19
bed 2
servers 8080 5353 5354
service web4 tcp 4 80 8080
service web6 tcp 6 80 8080
service dns4 udp 4 53 5353
service dns6 udp 6 53 5353
service one4 udp 4 54 5354 1
service one6 udp 6 54 5354 1

offloads off
transfers off

sniff be1 "$tmp/none" --proto udp
flows cli "$tmp/none.c" udp "$vip4" 54 --no-check --ports "30000-$((29999 + n))"
ktap_check "offload off: datagrams without a checksum are answered" \
	judge answered "$tmp/none.c" "$n"
wait_for 5 test -s "$tmp/none"
end "$background_pid"
ktap_is "offload off: no checksum stays no checksum" "$(checksums_seen "$tmp/none")" "0 "

for family in 4 6; do
	declare -n vip=vip$family source=cli$family
	sniff be1 "$tmp/zero$family" --proto udp
	flows cli "$tmp/zero$family.c" udp "$vip" 54 --source "$source" --ports 30000-30000 \
		--tail "$(to_zero "$source" 30000 "$(be_at "$family" 1)" 5354)"
	wait_for 5 test -s "$tmp/zero$family"
	end "$background_pid"
	ktap_check "offload off: a checksum that becomes 0 over IPv$family is answered" \
		judge answered "$tmp/zero$family.c" 1
	ktap_is "offload off: it is sent as 65535" "$(checksums_seen "$tmp/zero$family")" "65535 "
done

offloads on
transfers on
sniff be1 "$tmp/none.on" --proto udp
flows cli "$tmp/none.on.c" udp "$vip4" 54 --no-check --ports "30000-$((29999 + n))"
wait_for 5 test -s "$tmp/none.on"
end "$background_pid"
ktap_is "offload on: no checksum stays no checksum" "$(checksums_seen "$tmp/none.on")" "0 "

# shellcheck disable=SC2046
ktap_is "offload: no receiver saw a damaged packet" "$(wire_errors cli gw $(all_bes))" 0
# Path MTU errors because of merged packets would be errors, too.
ktap_is "offload: the gateway found no packet too big" \
	"$(nstat_of gw IcmpOutDestUnreachs) $(nstat_of gw Icmp6OutPktTooBigs)" "0 0"
