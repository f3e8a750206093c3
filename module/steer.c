// SPDX-License-Identifier: GPL-2.0-only
/*
 * steer.c - from a flow to a backend
 *
 * In: a packet and its service. Out: a backend, or a drop. A flow of a settled slot whose
 * owner takes flows meets that owner, and nothing is remembered. Where a change would move a
 * flow, the rules of flow/track.h decide, and the flow table remembers.
 * Softirq or process context under rcu_read_lock(); reads the published table.
 */
#include <linux/sctp.h>
#include <linux/tcp.h>

#include "flow/track.h"
#include "sabotage.h"
#include "service.h"
#include "stats.h"
#include "steer.h"
#include "table.h"

static struct rlb_backend *choose(const struct rlb_table *table, u64 hash,
				  struct rlb_choice *choice)
{
	rlb_choose(&table->view, hash, choice);
	return choice->member < 0 ? NULL : table->backend[choice->member];
}

/**
 * rlb_steer_tuple() - which backend takes a new flow
 * @table: a table; caller holds rcu_read_lock() or cfg_lock
 * @flow: the flow, from client to VIP
 * @choice: out: slot, owner, member and number of probes
 *
 * Return: the backend, NULL if none takes flows.
 */
struct rlb_backend *rlb_steer_tuple(const struct rlb_table *table, const struct rlb_tuple *flow,
				    struct rlb_choice *choice)
{
	return choose(table, rlb_key_hash(&table->secret, table->key, flow), choice);
}

/* Who had a slot before it changed hands; NULL if it is settled. */
static struct rlb_backend *first_owner(const struct rlb_table *table, u32 slot)
{
	u16 from = rlb_transition_from(table->moved, table->view.slots, slot);

	return from == RINGLB_NO_OWNER ? NULL : table->backend[from];
}

/* Who had a flow before all flows got other slots; NULL if that is who has it now. */
static struct rlb_backend *former_owner(const struct rlb_table *table,
					const struct rlb_tuple *flow, u32 slot)
{
	const struct rlb_table *former = table->former;
	struct rlb_backend *b;
	u32 was;

	if (!former->view.n)
		return NULL;
	was = rlb_key_hash(&former->secret, former->key, flow) >> (64 - former->view.bits);
	b = first_owner(former, was) ?: former->backend[rlb_slot_owner(former->view.slots[was])];
	if (table->view.n && b == table->backend[rlb_slot_owner(table->view.slots[slot])])
		return NULL;
	return b;
}

/**
 * rlb_steer_old_owner() - who had a flow before its slot changed hands, or it got another
 * @table: a table; caller holds rcu_read_lock() or cfg_lock
 * @flow: the flow, from client to VIP
 * @slot: its slot
 *
 * Return: the backend, perhaps a removed one; NULL if flow and slot are settled.
 */
struct rlb_backend *rlb_steer_old_owner(const struct rlb_table *table,
					const struct rlb_tuple *flow, u32 slot)
{
	return unlikely(table->former) ? former_owner(table, flow, slot) :
					 first_owner(table, slot);
}

/* A backend that is not the slot's owner */
static noinline bool has_else(const struct rlb_table *table, const struct rlb_tuple *flow,
			      u64 hash, const struct rlb_backend *backend)
{
	struct rlb_choice choice;

	return rlb_steer_old_owner(table, flow, hash >> (64 - table->view.bits)) == backend ||
	       choose(table, hash, &choice) == backend;
}

/**
 * rlb_steer_has() - is a backend one to which packets of a flow go, or went not long ago?
 * @table: a table; caller holds rcu_read_lock()
 * @flow: the flow, from client to VIP
 * @backend: the backend, a member of the table's service
 *
 * Pins apart: it owns the flow's slot, whatever its state, or had it before, or takes the
 * flow when others look again.
 */
