#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
netlink_policy.py - every command with every attribute missing, of a wrong length, out of
range, doubled, unknown, or in contradiction: refused with a text that says why, pointing at
the attribute where there is one, and nothing is changed. Runs in a namespace of its own.
"""
import errno
import ipaddress
import os
import random
import socket
import struct

import genl
import ktap
from genl import Genl, Refused, attr, nest, parse, text, u32
from ktap import claim

G = vars(genl)


def host(prefix, address):
    """The attribute for an address: prefix is SERVICE, BACKEND, LOOKUP_SRC, LOOKUP_DST."""
    ip = ipaddress.ip_address(address)
    return attr(G[f"A_{prefix}_IPV{ip.version}"], ip.packed)


def service(**change):
    """A service's attributes by name; None leaves one out, bytes replace it."""
    parts = {
        "name": text(genl.A_SERVICE_NAME, "web"),
        "protocol": u32(genl.A_SERVICE_PROTOCOL, 6),
        "address": host("SERVICE", "192.0.2.10"),
        "port": u32(genl.A_SERVICE_PORT, 80),
        "method": u32(genl.A_SERVICE_METHOD, genl.METHOD_RING),
    }
    parts.update(change)
    return nest(genl.A_SERVICE, *(p for p in parts.values() if p is not None))


def named(name="web"):
    return nest(genl.A_SERVICE, text(genl.A_SERVICE_NAME, name))


def backend(address="10.0.2.11", port=8080, *more):
    parts = [host("BACKEND", address)] if address else []
    if port is not None:
        parts.append(u32(genl.A_BACKEND_PORT, port))
    return nest(genl.A_BACKEND, *parts, *more)


def weight(value):
    return u32(genl.A_BACKEND_WEIGHT, value)


def number(value):
    return u32(genl.A_BACKEND_ID, value)


def state(value):
    return u32(genl.A_BACKEND_STATE, value)


def slow_start(value):
    return u32(genl.A_BACKEND_SLOW_START, value)


def lookup(**change):
    parts = {
        "protocol": u32(genl.A_LOOKUP_PROTOCOL, 6),
        "src": host("LOOKUP_SRC", "198.51.100.7"),
        "sport": u32(genl.A_LOOKUP_SRC_PORT, 4000),
        "dst": host("LOOKUP_DST", "192.0.2.10"),
        "dport": u32(genl.A_LOOKUP_DST_PORT, 80),
    }
    parts.update(change)
    return nest(genl.A_LOOKUP, *(p for p in parts.values() if p is not None))


def flow(**change):
    """A flow of another gateway."""
    parts = {
        "service": text(genl.A_FLOW_SERVICE, "web"),
        "protocol": u32(genl.A_FLOW_PROTOCOL, 6),
        "client": host("FLOW", "198.51.100.7"),
        "port": u32(genl.A_FLOW_PORT, 4000),
        "backend": nest(genl.A_FLOW_BACKEND, host("BACKEND", "10.0.2.11"),
                        u32(genl.A_BACKEND_PORT, 8080)),
        "heard": u32(genl.A_FLOW_HEARD, 0x19),
        "seq": u32(genl.A_FLOW_SEQ, 1),
        "ack": u32(genl.A_FLOW_ACK, 2),
        "left": u32(genl.A_FLOW_LEFT, 60),
    }
    parts.update(change)
    return nest(genl.A_FLOW, *(p for p in parts.values() if p is not None))


def snapshot(g):
    """All of the configuration, without counters, and the flows without the time they have."""
    services = [a for _, a in g.request(genl.CMD_SERVICE_GET, dump=True)]
    backends = [a for _, a in g.request(genl.CMD_BACKEND_GET, dump=True)]
    flows = [[fact for fact in parse(dict(parse(a))[genl.A_FLOW]) if fact[0] != genl.A_FLOW_LEFT]
             for _, a in g.request(genl.CMD_FLOW_GET, dump=True)]
    return services, backends, flows


def client(**change):
    """The same, without what is not of its client."""
    return flow(backend=None, heard=None, seq=None, ack=None, left=None, **change)


F, FNEW, FDEL = genl.A_FLOW, genl.CMD_FLOW_NEW, genl.CMD_FLOW_DEL
D, DNEW = genl.A_DEV, genl.CMD_DEV_NEW
S, B, L, K = genl.A_SERVICE, genl.A_BACKEND, genl.A_LOOKUP, genl.A_SECRET
NEW, SET, DEL, GET = (genl.CMD_SERVICE_NEW, genl.CMD_SERVICE_SET, genl.CMD_SERVICE_DEL,
                      genl.CMD_SERVICE_GET)
BNEW, BSET, BDEL, BGET = (genl.CMD_BACKEND_NEW, genl.CMD_BACKEND_SET, genl.CMD_BACKEND_DEL,
                          genl.CMD_BACKEND_GET)
SSL = genl.A_SERVICE_SLOTS
SKEY, SVN = genl.A_SERVICE_KEY, genl.A_SERVICE_VNODES
other = text(genl.A_SERVICE_NAME, "other")
seated = service(name=other, method=u32(6, genl.METHOD_SEAT), port=u32(5, 83))

slotted = nest(S, text(1, "web"), u32(6, genl.METHOD_SLOTS))


def part(address, *ranges, port=8080, more=b""):
    """Of a map: a backend and its slots."""
    return backend(address, port, attr(genl.A_BACKEND_RANGES, b"".join(
        struct.pack("=II", *r) for r in ranges)), more)


# Other values than the defaults
SETTINGS = {
    genl.A_SERVICE_SETTLE: 7,
    genl.A_SERVICE_TRACK: genl.TRACK_ALL,
    genl.A_SERVICE_TIMEOUT: 61,
    genl.A_SERVICE_DRAIN_TIMEOUT: 62,
    genl.A_SERVICE_LAST_RESORT: 0,
    genl.A_SERVICE_UDP_DRAIN: genl.UDP_DRAIN_REHASH,
    genl.A_SERVICE_NONE: genl.NONE_DROP,
}

