// SPDX-License-Identifier: GPL-2.0-only
/*
 * transit.c - what a router does with a packet that it sends on
 *
 * In: a request that is not rewritten and so does not go by way of FORWARD. Out: the same, one
 * hop older unless this host sent it, or dropped, counted, and its sender told by an ICMP error:
 * it comes from the gateway, and quotes what was sent to the VIP.
 * Softirq or process context under rcu_read_lock().
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include <net/dst.h>
#include <net/icmp.h>
#include <net/ip.h>
#include <net/route.h>

#include "../stats.h"
#include "route.h"
#include "transit.h"

/* Of IPv4, errors are sent only about packets that have a route: the one back does. */
static int route_back(struct sk_buff *skb, struct net *net)
{
	struct flowi4 fl4 = { .daddr = ip_hdr(skb)->saddr };
	struct rtable *rt = ip_route_output_key(net, &fl4);

	if (IS_ERR(rt))
		return PTR_ERR(rt);
	skb_dst_set(skb, &rt->dst);
	return 0;
}

/**
 * rlb_transit_tell4() - send an ICMP error about a packet to its sender
 * @skb: the packet, IPv4, perhaps without a route
 * @net: the namespace
 * @type: of the error
 * @code: of the error
 * @info: its third word
 */
void rlb_transit_tell4(struct sk_buff *skb, struct net *net, u8 type, u8 code, u32 info)
{
	if (skb_dst(skb) || !route_back(skb, net))
		icmp_send(skb, type, code, htonl(info));
}

/**
 * rlb_transit_tell6() - send an ICMPv6 error about a packet to its sender
 * @skb: the packet, IPv6
 * @net: the namespace
 * @type: of the error
 * @code: of the error
 * @info: its third word
 */
void rlb_transit_tell6(struct sk_buff *skb, struct net *net, u8 type, u8 code, u32 info)
{
	if (!skb->dev)	/* from this host */
		skb->dev = net->loopback_dev;
	icmpv6_send(skb, type, code, info);
}

static enum rlb_verdict refuse4(struct rlb_pkt *pkt, u8 type, u8 code, u32 info,
				enum ringlb_counter reason)
{
	if (!rlb_transit_is_own(pkt))
		skb_dst_drop(pkt->skb);
	rlb_transit_tell4(pkt->skb, pkt->state->net, type, code, info);
	return rlb_drop(pkt, reason);
}

static enum rlb_verdict refuse6(struct rlb_pkt *pkt, u8 type, u8 code, u32 info,
				enum ringlb_counter reason)
{
	rlb_transit_tell6(pkt->skb, pkt->state->net, type, code, info);
	return rlb_drop(pkt, reason);
}

static bool is_used_up(const struct rlb_pkt *pkt, u8 hops)
{
	return hops <= 1 && !rlb_transit_is_own(pkt);
}

/* Merged packets are cut again, by the size of what they were merged from. */
static bool is_larger(const struct sk_buff *skb, unsigned int mtu)
{
	return skb->len > mtu && !skb->ignore_df &&
	       !(skb_is_gso(skb) && skb_gso_validate_network_len(skb, mtu));
}

static enum rlb_verdict check4(struct rlb_pkt *pkt, unsigned int mtu)
{
	const struct iphdr *iph = ip_hdr(pkt->skb);

	if (is_used_up(pkt, iph->ttl))
		return refuse4(pkt, ICMP_TIME_EXCEEDED, ICMP_EXC_TTL, 0, RINGLB_COUNTER_DROP_TTL);
	/* What came in fragments leaves in fragments that are not larger. */
	if (iph->frag_off & htons(IP_DF) &&
	    (IPCB(pkt->skb)->frag_max_size > mtu || is_larger(pkt->skb, mtu)))
		return refuse4(pkt, ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED, mtu,
			       RINGLB_COUNTER_DROP_TOO_BIG);
	return RLB_NEXT;
}

