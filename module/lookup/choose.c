// SPDX-License-Identifier: GPL-2.0-only
/*
 * choose.c - looking again, for flows whose slot's owner takes none
 *
 * In: a view and a flow's hash. Out: a choice. Any context; bounded.
 */
#include "choose.h"

/* Scan all members from a hashed position, so that what they inherit is spread. */
static int scan(const struct rlb_view *v, u64 hash, u8 level)
{
	u32 i = (u32)((hash >> 32) * v->n >> 32);
	u32 left;

	for (left = v->n; left; left--) {
		if (rlb_takes_of(v, i) >= level)
			return i;
		if (++i == v->n)
			i = 0;
	}
	return -1;
}

/* Does member @i take flows of this level, or this one of its share? */
static bool does_take(const struct rlb_view *v, u32 i, u64 hash, u8 level)
{
	u8 takes = rlb_takes_of(v, i);

	if (takes >= level)
		return true;
	return takes == RLB_TAKES_SHARE && level == RLB_TAKES_FLOWS &&
	       (hash & (RLB_SHARE_ALL - 1)) < READ_ONCE(v->share[i]);
}

/* Look for a member that takes at least @c->level. */
static void look(const struct rlb_view *v, u64 hash, struct rlb_choice *c)
{
	u32 i = c->owner;

	for (c->probes = 1; !does_take(v, i, hash, c->level); c->probes++) {
		hash = rlb_choose_next(hash);
		if (c->probes == RLB_PROBES_MAX) {
			c->member = scan(v, hash, c->level);
			c->probes++;
			return;
		}
		i = v->slots[hash >> (64 - v->bits)] & RLB_SLOT_OWNER;
	}
	c->member = i;
}

/**
 * rlb_choose_other() - the slow half of rlb_choose()
 * @v: as there; by value, so that it may stay in registers there
 * @hash: as there
 *
 * Return: the choice.
 */
struct rlb_choice rlb_choose_other(struct rlb_view v, u64 hash)
{
	struct rlb_choice c = { .slot = hash >> (64 - v.bits), .member = -1, .probes = 1 };

	c.owner = v.slots[c.slot] & RLB_SLOT_OWNER;
	for (c.level = v.best; c.level > RLB_TAKES_NONE; c.level--) {
		look(&v, hash, &c);
		if (c.member >= 0)
			break;
	}
	return c;
}
