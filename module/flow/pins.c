// SPDX-License-Identifier: GPL-2.0-only
/*
 * pins.c - the flow table: find, add, forget
 *
 * In: keys of flows, and what is to be remembered of them. Out: pins.
 * Packets: softirq, or process context under rcu_read_lock(). Visits of the whole table:
 * visit.c. Buckets: chains.h. Locks and lifetimes: pins.h.
 */
#include "chains.h"
#include "pins.h"
#include "track.h"

#define EVICT_BUCKETS 64U	/* looked at for somebody to make room */

/*
 * Nobody else sees these hashes, so words are taken as they stand in memory; a second half of
 * zeros, which is all IPv4 addresses', is left out. Even, so that a walk's cursor fits between
 * any two.
 */
static __always_inline u64 hash_words(const struct rlb_pins *pins, struct rlb_pin_words w)
{
	struct rlb_sip s;

	rlb_sip_start(&s, &pins->secret);
	rlb_sip_word(&s, w.addr0);
	if (w.addr1)
		rlb_sip_word(&s, w.addr1);
	return rlb_sip_end(&s, w.rest, 0) & ~1ULL;
}

/* Which flow: @vip is NULL but for wide pins, whose key does not say it. */
struct sought {
	struct rlb_pin_words w;
	const struct rlb_end *vip;
};

static struct sought narrow(const struct rlb_pin_key *key)
{
	return (struct sought){ rlb_pin_words(key), NULL };
}

static struct sought flow_of(const struct rlb_pin *pin)
{
	return (struct sought){ rlb_pin_words(&pin->key),
				rlb_pin_is_wide(pin) ? &rlb_wide_of(pin)->vip : NULL };
}

static u64 hash_wide(const struct rlb_pins *pins, struct sought s)
{
	struct rlb_sip sip;
	u64 vip[2];

	memcpy(vip, &s.vip->addr, sizeof(vip));
	rlb_sip_start(&sip, &pins->secret);
	rlb_sip_word(&sip, s.w.addr0);
	rlb_sip_word(&sip, s.w.addr1);
	rlb_sip_word(&sip, vip[0]);
	rlb_sip_word(&sip, vip[1]);
	rlb_sip_word(&sip, (__force u16)s.vip->port);
	return rlb_sip_end(&sip, s.w.rest, 0) & ~1ULL;
}

static __always_inline u64 hash_of(const struct rlb_pins *pins, struct sought s)
{
	return s.vip ? hash_wide(pins, s) : hash_words(pins, s.w);
}

/**
 * rlb_pin_hash() - where a flow's pin is: the first bits say the bucket, and the stripe
 * @pins: the table
 * @pin: the pin
 *
 * Return: an even number.
 */
u64 rlb_pin_hash(const struct rlb_pins *pins, const struct rlb_pin *pin)
{
	return hash_of(pins, flow_of(pin));
}

static bool is_end(const struct rlb_end *a, const struct rlb_end *b)
{
	return a->port == b->port && !memcmp(&a->addr, &b->addr, sizeof(a->addr));
}

static __always_inline bool is_flow(const struct rlb_pin *pin, struct sought s)
{
	struct rlb_pin_words of = rlb_pin_words(&pin->key);

	return of.addr0 == s.w.addr0 && of.rest == s.w.rest && of.addr1 == s.w.addr1 &&
	       (!s.vip || is_end(&rlb_wide_of(pin)->vip, s.vip));
}

static spinlock_t *stripe_of(struct rlb_pins *pins, u64 hash)
{
	return &pins->stripe[hash >> (64 - RLB_PINS_STRIPE_BITS)];
}

/**
 * rlb_pins_init() - an empty table that holds no memory yet
 * @pins: the table
 * @secret: random; of this table alone
 * @max: the most pins
 */
void rlb_pins_init(struct rlb_pins *pins, const struct rlb_secret *secret, u32 max)
{
	u32 i;

	memset(pins, 0, sizeof(*pins));
	atomic_set(&pins->n, 0);
	atomic_set(&pins->n_vip, 0);
	atomic_set(&pins->n_direct, 0);
	atomic_set(&pins->n_wide, 0);
	rlb_back_init(pins);
	pins->max = max;
	pins->secret = *secret;
	for (i = 0; i < RLB_PINS_COUNTERS; i++)
		atomic64_set(&pins->count[i], 0);
	for (i = 0; i < 1U << RLB_PINS_STRIPE_BITS; i++)
		spin_lock_init(&pins->stripe[i]);
	spin_lock_init(&pins->dead_lock);
	mutex_init(&pins->visit);
	rlb_feed_init(&pins->feed);
	rlb_pins_work_init(pins);
}

