// SPDX-License-Identifier: GPL-2.0-only
/*
 * seat.c - quotas by an agreed list of seats: exact shares, and changes that move the minimum
 *
 * Where an operator numbers machines, a table can follow from the list of numbers alone. The
 * list is configuration: each seat has a nominal weight and the id of the backend that sits on
 * it. Seat 0 gets all M slots; then each further seat k takes its quota M w(k) / W(k) from the
 * seats before it, W(k) being the sum of the weights up to and with k, such that each seat is
 * left with its own quota M w(j) / W(k), rounded down or up. A seat gives first the slots that
 * it has had for longest.
 *
 * What moves when something is changed is decided by how the list is changed:
 *
 *	new backend		a seat at the end of the list: takes its share, moves nothing else
 *	backend gone		nothing: a seat whose id no member has is dead. Its slots hold n,
 *				one beyond the members, and flows there look again, as when the
 *				backend is down
 *	another machine		gets the id of the old one, or the seat the new one's id
 *	weight lowered		nothing: the backend takes rlb_seat_accept() of the flows that
 *				come to its seats, the others look again
 *	weight raised		accepts more, up to all; what is missing then is a further, virtual
 *				seat at the end with the same id: rlb_seat_fit()
 *	too many dead seats	a new list, built by rlb_seat_fit() from an empty one: a planned
 *				move of almost everything
 *
 * No other change is exact: a seat's weight or place in the list is never edited.
 *
 * Who gives: slots are handed over one by one, each by the seat that must soonest. A seat with
 * c slots may give one when its quota is below c, and must before its quota is c - 1, that is,
 * when W reaches its deadline M w / (c - 1). Of the seats that may, those with the earliest
 * deadlines give, of equal ones the first in the list. Seat k comes with its quota rounded up
 * and is among those who may give. So at each step as many are to give as would in real
 * numbers if slots could be cut, and earliest deadline first is known to meet all deadlines
 * that can be met: every seat has its quota within one slot at every step.
 *
 * Time: slots x ln(seats) + seats^2. Scratch memory: 4 bytes a slot, 48 a seat, 16 a member.
 */
#include "hash.h"
#include "lookup.h"

#define SEAT_NEVER (1ULL << 40)		/* above all deadlines: below 2^20 slots x 2^16 */
#define SEAT_KEY_BITS 16		/* for a seat's number, below its deadline */
#define SEAT_NONE 0xffffffffU
#define SEAT_SPREAD 0x9e3779b9U		/* 2^32 / golden ratio */

/* A seat and its slots: a queue, linked by struct seat_table.next. */
struct seat {
	u64 deadline;
	u32 weight;
	u32 count;
	u32 gives;
	u32 first;
	u32 last;
};

/* An id and the member that has it */
struct seat_owner {
	u32 id;
	u32 member;	/* SEAT_NONE: an empty place */
};

/**
 * struct seat_table - a table in the making
 * @seat: the seats so far
 * @may: keys of seats that may give: deadline << SEAT_KEY_BITS | number
 * @next: of each slot, the next one of the same seat
 * @owner: members by id, hashed
 * @owner_bits: room for 2^@owner_bits
 * @slots: of each slot, the number of its seat, in the end its member
 * @nslots: M
 */
struct seat_table {
	struct seat *seat;
	u64 *may;
	u32 *next;
	struct seat_owner *owner;
	unsigned int owner_bits;
	u16 *slots;
	u32 nslots;
};

/* --- the list of seats --------------------------------------------------- */

/**
 * rlb_seat_nominal() - what a backend's seats weigh together
 * @seats: the list
 * @n: how many
 * @id: the backend
 *
 * Return: the sum; 0 if it has no seat.
 */
u32 rlb_seat_nominal(const struct rlb_seat *seats, u32 n, u32 id)
{
	u32 sum = 0;
	u32 k;

	for (k = 0; k < n; k++)
		if (seats[k].id == id)
			sum += seats[k].weight;	/* at most 2^13 x 2^16 */
	return sum;
}

/**
 * rlb_seat_accept() - the share of its flows that a backend is to take
 * @seats: the list
 * @n: how many
 * @id: the backend
 * @weight: its weight
 *
 * Return: in units of 2^-16, 0..2^16, rounded: 2^16 (all of them) if @weight is at least what
 *	its seats weigh.
 */
u32 rlb_seat_accept(const struct rlb_seat *seats, u32 n, u32 id, u32 weight)
{
	u32 nominal = rlb_seat_nominal(seats, n, id);

	if (weight >= nominal)
		return 1U << 16;
	return rlb_env_div(((u64)weight << 16) + nominal / 2, nominal);
}

