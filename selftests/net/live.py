#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
live - a client: flows that live for a while and say something now and then, what became of each

  live.py [OPTIONS] ADDRESS PORT

In:  --netns NAME       where its sockets are made
     --source ADDRESS   source address
     --ports A-B        source ports, each taken once
     --udp              datagrams to who.py instead of connections
     --lanes N          so many flows at any time: when one ends its lane begins another
     --life A-B         seconds that a flow lives, evenly drawn
     --every S          seconds from one message of a flow to its next (default 1)
     --late S           an answer that takes longer has not come (default 5)
     --window N         so many flows at most wait for an answer at a time, unless nobody gets
                        one (default 64): a slow machine is not taken for a broken flow
     --seed N           the same number draws the same lives
     --log FILE         what became of the flows
     Lines on stdin: "stop" lets all flows end and begins no more; at any other LABEL each live
     flow says something at once.
Out: on stdout, when each has been answered since, or was not: "done LABEL LIVE BROKEN": flows
     that live, that broke so far.
     In FILE a JSON object a line. Each flow, when
     it ends: src, dst; began, ended (CLOCK_MONOTONIC); messages; seen: [FROM, TO, NAME], who
     answered from when to when; lost: [SENT, NOTICED], datagrams without answer; silent: the
     longest time that nothing of it was heard; error.

Each message has a number, and each answer is the server's name and the SHA-256 of what it got,
so that a byte out of place is noticed in either direction. A lane whose flow broke stays empty
until that flow would have ended: the flows of two runs with one seed are the same.
"""

import argparse
import errno
import hashlib
import heapq
import json
import os
import random
import select
import socket
import sys
import time

from who import enter_netns, text

NEVER = float("inf")


class Flow:
    """One flow, begun at once."""

    kind = proto = asked = None

    def __init__(self, args, port, end):
        self.args = args
        self.began = time.monotonic()
        self.end = end
        self.number = 0
        self.known = 0              # when that was sent whose fate was told last
        self.heard = self.began     # when it last sent something, or was sent something
        self.silent = 0.0
        self.seen, self.lost = [], []
        self.error = None
        family = socket.AF_INET6 if ":" in args.address else socket.AF_INET
        self.sock = socket.socket(family, self.kind)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.sock.bind((args.source, port))
        self.src = text(self.sock.getsockname())
        self.sock.setblocking(False)
        try:
            self.sock.connect((args.address, args.port))
        except BlockingIOError:
            pass

    def noise(self, now):
        """A packet of it was on its way."""
        self.silent = max(self.silent, now - self.heard)
        self.heard = now

    def saw(self, name, sent, now):
        """An answer came from there."""
        self.known = sent
        self.noise(now)
        if self.seen and self.seen[-1][2] == name:
            self.seen[-1][1] = now
        else:
            self.seen.append([now, now, name])

    def is_waiting(self):
        """For an answer, or the connection."""
        return bool(self.asked)

    def guard(self, act, now):
        """What the socket complains of is the flow's error. True once the flow has ended."""
        try:
            return act(now)
        except BlockingIOError:
            return False
        except OSError as error:
            self.error = errno.errorcode.get(error.errno, str(error))
            return True

    def record(self, now):
        record = {"proto": self.proto, "src": self.src,
                  "dst": text((self.args.address, self.args.port)), "began": self.began,
                  "ended": now, "messages": self.number, "seen": self.seen,
                  "silent": self.silent}
        if self.lost:
            record["lost"] = self.lost
        if self.error:
            record["error"] = self.error
        return record


