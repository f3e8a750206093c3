// SPDX-License-Identifier: GPL-2.0-only
/*
 * transit.c - what a router does with a packet that it sends on
 *
 * In: a request that is not rewritten and so does not go by way of FORWARD, at PRE_ROUTING. Out:
 * the same, one hop older, or dropped, counted, and its sender told by an ICMP error: it comes
 * from the gateway, and quotes what was sent to the VIP.
 * Softirq or process context under rcu_read_lock().
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include <net/dst.h>
#include <net/icmp.h>
#include <net/ip.h>
#include <net/route.h>

#include "../stats.h"
#include "transit.h"

/* Of IPv4, errors are sent only about packets that have a route: the one back does. */
static int route_back(struct sk_buff *skb, struct net *net)
{
	struct flowi4 fl4 = { .daddr = ip_hdr(skb)->saddr };
	struct rtable *rt = ip_route_output_key(net, &fl4);

	if (IS_ERR(rt))
		return PTR_ERR(rt);
	skb_dst_drop(skb);
	skb_dst_set(skb, &rt->dst);
	return 0;
}

static enum rlb_verdict refuse4(struct rlb_pkt *pkt, u8 type, u8 code, u32 info,
				enum ringlb_counter reason)
{
	if (!route_back(pkt->skb, pkt->state->net))
		icmp_send(pkt->skb, type, code, htonl(info));
	return rlb_drop(pkt, reason);
}

static enum rlb_verdict refuse6(struct rlb_pkt *pkt, u8 type, u8 code, u32 info,
				enum ringlb_counter reason)
{
	icmpv6_send(pkt->skb, type, code, info);
	return rlb_drop(pkt, reason);
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

	if (iph->ttl <= 1)
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
	if (ipv6_hdr(pkt->skb)->hop_limit <= 1)
		return refuse6(pkt, ICMPV6_TIME_EXCEED, ICMPV6_EXC_HOPLIMIT, 0,
			       RINGLB_COUNTER_DROP_TTL);
	if (IP6CB(pkt->skb)->frag_max_size > mtu || is_larger(pkt->skb, mtu))
		return refuse6(pkt, ICMPV6_PKT_TOOBIG, 0, mtu, RINGLB_COUNTER_DROP_TOO_BIG);
	return RLB_NEXT;
}

/**
 * rlb_transit_check() - may a packet go one hop further, on a way that takes so much?
 * @pkt: the packet, at PRE_ROUTING
 * @mtu: of the way, for the packet as it is
 *
 * Return: RLB_NEXT, or RLB_DROP with the sender told.
 */
enum rlb_verdict rlb_transit_check(struct rlb_pkt *pkt, unsigned int mtu)
{
	return pkt->state->pf == NFPROTO_IPV4 ? check4(pkt, mtu) :
						check6(pkt, max_t(u32, mtu, IPV6_MIN_MTU));
}

/**
 * rlb_transit_hop() - a packet becomes one hop older
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
	skb->tstamp = 0;	/* when it came is not when it is to leave */
	if (pkt->state->pf == NFPROTO_IPV4) {
		ip_decrease_ttl(ip_hdr(skb));
		skb->priority = rt_tos2priority(ip_hdr(skb)->tos);
		IPCB(skb)->flags |= IPSKB_FORWARDED;
	} else {
		ipv6_hdr(skb)->hop_limit--;
		IP6CB(skb)->flags |= IP6SKB_FORWARDED;
	}
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
