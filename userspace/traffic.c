// SPDX-License-Identifier: GPL-2.0-only
/*
 * traffic.c - packets to flows
 *
 * In: packets from the network header on, perhaps cut. Out: flows with packets and bytes, both
 * directions in one. Nothing beyond a packet's end is read.
 */
#include "traffic.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define BITS_FIRST 12
#define FREE 0xffffffffU
#define EXTENSIONS_MAX 8	/* IPv6 headers before the one with ports */
#define TCP_FLAGS 13
#define TCP_SYN_ACK 0x12
#define SCTP_CHUNK 12		/* type of the first chunk */
#define SCTP_INIT_ACK 2

static u16 get16(const u8 *p)
{
	return p[0] << 8 | p[1];
}

/* Ports are at @p; -1: they are not there. A protocol without ports has 0. */
static int parse_ports(const u8 *p, u32 len, struct rlb_tuple *t)
{
	if (!word_has_ports(t->proto))
		return t->proto == IPPROTO_ICMP || t->proto == IPPROTO_ICMPV6 ? -1 : 0;
	if (len < 4)
		return -1;
	memcpy(&t->sport, p, 2);
	memcpy(&t->dport, p + 2, 2);
	return 0;
}

static int parse_ipv4(const u8 *p, u32 len, struct rlb_tuple *t, const u8 **ports)
{
	u32 head;

	if (len < 20)
		return -1;
	head = (p[0] & 15) * 4;
	if (head < 20 || head > len || get16(p + 6) & 0x1fff)
		return -1;
	t->family = AF_INET;
	t->proto = p[9];
	memcpy(&t->src, p + 12, 4);
	memcpy(&t->dst, p + 16, 4);
	*ports = p + head;
	return parse_ports(p + head, len - head, t);
}

static int parse_ipv6(const u8 *p, u32 len, struct rlb_tuple *t, const u8 **ports)
{
	const u8 *end = p + len;
	u32 i, head;

	if (len < 40)
		return -1;
	t->family = AF_INET6;
	t->proto = p[6];
	memcpy(&t->src, p + 8, 16);
	memcpy(&t->dst, p + 24, 16);
	p += 40;
	for (i = 0; i < EXTENSIONS_MAX && end - p >= 8; i++) {
		if (t->proto != IPPROTO_HOPOPTS && t->proto != IPPROTO_ROUTING &&
		    t->proto != IPPROTO_DSTOPTS && t->proto != IPPROTO_FRAGMENT)
			break;
		if (t->proto == IPPROTO_FRAGMENT && get16(p + 2) & 0xfff8)
			return -1;
		head = t->proto == IPPROTO_FRAGMENT ? 8 : (p[1] + 1) * 8;
		if (head > (u32)(end - p))
			return -1;
		t->proto = p[0];
		p += head;
	}
	*ports = p;
	return parse_ports(p, end - p, t);
}

static void turn(struct rlb_tuple *t)
{
	union rlb_addr addr = t->src;
	__be16 port = t->sport;

	t->src = t->dst;
	t->dst = addr;
	t->sport = t->dport;
	t->dport = port;
}

static bool is_vip(const struct service *s, const union rlb_addr *addr, __be16 port)
{
	struct endpoint at = { .addr = *addr, .port = ntohs(port), .family = s->vip.family };

	if (service_is_any(s))
		at.port = 1;	/* as good as any other, or none */
	return at.port && addr_meet(&s->vip, &at);
}

/* As the client of the service sees it; -1: it is none of the service. */
static int face_service(struct rlb_tuple *t, const struct service *s)
{
	if (!rlb_protocols_meet(t->proto, s->protocol) || t->family != s->vip.family)
		return -1;
	if (service_is_any(s))
		t->sport = t->dport = 0;
	if (is_vip(s, &t->dst, t->dport))
		return 0;
	if (!is_vip(s, &t->src, t->sport))
		return -1;
	turn(t);
	return 0;
}

/* The place of a flow, or the free one where it would be */
static u32 *find_place(const struct traffic *t, const struct rlb_tuple *tuple)
{
	u32 mask = (1U << t->bits) - 1;
	u32 i = rlb_key_hash(&rlb_public, RINGLB_KEY_5TUPLE, tuple) & mask;

	while (t->place[i] != FREE &&
	       memcmp(&t->flows[t->place[i]].tuple, tuple, sizeof(*tuple)))
		i = (i + 1) & mask;
	return &t->place[i];
}