bool rlb_steer_has(const struct rlb_table *table, const struct rlb_tuple *flow,
		   const struct rlb_backend *backend)
{
	u64 hash = rlb_key_hash(&table->secret, table->key, flow);
	u32 slot = hash >> (64 - table->view.bits);

	return table->backend[table->view.slots[slot] & RLB_SLOT_OWNER] == backend ||
	       has_else(table, flow, hash, backend);
}

static void segment_tcp(const struct rlb_pkt *pkt, struct rlb_segment *seg)
{
	const struct tcphdr *th;
	struct tcphdr buf;

	seg->kind = RLB_KIND_MIDDLE;
	th = skb_header_pointer(pkt->skb, pkt->l4, sizeof(buf), &buf);
	if (!th)
		return;
	seg->kind = rlb_kind_tcp(((const u8 *)th)[13]);
	seg->seq = ntohl(th->seq);
	seg->ack = ntohl(th->ack_seq);
}

static void segment_sctp(const struct rlb_pkt *pkt, struct rlb_segment *seg)
{
	const struct {
		struct sctphdr common;
		struct sctp_chunkhdr chunk;
	} *sh;
	typeof(*sh) buf;

	sh = skb_header_pointer(pkt->skb, pkt->l4, sizeof(buf), (void *)&buf);
	seg->kind = sh ? rlb_kind_sctp(sh->chunk.type, ntohl(sh->common.vtag)) : RLB_KIND_MIDDLE;
}

/**
 * rlb_steer_says() - what a packet says of its connection
 * @pkt: a parsed packet
 * @seg: out: its kind and numbers
 */
void rlb_steer_says(const struct rlb_pkt *pkt, struct rlb_segment *seg)
{
	seg->kind = RLB_KIND_QUIET;
	if (pkt->is_error)
		seg->kind = RLB_KIND_ERROR;
	else if (pkt->tuple.proto == IPPROTO_TCP)
		segment_tcp(pkt, seg);
	else if (pkt->tuple.proto == IPPROTO_SCTP)
		segment_sctp(pkt, seg);
}

/**
 * rlb_steer_segment() - what a packet says of its flow
 * @pkt: a parsed packet of a service
 * @reply: it comes from the backend
 * @seg: out
 *
 * A flow of a service of every protocol may be many connections, and begins and ends with none.
 */
void rlb_steer_segment(const struct rlb_pkt *pkt, bool reply, struct rlb_segment *seg)
{
	*seg = (struct rlb_segment){ .kind = RLB_KIND_QUIET, .reply = reply };
	if (pkt->is_error || !rlb_service_is_any(&pkt->service->config))
		rlb_steer_says(pkt, seg);
}

/* Tell a pin of a packet. */
static void seen(const struct rlb_pkt *pkt, struct rlb_pin *pin, const struct rlb_segment *seg)
{
	if (rlb_track_seen(pin, seg, rlb_steer_idle(pkt->service), rlb_flow_now()))
		rlb_pins_changed(&pkt->rn->pins, &pin->key);
}

/**
 * rlb_steer_seen() - tell a pin of a packet from its backend
 * @pkt: the packet
 * @pin: the flow's pin
 */
void rlb_steer_seen(const struct rlb_pkt *pkt, struct rlb_pin *pin)
{
	struct rlb_segment seg;

	rlb_steer_segment(pkt, true, &seg);
	seen(pkt, pin, &seg);
}

/**
 * rlb_steer_heard() - tell a pin of a packet to its backend
 * @pkt: the packet
 * @pin: the flow's pin
 */
void rlb_steer_heard(const struct rlb_pkt *pkt, struct rlb_pin *pin)
{
	struct rlb_segment seg;

	rlb_steer_segment(pkt, false, &seg);
	seen(pkt, pin, &seg);
}

/**
 * rlb_steer_remember() - make a pin
 * @pkt: a packet; if its flow cannot be remembered, it is told why that is, if that is known
 * @seg: what it says of its flow
 * @table: its service's
 * @hash: rlb_key_hash() of the flow
 * @to: the backend that is wanted
 * @anew: whatever was remembered of it before
 *
 * Return: the pin, perhaps with another backend; NULL if the flow could not be remembered.
 */
