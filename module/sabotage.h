/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sabotage.h - faults that a test build can switch on, to prove that the tests see them
 *
 * Built only by `make sabotage` (RLB_SABOTAGE defined), chosen when that module is loaded:
 * insmod ringlb.ko sabotage=N. In the module that is shipped nothing of this is left.
 */
#ifndef _RINGLB_SABOTAGE_H
#define _RINGLB_SABOTAGE_H

#include <linux/compiler.h>
#include <linux/types.h>

enum rlb_sabotage {
	RLB_SABOTAGE_NONE,
	RLB_SABOTAGE_WRONG_SLOT,	/* requests go to the backend after the right one */
	RLB_SABOTAGE_NO_REPLY,		/* replies are not translated */
	RLB_SABOTAGE_STALE_CHECKSUM,	/* transport checksums are not updated */
	RLB_SABOTAGE_SHARED_COUNTER,	/* packets are counted in one place by all processors */
};

#ifdef RLB_SABOTAGE
extern int rlb_sabotage;

static inline bool rlb_sabotaged(enum rlb_sabotage what)
{
	return rlb_sabotage == what;
}

extern unsigned long rlb_sabotage_packets;

static inline void rlb_sabotage_count(void)
{
	if (rlb_sabotaged(RLB_SABOTAGE_SHARED_COUNTER))
		WRITE_ONCE(rlb_sabotage_packets, rlb_sabotage_packets + 1);
}
#else
static inline bool rlb_sabotaged(enum rlb_sabotage what)
{
	return false;
}

static inline void rlb_sabotage_count(void)
{
}
#endif

#endif /* _RINGLB_SABOTAGE_H */
