# SPDX-License-Identifier: GPL-2.0-only
"""
plot.py - is a drawing what the tables say?

  plot.py SVG BEFORE AFTER [exact]

In:  a drawing, and what `ringlb -j table show` prints before and after. exact: every arc must
     be drawn, not a choice of slots.
Out: nothing, or what is wrong.
"""

import json
import math
import re
import sys
import xml.etree.ElementTree as ET

SAMPLES, MOST = 720, 1500
SVG = "{http://www.w3.org/2000/svg}"
root = ET.parse(sys.argv[1]).getroot()
exact = sys.argv[4:] == ["exact"]
tables = {}
for ring, path in zip(("before", "after"), sys.argv[2:4]):
    with open(path, encoding="ascii") as file:
        tables[ring] = json.load(file)[0]["owners"]


def check(what, got, expected):
    if got != expected:
        print(f"{what}: {got}, expected {expected}")


def paths(kind, ring):
    return [p for p in root.iter(SVG + "path")
            if (p.get("class"), p.get("data-ring")) == (kind, ring)]


def turns(path, ring):
    """From where to where each arc of a path goes, in parts of the circle"""
    box = [float(n) for n in root.get("viewBox").split()]
    x0, y0 = box[2] * (0.25 if ring == "before" else 0.75), 64 + 300
    for piece in path.get("d").split("Z")[:-1]:
        numbers = [float(n) for n in re.findall(r"-?[\d.]+", piece)]
        points = [numbers[0:2], numbers[7:9], numbers[14:16]]
        start, middle, end = (math.atan2(x - x0, y0 - y) / 2 / math.pi % 1 for x, y in points)
        half = (middle - start) % 1
        check("halves of an arc", abs(half - (end - middle) % 1) < 1e-3 or half > 0.4999, True)
        yield start, 2 * half


def runs(owners):
    """{owner: arcs it has, going round}"""
    if len(set(owners)) == 1:
        return {owners[0]: 1}
    count = {}
    for a, b in zip(owners, owners[-1:] + owners):
        if a != b:
            count[a] = count.get(a, 0) + 1
    return count


def drawn(owners, *others):
    """The slots that are drawn"""
    if all(sum(runs(o).values()) <= MOST for o in (owners, *others)):
        return owners
    check("every arc is to be drawn", exact, False)
    return [owners[k * len(owners) // SAMPLES] for k in range(SAMPLES)]


for ring, owners in tables.items():
    shares = paths("share", ring)
    members = sorted(set(owners) - {None})
    check(f"{ring}: backends with a share", sorted(p.get("data-backend") for p in shares), members)
    check(f"{ring}: slots", {p.get("data-backend"): int(p.get("data-slots")) for p in shares},
          {b: owners.count(b) for b in members})
    if members:
        total = sum(float(p.get("data-percent")) for p in shares)
        check(f"{ring}: shares are 100 %, not {total}", abs(total - 100) < 0.01, True)
    at = 0
    for p in shares:
        (start, wide), = turns(p, ring)
        part = int(p.get("data-slots")) / len(owners)
        check(f"{ring}: an arc begins where the last one ended",
              min(abs(start - at), 1 - abs(start - at)) < 1e-4, True)
        check(f"{ring}: {p.get('data-backend')} is {wide} wide", abs(wide - part) < 2e-4, True)
        at += part

moved = [a if a != b and b is not None else None
         for a, b in zip(tables["after"], tables["before"])]
for kind, ring, owners in (("arcs", "before", tables["before"]), ("arcs", "after", tables["after"]),
                           ("moved", "after", moved)):
    if kind == "arcs" and ring == "before":
        seen = drawn(owners)
    else:   # what moved is drawn with the slots of its ring
        limit = [tables["after"], [a or "" for a in moved]]
        seen = drawn(owners, *limit)
    expected = {o: n for o, n in runs(seen).items() if o is not None}
    got = {p.get("data-backend"): (int(p.get("data-arcs")), p.get("d").count("M"))
           for p in paths(kind, ring)}
    check(f"{ring}: {kind}", got, {o: (n, n) for o, n in expected.items()})
    for p in paths(kind, ring):
        wide = sum(w for _, w in turns(p, ring))
        part = seen.count(p.get("data-backend")) / len(seen)
        check(f"{ring}: {kind} of {p.get('data-backend')}: {wide} wide, {part} of the slots",
              abs(wide - part) < 2e-5 * p.get("d").count("M") + 1e-4, True)

# No label over another: each along its radius, so the nearer ends are what counts.
labels = [[float(n) for n in re.match(r"translate\((\S+) (\S+)\)", t.get("transform")).groups()]
          for t in root.iter(SVG + "text") if t.get("class") == "label"]
near = min([math.dist(a, b) for i, a in enumerate(labels) for b in labels[:i]], default=99)
check(f"labels are {near} apart", near > 10, True)
colours = [p.get("fill") for p in paths("share", "after")]
check("neighbours have one colour", any(a == b for a, b in zip(colours, colours[1:])), False)
if len(colours) <= 32:
    check("colours of few backends", len(set(colours)), len(colours))
