/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diff.h - what moves between two tables: how many slots, from whom, to whom, needlessly?
 */
#ifndef _RINGLB_LOOKUP_DIFF_H
#define _RINGLB_LOOKUP_DIFF_H

#include "env.h"
#include "lookup.h"

#define RLB_NOBODY 0xffffffffU	/* in place of a member: a dead seat, or no members at all */

/**
 * struct rlb_side - a table and its members
 * @slots: 2^@bits owners; an owner that is not below @n is nobody
 * @m: the members, no two of the same identity
 * @n: how many, at most RINGLB_BACKENDS_MAX
 * @bits: size of the table, 1..RLB_BITS_MAX
 */
struct rlb_side {
	const u16 *slots;
	const struct rlb_member *m;
	u32 n;
	unsigned int bits;
};

/**
 * struct rlb_move - slots that go from one member to another
 * @from: index of the old owner in the old table's members, or RLB_NOBODY
 * @to: index of the new owner in the new table's members, or RLB_NOBODY
 * @slots: how many
 * @needless: both are in both tables, each with the same weight
 */
struct rlb_move {
	u32 from;
	u32 to;
	u32 slots;
	bool needless;
};

/**
 * struct rlb_diff - what moves
 * @slots: slots compared: of the larger table if they differ in size
 * @moved: slots whose owner is another one
 * @needless: of these, slots that move between members of which neither was changed; the
 *	others must move
 * @move: who gives how many to whom, ascending by @from, then @to; each pair once
 * @n_moves: how many pairs
 * @stays: of each old member, its index among the new ones, or RLB_NOBODY
 * @came: of each new member, its index among the old ones, or RLB_NOBODY
 */
struct rlb_diff {
	u32 slots;
	u32 moved;
	u32 needless;
	struct rlb_move *move;
	u32 n_moves;
	u32 *stays;
	u32 *came;
};

int rlb_diff(struct rlb_diff *d, const struct rlb_side *old, const struct rlb_side *new);
void rlb_diff_free(struct rlb_diff *d);

#endif /* _RINGLB_LOOKUP_DIFF_H */
