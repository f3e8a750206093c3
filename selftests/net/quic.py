#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
quic - datagrams that begin like QUIC's, one after the other, and who answers each

  quic.py --netns NAME [--source ADDRESS] ADDRESS PORT WORD...

In:  each WORD is SPORT/short/CID or SPORT/long/CID: a datagram from source port SPORT, with
     that kind of header and the connection id CID, hex digits, perhaps none.
Out: a line for each, when its answer has come from ADDRESS:PORT: the answer's first word; or
     "nobody", after --timeout seconds.
"""

import argparse
import socket

from who import enter_netns

VERSION = bytes((0, 0, 0, 1))
REST = bytes(range(24))         # packet number and payload, of which nobody knows anything


def datagram(kind, cid):
    """As RFC 8999 has it; the other connection id of a long header is empty."""
    if kind == "short":
        return b"\x40" + cid + REST
    return b"\xc0" + VERSION + bytes((len(cid),)) + cid + b"\x00" + REST


def ask(args, sport, kind, cid):
    family = socket.AF_INET6 if ":" in args.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.settimeout(args.timeout)
        sock.bind((args.source or ("::" if family == socket.AF_INET6 else "0.0.0.0"), int(sport)))
        sock.connect((args.address, args.port))
        try:
            sock.send(datagram(kind, bytes.fromhex(cid)))
            return sock.recv(2048).split()[0].decode()
        except OSError:
            return "nobody"


def main():
    parser = argparse.ArgumentParser(description="datagrams that begin like QUIC's")
    parser.add_argument("--netns", required=True)
    parser.add_argument("--source")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("address")
    parser.add_argument("port", type=int)
    parser.add_argument("word", nargs="+")
    args = parser.parse_args()

    enter_netns(args.netns)
    for word in args.word:
        print(ask(args, *word.split("/")), flush=True)


if __name__ == "__main__":
    main()
