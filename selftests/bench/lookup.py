#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
lookup.py - what a lookup costs, counted and timed, and how long tables take to build

  lookup.py all      one table on stdout, the same in lookup.json (beside this file)
  lookup.py count    instructions alone, which do not depend on how busy the machine is

In:  ./lookup, built; valgrind. Out: beside each figure its goal.
Exit: 0 all goals that are asserted are met, 1 one is not, 2 wrong words or no valgrind.

Instructions: what callgrind counts for one lookup, the loop's four included, the hash given,
1000 backends, 65536 slots. Times are ratios in one run; that of a lookup to a bare u16 index, in
the same loop, is told, not asserted, and so is what looking again costs. It says how many of these
loops fit into one cycle of the processor at hand: an index alone takes one, where one branch can be
taken in each.
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOOKUPS = 1 << 16
INSTRUCTIONS = (("all up", 0, 12, True), ("10 % down", 10, 14, False))
BUILD_RATIO = {"rendezvous": 10, "ring": 3}       # to maglev


def counted(percent):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(
            ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out.name}",
             "--toggle-collect=lookups", HERE / "lookup", "count", str(percent)],
            check=True, stderr=subprocess.DEVNULL)
        text = Path(out.name).read_text(encoding="ascii")
    return int(re.search(r"^summary: (\d+)", text, re.M).group(1)) / LOOKUPS


def timed():
    out = subprocess.run([HERE / "lookup", "time"], check=True, text=True,
                         stdout=subprocess.PIPE).stdout
    found = {"lookup": {}, "build": {}}
    for line in out.splitlines():
        what, name, value = line.split()
        found[what][name] = float(value)
    return found["lookup"], found["build"]


def row(name, value, unit, goal=None, asserted=True):
    return {"name": name, "value": round(value, 2), "unit": unit, "goal": goal,
            "asserted": asserted and goal is not None,
            "met": goal is None or round(value, 2) <= goal}


def instruction_rows():
    # The loop's beginning and end are not of any one lookup: a few in 65536.
    return [row(f"lookup, {name}", counted(percent), "instructions", goal, asserted)
            for name, percent, goal, asserted in INSTRUCTIONS]


def time_rows():
    lookup, build = timed()
    rows = [row("bare index", lookup["index"], "ns")]
    rows += [row(f"lookup, {name}", lookup[key], "times bare index", goal, False)
             for name, key, goal in (("all up", "up", 1.5), ("10 % down", "down", 4.0))]
    for name, ms in build.items():
        rows.append(row(f"build, {name}", ms, "ms"))
        if name != "maglev":
            rows.append(row(f"build, {name}", ms / build["maglev"], "times maglev",
                            BUILD_RATIO.get(name)))
    return rows


def show(rows):
    for r in rows:
        goal = "" if r["goal"] is None else f"{r['goal']:>8} at most"
        verdict = "" if r["met"] else "  ABOVE" if r["asserted"] else "  above (told only)"
        print(f"{r['name']:<24}{r['value']:>10.2f}  {r['unit']:<18}{goal}{verdict}")


def main(words):
    if words not in (["all"], ["count"]):
        sys.exit("lookup.py: expected all or count")
    if not shutil.which("valgrind"):
        print("lookup.py: valgrind is missing (scripts/setup test)", file=sys.stderr)
        return 2
    rows = instruction_rows()
    if words == ["all"]:
        rows += time_rows()
        (HERE / "lookup.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="ascii")
    show(rows)
    return any(r["asserted"] and not r["met"] for r in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
