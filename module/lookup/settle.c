// SPDX-License-Identifier: GPL-2.0-only
/*
 * settle.c - move at once what a change must move, and the rest later
 *
 * In: the table in force before a change, the canonical one after it. Out: the table in force
 * now, and how many slots are left for later. Any context; one pass over the slots.
 */
#include <linux/ringlb.h>

#include "settle.h"

/**
 * rlb_settle_begin() - the table in force right after a change
 * @now: out: 2^@bits owners
 * @canonical: the table that the new configuration asks for
 * @before: the table in force until now, by indexes of the former members
 * @bits: size of all three
 * @renumber: new index of each former member, RINGLB_NO_OWNER for one that is gone; behind them
 *	RINGLB_NO_OWNER, for slots that nobody owned
 * @change: RLB_MEMBER_* of each new member; behind them 0, for slots that nobody is to own
 *
 * A slot takes its canonical owner if its former owner is gone or loses, or if its canonical
 * owner gains; else it stays with its former owner. So no slot moves between two members that
 * the change leaves alone.
 *
 * Return: slots in which @now differs from @canonical.
 */
u32 rlb_settle_begin(u16 *now, const u16 *canonical, const u16 *before, unsigned int bits,
		     const u16 *renumber, const u8 *change)
{
	u32 nslots = 1U << bits;
	u32 pending = 0;
	u16 owner;
	u32 s;

	for (s = 0; s < nslots; s++) {
		owner = before[s] == RINGLB_NO_OWNER ? RINGLB_NO_OWNER : renumber[before[s]];
		if (owner == RINGLB_NO_OWNER || change[owner] & RLB_MEMBER_LOSES ||
		    change[canonical[s]] & RLB_MEMBER_GAINS)
			owner = canonical[s];
		now[s] = owner;
		pending += owner != canonical[s];
	}
	return pending;
}

/**
 * rlb_settle_step() - let some slots follow
 * @now: the table in force, 2^@bits owners; changed
 * @canonical: what it is to become, by the same indexes
 * @bits: size of both
 * @from: slot to begin at; out: where to go on
 * @most: how many slots may move
 *
 * Return: how many have moved; less than @most if no more are left after @from.
 */
u32 rlb_settle_step(u16 *now, const u16 *canonical, unsigned int bits, u32 *from, u32 most)
{
	u32 nslots = 1U << bits;
	u32 moved = 0;

	for (; *from < nslots && moved < most; (*from)++) {
		if (now[*from] == canonical[*from])
			continue;
		now[*from] = canonical[*from];
		moved++;
	}
	return moved;
}
