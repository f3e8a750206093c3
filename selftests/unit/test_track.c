// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_track.c - module/flow/track.c: each rule by name, all questions against a naive twin,
 * and the lives of pins against another
 */
#include "flow.h"
#include "unit.h"

#define S RLB_FLOW_SECOND
#define IDLE (900 * S)

/* A rule: what is asked, whom the packet goes to, what is remembered. */
struct rule {
	const char *text;
	struct rlb_question q;
	u8 to;
	u8 remember;
};

/* Of slots, in words that rules put together. */
#define SETTLED .settled = true, .owner_carries = true, .owner_takes_new = true, .has_choice = true
#define DRAINING .settled = true, .owner_carries = true, .has_choice = true
#define STARTING .settled = true, .owner_carries = true, .owner_is_up = true, .has_choice = true
#define DOWN .settled = true, .has_choice = true
#define MOVED .owner_carries = true, .owner_takes_new = true, .has_choice = true
#define OLD_UP .old_carries = true, .old_takes_new = true
#define OLD_DRAINS .old_carries = true
#define PIN_UP .pinned = true, .pin_fits = true, .pin_carries = true, .pin_takes_new = true
#define PIN_DRAINS .pinned = true, .pin_fits = true, .pin_carries = true
#define PIN_DEAD .pinned = true, .pin_fits = true
#define BEGIN .kind = RLB_KIND_BEGIN
#define MIDDLE .kind = RLB_KIND_MIDDLE
#define FIN .kind = RLB_KIND_FIN
#define RST .kind = RLB_KIND_RST
#define QUIET .kind = RLB_KIND_QUIET
#define ERROR .kind = RLB_KIND_ERROR
#define ALL .track = RLB_TRACK_ALL
#define NONE .track = RLB_TRACK_NONE
#define GOES(to, remember) RLB_TO_##to, RLB_REMEMBER_##remember

static const struct rule rules[] = {
	/* 1. pinned */
	{ "pinned, up", { MIDDLE, SETTLED, PIN_UP }, GOES(PIN, SEEN) },
	{ "pinned, draining", { MIDDLE, MOVED, OLD_UP, PIN_DRAINS }, GOES(PIN, SEEN) },
	{ "pinned, down, settled", { MIDDLE, SETTLED, PIN_DEAD }, GOES(CHOICE, DROP) },
	{ "pinned, down, moved", { MIDDLE, MOVED, OLD_UP, PIN_DEAD }, GOES(CHOICE, ANEW) },
	{ "pinned UDP, down", { QUIET, DOWN, PIN_DEAD }, GOES(CHOICE, ANEW) },
	{ "pinned, down, track all", { MIDDLE, ALL, SETTLED, PIN_DEAD }, GOES(CHOICE, ANEW) },
	{ "pinned, down, nobody", { MIDDLE, PIN_DEAD, .settled = true }, GOES(NOBODY, NOTHING) },
	{ "RST, pin down", { RST, DOWN, PIN_DEAD }, GOES(CHOICE, DROP) },
	/* 2. settled and up */
	{ "SYN, settled", { BEGIN, SETTLED }, GOES(OWNER, NOTHING) },
	{ "middle, settled", { MIDDLE, SETTLED }, GOES(OWNER, NOTHING) },
	{ "UDP, settled", { QUIET, SETTLED }, GOES(OWNER, NOTHING) },
	/* 3. moved, or the owner takes nothing new */
	{ "SYN, moved", { BEGIN, MOVED, OLD_UP }, GOES(CHOICE, NEW) },
	{ "middle, moved", { MIDDLE, MOVED, OLD_UP }, GOES(OLD, NEW) },
	{ "FIN, moved", { FIN, MOVED, OLD_UP }, GOES(OLD, NEW) },
	{ "RST, moved", { RST, MOVED, OLD_UP }, GOES(OLD, NOTHING) },
	{ "middle, moved, old drains", { MIDDLE, MOVED, OLD_DRAINS }, GOES(OLD, NEW) },
	{ "middle, moved, old down", { MIDDLE, MOVED }, GOES(CHOICE, NEW) },
	{ "SYN, owner drains", { BEGIN, DRAINING }, GOES(CHOICE, NEW) },
	{ "middle, owner drains", { MIDDLE, DRAINING }, GOES(OWNER, NEW) },
	{ "SYN, owner down", { BEGIN, DOWN }, GOES(CHOICE, NEW) },
	{ "SYN, owner starts", { BEGIN, STARTING }, GOES(CHOICE, NEW) },
	{ "middle, owner starts", { MIDDLE, STARTING }, GOES(OWNER, NEW) },
	{ "UDP, owner starts", { QUIET, STARTING }, GOES(CHOICE, NEW) },
	{ "pinned, owner starts", { MIDDLE, STARTING, PIN_UP }, GOES(PIN, SEEN) },
	{ "middle, owner down", { MIDDLE, DOWN }, GOES(CHOICE, NEW) },
	{ "SYN, nobody", { BEGIN, .settled = true }, GOES(NOBODY, NOTHING) },
	/* UDP */
	{ "UDP, moved, in window", { QUIET, MOVED, OLD_UP, .quiet_is_old = true }, GOES(OLD, NEW) },
	{ "UDP, moved, after window", { QUIET, MOVED, OLD_UP }, GOES(CHOICE, NEW) },
	{ "UDP, drains, in window", { QUIET, DRAINING, .quiet_is_old = true }, GOES(OWNER, NEW) },
	{ "UDP, drains, after window", { QUIET, DRAINING }, GOES(CHOICE, NEW) },
	{ "UDP, owner down, in window", { QUIET, DOWN, .quiet_is_old = true }, GOES(CHOICE, NEW) },
	/* track */
	{ "none: SYN, moved", { BEGIN, NONE, MOVED, OLD_UP }, GOES(CHOICE, NOTHING) },
	{ "none: middle, moved", { MIDDLE, NONE, MOVED, OLD_UP }, GOES(CHOICE, NOTHING) },
	{ "none: a pin is no matter", { MIDDLE, NONE, SETTLED, PIN_UP }, GOES(CHOICE, NOTHING) },
	{ "all: SYN, settled", { BEGIN, ALL, SETTLED }, GOES(OWNER, NEW) },
	{ "all: middle, settled", { MIDDLE, ALL, SETTLED }, GOES(OWNER, NEW) },
	{ "all: RST without pin", { RST, ALL, SETTLED }, GOES(OWNER, NOTHING) },
	/* SYN on a pin */
	{ "SYN, pin up", { BEGIN, SETTLED, PIN_UP }, GOES(PIN, SEEN) },
	{ "SYN, pin drains, settled", { BEGIN, SETTLED, PIN_DRAINS }, GOES(CHOICE, DROP) },
	{ "SYN, pin drains, moved", { BEGIN, MOVED, OLD_UP, PIN_DRAINS }, GOES(CHOICE, ANEW) },
	{ "SYN again, half-open, drains", { BEGIN, DRAINING, PIN_DRAINS, .pin_half = true },
	  GOES(PIN, SEEN) },
	{ "another SYN, half-open, drains", { BEGIN, DRAINING, .pinned = true, .pin_half = true,
	  .pin_carries = true }, GOES(CHOICE, ANEW) },
	/* half-open pins steer what fits */
	{ "fits half-open", { MIDDLE, MOVED, OLD_UP, PIN_UP, .pin_half = true }, GOES(PIN, SEEN) },
	{ "does not fit, moved", { MIDDLE, MOVED, OLD_UP, .pinned = true, .pin_half = true,
	  .pin_carries = true, .pin_takes_new = true }, GOES(OLD, NOTHING) },
	{ "does not fit, settled", { RST, SETTLED, .pinned = true, .pin_half = true,
	  .pin_carries = true, .pin_takes_new = true }, GOES(OWNER, NOTHING) },
	/* ICMP errors */
	{ "error, pinned", { ERROR, MOVED, OLD_UP, PIN_UP }, GOES(PIN, NOTHING) },
	{ "error, moved", { ERROR, MOVED, OLD_UP }, GOES(OLD, NOTHING) },
	{ "error, pin down", { ERROR, SETTLED, PIN_DEAD }, GOES(OWNER, NOTHING) },
	{ "error, track all", { ERROR, ALL, SETTLED }, GOES(OWNER, NOTHING) },
};

