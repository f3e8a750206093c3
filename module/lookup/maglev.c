// SPDX-License-Identifier: GPL-2.0-only
/*
 * maglev.c - members take turns at claiming free slots, each as often as its weight says
 *
 * Eisenbud et al., "Maglev: a fast and reliable software network load balancer" (NSDI 2016).
 * A member's identity draws a permutation of the slots (an offset and an odd stride); when
 * its turn comes, the member takes the first slot of its permutation that is still free.
 *
 * Unlike the paper's, this table has 2^bits slots, and weights: of M slots a member of weight
 * w gets its quota M w / W, rounded down or, for those with the largest remainders, up. Its
 * k-th turn (from 0) comes at the time (k + 1/2) / quota, so that turns are spread evenly.
 * Equal remainders and equal times: the lower identity comes first. So the order of members
 * does not matter.
 *
 * What follows: every share is within one slot of exact. The price is movement: on a change,
 * slots move between members that did not change, about as many again as must with 100
 * members of equal weight, and several times as many with 1000.
 *
 * Turns are put in order by counting: M intervals of time, in each at most one turn of a
 * member. Time: about slots x ln(slots). Scratch memory: 6 bytes a slot and 56 a member.
 */
#include "hash.h"
#include "lookup.h"

#define MAGLEV_STEP 0x78dde6e5fd29f054ULL	/* from an identity to what its places follow from */
#define MAGLEV_YIELD_MASK 0xffff		/* yield once in so many looks at a slot */

/**
 * struct maglev_member - a member and how far it is
 * @slot: the next of its permutation
 * @stride: from slot to slot, odd
 * @quota: turns it has
 * @turn: the next one
 */
struct maglev_member {
	u32 slot;
	u32 stride;
	u32 quota;
	u32 turn;
};

/* One of things to be sorted: by @first, then @ident, then @i */
struct maglev_rank {
	u64 first;
	u64 ident;
	u32 i;
};

/**
 * struct maglev - a table in the making
 * @m: the members
 * @rank: the members again, in an order
 * @n: how many
 * @nslots: M
 * @start: of each interval of time, where its turns begin in @turns
 * @turns: whose turn it is, in order
 */
struct maglev {
	struct maglev_member *m;
	struct maglev_rank *rank;
	u32 n;
	u32 nslots;
	u32 *start;
	u16 *turns;
};

/* --- sorting members ----------------------------------------------------- */

static bool is_before(const struct maglev_rank *a, const struct maglev_rank *b)
{
	if (a->first != b->first)
		return a->first < b->first;
	if (a->ident != b->ident)
		return a->ident < b->ident;
	return a->i < b->i;
}

static void sift_down(struct maglev_rank *r, u32 i, u32 n)
{
	struct maglev_rank top = r[i];
	u32 child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && is_before(&r[child], &r[child + 1]))
			child++;
		if (!is_before(&top, &r[child]))
			break;
		r[i] = r[child];
		i = child;
	}
	r[i] = top;
}

/* Heapsort: no memory, no bad case. */
static void sort_ranks(struct maglev_rank *r, u32 n)
{
	struct maglev_rank last;
	u32 i;

	for (i = n / 2; i--; )
		sift_down(r, i, n);
	for (i = n; i-- > 1; ) {
		last = r[i];
		r[i] = r[0];
		r[0] = last;
		sift_down(r, 0, i);
	}
}

/* --- quotas and turns ---------------------------------------------------- */

static void set_quotas(struct maglev *t, const struct rlb_member *m)
{
	u64 total = 0, exact;
	u32 left = t->nslots;
	u32 i;

	for (i = 0; i < t->n; i++)
		total += m[i].weight;
	for (i = 0; i < t->n; i++) {
		exact = (u64)t->nslots * m[i].weight;
		t->m[i].quota = rlb_env_div(exact, total);
		left -= t->m[i].quota;
		/* what is missing to the next slot: the largest remainder first */
		t->rank[i].first = (t->m[i].quota + 1) * total - exact;
		t->rank[i].ident = m[i].ident;
		t->rank[i].i = i;
	}
	sort_ranks(t->rank, t->n);
	for (i = 0; i < left; i++)	/* less than n: the remainders' sum */
		t->m[t->rank[i].i].quota++;
}

/* Where the turns of a member fall: floor(M (k + 1/2) / quota), walked without division. */
struct maglev_clock {
	u32 at;
	u32 rest;	/* in 1 / (2 quota) */
	u32 step;
	u32 step_rest;
	u32 unit;	/* 2 quota */
};

static void clock_start(struct maglev_clock *c, u32 nslots, u32 quota)
{
	c->unit = 2 * quota;
	c->at = nslots / c->unit;
	c->rest = nslots % c->unit;
	c->step = 2 * nslots / c->unit;
	c->step_rest = 2 * nslots % c->unit;
}

