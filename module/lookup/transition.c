// SPDX-License-Identifier: GPL-2.0-only
/*
 * transition.c - slots whose owner changed not long ago: who had them first, and since when
 *
 * In: the table in force before a change, with its records, and the table after it. Out: the
 * records after it, and the slots marked that have one. Any context but for memory; each
 * function makes one pass over the slots.
 */
#include "transition.h"

/**
 * rlb_transitions_alloc() - records for a table, none yet
 * @bits: size of the table
 *
 * Return: the records, NULL if there is no memory.
 */
struct rlb_transitions *rlb_transitions_alloc(unsigned int bits)
{
	size_t nslots = (size_t)1 << bits;
	struct rlb_transitions *tr;

	tr = rlb_env_alloc(1, sizeof(*tr) + nslots * (sizeof(*tr->since) + sizeof(*tr->from)));
	if (!tr)
		return NULL;
	memset(tr, 0, sizeof(*tr));
	tr->since = (u32 *)(tr + 1);
	tr->from = (u16 *)(tr->since + nslots);
	memset(tr->since, 0, nslots * sizeof(*tr->since));
	memset(tr->from, 0xff, nslots * sizeof(*tr->from));	/* RINGLB_NO_OWNER */
	return tr;
}

/**
 * rlb_transitions_copy() - the same records once more
 * @tr: the records, or NULL for none
 * @bits: size of the table
 *
 * Return: the copy, NULL if there is no memory.
 */
struct rlb_transitions *rlb_transitions_copy(const struct rlb_transitions *tr, unsigned int bits)
{
	struct rlb_transitions *copy = rlb_transitions_alloc(bits);

	if (!copy || !tr)
		return copy;
	copy->n = tr->n;
	copy->first = tr->first;
	copy->last = tr->last;
	memcpy(copy->since, tr->since, sizeof(*tr->since) << bits);
	memcpy(copy->from, tr->from, sizeof(*tr->from) << bits);
	return copy;
}

/**
 * rlb_transitions_free() - the end of records
 * @tr: the records, or NULL
 */
void rlb_transitions_free(struct rlb_transitions *tr)
{
	rlb_env_free(tr);
}

static void record(struct rlb_transitions *tr, u16 *slots, u32 s, u16 from, u32 since)
{
	slots[s] |= RLB_SLOT_MOVED;
	tr->from[s] = from;
	tr->since[s] = since;
	if (!tr->n || since < tr->first)
		tr->first = since;
	if (!tr->n || since > tr->last)
		tr->last = since;
	tr->n++;
}

/**
 * rlb_transition_carry() - what a change makes of the records
 * @tr: out: the new table's records, empty until now
 * @slots: the new table, unmarked: 2^@bits owners by index of the new members
 * @old: the former table's records, NULL for none
 * @before: the former table, marked
 * @bits: size of both
 * @nobody: index in the former table of slots that nobody owns
 * @renumber: new index of each former member, RINGLB_NO_OWNER if it has none; one that is
 *	gone and was some slot's old owner gets one here
 * @total: how many indexes are given; raised by those
 * @now: the time
 *
 * A slot with a record keeps it, whoever owns it now; but it is settled if its old owner has
 * it back. One without gets a record if its owner is another one. Where nobody was before,
 * flows had to look again, and are remembered one by one.
 *
 * Return: 0, or -ENOSPC if more members are needed than a slot can name.
 */
int rlb_transition_carry(struct rlb_transitions *tr, u16 *slots, const struct rlb_transitions *old,
			 const u16 *before, unsigned int bits, u16 nobody, u16 *renumber,
			 u32 *total, u32 now)
{
	u32 nslots = 1U << bits;
	bool kept;
	u16 from;
	u32 s;

	for (s = 0; s < nslots; s++) {
		from = rlb_transition_from(old, before, s);
		kept = from != RINGLB_NO_OWNER;
		if (!kept)
			from = rlb_slot_owner(before[s]);
		if (from == RINGLB_NO_OWNER || from == nobody)
			continue;
		if (renumber[from] == RINGLB_NO_OWNER) {
			if (*total == RLB_SLOT_OWNERS)
				return -ENOSPC;
			renumber[from] = (*total)++;
		}
		if (renumber[from] != slots[s])
			record(tr, slots, s, renumber[from], kept ? old->since[s] : now);
	}
	return 0;
}

/**
 * rlb_transition_start() - one settled slot gets another owner
 * @tr: the table's records
 * @slots: the table
 * @s: the slot
 * @owner: its new owner
 * @now: the time
 */
void rlb_transition_start(struct rlb_transitions *tr, u16 *slots, u32 s, u16 owner, u32 now)
{
	u16 from = rlb_slot_owner(slots[s]);

	slots[s] = owner;
	record(tr, slots, s, from, now);
}

/**
 * rlb_transition_expire() - end the transitions that have lasted long enough
 * @tr: the table's records
 * @slots: the table
 * @bits: its size
 * @before: those that began before this time end
 */
void rlb_transition_expire(struct rlb_transitions *tr, u16 *slots, unsigned int bits, u32 before)
{
	u32 nslots = 1U << bits;
	u16 from;
	u32 s;

	tr->n = 0;
	for (s = 0; s < nslots; s++) {
		from = rlb_transition_from(tr, slots, s);
		if (from == RINGLB_NO_OWNER)
			continue;
		if (tr->since[s] >= before) {
			record(tr, slots, s, from, tr->since[s]);
			continue;
		}
		slots[s] = rlb_slot_owner(slots[s]);
		tr->from[s] = RINGLB_NO_OWNER;
	}
}