static void each_rule(void **unused)
{
	struct rlb_answer a;
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		a = rlb_track_decide(&rules[i].q);
		if (a.to != rules[i].to || a.remember != rules[i].remember || a.unpinned)
			refute("%s: to %u, remember %u", rules[i].text, a.to, a.remember);
	}
}

/* The full table; @remember is 1 for a flow that is lost. */
static const struct rule full_rules[] = {
	{ "SYN, moved, old up", { BEGIN, MOVED, OLD_UP }, RLB_TO_OLD, 0 },
	{ "SYN, moved, old drains", { BEGIN, MOVED, OLD_DRAINS }, RLB_TO_CHOICE, 1 },
	{ "SYN, moved, old down", { BEGIN, MOVED }, RLB_TO_CHOICE, 1 },
	{ "SYN, owner drains", { BEGIN, DRAINING }, RLB_TO_CHOICE, 1 },
	{ "SYN, owner down", { BEGIN, DOWN }, RLB_TO_CHOICE, 1 },
	{ "SYN, owner starts", { BEGIN, STARTING }, RLB_TO_OWNER, 0 },
	{ "SYN, moved, owner starts, old down", { BEGIN, MOVED, .owner_is_up = true },
	  RLB_TO_CHOICE, 1 },
	{ "SYN, settled, track all", { BEGIN, ALL, SETTLED }, RLB_TO_OWNER, 0 },
	{ "middle, moved", { MIDDLE, MOVED, OLD_UP }, RLB_TO_OLD, 0 },
	{ "middle, owner drains", { MIDDLE, DRAINING }, RLB_TO_OWNER, 0 },
	{ "middle, pin down", { MIDDLE, MOVED, OLD_UP, PIN_DEAD }, RLB_TO_CHOICE, 0 },
	{ "UDP, in window", { QUIET, MOVED, OLD_UP, .quiet_is_old = true }, RLB_TO_OLD, 0 },
	{ "UDP, after window", { QUIET, MOVED, OLD_UP }, RLB_TO_CHOICE, 0 },
};

