// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_wide.c - wide pins against a naive twin: an array with one place for each flow
 *
 * Every client has flows to several VIPs, at few backends, so places on the backends' side are
 * often another flow's. Among them are flows with narrow pins, of the same clients.
 */
#include "flow.h"
#include "unit.h"

#define S RLB_FLOW_SECOND
#define CLIENTS 64
#define VIPS 6
#define FLOWS (CLIENTS * VIPS)
#define BACKENDS 8
#define GATES 12

/* A flow that may be remembered; in the twin's array. */
struct flow {
	bool there;
	u32 backend;
	u32 gate;		/* port of the gateway, 0: none */
	u32 expires;
};

static struct rlb_pins pins;
static struct flow flow[FLOWS];
static u32 n_there, n_narrow, now;
static u64 added, removed, expired;

static struct rlb_backend *backend_of(u32 i)
{
	return (struct rlb_backend *)(uintptr_t)(0x1000 + i * 64);
}

static u32 client_of(u32 i)
{
	return i % CLIENTS;
}

static struct rlb_pin_key key_of(u32 i)
{
	struct rlb_pin_key key = { .target = RLB_PIN_WIDE | (1 + i / CLIENTS % 3) };
	u32 client = client_of(i);

	key.family = client % 3 ? AF_INET : AF_INET6;
	key.proto = client % 5 ? IPPROTO_TCP : IPPROTO_UDP;
	key.port = 1000 + client;
	key.addr.byte[0] = 192;
	if (key.family == AF_INET6)
		key.addr.byte[15] = 1;
	return key;
}

static struct rlb_end vip_of(u32 i)
{
	struct rlb_end vip = { .port = 80 + i / CLIENTS % 2 };

	vip.addr.byte[3] = i / CLIENTS;
	return vip;
}

static struct rlb_end gate_of(u32 gate)
{
	struct rlb_end end = { .port = gate };

	end.addr.byte[1] = gate ? 7 : 0;
	return end;
}

static u32 flow_of(const struct rlb_wide *wide)
{
	return wide->pin.key.port - 1000 + wide->vip.addr.byte[3] * CLIENTS;
}

/* What a backend sends to a client or, if there is one, to a gate */
static struct rlb_tuple sent(u32 backend, u32 client, u32 gate)
{
	struct rlb_pin_key key = key_of(client);
	struct rlb_end to = gate_of(gate);

	if (!gate)
		to = (struct rlb_end){ key.addr, key.port };
	return (struct rlb_tuple){
		.src = *rlb_pin_backend_addr(backend_of(backend)), .sport = 8000 + backend % 2,
		.dst = to.addr, .dport = to.port, .family = key.family, .proto = key.proto,
	};
}

static bool over(const struct flow *f)
{
	return (int32_t)(now - f->expires) >= 0;
}

static void begin(u32 max)
{
	struct rlb_secret secret = { { unit_random(), unit_random() } };

	memset(flow, 0, sizeof(flow));
	n_there = 0;
	n_narrow = 0;
	added = 0;
	removed = 0;
	expired = 0;
	now = 0u - 300 * S;
	rlb_pins_init(&pins, &secret, max);
	assert_int_equal(rlb_pins_reserve(&pins), 0);
	assert_int_equal(rlb_back_reserve(&pins), 0);
	assert_int_equal(rlb_back_reserve(&pins), 0);
}

static void end(void)
{
	rlb_pins_exit(&pins);
	assert_int_equal(flow_pins_live, 0);
	assert_int_equal(unit_alloc_live, 0);
}

static struct rlb_wide wide_of(u32 i, u32 backend, u32 gate, u32 expires)
{
	struct rlb_wide w = { .pin.key = key_of(i), .vip = vip_of(i), .gate = gate_of(gate) };

	w.pin.backend = backend_of(backend);
	w.pin.expires = expires;
	w.pin.state = RLB_PIN_HALF | (i % 2 ? RLB_PIN_CONFIRMED : 0);
	w.port = 8000 + backend % 2;
	return w;
}