/**
 * rlb_pins_set_max() - how many flows may be remembered
 * @pins: the table
 * @max: RLB_PINS_MIN..RLB_PINS_MAX; those above it that are there stay until they expire
 *
 * Return: 0, or -ERANGE.
 */
int rlb_pins_set_max(struct rlb_pins *pins, u32 max)
{
	if (max < RLB_PINS_MIN || max > RLB_PINS_MAX)
		return -ERANGE;
	WRITE_ONCE(pins->max, max);
	return 0;
}

static __always_inline struct rlb_pin *chain_find(const struct rlb_pins_array *array, u64 hash,
						  struct sought s)
{
	struct rlb_pin *pin;

	pin = rcu_dereference_check(array->bucket[rlb_chain_index(array, hash)], 1);
	while (pin && !is_flow(pin, s))
		pin = rcu_dereference_check(pin->next, 1);
	return pin;
}

/* Under rcu_read_lock(), or the stripe's lock; takes no lock. */
static __always_inline struct rlb_pin *look(const struct rlb_pins *pins, struct sought s)
{
	const struct rlb_pins_array *array = rcu_dereference_check(pins->array, 1);
	u64 hash = hash_of(pins, s);
	struct rlb_pin *pin = NULL;

	while (array && !pin) {
		pin = chain_find(array, hash, s);
		smp_rmb();	/* what is no longer here is there, and there is a there */
		array = rcu_dereference_check(array->future, 1);
	}
	return pin;
}

/**
 * rlb_pins_look() - has this flow a pin?
 * @pins: the table
 * @addr0: what is looked for: the words of struct rlb_pin_words, in registers
 * @addr1: second word
 * @rest: third word
 *
 * Under rcu_read_lock(); takes no lock.
 *
 * Return: its pin, be its time over or not; NULL if there is none.
 */
struct rlb_pin *rlb_pins_look(const struct rlb_pins *pins, u64 addr0, u64 addr1, u64 rest)
{
	return look(pins, (struct sought){ { addr0, addr1, rest }, NULL });
}

/**
 * rlb_pins_look_wide() - has this flow a wide pin?
 * @pins: the table
 * @key: the flow, its target with RLB_PIN_WIDE
 * @vip: what its packets are to
 *
 * Under rcu_read_lock(); takes no lock.
 *
 * Return: its pin, be its time over or not; NULL if there is none.
 */
struct rlb_pin *rlb_pins_look_wide(const struct rlb_pins *pins, const struct rlb_pin_key *key,
				   const struct rlb_end *vip)
{
	return look(pins, (struct sought){ rlb_pin_words(key), vip });
}

/* A backend's flows are those to its VIP. */
static void held(const struct rlb_pin *pin, int by)
{
	if (!rlb_pin_is_direct(pin))
		rlb_pin_held(rlb_pin_backend(pin), by);
}

/* One more pin like this one, or one less: never fewer than there are linked. Return: of all. */
static u32 count_in(struct rlb_pins *pins, const struct rlb_pin *pin)
{
	atomic_inc(rlb_pin_is_direct(pin) ? &pins->n_direct : &pins->n_vip);
	if (rlb_pin_is_wide(pin))
		atomic_inc(&pins->n_wide);
	return atomic_inc_return(&pins->n);
}

static void count_out(struct rlb_pins *pins, const struct rlb_pin *pin)
{
	if (rlb_pin_is_wide(pin))
		atomic_dec(&pins->n_wide);
	atomic_dec(rlb_pin_is_direct(pin) ? &pins->n_direct : &pins->n_vip);
	atomic_dec(&pins->n);
}

/**
 * rlb_pin_bury() - an unlinked pin: to be freed when no reader can be looking at it any more
 * @pins: the table
 * @pin: the pin; no lock is held
 */
