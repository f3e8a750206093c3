// SPDX-License-Identifier: GPL-2.0-only
/*
 * hook.c - where packets come in and go out: the table of contents of the packet path
 *
 * In: packets from the netfilter core. Out: NF_* verdicts, which no other file speaks of.
 * Softirq or process context under rcu_read_lock(), which the core takes.
 *
 *   PRE_ROUTING  -210	requests from the network	destination: VIP to backend, or sent on
 *   LOCAL_OUT	  -210	the gateway's own requests	the same, and another route
 *   POST_ROUTING  max	replies to the network		source: backend to VIP
 *   LOCAL_IN	   max	replies to the gateway		the same
 * and for services with snat, where the gateway stands in the client's place:
 *   PRE_ROUTING  -209	replies to the gateway's ports	destination: gateway to client
 *   POST_ROUTING max	requests to backends		source: client to gateway
 * and while there are devices with the fast path, which have a hook of their own (dev.c):
 *   PRE_ROUTING  -211	what these left to the stack	not to be tracked by conntrack
 *
 * -210 is after the kernel's defragmentation (-400) and raw tables (-300) and before
 * conntrack (-200): so conntrack and firewalls see client and backend in both directions, and
 * need not know of us. A packet that has been rewritten does not match again (a backend is no
 * VIP, and a VIP no backend), so it is handled once however often it comes by.
 */
#include <linux/if.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>

#include <net/dst.h>
#include <net/netfilter/ipv4/nf_defrag_ipv4.h>
#include <net/netfilter/ipv6/nf_defrag_ipv6.h>

#include "direct.h"
#include "forward/dsr.h"
#include "fast.h"
#include "forward/nat.h"
#include "forward/outer.h"
#include "forward/tunnel.h"
#include "hook.h"
#include "icmp.h"
#include "none.h"
#include "parse.h"
#include "reply.h"
#include "service.h"
#include "snat.h"
#include "stats.h"
#include "steer.h"

#define PRIORITY_REQUEST (NF_IP_PRI_CONNTRACK - 10)
#define PRIORITY_GATE (PRIORITY_REQUEST + 1)
#define PRIORITY_FAST (PRIORITY_REQUEST - 1)
#define PRIORITY_REPLY INT_MAX

/* Left alone; counted, if it might have been one of ours. */
static noinline enum rlb_verdict pass(struct rlb_pkt *pkt)
{
	if (pkt->is_outer)
		rlb_outer_error(pkt);
	if (pkt->passed)
		rlb_count(pkt->rn->stats, pkt->passed);
	return RLB_PASS;
}

/* To no VIP: straight to a backend, or an error about an outer packet with ports */
static noinline enum rlb_verdict no_service(struct rlb_pkt *pkt)
{
	if (pkt->is_error)
		rlb_outer_error(pkt);
	return rlb_direct_in(pkt);
}

/* In modes whose answers do not come by */
static noinline enum rlb_verdict send_on(struct rlb_pkt *pkt)
{
	if (pkt->is_outer)	/* a VIP that is this host's: it may be about either */
		rlb_outer_error(pkt);
	return rlb_service_is_tunnel(pkt->service) ? rlb_tunnel_in(pkt) : rlb_dsr_in(pkt);
}

static enum rlb_verdict forward(struct rlb_pkt *pkt)
{
	if (unlikely(!rlb_service_is_nat(pkt->service)))
		return send_on(pkt);
	rlb_direct_yield(pkt);
	return pkt->is_error ? rlb_icmp_in(pkt) : rlb_nat_in(pkt);
}

static enum rlb_verdict request(struct rlb_pkt *pkt)
{
	enum rlb_verdict verdict;

	if (rlb_parse(pkt) != RLB_NEXT)
		return pass(pkt);
	if (rlb_service_find(pkt) == RLB_PASS)
		return no_service(pkt);
	verdict = rlb_steer(pkt);
	return verdict == RLB_NEXT ? forward(pkt) : verdict;
}

static enum rlb_verdict reply(struct rlb_pkt *pkt)
{
	enum rlb_verdict verdict;

	verdict = rlb_parse(pkt);
	if (verdict == RLB_NEXT)
		verdict = rlb_reply_find(pkt);
	if (verdict == RLB_NEXT)
		verdict = pkt->is_error ? rlb_icmp_out(pkt) : rlb_nat_out(pkt);
	return verdict;
}

/* What follows a hook's first look at a packet stands apart: most packets do not get there. */

static struct rlb_pkt packet(struct rlb_net *rn, struct sk_buff *skb,
			     const struct nf_hook_state *state)
{
	return (struct rlb_pkt){ .skb = skb, .state = state, .rn = rn };
}

