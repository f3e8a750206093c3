// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_seat.c - module/lookup/seat.c against a naive twin, and what it promises
 *
 * The naive twin shares no code with seat.c: it hands over one slot at a time, looking each
 * time through all seats for the one that must give soonest by exact fractions.
 */
#include <errno.h>

#include "figures.h"
#include "unit.h"

#define MEMBERS 64
#define SEATS 128
#define SLOTS_MAX (1U << 20)

static u16 slots[SLOTS_MAX], other[SLOTS_MAX], twin[SLOTS_MAX];

/* A list of seats and the backends there are. */
struct set {
	struct rlb_seat seat[SEATS];
	struct rlb_member m[MEMBERS];
	unsigned int bits;
	u32 n_seats;
	u32 n;
};

static int try_build(u16 *to, const struct set *set)
{
	const struct rlb_params p = { .seats = set->seat, .n_seats = set->n_seats };

	return rlb_lookup_build(&rlb_seat_ops, to, set->bits, set->m, set->n, &p);
}

static void build(u16 *to, const struct set *set)
{
	assert_int_equal(try_build(to, set), 0);
	assert_int_equal(unit_alloc_live, 0);
}

/* Seats of random weights; backends on some of them, the others dead or a second seat. */
static struct set random_set(unsigned int bits_low, unsigned int bits_high, u32 seats_max)
{
	struct set set = { .bits = unit_between(bits_low, bits_high) };
	u32 max = unit_weight_max(), k, step = 1 + unit_below(1000);

	set.n_seats = unit_between(1, seats_max);
	if (set.n_seats > 1U << set.bits)
		set.n_seats = 1U << set.bits;
	for (k = 0; k < set.n_seats; k++) {
		set.seat[k].weight = unit_between(1, max);
		set.seat[k].id = k * step;
		if (k && unit_below(8) == 0) {
			set.seat[k].id = set.seat[unit_below(k)].id;
		} else if ((unit_below(8) || !set.n) && set.n < MEMBERS) {
			set.m[set.n].ident = unit_random();
			set.m[set.n].weight = set.seat[k].weight;
			set.m[set.n++].id = set.seat[k].id;
		}
	}
	unit_sort(set.m, set.n);
	return set;
}

/* --- the naive twin ------------------------------------------------------ */

struct naive_seat {
	u32 queue[1 << 14];	/* its slots, that it has had for longest first */
	u32 count;
	u32 weight;
};

static struct naive_seat naive[SEATS];

/* Must a give before b? By M w / (c - 1), rounded up, as W is whole. */
static bool gives_before(const struct naive_seat *a, const struct naive_seat *b, u64 M)
{
	u64 x, y;

	if (a->count == 1 || b->count == 1)
		return a->count > 1;
	x = (M * a->weight + a->count - 2) / (a->count - 1);
	y = (M * b->weight + b->count - 2) / (b->count - 1);
	return x < y;
}

static void naive_fill(u32 k, u64 M, u64 total)
{
	u32 wanted = (M * naive[k].weight + total - 1) / total, give, j, moved[SEATS] = { 0 };

	naive[k].count = wanted;
	for (give = 0; give < wanted; give++) {
		u32 best = SEATS;

		for (j = 0; j <= k; j++) {
			if (naive[j].count * total <= M * naive[j].weight)
				continue;	/* at or below its quota */
			if (best == SEATS || gives_before(&naive[j], &naive[best], M))
				best = j;
		}
		assert_true(best < SEATS);
		naive[best].count--;
		moved[best]++;
	}
	for (give = 0, j = 0; j < k; j++) {
		memcpy(naive[k].queue + give, naive[j].queue, moved[j] * sizeof(u32));
		memmove(naive[j].queue, naive[j].queue + moved[j],
			naive[j].count * sizeof(u32));
		give += moved[j];
	}
	assert_int_equal(give, naive[k].count);
}

static void naive_is_exact(u32 k, u64 M, u64 total)
{
	u32 j;

	for (j = 0; j <= k; j++)
		if (naive[j].count < M * naive[j].weight / total ||
		    naive[j].count > (M * naive[j].weight + total - 1) / total)
			refute("of %u seats, seat %u has %u slots", k + 1, j, naive[j].count);
}

