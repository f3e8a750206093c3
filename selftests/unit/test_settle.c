// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_settle.c - what moves at once and what later, against a naive twin
 *
 * The twin knows members by name: a slot's owner before and after, and what has become of
 * each, told as a person would.
 */
#include "settle.h"
#include "unit.h"

#define NAMES 12
#define BITS_MAX 8

/* A set of members by name; a member's index is its place among those with a weight. */
struct set {
	u32 weight[NAMES];	/* 0: no member */
	u16 index[NAMES];
	int name[NAMES];	/* of each index */
	u32 n;
};

static void random_set(struct set *set)
{
	int i;

	set->n = 0;
	for (i = 0; i < NAMES; i++) {
		set->weight[i] = unit_below(3) ? unit_below(4) : 0;
		if (!set->weight[i])
			continue;
		set->index[i] = set->n;
		set->name[set->n++] = i;
	}
}

/* What the module tells of two sets */
static void compare(const struct set *old, const struct set *new, u16 *renumber, u8 *change)
{
	int i;

	for (i = 0; i < NAMES; i++) {
		if (old->weight[i])
			renumber[old->index[i]] = new->weight[i] ? new->index[i] : RINGLB_NO_OWNER;
		if (new->weight[i])
			change[new->index[i]] = new->weight[i] > old->weight[i] ? RLB_MEMBER_GAINS :
						new->weight[i] < old->weight[i] ? RLB_MEMBER_LOSES : 0;
	}
}

/* The twin: by name, -1 for nobody. */
static int twin(const struct set *old, const struct set *new, int before, int canonical)
{
	if (before < 0 || !new->weight[before])
		return canonical;	/* nobody could keep it */
	if (new->weight[before] < old->weight[before])
		return canonical;	/* it gives slots away: the right ones */
	if (new->weight[canonical] > old->weight[canonical])
		return canonical;	/* it comes, or gets more: the right ones */
	return before;
}

static void begin(void **unused)
{
	u16 before[1 << BITS_MAX], canonical[1 << BITS_MAX], now[1 << BITS_MAX];
	u16 renumber[NAMES];
	u8 change[NAMES];
	struct set old, new;
	unsigned int round;
	u32 s, pending, bits, waits = 0;

	for (round = 0; round < unit_rounds(20000); round++) {
		random_set(&old);
		random_set(&new);
		if (!new.n)
			continue;
		bits = unit_between(1, BITS_MAX);
		compare(&old, &new, renumber, change);
		for (s = 0; s < 1U << bits; s++) {
			before[s] = old.n && unit_below(20) ? unit_below(old.n) : RINGLB_NO_OWNER;
			canonical[s] = unit_below(new.n);
		}
		pending = rlb_settle_begin(now, canonical, before, bits, renumber, change);
		for (s = 0; s < 1U << bits; s++) {
			int was = before[s] == RINGLB_NO_OWNER ? -1 : old.name[before[s]];
			int is = twin(&old, &new, was, new.name[canonical[s]]);

			if (new.name[now[s]] != is)
				refute("slot %u: was %d, canonical %d: %d, the twin has %d", s, was,
				       new.name[canonical[s]], new.name[now[s]], is);
			pending -= now[s] != canonical[s];
			waits += now[s] != canonical[s];
		}
		assert_int_equal(pending, 0);
	}
	assert_true(waits > unit_rounds(20000));
}

/* Batches of any size: each moves as many as it may, none moves back, the end is canonical. */
static void steps(void **unused)
{
	u16 canonical[1 << BITS_MAX], now[1 << BITS_MAX], last[1 << BITS_MAX];
	u32 s, bits, differ, moved, most, from, seen, stuck;
	struct rlb_transitions *tr;
	unsigned int round;

	for (round = 0; round < unit_rounds(20000); round++) {
		bits = unit_between(1, BITS_MAX);
		tr = rlb_transitions_alloc(bits);
		for (s = 0, differ = 0, stuck = 0; s < 1U << bits; s++) {
			canonical[s] = unit_below(5);
			now[s] = unit_below(2) ? canonical[s] : unit_below(5);
			if (now[s] != canonical[s] && !unit_below(4)) {
				last[s] = now[s];	/* in transition: it waits */
				rlb_transition_start(tr, now, s, now[s], 1);
				stuck++;
				continue;
			}
			differ += now[s] != canonical[s];
		}
		for (from = unit_below(1U << bits); differ; differ -= moved) {
			most = unit_between(1, 300);
			memcpy(last, now, sizeof(now));
			moved = rlb_settle_step(now, tr, canonical, bits, &from, most, 2);
			assert_int_equal(moved, differ < most ? differ : most);
			for (s = 0, seen = 0; s < 1U << bits; s++) {
				if (now[s] == last[s])
					continue;
				assert_int_equal(now[s], canonical[s] | RLB_SLOT_MOVED);
				assert_int_equal(rlb_transition_from(tr, now, s), last[s]);
				assert_int_equal(tr->since[s], 2);
				seen++;
			}
			assert_int_equal(seen, moved);
		}
		for (s = 0; s < 1U << bits; s++)
			stuck -= rlb_slot_owner(now[s]) != canonical[s];
		assert_int_equal(stuck, 0);
		assert_int_equal(rlb_settle_step(now, tr, canonical, bits, &from, 1, 3), 0);
		rlb_transitions_free(tr);
	}
}

/* The sentence that operators get: no slot moves at once between two that are left alone. */
static void left_alone(void **unused)
{
	u16 before[1 << 12], canonical[1 << 12], now[1 << 12], renumber[40];
	struct rlb_params p = { .slack = 0, .vnodes = 1 };
	struct rlb_member m[41];
	unsigned int round, i, j;
	u8 change[41];
	u32 s, n = 40, pending = 0;

	for (round = 0; round < unit_rounds(60); round++) {
		unit_members(m, n + 1, 3);
		/* The member in the middle goes: all later indexes are one less. */
		i = unit_below(n);
		assert_int_equal(rlb_lookup_build(&rlb_rendezvous_ops, before, 12, m, n, &p), 0);
		for (j = 0; j < n; j++)
			renumber[j] = j == i ? RINGLB_NO_OWNER : j - (j > i);
		memmove(m + i, m + i + 1, (n - i) * sizeof(*m));
		memset(change, 0, sizeof(change));
		assert_int_equal(rlb_lookup_build(&rlb_rendezvous_ops, canonical, 12, m, n - 1, &p), 0);
		pending += rlb_settle_begin(now, canonical, before, 12, renumber, change);
		for (s = 0; s < 1U << 12; s++)
			assert_int_equal(now[s], before[s] == i ? canonical[s] : renumber[before[s]]);
	}
	assert_true(pending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("settle: what moves at once is what a naive twin moves", begin),
		CLAIM("settle: batches move what they may, but no slot in transition", steps),
		CLAIM("settle: removing one backend moves its slots alone, at once", left_alone),
	};

	return cmocka_run_group_tests_name("settle", tests, NULL, NULL);
}
