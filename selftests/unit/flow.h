/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flow.h - what module/flow/ needs around it when it runs natively
 *
 * What work.c does in the kernel is done here when a test says so: nothing runs by itself.
 */
#ifndef _RINGLB_UNIT_FLOW_H
#define _RINGLB_UNIT_FLOW_H

#include "flow/pins.h"
#include "flow/track.h"

extern long flow_pins_live;		/* pins allocated and not freed */
extern long flow_pin_fail_at;		/* this many are allocated, then none; -1: no limit */

/* How many pins name a backend; 64 that stand side by side, 64 bytes each, are told apart. */
long *flow_held(const struct rlb_backend *backend);

/* A grace period passes, and another, until nothing waits to be freed. */
void flow_quiesce(struct rlb_pins *pins);

#endif /* _RINGLB_UNIT_FLOW_H */
