// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_count.c - what a simulation counts in the tables that it built
 *
 * In: owners of slots, as numbers in one list of backends. Out: shares, moves, disagreement.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static double sum_of_weights(const struct sim_input *in)
{
	double sum = 0;
	u32 i;

	for (i = 0; i < in->n; i++)
		sum += in->m[i].weight;
	return sum;
}

/* What the backend's weight asks for of @total */
static double asked(const struct sim_input *in, u32 i, double sum, double total)
{
	return in->m[i].weight * total / sum;
}

static u64 weigh(const struct sim_input *in, enum sim_measure measure, u32 s)
{
	return in->weigh[measure] ? in->weigh[measure][s] : 1;
}

/* All that there is of a measure */
u64 sim_total(const struct sim_input *in, enum sim_measure measure)
{
	return measure == SIM_SLOTS ? 1U << in->bits : in->total[measure];
}

/**
 * sim_count_own() - what each backend has
 * @own: out: of each backend
 * @in: the backends
 * @measure: in what it is counted
 * @owners: their table
 */
void sim_count_own(u64 *own, const struct sim_input *in, enum sim_measure measure,
		   const u16 *owners)
{
	u32 s;

	memset(own, 0, in->n * sizeof(*own));
	for (s = 0; s < 1U << in->bits; s++)
		own[owners[s]] += weigh(in, measure, s);
}

/**
 * sim_count_shares() - the highest and the lowest share, each over what the weight asks for
 * @c: out: @peak and @least
 * @in: the backends
 * @measure: in what it is counted
 * @owners: their table
 */
void sim_count_shares(struct sim_counts *c, const struct sim_input *in,
		      enum sim_measure measure, const u16 *owners)
{
	double sum = sum_of_weights(in), total = sim_total(in, measure), ratio;
	u64 own[RINGLB_BACKENDS_MAX];
	u32 i;

	sim_count_own(own, in, measure, owners);
	for (i = 0; i < in->n; i++) {
		ratio = own[i] / asked(in, i, sum, total);
		if (!i || ratio > c->peak)
			c->peak = ratio;
		if (!i || ratio < c->least)
			c->least = ratio;
	}
}

/**
 * sim_count_moves() - what a change of one backend moves
 * @sum: what is added to
 * @in: size of the tables
 * @measure: in what it is counted
 * @before: the table before
 * @after: the table after
 * @changed: the backend that was added, removed, or got another weight
 */
void sim_count_moves(struct sim_moves *sum, const struct sim_input *in,
		     enum sim_measure measure, const u16 *before, const u16 *after,
		     u32 changed)
{
	u64 had = 0, has = 0, weight;
	u32 s;

	for (s = 0; s < 1U << in->bits; s++) {
		weight = weigh(in, measure, s);
		sum->of += weight;
		had += before[s] == changed ? weight : 0;
		has += after[s] == changed ? weight : 0;
		if (before[s] == after[s])
			continue;
		sum->moved += weight;
		if (before[s] != changed && after[s] != changed)
			sum->excess += weight;
	}
	sum->must += has > had ? has - had : had - has;
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
		ratio = load[i] / asked(in, i, sum, 1U << in->bits);
		if (ratio > c->load)
			c->load = ratio;
	}
	free(load);
	return 0;
}
