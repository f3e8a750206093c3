// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures.c - what a method of filling tables is judged by, counted slot by slot
 *
 * With FIGURES set in the environment each figure is printed beside its bound.
 */
#include "figures.h"
#include "key.h"

#define FIGURES_BACKENDS 1100
#define FIGURES_GATEWAYS 10
#define FIGURES_SLOTS (1U << 20)

static u16 before[FIGURES_SLOTS], after[FIGURES_SLOTS];
static u16 *views[FIGURES_GATEWAYS];

void figures_members(struct rlb_member *m, u32 first, u32 n, u32 set)
{
	union rlb_addr addr = { .byte = { 10, set } };
	__be16 port;
	u32 i;

	((u8 *)&port)[0] = 8080 >> 8;
	((u8 *)&port)[1] = 8080 & 0xff;
	for (i = 0; i < n; i++) {
		addr.byte[2] = (first + i + 1) >> 8;
		addr.byte[3] = first + i + 1;
		memset(&m[i], 0, sizeof(m[i]));
		m[i].ident = rlb_ident(AF_INET, &addr, port, 6);
		m[i].weight = 1;
	}
}

static void fill(const struct figures *f, u16 *slots, const struct rlb_member *m, u32 n)
{
	assert_int_equal(rlb_lookup_build(f->ops, slots, f->bits, m, n, &f->params), 0);
}

static void print(const struct figures *f, const char *what, u32 seen, u32 bound)
{
	if (getenv("FIGURES"))
		fprintf(stderr, "# %s 2^%u slots, %u backends: %s %u, bound %u\n", f->ops->name,
			f->bits, f->n, what, seen, bound);
}

struct figures_shares figures_shares(const struct figures *f)
{
	struct figures_shares shares = { .least = ~0U };
	struct rlb_member m[FIGURES_BACKENDS];
	u32 own[FIGURES_BACKENDS + 1], set, i;

	for (set = 0; set < f->sets; set++) {
		figures_members(m, 0, f->n, set);
		fill(f, before, m, f->n);
		unit_shares(before, f->bits, f->n, own);
		for (i = 0; i < f->n; i++) {
			if (own[i] < shares.least)
				shares.least = own[i];
			if (own[i] > shares.most)
				shares.most = own[i];
		}
	}
	return shares;
}

static void count_moves(const struct figures *f, const struct rlb_member *old,
			const struct rlb_member *new, u64 changed, struct figures_moves *moves)
{
	u64 from, to;
	u32 s;

	for (s = 0; s < 1U << f->bits; s++) {
		from = old[before[s]].ident;
		to = new[after[s]].ident;
		if (from == to)
			continue;
		if (from == changed || to == changed)
			moves->must++;
		else
			moves->excess++;
	}
}

struct figures_moves figures_moves(const struct figures *f, enum figures_change change)
{
	struct rlb_member old[FIGURES_BACKENDS], new[FIGURES_BACKENDS];
	struct figures_moves moves = { 0 };
	u32 set, n, i;
	u64 changed;

	for (set = 0; set < f->sets; set++) {
		figures_members(old, 0, f->n, set);
		memcpy(new, old, sizeof(new));
		n = f->n;
		i = (set * 7 + 3) % n;
		changed = old[i].ident;
		if (change == FIGURES_ADD) {
			figures_members(&new[n], n, 1, set);
			changed = new[n++].ident;
		} else if (change == FIGURES_REMOVE) {
			memmove(&new[i], &new[i + 1], (--n - i) * sizeof(*new));
		} else {
			new[i].weight++;
		}
		fill(f, before, old, f->n);
		fill(f, after, new, n);
		count_moves(f, old, new, changed, &moves);
	}
	return moves;
}

static bool knows(u32 set, u32 gateway, u32 backend)
{
	return unit_splitmix(((u64)set << 32) + gateway, backend + 1) % 10;
}

static void view(const struct figures *f, u32 set, u32 gateway)
{
	struct rlb_member all[FIGURES_BACKENDS], m[FIGURES_BACKENDS];
	u32 index[FIGURES_BACKENDS], n = 0, i, s;

	figures_members(all, 0, f->n, set);
	for (i = 0; i < f->n; i++) {
		if (!knows(set, gateway, i))
			continue;
		m[n] = all[i];
		index[n++] = i;
	}
	fill(f, views[gateway], m, n);
	for (s = 0; s < 1U << f->bits; s++)
		views[gateway][s] = index[views[gateway][s]];
}

struct figures_views figures_views(const struct figures *f, u32 gateways)
{
	struct figures_views total = { 0 };
	u32 set, a, b, s;

	for (a = 0; a < gateways; a++)
		views[a] = malloc(sizeof(u16) << f->bits);
	for (set = 0; set < f->sets; set++) {
		for (a = 0; a < gateways; a++)
			view(f, set, a);
		for (a = 0; a < gateways; a++) {
			for (b = 0; b < a; b++) {
				total.slots += 1U << f->bits;
				for (s = 0; s < 1U << f->bits; s++)
					total.needless += views[a][s] != views[b][s] &&
						knows(set, a, views[b][s]) &&
						knows(set, b, views[a][s]);
			}
		}
	}
	for (a = 0; a < gateways; a++)
		free(views[a]);
	return total;
}

void figures_excess_at_most(const struct figures *f, u32 bound)
{
	static const char *const words[] = { "excess of adding", "of removing", "of weight 2" };
	struct figures_moves moves;
	u32 change;

	for (change = FIGURES_ADD; change <= FIGURES_WEIGHT; change++) {
		moves = figures_moves(f, change);
		assert_true(moves.must > 0);
		print(f, words[change], moves.excess * 100000 / moves.must, bound);
		if (moves.excess * 100000 > moves.must * bound)
			refute("%u backends: %s: %llu slots beside %llu", f->n, words[change],
			       (long long)moves.excess, (long long)moves.must);
	}
}

void figures_needless_at_most(const struct figures *f, u32 bound)
{
	struct figures_views seen = figures_views(f, FIGURES_GATEWAYS);

	print(f, "needless", seen.needless * 100000 / seen.slots, bound);
	if (seen.needless * 100000 > seen.slots * bound)
		refute("%u backends: %llu of %llu slots disagree needlessly", f->n,
		       (long long)seen.needless, (long long)seen.slots);
}

void figures_shares_within(const struct figures *f, u32 low, u32 high)
{
	struct figures_shares shares = figures_shares(f);
	u64 slots = 10000ULL << f->bits;

	print(f, "least share", (u64)shares.least * f->n * 10000 >> f->bits, low);
	print(f, "greatest share", (u64)shares.most * f->n * 10000 >> f->bits, high);
	/* share / mean = own * n / slots */
	if ((u64)shares.least * f->n * 10000 * 10000 < slots * low)
		refute("%u backends: one owns %u slots only", f->n, shares.least);
	if ((u64)shares.most * f->n * 10000 * 10000 > slots * high)
		refute("%u backends: one owns %u slots", f->n, shares.most);
}
