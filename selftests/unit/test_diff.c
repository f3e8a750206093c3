// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_diff.c - module/lookup/diff.c against a naive twin: a full matrix by identity
 */
#include <errno.h>

#include "diff.h"
#include "unit.h"

#define MEMBERS 50
#define BITS_MAX 12

struct table {
	u16 slots[1 << BITS_MAX];
	struct rlb_member m[MEMBERS];
	u32 n;
	unsigned int bits;
};

static struct rlb_side side(const struct table *t)
{
	return (struct rlb_side) { .slots = t->slots, .m = t->m, .n = t->n, .bits = t->bits };
}

/* Members of few identities, so that tables share some; a few slots are nobody's. */
static void random_table(struct table *t)
{
	u32 s, i;

	memset(t, 0, sizeof(*t));
	t->bits = 1 + unit_below(BITS_MAX);
	for (i = 1; i <= MEMBERS; i++)
		if (unit_below(2))
			t->m[t->n++] = (struct rlb_member) {
				.ident = i * UINT64_C(0x123456789abcdef1),
				.weight = 1 + (unit_below(8) == 0),
			};
	unit_shuffle(t->m, t->n);
	if (unit_below(40) == 0)
		t->n = 0;
	for (s = 0; s < 1U << t->bits; s++) {
		t->slots[s] = t->n ? unit_below(t->n) : RINGLB_NO_OWNER;
		if (unit_below(30) == 0)
			t->slots[s] = t->n + unit_below(2);
	}
}

/* Much as another one, as after a change */
static void changed_table(struct table *t, const struct table *old)
{
	u32 s;

	*t = *old;
	for (s = 0; s < 1U << t->bits && t->n; s++)
		if (unit_below(10) == 0)
			t->slots[s] = unit_below(t->n);
	if (t->n)
		t->m[unit_below(t->n)].weight++;
}

static u64 ident_at(const struct table *t, u32 slot, unsigned int bits)
{
	u16 owner = t->slots[slot / (1U << (bits - t->bits))];

	return owner < t->n ? t->m[owner].ident : 0;
}

/* 0 for a member that is not there, and for nobody */
static u32 weight_of(const struct table *t, u64 ident)
{
	u32 i;

	for (i = 0; i < t->n; i++)
		if (t->m[i].ident == ident)
			return t->m[i].weight;
	return 0;
}

static u32 index_of(const struct table *t, u64 ident)
{
	u32 i;

	for (i = 0; i < t->n; i++)
		if (t->m[i].ident == ident)
			return i;
	return RLB_NOBODY;
}

static bool is_unchanged(const struct table *a, const struct table *b, u64 ident)
{
	return weight_of(a, ident) && weight_of(a, ident) == weight_of(b, ident);
}

static void compare(const struct table *a, const struct table *b)
{
	static u32 matrix[MEMBERS + 1][MEMBERS + 1];
	unsigned int bits = a->bits > b->bits ? a->bits : b->bits;
	const struct rlb_side old = side(a), new = side(b);
	u32 s, i, j, moved = 0, needless = 0, pairs = 0, k = 0;
	struct rlb_diff d;

	memset(matrix, 0, sizeof(matrix));
	for (s = 0; s < 1U << bits; s++) {
		u64 from = ident_at(a, s, bits), to = ident_at(b, s, bits);

		if (from == to)
			continue;
		moved++;
		needless += is_unchanged(a, b, from) && is_unchanged(a, b, to);
		i = index_of(a, from);
		j = index_of(b, to);
		matrix[i == RLB_NOBODY ? MEMBERS : i][j == RLB_NOBODY ? MEMBERS : j]++;
	}
	assert_int_equal(rlb_diff(&d, &old, &new), 0);
	assert_int_equal(d.slots, 1U << bits);
	assert_int_equal(d.moved, moved);
	assert_int_equal(d.needless, needless);
	for (i = 0; i <= MEMBERS; i++) {
		for (j = 0; j <= MEMBERS; j++) {
			if (!matrix[i][j])
				continue;
			pairs++;
			assert_in_range(k, 0, d.n_moves - 1);
			assert_int_equal(d.move[k].from, i == MEMBERS ? RLB_NOBODY : i);
			assert_int_equal(d.move[k].to, j == MEMBERS ? RLB_NOBODY : j);
			assert_int_equal(d.move[k].slots, matrix[i][j]);
			assert_int_equal(d.move[k].needless, i < MEMBERS && j < MEMBERS &&
					 is_unchanged(a, b, a->m[i].ident) &&
					 is_unchanged(a, b, b->m[j].ident));
			k++;
		}
	}
	assert_int_equal(d.n_moves, pairs);
	for (i = 0; i < a->n; i++)
		assert_int_equal(d.stays[i], index_of(b, a->m[i].ident));
	for (j = 0; j < b->n; j++)
		assert_int_equal(d.came[j], index_of(a, b->m[j].ident));
	rlb_diff_free(&d);
	assert_int_equal(unit_alloc_live, 0);
}

