// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slots.c - module/lookup/slots.c: the operator's map is taken as it is, or refused whole
 *
 * The naive twin paints each range onto a table, slot by slot, and looks at what is wrong.
 */
#include <errno.h>

#include "unit.h"

#define RANGES 40
#define MEMBERS 8
#define SLOTS_MAX (1U << 20)

static u16 slots[SLOTS_MAX], twin[SLOTS_MAX];

struct map {
	struct rlb_range r[RANGES];
	u32 n_ranges;
	u32 n;
	unsigned int bits;
};

static int try_build(const struct map *map)
{
	const struct rlb_params p = { .ranges = map->r, .n_ranges = map->n_ranges };
	struct rlb_member m[MEMBERS];

	unit_members(m, map->n, 5);
	return rlb_lookup_build(&rlb_slots_ops, slots, map->bits, m, map->n, &p);
}

/* Cuts the table at random places. */
static struct map good_map(void)
{
	struct map map = { .bits = 3 + unit_below(8), .n = 1 + unit_below(MEMBERS) };
	u32 M = 1U << map.bits, at = 0, last;

	while (at < M && map.n_ranges < RANGES) {
		last = at + unit_below(M / 4);
		if (last >= M || map.n_ranges == RANGES - 1)
			last = M - 1;
		map.r[map.n_ranges++] = (struct rlb_range) { at, last, unit_below(map.n) };
		at = last + 1;
	}
	return map;
}

static void spoil(struct map *map)
{
	u32 M = 1U << map->bits, i = unit_below(map->n_ranges);
	struct rlb_range *r = &map->r[i];

	switch (unit_below(6)) {
	case 0:
		r->first += 1 + unit_below(3);
		break;
	case 1:
		r->first -= r->first ? 1 + unit_below(r->first) : 0;
		break;
	case 2:
		r->last = unit_below(2) ? r->last + 1 + unit_below(M) : (u32)unit_random();
		break;
	case 3:
		r->last -= r->last ? 1 : 0;
		break;
	case 4:
		r->member = unit_below(2) ? map->n : (u32)unit_random();
		break;
	case 5:
		memmove(r, r + 1, (map->n_ranges - i - 1) * sizeof(*r));
		map->n_ranges--;
		break;
	}
}

/* Every slot painted once, by members, from left to right? The first range at fault; -1: none */
static int naive_paint(const struct map *map, int *err)
{
	u32 M = 1U << map->bits, i, s, painted = 0;
	u64 at;

	memset(twin, 0xff, sizeof(*twin) * M);
	for (i = 0; i < map->n_ranges; i++) {
		if (map->r[i].first > map->r[i].last || map->r[i].last >= M) {
			*err = -ERANGE;
			return i;
		}
		for (s = map->r[i].first; s < M; s++)
			if (twin[s] != 0xffff) {	/* owned here or further right */
				*err = -EEXIST;
				return i;
			}
		if (map->r[i].first != painted) {
			*err = -ENODATA;
			return i;
		}
		if (map->r[i].member >= map->n) {
			*err = -ENOENT;
			return i;
		}
		for (at = map->r[i].first; at <= map->r[i].last; at++, painted++)
			twin[at] = map->r[i].member;
	}
	*err = painted == M ? 0 : -ENODATA;
	return painted == M ? -1 : (int)i;
}

static void as_naive(void **unused)
{
	unsigned int round, spoils, seen[200] = { 0 };
	struct map map;
	int err, fault;
	u32 at, s;

	for (round = 0; round < unit_rounds(20000); round++) {
		map = good_map();
		for (spoils = round % 3; spoils && map.n_ranges; spoils--)
			spoil(&map);
		fault = naive_paint(&map, &err);
		at = 12345;
		assert_int_equal(rlb_slots_check(map.r, map.n_ranges, map.bits, map.n, &at),
				 err);
		assert_int_equal(at, fault < 0 ? map.n_ranges : (u32)fault);
		assert_int_equal(rlb_slots_check(map.r, map.n_ranges, map.bits, map.n, NULL),
				 err);
		seen[-err]++;
		memset(slots, 0x5a, sizeof(*slots) << map.bits);
		assert_int_equal(try_build(&map), err);
		for (s = 0; s < 1U << map.bits; s++)
			assert_int_equal(slots[s], err ? 0x5a5a : twin[s]);
	}
	if (round < 20000)
		return;
	assert_true(seen[0] > 1000 && seen[ERANGE] > 500 && seen[EEXIST] > 500);
	assert_true(seen[ENODATA] > 500 && seen[ENOENT] > 500);
}

static void whole(void **unused)
{
	struct map map = { .n = 2, .n_ranges = 2, .bits = 20 };
	struct rlb_params p = { .n_ranges = SLOTS_MAX + 1 };
	u32 s;

	map.r[0] = (struct rlb_range) { 0, 0, 1 };
	map.r[1] = (struct rlb_range) { 1, SLOTS_MAX - 1, 0 };
	assert_int_equal(try_build(&map), 0);
	for (s = 0; s < SLOTS_MAX; s++)
		assert_int_equal(slots[s], !s);
	map.n_ranges = 0;
	assert_int_equal(try_build(&map), -ENODATA);
	map.r[0] = (struct rlb_range) { 0, 0xffffffff, 0 };
	map.n_ranges = 1;
	assert_int_equal(try_build(&map), -ERANGE);
	assert_int_equal(rlb_slots_ops.check(NULL, 0, &p), -E2BIG);
	map.n = 0;
	assert_int_equal(try_build(&map), 0);
	for (s = 0; s < SLOTS_MAX; s++)
		assert_int_equal(slots[s], RINGLB_NO_OWNER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("slots: a map is taken as it is, or refused with the range at fault",
		      as_naive),
		CLAIM("slots: the largest table, no ranges, no backends", whole),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
