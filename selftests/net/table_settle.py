#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
table_settle.py - a change moves at once what it must, and no slot between two backends that it
leaves alone; what else a fresh gateway would have otherwise follows in batches, and ends at
that gateway's table. Judged slot by slot from dumps of the running kernel's table. Runs in a
namespace of its own, as root.
"""
import ctypes
import errno
import ipaddress
import os
import random
import struct
import time

import genl
import ktap
from genl import Genl, Refused, attr, nest, parse, text, u32
from ktap import claim

LIBC = ctypes.CDLL(None, use_errno=True)
N = 100


def service(name, port, *options, command=genl.CMD_SERVICE_NEW):
    parts = [text(genl.A_SERVICE_NAME, name)]
    if command == genl.CMD_SERVICE_NEW:
        parts += [u32(genl.A_SERVICE_PROTOCOL, 6),
                  attr(genl.A_SERVICE_IPV4, ipaddress.ip_address("192.0.2.10").packed),
                  u32(genl.A_SERVICE_PORT, port)]
    return nest(genl.A_SERVICE, *parts, *options)


def named(name, *more):
    return nest(genl.A_SERVICE, text(genl.A_SERVICE_NAME, name), *more)


def backend(number, *more):
    return nest(genl.A_BACKEND, attr(genl.A_BACKEND_IPV4, struct.pack(">I", 0x0A000000 + number)),
                *more)


def weight(value):
    return u32(genl.A_BACKEND_WEIGHT, value)


def facts(g, name):
    inside = dict(parse(dict(parse(g.request(genl.CMD_SERVICE_GET, named(name))[0][1]))
                        [genl.A_SERVICE]))
    return {"pending": struct.unpack("=I", inside[genl.A_SERVICE_PENDING])[0],
            "generation": struct.unpack("=I", inside[genl.A_SERVICE_GENERATION])[0],
            "digest": inside[genl.A_SERVICE_DIGEST],
            "canonical": inside[genl.A_SERVICE_CANONICAL]}


def table(g, name):
    """The owner of each slot, as the number of a backend."""
    members, owners = [], []
    for _, attrs in g.request(genl.CMD_TABLE_GET, named(name), dump=True):
        for number, data in parse(attrs):
            if number == genl.A_BACKEND:
                raw = dict(parse(data))[genl.A_BACKEND_IPV4]
                members.append(struct.unpack(">I", raw)[0] - 0x0A000000)
            elif number == genl.A_TABLE and genl.A_TABLE_OWNERS in dict(parse(data)):
                raw = dict(parse(data))[genl.A_TABLE_OWNERS]
                owners += struct.unpack(f"={len(raw) // 2}H", raw)
    return [members[o] for o in owners]


def moves(before, after):
    return [(a, b) for a, b in zip(before, after) if a != b]


def fresh(g, weights, rng):
    """The table and digest that a service has which is configured at once, in any order."""
    g.request(genl.CMD_SERVICE_NEW, service("fresh", 9999))
    order = list(weights)
    rng.shuffle(order)
    g.request(genl.CMD_BACKEND_NEW, named("fresh") + b"".join(
        backend(n, weight(weights[n])) for n in order))
    found = table(g, "fresh"), facts(g, "fresh")
    g.request(genl.CMD_SERVICE_DEL, named("fresh"))
    return found


def settle(g, name, limit=60):
    """Waits until nothing is pending; the largest step between two looks."""
    end = time.monotonic() + limit
    last = facts(g, name)["pending"]
    largest = 0
    while last and time.monotonic() < end:
        time.sleep(0.05)
        now = facts(g, name)["pending"]
        largest = max(largest, last - now)
        last = now
    return last, largest


def change(g, what, command, payload, weights, gains, loses):
    """One change of service "web", judged; then settled, and judged again."""
    before = table(g, "web")
    g.request(command, named("web") + payload)
    at_once = table(g, "web")
    wrong = [m for m in moves(before, at_once) if m[0] not in loses and m[1] not in gains]
    claim(moves(before, at_once) and not wrong,
          f"{what}: at once move only slots of backends that change", wrong[:3])
    pending = facts(g, "web")["pending"]
    g.request(genl.CMD_SERVICE_SET, named("web", u32(genl.A_SERVICE_SETTLE, 1000)))
    left, _ = settle(g, "web")
    settled = table(g, "web")
    claim(left == 0 and len(moves(at_once, settled)) == pending,
          f"{what}: as many slots settle as were told to be pending",
          (left, pending, len(moves(at_once, settled))))
    mine = facts(g, "web")
    claim(mine["digest"] == mine["canonical"], f"{what}: settled, the digest is the canonical one")
    g.request(genl.CMD_SERVICE_SET, named("web", u32(genl.A_SERVICE_SETTLE, 0)))
    twin_owners, twin = fresh_elsewhere(weights)
    claim(settled == twin_owners and mine["digest"] == twin["digest"],
          f"{what}: it ends at the table of a gateway configured afresh in another order",
          len(moves(settled, twin_owners)))
    return pending


def fresh_elsewhere(weights):
    """fresh(), in a second network namespace, so that backends may have the same addresses."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(read)
        if LIBC.unshare(0x40000000):
            os._exit(1)
        owners, found = fresh(Genl(), weights, random.Random(len(weights)))
        with os.fdopen(write, "wb") as out:
            out.write(found["digest"] + struct.pack(f"={len(owners)}I", *owners))
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as data:
        raw = data.read()
    os.waitpid(pid, 0)
    return (list(struct.unpack(f"={(len(raw) - 8) // 4}I", raw[8:])), {"digest": raw[:8]})


