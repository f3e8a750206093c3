#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
genl.py - speak to the ringlb family without the tool and without its library

For tests that send what the tool never would. Attributes are (number, bytes) pairs; a nest
is (number | NESTED, bytes). The numbers come from uapi/linux/ringlb.h as it stands.
"""
import os
import re
import socket
import struct

NESTED = 0x8000
NLM_F_REQUEST, NLM_F_MULTI, NLM_F_ACK = 1, 2, 4
NLM_F_DUMP_INTR, NLM_F_DUMP = 0x10, 0x300
NLMSG_ERROR, NLMSG_DONE = 2, 3
SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, NETLINK_EXT_ACK, NETLINK_GET_STRICT_CHK = 270, 1, 11, 12
HEADER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../uapi/linux/ringlb.h")


def enums(path=HEADER):
    """All enumerators of the uapi header, by name."""
    text = re.sub(r"/\*.*?\*/", "", open(path, encoding="utf-8").read(), flags=re.S)
    names = {}
    for body in re.findall(r"enum\s+\w+\s*\{(.*?)\}", text, flags=re.S):
        value = -1
        for entry in (e.strip() for e in body.split(",")):
            if not entry:
                continue
            name, _, given = (p.strip() for p in entry.partition("="))
            if given:
                base, _, less = (p.strip() for p in given.partition("-"))
                value = names[base] - int(less or 0) if base in names else int(base, 0)
            else:
                value += 1
            names[name] = value
    return names


globals().update({name.replace("RINGLB_", "", 1): value for name, value in enums().items()})


def attr(number, data):
    raw = struct.pack("=HH", 4 + len(data), number) + data
    return raw + b"\0" * (-len(raw) % 4)


def nest(number, *attrs, flag=NESTED):
    return attr(number | flag, b"".join(attrs))


def u32(number, value):
    return attr(number, struct.pack("=I", value))


def text(number, value):
    return attr(number, value.encode() + b"\0")


def parse(data):
    """Attributes of a message or nest: a list of (number, data)."""
    found = []
    while len(data) >= 4:
        length, number = struct.unpack_from("=HH", data)
        found.append((number & 0x3FFF, data[4:length]))
        data = data[(length + 3) & ~3:]
    return found


class Refused(Exception):
    """A refusal: errno, the extended ack's text, offset of the attribute, cookie."""

    def __init__(self, errno, message, offset, cookie):
        super().__init__(f"{os.strerror(errno)}: {message}")
        self.errno, self.message, self.offset, self.cookie = errno, message, offset, cookie


class Genl:
    def __init__(self, family="ringlb", timeout=60):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1)
        self.sock.settimeout(timeout)
        self.sock.bind((0, 0))
        self.sequence = 0
        self.interrupted = False
        answer = self.request(3, text(2, family), family=16)[0][1]
        found = dict(parse(answer))
        self.family = struct.unpack("=H", found[1])[0]
        self.groups = {}
        for _, group in parse(found.get(7, b"")):
            one = dict(parse(group))
            self.groups[one[1].rstrip(b"\0").decode()] = struct.unpack("=I", one[2])[0]

    def send(self, command, payload, flags=0, family=None, version=1):
        self.sequence += 1
        kind = self.family if family is None else family
        raw = struct.pack("=IHHII", 20 + len(payload), kind, NLM_F_REQUEST | NLM_F_ACK | flags,
                          self.sequence, 0) + struct.pack("=BBH", command, version, 0) + payload
        self.sock.send(raw)
        return raw

    def request(self, command, payload=b"", dump=False, family=None, midway=None):
        """
        Answers as a list of (command, attributes); raises Refused. midway is called once, when
        the first of them have been read.
        """
        self.send(command, payload, NLM_F_DUMP if dump else 0, family)
        answers = []
        self.interrupted = False
        while True:
            data = self.sock.recv(1 << 17)
            if midway:
                midway()
                midway = None
            while len(data) >= 16:
                length, kind, flags, sequence, _ = struct.unpack_from("=IHHII", data)
                body, data = data[16:length], data[(length + 3) & ~3:]
                if sequence != self.sequence:
                    continue
                self.interrupted |= bool(flags & NLM_F_DUMP_INTR)
                if kind in (NLMSG_ERROR, NLMSG_DONE):
                    self.verdict(kind, flags, body)
                    return answers
                answers.append((body[0], body[4:]))

    @staticmethod
    def verdict(kind, flags, body):
        error = struct.unpack_from("=i", body)[0] if len(body) >= 4 else 0
        if not error:
            return
        skip = 4
        if kind == NLMSG_ERROR:
            skip += 16 if flags & 0x100 else (struct.unpack_from("=I", body, 4)[0] + 3) & ~3
        tlv = dict(parse(body[skip:])) if flags & 0x200 else {}
        offset = struct.unpack("=I", tlv[2])[0] if 2 in tlv else None
        raise Refused(-error, tlv.get(1, b"").rstrip(b"\0").decode(), offset, tlv.get(3))
