/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pins.h - the flow table: flows that are remembered, each with its backend
 *
 * One table a network namespace, bounded. Empty at rest: what is remembered, and when, is
 * track.h's business; here are only memory, finding and forgetting.
 *
 * Locks. Packets find pins under rcu_read_lock() alone. Whoever links or unlinks one holds
 * the spin lock of its stripe (softirqs off), which covers one part of all hashes, the same in
 * every size of the table. What visits the whole table (walk, removal, sweep, growth) holds
 * the mutex @visit besides, so that growth and a walk never meet. Order: cfg_lock of the
 * namespace if held at all, @visit, one stripe, then one lock of back.c, @dead_lock or @feed's.
 * Nothing is allocated under a spin lock.
 *
 * Lifetimes. A pin that was found lives until the reader's rcu_read_unlock(). Unlinked pins
 * are gathered on a chain and freed together after a grace period. A pin does not hold its
 * backend: before a backend is freed,
 *   1. no new packet may choose it (it is unlinked, or its state says so),
 *   2. a grace period passes, so that no packet is about to pin it,
 *   3. rlb_pins_remove() forgets its pins,
 *   4. another grace period passes, so that no packet holds it through a pin.
 * So rlb_pins_remove() must come after a synchronize_rcu(), or from an RCU work.
 *
 * Wide pins. Some flows have to be found from the backend's side, too: where backend and client
 * alone do not say which VIP it was, and where the gateway stands in the client's place. Their
 * pins know the VIP, and are besides in the chains of back.c; whoever links or unlinks one
 * there holds the stripe's lock of the flow, and inside of it, shortly, one lock of a side.
 *
 * Times are u32 ticks (rlb_flow_now()), compared so that they may wrap; no timeout may be
 * longer than RLB_PIN_IDLE_MAX. Addresses and ports are in network byte order, sequence
 * numbers in host byte order.
 */
#ifndef _RINGLB_FLOW_PINS_H
#define _RINGLB_FLOW_PINS_H

#include "env.h"
#include "feed.h"
#include "back.h"
#include "lookup/hash.h"
#include "lookup/key.h"

struct rlb_backend;
struct rlb_pins_array;

#define RLB_PINS_MIN 1024U		/* bounds of what an operator may choose as the most */
#define RLB_PINS_MAX (1U << 26)		/* 4 GiB of pins */
#define RLB_PIN_IDLE_MAX (7 * 86400 * RLB_FLOW_SECOND)	/* no timeout is longer */

/* Targets: a service by its number (rlb_service.id), or a backend addressed directly. */
#define RLB_PIN_DIRECT 0x80000000U	/* | number of the backend (rlb_backend.number) */
#define RLB_PIN_WIDE 0x40000000U	/* | number of the service: the pin is a wide one */
#define RLB_PIN_NUMBERS 0x40000000U	/* numbers are below this */

/**
 * struct rlb_pin_key - which flow
 * @addr: the client's address; bytes behind an IPv4 address are 0
 * @target: number of the service, alone or with RLB_PIN_WIDE; or RLB_PIN_DIRECT | number of a
 *	backend
 * @port: the client's port
 * @proto: IPPROTO_*
 * @family: AF_INET or AF_INET6
 */
struct rlb_pin_key {
	union rlb_addr addr;
	u32 target;
	__be16 port;
	u8 proto;
	u8 family;
};

/**
 * struct rlb_pin_words - a key as it stands in memory, in words for registers
 * @addr0: the address's first half
 * @addr1: its second
 * @rest: what follows it
 */
struct rlb_pin_words {
	u64 addr0;
	u64 addr1;
	u64 rest;
};

/* Word by word, for compilers that would copy a whole one to the stack */
static inline struct rlb_pin_words rlb_pin_words(const struct rlb_pin_key *key)
{
	const u8 *p = (const u8 *)key;
	struct rlb_pin_words w;

	memcpy(&w.addr0, p, sizeof(w.addr0));
	memcpy(&w.addr1, p + 8, sizeof(w.addr1));
	memcpy(&w.rest, p + 16, sizeof(w.rest));
	return w;
}

static inline struct rlb_pin_key rlb_pin_key(struct rlb_pin_words w)
{
	struct rlb_pin_key key;

	memcpy(&key, &w, sizeof(key));
	return key;
}

