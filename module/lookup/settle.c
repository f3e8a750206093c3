// SPDX-License-Identifier: GPL-2.0-only
/*
 * settle.c - move at once what a change must move, and the rest later
 *
 * In: the table in force before a change, the canonical one after it. Out: the table in force
 * now, and how many slots are left for later. Any context; one pass over the slots.
 *
 * A slot in transition does not settle: those whom a second move would concern have not gone
 * from the first one yet. It follows when its record has expired.
 */
#include <linux/ringlb.h>

#include "settle.h"

/**
 * rlb_settle_begin() - the table in force right after a change
 * @now: out: 2^@bits owners
 * @canonical: the table that the new configuration asks for
 * @before: the table in force until now, by indexes of the former members, marked or not
 * @bits: size of all three
 * @renumber: new index of each former member, RINGLB_NO_OWNER for one that is gone; behind them
 *	RINGLB_NO_OWNER, for slots that nobody owned
 * @change: RLB_MEMBER_* of each new member; behind them 0, for slots that nobody is to own
 *
 * A slot takes its canonical owner if its former owner is gone or loses, or if its canonical
 * owner gains; else it stays with its former owner. So no slot moves between two members that
 * the change leaves alone. One that nobody owned takes its canonical owner: it is never pending.
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
		owner = rlb_slot_owner(before[s]);
		if (owner != RINGLB_NO_OWNER)
			owner = renumber[owner];
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
 * @slots: the table in force, 2^@bits owners; changed
 * @tr: its records: those that follow are in transition from now on
 * @canonical: what it is to become, by the same indexes
 * @bits: size of both
 * @from: slot to begin at; out: where to go on
 * @most: how many slots may move
 * @now: the time, for the records
 *
 * Goes round once at most.
 *
 * Return: how many have moved; less than @most if no more are left that may.
 */
u32 rlb_settle_step(u16 *slots, struct rlb_transitions *tr, const u16 *canonical,
		    unsigned int bits, u32 *from, u32 most, u32 now)
{
	u32 nslots = 1U << bits;
	u32 moved = 0;
	u32 left, s;

	for (left = nslots; left && moved < most; left--) {
		s = *from;
		*from = (s + 1) & (nslots - 1);
		if (slots[s] & RLB_SLOT_MOVED || slots[s] == canonical[s])
			continue;
		rlb_transition_start(tr, slots, s, canonical[s], now);
		moved++;
	}
	return moved;
}
