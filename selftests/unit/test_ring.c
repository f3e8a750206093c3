// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ring.c - module/lookup/ring.c against a naive ring, and what consistent hashing promises
 *
 * The naive ring shares no code with ring.c: it sorts all points and searches, for each
 * slot, the first at or after the slot's first position.
 */
#include <errno.h>
#include <math.h>

#include "unit.h"

#define MEMBERS 64
#define BITS_MAX 16
#define SLOTS_MAX (1U << BITS_MAX)

static u16 slots[SLOTS_MAX], other[SLOTS_MAX];

/* --- the naive ring ------------------------------------------------------ */

struct point {
	u64 at;
	u32 owner;
};

static int by_place(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static size_t naive_points(struct point **points, const struct rlb_member *m, u32 n, u32 vnodes)
{
	size_t count = 0;
	u32 i, j;

	for (i = 0; i < n; i++)
		count += (size_t)m[i].weight * vnodes;
	*points = calloc(count, sizeof(**points));
	assert_non_null(*points);
	count = 0;
	for (i = 0; i < n; i++) {
		for (j = 1; j <= m[i].weight * vnodes; j++) {
			(*points)[count].at = unit_splitmix(m[i].ident, j);
			(*points)[count++].owner = i;
		}
	}
	qsort(*points, count, sizeof(**points), by_place);
	return count;
}

static u32 naive_owner(const struct point *points, size_t count, u64 position)
{
	size_t low = 0, high = count, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (points[mid].at < position)
			low = mid + 1;
		else
			high = mid;
	}
	return points[low == count ? 0 : low].owner;
}

static void naive_compare(unsigned int bits, const struct rlb_member *m, u32 n, u32 vnodes)
{
	struct point *points;
	size_t count = naive_points(&points, m, n, vnodes);
	u32 s, owner;

	for (s = 0; s < 1U << bits; s++) {
		owner = naive_owner(points, count, (u64)s << (64 - bits));
		if (slots[s] != owner)
			refute("%u members, vnodes %u, 2^%u slots: slot %u is of %u, not of %u",
			       n, vnodes, bits, s, slots[s], owner);
	}
	free(points);
}

/* --- building ------------------------------------------------------------ */

static void build(u16 *to, unsigned int bits, const struct rlb_member *m, u32 n, u32 vnodes)
{
	const struct rlb_params p = { .vnodes = vnodes };

	assert_int_equal(rlb_lookup_build(&rlb_ring_ops, to, bits, m, n, &p), 0);
	assert_int_equal(unit_alloc_live, 0);
}

struct set {
	struct rlb_member m[MEMBERS];
	unsigned int bits;
	u32 n;
	u32 vnodes;
};

/* Up to 60 members of weight 1..20 and 1..200 virtual nodes: up to 240000 points. */
static struct set random_set(void)
{
	struct set set = {
		.n = unit_between(1, 60),
		.bits = 12 + unit_below(5),
		.vnodes = unit_between(1, 200),
	};

	unit_members(set.m, set.n, unit_between(1, 20));
	return set;
}

static void as_naive(void **unused)
{
	unsigned int round;
	struct set set;

	for (round = 0; round < unit_rounds(2000); round++) {
		set = random_set();
		build(slots, set.bits, set.m, set.n, set.vnodes);
		naive_compare(set.bits, set.m, set.n, set.vnodes);
	}
}

/*
 * Identities one step of the walk apart share all points but one: the lower index wins each.
 * Identities are public hashes, so someone may look for such a pair.
 */
static void as_naive_ties(void **unused)
{
	unsigned int round;
	struct set set;
	u32 i;

	for (round = 0; round < unit_rounds(300); round++) {
		set = random_set();
		for (i = 1; i < set.n; i++)
			set.m[i].ident = set.m[0].ident +
				(u64)unit_below(50) * UINT64_C(0x9e3779b97f4a7c15);
		build(slots, set.bits, set.m, set.n, set.vnodes);
		naive_compare(set.bits, set.m, set.n, set.vnodes);
	}
}

