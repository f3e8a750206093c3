// SPDX-License-Identifier: GPL-2.0-only
/*
 * plan.c - what a change of a service will move, slot by slot
 *
 * In: the table in force, and the service as it is to be. Out: shares before and after, and
 * who gives how many slots to whom, at once and later. The slots come from module/lookup, and
 * what waits is told by the same source as in the module. Nothing here prints or asks.
 */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "key.h"
#include "offline.h"
#include "settle.h"

/* The two tables, and how to get from one's members to the other's */
struct tables {
	const struct table *before;
	struct table after;
	u16 *old;		/* owners before, their number for nobody */
	u16 *new;		/* owners in the end, likewise */
	u16 *now;		/* owners right after the change, members of @after */
	u16 *renumber;		/* new index of each former member */
	u8 *change;		/* RLB_MEMBER_* of each new member */
	u32 *share_before;	/* place in the plan's shares, of former members */
	u32 *share_after;	/* likewise, of new ones */
};

static void tables_free(struct tables *t)
{
	table_free(&t->after);
	free(t->old);
	free(t->new);
	free(t->now);
	free(t->renumber);
	free(t->change);
	free(t->share_before);
	free(t->share_after);
}

/* The owners of a table, so that nobody is one beyond the members, as in the module. */
static u16 *whole(const struct table *t)
{
	u16 *owners = calloc(t->slots + 1, sizeof(*owners));
	u32 s;

	for (s = 0; s < t->slots && owners; s++)
		owners[s] = t->owners[s] < t->n ? t->owners[s] : t->n;
	return owners;
}

static int tables_alloc(struct tables *t, struct plan *p)
{
	t->old = whole(t->before);
	t->new = whole(&t->after);
	t->now = calloc(t->after.slots + 1, sizeof(*t->now));
	t->renumber = calloc(t->before->n + 1, sizeof(*t->renumber));
	t->change = calloc(t->after.n + 1, sizeof(*t->change));
	t->share_before = calloc(t->before->n + 1, sizeof(*t->share_before));
	t->share_after = calloc(t->after.n + 1, sizeof(*t->share_after));
	p->shares = calloc(t->before->n + t->after.n + 1, sizeof(*p->shares));
	return t->old && t->new && t->now && t->renumber && t->change && t->share_before &&
	       t->share_after && p->shares ? 0 : -ENOMEM;
}

static bool is_same_id(const struct backend *a, const struct backend *b)
{
	return HAS(a, RINGLB_A_BACKEND_ID) == HAS(b, RINGLB_A_BACKEND_ID) &&
	       (!HAS(a, RINGLB_A_BACKEND_ID) || a->id == b->id);
}

/* One backend before and after: the same member, unless its identity is another one */
static void match(struct tables *t, struct plan_share *s, const struct backend *old,
		  const struct backend *new)
{
	s->renamed = !is_same_id(old, new);
	if (s->renamed)
		t->change[new - t->after.members] = RLB_MEMBER_GAINS;
	else
		t->renumber[old - t->before->members] = new - t->after.members;
}

/* Former and new members into one list; both come in the order of addresses. */
static void merge_members(struct tables *t, struct plan *p)
{
	const struct backend *old = t->before->members, *new = t->after.members;
	const struct backend *old_end = old + t->before->n, *new_end = new + t->after.n;
	struct plan_share *s;
	int order;

	t->renumber[t->before->n] = RINGLB_NO_OWNER;
	t->share_before[t->before->n] = PLAN_NOBODY;
	t->share_after[t->after.n] = PLAN_NOBODY;
	while (old < old_end || new < new_end) {
		s = &p->shares[p->n];
		order = old == old_end ? 1 : new == new_end ? -1 : addr_cmp(&old->at, &new->at);
		s->at = order <= 0 ? old->at : new->at;
		if (order <= 0) {
			s->was = true;
			s->weight_before = old->weight;
			t->renumber[old - t->before->members] = RINGLB_NO_OWNER;
			t->share_before[old - t->before->members] = p->n;
		}
		if (order >= 0) {
			s->is = true;
			s->weight_after = new->weight;
			t->share_after[new - t->after.members] = p->n;
			t->change[new - t->after.members] =
				s->weight_after > s->weight_before ? RLB_MEMBER_GAINS :
				s->weight_after < s->weight_before ? RLB_MEMBER_LOSES : 0;
		}
		if (!order)
			match(t, s, old, new);
		old += order <= 0;
		new += order >= 0;
		p->n++;
	}
}

