// SPDX-License-Identifier: GPL-2.0-only
/*
 * plan_print.c - a plan as facts: text in three parts, JSON in one object
 *
 * In: a plan. Out: facts.
 */
#include <stdlib.h>

#include "out.h"
#include "plan.h"
#include "words.h"

#define BAR_WIDTH 24

static const char *const statuses[] = {
	[PLAN_CHANGED] = "changed",
	[PLAN_ADDED] = "added",
	[PLAN_REMOVED] = "removed",
	[PLAN_REPLACED] = "replaced",
};

/* A number of slots, and the share that it is */
static void part(struct out *o, const struct plan *p, const char *key, const char *share,
		 u32 slots)
{
	out_u64(o, 0, key, slots);
	out_percent(o, share, slots, p->slots);
}

static void settle_facts(struct out *o, const struct plan *p)
{
	u32 most = (u64)p->settle * p->slots_after / 1000;

	if (!p->later)
		return;
	out_tenths(o, "settle", p->settle);
	if (!most)
		most = 1;
	if (p->settle)
		out_u64(o, 0, "settle_seconds", (p->later + most - 1) / most);
}

static void move_facts(struct out *o, const struct plan *p, const struct plan_move *m)
{
	if (m->from == PLAN_NOBODY)
		out_none(o, "from");
	else
		out_endpoint(o, 0, "from", &p->shares[m->from].at);
	if (m->to == PLAN_NOBODY)
		out_none(o, "to");
	else
		out_endpoint(o, 0, "to", &p->shares[m->to].at);
	part(o, p, "slots", "share", m->at_once + m->later);
	out_u64(o, 0, "at_once", m->at_once);
	out_u64(o, 0, "later", m->later);
	out_bool(o, "needless", m->needless);
}

static void bars(struct out *o, const struct plan *p, const struct plan_share *s,
		 const double total[2], double most)
{
	double before = p->slots_before ? (double)s->before / p->slots_before : 0;
	double after = p->slots_after ? (double)s->after / p->slots_after : 0;

	out_bar(o, "before (| asked)", BAR_WIDTH, before,
		total[0] ? s->weight_before / total[0] : 0, most);
	out_bar(o, "after (| asked)", BAR_WIDTH, after,
		total[1] ? s->weight_after / total[1] : 0, most);
}

static void share_facts(struct out *o, const struct plan *p, const struct plan_share *s,
			const double total[2])
{
	out_endpoint(o, 0, "backend", &s->at);
	if (s->was)
		out_u64(o, 0, "weight_before", s->weight_before);
	else
		out_none(o, "weight_before");
	if (s->is)
		out_u64(o, 0, "weight_after", s->weight_after);
	else
		out_none(o, "weight_after");
	out_u64(o, 0, "slots_before", s->before);
	out_u64(o, 0, "slots_at_once", s->at_once);
	out_u64(o, 0, "slots_after", s->after);
	out_percent(o, "share_before", s->before, p->slots_before);
	out_percent(o, "share_after", s->after, p->slots_after);
	out_percent(o, "asked_after", s->weight_after, total[1]);
}

/* Sums of weights before and after */
static void sum_weights(const struct plan *p, double total[2])
{
	u32 i;

	total[0] = 0;
	total[1] = 0;
	for (i = 0; i < p->n; i++) {
		total[0] += p->shares[i].weight_before;
		total[1] += p->shares[i].weight_after;
	}
}

static void lists(struct out *o, const struct plan *p)
{
	double total[2];
	u32 i;

	sum_weights(p, total);
	out_list(o, "moves");
	for (i = 0; i < p->n_moves; i++) {
		out_list_object(o);
		move_facts(o, p, &p->moves[i]);
	}
	out_list_end(o);
	out_list(o, "backends");
	for (i = 0; i < p->n; i++) {
		out_list_object(o);
		share_facts(o, p, &p->shares[i], total);
	}
	out_list_end(o);
}

/* Those whose weight will earn no slot */
static void slotless_fact(struct out *o, const struct plan *p)
{
	struct endpoint *list = calloc(p->n + 1, sizeof(*list));
	size_t n = 0;
	u32 i;

	for (i = 0; list && i < p->n; i++)
		if (p->shares[i].is && !p->shares[i].after)
			list[n++] = p->shares[i].at;
	if (list)
		out_endpoints(o, 0, "slotless", list, n);
	else
		o->failed = true;
	free(list);
}

/**
 * plan_facts() - a plan as an object: in text without moves and shares
 * @o: where to, a list of OUT_FACTS
 * @p: the plan
 * @limit: tenths of a percent; NULL: none
 */
void plan_facts(struct out *o, const struct plan *p, const u32 *limit)
{
	out_object(o);
	out_str(o, 0, "service", p->service);
	out_str(o, 0, "status", statuses[p->status]);
	out_str(o, 0, "method", word_method(p->method));
	out_u64(o, 0, "slots", p->slots);
	if (p->slots_before && p->slots_before != p->slots_after)
		out_u64(o, 0, "slots_before", p->slots_before);
	if (p->slots_after && p->slots_before != p->slots_after)
		out_u64(o, 0, "slots_after", p->slots_after);
	part(o, p, "moved", "moved_share", p->at_once + p->later);
	part(o, p, "at_once", "at_once_share", p->at_once);
	part(o, p, "later", "later_share", p->later);
	if (!p->rehash)
		part(o, p, "needless", "needless_share", p->needless);
	out_bool(o, "rehash", p->rehash);
	settle_facts(o, p);
	out_real(o, "peak_to_mean_before", plan_peak_to_mean(p, false));
	out_real(o, "peak_to_mean_after", plan_peak_to_mean(p, true));
	slotless_fact(o, p);
	if (limit) {
		out_tenths(o, "limit", *limit);
		out_bool(o, "above_limit", plan_above(p, *limit));
	}
	if (o->json)
		lists(o, p);
}

/**
 * plan_move_columns() - text: who gives how many slots to whom
 * @o: where to, a list of OUT_COLUMNS
 * @p: the plan
 */
void plan_move_columns(struct out *o, const struct plan *p)
{
	u32 i;

	for (i = 0; i < p->n_moves; i++) {
		out_object(o);
		move_facts(o, p, &p->moves[i]);
	}
}

/**
 * plan_share_columns() - text: what each backend has, beside what its weight asks for
 * @o: where to, a list of OUT_COLUMNS
 * @p: the plan
 */
void plan_share_columns(struct out *o, const struct plan *p)
{
	double total[2], most = 0, part_of;
	const struct plan_share *s;

	sum_weights(p, total);
	for (s = p->shares; s < p->shares + p->n; s++) {
		part_of = p->slots_before ? (double)s->before / p->slots_before : 0;
		most = part_of > most ? part_of : most;
		part_of = p->slots_after ? (double)s->after / p->slots_after : 0;
		most = part_of > most ? part_of : most;
		part_of = total[0] ? s->weight_before / total[0] : 0;
		most = part_of > most ? part_of : most;
		part_of = total[1] ? s->weight_after / total[1] : 0;
		most = part_of > most ? part_of : most;
	}
	for (s = p->shares; s < p->shares + p->n; s++) {
		out_object(o);
		share_facts(o, p, s, total);
		bars(o, p, s, total, most);
	}
}