static void naive_build(const struct set *set)
{
	u32 M = 1U << set->bits, k, s, i;
	u64 total = 0;

	for (k = 0; k < set->n_seats; k++) {
		naive[k].weight = set->seat[k].weight;
		total += naive[k].weight;
		if (k) {
			naive_fill(k, M, total);
			naive_is_exact(k, M, total);
			continue;
		}
		naive[0].count = M;
		for (s = 0; s < M; s++)
			naive[0].queue[s] = s * 648055ULL % M;	/* 2^20 / golden ratio */
	}
	for (k = 0; k < set->n_seats; k++) {
		for (i = 0; i < set->n && set->m[i].id != set->seat[k].id; i++)
			;
		for (s = 0; s < naive[k].count; s++)
			twin[naive[k].queue[s]] = i;
	}
}

static void as_naive(void **unused)
{
	unsigned int round;
	struct set set;
	u32 s;

	for (round = 0; round < unit_rounds(3000); round++) {
		set = round % 50 ? random_set(1, 10, 40) : random_set(12, 14, 100);
		build(slots, &set);
		naive_build(&set);
		for (s = 0; s < 1U << set.bits; s++)
			if (slots[s] != twin[s])
				refute("%u seats, 2^%u slots: slot %u is of %u, not of %u",
				       set.n_seats, set.bits, s, slots[s], twin[s]);
	}
}

/* --- what it promises ---------------------------------------------------- */

static void shares_are_exact(const struct set *set)
{
	u64 total = 0, M = 1ULL << set->bits, low, high;
	u32 own[MEMBERS + 1], i, k;

	unit_shares(slots, set->bits, set->n, own);
	for (k = 0; k < set->n_seats; k++)
		total += set->seat[k].weight;
	for (i = 0; i < set->n; i++) {
		for (low = 0, high = 0, k = 0; k < set->n_seats; k++) {
			if (set->seat[k].id != set->m[i].id)
				continue;
			low += M * set->seat[k].weight / total;
			high += (M * set->seat[k].weight + total - 1) / total;
		}
		if (own[i] < low || own[i] > high)
			refute("id %u owns %u slots, not %u to %u", set->m[i].id, own[i],
			       (u32)low, (u32)high);
	}
}

static void exact(void **unused)
{
	unsigned int round;
	struct set set;

	for (round = 0; round < unit_rounds(2000); round++) {
		set = random_set(8, 14, 100);
		build(slots, &set);
		shares_are_exact(&set);
	}
}

static u32 id_of(const struct set *set, u16 owner)
{
	return owner < set->n ? set->m[owner].id : RLB_NO_ID;
}

/* A further seat takes its share, from everyone; nothing else moves. */
static void appending(void **unused)
{
	struct set set, after;
	unsigned int round;
	u32 s, new = 4000000;

	for (round = 0; round < unit_rounds(1000); round++) {
		set = random_set(8, 13, 60);
		after = set;
		after.n_seats = rlb_seat_fit(after.seat, set.n_seats, new,
					     unit_between(1, unit_weight_max()));
		assert_int_equal(after.n_seats, set.n_seats + 1);
		after.m[after.n].ident = unit_random();
		after.m[after.n].weight = 1;
		after.m[after.n++].id = new;
		unit_sort(after.m, after.n);
		build(slots, &set);
		build(other, &after);
		for (s = 0; s < 1U << set.bits; s++)
			if (id_of(&set, slots[s]) != id_of(&after, other[s]))
				assert_int_equal(id_of(&after, other[s]), new);
	}
}

/* Who is there and where does not matter, only the list; a gone one's slots are dead. */
static void addresses(void **unused)
{
	struct set set, after;
	unsigned int round;
	u32 s, i, gone, from, to;

	for (round = 0; round < unit_rounds(500); round++) {
		set = random_set(8, 12, 60);
		after = set;
		for (i = 0; i < set.n; i++)
			after.m[i].ident = unit_random();
		unit_sort(after.m, after.n);
		build(slots, &set);
		build(other, &after);
		for (s = 0; s < 1U << set.bits; s++)
			assert_int_equal(id_of(&set, slots[s]), id_of(&after, other[s]));

		i = unit_below(after.n);
		gone = after.m[i].id;
		after.m[i] = after.m[--after.n];
		unit_shuffle(after.m, after.n);
		if (!after.n)
			continue;
		build(other, &after);
		for (s = 0; s < 1U << set.bits; s++) {
			from = id_of(&set, slots[s]);
			to = id_of(&after, other[s]);
			assert_int_equal(to, from == gone ? RLB_NO_ID : from);
			assert_true(other[s] <= after.n);
		}
	}
}

