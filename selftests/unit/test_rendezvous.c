// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rendezvous.c - module/lookup/rendezvous.c against a naive twin, and what it promises
 *
 * The naive twin shares no code with rendezvous.c: it sorts all pairs of member and slot by
 * score and goes through them once, handing out slots.
 */
#include <errno.h>
#include <math.h>

#include "figures.h"
#include "unit.h"

#define MEMBERS 64
#define SLOTS_MAX (1U << 20)

/* rendezvous.c once more, in longer rounds: see Makefile */
extern const struct rlb_lookup_ops coarse_rendezvous_ops;

static u16 slots[SLOTS_MAX], other[SLOTS_MAX], twin[SLOTS_MAX];

struct set {
	struct rlb_member m[MEMBERS];
	unsigned int bits;
	u32 n;
	u32 slack;
};

static void build(u16 *to, const struct set *set)
{
	const struct rlb_params p = { .slack = set->slack };

	assert_int_equal(rlb_lookup_build(&rlb_rendezvous_ops, to, set->bits, set->m, set->n,
					  &p), 0);
	assert_int_equal(unit_alloc_live, 0);
}

/* --- the naive twin ------------------------------------------------------ */

typedef unsigned __int128 u128;

/* One member and one slot: score is level / weight. */
struct pair {
	u64 level;
	u64 tie;
	u64 ident;
	u32 weight;
	u32 member;
	u32 slot;
};

static int by_score(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	u128 left = (u128)x->level * y->weight, right = (u128)y->level * x->weight;

	if (left != right)
		return left < right ? -1 : 1;
	if (x->tie != y->tie)
		return x->tie < y->tie ? -1 : 1;
	return x->ident < y->ident ? -1 : x->ident > y->ident;
}

static int by_value(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return *x - *y;
}

static u64 sum_of_weights(const struct set *set)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < set->n; i++)
		sum += set->m[i].weight;
	return sum;
}

/* 2^16 x (1 + slack x (n - 1)/10) x quota, n - 1 at most 10, the part of a unit rounded down */
static u64 naive_allowance(const struct set *set, u32 i)
{
	u32 others = set->n - 1 < 10 ? set->n - 1 : 10;

	return ((u128)(10000 + set->slack * others) * set->m[i].weight << (set->bits + 16)) /
	       ((u128)10000 * sum_of_weights(set));
}

/*
 * floor(allowance + theta + more): the least @more, in 2^-16, at which all caps together are
 * enough is one of the values at which some cap grows.
 */
static void naive_caps(const struct set *set, u32 *cap)
{
	int grows[MEMBERS], lack[MEMBERS], missing = 1 << set->bits;
	u32 i;

	for (i = 0; i < set->n; i++) {
		u64 a = naive_allowance(set, i);
		u64 theta = unit_splitmix(set->m[i].ident, 2) >> 48;

		cap[i] = a / 65536;
		missing -= cap[i];
		grows[i] = lack[i] = (int)(65536 - a % 65536) - (int)theta;
		if (lack[i] < 0)
			grows[i] = lack[i] = 0;
	}
	qsort(grows, set->n, sizeof(*grows), by_value);
	if (missing > (int)set->n)
		refute("caps with theta 1 miss slots");
	for (i = 0; i < set->n; i++)
		cap[i] += lack[i] <= (missing > 0 ? grows[missing - 1] : 0);
}

static u32 naive_slot(u64 ident, unsigned int bits, u32 rank)
{
	u64 draw = unit_splitmix(ident, 1);
	u64 stride = draw / (1ULL << 32) | 1;

	return (draw % (1ULL << bits) + rank * (stride % (1ULL << bits))) % (1ULL << bits);
}

static struct pair *naive_pairs(const struct set *set)
{
	struct pair *pairs = calloc((size_t)set->n << set->bits, sizeof(*pairs)), *p = pairs;
	u32 M = 1U << set->bits, r, i;
	u64 sum, half;

	assert_non_null(pairs);
	for (i = 0; i < set->n; i++) {
		for (sum = 0, r = 0; r < M; r++, p++) {
			half = (1ULL << 43) / (M - r);
			p->slot = naive_slot(set->m[i].ident, set->bits, r);
			p->level = sum + half;
			p->weight = set->m[i].weight;
			p->member = i;
			p->ident = set->m[i].ident;
			p->tie = unit_splitmix(p->ident ^ (u64)p->slot << 44, 0);
			sum += 2 * half;
		}
	}
	qsort(pairs, (size_t)set->n << set->bits, sizeof(*pairs), by_score);
	return pairs;
}