# (what, command, payload, errno, text; None: any text of the netlink core)
REFUSED = [
    ("service new: nothing", NEW, b"", errno.EINVAL, "service is missing"),
    ("service new: no name", NEW, service(name=None), errno.EINVAL, "service name is missing"),
    ("service new: empty name", NEW, service(name=text(1, "")), errno.EINVAL,
     "service name is empty"),
    ("service new: name of 32 bytes", NEW, service(name=text(1, "n" * 32)), errno.EINVAL, None),
    ("service new: name without its end", NEW, service(name=attr(1, b"web")), errno.EINVAL, None),
    ("service new: blank in the name", NEW, service(name=text(1, "a b")), errno.EINVAL,
     "service name may have letters, digits, '.', '_' and '-' only"),
    ("service new: name not ASCII", NEW, service(name=text(1, "w\u00e9b")), errno.EINVAL,
     "service name may have letters, digits, '.', '_' and '-' only"),
    ("service new: name in Latin-1", NEW, service(name=attr(1, b"w\xe9b\0")), errno.EINVAL,
     "service name may have letters, digits, '.', '_' and '-' only"),
    ("service new: name begins with a dash", NEW, service(name=text(1, "-web")), errno.EINVAL,
     "service name must not begin with '-'"),
    ("service new: no protocol", NEW, service(name=other, protocol=None), errno.EINVAL,
     "protocol is missing"),
    ("service new: protocol icmp", NEW, service(name=other, protocol=u32(2, 1)), errno.EINVAL,
     "protocol must be tcp, udp, sctp or any"),
    ("service new: protocol 262", NEW, service(name=other, protocol=u32(2, 262)), errno.EINVAL,
     "protocol must be tcp, udp, sctp or any"),
    ("service new: every protocol and a port", NEW, service(name=other, protocol=u32(2, 0)),
     errno.EINVAL, "a service of every protocol has every port"),
    ("service new: every protocol and mode nat", NEW,
     service(name=other, protocol=u32(2, 0),
             port=u32(5, 1) + u32(genl.A_SERVICE_PORT_LAST, 65535)),
     errno.EINVAL, "not every protocol can be rewritten: mode must be dsr or tunnel"),
    ("service new: protocol of 1 byte", NEW, service(name=other, protocol=attr(2, b"\6")),
     errno.EINVAL, None),
    ("service new: no address", NEW, service(name=other, address=None), errno.EINVAL,
     "address is missing"),
    ("service new: IPv4 address of 16 bytes", NEW, service(name=other, address=attr(3, b"1" * 16)),
     errno.ERANGE, None),
    ("service new: IPv6 address of 4 bytes", NEW, service(name=other, address=attr(4, b"1" * 4)),
     errno.ERANGE, None),
    ("service new: both families", NEW,
     service(name=other, address=host("SERVICE", "192.0.2.11") + host("SERVICE", "2001:db8::1")),
     errno.EINVAL, "address is given twice, as IPv4 and as IPv6"),
    ("service new: 0.0.0.0", NEW, service(name=other, address=host("SERVICE", "0.0.0.0")),
     errno.EINVAL, "address is in 0.0.0.0/8"),
    ("service new: loopback", NEW, service(name=other, address=host("SERVICE", "127.0.0.1")),
     errno.EINVAL, "address is a loopback address"),
    ("service new: multicast", NEW, service(name=other, address=host("SERVICE", "224.0.0.1")),
     errno.EINVAL, "address is a multicast address"),
    ("service new: broadcast", NEW, service(name=other, address=host("SERVICE", "255.255.255.255")),
     errno.EINVAL, "address is a broadcast or reserved address"),
    ("service new: ::", NEW, service(name=other, address=host("SERVICE", "::")), errno.EINVAL,
     "address is ::"),
    ("service new: ::1", NEW, service(name=other, address=host("SERVICE", "::1")), errno.EINVAL,
     "address is a loopback address"),
    ("service new: ff02::1", NEW, service(name=other, address=host("SERVICE", "ff02::1")),
     errno.EINVAL, "address is a multicast address"),
    ("service new: fe80::1", NEW, service(name=other, address=host("SERVICE", "fe80::1")),
     errno.EINVAL, "address is a link-local address"),
    ("service new: mapped", NEW, service(name=other, address=host("SERVICE", "::ffff:10.0.0.1")),
     errno.EINVAL, "address is an IPv4 address mapped to IPv6: give it as IPv4"),
    ("service new: no port", NEW, service(name=other, port=None), errno.EINVAL, "port is missing"),
    ("service new: port 0", NEW, service(name=other, port=u32(5, 0)), errno.ERANGE, None),
    ("service new: port 65536", NEW, service(name=other, port=u32(5, 65536)), errno.ERANGE, None),
    ("service new: range that ends before it begins", NEW,
     service(name=other, port=u32(5, 90) + u32(genl.A_SERVICE_PORT_LAST, 89)), errno.EINVAL,
     "range of ports ends before it begins"),
    ("service new: range to port 65536", NEW,
     service(name=other, port=u32(5, 90) + u32(genl.A_SERVICE_PORT_LAST, 65536)), errno.ERANGE, None),
    ("service new: range to port 0", NEW,
     service(name=other, port=u32(5, 90) + u32(genl.A_SERVICE_PORT_LAST, 0)), errno.ERANGE, None),
    ("service new: last port alone", NEW,
     service(name=other, port=u32(genl.A_SERVICE_PORT_LAST, 90)), errno.EINVAL, "port is missing"),
    ("service new: mark 0", NEW, service(name=other, m=u32(genl.A_SERVICE_MARK, 0)),
     errno.ERANGE, None),
    ("service new: a mark beside an address", NEW,
     service(name=other, m=u32(genl.A_SERVICE_MARK, 7)), errno.EINVAL,
     "a service by mark has every address and every port"),
    ("service new: a mask without a mark", NEW,
     service(name=other, m=u32(genl.A_SERVICE_MARK_MASK, 7)), errno.EINVAL,
     "is of use with a mark only"),
    ("service new: prefix of no bits", NEW,
     service(name=other, p=u32(genl.A_SERVICE_PREFIX, 0)), errno.ERANGE, None),
    ("service new: prefix of 128 bits", NEW,
     service(name=other, p=u32(genl.A_SERVICE_PREFIX, 128)), errno.ERANGE, None),
    ("service new: prefix of all bits", NEW,
     service(name=other, p=u32(genl.A_SERVICE_PREFIX, 32)), errno.EINVAL,
     "prefix must be 1 to 31 bits, of IPv6 1 to 127"),
    ("service new: address with bits behind its prefix", NEW,
     service(name=other, p=u32(genl.A_SERVICE_PREFIX, 24)), errno.EINVAL,
     "address has bits behind its prefix"),
    ("service new: port of 2 bytes", NEW, service(name=other, port=attr(5, b"\0\1")), errno.EINVAL,
     None),
    ("service new: slots below the least", NEW, service(name=other, s=u32(SSL, 2048)),
     errno.ERANGE, None),
    ("service new: slots above the most", NEW, service(name=other, s=u32(SSL, 1 << 21)),
     errno.ERANGE, None),
    ("service new: slots no power of two", NEW, service(name=other, s=u32(SSL, 65537)),
     errno.EINVAL, "slots must be a power of two"),
    ("service new: slack 1001", NEW, service(name=other, s=u32(genl.A_SERVICE_SLACK, 1001)),
     errno.EINVAL, "slack is above 1000 tenths of a percent"),
    ("service new: settle 1001", NEW, service(name=other, s=u32(genl.A_SERVICE_SETTLE, 1001)),
     errno.ERANGE, None),
    ("service new: track unknown", NEW, service(name=other, s=u32(genl.A_SERVICE_TRACK, 4)),
     errno.ERANGE, None),
    ("service new: timeout 0", NEW, service(name=other, s=u32(genl.A_SERVICE_TIMEOUT, 0)),
     errno.ERANGE, None),
    ("service new: timeout above a week", NEW,
     service(name=other, s=u32(genl.A_SERVICE_TIMEOUT, 604801)), errno.ERANGE, None),
    ("service new: drain-timeout 0", NEW,
     service(name=other, s=u32(genl.A_SERVICE_DRAIN_TIMEOUT, 0)), errno.ERANGE, None),
    ("service new: last-resort 2", NEW, service(name=other, s=u32(genl.A_SERVICE_LAST_RESORT, 2)),
     errno.ERANGE, None),
    ("service new: udp-drain unknown", NEW,
     service(name=other, s=u32(genl.A_SERVICE_UDP_DRAIN, 3)), errno.ERANGE, None),
    ("service new: none 0", NEW, service(name=other, s=u32(genl.A_SERVICE_NONE, 0)),
     errno.ERANGE, None),
    ("service new: none unknown", NEW, service(name=other, s=u32(genl.A_SERVICE_NONE, 3)),
     errno.ERANGE, None),
    ("service new: snat 2", NEW, service(name=other, s=u32(genl.A_SERVICE_SNAT, 2)),
     errno.ERANGE, None),
    ("service new: snat ports from 0", NEW,
     service(name=other, s=u32(genl.A_SERVICE_SNAT, 1), p=u32(genl.A_SERVICE_SNAT_PORTS, 5)),
     errno.EINVAL, "snat ports must be 1 to 65535, the first not above the last"),
    ("service new: snat ports backwards", NEW,
     service(name=other, s=u32(genl.A_SERVICE_SNAT, 1),
             p=u32(genl.A_SERVICE_SNAT_PORTS, 6 << 16 | 5)),
     errno.EINVAL, "snat ports must be 1 to 65535, the first not above the last"),
    ("service new: snat ports without snat", NEW,
     service(name=other, p=u32(genl.A_SERVICE_SNAT_PORTS, 5 << 16 | 6)), errno.EINVAL,
     "is of use with snat only"),
    ("service new: force with nothing to force", NEW,
     service(name=other, p=u32(genl.A_SERVICE_FORCE, 1)), errno.EINVAL,
     "is of use with snat or several ports or addresses only"),
    ("service new: snat and track auto", NEW,
     service(name=other, s=u32(genl.A_SERVICE_SNAT, 1),
             p=u32(genl.A_SERVICE_TRACK, genl.TRACK_AUTO)),
     errno.EINVAL, "snat remembers every flow: track must be all"),
    ("service new: snat and mode dsr", NEW,
     service(name=other, s=u32(genl.A_SERVICE_SNAT, 1),
             p=u32(genl.A_SERVICE_MODE, genl.MODE_DSR)), errno.EINVAL, "snat needs mode nat"),
    ("service new: mode 0", NEW, service(name=other, s=u32(genl.A_SERVICE_MODE, 0)),
     errno.ERANGE, None),
    ("service new: mode unknown", NEW, service(name=other, s=u32(genl.A_SERVICE_MODE, 99)),
     errno.ERANGE, None),
    ("service new: mode tunnel without a tunnel", NEW,
     service(name=other, s=u32(genl.A_SERVICE_MODE, genl.MODE_TUNNEL)), errno.EINVAL,
     "mode tunnel needs a tunnel type"),
    ("service new: a tunnel in mode nat", NEW,
     service(name=other, s=u32(genl.A_SERVICE_MODE, genl.MODE_NAT),
             p=u32(genl.A_SERVICE_TUNNEL, genl.TUNNEL_IPIP)), errno.EINVAL,
     "tunnel needs mode tunnel"),
    ("service new: tunnel 0", NEW, service(name=other, s=u32(genl.A_SERVICE_TUNNEL, 0)),
     errno.ERANGE, None),
    ("service new: tunnel unknown", NEW, service(name=other, s=u32(genl.A_SERVICE_TUNNEL, 99)),
     errno.ERANGE, None),
    ("service new: a tunnel's port 0", NEW,
     service(name=other, s=u32(genl.A_SERVICE_TUNNEL, genl.TUNNEL_GUE),
             p=u32(genl.A_SERVICE_TUNNEL_PORT, 0)), errno.ERANGE, None),
    ("service new: a tunnel's port 65536", NEW,
     service(name=other, s=u32(genl.A_SERVICE_TUNNEL, genl.TUNNEL_GUE),
             p=u32(genl.A_SERVICE_TUNNEL_PORT, 65536)), errno.ERANGE, None),
    ("service new: a port of tunnel gre", NEW,
     service(name=other, s=u32(genl.A_SERVICE_TUNNEL, genl.TUNNEL_GRE),
             p=u32(genl.A_SERVICE_TUNNEL_PORT, 6080)), errno.EINVAL,
     "tunnel-port is of use with tunnel gue only"),
    ("service new: a tunnel's port in mode nat", NEW,
     service(name=other, p=u32(genl.A_SERVICE_TUNNEL_PORT, 6080)), errno.EINVAL,
     "tunnel-port is of use with tunnel gue only"),
    ("service set: a tunnel's port", SET,
     nest(S, text(1, "web"), u32(genl.A_SERVICE_TUNNEL_PORT, 6081)), errno.EINVAL, None),
    ("service set: a tunnel", SET, nest(S, text(1, "web"), u32(genl.A_SERVICE_TUNNEL, 1)),
     errno.EINVAL, None),
    ("service set: another mode", SET, nest(S, text(1, "web"), u32(genl.A_SERVICE_MODE, 2)),
     errno.EINVAL, "mode of a service stays as it is: add another service"),
    ("service new: an expected generation", NEW,
     service(name=other, g=u32(genl.A_SERVICE_IF_GENERATION, 1)), errno.EINVAL, None),
    ("service new: method 0", NEW, service(name=other, method=u32(6, 0)), errno.ERANGE, None),
    ("service new: method unknown", NEW, service(name=other, method=u32(6, 99)), errno.ERANGE,
     None),
    ("service new: key unknown", NEW, service(name=other, key=u32(SKEY, 9)), errno.ERANGE, None),
    ("service new: key quic-cid of tcp", NEW, service(name=other, key=u32(SKEY, genl.KEY_QUIC_CID)),
     errno.EINVAL, "key quic-cid needs protocol udp"),
    ("service new: key quic-cid and track auto", NEW,
     service(name=other, protocol=u32(2, 17), key=u32(SKEY, genl.KEY_QUIC_CID)), errno.EINVAL,
     "answers do not tell that a connection id chose their backend: track must be all, or mode "
     "dsr or tunnel"),
    ("service new: cid-config without key quic-cid", NEW,
     service(name=other, c=u32(genl.A_SERVICE_CID_CONFIG, 1)), errno.EINVAL,
     "is of use with key quic-cid only"),
    ("service new: cid-config 7", NEW, service(name=other, c=u32(genl.A_SERVICE_CID_CONFIG, 7)),
     errno.ERANGE, None),
    ("service new: sid-length 0", NEW, service(name=other, c=u32(genl.A_SERVICE_SID_LENGTH, 0)),
     errno.ERANGE, None),
    ("service new: sid-length 5", NEW, service(name=other, c=u32(genl.A_SERVICE_SID_LENGTH, 5)),
     errno.ERANGE, None),
    ("service set: sid-length without key quic-cid", SET,
     nest(S, text(1, "web"), u32(genl.A_SERVICE_SID_LENGTH, 1)), errno.EINVAL,
     "is of use with key quic-cid only"),
    ("service new: vnodes 0", NEW, service(name=other, v=u32(SVN, 0)), errno.ERANGE, None),
    ("service new: vnodes 65536", NEW, service(name=other, v=u32(SVN, 65536)), errno.ERANGE, None),
    ("service new: an answer's attribute", NEW,
     service(name=other, g=u32(genl.A_SERVICE_GENERATION, 1)), errno.EINVAL, None),
    ("service new: unknown attribute", NEW, service(name=other, x=u32(200, 1)), errno.EINVAL, None),
    ("service new: not flagged as a nest", NEW, nest(S, text(1, "x"), flag=0), errno.EINVAL, None),
    ("service new: a backend beside it", NEW, service(name=other) + backend(), errno.EINVAL, None),
    ("service new: bytes after the attributes", NEW, service(name=other) + b"\1\2", errno.EINVAL,
     None),
    ("service new: name taken", NEW, service(port=u32(5, 81)), errno.EEXIST,
     "a service of this name exists"),
    ("service new: address taken", NEW, service(name=other), errno.EEXIST,
     "a service of this protocol, address and port exists"),
    ("service new: VIP is a backend", NEW,
     service(name=other, address=host("SERVICE", "10.0.2.11"), port=u32(5, 8080)), errno.EINVAL,
     "address and port are those of a backend"),
    ("service set: nothing", SET, b"", errno.EINVAL, "service is missing"),
    ("service set: no change", SET, named(), errno.EINVAL, "nothing to change is given"),
    ("service set: no such service", SET, nest(S, other, u32(SKEY, 1)), errno.ENOENT,
     "no such service"),
    ("service set: another address", SET, nest(S, text(1, "web"), host("SERVICE", "192.0.2.9")),
     errno.EINVAL, None),
    ("service set: slots no power of two", SET, nest(S, text(1, "web"), u32(SSL, 5000)),
     errno.EINVAL, "slots must be a power of two"),
    ("service set: an answer's attribute", SET,
     nest(S, text(1, "web"), u32(genl.A_SERVICE_TRANSITIONS, 1)), errno.EINVAL, None),
    ("service set: another generation", SET,
     nest(S, text(1, "web"), u32(SKEY, 2), u32(genl.A_SERVICE_IF_GENERATION, 77)), errno.ESTALE,
     "service has changed: its generation is not the expected one"),
    ("backend set: another generation", BSET,
     nest(S, text(1, "web"), u32(genl.A_SERVICE_IF_GENERATION, 77)) +
     backend("10.0.2.11", 8080, weight(3)), errno.ESTALE,
     "service has changed: its generation is not the expected one"),
    ("service set: more points than fit", SET, nest(S, text(1, "web"), u32(SVN, 65535)),
     errno.E2BIG, "vnodes times the sum of weights is above 4194304 points"),
    ("service new: seats of another method", NEW,
     service(name=other) + attr(genl.A_SEATS, struct.pack("=II", 1, 1)), errno.EINVAL,
     "seats are no parameter of this method"),
    ("service new: seats end within a seat", NEW,
     seated + attr(genl.A_SEATS, b"\0" * 12), errno.EINVAL, "list of seats ends within a seat"),
    ("service new: seat of weight 0", NEW,
     seated + attr(genl.A_SEATS, struct.pack("=II", 0, 1)), errno.EINVAL,
     "weight of a seat is not 1 to 65535"),
    ("service new: seat of weight 65536", NEW,
     seated + attr(genl.A_SEATS, struct.pack("=IIII", 1, 1, 65536, 1)), errno.EINVAL,
     "weight of a seat is not 1 to 65535"),
    ("service new: seat without id", NEW,
     seated + attr(genl.A_SEATS, struct.pack("=II", 1, 0xFFFFFFFF)), errno.EINVAL,
     "a seat has no id"),
    ("service new: 8193 seats", NEW,
     seated + attr(genl.A_SEATS, struct.pack("=II", 1, 1) * 8000) +
     attr(genl.A_SEATS, struct.pack("=II", 1, 1) * 193), errno.EINVAL,
     "list of seats has more than 8192, the most there can be"),
    ("service set: seats of another method", SET,
     named() + attr(genl.A_SEATS, struct.pack("=II", 1, 1)), errno.EINVAL,
     "seats are no parameter of this method"),
    ("service set: method seat for backends without id", SET,
     nest(S, text(1, "web"), u32(6, genl.METHOD_SEAT)), errno.EINVAL,
     "method seat needs an id of each backend that has a weight"),
    ("service set: method slots without a map", SET, slotted, errno.EINVAL,
     "method slots needs a map of all slots"),
    ("service set: a map of another method", SET, named() + part("10.0.2.11", (0, 65535)),
     errno.EINVAL, "a map is no parameter of this method"),
    ("service set: a map without ranges", SET, slotted + backend(), errno.EINVAL,
     "ranges of slots are missing"),
    ("service set: a map with empty ranges", SET, slotted + part("10.0.2.11"), errno.EINVAL,
     "ranges of slots are none, or end within one"),
    ("service set: a map ends within a range", SET,
     slotted + backend("10.0.2.11", 8080, attr(genl.A_BACKEND_RANGES, b"\0" * 12)), errno.EINVAL,
     "ranges of slots are none, or end within one"),
    ("service set: a map with a reversed range", SET, slotted + part("10.0.2.11", (0, 9), (12, 10)),
     errno.ERANGE, "range of slots ends before it begins, or beyond the last slot"),
    ("service set: a map beyond the last slot", SET, slotted + part("10.0.2.11", (0, 65536)),
     errno.ERANGE, "range of slots ends before it begins, or beyond the last slot"),
    ("service set: a map up to 2^32", SET, slotted + part("10.0.2.11", (0, 0xFFFFFFFF)),
     errno.ERANGE, "range of slots ends before it begins, or beyond the last slot"),
    ("service set: a map with a slot twice", SET, slotted + part("10.0.2.11", (0, 9), (9, 65535)),
     errno.EEXIST, "slot of a range has an owner already"),
    ("service set: a map with slots of nobody", SET,
     slotted + part("10.0.2.11", (0, 9), (11, 65535)), errno.ENODATA,
     "map leaves slots without an owner"),
    ("service set: a map that ends early", SET, slotted + part("10.0.2.11", (0, 65534)),
     errno.ENODATA, "map leaves slots without an owner"),
    ("service set: a map in no order", SET,
     slotted + part("10.0.2.12", (0, 9), port=None) + part("10.0.2.11", (10, 65535)), errno.EINVAL,
     "backends of a map are not in ascending order"),
    ("service set: a map with a stranger", SET,
     slotted + part("10.0.2.11", (0, 9)) + part("10.0.2.99", (10, 65535)), errno.ENOENT,
     "map gives slots to a backend that the service does not have, or that has no weight"),
    ("service set: a map with another family", SET, slotted + part("fd00::1", (0, 65535)),
     errno.EINVAL, "backend is not of the address family of the service"),
    ("service set: a map with a weight", SET,
     slotted + part("10.0.2.11", (0, 65535), more=weight(1)), errno.EINVAL, None),
    ("backend new: ranges", BNEW, named() + part("10.0.2.14", (0, 65535)), errno.EINVAL, None),
    ("service del: seats", DEL, named("two") + attr(genl.A_SEATS, b""), errno.EINVAL, None),
    ("service del: nothing", DEL, b"", errno.EINVAL, "service is missing"),
    ("service del: no such service", DEL, named("other"), errno.ENOENT, "no such service"),
    ("service get: no such service", GET, named("other"), errno.ENOENT, "no such service"),
    ("backend new: nothing", BNEW, b"", errno.EINVAL, "service is missing"),
    ("backend new: no service", BNEW, backend(), errno.EINVAL, "service is missing"),
    ("backend new: no backend", BNEW, named(), errno.EINVAL, "backend is missing"),
    ("backend new: no such service", BNEW, named("other") + backend(), errno.ENOENT,
     "no such service"),
    ("backend new: no address", BNEW, named() + backend(None), errno.EINVAL, "address is missing"),
    ("backend new: both families", BNEW,
     named() + backend("10.0.2.14", 80, host("BACKEND", "fd00::1")), errno.EINVAL,
     "address is given twice, as IPv4 and as IPv6"),
    ("backend new: other family", BNEW, named() + backend("fd00::1"), errno.EINVAL,
     "backend is not of the address family of the service"),
    ("backend new: 0.0.0.0", BNEW, named() + backend("0.0.0.0"), errno.EINVAL,
     "address is in 0.0.0.0/8"),
    ("backend new: loopback", BNEW, named() + backend("127.0.0.1"), errno.EINVAL,
     "address is a loopback address"),
    ("backend new: multicast", BNEW, named() + backend("239.1.1.1"), errno.EINVAL,
     "address is a multicast address"),
    ("backend new: broadcast", BNEW, named() + backend("255.255.255.255"), errno.EINVAL,
     "address is a broadcast or reserved address"),
    ("backend new: port 65536", BNEW, named() + backend("10.0.2.14", 65536), errno.ERANGE, None),
    ("backend new: weight 65536", BNEW, named() + backend("10.0.2.14", 80, weight(65536)),
     errno.ERANGE, None),
    ("backend new: id of 2 bytes", BNEW,
     named() + backend("10.0.2.14", 80, attr(genl.A_BACKEND_ID, b"\0\1")), errno.EINVAL, None),
    ("backend new: id of another", BNEW, named() + backend("10.0.2.14", 80, number(7)),
     errno.EEXIST, "another backend of the service has this id"),
    ("backend new: an id twice", BNEW,
     named() + backend("10.0.2.14", 80, number(8)) + backend("10.0.2.15", 80, number(8)),
     errno.EEXIST, "another backend of the service has this id"),
    ("backend set: id of another", BSET, named() + backend("10.0.2.11", 8080, number(7)),
     errno.EEXIST, "another backend of the service has this id"),
    ("backend del: with an id", BDEL, named() + backend("10.0.2.12", None, number(7)),
     errno.EINVAL, None),
    ("backend new: state 0", BNEW, named() + backend("10.0.2.14", 80, state(0)), errno.ERANGE,
     None),
    ("backend new: state unknown", BNEW, named() + backend("10.0.2.14", 80, state(genl.STATE_LEAVE + 1)),
     errno.ERANGE, None),
    ("backend new: slow start of more than a day", BNEW,
     named() + backend("10.0.2.14", 80, slow_start(86401)), errno.ERANGE, None),
    ("backend set: slow start of 8 bytes", BSET,
     named() + backend("10.0.2.11", 8080, attr(genl.A_BACKEND_SLOW_START, bytes(8))),
     errno.EINVAL, None),
    ("backend set: what it accepts", BSET,
     named() + backend("10.0.2.11", 8080, u32(genl.A_BACKEND_ACCEPTS, 1)), errno.EINVAL, None),
    ("backend set: what is left of its start", BSET,
     named() + backend("10.0.2.11", 8080, u32(genl.A_BACKEND_SLOW_START_LEFT, 1)),
     errno.EINVAL, None),
    ("backend del: with a slow start", BDEL,
     named() + backend("10.0.2.12", None, slow_start(5)), errno.EINVAL, None),
    ("backend new: there already", BNEW, named() + backend(), errno.EEXIST,
     "service has this backend already"),
    ("backend new: same address and port without a port", BNEW, named() + backend("10.0.2.12", 80),
     errno.EEXIST, "address and port of the backend already get packets of a service: "
     "replies could not be told apart without track all in both"),
    ("backend new: belongs to another service", BNEW, named("two") + backend(), errno.EEXIST,
     "address and port of the backend already get packets of a service: "
     "replies could not be told apart without track all in both"),
    ("backend new: twice in one request", BNEW, named() + backend("10.0.2.14") * 2, errno.EEXIST,
     "service has this backend already"),
    ("backend new: the second of two is bad", BNEW,
     named() + backend("10.0.2.14") + backend("fd00::1"), errno.EINVAL,
     "backend is not of the address family of the service"),
    ("backend new: is a VIP", BNEW, named() + backend("192.0.2.10", 80), errno.EINVAL,
     "backend is the address and port of a service"),
    ("backend new: is a VIP, port kept", BNEW, named() + backend("192.0.2.10", None), errno.EINVAL,
     "backend is the address and port of a service"),
    ("backend new: more points than fit", BNEW,
     named() + backend("10.0.2.14", 80, weight(65535)), errno.E2BIG,
     "vnodes times the sum of weights is above 4194304 points"),
    ("backend new: an answer's attribute", BNEW,
     named() + backend("10.0.2.14", 80, u32(genl.A_BACKEND_SLOTS, 1)), errno.EINVAL, None),
    ("backend new: no nest", BNEW, named() + u32(B, 1), errno.EINVAL, None),
    ("backend set: no such backend", BSET, named() + backend("10.0.2.99", 80, weight(2)),
     errno.ENOENT, "service has no such backend"),
    ("backend set: no change", BSET, named() + backend(), errno.EINVAL,
     "nothing to change is given"),
    ("backend set: the second of two is absent", BSET,
     named() + backend("10.0.2.11", 8080, weight(9)) + backend("10.0.2.99", 80, weight(9)),
     errno.ENOENT, "service has no such backend"),
    ("backend del: no such backend", BDEL, named() + backend("10.0.2.99"), errno.ENOENT,
     "service has no such backend"),
    ("backend del: other port", BDEL, named() + backend("10.0.2.11", 8081), errno.ENOENT,
     "service has no such backend"),
    ("backend del: with a weight", BDEL, named() + backend("10.0.2.11", 8080, weight(1)),
     errno.EINVAL, None),
    ("backend del: the same twice", BDEL, named() + backend() * 2, errno.ENOENT,
     "service has no such backend"),
    ("lookup: nothing", genl.CMD_LOOKUP, b"", errno.EINVAL, "lookup is missing"),
    ("lookup: no protocol", genl.CMD_LOOKUP, lookup(protocol=None), errno.EINVAL,
     "protocol is missing"),
    ("lookup: protocol icmp", genl.CMD_LOOKUP,
     lookup(protocol=u32(genl.A_LOOKUP_PROTOCOL, 1)), errno.EINVAL,
     "protocol must be 1 to 255, and not that of ICMP"),
    ("lookup: protocol 0", genl.CMD_LOOKUP,
     lookup(protocol=u32(genl.A_LOOKUP_PROTOCOL, 0)), errno.EINVAL,
     "protocol must be 1 to 255, and not that of ICMP"),
    ("lookup: protocol 256", genl.CMD_LOOKUP,
     lookup(protocol=u32(genl.A_LOOKUP_PROTOCOL, 256)), errno.EINVAL,
     "protocol must be 1 to 255, and not that of ICMP"),
    ("lookup: no source", genl.CMD_LOOKUP, lookup(src=None), errno.EINVAL, "address is missing"),
    ("lookup: no port", genl.CMD_LOOKUP, lookup(sport=None), errno.EINVAL,
     "source or destination port is missing"),
    ("lookup: two families", genl.CMD_LOOKUP, lookup(src=host("LOOKUP_SRC", "fd00::1")),
     errno.EINVAL, "source and destination are of different families"),
    ("lookup: connection id of no bytes", genl.CMD_LOOKUP, lookup(cid=attr(genl.A_LOOKUP_CID, b"")),
     errno.ERANGE, None),
    ("lookup: connection id of 21 bytes", genl.CMD_LOOKUP,
     lookup(cid=attr(genl.A_LOOKUP_CID, b"c" * 21)), errno.ERANGE, None),
    ("lookup: connection id of a service with another key", genl.CMD_LOOKUP,
     lookup(cid=attr(genl.A_LOOKUP_CID, b"c" * 20)), errno.EINVAL,
     "connection ids are of use with key quic-cid only"),
    ("lookup: no service there", genl.CMD_LOOKUP, lookup(dport=u32(genl.A_LOOKUP_DST_PORT, 81)),
     errno.ENOENT, "destination is no service"),
    ("dev new: nothing", DNEW, b"", errno.EINVAL, "device is missing"),
    ("dev new: no name", DNEW, nest(D), errno.EINVAL, "name of the device is missing"),
    ("dev new: name of 16 bytes", DNEW, nest(D, text(1, "n" * 16)), errno.EINVAL, None),
    ("dev new: name without its end", DNEW, nest(D, attr(1, b"lo")), errno.EINVAL, None),
    ("dev new: empty name", DNEW, nest(D, text(1, "")), errno.ENODEV, "no such device"),
    ("dev new: no such device", DNEW, nest(D, text(1, "nix")), errno.ENODEV, "no such device"),
    ("dev new: a number, which answers have", DNEW, nest(D, text(1, "lo"), u32(2, 1)),
     errno.EINVAL, None),
    ("dev new: the loopback", DNEW, nest(D, text(1, "lo")), errno.EOPNOTSUPP,
     "the loopback device has no fast path"),
    ("dev del: without the fast path", genl.CMD_DEV_DEL, nest(D, text(1, "lo")), errno.ENOENT,
     "device has no fast path"),
    ("secret set: nothing", genl.CMD_SECRET_SET, b"", errno.EINVAL, "secret is missing"),
    ("secret set: no key", genl.CMD_SECRET_SET, nest(K), errno.EINVAL,
     "key of the secret is missing"),
    ("secret set: key of 15 bytes", genl.CMD_SECRET_SET, nest(K, attr(1, b"k" * 15)),
     errno.ERANGE, None),
    ("secret set: key of 17 bytes", genl.CMD_SECRET_SET, nest(K, attr(1, b"k" * 17)),
     errno.ERANGE, None),
    ("secret set: a fingerprint", genl.CMD_SECRET_SET, nest(K, attr(2, b"k" * 8)), errno.EINVAL,
     None),
    ("begin: nothing", genl.CMD_BEGIN, b"", errno.EINVAL, "service is missing"),
    ("begin: no such service", genl.CMD_BEGIN, named("other"), errno.ENOENT, "no such service"),
    ("begin: a backend", genl.CMD_BEGIN, named() + backend(), errno.EINVAL, None),
    ("begin: another generation", genl.CMD_BEGIN,
     nest(S, text(1, "web"), u32(genl.A_SERVICE_IF_GENERATION, 77)), errno.ESTALE,
     "service has changed: its generation is not the expected one"),
    ("commit: nothing begun", genl.CMD_COMMIT, named(), errno.ENOENT,
     "no change of this service is begun"),
    ("abort: nothing begun", genl.CMD_ABORT, named(), errno.ENOENT,
     "no change of this service is begun"),
    ("flow flush: a backend alone", genl.CMD_FLOW_FLUSH, backend(), errno.EINVAL,
     "service is missing"),
    ("flow flush: no such service", genl.CMD_FLOW_FLUSH, named("other"), errno.ENOENT,
     "no such service"),
    ("flow flush: no such backend", genl.CMD_FLOW_FLUSH, named() + backend("10.0.2.77"),
     errno.ENOENT, "service has no such backend"),
    ("flow flush: a weight", genl.CMD_FLOW_FLUSH, named() + backend("10.0.2.11", 8080, weight(1)),
     errno.EINVAL, None),
    ("flow set: nothing", genl.CMD_FLOW_SET, b"", errno.EINVAL, "flow table is missing"),
    ("flow set: no limit", genl.CMD_FLOW_SET, nest(genl.A_FLOWS), errno.EINVAL,
     "limit is missing"),
    ("flow set: 1023", genl.CMD_FLOW_SET, nest(genl.A_FLOWS, u32(genl.A_FLOWS_LIMIT, 1023)),
     errno.ERANGE, None),
    ("flow set: 2^26 + 1", genl.CMD_FLOW_SET,
     nest(genl.A_FLOWS, u32(genl.A_FLOWS_LIMIT, (1 << 26) + 1)), errno.ERANGE, None),
    ("flow set: a number", genl.CMD_FLOW_SET, nest(genl.A_FLOWS, u32(genl.A_FLOWS_NOW, 1)),
     errno.EINVAL, None),
    ("flow new: nothing", FNEW, b"", errno.EINVAL, "flow is missing"),
    ("flow new: empty", FNEW, nest(F), errno.EINVAL, "service name is missing"),
    ("flow new: no such service", FNEW, flow(service=text(genl.A_FLOW_SERVICE, "other")),
     errno.ENOENT, "no such service"),
    ("flow new: another service beside it", FNEW, named("other") + flow(), errno.ENOENT,
     "no such service"),
    ("flow new: no protocol", FNEW, flow(protocol=None), errno.EINVAL, "protocol is missing"),
    ("flow new: another protocol", FNEW, flow(protocol=u32(genl.A_FLOW_PROTOCOL, 17)),
     errno.EINVAL, "flow is not of the protocol and address family of its service"),
    ("flow new: another family", FNEW, flow(client=host("FLOW", "2001:db8::7")), errno.EINVAL,
     "flow is not of the protocol and address family of its service"),
    ("flow new: no client", FNEW, flow(client=None), errno.EINVAL, "address is missing"),
    ("flow new: two clients", FNEW,
     flow(client=host("FLOW", "198.51.100.7") + host("FLOW", "2001:db8::7")), errno.EINVAL,
     "address is given twice, as IPv4 and as IPv6"),
    ("flow new: no port", FNEW, flow(port=None), errno.EINVAL, "port is missing"),
    ("flow new: port 65536", FNEW, flow(port=u32(genl.A_FLOW_PORT, 65536)), errno.ERANGE, None),
    ("flow new: no backend", FNEW, flow(backend=None), errno.EINVAL, "backend is missing"),
    ("flow new: no such backend", FNEW,
     flow(backend=nest(genl.A_FLOW_BACKEND, host("BACKEND", "10.0.2.77"))), errno.ENOENT,
     "service has no such backend"),
    ("flow new: a backend's weight", FNEW,
     flow(backend=nest(genl.A_FLOW_BACKEND, host("BACKEND", "10.0.2.11"), weight(1))),
     errno.EINVAL, None),
    ("flow new: nothing heard", FNEW, flow(heard=None), errno.EINVAL,
     "what was heard or the time left is missing"),
    ("flow new: no time left", FNEW, flow(left=None), errno.EINVAL,
     "what was heard or the time left is missing"),
    ("flow new: more than a week left", FNEW, flow(left=u32(genl.A_FLOW_LEFT, 604801)),
     errno.ERANGE, None),
    ("flow new: begun in two ways", FNEW, flow(heard=u32(genl.A_FLOW_HEARD, 0x13)), errno.EINVAL,
     "what was heard contradicts itself or the protocol"),
    ("flow new: TCP datagrams", FNEW, flow(heard=u32(genl.A_FLOW_HEARD, 0x14)), errno.EINVAL,
     "what was heard contradicts itself or the protocol"),
    ("flow new: heard what is not known", FNEW, flow(heard=u32(genl.A_FLOW_HEARD, 0x119)),
     errno.ERANGE, None),
    ("flow new: no sequence number", FNEW, flow(seq=None), errno.EINVAL,
     "sequence numbers are missing"),
    ("flow new: a state", FNEW, flow(state=u32(genl.A_FLOW_STATE, 3)), errno.EINVAL, None),
    ("flow new: replace 2", FNEW, flow(replace=u32(genl.A_FLOW_REPLACE, 2)), errno.ERANGE, None),
    ("flow new: the second is wrong", FNEW, flow() + flow(port=None), errno.EINVAL,
     "port is missing"),
    ("flow del: nothing", FDEL, b"", errno.EINVAL, "flow is missing"),
    ("flow del: no such service", FDEL, client(service=text(genl.A_FLOW_SERVICE, "other")),
     errno.ENOENT, "no such service"),
    ("flow del: a backend", FDEL, flow(), errno.EINVAL, None),
    ("flow del: the second is wrong", FDEL, client() + client(port=None), errno.EINVAL,
     "port is missing"),
    ("a notice of flows as a command", genl.CMD_FLOW_NEW_NOTICE, flow(), errno.EOPNOTSUPP, ""),
    ("flush: an attribute", genl.CMD_FLUSH, named(), errno.EINVAL, None),
    ("info: an attribute", genl.CMD_INFO_GET, named(), errno.EINVAL, None),
    ("a notice as a command", genl.CMD_SERVICE_NEW_NOTICE, named(), errno.EOPNOTSUPP, ""),
    ("command 0", 0, b"", errno.EOPNOTSUPP, ""),
]