struct rlb_pin *rlb_steer_remember(struct rlb_pkt *pkt, const struct rlb_segment *seg,
				   const struct rlb_table *table, u64 hash,
				   struct rlb_backend *to, bool anew)
{
	struct rlb_pins *pins = &pkt->rn->pins;
	u32 now = rlb_flow_now();
	struct rlb_pin what;

	what.key = rlb_pin_key(rlb_steer_words(pkt->service, &pkt->tuple));
	RCU_INIT_POINTER(what.backend, to);
	rlb_track_begin(&what, seg, rlb_steer_sees(pkt->service), rlb_steer_idle(pkt->service),
			now);
	if (READ_ONCE(pkt->service->wide))
		return rlb_wide_add(pkt, &what, table, hash, anew);
	return anew ? rlb_pins_put(pins, &what, now) : rlb_pins_add(pins, &what, now);
}

/* All that one packet's way depends on */
struct way {
	const struct rlb_table *table;
	u64 hash;
	struct rlb_choice choice;
	struct rlb_backend *chosen;
	struct rlb_backend *owner;
	struct rlb_backend *old;
	struct rlb_pin *pin;
	struct rlb_backend *pinned;
	struct rlb_segment seg;
	bool late;
};

static bool carries(const struct rlb_backend *b)
{
	return b && READ_ONCE(b->takes) != RLB_TAKES_NONE;
}

static bool takes_new(const struct rlb_backend *b)
{
	return b && READ_ONCE(b->takes) == RLB_TAKES_FLOWS;
}

/*
 * UDP has no beginning. While a slot is in transition, or its owner has not taken less than
 * before for as long as a flow may be silent, what is not remembered counts as begun before.
 */
static bool quiet_is_old(const struct rlb_service *svc, const struct way *w)
{
	if (READ_ONCE(svc->config.udp_drain) == RINGLB_UDP_DRAIN_REHASH)
		return takes_new(w->old);
	return w->old || (w->owner && rlb_seconds() - READ_ONCE(w->owner->waned) <=
				      READ_ONCE(svc->config.timeout));
}

/* May a pin's backend go on with the flow? */
static bool pin_carries(const struct rlb_service *svc, const struct way *w)
{
	if (w->seg.kind == RLB_KIND_QUIET &&
	    READ_ONCE(svc->config.udp_drain) == RINGLB_UDP_DRAIN_REHASH)
		return takes_new(w->pinned);
	return carries(w->pinned);
}

static u8 track_of(const struct rlb_service *svc, const struct way *w)
{
	switch (READ_ONCE(svc->config.track)) {
	case RINGLB_TRACK_NONE:
		return RLB_TRACK_NONE;
	case RINGLB_TRACK_ALL:
		return RLB_TRACK_ALL;
	default:
		return w->late ? RLB_TRACK_ALL : RLB_TRACK_AUTO;
	}
}

/*
 * The service's first packets say that it has flows. One that still holds a table that was
 * replaced as one without is late: its flow is remembered.
 */
static bool is_late(struct rlb_table *table)
{
	return atomic_read(&table->use) < RLB_TABLE_USED &&
	       atomic_cmpxchg(&table->use, RLB_TABLE_UNUSED, RLB_TABLE_USED) == RLB_TABLE_CLOSED;
}

/* An owner that is up may take a share of its flows only: rlb_choose() has asked for this one. */
static void ask(struct rlb_question *q, const struct rlb_service *svc, const struct way *w)
{
	*q = (struct rlb_question){
		.kind = w->seg.kind,
		.track = track_of(svc, w),
		.pinned = w->pin,
		.settled = !w->old,
		.owner_carries = carries(w->owner),
		.owner_takes_new = takes_new(w->owner) && rlb_choice_is_settled(&w->choice),
		.owner_is_up = takes_new(w->owner),
		.old_carries = carries(w->old),
		.old_takes_new = takes_new(w->old),
		.has_choice = w->chosen,
	};
	if (w->seg.kind == RLB_KIND_QUIET)
		q->quiet_is_old = quiet_is_old(svc, w);
	if (!w->pin)
		return;
	q->pin_half = rlb_pin_is_half(w->pin);
	q->pin_fits = rlb_track_fits(w->pin, &w->seg);
	q->pin_carries = pin_carries(svc, w);
	q->pin_takes_new = takes_new(w->pinned);
}

