# SPDX-License-Identifier: GPL-2.0-only
"""
wire_cases - what is sent through the gateway, and how it must come out; see wire.py

Each group is a function that is given the way (wire.Way) of a family, and says what it sends and
expects. All of a group's packets differ.
"""

import socket
import struct

from packets import FAMILY, HEADER, ICMP, checksum, error, ip, l4_of, sctp, tcp, udp
from who import enter_netns

CLIENT = {4: "10.0.1.2", 6: "fd00:1::2"}
NEAR = {4: "10.0.1.77", 6: "fd00:1::77"}        # a router at the client's side
FAR = {4: "10.0.2.99", 6: "fd00:2::99"}         # and one behind the gateway
OTHER = {4: "10.0.1.3", 6: "fd00:1::3"}         # another client
THIRD = {4: "10.0.1.4", 6: "fd00:1::4"}         # and one more
BESIDE = {4: "10.0.1.50", 6: "fd00:1::50"}      # a backend on the clients' link
BACKEND = {4: "10.0.2.11", 6: "fd00:2::11"}
VIP = {4: "192.0.2.10", 6: "2001:db8::10"}
GATEWAY = {4: ("10.0.1.1", "10.0.2.1"), 6: ("fd00:1::1", "fd00:2::1")}
PORTS = {17: (53, 5353), 6: (80, 8080), 132: (80, 8080)}         # of the VIP, of the backend
ERRORS = {4: ((3, 0), (3, 1), (3, 3), (3, 4), (3, 13), (4, 0), (11, 0), (11, 1), (12, 0)),
          6: ((1, 0), (1, 1), (1, 3), (1, 4), (2, 0), (3, 0), (3, 1), (4, 0), (4, 1))}


def forwarded(packet):
    """As a router passes it on: one hop less."""
    packet = bytearray(packet)
    if packet[0] >> 4 == 6:
        packet[7] -= 1
        return bytes(packet)
    size = (packet[0] & 15) * 4
    packet[8] -= 1
    packet[10:12] = b"\0\0"
    packet[10:12] = checksum(bytes(packet[:size]))
    return bytes(packet)


def segment(family, proto, src, sport, dst, dport, data=b"data", **more):
    if proto == 17:
        return udp(family, src, sport, dst, dport, data, **more)
    if proto == 132:
        return sctp(family, src, sport, dst, dport, data, **more)
    return tcp(family, src, sport, dst, dport, 16, data, **more)


def request(family, proto, sport, side, **more):
    """Of the client: as it is on the client's side of the gateway, or on the backend's."""
    to = side == "backend"
    return segment(family, proto, CLIENT[family], sport, (BACKEND if to else VIP)[family],
                   PORTS[proto][to], **more)


def reply(family, proto, dport, side, **more):
    of = side == "backend"
    return segment(family, proto, (BACKEND if of else VIP)[family], PORTS[proto][of],
                   CLIENT[family], dport, **more)


def plain(family, leg, port):
    """A datagram from there, and as it comes out."""
    if leg == "cli":
        return request(family, 17, port, "client"), forwarded(request(family, 17, port, "backend"))
    return reply(family, 17, port, "backend"), forwarded(reply(family, 17, port, "client"))


def quoted_more(family):
    """What routers leave of a packet that they quote, and what a packet may carry."""
    yield "8 bytes", 8, {}
    yield "all of it", 1000, {}
    yield "up to the TCP checksum", 16, {}
    yield "and the TCP checksum", 18, {}
    if family == 4:
        yield "8 bytes after IP options", 8, {"options": b"\1\1\1\1\x94\4\0\0"}
        yield "all after 40 bytes of options", 1000, {"options": b"\1" * 40}
        return
    yield "8 bytes after extension headers", 8, {"chain": (0, 60, 43, 60)}
    yield "all of a first fragment", 1000, {"chain": (60, 44), "more": True}
    yield "all after 8 extension headers", 1000, {"chain": (60,) * 8}


def outer_more(family):
    """What an error itself may have before its header."""
    yield {}
    yield {"options": b"\1\1\1\1"} if family == 4 else {"chain": (60,)}


def size_of(family, more):
    return HEADER[family] + len(more.get("options", b"")) + 8 * len(more.get("chain", ()))


