// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_list.c - backends for a simulation: so many invented ones, or those of a service
 *
 * In: a number and weights, or a service. Out: the list, and the newcomers after it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "offline.h"
#include "sim.h"

#define SIM_PORT 8080

/* The address after this one */
static void next_address(struct endpoint *e)
{
	u32 i = rlb_addr_len(e->family);

	while (i-- && !++e->addr.byte[i])
		;
}

/* Members from addresses and weights: as a service would have them */
static int set_members(struct sim_input *in, struct service *s)
{
	size_t i;

	in->at = calloc(s->n, sizeof(*in->at));
	in->m = calloc(s->n, sizeof(*in->m));
	if (!in->at || !in->m)
		return -ENOMEM;
	offline_members(s, in->m);
	for (i = 0; i < s->n; i++) {
		in->at[i] = s->backends[i].at;
		in->m[i].id = i + 1;
	}
	return 0;
}

/* Newcomers: addresses after the last, without ids, of the weight that is the average */
static int add_newcomers(struct sim_input *in, struct service *s)
{
	struct backend b = s->backends[s->n - 1];
	u64 sum = 0;
	size_t i;
	int err = 0;

	in->n = s->n;
	in->protocol = s->protocol;
	for (i = 0; i < s->n; i++)
		sum += s->backends[i].weight;
	b.has = 0;
	b.weight = (sum + s->n / 2) / s->n;
	while (in->newcomers < SIM_CHANGES && s->n < RINGLB_BACKENDS_MAX && !err) {
		next_address(&b.at);
		err = service_add(s, &b);
		in->newcomers++;
	}
	if (!err)
		err = set_members(in, s);
	return err;
}

/**
 * sim_list_equal() - invent backends
 * @in: its list is set
 * @n: how many, 1..RINGLB_BACKENDS_MAX
 * @weights: their weights, again from the first when they end
 * @n_weights: how many of these
 *
 * The addresses are 10.x.0.1 and on, port 8080, tcp; x follows from the seed.
 *
 * Return: 0 or -ENOMEM.
 */
int sim_list_equal(struct sim_input *in, u32 n, const u32 *weights, u32 n_weights)
{
	struct service s = { .protocol = IPPROTO_TCP };
	struct backend b = { .at.family = AF_INET, .at.port = SIM_PORT };
	int err = 0;
	u32 i;

	b.at.addr.byte[0] = 10;
	b.at.addr.byte[1] = in->seed;
	for (i = 0; i < n && !err; i++) {
		next_address(&b.at);
		b.weight = weights[i % n_weights];
		err = service_add(&s, &b);
	}
	if (!err)
		err = add_newcomers(in, &s);
	free(s.backends);
	return err;
}

/**
 * sim_list_service() - take the backends of a service
 * @in: its list is set
 * @s: the service, one that has a backend with a weight
 *
 * Return: 0 or -ENOMEM.
 */
int sim_list_service(struct sim_input *in, const struct service *s)
{
	struct service members = { .protocol = s->protocol };
	int err = 0;
	size_t i;

	for (i = 0; i < s->n && !err; i++)
		if (s->backends[i].weight)
			err = service_add(&members, &s->backends[i]);
	if (!err)
		err = add_newcomers(in, &members);
	free(members.backends);
	return err;
}

void sim_list_free(struct sim_input *in)
{
	free(in->at);
	free(in->m);
}
