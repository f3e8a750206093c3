#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
table_slots.py - what table_slots.sh has gathered, held against maps; a line for each question

  table_slots.py map FILE SLOTS SEED N...   write a map of slots to these backends
  table_slots.py judge QUESTION...          with files of the present directory:
        map:FILE:TABLE      slots in which the table is not what the map says, and all slots
        plan:FILE:OLD:NEW   do the plan's moves have the pairs and counts of the tables? and what
                            it says beyond them, of later moves, and of needless ones
        astray:TABLE:FILE   connections of a log of who.py at a backend that does not own their
                            slot, and all of them; asks the kernel for slots

N: 1 stands for 10.0.2.11:8080. Tables and plans are as `ringlb -j` prints them.
"""
import collections
import ipaddress
import json
import random
import struct
import sys

import genl
from genl import Genl, attr, nest, parse, u32


def load(path):
    with open(path, encoding="ascii") as f:
        return json.load(f)[0]


def write_map(path, slots, seed, *backends):
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


def judge_map(path, table):
    owner = {}
    with open(path, encoding="ascii") as f:
        lines = [line.partition("#")[0].split() for line in f]
    for words in filter(None, lines):
        first, _, last = words[0].partition("-")
        owner.update(dict.fromkeys(range(int(first), int(last or first) + 1), words[1]))
    owners = load(table)["owners"]
    return sum(owner.get(s) != o for s, o in enumerate(owners)), len(owners)


def judge_plan(path, old, new):
    plan = load(path)
    moves = collections.Counter(
        pair for pair in zip(load(old)["owners"], load(new)["owners"]) if pair[0] != pair[1])
    said = {(m["from"], m["to"]): m["at_once"] for m in plan["moves"]}
    return ("same" if moves and said == dict(moves) else (said, moves),
            plan["moved"] - sum(moves.values()), plan["later"], plan["needless"])


def slot_of(g, peer):
    host, _, port = peer.rpartition(":")
    question = nest(genl.A_LOOKUP, u32(genl.A_LOOKUP_PROTOCOL, 6),
                    attr(genl.A_LOOKUP_SRC_IPV4, ipaddress.ip_address(host).packed),
                    u32(genl.A_LOOKUP_SRC_PORT, int(port)),
                    attr(genl.A_LOOKUP_DST_IPV4, ipaddress.ip_address("192.0.2.10").packed),
                    u32(genl.A_LOOKUP_DST_PORT, 80))
    answer = dict(parse(g.request(genl.CMD_LOOKUP, question)[0][1]))
    return struct.unpack("=I", dict(parse(answer[genl.A_LOOKUP]))[genl.A_LOOKUP_SLOT])[0]


def judge_astray(table, path):
    g, owners = Genl(), load(table)["owners"]
    with open(path, encoding="ascii") as f:
        came = [r for r in map(json.loads, f) if r["event"] == "accept"]
    return (sum(owners[slot_of(g, r["peer"])] != f"10.0.2.1{r['backend'][2:]}:8080"
                for r in came), len(came))


def main(command, *words):
    if command == "map":
        write_map(*words)
        return
    for question in words:
        what, *files = question.split(":")
        print(*globals()[f"judge_{what}"](*files))


if __name__ == "__main__":
    main(*sys.argv[1:])
