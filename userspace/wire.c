// SPDX-License-Identifier: GPL-2.0-only
/*
 * wire.c - the model's structs to attributes and back
 *
 * In: structs; messages of the kernel. Out: attributes; structs. Numbers' widths and
 * addresses' lengths are checked on the way in. Attributes that a newer module may add are
 * skipped. All functions return 0 or -errno.
 */
#include "wire.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <string.h>

#include "lookup.h"
#include "map.h"

#define SEATS_AN_ATTRIBUTE 4096
#define MAP_A_MESSAGE 2048	/* ranges: some 90 KiB if each is another backend's */
#define MAP_AN_ATTRIBUTE 512

static int put_endpoint(struct nl_msg *msg, int ipv4, int ipv6, int port,
			const struct endpoint *e)
{
	int type = e->family == AF_INET ? ipv4 : ipv6;

	if (nla_put(msg, type, rlb_addr_len(e->family), &e->addr))
		return -EMSGSIZE;
	if (e->port && nla_put_u32(msg, port, e->port))
		return -EMSGSIZE;
	return 0;
}

/* Begin a nest. libnl sets NLA_F_NESTED here from 3.5 on; older ones are not supported. */
static struct nlattr *nest(struct nl_msg *msg, int type)
{
	return nla_nest_start(msg, type | NLA_F_NESTED);
}

static void nest_end(struct nl_msg *msg, struct nlattr *start)
{
	nla_nest_end_keep_empty(msg, start);
}

/* SERVICE with a name alone */
int wire_put_name(struct nl_msg *msg, const char *service)
{
	struct nlattr *start = nest(msg, RINGLB_A_SERVICE);

	if (!start || nla_put_string(msg, RINGLB_A_SERVICE_NAME, service))
		return -EMSGSIZE;
	nest_end(msg, start);
	return 0;
}

/**
 * wire_put_service() - SERVICE with its name and what its mask says was given
 * @msg: the message
 * @s: the service
 *
 * Return: 0 or -EMSGSIZE.
 */
int wire_put_service(struct nl_msg *msg, const struct service *s)
{
	const struct {
		int attr;
		u32 value;
	} numbers[] = {
		{ RINGLB_A_SERVICE_PROTOCOL, s->protocol },
		{ RINGLB_A_SERVICE_METHOD, s->method },
		{ RINGLB_A_SERVICE_KEY, s->key },
		{ RINGLB_A_SERVICE_CID_CONFIG, s->cid_config },
		{ RINGLB_A_SERVICE_SID_LENGTH, s->sid_length },
		{ RINGLB_A_SERVICE_VNODES, s->vnodes },
		{ RINGLB_A_SERVICE_SLOTS, s->slots },
		{ RINGLB_A_SERVICE_SLACK, s->slack },
		{ RINGLB_A_SERVICE_SETTLE, s->settle },
		{ RINGLB_A_SERVICE_TRACK, s->track },
		{ RINGLB_A_SERVICE_TIMEOUT, s->timeout },
		{ RINGLB_A_SERVICE_DRAIN_TIMEOUT, s->drain_timeout },
		{ RINGLB_A_SERVICE_LAST_RESORT, s->last_resort },
		{ RINGLB_A_SERVICE_UDP_DRAIN, s->udp_drain },
		{ RINGLB_A_SERVICE_NONE, s->none },
		{ RINGLB_A_SERVICE_MODE, s->mode },
		{ RINGLB_A_SERVICE_TUNNEL, s->tunnel },
		{ RINGLB_A_SERVICE_TUNNEL_PORT, s->tunnel_port },
		{ RINGLB_A_SERVICE_SNAT, s->snat },
		{ RINGLB_A_SERVICE_SNAT_PORTS, s->snat_ports },
		{ RINGLB_A_SERVICE_IF_GENERATION, s->if_generation },
		{ RINGLB_A_SERVICE_FORCE, s->force },
		{ RINGLB_A_SERVICE_PORT_LAST, s->vip.last },
		{ RINGLB_A_SERVICE_PREFIX, s->vip.prefix },
		{ RINGLB_A_SERVICE_MARK, s->vip.mark },
		{ RINGLB_A_SERVICE_MARK_MASK, s->vip.mask },
	};
	struct nlattr *start = nest(msg, RINGLB_A_SERVICE);
	size_t i;

	if (!start || nla_put_string(msg, RINGLB_A_SERVICE_NAME, s->name))
		return -EMSGSIZE;
	if (HAS(s, RINGLB_A_SERVICE_PORT) &&
	    put_endpoint(msg, RINGLB_A_SERVICE_IPV4, RINGLB_A_SERVICE_IPV6,
			 RINGLB_A_SERVICE_PORT, &s->vip))
		return -EMSGSIZE;
	if (s->snat_at.family &&
	    put_endpoint(msg, RINGLB_A_SERVICE_SNAT_IPV4, RINGLB_A_SERVICE_SNAT_IPV6, 0,
			 &s->snat_at))
		return -EMSGSIZE;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (HAS(s, numbers[i].attr) &&
		    nla_put_u32(msg, numbers[i].attr, numbers[i].value))
			return -EMSGSIZE;
	nest_end(msg, start);
	return 0;
}

