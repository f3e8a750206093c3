#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
live_judge.py - net/live.py and net/broken.py notice each way in which a flow can break

Servers on the loopback answer as net/who.py does, until each commits one fault of its own.
"""
import hashlib
import json
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

NET = Path(__file__).resolve().parent.parent / "net"
sys.path.insert(0, str(NET))
# pylint: disable=wrong-import-position
import ktap
from ktap import claim

LANES = 3
FAULT_AT = 3                # the message that is answered wrongly, if at all


def answer(name, data):
    return f"{name} {hashlib.sha256(data).hexdigest()}\n".encode()


def honest(_sock, name, data):
    return answer(name, data)


def resets(sock, _name, _data):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return None


def closes(_sock, _name, _data):
    return None


def silent(_sock, _name, _data):
    return b""


def slow(_sock, name, data):
    time.sleep(1.5)
    return answer(name, data)


def damages_request(_sock, name, data):
    return answer(name, data + b"x")


def damages_answer(_sock, name, data):
    return answer(name, data).replace(b"a", b"b").replace(b"1", b"2")


def answers_twice(_sock, name, data):
    return answer(name, data) + b"x\n"


def other(_sock, _name, data):
    return answer("be9", data)


def serve_connection(sock, fault):
    with sock, sock.makefile("rb") as lines:
        for n in range(1000):
            line = lines.readline()
            if not line.startswith(b"put"):
                return
            data = lines.read(int(line.split()[1]))
            reply = (fault if n == FAULT_AT else honest)(sock, "be1", data)
            if reply is None:
                return
            sock.sendall(reply)


def serve_tcp(fault):
    sock = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            connection, _ = sock.accept()
            threading.Thread(target=serve_connection, args=(connection, fault),
                             daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return sock.getsockname()[1]


def serve_udp(fault):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", 0))

    def answer_all():
        while True:
            data, peer = sock.recvfrom(4096)
            number = int(data.split(b"\n")[1])
            reply = (fault if number >= FAULT_AT else honest)(sock, "be1", data)
            if reply:
                sock.sendto(reply, peer)

    threading.Thread(target=answer_all, daemon=True).start()
    return sock.getsockname()[1]


def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return sock.getsockname()[1]


class Run:
    """Clients of one server, and what is judged of them."""

    def __init__(self, where, name, port, *words):
        self.dir = Path(where) / name
        self.dir.mkdir()
        (self.dir / "servers").touch()
        # pylint: disable-next=consider-using-with
        self.live = subprocess.Popen(
            [NET / "live.py", "--lanes", str(LANES), "--every", "0.2", "--late", "1", "--life",
             "60-60", "--ports", "21000-21999", "--source",
             f"127.0.0.{2 + port % 200}", "--log", self.dir / "live", *words, "127.0.0.1",
             str(port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def say(self, label):
        self.live.stdin.write(f"{label}\n".encode())
        self.live.stdin.flush()

    def hear(self, label):
        while not self.live.stdout.readline().startswith(f"done {label} ".encode()):
            if self.live.poll() is not None:
                raise RuntimeError(f"{self.dir}: live.py ended")

    def found(self, *changes):
        (self.dir / "changes").write_text("".join(json.dumps(c) + "\n" for c in changes))
        done = subprocess.run([NET / "broken.py", *(self.dir / f for f in
                                                    ("live", "changes", "servers"))],
                              stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)


def main():
    tcp = {"honest": (honest, None), "reset": (resets, "ECONNRESET"),
           "closed": (closes, "closed"), "silent": (silent, "late"), "slow": (slow, "late"),
           "damaged request": (damages_request, "damaged"),
           "damaged answer": (damages_answer, "damaged"),
           "answer with more behind it": (answers_twice, "damaged"),
           "other backend": (other, "elsewhere")}
    udp = {"honest": (honest, None), "silent": (silent, "lost"), "other backend":
           (other, "elsewhere"), "damaged": (damages_request, "damaged")}
    ktap.plan(len(tcp) + len(udp) + 5)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as where:
        runs = {f"tcp: {name}": (Run(where, f"tcp {name}", serve_tcp(fault)), kind)
                for name, (fault, kind) in tcp.items()}
        runs.update({f"udp: {name}": (Run(where, f"udp {name}", serve_udp(fault), "--udp"), kind)
                     for name, (fault, kind) in udp.items()})
        refused = Run(where, "refused", closed_port())
        for label in [*range(FAULT_AT + 2), "stop"]:
            for run in [run for run, _ in runs.values()] + [refused]:
                run.say(label)
            for run in [run for run, _ in runs.values()] + [refused]:
                run.hear(label)
        ended = time.monotonic()

        for name, (run, kind) in runs.items():
            found = run.found()
            expected = {kind: found["flows"]} if kind else {}
            claim(found["flows"] == LANES and found["kinds"] == expected and
                  found["broken"] == sum(expected.values()) and not found["apart"],
                  f"live flows: {name}: each is {kind or 'whole'}", found)
        found = refused.found()
        claim(found["broken"] == found["flows"] > 0 and
              found["kinds"] == {"ECONNREFUSED": found["flows"]},
              "live flows: tcp: refused: each is told", found)

        run = runs["tcp: reset"][0]
        gone = {"at": began, "done": ended, "gone": ["be1"]}
        found = run.found(gone)
        claim(not found["broken"] and found["apart"] == found["flows"],
              "live flows: those whose backend was taken away meanwhile are apart", found)
        found = run.found(dict(gone, gone=["be2"]))
        claim(found["broken"] == found["flows"] and not found["apart"],
              "live flows: another backend taken away is no excuse", found)
        found = run.found(dict(gone, done=began))
        claim(found["broken"] == found["flows"], "live flows: nor is one before they began", found)
        found = run.found({"at": ended, "done": ended, "gone": ["be1"]})
        claim(found["broken"] == found["flows"], "live flows: nor one after they broke", found)
    ktap.finish()


if __name__ == "__main__":
    main()