static void full_table(void **unused)
{
	struct rlb_answer a;
	size_t i;

	for (i = 0; i < sizeof(full_rules) / sizeof(*full_rules); i++) {
		a = rlb_track_full(&full_rules[i].q);
		if (a.to != full_rules[i].to || a.unpinned != full_rules[i].remember ||
		    a.remember != RLB_REMEMBER_NOTHING)
			refute("%s: to %u, lost %d", full_rules[i].text, a.to, a.unpinned);
	}
}

/* The steering order once more, as a list of exceptions from the last line up. */
static struct rlb_answer naive_decide(const struct rlb_question *q)
{
	bool syn = q->kind == RLB_KIND_BEGIN, error = q->kind == RLB_KIND_ERROR;
	bool calm = q->settled && q->owner_takes_new, all = q->track == RLB_TRACK_ALL;
	bool old = !syn && (q->kind != RLB_KIND_QUIET || q->quiet_is_old);
	bool pin = q->pinned, anew = false;
	u8 to = RLB_TO_CHOICE, remember = RLB_REMEMBER_NEW;

	if (old && q->settled && q->owner_carries)
		to = RLB_TO_OWNER;
	if (old && !q->settled && q->old_carries)
		to = RLB_TO_OLD;
	if (calm)
		to = RLB_TO_OWNER;
	if (calm && !all)
		remember = RLB_REMEMBER_NOTHING;
	if (q->kind == RLB_KIND_RST)
		remember = RLB_REMEMBER_NOTHING;
	/* a pin that does not count, or that ends */
	if (pin && !error && !q->pin_carries)
		anew = true;
	if (pin && !error && syn && !q->pin_takes_new && !(q->pin_half && q->pin_fits))
		anew = true;
	if (anew) {
		to = RLB_TO_CHOICE;
		remember = remember == RLB_REMEMBER_NEW ? RLB_REMEMBER_ANEW : RLB_REMEMBER_DROP;
	} else if (pin && !error && !syn && q->pin_half && !q->pin_fits) {
		remember = RLB_REMEMBER_NOTHING;
	} else if (pin && q->pin_carries) {
		to = RLB_TO_PIN;
		remember = RLB_REMEMBER_SEEN;
	}
	if (error)
		remember = RLB_REMEMBER_NOTHING;
	if (q->track == RLB_TRACK_NONE) {
		to = RLB_TO_CHOICE;
		remember = RLB_REMEMBER_NOTHING;
	}
	if (to == RLB_TO_CHOICE && !q->has_choice) {
		to = RLB_TO_NOBODY;
		remember = remember == RLB_REMEMBER_DROP ? remember : RLB_REMEMBER_NOTHING;
	}
	return (struct rlb_answer){ .to = to, .remember = remember };
}

static bool bit(u32 *bits)
{
	bool b = *bits & 1;

	*bits >>= 1;
	return b;
}

/* All of them: 7 kinds, 3 ways of tracking, 12 facts. */
#define QUESTIONS (7 * 3 << 12)

static struct rlb_question question(u32 n)
{
	struct rlb_question q = { .kind = (n >> 12) % 7, .track = (n >> 12) / 7 };

	q.pinned = bit(&n);
	q.pin_half = bit(&n);
	q.pin_fits = bit(&n);
	q.pin_carries = bit(&n);
	q.pin_takes_new = bit(&n);
	q.settled = bit(&n);
	q.owner_carries = bit(&n);
	q.owner_takes_new = bit(&n);
	q.owner_is_up = q.owner_takes_new;
	q.old_carries = bit(&n);
	q.old_takes_new = bit(&n);
	q.quiet_is_old = bit(&n);
	q.has_choice = bit(&n);
	return q;
}

static void all_questions(void **unused)
{
	struct rlb_answer a, want;
	struct rlb_question q;
	u32 n;

	for (n = 0; n < QUESTIONS; n++) {
		q = question(n);
		a = rlb_track_decide(&q);
		want = naive_decide(&q);
		if (a.to != want.to || a.remember != want.remember || a.unpinned)
			refute("question %#x: to %u, remember %u; naive: %u, %u", n, a.to,
			       a.remember, want.to, want.remember);
	}
}

/* Who skips rlb_track_seen() by rlb_track_knows() leaves the pin as that would. */
static void knowing_pins(void **unused)
{
	static const u32 states[] = { RLB_PIN_QUIET, RLB_PIN_QUIET | RLB_PIN_CONFIRMED,
				      RLB_PIN_QUIET | RLB_PIN_CONFIRMED | RLB_PIN_FIN_CLIENT,
				      RLB_PIN_QUIET | RLB_PIN_CONFIRMED | RLB_PIN_FIN_BACKEND,
				      RLB_PIN_QUIET | RLB_PIN_CONFIRMED | RLB_PIN_RST };
	struct rlb_segment seg = { .kind = RLB_KIND_QUIET };
	struct rlb_pin was = { .key.proto = IPPROTO_UDP }, is;
	u32 i, at, known = 0;

	for (i = 0; i < 2 * sizeof(states) / sizeof(*states); i++) {
		was.state = states[i / 2];
		seg.reply = i % 2;
		for (at = 0; at < 2 * S; at++) {
			was.expires = IDLE - S;
			is = was;
			rlb_track_seen(&is, &seg, IDLE, at - S);
			if (!rlb_track_knows(&was, IDLE, at - S))
				continue;
			known++;
			if (memcmp(&is, &was, sizeof(is)))
				refute("state %#x, %u ticks: the pin changes", was.state, at);
		}
	}
	assert_int_equal(known, 2 * S);	/* confirmed and open: a second, from either side */
}

