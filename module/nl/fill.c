// SPDX-License-Identifier: GPL-2.0-only
/*
 * fill.c - from structs to attributes, for answers, dumps and notices alike
 *
 * Process context under cfg_lock. Each function returns 0, or -EMSGSIZE with nothing of its
 * object left in the message.
 */
#include "../dev.h"
#include "../slow.h"
#include "../stats.h"
#include "../table.h"
#include "nl.h"

static int fill_addr(struct sk_buff *skb, int ipv4, int ipv6, u8 family,
		     const union rlb_addr *addr)
{
	return nla_put(skb, family == AF_INET ? ipv4 : ipv6, rlb_addr_len(family), addr);
}

/* Close a nest, or take it back. */
static int nest_end(struct sk_buff *skb, struct nlattr *nest, int err)
{
	if (err)
		nla_nest_cancel(skb, nest);
	else
		nla_nest_end(skb, nest);
	return err ? -EMSGSIZE : 0;
}

/* Counters 1..@n-1; @pad: the attribute that pads */
static int fill_counters(struct sk_buff *skb, int attrtype, const struct rlb_stats __percpu *stats,
			 unsigned int n, int pad)
{
	struct nlattr *nest = nla_nest_start(skb, attrtype);
	u64 sum[RLB_COUNTERS_ALL];
	unsigned int i;
	int err = 0;

	BUILD_BUG_ON(RLB_DEV_COUNTERS > (unsigned int)RLB_COUNTERS_ALL);
	if (!nest)
		return -EMSGSIZE;
	rlb_stats_sum(stats, n, sum);
	for (i = 1; i < n && !err; i++)
		err = nla_put_u64_64bit(skb, i, sum[i], pad);
	return nest_end(skb, nest, err);
}

/**
 * rlb_fill_counters() - a COUNTERS nest
 * @skb: the message
 * @attrtype: number of the nest
 * @stats: whose counters
 * @n: RLB_COUNTERS_BACKEND or RLB_COUNTERS_ALL
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_counters(struct sk_buff *skb, int attrtype, const struct rlb_stats __percpu *stats,
		      unsigned int n)
{
	return fill_counters(skb, attrtype, stats, n, RINGLB_COUNTER_PAD);
}

/**
 * rlb_fill_dev() - a device with the fast path
 * @skb: the message
 * @d: the device
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_dev(struct sk_buff *skb, const struct rlb_dev *d)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_DEV);
	char name[IFNAMSIZ];

	if (!nest)
		return -EMSGSIZE;
	/* It may be given another one at any time, but stays a string. */
	strscpy(name, d->dev->name, sizeof(name));
	return nest_end(skb, nest,
			nla_put_string(skb, RINGLB_A_DEV_NAME, name) ||
			nla_put_u32(skb, RINGLB_A_DEV_INDEX, d->dev->ifindex) ||
			fill_counters(skb, RINGLB_A_DEV_COUNTERS, d->stats, RLB_DEV_COUNTERS,
				      RINGLB_DEV_PAD));
}

/* What becomes of flows when backends change, and which slots that concerns just now. */
static int fill_flow_facts(struct sk_buff *skb, const struct rlb_service *svc)
{
	const struct rlb_service_config *c = &svc->config;
	u32 transitions, left;

	transitions = rlb_table_transitions(svc, &left);
	return nla_put_u32(skb, RINGLB_A_SERVICE_TRACK, c->track) ||
	       nla_put_u32(skb, RINGLB_A_SERVICE_TIMEOUT, c->timeout) ||
	       nla_put_u32(skb, RINGLB_A_SERVICE_DRAIN_TIMEOUT, c->drain_timeout) ||
	       nla_put_u32(skb, RINGLB_A_SERVICE_LAST_RESORT, c->last_resort) ||
	       nla_put_u32(skb, RINGLB_A_SERVICE_UDP_DRAIN, c->udp_drain) ||
	       nla_put_u32(skb, RINGLB_A_SERVICE_TRANSITIONS, transitions) ||
	       (transitions && nla_put_u32(skb, RINGLB_A_SERVICE_TRANSITIONS_LEFT, left));
}