static void clock_next(struct maglev_clock *c)
{
	c->at += c->step;
	c->rest += c->step_rest;
	if (c->rest >= c->unit) {
		c->rest -= c->unit;
		c->at++;
	}
}

/* Counting sort of all turns by interval; of equal ones the lower identity first. */
static void set_turns(struct maglev *t)
{
	struct maglev_clock c;
	u32 i, k, r, sum = 0, count;

	memset(t->start, 0, t->nslots * sizeof(*t->start));
	for (i = 0; i < t->n; i++) {
		if (!t->m[i].quota)
			continue;
		clock_start(&c, t->nslots, t->m[i].quota);
		for (k = 0; k < t->m[i].quota; k++, clock_next(&c))
			t->start[c.at]++;
	}
	for (i = 0; i < t->nslots; i++) {
		count = t->start[i];
		t->start[i] = sum;
		sum += count;
	}
	rlb_env_yield();
	for (r = 0; r < t->n; r++) {
		i = t->rank[r].i;
		if (!t->m[i].quota)
			continue;
		clock_start(&c, t->nslots, t->m[i].quota);
		for (k = 0; k < t->m[i].quota; k++, clock_next(&c))
			t->turns[t->start[c.at]++] = i;
	}
	rlb_env_yield();
	/* each start[] is the next one's now: the end of its interval */
}

/* Is the next turn of @a strictly earlier than that of @b? */
static bool is_earlier(const struct maglev_member *a, const struct maglev_member *b)
{
	return (u64)(2 * a->turn + 1) * b->quota < (u64)(2 * b->turn + 1) * a->quota;
}

/* The turns of one interval, [from, to), in their exact order: equal ones stay as they are. */
static void sort_interval(struct maglev *t, u32 from, u32 to)
{
	u32 k, hole;
	u16 i;

	for (k = from + 1; k < to; k++) {
		i = t->turns[k];
		for (hole = k; hole > from; hole--) {
			if (!is_earlier(&t->m[i], &t->m[t->turns[hole - 1]]))
				break;
			t->turns[hole] = t->turns[hole - 1];
		}
		t->turns[hole] = i;
	}
}

static void claim_all(struct maglev *t, u16 *slots)
{
	u32 interval, k, from = 0, to, looks = 0;
	struct maglev_member *m;

	for (interval = 0; interval < t->nslots; interval++, from = to) {
		to = t->start[interval];
		sort_interval(t, from, to);
		for (k = from; k < to; k++) {
			m = &t->m[t->turns[k]];
			while (slots[m->slot] != RINGLB_NO_OWNER) {
				m->slot = (m->slot + m->stride) & (t->nslots - 1);
				if (!(++looks & MAGLEV_YIELD_MASK))
					rlb_env_yield();
			}
			slots[m->slot] = t->turns[k];
			m->turn++;
		}
	}
}

/* --- building ------------------------------------------------------------ */

static void set_members(struct maglev *t, const struct rlb_member *m)
{
	u64 places;
	u32 i;

	set_quotas(t, m);
	for (i = 0; i < t->n; i++) {
		places = rlb_hash_mix(m[i].ident + MAGLEV_STEP);
		t->m[i].slot = places & (t->nslots - 1);
		t->m[i].stride = (places >> 32 & (t->nslots - 1)) | 1;
		t->m[i].turn = 0;
		t->rank[i].first = 0;
		t->rank[i].ident = m[i].ident;
		t->rank[i].i = i;
	}
	sort_ranks(t->rank, t->n);
}

static void maglev_free(struct maglev *t)
{
	rlb_env_free(t->turns);
	rlb_env_free(t->start);
	rlb_env_free(t->rank);
	rlb_env_free(t->m);
}

static int maglev_alloc(struct maglev *t)
{
	t->m = rlb_env_alloc(t->n, sizeof(*t->m));
	t->rank = rlb_env_alloc(t->n, sizeof(*t->rank));
	t->start = rlb_env_alloc(t->nslots, sizeof(*t->start));
	t->turns = rlb_env_alloc(t->nslots, sizeof(*t->turns));
	if (t->m && t->rank && t->start && t->turns)
		return 0;
	maglev_free(t);
	return -ENOMEM;
}

static int maglev_check(const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	return 0;
}

static int maglev_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
			const struct rlb_params *p)
{
	struct maglev t = { .n = n, .nslots = 1U << bits };
	u32 s;
	int err;

	if (n > t.nslots)
		return -E2BIG;
	err = maglev_alloc(&t);
	if (err)
		return err;
	for (s = 0; s < t.nslots; s++)
		slots[s] = RINGLB_NO_OWNER;
	set_members(&t, m);
	set_turns(&t);
	claim_all(&t, slots);
	maglev_free(&t);
	return 0;
}

const struct rlb_lookup_ops rlb_maglev_ops = {
	.name = "maglev",
	.id = RINGLB_METHOD_MAGLEV,
	.check = maglev_check,
	.build = maglev_build,
};
