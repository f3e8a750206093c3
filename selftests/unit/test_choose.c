// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_choose.c - module/lookup/choose.[hc] against a naive twin, and what look-again promises
 */
#include <math.h>

#include "choose.h"
#include "unit.h"

#define BITS 12
#define SLOTS (1U << BITS)
#define MEMBERS 40

static u16 slots[SLOTS];
static u8 takes[MEMBERS + 1];
static u16 shares[MEMBERS];
static struct rlb_view view = { .slots = slots, .takes = takes, .share = shares, .bits = BITS };

static void make_table(u32 n)
{
	struct rlb_params p = { .vnodes = 40 };
	struct rlb_member m[MEMBERS];

	unit_members(m, n, 5);
	assert_int_equal(rlb_lookup_build(&rlb_ring_ops, slots, BITS, m, n, &p), 0);
	memset(takes, RLB_TAKES_FLOWS, sizeof(takes));
	takes[n] = RLB_TAKES_NONE;
	view.n = n;
	view.best = RLB_TAKES_FLOWS;
}

static void set_best(void)
{
	u32 i;

	view.best = RLB_TAKES_NONE;
	for (i = 0; i < view.n; i++)
		if (takes[i] > view.best)
			view.best = takes[i];
	if (view.best == RLB_TAKES_SHARE)
		view.best = RLB_TAKES_FLOWS;
}

/* Does the owner of a slot that was come to by this hash take it? */
static bool naive_takes(u16 owner, u64 hash, u8 want)
{
	if (takes[owner] == RLB_TAKES_SHARE && want == RLB_TAKES_FLOWS)
		return hash % 65536 < shares[owner];
	return takes[owner] >= want;
}

/*
 * The rule in other words: the sequence of hashes is h, mix(h + g), mix(that + g), ..; its
 * first 64 are looked at as slots, the 65th says where a scan of the members begins. Members
 * that are up are tried so first, those of a share by the hash that leads to them, then those
 * of a share for all flows, then draining ones.
 */
static int naive_choose(u64 hash, u32 *probes, u8 *level)
{
	u64 sequence[RLB_PROBES_MAX + 1];
	u8 want;
	u32 i;

	sequence[0] = hash;
	for (i = 1; i <= RLB_PROBES_MAX; i++)
		sequence[i] = unit_splitmix(sequence[i - 1], 1);
	for (want = RLB_TAKES_FLOWS; want >= RLB_TAKES_LAST; want--) {
		*level = want;
		u64 from = (u64)(((unsigned __int128)view.n *
				  (sequence[RLB_PROBES_MAX] >> 32)) >> 32);

		for (i = 0; i < RLB_PROBES_MAX; i++) {
			u16 owner = slots[sequence[i] / (1ULL << (64 - BITS))];

			*probes = i + 1;
			if (naive_takes(owner, sequence[i], want))
				return owner;
		}
		*probes = RLB_PROBES_MAX + 1;	/* none of them: members are scanned */
		for (i = 0; i < view.n; i++)
			if (takes[(from + i) % view.n] >= want)
				return (from + i) % view.n;
	}
	return -1;
}

static struct rlb_choice choose(u64 hash)
{
	struct rlb_choice c;

	memset(&c, 0xa5, sizeof(c));
	rlb_choose(&view, hash, &c);
	return c;
}

/* Some take a share, and some slots belong to nobody: much of both, little, or none. */
static void thin_out(u32 much)
{
	u32 i;

	for (i = 0; i < view.n; i++)
		if (takes[i] == RLB_TAKES_FLOWS && unit_below(3) < much) {
			takes[i] = RLB_TAKES_SHARE;
			shares[i] = unit_random();
		}
	for (i = 0; i < SLOTS; i++)
		if (unit_below(5) < much)
			slots[i] = view.n;
}