/* Who skips the question by rlb_track_leads() gets the same answer, and gets it often. */
static void leading_pins(void **unused)
{
	u32 n, led = 0;

	for (n = 0; n < QUESTIONS; n++) {
		struct rlb_question q = question(n);
		struct rlb_pin of = { .state = q.pin_half ? RLB_PIN_HALF : RLB_PIN_MIDFLOW };
		struct rlb_answer a = rlb_track_decide(&q);

		if (!q.pinned || !q.pin_carries || q.track == RLB_TRACK_NONE ||
		    !rlb_track_leads(&of, q.kind))
			continue;
		led++;
		if (a.to != RLB_TO_PIN || a.remember != RLB_REMEMBER_SEEN)
			refute("question %#x: to %u, remember %u", n, a.to, a.remember);
	}
	/* 5 of 7 kinds, 2 of 3 ways of tracking; pinned, carries, not half */
	assert_int_equal(led, 5 * 2 << (12 - 3));
}

static void kinds(void **unused)
{
	u32 flags;

	for (flags = 0; flags < 256; flags++) {
		bool syn = flags & 2, ack = flags & 16, fin = flags & 1, rst = flags & 4;
		enum rlb_kind kind = rst ? RLB_KIND_RST :
				     syn && fin ? RLB_KIND_MIDDLE :
				     syn && ack ? RLB_KIND_ANSWER :
				     syn ? RLB_KIND_BEGIN :
				     fin ? RLB_KIND_FIN : RLB_KIND_MIDDLE;

		assert_int_equal(rlb_kind_tcp(flags), kind);
	}
	assert_int_equal(rlb_kind_sctp(0, 7), RLB_KIND_MIDDLE);	/* DATA */
	assert_int_equal(rlb_kind_sctp(1, 0), RLB_KIND_BEGIN);
	assert_int_equal(rlb_kind_sctp(1, 7), RLB_KIND_MIDDLE);	/* no INIT: it has a tag */
	assert_int_equal(rlb_kind_sctp(2, 7), RLB_KIND_ANSWER);
	assert_int_equal(rlb_kind_sctp(6, 7), RLB_KIND_RST);
	assert_int_equal(rlb_kind_sctp(7, 7), RLB_KIND_MIDDLE);	/* SHUTDOWN */
	assert_int_equal(rlb_kind_sctp(14, 7), RLB_KIND_RST);
}

/* --- the life of a pin --- */

static struct rlb_pin pin;
static u32 now;

static void born(u8 proto, enum rlb_kind kind, u32 seq, u32 flags)
{
	struct rlb_segment seg = { .kind = kind, .seq = seq };

	memset(&pin, 0, sizeof(pin));
	pin.key.proto = proto;
	rlb_track_begin(&pin, &seg, flags, IDLE, now);
}

static void client(enum rlb_kind kind, u32 seq, u32 ack)
{
	struct rlb_segment seg = { .kind = kind, .seq = seq, .ack = ack };

	rlb_track_seen(&pin, &seg, IDLE, now);
}

static void backend(enum rlb_kind kind, u32 seq, u32 ack)
{
	struct rlb_segment seg = { .kind = kind, .reply = true, .seq = seq, .ack = ack };

	rlb_track_seen(&pin, &seg, IDLE, now);
}

static bool fits(enum rlb_kind kind, u32 seq, u32 ack)
{
	struct rlb_segment seg = { .kind = kind, .seq = seq, .ack = ack };

	return rlb_track_fits(&pin, &seg);
}

static u32 left(void)
{
	return pin.expires - now;
}

static void established(u32 flags)
{
	born(IPPROTO_TCP, RLB_KIND_BEGIN, 1000, flags);
	backend(RLB_KIND_ANSWER, 5000, 1001);
	client(RLB_KIND_MIDDLE, 1001, 5001);
	assert_true(pin.state & RLB_PIN_CONFIRMED);
	assert_int_equal(left(), IDLE);
}

