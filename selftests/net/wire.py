#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
wire - crafted packets through the gateway, and what came out, byte for byte

  wire.py --cli NETNS/DEV/MAC --be1 NETNS/DEV/MAC --gw NETNS 4|6 GROUP...

In:  the ends of the two links of the gateway, with its addresses there; services dns4, dns6
     (udp, port 53 to 5353), web4, web6 and call4, call6 (tcp and sctp, port 80 to 8080) with be1
     alone; kernels at
     both ends that say nothing. GROUP: the name of a function of wire_cases.py.
Out: for each GROUP a line `ok GROUP`, if each packet came out as it must, nothing else did, and
     it was counted; else `not ok GROUP`, and what is not as it must be.

Packets are sent one by one, each received before the next. What must not come out is
followed at the end by a packet that must: links keep the order of a sender that stays on one
processor.
"""

import argparse
import json
import os
import select
import socket
import struct
import subprocess
import time

from packets import ETHERTYPE, HEADER, ICMP, l4_of
from sniff import folded
from who import enter_netns
from wire_cases import ERRORS, GATEWAY, GROUPS, plain

PATIENCE = 30


class Wrong(Exception):
    pass


class Leg:
    """One end of a link: what is sent there goes to the gateway."""

    def __init__(self, where):
        netns, self.device, mac = where.split("/")
        self.mac = bytes.fromhex(mac.replace(":", ""))
        enter_netns(netns)
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.sock.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)        # SO_RCVBUFFORCE
        self.sock.bind((self.device, 3))
        self.seen = []

    def send(self, family, packet):
        self.sock.sendto(packet, (self.device, ETHERTYPE[family], 0, 0, self.mac))

    def hear(self, patience):
        """One more packet; False if none comes."""
        if not select.select([self.sock], [], [], patience)[0]:
            return False
        data, (_, ethertype, kind, _, _) = self.sock.recvfrom(65600)
        if kind != socket.PACKET_OUTGOING and ethertype in ETHERTYPE.values():
            if not is_chatter(data):
                self.seen.append(data)
        return True

    def get(self, wanted, patience=PATIENCE):
        """Wait until a packet is there for which wanted() is true, and take it."""
        end = time.monotonic() + patience
        while True:
            for packet in self.seen:
                if wanted(packet):
                    self.seen.remove(packet)
                    return packet
            if not self.hear(max(0, end - time.monotonic())) and time.monotonic() >= end:
                return None


def is_chatter(data):
    """Neighbour discovery and group membership, which a link is never without."""
    if data[0] >> 4 == 6:
        return data[6] == 58 and 130 <= data[40] <= 143 and data[40] != 137 or data[6] == 0 and \
            data[40] == 58 and data[48] in (130, 131, 132, 143)
    return data[9] == 2


def hexed(packet):
    return packet.hex(" ", 4)


class Fragments:
    """What comes of a packet that was cut, and put together and cut again on its way."""

    def __init__(self, family, packet):
        self.family = family
        self.packet = packet
        self.parts = {}         # offset: bytes
        self.size = None

    def split(self, packet):
        """Its fragment's offset, whether more follow, and its bytes; None if it is none of it."""
        if self.family == 4:
            if packet[0] != 0x45 or packet[8:10] != self.packet[8:10] or \
                    packet[12:20] != self.packet[12:20] or folded(packet[:20]) != 0xffff:
                return None
            (bits,) = struct.unpack(">H", packet[6:8])
            return (bits & 0x1fff) * 8, bool(bits & 0x2000), packet[20:]
        if packet[6] != 44 or packet[7:40] != self.packet[7:40] or packet[40] != self.packet[6]:
            return None
        (bits,) = struct.unpack(">H", packet[42:44])
        return bits & 0xfff8, bool(bits & 1), packet[48:]

    def is_one(self, packet):
        """Of it, and not of another one between the same ends: bytes are where they must be."""
        found = self.split(packet)
        due = self.packet[HEADER[self.family]:]
        return bool(found) and found[0] not in self.parts and \
            due[found[0]:found[0] + len(found[2])] == found[2]

    def take(self, packet):
        offset, more, data = self.split(packet)
        self.parts[offset] = data
        if not more:
            self.size = offset + len(data)

    def whole(self):
        return self.size is not None and sum(map(len, self.parts.values())) >= self.size

    def body(self):
        return b"".join(data for _, data in sorted(self.parts.items()))


