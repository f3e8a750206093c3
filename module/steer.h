/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steer.h - from a flow to a backend
 */
#ifndef _RINGLB_STEER_H
#define _RINGLB_STEER_H

#include "flow/track.h"
#include "ringlb.h"
#include "sabotage.h"
#include "service.h"
#include "table.h"

/* For how long a flow of a service may be silent, in ticks of the flow table. */
static inline u32 rlb_steer_idle(const struct rlb_service *svc)
{
	return READ_ONCE(svc->config.timeout) * RLB_FLOW_SECOND;
}

struct rlb_backend *rlb_steer_tuple(const struct rlb_table *table, const struct rlb_tuple *flow,
				    struct rlb_choice *choice);
bool rlb_steer_has(const struct rlb_table *table, const struct rlb_tuple *flow,
		   const struct rlb_backend *backend);
struct rlb_backend *rlb_steer_old_owner(const struct rlb_table *table,
					const struct rlb_tuple *flow, u32 slot);
void rlb_steer_key(struct rlb_pin_key *key, const struct rlb_service *svc,
		   const struct rlb_tuple *flow);
void rlb_steer_segment(const struct rlb_pkt *pkt, bool reply, struct rlb_segment *seg);
enum rlb_verdict rlb_steer_other(struct rlb_pkt *pkt, struct rlb_table *table, u64 hash);

/* No flow is remembered, and of this service none is to be that has a settled owner. */
static inline bool rlb_remembers_nothing(const struct rlb_pkt *pkt)
{
	return !rlb_pins_any(&pkt->rn->pins) &&
	       READ_ONCE(pkt->service->config.track) != RINGLB_TRACK_ALL;
}

/* The common packet's: a settled slot's owner that takes flows. NULL for all other packets. */
static inline struct rlb_backend *rlb_plain_owner(const struct rlb_pkt *pkt,
						  const struct rlb_table *table, u64 hash)
{
	const struct rlb_view *v = &table->view;
	u16 owner = v->slots[hash >> (64 - v->bits)];

	if (owner & RLB_SLOT_MOVED || rlb_takes_of(v, owner) != RLB_TAKES_FLOWS)
		return NULL;
	if (!rlb_remembers_nothing(pkt) || atomic_read(&table->use) != RLB_TABLE_USED ||
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
	u64 hash = rlb_key_hash(&table->secret, table->key, &pkt->tuple);

	pkt->backend = rlb_plain_owner(pkt, table, hash);
	return pkt->backend ? RLB_NEXT : rlb_steer_other(pkt, table, hash);
}

#endif /* _RINGLB_STEER_H */