static void exact_shares_of_equals(void **unused)
{
	static const u32 sizes[][3] = {	/* seats, slots of the least and of the greatest */
		{ 3, 21845, 21846 }, { 10, 6553, 6554 }, { 100, 655, 656 }, { 1000, 65, 66 },
	};
	static struct rlb_member m[1000];
	static struct rlb_seat seat[1000];
	u32 own[1001], k, i;

	for (k = 0; k < 4; k++) {
		struct rlb_params p = { .seats = seat, .n_seats = sizes[k][0] };

		figures_members(m, 0, sizes[k][0], 0);
		for (i = 0; i < sizes[k][0]; i++) {
			seat[i] = (struct rlb_seat) { .weight = 1, .id = i };
			m[i].id = i;
		}
		assert_int_equal(rlb_lookup_build(&rlb_seat_ops, slots, 16, m, sizes[k][0], &p),
				 0);
		unit_shares(slots, 16, sizes[k][0], own);
		for (i = 0; i < sizes[k][0]; i++)
			assert_in_range(own[i], sizes[k][1], sizes[k][2]);
	}
}

/* --- forty changes ------------------------------------------------------- */

#define FLOWS 100000

/* A fleet as its operator sees it. */
struct fleet {
	struct rlb_seat seat[RLB_SEATS_MAX];
	struct rlb_member m[2048];
	u32 accept[2049];	/* of each member; of dead seats 0 */
	bool down[2048];
	u32 n_seats;
	u32 n;
};

static struct fleet fleet;
static u32 flow_at[FLOWS];

static void fleet_add(u32 id, u32 weight)
{
	fleet.m[fleet.n] = (struct rlb_member) { unit_random(), weight, id };
	fleet.down[fleet.n] = false;
	fleet.n++;
}

static void fleet_build(void)
{
	struct rlb_params p = { .seats = fleet.seat };
	int count;
	u32 i;

	for (i = 0; i < fleet.n; i++) {
		count = rlb_seat_fit(fleet.seat, fleet.n_seats, fleet.m[i].id,
				     fleet.m[i].weight);
		assert_true(count >= (int)fleet.n_seats);
		fleet.n_seats = count;
	}
	for (i = 0; i < fleet.n; i++)
		fleet.accept[i] = fleet.down[i] ? 0 :
			rlb_seat_accept(fleet.seat, fleet.n_seats, fleet.m[i].id,
					fleet.m[i].weight);
	fleet.accept[fleet.n] = 0;
	p.n_seats = fleet.n_seats;
	assert_int_equal(rlb_lookup_build(&rlb_seat_ops, slots, 16, fleet.m, fleet.n, &p), 0);
	for (i = 0; i < 65536; i++)
		assert_in_range(slots[i], 0, fleet.n);
}

/* As choose.h looks again, with shares taken of flows. */
static u32 fleet_choose(u64 hash)
{
	u32 look, i;

	for (look = 0; look < 64; look++) {
		i = slots[hash >> 48];
		if ((hash >> 16 & 0xffff) < fleet.accept[i])
			return i;
		hash = unit_splitmix(hash, 1);
	}
	fail();
	return 0;
}

/* Returns how many flows went from one that is not @changed to another that is not. */
static u32 fleet_needless(u32 changed, u32 *moved)
{
	u32 needless = 0, flow, id;

	for (*moved = 0, flow = 0; flow < FLOWS; flow++) {
		id = fleet.m[fleet_choose(unit_splitmix(12345, flow))].id;
		if (id == flow_at[flow])
			continue;
		++*moved;
		needless += id != changed && flow_at[flow] != changed;
		flow_at[flow] = id;
	}
	return needless;
}

