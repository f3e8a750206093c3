#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
broken - of flows that lived while backends changed: which broke, and which had lost their backend

  broken.py LIVE CHANGES SERVERS [SILENCE]

In:  LIVE      log of live.py
     CHANGES   a JSON object a line: at, done (CLOCK_MONOTONIC, before and after), gone: names
               of backends that were taken down or removed at once in that change
     SERVERS   log of who.py
     SILENCE   seconds after which a flow of which nothing is heard may be forgotten
Out: a JSON object: flows, broken, apart, messages, silent (the longest), and kinds: how the
     broken ones broke; some: the first few of them, and all that is known about each.
Exit: 0, whatever the figures.

A flow is broken if its connection was reset, closed or given up, its bytes changed, or if
another backend answered (or, UDP, nobody). It is apart if that happened because the backend
it was at was gone: the flow had begun before that change was done, and had not ended before; or if
it was silent for too long.
"""

import collections
import json
import sys


def read(path):
    with open(path, encoding="ascii") as file:
        return [json.loads(line) for line in file]


class Gone:
    """When which backend was taken away."""

    def __init__(self, path):
        self.times = collections.defaultdict(list)
        for change in read(path):
            for name in change["gone"]:
                self.times[name].append((change["at"], change["done"]))

    def took(self, name, since, until):
        """Was it taken away from a flow that was there all that time?"""
        return any(since <= done and at <= until for at, done in self.times[name])

    def took_any(self, since, until):
        return any(self.took(name, since, until) for name in list(self.times))


def faults(flow):
    """What broke: (kind, the backend it was at, since when, noticed when)."""
    seen = flow["seen"]
    at = [flow["began"]] + [run[0] for run in seen[1:]]
    for n in range(1, len(seen)):
        yield "elsewhere", seen[n - 1][2], at[n - 1], seen[n][0]
    for sent, noticed in flow.get("lost", []):
        n = max((n for n in range(len(seen)) if at[n] <= sent), default=None)
        yield "lost", seen[n][2] if n is not None else None, at[n or 0], noticed
    if flow.get("error") not in (None, "elsewhere"):
        yield (flow["error"], seen[-1][2] if seen else None, at[-1] if seen else flow["began"],
               flow["ended"])


def first_server(flow, accepted):
    """Where a connection was that never had an answer; None if no server knows of it."""
    return accepted.get((flow["proto"], flow["src"]))


def judge(live, changes, servers, silence="inf"):
    gone = Gone(changes)
    accepted = {(r["proto"], r["peer"]): r["backend"] for r in read(servers)
                if r["event"] in ("accept", "datagram")}
    found = {"flows": 0, "broken": 0, "apart": 0, "messages": 0, "silent": 0}
    kinds, some = collections.Counter(), []
    for flow in read(live):
        found["silent"] = max(found["silent"], flow["silent"])
        found["flows"] += 1
        found["messages"] += flow["messages"]
        ours = []
        told = list(faults(flow))
        for kind, name, since, until in told:
            name = name or first_server(flow, accepted)
            if not (gone.took(name, since, until) if name else gone.took_any(since, until)):
                ours.append(kind)
        if ours and flow["silent"] < float(silence):
            found["broken"] += 1
            kinds[ours[0]] += 1
            some.append(flow)
        elif told:
            found["apart"] += 1
    return dict(found, kinds=kinds, some=some[:3])


def main():
    if len(sys.argv) not in (4, 5):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    print(json.dumps(judge(*sys.argv[1:])))


if __name__ == "__main__":
    main()
