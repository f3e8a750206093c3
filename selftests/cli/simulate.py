# SPDX-License-Identifier: GPL-2.0-only
"""
simulate.py - the figures of `ringlb simulate` counted again, from `ringlb table show`

  simulate.py RINGLB DIR METHOD

In:  the tool; a directory to write in. A service of seven backends: few enough that each of
     them changes once.
Out: nothing, or what differs.
"""

import json
import subprocess
import sys

ringlb, directory, method = sys.argv[1:]
WEIGHTS = {f"10.0.0.{i}": w for i, w in enumerate([1, 2, 3, 1, 2, 3, 5], 1)}
OPTIONS = {"ring": "vnodes 20", "rendezvous": "slack 0.5%"}.get(method, "")


def tool(*words):
    return json.loads(subprocess.run([ringlb, "-j", *words], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout)


def conf(weights):
    path = f"{directory}/{method}.conf"
    with open(path, "w", encoding="ascii") as file:
        print(f"service add web tcp 192.0.2.1:80 slots 4096 method {method} {OPTIONS}",
              file=file)
        for address, weight in weights.items():
            print(f"backend add web {address} weight {weight}", file=file)
    return path


def owners(weights):
    return tool("-f", conf(weights), "table", "show", "web")[0]["owners"]


def near(a, b):
    return abs(a - b) < 1e-6


def differ(what, got, expected):
    if not near(got, expected):
        print(f"{method}: {what}: {got}, counted {expected}")


def check(figures, kind, changes):
    """changes: for each the backend, and the weights after it."""
    moved = excess = must = 0
    before = owners(WEIGHTS)
    for changed, weights in changes:
        after = owners(weights)
        moves = [(a, b) for a, b in zip(before, after) if a != b]
        moved += len(moves)
        excess += sum(changed not in move for move in moves)
        must += abs(after.count(changed) - before.count(changed))
    differ(f"moved on {kind}", figures[f"moved_on_{kind}"], 100 * moved / 4096 / len(changes))
    differ(f"excess on {kind}", figures[f"excess_on_{kind}"], 100 * excess / must)


figures, = [f for f in tool("-f", conf(WEIGHTS), "simulate", "web") if f["method"] == method]
table = owners(WEIGHTS)
shares = [table.count(b) / 4096 * sum(WEIGHTS.values()) / w for b, w in WEIGHTS.items()]
differ("peak", figures["peak_to_mean"], max(shares))
differ("min", figures["min_to_mean"], min(shares))
mean = round(sum(WEIGHTS.values()) / len(WEIGHTS))
check(figures, "add", [(f"10.0.0.{i}", WEIGHTS | {f"10.0.0.{i}": mean}) for i in range(8, 16)])
check(figures, "remove", [(b, {a: w for a, w in WEIGHTS.items() if a != b}) for b in WEIGHTS])
check(figures, "weight", [(b, WEIGHTS | {b: 2 * w}) for b, w in WEIGHTS.items()])