/**
 * rlb_seat_fit() - see that a backend's seats weigh at least as much as it does
 * @seats: the list, with room for RLB_SEATS_MAX
 * @n: how many
 * @id: the backend
 * @weight: its weight, 1..RINGLB_WEIGHT_MAX
 *
 * Adds a seat at the end if need be: the one thing that ever happens to a list. To make a list
 * for several backends that are new at once, take them by ascending id.
 *
 * Return: how many seats there are now, -ENOSPC if the list is full.
 */
int rlb_seat_fit(struct rlb_seat *seats, u32 n, u32 id, u32 weight)
{
	u32 nominal = rlb_seat_nominal(seats, n, id);

	if (nominal >= weight)
		return n;
	if (n >= RLB_SEATS_MAX)
		return -ENOSPC;
	seats[n].id = id;
	seats[n].weight = weight - nominal;
	return n + 1;
}

/**
 * rlb_seat_fit_all() - see that the seats of all members weigh as much as they do
 * @seats: the list, with room for @n_members more, or for RLB_SEATS_MAX
 * @n: how many
 * @m: the members; those without id are left out
 * @n_members: how many
 *
 * By ascending id: the list does not depend on the order in which members are told.
 *
 * Return: how many seats there are now, -ENOSPC if the list is full.
 */
int rlb_seat_fit_all(struct rlb_seat *seats, u32 n, const struct rlb_member *m, u32 n_members)
{
	u64 from = 0;
	u32 i, next;
	int now = n;

	for (;;) {
		next = n_members;
		for (i = 0; i < n_members; i++)
			if (m[i].id >= from && m[i].id != RLB_NO_ID &&
			    (next == n_members || m[i].id < m[next].id))
				next = i;
		if (next == n_members)
			return now;
		now = rlb_seat_fit(seats, now, m[next].id, m[next].weight);
		if (now < 0)
			return now;
		from = (u64)m[next].id + 1;
		rlb_env_yield();
	}
}

/* --- who gives ----------------------------------------------------------- */

static u64 quota_up(u32 nslots, u32 weight, u64 total)
{
	return rlb_env_div((u64)nslots * weight + total - 1, total);
}

static void set_deadline(const struct seat_table *t, struct seat *s)
{
	s->deadline = s->count > 1 ? quota_up(t->nslots, s->weight, s->count - 1) : SEAT_NEVER;
}

static void give(const struct seat_table *t, struct seat *s)
{
	s->gives++;
	s->count--;
	set_deadline(t, s);
}