void rlb_pin_bury(struct rlb_pins *pins, struct rlb_pin *pin)
{
	bool first;

	spin_lock_bh(&pins->dead_lock);
	pin->spare = pins->dead;
	pins->dead = pin;
	WRITE_ONCE(pins->n_dead, pins->n_dead + 1);	/* link_new() reads it without the lock */
	first = !pins->waiting;
	if (first) {
		pins->waiting = pins->dead;
		pins->dead = NULL;
	}
	spin_unlock_bh(&pins->dead_lock);
	if (first)
		rlb_pins_reap_later(pins);
}

static u32 free_chain(struct rlb_pin *pin)
{
	struct rlb_pin *next;
	u32 n = 0;

	for (; pin; pin = next) {
		next = pin->spare;
		rlb_pin_free(pin);
		if (!(++n % RLB_CHAINS_YIELD))
			rlb_env_yield();
	}
	return n;
}

/**
 * rlb_pins_reap() - a grace period after rlb_pins_reap_later(): free what waited for it
 * @pins: the table
 *
 * Process context. What has been unlinked meanwhile waits for the next one.
 */
void rlb_pins_reap(struct rlb_pins *pins)
{
	struct rlb_pin *free;
	bool again;
	u32 n;

	spin_lock_bh(&pins->dead_lock);
	free = pins->waiting;
	pins->waiting = pins->dead;
	pins->dead = NULL;
	again = pins->waiting;
	spin_unlock_bh(&pins->dead_lock);
	n = free_chain(free);
	spin_lock_bh(&pins->dead_lock);
	WRITE_ONCE(pins->n_dead, pins->n_dead - n);
	spin_unlock_bh(&pins->dead_lock);
	if (again)
		rlb_pins_reap_later(pins);
}

/* Who listens is to be told of a flow, however many others are. */
static void tell(struct rlb_pins *pins, const struct rlb_pin_key *key)
{
	if (!rlb_pins_is_told(pins, key))
		return;
	rlb_feed_put(&pins->feed, key, RLB_FEED_SIZE);
	rlb_pins_tell_later(pins);
}

/**
 * rlb_pins_changed() - a remembered flow is in another state: rlb_track_seen() says so
 * @pins: the table
 * @key: the flow
 */
void rlb_pins_changed(struct rlb_pins *pins, const struct rlb_pin_key *key)
{
	tell(pins, key);
}

/**
 * rlb_pin_unlink() - take a pin out of its chain
 * @pins: the table
 * @link: what leads to it; the stripe's lock is held
 * @why: what is counted
 *
 * Return: the pin, for rlb_pin_bury() once the lock is free.
 */
struct rlb_pin *rlb_pin_unlink(struct rlb_pins *pins, struct rlb_pin __rcu **link,
			       enum rlb_pins_counter why)
{
	struct rlb_pin *pin = rlb_chained(link);

	rcu_assign_pointer(*link, rlb_chained(&pin->next));
	if (rlb_pin_is_wide(pin))
		rlb_back_unlink(pins, rlb_wide_of(pin));
	count_out(pins, pin);
	rlb_pins_count(pins, why);
	held(pin, -1);
	return pin;
}

/* The newest array: pins are linked there, and nowhere else. */
static struct rlb_pins_array *newest(const struct rlb_pins *pins)
{
	struct rlb_pins_array *array = rcu_dereference_check(pins->array, 1), *next;

	while (array && (next = rcu_dereference_check(array->future, 1)))
		array = next;
	return array;
}

/* Of two pins that might make room: an expired one, else the one with less time left. */
static bool goes_before(const struct rlb_pin *a, const struct rlb_pin *b, u32 now)
{
	return !b || (int32_t)(READ_ONCE(a->expires) - now) <
		     (int32_t)(READ_ONCE(b->expires) - now);
}

/*
 * The table is full. Look in a bounded number of buckets, all of one stripe, whose lock is
 * held, for a flow that is over or that nobody has been seen to mean. The oldest goes: a real
 * client is at this stage for a round trip only.
 */
static struct rlb_pin *make_room(struct rlb_pins *pins, u64 hash, u32 now)
{
	struct rlb_pins_array *array = newest(pins);
	u32 mask = (1U << (array->bits - RLB_PINS_STRIPE_BITS)) - 1;
	u32 i = rlb_chain_index(array, hash), base = i & ~mask, left;
	struct rlb_pin __rcu **link, **best = NULL;
	struct rlb_pin *pin;

