#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
judge - compares what clients, servers and ringlb say

  judge.py answered CLIENT N            N flows, all answered, by the VIP as the client sees it
  judge.py failed CLIENT N ERROR        N flows, each failed with ERROR
  judge.py agree CLIENT SERVERS         each flow at just the backend that the client was told
  judge.py lookup SERVERS DST N RINGLB...
                                        N flows at the backend that `RINGLB... -j lookup` names
  judge.py fair SERVERS TABLE           flows follow the slots of the table as chance has it
  judge.py weights TABLE VNODES N=W...  slots follow weights as closely as a ring's do
  judge.py moves BEFORE AFTER [only-to N] [only-from N] [toward N]
                                        [away-from N] [share LOW HIGH]
                                        what differs between two tables, in per cent;
                                        only-: and all slots of N are among it
  judge.py same TABLE TABLE             two tables, equal slot for slot; digests, too
  judge.py stay BEFORE AFTER [except N]... [gone N]...
                                        every flow not at a backend named after "except" has
                                        kept its backend; no flow is now at one named "gone";
                                        others of them are elsewhere, or broken if TCP
  judge.py back BEFORE AFTER            every flow is where it was
  judge.py course LOG N|- LABEL...      from each round to the next flows move to N alone, of
                                        which some do so; -: none moves
  judge.py WORD... + WORD...            both

In:  logs of flows.py (CLIENT, BEFORE, AFTER; FILE:LABEL is one round of it) and who.py
     (SERVERS), output of `ringlb -j table show` (TABLE). N: 1 stands for be1, 10.0.2.11 or
     fd00:2::11.