/* Shares of flows follow weights: none beyond 7 deviations, and what the table may be off. */
static void fleet_is_fair(void)
{
	u64 flows[2048] = { 0 }, total = 0;
	u32 flow, i;

	for (i = 0; i < fleet.n; i++)
		total += fleet.down[i] ? 0 : fleet.m[i].weight;
	for (flow = 0; flow < FLOWS; flow++)
		for (i = 0; i < fleet.n; i++)
			if (fleet.m[i].id == flow_at[flow])
				flows[i]++;
	for (i = 0; i < fleet.n; i++) {
		double mean = fleet.down[i] ? 0 : (double)FLOWS * fleet.m[i].weight / total;
		double off = flows[i] - mean;

		if (off * off > 49 * mean + 4 * (FLOWS / 65536. + 0.02 * mean) *
				(FLOWS / 65536. + 0.02 * mean))
			refute("id %u has %u flows, %.0f expected", fleet.m[i].id, (u32)flows[i],
			       mean);
	}
}

static void forty_changes(u32 n)
{
	u32 next_id = n, k, i, gone, moved, effective = 0;

	memset(&fleet, 0, sizeof(fleet));
	for (i = 0; i < n; i++)
		fleet_add(i, 8);
	fleet_build();
	fleet_needless(0, &moved);
	for (k = 0; k < 40; k++) {
		i = unit_below(fleet.n);
		switch (unit_below(6)) {
		case 0:
			i = fleet.n;
			fleet_add(next_id++, 4 + unit_below(9));
			break;
		case 1:
			if (fleet.n > n / 2 + 1)
				fleet.down[i] ^= true;
			break;
		case 2:
			fleet.m[i].weight -= fleet.m[i].weight / 4;
			break;
		case 3:
		case 4:
			/* what one that is down were to get, others would lose at once */
			if (!fleet.down[i])
				fleet.m[i].weight += (fleet.m[i].weight + 1) / 2;
			break;
		case 5:		/* removed for good; not the last ones */
			if (fleet.n < n / 2 + 2)
				continue;
			fleet_needless(0, &moved);
			assert_int_equal(moved, 0);
			gone = fleet.m[i].id;
			fleet.m[i] = fleet.m[--fleet.n];
			fleet.down[i] = fleet.down[fleet.n];
			fleet_build();
			assert_int_equal(fleet_needless(gone, &moved), 0);
			effective += moved > 0;
			continue;
		}
		fleet_build();
		assert_int_equal(fleet_needless(fleet.m[i].id, &moved), 0);
		effective += moved > 0;
	}
	assert_true(effective > 15);
	fleet_is_fair();
}

static void changes(void **unused)
{
	forty_changes(10);
	forty_changes(10);
	forty_changes(100);
	forty_changes(300);
}

/* --- the list ------------------------------------------------------------ */

static void list(void **unused)
{
	static struct rlb_seat seat[RLB_SEATS_MAX];
	u32 k;

	assert_int_equal(rlb_seat_nominal(seat, 0, 7), 0);
	assert_int_equal(rlb_seat_fit(seat, 0, 7, 4), 1);
	assert_int_equal(rlb_seat_fit(seat, 1, 8, 65535), 2);
	assert_int_equal(rlb_seat_fit(seat, 2, 7, 3), 2);
	assert_int_equal(rlb_seat_accept(seat, 2, 7, 3), 49152);
	assert_int_equal(rlb_seat_accept(seat, 2, 7, 4), 65536);
	assert_int_equal(rlb_seat_accept(seat, 2, 7, 5), 65536);
	assert_int_equal(rlb_seat_accept(seat, 2, 8, 1), 1);
	assert_int_equal(rlb_seat_accept(seat, 2, 8, 43690), 43691);	/* 2/3, rounded */
	assert_int_equal(rlb_seat_accept(seat, 2, 9, 1), 65536);
	assert_int_equal(rlb_seat_fit(seat, 2, 7, 6), 3);
	assert_int_equal(seat[2].weight, 2);
	assert_int_equal(seat[2].id, 7);
	assert_int_equal(rlb_seat_nominal(seat, 3, 7), 6);
	assert_int_equal(rlb_seat_nominal(seat, 3, 8), 65535);
	assert_int_equal(rlb_seat_fit(seat, 3, 7, 6), 3);
	for (k = 3; k < RLB_SEATS_MAX; k++)
		assert_int_equal(rlb_seat_fit(seat, k, 100 + k, 1), k + 1);
	assert_int_equal(rlb_seat_fit(seat, RLB_SEATS_MAX, 1, 1), -ENOSPC);
	assert_int_equal(rlb_seat_fit(seat, RLB_SEATS_MAX, 7, 6), RLB_SEATS_MAX);
}

