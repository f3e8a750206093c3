// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_count.c - what a simulation counts in the tables that it built
 *
 * In: owners of slots, as numbers in one list of backends. Out: shares, moves, disagreement.
 */
#include <errno.h>
#include <stdlib.h>

#include "sim.h"

static double sum_of_weights(const struct sim_input *in)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < in->n; i++)
		sum += in->m[i].weight;
	return sum;
}

/* What the backend's weight asks for, in slots */
static double asked(const struct sim_input *in, u32 i, double sum)
{
	return in->m[i].weight * (double)(1U << in->bits) / sum;
}

/**
 * sim_count_shares() - the highest and the lowest share, each over what the weight asks for
 * @c: out: @peak and @least
 * @in: the backends
 * @owners: their table
 */
void sim_count_shares(struct sim_counts *c, const struct sim_input *in, const u16 *owners)
{
	u32 own[RINGLB_BACKENDS_MAX] = { 0 };
	double sum = sum_of_weights(in), ratio;
	u32 s, i;

	for (s = 0; s < 1U << in->bits; s++)
		own[owners[s]]++;
	c->peak = 0;
	c->least = 1U << in->bits;
	for (i = 0; i < in->n; i++) {
		ratio = own[i] / asked(in, i, sum);
		if (ratio > c->peak)
			c->peak = ratio;
		if (ratio < c->least)
			c->least = ratio;
	}
}

/**
 * sim_count_moves() - what a change of one backend moves
 * @sum: what is added to
 * @in: size of the tables
 * @before: the table before
 * @after: the table after
 * @changed: the backend that was added, removed, or got another weight
 */
void sim_count_moves(struct sim_moves *sum, const struct sim_input *in, const u16 *before,
		     const u16 *after, u32 changed)
{
	u64 had = 0, has = 0;
	u32 s;

	for (s = 0; s < 1U << in->bits; s++) {
		had += before[s] == changed;
		has += after[s] == changed;
		if (before[s] == after[s])
			continue;
		sum->moved++;
		sum->excess += before[s] != changed && after[s] != changed;
	}
	sum->must += has > had ? has - had : had - has;
	sum->of += 1U << in->bits;
}

static u64 count_needless(const struct sim_input *in, const u16 *a, const u16 *b,
			  const u8 *knows_a, const u8 *knows_b)
{
	u64 needless = 0;
	u32 s;

	for (s = 0; s < 1U << in->bits; s++)
		needless += a[s] != b[s] && knows_a[b[s]] && knows_b[a[s]];
	return needless;
}

/* Add a slot to the load of each backend that some gateway chooses for it. Their number. */
static u32 count_choices(u32 *load, u16 *const views[SIM_GATEWAYS], u32 s)
{
	u32 a, b, different = 0;

	for (a = 0; a < SIM_GATEWAYS; a++) {
		for (b = 0; b < a && views[b][s] != views[a][s]; b++)
			;
		if (b < a)
			continue;
		load[views[a][s]]++;
		different++;
	}
	return different;
}

/**
 * sim_count_views() - how far gateways that know different parts of the list agree
 * @c: out: @compared, @needless, @spread, @load
 * @in: the backends
 * @views: the gateways' tables
 * @knows: of each gateway, whether it knows a backend
 *
 * Return: 0 or -ENOMEM.
 */
int sim_count_views(struct sim_counts *c, const struct sim_input *in,
		    u16 *const views[SIM_GATEWAYS], const u8 *const knows[SIM_GATEWAYS])
{
	u32 *load = calloc(in->n, sizeof(*load));
	double sum = sum_of_weights(in), ratio;
	u64 different = 0;
	u32 a, b, s, i;

	if (!load)
		return -ENOMEM;
	for (a = 0; a < SIM_GATEWAYS; a++) {
		for (b = 0; b < a; b++) {
			c->needless += count_needless(in, views[a], views[b], knows[a], knows[b]);
			c->compared += 1U << in->bits;
		}
	}
	for (s = 0; s < 1U << in->bits; s++)
		different += count_choices(load, views, s);
	c->spread = (double)different / (1U << in->bits);
	for (i = 0; i < in->n; i++) {
		ratio = load[i] / asked(in, i, sum);
		if (ratio > c->load)
			c->load = ratio;
	}
	free(load);
	return 0;
}
