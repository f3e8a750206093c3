// SPDX-License-Identifier: GPL-2.0-only
/*
 * back.c - wide pins, as packets of their backends find them
 *
 * In: wide pins, linked and unlinked by pins.c; tuples of packets that backends send. Out: the
 * pin whose flow it is. Packets: softirq, or process context under rcu_read_lock(). Growth:
 * process context; may sleep. Locks and lifetimes: pins.h.
 *
 * Chains are found by the first bits of a hash, as those of pins.c are, and move to a new array
 * in the same way: one by one, the last of a chain first, to the head of the next one.
 */
#include "pins.h"

#define YIELD_BUCKETS 256U	/* visited before others may run */

/**
 * struct rlb_back_array - chains of a side
 * @future: the array that replaces this one; RCU, set before the first pin moves
 * @bits: there are 2^bits
 * @bucket: chains; RCU, written under a lock of the side
 */
struct rlb_back_array {
	struct rlb_back_array __rcu *future;
	u32 bits;
	struct rlb_wide __rcu *bucket[];
};

/* A packet that the backend sends, as this side sees it */
static struct rlb_tuple place_of(const struct rlb_wide *wide, enum rlb_back_to side)
{
	const struct rlb_pin *pin = &wide->pin;
	bool gate = side == RLB_BACK_GATE;

	return (struct rlb_tuple){
		.src = *rlb_pin_backend_addr(rlb_pin_backend(pin)),
		.dst = gate ? wide->gate.addr : pin->key.addr,
		.sport = wide->port,
		.dport = gate ? wide->gate.port : pin->key.port,
		.family = pin->key.family,
		.proto = pin->key.proto,
	};
}

static u64 half(const union rlb_addr *addr, unsigned int i)
{
	u64 word;

	memcpy(&word, addr->byte + 8 * i, sizeof(word));
	return word;
}

/* Nobody else sees these hashes, so words are taken as they stand in memory. */
static u64 hash_of(const struct rlb_pins *pins, const struct rlb_tuple *t)
{
	u64 rest = (__force u16)t->sport | (u64)(__force u16)t->dport << 16 |
		   (u64)t->proto << 32 | (u64)t->family << 40;
	struct rlb_sip s;

	rlb_sip_start(&s, &pins->secret);
	rlb_sip_word(&s, half(&t->src, 0));
	rlb_sip_word(&s, half(&t->dst, 0));
	if (t->family != AF_INET) {
		rlb_sip_word(&s, half(&t->src, 1));
		rlb_sip_word(&s, half(&t->dst, 1));
	}
	return rlb_sip_end(&s, rest, 0);
}

static bool is_same(const struct rlb_tuple *a, const struct rlb_tuple *b)
{
	return a->sport == b->sport && a->dport == b->dport && a->proto == b->proto &&
	       a->family == b->family && !memcmp(&a->dst, &b->dst, sizeof(a->dst)) &&
	       !memcmp(&a->src, &b->src, sizeof(a->src));
}

static bool is_at(const struct rlb_wide *wide, enum rlb_back_to side, const struct rlb_tuple *t)
{
	struct rlb_tuple place = place_of(wide, side);

	return is_same(&place, t);
}

/* For holders of the side's lock: the chain is theirs. */
static struct rlb_wide *chained(struct rlb_wide __rcu *const *link)
{
	return rcu_dereference_protected(*link, 1);
}

static struct rlb_wide __rcu **bucket_of(struct rlb_back_array *array, u64 hash)
{
	return &array->bucket[hash >> (64 - array->bits)];
}

static spinlock_t *lock_of(struct rlb_back *side, u64 hash)
{
	return &side->lock[hash >> (64 - RLB_PINS_STRIPE_BITS)];
}

/**
 * rlb_back_init() - a table without wide pins
 * @pins: the table, zeroed
 */
void rlb_back_init(struct rlb_pins *pins)
{
	u32 side, i;

	for (side = 0; side < RLB_BACKS; side++)
		for (i = 0; i < 1U << RLB_PINS_STRIPE_BITS; i++)
			spin_lock_init(&pins->back[side].lock[i]);
}

static struct rlb_back_array *array_alloc(u32 bits)
{
	struct rlb_back_array *array;
	size_t size = sizeof(*array) + (sizeof(array->bucket[0]) << bits);