static void as_naive_limits(void **unused)
{
	static u16 big[1 << 20];
	struct rlb_member m[3] = {
		{ .ident = 1, .weight = 1 }, { .ident = 2, .weight = 63 },
		{ .ident = 3, .weight = 64 },
	};
	struct point *points;
	size_t count;
	u32 s;

	build(slots, 1, m, 3, 7);
	naive_compare(1, m, 3, 7);
	build(slots, 16, m, 3, RINGLB_POINTS_MAX / 128);
	naive_compare(16, m, 3, RINGLB_POINTS_MAX / 128);

	build(big, 20, m, 3, 100);
	count = naive_points(&points, m, 3, 100);
	for (s = 0; s < 1U << 20; s++)
		assert_int_equal(big[s], naive_owner(points, count, (u64)s << 44));
	free(points);
}

/* --- what follows from being a ring -------------------------------------- */

static void shuffle(struct rlb_member *m, u32 n)
{
	struct rlb_member keep;
	u32 i, j;

	for (i = n; i > 1; i--) {
		j = unit_below(i);
		keep = m[j];
		m[j] = m[i - 1];
		m[i - 1] = keep;
	}
}

/* Sorted again: the same bytes. As they come: the same owners, under other indexes. */
static void order(void **unused)
{
	unsigned int round;
	struct set set, mixed;
	u32 s;

	for (round = 0; round < unit_rounds(200); round++) {
		set = random_set();
		mixed = set;
		build(slots, set.bits, set.m, set.n, set.vnodes);
		shuffle(mixed.m, mixed.n);
		build(other, set.bits, mixed.m, mixed.n, mixed.vnodes);
		for (s = 0; s < 1U << set.bits; s++)
			assert_int_equal(set.m[slots[s]].ident, mixed.m[other[s]].ident);
		unit_sort(mixed.m, mixed.n);
		build(other, set.bits, mixed.m, mixed.n, mixed.vnodes);
		assert_memory_equal(slots, other, sizeof(u16) << set.bits);
	}
}

/* Between two tables, slots may move from or to the member with this identity, never among
 * the others. Returns how many moved.
 */
static u32 moves_only(const struct set *before, const struct set *after, u64 from, u64 to)
{
	u64 old, new;
	u32 moved = 0;
	u32 s;

	build(slots, before->bits, before->m, before->n, before->vnodes);
	build(other, after->bits, after->m, after->n, after->vnodes);
	for (s = 0; s < 1U << before->bits; s++) {
		old = before->m[slots[s]].ident;
		new = after->m[other[s]].ident;
		if (old == new)
			continue;
		moved++;
		if ((from && old != from) || (to && new != to))
			refute("slot %u went from %llx to %llx", s, (long long)old,
			       (long long)new);
	}
	return moved;
}

static u32 owned(const u16 *table, unsigned int bits, u32 index)
{
	u32 count = 0;
	u32 s;

	for (s = 0; s < 1U << bits; s++)
		count += table[s] == index;
	return count;
}

static u32 index_of(const struct set *set, u64 ident)
{
	u32 i;

	for (i = 0; i < set->n; i++)
		if (set->m[i].ident == ident)
			return i;
	fail();
	return 0;
}

static void adding(void **unused)
{
	struct set before, after;
	unsigned int round;
	u32 moved;
	u64 new;

	for (round = 0; round < unit_rounds(500); round++) {
		before = random_set();
		after = before;
		new = unit_random();
		after.m[after.n].ident = new;
		after.m[after.n++].weight = unit_between(1, 20);
		unit_sort(after.m, after.n);
		moved = moves_only(&before, &after, 0, new);
		assert_int_equal(moved, owned(other, after.bits, index_of(&after, new)));
	}
}

static void removing(void **unused)
{
	struct set before, after;
	unsigned int round;
	u32 i, moved;
	u64 gone;

	for (round = 0; round < unit_rounds(500); round++) {
		before = random_set();
		if (before.n < 2)
			continue;
		after = before;
		i = unit_below(before.n);
		gone = before.m[i].ident;
		after.m[i] = after.m[--after.n];
		unit_sort(after.m, after.n);
		moved = moves_only(&before, &after, gone, 0);
		assert_int_equal(moved, owned(slots, before.bits, i));
	}
}

static void weighing(void **unused)
{
	struct set before, after;
	unsigned int round;
	u64 changed;
	u32 i;

	for (round = 0; round < unit_rounds(500); round++) {
		before = random_set();
		after = before;
		i = unit_below(before.n);
		changed = before.m[i].ident;
		after.m[i].weight += unit_between(1, 20);
		moves_only(&before, &after, 0, changed);	/* up: to it */
		moves_only(&after, &before, changed, 0);	/* down: from it */
	}
}

