#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
netlink_dumps.py - lists are complete at any size, also while they change; every change is
told to those who listen. Runs in a namespace of its own, as root.
"""
import errno
import ipaddress
import os
import socket
import struct

import genl
import ktap
from genl import Genl, Refused, attr, nest, parse, text, u32
from ktap import claim

SCALE = int(os.environ.get("SCALE", "1"))


def named(name):
    return nest(genl.A_SERVICE, text(genl.A_SERVICE_NAME, name))


def add_service(g, name, port, vip="192.0.2.10", vnodes=1):
    g.request(genl.CMD_SERVICE_NEW, nest(
        genl.A_SERVICE, text(genl.A_SERVICE_NAME, name), u32(genl.A_SERVICE_PROTOCOL, 6),
        attr(genl.A_SERVICE_IPV4, ipaddress.ip_address(vip).packed),
        u32(genl.A_SERVICE_PORT, port), u32(genl.A_SERVICE_METHOD, genl.METHOD_RING),
        u32(genl.A_SERVICE_VNODES, vnodes)))


def backend(number, *more):
    """The backend of this number, in 10.0.0.0/8."""
    packed = struct.pack(">I", 0x0A000000 + number)
    return nest(genl.A_BACKEND, attr(genl.A_BACKEND_IPV4, packed),
                u32(genl.A_BACKEND_PORT, 8080), *more)


def add_backends(g, name, numbers):
    numbers = list(numbers)
    for i in range(0, len(numbers), 512):
        g.request(genl.CMD_BACKEND_NEW,
                  named(name) + b"".join(backend(n) for n in numbers[i:i + 512]))


def number_of(attrs):
    inside = dict(parse(dict(parse(attrs))[genl.A_BACKEND]))
    return struct.unpack(">I", inside[genl.A_BACKEND_IPV4])[0] - 0x0A000000


def name_of(attrs):
    inside = dict(parse(dict(parse(attrs))[genl.A_SERVICE]))
    return inside[genl.A_SERVICE_NAME].rstrip(b"\0").decode()


def table(g, name, midway=None):
    """Members, owners, and the messages' generations, of a table dump."""
    members, owners, generations = [], [], set()
    for _, attrs in g.request(genl.CMD_TABLE_GET, named(name), dump=True,
                              midway=midway):
        for number, data in parse(attrs):
            if number == genl.A_BACKEND:
                members.append(dict(parse(data))[genl.A_BACKEND_IPV4])
            if number != genl.A_TABLE:
                continue
            inside = dict(parse(data))
            generations.add(inside[genl.A_TABLE_GENERATION])
            if genl.A_TABLE_OWNERS in inside:
                first = struct.unpack("=I", inside[genl.A_TABLE_FIRST])[0]
                assert first == len(owners), (first, len(owners))
                raw = inside[genl.A_TABLE_OWNERS]
                owners += struct.unpack(f"={len(raw) // 2}H", raw)
    return members, owners, generations


def many(g):
    n_services, per_service = 200 // SCALE, 20
    for s in range(n_services):
        add_service(g, f"s{s}", 1000 + s)
        add_backends(g, f"s{s}", range(s * per_service, (s + 1) * per_service))
    names = [name_of(a) for _, a in g.request(genl.CMD_SERVICE_GET, dump=True)]
    claim(sorted(names) == sorted(f"s{s}" for s in range(n_services)),
          f"dump: {n_services} services, each once", len(names))
    found = [(name_of(a), number_of(a)) for _, a in g.request(genl.CMD_BACKEND_GET, dump=True)]
    want = [(f"s{n // per_service}", n) for n in range(n_services * per_service)]
    claim(found == want, f"dump: {len(want)} backends of all services, each once, in order",
          len(found))
    g.request(genl.CMD_FLUSH)


