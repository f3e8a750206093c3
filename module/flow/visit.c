// SPDX-License-Identifier: GPL-2.0-only
/*
 * visit.c - the flow table as a whole: sweep, remove, walk, grow
 *
 * In: a table, and which flows are meant. Out: those forgotten, a copy of the next one, or buckets
 * by the number of pins. Process context; may sleep; @visit keeps visits apart. Locks and
 * lifetimes: pins.h. Buckets: chains.h.
 *
 * When the size changes, pins move one by one, the last of a chain first, to the head of a chain
 * of the next array. A reader on an old chain may be led into a new one and read more than it
 * wanted, but never less: what it did not meet it finds when it looks into the next array.
 */
#include "chains.h"
#include "pins.h"
#include "track.h"

static struct rlb_pins_array *array_alloc(u32 bits)
{
	struct rlb_pins_array *array;
	size_t size = sizeof(*array) + (sizeof(array->bucket[0]) << bits);

	array = rlb_env_alloc(1, size);
	if (!array)
		return NULL;
	memset(array, 0, size);
	array->bits = bits;
	return array;
}

/**
 * rlb_pins_reserve() - flows may come: have buckets for them
 * @pins: the table
 *
 * Process context, may sleep. Until it has succeeded once, every flow finds the table full.
 *
 * Return: 0, or -ENOMEM.
 */
int rlb_pins_reserve(struct rlb_pins *pins)
{
	struct rlb_pins_array *array;
	int err = 0;

	mutex_lock(&pins->visit);
	if (!rlb_pins_visited(pins)) {
		array = array_alloc(RLB_CHAINS_BITS_MIN);
		if (array)
			rcu_assign_pointer(pins->array, array);
		else
			err = -ENOMEM;
	}
	mutex_unlock(&pins->visit);
	return err;
}

/* What a sweep does */
struct sweep {
	struct rlb_pins *pins;
	u32 now;
};

/*
 * Would who listens forget a flow in less than half the time that it has left here? Told again
 * so early, it is not needed more often than every half timeout, and the next sweep does for
 * those that find no room now: a half of the queue is left for what changes.
 */
static void tell_again(struct rlb_pins *pins, struct rlb_pin *pin, u32 now)
{
	u32 expires = READ_ONCE(pin->expires);

	if (!(READ_ONCE(pin->state) & RLB_PIN_CONFIRMED) ||
	    (int32_t)(pin->told - now) >= (int32_t)(expires - now) / 2)
		return;
	if (!rlb_feed_put(&pins->feed, &pin->key, RLB_FEED_SIZE / 2))
		return;
	pin->told = expires;
	rlb_pins_tell_later(pins);
}

/* A test of rlb_pins_sweep(), under the stripe's lock, which lets it note what is told. */
static bool is_over(const struct rlb_pin *pin, void *arg)
{
	struct sweep *sweep = arg;

	if (rlb_pin_is_expired(pin, sweep->now))
		return true;
	if (rlb_pins_is_told(sweep->pins, &pin->key))
		tell_again(sweep->pins, (struct rlb_pin *)pin, sweep->now);
	return false;
}

/* Forget those of a bucket that a test picks; @visit is held. */
static u32 prune(struct rlb_pins *pins, struct rlb_pins_array *array, u32 i, rlb_pin_test test,
		 void *arg, enum rlb_pins_counter why)
{
	struct rlb_pin __rcu **link = &array->bucket[i];
	struct rlb_pin *gone = NULL, *pin;
	u32 n = 0;

	if (!rcu_access_pointer(*link))
		return 0;
	spin_lock_bh(rlb_chain_lock(pins, array, i));
	while ((pin = rlb_chained(link))) {
		if (!test(pin, arg)) {
			link = &pin->next;
			continue;
		}
		rlb_pin_unlink(pins, link, why)->spare = gone;
		gone = pin;
		n++;
	}
	spin_unlock_bh(rlb_chain_lock(pins, array, i));
	for (; gone; gone = pin) {
		pin = gone->spare;
		rlb_pin_bury(pins, gone);
	}
	return n;
}

/**
 * rlb_pins_remove() - forget all flows that a test picks
 * @pins: the table
 * @test: true for those to forget; called under a spin lock
 * @arg: handed to @test
 *
 * Process context, may sleep. Flows that are added meanwhile may be missed: see "Lifetimes" in
 * pins.h.
 *
 * Return: how many.
 */
u32 rlb_pins_remove(struct rlb_pins *pins, rlb_pin_test test, void *arg)
{
	struct rlb_pins_array *array;
	u32 n = 0, i;

	if (!rlb_pins_any(pins))
		return 0;
	mutex_lock(&pins->visit);
	array = rlb_pins_visited(pins);
	for (i = 0; array && i < 1U << array->bits; i++) {
		n += prune(pins, array, i, test, arg, RLB_PINS_REMOVED);
		if (!(i % RLB_CHAINS_YIELD))
			rlb_env_yield();
	}
	mutex_unlock(&pins->visit);
	return n;
}

/**
 * rlb_pins_buckets() - how many buckets there are
 * @pins: the table
 *
 * Process context, may sleep.
 *
 * Return: a power of two, or 0 before rlb_pins_reserve().
 */
u32 rlb_pins_buckets(struct rlb_pins *pins)
{
	const struct rlb_pins_array *array;
	u32 n;

	mutex_lock(&pins->visit);
	array = rlb_pins_visited(pins);
	n = array ? 1U << array->bits : 0;
	mutex_unlock(&pins->visit);
	return n;
}

