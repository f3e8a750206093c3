// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim.c - do established flows survive failures and changes? The module's own code decides
 *
 * In: a policy and a number of flows. Out: how many broke, how many were remembered. The same
 * seed, so the same flows and events, for every policy.
 *
 * 20 backends. 9 of 10 flows live 10 s, the tenth 300 s, on average. A flow sends a SYN,
 * acknowledges the answer, then a packet every 5 s, and a FIN. After 10 minutes of quiet,
 * for 30 minutes: each minute a backend fails, for 20 to 120 s; every 200 s one is added or
 * removed by plan, in turn. A removed one drains where the policy knows of draining. Then no
 * flow begins any more. Tables by lookup/, look-again by choose.h, pins and rules by flow/;
 * who had a slot first, and since when, is kept here in two arrays.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "flow/pins.h"
#include "flow/track.h"
#include "lookup.h"
#include "sim.h"

#define S RLB_FLOW_SECOND
#define BITS 16
#define SLOTS (1U << BITS)
#define BACKENDS 32
#define QUIET_TIME (600 * S)
#define BUSY_TIME (1800 * S)
#define NOBODY 0xffff
#define IDLE (900 * S)

const struct sim_policy sim_policies[SIM_POLICIES] = {
	{ "maglev rebuilt, stateless", true, false, 0, 0 },
	{ "ringlb, stateless", false, false, 0, 0 },
	{ "ringlb, drain 120 s", false, true, 120, 120 },
	{ "ringlb, drain 600 s", false, true, 600, 600 },
	{ "ringlb, drain open", false, true, IDLE / S, SIM_OPEN },
};

enum state { ABSENT, UP, DRAIN, DOWN };

struct backend {
	enum state state;
	bool member;
	u32 failures;
	u32 until;		/* DOWN: when it returns. DRAIN: when it ends */
};

struct flow {
	u64 hash;
	u32 number;		/* also its client's address, and first sequence number */
	u32 at;			/* when it sends next */
	u32 end;
	u32 packets;
	u16 backend;
	u32 failures;		/* of the backend, when it began */
};

static const struct sim_policy *policy;
static struct sim_result *result;
static struct rlb_secret secret;
static struct rlb_pins pins;
static struct backend backend[BACKENDS];
static u16 slots[SLOTS], from[SLOTS];
static u32 since[SLOTS];
static u8 takes[BACKENDS];
static struct rlb_view view;
static struct flow *heap;	/* by next packet */
static u32 n_flows, begun, wanted, now;
static u64 random_flows, random_events;	/* apart: the same events for any number of flows */

static u64 draw(u64 *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return rlb_hash_mix(*state);
}

static u32 below(u64 *state, u32 n)
{
	return (draw(state) >> 32) * n >> 32;
}

static u32 exponential(double mean)
{
	return -log(((draw(&random_flows) >> 11) + 1) / 9007199254740993.0) * mean * S;
}

/* --- tables --- */

static bool is_in_table(const struct backend *b)
{
	return b->member && (!policy->rebuild || b->state == UP);
}

/* A new table; the first owner of each slot that moves is kept, until it is back. */
static void build(void)
{
	static u16 fresh[SLOTS];
	const struct rlb_lookup_ops *ops = policy->rebuild ? &rlb_maglev_ops :
							     &rlb_rendezvous_ops;
	struct rlb_params params = { .slack = RLB_SLACK_NONE };
	struct rlb_member member[BACKENDS];
	u16 id[BACKENDS], owner;
	u32 i, n = 0;

	for (i = 0; i < BACKENDS; i++) {
		if (!is_in_table(&backend[i]))
			continue;
		id[n] = i;
		member[n++] = (struct rlb_member){ .ident = rlb_hash_mix(i + 1), .weight = 1 };
	}
	if (rlb_lookup_build(ops, fresh, BITS, member, n, &params))
		abort();
	for (i = 0; i < SLOTS; i++) {
		owner = id[fresh[i]];
		if (now && owner != slots[i] && from[i] == NOBODY) {
			from[i] = slots[i];
			since[i] = now;
		}
		if (owner == from[i])
			from[i] = NOBODY;
		slots[i] = owner;
	}
}