/**
 * struct rlb_pin - a remembered flow: 64 bytes, one cache line
 * @next: in the bucket; RCU, written under the stripe's lock
 * @spare: chains pins that wait to be freed
 * @told: @expires as who listens knows it, of a pin that is linked; the stripe's lock
 * @backend: where its packets go; RCU, written under the stripe's lock
 * @key: which flow; never changes
 * @expires: when it is forgotten if nothing is heard; written without a lock
 * @seq: of the client: first sequence number while half-open, later one heard not long ago
 * @ack: half-open: what the client will acknowledge (see track.c)
 * @state: RLB_PIN_* of track.h, changed by cmpxchg() or before the pin is linked
 */
struct rlb_pin {
	struct rlb_pin __rcu *next;
	union {
		struct rlb_pin *spare;
		u32 told;
	};
	struct rlb_backend __rcu *backend;
	struct rlb_pin_key key;
	u32 expires;
	u32 seq;
	u32 ack;
	u32 state;
};

/**
 * struct rlb_end - where packets are to or from
 * @addr: the address; bytes behind an IPv4 address are 0
 * @port: the port
 */
struct rlb_end {
	union rlb_addr addr;
	__be16 port;
};

/**
 * struct rlb_wide - a remembered flow that is found from both sides: at most 128 bytes
 * @pin: as of any flow; its key has RLB_PIN_WIDE
 * @next: in the chains of back.c; RCU, written under the lock of the side
 * @vip: what the client sends to; part of what it is found by, never changes
 * @gate: address and port of the gateway that its backend answers to; port 0: it answers to
 *	the client. Never changes.
 * @port: of the backend; its address never changes either, though there may come another
 *	backend that has it. 0: its answers do not come by
 */
struct rlb_wide {
	struct rlb_pin pin;
	struct rlb_wide __rcu *next[RLB_BACKS];
	struct rlb_end vip;
	struct rlb_end gate;
	__be16 port;
};

_Static_assert(sizeof(struct rlb_wide) <= 128, "a wide pin is two cache lines");
_Static_assert(sizeof(struct rlb_pin_key) == 24, "no padding: keys are compared whole");
_Static_assert(sizeof(struct rlb_pin_words) == sizeof(struct rlb_pin_key), "the same bytes");
_Static_assert(sizeof(struct rlb_pin) <= 64, "a pin is one cache line");

/* Events of the table; sums since the namespace began. */
enum rlb_pins_counter {
	RLB_PINS_ADDED,		/* flows remembered */
	RLB_PINS_FULL,		/* flows that were not: table full or no memory */
	RLB_PINS_EVICTED,	/* unconfirmed flows forgotten to make room */
	RLB_PINS_EXPIRED,	/* silent for too long, or closed */
	RLB_PINS_REMOVED,	/* forgotten on request: backend or service gone, settled, flushed */
	RLB_PINS_UNPINNED,	/* flows lost because the table was full; counted by the caller */
	RLB_PINS_COUNTERS
};

/**
 * struct rlb_pins - the flow table of a namespace
 * @n: pins, and places about to be filled
 * @n_vip: those of flows to a VIP
 * @n_direct: those of flows straight to a backend
 * @n_wide: those among @n_vip that are wide
 * @max: the most there may be
 * @array: buckets; RCU, changed under @visit
 * @secret: of the hash; random, never leaves the module
 * @count: events
 * @stripe: locks, by the first bits of the hash
 * @back: wide pins as their backends' packets find them
 * @visit: held by who visits the whole table
 * @sweep_at: bucket at which sweeping goes on; @visit
 * @dead_lock: guards @dead, @n_dead and @waiting
 * @dead: unlinked, for which no grace period has been asked yet
 * @n_dead: how many, with those in @waiting
 * @waiting: unlinked, a grace period is under way
 * @tick: sweeps and grows; there while there are pins
 * @reap: frees @waiting after its grace period
 * @feed: flows of which somebody who listens has to be told
 * @tell: tells of them; there while @feed has any
 */
struct rlb_pins {
	/* packets */
	atomic_t n;
	atomic_t n_vip;
	atomic_t n_direct;
	atomic_t n_wide;
	u32 max;
	struct rlb_pins_array __rcu *array;
	struct rlb_secret secret;

	/* packets that begin or end something */
	atomic64_t count[RLB_PINS_COUNTERS] ____cacheline_aligned;
	spinlock_t stripe[1 << RLB_PINS_STRIPE_BITS];
	struct rlb_back back[RLB_BACKS];
	spinlock_t dead_lock;
	struct rlb_pin *dead;
	struct rlb_pin *waiting;
	u32 n_dead;