int wire_put_dev(struct nl_msg *msg, const char *name)
{
	struct nlattr *start = nest(msg, RINGLB_A_DEV);

	if (!start || nla_put_string(msg, RINGLB_A_DEV_NAME, name))
		return -EMSGSIZE;
	nest_end(msg, start);
	return 0;
}

/**
 * wire_put_seats() - SEATS, if the mask says that a list was given
 * @msg: the message
 * @s: the service
 *
 * Return: 0 or -EMSGSIZE.
 */
int wire_put_seats(struct nl_msg *msg, const struct service *s)
{
	u32 at = 0, n;

	if (!HAS(s, RINGLB_A_SERVICE_SEATS))
		return 0;
	do {
		n = s->n_seats - at < SEATS_AN_ATTRIBUTE ? s->n_seats - at : SEATS_AN_ATTRIBUTE;
		if (nla_put(msg, RINGLB_A_SEATS, n * sizeof(*s->seats), s->seats + at))
			return -EMSGSIZE;
		at += n;
	} while (at < s->n_seats);
	return 0;
}

/**
 * wire_put_backend() - BACKEND with its address and what its mask says was given
 * @msg: the message
 * @b: the backend
 * @span: out, may be NULL: where the nest is
 *
 * Return: 0 or -EMSGSIZE.
 */
int wire_put_backend(struct nl_msg *msg, const struct backend *b, struct wire_span *span)
{
	struct nlattr *start = nest(msg, RINGLB_A_BACKEND);

	if (!start || put_endpoint(msg, RINGLB_A_BACKEND_IPV4, RINGLB_A_BACKEND_IPV6,
				   RINGLB_A_BACKEND_PORT, &b->at))
		return -EMSGSIZE;
	if (HAS(b, RINGLB_A_BACKEND_ID) && nla_put_u32(msg, RINGLB_A_BACKEND_ID, b->id))
		return -EMSGSIZE;
	if (HAS(b, RINGLB_A_BACKEND_WEIGHT) &&
	    nla_put_u32(msg, RINGLB_A_BACKEND_WEIGHT, b->weight))
		return -EMSGSIZE;
	if (HAS(b, RINGLB_A_BACKEND_STATE) &&
	    nla_put_u32(msg, RINGLB_A_BACKEND_STATE, b->state))
		return -EMSGSIZE;
	if (HAS(b, RINGLB_A_BACKEND_SLOW_START) &&
	    nla_put_u32(msg, RINGLB_A_BACKEND_SLOW_START, b->slow_start))
		return -EMSGSIZE;
	nest_end(msg, start);
	if (span) {
		span->start = (char *)start - (char *)nlmsg_hdr(msg);
		span->end = nlmsg_hdr(msg)->nlmsg_len;
	}
	return 0;
}

/**
 * wire_put_map() - as much of a map as one message takes: BACKEND with RANGES
 * @msg: the message
 * @r: the rest of the map's ranges, in the order of backends
 * @n: how many
 *
 * Return: how many of them are in the message, or -EMSGSIZE.
 */
int wire_put_map(struct nl_msg *msg, const struct map_range *r, u32 n)
{
	struct ringlb_range list[MAP_AN_ATTRIBUTE];
	struct nlattr *start;
	u32 at = 0, len;

	while (at < n && at < MAP_A_MESSAGE) {
		const struct map_range *first = r + at;

		for (len = 0; at < n && at < MAP_A_MESSAGE && len < MAP_AN_ATTRIBUTE &&
		     !addr_cmp(&r[at].at, &first->at); len++, at++)
			list[len] = (struct ringlb_range){ r[at].first, r[at].last };
		start = nest(msg, RINGLB_A_BACKEND);
		if (!start || put_endpoint(msg, RINGLB_A_BACKEND_IPV4, RINGLB_A_BACKEND_IPV6,
					   RINGLB_A_BACKEND_PORT, &first->at) ||
		    nla_put(msg, RINGLB_A_BACKEND_RANGES, len * sizeof(*list), list))
			return -EMSGSIZE;
		nest_end(msg, start);
	}
	return at;
}

