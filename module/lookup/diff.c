// SPDX-License-Identifier: GPL-2.0-only
/*
 * diff.c - what moves between two tables: how many slots, from whom, to whom, needlessly?
 *
 * In: two tables and their members. Out: counts and a list of pairs. Members are the same if
 * their identities are, whatever their indexes. Process context, may sleep. Time: slots, plus
 * members x ln(members); memory: 8 bytes for each slot that moved and some for each member.
 */
#include "diff.h"

/* A member by identity, to be found by bisection */
struct diff_name {
	u64 ident;
	u32 i;
};

/* Slots that moved, sorted by counting */
struct diff_list {
	u32 *key;	/* from << 16 | to; a side's n stands for nobody */
	u32 *sorted;
	u32 *start;	/* of each owner, where its slots begin in the sorted list */
	u32 n;
};

/* --- members by identity ------------------------------------------------- */

static void sift_down(struct diff_name *name, u32 i, u32 n)
{
	struct diff_name top = name[i];
	u32 child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && name[child].ident < name[child + 1].ident)
			child++;
		if (name[child].ident <= top.ident)
			break;
		name[i] = name[child];
		i = child;
	}
	name[i] = top;
}

static void sort_names(struct diff_name *name, u32 n)
{
	struct diff_name last;
	u32 i;

	for (i = n / 2; i--; )
		sift_down(name, i, n);
	for (i = n; i-- > 1; ) {
		last = name[i];
		name[i] = name[0];
		name[0] = last;
		sift_down(name, 0, i);
	}
}

static u32 find_name(const struct diff_name *name, u32 n, u64 ident)
{
	u32 low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (name[mid].ident < ident)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && name[low].ident == ident ? name[low].i : RLB_NOBODY;
}

/* Sets d->stays and d->came. */
static int match(struct rlb_diff *d, const struct rlb_side *old, const struct rlb_side *new)
{
	struct diff_name *name;
	u32 i;

	name = rlb_env_alloc(new->n + 1, sizeof(*name));
	if (!name)
		return -ENOMEM;
	for (i = 0; i < new->n; i++) {
		name[i].ident = new->m[i].ident;
		name[i].i = i;
	}
	sort_names(name, new->n);
	for (i = 0; i < new->n; i++)
		d->came[i] = RLB_NOBODY;
	for (i = 0; i < old->n; i++) {
		d->stays[i] = find_name(name, new->n, old->m[i].ident);
		if (d->stays[i] != RLB_NOBODY)
			d->came[d->stays[i]] = i;
	}
	rlb_env_free(name);
	return 0;
}

/* --- slots that move ----------------------------------------------------- */

static u32 owner_at(const struct rlb_side *side, u32 slot, unsigned int bits)
{
	u32 owner = side->slots[slot >> (bits - side->bits)];

	return owner < side->n ? owner : side->n;
}

/* Counts the slots that move; with @l, writes them down. */
static u32 collect(const struct rlb_diff *d, const struct rlb_side *old,
		   const struct rlb_side *new, struct diff_list *l)
{
	unsigned int bits = old->bits > new->bits ? old->bits : new->bits;
	u32 s, from, to, stays, count = 0;

	for (s = 0; s < d->slots; s++) {
		from = owner_at(old, s, bits);
		to = owner_at(new, s, bits);
		stays = from < old->n ? d->stays[from] : RLB_NOBODY;
		if (to == (from < old->n ? stays : new->n))
			continue;
		if (l)
			l->key[count] = from << 16 | to;
		count++;
		if (!(count & 0xffff))
			rlb_env_yield();
	}
	return count;
}

/* One pass of a stable counting sort by 16 bits of the keys, which are below @n. */
static void sort_pass(struct diff_list *l, u32 n, unsigned int shift)
{
	u32 *swap = l->key;
	u32 i, owner, count, sum = 0;

	memset(l->start, 0, n * sizeof(*l->start));
	for (i = 0; i < l->n; i++)
		l->start[l->key[i] >> shift & 0xffff]++;
	for (owner = 0; owner < n; owner++) {
		count = l->start[owner];
		l->start[owner] = sum;
		sum += count;
	}
	for (i = 0; i < l->n; i++)
		l->sorted[l->start[l->key[i] >> shift & 0xffff]++] = l->key[i];
	l->key = l->sorted;
	l->sorted = swap;
	rlb_env_yield();
}

