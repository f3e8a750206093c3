// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_feed.c - what another gateway is told of flows, and what is taken from it
 */
#include "flow.h"
#include "unit.h"

#define S RLB_FLOW_SECOND
#define ESTABLISHED (RLB_PIN_HALF | RLB_PIN_ANSWERED | RLB_PIN_CONFIRMED)

static struct rlb_pins pins;
static u32 now;

static struct rlb_backend *backend_of(u32 i)
{
	return (struct rlb_backend *)(uintptr_t)(0x1000 + i * 64);
}

static struct rlb_pin_key key_of(u32 i)
{
	struct rlb_pin_key key = { .family = AF_INET, .proto = IPPROTO_TCP, .target = 1 };

	key.port = i;
	key.addr.byte[0] = 10;
	key.addr.byte[3] = i >> 16;
	return key;
}

static struct rlb_pin flow_of(u32 i, u32 backend, u32 state, u32 left)
{
	struct rlb_pin pin = { .key = key_of(i), .expires = now + left, .state = state };

	pin.backend = backend_of(backend);
	return pin;
}

static void begin(u32 max)
{
	struct rlb_secret secret = { { unit_random(), unit_random() } };
	u32 i;

	for (i = 0; i < 8; i++)
		*flow_held(backend_of(i)) = 0;
	now = 0u - 30 * S;
	rlb_pins_init(&pins, &secret, max);
	assert_int_equal(rlb_pins_reserve(&pins), 0);
}

static void end(void)
{
	rlb_pins_exit(&pins);
	assert_int_equal(flow_pins_live, 0);
	assert_int_equal(unit_alloc_live, 0);
}

/* The flows that are told next, one letter each: as it is said, less than 26 are there. */
static const char *told(void)
{
	static char letters[64];
	struct rlb_pin_key key;
	size_t n = 0;

	while (rlb_feed_take(&pins.feed, &key) && n < sizeof(letters) - 1)
		letters[n++] = 'a' + key.port;
	letters[n] = '\0';
	return letters;
}

static void bounded(void **unused)
{
	struct rlb_pin_key key, in, out;
	u32 round, i;

	begin(5000);
	key = key_of(0);
	assert_false(rlb_feed_put(&pins.feed, &key, RLB_FEED_SIZE));
	assert_false(rlb_feed_take_lost(&pins.feed));
	unit_alloc_fail_at = 0;
	assert_int_equal(rlb_feed_open(&pins.feed), -ENOMEM);
	assert_false(rlb_feed_is_on(&pins.feed));
	assert_int_equal(rlb_feed_open(&pins.feed), 0);
	assert_int_equal(rlb_feed_open(&pins.feed), 0);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < RLB_FEED_SIZE + 10; i++) {
			in = key_of(round + i);
			assert_int_equal(rlb_feed_put(&pins.feed, &in, RLB_FEED_SIZE),
					 i < RLB_FEED_SIZE);
			assert_false(i >= RLB_FEED_SIZE / 2 &&
				     rlb_feed_put(&pins.feed, &in, RLB_FEED_SIZE / 2));
			assert_int_equal(rlb_feed_take_lost(&pins.feed), i >= RLB_FEED_SIZE);
			assert_false(rlb_feed_take_lost(&pins.feed));
		}
		for (i = 0; rlb_feed_take(&pins.feed, &out); i++) {
			in = key_of(round + i);
			assert_memory_equal(&in, &out, sizeof(in));
		}
		assert_int_equal(i, RLB_FEED_SIZE);
		/* the next round begins elsewhere */
		for (i = 0; i < 1000; i++)
			assert_true(rlb_feed_put(&pins.feed, &in, RLB_FEED_SIZE / 2) &&
				    rlb_feed_take(&pins.feed, &out));
	}
	rlb_feed_put(&pins.feed, &key, RLB_FEED_SIZE);
	rlb_feed_close(&pins.feed);
	assert_false(rlb_feed_take(&pins.feed, &out));
	assert_int_equal(rlb_feed_open(&pins.feed), 0);
	end();
}