static int put_remembered(struct nl_msg *msg, const struct remembered *f)
{
	const struct {
		int attr;
		u32 value;
	} numbers[] = {
		{ RINGLB_A_FLOW_HEARD, f->heard },
		{ RINGLB_A_FLOW_SEQ, f->seq },
		{ RINGLB_A_FLOW_ACK, f->ack },
		{ RINGLB_A_FLOW_LEFT, f->left },
	};
	struct nlattr *start = nest(msg, RINGLB_A_FLOW_BACKEND);
	size_t i;

	if (!start || put_endpoint(msg, RINGLB_A_BACKEND_IPV4, RINGLB_A_BACKEND_IPV6,
				   RINGLB_A_BACKEND_PORT, &f->backend.at))
		return -EMSGSIZE;
	nest_end(msg, start);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (HAS(f, numbers[i].attr) && nla_put_u32(msg, numbers[i].attr, numbers[i].value))
			return -EMSGSIZE;
	return f->replace ? nla_put_u32(msg, RINGLB_A_FLOW_REPLACE, 1) : 0;
}

/**
 * wire_put_flow() - FLOW: one that another gateway remembers, or has forgotten
 * @msg: the message
 * @f: the flow; of one without a backend only the client is put
 * @span: out: where it is
 *
 * Return: 0 or -EMSGSIZE.
 */
int wire_put_flow(struct nl_msg *msg, const struct remembered *f, struct wire_span *span)
{
	struct nlattr *start = nest(msg, RINGLB_A_FLOW);
	int type = f->client.family == AF_INET ? RINGLB_A_FLOW_IPV4 : RINGLB_A_FLOW_IPV6;

	if (!start || nla_put_string(msg, RINGLB_A_FLOW_SERVICE, f->service) ||
	    nla_put_u32(msg, RINGLB_A_FLOW_PROTOCOL, f->protocol) ||
	    nla_put(msg, type, rlb_addr_len(f->client.family), &f->client.addr) ||
	    nla_put_u32(msg, RINGLB_A_FLOW_PORT, f->client.port))
		return -EMSGSIZE;
	if (f->backend.at.family && put_remembered(msg, f))
		return -EMSGSIZE;
	nest_end(msg, start);
	span->start = (char *)start - (char *)nlmsg_hdr(msg);
	span->end = nlmsg_hdr(msg)->nlmsg_len;
	return 0;
}

int wire_put_lookup(struct nl_msg *msg, const struct lookup *l)
{
	struct nlattr *start = nest(msg, RINGLB_A_LOOKUP);

	if (!start || nla_put_u32(msg, RINGLB_A_LOOKUP_PROTOCOL, l->protocol) ||
	    put_endpoint(msg, RINGLB_A_LOOKUP_SRC_IPV4, RINGLB_A_LOOKUP_SRC_IPV6,
			 RINGLB_A_LOOKUP_SRC_PORT, &l->src) ||
	    put_endpoint(msg, RINGLB_A_LOOKUP_DST_IPV4, RINGLB_A_LOOKUP_DST_IPV6,
			 RINGLB_A_LOOKUP_DST_PORT, &l->dst) ||
	    (l->dst.mark && nla_put_u32(msg, RINGLB_A_LOOKUP_MARK, l->dst.mark)) ||
	    (l->n_cid && nla_put(msg, RINGLB_A_LOOKUP_CID, l->n_cid, l->cid)))
		return -EMSGSIZE;
	nest_end(msg, start);
	return 0;
}

int wire_put_secret(struct nl_msg *msg, const u8 key[RINGLB_SECRET_LEN], bool force)
{
	struct nlattr *start = nest(msg, RINGLB_A_SECRET);

	if (!start || nla_put(msg, RINGLB_A_SECRET_KEY, RINGLB_SECRET_LEN, key) ||
	    (force && nla_put_u32(msg, RINGLB_A_SECRET_FORCE, 1)))
		return -EMSGSIZE;
	nest_end(msg, start);
	return 0;
}

int wire_put_flows(struct nl_msg *msg, const struct flows *f)
{
	struct nlattr *start = nest(msg, RINGLB_A_FLOWS);

	if (!start || nla_put_u32(msg, RINGLB_A_FLOWS_LIMIT, f->limit))
		return -EMSGSIZE;
	nest_end(msg, start);
	return 0;
}

/**
 * wire_get_top() - the top level of a message
 * @h: the message
 * @tb: out: its attributes; of a repeated one the last
 *
 * Return: 0 or -EBADMSG.
 */
int wire_get_top(const struct nlmsghdr *h, struct nlattr *tb[RINGLB_A_MAX + 1])
{
	/* libnl reads only, but its prototype does not say so. */
	return genlmsg_parse((struct nlmsghdr *)h, 0, tb, RINGLB_A_MAX, NULL) ? -EBADMSG : 0;
}

