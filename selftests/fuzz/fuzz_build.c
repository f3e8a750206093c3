// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_build.c - tables of every method, from any members, weights, sizes and parameters
 *
 * In: five bytes of method, size and parameters, then members of three bytes each: two of
 * weight, one that makes its identity. The same bytes are the list of seats and, as lengths
 * and owners, the map of slots. Whatever they are: a table is built whole or refused with
 * nothing written; every slot has an owner; shares keep what the method promises; the table is
 * the same when it is built once more, and from members in another order.
 */
#include <errno.h>
#include <string.h>

#include "fuzz.h"
#include "hash.h"
#include "lookup.h"

#define HEAD 5
#define MEMBERS_MAX 300
#define BITS_MAX 13		/* a round is to be short */
#define POISON 0xa5a5

static u16 slots[1U << BITS_MAX], again[1U << BITS_MAX];

struct table {
	const struct rlb_lookup_ops *ops;
	struct rlb_params params;
	struct rlb_member m[MEMBERS_MAX];
	struct rlb_seat seat[MEMBERS_MAX];
	struct rlb_range range[MEMBERS_MAX];
	unsigned int bits;
	u32 n;
	u64 weights;
};

/* A range after the last one, or a little before or behind; owned by anyone, or by nobody. */
static void read_range(struct table *t, u32 i, const uint8_t *data)
{
	u32 free = i ? t->range[i - 1].last + 1 : 0;
	u32 length = data[0] ? (u32)data[0] << 4 : (1U << t->bits) - free;

	t->range[i].first = free + (data[1] == 1) - (data[1] == 2);
	t->range[i].last = free + length - 1;
	t->range[i].member = data[2] % (MEMBERS_MAX / 2);
	t->params.n_ranges = i + 1;
}

/* 0, or -1 if the bytes mean nothing. Identities differ, for they are hashes of addresses. */
static int read_table(struct table *t, const uint8_t *data, size_t size)
{
	size_t i;

	memset(t, 0, sizeof(*t));
	if (size < HEAD)
		return -1;
	t->ops = rlb_lookup_find(1 + data[0] % RINGLB_METHOD_MAX) ?: &rlb_slots_ops;
	t->bits = 1 + data[1] % BITS_MAX;
	t->params.vnodes = 1 + data[2];
	t->params.slack = (u32)(data[3] << 8 | data[4]) % 1001;
	if (data[3] == 255)
		t->params.slack = RLB_SLACK_NONE;
	data += HEAD;
	size -= HEAD;
	for (i = 0; i + 3 <= size && t->n < MEMBERS_MAX; i += 3) {
		struct rlb_member *m = &t->m[t->n];

		m->weight = data[i] << 8 | data[i + 1];
		m->ident = rlb_hash_mix((u64)data[i + 2] << 32 | t->n);
		m->id = t->n;
		read_range(t, i / 3, data + i);
		if (!m->weight)
			continue;
		t->seat[t->n] = (struct rlb_seat){ m->weight, m->id };
		t->weights += m->weight;
		t->n++;
	}
	t->params.seats = t->seat;
	t->params.n_seats = t->n;
	t->params.ranges = t->range;
	return 0;
}

static int build(const struct table *t, u16 *to)
{
	memset(to, POISON & 0xff, sizeof(slots));
	return rlb_lookup_build(t->ops, to, t->bits, t->m, t->n, &t->params);
}

/* What each method promises of the slots that one member owns, in @own of 2^bits */
static void check_share(const struct table *t, u32 i, u32 own)
{
	u64 parts = (u64)t->m[i].weight << t->bits;

	switch (t->ops->id) {
	case RINGLB_METHOD_MAGLEV:
	case RINGLB_METHOD_SEAT:	/* within one slot of exact */
		promise((u64)own * t->weights < parts + t->weights);
		promise((u64)(own + 1) * t->weights > parts);
		break;
	case RINGLB_METHOD_RENDEZVOUS:	/* at most (1 + slack) x quota + 1 */
		if (t->params.slack != RLB_SLACK_NONE)
			promise((u64)own * t->weights * 1000 <=
				parts * (1000 + t->params.slack) + t->weights * 1000);
		break;
	default:
		break;
	}
}

static void check_whole(const struct table *t)
{
	u32 own[MEMBERS_MAX] = { 0 };
	u32 s, i;

	for (s = 0; s < 1U << t->bits; s++) {
		if (!t->n) {
			promise(slots[s] == RINGLB_NO_OWNER);
			continue;
		}
		promise(slots[s] < t->n);
		own[slots[s]]++;
	}
	for (i = 0; i < t->n; i++)
		check_share(t, i, own[i]);
	for (; s < 1U << BITS_MAX; s++)
		promise(slots[s] == POISON);	/* nothing beyond the table */
}

/* A map covers the table from its first slot to its last, each owner a member. */
static bool is_map(const struct table *t)
{
	u32 i, free = 0;

	for (i = 0; i < t->params.n_ranges; i++) {
		const struct rlb_range *r = &t->range[i];

		if (r->first != free || r->last < r->first || r->last >= 1U << t->bits ||
		    r->member >= t->n)
			return false;
		free = r->last + 1;
	}
	return free == 1U << t->bits;
}

/* From the members in reverse, the same backends own the same slots. */
static void check_order(struct table *t)
{
	struct rlb_member keep;
	u32 s, i;

	for (i = 0; i < t->n / 2; i++) {
		keep = t->m[i];
		t->m[i] = t->m[t->n - 1 - i];
		t->m[t->n - 1 - i] = keep;
	}
	promise(!build(t, again));
	for (s = 0; t->n && s < 1U << t->bits; s++)
		promise(again[s] == t->n - 1 - slots[s]);
}

void fuzz_build(const uint8_t *data, size_t size)
{
	struct table t;
	int err;

	if (read_table(&t, data, size))
		return;
	err = build(&t, slots);
	if (t.ops->id == RINGLB_METHOD_SLOTS && t.n)
		promise(!err == is_map(&t));
	if (err) {
		promise(err == -E2BIG || t.ops->id == RINGLB_METHOD_SLOTS);
		promise(slots[0] == POISON && !memcmp(slots, slots + 1, sizeof(slots) - sizeof(*slots)));
		return;
	}
	check_whole(&t);
	promise(!build(&t, again));
	promise(!memcmp(slots, again, sizeof(slots)));
	if (t.ops->id != RINGLB_METHOD_SLOTS)	/* a map names indexes */
		check_order(&t);
}