static void put(u32 i, u32 backend, u32 state)
{
	struct rlb_pin what = flow_of(i, backend, state, 900 * S);

	rcu_read_lock();
	assert_non_null(rlb_pins_put(&pins, &what, now));
	rcu_read_unlock();
}

static void drop(u32 i, u32 backend)
{
	struct rlb_pin_key key = key_of(i);

	rcu_read_lock();
	assert_true(rlb_pins_drop(&pins, &key, backend_of(backend)));
	rcu_read_unlock();
}

static void what_is_told(void **unused)
{
	begin(5000);
	put(0, 1, ESTABLISHED);
	put(0, 2, RLB_PIN_HALF);
	assert_false(pins.tell.pending);
	assert_int_equal(rlb_feed_open(&pins.feed), 0);
	put(1, 1, RLB_PIN_HALF);
	put(1, 2, RLB_PIN_HALF);
	put(2, 1, RLB_PIN_MIDFLOW);
	assert_string_equal(told(), "");
	assert_false(pins.tell.pending);
	put(3, 1, ESTABLISHED);
	put(3, 2, RLB_PIN_HALF);	/* goes elsewhere: it was known */
	assert_string_equal(told(), "d");
	assert_true(pins.tell.pending);
	drop(3, 2);
	drop(2, 1);
	assert_string_equal(told(), "dc");
	end();
}

/* A flow that was told of as it is now is not told again so soon. */
static void told_as_it_is(void **unused)
{
	const struct rlb_segment back = { .kind = RLB_KIND_MIDDLE, .reply = true };
	struct rlb_pin_key key = key_of(0);
	struct rlb_pin copy;

	begin(5000);
	assert_int_equal(rlb_feed_open(&pins.feed), 0);
	put(0, 1, RLB_PIN_MIDFLOW | RLB_PIN_REPLIES);
	now += S;
	assert_true(rlb_track_seen(rlb_pins_find(&pins, rlb_pin_words(&key), now), &back, 10 * S, now));
	assert_true(rlb_track_seen(rlb_pins_find(&pins, rlb_pin_words(&key), now),
				   &(struct rlb_segment){ .kind = RLB_KIND_FIN, .reply = true }, 900 * S,
				   now));
	assert_true(rlb_pins_copy(&pins, &key, now, &copy));
	assert_int_equal(copy.expires, now + RLB_FIN_TIME * S);
	now += RLB_FIN_TIME * S / 2 + S;
	rlb_pins_sweep(&pins, 1U << 20, now);
	assert_string_equal(told(), "");
	end();
}

/* Each flow is told again before who listens forgets it, and not much more often than that. */
static void told_again(void **unused)
{
	const struct rlb_segment seg = { .kind = RLB_KIND_MIDDLE };
	struct rlb_pin_key key = key_of(4);
	u32 known, n = 0, second;
	struct rlb_pin *pin;

	begin(5000);
	assert_int_equal(rlb_feed_open(&pins.feed), 0);
	put(4, 1, ESTABLISHED);
	put(5, 1, ESTABLISHED);		/* silent */
	put(6, 1, RLB_PIN_MIDFLOW);
	known = now + 900 * S;
	for (second = 0; second < 4500; second++, now += S) {
		pin = rlb_pins_find(&pins, rlb_pin_words(&key), now);
		assert_non_null(pin);
		assert_false(rlb_track_seen(pin, &seg, 900 * S, now));
		if (second % 8)
			continue;
		rlb_pins_sweep(&pins, 1U << 20, now);
		assert_true((int32_t)(known - now) > 0);
		if (!*told())
			continue;
		known = pin->expires;
		n++;
	}
	assert_in_range(n, 9, 11);
	end();
}