def errors(way, leg, make, sides, ends, counter):
    """From that leg, quoting what make() makes: as on one side, then as on the other. ends: from
    whom to whom the error itself is, on one side and on the other."""
    family = way.family

    def one(what, kind, code, end, proto, keep, more, outer):
        port, size = way.token(), size_of(family, more)
        was, becomes = (error(family, src[family], dst[family], kind, code, 1300,
                              make(family, proto, port, side, **more)[:size + keep], **outer)
                        for side, (src, dst) in zip(sides, end))
        way.same(what, leg, was, forwarded(becomes), counter)

    for proto in (17, 6, 132):
        for kind, code in ERRORS[family]:
            for end in ends:
                one(f"{kind}/{code} about {proto}", kind, code, end, proto, 8, {}, {})
        for what, keep, more in quoted_more(family) if proto != 132 else ():
            for outer in outer_more(family):
                one(f"about {proto}, quoting {what}, {outer}", *ERRORS[family][3], ends[0], proto,
                    keep, more, outer)


def errors_in(way):
    """About replies, to the VIP, from the client and from a router: they are the backend's."""
    errors(way, "cli", reply, ("client", "backend"),
           (((CLIENT, VIP), (CLIENT, BACKEND)), ((NEAR, VIP), (NEAR, BACKEND))), "icmp_in")


def errors_out(way):
    """About requests, to the client: the backend's come from the VIP, a router's from itself."""
    errors(way, "be1", request, ("backend", "client"),
           (((BACKEND, CLIENT), (VIP, CLIENT)), ((FAR, CLIENT), (FAR, CLIENT))), "icmp_out")


def errors_own(way):
    """Of the gateway itself: the client sees what it sent, the backend what it sent."""
    family = way.family
    expired = (11, 0) if family == 4 else (3, 0)
    big = (3, 4) if family == 4 else (2, 0)
    for proto in (17, 6):
        way.answered(f"{proto}: last hop", "cli", request(family, proto, way.token(), "client",
                                                          ttl=1), *expired)
        way.answered(f"{proto}: last hop of a reply", "be1",
                     reply(family, proto, way.token(), "backend", ttl=1), *expired)
        way.answered(f"{proto}: above the MTU of the backend's link", "cli",
                     request(family, proto, way.token(), "client", data=b"x" * 1400, df=True), *big)
        way.answered(f"{proto}: no route to the backend", "cli",
                     segment(family, proto, CLIENT[family], way.token(), VIP[family],
                             {17: 54, 6: 81}[proto]), *((3, 0) if family == 4 else (1, 0)))


def errors_odd(way):
    """Errors that tell too little: to the VIP, they reach nobody; to the client, as they are."""
    family, size = way.family, HEADER[way.family]
    kind, code = ERRORS[family][3]
    for keep in tuple(range(8)) + (-1, -8, -size + 1, -size):
        was = reply(family, 17, way.token(), "client")[:size + keep]
        way.lost("cli", error(family, NEAR[family], VIP[family], kind, code, 1300, was),
                 "pass_malformed")
        was = request(family, 17, way.token(), "backend")[:size + keep]
        packet = error(family, FAR[family], CLIENT[family], kind, code, 1300, was)
        way.same(f"{keep} bytes quoted, to the client", "be1", packet, forwarded(packet),
                 "pass_malformed")
    was = bytearray(reply(family, 17, way.token(), "client"))
    for first in (0x4f, 0x44, 0x50, 0x00) if family == 4 else (0x40, 0x70, 0x00):
        lie = bytes([first]) + bytes(was[1:])
        way.lost("cli", error(family, NEAR[family], VIP[family], kind, code, 0, lie),
                 "pass_malformed")
    # lengths that lie, of the quoted packet: they are not believed, and stay
    at = 2 if family == 4 else 4
    for length in (0, 7, 28, 65535):
        port = way.token()
        was, becomes = (bytearray(reply(family, 17, port, side)) for side in ("client", "backend"))
        for packet in was, becomes:
            packet[at:at + 2] = struct.pack(">H", length)
            if family == 4:
                packet[10:12] = b"\0\0"
                packet[10:12] = checksum(bytes(packet[:20]))
        way.same(f"quoted length {length}", "cli",
                 error(family, NEAR[family], VIP[family], kind, code, 1300, bytes(was)),
                 forwarded(error(family, NEAR[family], BACKEND[family], kind, code, 1300,
                                 bytes(becomes))), "icmp_in")
    # not of ours: another protocol, another port, someone else's packet
    for other in (ip(family, VIP[family], CLIENT[family], 46, b"x" * 40),
                  segment(family, 17, VIP[family], 99, CLIENT[family], way.token())):
        way.lost("cli", error(family, NEAR[family], VIP[family], kind, code, 0, other))
    later = {"offset": 8} if family == 4 else {"chain": (44,), "offset": 8}
    way.lost("cli", error(family, NEAR[family], VIP[family], kind, code, 0,
                          reply(family, 17, way.token(), "client", **later)), "pass_fragment")


