// SPDX-License-Identifier: GPL-2.0-only
/*
 * cid.c - to a backend by the connection id of a QUIC packet: key quic-cid
 *
 * In: a packet of a service with that key. Out: the backend that made the packet's connection
 * id, whatever address the client has by now; or word that the packet goes like any other, by
 * addresses and ports: it has a client's own id, or one of a backend that is down or gone.
 * Softirq or process context under rcu_read_lock(); reads the published table.
 *
 * An id comes before what is remembered of the client's address. Answers find their way by
 * that address, so where they come by, and all flows are remembered, what an id says is
 * remembered, too: of a client that has moved, from its first packet on.
 */
#include <linux/udp.h>

#include "cid.h"
#include "lookup/cid.h"
#include "service.h"
#include "stats.h"
#include "steer.h"
#include "table.h"

/**
 * rlb_cid_backend() - the backend that made a connection id
 * @table: of a service with key quic-cid; caller holds rcu_read_lock() or cfg_lock
 * @cid: the id
 * @n: its bytes, or as many as it may have
 *
 * Return: the backend, in whatever state; NULL if none did.
 */
struct rlb_backend *rlb_cid_backend(const struct rlb_table *table, const u8 *cid, u32 n)
{
	u32 id, place;

	if (!rlb_cid_server(&table->cid, cid, n, &id))
		return NULL;
	place = rlb_cid_search(table->ids, table->n_ids, id);
	return place < table->n_ids ? table->named[place] : NULL;
}

/**
 * rlb_cid_may_carry() - does a backend go on with connections that are its own?
 * @svc: the service
 * @b: the backend that made their ids
 *
 * Return: true if it is up, or drains and the service lets UDP flows stay then.
 */
bool rlb_cid_may_carry(const struct rlb_service *svc, const struct rlb_backend *b)
{
	u8 takes = READ_ONCE(b->takes);

	if (READ_ONCE(svc->config.udp_drain) == RINGLB_UDP_DRAIN_REHASH)
		return takes == RLB_TAKES_FLOWS;
	return takes != RLB_TAKES_NONE;
}

/* What an ICMP error quotes is from a backend, with an id that the client has made. */
static struct rlb_backend *backend_of(const struct rlb_pkt *pkt, const struct rlb_table *table)
{
	unsigned int at = pkt->l4 + sizeof(struct udphdr), len;
	const u8 *data, *cid;
	u8 buf[RLB_CID_HEAD];
	u32 n;

	if (pkt->is_error || pkt->skb->len <= at)
		return NULL;
	len = min_t(unsigned int, pkt->skb->len - at, sizeof(buf));
	data = skb_header_pointer(pkt->skb, at, len, buf);
	cid = data ? rlb_cid_of(data, len, &n) : NULL;
	return cid ? rlb_cid_backend(table, cid, n) : NULL;
}

/*
 * Need a flow that an id leads to its backend not be remembered? Of a backend that drains all
 * flows are, which tells how many it has left.
 */
static bool is_forgotten(const struct rlb_pkt *pkt)
{
	switch (READ_ONCE(pkt->service->config.track)) {
	case RINGLB_TRACK_NONE:
		return true;
	case RINGLB_TRACK_ALL:
		return false;
	default:
		return READ_ONCE(pkt->backend->takes) == RLB_TAKES_FLOWS;
	}
}

/* Would answers find their way without being remembered? */
static bool is_told_apart(const struct rlb_pkt *pkt, const struct rlb_table *table)
{
	return !rlb_service_is_nat(pkt->service) ||
	       (!READ_ONCE(pkt->backend->needs_pin) &&
		rlb_steer_has(table, &pkt->tuple, pkt->backend));
}

/* Let the flow's pin lead to the packet's backend. It may lead to another one: see wide.c. */
static enum rlb_verdict remember(struct rlb_pkt *pkt, const struct rlb_table *table)
{
	u64 hash = rlb_key_hash(&table->secret, table->key, &pkt->tuple);
	struct rlb_segment seg;
	struct rlb_pin *pin;

	rlb_steer_segment(pkt, false, &seg);
	pin = rlb_steer_remember(pkt, &seg, table, hash, pkt->backend, true);
	if (!pin)
		return is_told_apart(pkt, table) ?
		       RLB_NEXT : rlb_drop(pkt, pkt->why ?: RINGLB_COUNTER_DROP_UNPINNED);
	pkt->backend = rlb_pin_backend(pin);
	rlb_count(pkt->service->stats, RINGLB_COUNTER_PINNED);
	return RLB_NEXT;
}

/**
 * rlb_cid_steer() - rlb_steer() of a packet whose connection id tells its backend
 * @pkt: a packet of a service with key quic-cid; @pkt->backend is set
 * @table: the service's
 *
 * Return: RLB_NEXT or RLB_DROP; RLB_PASS if it tells none that goes on with its connections:
 * the packet is to be steered by addresses and ports.
 */
enum rlb_verdict rlb_cid_steer(struct rlb_pkt *pkt, struct rlb_table *table)
{
	struct rlb_backend *b = backend_of(pkt, table);
	struct rlb_pin *pin;

	if (!b || !rlb_cid_may_carry(pkt->service, b))
		return RLB_PASS;
	if (unlikely(atomic_read(&table->use) < RLB_TABLE_USED))
		rlb_table_use(table);
	rlb_count(pkt->service->stats, RINGLB_COUNTER_BY_CID);
	pkt->backend = b;
	if (is_forgotten(pkt))
		return RLB_NEXT;
	pin = rlb_pins_any_vip(&pkt->rn->pins) ? rlb_steer_pin(pkt->service, &pkt->tuple) : NULL;
	if (!pin || rlb_pin_backend(pin) != b)
		return remember(pkt, table);
	if (!rlb_steer_knows(pkt, pin))
		rlb_steer_heard(pkt, pin);
	return RLB_NEXT;
}