/* The command of a message, -1 if there is none in it. */
int wire_message_cmd(const struct nlmsghdr *h)
{
	if (nlmsg_datalen(h) < (int)sizeof(struct genlmsghdr))
		return -1;
	return genlmsg_hdr((struct nlmsghdr *)h)->cmd;
}

static int get_u32(const struct nlattr *a, u32 *to)
{
	if (!a)
		return 0;
	if (nla_len(a) != sizeof(u32))
		return -EBADMSG;
	*to = nla_get_u32(a);
	return 0;
}

static int get_u64(const struct nlattr *a, u64 *to)
{
	if (!a)
		return 0;
	if (nla_len(a) != sizeof(u64))
		return -EBADMSG;
	memcpy(to, nla_data(a), sizeof(*to));
	return 0;
}

static int get_name(const struct nlattr *a, char name[RINGLB_NAME_MAX + 1])
{
	size_t len;

	if (!a)
		return -EBADMSG;
	len = strnlen(nla_data(a), nla_len(a));
	if (!len || len > RINGLB_NAME_MAX)
		return -EBADMSG;
	memcpy(name, nla_data(a), len);
	name[len] = '\0';
	return 0;
}

/* Exactly one family, and its length right. */
static int get_endpoint(const struct nlattr *v4, const struct nlattr *v6,
			const struct nlattr *port, struct endpoint *e)
{
	const struct nlattr *a = v4 ? v4 : v6;
	u32 number = 0;

	if (!a || (v4 && v6))
		return -EBADMSG;
	e->family = v4 ? AF_INET : AF_INET6;
	if ((size_t)nla_len(a) != rlb_addr_len(e->family))
		return -EBADMSG;
	memcpy(&e->addr, nla_data(a), nla_len(a));
	if (get_u32(port, &number) || number > 65535)
		return -EBADMSG;
	e->port = number;
	return 0;
}

static int get_port_last(const struct nlattr *a, struct endpoint *e)
{
	u32 number = 0;

	if (get_u32(a, &number) || number > RLB_PORT_MAX)
		return -EBADMSG;
	e->last = number;
	return 0;
}

static int get_prefix(const struct nlattr *a, struct endpoint *e)
{
	u32 bits = 0;

	if (get_u32(a, &bits) || (bits && bits >= rlb_prefix_full(e->family)))
		return -EBADMSG;
	e->prefix = bits;
	return 0;
}

/* Which of @tb are there; without paddings, which are no facts. */
static u64 mask(struct nlattr *const *tb, int max)
{
	u64 has = 0;
	int i;

	for (i = 1; i <= max; i++)
		if (tb[i])
			has |= BIT(i);
	return has;
}

static int parse(const struct nlattr *from, struct nlattr **tb, int max)
{
	return nla_parse_nested(tb, max, (struct nlattr *)from, NULL) ? -EBADMSG : 0;
}

/* Counters 1..@max, but for @pad, which is none */
static int get_counters(const struct nlattr *from, struct counters *c, int max, int pad)
{
	struct nlattr *tb[RINGLB_COUNTER_MAX + 1];
	int i;

	memset(c, 0, sizeof(*c));
	if (!from)
		return 0;
	if (parse(from, tb, max))
		return -EBADMSG;
	for (i = 1; i <= max; i++) {
		if (!tb[i] || i == pad)
			continue;
		if (get_u64(tb[i], &c->value[i]))
			return -EBADMSG;
		c->has |= BIT(i);
	}
	return 0;
}

int wire_get_counters(const struct nlattr *from, struct counters *c)
{
	return get_counters(from, c, RINGLB_COUNTER_MAX, RINGLB_COUNTER_PAD);
}

int wire_get_dev(const struct nlattr *from, struct dev *d)
{
	struct nlattr *tb[RINGLB_A_DEV_MAX + 1];
	const struct nlattr *name;

	memset(d, 0, sizeof(*d));
	if (!from || parse(from, tb, RINGLB_A_DEV_MAX) ||
	    get_u32(tb[RINGLB_A_DEV_INDEX], &d->index) ||
	    get_counters(tb[RINGLB_A_DEV_COUNTERS], &d->counters, RINGLB_DEV_MAX, RINGLB_DEV_PAD))
		return -EBADMSG;
	name = tb[RINGLB_A_DEV_NAME];
	if (!name || !nla_len(name) || (size_t)nla_len(name) > sizeof(d->name) ||
	    ((char *)nla_data(name))[nla_len(name) - 1])
		return -EBADMSG;
	strcpy(d->name, nla_data(name));
	return 0;
}

/**
 * wire_get_service() - read SERVICE
 * @from: the nest
 * @s: out: the service, without backends
 *
 * Return: 0 or -EBADMSG.
 */