/* Four equal members and a fifth: about a fifth of the ring. */
static void fifth(void **unused)
{
	struct set before = { .bits = 16, .vnodes = RINGLB_VNODES_DEFAULT, .n = 4 };
	double share, bound = 6 * sqrt(0.2 * 0.8 * (1 / 801. + 1 / 65536.));
	unsigned int round;
	struct set after;
	u64 new;

	for (round = 0; round < unit_rounds(200); round++) {
		unit_members(before.m, 4, 1);
		after = before;
		new = unit_random();
		after.m[after.n].ident = new;
		after.m[after.n++].weight = 1;
		unit_sort(after.m, after.n);
		share = moves_only(&before, &after, 0, new) / 65536.;
		if (fabs(share - 0.2) > bound)
			refute("a fifth member took %.4f of the slots", share);
	}
}

/* --- shares -------------------------------------------------------------- */

/*
 * K random points cut the circle into K arcs; those that end in a member's k points are a
 * Beta(k, K - k) part of it: mean p = k / K, variance p (1 - p) / (K + 1). The table samples
 * the circle at 2^bits places, which adds at most p (1 - p) / 2^bits. So the square of
 * z = (share - p) / deviation is 1 on average. Over a few thousand members with at least 160
 * points each, no |z| passes 6, and the mean of z^2 stays within 6 sqrt(2 / count) of 1,
 * from below by half: the sampling term is an upper bound.
 */
static void shares(void **unused)
{
	unsigned int round, count = 0;
	double z, p, all, sum = 0;
	struct set set;
	u32 i;

	for (round = 0; round < unit_rounds(200); round++) {
		set = random_set();
		set.bits = 16;
		set.vnodes = RINGLB_VNODES_DEFAULT;
		if (set.n < 2)
			continue;
		build(slots, 16, set.m, set.n, set.vnodes);
		for (all = 0, i = 0; i < set.n; i++)
			all += set.m[i].weight;
		for (i = 0; i < set.n; i++) {
			p = set.m[i].weight / all;
			z = (owned(slots, 16, i) / 65536. - p) /
				sqrt(p * (1 - p) * (1 / (all * 160 + 1) + 1 / 65536.));
			if (fabs(z) > 6)
				refute("weight %u of %.0f: off by %.1f deviations",
				       set.m[i].weight, all, z);
			sum += z * z;
			count++;
		}
	}
	if (sum / count > 1 + 6 * sqrt(2. / count) || sum / count < 0.5)
		refute("mean square deviation is %.3f of what chance allows", sum / count);
}

/* --- limits and failures ------------------------------------------------- */

static int check(const struct rlb_member *m, u32 n, u32 vnodes)
{
	const struct rlb_params p = { .vnodes = vnodes };

	return rlb_ring_ops.check(m, n, &p);
}

static void limit_is(const struct rlb_member *m, u32 n, u64 expected)
{
	u64 max = rlb_ring_vnodes_max(m, n);

	assert_int_equal(max, expected);
	if (max)
		assert_int_equal(check(m, n, max), 0);
	if (max < RINGLB_VNODES_MAX)
		assert_int_equal(check(m, n, max + 1), -E2BIG);
}

static void limit(void **unused)
{
	static struct rlb_member m[RINGLB_BACKENDS_MAX];
	unsigned int round;
	u64 sum;
	u32 i, n;

	m[0].weight = 1;
	limit_is(m, 1, 65535);
	m[0].weight = 64;
	limit_is(m, 1, 65535);		/* 65536 would fit but is above its own limit */
	m[0].weight = 65;
	limit_is(m, 1, 64527);
	m[0].weight = 65535;
	limit_is(m, 1, 64);
	for (i = 0; i < RINGLB_BACKENDS_MAX; i++)
		m[i].weight = 1024;
	limit_is(m, RINGLB_BACKENDS_MAX, 1);	/* 2^22 points exactly */
	m[0].weight++;
	limit_is(m, RINGLB_BACKENDS_MAX, 0);
	for (i = 0; i < RINGLB_BACKENDS_MAX; i++)
		m[i].weight = RINGLB_WEIGHT_MAX;
	limit_is(m, RINGLB_BACKENDS_MAX, 0);
	assert_int_equal(check(m, RINGLB_BACKENDS_MAX, RINGLB_VNODES_MAX), -E2BIG);
	m[2].weight = 2;
	assert_int_equal(check(m, 3, 32768), -E2BIG);	/* 2^32 points: 0 in 32 bits */

	for (round = 0; round < 1000; round++) {
		n = unit_between(1, RINGLB_BACKENDS_MAX);
		for (sum = 0, i = 0; i < n; i++)
			sum += m[i].weight = unit_between(1, RINGLB_WEIGHT_MAX);
		sum = RINGLB_POINTS_MAX / sum;
		limit_is(m, n, sum > RINGLB_VNODES_MAX ? RINGLB_VNODES_MAX : sum);
	}
}

