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

/**
 * struct rlb_member - a backend that has a part in the table
 * @ident: rlb_ident()
 * @weight: 1..RINGLB_WEIGHT_MAX
 */
struct rlb_member {
	u64 ident;
	u32 weight;
};

/**
 * struct rlb_params - what an operator may choose about a method
 * @vnodes: ring: virtual nodes for each unit of weight, 1..RINGLB_VNODES_MAX
 * @slack: rendezvous: how far a share may be above its quota, in tenths of a percent,
 *	0..RINGLB_SLACK_MAX or RLB_SLACK_NONE for as far as it comes
 */
struct rlb_params {
	u32 vnodes;
	u32 slack;
};

/**
 * struct rlb_lookup_ops - a method
 * @name: its word in the tool
 * @id: its number in messages
 * @check: 0; -E2BIG if these members and parameters are beyond the method's limits, -ERANGE
 *	if a parameter is
 * @build: fills 2^@bits slots with indexes into @m, 1 <= @n <= RINGLB_BACKENDS_MAX; may sleep.
 *	0, -E2BIG if there are more members than slots and the method gives each its share
 *	exactly (slots are as before), or -ENOMEM with the slots undefined
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

const struct rlb_lookup_ops *rlb_lookup_find(enum ringlb_method id);
const struct rlb_lookup_ops *rlb_lookup_by_name(const char *name);
int rlb_lookup_build(const struct rlb_lookup_ops *ops, u16 *slots, unsigned int bits,
		     const struct rlb_member *m, u32 n, const struct rlb_params *p);

u64 rlb_ring_vnodes_max(const struct rlb_member *m, u32 n);

u64 rlb_digest(const u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n);

#endif /* _RINGLB_LOOKUP_LOOKUP_H */
