// SPDX-License-Identifier: GPL-2.0-only
/*
 * snat.c - the gateway in the client's place: addresses and ports of its own
 *
 * In: a new flow that needs an address and port of the gateway, the gate; what backends send to
 * gates; requests that leave. Out: a gate; the packets, with client for gate or gate for
 * client. Softirq or process context under rcu_read_lock().
 *
 * A request is given its backend when it comes in and its gate when it goes out, an answer its
 * client when it comes in and its VIP when it goes out. So all that is between, routing,
 * conntrack and firewalls, see client and backend, as they do without gates.
 * A gate is a flow's as long as the flow is remembered: back.c has no two flows at one place.
 */
#include <linux/random.h>

#include <net/flow.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>

#include "flow/track.h"
#include "forward/rewrite.h"
#include "service.h"
#include "snat.h"
#include "stats.h"

#define PORTS_TRIED 128U	/* for one flow */

/**
 * rlb_snat_check() - may a service have the ports that it wants?
 * @net: the namespace
 * @config: the service
 * @extack: for the reason of a refusal
 *
 * Return: 0 or -EBUSY.
 */
int rlb_snat_check(struct net *net, const struct rlb_service_config *config,
		   struct netlink_ext_ack *extack)
{
	int low, high;

	if (!config->snat.on || config->forced)
		return 0;
	inet_get_local_port_range(net, &low, &high);
	if (config->snat.first > high || config->snat.last < low)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "snat ports are among those that the gateway's own connections get (net.ipv4.ip_local_port_range): give others, or force it");
	return -EBUSY;
}

/* The packet's VRF, if it has one */
static int domain(const struct rlb_pkt *pkt)
{
	const struct nf_hook_state *state = pkt->state;

	return l3mdev_master_ifindex_rcu(state->in ?: state->out);
}

static bool source4(const struct rlb_pkt *pkt, const struct rlb_backend *b, union rlb_addr *addr)
{
	struct flowi4 fl4 = {
		.flowi4_oif = domain(pkt),
		.flowi4_mark = pkt->skb->mark,
		.flowi4_proto = pkt->tuple.proto,
		.daddr = b->node.addr.v4,
	};
	struct rtable *rt = ip_route_output_key(pkt->state->net, &fl4);

	if (IS_ERR(rt))
		return false;
	addr->v4 = fl4.saddr;
	ip_rt_put(rt);
	return true;
}

static bool source6(const struct rlb_pkt *pkt, const struct rlb_backend *b, union rlb_addr *addr)
{
	struct flowi6 fl6 = {
		.flowi6_oif = domain(pkt),
		.flowi6_mark = pkt->skb->mark,
		.flowi6_proto = pkt->tuple.proto,
	};
	struct dst_entry *dst;

	memcpy(&fl6.daddr, &b->node.addr, sizeof(fl6.daddr));
	dst = ip6_dst_lookup_flow(pkt->state->net, NULL, &fl6, NULL);
	if (IS_ERR(dst))
		return false;
	memcpy(addr, &fl6.saddr, sizeof(fl6.saddr));
	dst_release(dst);
	return true;
}

/* The address that the service names; else the one by which the gateway would ask the backend. */
static bool gate_addr(const struct rlb_pkt *pkt, const struct rlb_backend *b,
		      union rlb_addr *addr)
{
	const struct rlb_snat *snat = &pkt->service->config.snat;

	if (snat->has_addr) {
		*addr = snat->addr;
		return true;
	}
	return pkt->tuple.family == AF_INET ? source4(pkt, b, addr) : source6(pkt, b, addr);
}

/* What the backend of a flow sends to an address and port of the gateway */
static struct rlb_tuple to_gate(const struct rlb_wide *wide, const struct rlb_end *gate)
{
	struct rlb_tuple t = { .family = wide->pin.key.family, .proto = wide->pin.key.proto };

	t.src = rlb_pin_backend(&wide->pin)->node.addr;
	t.sport = wide->port;
	t.dst = gate->addr;
	t.dport = gate->port;
	return t;
}

/*
 * Has no flow this gate? One whose time is over gives it back. One that nobody has been seen to
 * mean will do if there is no better.
 */
static bool is_free(struct rlb_pins *pins, const struct rlb_wide *what, struct rlb_wide **unmeant)
{
	struct rlb_tuple t = to_gate(what, &what->gate);
	struct rlb_wide *other;

	if (rlb_back_look(pins, RLB_BACK_CLIENT, &t))	/* the gateway's own connection */
		return false;
	other = rlb_back_look(pins, RLB_BACK_GATE, &t);
	if (!other)
		return true;
	if (rlb_pin_is_expired(&other->pin, rlb_flow_now()))
		return rlb_pins_drop_pin(pins, &other->pin, RLB_PINS_EXPIRED);
	if (!(READ_ONCE(other->pin.state) & RLB_PIN_CONFIRMED) && !*unmeant)
		*unmeant = other;
	return false;
}