/* Is a place on the backends' side another flow's? */
static bool is_taken(u32 i, u32 backend, u32 gate)
{
	struct rlb_pin_key key = key_of(i), other;
	u32 k;

	for (k = 0; k < FLOWS; k++) {
		other = key_of(k);
		if (!flow[k].there || k == i || flow[k].backend != backend ||
		    other.proto != key.proto || other.family != key.family)
			continue;
		if (client_of(k) == client_of(i) || (gate && flow[k].gate == gate))
			return true;
	}
	return false;
}

static void forget(u32 i, u64 *why)
{
	flow[i].there = false;
	n_there--;
	(*why)++;
}

static void check_pin(const struct rlb_wide *wide, u32 i)
{
	assert_int_equal(flow_of(wide), i);
	assert_ptr_equal(rlb_pin_backend(&wide->pin), backend_of(flow[i].backend));
	assert_int_equal(wide->gate.port, flow[i].gate);
	assert_int_equal(wide->pin.expires, flow[i].expires);
}

static void remember(u32 i, bool anew)
{
	struct flow *f = &flow[i], want = { true, unit_below(BACKENDS), 0, 0 };
	enum rlb_widened widened;
	struct rlb_wide what;
	struct rlb_pin *pin;

	want.gate = unit_below(2) ? unit_below(GATES) : 0;
	want.expires = now + unit_between(1, 300 * S);
	what = wide_of(i, want.backend, want.gate, want.expires);
	widened = rlb_pins_add_wide(&pins, &what, anew, now, &pin);
	if (f->there && !anew && !over(f)) {
		assert_int_equal(widened, RLB_WIDE_THERE);
	} else if (f->there && f->backend == want.backend && f->gate == want.gate) {
		*f = want;
	} else {
		if (f->there)
			forget(i, &removed);
		if (is_taken(i, want.backend, want.gate)) {
			assert_int_equal(widened, RLB_WIDE_CLASH);
			assert_null(pin);
			return;
		}
		*f = want;
		n_there++;
		added++;
	}
	assert_int_equal(widened, RLB_WIDE_THERE);
	check_pin(rlb_wide_of(pin), i);
}

/* By what its client sends, and by what its backend does, or would do */
static void find(u32 i)
{
	struct rlb_pin_key key = key_of(i);
	struct rlb_end vip = vip_of(i);
	struct rlb_pin *pin = rlb_pins_find_wide(&pins, &key, &vip, now);
	struct rlb_tuple t;

	assert_int_equal(pin != NULL, flow[i].there && !over(&flow[i]));
	if (pin)
		check_pin(rlb_wide_of(pin), i);
	if (!flow[i].there)
		return;
	t = sent(flow[i].backend, i, 0);
	check_pin(rlb_back_look(&pins, RLB_BACK_CLIENT, &t), i);
	assert_int_equal(rlb_back_find(&pins, RLB_BACK_CLIENT, &t, now) != NULL, !over(&flow[i]));
	t = sent(flow[i].backend, i, flow[i].gate);
	if (flow[i].gate)
		check_pin(rlb_back_look(&pins, RLB_BACK_GATE, &t), i);
}

/* A packet that a backend might send: found if, and only if, the twin has its flow */
static void find_back(void)
{
	u32 backend = unit_below(BACKENDS), client = unit_below(CLIENTS);
	struct rlb_tuple t = sent(backend, client, 0);
	struct rlb_wide *wide = rlb_back_look(&pins, RLB_BACK_CLIENT, &t);
	u32 i, n = 0;

	for (i = client; i < FLOWS; i += CLIENTS) {
		if (!flow[i].there || flow[i].backend != backend)
			continue;
		check_pin(wide, i);
		n++;
	}
	assert_int_equal(n, wide != NULL);
}

static void drop(u32 i)
{
	struct rlb_pin_key key = key_of(i);
	struct rlb_end vip = vip_of(i);
	struct rlb_pin *pin = rlb_pins_look_wide(&pins, &key, &vip);

	assert_int_equal(pin != NULL, flow[i].there);
	if (!pin)
		return;
	assert_true(rlb_pins_drop_pin(&pins, pin, RLB_PINS_REMOVED));
	assert_false(rlb_pins_drop_pin(&pins, pin, RLB_PINS_REMOVED));
	forget(i, &removed);
}