int wire_get_service(const struct nlattr *from, struct service *s)
{
	struct nlattr *tb[RINGLB_A_SERVICE_MAX + 1];

	memset(s, 0, sizeof(*s));
	if (!from || parse(from, tb, RINGLB_A_SERVICE_MAX))
		return -EBADMSG;
	if (get_name(tb[RINGLB_A_SERVICE_NAME], s->name))
		return -EBADMSG;
	if ((tb[RINGLB_A_SERVICE_IPV4] || tb[RINGLB_A_SERVICE_IPV6]) &&
	    get_endpoint(tb[RINGLB_A_SERVICE_IPV4], tb[RINGLB_A_SERVICE_IPV6],
			 tb[RINGLB_A_SERVICE_PORT], &s->vip))
		return -EBADMSG;
	if ((tb[RINGLB_A_SERVICE_SNAT_IPV4] || tb[RINGLB_A_SERVICE_SNAT_IPV6]) &&
	    get_endpoint(tb[RINGLB_A_SERVICE_SNAT_IPV4], tb[RINGLB_A_SERVICE_SNAT_IPV6], NULL,
			 &s->snat_at))
		return -EBADMSG;
	if (get_port_last(tb[RINGLB_A_SERVICE_PORT_LAST], &s->vip) ||
	    get_prefix(tb[RINGLB_A_SERVICE_PREFIX], &s->vip) ||
	    get_u32(tb[RINGLB_A_SERVICE_MARK], &s->vip.mark) ||
	    get_u32(tb[RINGLB_A_SERVICE_MARK_MASK], &s->vip.mask))
		return -EBADMSG;
	if (get_u32(tb[RINGLB_A_SERVICE_PROTOCOL], &s->protocol) ||
	    get_u32(tb[RINGLB_A_SERVICE_METHOD], &s->method) ||
	    get_u32(tb[RINGLB_A_SERVICE_KEY], &s->key) ||
	    get_u32(tb[RINGLB_A_SERVICE_CID_CONFIG], &s->cid_config) ||
	    get_u32(tb[RINGLB_A_SERVICE_SID_LENGTH], &s->sid_length) ||
	    get_u32(tb[RINGLB_A_SERVICE_VNODES], &s->vnodes) ||
	    get_u32(tb[RINGLB_A_SERVICE_SLOTS], &s->slots) ||
	    get_u32(tb[RINGLB_A_SERVICE_SLACK], &s->slack) ||
	    get_u32(tb[RINGLB_A_SERVICE_SETTLE], &s->settle) ||
	    get_u32(tb[RINGLB_A_SERVICE_TRACK], &s->track) ||
	    get_u32(tb[RINGLB_A_SERVICE_TIMEOUT], &s->timeout) ||
	    get_u32(tb[RINGLB_A_SERVICE_DRAIN_TIMEOUT], &s->drain_timeout) ||
	    get_u32(tb[RINGLB_A_SERVICE_LAST_RESORT], &s->last_resort) ||
	    get_u32(tb[RINGLB_A_SERVICE_UDP_DRAIN], &s->udp_drain) ||
	    get_u32(tb[RINGLB_A_SERVICE_TRANSITIONS], &s->transitions) ||
	    get_u32(tb[RINGLB_A_SERVICE_TRANSITIONS_LEFT], &s->transitions_left) ||
	    get_u32(tb[RINGLB_A_SERVICE_NONE], &s->none) ||
	    get_u32(tb[RINGLB_A_SERVICE_MODE], &s->mode) ||
	    get_u32(tb[RINGLB_A_SERVICE_TUNNEL], &s->tunnel) ||
	    get_u32(tb[RINGLB_A_SERVICE_TUNNEL_PORT], &s->tunnel_port) ||
	    get_u32(tb[RINGLB_A_SERVICE_SNAT], &s->snat) ||
	    get_u32(tb[RINGLB_A_SERVICE_SNAT_PORTS], &s->snat_ports) ||
	    get_u32(tb[RINGLB_A_SERVICE_FORCE], &s->force) ||
	    get_u32(tb[RINGLB_A_SERVICE_IF_GENERATION], &s->if_generation) ||
	    get_u32(tb[RINGLB_A_SERVICE_SEATS], &s->n_seats) ||
	    get_u32(tb[RINGLB_A_SERVICE_PENDING], &s->pending) ||
	    get_u64(tb[RINGLB_A_SERVICE_CANONICAL], &s->canonical) ||
	    get_u32(tb[RINGLB_A_SERVICE_GENERATION], &s->generation) ||
	    get_u64(tb[RINGLB_A_SERVICE_DIGEST], &s->digest) ||
	    get_u32(tb[RINGLB_A_SERVICE_BACKENDS], &s->n_backends) ||
	    wire_get_counters(tb[RINGLB_A_SERVICE_COUNTERS], &s->counters))
		return -EBADMSG;
	s->has = mask(tb, RINGLB_A_SERVICE_MAX);
	s->vip.portless = HAS(s, RINGLB_A_SERVICE_PROTOCOL) && service_is_any(s);
	return 0;
}