static void half_open(void **unused)
{
	born(IPPROTO_TCP, RLB_KIND_BEGIN, 1000, RLB_PIN_REPLIES);
	assert_true(rlb_pin_is_half(&pin));
	assert_int_equal(left(), 60 * S);
	assert_true(fits(RLB_KIND_BEGIN, 1000, 0));
	assert_false(fits(RLB_KIND_BEGIN, 1001, 0));
	assert_true(fits(RLB_KIND_MIDDLE, 1001, 77));
	assert_false(fits(RLB_KIND_MIDDLE, 1000, 77));
	assert_false(fits(RLB_KIND_MIDDLE, 999999, 77));
	client(RLB_KIND_MIDDLE, 1001, 77);	/* nobody has answered yet */
	assert_true(rlb_pin_is_half(&pin));
	backend(RLB_KIND_ANSWER, 5000, 1001);
	assert_true(rlb_pin_is_half(&pin));
	assert_int_equal(left(), 60 * S);
	assert_false(fits(RLB_KIND_MIDDLE, 1001, 5000));
	client(RLB_KIND_MIDDLE, 1001, 5000);
	assert_true(rlb_pin_is_half(&pin));
	assert_true(fits(RLB_KIND_MIDDLE, 1001, 5001));
	client(RLB_KIND_MIDDLE, 1001, 5001);
	assert_false(rlb_pin_is_half(&pin));
	assert_int_equal(left(), IDLE);
	assert_true(fits(RLB_KIND_MIDDLE, 12345678, 1));
}

/* Numbers wrap; where answers are not seen, the first fitting packet confirms. */
static void half_open_unseen(void **unused)
{
	born(IPPROTO_TCP, RLB_KIND_BEGIN, 0xffffffff, 0);
	assert_true(fits(RLB_KIND_MIDDLE, 0, 1));
	assert_true(fits(RLB_KIND_MIDDLE, 1400, 1));
	assert_false(fits(RLB_KIND_MIDDLE, 0xffffffff, 1));
	client(RLB_KIND_BEGIN, 70000000, 0);	/* another attempt: both fit */
	assert_true(fits(RLB_KIND_MIDDLE, 0, 1));
	assert_true(fits(RLB_KIND_MIDDLE, 70000001, 1));
	client(RLB_KIND_MIDDLE, 70000001, 1);
	assert_true(pin.state & RLB_PIN_CONFIRMED);
}

static void mid_flow(void **unused)
{
	born(IPPROTO_TCP, RLB_KIND_MIDDLE, 1000, RLB_PIN_REPLIES);
	assert_int_equal(left(), 10 * S);
	now += 3 * S;
	client(RLB_KIND_MIDDLE, 1010, 1);
	assert_int_equal(left(), 7 * S);
	backend(RLB_KIND_RST, 1, 0);
	assert_int_equal(left(), 10 * S);
	assert_false(pin.state & RLB_PIN_CONFIRMED);
	born(IPPROTO_TCP, RLB_KIND_MIDDLE, 1000, RLB_PIN_REPLIES);
	backend(RLB_KIND_MIDDLE, 1, 1010);
	assert_int_equal(left(), IDLE);
	born(IPPROTO_TCP, RLB_KIND_MIDDLE, 1000, 0);
	now += S - 1;
	client(RLB_KIND_MIDDLE, 1010, 1);
	assert_int_equal(left(), 9 * S + 1);
	now += 1;
	client(RLB_KIND_MIDDLE, 1010, 1);
	assert_int_equal(left(), IDLE);
}

static void ends(void **unused)
{
	established(RLB_PIN_REPLIES);
	client(RLB_KIND_FIN, 1001, 5001);
	assert_int_equal(left(), 120 * S);
	now += 60 * S;
	backend(RLB_KIND_MIDDLE, 5001, 1002);	/* a long answer to a closed request */
	assert_int_equal(left(), 120 * S);
	backend(RLB_KIND_FIN, 5001, 1002);
	assert_int_equal(left(), 10 * S);
	now += 3 * S;
	client(RLB_KIND_MIDDLE, 1002, 5002);
	assert_int_equal(left(), 7 * S);
	client(RLB_KIND_BEGIN, 90000, 0);	/* the ports again: begins, does not wait */
	assert_true(rlb_pin_is_half(&pin));
	assert_int_equal(left(), 60 * S);
	assert_true(fits(RLB_KIND_MIDDLE, 90001, 1));

	established(RLB_PIN_REPLIES);
	backend(RLB_KIND_RST, 5001, 1001);
	assert_int_equal(left(), 10 * S);
}

/* Packets of somebody who guesses do a confirmed pin no harm. */
static void blind_packets(void **unused)
{
	established(RLB_PIN_REPLIES);
	client(RLB_KIND_RST, 999999999, 0);
	client(RLB_KIND_FIN, 999999999, 0);
	client(RLB_KIND_BEGIN, 999999999, 0);
	client(RLB_KIND_MIDDLE, 999999999, 0);
	client(RLB_KIND_RST, 999999999, 0);
	assert_int_equal(left(), IDLE);
	assert_false(rlb_pin_is_half(&pin));
	client(RLB_KIND_RST, 1500, 0);		/* guessed well */
	assert_int_equal(left(), 10 * S);
	now += S;
	client(RLB_KIND_MIDDLE, 1001, 5001);	/* may have been under way */
	assert_int_equal(left(), 9 * S);
	now += S;
	client(RLB_KIND_MIDDLE, 1001, 5001);	/* the real client knows of no end */
	assert_int_equal(left(), IDLE);
}