/* A narrow pin of the same client and service is another flow. */
static void narrow(u32 i)
{
	struct rlb_pin what = { .key = key_of(i), .expires = now + 1000 * S };

	what.key.target &= ~RLB_PIN_WIDE;
	what.backend = backend_of(0);
	if (rlb_pins_find(&pins, rlb_pin_words(&what.key), now)) {
		assert_true(rlb_pins_drop(&pins, &what.key, backend_of(0)));
		n_narrow--;
		removed++;
	} else {
		assert_non_null(rlb_pins_put(&pins, &what, now));
		n_narrow++;
		added++;
	}
}

static void sweep_all(void)
{
	u32 i;

	for (i = 0; i < FLOWS; i++)
		if (flow[i].there && over(&flow[i]))
			forget(i, &expired);
	rlb_pins_sweep(&pins, ~0U, now);
}

static bool is_of(const struct rlb_pin *pin, void *backend)
{
	return rlb_pin_is_wide(pin) && rlb_pin_backend(pin) == backend;
}

static void remove_backend(void)
{
	u32 b = unit_below(BACKENDS), i;

	for (i = 0; i < FLOWS; i++)
		if (flow[i].there && flow[i].backend == b)
			forget(i, &removed);
	rlb_pins_remove(&pins, is_of, backend_of(b));
}

static void walk(void)
{
	struct rlb_wide copy;
	u32 n = 0, others = 0;
	u64 cursor = 0;

	while (rlb_pins_next(&pins, &cursor, &copy)) {
		if (rlb_pin_is_wide(&copy.pin)) {
			check_pin(&copy, flow_of(&copy));
			n++;
		} else {
			others++;
		}
	}
	assert_int_equal(n, n_there);
	assert_int_equal(others, n_narrow);
}

static void check_counters(void)
{
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_ADDED), added);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_REMOVED), removed);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_EXPIRED), expired);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_FULL), 0);
	assert_int_equal(atomic_read(&pins.n_wide), n_there);
	assert_int_equal(atomic_read(&pins.n_vip), n_there + n_narrow);
	assert_int_equal(atomic_read(&pins.n), n_there + n_narrow);
	assert_int_equal(rlb_pins_any_wide(&pins), n_there != 0);
}

static void rare(void)
{
	switch (unit_below(5)) {
	case 0:
		remove_backend();
		break;
	case 1:
		sweep_all();
		break;
	case 2:
		rlb_pins_grow(&pins);
		break;
	case 3:
		walk();
		break;
	default:
		flow_quiesce(&pins);
		assert_int_equal(flow_pins_live, n_there + n_narrow);
	}
	check_counters();
}

static void as_naive(void **unused)
{
	unsigned int step, steps = unit_rounds(400000);

	begin(100000);
	for (step = 0; step < steps; step++) {
		u32 i = unit_below(FLOWS);

		now += !unit_below(20) * unit_below(S / 10);
		switch (unit_below(10)) {
		case 0 ... 2:
			remember(i, false);
			break;
		case 3:
			remember(i, true);
			break;
		case 4 ... 6:
			find(i);
			break;
		case 7:
			find_back();
			break;
		case 8:
			narrow(i);
			break;
		default:
			drop(i);
		}
		if (!unit_below(500))
			rare();
	}
	check_counters();
	end();
}

/* Flow @i of very many, at one backend; each has a port of the gateway of its own. */
static struct rlb_wide one_of_many(u32 i)
{
	struct rlb_wide w = wide_of(0, 0, 1 + i % 60000, now + 60 * S);

	w.pin.key.port = i;
	w.pin.key.addr.byte[1] = i >> 16;
	w.pin.state = RLB_PIN_HALF;
	return w;
}

static bool is_found(const struct rlb_wide *w)
{
	struct rlb_tuple t = sent(0, 0, w->gate.port);
	struct rlb_wide *back = rlb_back_look(&pins, RLB_BACK_GATE, &t), *to_client;
	struct rlb_pin *pin = rlb_pins_look_wide(&pins, &w->pin.key, &w->vip);

	t.dst = w->pin.key.addr;
	t.dport = w->pin.key.port;
	to_client = rlb_back_look(&pins, RLB_BACK_CLIENT, &t);
	assert_ptr_equal(pin, back);
	assert_ptr_equal(pin, to_client);
	return pin;
}

