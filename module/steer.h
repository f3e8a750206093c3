/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steer.h - from a flow to a backend
 */
#ifndef _RINGLB_STEER_H
#define _RINGLB_STEER_H

#include "flow/track.h"
#include "ringlb.h"
#include "service.h"

struct rlb_table;

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
enum rlb_verdict rlb_steer(struct rlb_pkt *pkt);

#endif /* _RINGLB_STEER_H */
