# SPDX-License-Identifier: GPL-2.0-only
"""
packets - bytes of packets, right unless asked otherwise; the same words make the same bytes
"""

import socket
import struct

from sniff import folded

FAMILY = {4: socket.AF_INET, 6: socket.AF_INET6}
ETHERTYPE = {4: 0x0800, 6: 0x86dd}
ICMP = {4: 1, 6: 58}
HEADER = {4: 20, 6: 40}


def binary(family, address):
    return socket.inet_pton(FAMILY[family], address)


def checksum(data):
    return struct.pack(">H", ~folded(data) & 0xffff)


def extension(kind, following, bits, ident, left):
    """An IPv6 extension header of 8 bytes: options that say nothing; a route with so many hops
    left."""
    if kind == 44:
        return struct.pack(">BBHI", following, 0, bits, ident)
    if kind == 43:
        return bytes((following, 0, 4, left, 0, 0, 0, 0))
    return bytes((following, 0, 1, 4, 0, 0, 0, 0))


def ip(family, src, dst, proto, payload, options=b"", chain=(), ttl=64, df=False, ident=0x5a17,
       offset=0, more=False, left=0):
    """A whole packet. options: of IPv4; chain: extension headers of IPv6; offset, more: it is a
    fragment (in IPv6 if 44 is in the chain)."""
    if family == 6:
        kinds = tuple(chain) + (proto,)
        headers = b"".join(extension(kind, kinds[n + 1], offset | more, ident, left)
                           for n, kind in enumerate(chain))
        return (struct.pack(">IHBB", 6 << 28, len(headers) + len(payload), kinds[0], ttl) +
                binary(6, src) + binary(6, dst) + headers + payload)
    words = 5 + len(options) // 4
    header = struct.pack(">BBHHHBBH", 0x40 | words, 0, words * 4 + len(payload), ident,
                         offset // 8 | more << 13 | df << 14, ttl, proto, 0) + \
        binary(4, src) + binary(4, dst) + options
    return header[:10] + checksum(header) + header[12:] + payload


def pseudo(family, src, dst, proto, length):
    return binary(family, src) + binary(family, dst) + struct.pack(">II", length, proto)


def udp(family, src, sport, dst, dport, data, check=None, **more):
    """check: another checksum than the right one."""
    head = struct.pack(">HHH", sport, dport, 8 + len(data))
    total = checksum(pseudo(family, src, dst, 17, 8 + len(data)) + head + b"\0\0" + data)
    if total == b"\0\0":
        total = b"\xff\xff"
    if check is not None:
        total = struct.pack(">H", check)
    return ip(family, src, dst, 17, head + total + data, **more)


def tcp(family, src, sport, dst, dport, flags, data=b"", seq=0x01020304, ack=0x05060708, **more):
    head = struct.pack(">HHIIBBH", sport, dport, seq, ack, 5 << 4, flags, 1024)
    total = checksum(pseudo(family, src, dst, 6, 20 + len(data)) + head + b"\0\0\0\0" + data)
    return ip(family, src, dst, 6, head + total + b"\0\0" + data, **more)


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def sctp(family, src, sport, dst, dport, chunks, tag=0x0a0b0c0d, damage=0, **more):
    """chunks: whole ones. damage: bits of the checksum that are wrong."""
    head = struct.pack(">HHI", sport, dport, tag)
    total = struct.pack("<I", crc32c(head + b"\0\0\0\0" + chunks) ^ damage)
    return ip(family, src, dst, 132, head + total + chunks, **more)


def error(family, src, dst, kind, code, rest, quoted, **more):
    """An ICMP error; rest: its second word."""
    body = struct.pack(">BBHI", kind, code, 0, rest) + quoted
    covered = body if family == 4 else pseudo(6, src, dst, 58, len(body)) + body
    body = body[:2] + checksum(covered) + body[4:]
    return ip(family, src, dst, ICMP[family], body, **more)


def l4_of(packet, proto):
    """What a plain network header of this protocol holds, or nothing."""
    if packet[0] >> 4 == 4:
        return packet[(packet[0] & 15) * 4:] if packet[9] == proto else b""
    return packet[40:] if packet[6] == proto else b""