	array = rlb_env_alloc(1, size);
	if (!array)
		return NULL;
	memset(array, 0, size);
	array->bits = bits;
	return array;
}

/* For holders of @visit: there is no other array. */
static struct rlb_back_array *array_visited(const struct rlb_back *side)
{
	return rcu_dereference_protected(side->array, 1);
}

/**
 * rlb_back_reserve() - flows may come that need wide pins: have chains for them
 * @pins: the table
 *
 * Process context, may sleep. Until it has succeeded once, every such flow finds the table full.
 *
 * Return: 0, or -ENOMEM.
 */
int rlb_back_reserve(struct rlb_pins *pins)
{
	struct rlb_back_array *array;
	int err = 0;
	u32 i;

	mutex_lock(&pins->visit);
	for (i = 0; i < RLB_BACKS && !err; i++) {
		if (array_visited(&pins->back[i]))
			continue;
		array = array_alloc(rlb_pins_bits(0, 0));
		if (array)
			rcu_assign_pointer(pins->back[i].array, array);
		else
			err = -ENOMEM;
	}
	mutex_unlock(&pins->visit);
	return err;
}

/**
 * rlb_back_look() - whose flow is a packet of a backend?
 * @pins: the table
 * @side: what the packet is to: the client, or the gateway
 * @t: the packet; bytes behind IPv4 addresses are 0
 *
 * Under rcu_read_lock(); takes no lock.
 *
 * Return: the wide pin, be its time over or not; NULL if there is none.
 */
struct rlb_wide *rlb_back_look(const struct rlb_pins *pins, enum rlb_back_to side,
				const struct rlb_tuple *t)
{
	struct rlb_back_array *array = rcu_dereference_check(pins->back[side].array, 1);
	u64 hash = array ? hash_of(pins, t) : 0;
	struct rlb_wide *wide = NULL;

	while (array && !wide) {
		wide = rcu_dereference_check(*bucket_of(array, hash), 1);
		while (wide && !is_at(wide, side, t))
			wide = rcu_dereference_check(wide->next[side], 1);
		smp_rmb();	/* what is no longer here is there, and there is a there */
		array = rcu_dereference_check(array->future, 1);
	}
	return wide;
}

/**
 * rlb_back_find() - rlb_back_look(), but for flows whose time is over
 * @pins: as there
 * @side: as there
 * @t: as there
 * @now: the time
 *
 * Return: as there.
 */
struct rlb_wide *rlb_back_find(const struct rlb_pins *pins, enum rlb_back_to side,
				const struct rlb_tuple *t, u32 now)
{
	struct rlb_wide *wide = rlb_back_look(pins, side, t);

	return wide && !rlb_pin_is_expired(&wide->pin, now) ? wide : NULL;
}

/* The newest array: pins are linked there, and nowhere else. */
static struct rlb_back_array *newest(const struct rlb_back *side)
{
	struct rlb_back_array *array = rcu_dereference_check(side->array, 1), *next;

	while (array && (next = rcu_dereference_check(array->future, 1)))
		array = next;
	return array;
}

static void link_first(struct rlb_wide __rcu **head, struct rlb_wide *wide, enum rlb_back_to side)
{
	rcu_assign_pointer(wide->next[side], chained(head));
	rcu_assign_pointer(*head, wide);
}

static bool link_at(struct rlb_pins *pins, struct rlb_wide *wide, enum rlb_back_to side)
{
	struct rlb_tuple place = place_of(wide, side);
	struct rlb_back *s = &pins->back[side];
	u64 hash = hash_of(pins, &place);
	bool is_free = false;

	spin_lock_bh(lock_of(s, hash));
	if (newest(s) && !rlb_back_look(pins, side, &place)) {
		link_first(bucket_of(newest(s), hash), wide, side);
		is_free = true;
	}
	spin_unlock_bh(lock_of(s, hash));
	return is_free;
}

/* Where a chain leads to a pin that is linked; the side's lock is held. */
static struct rlb_wide __rcu **link_of(struct rlb_back *s, const struct rlb_wide *wide,
				       enum rlb_back_to side, u64 hash)
{
	struct rlb_back_array *array = rcu_dereference_check(s->array, 1);
	struct rlb_wide __rcu **link;

