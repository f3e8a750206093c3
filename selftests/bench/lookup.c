// SPDX-License-Identifier: GPL-2.0-only
/*
 * lookup.c - what a lookup and the building of a table cost
 *
 *   lookup count PERCENT   choose for LOOKUPS hashes with that many backends down; nothing is
 *                          printed: callgrind counts what lookups() executes
 *   lookup time            nanoseconds a bare index takes, and how many times that a lookup
 *                          takes, all up and 10 % down: medians of rounds in which all three
 *                          take turns; milliseconds a build of each method: lines of words
 *                          and numbers
 *
 * In:  module/lookup/, compiled as for the kernel (-O2), no sanitizers. Members are 1000
 *      backends of weight 1, 65536 slots. Hashes are given: hashing is not what is measured.
 */
#include <stdio.h>
#include <time.h>

#include "choose.h"
#include "key.h"
#include "lookup.h"

#define MEMBERS 1000
#define BITS 16
#define LOOKUPS (1U << 16)
#define ROUNDS 401
#define BUILDS 12

static struct rlb_member member[MEMBERS];
static u16 slots[1U << BITS];
static u8 takes[MEMBERS + 1];	/* the last is nobody */
static u64 hash[LOOKUPS];
static const struct rlb_params params = {
	.vnodes = RINGLB_VNODES_DEFAULT,
	.slack = RINGLB_SLACK_DEFAULT,
};

static volatile u64 sink;

/* The loop itself takes four instructions: the hash, the step, and the test for the end. */
__attribute__((noinline)) u32 lookups(const struct rlb_view *v)
{
	const struct rlb_view here = *v;
	struct rlb_choice c;
	u32 sum = 0;
	u32 i;

	for (i = 0; i < LOOKUPS; i++) {
		rlb_choose(&here, hash[i], &c);
		sum += c.member;
	}
	return sum;
}

/* The same loop around nothing but the index: a table of any size, no marks, no states. */
__attribute__((noinline)) static u32 bare(const struct rlb_view *v)
{
	const struct rlb_view here = *v;
	u32 sum = 0;
	u32 i;

	for (i = 0; i < LOOKUPS; i++)
		sum += here.slots[hash[i] >> (64 - here.bits)];
	return sum;
}

static int build(const struct rlb_lookup_ops *ops)
{
	return rlb_lookup_build(ops, slots, BITS, member, MEMBERS, &params);
}

static void fill(void)
{
	union rlb_addr addr = { .byte = { 10 } };
	u64 state = 1;
	u32 i;

	for (i = 0; i < MEMBERS; i++) {
		addr.byte[2] = i >> 8;
		addr.byte[3] = i;
		member[i].ident = rlb_ident(AF_INET, &addr, 0, 6);
		member[i].weight = 1;
	}
	for (i = 0; i < LOOKUPS; i++) {
		state = rlb_hash_mix(state + i);
		hash[i] = state;
	}
}

static struct rlb_view view(unsigned int percent)
{
	u32 i;

	for (i = 0; i < MEMBERS; i++)
		takes[i] = rlb_hash_mix(i) % 100 < percent ? RLB_TAKES_NONE : RLB_TAKES_FLOWS;
	return (struct rlb_view){ slots, takes, NULL, MEMBERS, BITS, RLB_TAKES_FLOWS };
}

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void least(double *best, double start)
{
	double ns = now_ns() - start;

	if (!*best || ns < *best)
		*best = ns;
}

static double ns_of(u32 (*loop)(const struct rlb_view *v), unsigned int percent)
{
	struct rlb_view v = view(percent);
	double start = now_ns();

	sink += loop(&v);
	return now_ns() - start;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double of[ROUNDS])
{
	qsort(of, ROUNDS, sizeof(*of), compare);
	return of[ROUNDS / 2];
}

/* All in turn, so that a busy moment meets all of them, and a busy round is one of many. */
static void time_lookups(void)
{
	static double index[ROUNDS], up[ROUNDS], down[ROUNDS];
	u32 i;

	for (i = 0; i < ROUNDS; i++) {
		index[i] = ns_of(bare, 0);
		up[i] = ns_of(lookups, 0) / index[i];
		down[i] = ns_of(lookups, 10) / index[i];
	}
	printf("lookup index %.4f\nlookup up %.4f\nlookup down %.4f\n", median(index) / LOOKUPS,
	       median(up), median(down));
}

/* Methods that want more than identities and weights refuse, and have no line. */
static void time_builds(void)
{
	double best[RINGLB_METHOD_MAX + 1] = { 0 }, start;
	const struct rlb_lookup_ops *ops;
	u32 round, id;

	for (round = 0; round < BUILDS; round++) {
		for (id = 1; id <= RINGLB_METHOD_MAX; id++) {
			ops = rlb_lookup_find(id);
			start = now_ns();
			if (ops && !build(ops))
				least(&best[id], start);
		}
	}
	for (id = 1; id <= RINGLB_METHOD_MAX; id++)
		if (best[id])
			printf("build %s %.4f\n", rlb_lookup_find(id)->name, best[id] / 1e6);
}

int main(int argc, char **argv)
{
	struct rlb_view v;

	fill();
	if (argc == 3 && !strcmp(argv[1], "count")) {
		if (build(&rlb_rendezvous_ops))
			return 1;
		v = view(atoi(argv[2]));
		sink += lookups(&v);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "time")) {
		time_builds();
		if (build(&rlb_rendezvous_ops))
			return 1;
		time_lookups();
		return 0;
	}
	fprintf(stderr, "lookup: expected count PERCENT or time\n");
	return 2;
}
