// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_traffic.c - real flows in a simulation: what slots weigh, who gets the elephants
 *
 * In: flows of a capture. Out: what falls into each slot; facts.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "hash.h"
#include "out.h"
#include "sim_print.h"
#include "words.h"

#define ELEPHANTS 10

/**
 * sim_traffic_weigh() - let slots count what falls into them
 * @in: its @weigh is set, to be freed with sim_traffic_free()
 * @t: the flows
 * @secret: the key by which flows are hashed
 * @key: which of their fields are
 *
 * Return: 0 or -ENOMEM.
 */
int sim_traffic_weigh(struct sim_input *in, const struct traffic *t,
		      const struct rlb_secret *secret, u32 key)
{
	u64 *weigh[SIM_MEASURES] = { NULL };
	u32 i, slot;

	for (i = SIM_FLOWS; i < SIM_MEASURES; i++) {
		weigh[i] = calloc(1U << in->bits, sizeof(*weigh[i]));
		in->weigh[i] = weigh[i];
		if (!weigh[i])
			return -ENOMEM;
	}
	for (i = 0; i < t->n; i++) {
		slot = rlb_key_hash(secret, key, &t->flows[i].tuple) >> (64 - in->bits);
		weigh[SIM_FLOWS][slot]++;
		weigh[SIM_PACKETS][slot] += t->flows[i].packets;
		weigh[SIM_BYTES][slot] += t->flows[i].bytes;
		in->total[SIM_PACKETS] += t->flows[i].packets;
		in->total[SIM_BYTES] += t->flows[i].bytes;
	}
	in->total[SIM_FLOWS] = t->n;
	in->secret = secret;
	in->key = key;
	in->traffic = t;
	return 0;
}

void sim_traffic_free(struct sim_input *in)
{
	u32 i;

	for (i = SIM_FLOWS; i < SIM_MEASURES; i++)
		free((void *)in->weigh[i]);
}

static void measure_facts(struct out *o, const struct sim_counts *c, const char *const keys[5])
{
	static const enum sim_kind kinds[] = { SIM_ADD, SIM_REMOVE, SIM_WEIGHT };
	u32 i;

	out_real(o, keys[0], c->peak);
	out_real(o, keys[1], c->least);
	for (i = 0; i < 3; i++) {
		const struct sim_moves *m = &c->moves[kinds[i]];

		if (m->of)
			out_percent(o, keys[2 + i], m->moved, m->of);
		else
			out_none(o, keys[2 + i]);
	}
}

/* What there is, then shares and moves in flows, packets and bytes */
static void totals(struct out *o, const struct sim_input *in, const struct sim_result *r)
{
	static const char *const keys[SIM_MEASURES][5] = {
		[SIM_FLOWS] = { "flows_peak_to_mean", "flows_min_to_mean", "flows_moved_on_add",
				"flows_moved_on_remove", "flows_moved_on_weight" },
		[SIM_PACKETS] = { "packets_peak_to_mean", "packets_min_to_mean",
				  "packets_moved_on_add", "packets_moved_on_remove",
				  "packets_moved_on_weight" },
		[SIM_BYTES] = { "bytes_peak_to_mean", "bytes_min_to_mean", "bytes_moved_on_add",
				"bytes_moved_on_remove", "bytes_moved_on_weight" },
	};
	u32 i;

	out_u64(o, 0, "traffic_flows", sim_total(in, SIM_FLOWS));
	out_u64(o, 0, "traffic_packets", sim_total(in, SIM_PACKETS));
	out_u64(o, 0, "traffic_bytes", sim_total(in, SIM_BYTES));
	out_u64(o, 0, "traffic_others", in->traffic->others);
	for (i = SIM_FLOWS; i < SIM_MEASURES; i++)
		measure_facts(o, &r->counts[i], keys[i]);
}