static void too_big(void **unused)
{
	const struct rlb_member m = { .ident = 1, .weight = 65535 };
	const struct rlb_params p = { .vnodes = 65 };
	u32 s;

	memset(slots, 0x5a, sizeof(slots));
	assert_int_equal(rlb_lookup_build(&rlb_ring_ops, slots, 16, &m, 1, &p), -E2BIG);
	for (s = 0; s < SLOTS_MAX; s++)
		assert_int_equal(slots[s], 0x5a5a);
}

static void few(void **unused)
{
	struct rlb_member m = { .ident = unit_random(), .weight = 1 };
	u32 s;

	build(slots, 16, NULL, 0, 160);
	for (s = 0; s < SLOTS_MAX; s++)
		assert_int_equal(slots[s], RINGLB_NO_OWNER);
	build(slots, 16, &m, 1, 1);
	for (s = 0; s < SLOTS_MAX; s++)
		assert_int_equal(slots[s], 0);
}

/* Each allocation of a build fails once; nothing is lost, and then it works. */
static void no_memory(void **unused)
{
	struct rlb_params p = { .vnodes = 160 };
	struct set set = random_set();
	long calls, at;

	unit_alloc_calls = 0;
	build(slots, 16, set.m, set.n, 160);
	calls = unit_alloc_calls;
	assert_true(calls > 0);
	for (at = 0; at < calls; at++) {
		unit_alloc_fail_at = at;
		assert_int_equal(rlb_lookup_build(&rlb_ring_ops, other, 16, set.m, set.n, &p),
				 -ENOMEM);
		assert_int_equal(unit_alloc_live, 0);
	}
	unit_alloc_fail_at = -1;
	build(other, 16, set.m, set.n, 160);
	assert_memory_equal(slots, other, sizeof(slots));
}

static void registry(void **unused)
{
	assert_ptr_equal(rlb_lookup_find(RINGLB_METHOD_RING), &rlb_ring_ops);
	assert_ptr_equal(rlb_lookup_by_name("ring"), &rlb_ring_ops);
	assert_null(rlb_lookup_find(RINGLB_METHOD_UNSPEC));
	assert_null(rlb_lookup_find(RINGLB_METHOD_MAX + 1));
	assert_null(rlb_lookup_by_name("rin"));
	assert_null(rlb_lookup_by_name("rings"));
	assert_null(rlb_lookup_by_name(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("ring: slot for slot as a naive ring", as_naive),
		CLAIM("ring: of points in one place the lowest index wins", as_naive_ties),
		CLAIM("ring: as a naive ring with 2 and 2^20 slots and 2^22 points",
		      as_naive_limits),
		CLAIM("ring: order of arrival does not matter", order),
		CLAIM("ring: adding a backend moves slots only to it", adding),
		CLAIM("ring: removing a backend moves only its slots", removing),
		CLAIM("ring: a change of weight moves slots to or from that backend alone",
		      weighing),
		CLAIM("ring: a fifth equal backend takes a fifth", fifth),
		CLAIM("ring: shares follow weights as closely as chance allows", shares),
		CLAIM("ring: the largest vnodes that fits fits, one more does not", limit),
		CLAIM("ring: too many points are refused, slots untouched", too_big),
		CLAIM("ring: no backend owns nothing, a single one all", few),
		CLAIM("ring: without memory it fails and loses nothing", no_memory),
		CLAIM("ring: methods are found by number and by whole word", registry),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
