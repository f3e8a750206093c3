#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
dev_twin - the same random packets through two gateways: what comes out must be the same

  dev_twin.py --netns NAME --count N [--phase NAME] [--seed N]

In:  a namespace with the far ends of two gateways' links: cA, bA (to clients and backends of
     the one) and cB, bB; gateways as dev_twin.sh makes them. Packets are sent from a pool, each
     several times; replies are those to requests that came out at the first gateway.
     PHASE: plain requests alone, for a state of the gateways in which none is taken.
Out: a line of JSON: packets sent and received, and the first that differed. Frames are
     compared whole, in their order on each link; but for the numbers of an ICMP error's own
     header and of IPv6 fragments, which are random, and what asks for neighbours.
"""

import argparse
import json
import os
import random
import select
import socket

import packets
from packets import extension, ip, tcp, udp
from who import enter_netns

GATEWAY = bytes.fromhex("020000000001")
SENDER = bytes.fromhex("020000000002")
BATCH = 64
TIMES = 4               # each packet of the pool is sent
PATIENCE = 60

VIP = {4: "192.0.2.10", 6: "2001:db8::10"}
OWN = {4: "10.0.1.1", 6: "fd00:1::1"}
NOOPS = b"\1\1\1\0"


def client(rng, family):
    """Behind a router, behind two (IPv4: a choice), or a neighbour that nobody has heard of."""
    kind = rng.random()
    if kind < (.9 if family == 4 else .97):
        n = rng.randrange(500)
        return f"198.18.{n % 250}.{n // 250 + 1}" if family == 4 else f"2001:db8:c::{n + 1:x}"
    if kind < .97 and family == 4:
        return f"203.0.113.{rng.randrange(128, 250)}"
    return f"10.0.1.{rng.randrange(70, 80)}" if family == 4 else f"fd00:1::{rng.randrange(70, 80):x}"


def data(rng):
    return rng.randbytes(rng.choice((0, 1, 2, 8, 17, 40, 99, 400)))


def plain(rng, family, src, sport, dst, dport, proto, payload=None, **more):
    payload = data(rng) if payload is None else payload
    if family == 4 and rng.random() < .5:
        more.setdefault("df", True)
    if proto == "tcp":
        return tcp(family, src, sport, dst, dport, rng.choice((0x10, 0x18, 0x11)), payload, **more)
    check = 0 if family == 4 and rng.random() < .1 else None
    return udp(family, src, sport, dst, dport, payload, check=check, **more)


def with_dscp(packet, dscp):
    if packet[0] >> 4 == 6:
        return bytes((0x60 | dscp >> 2, (dscp & 3) << 6)) + packet[2:]
    packet = bytearray(packet)
    packet[1] = dscp << 2
    return with_sum(packet)


def with_sum(packet):
    packet = bytearray(packet)
    packet[10:12] = b"\0\0"
    end = (packet[0] & 15) * 4
    packet[10:12] = packets.checksum(bytes(packet[:end]))
    return bytes(packet)


def frame(packet, to=GATEWAY, tag=b"", pad=b""):
    kind = b"\x08\x00" if packet[0] >> 4 == 4 else b"\x86\xdd"
    return to + SENDER + tag + kind + packet + pad


# --- oddities: each makes a list of frames of one plain packet's words ------------------------

def other_address(rng, family, words):
    return [frame(plain(rng, family, *words), to=bytes.fromhex("0200000000ff"))]


def vlan(rng, family, words):
    return [frame(plain(rng, family, *words), tag=b"\x81\x00\x00\x07")]


def options(rng, family, words):
    more = {"options": NOOPS} if family == 4 else {"chain": (rng.choice((0, 60)),)}
    return [frame(plain(rng, family, *words, **more))]


def fragments(rng, family, words):
    """IPv6 has its fragments among the extension headers."""
    whole = plain(rng, family, *words, payload=rng.randbytes(64), df=False)
    ident = rng.randrange(1, 1 << 16)
    body = whole[20 if family == 4 else 40:]
    proto = 6 if words[4] == "tcp" else 17
    more = {"chain": (44,)} if family == 6 else {}
    return [frame(ip(family, words[0], words[2], proto, body[:32], ident=ident, more=True,
                     **more)),
            frame(ip(family, words[0], words[2], proto, body[32:], ident=ident, offset=32,
                     **more))]


def protocol(rng, family, words):
    return [frame(ip(family, words[0], words[2], rng.choice((47, 50)), data(rng)))]


def malformed(rng, family, words):
    packet = bytearray(plain(rng, family, *words, payload=b"12345678"))
    if family == 6:
        if rng.random() < .5:
            packet[0] = 0x50
        else:
            packet[5] = rng.choice((4, 7, 200))         # length: too short, too long
        return [frame(bytes(packet))]
    kind = rng.randrange(4)
    if kind == 0:
        packet[10] ^= 0x40
        return [frame(bytes(packet))]
    if kind == 1:
        packet[0] = rng.choice((0x44, 0x55))
    else:
        packet[3] = 24 if kind == 2 else 250
    return [frame(with_sum(packet))]


def ttl(rng, family, words):
    return [frame(plain(rng, family, *words, ttl=rng.choice((0, 1))))]


def source(rng, family, words):
    """Those that a gateway does not forward. IPv6 knows no reverse path filter."""
    src = rng.choice({4: ("127.0.0.1", "224.0.0.5", "0.0.0.0", "255.255.255.255", OWN[4],
                          "10.0.2.77"),
                      6: ("::1", "ff02::1", "::", "fe80::77")}[family])
    return [frame(plain(rng, family, src, *words[1:]))]


def large(rng, family, words):
    """More than the 1400 bytes that go to the backends."""
    return [frame(plain(rng, family, *words, payload=rng.randbytes(1420)))]


def unsettled(rng, family, words):
    """To a service that has no backend which takes flows."""
    return [frame(plain(rng, family, *words[:3], 82, words[4]))]


def no_neighbour(rng, family, words):
    """To a service whose backend nobody has heard of."""
    return [frame(plain(rng, family, *words[:3], 83, words[4]))]


def no_service(rng, family, words):
    return [frame(plain(rng, family, *words[:3], 7, words[4]))]


REQUEST_ODD = (other_address, vlan, options, fragments, protocol, malformed, ttl, source, large,
               unsettled, no_neighbour, no_service)
REPLY_ODD = (other_address, vlan, options, protocol, malformed, ttl)


def ordinary(rng, family, words):
    """A packet to be taken: with a DSCP now and then, or with bytes behind its end, as Ethernet
    has behind short ones."""
    packet = plain(rng, family, *words, ttl=rng.choice((2, 64, 255)))
    if rng.random() < .2:
        packet = with_dscp(packet, rng.choice((8, 46)))
    return [frame(packet, pad=bytes(rng.choice((0, 0, 6, 18))))]


def request(rng, odd):
    family, proto = rng.choice((4, 6)), rng.choice(("udp", "tcp"))
    port = rng.choice((80, 80, 81))
    words = (client(rng, family), rng.randrange(1024, 1044), VIP[family], port, proto)
    return (rng.choice(REQUEST_ODD) if odd else ordinary)(rng, family, words)


def reply(rng, flow, odd):
    """The answer to a packet that came out, or what only looks like one."""
    family, proto, src, sport, dst, dport = flow
    words = [dst, dport, src, sport, proto]
    kind = rng.random()
    if kind < .06:
        words[3] = 2000 + words[3]      # to no flow, mostly
    elif kind < .09 and family == 4:
        words[2:4] = [VIP[4], 80]       # from a backend to a VIP
    return (rng.choice(REPLY_ODD) if odd else ordinary)(rng, family, words)


# --- sending and comparing ------------------------------------------------------------------

def flow_of(data):
    """The flow of a plain frame to a backend, None of any other."""
    packet = data[14:]
    family = packet[0] >> 4
    if data[12:14] not in (b"\x08\x00", b"\x86\xdd"):
        return None
    at, proto = (20, packet[9]) if family == 4 else (40, packet[6])
    if family == 4 and (packet[0] & 15 > 5 or packet[6] & 0x3f or packet[7]):
        return None                     # with options, or a fragment
    if proto not in (6, 17) or len(packet) < at + 4:
        return None
    addresses = packet[12:20] if family == 4 else packet[8:40]
    half = len(addresses) // 2
    text = [socket.inet_ntop(packets.FAMILY[family], a)
            for a in (addresses[:half], addresses[half:])]
    ports = [int.from_bytes(packet[at + n:at + n + 2], "big") for n in (0, 2)]
    return (family, "tcp" if proto == 6 else "udp", text[0], ports[0], text[1], ports[1])


def comparable(data):
    """The frame, less what is random; None: not to be compared."""
    kind = data[12:14]
    if kind == b"\x86\xdd":
        asks = data[20] == 58 and 133 <= data[54] <= 137 or data[20] == 0
        if data[20] == 44:              # fragments, made anew: their number
            return data[:58] + data[62:]
        return None if asks else data
    if kind != b"\x08\x00":
        return None
    if data[23] == 1:                   # ICMP: number and checksum of its own header
        return data[:18] + b"\0\0" + data[20:24] + b"\0\0" + data[26:]
    return data


class Link:
    def __init__(self, device):
        self.device = device
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.sock.setsockopt(socket.SOL_SOCKET, 33, 32 << 20)       # SO_RCVBUFFORCE
        self.sock.setsockopt(263, 23, 1)                            # PACKET_IGNORE_OUTGOING
        self.sock.bind((device, 3))
        self.heard = []

    def hear(self):
        """All that waits."""
        while select.select([self.sock], [], [], 0)[0]:
            data = comparable(self.sock.recv(65600))
            if data is not None:
                self.heard.append(data)


class Bed:
    def __init__(self, name):
        self.links = {"c": Link("c" + name), "b": Link("b" + name)}
        self.marks = 0

    def send(self, batch, ways):
        """Frames, and behind them one on each way that is known to come out: links keep the order
        of a sender that stays on one processor. True when these have."""
        for leg, frames in batch:
            for data in frames:
                self.links[leg].sock.send(data)
        self.marks += 1
        text = b"mark %d" % self.marks
        # from and to a host that is no service's: forwarded as they are
        ends = (("198.18.0.1", 9), ("10.0.2.15", 9))
        for way in ways:
            a, b = ends if way == "c" else ends[::-1]
            self.links[way].sock.send(frame(udp(4, *a, *b, text)))
        return all(self.await_mark(self.links["b" if way == "c" else "c"], text)
                   for way in ways)

    @staticmethod
    def await_mark(link, text):
        while True:
            link.hear()
            if any(data.endswith(text) for data in link.heard[-200:]):
                return True
            if not select.select([link.sock], [], [], PATIENCE)[0]:
                return False


class Twins:
    def __init__(self, ways):
        self.ways = ways
        self.beds = [Bed("A"), Bed("B")]
        self.sent = self.received = 0
        self.flows = set()
        self.wrong = None

    def send(self, batch):
        if not all([bed.send(batch, self.ways) for bed in self.beds]):
            self.wrong = self.wrong or "a mark did not come out"
        for leg in "cb":
            heard = [bed.links[leg].heard for bed in self.beds]
            self.received += len(heard[0])
            if heard[0] != heard[1] and not self.wrong:
                self.tell(leg, batch, *heard)
            if leg == "b":
                self.flows.update(filter(None, map(flow_of, heard[0])))
            for bed in self.beds:
                bed.links[leg].heard = []
        self.sent += sum(len(frames) for _, frames in batch)

    def tell(self, leg, batch, first, second):
        n = next((i for i, (a, b) in enumerate(zip(first, second)) if a != b),
                 min(len(first), len(second)))
        self.wrong = {"leg": leg, "frames": [len(first), len(second)], "at": n,
                      "first": first[n].hex() if n < len(first) else None,
                      "second": second[n].hex() if n < len(second) else None,
                      "sent": [f.hex() for _, frames in batch for f in frames]
                      if os.environ.get("TELL") else None}

    def send_all(self, pool, rng, times):
        todo = pool * times
        rng.shuffle(todo)
        for i in range(0, len(todo), BATCH):
            self.send(todo[i:i + BATCH])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--netns", required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--phase")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    enter_netns(args.netns)
    rng = random.Random(args.seed)
    twins = Twins("b" if args.phase else "cb")
    if args.phase:
        twins.send_all([("c", request(rng, False)) for _ in range(args.count // TIMES)], rng, TIMES)
    else:
        size = args.count // (2 * TIMES)
        pool = [("c", request(rng, rng.random() < .25)) for _ in range(size)]
        twins.send_all(pool, rng, TIMES)
        flows = sorted(f for f in twins.flows if f[5] != 9)
        pool = [("b", reply(rng, rng.choice(flows), rng.random() < .12)) for _ in range(size)]
        twins.send_all(pool, rng, TIMES)
    print(json.dumps({"sent": twins.sent, "received": twins.received, "wrong": twins.wrong}))


if __name__ == "__main__":
    main()
