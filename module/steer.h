/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steer.h - from a flow to a backend
 */
#ifndef _RINGLB_STEER_H
#define _RINGLB_STEER_H

#include "cid.h"
#include "flow/track.h"
#include "ringlb.h"
#include "sabotage.h"
#include "service.h"
#include "table.h"
#include "wide.h"

/* For how long a flow of a service may be silent, in ticks of the flow table. */
static inline u32 rlb_steer_idle(const struct rlb_service *svc)
{
	return READ_ONCE(svc->config.timeout) * RLB_FLOW_SECOND;
}

/* What is seen of a service's flows, as rlb_track_begin() wants it */
static inline u32 rlb_steer_sees(const struct rlb_service *svc)
{
	return rlb_service_is_nat(svc) ? RLB_PIN_REPLIES : 0;
}

struct rlb_backend *rlb_steer_tuple(const struct rlb_table *table, const struct rlb_tuple *flow,
				    struct rlb_choice *choice);
bool rlb_steer_has(const struct rlb_table *table, const struct rlb_tuple *flow,
		   const struct rlb_backend *backend);
struct rlb_backend *rlb_steer_old_owner(const struct rlb_table *table,
					const struct rlb_tuple *flow, u32 slot);
void rlb_steer_says(const struct rlb_pkt *pkt, struct rlb_segment *seg);
void rlb_steer_segment(const struct rlb_pkt *pkt, bool reply, struct rlb_segment *seg);
void rlb_steer_seen(const struct rlb_pkt *pkt, struct rlb_pin *pin);
void rlb_steer_heard(const struct rlb_pkt *pkt, struct rlb_pin *pin);
struct rlb_pin *rlb_steer_remember(struct rlb_pkt *pkt, const struct rlb_segment *seg,
				   const struct rlb_table *table, u64 hash,
				   struct rlb_backend *to, bool anew);
struct rlb_backend *rlb_steer_led(const struct rlb_pkt *pkt, const struct rlb_table *table,
				  struct rlb_pin *pin, bool tell);
enum rlb_verdict rlb_steer_pinned(struct rlb_pkt *pkt, struct rlb_table *table,
				  struct rlb_pin *pin);
enum rlb_verdict rlb_steer_other(struct rlb_pkt *pkt, struct rlb_table *table,
				 struct rlb_pin *pin, u64 hash);

/* By what a flow, from client to VIP, is remembered; put together in registers. */
static inline struct rlb_pin_words rlb_steer_words(const struct rlb_service *svc,
						   const struct rlb_tuple *flow)
{
	const struct { u32 target; __be16 port; u8 proto; u8 family; } rest = {
		svc->id, flow->sport, flow->proto, flow->family
	};
	const struct { __be32 v4; u32 none; } addr4 = { flow->src.v4 };
	struct rlb_pin_words w = { };

	memcpy(&w.rest, &rest, sizeof(rest));
	if (flow->family == AF_INET) {
		memcpy(&w.addr0, &addr4, sizeof(addr4));
	} else {
		memcpy(&w.addr0, flow->src.byte, sizeof(w.addr0));
		memcpy(&w.addr1, flow->src.byte + 8, sizeof(w.addr1));
	}
	return w;
}

/* A flow's pin, NULL if it has none; caller holds rcu_read_lock(). */
static inline struct rlb_pin *rlb_steer_pin(const struct rlb_service *svc,
					    const struct rlb_tuple *flow)
{
	if (READ_ONCE(svc->wide))
		return rlb_wide_pin(svc, flow);
	return rlb_pins_find(&svc->rn->pins, rlb_steer_words(svc, flow), rlb_flow_now());
}

/* A packet without connections, of which its flow's pin has nothing to learn */
static inline bool rlb_steer_knows(const struct rlb_pkt *pkt, const struct rlb_pin *pin)
{
	return !pkt->is_error &&
	       rlb_track_knows(pin, rlb_steer_idle(pkt->service), rlb_flow_now());
}

