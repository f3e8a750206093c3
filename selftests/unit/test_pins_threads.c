// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pins_threads.c - module/flow/pins.c and track.c under threads, watched by a sanitizer
 *
 * Two threads are packets: they find, from both sides, add, begin anew, drop and track flows of a small set,
 * each under a read-side section. A third is the work: it sweeps, walks, removes, lets the
 * table grow and shrink, and frees after grace periods. The sanitizer tells of accesses that
 * nothing orders; memory that is freed too early is poisoned, so its key fits nothing.
 */
#include <pthread.h>

#include "flow.h"
#include "unit.h"

#define FLOWS 30000
#define ROUNDS 300000

static struct rlb_pins pins;
static u32 now;
static u32 running;

static struct rlb_backend *backend_of(u32 i)
{
	return (struct rlb_backend *)(uintptr_t)(0x1000 + i % 8 * 64);
}

static void fill_key(struct rlb_pin_key *key, u32 i)
{
	memset(key, 0, sizeof(*key));
	memcpy(key->addr.byte, &i, sizeof(i));
	key->family = AF_INET;
	key->proto = IPPROTO_TCP;
	key->target = i % 2 ? RLB_PIN_WIDE : 0;
}

/* What its backend sends: odd flows have wide pins, few of them to the same port of a gate. */
static struct rlb_wide wide_of(const struct rlb_pin *pin, u32 i)
{
	struct rlb_wide wide = { .pin = *pin, .vip.port = i % 3, .port = i % 5 };

	wide.gate.port = i % 7 ? 1 + i % 1000 : 0;
	return wide;
}

static struct rlb_pin *find(const struct rlb_wide *what, u32 at)
{
	const struct rlb_pin_key *key = &what->pin.key;

	return rlb_pin_is_wide(&what->pin) ? rlb_pins_find_wide(&pins, key, &what->vip, at) :
					     rlb_pins_find(&pins, rlb_pin_words(key), at);
}

static void add(const struct rlb_wide *what, bool anew, u32 at)
{
	struct rlb_pin *pin;

	if (rlb_pin_is_wide(&what->pin))
		rlb_pins_add_wide(&pins, what, anew, at, &pin);
	else if (anew)
		rlb_pins_put(&pins, &what->pin, at);
	else
		rlb_pins_add(&pins, &what->pin, at);
}

/* Whoever is found from the backend's side is at that place. */
static void look_back(const struct rlb_wide *what)
{
	struct rlb_tuple t = {
		.src = *rlb_pin_backend_addr(what->pin.backend), .sport = what->port,
		.dst = what->gate.addr, .dport = what->gate.port,
		.family = what->pin.key.family, .proto = what->pin.key.proto,
	};
	struct rlb_wide *back = rlb_back_look(&pins, RLB_BACK_GATE, &t);

	if (back && (back->gate.port != t.dport || back->port != t.sport))
		abort();
}

static void packet(u32 i, u32 what, u32 at)
{
	struct rlb_segment seg = { .kind = what % 6, .reply = what & 64, .seq = at, .ack = at };
	struct rlb_pin begun = { .expires = 0 }, *pin;
	struct rlb_wide new;

	fill_key(&begun.key, i);
	begun.backend = backend_of(i + what / 0x2000 % 2);
	new = wide_of(&begun, i);
	look_back(&new);
	pin = find(&new, at);
	if (pin) {
		if (memcmp(&pin->key, &begun.key, sizeof(begun.key)))
			abort();
		rlb_track_seen(pin, &seg, 900, at);
		if (!(what & 0xf00))
			rlb_pins_drop_pin(&pins, pin, RLB_PINS_REMOVED);
		if (what & 0xf000)
			return;
	}
	rlb_track_begin(&new.pin, &seg, RLB_PIN_REPLIES, 900, at);
	add(&new, !(what & 0x1000), at);
}

static void *packets(void *seed)
{
	u64 state = (uintptr_t)seed;
	u32 i, rounds = unit_rounds(ROUNDS);

	for (i = 0; i < rounds; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		rcu_read_lock();
		packet((state >> 33) % (i % 20000 < 10000 ? FLOWS : 100), state >> 20,
		       READ_ONCE(now));
		rcu_read_unlock();
	}
	__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static bool is_of(const struct rlb_pin *pin, void *backend)
{
	return rlb_pin_backend(pin) == backend;
}

static u32 work(u32 round)
{
	struct rlb_wide copy;
	u64 cursor = 0;
	u32 walked = 0;

	WRITE_ONCE(now, now + 200);
	rlb_pins_sweep(&pins, 1024, now);
	rlb_pins_grow(&pins);
	if (round % 8 == 0)
		rlb_pins_remove(&pins, is_of, backend_of(round / 8));
	if (round % 16 == 0)
		while (rlb_pins_next(&pins, &cursor, &copy))
			walked++;
	flow_quiesce(&pins);
	return walked;
}

static void threads(void **unused)
{
	struct rlb_secret secret = { { 1, 2 } };
	pthread_t thread[2];
	u32 i, walked = 0;

	rlb_pins_init(&pins, &secret, 20000);
	assert_int_equal(rlb_pins_reserve(&pins), 0);
	assert_int_equal(rlb_back_reserve(&pins), 0);
	running = 2;
	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, packets,
						(void *)(uintptr_t)(i + 1)), 0);
	for (i = 0; __atomic_load_n(&running, __ATOMIC_SEQ_CST); i++)
		walked += work(i);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	assert_true(walked > 0);
	assert_true(rlb_pins_counter(&pins, RLB_PINS_ADDED) > 1000);
	flow_quiesce(&pins);
	assert_int_equal(flow_pins_live, atomic_read(&pins.n));
	rlb_pins_exit(&pins);
	assert_int_equal(flow_pins_live, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("pins: nothing races while packets, sweeps and growth meet", threads),
	};

	return cmocka_run_group_tests_name("pins_threads", tests, NULL, NULL);
}