def refusals(g):
    for what, command, payload, number, why in REFUSED:
        before = snapshot(g)
        try:
            g.request(command, payload)
            claim(False, f"{what}: refused", "it was accepted")
            continue
        except Refused as r:
            refusal = r
        after = snapshot(g)
        told = refusal.message == why if why is not None else bool(refusal.message)
        claim(refusal.errno == number and told and before == after,
              f"{what}: refused with a text, nothing changed",
              f"errno {refusal.errno}, wanted {number}; text {refusal.message!r}, wanted {why!r}; "
              f"unchanged: {before == after}")


def refused(g, command, payload, dump=False):
    try:
        g.request(command, payload, dump)
    except Refused as r:
        return r
    return None


def details(g):
    payload = named() + backend("10.0.2.14") + backend("10.0.2.99", 65536)
    r = refused(g, BNEW, payload)
    second = 20 + len(named()) + len(backend("10.0.2.14"))
    claim(r is not None and r.offset is not None and r.offset >= second,
          "the refusal of the second of two points into the second", r and r.offset)
    r = refused(g, BNEW, named() + backend("10.0.2.14", 80, number(7)))
    at = 20 + len(named()) + len(backend("10.0.2.14", 80))
    claim(r is not None and r.offset == at, "the refusal of an id points at the id",
          r and (r.offset, at))
    at = 20 + len(slotted)
    first = part("10.0.2.11", (0, 9))
    r = refused(g, SET, slotted + first + part("10.0.2.99", (10, 65535)))
    claim(r is not None and r.offset == at + len(first),
          "the refusal of a map points at the backend that is not there", r and r.offset)
    r = refused(g, SET, slotted + first + part("10.0.2.12", (9, 65535), port=None))
    claim(r is not None and r.offset == at + len(first) + 4 + len(host("BACKEND", "10.0.2.12")),
          "the refusal of a slot twice points at the ranges", r and r.offset)
    g.request(SET, slotted + part("10.0.2.11", (0, 65535)))
    r = refused(g, BDEL, named() + backend("10.0.2.12", None) + backend())
    claim(r is not None and r.errno == errno.EBUSY and
          r.offset == 20 + len(named()) + len(backend("10.0.2.12", None)),
          "the refusal to remove a backend of a map points at it", r and (r.errno, r.offset))
    g.request(SET, service(protocol=None, address=None, port=None, a=u32(SSL, 65536)))
    r = refused(g, SET, nest(S, text(1, "web"), u32(SVN, 65535)))
    fits = struct.unpack("=Q", r.cookie)[0] if r and r.cookie and len(r.cookie) == 8 else None
    claim(fits == (1 << 22) // (1 + 99),
          "the refusal of too many points tells the largest vnodes that fits", fits)
    for name, command, want in (("table", genl.CMD_TABLE_GET, "service is missing"),
                                ("backend", BGET, None)):
        r = refused(g, command, b"", dump=True)
        claim((r.message if r else None) == want, f"{name} dump without a service", r)
    for name, command in (("table", genl.CMD_TABLE_GET), ("backend", BGET)):
        r = refused(g, command, named("other"), dump=True)
        claim(r is not None and r.errno == errno.ENOENT and r.message == "no such service",
              f"{name} dump of a service that is not there", r)
    r = refused(g, GET, backend(), dump=True)
    claim(r is not None and bool(r.message), "a dump with an attribute it does not know", r)


