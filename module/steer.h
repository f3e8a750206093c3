/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steer.h - from a flow to a backend
 */
#ifndef _RINGLB_STEER_H
#define _RINGLB_STEER_H

#include "ringlb.h"

struct rlb_table;

struct rlb_backend *rlb_steer_tuple(const struct rlb_table *table, const struct rlb_tuple *flow,
				    struct rlb_choice *choice);
enum rlb_verdict rlb_steer(struct rlb_pkt *pkt);

#endif /* _RINGLB_STEER_H */