static void as_naive(void **unused)
{
	unsigned int round, flow;
	struct rlb_choice c;
	int member;
	u32 i, up, probes;
	u8 level;
	u64 hash;

	for (round = 0; round < unit_rounds(500); round++) {
		make_table(unit_between(1, MEMBERS));
		up = unit_below(101);	/* per cent of members that are up: often few or none */
		up = unit_below(2) ? up : up / 20;
		for (i = 0; i < view.n; i++)
			takes[i] = unit_below(100) < up ? RLB_TAKES_FLOWS :
				   unit_below(100) < up ? RLB_TAKES_LAST : RLB_TAKES_NONE;
		thin_out(round % 3);
		set_best();
		for (flow = 0; flow < 1000; flow++) {
			hash = unit_random();
			c = choose(hash);
			member = naive_choose(hash, &probes, &level);
			if (c.member != member)
				refute("hash %llx: member %d, not %d", (long long)hash,
				       c.member, member);
			assert_int_equal(c.slot, hash >> (64 - BITS));
			assert_int_equal(c.owner, slots[c.slot]);
			if (member >= 0) {
				assert_int_equal(c.probes, probes);
				assert_int_equal(c.level, level);
			}
		}
	}
}

/* Of flows that come to it, a member takes its share, and a larger share has the same ones. */
static void share_grows(void **unused)
{
	u32 taken = 0, came = 0, flow;
	u64 hash;

	make_table(20);
	takes[7] = RLB_TAKES_SHARE;
	for (flow = 0; flow < 200000; flow++) {
		hash = unit_random();
		if (slots[hash >> (64 - BITS)] != 7)
			continue;
		came++;
		shares[7] = 16384;
		taken += choose(hash).member == 7 && choose(hash).probes == 1;
		if (choose(hash).probes == 1) {
			shares[7] = 16384 + unit_below(49152);
			assert_int_equal(choose(hash).member, 7);
		}
		shares[7] = 0;
		assert_int_not_equal(choose(hash).member, 7);
		takes[7] = RLB_TAKES_FLOWS;
		assert_int_equal(choose(hash).member, 7);
		takes[7] = RLB_TAKES_SHARE;
	}
	assert_in_range(taken * 100 / came, 23, 26);
}

/* Of one that comes: more each second, by the same, until at the time it is all. */
static void share_rises(void **unused)
{
	static const u32 times[] = { 1, 2, 3, 60, 900, 65535, 65536, RINGLB_SLOW_START_MAX };
	u32 time, passed, share, before;
	size_t i;

	assert_int_equal(rlb_share_rise(0, 0), RLB_SHARE_ALL);
	assert_int_equal(rlb_share_rise(0, 1), RLB_SHARE_ALL / 2);
	assert_int_equal(rlb_share_rise(1, 3), RLB_SHARE_ALL / 2);
	for (i = 0; i < sizeof(times) / sizeof(*times); i++) {
		time = times[i];
		for (before = 0, passed = 0; passed < time; passed++, before = share) {
			share = rlb_share_rise(passed, time);
			assert_true(share && share >= before);
			/* a part of TIME + 1 each, rounded up */
			assert_true((u64)share * (time + 1) >=
				    (u64)RLB_SHARE_ALL * (passed + 1));
			assert_true((u64)(share - 1) * (time + 1) <
				    (u64)RLB_SHARE_ALL * (passed + 1));
		}
		assert_int_equal(rlb_share_rise(time, time), RLB_SHARE_ALL);
		assert_int_equal(rlb_share_rise(UINT32_MAX, time), RLB_SHARE_ALL);
	}
}

/* Nobody is without a share: one takes what nobody takes by its share, and says so. */
static void all_start(void **unused)
{
	u32 flow, settled = 0, i;
	struct rlb_choice c;
	u64 hash;

	make_table(3);
	for (i = 0; i < 3; i++) {
		takes[i] = RLB_TAKES_SHARE;
		shares[i] = 1;
	}
	for (flow = 0; flow < 100000; flow++) {
		hash = unit_random();
		c = choose(hash);
		assert_true(c.member >= 0);
		settled += rlb_choice_is_settled(&c);
		if (rlb_choice_is_settled(&c))
			assert_int_equal(hash % 65536, 0);
		else if (c.level < RLB_TAKES_FLOWS)
			assert_int_equal(c.member, c.owner);
	}
	assert_true(settled < 20);
}