/* --- limits and failures ------------------------------------------------- */

static void is_refused(const struct set *set, int err)
{
	u32 s;

	memset(slots, 0x5a, sizeof(*slots) << set->bits);
	assert_int_equal(try_build(slots, set), err);
	for (s = 0; s < 1U << set->bits; s++)
		assert_int_equal(slots[s], 0x5a5a);
	assert_int_equal(unit_alloc_live, 0);
}

static void refusals(void **unused)
{
	struct set good = { .bits = 4, .n = 3, .n_seats = 4 }, set;
	struct rlb_params p;
	u32 i;

	for (i = 0; i < 4; i++) {
		good.m[i] = (struct rlb_member) { .ident = i + 1, .weight = 1, .id = 10 + i };
		good.seat[i] = (struct rlb_seat) { .weight = 1 + i, .id = 10 + i };
	}
	build(slots, &good);
	set = good;
	set.n_seats = 0;
	is_refused(&set, -ENOENT);
	set.n_seats = 2;
	is_refused(&set, -ENOENT);
	set = good;
	set.m[1].id = 99;
	is_refused(&set, -ENOENT);
	set.m[1].id = 10;
	is_refused(&set, -EEXIST);
	set.m[1].id = RLB_NO_ID;
	is_refused(&set, -EINVAL);
	set = good;
	set.seat[3].weight = 0;
	is_refused(&set, -ERANGE);
	set.seat[3].weight = RINGLB_WEIGHT_MAX;
	build(slots, &set);
	set.seat[3].weight++;
	is_refused(&set, -ERANGE);
	set = good;
	set.seat[3].id = RLB_NO_ID;
	is_refused(&set, -ERANGE);
	set = good;
	set.bits = 2;
	build(slots, &set);
	set.bits = 1;
	is_refused(&set, -E2BIG);
	p = (struct rlb_params) { .seats = NULL, .n_seats = RLB_SEATS_MAX + 1 };
	assert_int_equal(rlb_seat_ops.check(good.m, 3, &p), -E2BIG);
}

static void limits(void **unused)
{
	static struct rlb_member m[RINGLB_BACKENDS_MAX];
	static struct rlb_seat seat[RLB_SEATS_MAX];
	struct rlb_params p = { .seats = seat, .n_seats = RLB_SEATS_MAX };
	u32 k, s;

	unit_members(m, RINGLB_BACKENDS_MAX, RINGLB_WEIGHT_MAX);
	for (k = 0; k < RLB_SEATS_MAX; k++) {
		seat[k].weight = unit_between(1, RINGLB_WEIGHT_MAX);
		seat[k].id = k * 2654435761U;
		if (k < RINGLB_BACKENDS_MAX)
			m[k].id = seat[k].id;
	}
	assert_int_equal(rlb_lookup_build(&rlb_seat_ops, slots, 14, m, RINGLB_BACKENDS_MAX,
					  &p), 0);
	for (s = 0; s < 1U << 14; s++)
		assert_in_range(slots[s], 0, RINGLB_BACKENDS_MAX);
	p.n_seats = RINGLB_BACKENDS_MAX;
	assert_int_equal(rlb_lookup_build(&rlb_seat_ops, slots, 12, m, RINGLB_BACKENDS_MAX,
					  &p), 0);
	for (s = 0; s < 4096; s++)
		assert_in_range(slots[s], 0, RINGLB_BACKENDS_MAX - 1);
	p.n_seats = 3;
	seat[0].weight = seat[1].weight = seat[2].weight = RINGLB_WEIGHT_MAX;
	assert_int_equal(rlb_lookup_build(&rlb_seat_ops, slots, 20, m, 3, &p), 0);
	for (s = 0; s < SLOTS_MAX; s++)
		assert_in_range(slots[s], 0, 2);
}

