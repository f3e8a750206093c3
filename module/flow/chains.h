/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chains.h - the flow table's buckets, for those that link, unlink and visit pins
 *
 * A bucket is a chain of pins; which bucket, the first bits of the hash say. So buckets are in
 * the order of the hashes whatever their number, a walk can go on after the table has grown,
 * and the stripe that guards a bucket guards the same flows in every size.
 */
#ifndef _RINGLB_FLOW_CHAINS_H
#define _RINGLB_FLOW_CHAINS_H

#include "pins.h"

#define RLB_CHAINS_BITS_MIN 12U		/* 32 KiB of buckets */
#define RLB_CHAINS_BITS_MAX 26U
#define RLB_CHAINS_YIELD 256U		/* buckets visited before others may run */

/**
 * struct rlb_pins_array - buckets
 * @future: the array that replaces this one; RCU, set before the first pin moves
 * @bits: there are 2^bits buckets
 * @bucket: chains; RCU, written under the stripe's lock
 */
struct rlb_pins_array {
	struct rlb_pins_array __rcu *future;
	u32 bits;
	struct rlb_pin __rcu *bucket[];
};

/* Of the bucket that a hash says */
static inline u32 rlb_chain_index(const struct rlb_pins_array *array, u64 hash)
{
	return hash >> (64 - array->bits);
}

/* Of a bucket, by its index. */
static inline spinlock_t *rlb_chain_lock(struct rlb_pins *pins,
					 const struct rlb_pins_array *array, u32 i)
{
	return &pins->stripe[i >> (array->bits - RLB_PINS_STRIPE_BITS)];
}

/* For holders of a stripe's lock: the chain of their flows is theirs. */
static inline struct rlb_pin *rlb_chained(struct rlb_pin __rcu *const *link)
{
	return rcu_dereference_protected(*link, 1);
}

/* Into the bucket that its hash says, ahead of all; the stripe's lock is held. */
static inline void rlb_chain_link(struct rlb_pins_array *array, u64 hash, struct rlb_pin *pin)
{
	struct rlb_pin __rcu **head = &array->bucket[rlb_chain_index(array, hash)];

	rcu_assign_pointer(pin->next, rlb_chained(head));
	rcu_assign_pointer(*head, pin);
}

/* For holders of @visit: there is no other array. */
static inline struct rlb_pins_array *rlb_pins_visited(const struct rlb_pins *pins)
{
	return rcu_dereference_protected(pins->array, 1);
}

/* Is a flow one that another gateway could go on with? What wide pins say is of this one. */
static inline bool rlb_pins_is_told(const struct rlb_pins *pins, const struct rlb_pin_key *key)
{
	return rlb_feed_is_on(&pins->feed) && !(key->target & RLB_PIN_WIDE);
}

u64 rlb_pin_hash(const struct rlb_pins *pins, const struct rlb_pin *pin);
struct rlb_pin *rlb_pin_unlink(struct rlb_pins *pins, struct rlb_pin __rcu **link,
			       enum rlb_pins_counter why);
void rlb_pin_bury(struct rlb_pins *pins, struct rlb_pin *pin);
void rlb_wide_copy(struct rlb_wide *copy, const struct rlb_pin *pin);

#endif /* _RINGLB_FLOW_CHAINS_H */
