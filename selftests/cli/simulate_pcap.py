# SPDX-License-Identifier: GPL-2.0-only
"""
simulate_pcap.py - capture files for `ringlb simulate`, and its figures counted again

  simulate_pcap.py write DIR          files of one traffic in every form, and broken ones
  simulate_pcap.py check RINGLB DIR   the figures against `ringlb lookup` and `table show`

Out: files; nothing, or what differs.
"""

import json
import os
import random
import struct
import subprocess
import sys

VIP, PORT = "192.0.2.1", 80
rng = random.Random(5)
# client address, client port: (packets to the VIP, bytes of each, packets back, bytes of each)
FLOWS = {(f"198.51.100.{i}", 40000 + i): (1 + i % 3, 60 + i, i % 5, 200 + 20 * i * (i % 7 == 0))
         for i in range(1, 61)}


def ip(text):
    return bytes(int(n) for n in text.split("."))


def ipv4(src, sport, dst, dport, length, proto=6, fragment=0, flags=0x10):
    ports = struct.pack(">HHIIBBHHH", sport, dport, 0, 0, 0x50, flags, 0, 0, 0)
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, 0, fragment, 64, proto, 0, ip(src), ip(dst))
    return (head + ports).ljust(length, b"\0")


def packets():
    out = []
    for (client, port), (n, size, back, back_size) in FLOWS.items():
        out += [ipv4(client, port, VIP, PORT, size)] * n
        out += [ipv4(VIP, PORT, client, port, back_size)] * back
    out += [ipv4("198.51.100.1", 7, "192.0.2.9", PORT, 90),         # another address,
            ipv4("198.51.100.1", 7, VIP, 81, 90),                   # port,
            ipv4("198.51.100.1", 7, VIP, PORT, 90, proto=17),       # protocol;
            ipv4("198.51.100.1", 7, VIP, PORT, 90, fragment=5),     # no ports
            b"\x45", b"\x4f" + b"\0" * 30, b""]
    rng.shuffle(out)
    return out


LINKS = {
    "ethernet": (1, b"\2" * 12 + b"\x08\x00"),
    "vlan": (1, b"\2" * 12 + b"\x81\0\0\x05\x08\0"),
    "qinq": (1, b"\2" * 12 + b"\x88\xa8\0\x05\x81\0\0\x06\x08\0"),
    "raw": (101, b""),
    "cooked": (113, b"\0" * 14 + b"\x08\x00"),
    "cooked2": (276, b"\x08\x00" + b"\0" * 18),
}


