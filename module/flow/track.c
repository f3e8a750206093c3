// SPDX-License-Identifier: GPL-2.0-only
/*
 * track.c - the rules of the flow table
 *
 * In: what is known of a packet, its slot and its pin. Out: whom it goes to, what is
 * remembered; and the life of a pin. Any context; reads and writes nothing but the pin it is
 * given, and that without a lock: state by cmpxchg(), times and numbers by single stores, and
 * only when something has changed or a second has passed.
 *
 * Who believes whom. Anybody can send packets in a client's name, but cannot see what is
 * sent to the client. So a SYN makes a half-open pin, which steers nothing but what fits the
 * numbers of that SYN; it is confirmed when the client acknowledges the backend's answer
 * (where we see the answers), and then a client's FIN and RST count only if their sequence
 * number is near what was heard before. Packets from the backend are believed.
 */
#include "track.h"

#define HALF_WINDOW (1U << 17)		/* more than can be sent before the first answer */
#define HEARD_STEP (1U << 18)		/* a number is stored again when it is so far behind */
#define HEARD_WINDOW (1U << 20)		/* a FIN or RST is believed if no farther ahead */
#define REVIVE_TIME 2			/* seconds after an RST in which stragglers may come */

#define FINS (RLB_PIN_FIN_CLIENT | RLB_PIN_FIN_BACKEND)

static struct rlb_answer answer(const struct rlb_question *q, enum rlb_to to,
				enum rlb_remember remember)
{
	if (to == RLB_TO_CHOICE && !q->has_choice) {
		to = RLB_TO_NOBODY;
		if (remember != RLB_REMEMBER_DROP)
			remember = RLB_REMEMBER_NOTHING;
	}
	return (struct rlb_answer){ .to = to, .remember = remember };
}

/* A settled slot whose owner takes new flows needs no memory. */
static bool is_stateless(const struct rlb_question *q)
{
	return q->settled && q->owner_takes_new;
}

/* Whom a packet goes to that began before the change. */
static enum rlb_to of_earlier(const struct rlb_question *q)
{
	if (!q->settled)
		return q->old_carries ? RLB_TO_OLD : RLB_TO_CHOICE;
	return q->owner_carries ? RLB_TO_OWNER : RLB_TO_CHOICE;
}

/* Nothing is known of the flow. */
static struct rlb_answer unpinned(const struct rlb_question *q, enum rlb_remember remember)
{
	bool is_new = q->kind == RLB_KIND_BEGIN ||
		      (q->kind == RLB_KIND_QUIET && !q->quiet_is_old);

	if (q->kind == RLB_KIND_RST || q->kind == RLB_KIND_ERROR)
		remember = RLB_REMEMBER_NOTHING;	/* nothing comes after it, or others do */
	if (is_stateless(q))
		return answer(q, RLB_TO_OWNER, q->track == RLB_TRACK_ALL ? remember :
									   RLB_REMEMBER_NOTHING);
	return answer(q, is_new ? RLB_TO_CHOICE : of_earlier(q), remember);
}

/* The flow begins anew, as if it had no pin. */
static struct rlb_answer afresh(const struct rlb_question *q)
{
	bool forget = (is_stateless(q) && q->track != RLB_TRACK_ALL) || q->kind == RLB_KIND_RST;

	return answer(q, RLB_TO_CHOICE, forget ? RLB_REMEMBER_DROP : RLB_REMEMBER_ANEW);
}

static struct rlb_answer pinned(const struct rlb_question *q)
{
	if (q->kind == RLB_KIND_ERROR)
		return q->pin_carries ? answer(q, RLB_TO_PIN, RLB_REMEMBER_NOTHING) :
					unpinned(q, RLB_REMEMBER_NOTHING);
	if (!q->pin_carries)
		return afresh(q);
	if (q->kind == RLB_KIND_BEGIN) {
		if (q->pin_takes_new || (q->pin_half && q->pin_fits))
			return answer(q, RLB_TO_PIN, RLB_REMEMBER_SEEN);
		return afresh(q);
	}
	if (q->pin_half && !q->pin_fits)
		return unpinned(q, RLB_REMEMBER_NOTHING);
	return answer(q, RLB_TO_PIN, RLB_REMEMBER_SEEN);
}

/**
 * rlb_track_decide() - whom a packet goes to, and what is remembered of it
 * @q: all that matters
 *
 * Return: the answer; see track.h for what the caller does with it.
 */
struct rlb_answer rlb_track_decide(const struct rlb_question *q)
{
	if (q->track == RLB_TRACK_NONE)
		return answer(q, RLB_TO_CHOICE, RLB_REMEMBER_NOTHING);
	return q->pinned ? pinned(q) : unpinned(q, RLB_REMEMBER_NEW);
}