/**
 * wire_get_backend() - read BACKEND, or one of the nests of LOOKUP that hold one
 * @from: the nest
 * @b: out: the backend
 *
 * Return: 0 or -EBADMSG.
 */
int wire_get_backend(const struct nlattr *from, struct backend *b)
{
	struct nlattr *tb[RINGLB_A_BACKEND_MAX + 1];

	memset(b, 0, sizeof(*b));
	if (!from || parse(from, tb, RINGLB_A_BACKEND_MAX))
		return -EBADMSG;
	if (get_endpoint(tb[RINGLB_A_BACKEND_IPV4], tb[RINGLB_A_BACKEND_IPV6],
			 tb[RINGLB_A_BACKEND_PORT], &b->at))
		return -EBADMSG;
	if (get_u32(tb[RINGLB_A_BACKEND_ID], &b->id) ||
	    get_u32(tb[RINGLB_A_BACKEND_WEIGHT], &b->weight) ||
	    get_u32(tb[RINGLB_A_BACKEND_STATE], &b->state) ||
	    get_u32(tb[RINGLB_A_BACKEND_SLOW_START], &b->slow_start) ||
	    get_u32(tb[RINGLB_A_BACKEND_SLOW_START_LEFT], &b->slow_start_left) ||
	    get_u32(tb[RINGLB_A_BACKEND_ACCEPTS], &b->accepts) ||
	    get_u32(tb[RINGLB_A_BACKEND_SLOTS], &b->slots) ||
	    get_u32(tb[RINGLB_A_BACKEND_FLOWS], &b->flows) ||
	    get_u32(tb[RINGLB_A_BACKEND_DRAIN_LEFT], &b->drain_left) ||
	    get_u32(tb[RINGLB_A_BACKEND_UNSEEN_LEFT], &b->unseen_left) ||
	    wire_get_counters(tb[RINGLB_A_BACKEND_COUNTERS], &b->counters))
		return -EBADMSG;
	b->has = mask(tb, RINGLB_A_BACKEND_MAX);
	return 0;
}

static int get_client(struct nlattr *const *tb, struct remembered *f)
{
	return get_name(tb[RINGLB_A_FLOW_SERVICE], f->service) ||
	       get_endpoint(tb[RINGLB_A_FLOW_IPV4], tb[RINGLB_A_FLOW_IPV6], tb[RINGLB_A_FLOW_PORT],
			    &f->client) ||
	       get_u32(tb[RINGLB_A_FLOW_PROTOCOL], &f->protocol) ? -EBADMSG : 0;
}

/* FLOW with a client alone */
int wire_get_client(const struct nlattr *from, struct remembered *f)
{
	struct nlattr *tb[RINGLB_A_FLOW_MAX + 1];

	memset(f, 0, sizeof(*f));
	if (!from || parse(from, tb, RINGLB_A_FLOW_MAX))
		return -EBADMSG;
	return get_client(tb, f);
}

/* FLOW, whole */
int wire_get_flow(const struct nlattr *from, struct remembered *f)
{
	struct nlattr *tb[RINGLB_A_FLOW_MAX + 1];

	memset(f, 0, sizeof(*f));
	if (!from || parse(from, tb, RINGLB_A_FLOW_MAX) || get_client(tb, f) ||
	    wire_get_backend(tb[RINGLB_A_FLOW_BACKEND], &f->backend) ||
	    get_u32(tb[RINGLB_A_FLOW_STATE], &f->state) ||
	    get_u32(tb[RINGLB_A_FLOW_LEFT], &f->left) ||
	    get_u32(tb[RINGLB_A_FLOW_HEARD], &f->heard) ||
	    get_u32(tb[RINGLB_A_FLOW_SEQ], &f->seq) ||
	    get_u32(tb[RINGLB_A_FLOW_ACK], &f->ack))
		return -EBADMSG;
	f->has = mask(tb, RINGLB_A_FLOW_MAX);
	f->direct = tb[RINGLB_A_FLOW_DIRECT];
	f->wide = tb[RINGLB_A_FLOW_WIDE];
	if (tb[RINGLB_A_FLOW_SNAT_PORT])
		return get_endpoint(tb[RINGLB_A_FLOW_SNAT_IPV4], tb[RINGLB_A_FLOW_SNAT_IPV6],
				    tb[RINGLB_A_FLOW_SNAT_PORT], &f->snat);
	return 0;
}

