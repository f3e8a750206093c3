// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pins.c - module/flow/pins.c against a naive twin: an array with one place for each flow
 */
#include "flow.h"
#include "unit.h"

#define S RLB_FLOW_SECOND
#define FLOWS_MAX 60000

/* A flow that may be remembered; in the twin's array. */
struct flow {
	bool there;		/* in the table, over or not */
	bool seen;		/* by a walk */
	struct rlb_backend *backend;
	u32 expires;
	u32 state;
};

static struct rlb_pins pins;
static struct flow flow[FLOWS_MAX];
static u32 flows, n_there, now;
static u64 events[RLB_PINS_COUNTERS];

static struct rlb_backend *backend_of(u32 i)
{
	return (struct rlb_backend *)(uintptr_t)(0x1000 + i * 64);
}

/* Flow @i: mixed families, protocols and targets; different i differ. */
static struct rlb_pin_key key_of(u32 i)
{
	struct rlb_pin_key key;

	memset(&key, 0, sizeof(key));
	key.family = i % 3 ? AF_INET : AF_INET6;
	key.proto = i % 5 ? IPPROTO_TCP : IPPROTO_UDP;
	key.target = i % 7 ? i % 4 : RLB_PIN_DIRECT | i % 4;
	key.port = i & 0xff;
	key.addr.byte[0] = 10;
	key.addr.byte[2] = i >> 8;
	key.addr.byte[3] = i >> 16;
	if (key.family == AF_INET6)
		key.addr.byte[15] = 1;
	return key;
}

static u32 flow_of(const struct rlb_pin_key *key)
{
	return (key->port & 0xff) | key->addr.byte[2] << 8 | key->addr.byte[3] << 16;
}

static bool over(const struct flow *f)
{
	return (int32_t)(now - f->expires) >= 0;
}

static void begin(u32 max, u32 n)
{
	struct rlb_secret secret = { { unit_random(), unit_random() } };
	u32 i;

	memset(flow, 0, sizeof(flow));
	memset(events, 0, sizeof(events));
	for (i = 0; i < 64; i++)
		*flow_held(backend_of(i)) = 0;
	flows = n;
	n_there = 0;
	now = 0u - 300 * S;
	rlb_pins_init(&pins, &secret, max);
	assert_int_equal(rlb_pins_reserve(&pins), 0);
	assert_int_equal(rlb_pins_reserve(&pins), 0);
}

static void end(void)
{
	rlb_pins_exit(&pins);
	assert_int_equal(flow_pins_live, 0);
	assert_int_equal(unit_alloc_live, 0);
}

static bool is_direct(u32 i)
{
	return key_of(i).target & RLB_PIN_DIRECT;
}

/* Of each backend as many pins as the table says, those straight to it apart. */
static void check_held(void)
{
	long held[8] = { 0 };
	u32 i, b, direct = 0;

	for (i = 0; i < flows; i++) {
		direct += flow[i].there && is_direct(i);
		for (b = 0; flow[i].there && !is_direct(i) && b < 8; b++)
			held[b] += flow[i].backend == backend_of(b);
	}
	for (b = 0; b < 8; b++)
		assert_int_equal(*flow_held(backend_of(b)), held[b]);
	assert_int_equal(atomic_read(&pins.n_direct), direct);
	assert_int_equal(atomic_read(&pins.n_vip), n_there - direct);
	assert_int_equal(rlb_pins_any_direct(&pins), direct != 0);
	assert_int_equal(rlb_pins_any_vip(&pins), n_there != direct);
}

static void check_counters(void)
{
	u32 i;

	for (i = 0; i < RLB_PINS_COUNTERS; i++)
		if (rlb_pins_counter(&pins, i) != events[i])
			refute("counter %u: %llu, naive %llu", i,
			       (unsigned long long)rlb_pins_counter(&pins, i),
			       (unsigned long long)events[i]);
	assert_int_equal(atomic_read(&pins.n), n_there);
	assert_int_equal(rlb_pins_any(&pins), n_there != 0);
	check_held();
}

static void forget(struct flow *f, enum rlb_pins_counter why)
{
	f->there = false;
	n_there--;
	events[why]++;
}

static void check_pin(const struct rlb_pin *pin, u32 i)
{
	assert_ptr_equal(rlb_pin_backend(pin), flow[i].backend);
	assert_int_equal(pin->expires, flow[i].expires);
	assert_int_equal(pin->state, flow[i].state);
}

/* Walk: what is there comes once. Returns a flow that the twin has and the table has not. */
static struct flow *walk(void)
{
	struct flow *missing = NULL;
	struct rlb_wide copy;
	u32 i, found = 0;
	u64 cursor = 0;

