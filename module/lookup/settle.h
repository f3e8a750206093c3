/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settle.h - move at once what a change must move, and the rest later
 *
 * A method that balances may give slots of unchanged members to other unchanged members when
 * some member changes. Nothing forces these moves to happen now. So the table in force takes
 * from the canonical one (which a fresh gateway would build) only the slots that the change
 * is about, and the others follow in batches.
 */
#ifndef _RINGLB_LOOKUP_SETTLE_H
#define _RINGLB_LOOKUP_SETTLE_H

#include "env.h"
#include "transition.h"

/* What a change does to a member; 0 for those it leaves alone. */
#define RLB_MEMBER_GAINS 1	/* new, or of more weight than before */
#define RLB_MEMBER_LOSES 2	/* of less weight than before */

u32 rlb_settle_begin(u16 *now, const u16 *canonical, const u16 *before, unsigned int bits,
		     const u16 *renumber, const u8 *change);
u32 rlb_settle_step(u16 *slots, struct rlb_transitions *tr, const u16 *canonical,
		    unsigned int bits, u32 *from, u32 most, u32 now);

#endif /* _RINGLB_LOOKUP_SETTLE_H */