Exit: 0 if it is so; else 1, and what is not.
"""

import collections
import json
import math
import re
import subprocess
import sys


BROKEN = ("ECONNRESET", "EPIPE", "closed", "timeout")


class Refuted(Exception):
    pass


def read(path):
    path, _, label = path.partition(":")
    with open(path, encoding="ascii") as file:
        records = [json.loads(line) for line in file]
    return [r for r in records if not label or r.get("round") == label]


def served(path):
    """What came to servers: a record for each connection and datagram."""
    return [r for r in read(path) if r["event"] in ("accept", "datagram")]


def name_of(backend):
    """be1 for 10.0.2.11, 10.0.2.11:80, fd00:2::11, [fd00:2::11]:80 or 1."""
    if re.fullmatch(r"\d+", backend):
        return f"be{backend}"
    match = re.match(r"10\.0\.2\.1(\d)(:\d+)?$", backend) or \
        re.match(r"\[?fd00:2::1(\d)(\]:\d+)?$", backend)
    if not match:
        raise Refuted(f"no backend of ours: {backend}")
    return f"be{match.group(1)}"


def table(path):
    with open(path, encoding="ascii") as file:
        shown = json.load(file)
    if not isinstance(shown, list) or len(shown) != 1:
        raise Refuted(f"{path}: not an array of one table")
    shown = shown[0]
    if len(shown["owners"]) != shown["slots"]:
        raise Refuted(f"{path}: {shown['slots']} slots, {len(shown['owners'])} owners")
    return shown


def some(items, text=str, limit=5):
    """The first few of many, as lines."""
    items = list(items)
    lines = [text(item) for item in items[:limit]]
    if len(items) > limit:
        lines.append(f"... {len(items) - limit} more")
    return "\n".join(lines)


def expect(good, *words):
    if not good:
        raise Refuted(" ".join(str(word) for word in words))


# --- flows -------------------------------------------------------------------


def answered(client, count):
    flows = read(client)
    expect(len(flows) == int(count), len(flows), "flows, expected", count)
    bad = [f for f in flows if f.get("error") or not f.get("name")]
    expect(not bad, len(bad), "of", count, "flows failed:\n" + some(bad))
    bad = [f for f in flows if f["from"] != f["dst"]]
    expect(not bad, "answered by another than the VIP:\n" + some(bad))


def failed(client, count, error):
    flows = read(client)
    expect(len(flows) == int(count), len(flows), "flows, expected", count)
    bad = [f for f in flows if f.get("error") != error]
    expect(not bad, len(bad), "of", count, "flows did not fail with", error + ":\n" + some(bad))


def key(proto, address, unbound=False):
    """A flow by its source; an unbound socket knows but its port."""
    host, _, port = address.rpartition(":")
    return (proto, "" if unbound else host, port)


def agree(client, servers):
    flows = read(client)
    unbound = any(re.match(r"0\.0\.0\.0:|\[::\]:", f["src"]) for f in flows)
    told = collections.defaultdict(list)
    for flow in flows:
        told[key(flow["proto"], flow["src"], unbound)].append(flow.get("name"))
    saw = collections.defaultdict(list)
    for record in served(servers):
        saw[key(record["proto"], record["peer"], unbound)].append(record["backend"])
    strangers = [flow for flow in saw if flow not in told]
    expect(not strangers, "servers saw flows that the client did not send:\n" + some(strangers))
    for flow, names in told.items():
        expect(saw[flow] == names, flow, "was told", names, "but was seen by", saw[flow])
    expect(flows, "no flow at all")


def lookup(servers, dst, count, *ringlb):
    wrong = []
    records = [r for r in served(servers) if ("[" in dst) == ("[" in r["peer"])][:int(count)]
    expect(records, "no flow at all")
    for record in records:
        asked = [*ringlb, "-j", "lookup", record["proto"], record["peer"], dst]
        answer = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, check=False)
        if answer.returncode:
            raise Refuted(f"{' '.join(asked)}: {answer.stderr}")
        found = json.loads(answer.stdout)
        found = found[0] if isinstance(found, list) else found
        backend = found.get("backend")
        if isinstance(backend, dict):
            backend = backend["address"]
        if not backend or name_of(backend) != record["backend"]:
            wrong.append(f"{record['proto']} {record['peer']}: lookup says {backend}, "
                         f"seen by {record['backend']}")
    expect(not wrong, len(wrong), "of", len(records), "flows:\n" + some(wrong))


def states(path):
    flows = {}
    for flow in read(path):
        flows[key(flow["proto"], flow["src"])] = flow.get("name") or flow.get("error")
    expect(flows, "no flow at all in", path)
    return flows


def stay(before, after, *words):
    old, new = states(before), states(after)
    groups = collections.defaultdict(set)
    for group, backend in zip(words[::2], words[1::2]):
        groups[group].add(name_of(backend))
    wrong, touched = [], 0
    expect(old.keys() == new.keys(), "not the same flows")
    for flow, name in old.items():
        if name in groups["except"]:
            touched += 1
            if flow[0] == "tcp" and new[flow] in BROKEN:
                continue        # another backend knows nothing of the connection
        elif new[flow] != name:
            wrong.append(f"{flow}: from {name} to {new[flow]}")
        if new[flow] in groups["gone"] or not re.fullmatch(r"be\d", new[flow] or ""):
            wrong.append(f"{flow}: is at {new[flow]}")
    expect(not wrong, len(wrong), "of", len(old), "flows:\n" + some(wrong))
    expect(touched or not groups["except"], "no flow was at", groups["except"])


def back(before, after):
    old, new = states(before), states(after)
    wrong = [f"{flow}: was at {name}, is at {new.get(flow)}"
             for flow, name in old.items() if new.get(flow) != name]
    expect(not wrong, len(wrong), "of", len(old), "flows:\n" + some(wrong))


def course(log, to, *labels):
    goal = name_of(to) if to != "-" else None
    rounds = [states(f"{log}:{label}") for label in labels]
    wrong = [f"{flow}: in {label} from {name} to {new.get(flow)}"
             for old, new, label in zip(rounds, rounds[1:], labels[1:])
             for flow, name in old.items() if new.get(flow) not in (name, goal)]
    expect(not wrong, len(wrong), "moves of", len(rounds[0]), "flows:\n" + some(wrong))
    expect(not goal or rounds[0] != rounds[-1], "no flow has moved to", goal)


# --- tables ------------------------------------------------------------------


def fair(servers, path):
    """N flows fall on a backend with p of the slots N p times, give or take."""
    shown = table(path)
    slots = collections.Counter(name_of(owner) for owner in shown["owners"])
    flows = collections.Counter(record["backend"] for record in served(servers))
    total = sum(flows.values())
    expect(total >= 100, "only", total, "flows")
    square = 0
    for name, owned in slots.items():
        p = owned / shown["slots"]
        sigma = math.sqrt(total * p * (1 - p))
        off = flows[name] - total * p
        expect(abs(off) <= 6 * sigma, f"{name}: {flows[name]} of {total} flows,",
               f"{total * p:.1f} expected, deviation {sigma:.1f}")
        square += off * off / (total * p)
    degrees = len(slots) - 1
    expect(square <= degrees + 12 * math.sqrt(2 * degrees), f"chi-square {square:.1f} with",
           degrees, "degrees of freedom")
    expect(not set(flows) - set(slots), "flows at", set(flows) - set(slots), "without slots")


def weights(path, vnodes, *words):
    """As in unit/test_ring.c: a share is of a Beta distribution, sampled by slots."""
    shown = table(path)
    slots = collections.Counter(name_of(owner) for owner in shown["owners"])
    asked = {name_of(word.split("=")[0]): int(word.split("=")[1]) for word in words}
    points = int(vnodes) * sum(asked.values())
    expect(set(slots) <= set(asked), "slots of", set(slots) - set(asked))
    for name, weight in asked.items():
        p = weight / sum(asked.values())
        sigma = math.sqrt(p * (1 - p) * (1 / (points + 1) + 1 / shown["slots"]))
        share = slots[name] / shown["slots"]
        expect(abs(share - p) <= 6 * sigma, f"{name}: weight asks for {p:.4f} of the slots,",
               f"it has {share:.4f}, deviation {sigma:.4f}")


def moves(before, after, *words):
    old, new = table(before), table(after)
    expect(old["slots"] == new["slots"], "tables of different sizes")
    words = list(words)
    moved = [(a, b) for a, b in zip(old["owners"], new["owners"]) if a != b]
    while words:
        word = words.pop(0)
        if word == "share":
            low, high = float(words.pop(0)), float(words.pop(0))
            share = 100 * len(moved) / old["slots"]
            print(f"{share:.3f} % of the slots moved")
            expect(low <= share <= high, "expected", low, "to", high)
            continue
        name = name_of(words.pop(0))
        side = 1 if word in ("only-to", "toward") else 0
        wrong = [pair for pair in moved if name_of(pair[side]) != name]
        expect(not wrong, len(wrong), "slots moved otherwise:\n" + some(wrong))
        expect(moved, "no slot moved")
        if not word.startswith("only"):
            continue
        theirs = (new, old)[1 - side]["owners"]
        owned = sum(name_of(owner) == name for owner in theirs)
        expect(owned == len(moved), name, "owns", owned, "slots, but", len(moved), "moved")


def same(one, two):
    one, two = table(one), table(two)
    for word in ("method", "slots", "digest"):
        expect(one[word] == two[word], word, one[word], "and", two[word])
    wrong = [f"slot {i}: {a} and {b}"
             for i, (a, b) in enumerate(zip(one["owners"], two["owners"])) if a != b]
    expect(not wrong, some(wrong))


COMMANDS = {f.__name__: f for f in (answered, failed, agree, lookup, fair, weights, moves, same,
                                    stay, back, course)}


def main():
    words = sys.argv[1:]
    try:
        while words:
            end = words.index("+") if "+" in words else len(words)
            COMMANDS[words[0]](*words[1:end])
            words = words[end + 1:]
    except (KeyError, TypeError):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    except Refuted as refuted:
        print(refuted)
        sys.exit(1)


if __name__ == "__main__":
    main()