static int fill_snat(struct sk_buff *skb, const struct rlb_service_config *c)
{
	const struct rlb_snat *snat = &c->snat;

	if (!snat->on)
		return 0;
	return nla_put_u32(skb, RINGLB_A_SERVICE_SNAT, 1) ||
	       (snat->has_addr && fill_addr(skb, RINGLB_A_SERVICE_SNAT_IPV4,
					    RINGLB_A_SERVICE_SNAT_IPV6, c->family, &snat->addr)) ||
	       nla_put_u32(skb, RINGLB_A_SERVICE_SNAT_PORTS,
			   (u32)snat->first << 16 | snat->last);
}

static int fill_tunnel(struct sk_buff *skb, const struct rlb_service_config *c)
{
	return c->mode == RINGLB_MODE_TUNNEL &&
	       (nla_put_u32(skb, RINGLB_A_SERVICE_TUNNEL, c->tunnel) ||
		(c->tunnel_port &&
		 nla_put_u32(skb, RINGLB_A_SERVICE_TUNNEL_PORT, ntohs(c->tunnel_port))));
}

static int fill_cid(struct sk_buff *skb, const struct rlb_service_config *c)
{
	return c->key == RINGLB_KEY_QUIC_CID &&
	       (nla_put_u32(skb, RINGLB_A_SERVICE_CID_CONFIG, c->cid.config) ||
		nla_put_u32(skb, RINGLB_A_SERVICE_SID_LENGTH, c->cid.length));
}

/**
 * rlb_fill_service() - a service, whole
 * @skb: the message
 * @svc: the service
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_service(struct sk_buff *skb, const struct rlb_service *svc)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_SERVICE);
	const struct rlb_service_config *c = &svc->config;
	const struct rlb_table *t = rlb_table_locked(svc);
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_string(skb, RINGLB_A_SERVICE_NAME, c->name) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_PROTOCOL, c->proto) ||
	      fill_addr(skb, RINGLB_A_SERVICE_IPV4, RINGLB_A_SERVICE_IPV6, c->family, &c->vip) ||
	      (c->mark.mask && (nla_put_u32(skb, RINGLB_A_SERVICE_MARK, c->mark.value) ||
				nla_put_u32(skb, RINGLB_A_SERVICE_MARK_MASK, c->mark.mask))) ||
	      (rlb_service_has_prefix(c) && !c->mark.mask &&
	       nla_put_u32(skb, RINGLB_A_SERVICE_PREFIX, c->prefix)) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_PORT, c->ports.first) ||
	      (!c->port && nla_put_u32(skb, RINGLB_A_SERVICE_PORT_LAST, c->ports.last)) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_METHOD, c->ops->id) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_KEY, c->key) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_VNODES, c->params.vnodes) ||
	      (c->ops->id == RINGLB_METHOD_SEAT &&
	       nla_put_u32(skb, RINGLB_A_SERVICE_SEATS, t->n_seats)) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_SLOTS, 1U << t->view.bits) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_GENERATION, svc->generation) ||
	      nla_put_u64_64bit(skb, RINGLB_A_SERVICE_DIGEST, t->digest, RINGLB_A_SERVICE_PAD) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_SLACK, c->params.slack) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_SETTLE, c->settle) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_NONE, c->none) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_MODE, c->mode) ||
	      (c->forced && nla_put_u32(skb, RINGLB_A_SERVICE_FORCE, 1)) ||
	      fill_tunnel(skb, c) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_PENDING, t->pending) ||
	      nla_put_u64_64bit(skb, RINGLB_A_SERVICE_CANONICAL, t->canonical_digest,
				RINGLB_A_SERVICE_PAD) ||
	      nla_put_u32(skb, RINGLB_A_SERVICE_BACKENDS, svc->set.n) ||
	      fill_flow_facts(skb, svc) || fill_snat(skb, c) || fill_cid(skb, c) ||
	      rlb_fill_counters(skb, RINGLB_A_SERVICE_COUNTERS, svc->stats, RLB_COUNTERS_ALL);
	return nest_end(skb, nest, err);
}

/**
 * rlb_fill_service_name() - a service, by name alone
 * @skb: the message
 * @svc: the service
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_service_name(struct sk_buff *skb, const struct rlb_service *svc)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_SERVICE);

	if (!nest)
		return -EMSGSIZE;
	return nest_end(skb, nest, nla_put_string(skb, RINGLB_A_SERVICE_NAME, svc->config.name));
}

static int fill_backend_addr(struct sk_buff *skb, const struct rlb_backend *b)
{
	return fill_addr(skb, RINGLB_A_BACKEND_IPV4, RINGLB_A_BACKEND_IPV6, b->node.family,
			 &b->node.addr) ||
	       (b->port && nla_put_u32(skb, RINGLB_A_BACKEND_PORT, ntohs(b->port)));
}

/**
 * rlb_fill_backend_addr() - a backend, by address and configured port alone
 * @skb: the message
 * @attrtype: number of the nest
 * @b: the backend
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_backend_addr(struct sk_buff *skb, int attrtype, const struct rlb_backend *b)
{
	struct nlattr *nest = nla_nest_start(skb, attrtype);

	if (!nest)
		return -EMSGSIZE;
	return nest_end(skb, nest, fill_backend_addr(skb, b));
}

static int fill_drain(struct sk_buff *skb, const struct rlb_service *svc,
		      const struct rlb_backend_item *item)
{
	return nla_put_u32(skb, RINGLB_A_BACKEND_DRAIN_LEFT, rlb_backend_drain_left(svc, item)) ||
	       nla_put_u32(skb, RINGLB_A_BACKEND_UNSEEN_LEFT, rlb_backend_unseen_left(svc, item));
}

/* How a backend that has come takes its flows, and how far it is */
static int fill_start(struct sk_buff *skb, const struct rlb_backend_item *item)
{
	u32 accepts = rlb_backend_accepts(item);
	u32 left = rlb_slow_left(item);

	return nla_put_u32(skb, RINGLB_A_BACKEND_SLOW_START, item->slow_start) ||
	       (left && nla_put_u32(skb, RINGLB_A_BACKEND_SLOW_START_LEFT, left)) ||
	       (accepts < RLB_SHARE_ALL && nla_put_u32(skb, RINGLB_A_BACKEND_ACCEPTS, accepts));
}

