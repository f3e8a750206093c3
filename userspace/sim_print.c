// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_print.c - what came of a method as facts: an object each, a column in text
 *
 * In: a result. Out: facts.
 */
#include "out.h"
#include "sim_print.h"

static void moves(struct out *o, const char *moved, const char *excess,
		  const struct sim_moves *m)
{
	if (!m->of) {
		out_none(o, moved);
		out_none(o, excess);
		return;
	}
	out_percent(o, moved, m->moved, m->of);
	if (m->must || !m->excess)
		out_percent(o, excess, m->excess, m->must);
	else
		out_none(o, excess);
}

/**
 * sim_facts() - a method as an object
 * @o: where to
 * @in: what was simulated
 * @r: what came of it
 */
void sim_facts(struct out *o, const struct sim_input *in, const struct sim_result *r)
{
	const struct sim_counts *c = r->counts;

	out_object(o);
	out_str(o, 0, "method", r->method->ops->name);
	out_bool(o, "teaching", r->method->teaching);
	out_u64(o, 0, "backends", in->n);
	out_u64(o, 0, "slots", 1U << in->bits);
	out_u64(o, 0, "seed", in->seed);
	out_real(o, "peak_to_mean", c->peak);
	out_real(o, "min_to_mean", c->least);
	moves(o, "moved_on_add", "excess_on_add", &c->moves[SIM_ADD]);
	moves(o, "moved_on_remove", "excess_on_remove", &c->moves[SIM_REMOVE]);
	moves(o, "moved_on_weight", "excess_on_weight", &c->moves[SIM_WEIGHT]);
	out_percent(o, "needless_disagreement", c->needless, c->compared);
	out_real(o, "spread", c->spread);
	out_real(o, "max_view_load", c->load);
	out_real(o, "build_ms", r->build_ns / 1e6);
	out_u64(o, 0, "bytes", r->bytes);
	if (r->method->teaching)
		out_none(o, "loads");
	else
		out_u64(o, 0, "loads", 1);
	if (r->method->hops) {
		out_real(o, "hops", r->hops);
		out_u64(o, 0, "hops_max", r->hops_max);
	} else {
		out_none(o, "hops");
		out_none(o, "hops_max");
	}
	sim_traffic_facts(o, in, r);
}
