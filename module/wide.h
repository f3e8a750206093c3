/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wide.h - flows that must be remembered, since nothing else tells whose an answer is
 */
#ifndef _RINGLB_WIDE_H
#define _RINGLB_WIDE_H

#include "flow/track.h"
#include "ringlb.h"

struct rlb_table;

struct rlb_pin *rlb_wide_pin(const struct rlb_service *svc, const struct rlb_tuple *flow);
struct rlb_pin *rlb_wide_add(struct rlb_pkt *pkt, const struct rlb_pin *begun,
			     const struct rlb_table *table, u64 hash, bool anew);
struct rlb_pin *rlb_wide_answered(struct rlb_pkt *pkt);
bool rlb_wide_answers(struct rlb_pkt *pkt);

#endif /* _RINGLB_WIDE_H */
