#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
netlink_transaction.py - begin, as many messages as it takes, commit: one change with one new
table, or none; nothing before the commit, nothing if the socket goes away, nothing if others
were faster. Runs in a namespace of its own, as root.
"""
import errno
import socket
import struct

import genl
import ktap
from genl import Genl, Refused, attr, nest, parse, text, u32
from ktap import claim
from table_settle import backend, facts, named, service, weight


def number_of(attrs):
    inside = dict(parse(dict(parse(attrs))[genl.A_BACKEND]))
    return struct.unpack(">I", inside[genl.A_BACKEND_IPV4])[0] - 0x0A000000


def backends(g, name="web"):
    return [number_of(a) for _, a in g.request(genl.CMD_BACKEND_GET, named(name), dump=True)]


def state(value):
    return u32(genl.A_BACKEND_STATE, value)


def refused(g, command, payload):
    try:
        g.request(command, payload)
    except Refused as r:
        return r.errno, r.message
    return None


def notices(ear):
    heard = []
    ear.sock.settimeout(0.3)
    try:
        while True:
            data = ear.sock.recv(1 << 16)
            heard.append(data[16])
    except socket.timeout:
        return heard


NOT_BEGUN = (errno.ENOENT, "no change of this service is begun")
IF = u32(genl.A_SERVICE_IF_GENERATION, 77)

# Refused for what is in them, by the policy of the nest, by that of the top level
ENDS = (
    ("the second of two backends is there already", genl.CMD_BACKEND_NEW,
     named("web") + backend(9000) + backend(100)),
    ("a backend is missing", genl.CMD_BACKEND_NEW, named("web")),
    ("no such backend", genl.CMD_BACKEND_SET, named("web") + backend(9000, weight(2))),
    ("another generation", genl.CMD_BACKEND_DEL, named("web", IF) + backend(100)),
    ("a weight out of range", genl.CMD_BACKEND_NEW, named("web") + backend(9000, weight(65536))),
    ("an address of 3 bytes", genl.CMD_BACKEND_DEL,
     named("web") + nest(genl.A_BACKEND, attr(genl.A_BACKEND_IPV4, b"abc"))),
    ("an attribute that BACKEND_DEL has not", genl.CMD_BACKEND_DEL,
     named("web") + backend(100, weight(1))),
    ("an unknown attribute in a nest", genl.CMD_BACKEND_SET,
     named("web") + backend(100, u32(99, 1))),
    ("an unknown attribute", genl.CMD_BACKEND_NEW, named("web") + backend(9000) + u32(99, 1)),
    ("bytes behind the attributes", genl.CMD_BACKEND_NEW, named("web") + backend(9000) + b"\1\2"),
    ("a nest without its flag", genl.CMD_BACKEND_NEW,
     named("web") + nest(genl.A_BACKEND, flag=0)),
    ("a number for a nest", genl.CMD_BACKEND_NEW, named("web") + u32(genl.A_BACKEND, 1)),
    ("no service", genl.CMD_BACKEND_NEW, backend(9000)),
    ("nothing", genl.CMD_BACKEND_DEL, b""),
    ("a service that is not there", genl.CMD_BACKEND_NEW, named("wbe") + backend(9000)),
    ("a name without its end", genl.CMD_BACKEND_NEW,
     nest(genl.A_SERVICE, attr(genl.A_SERVICE_NAME, b"web")) + backend(9000)),
    ("a commit with a backend", genl.CMD_COMMIT, named("web") + backend(100)),
    ("an abort with a backend", genl.CMD_ABORT, named("web") + backend(100)),
    ("another slot count that is none", genl.CMD_SERVICE_SET,
     named("web", u32(genl.A_SERVICE_SLOTS, 5000))),
)

# About another service, or no part of changes
GOES_ON = (
    ("a backend of another service", genl.CMD_BACKEND_NEW,
     named("two") + backend(100, u32(genl.A_BACKEND_PORT, 80))),
    ("a lookup of nothing", genl.CMD_LOOKUP, b""),
    ("a service that is there already", genl.CMD_SERVICE_NEW, service("web", 80)),
    ("an unknown command", 99, named("web")),
)


def main():
    ktap.plan(16 + len(ENDS) + len(GOES_ON))
    g, other, ear = Genl(), Genl(), Genl()
    g.request(genl.CMD_SERVICE_NEW, service("web", 80))
    g.request(genl.CMD_SERVICE_NEW, service("two", 81))
    g.request(genl.CMD_BACKEND_NEW, named("web") + backend(1) + backend(2))
    ear.sock.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)     # SO_RCVBUFFORCE
    ear.sock.setsockopt(genl.SOL_NETLINK, genl.NETLINK_ADD_MEMBERSHIP, ear.groups["notices"])
    before = facts(other, "web")["generation"]

    g.request(genl.CMD_BEGIN, named("web"))
    claim(refused(g, genl.CMD_BEGIN, named("web")) ==
          (errno.EBUSY, "a change of this service is begun already") and
          refused(g, genl.CMD_COMMIT, named("web")) == NOT_BEGUN,
          "begun twice: refused, and the first is ended")
    g.request(genl.CMD_BEGIN, named("web"))
    for i in range(8):
        g.request(genl.CMD_BACKEND_NEW, named("web") + b"".join(
            backend(100 + i * 512 + n) for n in range(511)))
    g.request(genl.CMD_BACKEND_SET, named("web") + backend(2, weight(7)))
    g.request(genl.CMD_BACKEND_DEL, named("web") + backend(1))
    claim(backends(g) == [1, 2] and facts(other, "web")["generation"] == before,
          "before the commit nothing has changed, for anyone")
    claim(notices(ear) == [], "and nobody was told of anything")
    g.request(genl.CMD_COMMIT, named("web"))
    claim(len(backends(other)) == 8 * 511 + 1 and 1 not in backends(other),
          "4090 changes in ten messages are in force together", len(backends(other)))
    claim(facts(other, "web")["generation"] == before + 1, "as one change with one table")
    heard = notices(ear)
    claim(sorted(set(heard)) == sorted({genl.CMD_BACKEND_NEW_NOTICE, genl.CMD_BACKEND_SET_NOTICE,
                                        genl.CMD_BACKEND_DEL_NOTICE,
                                        genl.CMD_HISTORY_NOTICE}),
          "each kind of change is told", sorted(set(heard)))
    claim(refused(g, genl.CMD_COMMIT, named("web")) == NOT_BEGUN, "committed twice: refused")

    now = backends(g)
    g.request(genl.CMD_BEGIN, named("web"))
    g.request(genl.CMD_BACKEND_DEL, named("web") + backend(2))
    g.request(genl.CMD_BACKEND_NEW, named("web") + backend(2, weight(9)))
    g.request(genl.CMD_COMMIT, named("web"))
    claim(backends(g) == now, "a backend that goes and comes in one change is there")

    g.request(genl.CMD_BEGIN, named("web"))
    g.request(genl.CMD_BACKEND_DEL, named("web") + backend(2))
    g.request(genl.CMD_ABORT, named("web"))
    claim(backends(g) == now, "an aborted change changes nothing")

    short = Genl()
    short.request(genl.CMD_BEGIN, named("web"))
    short.request(genl.CMD_BACKEND_DEL, named("web") + backend(2))
    short.sock.close()
    claim(backends(g) == now, "what was not committed vanishes with the socket")

    for what, command, payload in ENDS:
        g.request(genl.CMD_BEGIN, named("web"))
        g.request(genl.CMD_BACKEND_DEL, named("web") + backend(2))
        said = refused(g, command, payload)
        claim(said is not None and said[1] and
              refused(g, genl.CMD_COMMIT, named("web")) == NOT_BEGUN and backends(g) == now,
              f"{what}: refused, and ends the change, of which nothing is in force", said)
    for what, command, payload in GOES_ON:
        g.request(genl.CMD_BEGIN, named("web"))
        g.request(genl.CMD_BACKEND_SET, named("web") + backend(2, state(genl.STATE_DRAIN)))
        said = refused(g, command, payload)
        claim(said is not None and refused(g, genl.CMD_COMMIT, named("web")) is None,
              f"{what}: refused, and the change goes on", said)
    g.request(genl.CMD_BACKEND_SET, named("web") + backend(2, state(genl.STATE_UP)))

    g.request(genl.CMD_BEGIN, named("web"))
    g.request(genl.CMD_BACKEND_DEL, named("web") + backend(2))
    other.request(genl.CMD_BACKEND_SET, named("web") + backend(100, weight(3)))
    claim(refused(g, genl.CMD_COMMIT, named("web")) ==
          (errno.ESTALE, "service has been changed by others since this change was begun"),
          "who was overtaken is refused")
    claim(backends(g) == now, "and has changed nothing")

    g.request(genl.CMD_BEGIN, named("web"))
    g.request(genl.CMD_BACKEND_DEL, named("web") + backend(2))
    g.request(genl.CMD_BACKEND_NEW, named("web") + backend(9001, u32(genl.A_BACKEND_PORT, 99)))
    other.request(genl.CMD_BACKEND_NEW, named("two") + backend(9001, u32(genl.A_BACKEND_PORT, 99)))
    claim((refused(g, genl.CMD_COMMIT, named("web")) or [0])[0] == errno.EEXIST and
          backends(g) == now, "an address that another service has taken meanwhile is refused")

    g.request(genl.CMD_BEGIN, named("two"))
    g.request(genl.CMD_BEGIN, named("web"))
    other.request(genl.CMD_SERVICE_DEL, named("two"))
    claim(refused(g, genl.CMD_COMMIT, named("web")) is None and
          refused(g, genl.CMD_COMMIT, named("two")) == (errno.ENOENT, "no such service"),
          "a change ends with its service, and another one goes on")

    sockets = [Genl() for _ in range(65)]
    for s in sockets[:64]:
        s.request(genl.CMD_BEGIN, named("web"))
    claim(refused(sockets[64], genl.CMD_BEGIN, named("web")) ==
          (errno.ENOSPC, "namespace has 64 changes that are begun and not committed"),
          "there is a limit of changes that are open")
    g.request(genl.CMD_FLUSH)
    claim(g.request(genl.CMD_SERVICE_GET, dump=True) == [], "a flush takes open changes along")
    ktap.finish()


if __name__ == "__main__":
    main()
