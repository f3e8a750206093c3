#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
flood - datagrams without end, and connections, whatever becomes of them

  flood.py --netns NAME [--sockets N] ADDRESS:PORT...

In:  IPv6 as [ADDRESS]:PORT. To each: UDP from N sockets (default 32), and TCP connections
     tried from as many, none waited for.
Out: "ready" when the first are under way. Ends with SIGTERM.
"""

import argparse
import signal
import socket
import sys

from who import enter_netns


def udp(family, where):
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.setblocking(False)
    while True:
        try:
            sock.sendto(b"who\n", where)
            sock.recv(2048)
        except OSError:
            pass
        yield


def tcp(family, where):
    while True:
        with socket.socket(family, socket.SOCK_STREAM) as sock:
            sock.setblocking(False)
            for step in (lambda: sock.connect(where), lambda: sock.send(b"who\nbye\n"),
                         lambda: sock.recv(2048), lambda: None):
                try:
                    step()
                except OSError:
                    pass
                yield


def main():
    parser = argparse.ArgumentParser(description="datagrams and connections without end")
    parser.add_argument("--netns", required=True)
    parser.add_argument("--sockets", type=int, default=32)
    parser.add_argument("where", nargs="+")
    args = parser.parse_args()

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    enter_netns(args.netns)
    turns = []
    for word in args.where:
        host, _, port = word.rpartition(":")
        family = socket.AF_INET6 if "[" in host else socket.AF_INET
        for kind in (udp, tcp):
            turns += [kind(family, (host.strip("[]"), int(port))) for _ in range(args.sockets)]
    for turn in turns:
        next(turn)
    print("ready", flush=True)
    while True:
        for turn in turns:
            next(turn)


if __name__ == "__main__":
    main()