def large(g):
    n = genl_limit("RINGLB_BACKENDS_MAX") // SCALE
    add_service(g, "large", 80)
    add_backends(g, "large", range(n))
    answers = g.request(genl.CMD_BACKEND_GET, named("large"), dump=True)
    claim([number_of(a) for _, a in answers] == list(range(n)),
          f"dump: {n} backends of one service, each once, in order", len(answers))
    members, owners, generations = table(g, "large")
    claim(len(members) == n and len(owners) == 65536 and len(generations) == 1 and
          max(owners) < n, "dump: a table with all its members and slots, of one generation",
          (len(members), len(owners), len(generations)))
    slots = [0] * n
    for owner in owners:
        slots[owner] += 1
    told = [struct.unpack("=I", dict(parse(dict(parse(a))[genl.A_BACKEND]))
                          [genl.A_BACKEND_SLOTS])[0] for _, a in answers]
    claim(slots == told, "dump: each backend is told to own what it owns in the table")
    if SCALE == 1:
        refusal = None
        try:
            g.request(genl.CMD_BACKEND_NEW, named("large") + backend(n))
        except Refused as r:
            refusal = r
        claim(refusal is not None and refusal.errno == errno.ENOSPC and
              refusal.message == "service has 4096 backends, the most there can be",
              "one backend more than the limit is refused", refusal)


def genl_limit(name):
    for line in open(genl.HEADER, encoding="utf-8"):
        words = line.split()
        if words[:2] == ["#define", name]:
            return int(words[2])
    raise KeyError(name)