def settings_of(g):
    """The settings of service "web", by attribute."""
    (_, attrs), *_ = g.request(GET, named())
    facts = dict(parse(dict(parse(attrs))[S]))
    return {a: struct.unpack("=I", facts[a])[0] for a in SETTINGS}


def settings(g):
    """Each setting that leaves the table alone is changed, and no other with it."""
    want = settings_of(g)
    for a, value in SETTINGS.items():
        g.request(SET, nest(S, text(1, "web"), u32(a, value)))
        want[a] = value
        claim(settings_of(g) == want, f"service set: attribute {a} is kept, the others as well",
              (settings_of(g), want))


def fuzz(g, rounds):
    """Random mutations of good requests: an errno of the documented ones, or success."""
    good = [(NEW, service(name=other)), (SET, nest(S, text(1, "web"), u32(SKEY, 2))),
            (BNEW, named() + backend("10.0.2.15")),
            (BSET, named() + backend("10.0.2.11", 8080, weight(3), number(3))),
            (BDEL, named() + backend()), (SET, slotted + part("10.0.2.11", (0, 65535))),
            (genl.CMD_LOOKUP, lookup()), (DEL, named("two")),
            (genl.CMD_SECRET_SET, nest(K, attr(1, b"k" * 16))),
            (FNEW, named() + flow()), (FNEW, flow(replace=u32(genl.A_FLOW_REPLACE, 1))),
            (FDEL, client())]
    allowed = {errno.EINVAL, errno.ERANGE, errno.EEXIST, errno.ENOENT, errno.E2BIG,
               errno.EOPNOTSUPP, errno.ENOSPC, errno.ESTALE, errno.EBUSY, errno.ENODATA}
    rng = random.Random(1)
    strange = []
    for _ in range(rounds):
        command, payload = rng.choice(good)
        raw = bytearray(payload)
        for _ in range(rng.randint(1, 4)):
            raw[rng.randrange(len(raw))] = rng.choice((0, 1, 4, 8, 0x7f, 0x80, 0xff, rng.randrange(256)))
        if rng.random() < 0.2:
            raw = raw[:rng.randrange(len(raw) + 1)]
        try:
            g.request(command, bytes(raw))
        except Refused as r:
            if r.errno not in allowed:
                strange.append((command, raw.hex(), r.errno))
        except socket.timeout:
            strange.append((command, raw.hex(), "no answer"))
    claim(not strange, f"{rounds} mutated requests: no errno but the documented ones", strange[:3])
    g.request(genl.CMD_FLUSH)
    claim(snapshot(g) == ([], [], []), "the family answers after them, and a flush leaves nothing")


def main():
    rounds = 2000 // int(os.environ.get("SCALE", "1"))
    ktap.plan(len(REFUSED) + 11 + len(SETTINGS) + 2)
    g = Genl()
    g.request(NEW, service())
    g.request(NEW, service(name=text(1, "two"), port=u32(5, 82)))
    g.request(BNEW, named() + backend() + backend("10.0.2.12", None, weight(99), number(7)))
    g.request(FNEW, flow(port=u32(genl.A_FLOW_PORT, 5000), left=u32(genl.A_FLOW_LEFT, 604800)))
    refusals(g)
    details(g)
    settings(g)
    fuzz(g, rounds)
    ktap.finish()


if __name__ == "__main__":
    main()
