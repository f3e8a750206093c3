// SPDX-License-Identifier: GPL-2.0-only
/*
 * icmp.c - ICMP errors about our flows, brought to the right end
 *
 * In: an error whose flow is known (parse.c turned the quoted packet round, so service, steer
 * and reply have treated it like a packet of the flow in the error's direction). Out: the
 * error with outer and quoted header translated in opposite ways (RFC 5508, section 4), or
 * dropped if its headers cannot be made writable. Redirects are dropped: the way that they
 * name leads to a backend, of which clients are to know nothing, or it is not that of the
 * backend. Softirq or process context under rcu_read_lock().
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include "backend.h"
#include "forward/rewrite.h"
#include "icmp.h"
#include "service.h"
#include "stats.h"

/**
 * rlb_icmp_in() - an error about a reply, sent to the VIP: it is the backend's
 * @pkt: the error, steered
 *
 * Return: RLB_NEXT or RLB_DROP.
 */
enum rlb_verdict rlb_icmp_in(struct rlb_pkt *pkt)
{
	const struct rlb_index_node *to = &pkt->backend->node;

	if (pkt->is_redirect)
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_REDIRECT);
	if (rlb_rewrite_error(pkt, RLB_SOURCE, &to->addr,
			      rlb_backend_port(pkt->backend, &pkt->tuple), RLB_DESTINATION, true))
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY);
	rlb_count(pkt->service->stats, RINGLB_COUNTER_ICMP_IN);
	return RLB_NEXT;
}

/* True if the error comes from the backend itself and not from a router on the way to it. */
static bool from_backend(const struct rlb_pkt *pkt)
{
	const struct rlb_index_node *b = &pkt->backend->node;

	if (b->family == AF_INET)
		return ip_hdr(pkt->skb)->saddr == b->addr.v4;
	return !memcmp(&ipv6_hdr(pkt->skb)->saddr, &b->addr, sizeof(b->addr));
}

/**
 * rlb_icmp_out() - an error about a request, sent to the client
 * @pkt: the error, recognised by reply.c
 *
 * The client sees what it sent to the VIP. If the backend itself complains, it is the VIP
 * that complains; a router keeps its address.
 *
 * Return: RLB_NEXT or RLB_DROP.
 */
enum rlb_verdict rlb_icmp_out(struct rlb_pkt *pkt)
{
	const struct rlb_tuple *flow = &pkt->tuple;

	if (pkt->is_redirect)
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_REDIRECT);
	if (rlb_rewrite_error(pkt, RLB_DESTINATION, &flow->dst, flow->dport, RLB_SOURCE,
			      from_backend(pkt)))
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY);
	rlb_count(pkt->service->stats, RINGLB_COUNTER_ICMP_OUT);
	return RLB_NEXT;
}
