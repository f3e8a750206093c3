// SPDX-License-Identifier: GPL-2.0-only
/*
 * slots.c - the operator's own map of slots to members
 *
 * For those with a controller that decides, as the slots of a Redis cluster are given out. The
 * map is a list of ranges of slots in ascending order, each owned by a member. It is taken as
 * it is or refused as a whole: every slot has exactly one owner, and every owner is a member.
 * Weights and identities do not count; a member in no range owns nothing, which is no error.
 */
#include "lookup.h"

/**
 * rlb_slots_check() - is this a map of a whole table?
 * @r: the ranges
 * @n_ranges: how many
 * @bits: size of the table
 * @n: members
 * @at: out, unless NULL: the first range that is wrong; @n_ranges if slots at the end of the
 *	table are missing
 *
 * Return: 0; -ERANGE if range @at ends before it begins or beyond the table, -EEXIST if it
 *	begins with a slot that a range before it owns, or before that range, -ENODATA if slots
 *	before it have no owner, -ENOENT if its owner is no member.
 */
int rlb_slots_check(const struct rlb_range *r, u32 n_ranges, unsigned int bits, u32 n, u32 *at)
{
	u32 free = 0;	/* slots before this one have owners */
	u32 i;
	int err = 0;

	for (i = 0; i < n_ranges; i++) {
		if (r[i].last < r[i].first || r[i].last >> bits)
			err = -ERANGE;
		else if (r[i].first < free)
			err = -EEXIST;
		else if (r[i].first > free)
			err = -ENODATA;
		else if (r[i].member >= n)
			err = -ENOENT;
		if (err)
			break;
		free = r[i].last + 1;
	}
	if (!err && free != 1U << bits)
		err = -ENODATA;
	if (at)
		*at = i;
	return err;
}

static int slots_check(const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	return p->n_ranges > 1U << RLB_BITS_MAX ? -E2BIG : 0;
}

static int slots_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
		       const struct rlb_params *p)
{
	u32 i, s;
	int err;

	err = rlb_slots_check(p->ranges, p->n_ranges, bits, n, NULL);
	if (err)
		return err;
	for (i = 0; i < p->n_ranges; i++)
		for (s = p->ranges[i].first; s <= p->ranges[i].last; s++)
			slots[s] = p->ranges[i].member;
	return 0;
}

const struct rlb_lookup_ops rlb_slots_ops = {
	.name = "slots",
	.id = RINGLB_METHOD_SLOTS,
	.check = slots_check,
	.build = slots_build,
};
