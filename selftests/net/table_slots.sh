#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_slots.sh - method slots in the running kernel: the table is the operator's map
# timeout: 120
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n_flows=$(scaled 48 12)
slots=4096

map()			# map FILE SLOTS SEED N...: slots to these backends, in lines of any order
{
	python3 - "$@" <<-'END'
	import random, sys
	path, slots, seed, *backends = sys.argv[1:]
	rng = random.Random(int(seed))
	lines, at = [], 0
	while at < int(slots):
	    last = min(at + rng.choice((0, 0, 1, 30)), int(slots) - 1)
	    word = str(at) if last == at and rng.random() < .5 else f"{at}-{last}"
	    lines.append(f"{word} 10.0.2.1{rng.choice(backends)}:8080")
	    at = last + 1
	rng.shuffle(lines)
	with open(path, "w", encoding="ascii") as f:
	    f.write("# made up\n\n" + "\n".join(lines) + "  # the last one\n")
	END
}

# Slots in which a table is not what the map says, and how many it has
is_map()		# is_map FILE TABLE
{
	python3 - "$@" <<-'END'
	import json, sys
	owner = {}
	for line in open(sys.argv[1], encoding="ascii"):
	    words = line.partition("#")[0].split()
	    if words:
	        first, _, last = words[0].partition("-")
	        owner.update(dict.fromkeys(range(int(first), int(last or first) + 1), words[1]))
	table = json.load(open(sys.argv[2], encoding="ascii"))[0]["owners"]
	print(sum(owner.get(s) != o for s, o in enumerate(table)), len(table))
	END
}

# What a plan says of each pair at once, less what the tables before and after have; and later
is_plan()		# is_plan PLAN BEFORE AFTER
{
	python3 - "$@" <<-'END'
	import collections, json, sys
	plan, before, after = (json.load(open(p, encoding="ascii"))[0] for p in sys.argv[1:])
	moves = collections.Counter(
	    (a, b) for a, b in zip(before["owners"], after["owners"]) if a != b)
	said = {(m["from"], m["to"]): m["at_once"] for m in plan["moves"]}
	print("same" if said == dict(moves) and moves else (said, moves),
	      plan["moved"] - sum(moves.values()), plan["later"], plan["needless"])
	END
}

# Flows that came to another backend than the one that owns their slot, and how many came
astray()		# astray TABLE PORTS
{
	forget
	flows cli "$tmp/answers" tcp "$vip4" 80 --source "$cli4" --ports "$2"
	jq -r 'select(.event == "accept") | "\(.backend) \(.peer)"' "$servers_log" |
		while read -r name peer; do
			echo "$name $(rlbj lookup tcp "$peer" "$vip4:80")"
		done >"$tmp/came"
	python3 - "$1" "$tmp/came" <<-'END'
	import json, sys
	owners = json.load(open(sys.argv[1], encoding="ascii"))[0]["owners"]
	came = [line.split(" ", 1) for line in open(sys.argv[2], encoding="ascii")]
	print(sum(owners[json.loads(said)["slot"]] != f"10.0.2.1{name[2:]}:8080"
	          for name, said in came), len(came))
	END
}

facts()			# facts KEY...: of the service
{
	rlbj service show web | jq -c '.[0] | [.[$ARGS.positional[]]]' --args "$@"
}

table()			# table FILE: of the kernel
{
	must rlbj table show web >"$tmp/$1"
}

ktap_plan 17
farm 4
farm_servers 4 "$servers_log" 8080
must rlb service add web tcp "$vip4:80" slots $slots
must rlb backend add web "$(be_at 4 1 8080)" "$(be_at 4 2 8080)" "$(be_at 4 3 8080)"
map "$tmp/one" $slots 1 1 2 3
table before
must rlbj plan web service set method slots map "$tmp/one" >"$tmp/plan"
must rlb service set web method slots map "$tmp/one"
table one.table
ktap_is "slots: every slot is the backend's that the map names" \
	"$(is_map "$tmp/one" "$tmp/one.table")" "0 $slots"
ktap_is "slots: all at once, in one change" "$(facts generation pending)" "[3,0]"
ktap_is "slots: a plan says what moves, slot by slot" \
	"$(is_plan "$tmp/plan" "$tmp/before" "$tmp/one.table")" "same 0 0 0"
