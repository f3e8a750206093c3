#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
flood - datagrams without end, and connections, whatever becomes of them

  flood.py --netns NAME [--sockets N] ADDRESS:PORT...

In:  IPv6 as [ADDRESS]:PORT. To each: UDP from N sockets (default 16), and an eighth as
     many TCP connections at a time, given up soon.
Out: "ready" when the first are under way. Ends with SIGTERM.
"""

import argparse
import socket
import time

from who import enter_netns


def udp(family, where):
    """Asks again once it has an answer, or when none came: so servers keep up."""
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.setblocking(False)
    while True:
        try:
            sock.sendto(b"who\n", where)
        except OSError:
            pass
        patience = time.monotonic() + 1
        while time.monotonic() < patience:
            yield
            try:
                sock.recv(2048)
                break
            except OSError:
                pass


def tcp(family, where):
    while True:
        with socket.socket(family, socket.SOCK_STREAM) as sock:
            sock.setblocking(False)
            patience = time.monotonic() + 1
            sent = False
            try:
                sock.connect(where)
            except OSError:
                pass
            while time.monotonic() < patience:
                yield
                try:
                    if not sent:
                        sock.send(b"who\nbye\n")
                        sent = True
                    if not sock.recv(2048):
                        break
                except BlockingIOError:
                    pass
                except OSError:
                    break           # refused, reset: the next one
        yield


def main():
    parser = argparse.ArgumentParser(description="datagrams and connections without end")
    parser.add_argument("--netns", required=True)
    parser.add_argument("--sockets", type=int, default=16)
    parser.add_argument("where", nargs="+")
    args = parser.parse_args()

    enter_netns(args.netns)
    turns = []
    for word in args.where:
        host, _, port = word.rpartition(":")
        family = socket.AF_INET6 if "[" in host else socket.AF_INET
        for kind, count in ((udp, args.sockets), (tcp, args.sockets // 8 + 1)):
            turns += [kind(family, (host.strip("[]"), int(port))) for _ in range(count)]
    for turn in turns:
        next(turn)
    print("ready", flush=True)
    while True:
        for turn in turns:
            next(turn)
        time.sleep(0.001)       # the rest of the machine wants to run, too


if __name__ == "__main__":
    main()
