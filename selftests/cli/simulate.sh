#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# simulate.sh - what simulate prints: all methods, true figures, the same each time
#
# In:  the built tool, python3 (simulate.py); no module, no root.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

judge()			# judge PYTHON: true of the array `rows` and of `by`, methods by name
{
	python3 -c '
import json, sys
rows = json.load(open(sys.argv[1]))
by = {a["method"]: a for a in rows}
assert eval("(" + sys.argv[2] + ")"), rows' "$dir/json" "$1"
}

without_times()
{
	sed -E 's/"build_ms":[^,]*,//g'
}

run()			# run WORD...: 0 and its last line, or the status and the refusal
{
	local out

	out=$("$ringlb" "$@" 2>&1)
	echo "$? $(tail -n 1 <<<"$out")"
}

ktap_plan 23

for method in ring rendezvous maglev; do
	ktap_is "simulate: $method: moves, excess and shares are those of its tables" \
		"$(python3 "$here/simulate.py" "$ringlb" "$dir" "$method" 2>&1)" ""
done

"$ringlb" -j simulate backends 100 >"$dir/json"
ktap_check "simulate: an object a method, each method once" judge 'len(by) == len(rows)'
ktap_check "simulate: the methods of services, then those for teaching" judge '
	(set(by) == {"ring", "rendezvous", "maglev", "seat", "modulo", "jump", "kademlia",
	"chord"} and
	[a["teaching"] for a in rows] == sorted(a["teaching"] for a in rows) and
	by["maglev"]["teaching"] is False and by["modulo"]["teaching"] is True)'
ktap_check "simulate: every method has every figure, as a number" judge '
	all(isinstance(a[k], (int, float)) and a[k] >= 0 for a in rows for k in (
	"backends slots seed peak_to_mean min_to_mean moved_on_add excess_on_add moved_on_remove "
	"excess_on_remove moved_on_weight excess_on_weight needless_disagreement spread "
	"max_view_load build_ms bytes").split())'
ktap_check "simulate: of 100 backends at 65536 slots" judge '
	all((a["backends"], a["slots"], a["seed"]) == (100, 65536, 0) for a in rows)'
ktap_check "simulate: ring, seat, kademlia and chord move no more than they must" judge '
	not any(by[m][f"excess_on_{k}"] or by[m]["needless_disagreement"]
	for m in ("ring", "seat", "kademlia", "chord") for k in ("add", "remove", "weight"))'
ktap_check "simulate: rendezvous keeps within slack, and moves less than maglev" judge '
	(by["rendezvous"]["peak_to_mean"] < 1.0118 and by["maglev"]["peak_to_mean"] < 1.0016 and
	by["rendezvous"]["excess_on_remove"] < by["maglev"]["excess_on_remove"] / 2)'
ktap_check "simulate: modulo moves nearly all" judge '
	all(98 < by["modulo"][f"moved_on_{k}"] < 100 for k in ("add", "remove", "weight"))'
ktap_check "simulate: jump is exact at the end of its list alone" judge '
	by["jump"]["excess_on_add"] == 0 and by["jump"]["excess_on_remove"] > 1000'
ktap_check "simulate: gateways that disagree give a backend more than one does" judge '
	all(a["max_view_load"] >= a["peak_to_mean"] and 1.5 < a["spread"] < 10 for a in rows)'
ktap_check "simulate: chord hops where a table is looked at once" judge '
	(2 < by["chord"]["hops"] < 6 and by["chord"]["hops_max"] < 16 and by["ring"]["loads"] == 1
	and "hops" not in by["ring"] and "loads" not in by["chord"])'

"$ringlb" -j simulate backends 100 | without_times >"$dir/again"
ktap_check "simulate: the same figures each time" cmp <(without_times <"$dir/json") "$dir/again"
"$ringlb" -j simulate backends 100 seed 7 | without_times >"$dir/other"
ktap_is "simulate: others with another seed" \
	"$(cmp -s <(without_times <"$dir/json") "$dir/other"; echo $?)" 1

"$ringlb" -j simulate backends 9 weight 1,2,4 slots 4096 slack 0% vnodes 7 >"$dir/json"
ktap_check "simulate: options are taken" judge '
	(all((a["backends"], a["slots"]) == (9, 4096) for a in rows) and
	by["kademlia"]["bytes"] == 10 * 7 * 21 and by["maglev"]["peak_to_mean"] < 1.01)'
"$ringlb" simulate backends 9 slots 4096 >"$dir/text" 2>"$dir/err"
ktap_is "simulate: in text a method is a column" \
	"$(head -n 1 "$dir/text" | tr -s ' ' | cut -d' ' -f1-4)" "method ring rendezvous maglev"
script -qec "'$ringlb' simulate backends 100 slots 262144 >/dev/null" /dev/null >"$dir/err"
ktap_check "simulate: long ones show progress on a terminal" grep -q 'simulate: [a-z]*: table [0-9]* of 35' "$dir/err"
"$ringlb" simulate backends 9 slots 4096 >"$dir/text" 2>"$dir/err"
ktap_is "simulate: no progress but on a terminal" "$(cat "$dir/err")" ""
"$ringlb" -j simulate backends 1 slots 4096 >"$dir/json"
ktap_check "simulate: one backend cannot go" judge '
	all("moved_on_remove" not in a and a["excess_on_weight"] == 0 for a in rows)'

cat >"$dir/conf" <<END
service add web tcp 192.0.2.1:80
backend add web 10.0.0.1 weight 0
END
ktap_is "simulate: a service without members" "$(run -f "$dir/conf" simulate web)" \
	'2 ringlb: simulate: service "web" has no backend with a weight'
ktap_is "simulate: a service that is not there" "$(run -f "$dir/conf" simulate dns)" \
	"2 ringlb: $dir/conf: service \"dns\": no such service"
ktap_is "simulate: a method that cannot hold the backends is told of" \
	"$("$ringlb" simulate backends 65 weight 65535 slots 4096 2>&1 >/dev/null | sort)" \
	"$(printf 'ringlb: note: %s cannot hold these backends\n' chord kademlia ring)"
