// SPDX-License-Identifier: GPL-2.0-only
/*
 * wide.c - flows that must be remembered, since nothing else tells whose an answer is
 *
 * In: a packet of a service whose flows have wide pins (flow/pins.h); or what a backend sends.
 * Out: the flow's pin, found or made; or why there is none. Softirq or process context under
 * rcu_read_lock().
 *
 * Where two services send to the same address and port of a backend, a client may come to both
 * from one port. The backend takes its packets for one flow, so the second one has to go to
 * another backend, or it is dropped.
 */
#include "service.h"
#include "snat.h"
#include "stats.h"
#include "steer.h"
#include "table.h"
#include "wide.h"

#define LOOKS 16	/* backends that are tried */

/* By what a flow is found in the client's direction */
static void find_by(const struct rlb_service *svc, const struct rlb_tuple *flow,
		    struct rlb_pin_key *key, struct rlb_end *vip)
{
	*key = rlb_pin_key(rlb_steer_words(svc, flow));
	key->target |= RLB_PIN_WIDE;
	*vip = (struct rlb_end){ .addr = flow->dst, .port = flow->dport };
}

/**
 * rlb_wide_pin() - rlb_steer_pin() of a service whose flows have wide pins
 * @svc: the service
 * @flow: the flow, from client to VIP
 *
 * Return: its pin, perhaps a narrow one that it had before the service needed others; NULL if
 * it has none.
 */
struct rlb_pin *rlb_wide_pin(const struct rlb_service *svc, const struct rlb_tuple *flow)
{
	const struct rlb_pins *pins = &svc->rn->pins;
	u32 now = rlb_flow_now();
	struct rlb_pin_key key;
	struct rlb_end vip;
	struct rlb_pin *pin;

	find_by(svc, flow, &key, &vip);
	pin = rlb_pins_find_wide(pins, &key, &vip, now);
	return pin ?: rlb_pins_find(pins, rlb_steer_words(svc, flow), now);
}

/* What a backend sends to a client */
static struct rlb_tuple answer_of(const struct rlb_tuple *flow, const struct rlb_backend *b)
{
	struct rlb_tuple t = { .family = flow->family, .proto = flow->proto };

	t.src = b->node.addr;
	t.sport = rlb_backend_port(b, flow);
	t.dst = flow->src;
	t.dport = flow->sport;
	return t;
}

/* Is a place that a new flow wants another one's? One that is over makes way. */
static bool stays(struct rlb_pins *pins, struct rlb_pin *pin, bool begins)
{
	if (!rlb_pin_is_expired(pin, rlb_flow_now()) && !(begins && rlb_track_closed(pin)))
		return true;
	rlb_pins_drop_pin(pins, pin, RLB_PINS_EXPIRED);
	return false;
}

static bool is_same_flow(const struct rlb_wide *a, const struct rlb_wide *b)
{
	return !memcmp(&a->pin.key, &b->pin.key, sizeof(a->pin.key)) &&
	       a->vip.port == b->vip.port && !memcmp(&a->vip.addr, &b->vip.addr, sizeof(a->vip.addr));
}

/* Has the client a flow to this backend by way of another service, remembered as all were once? */
static bool has_narrow(const struct rlb_pkt *pkt, const struct rlb_tuple *answer, bool begins)
{
	struct rlb_pins *pins = &pkt->rn->pins;
	const struct rlb_backend *b;
	struct rlb_pin *pin;

	b = rlb_real_find(pkt->rn, answer->family, answer->proto, &answer->src, answer->sport);
	if (!b || b->service == pkt->service)
		return false;
	pin = rlb_pins_find(pins, rlb_steer_words(b->service, &pkt->tuple), rlb_flow_now());
	return pin && rlb_pin_backend(pin) == b && stays(pins, pin, begins);
}

/* Is there a flow already between this client and this backend? */
static bool is_between(const struct rlb_pkt *pkt, const struct rlb_wide *what, bool begins)
{
	struct rlb_tuple answer = answer_of(&pkt->tuple, rlb_pin_backend(&what->pin));
	struct rlb_pins *pins = &pkt->rn->pins;
	struct rlb_wide *other;

	other = rlb_back_look(pins, RLB_BACK_CLIENT, &answer);
	if (other && !is_same_flow(other, what) && stays(pins, &other->pin, begins))
		return true;
	return has_narrow(pkt, &answer, begins);
}

