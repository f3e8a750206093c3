// SPDX-License-Identifier: GPL-2.0-only
/*
 * packet.c - the naive twin of module/parse.c
 *
 * It has the packet as one array whose bytes outside are 0, reads before it thinks, and says in
 * the end whether it read too far.
 */
#include <stdlib.h>

#include "packet.h"

#define MAX_HEADERS 8

struct view {
	const uint8_t *bytes;
	unsigned int len;
	bool over;	/* something outside was asked for */
};

struct twin {
	enum rlb_verdict verdict;
	unsigned int passed;
	struct rlb_tuple tuple;
	unsigned int l4;
	unsigned int quoted;
	unsigned int quoted_l4;
	bool is_redirect;
};

bool packet_any;

enum rlb_verdict packet_parse(struct rlb_pkt *pkt, int family, const uint8_t *bytes,
			      unsigned int len, unsigned int linear)
{
	/* pieces exactly as long as they are, so that a sanitizer sees who reads beyond */
	struct sk_buff skb = { .len = len, .linear = linear };
	static struct rlb_net net;
	struct nf_hook_state state = { .pf = family };
	enum rlb_verdict verdict;

	skb.data = malloc(linear);
	skb.more = malloc(len - linear);
	memcpy(skb.data, bytes, linear);
	memcpy(skb.more, bytes + linear, len - linear);
	net.match[0].sizes = net.match[1].sizes = packet_any ? RLB_MATCH_ANY : 0;
	*pkt = (struct rlb_pkt){ .skb = &skb, .rn = &net, .state = &state };
	verdict = rlb_parse(pkt);
	free(skb.data);
	free(skb.more);
	return verdict;
}

unsigned int packet_linear(int family, const uint8_t *bytes, unsigned int len)
{
	unsigned int need = family == AF_INET ? 20 : 40;

	if (len < need || bytes[0] >> 4 != (family == AF_INET ? 4 : 6))
		return 0;
	if (family == AF_INET)
		need = (bytes[0] & 15) * 4;
	return need >= 20 && need <= len ? need : 0;
}

static unsigned int byte(struct view *v, unsigned int at)
{
	if (at < v->len)
		return v->bytes[at];
	v->over = true;
	return 0;
}

static unsigned int word(struct view *v, unsigned int at)
{
	return byte(v, at) << 8 | byte(v, at + 1);
}

static void bytes_to(struct view *v, void *to, unsigned int at, unsigned int n)
{
	uint8_t *p = to;

	while (n--)
		*p++ = byte(v, at++);
}

static bool has_ports(unsigned int proto)
{
	return proto == 6 || proto == 17 || proto == 132;
}

/* Without ports, and not ICMP, of which errors alone are of a service */
static bool is_of_any(unsigned int proto)
{
	return packet_any && proto != 1 && proto != 58;
}

static struct twin pass(enum ringlb_counter why)
{
	return (struct twin){ .verdict = RLB_PASS, .passed = why };
}

static struct twin ports(struct view *v, struct twin t, unsigned int at, unsigned int need,
			 bool turned)
{
	__be16 first, second;

	bytes_to(v, &first, at, 2);
	bytes_to(v, &second, at + 2, 2);
	byte(v, at + need - 1);
	if (v->over)
		return pass(RINGLB_COUNTER_PASS_MALFORMED);
	t.tuple.sport = turned ? second : first;
	t.tuple.dport = turned ? first : second;
	t.verdict = RLB_NEXT;
	return t;
}

static unsigned int headers(struct view *v, unsigned int *at, unsigned int *proto, bool quoted)
{
	unsigned int n;

	for (n = 0; *proto == 0 || *proto == 43 || *proto == 44 || *proto == 60; n++) {
		unsigned int next = byte(v, *at), size = 8;

		if (n == MAX_HEADERS)
			return RINGLB_COUNTER_PASS_HEADERS;
		byte(v, *at + 7);
		if (v->over)
			return RINGLB_COUNTER_PASS_MALFORMED;
		if (*proto == 43 && byte(v, *at + 3))
			return RINGLB_COUNTER_PASS_SOURCE_ROUTED;
		if (*proto == 44 && (word(v, *at + 2) >> 3 || (word(v, *at + 2) & 1 && !quoted)))
			return RINGLB_COUNTER_PASS_FRAGMENT;
		if (*proto != 44)
			size = (byte(v, *at + 1) + 1) * 8;
		*at += size;
		*proto = next;
	}
	return 0;
}

/* The packet that an error quotes: to whom it was sent is a tuple's source. */
static struct twin quoted(struct view *v, struct twin t, int family)
{
	unsigned int size = family == AF_INET ? 4 : 16, src = family == AF_INET ? 12 : 8;
	unsigned int proto, why = 0, version = byte(v, t.quoted) >> 4;
	uint8_t to[16], from[16];