static const void *destination(const struct sk_buff *skb, u8 family)
{
	if (family == AF_INET)
		return &ip_hdr(skb)->daddr;
	return &ipv6_hdr(skb)->daddr;
}

/* Is it neither towards a VIP nor straight towards a backend? */
static bool request_is_foreign(struct rlb_net *rn, const struct sk_buff *skb, u8 family)
{
	return rlb_parse_is_foreign(skb, family, &rn->vips, false) &&
	       rlb_parse_is_foreign(skb, family, &rn->reals, false);
}

/* Dropped because no backend takes it? */
static bool is_for_none(const struct rlb_pkt *pkt)
{
	return pkt->service && !pkt->backend;
}

/* From the network, towards what may be a VIP. */
static noinline unsigned int request_in(struct rlb_net *rn, struct sk_buff *skb,
					const struct nf_hook_state *state)
{
	struct rlb_pkt pkt = packet(rn, skb, state);
	enum rlb_verdict verdict = request(&pkt);

	if (likely(verdict == RLB_NEXT)) {
		skb_dst_drop(skb);	/* if it was routed already, then to the VIP */
		return NF_ACCEPT;
	}
	if (verdict == RLB_SENT)
		return NF_STOLEN;
	if (verdict == RLB_PASS)
		return NF_ACCEPT;
	if (is_for_none(&pkt))
		rlb_none(&pkt);
	return NF_DROP;
}

/* What comes over the loopback has been at LOCAL_OUT; a VRF brings packets twice. */
static bool is_second_time(const struct nf_hook_state *state)
{
	return state->in->flags & IFF_LOOPBACK || netif_is_l3_master(state->in);
}

/* Has a family any service that is not found by its packets' own address? */
static bool has_matches(const struct rlb_net *rn, u8 family)
{
	return rlb_match_sizes(rn, family) & (RLB_MATCH_PREFIX | RLB_MATCH_MARK);
}

/* Might it be of one of these? */
static bool is_matched(struct rlb_net *rn, const struct sk_buff *skb, u8 family)
{
	return rlb_match_marked(rn, family, skb->mark) ||
	       rlb_match_covers(rn, family, destination(skb, family));
}

/* Apart, so that nothing is kept for it where packets are plain */
static noinline unsigned int matched_in(struct rlb_net *rn, struct sk_buff *skb,
					const struct nf_hook_state *state)
{
	if (!is_matched(rn, skb, state->pf) || is_second_time(state))
		return NF_ACCEPT;
	return request_in(rn, skb, state);
}

static unsigned int pre_routing(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct rlb_net *rn = priv;

	if (request_is_foreign(rn, skb, state->pf))
		return unlikely(has_matches(rn, state->pf)) ? matched_in(rn, skb, state) : NF_ACCEPT;
	if (is_second_time(state))
		return NF_ACCEPT;
	return request_in(rn, skb, state);
}

static int route_again(struct rlb_pkt *pkt)
{
	const struct nf_hook_state *state = pkt->state;

	if (!rlb_service_is_nat(pkt->service))
		return 0;	/* it has the route that it needs */
	if (state->pf == NFPROTO_IPV4)
		return ip_route_me_harder(state->net, state->sk, pkt->skb, RTN_UNSPEC);
	return nf_ip6_route_me_harder(state->net, state->sk, pkt->skb);
}

/* From this host, towards what may be a VIP. */
static noinline unsigned int request_out(struct rlb_net *rn, struct sk_buff *skb,
					 const struct nf_hook_state *state)
{
	struct rlb_pkt pkt = packet(rn, skb, state);
	enum rlb_verdict verdict = request(&pkt);

	if (verdict == RLB_DROP && is_for_none(&pkt))
		return NF_DROP_ERR(rlb_none(&pkt));
	if (verdict == RLB_SENT)
		return NF_STOLEN;
	if (verdict == RLB_NEXT && route_again(&pkt))
		verdict = rlb_drop(&pkt, RINGLB_COUNTER_DROP_NO_ROUTE);
	/* The sender, being on this host, is told. */
	return verdict == RLB_DROP ? NF_DROP_ERR(-EHOSTUNREACH) : NF_ACCEPT;
}

static unsigned int local_out(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct rlb_net *rn = priv;

	if (request_is_foreign(rn, skb, state->pf) &&
	    !(has_matches(rn, state->pf) && is_matched(rn, skb, state->pf)))
		return NF_ACCEPT;
	return request_out(rn, skb, state);
}