/*
 * As the module does: a service without members before, or of another size, waits for nothing,
 * nor does what a map says.
 */
static void set_now(struct tables *t)
{
	if (t->after.method != RINGLB_METHOD_SLOTS && t->before->n && t->after.n && t->before->slots == t->after.slots)
		rlb_settle_begin(t->now, t->new, t->old,
				 __builtin_ctz(t->after.slots), t->renumber, t->change);
	else if (t->after.slots)
		memcpy(t->now, t->new, t->after.slots * sizeof(*t->now));
}

static void count_shares(const struct tables *t, struct plan *p)
{
	u32 s;

	for (s = 0; s < t->before->slots; s++)
		if (t->old[s] < t->before->n)
			p->shares[t->share_before[t->old[s]]].before++;
	for (s = 0; s < t->after.slots && t->after.n; s++) {
		if (t->now[s] < t->after.n)
			p->shares[t->share_after[t->now[s]]].at_once++;
		if (t->new[s] < t->after.n)
			p->shares[t->share_after[t->new[s]]].after++;
	}
}

/* A slot that moves; sorted by all three. */
struct one_move {
	u32 from;
	u32 to;
	u32 later;
};

static int one_move_cmp(const void *a, const void *b)
{
	const struct one_move *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (int)x->later - (int)y->later;
}

/* Backends that the change neither adds, removes, nor gives another weight or id */
static bool is_left_alone(const struct plan *p, u32 share)
{
	return share != PLAN_NOBODY && p->shares[share].was && p->shares[share].is &&
	       !p->shares[share].renamed &&
	       p->shares[share].weight_before == p->shares[share].weight_after;
}

static void add_move(struct plan *p, const struct one_move *one)
{
	struct plan_move *m = p->n_moves ? &p->moves[p->n_moves - 1] : NULL;

	if (!m || m->from != one->from || m->to != one->to) {
		m = &p->moves[p->n_moves++];
		*m = (struct plan_move){ .from = one->from, .to = one->to };
		m->needless = p->method != RINGLB_METHOD_SLOTS &&
			      is_left_alone(p, one->from) && is_left_alone(p, one->to);
	}
	m->later += one->later;
	m->at_once += !one->later;
	p->later += one->later;
	p->at_once += !one->later;
	p->needless += m->needless;
}

/*
 * Slots are the upper bits of a flow's hash: where the tables differ in size, each slot of the
 * smaller one stands for several of the larger, which the plan counts in.
 */
static u32 list_moves(const struct tables *t, const struct plan *p, struct one_move *list)
{
	u32 per_before = p->slots / t->before->slots, per_after = p->slots / t->after.slots;
	u32 s, from, to, now, n = 0;

	for (s = 0; s < p->slots; s++) {
		from = t->share_before[t->old[s / per_before]];
		now = t->share_after[t->now[s / per_after]];
		to = t->share_after[t->new[s / per_after]];
		if (from != to && t->before->n)
			list[n++] = (struct one_move){ from, to, now == from };
	}
	return n;
}

static int count_moves(const struct tables *t, struct plan *p)
{
	struct one_move *list = calloc(p->slots, sizeof(*list));
	u32 i, n;

	if (!list)
		return -ENOMEM;
	n = list_moves(t, p, list);
	qsort(list, n, sizeof(*list), one_move_cmp);
	p->moves = calloc(n + 1, sizeof(*p->moves));
	for (i = 0; i < n && p->moves; i++)
		add_move(p, &list[i]);
	free(list);
	return p->moves ? 0 : -ENOMEM;
}

