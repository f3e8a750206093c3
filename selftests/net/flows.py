#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
flows - a client: many flows with known source ports, and what became of each

  flows.py [OPTIONS] tcp|udp|sctp ADDRESS PORT

In:  --netns NAME       where its sockets are made
     --ports A-B[,C-D]  a flow for each source port (default: one flow, any port)
     --step N           not for each port but for each N-th
     --source ADDRESS   source address (repeatable: flows go round them)
     --op OP            tcp, sctp: who (default), put:N, get:N; udp: who
     --size N --reply N udp: bytes of the datagram, and of its answer
     --tail HEX         udp: bytes at the end of the datagram
     --timeout S        a flow without progress for so long has failed (default 5)
     --window N         flows under way at once (default 32)
     --connected        udp: connected sockets, which hear of ICMP errors
     --no-check         udp: IPv4 datagrams without a checksum
     --rounds           keep the flows open; for each line LABEL on stdin do one
                        round of `who` over all of them, then say "done LABEL" on stdout
     --log FILE         append there (default: stdout)
Out: a JSON object a line for each flow (and round): src, dst, from (who the answer came
     from, as the socket saw it), name, bytes and SHA-256 both ways, error.
Exit: 0, whatever became of the flows.
"""

import argparse
import errno
import hashlib
import json
import os
import selectors
import socket
import sys
import time

from who import BLOCK, MESSAGE, enter_netns, stream, text

KINDS = {"tcp": (socket.SOCK_STREAM,), "udp": (socket.SOCK_DGRAM,),
         "sctp": (socket.SOCK_STREAM, socket.IPPROTO_SCTP)}


class Flow:
    def __init__(self, args, source, port):
        self.args = args
        family = socket.AF_INET6 if ":" in args.address else socket.AF_INET
        self.sock = socket.socket(family, *KINDS[args.proto])
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if args.no_check:
            self.sock.setsockopt(socket.SOL_SOCKET, 11, 1)      # SO_NO_CHECK
        if source or port:
            self.sock.bind((source or ("::" if family == socket.AF_INET6 else "0.0.0.0"), port))
        self.sock.setblocking(False)
        self.dst = (args.address, args.port)
        self.label = ""             # of the round
        self.asked = set()          # digests of requests, those of former rounds, too
        self.begin()
        self.src = None

    def begin(self):
        """Another round."""
        self.result = {}
        self.buffer = bytearray()
        self.sha_in = hashlib.sha256()
        self.sha_out = hashlib.sha256()
        self.bytes_in = self.bytes_out = 0
        self.done = False
        self.deadline = time.monotonic() + self.args.timeout

    def fail(self, error):
        self.result["error"] = errno.errorcode.get(error.errno, str(error))
        self.done = True

    def connect(self):
        try:
            self.sock.connect(self.dst)
        except BlockingIOError:
            pass
        except OSError as error:
            self.fail(error)

    def record(self, **more):
        """What became of it."""
        try:
            self.src = self.sock.getsockname()
        except OSError:
            pass
        return dict(self.result, proto=self.args.proto, src=text(self.src), dst=text(self.dst),
                    bytes_in=self.bytes_in, bytes_out=self.bytes_out, **more)


class Udp(Flow):
    def start(self):
        if self.args.connected and not self.src:
            self.connect()
            self.src = self.sock.getsockname()
        if not self.done:
            self.send()
        return selectors.EVENT_READ

    def send(self):
        data = f"who {self.args.reply}\n".encode() if self.args.reply else b"who\n"
        data += BLOCK[:max(0, self.args.size - len(data))] + self.args.tail + self.label.encode()
        self.result["sha_out"] = hashlib.sha256(data).hexdigest()
        self.asked.add(self.result["sha_out"])
        try:
            if self.args.connected:
                self.sock.send(data)
            else:
                self.sock.sendto(data, self.dst)
            self.bytes_out = len(data)
        except OSError as error:
            self.fail(error)

    def ready(self, _mask):
        try:
            data, peer = self.sock.recvfrom(65536)
        except BlockingIOError:
            return
        except OSError as error:
            self.fail(error)
            return
        line, _, padding = data.partition(b"\n")
        name, _, sha = line.decode(errors="replace").partition(" ")
        if sha != self.result["sha_out"] and sha in self.asked:     # too late for its round
            return
        self.bytes_in = len(data)
        self.result.update({"from": text(peer), "name": name, "sha_seen": sha})
        if self.args.reply and (len(data) != self.args.reply or
                                padding != BLOCK[:len(padding)]):
            self.result["error"] = "answer damaged"
        if sha != self.result["sha_out"]:
            self.result["error"] = "request damaged"
        self.done = True


class Tcp(Flow):
    """And SCTP, whose sockets for one association each are used alike."""

    def start(self):
        """Connects at the first round; a kept connection just asks again."""
        op, _, size = self.args.op.partition(":")
        self.size = int(size or 0)
        self.op = op
        self.out = iter([f"{op} {self.size}\n".encode() if size else b"who\n"])
        if op == "put":
            self.out = self.put()
        self.rest = memoryview(b"")
        self.sent = False
        if not self.src:
            self.connect()
            self.src = self.sock.getsockname()
        return selectors.EVENT_READ | selectors.EVENT_WRITE

    def put(self):
        yield f"put {self.size}\n".encode()
        for piece in stream(self.size):
            self.sha_out.update(piece)
            yield piece

    def ready(self, mask):
        self.deadline = time.monotonic() + self.args.timeout
        try:
            if mask & selectors.EVENT_WRITE:
                self.write()
            if mask & selectors.EVENT_READ and not self.done:
                self.read()
        except BlockingIOError:
            pass
        except OSError as error:
            self.fail(error)

    def write(self):
        while True:
            if not self.rest:
                piece = next(self.out, None)
                if piece is None:
                    break
                self.rest = memoryview(piece)
            sent = self.sock.send(self.rest[:MESSAGE])
            self.bytes_out += sent
            self.rest = self.rest[sent:]
        if not self.sent and not self.args.rounds:
            self.sock.send(b"bye\n")        # the server closes first: our port is free again
            self.bytes_out += 4
        self.sent = True

    def read(self):
        data = self.sock.recv(1 << 20)
        self.bytes_in += len(data)
        if "name" in self.result:
            self.sha_in.update(data)
        else:
            self.buffer += data
            line, newline, rest = self.buffer.partition(b"\n")
            if newline:
                words = line.decode(errors="replace").split()
                self.result.update({"from": text(self.sock.getpeername()), "name": words[0]})
                if len(words) > 1:
                    self.result["sha_seen"] = words[1]
                self.sha_in.update(rest)
                if self.args.rounds:
                    self.done = True
        if not data:
            self.finish()

    def finish(self):
        self.done = True
        if "name" not in self.result:
            self.result["error"] = "closed"
            return
        expected = hashlib.sha256()
        if self.op == "get":
            for piece in stream(self.size):
                expected.update(piece)
            if expected.digest() != self.sha_in.digest():
                self.result["error"] = "answer damaged"
            self.result["sha_in"] = self.sha_in.hexdigest()
        elif self.op == "put":
            self.result["sha_out"] = self.sha_out.hexdigest()
            if self.result.get("sha_seen") != self.result["sha_out"]:
                self.result["error"] = "request damaged"


def run(flows, window):
    """All flows, so many at a time, until each is done or late; yields each as it ends."""
    waiting = list(reversed(list(flows)))
    selector = selectors.DefaultSelector()
    active = {}
    next_look = 0
    while waiting or active:
        while waiting and len(active) < window:
            flow = waiting.pop()
            if callable(flow):
                flow = flow()
            flow.begin()
            mask = flow.start()
            if flow.done:
                yield flow
                continue
            active[flow.sock.fileno()] = flow
            selector.register(flow.sock, mask, flow)
        for key, mask in selector.select(0.05 if active else 0):
            flow = key.data
            flow.ready(mask)
            if getattr(flow, "sent", False) and not flow.done:
                if key.events != selectors.EVENT_READ:
                    selector.modify(flow.sock, selectors.EVENT_READ, flow)
        now = time.monotonic()
        for fd, flow in list(active.items()):
            if not flow.done and now < flow.deadline:
                continue
            if not flow.done:
                flow.result["error"] = "timeout"
            selector.unregister(flow.sock)
            del active[fd]
            yield flow


def rounds(args, makers, log):
    flows = [make() for make in makers]
    broken = set()
    for line in sys.stdin:
        label = line.strip()
        for flow in flows:
            flow.label = label
        for flow in run([flow for flow in flows if flow not in broken], args.window):
            if flow.result.get("error") and args.proto != "udp":
                broken.add(flow)
            log(flow.record(round=label))
        print(f"done {label}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="many flows with known source ports")
    parser.add_argument("--netns")
    parser.add_argument("--ports", default="0-0")
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--source", action="append", default=[])
    parser.add_argument("--op", default="who")
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--reply", type=int, default=0)
    parser.add_argument("--tail", type=bytes.fromhex, default=b"")
    parser.add_argument("--timeout", type=float, default=5)
    parser.add_argument("--window", type=int, default=32)
    parser.add_argument("--connected", action="store_true")
    parser.add_argument("--no-check", action="store_true")
    parser.add_argument("--rounds", action="store_true")
    parser.add_argument("--log")
    parser.add_argument("proto", choices=KINDS)
    parser.add_argument("address")
    parser.add_argument("port", type=int)
    args = parser.parse_args()

    if args.netns:
        enter_netns(args.netns)
    # pylint: disable-next=consider-using-with
    out = open(args.log, "a", encoding="ascii") if args.log else sys.stdout

    def log(record):
        out.write(json.dumps(record) + "\n")
        out.flush()

    ports = []
    for part in args.ports.split(","):
        first, last = (int(word) for word in part.split("-"))
        ports += range(first, last + 1, args.step)
    kind = Udp if args.proto == "udp" else Tcp
    sources = args.source or [None]
    makers = [lambda s=sources[i % len(sources)], p=port: kind(args, s, p)
              for i, port in enumerate(ports)]
    if args.rounds:
        rounds(args, makers, log)
        return
    for flow in run(makers, args.window):
        log(flow.record())
        flow.sock.close()


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