def redirect(family, src, dst, quoted, **more):
    """From src to dst: use another way for what is quoted."""
    if family == 4:
        return error(4, src, dst, 5, 1, 0x0a0001fe, quoted, **more)
    quoted += b"\0" * (-len(quoted) % 8)
    target = socket.inet_pton(socket.AF_INET6, "fe80::fe")
    body = target + quoted[24:40] + bytes((2, 1)) + b"\2\0\0\0\0\1" + \
        bytes((4, 1 + len(quoted) // 8)) + b"\0" * 6 + quoted
    return error(6, src, dst, 137, 0, 0, body, **more)


def redirects(way):
    """They would show backends, or mislead them."""
    family = way.family
    for proto in (17, 6):
        way.lost("be1", redirect(family, FAR[family], CLIENT[family],
                                 request(family, proto, way.token(), "backend")), "drop_redirect")
        way.lost("cli", redirect(family, NEAR[family], VIP[family],
                                 reply(family, proto, way.token(), "client")), "drop_redirect")
    # about anybody else's packets they are not our business
    other = segment(family, 17, CLIENT[family], way.token(), BACKEND[family], 99)
    packet = redirect(family, FAR[family], CLIENT[family], other)
    way.same("redirect about another packet", "be1", packet, forwarded(packet))


def redirects_own(way):
    """
    The gateway's own, where client and backend are on one link: not about flows. Kernels limit
    redirects by the host to which they are sent, and errors to it count: each has its own.
    """
    family = way.family
    straight = segment(family, 17, OTHER[family], way.token(), BESIDE[family], 99)
    way.back("a packet straight to it", straight, forwarded(straight))
    kind = 5 if family == 4 else 137
    found = way.legs["cli"].get(lambda p: l4_of(p, ICMP[family])[:1] == bytes([kind]))
    quoted = forwarded(straight)[:28] if family == 4 else straight[:48]     # as kernels do it
    if not found or quoted not in found:
        way.tell(f"no redirect about a packet straight to the backend, but {found}")
    port = way.token()
    way.back("a packet of a flow",
             segment(family, 17, THIRD[family], port, VIP[family], 55),
             forwarded(segment(family, 17, THIRD[family], port, BESIDE[family], 55)))
    way.count("drop_redirect")


def both_ways(way, proto, what, **more):
    """A request and a reply with these headers, changed in nothing but address and port."""
    family = way.family
    port = way.token()
    way.same(f"{what}: request", "cli", request(family, proto, port, "client", **more),
             forwarded(request(family, proto, port, "backend", **more)))
    way.same(f"{what}: reply", "be1", reply(family, proto, port, "backend", **more),
             forwarded(reply(family, proto, port, "client", **more)))


def headers(way):
    """IPv4 options, IPv6 extension headers."""
    family = way.family
    for proto in (17, 6, 132):
        if family == 4:
            for options in (b"\1" * 4, b"\1" * 40, b"\x94\4\0\0", b"\x1e\4\0\0",
                            b"\7\7\x08\x0a\0\0\1\0", b"\0" * 8):
                both_ways(way, proto, f"options {options.hex()}", options=options)
            for kind in b"\x83", b"\x89":
                way.lost("cli", request(family, proto, way.token(), "client",
                                        options=kind + b"\7\4\x0a\0\2\x0b\0"), "pass_source_routed")
            continue
        for chain in ((0,), (60,), (43,), (0, 60), (60, 43), (0, 60, 43, 60), (0,) + (60,) * 7):
            both_ways(way, proto, f"extension headers {chain}", chain=chain)
        way.lost("cli", request(family, proto, way.token(), "client", chain=(60,) * 9),
                 "pass_headers")
        way.lost("cli", request(family, proto, way.token(), "client", chain=(60, 43), left=1),
                 "pass_source_routed")


def adjusted(check, old, new):
    """A checksum after bytes that it covers have changed (RFC 1624)."""
    return struct.unpack(">H", checksum(struct.pack(">H", ~check & 0xffff) +
                                        bytes(~b & 0xff for b in old) + new))[0]


def covered(family, proto, side):
    """What of a request's checksum changes at the gateway."""
    to = side == "backend"
    return socket.inet_pton(FAMILY[family], (BACKEND if to else VIP)[family]) + \
        struct.pack(">H", PORTS[proto][to])


def checksums(way):
    """Of UDP: left out, wrong, or 0 once computed; and lengths that lie."""
    family = way.family
    both_ways(way, 17, "no checksum", check=0)
    for wrong in (1, 0x1234, 0xfffe):
        port = way.token()
        right = adjusted(wrong, covered(family, 17, "client"), covered(family, 17, "backend"))
        way.same(f"wrong checksum {wrong}", "cli",
                 request(family, 17, port, "client", check=wrong),
                 forwarded(request(family, 17, port, "backend", check=right)))
    # two bytes that make the sum after the gateway 0, which is written as 0xffff
    port = way.token()
    (rest,) = struct.unpack(">H", checksum_of(request(family, 17, port, "backend",
                                                      data=b"data\0\0")))
    data = b"data" + struct.pack(">H", rest)
    due = request(family, 17, port, "backend", data=data)
    if checksum_of(due) != b"\xff\xff":
        way.tell(f"not a sum of 0: {due.hex()}")
    way.same("a sum of 0", "cli", request(family, 17, port, "client", data=data), forwarded(due))
    for length in (0, 7, 8, 65535):
        port = way.token()
        was, becomes = (with_length(request(family, 17, port, side), length)
                        for side in ("client", "backend"))
        way.same(f"UDP length {length}", "cli", was, forwarded(becomes))


def sctp_sums(way):
    """A CRC32c over ports and all that follows: damaged, it stays so; quoted, it stays."""
    family = way.family
    for data in (b"", b"\0\0\0\4", bytes(range(256)) * 5):
        for damage in (0, 1, 0x80000000, 0x5a5a5a5a):
            both_ways(way, 132, f"{len(data)} bytes, damaged {damage:x}", data=data, damage=damage)
    for leg, make, sides, ends, counter in (
            ("cli", reply, ("client", "backend"), ((NEAR, VIP), (NEAR, BACKEND)), "icmp_in"),
            ("be1", request, ("backend", "client"), ((FAR, CLIENT), (FAR, CLIENT)), "icmp_out")):
        port = way.token()
        was, becomes = (make(family, 132, port, side) for side in sides)
        at = HEADER[family] + 8
        becomes = becomes[:at] + was[at:at + 4] + becomes[at + 4:]
        was, becomes = (error(family, src[family], dst[family], *ERRORS[family][3], 1300, quoted)
                        for (src, dst), quoted in zip(ends, (was, becomes)))
        way.same("an error that quotes all", leg, was, forwarded(becomes), counter)
    for keep in range(8, 12):       # the gateway quotes it to say that there is no such address
        way.lost("cli", short(family, request(family, 132, way.token(), "client", data=b""), keep),
                 "pass_malformed")


def short(family, packet, keep):
    """The network header, which tells the truth, and so many bytes."""
    src, dst = ((12, 16) if family == 4 else (8, 24))
    size = dst - src
    return ip(family, *(socket.inet_ntop(FAMILY[family], packet[at:at + size]) for at in (src, dst)),
              packet[9 if family == 4 else 6], packet[HEADER[family]:][:keep])


def checksum_of(packet):
    """The field of a UDP packet without options or extension headers."""
    return packet[HEADER[6 if packet[0] >> 4 == 6 else 4] + 6:][:2]


def with_length(packet, length):
    """Another UDP length, as the checksum's only fault."""
    at = HEADER[6 if packet[0] >> 4 == 6 else 4] + 4
    return packet[:at] + struct.pack(">H", length) + packet[at + 2:]


def cut(family, packet, sizes, ident):
    """A packet's fragments: so many bytes each, the rest in the last one."""
    src, dst = ((12, 16) if family == 4 else (8, 24))
    length = 4 if family == 4 else 16
    src, dst = (socket.inet_ntop(FAMILY[family], packet[at:at + length]) for at in (src, dst))
    body, proto = packet[HEADER[family]:], packet[9 if family == 4 else 6]
    at = 0
    while at < len(body):
        size = sizes.pop(0) if sizes else len(body) - at
        yield ip(family, src, dst, proto, body[at:at + size], ident=ident, offset=at,
                 more=at + size < len(body), chain=() if family == 4 else (44,))
        at += size


def fragments(way):
    """Of any protocol, in any order: come out as fragments of one packet, translated whole."""
    family = way.family
    orders = (("in order", lambda f: f), ("reversed", lambda f: f[::-1]),
              ("the first one last", lambda f: f[1:] + f[:1]), ("twice", lambda f: f[:2] + f[1:]))
    for proto in (17, 6, 132):
        for n, (what, order) in enumerate(orders):
            data = bytes((7 * i + n) & 255 for i in range(3000))
            port, ident = way.token(), way.ident()
            for leg, packet, due in (
                    ("cli", request(family, proto, port, "client", data=data),
                     request(family, proto, port, "backend", data=data)),
                    ("be1", reply(family, proto, port, "backend", data=data),
                     reply(family, proto, port, "client", data=data))):
                parts = order(list(cut(family, packet, [[1000, 1000], [24, 1000, 1000]][n % 2],
                                       ident)))
                way.whole(f"{what}, {proto}, from {leg}", leg, parts, forwarded(due))
    # two at once
    port = way.token(), way.token()
    both = [list(cut(family, request(family, 17, p, "client", data=b"x" * 2000), [1000],
                     way.ident() - n)) for n, p in enumerate(port)]
    for parts in zip(*both):
        for part in parts:
            way.send("cli", part)
    for p in port:
        way.whole("two at once", "cli", (),
                  forwarded(request(family, 17, p, "backend", data=b"x" * 2000)))
    # never whole, or contradicting each other: come out nowhere
    for choose in (slice(1), slice(1, 2), slice(1, 3)):
        parts = list(cut(family, request(family, 17, way.token(), "client", data=b"y" * 3000),
                         [1000, 1000], way.ident()))
        for part in parts[choose]:
            way.lost("cli", part)
    packet = request(family, 17, way.token(), "client", data=b"z" * 2000)
    first, second = cut(family, packet, [1000], way.ident())
    overlap = list(cut(family, packet, [992], way.ident()))[1]
    for part in first, overlap, second:
        way.lost("cli", part)
    if family == 6:     # a fragment header and all of the packet
        port = way.token()
        way.same("atomic fragment", "cli", request(6, 17, port, "client", chain=(44,)),
                 forwarded(request(6, 17, port, "backend")))


def left_alone(way):
    """Of a socket of the gateway that has asked for fragments to stay what they are."""
    enter_netns(way.args.gw)
    sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    sock.setsockopt(socket.IPPROTO_IP, 22, 1)       # IP_NODEFRAG
    for proto in (17, 6):
        port = way.token()
        packet = segment(4, proto, GATEWAY[4][0], port, VIP[4], PORTS[proto][0], b"x" * 100)
        part = next(cut(4, packet, [48], port))
        sock.sendto(part, (VIP[4], 0))
        way.count("pass_fragment")
        if way.legs["cli"].get(part.__eq__) is None:
            way.tell(f"did not come out as it was sent: {part.hex()}")


GROUPS = {f.__name__: f for f in (errors_in, errors_out, errors_own, errors_odd, redirects,
                                  redirects_own, headers, checksums, sctp_sums, fragments, left_alone)}