static struct rlb_backend *backend_of(const struct way *w, enum rlb_to to)
{
	switch (to) {
	case RLB_TO_PIN:
		return w->pinned;
	case RLB_TO_OWNER:
		return w->owner;
	case RLB_TO_OLD:
		return w->old;
	case RLB_TO_CHOICE:
		return w->chosen;
	default:
		return NULL;
	}
}

/* Make a pin. Return: where the packet goes, which somebody faster may have decided. */
static struct rlb_backend *remember(struct rlb_pkt *pkt, const struct way *w,
				    struct rlb_backend *to, bool anew,
				    const struct rlb_question *q)
{
	struct rlb_answer a;
	struct rlb_pin *pin;

	pin = rlb_steer_remember(pkt, &w->seg, w->table, w->hash, to, anew);
	if (pin) {
		struct rlb_backend *b = rlb_pin_backend(pin);

		rlb_count(pkt->service->stats, RINGLB_COUNTER_PINNED);
		return carries(b) ? b : to;
	}
	if (pkt->why && READ_ONCE(to->needs_pin))
		return to;	/* to be dropped: it must be remembered */
	a = rlb_track_full(q);
	if (a.unpinned) {
		rlb_pins_count(&pkt->rn->pins, RLB_PINS_UNPINNED);
		rlb_count(pkt->service->stats, RINGLB_COUNTER_LOST);
	}
	return backend_of(w, a.to);
}

/* Does a flow go on elsewhere because the backend that had it carries none any more? */
static bool is_lost(const struct rlb_question *q, const struct rlb_answer *a)
{
	if (a->to != RLB_TO_CHOICE || q->kind == RLB_KIND_BEGIN || q->kind == RLB_KIND_RST)
		return false;
	if (q->pinned)
		return !q->pin_carries;
	return a->remember == RLB_REMEMBER_NEW && q->kind == RLB_KIND_MIDDLE;
}

/* By the rules of track.h */
static struct rlb_backend *steer_flow(struct rlb_pkt *pkt, struct way *w)
{
	struct rlb_service *svc = pkt->service;
	struct rlb_question q;
	struct rlb_backend *to;
	struct rlb_answer a;

	rlb_steer_segment(pkt, false, &w->seg);
	if (w->pin)
		w->pinned = rlb_pin_backend(w->pin);
	ask(&q, svc, w);
	a = rlb_track_decide(&q);
	to = backend_of(w, a.to);
	if (is_lost(&q, &a))
		rlb_count(svc->stats, RINGLB_COUNTER_LOST);
	switch (a.remember) {
	case RLB_REMEMBER_SEEN:
		seen(pkt, w->pin, &w->seg);
		break;
	case RLB_REMEMBER_NEW:
	case RLB_REMEMBER_ANEW:
		return remember(pkt, w, to, a.remember == RLB_REMEMBER_ANEW, &q);
	case RLB_REMEMBER_DROP:
		rlb_pins_drop_pin(&pkt->rn->pins, w->pin, RLB_PINS_REMOVED);
		break;
	}
	return to;
}

/* A choice was made for this packet: is there nothing to remember, and nothing remembered? */
static bool is_plain(const struct rlb_pkt *pkt, const struct way *w)
{
	return rlb_choice_is_settled(&w->choice) && w->chosen && !w->old && !w->late && !w->pin &&
	       rlb_forgets_settled(pkt);
}