/* What changes finds room, however many are to be told again. */
static void room_for_changes(void **unused)
{
	u32 i, n = 0;

	begin(20000);
	for (i = 0; i < 10000; i++)
		put(i, 1, ESTABLISHED);
	now += 899 * S;
	assert_int_equal(rlb_feed_open(&pins.feed), 0);
	for (i = 0; i < 10000; i++) {
		struct rlb_pin_key key = key_of(i);

		WRITE_ONCE(rlb_pins_find(&pins, rlb_pin_words(&key), now)->expires, now + 900 * S);
	}
	while (n < 10000) {
		u32 before = n;
		struct rlb_pin_key key;

		rlb_pins_sweep(&pins, 1U << 20, now);
		assert_false(rlb_feed_take_lost(&pins.feed));
		assert_in_range(pins.feed.n, 1, RLB_FEED_SIZE / 2 + 1);
		while (rlb_feed_take(&pins.feed, &key))
			n++;
		assert_true(n > before);
	}
	assert_int_equal(n, 10000);
	end();
}

static enum rlb_taken take(u32 i, u32 backend, u32 state, u32 left, bool replace)
{
	struct rlb_pin what = flow_of(i, backend, state, left);
	enum rlb_taken taken;

	rcu_read_lock();
	taken = rlb_pins_take(&pins, &what, replace, now);
	rcu_read_unlock();
	return taken;
}

/* flow @i as it is remembered: backend, state, time left */
static void check(u32 i, u32 backend, u32 state, u32 left)
{
	struct rlb_pin_key key = key_of(i);
	struct rlb_pin copy;

	assert_true(rlb_pins_copy(&pins, &key, now, &copy));
	assert_ptr_equal(copy.backend, backend_of(backend));
	assert_int_equal(copy.state, state);
	assert_int_equal(copy.expires, now + left);
}

static void taken(void **unused)
{
	struct rlb_pin_key key = key_of(0);
	struct rlb_pin copy;

	begin(5000);
	assert_int_equal(rlb_feed_open(&pins.feed), 0);
	assert_false(rlb_pins_copy(&pins, &key, now, &copy));
	assert_int_equal(take(0, 1, ESTABLISHED, 100, false), RLB_TAKEN);
	check(0, 1, ESTABLISHED, 100);
	assert_int_equal(take(0, 1, RLB_PIN_HALF, 99, false), RLB_TAKEN_NOT);
	assert_int_equal(take(0, 1, ESTABLISHED, 100, false), RLB_TAKEN_NOT);
	check(0, 1, ESTABLISHED, 100);
	assert_int_equal(take(0, 1, ESTABLISHED, 101, false), RLB_TAKEN);
	check(0, 1, ESTABLISHED, 101);
	assert_int_equal(take(0, 2, ESTABLISHED, 200, false), RLB_TAKEN_NOT);
	check(0, 1, ESTABLISHED, 101);
	assert_int_equal(take(0, 2, RLB_PIN_HALF, 50, true), RLB_TAKEN);
	check(0, 2, RLB_PIN_HALF, 50);
	now += 50;
	assert_int_equal(take(0, 3, ESTABLISHED, 10, false), RLB_TAKEN);
	check(0, 3, ESTABLISHED, 10);
	rcu_read_lock();
	assert_true(rlb_pins_forget(&pins, &key));
	assert_false(rlb_pins_forget(&pins, &key));
	rcu_read_unlock();
	assert_int_equal(*flow_held(backend_of(1)), 0);
	assert_int_equal(*flow_held(backend_of(2)), 0);
	assert_int_equal(*flow_held(backend_of(3)), 0);
	assert_string_equal(told(), "");	/* two gateways may tell each other */
	end();
}

