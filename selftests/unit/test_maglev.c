// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_maglev.c - module/lookup/maglev.c against a naive twin, and what it promises
 *
 * The naive twin shares no code with maglev.c: it sorts all turns by their exact times and
 * looks, at each turn, through the member's permutation from its beginning.
 */
#include <errno.h>

#include "figures.h"
#include "unit.h"

#define MEMBERS 64
#define SLOTS_MAX (1U << 20)

static u16 slots[SLOTS_MAX], other[SLOTS_MAX], twin[SLOTS_MAX];

struct set {
	struct rlb_member m[MEMBERS];
	unsigned int bits;
	u32 n;
};

static const struct rlb_params none;

static void build(u16 *to, const struct set *set)
{
	assert_int_equal(rlb_lookup_build(&rlb_maglev_ops, to, set->bits, set->m, set->n,
					  &none), 0);
	assert_int_equal(unit_alloc_live, 0);
}

static struct set random_set(unsigned int bits_low, unsigned int bits_high, u32 n_max)
{
	struct set set = {
		.n = unit_between(1, n_max),
		.bits = unit_between(bits_low, bits_high),
	};

	unit_members(set.m, set.n, unit_weight_max());
	return set;
}

static u64 sum_of_weights(const struct set *set)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < set->n; i++)
		sum += set->m[i].weight;
	return sum;
}

/* --- the naive twin ------------------------------------------------------ */

/* Something at time num / den. */
struct turn {
	u64 num;
	u64 den;
	u64 ident;
	u32 member;
};

static int by_time(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;
	unsigned __int128 left = (unsigned __int128)x->num * y->den;
	unsigned __int128 right = (unsigned __int128)y->num * x->den;

	if (left != right)
		return left < right ? -1 : 1;
	return x->ident < y->ident ? -1 : x->ident > y->ident;
}

static void naive_quotas(const struct set *set, u32 *quota)
{
	u64 sum = sum_of_weights(set), M = 1ULL << set->bits;
	struct turn part[MEMBERS];
	u32 left = M, i;

	for (i = 0; i < set->n; i++) {
		quota[i] = M * set->m[i].weight / sum;
		left -= quota[i];
		part[i] = (struct turn) {
			.num = sum - M * set->m[i].weight % sum, .den = sum,
			.ident = set->m[i].ident, .member = i,
		};
	}
	qsort(part, set->n, sizeof(*part), by_time);
	for (i = 0; i < left; i++)
		quota[part[i].member]++;
}

static void naive_build(const struct set *set)
{
	struct turn *turns = calloc(1U << set->bits, sizeof(*turns)), *t = turns;
	u32 M = 1U << set->bits, quota[MEMBERS], i, k, s;
	u64 draw, r;

	naive_quotas(set, quota);
	for (i = 0; i < set->n; i++)
		for (k = 0; k < quota[i]; k++)
			*t++ = (struct turn) { 2 * k + 1, 2 * quota[i], set->m[i].ident, i };
	assert_int_equal(t - turns, M);
	qsort(turns, M, sizeof(*turns), by_time);
	memset(twin, 0xff, sizeof(*twin) * M);
	for (t = turns; t < turns + M; t++) {
		draw = unit_splitmix(t->ident, 4);
		r = 0;
		do
			s = (draw + r++ * (draw >> 32 | 1)) % M;
		while (twin[s] != 0xffff);
		twin[s] = t->member;
	}
	free(turns);
}

static void compare(const struct set *set)
{
	u32 s;

	build(slots, set);
	naive_build(set);
	for (s = 0; s < 1U << set->bits; s++)
		if (slots[s] != twin[s])
			refute("%u members, 2^%u slots: slot %u is of %u, not of %u",
			       set->n, set->bits, s, slots[s], twin[s]);
}

