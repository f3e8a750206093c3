// SPDX-License-Identifier: GPL-2.0-only
/*
 * rendezvous.c - weighted rendezvous by rank, with a cap on shares
 *
 * Thaler and Ravishankar's rendezvous (1998) gives a slot to the member with the best score
 * for it. Here a member's score for a slot follows from the slot's rank in a permutation that
 * the member's identity draws: the slot of rank r scores L[r] / weight, lowest wins, where
 *
 *	L[r] = sum of 1/(M - j) for j < r, plus half of 1/(M - r)	(M slots)
 *
 * is about the expected r-th smallest of M exponential draws (Renyi), so that scores behave
 * like those of weighted rendezvous by logarithms, with no logarithm and no hash for each
 * pair. Equal scores: the lower hash of identity and slot wins, then the lower identity.
 *
 * A member owns at most its cap: floor((1 + slack) x quota + theta), theta in [0, 1) from its
 * identity so that the integer steps of caps are spread over members. If the caps together
 * are short of M, all theta grow alike, up to 1, until they are not. Of n < 11 members slack
 * counts (n - 1)/10 only: shares of few are even anyway, but for members whose permutations
 * happen to be alike, and those few are worth moving.
 *
 * The table is what one gets from going through all pairs of member and slot in the order of
 * their scores, handing out each free slot to a member below its cap. It is computed as a
 * stable matching (Gale and Shapley): members claim slots in the order of their ranks, a slot
 * keeps its best claim, whoever loses a slot claims on. All prefer by the same scores, so the
 * stable matching is unique and the order of claims does not matter; claiming in rounds of
 * about equal score keeps losses rare.
 *
 * At last, few members if any own less than their floor, quota - sqrt(5/2 quota): lattices of
 * two members may be alike. In the order of their identities each takes slots in the order of
 * its ranks from members that own more than their quotas, until it has its floor.
 *
 * What follows: with RLB_SLACK_NONE, which knows no caps and no floors, a change moves slots
 * from or to the changed member alone; otherwise shares are even and a change moves a little
 * more. Time: about slots x ln(slots) claims. Scratch memory: 16 1/8 bytes a slot and 48 a
 * member.
 */
#include "hash.h"
#include "lookup.h"

#define RDV_ONE (1ULL << 44)		/* 1 in scores; the highest, 14.4, times 2^16 fits u64 */
#define RDV_END (1ULL << 48)		/* above all scores, even of weight 1 */
#define RDV_FREE (~0ULL)
#define RDV_THETA_BITS 16
#define RDV_YIELD_MASK 0xffff		/* yield once in so many claims */

/*
 * A round is long enough to claim 1/8 of the slots. Its length does not show in the table: a
 * test compiles this with long ones, in which many more slots are lost again.
 */
#ifndef RDV_ROUND_SHIFT
#define RDV_ROUND_SHIFT 3
#endif

#define RDV_STEP_PLACES 0x9e3779b97f4a7c15ULL	/* what is drawn from an identity */
#define RDV_STEP_THETA 0x3c6ef372fe94f82aULL	/* differs by these */

/* A member and how far it is: @slot has rank @rank and is claimed next. */
struct rdv_claimant {
	u64 ident;
	u32 weight;
	u32 own;	/* slots it holds, at most @cap */
	u32 cap;
	u32 rank;
	u32 slot;
	u32 stride;	/* from slot to slot, odd */
	u32 whole;	/* its quota, rounded down */
	u32 floor;
};

/**
 * struct rdv - a table in the making
 * @level: L[r] of each rank, times RDV_ONE
 * @held: of each slot, L of its best claim << 16 | whose; RDV_FREE
 * @settled: of each slot, a bit: its claim scores no more than @past
 * @c: the members
 * @n: how many
 * @mask: slots - 1
 * @empty: free slots
 * @past: where the last round ended: all claims of a lower score were made, but for those of
 *	members at their caps
 * @now: where this round ends
 * @claims: claims made
 */
struct rdv {
	u64 *level;
	u64 *held;
	unsigned long *settled;
	struct rdv_claimant *c;
	u32 n;
	u32 mask;
	u32 empty;
	u64 past;
	u64 now;
	u32 claims;
};

#define RDV_WORD (8 * sizeof(unsigned long))

/* --- caps ---------------------------------------------------------------- */

/*
 * Whole part of (1 + @slack/10000) x quota; *@need: the least theta that lifts the cap by one, in
 * units of 2^-RDV_THETA_BITS: 1..2^RDV_THETA_BITS.
 */
static u32 cap_floor(u64 slots, u32 slack, u32 weight, u64 total, u32 *need)
{
	u64 num = (10000 + slack) * slots * weight;	/* 15 + 20 + 16 bits */
	u64 den = 10000 * total;			/* 14 + 28 bits */
	u64 whole = rlb_env_div(num, den);
	u64 rest = num - whole * den;

	*need = rlb_env_div(((den - rest) << RDV_THETA_BITS) + den - 1, den);
	return whole;
}