def under_change(g):
    """
    Entries that nobody touches are in every dump; a torn one says that it is torn. What is
    dumped fills several buffers, and is changed when the first has been read.
    """
    steady = set(range(0, 2000, 2))
    add_service(g, "busy", 81)
    add_backends(g, "busy", sorted(n + 100000 for n in steady))
    other = Genl()
    rounds = 60 // SCALE + 1
    state = {"round": 0}

    def change():
        one = backend(100001 + 2 * (state["round"] // 2 % 1000))
        command = genl.CMD_BACKEND_DEL if state["round"] % 2 else genl.CMD_BACKEND_NEW
        other.request(command, named("busy") + one)
        state["round"] += 1

    missing = doubled = torn = 0
    for _ in range(rounds):
        found = [number_of(a) - 100000
                 for _, a in g.request(genl.CMD_BACKEND_GET, named("busy"), dump=True,
                                       midway=change)]
        missing += not steady <= set(found)
        doubled += len(found) != len(set(found))
        torn += g.interrupted
    tables = told = 0
    for _ in range(rounds):
        _, _, generations = table(g, "busy", midway=change)
        tables += len(generations) > 1
        told += g.interrupted
    claim(not missing and not doubled,
          "dump under changes: untouched backends are in each dump, and once",
          (missing, doubled))
    claim(torn == rounds, "dump under changes: a torn dump says so", (torn, rounds))
    claim(tables == told == rounds, "dump under changes: a table of two generations says so",
          (tables, told, rounds))
    g.request(genl.CMD_FLUSH)


def entry(attrs):
    """An entry of the ledger, without what became of flows."""
    inside = dict(parse(dict(parse(attrs))[genl.A_HISTORY]))
    return {n: data for n, data in inside.items()
            if n not in (genl.A_HISTORY_PINNED, genl.A_HISTORY_LOST, genl.A_HISTORY_PAD)}


def notices(g):
    """Each change is told once, with what a GET would have said."""
    ear = Genl(timeout=10)
    ear.sock.setsockopt(genl.SOL_NETLINK, genl.NETLINK_ADD_MEMBERSHIP, ear.groups["notices"])
    heard, ledger = [], []

    def hear():
        """The next one; those about the ledger are put apart."""
        data = ear.sock.recv(1 << 16)
        notice = data[16], data[20:struct.unpack_from("=I", data)[0]]
        if notice[0] != genl.CMD_HISTORY_NOTICE:
            heard.append(notice)
        else:
            ledger.append(notice[1])
            hear()

    add_service(g, "told", 82)
    hear()
    got = g.request(genl.CMD_SERVICE_GET, named("told"))[0][1]
    claim(heard[-1] == (genl.CMD_SERVICE_NEW_NOTICE, got),
          "notice: a new service, as GET tells it", heard[-1])
    g.request(genl.CMD_BACKEND_NEW, named("told") + backend(1) + backend(2))
    hear()
    hear()
    dump = [a for _, a in g.request(genl.CMD_BACKEND_GET, named("told"), dump=True)]
    claim([h[1] for h in heard[-2:]] == dump and heard[-1][0] == genl.CMD_BACKEND_NEW_NOTICE,
          "notice: two backends in one request are told one by one, as a dump tells them")
    g.request(genl.CMD_BACKEND_SET, named("told") + backend(1, u32(genl.A_BACKEND_STATE, 3)))
    hear()
    dump = [a for _, a in g.request(genl.CMD_BACKEND_GET, named("told"), dump=True)]
    claim(heard[-1] == (genl.CMD_BACKEND_SET_NOTICE, dump[0]), "notice: a state that changes")
    g.request(genl.CMD_BACKEND_DEL, named("told") + backend(1))
    hear()
    claim(heard[-1] == (genl.CMD_BACKEND_DEL_NOTICE, dump[0]), "notice: a backend that is gone")
    g.request(genl.CMD_SERVICE_SET, nest(genl.A_SERVICE, text(1, "told"),
                                         u32(genl.A_SERVICE_KEY, genl.KEY_SRC)))
    hear()
    got = g.request(genl.CMD_SERVICE_GET, named("told"))[0][1]
    claim(heard[-1] == (genl.CMD_SERVICE_SET_NOTICE, got), "notice: a service that changes")
    key = bytes(range(16))
    g.request(genl.CMD_SECRET_SET, nest(genl.A_SECRET, attr(genl.A_SECRET_KEY, key)))
    hear()
    claim(heard[-1][0] == genl.CMD_SECRET_SET_NOTICE and key not in heard[-1][1],
          "notice: a new secret, which is not told")
    last = g.request(genl.CMD_SERVICE_GET, named("told"))[0][1]
    g.request(genl.CMD_FLUSH)
    hear()
    claim(heard[-1] == (genl.CMD_SERVICE_DEL_NOTICE, last), "notice: a flush, service by service")
    ear.sock.settimeout(0.2)
    told = len(heard)
    try:
        hear()
    except socket.timeout:
        pass
    claim(heard[told:] == [], "notice: nothing is told twice", heard[told:])
    dump = [entry(a) for _, a in g.request(genl.CMD_HISTORY_GET, dump=True)]
    claim([entry(a) for a in ledger] == dump[-7:],
          "notice: each of seven changes is told as it is in the ledger", len(ledger))


def unchanged(g):
    """What changes nothing leaves the published table alone."""
    def generation():
        inside = dict(parse(dict(parse(g.request(genl.CMD_SERVICE_GET, named("same"))[0][1]))
                            [genl.A_SERVICE]))
        return inside[genl.A_SERVICE_GENERATION]

    add_service(g, "same", 83)
    add_backends(g, "same", range(4))
    before = generation()
    g.request(genl.CMD_BACKEND_SET, named("same") + backend(1, u32(genl.A_BACKEND_WEIGHT, 1)))
    g.request(genl.CMD_BACKEND_SET, named("same") + backend(1, u32(genl.A_BACKEND_STATE, 2)))
    g.request(genl.CMD_SERVICE_SET, nest(genl.A_SERVICE, text(1, "same"),
                                         u32(genl.A_SERVICE_KEY, genl.KEY_5TUPLE)))
    claim(generation() == before,
          "the same weight, the same key, another state: the published table stays")
    g.request(genl.CMD_FLUSH)


def main():
    ktap.plan(19 if SCALE == 1 else 18)   # the limit of backends is met at full scale
    g = Genl()
    many(g)
    large(g)
    under_change(g)
    notices(g)
    unchanged(g)
    ktap.finish()


if __name__ == "__main__":
    main()