static void owner_up(void **unused)
{
	struct rlb_choice c;
	unsigned int flow;

	make_table(20);
	memset(takes, RLB_TAKES_NONE, 10);
	for (flow = 0; flow < 10000; flow++) {
		c = choose(unit_random());
		if (c.owner < 10)
			continue;
		assert_int_equal(c.member, c.owner);
		assert_int_equal(c.probes, 1);
	}
}

/* Every flow of everyone else stays; the one's own go elsewhere, and all come back. */
static void others_stay(void **unused)
{
	unsigned int round, flow;
	struct rlb_choice c;
	u32 victim;
	u64 hash;

	for (round = 0; round < unit_rounds(200); round++) {
		make_table(unit_between(2, MEMBERS));
		victim = unit_below(view.n);
		for (flow = 0; flow < 500; flow++) {
			hash = unit_random();
			takes[victim] = RLB_TAKES_FLOWS;
			c = choose(hash);
			assert_int_equal(c.member, c.owner);
			takes[victim] = unit_below(2) ? RLB_TAKES_NONE : RLB_TAKES_LAST;
			c = choose(hash);
			if (c.owner != victim)
				assert_int_equal(c.member, c.owner);
			else
				assert_int_not_equal(c.member, victim);
			assert_true(c.member >= 0);
			takes[victim] = RLB_TAKES_FLOWS;
			c = choose(hash);
			assert_int_equal(c.member, c.owner);
		}
	}
}

/* A second one goes down: of the flows that the first one lost only those move that the
 * second had inherited.
 */
static void inherited_stay(void **unused)
{
	unsigned int flow;
	int before;
	u64 hash;

	make_table(10);
	for (flow = 0; flow < 20000; flow++) {
		hash = unit_random();
		takes[3] = RLB_TAKES_NONE;
		takes[7] = RLB_TAKES_FLOWS;
		before = choose(hash).member;
		takes[7] = RLB_TAKES_NONE;
		if (before != 7)
			assert_int_equal(choose(hash).member, before);
		else
			assert_int_not_equal(choose(hash).member, 7);
	}
}

/*
 * N flows of a member that is down go to each other one with probability p, its part of the
 * others' slots: a multinomial. No count is off by more than 6 sqrt(N p (1 - p)), and
 * the sum of (seen - expected)^2 / expected, on average n - 2, has variance 2 (n - 2).
 */
static void spread(void **unused)
{
	u32 seen[MEMBERS], own[MEMBERS + 1], i, victim, count;
	unsigned int round, flow;
	double expected, p, sum;
	struct rlb_choice c;

	for (round = 0; round < unit_rounds(30); round++) {
		make_table(20);
		victim = unit_below(20);
		takes[victim] = RLB_TAKES_NONE;
		memset(seen, 0, sizeof(seen));
		unit_shares(slots, BITS, 20, own);
		for (count = 0, flow = 0; flow < 400000; flow++) {
			c = choose(unit_random());
			if (c.owner != victim)
				continue;
			seen[c.member]++;
			count++;
		}
		assert_true(count > 500);
		for (sum = 0, i = 0; i < 20; i++) {
			if (i == victim)
				continue;
			p = (double)own[i] / (SLOTS - own[victim]);
			expected = count * p;
			if (fabs(seen[i] - expected) > 6 * sqrt(count * p * (1 - p)))
				refute("member %u inherits %u of %u flows, %.1f expected", i,
				       seen[i], count, expected);
			sum += (seen[i] - expected) * (seen[i] - expected) / expected;
		}
		if (sum > 18 + 8 * sqrt(2 * 18))
			refute("chi-square %.1f with 18 degrees of freedom", sum);
	}
}

