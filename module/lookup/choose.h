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
#define RLB_PROBES_INLINE 4	/* of these, slots looked at before it takes a call */

/* What a member takes; a byte each, written while packets read it. */
enum rlb_takes {
	RLB_TAKES_NONE,		/* down */
	RLB_TAKES_LAST,		/* draining: flows that nobody else takes */
	RLB_TAKES_SHARE,	/* up: its share of flows */
	RLB_TAKES_FLOWS,	/* up */
};

#define RLB_SHARE_ALL RINGLB_ACCEPTS_ALL

/**
 * struct rlb_view - what a choice is made from
 * @slots: 2^@bits owners, marked or not, @n for nobody
 * @takes: enum rlb_takes of each member, and RLB_TAKES_NONE behind them
 * @share: of those with RLB_TAKES_SHARE, what they take, in parts of RLB_SHARE_ALL; may be NULL
 *	if there are none
 * @n: members
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
 * @owner: the member that owns it, the number of members for nobody
 * @member: the member that takes the flow; -1 for none
 * @probes: slots looked at; 1 if the owner took the flow; RLB_PROBES_MAX + 1 if so many were
 *	looked at in vain and members were scanned
 * @level: enum rlb_takes: below RLB_TAKES_FLOWS, the member took the flow because nobody took
 *	more
 */
struct rlb_choice {
	u32 slot;
	u32 owner;
	int member;
	u32 probes;
	u8 level;
};

/* Does the slot's owner take the flow for its own sake, and not for want of others? */
static inline bool rlb_choice_is_settled(const struct rlb_choice *c)
{
	return c->probes == 1 && c->level == RLB_TAKES_FLOWS;
}

/**
 * rlb_share_rise() - the share of one that has come not long ago
 * @passed: for how long it has been there
 * @time: after how long it takes all
 *
 * Rises with every unit of time by the same, and begins with as much.
 *
 * Return: parts of RLB_SHARE_ALL, at least one.
 */
static inline u32 rlb_share_rise(u32 passed, u32 time)
{
	if (passed >= time)
		return RLB_SHARE_ALL;
	return rlb_env_div((u64)RLB_SHARE_ALL * (passed + 1) + time, (u64)time + 1);
}

/*
 * What member @i takes just now. By way of an array's type: otherwise compilers add index and
 * address of a volatile load in an instruction of its own.
 */
static inline u8 rlb_takes_of(const struct rlb_view *v, size_t i)
{
	const u8 (*takes)[RLB_SLOT_OWNERS + 1] = (const void *)v->takes;

	return READ_ONCE((*takes)[i]);
}

struct rlb_choice rlb_choose_other(struct rlb_view v, u64 hash);

/* The hash that a flow looks again with */
static inline u64 rlb_choose_next(u64 hash)
{
	return rlb_hash_mix(hash + 0x9e3779b97f4a7c15ULL);
}

/**
 * rlb_choose() - choose a member for a flow
 * @v: table and states
 * @hash: rlb_key_hash() of the flow
 * @c: out: the choice
 *
 * Draining members take flows only when no member is up, as a last resort; one that takes a
 * share takes all when nobody else takes any. Bounded: at most RLB_PROBES_INLINE slots here,
 * thrice RLB_PROBES_MAX slots and thrice @v->n members in rlb_choose_other(); nothing but one
 * load beyond the slot's own when the owner is up. Any context.
 */
static inline void rlb_choose(const struct rlb_view *v, u64 hash, struct rlb_choice *c)
{
	unsigned int shift = 64 - v->bits;
	u64 next = hash;
	u64 i = v->slots[hash >> shift] & RLB_SLOT_OWNER;
	u8 takes = rlb_takes_of(v, i);

	c->slot = hash >> shift;
	c->owner = i;
	c->level = RLB_TAKES_FLOWS;
	for (c->probes = 1; unlikely(takes <= RLB_TAKES_SHARE); c->probes++) {
		if (takes == RLB_TAKES_SHARE || c->probes == RLB_PROBES_INLINE) {
			*c = rlb_choose_other(*v, hash);
			return;
		}
		next = rlb_choose_next(next);
		i = v->slots[next >> shift] & RLB_SLOT_OWNER;
		takes = rlb_takes_of(v, i);
	}
	c->member = i;
}

#endif /* _RINGLB_LOOKUP_CHOOSE_H */