	for (left = min(EVICT_BUCKETS, mask + 1); left; left--, i++) {
		link = &array->bucket[base | (i & mask)];
		for (; (pin = rlb_chained(link)); link = &pin->next)
			if ((rlb_pin_is_expired(pin, now) ||
			     !(READ_ONCE(pin->state) & RLB_PIN_CONFIRMED)) &&
			    goes_before(pin, best ? rlb_chained(best) : NULL, now))
				best = link;
	}
	if (!best)
		return NULL;
	return rlb_pin_unlink(pins, best, rlb_pin_is_expired(rlb_chained(best), now) ?
				     RLB_PINS_EXPIRED : RLB_PINS_EVICTED);
}

/* What can change of a pin; a reader may see some of it earlier than the rest. */
static void fill(struct rlb_pin *pin, const struct rlb_pin *what)
{
	rcu_assign_pointer(pin->backend, rlb_pin_backend(what));
	WRITE_ONCE(pin->seq, what->seq);
	WRITE_ONCE(pin->ack, what->ack);
	WRITE_ONCE(pin->expires, what->expires);
	WRITE_ONCE(pin->state, what->state);
	pin->told = what->expires;
}

/* A pin that is there begins again, perhaps with another backend; the stripe's lock is held. */
static void refill(struct rlb_pin *pin, const struct rlb_pin *what)
{
	held(pin, -1);
	held(what, 1);
	fill(pin, what);
}

/* Those that wait for their grace period take memory, too. */
static bool has_dead(const struct rlb_pins *pins)
{
	return READ_ONCE(pins->n_dead) > READ_ONCE(pins->max) / 8;
}

/* Sweeping begins with the first pin; growth is urgent when chains get long. */
static void tell_work(struct rlb_pins *pins, u32 n)
{
	const struct rlb_pins_array *array;

	if (n == 1)
		rlb_pins_tick_later(pins, false);
	if (n % 256)
		return;
	rcu_read_lock();
	array = newest(pins);
	if (array && n >> array->bits >= 2 && array->bits < RLB_CHAINS_BITS_MAX)
		rlb_pins_tick_later(pins, true);
	rcu_read_unlock();
}

/* What is done if the flow is remembered already, and if there is no room */
enum how {
	ADD,		/* that stays; somebody unconfirmed makes room */
	PUT,		/* that begins again; likewise */
	TAKE,		/* that stays, unless this one lasts longer; nobody makes room */
	TAKE_OVER,	/* that begins again; likewise */
};

/**
 * struct adding - how a flow is added, and what came of it
 * @how: enum how
 * @now: the time
 * @done: it is remembered as wanted
 * @clash: it is not, because its place on a side is another flow's
 * @gone: who was unlinked, to make room or because the flow goes elsewhere
 * @unused: it was not linked, but has perhaps been seen
 */
struct adding {
	enum how how;
	u32 now;
	bool done;
	bool clash;
	struct rlb_pin *gone;
	struct rlb_pin *unused;
};

/* Link a new pin, with somebody else making room if need be; the stripe's lock is held. */
static bool link_new(struct rlb_pins *pins, struct rlb_pin *pin, u64 hash, bool full,
		     struct adding *a)
{
	struct rlb_pins_array *array = newest(pins);

	if (!array)
		return false;
	if (full && !a->gone) {
		a->gone = has_dead(pins) ? NULL : make_room(pins, hash, a->now);
		if (!a->gone)
			return false;
	}
	if (rlb_pin_is_wide(pin) && !rlb_back_link(pins, rlb_wide_of(pin))) {
		a->clash = true;
		a->unused = pin;
		return false;
	}
	rlb_chain_link(array, hash, pin);
	rlb_pins_count(pins, RLB_PINS_ADDED);
	held(pin, 1);
	return true;
}

/* Is what is remembered of a flow to be replaced? */
static bool gives_way(const struct rlb_pin *pin, const struct rlb_pin *what,
		      const struct adding *a)
{
	if (rlb_pin_is_expired(pin, a->now) || a->how == PUT || a->how == TAKE_OVER)
		return true;
	return a->how == TAKE && rlb_pin_backend(pin) == rlb_pin_backend(what) &&
	       !rlb_flow_reached(READ_ONCE(pin->expires), what->expires);
}