	/* process context */
	struct mutex visit;
	u32 sweep_at;
	struct delayed_work tick;
	struct rcu_work reap;
	struct rlb_feed feed;
	struct delayed_work tell;
};

/* Is anything remembered at all? */
static inline bool rlb_pins_any(const struct rlb_pins *pins)
{
	return atomic_read(&pins->n) != 0;
}

/* Is any flow to a VIP remembered? One load; the packet path asks this first. */
static inline bool rlb_pins_any_vip(const struct rlb_pins *pins)
{
	return atomic_read(&pins->n_vip) != 0;
}

/* Is any flow straight to a backend remembered? Likewise. */
static inline bool rlb_pins_any_direct(const struct rlb_pins *pins)
{
	return atomic_read(&pins->n_direct) != 0;
}

/* Does a pin stand for a flow straight to its backend? */
static inline bool rlb_pin_is_direct(const struct rlb_pin *pin)
{
	return pin->key.target & RLB_PIN_DIRECT;
}

/* Is any flow remembered by a wide pin? Likewise. */
static inline bool rlb_pins_any_wide(const struct rlb_pins *pins)
{
	return atomic_read(&pins->n_wide) != 0;
}

static inline bool rlb_pin_is_wide(const struct rlb_pin *pin)
{
	return (pin->key.target & (RLB_PIN_DIRECT | RLB_PIN_WIDE)) == RLB_PIN_WIDE;
}

/* The wide pin that a pin is part of, if rlb_pin_is_wide() */
static inline struct rlb_wide *rlb_wide_of(const struct rlb_pin *pin)
{
	return (struct rlb_wide *)pin;
}

/* Number of the service of a flow to a VIP */
static inline u32 rlb_pin_service(const struct rlb_pin *pin)
{
	return pin->key.target & ~RLB_PIN_WIDE;
}

/* How many are there, and about to be? */
static inline u32 rlb_pins_number(const struct rlb_pins *pins)
{
	return atomic_read(&pins->n);
}

/* Is time @a at or after time @b? */
static inline bool rlb_flow_reached(u32 a, u32 b)
{
	return (int32_t)(a - b) >= 0;
}

static inline bool rlb_pin_is_expired(const struct rlb_pin *pin, u32 now)
{
	return rlb_flow_reached(now, READ_ONCE(pin->expires));
}

static inline void rlb_pins_count(struct rlb_pins *pins, enum rlb_pins_counter which)
{
	atomic64_inc(&pins->count[which]);
}

static inline u64 rlb_pins_counter(const struct rlb_pins *pins, enum rlb_pins_counter which)
{
	return atomic64_read(&pins->count[which]);
}

/* The backend of a pin that was found; caller holds rcu_read_lock() or forbids its removal. */
static inline struct rlb_backend *rlb_pin_backend(const struct rlb_pin *pin)
{
	return rcu_dereference_check(pin->backend, 1);
}

/* Life; process context. */
void rlb_pins_init(struct rlb_pins *pins, const struct rlb_secret *secret, u32 max);
int rlb_pins_reserve(struct rlb_pins *pins);
int rlb_pins_set_max(struct rlb_pins *pins, u32 max);
void rlb_pins_exit(struct rlb_pins *pins);

/* Packets; softirq, or process context with rcu_read_lock(). */
struct rlb_pin *rlb_pins_look(const struct rlb_pins *pins, u64 addr0, u64 addr1, u64 rest);
struct rlb_pin *rlb_pins_look_wide(const struct rlb_pins *pins, const struct rlb_pin_key *key,
				   const struct rlb_end *vip);
struct rlb_pin *rlb_pins_add(struct rlb_pins *pins, const struct rlb_pin *what, u32 now);
struct rlb_pin *rlb_pins_put(struct rlb_pins *pins, const struct rlb_pin *what, u32 now);
bool rlb_pins_drop(struct rlb_pins *pins, const struct rlb_pin_key *key,
		   const struct rlb_backend *backend);
bool rlb_pins_drop_pin(struct rlb_pins *pins, const struct rlb_pin *pin,
		       enum rlb_pins_counter why);
void rlb_pins_changed(struct rlb_pins *pins, const struct rlb_pin_key *key);