static void none_makes_room(void **unused)
{
	u32 i;

	begin(RLB_PINS_MIN);
	for (i = 0; i < RLB_PINS_MIN; i++)
		assert_int_equal(take(i, 1, RLB_PIN_HALF, 60 * S, false), RLB_TAKEN);
	assert_int_equal(take(i, 1, ESTABLISHED, 900 * S, true), RLB_TAKEN_FULL);
	assert_int_equal(take(0, 2, ESTABLISHED, 900 * S, true), RLB_TAKEN);
	assert_int_equal(rlb_pins_counter(&pins, RLB_PINS_EVICTED), 0);
	assert_int_equal(rlb_pins_number(&pins), RLB_PINS_MIN);
	flow_pin_fail_at = 0;
	assert_int_equal(rlb_pins_set_max(&pins, RLB_PINS_MIN + 1), 0);
	assert_int_equal(take(i, 1, ESTABLISHED, 900 * S, true), RLB_TAKEN_FULL);
	flow_pin_fail_at = -1;
	assert_int_equal(take(i, 1, ESTABLISHED, 900 * S, true), RLB_TAKEN);
	end();
}

static unsigned int bits_of(u32 n)
{
	return n ? (n & 1) + bits_of(n >> 1) : 0;
}

static void states(void **unused)
{
	u32 state, tcp = 0, udp = 0;

	for (state = 0; state < 2048; state++) {
		tcp += rlb_track_is_state(state, IPPROTO_TCP);
		udp += rlb_track_is_state(state, IPPROTO_UDP);
		if (!rlb_track_is_state(state, IPPROTO_TCP))
			continue;
		assert_int_equal(bits_of(state & 7), 1);
		assert_int_equal(state >> 9, 0);
		assert_false(state & RLB_PIN_QUIET);
	}
	assert_int_equal(tcp, 2 * 2 * 16 + 2 * 16);	/* begun, midflow; ANSWERED, the others */
	assert_int_equal(udp, 4);			/* BOTH and REPLIES, or not */
	/* A state that a packet made is one. */
	for (state = RLB_KIND_QUIET; state <= RLB_KIND_RST; state++) {
		struct rlb_segment seg = { .kind = state };
		struct rlb_pin pin = { .key = key_of(1) };

		pin.key.proto = state == RLB_KIND_QUIET ? IPPROTO_UDP : IPPROTO_TCP;
		rlb_track_begin(&pin, &seg, RLB_PIN_REPLIES, 900 * S, 0);
		assert_true(rlb_track_is_state(pin.state, pin.key.proto));
	}
}

/* No flow lasts longer than it would if it had been heard here just now. */
static void restored(void **unused)
{
	struct rlb_pin pin = { .key = key_of(1) };

	pin.state = ESTABLISHED;
	rlb_track_restore(&pin, 5 * S, 900 * S, 7);
	assert_int_equal(pin.expires, 7 + 5 * S);
	rlb_track_restore(&pin, 1000 * S, 900 * S, 7);
	assert_int_equal(pin.expires, 7 + 900 * S);
	pin.state = RLB_PIN_HALF;
	rlb_track_restore(&pin, 1000 * S, 900 * S, 7);
	assert_int_equal(pin.expires, 7 + RLB_HALF_TIME * S);
	pin.state = ESTABLISHED | RLB_PIN_RST;
	rlb_track_restore(&pin, 1000 * S, 900 * S, 7);
	assert_int_equal(pin.expires, 7 + RLB_CLOSED_TIME * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("feed: in order, bounded; what finds no room is lost, and that is told once",
		      bounded),
		CLAIM("feed: told are flows that somebody means, when they change", what_is_told),
		CLAIM("feed: not again while it is as it was told", told_as_it_is),
		CLAIM("feed: and again in time, every half timeout", told_again),
		CLAIM("feed: however many are told again, there is room for those that change",
		      room_for_changes),
		CLAIM("take: what is remembered gives way to the same for longer, or if told so",
		      taken),
		CLAIM("take: nobody is forgotten to make room", none_makes_room),
		CLAIM("take: states are those that packets make", states),
		CLAIM("take: no flow lasts longer than its timeout", restored),
	};

	return cmocka_run_group_tests_name("feed", tests, NULL, NULL);
}
