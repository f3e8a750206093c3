#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
table_golden.py - fixed configurations have the tables in the kernel that they always had
(cli/table_golden.sh is the same for the tool); and two network namespaces that were configured
in different orders have the same digests and send 10,000 random tuples (by $SCALE) alike, with
all backends up and with a third of them down. Runs in a namespace of its own, as root, with the
tool in PATH.
"""
import ctypes
import ipaddress
import json
import os
import random
import struct
import subprocess
import time
from pathlib import Path

import genl
import ktap
from genl import Genl, attr, nest, parse, u32
from ktap import claim

GOLDEN = Path(__file__).resolve().parent / "../golden"
TUPLES = 10000 // int(os.environ.get("SCALE", "1"))
SAMPLE = min(1000, TUPLES)   # of these are looked at more closely
AT_ONCE = 100           # lookups in one buffer
CLONE_NEWNET = 0x40000000


def ringlb(*words, given=None):
    return subprocess.run(("ringlb",) + words, input=given, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def digests():
    return "".join(f"{s['service']} {s['digest']}\n"
                   for s in json.loads(ringlb("-j", "table", "digest")))


def each(words):
    """backend add SERVICE ADDR... PAIRS: a line of its own for each backend"""
    n = next(i for i, w in enumerate(words) if w in ("id", "weight"))
    return [words[:3] + [at] + words[n:] for at in words[3:n]]


def other_order(conf, rng):
    """
    The same configuration: services and backends in another order, each service in two parts,
    but with its map in one
    """
    lines = [line.split() for line in conf.splitlines() if line and line[0] != "#"]
    services = [w for w in lines if w[:2] == ["service", "add"]]
    rng.shuffle(services)
    backends = [one for w in lines if w[0] == "backend" for one in each(w)]
    maps = [w for w in lines if w[:2] == ["service", "set"]]
    names = [w[2] for w in maps]
    mapped = maps + [w for w in backends if w[2] in names]
    rng.shuffle(mapped)
    mapped.sort(key=lambda w: w[2])
    backends = [w for w in backends if w[2] not in names]
    rng.shuffle(backends)
    order = [w[2] for w in services]
    backends = [b for half in (backends[::2], backends[1::2])
                for b in sorted(half, key=lambda w: order.index(w[2]))]
    return "\n".join(" ".join(w) for w in [lines[0]] + services + backends + mapped) + "\n"


def configure(conf):
    ringlb("-b", "-", given=conf)
    names = [s["service"] for s in json.loads(ringlb("-j", "service", "show"))]
    ringlb("-b", "-", given="".join(f"service set {n} settle 100%\n" for n in names))


def settled():
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if not any(s["pending"] for s in json.loads(ringlb("-j", "service", "show"))):
            return True
        time.sleep(0.1)
    return False


def vips(conf):
    """Of each service, and of each whose list has dead seats, where flows look again anyway"""
    lines = [w for w in map(str.split, conf.splitlines()) if w[:2] == ["service", "add"]]
    return [w[4] for w in lines], {w[4] for w in lines if "seats" in w}


def question(rng, where):
    host, port = where.rsplit(":", 1)
    dst = ipaddress.ip_address(host.strip("[]"))
    v = dst.version
    src = rng.getrandbits(24) + int(ipaddress.ip_address("10.0.0.0" if v == 4 else "fd01::"))
    src = ipaddress.ip_address(src).packed if v == 4 else ipaddress.IPv6Address(src).packed
    return nest(genl.A_LOOKUP, u32(genl.A_LOOKUP_PROTOCOL, 6),
                attr(getattr(genl, f"A_LOOKUP_SRC_IPV{v}"), src),
                u32(genl.A_LOOKUP_SRC_PORT, rng.randrange(1, 65536)),
                attr(getattr(genl, f"A_LOOKUP_DST_IPV{v}"), dst.packed),
                u32(genl.A_LOOKUP_DST_PORT, int(port)))


def buffers(g, questions):
    """Many requests in each; their answers are not told apart, but come in order"""
    asked = [struct.pack("=IHHII", 20 + len(q), g.family, genl.NLM_F_REQUEST, g.sequence, 0) +
             struct.pack("=BBH", genl.CMD_LOOKUP, 1, 0) + q for q in questions]
    return [asked[i:i + AT_ONCE] for i in range(0, len(asked), AT_ONCE)]


def lookups(g, parts):
    """The answers as they came, without their headers"""
    found = []
    for part in parts:
        g.sock.send(b"".join(part))
        left = len(part)
        while left:
            data = g.sock.recv(1 << 17)
            at = 0
            while at < len(data):
                length, kind = struct.unpack_from("=IH", data, at)
                if kind == genl.NLMSG_ERROR:
                    raise RuntimeError("a lookup was refused")
                found.append(data[at + 20:at + length])
                at += (length + 3) & ~3
                left -= 1
    return found


def read(answer):
    """Probes, and the backend that takes the flow"""
    inside = dict(parse(dict(parse(answer))[genl.A_LOOKUP]))
    return (struct.unpack("=I", inside[genl.A_LOOKUP_PROBES])[0],
            dict(parse(inside[genl.A_LOOKUP_BACKEND])).get(genl.A_BACKEND_IPV4,
                                                           inside[genl.A_LOOKUP_BACKEND]))


def down(conf):
    """A third of all backends"""
    lines = [w for w in map(str.split, conf.splitlines()) if w[:2] == ["backend", "add"]]
    return "".join(f"backend down {w[2]} {w[3]}\n"
                   for i, w in enumerate(one for w in lines for one in each(w)) if i % 3 == 0)


def main():
    ktap.plan(7)
    rng = random.Random(5)
    conf = (GOLDEN / "conf").read_text(encoding="ascii")
    golden = (GOLDEN / "digests").read_text(encoding="ascii")
    one = Genl()
    ringlb("-b", "-", given=conf)
    claim(digests() == golden, "golden: the kernel's tables have the digests that they always had",
          digests())
    ringlb("-b", "-", given=down(conf))
    if ctypes.CDLL(None).unshare(CLONE_NEWNET):
        raise OSError("unshare")
    two = Genl()
    configure(other_order(conf, rng))
    claim(settled(), "golden: another gateway, told in another order, settles")
    claim(digests() == golden, "golden: and ends at the same digests", digests())
    where, seats = vips(conf)
    asked = [rng.choice(where) for _ in range(TUPLES)]
    parts = buffers(one, [question(rng, vip) for vip in asked])
    up = lookups(two, parts)
    ringlb("-b", "-", given=down(conf))
    first, second = lookups(one, parts), lookups(two, parts)
    claim(len(first) == TUPLES and first == second,
          f"golden: {TUPLES} tuples go alike, with a third of the backends down",
          sum(a != b for a, b in zip(first, second)))
    sample = [(read(a), read(b)) for a, b, vip in zip(up, first, asked[:SAMPLE])
              if vip not in seats]
    again = sum(b[0] > 1 for _, b in sample)
    claim(len(sample) // 5 < again < len(sample) // 2,
          "golden: about a third of them looked again", again)
    claim(all((a[1] == b[1]) == (b[0] == 1) and a[0] == 1 for a, b in sample),
          "golden: and those alone had moved that looked again")
    ringlb("-b", "-", given=down(conf).replace("backend down", "backend up"))
    claim(lookups(two, parts) == up, "golden: with all up again each goes where it went")
    ktap.finish()


if __name__ == "__main__":
    main()