static void quiet(void **unused)
{
	born(IPPROTO_UDP, RLB_KIND_QUIET, 0, RLB_PIN_REPLIES);
	assert_int_equal(left(), IDLE);
	assert_false(pin.state & RLB_PIN_CONFIRMED);
	client(RLB_KIND_QUIET, 0, 0);
	assert_false(pin.state & RLB_PIN_CONFIRMED);
	now += S;
	client(RLB_KIND_QUIET, 0, 0);
	assert_true(pin.state & RLB_PIN_CONFIRMED);
	assert_int_equal(left(), IDLE);
	born(IPPROTO_UDP, RLB_KIND_QUIET, 0, RLB_PIN_REPLIES);
	backend(RLB_KIND_QUIET, 0, 0);
	assert_true(pin.state & RLB_PIN_CONFIRMED);
}

static bool answers(enum rlb_kind kind, u32 seq, u32 ack)
{
	struct rlb_segment seg = { .kind = kind, .reply = true, .seq = seq, .ack = ack };

	return rlb_track_answers(&pin, &seg);
}

/* Two flows of the same ports: what a backend acknowledges tells which one it answers. */
static void answers_of_its_own(void **unused)
{
	born(IPPROTO_TCP, RLB_KIND_BEGIN, 0xfffffffe, RLB_PIN_REPLIES);
	assert_true(answers(RLB_KIND_ANSWER, 5000, 0xffffffff));
	assert_true(answers(RLB_KIND_RST, 0, 0xffffffff));
	assert_true(answers(RLB_KIND_RST, 77, 0));
	assert_true(answers(RLB_KIND_ERROR, 0, 0));
	assert_true(answers(RLB_KIND_MIDDLE, 5001, 0xffffffff + (1 << 17) - 1));
	assert_false(answers(RLB_KIND_MIDDLE, 5001, 0xffffffff + (1 << 17)));
	assert_false(answers(RLB_KIND_ANSWER, 5000, 0xfffffffe));
	assert_false(answers(RLB_KIND_RST, 5000, 0x7fffffff));

	born(IPPROTO_TCP, RLB_KIND_MIDDLE, 1 << 20, RLB_PIN_REPLIES);
	assert_true(answers(RLB_KIND_MIDDLE, 5001, (1 << 20) - (1 << 18)));
	assert_false(answers(RLB_KIND_MIDDLE, 5001, (1 << 20) - (1 << 18) - 1));
	assert_true(answers(RLB_KIND_FIN, 5001, (1 << 21) - 1));
	assert_false(answers(RLB_KIND_FIN, 5001, 1 << 21));

	established(RLB_PIN_REPLIES);
	assert_true(answers(RLB_KIND_MIDDLE, 5001, 0x70000000));	/* it lives, and is known */
	assert_true(answers(RLB_KIND_ANSWER, 5000, 1001));		/* once more */
	assert_false(answers(RLB_KIND_ANSWER, 5000, 0x70000000));	/* others have the ports */
	backend(RLB_KIND_RST, 5001, 1001);
	assert_true(rlb_track_closed(&pin));
	assert_true(answers(RLB_KIND_FIN, 5001, 1001));
	assert_false(answers(RLB_KIND_ANSWER, 5000, 1001));

	established(RLB_PIN_REPLIES);
	client(RLB_KIND_FIN, 1001, 5001);
	assert_false(rlb_track_closed(&pin));
	backend(RLB_KIND_FIN, 5001, 1002);
	assert_true(rlb_track_closed(&pin));

	born(IPPROTO_UDP, RLB_KIND_QUIET, 0, RLB_PIN_REPLIES);
	assert_true(answers(RLB_KIND_QUIET, 0, 0));
	assert_false(rlb_track_closed(&pin));
}

/* Each SYN, ACK or RST of a flood, in each state, leaves an ICMP error's pin alone. */
static void errors_are_nothing(void **unused)
{
	struct rlb_pin before;

	established(RLB_PIN_REPLIES);
	now += 50 * S;
	before = pin;
	client(RLB_KIND_ERROR, 1001, 5001);
	backend(RLB_KIND_ERROR, 1001, 5001);
	assert_memory_equal(&before, &pin, sizeof(pin));
}

/* The common packet writes nothing: the expiry moves once a second. */
static void few_writes(void **unused)
{
	struct rlb_pin before;
	u32 i, written = 0;

	established(RLB_PIN_REPLIES);
	for (i = 0; i < 10000; i++) {
		now += S / 1000;
		before = pin;
		client(RLB_KIND_MIDDLE, 1001 + i * 10, 5001);
		written += memcmp(&before, &pin, sizeof(pin)) != 0;
		before = pin;
		backend(RLB_KIND_MIDDLE, 5001, 1001 + i * 10);
		written += memcmp(&before, &pin, sizeof(pin)) != 0;
	}
	assert_int_equal(written, 10);
}

/*
 * The naive twin: the life as a list of facts, each with its time, and no clock that wraps.
 */
struct life {
	bool tcp, replies, syn, quiet, answered, confirmed, fin[2], rst;
	u32 isn, expected, heard;
	int64_t changed, refreshed;		/* in ticks, of a clock that does not wrap */
};

static int64_t clock_now;