class Way:
    """From one leg to the other; counts what the gateway is to count."""

    def __init__(self, args):
        self.args = args
        self.family = args.family
        self.legs = {"cli": Leg(args.cli), "be1": Leg(args.be1)}
        self.after = self.counters()
        self.sent = []
        self.n = 0
        self.first_ident = os.getpid() * 64     # others' fragments may still wait somewhere

    def begin(self):
        """Another group."""
        self.before = self.after
        self.due = {}
        self.wrong = []
        for leg in self.legs.values():
            leg.seen.clear()

    def counters(self):
        found = {}
        for words in (("service", "show"), ("version",)):
            said = subprocess.run(("ringlb", "-n", self.args.gw, "-j", "-s") + words, check=True,
                                  stdout=subprocess.PIPE).stdout
            for thing in json.loads(said) if words[0] == "service" else [json.loads(said)]:
                for name, value in thing["counters"].items():
                    found[name] = found.get(name, 0) + value
        return found

    def tell(self, what):
        """What is wrong; after some of it the rest would only take its time."""
        self.wrong.append(what)
        if len(self.wrong) == 4:
            raise Wrong("\n".join(self.wrong))

    def count(self, name, n=1):
        self.due[name] = self.due.get(name, 0) + n

    def send(self, leg, packet):
        self.sent.append(packet)
        self.legs[leg].send(self.family, packet)

    def same(self, what, leg, packet, expected, counter=None):
        """Sent from here, this comes out there."""
        self.send(leg, packet)
        other = "be1" if leg == "cli" else "cli"
        if counter:
            self.count(counter)
        if self.legs[other].get(expected.__eq__) is None:
            self.tell(f"{what}: did not come out as it must:\n  sent     {hexed(packet)}\n"
                      f"  expected {hexed(expected)}")

    def whole(self, what, leg, parts, expected):
        """These fragments sent from here, fragments of this come out there."""
        for part in parts:
            self.send(leg, part)
        other = self.legs["be1" if leg == "cli" else "cli"]
        found, end = Fragments(self.family, expected), time.monotonic() + PATIENCE
        while not found.whole() and time.monotonic() < end:
            part = other.get(found.is_one, 0.1)
            if part:
                found.take(part)
        if found.body() != expected[HEADER[self.family]:]:
            self.tell(f"{what}: came out as {found.parts}, not as {hexed(expected)}")

    def back(self, what, packet, expected):
        """Sent by the client, this comes out on the same link."""
        self.send("cli", packet)
        if self.legs["cli"].get(expected.__eq__) is None:
            self.tell(f"{what}: did not come back as {hexed(expected)}")

    def lost(self, leg, packet, counter=None):
        """Sent from here, it comes out nowhere, or is answered by the gateway."""
        self.send(leg, packet)
        if counter:
            self.count(counter)

    def answered(self, what, leg, packet, kind, code):
        """Sent from here, an error of the gateway comes back that quotes it as it was sent."""
        self.send(leg, packet)
        found = self.legs[leg].get(lambda p: self.is_error(p, (kind, code)) and
                                   self.quotes(p, packet))
        if not found:
            self.tell(f"{what}: no error {kind}/{code} that quotes what was sent:\n"
                      f"  sent     {hexed(packet)}")
        elif not sums_good(found):
            self.tell(f"{what}: a checksum is wrong in {hexed(found)}")

    def is_error(self, packet, which=None):
        body = l4_of(packet, ICMP[self.family])
        known = tuple(ERRORS[self.family]) + ((12, 1), (3, 2))
        return bool(body) and (tuple(body[:2]) == which if which else tuple(body[:2]) in known) \
            and source(packet) in GATEWAY[self.family]

    def is_due(self, packet):
        """The gateway may complain of what was sent, and of fragments that it waited for."""
        late = (11, 1) if self.family == 4 else (3, 1)
        return self.is_error(packet, late) or \
            self.is_error(packet) and any(self.quotes(packet, s) for s in self.sent)

    def quotes(self, packet, sent):
        quoted = l4_of(packet, ICMP[self.family])[8:]
        return len(quoted) >= min(len(sent), HEADER[self.family] + 8) and \
            sent[:len(quoted)] == quoted

    def token(self):
        """Another source port for each packet, so that none is taken for another one."""
        self.n += 1
        return 20000 + self.n

    def ident(self):
        """Of the fragments of the packet whose token was the last."""
        return (self.first_ident + self.n) & 0xffff

    def end(self):
        for leg in ("cli", "be1"):
            self.same("the last packet", leg, *plain(self.family, leg, self.token()))
        for name, leg in self.legs.items():
            while leg.hear(0):
                pass
            for packet in leg.seen:
                if not self.is_due(packet):
                    self.tell(f"came to {name} and must not: {hexed(packet)}")
        self.after = self.counters()
        for name, due in self.due.items():
            found = self.after[name] - self.before[name]
            if found != due:
                self.tell(f"{name} counted {found}, not {due}")
        if self.wrong:
            raise Wrong("\n".join(self.wrong))


def source(packet):
    if packet[0] >> 4 == 4:
        return socket.inet_ntop(socket.AF_INET, packet[12:16])
    return socket.inet_ntop(socket.AF_INET6, packet[8:24])


def sums_good(packet):
    """Of an ICMP packet without options or extension headers."""
    if packet[0] >> 4 == 4:
        return folded(packet[:20]) == 0xffff and folded(packet[20:]) == 0xffff
    return folded(packet[8:40] + struct.pack(">II", len(packet) - 40, 58) + packet[40:]) == 0xffff


def main():
    parser = argparse.ArgumentParser(description="packets through the gateway, byte for byte")
    for name in ("--cli", "--be1", "--gw"):
        parser.add_argument(name, required=True)
    parser.add_argument("family", type=int, choices=(4, 6))
    parser.add_argument("groups", nargs="+", choices=GROUPS)
    args = parser.parse_args()

    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    way = Way(args)
    for group in args.groups:
        way.begin()
        try:
            GROUPS[group](way)
            way.end()
            print("ok", group)
        except Wrong as wrong:
            way.after = way.counters()
            print("not ok", group)
            print(wrong)


if __name__ == "__main__":
    main()
