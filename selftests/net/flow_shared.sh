#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_shared.sh - two services that send to the same address and port of a backend
#
# Such services remember all their flows. A client that comes to both VIPs from one port meets
# different backends, since one would take its packets for one flow; if there is no other one,
# its packets are dropped and counted.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 100 25)
ports=(--source "$cli4" --ports "20000-$((20000 + n - 1))")

shared()		# shared NAME PROTO VIPPORT BACKENDPORT [N]: its backends are others' as well
{
	must rlb service add "$1" "$2" "$vip4:$3" method ring track all
	for ((b = 1; b <= ${5:-$backends}; b++)); do
		must rlb backend add "$1" "$(be_at 4 "$b" "$4")"
	done
}

backends_of()		# backends_of LOG: for each port, who answered
{
	jq -r '"\(.src) \(.name)"' "$1" | sort
}

pairs()			# pairs LOG LOG: how many ports are at the same backend in both
{
	comm -12 <(backends_of "$1") <(backends_of "$2") | wc -l
}

ktap_plan 17
bed 3
servers 5353 8080

# Refusals
must rlb service add plain tcp "$vip4:90" track auto
must rlb backend add plain "$(be_at 4 1 8080)"
must rlb service add web tcp "$vip4:80" method ring track all
why="replies could not be told apart without track all in both"
ktap_refuse "shared: not with a service that does not remember all flows" 2 "$why" \
	rlb backend add web "$(be_at 4 1 8080)"
must rlb service del plain
must rlb service del web
shared web tcp 80 8080
must rlb service add alt tcp "$vip4:81" method ring
ktap_refuse "shared: nor by one that does not" 2 "$why" rlb backend add alt "$(be_at 4 1 8080)"
must rlb service del alt
shared alt tcp 81 8080
ktap_refuse "shared: both go on to remember all" 2 "track must be all in both" \
	rlb service set web track auto
rlb save >"$tmp/saved"
ktap_is "shared: what is saved says the same offline" "$(rlb -f "$tmp/saved" service show | wc -l)" \
	"$(rlb service show | wc -l)"
must rlb flush
must rlb -b "$tmp/saved"
ktap_is "shared: and can be restored" "$(rlb save)" "$(<"$tmp/saved")"

# The same ports to both VIPs at once
rounds web cli tcp "$vip4" 80 "${ports[@]}"
rounds alt cli tcp "$vip4" 81 "${ports[@]}"
round one web alt
ktap_check "shared: connections of both VIPs from the same ports are answered" \
	judge answered "$tmp/web:one" "$n" + answered "$tmp/alt:one" "$n"
ktap_is "shared: none at the backend of the other one" "$(pairs "$tmp/web:one" "$tmp/alt:one")" 0
ktap_is "shared: all of them are shown" "$(rlbj flow show | jq length)" $((2 * n))

# The backend that packets were found by goes; that of the other service stays.
must rlb backend del web "$(be_at 4 1 8080)"
round two alt
ktap_check "shared: a backend removed here goes on there" judge stay "$tmp/alt:one" "$tmp/alt:two"
must rlb service del web
round three alt
ktap_check "shared: and when all are" judge stay "$tmp/alt:one" "$tmp/alt:three"
hush web
hush alt

# Datagrams; and one backend alone
shared dns udp 53 5353
shared dns2 udp 54 5353 1
flows cli "$tmp/dns" udp "$vip4" 53 "${ports[@]}"
ktap_check "shared: datagrams are answered" judge answered "$tmp/dns" "$n"
at1=$(jq -r .name "$tmp/dns" | grep -c be1)
flows cli "$tmp/dns2" udp "$vip4" 54 "${ports[@]}" --timeout 0.5
ktap_is "shared: with no other backend, those that have a flow to this one are not" \
	"$(jq -r 'select(.error) | .error' "$tmp/dns2" | wc -l)" "$at1"
ktap_is "shared: their packets are dropped and counted" \
	"$(($(counted dns2 drop_clash) >= at1 && at1 > 0))" 1
ktap_is "shared: the others are" "$(jq -r 'select(.name) | .name' "$tmp/dns2" | wc -l)" $((n - at1))
must rlb flow flush dns
flows cli "$tmp/dns3" udp "$vip4" 54 "${ports[@]}"
ktap_check "shared: when those flows have ended, all are" judge answered "$tmp/dns3" "$n"

# A client's error about what it got, and a backend's about what it did, find the flow.
must rlb service add none udp "$vip4:99" track all
must rlb service add none2 udp "$vip4:98" track all
must rlb backend add none "$(be_at 4 1 999)"
must rlb backend add none2 "$(be_at 4 1 999)"
flows cli "$tmp/none" udp "$vip4" 99 --connected --ports 30000-30009
ktap_is "shared: a backend's refusal comes from the VIP" \
	"$(jq -r 'select(.error == "ECONNREFUSED") | .error' "$tmp/none" | wc -l)" 10
ktap_is "shared: and is counted for its service" "$(counted none icmp_out) $(counted none2 icmp_out)" "10 0"