static void as_naive(void **unused)
{
	unsigned int round;
	struct set set;

	for (round = 0; round < unit_rounds(5000); round++) {
		set = random_set(1, 9, 40);
		if (set.n <= 1U << set.bits)
			compare(&set);
	}
	for (round = 0; round < unit_rounds(60); round++) {
		set = random_set(12, 13, 60);
		compare(&set);
	}
}

/* --- what it promises ---------------------------------------------------- */

static void order(void **unused)
{
	struct set set, mixed;
	unsigned int round;
	u32 s;

	for (round = 0; round < unit_rounds(300); round++) {
		set = random_set(8, 14, 60);
		mixed = set;
		build(slots, &set);
		unit_shuffle(mixed.m, mixed.n);
		build(other, &mixed);
		for (s = 0; s < 1U << set.bits; s++)
			assert_int_equal(set.m[slots[s]].ident, mixed.m[other[s]].ident);
		unit_sort(mixed.m, mixed.n);
		build(other, &mixed);
		assert_memory_equal(slots, other, sizeof(u16) << set.bits);
	}
}

static void is_exact(const struct set *set)
{
	u64 sum = sum_of_weights(set), M = 1ULL << set->bits, exact;
	u32 own[MEMBERS + 1], i;

	build(slots, set);
	unit_shares(slots, set->bits, set->n, own);
	assert_int_equal(own[set->n], 0);
	for (i = 0; i < set->n; i++) {
		exact = M * set->m[i].weight / sum;
		if (own[i] < exact || own[i] > exact + (M * set->m[i].weight % sum > 0))
			refute("weight %u of %llu owns %u of 2^%u slots", set->m[i].weight,
			       (long long)sum, own[i], set->bits);
	}
}

static void exact(void **unused)
{
	static const u32 lists[][4] = {
		{ 1, 10 }, { 1, 1000 }, { 3, 3, 3 }, { 65535, 1 }, { 1, 65535, 65535, 1 },
	};
	struct set set = { .bits = 16 };
	unsigned int round;
	u32 k;

	for (round = 0; round < unit_rounds(1000); round++) {
		set = random_set(6, 14, 60);
		is_exact(&set);
	}
	set.bits = 16;
	for (k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		for (set.n = 0; set.n < 4 && lists[k][set.n]; set.n++) {
			set.m[set.n].ident = unit_random();
			set.m[set.n].weight = lists[k][set.n];
		}
		is_exact(&set);
	}
}

/* 3:3:3 and 1:1:1, 100:200 and 1:2 are the same table. */
static void proportions(void **unused)
{
	struct set set, times;
	unsigned int round;
	u32 factor, i;

	for (round = 0; round < unit_rounds(300); round++) {
		set = random_set(8, 12, 30);
		unit_members(set.m, set.n, 20);
		factor = unit_between(2, 1000);
		times = set;
		for (i = 0; i < set.n; i++)
			times.m[i].weight *= factor;
		build(slots, &set);
		build(other, &times);
		assert_memory_equal(slots, other, sizeof(u16) << set.bits);
	}
}

/* --- figures ------------------------------------------------------------- */

static void figures_balance(void **unused)
{
	struct figures f = { .ops = &rlb_maglev_ops, .bits = 16, .sets = 2 };

	f.n = 3;
	figures_shares_within(&f, 9999, 10001);
	f.n = 10;
	figures_shares_within(&f, 9998, 10001);
	f.n = 100;
	figures_shares_within(&f, 9994, 10010);
	f.n = 1000;
	figures_shares_within(&f, 9918, 10071);
}

/* What others measured of Maglev with 65537 slots: 3, 57, 580 % and 0.20, 0.97, 3.4 %. */
static void figures_disruption(void **unused)
{
	struct figures f = { .ops = &rlb_maglev_ops, .bits = 16 };

	f.n = 10, f.sets = 10;
	figures_excess_at_most(&f, 3300);
	f.n = 100, f.sets = 40;
	figures_excess_at_most(&f, 60000);
	f.n = 1000, f.sets = 4;
	figures_excess_at_most(&f, 585000);
}

