/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * track.h - the rules of the flow table: whom a packet goes to, and what is remembered of it
 *
 * Pure functions; nothing here looks anything up. A caller on the packet path
 *   1. reads from the headers what the packet says of its flow (struct rlb_segment);
 *   2. finds the pin, if rlb_pins_any_vip(), and the slot, and fills a struct rlb_question;
 *   3. asks rlb_track_decide() and sends the packet where the answer says;
 *   4. does what the answer says about remembering:
 *	RLB_REMEMBER_SEEN	rlb_track_seen() on the pin
 *	RLB_REMEMBER_NEW	rlb_track_begin() and rlb_pins_add(). If that returns a pin of
 *				another backend, somebody was faster: the packet goes there.
 *				If it returns NULL: rlb_track_full().
 *	RLB_REMEMBER_ANEW	rlb_track_begin() and rlb_pins_put(), which changes the pin
 *				that is there; NULL as above
 *	RLB_REMEMBER_DROP	rlb_pins_drop()
 * ICMP errors: rlb_track_decide() with kind RLB_KIND_ERROR, which never remembers anything.
 *
 * Any context. Sequence numbers in host byte order, times in ticks (pins.h).
 */
#ifndef _RINGLB_FLOW_TRACK_H
#define _RINGLB_FLOW_TRACK_H

#include "pins.h"

/* What a packet says of its flow */
enum rlb_kind {
	RLB_KIND_QUIET,		/* nothing: UDP, and every protocol without connections */
	RLB_KIND_BEGIN,		/* TCP SYN without ACK, RST, FIN; SCTP INIT */
	RLB_KIND_ANSWER,	/* TCP SYN with ACK; SCTP INIT ACK */
	RLB_KIND_MIDDLE,	/* began earlier */
	RLB_KIND_FIN,		/* one side has said all */
	RLB_KIND_RST,		/* over: TCP RST; SCTP ABORT, SHUTDOWN COMPLETE */
	RLB_KIND_ERROR,		/* an ICMP error about the flow */
};

/* The TCP flags of enum rlb_kind, as in byte 13 of the header */
#define RLB_TCP_FIN 0x01
#define RLB_TCP_SYN 0x02
#define RLB_TCP_RST 0x04
#define RLB_TCP_ACK 0x10

/* Types of an SCTP packet's first chunk */
#define RLB_SCTP_INIT 1
#define RLB_SCTP_INIT_ACK 2
#define RLB_SCTP_ABORT 6
#define RLB_SCTP_SHUTDOWN_COMPLETE 14

/**
 * struct rlb_segment - what tracking needs to know of a packet
 * @kind: enum rlb_kind
 * @reply: from the backend
 * @seq: TCP: sequence number; else 0
 * @ack: TCP: acknowledgement number; else 0
 */
struct rlb_segment {
	u8 kind;
	bool reply;
	u32 seq;
	u32 ack;
};

/* Bits of rlb_pin.state. How it began: */
#define RLB_PIN_HALF		0x01	/* with a SYN or INIT */
#define RLB_PIN_MIDFLOW		0x02	/* with another packet */
#define RLB_PIN_QUIET		0x04	/* its protocol has no connections */
/* What has been heard since: */
#define RLB_PIN_ANSWERED	0x08	/* the backend has answered the SYN */
#define RLB_PIN_CONFIRMED	0x10	/* there is somebody at both ends; not evicted any more */
#define RLB_PIN_FIN_CLIENT	0x20
#define RLB_PIN_FIN_BACKEND	0x40
#define RLB_PIN_RST		0x80
/* How its packets come by; given to rlb_track_begin(): */
#define RLB_PIN_REPLIES		0x100	/* we see the backend's answers (nat) */

/* Times that are fixed, in seconds */
#define RLB_HALF_TIME 60	/* half-open */
#define RLB_MIDFLOW_TIME 10	/* made by a mid-flow packet and not confirmed */
#define RLB_CLOSED_TIME 10	/* RST, or a FIN of each side */
#define RLB_FIN_TIME 120	/* a FIN of one side */

/* When flows of a service are remembered */
enum rlb_track {
	RLB_TRACK_AUTO,		/* when a change would move them */
	RLB_TRACK_NONE,		/* never */
	RLB_TRACK_ALL,		/* always */
};

/**
 * struct rlb_question - all that decides about a packet on its way to a VIP
 * @kind: enum rlb_kind
 * @track: enum rlb_track of the service
 * @pinned: there is a pin
 * @pin_half: it is half-open: begun, and the client has not acknowledged the answer
 * @pin_fits: the packet is plausible for the pin: rlb_track_fits()
 * @pin_carries: the pin's backend belongs to the service and is up or draining
 * @pin_takes_new: the pin's backend is up
 * @settled: the slot is not in transition
 * @owner_carries: the slot's owner is up or draining
 * @owner_takes_new: the slot's owner is up (and its accept share takes this flow)
 * @owner_is_up: the slot's owner is up
 * @old_carries: in transition, and the old owner is up or draining
 * @old_takes_new: in transition, and the old owner is up
 * @quiet_is_old: a packet without connection that has no pin counts as begun before the
 *	change: within the UDP idle window of the slot's transition or the owner's drain. With
 *	`udp-drain rehash`, false if the old or draining owner is not up.
 * @has_choice: somebody takes new flows: rlb_choose() found a member
 */
