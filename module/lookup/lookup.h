/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lookup.h - members in, slots out: what every method of filling a table has in common
 *
 * A table is an array of 2^bits slots. A flow with hash h belongs to slot h >> (64 - bits);
 * the slot holds the index of the member that owns it. The slots follow from identities,
 * weights and parameters alone: not from a secret, an order of arrival or a former table.
 */
#ifndef _RINGLB_LOOKUP_LOOKUP_H
#define _RINGLB_LOOKUP_LOOKUP_H

#include <linux/ringlb.h>

#include "env.h"

#define RLB_BITS_MIN 12		/* what an operator may choose */
#define RLB_BITS_MAX 20		/* what a method must be able to fill */

#define RLB_SLACK_NONE RINGLB_SLACK_NONE

#define RLB_NO_ID RINGLB_ID_NONE	/* a backend to which the operator gave none */
#define RLB_SEATS_MAX RINGLB_SEATS_MAX	/* those of RINGLB_BACKENDS_MAX backends, as many virtual and dead */
/* A slot in force: 15 bits of owner, and one that says that transition.h has a record of it.
 * Methods fill in owners alone; RINGLB_NO_OWNER looks like a slot with a mark.
 */
#define RLB_SLOT_OWNER 0x7fff
#define RLB_SLOT_MOVED 0x8000
#define RLB_SLOT_OWNERS 0x7fff	/* as many members can be told apart, and nobody */

/* Who owns a slot, marked or not; RINGLB_NO_OWNER for nobody. */
static inline u16 rlb_slot_owner(u16 entry)
{
	entry &= RLB_SLOT_OWNER;
	return entry == RLB_SLOT_OWNER ? RINGLB_NO_OWNER : entry;
}

/**
 * struct rlb_member - a backend that has a part in the table
 * @ident: rlb_ident(), or rlb_ident_of_id() if it has an id
 * @weight: 1..RINGLB_WEIGHT_MAX
 * @id: the operator's number of it, RLB_NO_ID for none; method seat alone looks at it
 */
struct rlb_member {
	u64 ident;
	u32 weight;
	u32 id;
};

/**
 * struct rlb_seat - one of an agreed list of seats, see seat.c
 * @weight: its nominal weight, 1..RINGLB_WEIGHT_MAX
 * @id: of the backend that sits there; if no member has this id, the seat is dead
 */
struct rlb_seat {
	u32 weight;
	u32 id;
};

/**
 * struct rlb_range - a part of the operator's map of slots, see slots.c
 * @first: its first slot
 * @last: its last slot
 * @member: the owner's index
 */
struct rlb_range {
	u32 first;
	u32 last;
	u32 member;
};

/**
 * struct rlb_params - what an operator may choose about a method
 * @vnodes: ring: virtual nodes for each unit of weight, 1..RINGLB_VNODES_MAX
 * @slack: rendezvous: how far a share may be above its quota, in tenths of a percent,
 *	0..RINGLB_SLACK_MAX or RLB_SLACK_NONE for as far as it comes
 * @seats: seat: the list, in its order
 * @n_seats: seat: how many, at most RLB_SEATS_MAX
 * @ranges: slots: the map, in ascending order
 * @n_ranges: slots: how many
 */
struct rlb_params {
	u32 vnodes;
	u32 slack;
	const struct rlb_seat *seats;
	u32 n_seats;
	const struct rlb_range *ranges;
	u32 n_ranges;
};

/**
 * struct rlb_lookup_ops - a method
 * @name: its word in the tool
 * @id: its number in messages
 * @check: 0; -E2BIG if these members and parameters are beyond the method's limits, -ERANGE
 *	if a parameter is, -ENOENT if members have nowhere to be (seat)
 * @build: fills 2^@bits slots with indexes into @m, 1 <= @n <= RINGLB_BACKENDS_MAX; may sleep.
 *	Slots that nobody is to have (dead seats) get @n: a flow there looks again. Return: 0;
 *	-ENOMEM, slots undefined; all others leave the slots as they were: -E2BIG for more
 *	members or seats than slots, if the method gives each its share exactly; seat: -EINVAL
 *	for a member without id, -EEXIST for two with the same, -ENOENT for one without seat;
 *	slots: what rlb_slots_check() says
 */
struct rlb_lookup_ops {
	const char *name;
	enum ringlb_method id;
	int (*check)(const struct rlb_member *m, u32 n, const struct rlb_params *p);
	int (*build)(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
		     const struct rlb_params *p);
};

extern const struct rlb_lookup_ops rlb_ring_ops;
extern const struct rlb_lookup_ops rlb_rendezvous_ops;
extern const struct rlb_lookup_ops rlb_maglev_ops;
extern const struct rlb_lookup_ops rlb_seat_ops;
extern const struct rlb_lookup_ops rlb_slots_ops;

const struct rlb_lookup_ops *rlb_lookup_find(enum ringlb_method id);
const struct rlb_lookup_ops *rlb_lookup_by_name(const char *name);
int rlb_lookup_build(const struct rlb_lookup_ops *ops, u16 *slots, unsigned int bits,
		     const struct rlb_member *m, u32 n, const struct rlb_params *p);

u64 rlb_ring_vnodes_max(const struct rlb_member *m, u32 n);

u32 rlb_seat_nominal(const struct rlb_seat *seats, u32 n, u32 id);
u32 rlb_seat_accept(const struct rlb_seat *seats, u32 n, u32 id, u32 weight);
int rlb_seat_fit(struct rlb_seat *seats, u32 n, u32 id, u32 weight);
int rlb_seat_fit_all(struct rlb_seat *seats, u32 n, const struct rlb_member *m, u32 n_members);

int rlb_slots_check(const struct rlb_range *r, u32 n_ranges, unsigned int bits, u32 n, u32 *at);

u64 rlb_digest_seats(u64 digest, const struct rlb_seat *seats, u32 n);
u64 rlb_digest(const u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n);

#endif /* _RINGLB_LOOKUP_LOOKUP_H */