def main():
    ktap.plan(21)
    g = Genl()
    g.request(genl.CMD_SERVICE_NEW, service("web", 80, u32(genl.A_SERVICE_SETTLE, 0), u32(genl.A_SERVICE_TIMEOUT, 1)))
    weights = {n: 1 + n % 3 for n in range(N)}
    g.request(genl.CMD_BACKEND_NEW, named("web") + b"".join(
        backend(n, weight(w)) for n, w in weights.items()))
    claim(facts(g, "web")["pending"] == 0, "a service that was empty is canonical at once")

    weights[500] = 2
    pending = change(g, "a backend added", genl.CMD_BACKEND_NEW, backend(500, weight(2)),
                     weights, {500}, set())
    claim(pending > 0, "a backend added: something was left to settle", pending)
    del weights[7]
    change(g, "a backend removed", genl.CMD_BACKEND_DEL, backend(7), weights, set(), {7})
    weights[9] = 6
    change(g, "a weight raised", genl.CMD_BACKEND_SET, backend(9, weight(6)), weights, {9}, set())
    weights[11] = 1
    change(g, "a weight lowered", genl.CMD_BACKEND_SET, backend(11, weight(1)), weights, set(),
           {11})

    # With nothing settling in between, changes add up; then 5 % of the slots a second follow.
    before = facts(g, "web")["generation"]
    for n in (601, 602, 603):
        g.request(genl.CMD_BACKEND_NEW, named("web") + backend(n, weight(3)))
        weights[n] = 3
    left = facts(g, "web")
    claim(left["generation"] == before + 3 and left["digest"] != left["canonical"],
          "three changes are three generations, and the table is not the canonical one")
    g.request(genl.CMD_SERVICE_SET, named("web", u32(genl.A_SERVICE_SETTLE, 1)))
    left, largest = settle(g, "web")
    claim(left == 0 and 0 < largest <= 2 * (65536 // 1000),
          "no more slots follow in a second than the service allows", (left, largest))

    refusal = None
    try:
        g.request(genl.CMD_BACKEND_DEL, named("web", u32(genl.A_SERVICE_IF_GENERATION, 1)) +
                  backend(601))
    except Refused as r:
        refusal = r
    claim(refusal is not None and refusal.errno == errno.ESTALE and refusal.message ==
          "service has changed: its generation is not the expected one",
          "a change for another generation is refused with its own text", refusal)
    ktap.finish()


if __name__ == "__main__":
    main()