def capture(path, link, frames, order="<"):
    with open(path, "wb") as file:
        file.write(struct.pack(order + "IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
        for at, (frame, length) in enumerate(frames):
            file.write(struct.pack(order + "IIII", at, 0, len(frame), length) + frame)


def write(directory):
    traffic = packets()
    for name, (link, header) in LINKS.items():
        frames = [(header + p, len(header) + len(p)) for p in traffic]
        capture(f"{directory}/{name}.pcap", link, frames)
    link, header = LINKS["ethernet"]
    frames = [(header + p, len(header) + len(p)) for p in traffic]
    capture(f"{directory}/big.pcap", link, frames, ">")
    capture(f"{directory}/short.pcap", link, [(f[:14 + 40], n) for f, n in frames])
    capture(f"{directory}/none.pcap", link, [])
    capture(f"{directory}/usb.pcap", 220, frames)
    whole = open(f"{directory}/ethernet.pcap", "rb").read()
    for name, data in {"cut": whole[:-7], "empty": b"", "head": whole[:10],
                       "text": b"service add web\n" * 9,
                       "long": whole[:24] + struct.pack("<IIII", 0, 0, 1 << 30, 1 << 30)}.items():
        with open(f"{directory}/{name}.pcap", "wb") as file:
            file.write(data)
    # IPv6 with extension headers, and a flow that is heard from its server first
    ports = struct.pack(">HHIIBBHHH", 443, 5000, 0, 0, 0x50, 0x12, 0, 0, 0)
    six = struct.pack(">IHBB", 6 << 28, 8 + 20, 60, 64) + b"\xfd" * 16 + b"\xfe" * 16
    six += struct.pack(">BB", 6, 0) + b"\0" * 6 + ports
    capture(f"{directory}/six.pcap", 101, [(six, len(six))])
    for seed in range(40):      # whatever is in it
        rng.seed(seed)
        broken = bytearray(whole[:3000])
        for _ in range(30):
            broken[rng.randrange(24, 3000)] = rng.randrange(256)
        with open(f"{directory}/noise{seed}.pcap", "wb") as file:
            file.write(broken)


class Checker:
    def __init__(self, ringlb, directory):
        self.ringlb, self.directory = ringlb, directory
        self.weights = {"10.0.0.1": 1, "10.0.0.2": 2, "10.0.0.3": 1}
        self.conf = self.write_conf("conf", self.weights)
        self.flows = {}
        for (client, port), (n, size, back, back_size) in FLOWS.items():
            answer = self.tool("-f", self.conf, "lookup", "tcp", f"{client}:{port}", f"{VIP}:{PORT}")
            self.flows[client, port] = (answer["slot"], answer["backend"], n + back,
                                        n * size + back * back_size)

    def write_conf(self, name, weights):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="ascii") as file:
            print("secret set 00112233445566778899aabbccddeeff", file=file)
            print(f"service add web tcp {VIP}:{PORT} slots 4096", file=file)
            for address, weight in weights.items():
                print(f"backend add web {address} weight {weight}", file=file)
        return path

    def tool(self, *words):
        return json.loads(subprocess.run([self.ringlb, "-j", *words], check=True, text=True,
                                         stdout=subprocess.PIPE).stdout)

    def owners(self, weights):
        path = self.write_conf("other", weights)
        return self.tool("-f", path, "table", "show", "web")[0]["owners"]

    def measures(self, flow):
        """Of a flow: what it counts in flows, packets and bytes"""
        return {"flows": 1, "packets": flow[2], "bytes": flow[3]}

    def total(self, measure, which=lambda flow: True):
        return sum(self.measures(f)[measure] for f in self.flows.values() if which(f))

    def check(self, name):
        all_methods = self.tool("-f", self.conf, "simulate", "web", "pcap",
                                f"{self.directory}/{name}.pcap")
        got = next(m for m in all_methods if m["method"] == "rendezvous")
        expect = {"traffic_flows": len(FLOWS), "traffic_packets": self.total("packets"),
                  "traffic_bytes": self.total("bytes"), "traffic_others": 7}
        for measure in ("flows", "packets", "bytes"):
            total = self.total(measure)
            own = {b: self.total(measure, lambda f, b=b: f[1] == b) for b in self.weights}
            ratios = [own[b] / total / (w / sum(self.weights.values()))
                      for b, w in self.weights.items()]
            expect[f"{measure}_peak_to_mean"] = max(ratios)
            expect[f"{measure}_min_to_mean"] = min(ratios)
            for share in got["shares"]:
                expect["share", measure, share["backend"]] = 100 * own[share["backend"]] / total
                got["share", measure, share["backend"]] = share[f"{measure}_share"]
            moved = 0
            for gone in self.weights:
                table = self.owners({b: w for b, w in self.weights.items() if b != gone})
                moved += self.total(measure, lambda f, table=table: table[f[0]] != f[1])
            expect[f"{measure}_moved_on_remove"] = 100 * moved / total / len(self.weights)
        for key, value in expect.items():
            if abs(got[key] - value) > 1e-6:
                print(f"{name}: {key}: {got[key]}, counted {value}")
        self.check_elephants(name, got["elephants"])

    def check_elephants(self, name, elephants):
        longest = sorted(self.flows.items(), key=lambda f: -f[1][3])[:10]
        seen = [(e["source"], e["backend"], e["packets"], e["bytes"]) for e in elephants]
        due = [(f"{client}:{port}", f[1], f[2], f[3]) for (client, port), f in longest]
        if [s[3] for s in seen] != [d[3] for d in due] or not all(
                s in [(f"{c}:{p}", f[1], f[2], f[3]) for (c, p), f in self.flows.items()]
                for s in seen):
            print(f"{name}: elephants {seen}, expected {due}")


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    checker = Checker(*sys.argv[2:])
    for form in (*LINKS, "big", "short"):
        checker.check(form)
