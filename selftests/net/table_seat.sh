#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_seat.sh - method seat in the running kernel: exact shares, exact changes, one list
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n_changes=$(scaled 160)
slots=4096

ids=()			# of the backends that are there
declare -A weight=()	# by id

backend()		# backend VERB ID [WORD]...
{
	must rlb backend "$1" web "10.0.2.$2:8080" "${@:3}"
}

# One change, as machines come, go, come back, grow and shrink.
change()
{
	local id kind=$((RANDOM % 4))

	id=${ids[RANDOM % ${#ids[@]}]}
	if ((kind == 0 || ${#ids[@]} < 3)); then
		id=$((RANDOM % 200 + 1))
		[[ -n ${weight[$id]-} ]] && return 1
		weight[$id]=$((RANDOM % 9 + 1))
		backend add "$id" id "$id" weight "${weight[$id]}"
	elif ((kind == 1)); then
		unset "weight[$id]"
		backend del "$id"
	else
		weight[$id]=$((weight[$id] + (kind == 2 ? 3 : -1)))
		((weight[$id] > 0)) || weight[$id]=1
		backend set "$id" weight "${weight[$id]}"
	fi
	ids=("${!weight[@]}")
	echo "10.0.2.$id:8080" >>"$tmp/changes"
}

# Of all changes: slots that moved between two backends, neither of which was changed, and
# tables in which some backend has not what its seats ask for, within one slot each.
judged()
{
	python3 - "$tmp" "$n_changes" <<-'END'
	import collections, json, sys

	def load(n):
	    with open(f"{sys.argv[1]}/table.{n}", encoding="ascii") as f:
	        return json.load(f)[0]

	needless = inexact = 0
	before = load(0)
	with open(f"{sys.argv[1]}/changes", encoding="ascii") as f:
	    changed = f.read().split()
	for n in range(int(sys.argv[2])):
	    after = load(n + 1)
	    needless += sum(a != b and None not in (a, b) and changed[n] not in (a, b)
	                    for a, b in zip(before["owners"], after["owners"]))
	    total = sum(s["weight"] for s in after["seats"])
	    own = collections.Counter(after["owners"])
	    seats, weight = collections.Counter(), collections.Counter()
	    for s in after["seats"]:
	        seats[f"10.0.2.{s['id']}:8080"] += 1
	        weight[f"10.0.2.{s['id']}:8080"] += s["weight"]
	    inexact += any(abs(own[b] - weight[b] * after["slots"] / total) >= seats[b]
	                   for b in own if b)
	    before = after
	print(needless, inexact)
	END
}

ktap_plan 15
need_module
ns_add gw
must rlb service add web tcp 192.0.2.10:80 method seat slots $slots
out=$(rlb backend add web 10.0.2.1:8080 2>&1)
ktap_is "seat: a backend without an id is refused, and the reason told" "$out" \
	"ringlb: backend add: method seat needs an id of each backend that has a weight"
ktap_is "seat: and nothing is changed" "$(rlbj backend show)" "[]"
for i in 1 2 3 4; do
	weight[$i]=$i
	backend add "$i" id "$i" weight "$i"
done
ids=("${!weight[@]}")
out=$(rlb backend add web 10.0.2.9:8080 id 2 2>&1)
ktap_is "seat: an id that another backend has is refused, and its attribute named" "$out" \
	"ringlb: backend add: another backend of the service has this id (attribute: id)"
out=$(rlb backend set web 10.0.2.2:8080 id none 2>&1)
ktap_is "seat: to take the id away is refused" "$out" \
	"ringlb: backend set: method seat needs an id of each backend that has a weight"

must rlbj table show web >"$tmp/table.0"
for ((i = 1; i <= n_changes; i++)); do
	until change; do
		:
	done
	must rlbj table show web >"$tmp/table.$i"
done
read -r needless inexact <<<"$(judged)"
ktap_is "seat: $n_changes mixed changes: slots that moved needlessly" "$needless" 0
ktap_is "seat: after each of them every seat has its quota within one slot" "$inexact" 0
ktap_is "seat: nothing is left to settle" "$(rlbj service show | jq '.[0].pending')" 0

must rlb save secret >"$tmp/saved"
same='map([.service, .method, .slots, .digest, .seats, .owners])'
rlbj table show web | jq -c "$same" >"$tmp/kernel"
ringlb -f "$tmp/saved" -j table show web | jq -c "$same" >"$tmp/tool"
ktap_check "seat: kernel and tool compute the same from what was saved" \
	cmp "$tmp/kernel" "$tmp/tool"
ns_add other
# shellcheck disable=SC2154 # ns_add sets it
must ringlb -n "$other" -b "$tmp/saved"
ringlb -n "$other" -j table show web | jq -c "$same" >"$tmp/other"
ktap_check "seat: a gateway that is told what was saved has the same list and slots" \
	cmp "$tmp/kernel" "$tmp/other"
must ringlb -n "$other" save secret >"$tmp/again"
ktap_check "seat: save is the same after a round trip" cmp "$tmp/saved" "$tmp/again"
for ((i = 0; i < 24; i++)); do
	flow="tcp 198.51.100.$i:$((i * 257 + 1024)) 192.0.2.10:80"
	# shellcheck disable=SC2086
	for f in "-n $gw" "-f $tmp/saved"; do
		ringlb -j $f lookup $flow >>"$tmp/raw.${f:1:1}"
	done
done
for f in n f; do
	jq -c '[.slot, .owner, .backend, .probes]' "$tmp/raw.$f" >"$tmp/lookup.$f"
done
ktap_check "seat: lookups are the same in kernel and tool" cmp "$tmp/lookup.n" "$tmp/lookup.f"
ktap_check "seat: some of them look again, for dead seats and lighter backends" \
	grep -q -E ',([2-9]|[1-5][0-9])\]' "$tmp/lookup.n"

digest=$(rlbj table digest | jq -r '.[0].digest')
must ringlb -n "$other" service set web seats \
	"$(ringlb -n "$other" -j table show web | jq -r '.[0].seats | map("\(.id):\(.weight)") |
	   join(",")'),4000000000:1"
ktap_check "seat: one seat more is another digest" test "$digest" != \
	"$(ringlb -n "$other" -j table digest | jq -r '.[0].digest')"
must rlb service set web seats fresh settle 100% timeout 1
settled()
{
	[[ $(rlbj service show | jq '.[0].pending') == 0 ]]
}
must wait_for 60 settled
ktap_is "seat: a fresh list has a seat for each backend" \
	"$(rlbj service show | jq '.[0].seats')" "${#ids[@]}"
must rlb service set web method rendezvous
ktap_is "seat: another method has no seats" "$(rlbj service show | jq '.[0].seats')" null