	for (i = 0; i < flows; i++)
		flow[i].seen = false;
	for (; rlb_pins_next(&pins, &cursor, &copy); found++) {
		i = flow_of(&copy.pin.key);
		assert_true(i < flows && flow[i].there && !flow[i].seen);
		check_pin(&copy.pin, i);
		flow[i].seen = true;
	}
	assert_false(rlb_pins_next(&pins, &cursor, &copy));
	for (i = 0; found < n_there && i < flows; i++)
		if (flow[i].there && !flow[i].seen)
			missing = &flow[i];
	assert_true(n_there - found <= 1);
	return missing;
}

/* Somebody had to make room: who, only a walk tells; it must be one that may go. */
static void check_room_made(void)
{
	bool evicted = rlb_pins_counter(&pins, RLB_PINS_EVICTED) != events[RLB_PINS_EVICTED];
	struct flow *gone = walk();

	assert_non_null(gone);
	if (evicted)
		assert_false(gone->state & RLB_PIN_CONFIRMED || over(gone));
	else
		assert_true(over(gone));
	forget(gone, evicted ? RLB_PINS_EVICTED : RLB_PINS_EXPIRED);
}

static void remember(u32 i, bool put)
{
	struct rlb_pin what = { .key = key_of(i) }, *pin;
	struct flow *f = &flow[i], want;

	what.backend = backend_of(unit_below(8));
	what.expires = now + unit_between(1, 300 * S);
	what.state = unit_below(2) ? RLB_PIN_HALF : RLB_PIN_HALF | RLB_PIN_CONFIRMED;
	want = (struct flow){ true, f->seen, what.backend, what.expires, what.state };
	pin = put ? rlb_pins_put(&pins, &what, now) : rlb_pins_add(&pins, &what, now);
	if (f->there) {
		assert_non_null(pin);
		if (put || over(f))
			*f = want;
		check_pin(pin, i);
		return;
	}
	if (!pin) {
		assert_true(n_there >= pins.max || !flow_pin_fail_at);
		events[RLB_PINS_FULL]++;
		return;
	}
	*f = want;
	n_there++;
	events[RLB_PINS_ADDED]++;
	check_pin(pin, i);
	if (n_there > pins.max && (u32)atomic_read(&pins.n) < n_there)
		check_room_made();
}

static void find(u32 i)
{
	struct rlb_pin_key key = key_of(i);
	struct rlb_pin *pin = rlb_pins_find(&pins, rlb_pin_words(&key), now);

	assert_int_equal(pin != NULL, flow[i].there && !over(&flow[i]));
	if (!pin)
		return;
	check_pin(pin, i);
	if (unit_below(2))
		return;
	pin->expires = now + 100 * S;	/* as tracking does */
	pin->state |= RLB_PIN_CONFIRMED;
	flow[i].expires = pin->expires;
	flow[i].state = pin->state;
}

static void drop(u32 i)
{
	struct rlb_pin_key key = key_of(i);
	struct rlb_backend *b = backend_of(unit_below(8));
	bool there = flow[i].there && flow[i].backend == b;

	assert_int_equal(rlb_pins_drop(&pins, &key, b), there);
	if (there)
		forget(&flow[i], RLB_PINS_REMOVED);
}

static bool is_of(const struct rlb_pin *pin, void *backend)
{
	return rlb_pin_backend(pin) == backend;
}

static void remove_backend(void)
{
	struct rlb_backend *b = backend_of(unit_below(8));
	u32 i, n = 0;

	for (i = 0; i < flows; i++)
		if (flow[i].there && flow[i].backend == b) {
			forget(&flow[i], RLB_PINS_REMOVED);
			n++;
		}
	assert_int_equal(rlb_pins_remove(&pins, is_of, b), n);
}

static void sweep_all(void)
{
	u32 i, n = 0;

	for (i = 0; i < flows; i++)
		if (flow[i].there && over(&flow[i])) {
			forget(&flow[i], RLB_PINS_EXPIRED);
			n++;
		}
	assert_int_equal(rlb_pins_sweep(&pins, ~0U, now), n);
}

static void rare(void)
{
	switch (unit_below(6)) {
	case 0:
		remove_backend();
		break;
	case 1:
	case 2:
		sweep_all();
		break;
	case 3:
		rlb_pins_grow(&pins);
		break;
	case 4:
		assert_null(walk());
		break;
	default:
		flow_quiesce(&pins);
		assert_int_equal(flow_pins_live, n_there);
	}
	check_counters();
}