static enum rlb_verdict check6(struct rlb_pkt *pkt, unsigned int mtu)
{
	if (is_used_up(pkt, ipv6_hdr(pkt->skb)->hop_limit))
		return refuse6(pkt, ICMPV6_TIME_EXCEED, ICMPV6_EXC_HOPLIMIT, 0,
			       RINGLB_COUNTER_DROP_TTL);
	if (IP6CB(pkt->skb)->frag_max_size > mtu || is_larger(pkt->skb, mtu))
		return refuse6(pkt, ICMPV6_PKT_TOOBIG, 0, mtu, RINGLB_COUNTER_DROP_TOO_BIG);
	return RLB_NEXT;
}

/**
 * rlb_transit_route() - the way on for a packet that is not rewritten
 * @pkt: the packet, or an ICMP error about an answer; steered
 * @verdict: out: if it has none, RLB_PASS or RLB_DROP
 *
 * What the link's broadcast brought is left to the kernel, which forwards no such thing.
 *
 * Return: the route to the backend, valid as long as the caller holds rcu_read_lock(); NULL if
 * the packet does not go there.
 */
const struct rlb_route *rlb_transit_route(struct rlb_pkt *pkt, enum rlb_verdict *verdict)
{
	const struct rlb_route *route;
	enum ringlb_counter why;

	if (pkt->is_redirect) {
		*verdict = rlb_drop(pkt, RINGLB_COUNTER_DROP_REDIRECT);
		return NULL;
	}
	*verdict = RLB_PASS;
	if (pkt->skb->pkt_type != PACKET_HOST)
		return NULL;
	route = rlb_route_get(pkt, &why);
	if (!route)
		*verdict = rlb_drop(pkt, why);
	return route;
}

/**
 * rlb_transit_check() - may a packet go one hop further, on a way that takes so much?
 * @pkt: the packet
 * @mtu: of the way, for the packet as it is
 *
 * Return: RLB_NEXT, or RLB_DROP with the sender told.
 */
enum rlb_verdict rlb_transit_check(struct rlb_pkt *pkt, unsigned int mtu)
{
	return pkt->state->pf == NFPROTO_IPV4 ? check4(pkt, mtu) :
						check6(pkt, max_t(u32, mtu, IPV6_MIN_MTU));
}

static void grow_older(struct rlb_pkt *pkt)
{
	struct sk_buff *skb = pkt->skb;

	skb->tstamp = 0;	/* when it came is not when it is to leave */
	if (pkt->state->pf == NFPROTO_IPV4) {
		ip_decrease_ttl(ip_hdr(skb));
		skb->priority = rt_tos2priority(ip_hdr(skb)->tos);
		IPCB(skb)->flags |= IPSKB_FORWARDED;
	} else {
		ipv6_hdr(skb)->hop_limit--;
		IP6CB(skb)->flags |= IP6SKB_FORWARDED;
	}
}

/**
 * rlb_transit_hop() - a packet becomes one hop older, unless it begins its way here
 * @pkt: the packet, checked; pointers into it do not survive
 * @headroom: bytes that are to be put before it
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_transit_hop(struct rlb_pkt *pkt, unsigned int headroom)
{
	struct sk_buff *skb = pkt->skb;

	if (skb_cow(skb, headroom))
		return -ENOMEM;
	skb_forward_csum(skb);
	if (!rlb_transit_is_own(pkt))
		grow_older(pkt);
	return 0;
}

/**
 * rlb_transit_count() - count a packet that is about to be sent to its backend
 * @pkt: the packet, or an ICMP error
 */
void rlb_transit_count(const struct rlb_pkt *pkt)
{
	if (pkt->is_error)
		rlb_count(pkt->service->stats, RINGLB_COUNTER_ICMP_IN);
	else
		rlb_count_traffic(pkt, RINGLB_COUNTER_PACKETS_IN);
}

/**
 * rlb_transit_send() - send a packet on, past FORWARD
 * @pkt: the packet; belongs to the kernel's output from now on
 * @dst: its route, valid as long as the caller holds rcu_read_lock()
 */
void rlb_transit_send(struct rlb_pkt *pkt, struct dst_entry *dst)
{
	struct sk_buff *skb = pkt->skb;

	skb_dst_drop(skb);
	skb_dst_set_noref(skb, dst);
	dst_output(pkt->state->net, NULL, skb);
}