/* To the network, from what may be a backend. */
static noinline unsigned int reply_out(struct rlb_net *rn, struct sk_buff *skb,
				       const struct nf_hook_state *state)
{
	struct rlb_pkt pkt = packet(rn, skb, state);

	return reply(&pkt) == RLB_DROP ? NF_DROP : NF_ACCEPT;
}

static unsigned int post_routing(void *priv, struct sk_buff *skb,
				 const struct nf_hook_state *state)
{
	struct rlb_net *rn = priv;

	if (rlb_parse_is_foreign(skb, state->pf, &rn->reals, true))
		return NF_ACCEPT;
	return reply_out(rn, skb, state);
}

/* To this host, from what may be a backend. */
static noinline unsigned int reply_in(struct rlb_net *rn, struct sk_buff *skb,
				      const struct nf_hook_state *state)
{
	struct rlb_pkt pkt = packet(rn, skb, state);
	enum rlb_verdict verdict = reply(&pkt);

	if (verdict == RLB_DROP)
		return NF_DROP;
	/* A socket found for it early was found by the backend's address. */
	if (verdict == RLB_NEXT && !pkt.is_error)
		skb_orphan(skb);
	return NF_ACCEPT;
}

static unsigned int local_in(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	struct rlb_net *rn = priv;

	if (rlb_parse_is_foreign(skb, state->pf, &rn->reals, true))
		return NF_ACCEPT;
	return reply_in(rn, skb, state);
}

/* From the network, from what may be a backend to what may be a gate. */
static noinline unsigned int gate_in(struct rlb_net *rn, struct sk_buff *skb,
				     const struct nf_hook_state *state)
{
	struct rlb_pkt pkt = packet(rn, skb, state);
	enum rlb_verdict verdict = rlb_parse(&pkt);

	if (verdict == RLB_NEXT)
		verdict = rlb_snat_in(&pkt);
	if (verdict == RLB_NEXT)
		skb_dst_drop(skb);
	return verdict == RLB_DROP ? NF_DROP : NF_ACCEPT;
}

static unsigned int pre_routing_gate(void *priv, struct sk_buff *skb,
				     const struct nf_hook_state *state)
{
	struct rlb_net *rn = priv;

	if (!rlb_pins_any_wide(&rn->pins) || is_second_time(state) ||
	    rlb_parse_is_foreign(skb, state->pf, &rn->reals, true))
		return NF_ACCEPT;
	return gate_in(rn, skb, state);
}

/* To the network, to what may be a backend. */
static noinline unsigned int gate_out(struct rlb_net *rn, struct sk_buff *skb,
				      const struct nf_hook_state *state)
{
	struct rlb_pkt pkt = packet(rn, skb, state);
	enum rlb_verdict verdict = rlb_parse(&pkt);

	if (verdict == RLB_NEXT)
		verdict = rlb_snat_out(&pkt);
	return verdict == RLB_DROP ? NF_DROP : NF_ACCEPT;
}

static unsigned int post_routing_gate(void *priv, struct sk_buff *skb,
				      const struct nf_hook_state *state)
{
	struct rlb_net *rn = priv;

	if (!rlb_pins_any_wide(&rn->pins) ||
	    rlb_parse_is_foreign(skb, state->pf, &rn->reals, false))
		return NF_ACCEPT;
	return gate_out(rn, skb, state);
}

/* By a device that has the fast path, perhaps. */
static unsigned int pre_routing_fast(void *priv, struct sk_buff *skb,
				     const struct nf_hook_state *state)
{
	rlb_fast_untrack(priv, skb, state);
	return NF_ACCEPT;
}

#define RLB_HOOK(family, number, function, order)			\
	{								\
		.hook = (function),					\
		.pf = (family),						\
		.hooknum = (number),					\
		.priority = (order),					\
	}

#define RLB_HOOKS_OF_NAT(family)						\
	RLB_HOOK(family, NF_INET_PRE_ROUTING, pre_routing, PRIORITY_REQUEST),	\
	RLB_HOOK(family, NF_INET_LOCAL_OUT, local_out, PRIORITY_REQUEST),	\
	RLB_HOOK(family, NF_INET_POST_ROUTING, post_routing, PRIORITY_REPLY),	\
	RLB_HOOK(family, NF_INET_LOCAL_IN, local_in, PRIORITY_REPLY),

#define RLB_HOOKS_OF_SNAT(family)						\
	RLB_HOOK(family, NF_INET_PRE_ROUTING, pre_routing_gate, PRIORITY_GATE),	\
	RLB_HOOK(family, NF_INET_POST_ROUTING, post_routing_gate, PRIORITY_REPLY),

#define RLB_HOOKS_OF_FAST(family)						\
	RLB_HOOK(family, NF_INET_PRE_ROUTING, pre_routing_fast, PRIORITY_FAST),