/* A service that goes leaves a table in which nobody owns a slot. */
static int set_after(struct tables *t, const struct service *after)
{
	if (after)
		return offline_table(after, &t->after);
	t->after.slots = t->before->slots;
	t->after.owners = calloc(t->after.slots, sizeof(*t->after.owners));
	if (!t->after.owners)
		return -ENOMEM;
	memset(t->after.owners, 0xff, t->after.slots * sizeof(*t->after.owners));
	return 0;
}

static void describe(struct plan *p, const struct service *before, const struct service *after)
{
	const struct service *s = after ? after : before;

	memset(p, 0, sizeof(*p));
	strcpy(p->service, s->name);
	p->method = s->method;
	p->settle = s->settle;
	p->slots_before = before ? before->slots : 0;
	p->slots_after = after ? after->slots : 0;
	p->slots = p->slots_after > p->slots_before ? p->slots_after : p->slots_before;
	if (!before || !after) {
		p->status = before ? PLAN_REMOVED : PLAN_ADDED;
		return;
	}
	if (before->protocol != after->protocol || addr_cmp(&before->vip, &after->vip) ||
	    before->mode != after->mode || before->tunnel != after->tunnel ||
	    before->tunnel_port != after->tunnel_port)
		p->status = PLAN_REPLACED;
	p->rehash = p->status == PLAN_REPLACED || !rlb_key_is_same(before->key, after->key);
}

/**
 * plan_compute() - what moves when a service changes
 * @p: out: the plan, to be freed in any case
 * @before: the service as it is; its backends do not matter; NULL: it is new
 * @table: its table in force, whose members have their weights; NULL: it is new
 * @after: the service as it is to be; NULL: it goes
 *
 * Return: 0, -E2BIG, -ENOMEM.
 */
int plan_compute(struct plan *p, const struct service *before, const struct table *table,
		 const struct service *after)
{
	static const struct table none;
	struct tables t = { .before = table ? table : &none };
	int err;

	describe(p, before, after);
	err = set_after(&t, after);
	if (!err)
		err = tables_alloc(&t, p);
	if (!err) {
		merge_members(&t, p);
		set_now(&t);
		count_shares(&t, p);
		if (p->rehash)
			plan_rehash(p);
		else if (p->status != PLAN_ADDED)
			err = count_moves(&t, p);
	}
	tables_free(&t);
	return err;
}

/* Flows get other slots: there is no telling where each one goes. */
void plan_rehash(struct plan *p)
{
	u32 i;

	p->rehash = true;
	p->at_once = 0;
	for (i = 0; i < p->n; i++)
		if (p->shares[i].before)
			p->at_once = p->slots;
	p->later = 0;
	p->needless = 0;
	p->n_moves = 0;
}

void plan_free(struct plan *p)
{
	free(p->shares);
	free(p->moves);
	memset(p, 0, sizeof(*p));
}

/**
 * plan_above() - is it more than somebody wants to move?
 * @p: the plan
 * @limit: tenths of a percent of the slots
 *
 * Return: whether.
 */
bool plan_above(const struct plan *p, u32 limit)
{
	return ((u64)p->at_once + p->later) * 1000 > (u64)limit * p->slots;
}

/**
 * plan_peak_to_mean() - the fullest backend beside what its weight asks for
 * @p: the plan
 * @after: in the end; or before
 *
 * Return: its slots, where 1 is what its weight asks for; 0 if there are no members.
 */
double plan_peak_to_mean(const struct plan *p, bool after)
{
	double total = 0, peak = 0, ratio;
	u32 i, weight;

	for (i = 0; i < p->n; i++)
		total += after ? p->shares[i].weight_after : p->shares[i].weight_before;
	for (i = 0; i < p->n; i++) {
		weight = after ? p->shares[i].weight_after : p->shares[i].weight_before;
		if (!weight)
			continue;
		ratio = (after ? p->shares[i].after : p->shares[i].before) * total /
			((double)weight * (after ? p->slots_after : p->slots_before));
		if (ratio > peak)
			peak = ratio;
	}
	return peak;
}