/* Twice the room: at least as many places as flows stay free. */
static int grow(struct traffic *t)
{
	unsigned int bits = t->bits ? t->bits + 1 : BITS_FIRST;
	u32 *place = reallocarray(NULL, 1U << bits, sizeof(*place)), i;
	struct traffic_flow *flows;

	if (!place)
		return -ENOMEM;
	free(t->place);
	t->place = place;
	t->bits = bits;
	memset(place, 0xff, sizeof(*place) << bits);
	for (i = 0; i < t->n; i++)
		*find_place(t, &t->flows[i].tuple) = i;
	flows = reallocarray(t->flows, 1U << (bits - 1), sizeof(*flows));
	if (!flows)
		return -ENOMEM;
	t->flows = flows;
	return 0;
}

static int count(struct traffic *t, const struct rlb_tuple *tuple, u64 bytes)
{
	u32 *place = find_place(t, tuple);

	if (*place == FREE) {
		if (t->n == TRAFFIC_FLOWS_MAX)
			return -E2BIG;
		t->flows[t->n] = (struct traffic_flow){ .tuple = *tuple };
		*place = t->n++;
	}
	t->flows[*place].packets++;
	t->flows[*place].bytes += bytes;
	return 0;
}

/* Does it say of itself that it answers the client's first packet? */
static bool is_answer(const struct rlb_tuple *t, const u8 *ports, const u8 *end)
{
	if (t->proto == IPPROTO_TCP && end - ports > TCP_FLAGS)
		return (ports[TCP_FLAGS] & TCP_SYN_ACK) == TCP_SYN_ACK;
	return t->proto == IPPROTO_SCTP && end - ports > SCTP_CHUNK &&
	       ports[SCTP_CHUNK] == SCTP_INIT_ACK;
}

/* Who is the client, if no service says so: whoever was heard first, unless that is an answer */
static void face_first(const struct traffic *t, struct rlb_tuple *tuple, bool answer)
{
	struct rlb_tuple back = *tuple;

	turn(&back);
	if (*find_place(t, &back) != FREE ||
	    (answer && *find_place(t, tuple) == FREE))
		*tuple = back;
}

/**
 * traffic_add() - count a packet
 * @t: the traffic
 * @of: the service whose packets count, in both directions; NULL: all
 * @packet: from the network header on
 * @len: how much of it is there
 * @bytes: how long it was
 *
 * Return: 0; -E2BIG if there are too many flows, -ENOMEM.
 */
int traffic_add(struct traffic *t, const struct service *of, const u8 *packet, u32 len, u64 bytes)
{
	struct rlb_tuple tuple;
	const u8 *ports;
	int err;

	memset(&tuple, 0, sizeof(tuple));	/* it is compared whole */
	if (len && packet[0] >> 4 == 4)
		err = parse_ipv4(packet, len, &tuple, &ports);
	else if (len && packet[0] >> 4 == 6)
		err = parse_ipv6(packet, len, &tuple, &ports);
	else
		err = -1;
	if (!err && of)
		err = face_service(&tuple, of);
	else if (!err && !word_has_ports(tuple.proto))
		err = -1;
	if (err) {
		t->others++;
		return 0;
	}
	if (!t->bits || t->n == 1U << (t->bits - 1)) {
		err = grow(t);
		if (err)
			return err;
	}
	if (!of)
		face_first(t, &tuple, is_answer(&tuple, ports, packet + len));
	return count(t, &tuple, bytes);
}

static int flow_cmp(const void *a, const void *b)
{
	const struct traffic_flow *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return memcmp(&x->tuple, &y->tuple, sizeof(x->tuple));
}

/* The longest first. No more packets can be added. */
void traffic_sort(struct traffic *t)
{
	free(t->place);
	t->place = NULL;
	t->bits = 0;
	if (t->n)
		qsort(t->flows, t->n, sizeof(*t->flows), flow_cmp);
}

void traffic_free(struct traffic *t)
{
	free(t->flows);
	free(t->place);
	memset(t, 0, sizeof(*t));
}
