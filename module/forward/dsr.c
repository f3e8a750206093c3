// SPDX-License-Identifier: GPL-2.0-only
/*
 * dsr.c - mode dsr: packets go to the backend as they are, as to a router
 *
 * In: a packet, or an ICMP error about an answer, and its backend. Out: the packet on its way,
 * with the backend as next hop and the VIP as destination still, or dropped. From the network
 * it is sent from here and does not pass FORWARD; one of this host gets another route, and
 * goes on. Answers go straight to the client and are not seen.
 * Softirq or process context under rcu_read_lock().
 */
#include <linux/netdevice.h>

#include <net/dst.h>

#include "../stats.h"
#include "dsr.h"
#include "route.h"
#include "transit.h"

/* A packet of this host: hops and size are the output's business. */
static enum rlb_verdict send_own(struct rlb_pkt *pkt, struct dst_entry *dst)
{
	rlb_transit_count(pkt);
	skb_dst_drop(pkt->skb);
	skb_dst_set(pkt->skb, dst_clone(dst));
	return RLB_NEXT;
}

static enum rlb_verdict send_on(struct rlb_pkt *pkt, struct dst_entry *dst)
{
	enum rlb_verdict verdict = rlb_transit_check(pkt, dst_mtu(dst));

	if (verdict != RLB_NEXT)
		return verdict;
	if (rlb_transit_hop(pkt, LL_RESERVED_SPACE(dst->dev)))
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY);
	rlb_transit_count(pkt);
	rlb_transit_send(pkt, dst);
	return RLB_SENT;
}

/**
 * rlb_dsr_in() - send a request, or an error about an answer, to its backend
 * @pkt: the packet, steered
 *
 * Return: RLB_SENT; RLB_NEXT if it goes on with its route; RLB_PASS or RLB_DROP.
 */
enum rlb_verdict rlb_dsr_in(struct rlb_pkt *pkt)
{
	const struct rlb_route *route;
	enum rlb_verdict verdict;

	route = rlb_transit_route(pkt, &verdict);
	if (!route)
		return verdict;
	return rlb_transit_is_own(pkt) ? send_own(pkt, route->dst) : send_on(pkt, route->dst);
}
