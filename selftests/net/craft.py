#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
craft - packets that no kernel would send, put on a link as they are

  craft.py [OPTIONS] fuzz N             N packets to the VIPs, damaged at random
  craft.py [OPTIONS] plain N KIND...    N packets of each kind to both VIPs: syn, rst, udp, or
                                        error (that quotes an answer of the VIP)
  craft.py [OPTIONS] stray PORT PORTS   to the client's PORTS (A-B) TCP segments from the backend
                                        10.0.2.11:PORT whose numbers are out of any window
  craft.py [OPTIONS] toobig FAMILY SPORT CLIENT CPORT MTU WHAT
                                        an ICMP error that says that the VIP's UDP packet from
                                        SPORT to CLIENT:CPORT is above MTU; of that packet it
                                        quotes WHAT: 8 (bytes of UDP), more (the start of its
                                        data), options (8 bytes, behind IP options; IPv4)
  craft.py [OPTIONS] flood KIND N [A-B]  N packets to port 80 (UDP: 53) of the IPv4 VIP in the
                                        name of clients that know nothing of them, or of
                                        the client itself with source ports A-B; KIND: udp,
                                        or the flags of TCP as a number; sequence numbers
                                        are guessed
  craft.py [OPTIONS] portless FAMILY NUMBER DST SRC...
                                        a packet of protocol NUMBER from each SRC to DST
  craft.py [OPTIONS] pieces FAMILY NUMBER DST SRC...
                                        the same, but each in two fragments
  craft.py [OPTIONS] about FAMILY NUMBER
                                        an ICMP error that says that the VIP's packet of protocol
                                        NUMBER to the client is above 1400 bytes