static void random_events(u32 max, u32 n, unsigned int steps, u32 rarely)
{
	unsigned int step;

	begin(max, n);
	for (step = 0; step < steps; step++) {
		u32 i = unit_below(n);

		now += !unit_below(20) * unit_below(S / 10);
		switch (unit_below(10)) {
		case 0 ... 3:
			remember(i, false);
			break;
		case 4:
			remember(i, true);
			break;
		case 5 ... 8:
			find(i);
			break;
		default:
			drop(i);
		}
		if (!unit_below(rarely))
			rare();
	}
	check_counters();
	end();
}

static void as_naive(void **unused)
{
	random_events(100000, 3000, unit_rounds(1500000), 2000);
	random_events(100000, FLOWS_MAX, unit_rounds(1500000), 20000);
}

static void as_naive_full(void **unused)
{
	random_events(700, 1000, unit_rounds(300000), 1000);
}

/* Growth by 2^4 and back in the middle of a walk. */
static void walk_across_growth(void **unused)
{
	struct rlb_wide copy;
	u64 cursor = 0;
	u32 i, n = 0;

	begin(RLB_PINS_MAX, FLOWS_MAX);
	for (i = 0; i < 3000; i++)
		remember(i, false);
	for (; n < 1500; n++) {
		assert_true(rlb_pins_next(&pins, &cursor, &copy));
		flow[flow_of(&copy.pin.key)].seen = true;
	}
	for (; i < FLOWS_MAX; i++)
		remember(i, false);
	assert_true(pins.tick.pending);
	assert_int_equal(rlb_pins_buckets(&pins), 4096);
	rlb_pins_grow(&pins);
	assert_int_equal(rlb_pins_buckets(&pins), 65536);
	for (; n < 20000; n++) {
		assert_true(rlb_pins_next(&pins, &cursor, &copy));
		assert_false(flow[flow_of(&copy.pin.key)].seen);
		flow[flow_of(&copy.pin.key)].seen = true;
	}
	now += 400 * S;
	for (i = 0; i < 3000; i++)
		remember(i, true);
	sweep_all();
	rlb_pins_grow(&pins);
	assert_int_equal(rlb_pins_buckets(&pins), 4096);
	while (rlb_pins_next(&pins, &cursor, &copy)) {
		assert_false(flow[flow_of(&copy.pin.key)].seen);
		flow[flow_of(&copy.pin.key)].seen = true;
	}
	for (i = 0; i < 3000; i++)
		assert_true(flow[i].seen);
	end();
}

/* Each passes over a part; all parts together over everything, once. */
static void sweep_in_parts(void **unused)
{
	u32 i, n = 0, part;

	begin(RLB_PINS_MAX, 4000);
	for (i = 0; i < 4000; i++)
		remember(i, false);
	now += 300 * S;
	for (i = 0; i < 32; i++) {
		part = rlb_pins_sweep(&pins, 4096 / 32, now);
		assert_in_range(part, 1, 400);
		n += part;
	}
	assert_int_equal(n, 4000);
	assert_false(rlb_pins_any(&pins));
	end();
}

/* A flood of SYNs into a full table: the oldest go, confirmed flows never. */
static void flood(void **unused)
{
	u32 i, kept = 0;

	begin(2000, FLOWS_MAX);
	for (i = 0; i < FLOWS_MAX; i++) {
		struct rlb_pin what = { .key = key_of(i), .expires = now + 60 * S };

		what.backend = backend_of(0);
		what.state = RLB_PIN_HALF | (i < 1000 ? RLB_PIN_CONFIRMED : 0);
		if (i < 1000)
			what.expires += 900 * S;
		assert_non_null(rlb_pins_add(&pins, &what, now++));
		flow_quiesce(&pins);
		assert_in_range(flow_pins_live, 0, 2000);
	}
	for (i = 0; i < FLOWS_MAX; i++) {
		struct rlb_pin_key key = key_of(i);
		struct rlb_pin *pin = rlb_pins_find(&pins, rlb_pin_words(&key), now);

		if (i < 1000)
			assert_non_null(pin);
		else
			kept += pin && i < FLOWS_MAX / 2;	/* the older half is gone */
	}
	assert_int_equal(kept, 0);
	assert_int_equal(atomic_read(&pins.n), 2000);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_EVICTED), FLOWS_MAX - 2000);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_FULL), 0);
	end();
}

/* Without grace periods the dead do not pile up without bound: the table is full then. */
static void dead_are_bounded(void **unused)
{
	u32 i;

	begin(2000, FLOWS_MAX);
	for (i = 0; i < FLOWS_MAX; i++) {
		struct rlb_pin what = { .key = key_of(i), .expires = now + 60 * S };

		what.state = RLB_PIN_HALF;
		rlb_pins_add(&pins, &what, now);
	}
	assert_int_equal(flow_pins_live, 2000 + 2000 / 8 + 1);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_FULL), FLOWS_MAX - 2251);
	end();
}