static void set_states(void)
{
	u32 i;

	for (i = 0; i < BACKENDS; i++)
		takes[i] = backend[i].state == UP ? RLB_TAKES_FLOWS : RLB_TAKES_NONE;
	view = (struct rlb_view){ .slots = slots, .takes = takes, .n = BACKENDS, .bits = BITS,
				  .best = RLB_TAKES_FLOWS };
	if (policy->rebuild)
		build();
}

static bool carries(u16 b)
{
	return b != NOBODY && (backend[b].state == UP || backend[b].state == DRAIN);
}

static bool takes_new(u16 b)
{
	return b != NOBODY && backend[b].state == UP;
}

/* --- a gateway's packet path --- */

static u64 hash_of(u32 number)
{
	return rlb_hash(&secret, &number, sizeof(number));
}

static void fill_key(struct rlb_pin_key *key, u32 number)
{
	memset(key, 0, sizeof(*key));
	key->family = AF_INET;
	key->proto = IPPROTO_TCP;
	memcpy(key->addr.byte, &number, sizeof(number));
}

/* Backends as the table of pins sees them: pointers that say which. */
static struct rlb_backend *pointer_of(u16 b)
{
	return (struct rlb_backend *)&backend[b];
}

static u16 backend_of(const struct rlb_pin *pin)
{
	return (struct backend *)rlb_pin_backend(pin) - backend;
}

static u16 target(u8 to, const struct rlb_pin *pin, const struct rlb_choice *choice)
{
	switch (to) {
	case RLB_TO_PIN:
		return backend_of(pin);
	case RLB_TO_OWNER:
		return choice->owner;
	case RLB_TO_OLD:
		return from[choice->slot];
	case RLB_TO_CHOICE:
		return choice->member;
	default:
		return NOBODY;
	}
}

static struct rlb_question question(const struct rlb_segment *seg, const struct rlb_pin *pin,
				    const struct rlb_choice *choice)
{
	u16 old = from[choice->slot], pinned = pin ? backend_of(pin) : NOBODY;

	return (struct rlb_question){
		.kind = seg->kind,
		.track = policy->remember ? RLB_TRACK_AUTO : RLB_TRACK_NONE,
		.pinned = pin,
		.pin_half = pin && rlb_pin_is_half(pin),
		.pin_fits = pin && rlb_track_fits(pin, seg),
		.pin_carries = carries(pinned),
		.pin_takes_new = takes_new(pinned),
		.settled = old == NOBODY,
		.owner_carries = carries(choice->owner),
		.owner_takes_new = takes_new(choice->owner),
		.old_carries = carries(old),
		.old_takes_new = takes_new(old),
		.has_choice = choice->member >= 0,
	};
}

static u16 remember(const struct rlb_question *q, struct rlb_answer a, struct rlb_pin *what,
		    const struct rlb_segment *seg, u16 to, const struct rlb_choice *choice)
{
	struct rlb_pin *pin;

	what->backend = pointer_of(to);
	rlb_track_begin(what, seg, RLB_PIN_REPLIES, IDLE, now);
	pin = a.remember == RLB_REMEMBER_NEW ? rlb_pins_add(&pins, what, now) :
					       rlb_pins_put(&pins, what, now);
	return pin ? backend_of(pin) : target(rlb_track_full(q).to, NULL, choice);
}

/* Where the packet goes. */
static u16 steer(const struct flow *f, const struct rlb_segment *seg)
{
	struct rlb_pin what, *pin = NULL;
	struct rlb_question q;
	struct rlb_choice choice;
	struct rlb_answer a;
	u16 to;

	rlb_choose(&view, f->hash, &choice);
	fill_key(&what.key, f->number);
	if (rlb_pins_any(&pins))
		pin = rlb_pins_find(&pins, rlb_pin_words(&what.key), now);
	q = question(seg, pin, &choice);
	a = rlb_track_decide(&q);
	to = target(a.to, pin, &choice);
	if (a.remember == RLB_REMEMBER_SEEN)
		rlb_track_seen(pin, seg, IDLE, now);
	else if (a.remember == RLB_REMEMBER_DROP)
		rlb_pins_drop(&pins, &what.key, rlb_pin_backend(pin));
	else if (a.remember != RLB_REMEMBER_NOTHING)
		to = remember(&q, a, &what, seg, to, &choice);
	return to;
}