/* Has a pin another place on the sides than the one that follows it? */
static bool is_elsewhere(const struct rlb_pin *pin, const struct rlb_pin *what)
{
	const struct rlb_wide *a = rlb_wide_of(pin), *b = rlb_wide_of(what);

	if (!rlb_pin_is_wide(pin))
		return false;
	return a->port != b->port || !is_end(&a->gate, &b->gate) ||
	       memcmp(rlb_pin_backend_addr(rlb_pin_backend(pin)),
		      rlb_pin_backend_addr(rlb_pin_backend(what)), sizeof(union rlb_addr));
}

/* Where a chain leads to the flow's pin; the stripe's lock is held. */
static struct rlb_pin __rcu **link_of(struct rlb_pins *pins, u64 hash, struct sought s)
{
	struct rlb_pins_array *array = rcu_dereference_check(pins->array, 1);
	struct rlb_pin __rcu **link;
	struct rlb_pin *pin;

	for (; array; array = rcu_dereference_check(array->future, 1)) {
		link = &array->bucket[rlb_chain_index(array, hash)];
		for (; (pin = rlb_chained(link)); link = &pin->next)
			if (is_flow(pin, s))
				return link;
	}
	return NULL;
}

/* The flow goes elsewhere from now on. Return: its pin; NULL if it needs a new one. */
static struct rlb_pin *replace(struct rlb_pins *pins, struct rlb_pin *pin,
			       const struct rlb_pin *what, struct adding *a)
{
	bool was_told = READ_ONCE(pin->state) & RLB_PIN_CONFIRMED;

	if (is_elsewhere(pin, what)) {
		if (!has_dead(pins))
			a->gone = rlb_pin_unlink(pins,
						 link_of(pins, rlb_pin_hash(pins, pin), flow_of(pin)),
						 RLB_PINS_REMOVED);
		return NULL;
	}
	refill(pin, what);
	if (was_told && a->how <= PUT)
		tell(pins, &pin->key);
	a->done = true;
	return pin;
}

static bool has_room(const struct rlb_pins *pins, u32 n, enum how how)
{
	return how <= PUT || n <= READ_ONCE(pins->max);
}

/* What a wide pin has beyond others */
static void copy_places(struct rlb_wide *to, const struct rlb_wide *from)
{
	to->vip = from->vip;
	to->gate = from->gate;
	to->port = from->port;
}

static struct rlb_pin *make(const struct rlb_pin *what)
{
	bool wide = rlb_pin_is_wide(what);
	struct rlb_pin *new = rlb_pin_alloc(wide);

	if (!new)
		return NULL;
	new->key = what->key;
	fill(new, what);
	if (wide)
		copy_places(rlb_wide_of(new), rlb_wide_of(what));
	return new;
}

/* Those that are not linked, or are not any more */
static void clear_away(struct rlb_pins *pins, struct rlb_pin *new, const struct adding *a)
{
	if (a->gone)
		rlb_pin_bury(pins, a->gone);
	if (a->unused)
		rlb_pin_bury(pins, a->unused);
	else if (new)
		rlb_pin_free(new);
}

static struct rlb_pin *add(struct rlb_pins *pins, const struct rlb_pin *what, struct adding *a)
{
	struct sought s = flow_of(what);
	u64 hash = hash_of(pins, s);
	struct rlb_pin *new, *pin;
	u32 n = count_in(pins, what);
	bool linked = false, stays;

	new = make(what);
	spin_lock_bh(stripe_of(pins, hash));
	pin = look(pins, s);
	stays = pin && !gives_way(pin, what, a);
	if (pin && !stays)
		pin = replace(pins, pin, what, a);
	if (!pin && new && has_room(pins, n, a->how)) {
		linked = link_new(pins, new, hash, n > READ_ONCE(pins->max), a);
		a->done = linked;
	}
	spin_unlock_bh(stripe_of(pins, hash));
	clear_away(pins, linked ? NULL : new, a);
	if (linked) {
		tell_work(pins, n);
		return new;
	}
	count_out(pins, what);
	if (!pin && !a->clash)
		rlb_pins_count(pins, RLB_PINS_FULL);
	return pin;
}