struct rlb_question {
	u8 kind;
	u8 track;
	bool pinned;
	bool pin_half;
	bool pin_fits;
	bool pin_carries;
	bool pin_takes_new;
	bool settled;
	bool owner_carries;
	bool owner_takes_new;
	bool owner_is_up;
	bool old_carries;
	bool old_takes_new;
	bool quiet_is_old;
	bool has_choice;
};

/* Whom a packet goes to */
enum rlb_to {
	RLB_TO_NOBODY,		/* nobody takes it: drop */
	RLB_TO_PIN,		/* the pin's backend */
	RLB_TO_OWNER,		/* the slot's owner */
	RLB_TO_OLD,		/* the slot's old owner */
	RLB_TO_CHOICE,		/* who takes new flows of this hash: rlb_choose() */
};

/* What is done about the flow table */
enum rlb_remember {
	RLB_REMEMBER_NOTHING,
	RLB_REMEMBER_SEEN,	/* tell the pin */
	RLB_REMEMBER_NEW,	/* make a pin */
	RLB_REMEMBER_ANEW,	/* the pin begins again, with the backend of @to */
	RLB_REMEMBER_DROP,	/* the pin is no longer needed */
};

/**
 * struct rlb_answer - what becomes of the packet
 * @to: enum rlb_to
 * @remember: enum rlb_remember
 * @unpinned: the flow is lost: count RLB_PINS_UNPINNED; only from rlb_track_full()
 */
struct rlb_answer {
	u8 to;
	u8 remember;
	bool unpinned;
};

static inline enum rlb_kind rlb_kind_tcp(u8 flags)
{
	if (flags & RLB_TCP_RST)
		return RLB_KIND_RST;
	switch (flags & (RLB_TCP_SYN | RLB_TCP_ACK | RLB_TCP_FIN)) {
	case RLB_TCP_SYN:
		return RLB_KIND_BEGIN;
	case RLB_TCP_SYN | RLB_TCP_ACK:
		return RLB_KIND_ANSWER;
	case RLB_TCP_FIN:
	case RLB_TCP_FIN | RLB_TCP_ACK:
		return RLB_KIND_FIN;
	default:
		return RLB_KIND_MIDDLE;
	}
}

/* By the first chunk's type and the verification tag, which an INIT does not have yet */
static inline enum rlb_kind rlb_kind_sctp(u8 chunk, u32 tag)
{
	switch (chunk) {
	case RLB_SCTP_INIT:
		return tag ? RLB_KIND_MIDDLE : RLB_KIND_BEGIN;
	case RLB_SCTP_INIT_ACK:
		return RLB_KIND_ANSWER;
	case RLB_SCTP_ABORT:
	case RLB_SCTP_SHUTDOWN_COMPLETE:
		return RLB_KIND_RST;
	default:
		return RLB_KIND_MIDDLE;
	}
}

/* Is it half-open: begun by a SYN that nobody has been seen to mean? */
static inline bool rlb_pin_is_half(const struct rlb_pin *pin)
{
	return (READ_ONCE(pin->state) &
		(RLB_PIN_HALF | RLB_PIN_CONFIRMED | RLB_PIN_RST)) == RLB_PIN_HALF;
}

/**
 * rlb_track_leads() - does a pin lead a packet to its backend, whatever else there is?
 * @pin: the pin, of a backend that is up or drains, in a service that is tracked
 * @kind: enum rlb_kind of the packet
 *
 * Return: true if rlb_track_decide() would say RLB_TO_PIN and RLB_REMEMBER_SEEN to all
 * questions with these; false if it has to be asked.
 */
static inline bool rlb_track_leads(const struct rlb_pin *pin, u8 kind)
{
	return kind != RLB_KIND_BEGIN && kind != RLB_KIND_ERROR && !rlb_pin_is_half(pin);
}

struct rlb_answer rlb_track_decide(const struct rlb_question *q);
struct rlb_answer rlb_track_full(const struct rlb_question *q);

void rlb_track_begin(struct rlb_pin *pin, const struct rlb_segment *seg, u32 flags, u32 idle,
		     u32 now);
bool rlb_track_fits(const struct rlb_pin *pin, const struct rlb_segment *seg);
bool rlb_track_answers(const struct rlb_pin *pin, const struct rlb_segment *seg);
bool rlb_track_closed(const struct rlb_pin *pin);
bool rlb_track_seen(struct rlb_pin *pin, const struct rlb_segment *seg, u32 idle, u32 now);

bool rlb_track_is_state(u32 state, u8 proto);
void rlb_track_restore(struct rlb_pin *pin, u32 left, u32 idle, u32 now);

/**
 * rlb_track_knows() - has a pin nothing to learn from a packet that says nothing?
 * @pin: the pin
 * @idle: the service's timeout for the protocol, in ticks
 * @now: the time
 *
 * Return: true if rlb_track_seen() of RLB_KIND_QUIET from either side would change nothing: the
 * flow's packets are all of this kind, it is confirmed and does not end, and was heard less than
 * a second ago.
 */
static inline bool rlb_track_knows(const struct rlb_pin *pin, u32 idle, u32 now)
{
	const u32 quiet = RLB_PIN_CONFIRMED | RLB_PIN_QUIET;
	const u32 ends = RLB_PIN_FIN_CLIENT | RLB_PIN_FIN_BACKEND | RLB_PIN_RST;

	return (READ_ONCE(pin->state) & (quiet | ends)) == quiet &&
	       (int32_t)(now + idle - READ_ONCE(pin->expires)) < (int32_t)RLB_FLOW_SECOND;
}

#endif /* _RINGLB_FLOW_TRACK_H */