static struct rlb_backend *steer(struct rlb_pkt *pkt, struct rlb_table *table,
				 struct rlb_pin *pin, u64 hash)
{
	struct way w = { .table = table, .hash = hash, .late = is_late(table), .pin = pin };

	w.chosen = choose(table, hash, &w.choice);
	w.old = rlb_steer_old_owner(table, &pkt->tuple, w.choice.slot);
	w.owner = table->backend[w.choice.owner];
	if (w.choice.probes > 1)
		rlb_count(pkt->service->stats, RINGLB_COUNTER_LOOKED_AGAIN);
	return is_plain(pkt, &w) ? w.chosen : steer_flow(pkt, &w);
}

/* Does a pin alone decide about a packet? Then it may hear of it. */
static noinline bool leads(const struct rlb_pkt *pkt, struct rlb_pin *pin, bool tell)
{
	struct rlb_segment seg;

	rlb_steer_segment(pkt, false, &seg);
	if (!rlb_track_leads(pin, seg.kind))
		return false;
	if (tell)
		seen(pkt, pin, &seg);
	return true;
}

/**
 * rlb_steer_led() - the backend of a pin that alone decides
 * @pkt: a packet
 * @table: its service's
 * @pin: its flow's
 * @tell: and the pin hears of the packet
 *
 * Return: the backend, NULL if more has to be asked.
 */
struct rlb_backend *rlb_steer_led(const struct rlb_pkt *pkt, const struct rlb_table *table,
				  struct rlb_pin *pin, bool tell)
{
	struct rlb_backend *b = rlb_pin_backend(pin);

	if (!takes_new(b) || atomic_read(&table->use) < RLB_TABLE_USED ||
	    rlb_sabotaged(RLB_SABOTAGE_WRONG_SLOT))
		return NULL;
	return rlb_steer_knows(pkt, pin) || leads(pkt, pin, tell) ? b : NULL;
}

/**
 * rlb_steer_pinned() - rlb_steer() of a flow that is remembered
 * @pkt: as there
 * @table: the service's
 * @pin: the flow's pin
 *
 * Return: as there.
 */
enum rlb_verdict rlb_steer_pinned(struct rlb_pkt *pkt, struct rlb_table *table,
				  struct rlb_pin *pin)
{
	pkt->backend = rlb_steer_led(pkt, table, pin, true);
	if (pkt->backend)
		return RLB_NEXT;
	return rlb_steer_other(pkt, table, pin,
			       rlb_key_hash(&table->secret, table->key, &pkt->tuple));
}

/* Would the answers of the packet's backend find the flow? */
static bool is_remembered(const struct rlb_pkt *pkt)
{
	const struct rlb_pin *pin = rlb_steer_pin(pkt->service, &pkt->tuple);

	return pin && rlb_pin_backend(pin) == pkt->backend;
}

/* For the test of the tests: the backend of a slot's next owner. */
static struct rlb_backend *wrong_one(const struct rlb_table *table, u64 hash)
{
	struct rlb_choice choice;

	choose(table, hash, &choice);
	return table->backend[(choice.owner + 1) % table->view.n];
}

/**
 * rlb_steer_other() - rlb_steer() of packets that have no rlb_plain_owner()
 * @pkt: as there
 * @table: the service's
 * @pin: the flow's pin; NULL if it has none
 * @hash: rlb_key_hash() of the flow
 *
 * Return: as there.
 */
enum rlb_verdict rlb_steer_other(struct rlb_pkt *pkt, struct rlb_table *table,
				 struct rlb_pin *pin, u64 hash)
{
	pkt->backend = steer(pkt, table, pin, hash);
	if (!pkt->backend)
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_BACKEND);
	if (READ_ONCE(pkt->backend->needs_pin) && !is_remembered(pkt))
		return rlb_drop(pkt, pkt->why ?: RINGLB_COUNTER_DROP_UNPINNED);
	if (rlb_sabotaged(RLB_SABOTAGE_WRONG_SLOT) && table->view.n)
		pkt->backend = wrong_one(table, hash);
	return RLB_NEXT;
}