/**
 * rlb_track_full() - the same when the flow cannot be remembered
 * @q: all that matters
 *
 * A new flow goes where its later packets will go, so that it can live without memory; where
 * that is not allowed, it is lost.
 *
 * Return: the answer; nothing is to be remembered.
 */
struct rlb_answer rlb_track_full(const struct rlb_question *q)
{
	struct rlb_answer a = unpinned(q, RLB_REMEMBER_NOTHING);

	if (q->pinned && !q->pin_carries && q->kind != RLB_KIND_BEGIN)
		return answer(q, RLB_TO_CHOICE, RLB_REMEMBER_NOTHING);
	if (q->kind != RLB_KIND_BEGIN || is_stateless(q))
		return a;
	if (!q->settled && q->old_takes_new)
		return answer(q, RLB_TO_OLD, RLB_REMEMBER_NOTHING);
	if (q->settled && q->owner_is_up)	/* which takes a share, but all that is later */
		return answer(q, RLB_TO_OWNER, RLB_REMEMBER_NOTHING);
	a.unpinned = true;
	return a;
}

static bool is_closed(u32 state)
{
	return state & RLB_PIN_RST || (state & FINS) == FINS;
}

static u32 seconds(u32 n)
{
	return n * RLB_FLOW_SECOND;
}

/* For how long a pin is kept when nothing is heard. */
static u32 time_of(u32 state, u32 idle)
{
	if (is_closed(state))
		return min(idle, seconds(RLB_CLOSED_TIME));
	if (state & RLB_PIN_QUIET)
		return idle;
	if (!(state & RLB_PIN_CONFIRMED))
		return seconds(state & RLB_PIN_HALF ? RLB_HALF_TIME : RLB_MIDFLOW_TIME);
	return state & FINS ? min(idle, seconds(RLB_FIN_TIME)) : idle;
}

/**
 * rlb_track_begin() - what is remembered of a flow at first
 * @pin: not in the table yet; its key is set. State, numbers and expiry are set.
 * @seg: the packet, from the client
 * @flags: RLB_PIN_REPLIES or 0
 * @idle: the service's timeout for the protocol, in ticks
 * @now: the time
 */
void rlb_track_begin(struct rlb_pin *pin, const struct rlb_segment *seg, u32 flags, u32 idle,
		     u32 now)
{
	u32 state = seg->kind == RLB_KIND_QUIET ? RLB_PIN_QUIET :
		    seg->kind == RLB_KIND_BEGIN ? RLB_PIN_HALF : RLB_PIN_MIDFLOW;

	if (seg->kind == RLB_KIND_FIN)
		state |= RLB_PIN_FIN_CLIENT;
	pin->state = state | flags;
	pin->seq = seg->seq;
	pin->ack = seg->seq;
	pin->expires = now + time_of(state, idle);
}

static bool is_within(u32 number, u32 from, u32 window)
{
	return number - from < window;
}

/**
 * rlb_track_fits() - is this packet of a client plausible for a half-open pin?
 * @pin: the pin
 * @seg: the packet
 *
 * Where we see answers, @pin->ack is what the client acknowledges; where we do not, it is
 * the first sequence number of an earlier SYN.
 *
 * Return: true; or false if it belongs to another flow of the same addresses and ports, or
 * was sent by somebody who guesses. Always true if the pin is not half-open.
 */
bool rlb_track_fits(const struct rlb_pin *pin, const struct rlb_segment *seg)
{
	u32 state = READ_ONCE(pin->state), seq = READ_ONCE(pin->seq), ack = READ_ONCE(pin->ack);
	bool fits;

	if (!rlb_pin_is_half(pin) || pin->key.proto != IPPROTO_TCP)
		return true;
	if (seg->kind == RLB_KIND_BEGIN)
		return seg->seq == seq || (!(state & RLB_PIN_REPLIES) && seg->seq == ack);
	fits = is_within(seg->seq, seq + 1, HALF_WINDOW);
	if (!(state & RLB_PIN_REPLIES))
		return fits || is_within(seg->seq, ack + 1, HALF_WINDOW);
	if (!(state & RLB_PIN_ANSWERED) || seg->kind == RLB_KIND_RST)
		return fits;
	return fits && is_within(seg->ack, ack, HALF_WINDOW);
}

/* Is a client's number near what was heard before? Where there are no numbers, yes. */
static bool is_near(const struct rlb_pin *pin, u32 seq)
{
	if (pin->key.proto != IPPROTO_TCP)
		return true;
	return is_within(seq, READ_ONCE(pin->seq) - HEARD_STEP, HEARD_STEP + HEARD_WINDOW);
}