class Tcp(Flow):
    kind, proto = socket.SOCK_STREAM, "tcp"

    def __init__(self, args, port, end):
        super().__init__(args, port, end)
        self.connected = False
        self.asked = self.began     # what is waited for, since when; None: nothing is
        self.expected = None        # digest of the answer; None: the connection's other end
        self.buffer = b""

    def tick(self, now):
        if self.asked is not None:
            self.error = "late" if now - self.asked > self.args.late else None
        elif now >= self.end:
            self.sock.send(b"bye\n")        # the server closes first: our port is free again
            self.asked, self.expected = now, None
        else:
            self.ask(now)
        return bool(self.error)

    def ask(self, now):
        message = b"%08d" % self.number
        self.number += 1
        self.expected = hashlib.sha256(message).hexdigest().encode()
        self.asked = now
        self.noise(now)
        self.sock.send(b"put 8\n" + message)

    def ready(self, now):
        if not self.connected:
            self.connected = True           # or it fails here
            self.ask(now)
            return False
        data = self.sock.recv(4096)
        if not data:
            if self.asked is None or self.expected:
                self.error = "closed"
            return True
        self.buffer += data
        if not self.buffer.endswith(b"\n"):
            return False
        name, _, digest = self.buffer[:-1].partition(b" ")
        self.buffer = b""
        if self.asked is None or digest != self.expected:
            self.error = "damaged"
            return True
        if now - self.asked > self.args.late:
            self.error = "late"
        self.saw(name.decode(), self.asked, now)
        if len(self.seen) > 1:
            self.error = "elsewhere"
        self.asked = None
        return bool(self.error)


class Udp(Flow):
    kind, proto = socket.SOCK_DGRAM, "udp"

    def __init__(self, args, port, end):
        super().__init__(args, port, end)
        self.connected = True
        self.asked = {}             # digest: when

    def tick(self, now):
        for digest, since in list(self.asked.items()):
            if now - since > self.args.late:
                del self.asked[digest]
                self.lost.append([since, now])
                self.known = since
        if now >= self.end:
            return not self.asked
        message = b"who\n%08d" % self.number
        self.number += 1
        self.asked[hashlib.sha256(message).hexdigest()] = now
        self.noise(now)
        self.sock.send(message)
        return False

    def ready(self, now):
        name, _, digest = self.sock.recv(4096).decode(errors="replace").strip().partition(" ")
        if digest not in self.asked:
            self.error = "damaged"
            return True
        self.saw(name, self.asked.pop(digest), now)
        return False


class Lane:
    """Flows one after the other. The lives are drawn whatever becomes of the flows."""

    def __init__(self, clients, number):
        self.clients = clients
        self.random = random.Random(f"{clients.args.seed} {number}")
        self.flow = None
        self.end = 0

    def wake(self, now):
        """The next thing to do here; returns when to come back."""
        args = self.clients.args
        if self.flow:
            self.act(self.flow.tick, now)
            return now + args.every if self.flow else self.end
        if self.clients.stopping:
            return NEVER
        if now < self.end:
            return self.end         # it broke
        self.end = now + self.random.uniform(*args.life)
        self.flow = self.clients.begin(self)
        return now + args.every if self.flow.is_waiting() else now

    def ready(self, now):
        """Something has come; if more is to be said at once, it is."""
        flow = self.flow
        self.act(flow.ready, now)
        if self.flow and flow in self.clients.waits and not flow.is_waiting():
            self.act(flow.tick, now)
        return self.flow

    def act(self, what, now):
        """Let the flow do that; perhaps it ends."""
        flow = self.flow
        if flow.guard(what, now):
            self.flow = None
            self.clients.ended(flow, now)
        self.clients.heard_of(flow)

    def stop(self):
        if self.flow:
            self.flow.end = 0