/* Who takes the flow when the one before does not, NULL if nobody does */
static struct rlb_backend *next_choice(const struct rlb_table *table, u64 *hash)
{
	struct rlb_choice choice;

	*hash = rlb_choose_next(*hash);
	rlb_choose(&table->view, *hash, &choice);
	return choice.member < 0 ? NULL : table->backend[choice.member];
}

/* Has the flow a gate, if it needs one? */
static bool has_gate(struct rlb_pkt *pkt, struct rlb_wide *what)
{
	enum ringlb_counter why = pkt->service->config.snat.on ? rlb_snat_gate(pkt, what) : 0;

	if (why)
		pkt->why = why;
	return !why;
}

/**
 * rlb_wide_add() - remember a flow of a service whose flows have wide pins
 * @pkt: the packet; if the flow cannot be remembered, it is told why
 * @begun: as rlb_track_begin() filled it, with the backend that is wanted
 * @table: the service's
 * @hash: of the flow
 * @anew: whatever was remembered of it before
 *
 * If client and backend have a flow with each other already, others are asked.
 *
 * Return: the pin, perhaps with another backend than wanted, or NULL.
 */
struct rlb_pin *rlb_wide_add(struct rlb_pkt *pkt, const struct rlb_pin *begun,
			     const struct rlb_table *table, u64 hash, bool anew)
{
	bool begins = begun->state & (RLB_PIN_HALF | RLB_PIN_QUIET);
	struct rlb_backend *b = rlb_pin_backend(begun);
	struct rlb_wide what = { .pin = *begun };
	enum rlb_widened widened;
	struct rlb_pin *pin;
	u32 i;

	find_by(pkt->service, &pkt->tuple, &what.pin.key, &what.vip);
	for (i = 0; b && i < LOOKS; i++) {
		RCU_INIT_POINTER(what.pin.backend, b);
		what.port = rlb_service_is_nat(pkt->service) ? rlb_backend_port(b, &pkt->tuple) : 0;
		pkt->why = RINGLB_COUNTER_DROP_CLASH;
		if (what.port && is_between(pkt, &what, begins)) {
			b = next_choice(table, &hash);
			continue;
		}
		if (!has_gate(pkt, &what))
			return NULL;
		widened = rlb_pins_add_wide(&pkt->rn->pins, &what, anew, rlb_flow_now(), &pin);
		if (widened == RLB_WIDE_THERE)
			return pin;
		if (widened == RLB_WIDE_FULL) {
			pkt->why = RINGLB_COUNTER_DROP_UNPINNED;
			return NULL;
		}
		/* Somebody was faster to take the place: look at it again. */
	}
	return NULL;
}

/**
 * rlb_wide_answered() - the wide pin of a flow of which a backend's packet is one
 * @pkt: a parsed packet; if there is a pin, service and backend are set, and the tuple is
 *	turned: from the client to what that sent to
 *
 * Return: the pin, which has not heard of it; NULL if there is none.
 */
struct rlb_pin *rlb_wide_answered(struct rlb_pkt *pkt)
{
	struct rlb_tuple *t = &pkt->tuple;
	struct rlb_wide *wide;

	wide = rlb_back_find(&pkt->rn->pins, RLB_BACK_CLIENT, t, rlb_flow_now());
	if (!wide)
		return NULL;
	pkt->backend = rlb_pin_backend(&wide->pin);
	pkt->service = pkt->backend->service;
	t->src = t->dst;
	t->sport = t->dport;
	t->dst = wide->vip.addr;
	t->dport = wide->vip.port;
	return &wide->pin;
}

/**
 * rlb_wide_answers() - is a backend's packet one of a flow that has a wide pin?
 * @pkt: as in rlb_wide_answered()
 *
 * Return: true if so; the pin has heard of it.
 */
bool rlb_wide_answers(struct rlb_pkt *pkt)
{
	struct rlb_pin *pin = rlb_wide_answered(pkt);

	if (pin && !rlb_steer_knows(pkt, pin))
		rlb_steer_seen(pkt, pin);
	return pin;
}