/* May a packet's flow have a pin that counts? */
static inline bool rlb_may_be_pinned(const struct rlb_pkt *pkt)
{
	return rlb_pins_any_vip(&pkt->rn->pins) &&
	       READ_ONCE(pkt->service->config.track) != RINGLB_TRACK_NONE;
}

/* Of a service's flows none is to be remembered that has a settled owner. */
static inline bool rlb_forgets_settled(const struct rlb_pkt *pkt)
{
	return READ_ONCE(pkt->service->config.track) != RINGLB_TRACK_ALL;
}

/*
 * The common packet's, of a flow that is not remembered: a settled slot's owner that takes
 * flows. NULL for all other packets.
 */
static inline struct rlb_backend *rlb_plain_owner(const struct rlb_pkt *pkt,
						  const struct rlb_table *table, u64 hash)
{
	const struct rlb_view *v = &table->view;
	u16 owner = v->slots[hash >> (64 - v->bits)];

	if (owner & RLB_SLOT_MOVED || rlb_takes_of(v, owner) != RLB_TAKES_FLOWS)
		return NULL;
	if (!rlb_forgets_settled(pkt) || atomic_read(&table->use) != RLB_TABLE_USED ||
	    rlb_sabotaged(RLB_SABOTAGE_WRONG_SLOT))
		return NULL;
	return table->backend[owner];
}

/**
 * rlb_steer() - choose the backend of a packet on its way to a VIP
 * @pkt: the packet and its service; @pkt->backend is set
 *
 * Caller holds rcu_read_lock().
 *
 * Return: RLB_NEXT or RLB_DROP.
 */
static inline enum rlb_verdict rlb_steer(struct rlb_pkt *pkt)
{
	struct rlb_table *table = rcu_dereference(pkt->service->table);
	enum rlb_verdict verdict;
	struct rlb_pin *pin;
	u64 hash;

	if (unlikely(table->key == RINGLB_KEY_QUIC_CID)) {
		verdict = rlb_cid_steer(pkt, table);
		if (verdict != RLB_PASS)
			return verdict;
	}
	if (unlikely(rlb_may_be_pinned(pkt))) {
		pin = rlb_steer_pin(pkt->service, &pkt->tuple);
		if (pin)
			return rlb_steer_pinned(pkt, table, pin);
	}
	hash = rlb_key_hash(&table->secret, table->key, &pkt->tuple);
	pkt->backend = rlb_plain_owner(pkt, table, hash);
	return pkt->backend ? RLB_NEXT : rlb_steer_other(pkt, table, NULL, hash);
}

/**
 * rlb_steer_settled() - the backend of a packet about which nothing is left to decide
 * @pkt: the packet and its service
 * @pin: out: its flow's pin, NULL if it has none; if the packet goes to the backend, that is
 *	to be told by rlb_steer_tell()
 *
 * Caller holds rcu_read_lock(). Nothing is counted, remembered or told: rlb_steer() may come
 * after it.
 *
 * Return: whom rlb_steer() would find, if that is a settled slot's owner that takes flows or
 * one that a pin leads to, and no connection id is asked; else NULL.
 */
static __always_inline struct rlb_backend *rlb_steer_settled(const struct rlb_pkt *pkt,
							     struct rlb_pin **pin)
{
	const struct rlb_table *table = rcu_dereference(pkt->service->table);

	*pin = NULL;
	if (unlikely(table->key == RINGLB_KEY_QUIC_CID))
		return NULL;
	if (unlikely(rlb_may_be_pinned(pkt))) {
		*pin = rlb_steer_pin(pkt->service, &pkt->tuple);
		if (*pin)
			return rlb_steer_led(pkt, table, *pin, false);
	}
	return rlb_plain_owner(pkt, table, rlb_key_hash(&table->secret, table->key, &pkt->tuple));
}

/* A pin hears of a packet that rlb_steer_settled() found a backend for. */
static inline void rlb_steer_tell(const struct rlb_pkt *pkt, struct rlb_pin *pin)
{
	rlb_steer_led(pkt, rcu_dereference(pkt->service->table), pin, true);
}

#endif /* _RINGLB_STEER_H */
