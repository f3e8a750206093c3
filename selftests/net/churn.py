#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
churn - changes backends of a service as fast as the kernel takes it

  churn.py --netns NAME --seconds S [--seed N] --stay|--go SERVICE ADDRESS:PORT...

In:  the service, of which the backends are members, IPv4. --stay: weights, draining and back;
     no flow needs to break. --go: down, up, removed and added again as well.
Out: after S seconds each backend is made a member again, up, of weight 1, and the number of
     changes made is printed.
Exit: 0, or 1 if a change was refused.
"""

import argparse
import ipaddress
import random
import sys
import time

import genl
from genl import Genl, Refused, attr, nest, text, u32
from who import enter_netns


class Churn:
    def __init__(self, service, backends, go):
        self.genl = Genl()
        self.service = nest(genl.A_SERVICE, text(genl.A_SERVICE_NAME, service))
        self.backends = backends
        self.absent = set()
        self.go = go
        self.states = (genl.STATE_UP, genl.STATE_UP,
                       genl.STATE_DOWN if go else genl.STATE_DRAIN)
        self.made = 0

    def request(self, command, backend, *attrs):
        address, _, port = backend.partition(":")
        self.genl.request(command, self.service + nest(
            genl.A_BACKEND,
            attr(genl.A_BACKEND_IPV4, ipaddress.ip_address(address).packed),
            u32(genl.A_BACKEND_PORT, int(port)), *attrs))
        self.made += 1

    def one(self, backend):
        """A change of this one, whatever it may be."""
        if backend in self.absent:
            self.request(genl.CMD_BACKEND_NEW, backend)
            self.absent.remove(backend)
        elif self.go and random.random() < 0.3:
            self.request(genl.CMD_BACKEND_DEL, backend)
            self.absent.add(backend)
        elif random.random() < 0.5:
            self.request(genl.CMD_BACKEND_SET, backend,
                         u32(genl.A_BACKEND_WEIGHT, random.randrange(5)))
        else:
            self.request(genl.CMD_BACKEND_SET, backend,
                         u32(genl.A_BACKEND_STATE, random.choice(self.states)))

    def whole(self):
        for backend in self.backends:
            if backend in self.absent:
                self.request(genl.CMD_BACKEND_NEW, backend)
            else:
                self.request(genl.CMD_BACKEND_SET, backend, u32(genl.A_BACKEND_WEIGHT, 1),
                             u32(genl.A_BACKEND_STATE, genl.STATE_UP))




def main():
    parser = argparse.ArgumentParser(description="changes backends in a tight loop")
    parser.add_argument("--netns", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--stay", action="store_true")
    kind.add_argument("--go", action="store_true")
    parser.add_argument("service")
    parser.add_argument("backends", nargs="+")
    args = parser.parse_args()

    enter_netns(args.netns)
    random.seed(args.seed)
    end = time.monotonic() + args.seconds
    churn = Churn(args.service, args.backends, args.go)
    try:
        while time.monotonic() < end:
            churn.one(random.choice(args.backends))
        churn.whole()
    except Refused as refused:
        sys.exit(f"refused after {churn.made} changes: {refused}")
    print(churn.made)


if __name__ == "__main__":
    main()
