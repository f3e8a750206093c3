// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_seat.c - method seat in a simulation: who sits where, and flows of dead seats
 *
 * In: members with ids. Out: owners of slots, as gateways choose them: a flow of a seat whose
 * backend is gone, or takes a part of its flows alone, looks again. The list of seats is the
 * one of all backends that there are; who comes, or gets more weight, gets a seat at its end.
 */
#include <errno.h>
#include <stdlib.h>

#include "choose.h"
#include "sim.h"

#define ALL_FLOWS (1U << 16)

static int list_seats(struct rlb_seat *seats, const struct sim_input *in,
		      const struct rlb_member *m, u32 n)
{
	int all = 0;
	u32 i;

	for (i = 0; i < in->n && all >= 0; i++)
		all = rlb_seat_fit(seats, all, in->m[i].id, in->m[i].weight);
	for (i = 0; i < n && all >= 0; i++)
		all = rlb_seat_fit(seats, all, m[i].id, m[i].weight);
	return all;
}

/* As rlb_choose(), with shares that are accepted */
static u16 look(const u16 *table, unsigned int bits, u32 slot, const u32 *accepts, u32 n)
{
	u64 hash = (u64)slot << (64 - bits) | rlb_hash_mix(slot) >> bits;
	unsigned int probes;
	u16 i = table[slot];

	for (probes = 0; probes < RLB_PROBES_MAX; probes++) {
		if (i < n && (hash & (ALL_FLOWS - 1)) < accepts[i])
			return i;
		hash = rlb_hash_mix(hash + 0x9e3779b97f4a7c15ULL);
		i = table[hash >> (64 - bits)];
	}
	return (hash >> 32) * n >> 32;
}

static int build(u16 *slots, u16 *table, struct rlb_seat *seats, u32 *accepts,
		 const struct sim_input *in, const struct rlb_member *m, u32 n)
{
	struct rlb_params params = { .seats = seats };
	int all = list_seats(seats, in, m, n), err;
	u32 i, s;

	if (all < 0)
		return -E2BIG;
	params.n_seats = all;
	err = rlb_lookup_build(&rlb_seat_ops, table, in->bits, m, n, &params);
	if (err)
		return err;
	for (i = 0; i < n; i++)
		accepts[i] = rlb_seat_accept(seats, all, m[i].id, m[i].weight);
	for (s = 0; s < 1U << in->bits; s++)
		slots[s] = look(table, in->bits, s, accepts, n);
	return 0;
}

/**
 * sim_seat_build() - whom gateways choose by seats
 * @in: the list of seats follows from all its backends
 * @slots: out: 2^bits indexes into @m
 * @m: the members that there are
 * @n: how many, at least 1
 *
 * Return: 0, -E2BIG, -ENOMEM.
 */
int sim_seat_build(const struct sim_input *in, u16 *slots, const struct rlb_member *m, u32 n)
{
	u16 *table = calloc(1U << in->bits, sizeof(*table));
	struct rlb_seat *seats = calloc(RLB_SEATS_MAX, sizeof(*seats));
	u32 *accepts = calloc(n, sizeof(*accepts));
	int err = -ENOMEM;

	if (table && seats && accepts)
		err = build(slots, table, seats, accepts, in, m, n);
	free(table);
	free(seats);
	free(accepts);
	return err;
}