/* Those below quota - sqrt(5/2 quota) take from those above their quotas. */
static void naive_feed(const struct set *set, u32 *own)
{
	u32 M = 1U << set->bits, i, k, r, root, floor, quota[MEMBERS], order[MEMBERS];

	for (i = 0; i < set->n; i++) {
		quota[i] = (u64)M * set->m[i].weight / sum_of_weights(set);
		for (k = i; k && set->m[order[k - 1]].ident > set->m[i].ident; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	for (k = 0; k < set->n; k++) {
		i = order[k];
		for (root = 0; 2 * (root + 1) * (root + 1) <= 5 * quota[i]; root++)
			;
		floor = quota[i] > root ? quota[i] - root : 0;
		for (r = 0; own[i] < floor; r++) {
			u32 s = naive_slot(set->m[i].ident, set->bits, r);

			if (own[twin[s]] <= quota[twin[s]])
				continue;
			own[twin[s]]--;
			own[i]++;
			twin[s] = i;
		}
	}
}

/* Returns how many slots changed hands in the end. */
static void naive_build(const struct set *set)
{
	struct pair *pairs = naive_pairs(set);
	u32 cap[MEMBERS], own[MEMBERS] = { 0 };
	size_t k;

	if (set->slack == RLB_SLACK_NONE)
		memset(cap, 0x7f, sizeof(cap));
	else
		naive_caps(set, cap);
	memset(twin, 0xff, sizeof(*twin) << set->bits);
	for (k = 0; k < (size_t)set->n << set->bits; k++) {
		if (twin[pairs[k].slot] != 0xffff || own[pairs[k].member] == cap[pairs[k].member])
			continue;
		twin[pairs[k].slot] = pairs[k].member;
		own[pairs[k].member]++;
	}
	if (set->slack != RLB_SLACK_NONE)
		naive_feed(set, own);
	free(pairs);
}

static void compare(const struct set *set)
{
	const struct rlb_params p = { .slack = set->slack };
	u32 s;

	build(slots, set);
	assert_int_equal(rlb_lookup_build(&coarse_rendezvous_ops, other, set->bits, set->m,
					  set->n, &p), 0);
	naive_build(set);
	for (s = 0; s < 1U << set->bits; s++)
		if (slots[s] != twin[s] || other[s] != twin[s])
			refute("%u members, slack %u, 2^%u slots: slot %u is of %u/%u, not of %u",
			       set->n, set->slack, set->bits, s, slots[s], other[s], twin[s]);
}

static u32 random_slack(void)
{
	static const u32 slack[] = { 0, 1, 10, 10, 20, 100, RINGLB_SLACK_MAX, RLB_SLACK_NONE };

	return slack[unit_below(sizeof(slack) / sizeof(*slack))];
}

static struct set random_set(unsigned int bits_low, unsigned int bits_high, u32 n_max)
{
	struct set set = {
		.n = unit_between(1, n_max),
		.bits = unit_between(bits_low, bits_high),
		.slack = random_slack(),
	};

	unit_members(set.m, set.n, unit_weight_max());
	return set;
}

static void as_naive(void **unused)
{
	unsigned int round;
	struct set set;

	for (round = 0; round < unit_rounds(4000); round++) {
		set = random_set(1, 8, 40);
		unit_shuffle(set.m, set.n);
		compare(&set);
	}
	/* Tight caps: claims lost late, to be made up for after all slots are taken */
	for (round = 0; round < unit_rounds(1500); round++) {
		set = random_set(6, 10, 60);
		set.slack = unit_below(3);
		compare(&set);
	}
	for (round = 0; round < unit_rounds(6); round++) {
		set = random_set(12, 13, 30);
		compare(&set);
	}
}

/* x of x ^ x >> shift */
static u64 undo_shift(u64 y, unsigned int shift)
{
	u64 x = y;

	for (; y >>= shift; )
		x ^= y;
	return x;
}

/* The identity that draws this permutation: splitmix64 backwards, one step. */
static u64 ident_of(u32 first, u32 stride)
{
	u64 z = undo_shift((u64)stride << 32 | first, 31);

	z = undo_shift(z * UINT64_C(0x319642b2d24d8ec3), 27);	/* 1 / 0x94d049bb133111eb */
	z = undo_shift(z * UINT64_C(0x96de1b173f119089), 30);	/* 1 / 0xbf58476d1ce4e5b9 */
	return z - UINT64_C(11400714819323198485);
}

/* Members that come to each slot a few ranks after another one: they starve, and are fed. */
static void as_naive_alike(void **unused)
{
	unsigned int round;
	struct set set;
	u32 i, stride;

	for (round = 0; round < unit_rounds(1000); round++) {
		set = random_set(6, 10, 12);
		stride = unit_random() | 1;
		for (i = 0; i < set.n; i++)
			if (unit_below(3))
				set.m[i].ident = ident_of((unit_below(64) << 20) - i * stride *
							  (1 + unit_below(2)), stride);
		unit_shuffle(set.m, set.n);
		compare(&set);
	}
	assert_int_equal(unit_splitmix(ident_of(5, 77), 1), 77ULL << 32 | 5);
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

/* own <= (1 + slack) x quota + 1, in integers; own >= floor(quota) - sqrt(5/2 quota) */
static void bounded(void **unused)
{
	unsigned int round;
	struct set set;

	for (round = 0; round < unit_rounds(1000); round++) {
		u32 own[MEMBERS + 1], i;
		u64 sum, low;

		set = random_set(8, 14, 60);
		if (set.slack == RLB_SLACK_NONE)
			continue;
		build(slots, &set);
		unit_shares(slots, set.bits, set.n, own);
		assert_int_equal(own[set.n], 0);
		sum = sum_of_weights(&set);
		for (i = 0; i < set.n; i++) {
			u64 quota = set.m[i].weight * (1ULL << set.bits) / sum;

			if ((own[i] - 1ULL) * 1000 * sum > (u64)set.m[i].weight *
			    (1000 + set.slack) * (1ULL << set.bits) && own[i])
				refute("weight %u of %llu owns %u of 2^%u slots",
				       set.m[i].weight, (long long)sum, own[i], set.bits);
			low = own[i] < quota ? quota - own[i] : 0;
			if (2 * low * low > 5 * quota)
				refute("weight %u of %llu owns %u of 2^%u slots only",
				       set.m[i].weight, (long long)sum, own[i], set.bits);
		}
	}
}

/* 3:3:3 and 1:1:1, 100:200 and 1:2 are the same table. */
static void proportions(void **unused)
{
	struct set set, times;
	unsigned int round;
	u32 factor, i;

	for (round = 0; round < unit_rounds(200); round++) {
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

/* Slack none: slots move from or to the changed member alone. */
static void uncapped(void **unused)
{
	struct set set, after;
	unsigned int round;
	u32 s, i, change;
	u64 changed, from, to;

	for (round = 0; round < unit_rounds(600); round++) {
		set = random_set(8, 13, 60);
		set.slack = RLB_SLACK_NONE;
		after = set;
		change = unit_below(3);
		i = unit_below(set.n);
		changed = set.m[i].ident;
		if (change == 0) {
			changed = after.m[after.n].ident = unit_random();
			after.m[after.n++].weight = unit_between(1, 100);
		} else if (change == 1 && set.n > 1) {
			after.m[i] = after.m[--after.n];
		} else {
			after.m[i].weight = unit_between(1, RINGLB_WEIGHT_MAX);
		}
		unit_sort(after.m, after.n);
		build(slots, &set);
		build(other, &after);
		for (s = 0; s < 1U << set.bits; s++) {
			from = set.m[slots[s]].ident;
			to = after.m[other[s]].ident;
			if (from == to)
				continue;
			if (from != changed && to != changed)
				refute("slot %u went from %llx to %llx", s, (long long)from,
				       (long long)to);
			if (change == 0)
				assert_true(to == changed);
			if (change == 1 && set.n > 1)
				assert_true(from == changed);
		}
	}
}

/*
 * A weight gets what is its, in the mean over many pairs, however small beside the other: off
 * by no more than 4 standard deviations of as many independent slots.
 */
static void wide_weights(void **unused)
{
	static const u32 heavy[] = { 1, 2, 10, 100, 1000, 10000 };
	struct set set = { .bits = 14, .n = 2, .slack = RLB_SLACK_NONE };
	u32 k, s, own, round, light;
	double expected;

	for (k = 0; k < sizeof(heavy) / sizeof(*heavy); k++) {
		for (own = 0, round = 0; round < 200; round++) {
			unit_members(set.m, 2, 1);
			light = unit_below(2);
			set.m[!light].weight = heavy[k];
			build(slots, &set);
			for (s = 0; s < 16384; s++)
				own += slots[s] == light;
		}
		expected = 200 * 16384. / (heavy[k] + 1);
		if (fabs(own - expected) > 4 * sqrt(expected))
			refute("1:%u: the light one owns %u, %.0f expected", heavy[k], own,
			       expected);
	}
}

/* --- figures ------------------------------------------------------------- */

#define RENDEZVOUS .ops = &rlb_rendezvous_ops, .params = { .slack = 10 }

static void figures_balance(void **unused)
{
	struct figures f = { RENDEZVOUS, .bits = 16 };

	f.n = 3, f.sets = 100;
	figures_shares_within(&f, 9890, 10020);
	f.n = 10, f.sets = 20;
	figures_shares_within(&f, 9800, 10105);
	f.n = 100, f.sets = 10;
	figures_shares_within(&f, 9380, 10105);
	f.n = 1000;
	figures_shares_within(&f, 8080, 10250);
}

static void figures_disruption(void **unused)
{
	struct figures f = { RENDEZVOUS, .bits = 16 };

	f.n = 10, f.sets = 40;
	figures_excess_at_most(&f, 500);
	f.n = 30, f.sets = 20;
	figures_excess_at_most(&f, 4000);
	f.n = 100, f.sets = 10;
	figures_excess_at_most(&f, 20000);
	f.n = 1000, f.sets = 5;
	figures_excess_at_most(&f, 210000);
	f.params.slack = 20;
	figures_excess_at_most(&f, 160000);
}

static void figures_big(void **unused)
{
	struct figures f = { RENDEZVOUS, .bits = 20, .sets = 1 };

	f.n = 100;
	figures_excess_at_most(&f, 1000);
	f.n = 1000;
	figures_excess_at_most(&f, 40000);
}

static void figures_agreement(void **unused)
{
	struct figures f = { RENDEZVOUS, .bits = 16, .sets = 2 };

	f.n = 10;
	figures_needless_at_most(&f, 50);
	f.n = 100;
	figures_needless_at_most(&f, 400);
	f.n = 1000;
	figures_needless_at_most(&f, 1600);
	f.params.slack = RLB_SLACK_NONE;
	figures_needless_at_most(&f, 0);
	figures_excess_at_most(&f, 0);
}

/* --- limits and failures ------------------------------------------------- */

static void limits(void **unused)
{
	static struct rlb_member m[RINGLB_BACKENDS_MAX];
	struct rlb_params p = { .slack = RINGLB_SLACK_MAX };
	u32 i, s;

	unit_members(m, RINGLB_BACKENDS_MAX, RINGLB_WEIGHT_MAX);
	for (i = 0; i < RINGLB_BACKENDS_MAX; i++)
		m[i].weight = RINGLB_WEIGHT_MAX - (i & 1);
	assert_int_equal(rlb_lookup_build(&rlb_rendezvous_ops, slots, 20, m,
					  RINGLB_BACKENDS_MAX, &p), 0);
	for (s = 0; s < SLOTS_MAX; s++)
		assert_in_range(slots[s], 0, RINGLB_BACKENDS_MAX - 1);
	p.slack = 0;
	assert_int_equal(rlb_lookup_build(&rlb_rendezvous_ops, slots, 12, m,
					  RINGLB_BACKENDS_MAX, &p), 0);
	for (s = 0; s < 4096; s++)
		assert_in_range(slots[s], 0, RINGLB_BACKENDS_MAX - 1);

	p.slack = RINGLB_SLACK_MAX + 1;
	assert_int_equal(rlb_rendezvous_ops.check(m, 1, &p), -ERANGE);
	p.slack = RLB_SLACK_NONE - 1;
	assert_int_equal(rlb_rendezvous_ops.check(m, 1, &p), -ERANGE);
	p.slack = RLB_SLACK_NONE;
	assert_int_equal(rlb_rendezvous_ops.check(m, 1, &p), 0);
}

static void few(void **unused)
{
	struct set set = { .bits = 16, .slack = 10 };
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
	const struct rlb_params p = { .slack = 10 };
	struct set set = random_set(12, 12, 40);

	unit_no_memory(&rlb_rendezvous_ops, 12, set.m, set.n, &p);
}

static void registry(void **unused)
{
	assert_ptr_equal(rlb_lookup_find(RINGLB_METHOD_RENDEZVOUS), &rlb_rendezvous_ops);
	assert_ptr_equal(rlb_lookup_by_name("rendezvous"), &rlb_rendezvous_ops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("rendezvous: slot for slot as a naive twin", as_naive),
		CLAIM("rendezvous: as the twin when permutations are alike", as_naive_alike),
		CLAIM("rendezvous: order of arrival does not matter", order),
		CLAIM("rendezvous: no share beyond its cap or its floor", bounded),
		CLAIM("rendezvous: only the proportions of weights count", proportions),
		CLAIM("rendezvous: without slack a change moves slots of one alone", uncapped),
		CLAIM("rendezvous: shares follow weights up to 1:10000", wide_weights),
		CLAIM("rendezvous: figures of balance", figures_balance),
		CLAIM("rendezvous: figures of movement", figures_disruption),
		CLAIM("rendezvous: figures of movement with 2^20 slots", figures_big),
		CLAIM("rendezvous: figures of agreement", figures_agreement),
		CLAIM("rendezvous: at its limits, and beyond them", limits),
		CLAIM("rendezvous: no backend owns nothing, a single one all", few),
		CLAIM("rendezvous: without memory it fails and loses nothing", no_memory),
		CLAIM("rendezvous: is found by number and by word", registry),
	};

	return cmocka_run_group_tests_name("rendezvous", tests, NULL, NULL);
}