static void figures_agreement(void **unused)
{
	struct figures f = { .ops = &rlb_maglev_ops, .bits = 16, .sets = 2 };

	f.n = 10;
	figures_needless_at_most(&f, 200);
	f.n = 100;
	figures_needless_at_most(&f, 1000);
	f.n = 1000;
	figures_needless_at_most(&f, 3450);
}

/* --- limits and failures ------------------------------------------------- */

static void limits(void **unused)
{
	static struct rlb_member m[RINGLB_BACKENDS_MAX];
	u32 s, own[RINGLB_BACKENDS_MAX + 1];

	unit_members(m, RINGLB_BACKENDS_MAX, RINGLB_WEIGHT_MAX);
	assert_int_equal(rlb_lookup_build(&rlb_maglev_ops, slots, 20, m, RINGLB_BACKENDS_MAX,
					  &none), 0);
	unit_shares(slots, 20, RINGLB_BACKENDS_MAX, own);
	assert_int_equal(own[RINGLB_BACKENDS_MAX], 0);

	for (s = 0; s < RINGLB_BACKENDS_MAX; s++)
		m[s].weight = RINGLB_WEIGHT_MAX;
	assert_int_equal(rlb_lookup_build(&rlb_maglev_ops, slots, 12, m, RINGLB_BACKENDS_MAX,
					  &none), 0);
	unit_shares(slots, 12, RINGLB_BACKENDS_MAX, own);
	for (s = 0; s < 4096; s++)
		assert_int_equal(own[s], 1);
}

static void too_many(void **unused)
{
	struct rlb_member m[17];
	u32 s;

	unit_members(m, 17, 1);
	memset(slots, 0x5a, sizeof(slots));
	assert_int_equal(rlb_lookup_build(&rlb_maglev_ops, slots, 4, m, 17, &none), -E2BIG);
	for (s = 0; s < SLOTS_MAX; s++)
		assert_int_equal(slots[s], 0x5a5a);
	assert_int_equal(rlb_lookup_build(&rlb_maglev_ops, slots, 4, m, 16, &none), 0);
	assert_int_equal(unit_alloc_live, 0);
}

static void few(void **unused)
{
	struct set set = { .bits = 16 };
	u32 s;

	build(slots, &set);
	for (s = 0; s < 65536; s++)
		assert_int_equal(slots[s], RINGLB_NO_OWNER);
	set.n = 1;
	unit_members(set.m, 1, 1);
	for (set.bits = 1; set.bits <= 20; set.bits++) {
		build(slots, &set);
		for (s = 0; s < 1U << set.bits; s++)
			assert_int_equal(slots[s], 0);
	}
}

static void no_memory(void **unused)
{
	struct set set = random_set(12, 12, 40);

	unit_no_memory(&rlb_maglev_ops, 12, set.m, set.n, &none);
}

static void registry(void **unused)
{
	assert_ptr_equal(rlb_lookup_find(RINGLB_METHOD_MAGLEV), &rlb_maglev_ops);
	assert_ptr_equal(rlb_lookup_by_name("maglev"), &rlb_maglev_ops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("maglev: slot for slot as a naive twin", as_naive),
		CLAIM("maglev: order of arrival does not matter", order),
		CLAIM("maglev: every share is within one slot of exact", exact),
		CLAIM("maglev: only the proportions of weights count", proportions),
		CLAIM("maglev: figures of balance", figures_balance),
		CLAIM("maglev: figures of movement", figures_disruption),
		CLAIM("maglev: figures of agreement", figures_agreement),
		CLAIM("maglev: at its limits", limits),
		CLAIM("maglev: more backends than slots are refused, slots untouched", too_many),
		CLAIM("maglev: no backend owns nothing, a single one all", few),
		CLAIM("maglev: without memory it fails and loses nothing", no_memory),
		CLAIM("maglev: is found by number and by word", registry),
	};

	return cmocka_run_group_tests_name("maglev", tests, NULL, NULL);
}
