/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transition.h - slots whose owner changed not long ago: who had them first, and since when
 *
 * A flow that began before its slot changed hands belongs to the slot's old owner. So beside
 * the table stands, for each such slot, the owner that it had before the first change, and
 * the time of that change. What began later is remembered flow by flow, so further changes
 * need not be: the first one counts until the record expires, or until the slot is back with
 * its old owner. A settled slot costs its readers one bit of the entry that they load anyway.
 *
 * The records are two arrays as long as the table, there only while some slot is in
 * transition: 6 bytes a slot, no search, no order to keep, and an entry's bit says whether
 * its record means anything. Ranks in a bitmap would need less memory, but a change that
 * moves a third of the slots halves at most what these take, and both go after minutes.
 */
#ifndef _RINGLB_LOOKUP_TRANSITION_H
#define _RINGLB_LOOKUP_TRANSITION_H

#include "env.h"
#include "lookup.h"

/**
 * struct rlb_transitions - the records of one table, immutable like the table once published
 * @n: slots in transition
 * @first: the earliest time in @since, if any
 * @last: the latest
 * @since: 2^bits times in seconds, of any clock that does not go back
 * @from: 2^bits old owners, by index of the member; RINGLB_NO_OWNER for a settled slot
 */
struct rlb_transitions {
	u32 n;
	u32 first;
	u32 last;
	u32 *since;
	u16 *from;
};

/* The old owner of a slot; RINGLB_NO_OWNER if it is settled. @tr may be NULL. */
static inline u16 rlb_transition_from(const struct rlb_transitions *tr, const u16 *slots, u32 s)
{
	return slots[s] & RLB_SLOT_MOVED && tr ? tr->from[s] : RINGLB_NO_OWNER;
}

struct rlb_transitions *rlb_transitions_alloc(unsigned int bits);
struct rlb_transitions *rlb_transitions_copy(const struct rlb_transitions *tr, unsigned int bits);
void rlb_transitions_free(struct rlb_transitions *tr);

int rlb_transition_carry(struct rlb_transitions *tr, u16 *slots, const struct rlb_transitions *old,
			 const u16 *before, unsigned int bits, u16 nobody, u16 *renumber,
			 u32 *total, u32 now);
void rlb_transition_start(struct rlb_transitions *tr, u16 *slots, u32 s, u16 owner, u32 now);
void rlb_transition_expire(struct rlb_transitions *tr, u16 *slots, unsigned int bits, u32 before);

#endif /* _RINGLB_LOOKUP_TRANSITION_H */
