/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * choose.h - from a flow's hash to a member that takes it, by looking again
 *
 * The table is built from the configured members, whatever their state. If a slot's owner
 * does not take flows, the flow hashes again and looks at another slot: so a change of state
 * is one store, moves only flows of that member, spreads them over the others in proportion
 * to their slots, and gives the member exactly its flows back when it returns. Two gateways
 * with the same table and the same states choose alike.
 *
 * A member may take a share of the flows that come to it and leave the others to look again:
 * those whose hash is low enough, so that a growing share keeps the flows of a smaller one.
 * Slots that nobody owns hold the number of members, one beyond them: who takes nothing.
 */
#ifndef _RINGLB_LOOKUP_CHOOSE_H
#define _RINGLB_LOOKUP_CHOOSE_H

#include "env.h"
#include "hash.h"
#include "lookup.h"

#define RLB_PROBES_MAX 64	/* slots looked at before members are scanned */

/* What a member takes; a byte each, written while packets read it. */
enum rlb_takes {
	RLB_TAKES_NONE,		/* down */
	RLB_TAKES_LAST,		/* draining: flows that nobody else takes */
	RLB_TAKES_SHARE,	/* up: its share of flows */
	RLB_TAKES_FLOWS,	/* up */
};

#define RLB_SHARE_ALL (1U << 16)

/**
 * struct rlb_view - what a choice is made from
 * @slots: 2^@bits owners, marked or not
 * @takes: enum rlb_takes of each member, and RLB_TAKES_NONE behind them
 * @share: of those with RLB_TAKES_SHARE, what they take, in parts of RLB_SHARE_ALL; may be NULL
 *	if there are none
 * @n: members; 0: nothing can be chosen
 * @bits: size of the table
 * @best: the highest value in @takes, or one that was so a moment ago; RLB_TAKES_SHARE counts
 *	as RLB_TAKES_FLOWS
 */
struct rlb_view {
	const u16 *slots;
	const u8 *takes;
	const u16 *share;
	u32 n;
	u8 bits;
	u8 best;
};

/**
 * struct rlb_choice - what came of it
 * @slot: the flow's slot
 * @owner: the member that owns it, the number of members for nobody; valid if there are members
 * @member: the member that takes the flow; -1 for none
 * @probes: slots looked at; 1 if the owner took the flow; RLB_PROBES_MAX + 1 if so many were
 *	looked at in vain and members were scanned
 */
struct rlb_choice {
	u32 slot;
	u32 owner;
	int member;
	u32 probes;
};

/* Scan all members from a hashed position, so that what they inherit is spread. */
static inline int rlb_choose_scan(const struct rlb_view *v, u64 hash, u8 level)
{
	u32 i = (u32)((hash >> 32) * v->n >> 32);
	u32 left;

	for (left = v->n; left; left--) {
		if (READ_ONCE(v->takes[i]) >= level)
			return i;
		if (++i == v->n)
			i = 0;
	}
	return -1;
}

/* Does member @i take flows of this level, or this one of its share? */
static inline bool rlb_choose_takes(const struct rlb_view *v, u32 i, u64 hash, u8 level)
{
	u8 takes = READ_ONCE(v->takes[i]);

	if (takes >= level)
		return true;
	return takes == RLB_TAKES_SHARE && level == RLB_TAKES_FLOWS &&
	       (hash & (RLB_SHARE_ALL - 1)) < READ_ONCE(v->share[i]);
}

/* The slow half of rlb_choose(): the owner does not take flows. */
static inline void rlb_choose_again(const struct rlb_view *v, u64 hash, u8 level,
				    struct rlb_choice *c)
{
	unsigned int probes;
	u16 i = c->owner;

	for (probes = 1; ; probes++) {
		if (rlb_choose_takes(v, i, hash, level)) {
			c->member = i;
			break;
		}
		hash = rlb_hash_mix(hash + 0x9e3779b97f4a7c15ULL);
		if (probes == RLB_PROBES_MAX) {
			c->member = rlb_choose_scan(v, hash, level);
			probes++;
			break;
		}
		i = v->slots[hash >> (64 - v->bits)] & RLB_SLOT_OWNER;
	}
	c->probes = probes;
}

/**
 * rlb_choose() - choose a member for a flow
 * @v: table and states
 * @hash: rlb_key_hash() of the flow
 * @c: out: the choice
 *
 * Draining members take flows only when no member is up, as a last resort; one that takes a
 * share takes all when nobody else takes any. Bounded: at most
 * thrice RLB_PROBES_MAX slots and thrice @v->n members are looked at; nothing but one load
 * beyond the slot's own when the owner is up. Any context.
 */
static inline void rlb_choose(const struct rlb_view *v, u64 hash, struct rlb_choice *c)
{
	u8 level = v->best;

	c->slot = hash >> (64 - v->bits);
	c->owner = v->slots[c->slot] & RLB_SLOT_OWNER;
	c->member = -1;
	c->probes = 1;
	if (!v->n)
		return;
	if (READ_ONCE(v->takes[c->owner]) == RLB_TAKES_FLOWS) {
		c->member = c->owner;
		return;
	}
	for (; c->member < 0 && level > RLB_TAKES_NONE; level--)
		rlb_choose_again(v, hash, level, c);
}

#endif /* _RINGLB_LOOKUP_CHOOSE_H */
