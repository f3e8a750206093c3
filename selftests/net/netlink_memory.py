#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
netlink_memory.py - each allocation that a request makes fails once: then it is refused and all
is as it was, or it is in force as a whole. Nothing is lost on the way, which kmemleak sees after
all tests. Runs in a namespace of its own, as root, on a kernel with CONFIG_FAILSLAB, which
Debian's do not have.
"""
import collections
import errno
import os
from pathlib import Path

import genl
import ktap
from genl import Genl, Refused, attr, nest, parse, u32
from ktap import claim
from table_settle import backend, named, service, weight

FAILSLAB = Path("/sys/kernel/debug/failslab")
FAIL_NTH = os.open("/proc/thread-self/fail-nth", os.O_RDWR)
NO_MEMORY = (errno.ENOMEM, errno.ENOBUFS)
MOST = 1000     # allocations of one request
SECRET = [bytes([n] * 16) for n in (1, 2)]


def secret(which):
    return genl.CMD_SECRET_SET, nest(genl.A_SECRET, attr(genl.A_SECRET_KEY, SECRET[which]),
                                     u32(genl.A_SECRET_FORCE, 1))


def option(*attrs):
    return genl.CMD_SERVICE_SET, named("web", *attrs)


def among(*requests):
    return (genl.CMD_BEGIN, named("web")), *requests, (genl.CMD_COMMIT, named("web"))


def members(numbers, *more):
    return named("web") + b"".join(backend(n, *more) for n in numbers)


CASES = (
    ("a new service", (genl.CMD_SERVICE_NEW, service("more", 81))),
    ("a service that goes", (genl.CMD_SERVICE_DEL, named("web"))),
    ("new backends", (genl.CMD_BACKEND_NEW, members(range(100, 103)))),
    ("other weights", (genl.CMD_BACKEND_SET, members((1, 2), weight(3)))),
    ("backends that go", (genl.CMD_BACKEND_DEL, members((2, 3, 5)))),
    ("a backend that is down", (genl.CMD_BACKEND_SET, members(
        (1,), u32(genl.A_BACKEND_STATE, genl.STATE_DOWN)))),
    ("method ring", option(u32(genl.A_SERVICE_METHOD, genl.METHOD_RING))),
    ("method maglev", option(u32(genl.A_SERVICE_METHOD, genl.METHOD_MAGLEV))),
    ("method seat", option(u32(genl.A_SERVICE_METHOD, genl.METHOD_SEAT))),
    ("another slack", option(u32(genl.A_SERVICE_SLACK, 0))),
    ("another number of slots", option(u32(genl.A_SERVICE_SLOTS, 8192))),
    ("another key", option(u32(genl.A_SERVICE_KEY, genl.KEY_SRC))),
    ("several changes from begin to commit", *among(
        (genl.CMD_BACKEND_DEL, members((1,))), (genl.CMD_BACKEND_NEW, members((200, 201))),
        (genl.CMD_BACKEND_SET, members((4,), weight(9))))),
    ("another secret", secret(1)),
    ("a flush", (genl.CMD_FLUSH, b"")),
)


def set_up(g):
    g.request(genl.CMD_FLUSH)
    g.request(*secret(0))
    g.request(genl.CMD_SERVICE_NEW, service("web", 80, u32(genl.A_SERVICE_SLOTS, 4096),
                                            u32(genl.A_SERVICE_SETTLE, 0)))
    g.request(genl.CMD_BACKEND_NEW, named("web") + b"".join(
        backend(n, u32(genl.A_BACKEND_ID, n), weight(1 + n % 2)) for n in range(1, 9)))


def owners(g, name):
    """The table's bytes, however its dump is cut into messages"""
    tables = [dict(parse(dict(parse(attrs)).get(genl.A_TABLE, b"")))
              for _, attrs in g.request(genl.CMD_TABLE_GET, named(name), dump=True)]
    return b"".join(t.get(genl.A_TABLE_OWNERS, b"") for t in tables)


def state(g):
    """All that there is in the namespace, but for what is left of times"""
    found = g.request(genl.CMD_SECRET_GET)
    for _, attrs in g.request(genl.CMD_SERVICE_GET, dump=True):
        inside = parse(dict(parse(attrs))[genl.A_SERVICE])
        found.append([a for a in inside if a[0] != genl.A_SERVICE_TRANSITIONS_LEFT])
        name = dict(inside)[genl.A_SERVICE_NAME].rstrip(b"\0").decode()
        found += g.request(genl.CMD_BACKEND_GET, named(name), dump=True)
        found.append(owners(g, name))
    return found


class FailingSocket:
    """Of all that the kernel allocates for what is sent, one fails. It answers in send()."""

    def __init__(self, sock):
        self.sock = sock
        self.nth = 0

    def send(self, message):
        os.pwrite(FAIL_NTH, str(self.nth).encode(), 0)
        try:
            return self.sock.send(message)
        finally:
            self.nth = int(os.pread(FAIL_NTH, 20, 0))
            os.pwrite(FAIL_NTH, b"0", 0)

    def recv(self, size):
        return self.sock.recv(size)


def failing(g, nth, f, *args):
    """f(), during which the nth allocation fails, and whether it came to that one"""
    g.sock.nth = nth
    answer = f(*args)
    failed = not g.sock.nth
    g.sock.nth = 0
    return answer, failed


def run(g, requests):
    """What became of them: None, or an errno; "unknown" if the answer was lost."""
    try:
        for command, payload in requests:
            g.request(command, payload)
    except Refused as r:
        return r.errno
    except OSError:
        return "unknown"
    return None


def attempt(g, requests, nth):
    """What became of them, what was before, what is now, and whether an allocation failed"""
    set_up(g)
    before = state(g)
    became, failed = failing(g, nth, run, g, requests)
    if became:
        run(g, [(genl.CMD_ABORT, named("web"))])
    return became, before, state(g), failed


def case(g, what, requests):
    """Each allocation of some requests fails once."""
    became, before, wanted, _ = attempt(g, requests, 0)
    claim(became is None and before != wanted, f"{what}: with memory it is in force", became)
    tally = collections.Counter()
    wrong = []
    for nth in range(1, MOST):
        became, before, now, failed = attempt(g, requests, nth)
        tally[became] += 1
        whole = {None: [wanted], "unknown": [before, wanted]}.get(became, [before])
        if became not in (None, "unknown", *NO_MEMORY) or now not in whole:
            wrong.append((nth, became))
        if not failed:
            break
    claim(not wrong and not failed, f"{what}: without it is in force, or nothing is changed",
          (wrong, tally))
    return tally


def read(g):
    try:
        return state(g)
    except (OSError, Refused):
        return None


def reading(g):
    """The same for all that is only asked."""
    set_up(g)
    wanted = state(g)
    wrong = []
    for nth in range(1, MOST):
        answer, failed = failing(g, nth, read, g)
        if answer not in (None, wanted):
            wrong.append(nth)
        if not failed:
            break
    claim(not wrong and not failed, "answers without memory are whole, or there is none", wrong)


def main():
    ktap.plan(2 * len(CASES) + 2)
    g = Genl()
    g.sock = FailingSocket(g.sock)
    tally = sum((case(g, what, requests) for what, *requests in CASES), collections.Counter())
    claim(tally[errno.ENOMEM] > 50, "of all these many were refused for want of memory", tally)
    reading(g)
    g.request(genl.CMD_FLUSH)
    ktap.finish()


if __name__ == "__main__":
    for switch, value in (("ignore-gfp-wait", "N"), ("verbose", "0")):
        (FAILSLAB / switch).write_text(value, encoding="ascii")
    main()