class Clients:
    def __init__(self, args):
        self.args = args
        self.kind = Udp if args.udp else Tcp
        self.ports = iter(range(args.ports[0], args.ports[1] + 1))
        self.poll = select.epoll()
        self.lanes = [Lane(self, n) for n in range(args.lanes)]
        self.due = []               # when which lane has something to do
        self.by_fd = {}
        self.waiting = set()        # flows that wait for an answer
        self.heard_at = 0           # when something came last
        self.stopping = False
        self.begun = self.broken = 0
        self.labels = b""
        self.label, self.label_at = "", 0
        self.waits = set()          # flows that have not talked since the label
        # pylint: disable-next=consider-using-with
        self.log = open(args.log, "a", encoding="ascii")

    def write(self, record):
        self.log.write(json.dumps(record) + "\n")

    def begin(self, lane):
        flow = self.kind(self.args, next(self.ports), lane.end)
        if self.begun < len(self.lanes):
            self.waits.add(flow)    # a label that comes early waits for each lane's first
        self.begun += 1
        self.by_fd[flow.sock.fileno()] = lane
        self.poll.register(flow.sock, select.EPOLLIN | (0 if flow.connected else select.EPOLLOUT))
        self.heard_of(flow)
        return flow

    def ended(self, flow, now):
        self.broken += bool(flow.error)
        self.write(flow.record(now))
        del self.by_fd[flow.sock.fileno()]
        self.poll.unregister(flow.sock)
        flow.sock.close()
        flow.asked = None
        self.talked(flow)

    def heard_of(self, flow):
        """Something became known of it, or it has said something."""
        if flow.is_waiting():
            self.waiting.add(flow)
        else:
            self.waiting.discard(flow)
        if flow.known >= self.label_at:
            self.talked(flow)

    def talked(self, flow):
        """One less to wait for, maybe the last."""
        if flow not in self.waits:
            return
        self.waits.remove(flow)
        self.tell()

    def tell(self):
        """If there is a label and no more to wait for, it is done."""
        if self.waits or not self.label or self.begun < len(self.lanes):
            return
        print("done", self.label, len(self.by_fd), self.broken, flush=True)
        self.label = ""

    def heard(self):
        """Lines on stdin."""
        data = os.read(0, 4096)
        *labels, self.labels = (self.labels + data).split(b"\n")
        for label in [line.decode() for line in labels] + ([] if data else ["stop"]):
            if label == "stop":
                self.stopping = True
                for lane in self.lanes:
                    lane.stop()
                continue
            self.label, self.label_at = label, time.monotonic()
            self.waits = {lane.flow for lane in self.by_fd.values()}
            self.tell()
        if not data:
            self.poll.unregister(0)
        now = time.monotonic()
        self.due = [(min(at, now) if self.lanes[n].flow else at, n) for at, n in self.due]
        heapq.heapify(self.due)

    def look(self, timeout):
        """Whatever came, for so long at most."""
        for fd, _ in self.poll.poll(timeout):
            if fd == 0:
                self.heard()
                continue
            lane = self.by_fd[fd]
            fresh = not lane.flow.connected
            self.heard_at = time.monotonic()
            if lane.ready(self.heard_at) and fresh:
                self.poll.modify(fd, select.EPOLLIN)

    def is_crowded(self, now):
        """Do enough flows wait, and get answers?"""
        return len(self.waiting) >= self.args.window and now - self.heard_at < 1

    def act(self):
        """What is due; a few at a time, so that answers are not kept waiting."""
        now = time.monotonic()
        for _ in range(16):
            if self.due[0][0] > now or self.is_crowded(now):
                break
            _, n = self.due[0]
            again = self.lanes[n].wake(time.monotonic())
            heapq.heapreplace(self.due, (again, n))

    def run(self):
        """All lanes, their beginnings spread over the first seconds."""
        start = time.monotonic()
        self.due = [(start + n / self.args.rate, n) for n in range(len(self.lanes))]
        self.poll.register(0, select.EPOLLIN)
        while not self.stopping or self.by_fd:
            now = time.monotonic()
            self.look(0.1 if self.is_crowded(now) else max(0.0, min(1.0, self.due[0][0] - now)))
            self.act()
        self.log.close()
        print("done stop", 0, self.broken, flush=True)


def pair(word):
    """A-B, two numbers."""
    first, last = word.split("-")
    return float(first), float(last)


def main():
    parser = argparse.ArgumentParser(description="flows that live for a while")
    parser.add_argument("--netns")
    parser.add_argument("--source", default="")
    parser.add_argument("--ports", default="20000-59999",
                        type=lambda word: [int(port) for port in word.split("-")])
    parser.add_argument("--udp", action="store_true")
    parser.add_argument("--lanes", type=int, default=1)
    parser.add_argument("--life", type=pair, default=(5.0, 120.0))
    parser.add_argument("--every", type=float, default=1)
    parser.add_argument("--late", type=float, default=5)
    parser.add_argument("--window", type=int, default=64)
    parser.add_argument("--rate", type=float, default=1000, help="beginnings in a second, at first")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", required=True)
    parser.add_argument("address")
    parser.add_argument("port", type=int)
    args = parser.parse_args()

    if args.netns:
        enter_netns(args.netns)
    Clients(args).run()


if __name__ == "__main__":
    main()