/* Neither the old member nor the new one is absent or weighs differently on the other side. */
static bool is_needless(const struct rlb_diff *d, const struct rlb_side *old,
			const struct rlb_side *new, u32 from, u32 to)
{
	u32 stays, came;

	if (from >= old->n || to >= new->n)
		return false;
	stays = d->stays[from];
	came = d->came[to];
	return stays != RLB_NOBODY && old->m[from].weight == new->m[stays].weight &&
	       came != RLB_NOBODY && new->m[to].weight == old->m[came].weight;
}

/* From sorted keys to d->move. */
static int sum_up(struct rlb_diff *d, const struct rlb_side *old, const struct rlb_side *new,
		  const struct diff_list *l)
{
	struct rlb_move *move;
	u32 i, pairs = 0;

	for (i = 0; i < l->n; i++)
		pairs += !i || l->key[i] != l->key[i - 1];
	d->move = rlb_env_alloc(pairs + 1, sizeof(*d->move));
	if (!d->move)
		return -ENOMEM;
	move = d->move - 1;
	for (i = 0; i < l->n; i++) {
		if (!i || l->key[i] != l->key[i - 1]) {
			move++;
			move->from = l->key[i] >> 16;
			move->to = l->key[i] & 0xffff;
			move->slots = 0;
			move->needless = is_needless(d, old, new, move->from, move->to);
			if (move->from == old->n)
				move->from = RLB_NOBODY;
			if (move->to == new->n)
				move->to = RLB_NOBODY;
		}
		move->slots++;
		d->needless += move->needless;
	}
	d->n_moves = pairs;
	return 0;
}

static int list_moves(struct rlb_diff *d, const struct rlb_side *old, const struct rlb_side *new)
{
	u32 owners = (old->n > new->n ? old->n : new->n) + 1;
	struct diff_list l = { .n = d->moved };
	int err = -ENOMEM;

	l.key = rlb_env_alloc(d->moved + 1, sizeof(*l.key));
	l.sorted = rlb_env_alloc(d->moved + 1, sizeof(*l.sorted));
	l.start = rlb_env_alloc(owners, sizeof(*l.start));
	if (l.key && l.sorted && l.start) {
		collect(d, old, new, &l);
		sort_pass(&l, owners, 0);
		sort_pass(&l, owners, 16);
		err = sum_up(d, old, new, &l);
	}
	rlb_env_free(l.start);
	rlb_env_free(l.sorted);
	rlb_env_free(l.key);
	return err;
}

/**
 * rlb_diff() - compare two tables
 * @d: out: what moves; to be freed with rlb_diff_free() unless this fails
 * @old: the one table
 * @new: the other one; may have another size: then each slot of the smaller one counts as the
 *	slots of the larger one that its flows go to
 *
 * Return: 0, -ENOMEM.
 */
int rlb_diff(struct rlb_diff *d, const struct rlb_side *old, const struct rlb_side *new)
{
	int err = -ENOMEM;

	memset(d, 0, sizeof(*d));
	d->slots = 1U << (old->bits > new->bits ? old->bits : new->bits);
	d->stays = rlb_env_alloc(old->n + 1, sizeof(*d->stays));
	d->came = rlb_env_alloc(new->n + 1, sizeof(*d->came));
	if (d->stays && d->came)
		err = match(d, old, new);
	if (!err) {
		d->moved = collect(d, old, new, NULL);
		err = list_moves(d, old, new);
	}
	if (err)
		rlb_diff_free(d);
	return err;
}

/**
 * rlb_diff_free() - free what rlb_diff() made
 * @d: the difference
 */
void rlb_diff_free(struct rlb_diff *d)
{
	rlb_env_free(d->move);
	rlb_env_free(d->came);
	rlb_env_free(d->stays);
	d->move = NULL;
	d->came = NULL;
	d->stays = NULL;
}