/**
 * rlb_pins_add() - remember a flow
 * @pins: the table
 * @what: key, backend and the rest as rlb_track_begin() filled it; copied
 * @now: the time
 *
 * Under rcu_read_lock(). If the flow is remembered already, that stays as it is. A full table
 * forgets an unconfirmed flow of the same stripe, if a bounded search finds one.
 *
 * Return: the flow's pin, perhaps with another backend than wanted; NULL if it could not be
 * remembered, which is counted.
 */
struct rlb_pin *rlb_pins_add(struct rlb_pins *pins, const struct rlb_pin *what, u32 now)
{
	struct adding a = { .how = ADD, .now = now };

	return add(pins, what, &a);
}

/**
 * rlb_pins_put() - remember a flow, whatever was remembered of it before
 * @pins: the table
 * @what: as for rlb_pins_add()
 * @now: the time
 *
 * Return: the flow's pin; NULL if it could not be remembered, which is counted.
 */
struct rlb_pin *rlb_pins_put(struct rlb_pins *pins, const struct rlb_pin *what, u32 now)
{
	struct adding a = { .how = PUT, .now = now };

	return add(pins, what, &a);
}

/**
 * rlb_pins_add_wide() - remember a flow that is to be found from both sides
 * @pins: the table, after rlb_back_reserve()
 * @what: as for rlb_pins_add(); its key has RLB_PIN_WIDE
 * @anew: whatever was remembered of it before, as rlb_pins_put()
 * @now: the time
 * @pin: out: the flow's pin, perhaps with another backend or gate than wanted
 *
 * Under rcu_read_lock(). A place on a side is taken until the pin that has it is unlinked, be
 * its time over or not. If the flow was remembered at another place and this one is taken, it
 * is not remembered any more.
 *
 * Return: what came of it.
 */
enum rlb_widened rlb_pins_add_wide(struct rlb_pins *pins, const struct rlb_wide *what, bool anew,
				   u32 now, struct rlb_pin **pin)
{
	struct adding a = { .how = anew ? PUT : ADD, .now = now };

	*pin = add(pins, &what->pin, &a);
	if (*pin)
		return RLB_WIDE_THERE;
	return a.clash ? RLB_WIDE_CLASH : RLB_WIDE_FULL;
}

/**
 * rlb_pins_take() - remember a flow that another gateway remembers
 * @pins: the table
 * @what: as for rlb_pins_add()
 * @replace: whatever was remembered of it before; else only if that was the same for less long
 * @now: the time
 *
 * Under rcu_read_lock(). Nobody is told of it, so that two gateways may tell each other; nobody
 * is forgotten to make room.
 *
 * Return: what came of it.
 */
enum rlb_taken rlb_pins_take(struct rlb_pins *pins, const struct rlb_pin *what, bool replace,
			     u32 now)
{
	struct adding a = { .how = replace ? TAKE_OVER : TAKE, .now = now };

	if (!add(pins, what, &a))
		return RLB_TAKEN_FULL;
	return a.done ? RLB_TAKEN : RLB_TAKEN_NOT;
}

static struct rlb_pin *forget(struct rlb_pins *pins, struct sought s,
			      const struct rlb_backend *backend, enum rlb_pins_counter why)
{
	u64 hash = hash_of(pins, s);
	struct rlb_pin *gone = NULL;
	struct rlb_pin __rcu **link;

	spin_lock_bh(stripe_of(pins, hash));
	link = link_of(pins, hash, s);
	if (link && (!backend || rlb_pin_backend(rlb_chained(link)) == backend))
		gone = rlb_pin_unlink(pins, link, why);
	spin_unlock_bh(stripe_of(pins, hash));
	if (gone)
		rlb_pin_bury(pins, gone);
	return gone;
}

/**
 * rlb_pins_drop() - forget one flow
 * @pins: the table
 * @key: the flow
 * @backend: only if it is pinned to this one
 *
 * Under rcu_read_lock(), so that growth does not free the buckets meanwhile.
 *
 * Return: true if it was there.
 */
bool rlb_pins_drop(struct rlb_pins *pins, const struct rlb_pin_key *key,
		   const struct rlb_backend *backend)
{
	if (!forget(pins, narrow(key), backend, RLB_PINS_REMOVED))
		return false;
	tell(pins, key);
	return true;
}