/**
 * rlb_fill_backend() - a backend, whole
 * @skb: the message
 * @attrtype: number of the nest
 * @item: the backend
 * @counters: with its counters
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_backend(struct sk_buff *skb, int attrtype, const struct rlb_backend_item *item,
		     bool counters)
{
	struct nlattr *nest = nla_nest_start(skb, attrtype);
	const struct rlb_backend *b = item->backend;
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = fill_backend_addr(skb, b) ||
	      (item->id != RLB_NO_ID && nla_put_u32(skb, RINGLB_A_BACKEND_ID, item->id)) ||
	      nla_put_u32(skb, RINGLB_A_BACKEND_WEIGHT, item->weight) ||
	      nla_put_u32(skb, RINGLB_A_BACKEND_STATE, item->state) ||
	      nla_put_u32(skb, RINGLB_A_BACKEND_SLOTS, item->slots) ||
	      nla_put_u32(skb, RINGLB_A_BACKEND_FLOWS, rlb_backend_flows(b)) ||
	      (rlb_state_drains(item->state) && fill_drain(skb, b->service, item)) ||
	      fill_start(skb, item) ||
	      (counters && rlb_fill_counters(skb, RINGLB_A_BACKEND_COUNTERS, b->stats,
					     RLB_COUNTERS_BACKEND));
	return nest_end(skb, nest, err);
}

/**
 * rlb_fill_member() - a backend that is a member of a service's table, without its counters
 * @skb: the message
 * @attrtype: number of the nest
 * @svc: the service
 * @b: the backend
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_member(struct sk_buff *skb, int attrtype, const struct rlb_service *svc,
		    const struct rlb_backend *b)
{
	return rlb_fill_backend(skb, attrtype, rlb_backend_item_in(&svc->set, b), false);
}

/**
 * rlb_fill_fingerprint() - the secret's fingerprint, and the secret itself if asked for
 * @skb: the message
 * @secret: the secret
 * @key: with the secret
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_fingerprint(struct sk_buff *skb, const struct rlb_secret *secret, bool key)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_SECRET);
	u8 bytes[RINGLB_SECRET_LEN];
	int err;

	if (!nest)
		return -EMSGSIZE;
	err = nla_put_u64_64bit(skb, RINGLB_A_SECRET_FINGERPRINT, rlb_secret_fingerprint(secret),
				RINGLB_A_SECRET_PAD);
	if (!err && key) {
		rlb_secret_store(secret, bytes);
		err = nla_put(skb, RINGLB_A_SECRET_KEY, sizeof(bytes), bytes);
		memzero_explicit(bytes, sizeof(bytes));
	}
	return nest_end(skb, nest, err);
}
