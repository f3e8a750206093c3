// SPDX-License-Identifier: GPL-2.0-only
/*
 * direct.c - connections made straight to a backend's own address and port
 *
 * In: a parsed packet, to a backend and not by way of a VIP, or from a backend. Out: the packet
 * goes as it is; its flow is remembered, or is found. Softirq or process context under
 * rcu_read_lock().
 *
 * The answers of such a connection are told from those of the service by nothing that they
 * carry. Those that reply.c would translate are known because the connection has been seen to
 * begin, here: it has a pin whose target is the backend. Client and backend may meet at the
 * same ports by way of the VIP, too, earlier, later or at once. A flow to the VIP that is
 * remembered comes first. Otherwise TCP's numbers tell whose answer it is (track.h), and of
 * datagrams the answer is to who asked last.
 */
#include <linux/netdevice.h>

#include "direct.h"
#include "service.h"
#include "stats.h"
#include "steer.h"
#include "table.h"

/* By what a packet's flow, straight to its backend, is remembered */
static struct rlb_pin_key direct_key(const struct rlb_pkt *pkt)
{
	struct rlb_pin_key key = rlb_pin_key(rlb_steer_words(pkt->service, &pkt->tuple));

	key.target = RLB_PIN_DIRECT | pkt->backend->number;
	return key;
}

static struct rlb_pin *find(const struct rlb_pkt *pkt, const struct rlb_pin_key *key)
{
	return rlb_pins_find(&pkt->rn->pins, rlb_pin_words(key), rlb_flow_now());
}

/* Is it a remembered flow to the VIP, with this backend? One that has ended makes way. */
static bool is_of_vip(const struct rlb_pkt *pkt, const struct rlb_tuple *flow,
		      const struct rlb_segment *seg)
{
	struct rlb_pins *pins = &pkt->rn->pins;
	struct rlb_pin *pin;

	if (!rlb_pins_any_vip(pins))
		return false;
	pin = rlb_steer_pin(pkt->service, flow);
	if (!pin || rlb_pin_backend(pin) != pkt->backend)
		return false;
	if (seg->kind == RLB_KIND_BEGIN && rlb_track_closed(pin))
		return !rlb_pins_drop_pin(pins, pin, RLB_PINS_REMOVED);
	return true;
}

/* Would reply.c take the answers for those of the service? */
static bool is_mistaken(const struct rlb_pkt *pkt, const struct rlb_segment *seg)
{
	const struct rlb_service *svc = pkt->service;
	struct rlb_tuple flow = pkt->tuple;

	flow.dst = svc->node.addr;
	flow.dport = rlb_service_port(svc, flow.dport);
	return is_of_vip(pkt, &flow, seg) ||
	       rlb_steer_has(rcu_dereference(svc->table), &flow, pkt->backend);
}

static void remember(const struct rlb_pkt *pkt, const struct rlb_pin_key *key,
		     const struct rlb_segment *seg, bool anew, u32 now)
{
	struct rlb_pins *pins = &pkt->rn->pins;
	struct rlb_pin what = { .key = *key };
	struct rlb_pin *pin;

	RCU_INIT_POINTER(what.backend, pkt->backend);
	rlb_track_begin(&what, seg, RLB_PIN_REPLIES, rlb_steer_idle(pkt->service), now);
	pin = anew ? rlb_pins_put(pins, &what, now) : rlb_pins_add(pins, &what, now);
	if (!pin && (seg->kind == RLB_KIND_BEGIN || seg->kind == RLB_KIND_QUIET))
		rlb_pins_count(pins, RLB_PINS_UNPINNED);
}

/* A packet to a backend */
static void direct_seen(const struct rlb_pkt *pkt)
{
	struct rlb_pin_key key = direct_key(pkt);
	u32 now = rlb_flow_now();
	struct rlb_pin *pin = NULL;
	struct rlb_segment seg;

	rlb_steer_segment(pkt, false, &seg);
	if (rlb_pins_any_direct(&pkt->rn->pins))
		pin = find(pkt, &key);
	if (pin && (seg.kind != RLB_KIND_BEGIN || rlb_track_fits(pin, &seg)))
		rlb_track_seen(pin, &seg, rlb_steer_idle(pkt->service), now);
	else if (seg.kind != RLB_KIND_RST && is_mistaken(pkt, &seg))
		remember(pkt, &key, &seg, pin, now);
}

/*
 * Of what a VRF sends, LOCAL_OUT sees each packet twice: first as the VRF's, and then, rewritten
 * if it was to a VIP, as that of a device in it.
 */
static bool is_second_look(const struct nf_hook_state *state)
{
	return state->hook == NF_INET_LOCAL_OUT && netif_is_l3_slave(state->out);
}

/**
 * rlb_direct_in() - a packet that is to no VIP: is it straight to a backend?
 * @pkt: a parsed packet; @pkt->service and @pkt->backend may be set
 *
 * Its flow is remembered if its answers would be taken for the service's. If the table is
 * full, they will be: that is counted.
 *
 * Return: RLB_PASS.
 */
enum rlb_verdict rlb_direct_in(struct rlb_pkt *pkt)
{
	const struct rlb_tuple *t = &pkt->tuple;

	if (pkt->is_error || is_second_look(pkt->state))
		return RLB_PASS;
	pkt->backend = rlb_real_find(pkt->rn, t->family, t->proto, &t->dst, t->dport);
	if (pkt->backend) {
		pkt->service = pkt->backend->service;
		direct_seen(pkt);
	}
	return RLB_PASS;
}

/**
 * rlb_direct_answers() - is a backend's packet the answer of a connection straight to it?
 * @pkt: service and backend are set, the tuple is turned: from the client to the VIP
 *
 * A backend that answers a SYN which has not been seen to come straight to it has got it by way
 * of the VIP: then what was remembered of the ports is over.
 *
 * Return: true if so; the pin has heard of it.
 */
bool rlb_direct_answers(const struct rlb_pkt *pkt)
{
	struct rlb_pin_key key = direct_key(pkt);
	struct rlb_pin *pin = find(pkt, &key);
	struct rlb_segment seg;

	if (!pin)
		return false;
	rlb_steer_segment(pkt, true, &seg);
	if (rlb_track_answers(pin, &seg)) {
		rlb_track_seen(pin, &seg, rlb_steer_idle(pkt->service), rlb_flow_now());
		return true;
	}
	if (seg.kind == RLB_KIND_ANSWER && !rlb_pin_is_half(pin))
		rlb_pins_drop(&pkt->rn->pins, &key, pkt->backend);
	return false;
}

/**
 * rlb_direct_is_known() - is a connection straight to a backend remembered with these ports?
 * @pkt: as in rlb_direct_answers()
 *
 * Return: true if so; then the packet may be its answer.
 */
bool rlb_direct_is_known(const struct rlb_pkt *pkt)
{
	struct rlb_pin_key key = direct_key(pkt);

	return find(pkt, &key);
}

/**
 * rlb_direct_forget() - of datagrams the answer is to who asked last
 * @pkt: a packet by way of the VIP, steered
 */
void rlb_direct_forget(const struct rlb_pkt *pkt)
{
	struct rlb_pin_key key;

	if (pkt->is_error || pkt->tuple.proto == IPPROTO_TCP)
		return;
	key = direct_key(pkt);
	if (find(pkt, &key))
		rlb_pins_drop(&pkt->rn->pins, &key, pkt->backend);
}