/* Partition around the middle one until the @want lowest of @n keys are in front. */
static void select_lowest(u64 *key, u32 n, u32 want)
{
	u32 low = 0, high = n;	/* the border is within [low, high) */
	u64 pivot, swap;
	u32 i, j;

	while (high - low > 1) {
		pivot = key[low + (high - low) / 2];
		i = low;
		j = high - 1;
		for (;;) {
			while (key[i] < pivot)
				i++;
			while (key[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = key[i];
			key[i] = key[j];
			key[j] = swap;
		}
		/* keys differ: the pivot is at i, lower ones before it, higher ones after */
		if (want > i)
			low = i + 1;
		else
			high = i;
	}
}

/* Seats 0..k: sets .gives so that each has its quota of @total, within one slot. */
static void decide(struct seat_table *t, u32 k, u64 total)
{
	u64 want = t->seat[k].count;
	u32 may = 0;
	u32 j;

	for (j = 0; j <= k; j++) {
		struct seat *s = &t->seat[j];

		s->gives = 0;
		while (s->deadline <= total) {
			give(t, s);
			want--;
		}
		if (s->count * total > (u64)t->nslots * s->weight)
			t->may[may++] = s->deadline << SEAT_KEY_BITS | j;
	}
	select_lowest(t->may, may, want);
	for (j = 0; j < want; j++)
		give(t, &t->seat[t->may[j] & ((1U << SEAT_KEY_BITS) - 1)]);
}

/* --- handing over -------------------------------------------------------- */

static void append(struct seat_table *t, u32 k, u32 slot)
{
	struct seat *s = &t->seat[k];

	if (s->first == SEAT_NONE)
		s->first = slot;
	else
		t->next[s->last] = slot;
	s->last = slot;
	t->next[slot] = SEAT_NONE;
	t->slots[slot] = k;
}

static u32 remove_first(struct seat_table *t, u32 k)
{
	u32 slot = t->seat[k].first;

	t->seat[k].first = t->next[slot];
	return slot;
}

static void fill_seat(struct seat_table *t, u32 k, u32 weight, u64 total)
{
	struct seat *s = &t->seat[k];
	u32 j, left;

	s->weight = weight;
	s->count = quota_up(t->nslots, weight, total);
	s->first = SEAT_NONE;
	set_deadline(t, s);
	if (!k)
		return;
	decide(t, k, total);
	/* what seat k gave itself, nobody has to give */
	for (j = 0; j < k; j++)
		for (left = t->seat[j].gives; left; left--)
			append(t, k, remove_first(t, j));
}

static void fill_seats(struct seat_table *t, const struct rlb_seat *seats, u32 n)
{
	u32 stride = SEAT_SPREAD >> (32 - RLB_BITS_MAX) | 1;
	u64 total = seats[0].weight;
	u32 k, s;

	fill_seat(t, 0, seats[0].weight, total);
	for (s = 0; s < t->nslots; s++)
		append(t, 0, s * stride & (t->nslots - 1));
	for (k = 1; k < n; k++) {
		total += seats[k].weight;
		fill_seat(t, k, seats[k].weight, total);
		rlb_env_yield();
	}
}

/* --- who sits there ------------------------------------------------------ */

/* Where the member with this id is, or where it would be. */
static struct seat_owner *find_owner(const struct seat_table *t, u32 id)
{
	u32 mask = (1U << t->owner_bits) - 1;
	u32 at = rlb_hash_mix(id) & mask;

	while (t->owner[at].member != SEAT_NONE && t->owner[at].id != id)
		at = (at + 1) & mask;
	return &t->owner[at];
}

static int set_owners(struct seat_table *t, const struct rlb_member *m, u32 n)
{
	struct seat_owner *o;
	u32 i;

	for (i = 0; i < n; i++) {
		if (m[i].id == RLB_NO_ID)
			return -EINVAL;
		o = find_owner(t, m[i].id);
		if (o->member != SEAT_NONE)
			return -EEXIST;
		o->id = m[i].id;
		o->member = i;
	}
	return 0;
}

/* Does each of the members have a seat? Counts each member once, by its first seat. */
static int check_seated(struct seat_table *t, const struct rlb_seat *seats, u32 n_seats, u32 n)
{
	struct seat_owner *o;
	u32 k, seated = 0;

	for (k = 0; k < n; k++)
		t->may[k] = 0;
	for (k = 0; k < n_seats; k++) {
		o = find_owner(t, seats[k].id);
		if (o->member == SEAT_NONE || t->may[o->member])
			continue;
		t->may[o->member] = 1;
		seated++;
	}
	return seated == n ? 0 : -ENOENT;
}

/* From numbers of seats to members, @n for dead seats. */
static void set_members(struct seat_table *t, const struct rlb_seat *seats, u32 n_seats, u32 n)
{
	struct seat_owner *o;
	u32 k, slot;

	for (k = 0; k < n_seats; k++) {
		o = find_owner(t, seats[k].id);
		for (slot = t->seat[k].first; t->seat[k].count; t->seat[k].count--) {
			t->slots[slot] = o->member == SEAT_NONE ? n : o->member;
			slot = t->next[slot];
		}
	}
}

/* --- building ------------------------------------------------------------ */

static void seat_free(struct seat_table *t)
{
	rlb_env_free(t->owner);
	rlb_env_free(t->next);
	rlb_env_free(t->may);
	rlb_env_free(t->seat);
}

static int seat_alloc(struct seat_table *t, u32 n_seats, u32 n)
{
	u32 i;

	for (t->owner_bits = 1; 1U << t->owner_bits < 2 * n; )
		t->owner_bits++;
	t->seat = rlb_env_alloc(n_seats, sizeof(*t->seat));
	t->may = rlb_env_alloc(n_seats > n ? n_seats : n, sizeof(*t->may));
	t->next = rlb_env_alloc(t->nslots, sizeof(*t->next));
	t->owner = rlb_env_alloc(1U << t->owner_bits, sizeof(*t->owner));
	if (!t->seat || !t->may || !t->next || !t->owner) {
		seat_free(t);
		return -ENOMEM;
	}
	for (i = 0; i < 1U << t->owner_bits; i++)
		t->owner[i].member = SEAT_NONE;
	return 0;
}

static int seat_check(const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	u32 k;

	if (p->n_seats > RLB_SEATS_MAX)
		return -E2BIG;
	for (k = 0; k < p->n_seats; k++)
		if (!p->seats[k].weight || p->seats[k].weight > RINGLB_WEIGHT_MAX ||
		    p->seats[k].id == RLB_NO_ID)
			return -ERANGE;
	return n && !p->n_seats ? -ENOENT : 0;
}

static int seat_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
		      const struct rlb_params *p)
{
	struct seat_table t = { .slots = slots, .nslots = 1U << bits };
	int err;

	if (p->n_seats > t.nslots)
		return -E2BIG;
	err = seat_alloc(&t, p->n_seats, n);
	if (err)
		return err;
	err = set_owners(&t, m, n);
	if (!err)
		err = check_seated(&t, p->seats, p->n_seats, n);
	if (!err) {
		fill_seats(&t, p->seats, p->n_seats);
		set_members(&t, p->seats, p->n_seats, n);
	}
	seat_free(&t);
	return err;
}

const struct rlb_lookup_ops rlb_seat_ops = {
	.name = "seat",
	.id = RINGLB_METHOD_SEAT,
	.check = seat_check,
	.build = seat_build,
};
