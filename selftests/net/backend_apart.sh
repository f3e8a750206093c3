#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# backend_apart.sh - what one service does about a host is nothing to another one, nor to what
# else that host and the VIP are for
#
# The same hosts are backends of two services, at two ports. One of the VIPs is an address of
# the gateway, which has other things to say there.
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 100 30)

talk()			# talk NAME VIPPORT: n connections that stay open
{
	rounds "$1" cli tcp "$vip4" "$2" --source "$cli4" --ports "$3-$(($3 + n - 1))" --timeout 60
}

facts()			# facts SERVICE: of its backends, all but what traffic changes
{
	rlbj backend show "$1" | jq -c '[.[] | del(.flows)]'
}

undisturbed()		# undisturbed WORDS ROUND: 2 claims: of the service alt nothing has changed
{
	ktap_is "apart: $1: the other service's backends are as they were" "$(facts alt)" "$before"
	round "$2" alt
	ktap_check "apart: $1: its connections stay" judge back "$tmp/alt:one" "$tmp/alt:$2"
}

errors()		# errors ROUND: each kind once
{
	jq -r --arg round "$1" 'select(.round == $round and .error) | .error' "$tmp/web" | sort -u
}

ktap_plan 14
bed 3
must ip -n "$gw" addr add "$vip4/32" dev cli
servers 5353 8080
service web tcp 4 80 8080
service alt tcp 4 81 5353
talk web 80 20000
talk alt 81 20000
round one web alt
before=$(facts alt)

must rlb backend drain web "$(be_at 4 1 8080)"
undisturbed "one drains" two
must rlb backend set web "$(be_at 4 2 8080)" weight 5
undisturbed "another weight" three
must rlb backend down web "$(be_at 4 3 8080)"
undisturbed "one down" four
must rlb backend del web "$(be_at 4 1 8080)"
undisturbed "one removed" five
round five web
ktap_check "apart: of the service itself others stay" \
	judge stay "$tmp/web:one" "$tmp/web:five" except 1 gone 1 except 3 gone 3
ktap_is "apart: clients of those that are gone are told so, at once" "$(errors five)" ECONNRESET
ktap_is "apart: and all of them" "$(jq -r 'select(.round == "five") | .error // .name' "$tmp/web" |
	grep -c ECONNRESET)" "$(jq -r 'select(.round == "one") | .name' "$tmp/web" | grep -vc be2)"

# The VIP's own other ports, and the gateway's other address
background ready "$selftests/net/who.py" --log "$tmp/own" --port 8022 "own=$gw@$vip4"
flows cli "$tmp/other" tcp "$vip4" 8022 --ports 40000-40009
flows cli "$tmp/other" udp "$vip4" 8022 --ports 40000-40009
ktap_check "apart: other ports of the VIP are the gateway's" judge answered "$tmp/other" 20
ktap_check "apart: and echo is" in_ns "$cli" busybox ping -c 2 -W 5 "$vip4"
flows cli "$tmp/host" udp "$(be_at 4 3)" 8080 --ports 40000-40009
ktap_check "apart: and a backend's other ports are its own" judge answered "$tmp/host" 10
