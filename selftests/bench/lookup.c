// SPDX-License-Identifier: GPL-2.0-only
/*
 * lookup.c - what a lookup and the building of a table cost
 *
 *   lookup count PERCENT   choose for LOOKUPS hashes with that many backends down; nothing is
 *                          printed: callgrind counts what lookups() executes
 *   lookup time            nanoseconds a lookup (least of many rounds), of all up, of 10 % down
 *                          and of a bare index; milliseconds a build of each method: lines of
 *                          words and numbers
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
#define ROUNDS 400
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

__attribute__((noinline)) static u32 bare(const u16 *owners)
{
	u32 sum = 0;
	u32 i;

	for (i = 0; i < LOOKUPS; i++)
		sum += owners[hash[i] >> (64 - BITS)];
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

/* All in turn, so that a busy moment meets all of them. */
static void time_lookups(void)
{
	double up = 0, down = 0, index = 0, start;
	struct rlb_view v;
	u32 round;

	for (round = 0; round < ROUNDS; round++) {
		start = now_ns();
		sink += bare(slots);
		least(&index, start);
		v = view(0);
		start = now_ns();
		sink += lookups(&v);
		least(&up, start);
		v = view(10);
		start = now_ns();
		sink += lookups(&v);
		least(&down, start);
	}
	printf("lookup index %.4f\nlookup up %.4f\nlookup down %.4f\n", index / LOOKUPS,
	       up / LOOKUPS, down / LOOKUPS);
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