/* What FLOW_NEW has made of flows */
int wire_get_taken(const struct nlattr *from, struct taken *taken)
{
	struct nlattr *tb[RINGLB_A_FLOWS_MAX + 1];

	memset(taken, 0, sizeof(*taken));
	if (!from || parse(from, tb, RINGLB_A_FLOWS_MAX) ||
	    get_u32(tb[RINGLB_A_FLOWS_TAKEN], &taken->taken) ||
	    get_u32(tb[RINGLB_A_FLOWS_KEPT], &taken->kept))
		return -EBADMSG;
	return 0;
}

int wire_get_history(const struct nlattr *from, struct change_entry *e)
{
	struct nlattr *tb[RINGLB_A_HISTORY_MAX + 1];

	memset(e, 0, sizeof(*e));
	if (!from || parse(from, tb, RINGLB_A_HISTORY_MAX) ||
	    get_name(tb[RINGLB_A_HISTORY_SERVICE], e->service) ||
	    get_u64(tb[RINGLB_A_HISTORY_NUMBER], &e->number) ||
	    get_u64(tb[RINGLB_A_HISTORY_TIME], &e->time) ||
	    get_u32(tb[RINGLB_A_HISTORY_EVENT], &e->event) ||
	    get_u32(tb[RINGLB_A_HISTORY_GENERATION], &e->generation) ||
	    get_u32(tb[RINGLB_A_HISTORY_SLOTS], &e->slots) ||
	    get_u32(tb[RINGLB_A_HISTORY_MOVED], &e->moved) ||
	    get_u32(tb[RINGLB_A_HISTORY_PENDING], &e->pending) ||
	    get_u64(tb[RINGLB_A_HISTORY_PINNED], &e->pinned) ||
	    get_u64(tb[RINGLB_A_HISTORY_LOST], &e->lost))
		return -EBADMSG;
	e->has_flows = tb[RINGLB_A_HISTORY_PINNED] && tb[RINGLB_A_HISTORY_LOST];
	return 0;
}

int wire_get_flows(const struct nlattr *from, struct flows *f)
{
	struct nlattr *tb[RINGLB_A_FLOWS_MAX + 1];
	int i;

	memset(f, 0, sizeof(*f));
	if (!from || parse(from, tb, RINGLB_A_FLOWS_MAX) ||
	    get_u32(tb[RINGLB_A_FLOWS_LIMIT], &f->limit) ||
	    get_u32(tb[RINGLB_A_FLOWS_DEFAULT], &f->limit_default) ||
	    get_u32(tb[RINGLB_A_FLOWS_NOW], &f->now))
		return -EBADMSG;
	for (i = RINGLB_A_FLOWS_ADDED; i <= RINGLB_A_FLOWS_UNPINNED; i++)
		if (get_u64(tb[i], &f->event[i]))
			return -EBADMSG;
	f->has = mask(tb, RINGLB_A_FLOWS_MAX);
	return 0;
}

/**
 * wire_get_lookup() - read the answer of LOOKUP
 * @from: the nest
 * @l: the question; what was answered is added to it
 *
 * Return: 0 or -EBADMSG.
 */
int wire_get_lookup(const struct nlattr *from, struct lookup *l)
{
	struct nlattr *tb[RINGLB_A_LOOKUP_MAX + 1];

	if (!from || parse(from, tb, RINGLB_A_LOOKUP_MAX))
		return -EBADMSG;
	if (get_name(tb[RINGLB_A_LOOKUP_SERVICE], l->service) ||
	    get_u32(tb[RINGLB_A_LOOKUP_MODE], &l->mode) ||
	    get_u32(tb[RINGLB_A_LOOKUP_SLOT], &l->slot) ||
	    get_u32(tb[RINGLB_A_LOOKUP_PROBES], &l->probes) ||
	    get_u32(tb[RINGLB_A_LOOKUP_MATCH], &l->match) ||
	    get_u32(tb[RINGLB_A_LOOKUP_PREFIX], &l->prefix))
		return -EBADMSG;
	l->has_owner = tb[RINGLB_A_LOOKUP_OWNER];
	if (l->has_owner && wire_get_backend(tb[RINGLB_A_LOOKUP_OWNER], &l->owner))
		return -EBADMSG;
	l->has_backend = tb[RINGLB_A_LOOKUP_BACKEND];
	if (l->has_backend && wire_get_backend(tb[RINGLB_A_LOOKUP_BACKEND], &l->backend))
		return -EBADMSG;
	l->has_old = tb[RINGLB_A_LOOKUP_OLD_OWNER];
	if (l->has_old && wire_get_backend(tb[RINGLB_A_LOOKUP_OLD_OWNER], &l->old))
		return -EBADMSG;
	l->has_named = tb[RINGLB_A_LOOKUP_NAMED];
	if (l->has_named && wire_get_backend(tb[RINGLB_A_LOOKUP_NAMED], &l->named))
		return -EBADMSG;
	l->has_pin = tb[RINGLB_A_LOOKUP_PIN];
	if (l->has_pin && wire_get_backend(tb[RINGLB_A_LOOKUP_PIN], &l->pin))
		return -EBADMSG;
	return 0;
}

