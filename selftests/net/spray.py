#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
spray - N datagrams to each address, from here, whoever listens

  spray.py N ADDRESS PORT [ADDRESS PORT]...
"""

import socket
import sys


def main():
    count, *where = sys.argv[1:]
    for address, port in zip(where[::2], where[1::2]):
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        for _ in range(int(count)):
            with socket.socket(family, socket.SOCK_DGRAM) as sock:
                try:
                    sock.sendto(b"who\n", (address, int(port)))
                except OSError:
                    pass


if __name__ == "__main__":
    main()