ktap_is "slots: flows come to the owners of their slots" \
	"$(astray "$tmp/one.table" "20000-$((19999 + n_flows))")" "0 $n_flows"

out=$(rlb backend del web "$(be_at 4 2 8080)" 2>&1)
busy="map gives slots to a backend that would go or have no weight: give another map first, or in one change"
ktap_is "slots: a backend that owns slots is not removed" "$out" "ringlb: backend del: $busy"
out=$(rlb backend set web "$(be_at 4 1 8080)" weight 0 2>&1)
ktap_is "slots: nor does it lose its weight" "$out" "ringlb: backend set: $busy"
out=$(rlb service set web slots 8192 2>&1)
ktap_is "slots: another number of slots needs a map" "$out" \
	"ringlb: service set: another number of slots needs a map of them"
sed 's/ 10\.0\.2\.12:8080/ 10.0.2.14:8080/' "$tmp/one" >"$tmp/strange"
line=$(sed 's/-[0-9]*//' "$tmp/strange" | grep -n 14:8080 | sort -t: -k2n | head -1 | cut -d: -f1)
words=$(sed -n "${line}s/ .*//p" "$tmp/strange" | sed 's/-/ to /')
[[ $words == *to* ]] || words="$words to $words"
out=$(rlb service set web map "$tmp/strange" 2>&1)
ktap_is "slots: a backend that is not there is told with its line" "$out" \
	"ringlb: service set: $tmp/strange:$line: slots $words are given to 10.0.2.14:8080, which is no backend of the service"
table still
ktap_check "slots: of all this nothing has changed" cmp "$tmp/one.table" "$tmp/still"

map "$tmp/two" $slots 2 1 3 4
must rlbj plan web backend add "$(be_at 4 4 8080)" backend del "$(be_at 4 2 8080)" \
	service set map "$tmp/two" >"$tmp/plan"
must rlb -b - <<-END
	backend add web $(be_at 4 4 8080)
	service set web map $tmp/two
	backend del web $(be_at 4 2 8080)
END
table two.table
ktap_is "slots: a new map, a new backend and one that goes are one change" \
	"$(is_map "$tmp/two" "$tmp/two.table") $(facts generation pending)" "0 $slots [4,0]"
ktap_is "slots: the plan of it says what moves, slot by slot" \
	"$(is_plan "$tmp/plan" "$tmp/one.table" "$tmp/two.table")" "same 0 0 0"
ktap_is "slots: flows come to the new owners" \
	"$(astray "$tmp/two.table" "40000-$((39999 + n_flows))")" "0 $n_flows"

must rlb save secret >"$tmp/saved"
ns_add other
# shellcheck disable=SC2154 # ns_add sets it
must ringlb -n "$other" -b "$tmp/saved"
must ringlb -n "$other" save secret >"$tmp/again"
ktap_check "slots: what is saved makes the same, and is saved as the same" \
	cmp "$tmp/saved" "$tmp/again"
same='.[0] | [.slots, .digest, .owners]'
for f in "$(rlbj table show web)" "$(ringlb -n "$other" -j table show web)" \
	"$(ringlb -j -f "$tmp/saved" table show web)"; do
	jq -c "$same" <<<"$f"
done | uniq | wc -l >"$tmp/kinds"
ktap_is "slots: tool and other gateways have the same table from it" "$(cat "$tmp/kinds")" 1
must rlb table map web >"$tmp/three"
ktap_is "slots: table map prints a map of the table" "$(is_map "$tmp/three" "$tmp/two.table")" \
	"0 $slots"

# As many ranges as slots, in many messages.
seq 0 16383 | sed 's/[02468]$/& 10.0.2.11:8080/; t; s/$/ 10.0.2.13:8080/' >"$tmp/long"
must rlb service set web slots 16384 map "$tmp/long"
table long.table
ktap_is "slots: a map that takes many messages is one change" \
	"$(is_map "$tmp/long" "$tmp/long.table") $(facts generation pending)" "0 16384 [5,0]"
must rlb service set web method rendezvous settle 0%
ktap_is "slots: another method moves nothing at once" "$(facts method pending slots |
	jq -c '[.[0], .[1] > 0, .[2]]')" '["rendezvous",true,16384]'