static void as_naive(void **unused)
{
	static struct table a, b;
	unsigned int round;

	for (round = 0; round < unit_rounds(3000); round++) {
		random_table(&a);
		if (round & 1)
			random_table(&b);
		else
			changed_table(&b, &a);
		compare(&a, &b);
	}
}

/* Of a ring nothing ever moves needlessly; two equal tables differ in nothing. */
static void of_methods(void **unused)
{
	const struct rlb_params p = { .vnodes = 40, .slack = 0 };
	static struct table a, b;
	unsigned int round;
	struct rlb_side old, new;
	struct rlb_diff d;
	u32 needless = 0;

	for (round = 0; round < unit_rounds(200); round++) {
		a.n = b.n = unit_between(3, MEMBERS - 1);
		a.bits = b.bits = 12;
		unit_members(a.m, a.n, 3);
		memcpy(b.m, a.m, sizeof(a.m));
		b.m[b.n].ident = unit_random();
		b.m[b.n++].weight = 2;
		unit_shuffle(b.m, b.n);
		rlb_lookup_build(&rlb_ring_ops, a.slots, 12, a.m, a.n, &p);
		rlb_lookup_build(&rlb_ring_ops, b.slots, 12, b.m, b.n, &p);
		old = side(&a);
		new = side(&b);
		assert_int_equal(rlb_diff(&d, &old, &new), 0);
		assert_true(d.moved > 0);
		assert_int_equal(d.needless, 0);
		rlb_diff_free(&d);
		assert_int_equal(rlb_diff(&d, &new, &new), 0);
		assert_int_equal(d.moved, 0);
		assert_int_equal(d.n_moves, 0);
		rlb_diff_free(&d);
		rlb_lookup_build(&rlb_rendezvous_ops, a.slots, 12, a.m, a.n, &p);
		rlb_lookup_build(&rlb_rendezvous_ops, b.slots, 12, b.m, b.n, &p);
		assert_int_equal(rlb_diff(&d, &old, &new), 0);
		needless += d.needless;
		rlb_diff_free(&d);
	}
	assert_true(needless > 0);
}

/* Every slot of the largest table moves, among as many members as there can be. */
static void limits(void **unused)
{
	static struct rlb_member m[RINGLB_BACKENDS_MAX];
	u16 *x = malloc(sizeof(*x) << 20), *y = malloc(sizeof(*y) << 20);
	struct rlb_side old = { x, m, RINGLB_BACKENDS_MAX, 20 };
	struct rlb_side new = { y, m, RINGLB_BACKENDS_MAX, 20 };
	struct rlb_diff d;
	u32 s;

	unit_members(m, RINGLB_BACKENDS_MAX, 3);
	for (s = 0; s < 1 << 20; s++) {
		x[s] = s % RINGLB_BACKENDS_MAX;
		y[s] = (s + 1 + s / RINGLB_BACKENDS_MAX) % RINGLB_BACKENDS_MAX;
	}
	assert_int_equal(rlb_diff(&d, &old, &new), 0);
	assert_int_equal(d.moved, 1 << 20);
	assert_int_equal(d.needless, 1 << 20);
	assert_int_equal(d.n_moves, 1 << 20);
	for (s = 0; s < 1 << 20; s++)
		assert_int_equal(d.move[s].from, s >> 8);
	rlb_diff_free(&d);
	free(y);
	free(x);
}

static void no_memory(void **unused)
{
	static struct table a, b;
	struct rlb_side old, new;
	struct rlb_diff d;
	long calls, at;

	do {
		random_table(&a);
		random_table(&b);
	} while (!a.n || !b.n);
	old = side(&a);
	new = side(&b);
	unit_alloc_calls = 0;
	assert_int_equal(rlb_diff(&d, &old, &new), 0);
	rlb_diff_free(&d);
	calls = unit_alloc_calls;
	for (at = 0; at < calls; at++) {
		unit_alloc_fail_at = at;
		assert_int_equal(rlb_diff(&d, &old, &new), -ENOMEM);
		assert_int_equal(unit_alloc_live, 0);
		assert_null(d.move);
	}
	unit_alloc_fail_at = -1;
	assert_int_equal(rlb_diff(&d, &old, &new), 0);
	rlb_diff_free(&d);
	rlb_diff_free(&d);	/* once more does no harm */
	assert_int_equal(unit_alloc_live, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("diff: pair by pair as a naive matrix", as_naive),
		CLAIM("diff: a ring moves nothing needlessly, rendezvous with slack does",
		      of_methods),
		CLAIM("diff: the largest tables", limits),
		CLAIM("diff: without memory it fails and loses nothing", no_memory),
	};

	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