/**
 * rlb_pins_sweep() - forget what has expired, in the next few buckets
 * @pins: the table
 * @buckets: how many to look at; all if there are fewer
 * @now: the time
 *
 * Process context, may sleep.
 *
 * Return: how many were forgotten.
 */
u32 rlb_pins_sweep(struct rlb_pins *pins, u32 buckets, u32 now)
{
	struct sweep sweep = { .pins = pins, .now = now };
	struct rlb_pins_array *array;
	u32 n = 0, mask;

	mutex_lock(&pins->visit);
	array = rlb_pins_visited(pins);
	if (!array)
		buckets = 0;
	mask = array ? (1U << array->bits) - 1 : 0;
	for (buckets = min(buckets, mask + 1); buckets; buckets--) {
		n += prune(pins, array, pins->sweep_at++ & mask, is_over, &sweep,
			   RLB_PINS_EXPIRED);
		if (!(buckets % RLB_CHAINS_YIELD))
			rlb_env_yield();
	}
	mutex_unlock(&pins->visit);
	return n;
}

/* The pin of a bucket with the lowest hash from *@cursor on. */
static bool next_in_bucket(struct rlb_pins *pins, struct rlb_pins_array *array, u32 i, u64 *cursor,
			   struct rlb_wide *copy)
{
	struct rlb_pin *pin, *best = NULL;
	u64 hash, lowest = 0;

	if (!rcu_access_pointer(array->bucket[i]))
		return false;
	spin_lock_bh(rlb_chain_lock(pins, array, i));
	for (pin = rlb_chained(&array->bucket[i]); pin; pin = rlb_chained(&pin->next)) {
		hash = rlb_pin_hash(pins, pin);
		if (hash < *cursor || (best && hash > lowest))
			continue;
		best = pin;
		lowest = hash;
	}
	if (best)
		rlb_wide_copy(copy, best);
	spin_unlock_bh(rlb_chain_lock(pins, array, i));
	if (best)
		*cursor = lowest + 1;
	return best;
}

/**
 * rlb_pins_next() - walk over all flows, one at each call
 * @pins: the table
 * @cursor: where the walk is; 0 at first
 * @copy: out: the next flow, of a wide pin all of it, else @pin alone; its backend is valid as
 *	long as the caller forbids removal
 *
 * Process context, may sleep. Flows that are there during the whole walk come exactly once,
 * even if the table grows meanwhile.
 *
 * Return: false if there are no more.
 */
bool rlb_pins_next(struct rlb_pins *pins, u64 *cursor, struct rlb_wide *copy)
{
	struct rlb_pins_array *array;
	bool found = false;
	u32 i;

	mutex_lock(&pins->visit);
	array = rlb_pins_visited(pins);
	for (i = array ? rlb_chain_index(array, *cursor) : 0; array && i < 1U << array->bits; i++) {
		found = next_in_bucket(pins, array, i, cursor, copy);
		if (found)
			break;
		if (!(i % RLB_CHAINS_YIELD))
			rlb_env_yield();
	}
	if (!found)
		*cursor = U64_MAX;
	mutex_unlock(&pins->visit);
	return found;
}

/* Move a chain to another array, its last pin first. */
static void move_chain(struct rlb_pins *pins, struct rlb_pins_array *from, u32 i,
		       struct rlb_pins_array *to)
{
	struct rlb_pin __rcu **link;
	struct rlb_pin *pin;

	if (!rcu_access_pointer(from->bucket[i]))
		return;
	spin_lock_bh(rlb_chain_lock(pins, from, i));
	while ((pin = rlb_chained(&from->bucket[i]))) {
		for (link = &from->bucket[i]; rlb_chained(&pin->next); pin = rlb_chained(link))
			link = &pin->next;
		rlb_chain_link(to, rlb_pin_hash(pins, pin), pin);
		rcu_assign_pointer(*link, NULL);
	}
	spin_unlock_bh(rlb_chain_lock(pins, from, i));
}

/**
 * rlb_pins_bits() - how many buckets there are to be
 * @bits: how many there are, as a power of two; 0: none yet
 * @n: pins in them
 *
 * Return: as many as there are pins, or as there are now if those are not far too many.
 */
u32 rlb_pins_bits(u32 bits, u32 n)
{
	u32 want = RLB_CHAINS_BITS_MIN;

	while (want < RLB_CHAINS_BITS_MAX && n >> want)
		want++;
	if (want < bits && want + 4 > bits && want > RLB_CHAINS_BITS_MIN)
		return bits;
	return want;
}

/**
 * rlb_pins_grow() - have as many buckets as there are pins, or fewer if far too many
 * @pins: the table
 *
 * Process context, may sleep. Without memory everything stays as it is.
 */
void rlb_pins_grow(struct rlb_pins *pins)
{
	struct rlb_pins_array *old, *new = NULL;
	u32 bits, i;

	mutex_lock(&pins->visit);
	old = rlb_pins_visited(pins);
	bits = old ? rlb_pins_bits(old->bits, atomic_read(&pins->n)) : 0;
	if (old && bits != old->bits)
		new = array_alloc(bits);
	if (new) {
		rcu_assign_pointer(old->future, new);
		for (i = 0; i < 1U << old->bits; i++) {
			move_chain(pins, old, i, new);
			if (!(i % RLB_CHAINS_YIELD))
				rlb_env_yield();
		}
		rcu_assign_pointer(pins->array, new);
		synchronize_rcu();
		rlb_env_free(old);
	}
	rlb_back_grow(pins);
	mutex_unlock(&pins->visit);
}