static u32 theta(u64 ident)
{
	return rlb_hash_mix(ident + RDV_STEP_THETA) >> (64 - RDV_THETA_BITS);
}

/* How many members' caps are lifted by one if each theta grows by @more (at most to 1)? */
static u32 lifted(const struct rdv *t, u32 more)
{
	u32 count = 0;
	u32 i;

	for (i = 0; i < t->n; i++)
		count += t->c[i].rank <= theta(t->c[i].ident) + more;
	return count;
}

/* Sets all caps. Each member's .rank holds its cap_floor() need meanwhile. */
static void set_caps(struct rdv *t, u64 total, u32 slack)
{
	u32 others = t->n > 10 ? 10 : t->n - 1;
	u64 slots = (u64)t->mask + 1;
	u32 low = 0, high = 1U << RDV_THETA_BITS;
	u64 sum = 0;
	u32 i, mid;

	for (i = 0; i < t->n; i++) {
		t->c[i].cap = slack == RLB_SLACK_NONE ? t->mask + 1 :
			      cap_floor(slots, slack * others, t->c[i].weight, total,
					&t->c[i].rank);
		sum += t->c[i].cap;
	}
	if (slack == RLB_SLACK_NONE)
		return;
	/* The whole parts miss less than one slot for each member, so theta = 1 is enough. */
	while (low < high) {
		mid = (low + high) / 2;
		if (sum + lifted(t, mid) >= slots)
			high = mid;
		else
			low = mid + 1;
	}
	for (i = 0; i < t->n; i++)
		t->c[i].cap += t->c[i].rank <= theta(t->c[i].ident) + low;
}

/* --- claims -------------------------------------------------------------- */

/* What a member's permutation follows from: its first slot and its stride. */
static u64 places(u64 ident)
{
	return rlb_hash_mix(ident + RDV_STEP_PLACES);
}

static void rewind_claimant(const struct rdv *t, struct rdv_claimant *c)
{
	c->rank = 0;
	c->slot = places(c->ident) & t->mask;
}

static u64 tie_hash(u64 ident, u32 slot)
{
	return rlb_hash_mix(ident ^ (u64)slot << 44);
}

/* Equal scores: does @i win @slot against @j? */
static bool wins_tie(const struct rdv *t, u32 i, u32 j, u32 slot)
{
	u64 a = tie_hash(t->c[i].ident, slot);
	u64 b = tie_hash(t->c[j].ident, slot);

	if (a != b)
		return a < b;
	if (t->c[i].ident != t->c[j].ident)
		return t->c[i].ident < t->c[j].ident;
	return i < j;
}

static bool is_settled(const struct rdv *t, u32 slot)
{
	return t->settled[slot / RDV_WORD] >> slot % RDV_WORD & 1;
}

/* Member @i claims the next slot of its permutation. */
static void claim(struct rdv *t, u32 i)
{
	struct rdv_claimant *c = &t->c[i];
	u64 level = t->level[c->rank++];
	u32 slot = c->slot;
	u64 mine, theirs, held;
	u32 j;

	c->slot = (slot + c->stride) & t->mask;
	if (!(++t->claims & RDV_YIELD_MASK))
		rlb_env_yield();
	if (is_settled(t, slot) && level > t->past * c->weight)
		return;
	held = t->held[slot];
	if (held == RDV_FREE) {
		t->empty--;
	} else {
		j = held & 0xffff;
		/* level / c->weight against (held >> 16) / weight of j, exactly */
		mine = level * t->c[j].weight;
		theirs = (held >> 16) * c->weight;
		if (mine > theirs || (mine == theirs && !wins_tie(t, i, j, slot))) {
			if (held >> 16 <= t->past * t->c[j].weight)
				t->settled[slot / RDV_WORD] |= 1UL << slot % RDV_WORD;
			return;
		}
		t->c[j].own--;
	}
	t->held[slot] = level << 16 | i;
	c->own++;
}

/*
 * All members below their caps claim all that scores no more than t->now. Returns whether
 * any claim was made; *@active: the weights of those that are still below their caps.
 */
static bool claim_round(struct rdv *t, u64 *active)
{
	u32 before = t->claims;
	u64 limit;
	u32 i;

	*active = 0;
	for (i = 0; i < t->n; i++) {
		limit = t->now * t->c[i].weight;
		while (t->c[i].own < t->c[i].cap && t->c[i].rank <= t->mask &&
		       t->level[t->c[i].rank] <= limit)
			claim(t, i);
		if (t->c[i].own < t->c[i].cap)
			*active += t->c[i].weight;
	}
	rlb_env_yield();
	return t->claims != before;
}

/*
 * Done when no slot is free and no member below its cap has a claim left that scores no more
 * than t->now, for no slot is held by a worse one. The caps are enough for all slots, so while
 * one is free someone is below its cap and has not claimed that one yet: each round that
 * claims nothing takes t->now on, up to the highest score there is.
 */