/* Any port of the range that is free, or made so */
static bool find_port(const struct rlb_pkt *pkt, struct rlb_wide *what)
{
	const struct rlb_snat *snat = &pkt->service->config.snat;
	u32 n = snat->last - snat->first + 1, at = get_random_u32() % n, i;
	struct rlb_pins *pins = &pkt->rn->pins;
	struct rlb_wide *unmeant = NULL;

	for (i = min(n, PORTS_TRIED); i; i--) {
		what->gate.port = htons(snat->first + at);
		if (is_free(pins, what, &unmeant))
			return true;
		at = at + 1 < n ? at + 1 : 0;
	}
	if (!unmeant)
		return false;
	what->gate.port = unmeant->gate.port;
	return rlb_pins_drop_pin(pins, &unmeant->pin, RLB_PINS_EVICTED);
}

/* Does a flow stay with its backend? Then with its gate, too. */
static bool keeps(const struct rlb_wide *old, const struct rlb_wide *what)
{
	const union rlb_addr *a = &rlb_pin_backend(&old->pin)->node.addr;
	const union rlb_addr *b = &rlb_pin_backend(&what->pin)->node.addr;

	return old->port == what->port && old->gate.port && !memcmp(a, b, sizeof(*a));
}

/**
 * rlb_snat_gate() - find an address and port of the gateway for a flow
 * @pkt: the flow's packet, with its service
 * @what: the flow's pin to be, with backend and port; its gate is set
 *
 * The search begins anywhere and is bounded: with few ports all are tried, with many it finds
 * one as long as they are not taken one beside the other. As in a full flow table, a flow that
 * nobody has been seen to mean makes room.
 *
 * Return: 0, or why there is none: RINGLB_COUNTER_DROP_SNAT_*.
 */
enum ringlb_counter rlb_snat_gate(const struct rlb_pkt *pkt, struct rlb_wide *what)
{
	struct rlb_pin *old;

	old = rlb_pins_look_wide(&pkt->rn->pins, &what->pin.key, &what->vip);
	if (old && keeps(rlb_wide_of(old), what)) {
		what->gate = rlb_wide_of(old)->gate;
		return 0;
	}
	memset(&what->gate, 0, sizeof(what->gate));
	if (!gate_addr(pkt, rlb_pin_backend(&what->pin), &what->gate.addr))
		return RINGLB_COUNTER_DROP_SNAT_ADDRESS;
	return find_port(pkt, what) ? 0 : RINGLB_COUNTER_DROP_SNAT_PORTS;
}

/* Does an error come from the client itself, and not from a router on the way to it? */
static bool from_client(const struct rlb_pkt *pkt)
{
	const union rlb_addr *from = rlb_addr_at(skb_network_header(pkt->skb), pkt->tuple.family,
						 RLB_SOURCE);

	return !memcmp(from, &pkt->tuple.src, rlb_addr_len(pkt->tuple.family));
}

static struct rlb_wide *find(struct rlb_pkt *pkt, enum rlb_back_to to, const struct rlb_tuple *t)
{
	struct rlb_wide *wide = rlb_back_find(&pkt->rn->pins, to, t, rlb_flow_now());

	if (!wide || !wide->gate.port)
		return NULL;
	pkt->backend = rlb_pin_backend(&wide->pin);
	pkt->service = pkt->backend->service;
	return wide;
}

static enum rlb_verdict written(const struct rlb_pkt *pkt, int err)
{
	return err ? rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY) : RLB_NEXT;
}

/**
 * rlb_snat_in() - a backend's packet to a gate is the client's
 * @pkt: a parsed packet, or an error about a request, from the network
 *
 * Return: RLB_NEXT if it is the client's now, RLB_PASS if it is no such packet, RLB_DROP.
 */
enum rlb_verdict rlb_snat_in(struct rlb_pkt *pkt)
{
	const struct rlb_wide *wide = find(pkt, RLB_BACK_GATE, &pkt->tuple);
	const struct rlb_pin_key *client;

	if (!wide)
		return RLB_PASS;
	client = &wide->pin.key;
	if (pkt->is_redirect)
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_REDIRECT);
	if (pkt->is_error)
		return written(pkt, rlb_rewrite_error(pkt, RLB_SOURCE, &client->addr, client->port,
						      RLB_DESTINATION, true));
	return written(pkt, rlb_rewrite(pkt, RLB_DESTINATION, &client->addr, client->port));
}

/**
 * rlb_snat_out() - a request that leaves comes from its gate
 * @pkt: a parsed packet, or an error about an answer, from client to backend
 *
 * Return: RLB_NEXT, RLB_PASS if it is no such packet, RLB_DROP.
 */
enum rlb_verdict rlb_snat_out(struct rlb_pkt *pkt)
{
	const struct rlb_tuple *t = &pkt->tuple;
	const struct rlb_tuple answer = {
		.src = t->dst, .sport = t->dport, .dst = t->src, .dport = t->sport,
		.family = t->family, .proto = t->proto,
	};
	const struct rlb_wide *wide = find(pkt, RLB_BACK_CLIENT, &answer);

	if (!wide)
		return RLB_PASS;
	if (pkt->is_redirect)
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_REDIRECT);
	if (pkt->is_error)
		return written(pkt, rlb_rewrite_error(pkt, RLB_DESTINATION, &wide->gate.addr,
						      wide->gate.port, RLB_SOURCE,
						      from_client(pkt)));
	return written(pkt, rlb_rewrite(pkt, RLB_SOURCE, &wide->gate.addr, wide->gate.port));
}
