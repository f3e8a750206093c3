#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
plan_moves.py - a plan held against the tables of two files, slot by slot

  plan_moves.py check PLAN BEFORE AFTER CONF_BEFORE CONF_AFTER

PLAN, BEFORE, AFTER: what `ringlb -j plan` and `ringlb -j table show` print; CONF_*: what
`ringlb save` prints of both. Prints what differs, or nothing.
"""

import collections
import json
import sys


def load(path):
    with open(path, encoding="ascii") as f:
        (one,) = json.load(f)
        return one


def weights(path, service):
    with open(path, encoding="ascii") as f:
        words = [line.split() for line in f]
    pairs = {w[3]: dict(zip(w[4::2], w[5::2])) for w in words
             if w[:3] == ["backend", "add", service]}
    return ({b: int(p["weight"]) for b, p in pairs.items()},
            {b: p.get("id", b) for b, p in pairs.items()})


def expected(before, after, old, new, renamed):
    """The plan's figures, from owners alone"""
    slots = max(before["slots"], after["slots"])
    same_size = before["slots"] == after["slots"]
    moves = collections.Counter()
    counts = collections.Counter()
    for s in range(slots):
        a = before["owners"][s * before["slots"] // slots]
        b = after["owners"][s * after["slots"] // slots]
        if a is None or a == b:
            continue
        alone = b is not None and a in new and b in old and old[a] == new[a] and old[b] == new[b]
        alone = alone and not {a, b} & renamed
        # what must move: the owner goes or loses, or the new one comes, gains or is another
        must = (not same_size or b is None or a not in new or new[a] < old[a]
                or new[b] > old.get(b, 0) or {a, b} & renamed)
        must = bool(must)
        moves[a, b, must, alone] += 1
        counts["at_once" if must else "later"] += 1
        counts["needless"] += alone
        counts["moved"] += 1
    return slots, moves, counts


def main(plan, before, after, conf_before, conf_after):
    plan, before, after = load(plan), load(before), load(after)
    old, old_ids = weights(conf_before, plan["service"])
    new, new_ids = weights(conf_after, plan["service"])
    renamed = {b for b in old if b in new and old_ids[b] != new_ids[b]}
    old = {k: v for k, v in old.items() if v}
    new = {k: v for k, v in new.items() if v}
    slots, moves, counts = expected(before, after, old, new, renamed)

    def same(what, got, want):
        if got != want:
            print(f"{what}: the plan has {got}, the tables {want}")

    same("slots", plan["slots"], slots)
    for key in ("moved", "at_once", "later", "needless"):
        same(key, plan[key], counts[key])
        same(f"{key}_share", round(plan[f"{key}_share"], 9), round(100 * counts[key] / slots, 9))
    got = collections.Counter()
    for m in plan["moves"]:
        got[m["from"], m.get("to"), True, m["needless"]] += m["at_once"]
        got[m["from"], m.get("to"), False, m["needless"]] += m["later"]
        same("slots of a move", m["slots"], m["at_once"] + m["later"])
    same("moves", +got, moves)
    same("backends", [b["backend"] for b in plan["backends"]],
         sorted(set(old) | set(new), key=lambda w: [int(n) for n in w.replace(":", ".").split(".")]))
    for b in plan["backends"]:
        w = b["backend"]
        same(f"{w} before", b["slots_before"], before["owners"].count(w))
        same(f"{w} after", b["slots_after"], after["owners"].count(w))
        same(f"{w} weights", (b.get("weight_before"), b.get("weight_after")),
             (old.get(w), new.get(w)))
    for which, table, w in (("before", before, old), ("after", after, new)):
        peak = max((table["owners"].count(b) * sum(w.values()) / (table["slots"] * n)
                    for b, n in w.items()), default=0)
        same(f"peak {which}", round(plan[f"peak_to_mean_{which}"], 9), round(peak, 9))


if __name__ == "__main__":
    {"check": main}[sys.argv[1]](*sys.argv[2:])