static void claim_all(struct rdv *t)
{
	u64 active = 0;
	u32 i;

	for (i = 0; i < t->n; i++)
		active += t->c[i].weight;
	while (t->empty) {
		t->past = t->now;
		t->now += rlb_env_div(RDV_ONE >> RDV_ROUND_SHIFT, active ? active : 1);
		if (t->now > RDV_END)
			t->now = RDV_END;
		claim_round(t, &active);
	}
	while (claim_round(t, &active))
		;
}

/* --- floors -------------------------------------------------------------- */

/* @x < 2^24 */
static u32 square_root(u32 x)
{
	u32 root = 0, bit;

	for (bit = 1U << 11; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	return root;
}

/* The starved member of the lowest identity; t->n for none. */
static u32 find_starved(const struct rdv *t)
{
	u32 found = t->n;
	u32 i;

	for (i = 0; i < t->n; i++)
		if (t->c[i].own < t->c[i].floor &&
		    (found == t->n || t->c[i].ident < t->c[found].ident))
			found = i;
	return found;
}

/*
 * While a member owns less than its quota, others own more than theirs, and their slots come
 * up in its permutation. They keep their quotas rounded down, so that none starves by this.
 */
static void feed(struct rdv *t, u32 i)
{
	struct rdv_claimant *c = &t->c[i];
	u32 slot, j;

	rewind_claimant(t, c);
	while (c->own < c->floor) {
		slot = c->slot;
		c->slot = (slot + c->stride) & t->mask;
		j = t->held[slot] & 0xffff;
		if (j == i || t->c[j].own <= t->c[j].whole)
			continue;
		t->held[slot] = i;	/* scores no longer matter */
		t->c[j].own--;
		c->own++;
	}
	rlb_env_yield();
}

static void feed_all(struct rdv *t)
{
	u32 i, root;

	for (i = 0; i < t->n; i++) {
		root = square_root(t->c[i].whole * 5 / 2);
		t->c[i].floor = t->c[i].whole > root ? t->c[i].whole - root : 0;
	}
	while ((i = find_starved(t)) < t->n)
		feed(t, i);
}

/* --- building ------------------------------------------------------------ */

static void set_levels(struct rdv *t)
{
	u64 half, sum = 0;
	u32 r;

	for (r = 0; r <= t->mask; r++) {
		half = rlb_env_div(RDV_ONE / 2, t->mask + 1 - r);
		t->level[r] = sum + half;
		sum += 2 * half;
		if (!(r & RDV_YIELD_MASK))
			rlb_env_yield();
	}
}

static void set_claimants(struct rdv *t, const struct rlb_member *m, u32 slack)
{
	u64 total = 0;
	u32 i;

	for (i = 0; i < t->n; i++) {
		t->c[i].ident = m[i].ident;
		t->c[i].weight = m[i].weight;
		total += m[i].weight;
	}
	set_caps(t, total, slack);
	for (i = 0; i < t->n; i++) {
		t->c[i].whole = rlb_env_div(((u64)t->mask + 1) * m[i].weight, total);
		t->c[i].stride = (places(m[i].ident) >> 32 & t->mask) | 1;
		t->c[i].own = 0;
		rewind_claimant(t, &t->c[i]);
	}
}

static void rdv_free(struct rdv *t)
{
	rlb_env_free(t->c);
	rlb_env_free(t->settled);
	rlb_env_free(t->held);
	rlb_env_free(t->level);
}

static int rdv_alloc(struct rdv *t, u32 nslots)
{
	size_t words = (nslots + RDV_WORD - 1) / RDV_WORD;

	t->level = rlb_env_alloc(nslots, sizeof(*t->level));
	t->held = rlb_env_alloc(nslots, sizeof(*t->held));
	t->settled = rlb_env_alloc(words, sizeof(*t->settled));
	t->c = rlb_env_alloc(t->n, sizeof(*t->c));
	if (!t->level || !t->held || !t->settled || !t->c) {
		rdv_free(t);
		return -ENOMEM;
	}
	memset(t->held, 0xff, nslots * sizeof(*t->held));	/* RDV_FREE */
	memset(t->settled, 0, words * sizeof(*t->settled));
	return 0;
}

static int rendezvous_check(const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	return p->slack > RINGLB_SLACK_MAX && p->slack != RLB_SLACK_NONE ? -ERANGE : 0;
}

static int rendezvous_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
			    const struct rlb_params *p)
{
	u32 nslots = 1U << bits;
	struct rdv t = { .n = n, .mask = nslots - 1, .empty = nslots };
	u32 s;
	int err;

	err = rdv_alloc(&t, nslots);
	if (err)
		return err;
	set_levels(&t);
	set_claimants(&t, m, p->slack);
	claim_all(&t);
	if (p->slack != RLB_SLACK_NONE)
		feed_all(&t);
	for (s = 0; s < nslots; s++)
		slots[s] = t.held[s] & 0xffff;
	rdv_free(&t);
	return 0;
}

const struct rlb_lookup_ops rlb_rendezvous_ops = {
	.name = "rendezvous",
	.id = RINGLB_METHOD_RENDEZVOUS,
	.check = rendezvous_check,
	.build = rendezvous_build,
};
