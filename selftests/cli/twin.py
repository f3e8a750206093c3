#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
twin.py - tables and lookups once more, written from the description and from nothing else

  twin.py table FILE SERVICE       what `ringlb -j -f FILE table show SERVICE` must print
  twin.py lookups FILE SEED N      N packets to services of FILE and where they go, a line
                                   each: PROTOCOL SRC DST SERVICE SLOT OWNER BACKEND PROBES

In:  a file of commands as save writes it (all settings on each line).
The ring is made the long way: all points of all backends in one sorted list, and for each
slot a bisection for the first point at or after its first position. So is rendezvous: all
pairs of backend and slot in the order of their exact scores, each free slot to the next one
that may have it.
"""

import bisect
import heapq
import ipaddress
import json
import math
import random
import socket
import struct
import sys

MASK = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15
PUBLIC = b"ringlb: identity"
PROTOCOLS = {"tcp": 6, "udp": 17, "any": 0}
OF_ANY = {"tcp": 6, "udp": 17, "sctp": 132, "47": 47, "50": 50, "255": 255}
PROBES = 64
ONE = 1 << 44                   # 1 in the levels of rendezvous
STEP_PLACES, STEP_THETA = 0x9E3779B97F4A7C15, 0x3C6EF372FE94F82A


def rotl(x, n):
    return ((x << n) | (x >> (64 - n))) & MASK


def sip_rounds(v, n):
    a, b, c, d = v
    for _ in range(n):
        a = (a + b) & MASK
        c = (c + d) & MASK
        b = rotl(b, 13) ^ a
        d = rotl(d, 16) ^ c
        a = rotl(a, 32)
        c = (c + b) & MASK
        a = (a + d) & MASK
        b = rotl(b, 17) ^ c
        d = rotl(d, 21) ^ a
        c = rotl(c, 32)
    return [a, b, c, d]


def siphash13(key, data):
    k0, k1 = struct.unpack("<QQ", key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    padded = data + b"\0" * (7 - len(data) % 8) + bytes([len(data) & 255])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        v = sip_rounds(v, 1)
        v[0] ^= word
    v[2] ^= 255
    v = sip_rounds(v, 3)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def digest_of(idents, bits):
    """SipHash-1-3 over 64-bit words, ended by the number of bits and a length of 0."""
    k0, k1 = struct.unpack("<QQ", PUBLIC)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    for word in [*idents, bits]:
        v[3] ^= word
        v = sip_rounds(v, 1)
        v[0] ^= word
    v[2] ^= 255
    v = sip_rounds(v, 3)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def mix(x):
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def endpoint(word):
    """-> address, port (0: none)"""
    if word.startswith("["):
        addr, _, port = word[1:].partition("]")
        return ipaddress.ip_address(addr), int(port[1:] or 0)
    if word.count(":") == 1:
        addr, port = word.split(":")
        return ipaddress.ip_address(addr), int(port)
    return ipaddress.ip_address(word), 0


class Service:
    def __init__(self, name, protocol, vip, pairs):
        self.name = name
        self.protocol = protocol
        self.vip = endpoint(vip)
        self.key = pairs["key"]
        self.method = pairs["method"]
        self.slots = int(pairs["slots"])
        self.bits = self.slots.bit_length() - 1
        self.vnodes = int(pairs.get("vnodes", 0))
        slack = pairs.get("slack", "none")
        self.slack = None if slack == "none" else round(float(slack[:-1]) * 10)
        self.seats = [tuple(map(int, x.split(":"))) for x in
                      pairs.get("seats", "").split(",") if x]     # (id, weight)
        self.map = ""
        self.backends = []      # (address, port, word, weight, state, id)

    def members(self):
        return sorted((b for b in self.backends if b[3]),
                      key=lambda b: (b[0].packed, b[1]))

    def ident(self, b):
        if b[5] is not None:
            return siphash13(PUBLIC, struct.pack("<I", b[5]))
        return siphash13(PUBLIC, b[0].packed + struct.pack(">HB", b[1],
                                                           PROTOCOLS[self.protocol]))

    def owners(self):
        """Slot -> index of a member, or None"""
        if not self.members():
            return [None] * self.slots
        if self.method == "slots":
            return self.mapped()
        return getattr(self, self.method)()

    def seat(self):
        """Who must give soonest gives first; seats whose id nobody has: None"""
        slots, total = self.slots, 0
        queues, counts, weights = [], [], []

        def deadline(j):
            return -(-slots * weights[j] // (counts[j] - 1)) if counts[j] > 1 else math.inf

        for k, (_, weight) in enumerate(self.seats):
            total += weight
            weights.append(weight)
            counts.append(-(-slots * weight // total))
            queues.append([])
            if not k:
                queues[0] = [s * (0x9E3779B9 >> 12 | 1) % slots for s in range(slots)]
                continue
            gives, want = [0] * (k + 1), counts[k]

            def give(j):
                gives[j] += 1
                counts[j] -= 1
            for j in range(k + 1):
                while deadline(j) <= total:
                    give(j)
                    want -= 1
            may = sorted((deadline(j), j) for j in range(k + 1)
                         if counts[j] * total > slots * weights[j])
            for _, j in may[:want]:
                give(j)
            for j in range(k):
                queues[k] += queues[j][:gives[j]]
                del queues[j][:gives[j]]
        member = {b[5]: i for i, b in enumerate(self.members())}
        owners = [None] * slots
        for (number, _), queue in zip(self.seats, queues):
            for s in queue:
                owners[s] = member.get(number)
        return owners

    def mapped(self):
        """As the operator says: FIRST-LAST=BACKEND,..."""
        member = {b[:2]: i for i, b in enumerate(self.members())}
        owners = [None] * self.slots
        for one in self.map.split(","):
            which, _, word = one.partition("=")
            first, last = map(int, which.split("-"))
            owners[first:last + 1] = [member[endpoint(word)]] * (last + 1 - first)
        return owners

    def share(self, b):
        """What a member takes of the flows that come to it, in parts of 65536"""
        nominal = sum(w for number, w in self.seats if number == b[5])
        if self.method != "seat" or b[3] >= nominal:
            return 1 << 16
        return ((b[3] << 16) + nominal // 2) // nominal

    def ring(self):
        points = []
        for index, b in enumerate(self.members()):
            ident = self.ident(b)
            points += [(mix((ident + (j + 1) * STEP) & MASK), index)
                       for j in range(self.vnodes * b[3])]
        points.sort()
        places = [p for p, _ in points]
        return [points[bisect.bisect_left(places, s << (64 - self.bits)) % len(points)][1]
                for s in range(self.slots)]

    def caps(self, idents, weights):
        """The most slots that each may own: floor((1 + slack) x quota + theta)"""
        if self.slack is None:
            return [self.slots] * len(idents)
        # slack in tenths of a percent; a tenth of it for each other backend, up to ten
        part = 10000 + self.slack * min(len(idents) - 1, 10)
        den = 10000 * sum(weights)
        nums = [part * self.slots * w for w in weights]
        whole = [n // den for n in nums]
        # theta in 2^-16, and what it must reach for the cap to be one more
        theta = [mix((i + STEP_THETA) & MASK) >> 48 for i in idents]
        need = [-(-((den - n % den) << 16) // den) for n in nums]
        # all theta grow alike until the caps together hold all slots
        missing = sorted(max(n - t, 0) for n, t in zip(need, theta))
        short = self.slots - sum(whole)
        more = missing[short - 1] if short > 0 else 0
        return [w + (n <= t + more) for w, n, t in zip(whole, need, theta)]

    def rendezvous(self):
        members = self.members()
        idents = [self.ident(b) for b in members]
        weights = [b[3] for b in members]
        lcm = math.lcm(*weights)
        levels, total = [], 0
        for r in range(self.slots):
            half = ONE // 2 // (self.slots - r)
            levels.append(total + half)
            total += 2 * half

        def slot(i, rank):
            place = mix((idents[i] + STEP_PLACES) & MASK)
            return (place + rank * (place >> 32 | 1)) % self.slots

        def pair(i, rank):
            s = slot(i, rank)
            tie = mix((idents[i] ^ s << 44) & MASK)
            return levels[rank] * (lcm // weights[i]), tie, idents[i], i, rank, s

        caps, owned = self.caps(idents, weights), [0] * len(members)
        owners, free = [None] * self.slots, self.slots
        pairs = [pair(i, 0) for i in range(len(members))]
        heapq.heapify(pairs)
        while free:
            *_, i, rank, s = heapq.heappop(pairs)
            if owners[s] is None:
                owners[s] = i
                owned[i] += 1
                free -= 1
            if owned[i] < caps[i] and rank + 1 < self.slots:
                heapq.heappush(pairs, pair(i, rank + 1))
        if self.slack is not None:
            self.feed(owners, owned, idents, weights, slot)
        return owners

    def feed(self, owners, owned, idents, weights, slot):
        """Whoever owns too little takes, in the order of its ranks, what others have too much"""
        quota = [self.slots * w // sum(weights) for w in weights]
        for i in sorted(range(len(idents)), key=lambda i: idents[i]):
            rank = 0
            while owned[i] < quota[i] - math.isqrt(quota[i] * 5 // 2):
                s = slot(i, rank)
                rank += 1
                loser = owners[s]
                if loser != i and owned[loser] > quota[loser]:
                    owners[s] = i
                    owned[i] += 1
                    owned[loser] -= 1


def read(path):
    services, secret = {}, None
    with open(path, encoding="ascii") as f:
        for line in f:
            w = line.split()
            if not w or w[0].startswith("#"):
                continue
            if w[:2] == ["secret", "set"]:
                secret = bytes.fromhex(w[2])
            elif w[:2] == ["service", "add"]:
                pairs = dict(zip(w[5::2], w[6::2]))
                services[w[2]] = Service(w[2], w[3], w[4], pairs)
            elif w[:2] == ["service", "set"] and w[3] == "map":
                services[w[2]].map = w[4]
            elif w[:2] == ["backend", "add"]:
                pairs = dict(zip(w[4::2], w[5::2]))
                number = int(pairs["id"]) if "id" in pairs else None
                services[w[2]].backends.append((*endpoint(w[3]), w[3], int(pairs["weight"]),
                                                pairs["state"], number))
    return services, secret


def table(path, name):
    s = read(path)[0][name]
    members, owners = s.members(), s.owners()
    idents = [s.ident(b) for b in members]
    digest = digest_of((0 if o is None else idents[o] for o in owners), s.bits)
    seats = {}
    if s.method == "seat":
        seats = {"seats": [{"id": number, "weight": w} for number, w in s.seats]}
        digest = digest_of([digest, *(number << 32 | w for number, w in s.seats)], len(s.seats))
    print(json.dumps([{
        "service": name, "method": s.method, "slots": s.slots,
        "digest": f"{digest:016x}", **seats,
        "owners": [None if o is None else members[o][2] for o in owners],
    }], separators=(",", ":")))


def choose(s, members, owners, h):
    """-> slot, owner, backend or None, probes"""
    shares = [s.share(b) for b in members]
    takes = [{"up": 3 if share == 1 << 16 else 2, "drain": 1, "leave": 1, "down": 0}[b[4]]
             for b, share in zip(members, shares)]
    slot = h >> (64 - s.bits)
    if not members:
        return slot, None, None, 1
    owner = owners[slot]

    def does(m, h, level):
        if m is None or takes[m] >= level:
            return m is not None
        return takes[m] == 2 and level == 3 and (h & 0xFFFF) < shares[m]

    start, probes = h, 1
    for level in range(3 if max(takes) > 1 else max(takes), 0, -1):
        at, probes = owner, 1
        h = start
        while not does(at, h, level):
            h = mix((h + STEP) & MASK)
            if probes == PROBES:
                i = (h >> 32) * len(members) >> 32
                order = list(range(i, len(members))) + list(range(i))
                at, probes = next((m for m in order if takes[m] >= level), None), probes + 1
                break
            at = owners[h >> (64 - s.bits)]
            probes += 1
        if at is not None:
            return slot, owner, at, probes
    return slot, owner, None, probes


def lookups(path, seed, n):
    rng = random.Random(int(seed))
    services, secret = read(path)
    tables = {s.name: (s.members(), s.owners()) for s in services.values()}
    for _ in range(int(n)):
        s = rng.choice(list(services.values()))
        dst, dport = s.vip
        src = type(dst)(rng.getrandbits(dst.max_prefixlen))
        if dst.version == 6:
            src = type(dst)(0x20010DB8 << 96 | rng.getrandbits(96))
        sport = rng.randint(1, 65535)
        protocol, ports = s.protocol, (sport, dport, PROTOCOLS[s.protocol])
        if protocol == "any":           # ports do not count, where there are any
            protocol = rng.choice(list(OF_ANY))
            ports = (0, 0, OF_ANY[protocol])
            sport, dport = (0, 0) if protocol.isdigit() else (sport, rng.randint(1, 65535))
        data = src.packed
        if s.key == "5tuple":
            data += dst.packed + struct.pack(">HHB", *ports)
        members, owners = tables[s.name]
        slot, owner, member, probes = choose(s, members, owners, siphash13(secret, data))

        def word(addr, port):
            text = socket.inet_ntop(socket.AF_INET6, addr.packed) if addr.version == 6 else addr
            if not port:
                return text
            return f"[{text}]:{port}" if addr.version == 6 else f"{text}:{port}"
        print(protocol, word(src, sport), word(dst, dport), s.name,
              "-" if owner is None and probes == 1 else slot,
              "-" if owner is None else members[owner][2],
              "-" if member is None else members[member][2], probes)


if __name__ == "__main__":
    {"table": table, "lookups": lookups}[sys.argv[1]](*sys.argv[2:])