static void all_confirmed(void **unused)
{
	u32 i;

	begin(1000, 2000);
	for (i = 0; i < 2000; i++) {
		struct rlb_pin what = { .key = key_of(i), .expires = now + 60 * S };

		what.state = RLB_PIN_MIDFLOW | RLB_PIN_CONFIRMED;
		assert_int_equal(rlb_pins_add(&pins, &what, now) != NULL, i < 1000);
	}
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_FULL), 1000);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_EVICTED), 0);
	assert_int_equal(rlb_pins_set_max(&pins, RLB_PINS_MIN - 1), -ERANGE);
	assert_int_equal(rlb_pins_set_max(&pins, RLB_PINS_MAX + 1), -ERANGE);
	assert_int_equal(rlb_pins_set_max(&pins, 1024), 0);
	for (i = 1000; i < 2000; i++) {
		struct rlb_pin what = { .key = key_of(i), .expires = now + 60 * S };

		what.state = RLB_PIN_MIDFLOW | RLB_PIN_CONFIRMED;
		assert_int_equal(rlb_pins_add(&pins, &what, now) != NULL, i < 1024);
	}
	end();
}

static void no_memory(void **unused)
{
	struct rlb_secret secret = { { 1, 2 } };
	struct rlb_pin what = { .key = key_of(1), .expires = 1000 };
	u32 i;

	rlb_pins_init(&pins, &secret, 5000);
	assert_null(rlb_pins_find(&pins, rlb_pin_words(&what.key), 0));
	assert_null(rlb_pins_add(&pins, &what, 0));
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_FULL), 1);
	unit_alloc_fail_at = 0;
	assert_int_equal(rlb_pins_reserve(&pins), -ENOMEM);
	rlb_pins_exit(&pins);

	begin(100000, 20000);
	for (i = 0; i < 20000; i++) {
		flow_pin_fail_at = i % 10 ? -1 : 0;
		remember(i, false);
	}
	flow_pin_fail_at = -1;
	assert_int_equal(events[RLB_PINS_FULL], 2000);
	unit_alloc_fail_at = 0;
	rlb_pins_grow(&pins);
	assert_int_equal(rlb_pins_buckets(&pins), 4096);
	assert_null(walk());
	rlb_pins_grow(&pins);
	assert_int_equal(rlb_pins_buckets(&pins), 32768);
	assert_null(walk());
	check_counters();
	end();
}

/* A reader that holds a pin may look at it until it is done. */
static void readers_are_waited_for(void **unused)
{
	struct rlb_pin *held, what = { .key = key_of(7), .expires = 1000, .state = RLB_PIN_HALF };

	begin(2000, 1);
	now = 0;
	what.backend = backend_of(3);
	held = rlb_pins_add(&pins, &what, now);
	assert_true(rlb_pins_drop(&pins, &what.key, backend_of(3)));
	assert_null(rlb_pins_find(&pins, rlb_pin_words(&what.key), now));
	assert_int_equal(flow_pins_live, 1);
	assert_ptr_equal(rlb_pin_backend(held), backend_of(3));
	flow_quiesce(&pins);
	assert_int_equal(flow_pins_live, 0);
	end();
}

static void size(void **unused)
{
	assert_int_equal(sizeof(struct rlb_pin), 64);
	assert_in_range(sizeof(struct rlb_wide), 65, 128);
	assert_int_equal(sizeof(struct rlb_pin_key), 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("pins: 64 bytes each, wide ones 128, IPv6 included", size),
		CLAIM("pins: as a naive twin, while the clock wraps and the table grows",
		      as_naive),
		CLAIM("pins: as a naive twin, the table being full", as_naive_full),
		CLAIM("pins: a walk across growth and shrinking misses and repeats nothing",
		      walk_across_growth),
		CLAIM("pins: sweeps in parts pass over everything once", sweep_in_parts),
		CLAIM("pins: a flood evicts its own oldest, never a confirmed flow", flood),
		CLAIM("pins: what waits for a grace period is bounded", dead_are_bounded),
		CLAIM("pins: confirmed flows make no room, and a new maximum counts at once",
		      all_confirmed),
		CLAIM("pins: without memory flows are counted, nothing else is lost", no_memory),
		CLAIM("pins: a pin that was found stays until its reader is done",
		      readers_are_waited_for),
	};

	return cmocka_run_group_tests_name("pins", tests, NULL, NULL);
}