/* By set; IPv4, IPv6. Those not needed have no function. */
static const struct nf_hook_ops hooks[RLB_HOOK_SETS][2][RLB_HOOKS] = {
	[RLB_HOOKS_NAT] = {
		{ RLB_HOOKS_OF_NAT(NFPROTO_IPV4) },
		{ RLB_HOOKS_OF_NAT(NFPROTO_IPV6) },
	},
	[RLB_HOOKS_SNAT] = {
		{ RLB_HOOKS_OF_SNAT(NFPROTO_IPV4) },
		{ RLB_HOOKS_OF_SNAT(NFPROTO_IPV6) },
	},
	[RLB_HOOKS_FAST] = {
		{ RLB_HOOKS_OF_FAST(NFPROTO_IPV4) },
		{ RLB_HOOKS_OF_FAST(NFPROTO_IPV6) },
	},
};

static u32 *hooked(struct rlb_net *rn, enum rlb_hook_set set, u8 family)
{
	lockdep_assert_held(&rn->cfg_lock);
	return &rn->hooked[set][family == AF_INET6];
}

static int defrag_enable(struct net *net, u8 family)
{
	return family == AF_INET ? nf_defrag_ipv4_enable(net) : nf_defrag_ipv6_enable(net);
}

static void defrag_disable(struct net *net, u8 family)
{
	if (family == AF_INET)
		nf_defrag_ipv4_disable(net);
	else
		nf_defrag_ipv6_disable(net);
}

static unsigned int number_of(enum rlb_hook_set set)
{
	unsigned int n = 0;

	while (n < RLB_HOOKS && hooks[set][0][n].hook)
		n++;
	return n;
}

/* A namespace has copies, so that a packet need not look up the namespace's state. */
static int hooks_add(struct rlb_net *rn, enum rlb_hook_set set, u8 family)
{
	struct nf_hook_ops *ops = rn->hooks[set][family == AF_INET6];
	unsigned int i;

	memcpy(ops, hooks[set][family == AF_INET6], sizeof(hooks[set][0]));
	for (i = 0; i < RLB_HOOKS; i++)
		ops[i].priv = rn;
	return nf_register_net_hooks(rn->net, ops, number_of(set));
}

static void hooks_remove(struct rlb_net *rn, enum rlb_hook_set set, u8 family)
{
	nf_unregister_net_hooks(rn->net, rn->hooks[set][family == AF_INET6], number_of(set));
	defrag_disable(rn->net, family);
}

/**
 * rlb_hooks_get() - a service needs a set of hooks of its family, or a device one of both
 * @rn: the namespace
 * @set: which
 * @family: AF_INET or AF_INET6
 *
 * cfg_lock held; may sleep. With the first service the kernel's defragmentation is switched
 * on and the hooks are registered.
 *
 * Return: 0 or -errno.
 */
int rlb_hooks_get(struct rlb_net *rn, enum rlb_hook_set set, u8 family)
{
	u32 *n = hooked(rn, set, family);
	int err;

	if (*n) {
		(*n)++;
		return 0;
	}
	err = defrag_enable(rn->net, family);
	if (err)
		return err;
	err = hooks_add(rn, set, family);
	if (err) {
		defrag_disable(rn->net, family);
		return err;
	}
	*n = 1;
	return 0;
}

/**
 * rlb_hooks_put() - a service, or a device, needs them no longer
 * @rn: the namespace
 * @set: which
 * @family: AF_INET or AF_INET6
 *
 * cfg_lock held; may sleep. Packets may be inside our hooks until a grace period has passed.
 */
void rlb_hooks_put(struct rlb_net *rn, enum rlb_hook_set set, u8 family)
{
	u32 *n = hooked(rn, set, family);

	if (*n && !--*n)	/* 0 already: rlb_hooks_exit() was here */
		hooks_remove(rn, set, family);
}

/**
 * rlb_hooks_exit() - remove all hooks of a namespace that goes away, services or not
 * @rn: the namespace
 */
void rlb_hooks_exit(struct rlb_net *rn)
{
	static const u8 families[] = { AF_INET, AF_INET6 };
	unsigned int i, set;

	mutex_lock(&rn->cfg_lock);
	for (set = 0; set < RLB_HOOK_SETS; set++)
		for (i = 0; i < ARRAY_SIZE(families); i++) {
			if (!*hooked(rn, set, families[i]))
				continue;
			hooks_remove(rn, set, families[i]);
			*hooked(rn, set, families[i]) = 0;
		}
	mutex_unlock(&rn->cfg_lock);
}
