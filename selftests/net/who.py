#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
who - servers that say who they are, for several backends at once

  who.py --log FILE --port PORT [--port PORT]... [--sctp] NAME=NETNS[@ADDRESS]...

In:  one process serves all backends: for each NAME it opens sockets in the network
     namespace NETNS (- for its own), TCP and UDP, IPv4 and IPv6, on every PORT; several
     in one namespace have each an ADDRESS of their own, and only that.
     TCP, a line at a time:  who       answers NAME
                             put N     takes N bytes, answers NAME and their SHA-256
                             get N     answers NAME, then N bytes
                             bye       closes
     SCTP, if asked for: the same as TCP, one socket for each family: an endpoint that has
     addresses of both tells all of them to its peer.
     UDP: a datagram "who [SIZE]\\n..." is answered with NAME, the SHA-256 of the datagram,
     and padding up to SIZE bytes.
Out: "ready" on stdout once all sockets listen. In FILE a JSON object a line, written at
     once: what each backend itself saw, accepted, received and sent.
Ends with SIGTERM.
"""

import argparse
import ctypes
import hashlib
import json
import os
import selectors
import socket

BLOCK = hashlib.sha512(b"ringlb").digest() * 16001     # what is streamed, about a megabyte
MESSAGE = 32768         # bytes given to a stream at once: of SCTP it is a message, sent or not
AT_ONCE = 16            # of one socket, then the others have their turn
CLONE_NEWNET = 0x40000000


def enter_netns(name):
    """From here on this process makes its sockets in that namespace."""
    fd = os.open(f"/run/netns/{name}", os.O_RDONLY)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(fd, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), f"setns {name}")
    os.close(fd)


def text(address):
    """ADDRESS:PORT as people write it; IPv4 out of its IPv6 clothes."""
    host, port = address[:2]
    host = host.removeprefix("::ffff:")
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def stream(size, at=0):
    """The bytes at..size of what is streamed, in pieces."""
    while at < size:
        start = at % len(BLOCK)
        piece = BLOCK[start:start + min(size - at, 262144)]
        yield piece
        at += len(piece)


class Log:
    def __init__(self, path):
        self.fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def write(self, **fields):
        os.write(self.fd, (json.dumps(fields) + "\n").encode())


class Connection:
    """One accepted connection of TCP or SCTP."""

    def __init__(self, sock, peer, name, log, selector):
        self.sock, self.name, self.log, self.selector = sock, name, log, selector
        self.proto = "sctp" if sock.proto == socket.IPPROTO_SCTP else "tcp"
        self.peer, self.local = text(peer), text(sock.getsockname())
        self.line = bytearray()
        self.out = []               # iterators of bytes to send
        self.rest = memoryview(b"")
        self.left = 0               # bytes of a put still to come
        self.sha_in = hashlib.sha256()
        self.sha_out = hashlib.sha256()
        self.bytes_in = self.bytes_out = 0
        self.closing = False
        self.want = selectors.EVENT_READ
        sock.setblocking(False)
        selector.register(sock, self.want, self.ready)
        self.tell("accept")

    def tell(self, event, **more):
        self.log.write(event=event, backend=self.name, proto=self.proto, peer=self.peer,
                       local=self.local, **more)

    def ready(self, mask):
        try:
            if mask & selectors.EVENT_READ:
                self.read()
            self.write()
        except OSError as error:
            self.end(error=os.strerror(error.errno or 0))

    def read(self):
        data = self.sock.recv(1 << 20 if self.left else 1 << 12)
        if not data:
            self.end()
            return
        self.bytes_in += len(data)
        while data:
            if self.left:
                part, data = data[:self.left], data[self.left:]
                self.sha_in.update(part)
                self.left -= len(part)
                if not self.left:
                    self.say(f"{self.name} {self.sha_in.hexdigest()}\n")
                continue
            line, newline, data = data.partition(b"\n")
            self.line += line
            if newline:
                self.command(self.line.decode(errors="replace").split())
                self.line.clear()

    def say(self, words):
        self.out.append(iter([words.encode()]))

    def command(self, words):
        words += ["", ""]
        if words[0] == "who":
            self.say(f"{self.name}\n")
        elif words[0] == "put" and words[1].isdigit():
            self.sha_in = hashlib.sha256()
            self.left = int(words[1])
        elif words[0] == "get" and words[1].isdigit():
            self.say(f"{self.name}\n")
            self.out.append(self.get(int(words[1])))
        else:
            self.closing = True

    def get(self, size):
        for piece in stream(size):
            self.sha_out.update(piece)
            yield piece

    def write(self):
        if self.sock.fileno() < 0:
            return
        try:
            while self.rest or self.out:
                if not self.rest:
                    piece = next(self.out[0], None)
                    if piece is None:
                        self.out.pop(0)
                        continue
                    self.rest = memoryview(piece)
                sent = self.sock.send(self.rest[:MESSAGE])
                self.bytes_out += sent
                self.rest = self.rest[sent:]
        except BlockingIOError:
            pass
        pending = bool(self.rest or self.out)
        if self.closing and not pending:
            self.end()
            return
        want = selectors.EVENT_READ | (selectors.EVENT_WRITE if pending else 0)
        if want != self.want:
            self.want = want
            self.selector.modify(self.sock, want, self.ready)

    def end(self, **more):
        if self.sock.fileno() < 0:
            return
        self.selector.unregister(self.sock)
        self.sock.close()
        self.tell("close", bytes_in=self.bytes_in, bytes_out=self.bytes_out,
                  sha_in=self.sha_in.hexdigest(), sha_out=self.sha_out.hexdigest(), **more)


def serve_tcp(sock, name, log, selector):
    def ready(_mask):
        for _ in range(AT_ONCE):
            try:
                connection, peer = sock.accept()
            except BlockingIOError:
                return
            Connection(connection, peer, name, log, selector)

    sock.listen(4096)
    selector.register(sock, selectors.EVENT_READ, ready)


def serve_udp(sock, name, log, selector):
    local = text(sock.getsockname())

    def ready(_mask):
        for _ in range(AT_ONCE):
            try:
                data, peer = sock.recvfrom(65536)
            except BlockingIOError:
                return
            except OSError as error:        # an ICMP error about an earlier answer
                log.write(event="error", backend=name, proto="udp",
                          error=os.strerror(error.errno))
                continue
            sha = hashlib.sha256(data).hexdigest()
            words = data.split(b"\n", 1)[0].split()
            answer = f"{name} {sha}\n".encode()
            if words[:1] == [b"who"] and len(words) == 2 and words[1].isdigit():
                answer += BLOCK[:max(0, int(words[1]) - len(answer))]
            log.write(event="datagram", backend=name, proto="udp", peer=text(peer),
                      local=local, bytes_in=len(data), bytes_out=len(answer), sha_in=sha)
            try:
                sock.sendto(answer, peer)
            except OSError as error:
                log.write(event="error", backend=name, proto="udp", peer=text(peer),
                          error=os.strerror(error.errno))

    selector.register(sock, selectors.EVENT_READ, ready)


def listener(kind, address, port, proto=0):
    """A socket that takes what comes there; all addresses of both families if it is "::"."""
    sock = socket.socket(socket.AF_INET if "." in address else socket.AF_INET6, kind, proto)
    if address == "::":
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(proto != 0))
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if kind == socket.SOCK_DGRAM:
        sock.setsockopt(socket.SOL_SOCKET, 33, 4 << 20)     # SO_RCVBUFFORCE
    sock.bind((address, port))
    sock.setblocking(False)
    return sock


def main():
    parser = argparse.ArgumentParser(description="servers that say who they are")
    parser.add_argument("--log", required=True)
    parser.add_argument("--port", type=int, action="append", required=True)
    parser.add_argument("--sctp", action="store_true")
    parser.add_argument("where", nargs="+", metavar="NAME=NETNS")
    args = parser.parse_args()

    log = Log(args.log)
    selector = selectors.DefaultSelector()
    for word in args.where:
        name, _, netns = word.partition("=")
        netns, _, address = netns.partition("@")
        if netns != "-":
            enter_netns(netns)
        for port in args.port:
            for kind, serve in ((socket.SOCK_STREAM, serve_tcp), (socket.SOCK_DGRAM, serve_udp)):
                serve(listener(kind, address or "::", port), name, log, selector)
            for each in ((address,) if address else ("0.0.0.0", "::")) if args.sctp else ():
                serve_tcp(listener(socket.SOCK_STREAM, each, port, socket.IPPROTO_SCTP), name, log,
                          selector)
    print("ready", flush=True)
    while True:
        for key, mask in selector.select():
            key.data(mask)


if __name__ == "__main__":
    main()
