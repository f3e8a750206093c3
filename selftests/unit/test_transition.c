// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_transition.c - records of moved slots, against a naive twin over many changes
 *
 * The twin knows members by name and forgets nothing: for each slot all its owners since the
 * beginning, with times. What a record must say follows from that history alone.
 */
#include "settle.h"
#include "transition.h"
#include "unit.h"

#define NAMES 40
#define BITS 6
#define NSLOTS (1 << BITS)
#define TIMEOUT 20
#define NOBODY -1

/* One slot as the twin has it: the first owner since it last settled, and since when. */
struct slot {
	int owner;
	int old;	/* NOBODY: settled */
	u32 since;
};

/* A table as the module has it, and whose name each index is. */
struct table {
	u16 slots[NSLOTS];
	struct rlb_transitions *tr;
	int name[RLB_SLOT_OWNERS];
	u32 n;
	u32 total;
};

static void twin_change(struct slot *slot, int owner, u32 now)
{
	int old = slot->old == NOBODY ? slot->owner : slot->old;

	if (slot->old == NOBODY)
		slot->since = now;
	slot->owner = owner;
	slot->old = old == owner ? NOBODY : old;
}

static void twin_expire(struct slot *slot, u32 before)
{
	if (slot->old != NOBODY && slot->since < before)
		slot->old = NOBODY;
}

static void compare(const struct table *t, const struct slot *twin)
{
	u32 first = UINT32_MAX, last = 0, n = 0;
	u16 owner, from;
	u32 s;

	for (s = 0; s < NSLOTS; s++) {
		owner = rlb_slot_owner(t->slots[s]);
		from = rlb_transition_from(t->tr, t->slots, s);
		if ((owner == RINGLB_NO_OWNER ? NOBODY : t->name[owner]) != twin[s].owner)
			refute("slot %u: owner is not the twin's %d", s, twin[s].owner);
		if ((from == RINGLB_NO_OWNER ? NOBODY : t->name[from]) != twin[s].old)
			refute("slot %u: index %u is not the twin's old owner %d", s, from,
			       twin[s].old);
		if (from == RINGLB_NO_OWNER)
			continue;
		assert_int_equal(t->tr->since[s], twin[s].since);
		first = twin[s].since < first ? twin[s].since : first;
		last = twin[s].since > last ? twin[s].since : last;
		n++;
	}
	assert_int_equal(t->tr->n, n);
	if (n) {
		assert_int_equal(t->tr->first, first);
		assert_int_equal(t->tr->last, last);
	}
}

/* Members: a random choice of names, in another order of indexes each time; nobody behind them. */
static void random_members(struct table *t)
{
	int name, i;

	t->n = 0;
	for (name = 0; name < NAMES; name++) {
		if (unit_below(3))
			continue;
		i = unit_below(t->n + 1);
		t->name[t->n++] = t->name[i];
		t->name[i] = name;
	}
	t->name[t->n] = NOBODY;
	t->total = t->n + 1;
}

static int index_of(const struct table *t, int name)
{
	u32 i;

	for (i = 0; i < t->n; i++)
		if (t->name[i] == name)
			return i;
	return RINGLB_NO_OWNER;
}

/* A change: new members; some slots keep their owner, if it is one, others go anywhere. */
static struct table *change(const struct table *old, struct slot *twin, u32 now)
{
	u16 renumber[RLB_SLOT_OWNERS];
	struct table *t = calloc(1, sizeof(*t));
	u32 i, s;