static void drain_last(void **unused)
{
	struct rlb_choice c;
	unsigned int flow;

	make_table(12);
	memset(takes, RLB_TAKES_LAST, 12);
	takes[5] = RLB_TAKES_FLOWS;
	set_best();
	for (flow = 0; flow < 5000; flow++)
		assert_int_equal(choose(unit_random()).member, 5);

	takes[5] = RLB_TAKES_NONE;
	takes[6] = RLB_TAKES_NONE;
	set_best();
	for (flow = 0; flow < 5000; flow++) {
		c = choose(unit_random());
		assert_true(c.member >= 0);
		assert_int_equal(takes[c.member], RLB_TAKES_LAST);
		if (takes[c.owner] == RLB_TAKES_LAST)
			assert_int_equal(c.member, c.owner);
	}
}

/* One with a single slot of all is the only one that is up: the scan finds it. */
static void needle(void **unused)
{
	unsigned int flow;

	make_table(8);
	memset(slots, 0, sizeof(slots));
	slots[SLOTS / 3] = 7;
	memset(takes, RLB_TAKES_NONE, 8);
	takes[7] = RLB_TAKES_FLOWS;
	for (flow = 0; flow < 5000; flow++)
		assert_int_equal(choose(unit_random()).member, 7);
	takes[7] = RLB_TAKES_NONE;
	takes[2] = RLB_TAKES_FLOWS;	/* in no slot at all */
	for (flow = 0; flow < 5000; flow++)
		assert_int_equal(choose(unit_random()).member, 2);
}

static void nobody(void **unused)
{
	unsigned int flow;

	make_table(5);
	memset(takes, RLB_TAKES_NONE, 5);
	for (flow = 0; flow < 1000; flow++) {
		view.best = flow % 3;	/* it may be a moment old */
		assert_int_equal(choose(unit_random()).member, -1);
	}
	view.n = 0;
	takes[0] = RLB_TAKES_NONE;
	memset(slots, 0, sizeof(slots));
	for (flow = 0; flow < 1000; flow++) {
		view.best = flow % 4;
		assert_int_equal(choose(unit_random()).member, -1);
	}
}

/* The best level is a moment old: someone is up still, a choice is made all the same. */
static void stale_best(void **unused)
{
	unsigned int flow;

	make_table(6);
	memset(takes, RLB_TAKES_LAST, 6);
	view.best = RLB_TAKES_FLOWS;
	for (flow = 0; flow < 1000; flow++)
		assert_true(choose(unit_random()).member >= 0);
}

/* Where the scan begins is hashed: what is left to it is spread over all that are up. */
static void scan_spreads(void **unused)
{
	u32 seen[MEMBERS] = { 0 };
	unsigned int flow;
	u32 i;

	make_table(30);
	memset(slots, 0, sizeof(slots));
	takes[0] = RLB_TAKES_NONE;
	for (flow = 0; flow < 30000; flow++)
		seen[choose(unit_random()).member]++;
	assert_int_equal(seen[0], 0);
	/* each 1000, the one after the hole 2000; 6 sqrt(1000) = 190, 6 sqrt(2000) = 268 */
	assert_in_range(seen[1], 2000 - 268, 2000 + 268);
	for (i = 2; i < 30; i++)
		assert_in_range(seen[i], 1000 - 190, 1000 + 190);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("choose: a share takes its flows, and keeps them as it grows", share_grows),
		CLAIM("choose: the share of one that comes rises evenly, up to all", share_rises),
		CLAIM("choose: where all start, each takes what nobody's share takes", all_start),
		CLAIM("choose: as a naive twin, whatever the states", as_naive),
		CLAIM("choose: an owner that is up takes its flows at the first look", owner_up),
		CLAIM("choose: one going down moves only its flows, back up gets them all",
		      others_stay),
		CLAIM("choose: inherited flows stay when another one goes down", inherited_stay),
		CLAIM("choose: what one leaves is spread in proportion to slots", spread),
		CLAIM("choose: draining ones take flows only when none is up", drain_last),
		CLAIM("choose: the only one up is found, if in one slot or in none", needle),
		CLAIM("choose: the final scan spreads, too", scan_spreads),
		CLAIM("choose: a best level of a moment ago does no harm", stale_best),
		CLAIM("choose: none up, none chosen", nobody),
	};

	return cmocka_run_group_tests_name("choose", tests, NULL, NULL);
}