static const char *const service_words[RINGLB_A_SERVICE_MAX + 1] = {
	[RINGLB_A_SERVICE_NAME] = "name",
	[RINGLB_A_SERVICE_PROTOCOL] = "protocol",
	[RINGLB_A_SERVICE_IPV4] = "address",
	[RINGLB_A_SERVICE_IPV6] = "address",
	[RINGLB_A_SERVICE_PORT] = "port",
	[RINGLB_A_SERVICE_PORT_LAST] = "port",
	[RINGLB_A_SERVICE_PREFIX] = "prefix",
	[RINGLB_A_SERVICE_MARK] = "mark",
	[RINGLB_A_SERVICE_MARK_MASK] = "mask",
	[RINGLB_A_SERVICE_METHOD] = "method",
	[RINGLB_A_SERVICE_KEY] = "key",
	[RINGLB_A_SERVICE_CID_CONFIG] = "cid-config",
	[RINGLB_A_SERVICE_SID_LENGTH] = "sid-length",
	[RINGLB_A_SERVICE_VNODES] = "vnodes",
	[RINGLB_A_SERVICE_SLOTS] = "slots",
	[RINGLB_A_SERVICE_SLACK] = "slack",
	[RINGLB_A_SERVICE_SETTLE] = "settle",
	[RINGLB_A_SERVICE_TRACK] = "track",
	[RINGLB_A_SERVICE_TIMEOUT] = "timeout",
	[RINGLB_A_SERVICE_DRAIN_TIMEOUT] = "drain-timeout",
	[RINGLB_A_SERVICE_LAST_RESORT] = "last-resort",
	[RINGLB_A_SERVICE_UDP_DRAIN] = "udp-drain",
	[RINGLB_A_SERVICE_NONE] = "none",
	[RINGLB_A_SERVICE_MODE] = "mode",
	[RINGLB_A_SERVICE_TUNNEL] = "tunnel",
	[RINGLB_A_SERVICE_TUNNEL_PORT] = "tunnel-port",
	[RINGLB_A_SERVICE_SNAT] = "snat",
	[RINGLB_A_SERVICE_SNAT_IPV4] = "snat-address",
	[RINGLB_A_SERVICE_SNAT_IPV6] = "snat-address",
	[RINGLB_A_SERVICE_SNAT_PORTS] = "snat-ports",
	[RINGLB_A_SERVICE_FORCE] = "force",
	[RINGLB_A_SERVICE_IF_GENERATION] = "if-generation",
};

static const char *const backend_words[RINGLB_A_BACKEND_MAX + 1] = {
	[RINGLB_A_BACKEND_IPV4] = "address",
	[RINGLB_A_BACKEND_IPV6] = "address",
	[RINGLB_A_BACKEND_PORT] = "port",
	[RINGLB_A_BACKEND_ID] = "id",
	[RINGLB_A_BACKEND_WEIGHT] = "weight",
	[RINGLB_A_BACKEND_STATE] = "state",
	[RINGLB_A_BACKEND_SLOW_START] = "slow-start",
	[RINGLB_A_BACKEND_RANGES] = "map",
};

/**
 * wire_attr_word() - what the attribute at an offset is called in commands
 * @h: a request that was built here
 * @offset: as in an extended ack: counted from the message's header
 *
 * Return: the word, or NULL if there is none.
 */
const char *wire_attr_word(const struct nlmsghdr *h, u32 offset)
{
	const char *const *words = NULL;
	const struct nlattr *top, *a;
	int max = 0, top_left, left;

	nlmsg_for_each_attr(top, (struct nlmsghdr *)h, GENL_HDRLEN, top_left) {
		if (nla_type(top) == RINGLB_A_SERVICE) {
			words = service_words;
			max = RINGLB_A_SERVICE_MAX;
		} else if (nla_type(top) == RINGLB_A_BACKEND) {
			words = backend_words;
			max = RINGLB_A_BACKEND_MAX;
		} else {
			continue;
		}
		nla_for_each_nested(a, (struct nlattr *)top, left)
			if ((u32)((char *)a - (char *)h) == offset)
				return nla_type(a) <= max ? words[nla_type(a)] : NULL;
	}
	return NULL;
}