/**
 * rlb_track_answers() - is this packet of a backend one of a pin's own flow?
 * @pin: the pin, made with RLB_PIN_REPLIES
 * @seg: the packet, from the backend
 *
 * For flows that another one may follow or meet at the same ports of client and backend: by
 * way of the VIP or not, the backend knows no difference. Its acknowledgements tell.
 *
 * Return: false if it answers somebody else's packets.
 */
bool rlb_track_answers(const struct rlb_pin *pin, const struct rlb_segment *seg)
{
	u32 state = READ_ONCE(pin->state);

	if (pin->key.proto != IPPROTO_TCP || seg->kind == RLB_KIND_ERROR)
		return true;
	if (seg->kind == RLB_KIND_RST && !seg->ack)	/* it acknowledges nothing */
		return true;
	if (rlb_pin_is_half(pin))
		return is_within(seg->ack, READ_ONCE(pin->seq) + 1, HALF_WINDOW);
	if (seg->kind == RLB_KIND_ANSWER)
		return !is_closed(state) && is_near(pin, seg->ack);
	return state & (RLB_PIN_CONFIRMED | RLB_PIN_RST) || is_near(pin, seg->ack);
}

/**
 * rlb_track_closed() - has a flow ended?
 * @pin: its pin
 *
 * Return: true if both sides have said all, or one has reset it.
 */
bool rlb_track_closed(const struct rlb_pin *pin)
{
	return is_closed(READ_ONCE(pin->state));
}

/* Has a second, or several, passed since a state began that is not refreshed? */
static bool is_since(const struct rlb_pin *pin, u32 state, u32 idle, u32 now, u32 n)
{
	u32 began = READ_ONCE(pin->expires) - time_of(state, idle);

	return (int32_t)(now - began) >= (int32_t)seconds(n);
}

/* The backend has answered a SYN: it says which one, and what is to be acknowledged. */
static u32 answered(struct rlb_pin *pin, const struct rlb_segment *seg, u32 state)
{
	WRITE_ONCE(pin->seq, seg->ack - 1);
	WRITE_ONCE(pin->ack, seg->seq + 1);
	return state | RLB_PIN_ANSWERED;
}

static u32 heard_backend(struct rlb_pin *pin, const struct rlb_segment *seg, u32 state)
{
	if (seg->kind == RLB_KIND_RST)
		return state | RLB_PIN_RST;
	if (is_closed(state))
		return state;
	if (state & (RLB_PIN_QUIET | RLB_PIN_MIDFLOW))
		state |= RLB_PIN_CONFIRMED;
	else if (!(state & RLB_PIN_CONFIRMED) && seg->kind == RLB_KIND_ANSWER)
		return answered(pin, seg, state);
	if (seg->kind == RLB_KIND_FIN)
		state |= RLB_PIN_FIN_BACKEND;
	return state;
}

/* A SYN on a pin that stays where it is. */
static u32 heard_begin(struct rlb_pin *pin, const struct rlb_segment *seg, u32 state)
{
	bool half = (state & RLB_PIN_HALF) && !(state & RLB_PIN_CONFIRMED);

	if (half && !is_closed(state)) {
		/* Which of two is real, the backend says; where we cannot hear it, both fit. */
		if (!(state & RLB_PIN_REPLIES) && seg->seq != READ_ONCE(pin->seq)) {
			WRITE_ONCE(pin->ack, READ_ONCE(pin->seq));
			WRITE_ONCE(pin->seq, seg->seq);
		}
		return state;
	}
	if (!is_closed(state) && !(state & RLB_PIN_MIDFLOW && !(state & RLB_PIN_CONFIRMED)))
		return state;	/* a flow lives here; a SYN proves nothing */
	WRITE_ONCE(pin->seq, seg->seq);
	WRITE_ONCE(pin->ack, seg->seq);
	return RLB_PIN_HALF | (state & RLB_PIN_REPLIES);
}

static u32 heard_half(struct rlb_pin *pin, const struct rlb_segment *seg, u32 state)
{
	if (!rlb_track_fits(pin, seg))
		return state;
	if (seg->kind == RLB_KIND_RST)
		return state | RLB_PIN_RST;
	if ((state & RLB_PIN_REPLIES) && !(state & RLB_PIN_ANSWERED))
		return state;
	WRITE_ONCE(pin->seq, seg->seq);
	state |= RLB_PIN_CONFIRMED;
	return seg->kind == RLB_KIND_FIN ? state | RLB_PIN_FIN_CLIENT : state;
}