	byte(v, t.quoted + (family == AF_INET ? 19 : 39));
	if (v->over || version != (family == AF_INET ? 4 : 6) ||
	    (family == AF_INET && (byte(v, t.quoted) & 15) < 5))
		return pass(RINGLB_COUNTER_PASS_MALFORMED);
	bytes_to(v, from, t.quoted + src, size);
	bytes_to(v, to, src + size, size);
	if (memcmp(from, to, size))
		return pass(0);
	if (family == AF_INET) {
		if (word(v, t.quoted + 6) & 0x1fff)
			return pass(RINGLB_COUNTER_PASS_FRAGMENT);
		t.quoted_l4 = t.quoted + (byte(v, t.quoted) & 15) * 4;
		proto = byte(v, t.quoted + 9);
	} else {
		t.quoted_l4 = t.quoted + 40;
		proto = byte(v, t.quoted + 6);
		why = headers(v, &t.quoted_l4, &proto, true);
		if (why == RINGLB_COUNTER_PASS_HEADERS || why == RINGLB_COUNTER_PASS_SOURCE_ROUTED)
			return pass(0);
	}
	if (why)
		return pass(why);
	if (!has_ports(proto) && !is_of_any(proto))
		return pass(0);
	t.tuple.proto = proto;
	bytes_to(v, &t.tuple.dst, t.quoted + src, size);
	bytes_to(v, &t.tuple.src, t.quoted + src + size, size);
	t.verdict = RLB_NEXT;
	return !has_ports(proto) ? t : ports(v, t, t.quoted_l4, 8, true);
}

static struct twin redirect6(struct view *v, struct twin t)
{
	unsigned int at = t.l4 + 40, n;

	t.is_redirect = true;
	for (n = 0; n < 8 && at < v->len; n++) {
		unsigned int kind = byte(v, at), size = byte(v, at + 1) * 8;

		if (v->over || !size)
			return pass(RINGLB_COUNTER_PASS_MALFORMED);
		if (kind == 4) {
			t.quoted = at + 8;
			return quoted(v, t, AF_INET6);
		}
		at += size;
	}
	return pass(0);
}

static struct twin icmp(struct view *v, struct twin t, int family)
{
	unsigned int type = byte(v, t.l4);

	byte(v, t.l4 + 7);
	if (v->over)
		return pass(RINGLB_COUNTER_PASS_MALFORMED);
	t.quoted = t.l4 + 8;
	if (family == AF_INET6 && type == 137)
		return redirect6(v, t);
	if (family == AF_INET6)
		return type >= 1 && type <= 4 ? quoted(v, t, family) : pass(0);
	if (type != 3 && type != 4 && type != 5 && type != 11 && type != 12)
		return pass(0);
	t.is_redirect = type == 5;
	return quoted(v, t, family);
}

/* Does the first source route among the IPv4 options lead on? */
static bool leads_on(const uint8_t *option, unsigned int len)
{
	while (len && *option) {
		unsigned int size = *option == 1 ? 1 : len > 1 ? option[1] : 0;

		if (!size || size > len || (*option != 1 && size < 2))
			return false;
		if (*option == 131 || *option == 137)
			return size > 2 && option[2] <= size;
		option += size;
		len -= size;
	}
	return false;
}

static struct twin parse(struct view *v, int family)
{
	unsigned int proto, why = 0, src = family == AF_INET ? 12 : 8;
	struct twin t = { .tuple.family = family };

	if (family == AF_INET) {
		t.l4 = (byte(v, 0) & 15) * 4;
		proto = byte(v, 9);
		if (proto != 1 && !has_ports(proto) && !packet_any)
			return pass(0);
		if (word(v, 6) & 0x3fff)
			why = RINGLB_COUNTER_PASS_FRAGMENT;
		else if (leads_on(v->bytes + 20, t.l4 - 20))
			why = RINGLB_COUNTER_PASS_SOURCE_ROUTED;
	} else {
		t.l4 = 40;
		proto = byte(v, 6);
		why = headers(v, &t.l4, &proto, false);
	}
	if (why)
		return pass(why);
	if (proto == (family == AF_INET ? 1 : 58))
		return icmp(v, t, family);
	if (!has_ports(proto) && !is_of_any(proto))
		return pass(0);
	t.verdict = RLB_NEXT;
	t.tuple.proto = proto;
	bytes_to(v, &t.tuple.src, src, family == AF_INET ? 4 : 16);
	bytes_to(v, &t.tuple.dst, src * 2 - (family == AF_INET ? 8 : -8), family == AF_INET ? 4 : 16);
	return !has_ports(proto) ? t : ports(v, t, t.l4, proto == 6 ? 20 : proto == 132 ? 12 : 8, false);
}

const char *packet_differs(int family, const uint8_t *bytes, unsigned int len,
			   unsigned int linear, enum rlb_verdict *verdict)
{
	struct view v = { .bytes = bytes, .len = len };
	struct twin t = parse(&v, family);
	struct rlb_pkt pkt;

	*verdict = packet_parse(&pkt, family, bytes, len, linear);
	if (*verdict != t.verdict)
		return "verdict";
	if (pkt.passed != t.passed)
		return "reason to pass";
	if (*verdict != RLB_NEXT)
		return NULL;
	if (memcmp(&pkt.tuple, &t.tuple, sizeof(t.tuple)))
		return "tuple";
	if (pkt.l4 != t.l4 || pkt.is_error != !!t.quoted || pkt.is_redirect != t.is_redirect)
		return "header";
	if (t.quoted && (pkt.quoted != t.quoted || pkt.quoted_l4 != t.quoted_l4))
		return "quoted header";
	return NULL;
}
