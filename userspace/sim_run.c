// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_run.c - put one method through its changes and its gateways
 *
 * In: a method and backends. Out: what was counted, the same for the same seed but for the
 * time that builds took. Slots come from module/lookup.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "hash.h"
#include "sim.h"

#define SIM_DRAW_STEP 0x9e3779b97f4a7c15ULL

/**
 * struct run - a simulation under way
 * @part: the members of the table that is built now
 * @number: their numbers in the list
 * @before: the table without changes
 * @after: the one with a change
 * @changed: who changes, SIM_CHANGES at most
 */
struct run {
	const struct sim_input *in;
	struct sim_result *r;
	struct rlb_member *part;
	u16 *number;
	u32 n;
	u16 *before;
	u16 *after;
	u16 *views[SIM_GATEWAYS];
	u8 *knows[SIM_GATEWAYS];
	u32 *order;
	u32 done;
};

/**
 * sim_draw() - a random number
 * @seed: the simulation's
 * @what: what it is for
 *
 * Return: 64 bits that follow from the two.
 */
u64 sim_draw(u64 seed, u64 what)
{
	return rlb_hash_mix(rlb_hash_mix(seed + SIM_DRAW_STEP) + what * SIM_DRAW_STEP);
}

/* All numbers below @n in random order */
static void shuffle(const struct sim_input *in, u32 *order, u64 what)
{
	u32 i, j, keep;

	for (i = 0; i < in->n; i++)
		order[i] = i;
	for (i = in->n; i > 1; i--) {
		j = (sim_draw(in->seed, what << 32 | i) >> 32) * i >> 32;
		keep = order[j];
		order[j] = order[i - 1];
		order[i - 1] = keep;
	}
}

static void take(struct run *run, u32 i)
{
	run->part[run->n] = run->in->m[i];
	run->number[run->n++] = i;
}

u64 sim_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static u32 all_steps(const struct sim_input *in)
{
	u32 some = in->n < SIM_CHANGES ? in->n : SIM_CHANGES;

	return 1 + in->newcomers + (in->n > 1 ? some : 0) + some + SIM_GATEWAYS;
}

/* Build the table of those taken, and take nobody any more. */
static int build(struct run *run, u16 *slots)
{
	const struct sim_method *method = run->r->method;
	const struct sim_input *in = run->in;
	u64 start = sim_now_ns(), took;
	u32 s;
	int err;

	if (method->build)
		err = method->build(in, slots, run->part, run->n);
	else
		err = rlb_lookup_build(method->ops, slots, in->bits, run->part, run->n,
				       &in->params);
	took = sim_now_ns() - start;
	if (err)
		return err;
	for (s = 0; s < 1U << in->bits; s++)
		slots[s] = run->number[slots[s]];
	if (!run->r->build_ns || took < run->r->build_ns)
		run->r->build_ns = took;
	run->n = 0;
	run->done++;
	if (in->step)
		in->step(method->ops->name, run->done, all_steps(in), in->arg);
	return 0;
}

static u32 other_weight(u32 weight)
{
	return weight <= RINGLB_WEIGHT_MAX / 2 ? 2 * weight : weight / 2;
}

static bool has_measure(const struct sim_input *in, u32 measure)
{
	return measure == SIM_SLOTS || in->weigh[measure];
}

/* Make one change, and count what it moves. */
static int change(struct run *run, enum sim_kind kind, u32 changed)
{
	u32 i;
	int err;

	for (i = 0; i < run->in->n; i++) {
		if (kind == SIM_REMOVE && i == changed)
			continue;
		take(run, i);
		if (kind == SIM_WEIGHT && i == changed)
			run->part[i].weight = other_weight(run->part[i].weight);
	}
	if (kind == SIM_ADD)
		take(run, changed);
	err = build(run, run->after);
	for (i = 0; i < SIM_MEASURES && !err; i++)
		if (has_measure(run->in, i))
			sim_count_moves(&run->r->counts[i].moves[kind], run->in, i, run->before,
					run->after, changed);
	return err;
}