static int64_t life_time(const struct life *l)
{
	if (l->rst || (l->fin[0] && l->fin[1]))
		return 10 * S;
	if (l->quiet)
		return IDLE;
	if (!l->confirmed)
		return l->syn ? 60 * S : 10 * S;
	return l->fin[0] || l->fin[1] ? 120 * S : IDLE;
}

static bool between(int64_t x, int64_t low, int64_t high)
{
	return x >= low && x < high;
}

/* How far @a is ahead of @b. */
static int64_t ahead(u32 a, u32 b)
{
	int64_t d = (int64_t)a - b;

	return d >= (1LL << 31) ? d - (1LL << 32) : d < -(1LL << 31) ? d + (1LL << 32) : d;
}

static bool life_near(const struct life *l, u32 seq)
{
	u32 last = l->confirmed ? l->heard : l->isn;

	return !l->tcp || between(ahead(seq, last), -(1 << 18), 1 << 20);
}

static bool life_is_half(const struct life *l)
{
	return l->syn && !l->confirmed && !l->rst;
}

static bool life_fits(const struct life *l, const struct rlb_segment *p)
{
	bool first = between(ahead(p->seq, l->isn), 1, 1 + (1 << 17));
	bool other = between(ahead(p->seq, l->expected), 1, 1 + (1 << 17));

	if (!life_is_half(l) || !l->tcp)
		return true;
	if (p->kind == RLB_KIND_BEGIN)
		return p->seq == l->isn || (!l->replies && p->seq == l->expected);
	if (!l->replies)
		return first || other;
	if (l->answered && p->kind != RLB_KIND_RST)
		return first && between(ahead(p->ack, l->expected), 0, 1 << 17);
	return first;
}

static void life_begin(struct life *l, u8 proto, const struct rlb_segment *p, bool replies)
{
	*l = (struct life){ .tcp = proto == IPPROTO_TCP, .replies = replies };
	l->syn = p->kind == RLB_KIND_BEGIN;
	l->quiet = p->kind == RLB_KIND_QUIET;
	l->fin[0] = p->kind == RLB_KIND_FIN;
	l->isn = p->seq;
	l->expected = p->seq;
	l->heard = p->seq;
	l->changed = clock_now;
	l->refreshed = clock_now;
}

static void life_from_backend(struct life *l, const struct rlb_segment *p)
{
	if (p->kind == RLB_KIND_RST) {
		l->rst = true;
	} else if (l->rst || (l->fin[0] && l->fin[1])) {
		return;
	} else if (l->syn && !l->confirmed && p->kind == RLB_KIND_ANSWER) {
		l->answered = true;
		l->isn = p->ack - 1;
		l->expected = p->seq + 1;
	} else {
		l->confirmed |= !l->syn;
		l->fin[1] |= p->kind == RLB_KIND_FIN;
	}
}

static void life_from_client(struct life *l, const struct rlb_segment *p)
{
	bool closed = l->rst || (l->fin[0] && l->fin[1]);
	int64_t age = clock_now - l->changed;

	if (p->kind == RLB_KIND_BEGIN) {
		if (life_is_half(l) && !closed) {
			if (!l->replies && p->seq != l->isn) {
				l->expected = l->isn;
				l->isn = p->seq;
			}
		} else if (closed || (!l->syn && !l->quiet && !l->confirmed)) {
			life_begin(l, l->tcp ? IPPROTO_TCP : 0, p, l->replies);
		}
	} else if (life_is_half(l)) {
		if (!life_fits(l, p))
			return;
		if (p->kind == RLB_KIND_RST) {
			l->rst = true;
		} else if (l->answered || !l->replies) {
			l->confirmed = true;
			l->heard = p->seq;
			l->fin[0] |= p->kind == RLB_KIND_FIN;
		}
	} else if (p->kind == RLB_KIND_FIN || p->kind == RLB_KIND_RST) {
		if (life_near(l, p->seq) && p->kind == RLB_KIND_FIN)
			l->fin[0] = true;
		else if (life_near(l, p->seq))
			l->rst = true;
	} else if (p->kind != RLB_KIND_ANSWER) {
		if (l->rst) {
			l->rst = (l->syn && !l->confirmed) || age < 2 * S;
		} else if (!l->confirmed && (l->quiet || !l->replies) && age >= S) {
			l->confirmed = true;
			l->heard = p->seq;
		}
	}
}

static void life_seen(struct life *l, const struct rlb_segment *p)
{
	struct life before = *l;
	bool refresh, changed;
	u32 number = p->reply ? p->ack : p->seq;
	int64_t expires = l->refreshed + life_time(l);

	if (p->kind == RLB_KIND_ERROR)
		return;
	if (p->reply)
		life_from_backend(l, p);
	else
		life_from_client(l, p);
	changed = before.answered != l->answered || before.confirmed != l->confirmed ||
		  before.fin[0] != l->fin[0] || before.fin[1] != l->fin[1] ||
		  before.rst != l->rst || before.syn != l->syn;
	refresh = l->confirmed && !l->rst && !(l->fin[0] && l->fin[1]) &&
		  clock_now + life_time(l) - expires >= S;
	if (l->confirmed && l->tcp && p->kind == RLB_KIND_MIDDLE &&
	    (p->reply || life_near(l, number)) &&
	    (refresh || !between(ahead(number, l->heard), -(1 << 18), 1 << 18)))
		l->heard = number;
	if (changed)
		l->changed = clock_now;
	if (changed || refresh)
		l->refreshed = clock_now;
}