In:  --netns NAME --device DEV --mac ADDRESS (of the gateway), --seed N
Out: the seed, if fuzz was asked for.
"""

import argparse
import errno
import os
import random
import socket
import struct

from packets import ETHERTYPE, checksum, error, ip, tcp, udp
from who import enter_netns

VIP = {4: "192.0.2.10", 6: "2001:db8::10"}
CLIENT = {4: "10.0.1.2", 6: "fd00:1::2"}


def too_big(family, sport, client, cport, mtu, what):
    """What a router would say of an answer that the client is to get."""
    answer = udp(family, VIP[family], sport, client, cport, b"x" * 1400)
    size = {4: 20, 6: 40}[family]
    quoted = answer[:size + (8 if what == "8" else 500)]
    if what == "options":
        plain = udp(4, VIP[4], sport, client, cport, b"x" * 1400)
        quoted = ip(4, VIP[4], client, 17, plain[20:], b"\x01" * 12)[:32 + 8]
    kind = (3, 4) if family == 4 else (2, 0)
    return error(family, client, VIP[family], *kind, mtu, quoted)


def portless(family, number, dst, src):
    return ip(family, src, dst, number, bytes(24))


def pieces(family, number, dst, src):
    more = {"chain": (44,)} if family == 6 else {}
    yield ip(family, src, dst, number, bytes(1000), more=True, **more)
    yield ip(family, src, dst, number, bytes(400), offset=1000, **more)


def about(family, number):
    """What a router would say of it."""
    return error(family, CLIENT[family], VIP[family], *((3, 4) if family == 4 else (2, 0)), 1400,
                 ip(family, VIP[family], CLIENT[family], number, bytes(24)))


def plain(kind, family, sport):
    """A packet that is right, of a client to the VIP."""
    client, vip = CLIENT[family], VIP[family]
    if kind == "udp":
        return udp(family, client, sport, vip, 53, b"who\n")
    if kind == "error":
        return error(family, client, vip, *((3, 3) if family == 4 else (1, 4)), 0,
                     udp(family, vip, 53, client, sport, b"x"))
    return tcp(family, client, sport, vip, 80, {"syn": 2, "rst": 4}[kind])


def samples(rand):
    """Packets that are right, one of each kind."""
    family = rand.choice((4, 6))
    client, vip = CLIENT[family], VIP[family]
    sport = rand.randrange(1024, 65536)
    data = rand.randbytes(rand.randrange(64))
    kind = rand.randrange(5)
    if kind == 0:
        return family, udp(family, client, sport, vip, 53, data)
    if kind == 1:
        return family, tcp(family, client, sport, vip, 80, rand.randrange(256), data,
                           rand.getrandbits(32), rand.getrandbits(32))
    if kind == 2:
        inner = udp(family, vip, 53, client, sport, data)
    else:
        inner = tcp(family, vip, 80, client, sport, 16, data)
    inner = inner[:rand.randrange(len(inner) + 1)]
    if kind == 4 and family == 6:           # extension headers of any kind before UDP
        plain = udp(6, client, sport, vip, 53, data)[40:]
        chain = rand.choice((0, 43, 44, 60, 51, 135))
        return 6, ip(6, client, vip, chain,
                     bytes((17, rand.randrange(4))) + rand.randbytes(6) + plain)
    number = rand.choice((3, 4, 5, 11, 12) if family == 4 else (1, 2, 3, 4, 137))
    return family, error(family, client, vip, number, rand.randrange(6), rand.getrandbits(16),
                         inner)


def flood(kind, count, ports=None):
    """Packets in the name of others."""
    first, last = [int(port) for port in (ports or "1024-65535").split("-")]
    for _ in range(int(count)):
        host = random.getrandbits(16)
        src = CLIENT[4] if ports else f"10.9.{host >> 8}.{host & 255}"
        sport = random.randrange(first, last + 1)
        if kind == "udp":
            yield udp(4, src, sport, VIP[4], 53, b"who\n")
        else:
            yield tcp(4, src, sport, VIP[4], 80, int(kind, 0), b"", random.getrandbits(32),
                      random.getrandbits(32))


def damage(rand, family, packet):
    """Some bytes changed, some cut off; the IPv4 header mostly right enough to get in."""
    packet = bytearray(packet)
    for _ in range(rand.randrange(4)):
        packet[rand.randrange(min(len(packet), 100))] = rand.getrandbits(8)
    if rand.randrange(2):
        keep = rand.randrange(20, len(packet) + 1)
        if rand.randrange(4):       # told of, or a lie
            if family == 4:
                packet[2:4] = struct.pack(">H", keep)
            elif keep >= 40:
                packet[4:6] = struct.pack(">H", keep - 40)
        del packet[keep:]
    if family == 4 and rand.randrange(8):
        packet[0] = 0x40 | packet[0] & 15
        size = (packet[0] & 15) * 4
        packet[10:12] = b"\0\0"
        packet[10:12] = checksum(bytes(packet[:size]))
    return bytes(packet)


def main():
    parser = argparse.ArgumentParser(description="packets that no kernel would send")
    parser.add_argument("--netns", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--mac", required=True)
    parser.add_argument("--seed", type=int, default=random.getrandbits(32))
    parser.add_argument("what", choices=("fuzz", "plain", "toobig", "flood", "stray", "portless",
                                         "pieces", "about"))
    parser.add_argument("words", nargs="+")
    args = parser.parse_args()

    enter_netns(args.netns)
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM)
    mac = bytes.fromhex(args.mac.replace(":", ""))

    def send(family, packet):
        while True:
            try:
                sock.sendto(packet, (args.device, ETHERTYPE[family], 0, 0, mac))
                return
            except OSError as error:    # the other end's queue is full: it was not sent
                if error.errno != errno.ENOBUFS:
                    raise
                os.sched_yield()

    if args.what == "fuzz":
        print("seed", args.seed)
        rand = random.Random(args.seed)
        for _ in range(int(args.words[0])):
            family, packet = samples(rand)
            send(family, damage(rand, family, packet))
        return
    if args.what == "flood":
        random.seed(args.seed)
        for packet in flood(*args.words):
            send(4, packet)
        return
    if args.what == "plain":
        count, *kinds = args.words
        for family in (4, 6):
            for kind in kinds:
                for n in range(int(count)):
                    send(family, plain(kind, family, 1024 + n))
        return
    if args.what == "stray":
        first, last = [int(port) for port in args.words[1].split("-")]
        for port in range(first, last + 1):
            send(4, tcp(4, "10.0.2.11", int(args.words[0]), "10.0.1.2", port, 0x38))
        return
    if args.what in ("portless", "pieces"):
        family, number, dst, *sources = args.words
        for src in sources:
            words = int(family), int(number), dst, src
            for packet in pieces(*words) if args.what == "pieces" else [portless(*words)]:
                send(int(family), packet)
        return
    if args.what == "about":
        family, number = [int(word) for word in args.words]
        send(family, about(family, number))
        return
    family, sport, client, cport, mtu, what = args.words
    send(int(family), too_big(int(family), int(sport), client, int(cport), int(mtu), what))


if __name__ == "__main__":
    main()
