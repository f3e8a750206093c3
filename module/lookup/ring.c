// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.c - consistent hashing on a ring of virtual nodes, compiled to slots
 *
 * Karger et al., "Consistent hashing and random trees" (STOC 1997). A member has vnodes x
 * weight points on a ring of 2^64 positions, drawn from its identity alone; a position
 * belongs to the first point at or after it, going round. Slot s stands for the positions
 * from s << (64 - bits) to the next slot's, and is owned by the owner of its first position.
 *
 * What follows: a new member takes slots and gives none away, a leaving one gives away its
 * own, a change of weight moves slots to or from that member alone (all exactly). Shares
 * follow weights with a relative deviation of about 1/sqrt(vnodes x weight): that is the
 * price of the ring.
 *
 * No sorting is needed: only the lowest point within a slot can be the first at or after a
 * slot's first position. So one pass over all points keeps that one for each slot, and one
 * pass backwards hands the owner of each slot with a point to the slots without before it.
 * Time: points + slots. Scratch memory: 8 bytes a slot.
 */
#include "hash.h"
#include "lookup.h"

/* Steps between points of one member before mixing: 2^64 / golden ratio, odd. */
#define RING_STEP 0x9e3779b97f4a7c15ULL

#define RING_YIELD_MASK 0xffff	/* yield once in so many points */

static u64 total_weight(const struct rlb_member *m, u32 n)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++)
		sum += m[i].weight;
	return sum;
}

/**
 * rlb_ring_vnodes_max() - the largest vnodes with which a ring can hold these members
 * @m: the members
 * @n: how many, at least 1
 *
 * Return: RINGLB_POINTS_MAX / sum of weights, at most RINGLB_VNODES_MAX; 0 if even one
 *	virtual node for each unit of weight is too many.
 */
u64 rlb_ring_vnodes_max(const struct rlb_member *m, u32 n)
{
	u32 max = RINGLB_POINTS_MAX;
	u64 sum = total_weight(m, n);

	if (sum > max)
		return 0;
	max /= (u32)sum;
	return max < RINGLB_VNODES_MAX ? max : RINGLB_VNODES_MAX;
}

static int ring_check(const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	return total_weight(m, n) * p->vnodes > RINGLB_POINTS_MAX ? -E2BIG : 0;
}

/* Position of a member's j-th point: a walk of splitmix64 that starts at its identity. */
static u64 ring_point(u64 ident, u32 j)
{
	return rlb_hash_mix(ident + (j + 1) * RING_STEP);
}

/*
 * Put all points on the ring: first[s] becomes the lowest position within slot s and
 * slots[s] its owner. Of two points in one place the member with the lower index wins, which
 * is the lower address: members come in that order, so a later one must be strictly lower.
 */
static void ring_scatter(u64 *first, u16 *slots, unsigned int bits, const struct rlb_member *m,
			 u32 n, u32 vnodes)
{
	u32 i, j, points, s;
	u32 done = 0;
	u64 pos;

	for (i = 0; i < n; i++) {
		points = vnodes * m[i].weight;	/* at most RINGLB_POINTS_MAX: checked */
		for (j = 0; j < points; j++) {
			if (!(++done & RING_YIELD_MASK))
				rlb_env_yield();
			pos = ring_point(m[i].ident, j);
			s = pos >> (64 - bits);
			if (slots[s] != RINGLB_NO_OWNER && first[s] <= pos)
				continue;
			first[s] = pos;
			slots[s] = i;
		}
	}
}

static int ring_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
		      const struct rlb_params *p)
{
	u32 nslots = 1U << bits;
	u16 owner = RINGLB_NO_OWNER;
	u64 *first;
	u32 s;

	first = rlb_env_alloc(nslots, sizeof(*first));
	if (!first)
		return -ENOMEM;
	for (s = 0; s < nslots; s++)
		slots[s] = RINGLB_NO_OWNER;
	ring_scatter(first, slots, bits, m, n, p->vnodes);
	rlb_env_free(first);

	/* Round the ring: after the last slot comes the first one that has a point. */
	for (s = 0; owner == RINGLB_NO_OWNER; s++)
		owner = slots[s];
	for (s = nslots; s--; ) {
		if (slots[s] == RINGLB_NO_OWNER)
			slots[s] = owner;
		owner = slots[s];
	}
	return 0;
}

const struct rlb_lookup_ops rlb_ring_ops = {
	.name = "ring",
	.id = RINGLB_METHOD_RING,
	.check = ring_check,
	.build = ring_build,
};