static u32 heard_client(struct rlb_pin *pin, const struct rlb_segment *seg, u32 state, u32 idle,
			u32 now)
{
	if (seg->kind == RLB_KIND_BEGIN)
		return heard_begin(pin, seg, state);
	if ((state & (RLB_PIN_HALF | RLB_PIN_CONFIRMED | RLB_PIN_RST)) == RLB_PIN_HALF)
		return heard_half(pin, seg, state);
	if (seg->kind == RLB_KIND_FIN && is_near(pin, seg->seq))
		return state | RLB_PIN_FIN_CLIENT;
	if (seg->kind == RLB_KIND_RST && is_near(pin, seg->seq))
		return state | RLB_PIN_RST;
	if (seg->kind != RLB_KIND_MIDDLE && seg->kind != RLB_KIND_QUIET)
		return state;
	/* Who goes on talking long after an RST has not heard of it: it was forged. */
	if (state & RLB_PIN_RST)
		return !(state & RLB_PIN_HALF && !(state & RLB_PIN_CONFIRMED)) &&
		       is_since(pin, state, idle, now, REVIVE_TIME) ? state & ~RLB_PIN_RST : state;
	if (!(state & RLB_PIN_CONFIRMED) && (state & RLB_PIN_QUIET || !(state & RLB_PIN_REPLIES)) &&
	    is_since(pin, state, idle, now, 1)) {
		WRITE_ONCE(pin->seq, seg->seq);
		state |= RLB_PIN_CONFIRMED;
	}
	return state;
}

/* Keep the client's number: from the client if plausible, from the backend's word always. */
static void note_number(struct rlb_pin *pin, const struct rlb_segment *seg, bool now)
{
	u32 seq = seg->reply ? seg->ack : seg->seq, heard = READ_ONCE(pin->seq);

	if (pin->key.proto != IPPROTO_TCP || seg->kind != RLB_KIND_MIDDLE || seq == heard)
		return;
	if (!seg->reply && !is_near(pin, seq))
		return;
	if (now || !is_within(seq, heard - HEARD_STEP, 2 * HEARD_STEP))
		WRITE_ONCE(pin->seq, seq);
}

/**
 * rlb_track_seen() - a packet of a remembered flow has come by
 * @pin: its pin; caller holds rcu_read_lock()
 * @seg: the packet, from either side
 * @idle: the service's timeout for the protocol, in ticks
 * @now: the time
 *
 * The common packet reads and does not write: the expiry moves once a second.
 *
 * Return: true if a confirmed flow is in another state than before.
 */
bool rlb_track_seen(struct rlb_pin *pin, const struct rlb_segment *seg, u32 idle, u32 now)
{
	u32 state, next, expires;
	bool later;

	if (seg->kind == RLB_KIND_ERROR)
		return false;
	do {
		state = READ_ONCE(pin->state);
		next = seg->reply ? heard_backend(pin, seg, state) :
				    heard_client(pin, seg, state, idle, now);
	} while (next != state && cmpxchg(&pin->state, state, next) != state);
	expires = now + time_of(next, idle);
	later = next & RLB_PIN_CONFIRMED && !is_closed(next) &&
		(int32_t)(expires - READ_ONCE(pin->expires)) >= (int32_t)RLB_FLOW_SECOND;
	if (next & RLB_PIN_CONFIRMED)
		note_number(pin, seg, later);
	if (later || next != state)
		WRITE_ONCE(pin->expires, expires);
	return next != state && (next | state) & RLB_PIN_CONFIRMED;
}

/**
 * rlb_track_is_state() - can a flow be in this state?
 * @state: RLB_PIN_* bits, from who knows where
 * @proto: its protocol
 */
bool rlb_track_is_state(u32 state, u8 proto)
{
	u32 began = state & (RLB_PIN_HALF | RLB_PIN_MIDFLOW | RLB_PIN_QUIET);

	if (state & ~(RLB_PIN_REPLIES | (RLB_PIN_REPLIES - 1)))
		return false;
	if (proto != IPPROTO_TCP && proto != IPPROTO_SCTP)
		return began == RLB_PIN_QUIET &&
		       !(state & (RLB_PIN_ANSWERED | FINS | RLB_PIN_RST));
	return began == RLB_PIN_HALF || (began == RLB_PIN_MIDFLOW && !(state & RLB_PIN_ANSWERED));
}

/**
 * rlb_track_restore() - when is a flow forgotten that another gateway remembered?
 * @pin: not in the table yet; its state is set, and fits. Expiry is set.
 * @left: ticks that it had left there
 * @idle: the service's timeout for the protocol, in ticks
 * @now: the time
 */
void rlb_track_restore(struct rlb_pin *pin, u32 left, u32 idle, u32 now)
{
	pin->expires = now + min(left, time_of(pin->state, idle));
}