	random_members(t);
	for (i = 0; i < old->total; i++)
		renumber[i] = index_of(t, old->name[i]);
	for (s = 0; s < NSLOTS; s++) {
		t->slots[s] = twin[s].owner == NOBODY || unit_below(3) == 0 ?
			      RINGLB_NO_OWNER : index_of(t, twin[s].owner);
		if (t->slots[s] == RINGLB_NO_OWNER && t->n)
			t->slots[s] = unit_below(t->n + 1);
		twin_change(&twin[s], t->n ? t->name[t->slots[s]] : NOBODY, now);
	}
	t->tr = rlb_transitions_alloc(BITS);
	assert_int_equal(rlb_transition_carry(t->tr, t->slots, old->tr, old->slots, BITS, old->n,
					      renumber, &t->total, now), 0);
	for (i = 0; i < old->total; i++)
		if (renumber[i] != RINGLB_NO_OWNER && renumber[i] >= t->n)
			t->name[renumber[i]] = old->name[i];
	return t;
}

static void table_free(struct table *t)
{
	rlb_transitions_free(t->tr);
	free(t);
}

static void flip(struct table *t, struct slot *twin, u32 now)
{
	u32 s = unit_below(NSLOTS);
	u16 owner;

	if (!t->n || t->slots[s] & RLB_SLOT_MOVED || t->slots[s] == t->n)
		return;
	owner = unit_below(t->n);
	if (owner == t->slots[s])
		return;
	rlb_transition_start(t->tr, t->slots, s, owner, now);
	twin_change(&twin[s], t->name[owner], now);
}

static void expire(struct table *t, struct slot *twin, u32 now)
{
	u32 s;

	if (now < TIMEOUT)
		return;
	rlb_transition_expire(t->tr, t->slots, BITS, now - TIMEOUT);
	for (s = 0; s < NSLOTS; s++)
		twin_expire(&twin[s], now - TIMEOUT);
}

static void as_twin(void **unused)
{
	struct slot twin[NSLOTS];
	struct table *t, *next;
	u32 now = 0, event, s;

	t = calloc(1, sizeof(*t));
	t->tr = rlb_transitions_alloc(BITS);
	for (s = 0; s < NSLOTS; s++) {
		t->slots[s] = RINGLB_NO_OWNER;
		twin[s].owner = NOBODY;
		twin[s].old = NOBODY;
	}
	for (event = 0; event < unit_rounds(60000); event++) {
		now += unit_below(4);
		switch (unit_below(8)) {
		case 0:
			next = change(t, twin, now);
			table_free(t);
			t = next;
			break;
		case 1:
			expire(t, twin, now);
			break;
		default:
			flip(t, twin, now);
		}
		compare(t, twin);
	}
	table_free(t);
}

/* More old owners than a slot can name: refused, and not written out of bounds. */
static void too_many(void **unused)
{
	static u16 before[1 << 15], slots[1 << 15], renumber[1 << 15];
	struct rlb_transitions *tr = rlb_transitions_alloc(15);
	u32 total = 1, s;

	for (s = 0; s < 1 << 15; s++) {
		before[s] = s < RLB_SLOT_OWNERS ? s : 0;
		renumber[s] = RINGLB_NO_OWNER;
	}
	assert_int_equal(rlb_transition_carry(tr, slots, NULL, before, 15, RINGLB_NO_OWNER, renumber,
					      &total, 1),
			 -ENOSPC);
	assert_int_equal(total, RLB_SLOT_OWNERS);
	rlb_transitions_free(tr);
}

static void no_memory(void **unused)
{
	struct rlb_transitions *tr = rlb_transitions_alloc(4), *copy;

	unit_alloc_fail_at = 0;
	assert_null(rlb_transitions_copy(tr, 4));
	copy = rlb_transitions_copy(tr, 4);
	assert_non_null(copy);
	rlb_transitions_free(copy);
	rlb_transitions_free(tr);
	rlb_transitions_free(NULL);
	assert_int_equal(unit_alloc_live, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("transition: over any changes the records are those of a naive twin", as_twin),
		CLAIM("transition: more old owners than slots can name are refused", too_many),
		CLAIM("transition: without memory nothing is lost", no_memory),
	};

	return cmocka_run_group_tests_name("transition", tests, NULL, NULL);
}