/* The backend's packet, which answers @seg. */
static void reply(const struct flow *f, const struct rlb_segment *seg)
{
	struct rlb_segment back = { .kind = seg->kind, .reply = true };
	struct rlb_pin_key key;
	struct rlb_pin *pin;

	if (!rlb_pins_any(&pins))
		return;
	fill_key(&key, f->number);
	pin = rlb_pins_find(&pins, rlb_pin_words(&key), now);
	if (!pin)
		return;
	if (seg->kind == RLB_KIND_BEGIN)
		back.kind = RLB_KIND_ANSWER;
	back.seq = seg->ack ? seg->ack : ~f->number;
	back.ack = seg->seq + 1;
	rlb_track_seen(pin, &back, IDLE, now);
}

/* --- flows --- */

static void sift_down(u32 i)
{
	struct flow f = heap[i];
	u32 child;

	while ((child = 2 * i + 1) < n_flows) {
		child += child + 1 < n_flows && heap[child + 1].at < heap[child].at;
		if (heap[child].at >= f.at)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = f;
}

static void flow_end(void)
{
	heap[0] = heap[--n_flows];
	if (n_flows)
		sift_down(0);
}

static void flow_begin(void)
{
	u32 number = ++begun, i = n_flows++, up;
	u32 life = exponential(below(&random_flows, 10) ? 10 : 300);
	struct flow f = { .hash = hash_of(number), .number = number, .at = now };

	f.end = now + life + 1;
	for (; i && heap[up = (i - 1) / 2].at > f.at; i = up)
		heap[i] = heap[up];
	heap[i] = f;
}

/* The earliest flow sends. */
static void flow_send(void)
{
	struct flow *f = &heap[0];
	struct rlb_segment seg = { .kind = RLB_KIND_MIDDLE, .seq = f->number * 2654435761U };
	u16 to;

	if (f->packets && backend[f->backend].failures != f->failures) {
		result->crashed++;
		flow_end();
		return;
	}
	seg.kind = !f->packets ? RLB_KIND_BEGIN : now >= f->end ? RLB_KIND_FIN : RLB_KIND_MIDDLE;
	seg.ack = f->packets ? ~f->number + 1 : 0;
	seg.seq += f->packets ? 1 + (f->packets - 1) * 100 : 0;
	to = steer(f, &seg);
	if (!f->packets) {
		f->backend = to;
		f->failures = backend[to].failures;
	}
	if (to != f->backend || !carries(to)) {
		result->broken++;
		flow_end();
		return;
	}
	reply(f, &seg);
	if (seg.kind == RLB_KIND_FIN) {
		flow_end();
		return;
	}
	f->at = f->packets++ ? now + 5 * S : now + S / 20;
	if (f->at > f->end)
		f->at = f->end > now ? f->end : now;
	sift_down(0);
}

/* --- events --- */

static u16 any_up(void)
{
	u16 b;

	do
		b = below(&random_events, BACKENDS);
	while (backend[b].state != UP);
	return b;
}

static void fail(void)
{
	struct backend *b = &backend[any_up()];

	b->state = DOWN;
	b->failures++;
	b->until = now + (20 + below(&random_events, 101)) * S;
	set_states();
}

static void plan(void)
{
	struct backend *b = backend;

	if (now / (200 * S) % 2) {
		while (b->state != ABSENT || b->until)
			b++;
		b->state = UP;
		b->member = true;
	} else {
		b = &backend[any_up()];
		b->member = false;
		b->state = policy->remember ? DRAIN : ABSENT;
		b->until = policy->drain == SIM_OPEN ? ~0U : now + policy->drain * S;
	}
	build();
	set_states();
}

static bool is_of(const struct rlb_pin *pin, void *b)
{
	return rlb_pin_backend(pin) == b;
}

static bool is_settled(const struct rlb_pin *pin, void *unused)
{
	u32 number, slot;

	memcpy(&number, pin->key.addr.byte, sizeof(number));
	slot = hash_of(number) >> (64 - BITS);
	return from[slot] == NOBODY && slots[slot] == backend_of(pin) && takes_new(slots[slot]);
}

static void returns_and_ends(void)
{
	struct backend *b;

	for (b = backend; b < backend + BACKENDS; b++) {
		if (b->until > now || (b->state != DOWN && b->state != DRAIN))
			continue;
		if (b->state == DRAIN)
			rlb_pins_remove(&pins, is_of, b);
		b->state = b->state == DOWN ? UP : ABSENT;
		set_states();
	}
}

static void expire_transitions(void)
{
	bool some = false;
	u32 i;

	for (i = 0; i < SLOTS; i++) {
		if (from[i] == NOBODY || now - since[i] < policy->transition * S)
			continue;
		from[i] = NOBODY;
		some = true;
	}
	if (some || now % (10 * S) == 0)
		rlb_pins_remove(&pins, is_settled, NULL);
}

/* The thousandths of the flows alive that are remembered. */
static void measure(u64 *sum)
{
	struct rlb_pin_key key;
	u32 i, n = 0;

	for (i = 0; i < n_flows; i++) {
		fill_key(&key, heap[i].number);
		n += rlb_pins_any(&pins) && rlb_pins_find(&pins, rlb_pin_words(&key), now);
	}
	n = n * 1000ULL / n_flows;
	*sum += n;
	if (n > result->peak)
		result->peak = n;
	n = atomic_read(&pins.n) * 1000ULL / n_flows;
	if (n > result->peak_pins)
		result->peak_pins = n;
}

static void reap(void)
{
	while (pins.reap.pending) {
		pins.reap.pending = false;
		rlb_pins_reap(&pins);
	}
}

static void second(void)
{
	u32 busy = now - QUIET_TIME;
	static u64 sum;

	rlb_pins_sweep(&pins, ~0U, now);
	rlb_pins_grow(&pins);
	reap();
	returns_and_ends();
	expire_transitions();
	if (now < QUIET_TIME)
		return;
	if (!busy) {
		sum = 0;
		result->before = atomic_read(&pins.n);
	}
	if (busy >= BUSY_TIME)
		return;
	if (busy % (60 * S) == 0)
		fail();
	if (busy % (200 * S) == 100 * S)
		plan();
	if (busy % (10 * S) == 0)
		measure(&sum);
	result->mean = sum / (BUSY_TIME / (10 * S));
}

static void prepare(u32 flows)
{
	u32 i;

	secret = (struct rlb_secret){ { 1, 2 } };
	random_flows = 20240229;
	random_events = 20240301;
	now = 0;
	n_flows = 0;
	begun = 0;
	wanted = flows;
	heap = malloc(sizeof(*heap) * flows);
	memset(backend, 0, sizeof(backend));
	memset(from, 0xff, sizeof(from));
	rlb_pins_init(&pins, &secret, RLB_PINS_MAX);
	if (!heap || rlb_pins_reserve(&pins))
		abort();
	for (i = 0; i < 20; i++)
		backend[i] = (struct backend){ .state = UP, .member = true };
	build();
	set_states();
}

/**
 * sim_run() - simulate one policy
 * @p: the policy
 * @flows: how many
 * @r: out: what came of it
 */
void sim_run(const struct sim_policy *p, u32 flows, struct sim_result *r)
{
	u32 end = QUIET_TIME + BUSY_TIME;

	policy = p;
	result = r;
	memset(r, 0, sizeof(*r));
	prepare(flows);
	for (; now < end || n_flows; now++) {
		if (now % S == 0)
			second();
		while (now < end && begun < (u64)(now + 1) * wanted / end)
			flow_begin();
		while (n_flows && heap[0].at <= now)
			flow_send();
	}
	now += IDLE;
	second();
	r->flows = begun;
	r->after = atomic_read(&pins.n);
	rlb_pins_exit(&pins);
	free(heap);
}
