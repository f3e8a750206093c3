// SPDX-License-Identifier: GPL-2.0-only
/*
 * reply.c - is this packet a backend's answer?
 *
 * In: a parsed packet that leaves, or enters, the gateway. Out: its backend and service, or
 * RLB_PASS. Softirq or process context under rcu_read_lock().
 *
 * Of most flows nothing is remembered, so the question is put the other way: would a request
 * of this client to the VIP go to this backend? The packet is a reply if the flow is pinned to
 * its sender; or if its sender owns the flow's slot, whatever its state, had it before a
 * change not long ago, or is who takes the slot's flows just now.
 * Where that does not tell, flows are always remembered: wide.c.
 * A connection made straight to a backend would pass the test by chance, in as many cases as
 * the backend's share says: direct.c has seen it begin and remembers it.
 */
#include "direct.h"
#include "reply.h"
#include "sabotage.h"
#include "service.h"
#include "stats.h"
#include "steer.h"
#include "table.h"
#include "wide.h"

/* The packet's tuple becomes its flow's: from the client to the VIP of the backend's service. */
static void turn_round(struct rlb_pkt *pkt)
{
	const struct rlb_service *svc = pkt->backend->service;
	struct rlb_tuple *t = &pkt->tuple;
	__be16 port = rlb_service_port(svc, t->sport);

	pkt->service = pkt->backend->service;
	t->src = t->dst;
	t->sport = t->dport;
	t->dst = svc->node.addr;
	t->dport = port;
}

/* The backend whose packets come from there */
static struct rlb_backend *sender(const struct rlb_pkt *pkt)
{
	const struct rlb_tuple *t = &pkt->tuple;

	if (rlb_sabotaged(RLB_SABOTAGE_NO_REPLY))
		return NULL;
	return rlb_real_find(pkt->rn, t->family, t->proto, &t->src, t->sport);
}

/* The pin of a remembered flow whose answer it is; NULL if it is none */
static __always_inline struct rlb_pin *pin_of(const struct rlb_pkt *pkt)
{
	struct rlb_pin *pin = rlb_steer_pin(pkt->service, &pkt->tuple);

	return pin && rlb_pin_backend(pin) == pkt->backend ? pin : NULL;
}

/*
 * Has the client come by way of the VIP, as far as the table tells, and not straight?
 * @is_direct: asked whether it has
 */
static __always_inline bool is_owner(const struct rlb_pkt *pkt,
				     bool (*is_direct)(const struct rlb_pkt *pkt))
{
	if (READ_ONCE(pkt->backend->needs_pin))
		return false;
	if (rlb_pins_any_direct(&pkt->rn->pins) && is_direct(pkt))
		return false;
	return rlb_steer_has(rcu_dereference(pkt->service->table), &pkt->tuple, pkt->backend);
}

static __always_inline void tell(const struct rlb_pkt *pkt, struct rlb_pin *pin)
{
	if (!rlb_steer_knows(pkt, pin))
		rlb_steer_seen(pkt, pin);
}

/**
 * rlb_reply_tell() - a pin hears of an answer
 * @pkt: the packet
 * @pin: the flow's pin
 */
void rlb_reply_tell(const struct rlb_pkt *pkt, struct rlb_pin *pin)
{
	tell(pkt, pin);
}

/**
 * rlb_reply_peek() - rlb_reply_find(), but nothing is counted or told
 * @pkt: a parsed packet; @pkt->service and @pkt->backend are set if it may be an answer
 * @pin: out: the flow's pin, for rlb_reply_tell() when the packet goes its way; NULL: none
 *
 * Return: true if it has to be translated; false if not, or if more would have to be asked.
 */
bool rlb_reply_peek(struct rlb_pkt *pkt, struct rlb_pin **pin)
{
	*pin = NULL;
	pkt->backend = sender(pkt);
	if (!pkt->backend)
		return false;
	if (rlb_pins_any_wide(&pkt->rn->pins))
		*pin = rlb_wide_answered(pkt);
	if (*pin)
		return true;
	turn_round(pkt);
	if (rlb_pins_any_vip(&pkt->rn->pins))
		*pin = pin_of(pkt);
	if (*pin)
		return true;
	return is_owner(pkt, rlb_direct_is_known);
}

/* Is it a remembered flow's answer? Then the pin hears of it. */
static noinline bool is_pinned(const struct rlb_pkt *pkt)
{
	struct rlb_pin *pin = pin_of(pkt);

	if (pin)
		tell(pkt, pin);
	return pin;
}

/**
 * rlb_reply_find() - recognise an answer of a backend, or an ICMP error in that direction
 * @pkt: a parsed packet; @pkt->service and @pkt->backend are set
 *
 * Return: RLB_NEXT if it has to be translated, else RLB_PASS.
 */
enum rlb_verdict rlb_reply_find(struct rlb_pkt *pkt)
{
	pkt->backend = sender(pkt);
	if (!pkt->backend)
		return RLB_PASS;
	if (rlb_pins_any_wide(&pkt->rn->pins) && rlb_wide_answers(pkt))
		return RLB_NEXT;
	turn_round(pkt);
	if ((rlb_pins_any_vip(&pkt->rn->pins) && is_pinned(pkt)) ||
	    is_owner(pkt, rlb_direct_answers))
		return RLB_NEXT;
	rlb_count(pkt->service->stats, RINGLB_COUNTER_UNTRANSLATED);
	return RLB_PASS;
}