	for (; array; array = rcu_dereference_check(array->future, 1))
		for (link = bucket_of(array, hash); chained(link);
		     link = &chained(link)->next[side])
			if (chained(link) == wide)
				return link;
	return NULL;
}

static void unlink_at(struct rlb_pins *pins, struct rlb_wide *wide, enum rlb_back_to side)
{
	struct rlb_tuple place = place_of(wide, side);
	struct rlb_back *s = &pins->back[side];
	u64 hash = hash_of(pins, &place);
	struct rlb_wide __rcu **link;

	spin_lock_bh(lock_of(s, hash));
	link = link_of(s, wide, side, hash);
	if (link)
		rcu_assign_pointer(*link, chained(&wide->next[side]));
	spin_unlock_bh(lock_of(s, hash));
}

/**
 * rlb_back_link() - let a backend's packets find a new wide pin
 * @pins: the table
 * @wide: the pin, complete; readers may see it at once
 *
 * Caller holds rcu_read_lock(), so that growth does not free the chains meanwhile.
 *
 * Return: true; false if one of its places is another pin's, and it is linked nowhere.
 */
bool rlb_back_link(struct rlb_pins *pins, struct rlb_wide *wide)
{
	if (wide->port && !link_at(pins, wide, RLB_BACK_CLIENT))
		return false;
	if (!wide->gate.port || link_at(pins, wide, RLB_BACK_GATE))
		return true;
	unlink_at(pins, wide, RLB_BACK_CLIENT);
	return false;
}

/**
 * rlb_back_unlink() - a wide pin ends
 * @pins: the table
 * @wide: the pin; to be freed after a grace period
 */
void rlb_back_unlink(struct rlb_pins *pins, struct rlb_wide *wide)
{
	if (wide->port)
		unlink_at(pins, wide, RLB_BACK_CLIENT);
	if (wide->gate.port)
		unlink_at(pins, wide, RLB_BACK_GATE);
}

/* Move a chain to another array, its last pin first. */
static void move_chain(struct rlb_pins *pins, enum rlb_back_to side, struct rlb_back_array *from,
		       u32 i, struct rlb_back_array *to)
{
	u32 stripe = i >> (from->bits - RLB_PINS_STRIPE_BITS);
	struct rlb_wide __rcu **link;
	struct rlb_tuple place;
	struct rlb_wide *wide;

	if (!rcu_access_pointer(from->bucket[i]))
		return;
	spin_lock_bh(&pins->back[side].lock[stripe]);
	while ((wide = chained(&from->bucket[i]))) {
		for (link = &from->bucket[i]; chained(&wide->next[side]); wide = chained(link))
			link = &wide->next[side];
		place = place_of(wide, side);
		link_first(bucket_of(to, hash_of(pins, &place)), wide, side);
		rcu_assign_pointer(*link, NULL);
	}
	spin_unlock_bh(&pins->back[side].lock[stripe]);
}

static void grow(struct rlb_pins *pins, enum rlb_back_to side)
{
	struct rlb_back_array *old = array_visited(&pins->back[side]), *new;
	u32 bits = old ? rlb_pins_bits(old->bits, atomic_read(&pins->n_wide)) : 0;
	u32 i;

	if (!old || bits == old->bits)
		return;
	new = array_alloc(bits);
	if (!new)
		return;
	rcu_assign_pointer(old->future, new);
	for (i = 0; i < 1U << old->bits; i++) {
		move_chain(pins, side, old, i, new);
		if (!(i % YIELD_BUCKETS))
			rlb_env_yield();
	}
	rcu_assign_pointer(pins->back[side].array, new);
	synchronize_rcu();
	rlb_env_free(old);
}

/**
 * rlb_back_grow() - have as many chains as there are wide pins, or fewer if far too many
 * @pins: the table; @visit is held
 *
 * Process context, may sleep. Without memory everything stays as it is.
 */
void rlb_back_grow(struct rlb_pins *pins)
{
	grow(pins, RLB_BACK_CLIENT);
	grow(pins, RLB_BACK_GATE);
}

/**
 * rlb_back_exit() - the end of a table
 * @pins: the table; its pins are freed
 */
void rlb_back_exit(struct rlb_pins *pins)
{
	u32 i;

	for (i = 0; i < RLB_BACKS; i++) {
		rlb_env_free(array_visited(&pins->back[i]));
		RCU_INIT_POINTER(pins->back[i].array, NULL);
	}
}