/* What comes of adding a wide pin */
enum rlb_widened {
	RLB_WIDE_THERE,		/* the flow is remembered */
	RLB_WIDE_CLASH,		/* its place on one of the sides is another flow's */
	RLB_WIDE_FULL,		/* there is no room */
};

enum rlb_widened rlb_pins_add_wide(struct rlb_pins *pins, const struct rlb_wide *what, bool anew,
				   u32 now, struct rlb_pin **pin);

/* Flows of another gateway; process context with rcu_read_lock(). */
enum rlb_taken {
	RLB_TAKEN,		/* as it was given */
	RLB_TAKEN_NOT,		/* a flow was remembered already that is not to be replaced */
	RLB_TAKEN_FULL,		/* there is no room */
};

enum rlb_taken rlb_pins_take(struct rlb_pins *pins, const struct rlb_pin *what, bool replace,
			     u32 now);
bool rlb_pins_forget(struct rlb_pins *pins, const struct rlb_pin_key *key);
bool rlb_pins_copy(struct rlb_pins *pins, const struct rlb_pin_key *key, u32 now,
		   struct rlb_pin *copy);

/**
 * rlb_pins_find() - is this flow remembered?
 * @pins: the table
 * @w: the flow
 * @now: the time
 *
 * Under rcu_read_lock(); takes no lock.
 *
 * Return: its pin, NULL if there is none, or one whose time is over.
 */
static inline struct rlb_pin *rlb_pins_find(const struct rlb_pins *pins, struct rlb_pin_words w,
					    u32 now)
{
	struct rlb_pin *pin = rlb_pins_look(pins, w.addr0, w.addr1, w.rest);

	return pin && !rlb_pin_is_expired(pin, now) ? pin : NULL;
}

/**
 * rlb_pins_find_wide() - is this flow remembered by a wide pin?
 * @pins: the table
 * @key: the flow, its target with RLB_PIN_WIDE
 * @vip: what its packets are to
 * @now: the time
 *
 * Return: as rlb_pins_find().
 */
static inline struct rlb_pin *rlb_pins_find_wide(const struct rlb_pins *pins,
						 const struct rlb_pin_key *key,
						 const struct rlb_end *vip, u32 now)
{
	struct rlb_pin *pin = rlb_pins_look_wide(pins, key, vip);

	return pin && !rlb_pin_is_expired(pin, now) ? pin : NULL;
}

/* The whole table; process context, may sleep, softirqs on. */
typedef bool (*rlb_pin_test)(const struct rlb_pin *pin, void *arg);
u32 rlb_pins_remove(struct rlb_pins *pins, rlb_pin_test test, void *arg);
bool rlb_pins_next(struct rlb_pins *pins, u64 *cursor, struct rlb_wide *copy);
u32 rlb_pins_buckets(struct rlb_pins *pins);
u32 rlb_pins_sweep(struct rlb_pins *pins, u32 buckets, u32 now);
void rlb_pins_grow(struct rlb_pins *pins);
void rlb_pins_reap(struct rlb_pins *pins);
u32 rlb_pins_bits(u32 bits, u32 n);

/*
 * A backend has got one more pin of a flow to its VIP, or has one less. backend.c in the
 * kernel; natively the tests' own. Called under a stripe's lock.
 */
void rlb_pin_held(struct rlb_backend *backend, int by);

/* The address of a backend, which never changes; likewise. */
const union rlb_addr *rlb_pin_backend_addr(const struct rlb_backend *backend);

/* work.c in the kernel; natively the tests' own. */
int rlb_pins_module_init(void);
void rlb_pins_module_exit(void);
u32 rlb_pins_default_max(void);
void rlb_pins_work_init(struct rlb_pins *pins);
void rlb_pins_work_exit(struct rlb_pins *pins);
struct rlb_pin *rlb_pin_alloc(bool wide);
void rlb_pin_free(struct rlb_pin *pin);
void rlb_pins_tick_later(struct rlb_pins *pins, bool soon);
void rlb_pins_reap_later(struct rlb_pins *pins);
void rlb_pins_tell_later(struct rlb_pins *pins);
void rlb_pins_hush(struct rlb_pins *pins);

/* nl/replica.c in the kernel: tell those who listen of the flows that @feed has. */
void rlb_pins_tell(struct rlb_pins *pins);

#endif /* _RINGLB_FLOW_PINS_H */