static int changes(struct run *run)
{
	const struct sim_input *in = run->in;
	u32 i;
	int err = 0;

	for (i = 0; i < in->newcomers && !err; i++)
		err = change(run, SIM_ADD, in->n + i);
	shuffle(in, run->order, SIM_REMOVE);
	for (i = 0; i < in->n && i < SIM_CHANGES && !err; i++) {
		if (in->n > 1)
			err = change(run, SIM_REMOVE, run->order[i]);
		if (!err)
			err = change(run, SIM_WEIGHT, run->order[i]);
	}
	return err;
}

/* One in ten is not known to this gateway, but at least one, if others are. */
static int view(struct run *run, u32 gateway)
{
	const struct sim_input *in = run->in;
	u32 unknown = in->n == 1 ? 0 : in->n < 15 ? 1 : (in->n + 5) / 10;
	u32 i;

	shuffle(in, run->order, SIM_KINDS + gateway);
	for (i = unknown; i < in->n; i++)
		run->knows[gateway][run->order[i]] = 1;
	for (i = 0; i < in->n; i++)
		if (run->knows[gateway][i])
			take(run, i);
	return build(run, run->views[gateway]);
}

static int run_alloc(struct run *run)
{
	size_t slots = 1U << run->in->bits, n = run->in->n + SIM_CHANGES;
	u32 g;

	run->part = calloc(n, sizeof(*run->part));
	run->number = calloc(n, sizeof(*run->number));
	run->order = calloc(n, sizeof(*run->order));
	run->before = calloc(slots, sizeof(*run->before));
	run->after = calloc(slots, sizeof(*run->after));
	for (g = 0; g < SIM_GATEWAYS; g++) {
		run->views[g] = calloc(slots, sizeof(*run->views[g]));
		run->knows[g] = calloc(n, sizeof(*run->knows[g]));
		if (!run->views[g] || !run->knows[g])
			return -ENOMEM;
	}
	return run->part && run->number && run->order && run->before && run->after ? 0 : -ENOMEM;
}

static void run_free(struct run *run)
{
	u32 g;

	free(run->part);
	free(run->number);
	free(run->order);
	free(run->before);
	free(run->after);
	for (g = 0; g < SIM_GATEWAYS; g++) {
		free(run->views[g]);
		free(run->knows[g]);
	}
}

static int run_all(struct run *run)
{
	const struct sim_input *in = run->in;
	struct sim_result *r = run->r;
	u32 i, g;
	int err;

	for (i = 0; i < in->n; i++)
		take(run, i);
	err = build(run, run->before);
	if (err)
		return err;
	for (i = 0; i < SIM_MEASURES; i++)
		if (has_measure(in, i))
			sim_count_shares(&r->counts[i], in, i, run->before);
	err = changes(run);
	for (g = 0; g < SIM_GATEWAYS && !err; g++)
		err = view(run, g);
	if (!err)
		err = sim_count_views(r->counts, in, run->views,
				      (const u8 *const *)run->knows);
	if (!err && r->method->hops)
		err = r->method->hops(in, &r->hops, &r->hops_max);
	r->bytes = r->method->bytes(in);
	return err;
}

/**
 * sim_run() - simulate a method
 * @r: out: the result; to be freed after success
 * @method: the method
 * @in: the backends
 *
 * Return: 0; -E2BIG or -ERANGE if the method cannot hold these backends; -ENOMEM.
 */
int sim_run(struct sim_result *r, const struct sim_method *method, const struct sim_input *in)
{
	struct run run = { .in = in, .r = r };
	int err;

	*r = (struct sim_result){ .method = method };
	err = run_alloc(&run);
	if (!err)
		err = run_all(&run);
	if (!err) {
		r->owners = run.before;
		run.before = NULL;
	}
	run_free(&run);
	return err;
}

void sim_result_free(struct sim_result *r)
{
	free(r->owners);
	r->owners = NULL;
}