/* What is forgotten to make room is forgotten on all sides. */
static void flood(void **unused)
{
	struct rlb_wide w;
	struct rlb_pin *pin;
	u32 i, found = 0;

	begin(2000);
	for (i = 0; i < 20000; i++) {
		w = one_of_many(i);
		if (i < 1000)
			w.pin.state |= RLB_PIN_CONFIRMED;
		assert_int_equal(rlb_pins_add_wide(&pins, &w, false, now++, &pin),
				 RLB_WIDE_THERE);
		flow_quiesce(&pins);
	}
	for (i = 0; i < 20000; i++) {
		w = one_of_many(i);
		found += is_found(&w);
		assert_true(i >= 1000 || is_found(&w));
	}
	assert_int_equal(found, 2000);
	assert_int_equal(atomic_read(&pins.n_wide), 2000);
	end();
}

/* All of them are found, from every side, before, while and after there are more chains. */
static void growth(void **unused)
{
	struct rlb_wide w;
	struct rlb_pin *pin;
	u32 i, round;

	begin(RLB_PINS_MAX);
	for (i = 0; i < 50000; i++) {
		w = one_of_many(i);
		assert_int_equal(rlb_pins_add_wide(&pins, &w, false, now, &pin), RLB_WIDE_THERE);
	}
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 50000; i++) {
			w = one_of_many(i);
			assert_true(is_found(&w));
		}
		unit_alloc_fail_at = round ? -1 : 0;
		rlb_pins_grow(&pins);
		unit_alloc_fail_at = -1;
	}
	now += 60 * S;
	assert_int_equal(rlb_pins_sweep(&pins, ~0U, now), 50000);
	rlb_pins_grow(&pins);
	assert_false(rlb_pins_any_wide(&pins));
	end();
}

/* A port of the gateway is a flow's as long as its pin is there, and free at once afterwards. */
static void ports(void **unused)
{
	struct rlb_wide a, b;
	struct rlb_pin *pin;

	begin(2000);
	a = one_of_many(1);
	b = one_of_many(2);
	b.gate = a.gate;
	assert_int_equal(rlb_pins_add_wide(&pins, &a, false, now, &pin), RLB_WIDE_THERE);
	assert_int_equal(rlb_pins_add_wide(&pins, &b, false, now, &pin), RLB_WIDE_CLASH);
	now += 61 * S;
	b.pin.expires = now + S;
	assert_int_equal(rlb_pins_add_wide(&pins, &b, false, now, &pin), RLB_WIDE_CLASH);
	assert_int_equal(rlb_pins_sweep(&pins, ~0U, now), 1);
	assert_int_equal(rlb_pins_add_wide(&pins, &b, false, now, &pin), RLB_WIDE_THERE);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_FULL), 0);
	end();
}

static void without_memory(void **unused)
{
	struct rlb_secret secret = { { 1, 2 } };
	struct rlb_wide w = one_of_many(1);
	struct rlb_pin *pin;
	struct rlb_tuple t = sent(0, 0, 2);

	rlb_pins_init(&pins, &secret, 2000);
	assert_int_equal(rlb_pins_reserve(&pins), 0);
	assert_null(rlb_back_look(&pins, RLB_BACK_GATE, &t));
	unit_alloc_fail_at = 1;
	assert_int_equal(rlb_back_reserve(&pins), -ENOMEM);
	unit_alloc_fail_at = -1;
	assert_int_equal(rlb_back_reserve(&pins), 0);
	flow_pin_fail_at = 0;
	assert_int_equal(rlb_pins_add_wide(&pins, &w, false, now, &pin), RLB_WIDE_FULL);
	flow_pin_fail_at = -1;
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_FULL), 1);
	assert_int_equal(atomic_read(&pins.n), 0);
	assert_false(rlb_pins_any_wide(&pins));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("wide pins: as a naive twin, found from the client's side and the backend's",
		      as_naive),
		CLAIM("wide pins: a flood evicts its own oldest, on every side", flood),
		CLAIM("wide pins: found from every side before and after growth", growth),
		CLAIM("wide pins: a gateway's port is free when its pin is gone, not before", ports),
		CLAIM("wide pins: without memory flows are counted, and nothing is left", without_memory),
	};

	return cmocka_run_group_tests_name("wide", tests, NULL, NULL);
}
