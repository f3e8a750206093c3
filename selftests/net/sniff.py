#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
sniff - what packets look like on the links of a network namespace

  sniff.py --netns NAME --log FILE [--proto icmp|udp|tcp] [--device DEV]

Out: "ready" on stdout once it hears; in FILE a JSON object for each IP packet: in or out,
     addresses, ports, ttl, dsfield, length, header checksum; of UDP the checksum field; of
     IP in IP, GRE and GUE the same of the packet inside; of ICMP errors type, code, mtu, whether the checksum is right, and the same of the packet quoted.
Ends with SIGTERM.
"""

import argparse
import json
import socket
import struct

from who import enter_netns

PROTOS = {1: "icmp", 6: "tcp", 17: "udp", 58: "icmp"}
GUE = 6080, 6081
ERRORS = {4: (3, 4, 5, 11, 12), 6: (1, 2, 3, 4)}


def folded(data):
    """The internet checksum over data: 0xffff if data holds its own right checksum."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def network(data):
    """Reads a network header: what it says, and what it holds."""
    if data[0] >> 4 == 4:
        ihl = (data[0] & 15) * 4
        length, _, fragment, ttl, proto = struct.unpack(">HHHBB", data[2:10])
        seen = {"family": 4, "src": socket.inet_ntoa(data[12:16]),
                "dst": socket.inet_ntoa(data[16:20]), "ttl": ttl, "length": length,
                "dsfield": data[1],
                "df": bool(fragment & 0x4000), "fragment": bool(fragment & 0x3fff),
                "offset": (fragment & 0x1fff) * 8,
                "header_good": folded(data[:ihl]) == 0xffff}
        return seen, proto, data[ihl:]
    length, proto, ttl = struct.unpack(">HBB", data[4:8])
    seen = {"family": 6, "src": socket.inet_ntop(socket.AF_INET6, data[8:24]),
            "dst": socket.inet_ntop(socket.AF_INET6, data[24:40]), "ttl": ttl,
            "length": length + 40, "fragment": proto == 44, "offset": 0,
            "dsfield": struct.unpack(">H", data[:2])[0] >> 4 & 0xff}
    body = data[40:]
    if proto == 44 and len(body) >= 8:
        seen["offset"] = struct.unpack(">H", body[2:4])[0] & 0xfff8
        proto, body = body[0], body[8:]
    return seen, proto, body


def pseudo(data, seen):
    """The checksum over an ICMPv6 message and its pseudo header."""
    family = socket.AF_INET6
    return folded(socket.inet_pton(family, seen["src"]) + socket.inet_pton(family, seen["dst"]) +
                  struct.pack(">II", len(data), 58) + data)


def packet(data, quoted=False):
    seen, proto, body = network(data)
    seen["proto"] = PROTOS.get(proto, str(proto))
    if seen["offset"]:
        return seen         # no headers in there
    if seen["proto"] in ("tcp", "udp") and len(body) >= 8:
        seen["sport"], seen["dport"] = struct.unpack(">HH", body[:4])
        if proto == 17:
            seen["checksum"] = struct.unpack(">H", body[6:8])[0]
            if seen["dport"] in GUE and not seen["fragment"] and len(body) >= 32:
                seen["inner"] = packet(body[12:])
    elif proto == 47 and not seen["fragment"] and len(body) >= 24:
        seen["inner"] = packet(body[4:])
    elif proto in (4, 41) and not seen["fragment"]:
        seen["inner"] = packet(body)
    elif seen["proto"] == "icmp" and len(body) >= 8 and not quoted:
        seen["type"], seen["code"] = body[:2]
        if seen["family"] == 4:
            body = body[:seen["length"] - (len(data) - len(body))]
            seen["checksum_good"] = folded(body) == 0xffff
        else:
            seen["checksum_good"] = pseudo(body[:seen["length"] - 40], seen) == 0xffff
        if seen["type"] in ERRORS[seen["family"]] and len(body) >= 28:
            seen["mtu"] = struct.unpack(">I", body[4:8])[0]
            seen["quoted"] = packet(body[8:], True)
    return seen


def main():
    parser = argparse.ArgumentParser(description="what packets look like")
    parser.add_argument("--netns", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--proto")
    parser.add_argument("--device")
    args = parser.parse_args()

    enter_netns(args.netns)
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
    sock.setsockopt(socket.SOL_SOCKET, 33, 16 << 20)        # SO_RCVBUFFORCE
    if args.device:
        sock.bind((args.device, 3))
    with open(args.log, "a", encoding="ascii") as log:
        print("ready", flush=True)
        while True:
            data, (device, ethertype, kind, _, _) = sock.recvfrom(65600)
            if ethertype not in (0x0800, 0x86dd) or len(data) < 20:
                continue
            seen = packet(data)
            if args.proto in (None, seen["proto"]):
                way = "out" if kind == socket.PACKET_OUTGOING else "in"
                log.write(json.dumps(dict(seen, device=device, way=way)) + "\n")
                log.flush()


if __name__ == "__main__":
    main()