static void few(void **unused)
{
	struct set set = { .bits = 16, .n_seats = 3, .seat = { { 1, 5 }, { 2, 6 }, { 3, 5 } } };
	u32 s;

	build(slots, &set);
	for (s = 0; s < 65536; s++)
		assert_int_equal(slots[s], RINGLB_NO_OWNER);
	set.n = 1;
	set.m[0] = (struct rlb_member) { .ident = 1, .weight = 4, .id = 5 };
	set.n_seats = 1;
	for (set.bits = 1; set.bits <= 20; set.bits++) {
		build(slots, &set);
		for (s = 0; s < 1U << set.bits; s++)
			assert_int_equal(slots[s], 0);
	}
}

static void no_memory(void **unused)
{
	struct set set = random_set(12, 12, 40);
	const struct rlb_params p = { .seats = set.seat, .n_seats = set.n_seats };

	unit_no_memory(&rlb_seat_ops, 12, set.m, set.n, &p);
}

static void digest_of_lists(void **unused)
{
	const struct rlb_seat list[] = { { 2, 1 }, { 2, 1 }, { 1, 2 }, { 2, 1 } };
	const u64 digest = unit_random();

	assert_int_equal(rlb_digest_seats(digest, list, 0), digest);
	assert_int_equal(rlb_digest_seats(digest, list, 1), rlb_digest_seats(digest, list + 1, 1));
	assert_int_not_equal(rlb_digest_seats(digest, list, 1), digest);
	assert_int_not_equal(rlb_digest_seats(digest, list, 1),
			     rlb_digest_seats(digest, list + 2, 1));
	assert_int_not_equal(rlb_digest_seats(digest, list, 1), rlb_digest_seats(digest, list, 2));
	assert_int_not_equal(rlb_digest_seats(digest, list + 1, 2),
			     rlb_digest_seats(digest, list + 2, 2));
}

/* The list for backends that are new together is by ascending id, in whatever order they come. */
static void fit_all(void **unused)
{
	const struct rlb_member m[] = {
		{ 1, 5, 9 }, { 2, 4, RLB_NO_ID }, { 3, 3, 0 }, { 4, 7, RLB_NO_ID - 1 }, { 5, 2, 4 },
	};
	struct rlb_seat list[8] = { { 1, 4 }, { 3, 0 } };

	assert_int_equal(rlb_seat_fit_all(list, 2, m, 5), 5);
	assert_int_equal(list[2].id, 4);
	assert_int_equal(list[2].weight, 1);
	assert_int_equal(list[3].id, 9);
	assert_int_equal(list[3].weight, 5);
	assert_int_equal(list[4].id, RLB_NO_ID - 1);
	assert_int_equal(rlb_seat_fit_all(list, 5, m, 5), 5);
	assert_int_equal(rlb_seat_fit_all(list, RLB_SEATS_MAX, m, 0), RLB_SEATS_MAX);
}

static void registry(void **unused)
{
	assert_ptr_equal(rlb_lookup_find(RINGLB_METHOD_SEAT), &rlb_seat_ops);
	assert_ptr_equal(rlb_lookup_by_name("seat"), &rlb_seat_ops);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("seat: slot for slot as a naive twin, exact at every step", as_naive),
		CLAIM("seat: every seat is within one slot of exact", exact),
		CLAIM("seat: a further seat takes its share, nothing else moves", appending),
		CLAIM("seat: the table follows from the list, not from addresses", addresses),
		CLAIM("seat: figures of balance", exact_shares_of_equals),
		CLAIM("seat: forty mixed changes move not one flow needlessly", changes),
		CLAIM("seat: a list only grows at its end", list),
		CLAIM("seat: what makes no sense is refused, slots untouched", refusals),
		CLAIM("seat: at its limits", limits),
		CLAIM("seat: no backend owns nothing, a single one all", few),
		CLAIM("seat: without memory it fails and loses nothing", no_memory),
		CLAIM("seat: other lists have other digests", digest_of_lists),
		CLAIM("seat: new backends are seated by ascending id", fit_all),
		CLAIM("seat: is found by number and by word", registry),
	};

	return cmocka_run_group_tests_name("seat", tests, NULL, NULL);
}