static void flow_facts(struct out *o, const struct sim_input *in, const struct traffic_flow *f)
{
	struct endpoint src = { .addr = f->tuple.src, .port = ntohs(f->tuple.sport),
				.family = f->tuple.family };
	struct endpoint dst = { .addr = f->tuple.dst, .port = ntohs(f->tuple.dport),
				.family = f->tuple.family };

	out_str(o, 0, "protocol", word_protocol(f->tuple.proto));
	out_endpoint(o, 0, "source", &src);
	out_endpoint(o, 0, "destination", &dst);
	out_u64(o, 0, "packets", f->packets);
	out_u64(o, 0, "bytes", f->bytes);
	out_percent(o, "share", f->bytes, sim_total(in, SIM_BYTES));
}

static const struct endpoint *backend_of(const struct sim_input *in, const struct sim_result *r,
					 const struct traffic_flow *f)
{
	u64 hash = rlb_key_hash(in->secret, in->key, &f->tuple);

	return &in->at[r->owners[hash >> (64 - in->bits)]];
}

static u32 elephants(const struct sim_input *in)
{
	return in->traffic->n < ELEPHANTS ? in->traffic->n : ELEPHANTS;
}

/* A backend of one method: what its weight asks for, and what it gets */
static void share_facts(struct out *o, const struct sim_input *in, u32 i,
			u64 *const own[SIM_MEASURES], u64 weights)
{
	out_endpoint(o, 0, "backend", &in->at[i]);
	out_u64(o, 0, "weight", in->m[i].weight);
	out_percent(o, "asked", in->m[i].weight, weights);
	out_percent(o, "slots_share", own[SIM_SLOTS][i], sim_total(in, SIM_SLOTS));
	out_percent(o, "flows_share", own[SIM_FLOWS][i], sim_total(in, SIM_FLOWS));
	out_percent(o, "packets_share", own[SIM_PACKETS][i], sim_total(in, SIM_PACKETS));
	out_percent(o, "bytes_share", own[SIM_BYTES][i], sim_total(in, SIM_BYTES));
}

/* All backends of one method, as objects that @begin begins */
static void shares(struct out *o, const struct sim_input *in, const struct sim_result *r,
		   void (*begin)(struct out *o))
{
	static u64 own[SIM_MEASURES][RINGLB_BACKENDS_MAX];
	u64 *const owns[] = { own[0], own[1], own[2], own[3] };
	u64 weights = 0;
	u32 i;

	for (i = 0; i < SIM_MEASURES; i++)
		sim_count_own(own[i], in, i, r->owners);
	for (i = 0; i < in->n; i++)
		weights += in->m[i].weight;
	for (i = 0; i < in->n; i++) {
		begin(o);
		share_facts(o, in, i, owns, weights);
	}
}

/**
 * sim_traffic_facts() - what a method does with the traffic: beside its other facts
 * @o: where to
 * @in: what was simulated; without traffic there is nothing to say
 * @r: what came of it
 */
void sim_traffic_facts(struct out *o, const struct sim_input *in, const struct sim_result *r)
{
	const struct traffic_flow *f;

	if (!in->traffic)
		return;
	totals(o, in, r);
	if (!o->json)
		return;
	out_list(o, "elephants");
	for (f = in->traffic->flows; f < in->traffic->flows + elephants(in); f++) {
		out_list_object(o);
		flow_facts(o, in, f);
		out_endpoint(o, 0, "backend", backend_of(in, r, f));
	}
	out_list_end(o);
	out_list(o, "shares");
	shares(o, in, r, out_list_object);
	out_list_end(o);
}

/**
 * sim_elephants() - text: the longest flows, and where each method sends them
 * @o: where to, a list of OUT_COLUMNS
 * @in: what was simulated
 * @r: results
 * @n: how many
 */
void sim_elephants(struct out *o, const struct sim_input *in, const struct sim_result *r, u32 n)
{
	const struct traffic_flow *f;
	u32 i;

	for (f = in->traffic->flows; f < in->traffic->flows + elephants(in); f++) {
		out_object(o);
		flow_facts(o, in, f);
		for (i = 0; i < n; i++)
			out_endpoint(o, 0, r[i].method->ops->name, backend_of(in, &r[i], f));
	}
}

/**
 * sim_shares() - text: what each backend gets by one method
 * @o: where to, a list of OUT_COLUMNS
 * @in: what was simulated
 * @r: a result
 */
void sim_shares(struct out *o, const struct sim_input *in, const struct sim_result *r)
{
	shares(o, in, r, out_object);
}