static u32 number_near(u32 n)
{
	switch (unit_below(8)) {
	case 0:
		return unit_random();
	case 1:
		return n - unit_below(1 << 19);
	case 2:
		return n + unit_below(1 << 21);
	case 3:
		return n + unit_below(1 << 17);
	default:
		return n + unit_below(3);
	}
}

static void compare(const struct life *l, unsigned int step)
{
	u32 state = (l->syn ? RLB_PIN_HALF : l->quiet ? RLB_PIN_QUIET : RLB_PIN_MIDFLOW) |
		    (l->answered ? RLB_PIN_ANSWERED : 0) | (l->confirmed ? RLB_PIN_CONFIRMED : 0) |
		    (l->fin[0] ? RLB_PIN_FIN_CLIENT : 0) | (l->fin[1] ? RLB_PIN_FIN_BACKEND : 0) |
		    (l->rst ? RLB_PIN_RST : 0) | (l->replies ? RLB_PIN_REPLIES : 0);
	u32 expires = l->refreshed + life_time(l);

	if (pin.state != state || pin.expires != expires)
		refute("step %u: state %#x, naive %#x; expires %u, naive %u", step, pin.state,
		       state, pin.expires, expires);
}

static struct rlb_segment random_segment(u8 proto, const struct life *l)
{
	struct rlb_segment p = { .kind = unit_below(7), .reply = unit_below(2) };

	if (proto == IPPROTO_UDP)
		p.kind = unit_below(20) ? RLB_KIND_QUIET : RLB_KIND_ERROR;
	else if (p.kind == RLB_KIND_QUIET)
		p.kind = RLB_KIND_MIDDLE;
	if (proto != IPPROTO_TCP)
		return p;
	p.seq = number_near(l->confirmed ? l->heard : l->isn);
	p.ack = number_near(l->expected);
	if (p.reply) {
		p.seq = unit_random();
		p.ack = number_near(l->confirmed ? l->heard : l->isn);
	}
	return p;
}

/* Lives of twenty packets, so that each state is met often; the clock wraps many times. */
static void as_naive_life(void **unused)
{
	static const u8 protos[] = { IPPROTO_TCP, IPPROTO_TCP, IPPROTO_TCP, IPPROTO_UDP,
				     IPPROTO_SCTP };
	unsigned int step, steps = unit_rounds(3000000);
	struct rlb_segment p;
	struct life l = { 0 };
	u8 proto = 0;

	for (step = 0; step < steps; step++) {
		clock_now += unit_below(3) ? unit_below(S / 2) : unit_below(40 * S);
		if (step % 20 == 0 || clock_now - l.refreshed >= life_time(&l)) {
			proto = protos[unit_below(sizeof(protos))];
			l = (struct life){ 0 };
			p = random_segment(proto, &l);
			p.reply = false;
			if (p.kind == RLB_KIND_ERROR || p.kind == RLB_KIND_RST)
				p.kind = proto == IPPROTO_UDP ? RLB_KIND_QUIET : RLB_KIND_BEGIN;
			now = clock_now;
			born(proto, p.kind, p.seq, unit_below(2) ? RLB_PIN_REPLIES : 0);
			life_begin(&l, proto, &p, pin.state & RLB_PIN_REPLIES);
		}
		now = clock_now;
		p = random_segment(proto, &l);
		assert_int_equal(fits(p.kind, p.seq, p.ack), life_fits(&l, &p));
		rlb_track_seen(&pin, &p, IDLE, now);
		life_seen(&l, &p);
		compare(&l, step);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("track: each rule of the steering order", each_rule),
		CLAIM("track: each rule of a full table", full_table),
		CLAIM("track: all questions there are, as a naive twin", all_questions),
		CLAIM("track: pins that lead alone lead as all questions say", leading_pins),
		CLAIM("track: a pin that knows a packet would not change by it", knowing_pins),
		CLAIM("track: what flags and chunks say", kinds),
		CLAIM("track: half-open until the client acknowledges the answer", half_open),
		CLAIM("track: half-open where answers are not seen", half_open_unseen),
		CLAIM("track: a mid-flow pin lives 10 s until it is confirmed", mid_flow),
		CLAIM("track: FIN and RST shorten, a SYN on an ended flow begins", ends),
		CLAIM("track: blind SYN, ACK, FIN and RST do a confirmed pin no harm",
		      blind_packets),
		CLAIM("track: UDP is confirmed by an answer or a second later", quiet),
		CLAIM("track: of two flows with the same ports, numbers tell whose an answer is",
		      answers_of_its_own),
		CLAIM("track: ICMP errors change nothing", errors_are_nothing),
		CLAIM("track: one store a second while packets flow", few_writes),
		CLAIM("track: lives of pins as of a naive twin, while the clock wraps",
		      as_naive_life),
	};

	return cmocka_run_group_tests_name("track", tests, NULL, NULL);
}