/**
 * rlb_pins_drop_pin() - rlb_pins_drop() of any pin that was found
 * @pins: the table
 * @pin: the pin, a wide one or not; only if it has the same backend still
 * @why: what is counted
 *
 * Under rcu_read_lock(), as there.
 *
 * Return: true if it was there.
 */
bool rlb_pins_drop_pin(struct rlb_pins *pins, const struct rlb_pin *pin,
		       enum rlb_pins_counter why)
{
	if (!forget(pins, flow_of(pin), rlb_pin_backend(pin), why))
		return false;
	tell(pins, &pin->key);
	return true;
}

/**
 * rlb_pins_forget() - forget one flow, as another gateway has
 * @pins: the table
 * @key: the flow
 *
 * Under rcu_read_lock(). Nobody is told, as of rlb_pins_take().
 *
 * Return: true if it was there.
 */
bool rlb_pins_forget(struct rlb_pins *pins, const struct rlb_pin_key *key)
{
	return forget(pins, narrow(key), NULL, RLB_PINS_REMOVED);
}

static void copy_pin(struct rlb_pin *copy, const struct rlb_pin *pin)
{
	memset(copy, 0, sizeof(*copy));
	copy->key = pin->key;
	RCU_INIT_POINTER(copy->backend, rlb_pin_backend(pin));
	copy->expires = READ_ONCE(pin->expires);
	copy->seq = READ_ONCE(pin->seq);
	copy->ack = READ_ONCE(pin->ack);
	copy->state = READ_ONCE(pin->state);
}

/**
 * rlb_wide_copy() - a pin as it is, for who does not hold its lock
 * @copy: out: of a wide pin all of it, else @pin alone
 * @pin: the pin; the stripe's lock is held
 */
void rlb_wide_copy(struct rlb_wide *copy, const struct rlb_pin *pin)
{
	memset(copy, 0, sizeof(*copy));
	copy_pin(&copy->pin, pin);
	if (rlb_pin_is_wide(pin))
		copy_places(copy, rlb_wide_of(pin));
}

/**
 * rlb_pins_copy() - one flow as it is remembered now, of which who listens is being told
 * @pins: the table
 * @key: the flow
 * @now: the time
 * @copy: out: the flow; its backend is valid as long as the caller forbids removal
 *
 * Process context.
 *
 * Return: false if it is not remembered.
 */
bool rlb_pins_copy(struct rlb_pins *pins, const struct rlb_pin_key *key, u32 now,
		   struct rlb_pin *copy)
{
	u64 hash = hash_of(pins, narrow(key));
	struct rlb_pin *pin;
	bool there;

	rcu_read_lock();	/* as for rlb_pins_drop() */
	spin_lock_bh(stripe_of(pins, hash));
	pin = look(pins, narrow(key));
	there = pin && !rlb_pin_is_expired(pin, now);
	if (there) {
		copy_pin(copy, pin);
		pin->told = copy->expires;
	}
	spin_unlock_bh(stripe_of(pins, hash));
	rcu_read_unlock();
	return there;
}

/**
 * rlb_pins_exit() - the end of a table
 * @pins: the table; no packet and no request can come any more
 *
 * Process context, may sleep.
 */
void rlb_pins_exit(struct rlb_pins *pins)
{
	struct rlb_pins_array *array;
	struct rlb_pin *pin, *next;
	u32 i;

	rlb_pins_work_exit(pins);
	array = rlb_pins_visited(pins);
	for (i = 0; array && i < 1U << array->bits; i++) {
		for (pin = rlb_chained(&array->bucket[i]); pin; pin = next) {
			next = rlb_chained(&pin->next);
			rlb_pin_free(pin);
		}
		if (!(i % RLB_CHAINS_YIELD))
			rlb_env_yield();
	}
	free_chain(pins->dead);
	free_chain(pins->waiting);
	rlb_back_exit(pins);
	rlb_env_free(array);
	RCU_INIT_POINTER(pins->array, NULL);
	atomic_set(&pins->n, 0);
	rlb_feed_close(&pins->feed);
	atomic_set(&pins->n_vip, 0);
	atomic_set(&pins->n_direct, 0);
	atomic_set(&pins->n_wide, 0);
}
