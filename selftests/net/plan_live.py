#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
plan_live.py - what `ringlb plan` says of a change before it is made, held against dumps of the
running kernel's table: before the change, right after it, and when all slots have settled.
Slot by slot: from whom to whom, how many at once, how many later, how many needlessly. Runs in
a namespace of its own, as root, with the tool in PATH.
"""
import collections
import ipaddress
import json
import struct
import subprocess

import genl
import ktap
from genl import Genl, parse, u32
from ktap import claim
from table_settle import facts, named, settle, table

N = 30

# Changes of service web, one after the other. "stay": what is pending stays so, and the next
# change begins from a table that is not the canonical one.
CASES = (
    "backend add 10.0.1.244 weight 2",
    "backend del 10.0.0.7",
    "backend set 10.0.0.9 weight 6",
    "backend set 10.0.0.11 weight 1",
    "backend set 10.0.0.12 weight 0",
    "backend set 10.0.0.12 weight 3",
    "backend add 10.0.1.1 10.0.1.2 10.0.1.3 weight 3",
    "backend del 10.0.0.3 backend add 10.0.1.4 backend set 10.0.0.4 weight 5",
    "stay backend del 10.0.1.1",
    "stay backend add 10.0.1.9 weight 4",
    "backend set 10.0.0.5 10.0.0.6 weight 4 backend del 10.0.1.2",
    "service set slack none",
    "backend del 10.0.0.8",
    "service set method maglev",
    "backend add 10.0.0.8 weight 2",
    "service set slots 8192",
    "service set method ring",
    "backend set 10.0.0.9 weight 2",
    "service set vnodes 40",
    "service set method rendezvous slack 1% slots 4096",
)


def ringlb(*words, given=None):
    return subprocess.run(("ringlb",) + words, input=given, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def changes(words):
    """'backend add A service set B' -> ['backend add A', 'service set B']"""
    found = []
    for word in words.split():
        if word in ("backend", "service"):
            found.append([])
        found[-1].append(word)
    return found


def apply(words):
    ringlb("-b", "-", given="".join(
        " ".join(c[:2] + ["web"] + c[2:]) + "\n" for c in changes(words)))


def weights(g):
    """Of the members, as the kernel tells."""
    found = {}
    for _, attrs in g.request(genl.CMD_BACKEND_GET, named("web"), dump=True):
        inside = dict(parse(dict(parse(attrs))[genl.A_BACKEND]))
        weight = struct.unpack("=I", inside[genl.A_BACKEND_WEIGHT])[0]
        if weight:
            found[struct.unpack(">I", inside[genl.A_BACKEND_IPV4])[0] - 0x0A000000] = weight
    return found


def stretch(owners, slots):
    """A table as if it had more slots: each stands for several."""
    return [o for o in owners for _ in range(slots // len(owners))]


def expected(tables, old, new):
    """The plan's figures, from owners alone"""
    slots = max(len(t) for t in tables)
    moves = collections.Counter()
    once_and_again = 0
    for before, at_once, after in zip(*(stretch(t, slots) for t in tables)):
        if before != at_once:
            moves[before, at_once, "at_once"] += 1
        if at_once != after:
            moves[at_once, after, "later"] += 1
        once_and_again += before != at_once and at_once != after
    alone = {n for n in old if old[n] == new.get(n)}
    total = collections.Counter()
    for (a, b, when), count in moves.items():
        total[when] += count
        total["needless"] += count * (a in alone and b in alone)
    return {"slots": slots, "moved": sum(moves.values()), "at_once": total["at_once"],
            "later": total["later"], "needless": total["needless"], "moves": moves,
            "once_and_again": once_and_again,
            "needless_pairs": {(a, b) for a, b, _ in moves if a in alone and b in alone}}


def number(word):
    return int(ipaddress.ip_address(word)) - 0x0A000000


def said(plan):
    moves = collections.Counter()
    for m in plan["moves"]:
        for when in ("at_once", "later"):
            moves[number(m["from"]), number(m["to"]), when] += m[when]
    return {**{key: plan[key] for key in ("slots", "moved", "at_once", "later", "needless")},
            "moves": +moves, "once_and_again": 0,
            "needless_pairs": {(number(m["from"]), number(m["to"])) for m in plan["moves"]
                               if m["needless"]}}


def different(got, want):
    return {key: (got[key], want[key]) for key in want if got[key] != want[key]}


def owned(plan, tables, old, new):
    """What is wrong with the plan's shares"""
    wrong = []
    counts = [collections.Counter(t) for t in tables]
    for b in plan["backends"]:
        n = number(b["backend"])
        if [b[f"slots_{w}"] for w in ("before", "at_once", "after")] != [c[n] for c in counts]:
            wrong.append(b)
        if (b.get("weight_before"), b.get("weight_after")) != (old.get(n), new.get(n)):
            wrong.append(b)
    if {number(b["backend"]) for b in plan["backends"]} != set(old) | set(new):
        wrong.append("other backends")
    return wrong


def pace(g, tenths):
    g.request(genl.CMD_SERVICE_SET, named("web", u32(genl.A_SERVICE_SETTLE, tenths)))


def settled(g):
    """Slots that are pending when all had time to settle"""
    pace(g, 1000)
    left, _ = settle(g, "web")
    pace(g, 0)
    return left


def case(g, words):
    stay = words.startswith("stay ")
    words = words[5:] if stay else words
    old, before = weights(g), table(g, "web")
    plan = json.loads(ringlb("-j", "plan", "web", *words.split()))[0]
    claim(table(g, "web") == before and weights(g) == old, f"plan: {words}: it changes nothing")
    apply(words)
    at_once, new = table(g, "web"), weights(g)
    pending = facts(g, "web")["pending"]
    if stay:        # what a fresh gateway has, from the tool
        shown = ringlb("-f", "-", "-j", "table", "show", "web", given=ringlb("save"))
        after = [number(o) for o in json.loads(shown)[0]["owners"]]
    else:
        left = settled(g)
        after = table(g, "web")
        claim(left == 0, f"plan: {words}: all slots have settled", left)
    tables = (before, at_once, after)
    claim(not different(said(plan), expected(tables, old, new)),
          f"plan: {words}: moves are exactly those of the dumps",
          different(said(plan), expected(tables, old, new)))
    claim(not owned(plan, tables, old, new), f"plan: {words}: so are shares and weights",
          owned(plan, tables, old, new)[:3])
    return pending


def main():
    stays = sum(c.startswith("stay ") for c in CASES)
    ktap.plan(4 * len(CASES) - stays + 2)
    g = Genl()
    ringlb("service", "add", "web", "tcp", "192.0.2.10:80", "slots", "4096", "settle", "0%")
    apply("".join(f"backend add 10.0.0.{n} weight {1 + n % 3} " for n in range(1, N + 1)))
    waited = [case(g, words) for words in CASES]
    claim(sum(n > 0 for n in waited) >= 6, "plan: of these changes many leave slots to settle",
          waited)
    limit = subprocess.run("ringlb plan web backend del 10.0.0.9 limit 0%".split(), check=False,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    claim(limit == 3, "plan: above the limit it ends with 3", limit)
    ktap.finish()


if __name__ == "__main__":
    main()
