// SPDX-License-Identifier: GPL-2.0-only
/*
 * tunnel.c - mode tunnel: packets go to the backend inside packets of the gateway's own
 *
 * In: a packet, or an ICMP error about an answer, and its backend. Out: the packet on its way,
 * one hop older unless this host sent it, behind an outer header from the gateway to the backend,
 * of either family; or dropped. Answers go straight to the client and are not seen.
 * Softirq or process context under rcu_read_lock().
 *
 * The outer packet does not pass LOCAL_OUT, as it would by iptunnel_xmit(): conntrack would
 * remember it by its flow-dependent port, and a service that it matches would take it again.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/udp.h>

#include <net/dsfield.h>
#include <net/dst.h>
#include <net/gre.h>
#include <net/gue.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip_tunnels.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/udp.h>

#include "../backend.h"
#include "../lookup/overhead.h"
#include "../service.h"
#include "../stats.h"
#include "route.h"
#include "transit.h"
#include "tunnel.h"

/**
 * struct outer - what an outer header says, beside addresses
 * @proto: what follows it
 * @dsfield: DSCP and ECN of the packet inside (RFC 2983, RFC 6040)
 * @may_cut: it may be sent in fragments
 * @sport: of the flow inside, if it is UDP
 * @label: of the flow inside, if IPv6 and the host makes any
 */
struct outer {
	u8 proto;
	u8 dsfield;
	bool may_cut;
	__be16 sport;
	__be32 label;
};

/**
 * rlb_tunnel_proto() - the protocol of outer packets
 * @c: a service in mode tunnel
 *
 * Return: IPPROTO_*.
 */
u8 rlb_tunnel_proto(const struct rlb_service_config *c)
{
	switch (c->tunnel) {
	case RINGLB_TUNNEL_GRE:
		return IPPROTO_GRE;
	case RINGLB_TUNNEL_GUE:
		return IPPROTO_UDP;
	default:
		return c->family == AF_INET ? IPPROTO_IPIP : IPPROTO_IPV6;
	}
}

/**
 * rlb_tunnel_overhead() - how much larger packets become
 * @c: a service in mode tunnel
 * @family: of the outer header
 *
 * Return: bytes before the packet inside.
 */
unsigned int rlb_tunnel_overhead(const struct rlb_service_config *c, u8 family)
{
	BUILD_BUG_ON(sizeof(struct iphdr) != RLB_OVERHEAD_IPV4);
	BUILD_BUG_ON(sizeof(struct ipv6hdr) != RLB_OVERHEAD_IPV6);
	BUILD_BUG_ON(sizeof(struct gre_base_hdr) != RLB_OVERHEAD_GRE);
	BUILD_BUG_ON(sizeof(struct udphdr) + sizeof(struct guehdr) != RLB_OVERHEAD_GUE);
	return rlb_overhead(c->tunnel, family);
}

/*
 * May it be sent in fragments if it is too large with an outer header? What asked not to be cut
 * is not, unless it is IPv6 and no larger than what all links must take.
 */
static bool may_cut(const struct rlb_pkt *pkt, unsigned int mtu)
{
	if (pkt->skb->ignore_df)
		return true;
	if (pkt->state->pf == NFPROTO_IPV4)
		return !(ip_hdr(pkt->skb)->frag_off & htons(IP_DF));
	return mtu < IPV6_MIN_MTU;
}

static u8 dsfield_of(const struct rlb_pkt *pkt)
{
	u8 inner = pkt->state->pf == NFPROTO_IPV4 ? ipv4_get_dsfield(ip_hdr(pkt->skb)) :
						    ipv6_get_dsfield(ipv6_hdr(pkt->skb));

	return INET_ECN_encapsulate(inner, inner);
}

/* A label for routers that spread flows by it. */
static __be32 label_of(const struct rlb_pkt *pkt)
{
	struct flowi6 fl6 = { };

	skb_get_hash(pkt->skb);
	return ip6_make_flowlabel(pkt->state->net, pkt->skb, 0, true, &fl6);
}

/* A port for routers and network cards that spread flows by it. */
static __be16 port_of(const struct rlb_pkt *pkt)
{
	return udp_flow_src_port(pkt->state->net, pkt->skb, 0, 0, false);
}

/* What offloads must do for the outer headers. IPv4 needs no checksum of UDP, IPv6 does. */
static int offloads_of(const struct rlb_service_config *c, u8 family)
{
	int ip = family == AF_INET ? SKB_GSO_IPXIP4 : SKB_GSO_IPXIP6;

	switch (c->tunnel) {
	case RINGLB_TUNNEL_GRE:
		return SKB_GSO_GRE;
	case RINGLB_TUNNEL_GUE:
		return ip | (family == AF_INET ? SKB_GSO_UDP_TUNNEL : SKB_GSO_UDP_TUNNEL_CSUM);
	default:
		return ip;
	}
}

/* As an IP header says it, or GUE */
static u8 inner_proto(const struct rlb_pkt *pkt)
{
	return pkt->state->pf == NFPROTO_IPV4 ? IPPROTO_IPIP : IPPROTO_IPV6;
}

/* As a link or GRE says it */
static __be16 inner_type(const struct rlb_pkt *pkt)
{
	return htons(pkt->state->pf == NFPROTO_IPV4 ? ETH_P_IP : ETH_P_IPV6);
}

/* Headers so far become those of the packet inside; nothing of its way so far stays with it. */
static int put_inside(struct rlb_pkt *pkt, u8 family)
{
	const struct rlb_service_config *c = &pkt->service->config;
	struct sk_buff *skb = pkt->skb;

	if (iptunnel_handle_offloads(skb, offloads_of(c, family)))
		return -ENOMEM;
	skb_set_inner_mac_header(skb, skb_inner_network_offset(skb));
	if (c->tunnel == RINGLB_TUNNEL_GRE)
		skb_set_inner_protocol(skb, inner_type(pkt));
	else
		skb_set_inner_ipproto(skb, inner_proto(pkt));
	skb_scrub_packet(skb, false);
	memset(skb->cb, 0, sizeof(skb->cb));
	skb_reset_transport_header(skb);
	return 0;
}

static void put_gre(struct rlb_pkt *pkt)
{
	struct gre_base_hdr *greh = skb_push(pkt->skb, sizeof(*greh));

	skb_reset_transport_header(pkt->skb);
	*greh = (struct gre_base_hdr) { .protocol = inner_type(pkt) };
}

static void put_gue(struct rlb_pkt *pkt, const struct rlb_route *route, const struct outer *outer)
{
	struct sk_buff *skb = pkt->skb;
	struct guehdr *gueh = skb_push(skb, sizeof(*gueh));
	struct udphdr *uh = skb_push(skb, sizeof(*uh));

	skb_reset_transport_header(skb);
	*gueh = (struct guehdr) { .proto_ctype = inner_proto(pkt) };
	*uh = (struct udphdr) {
		.source = outer->sport,
		.dest = pkt->service->config.tunnel_port,
		.len = htons(skb->len),		/* of what is cut again, set again */
	};
	if (pkt->backend->node.family == AF_INET6)
		udp6_set_csum(false, skb, (const struct in6_addr *)&route->src,
			      (const struct in6_addr *)&pkt->backend->node.addr, skb->len);
}

/* What stands between the outer IP header and the packet inside */
static void put_shim(struct rlb_pkt *pkt, const struct rlb_route *route, const struct outer *outer)
{
	if (pkt->service->config.tunnel == RINGLB_TUNNEL_GRE)
		put_gre(pkt);
	else if (pkt->service->config.tunnel == RINGLB_TUNNEL_GUE)
		put_gue(pkt, route, outer);
}

static void put_header4(struct rlb_pkt *pkt, const struct rlb_route *route,
			const struct outer *outer)
{
	struct sk_buff *skb = pkt->skb;
	struct iphdr *iph = skb_push(skb, sizeof(*iph));

	skb_reset_network_header(skb);
	skb->protocol = htons(ETH_P_IP);
	*iph = (struct iphdr) {
		.version = 4,
		.ihl = sizeof(*iph) / 4,
		.tos = outer->dsfield,
		.tot_len = htons(skb->len),	/* of what is cut again, set again */
		.frag_off = outer->may_cut || ip_mtu_locked(route->dst) ? 0 : htons(IP_DF),
		.ttl = ip4_dst_hoplimit(route->dst),
		.protocol = outer->proto,
		.saddr = route->src.v4,
		.daddr = pkt->backend->node.addr.v4,
	};
	__ip_select_ident(pkt->state->net, iph, skb_shinfo(skb)->gso_segs ?: 1);
	ip_send_check(iph);
}

static void put_header6(struct rlb_pkt *pkt, const struct rlb_route *route,
			const struct outer *outer)
{
	struct sk_buff *skb = pkt->skb;
	unsigned int len = skb->len;
	struct ipv6hdr *iph = skb_push(skb, sizeof(*iph));

	skb_reset_network_header(skb);
	skb->protocol = htons(ETH_P_IPV6);
	skb->ignore_df = outer->may_cut;
	ip6_flow_hdr(iph, outer->dsfield, outer->label);
	iph->payload_len = htons(len);	/* of what is cut again, set again */
	iph->nexthdr = outer->proto;
	iph->hop_limit = ip6_dst_hoplimit(route->dst);
	memcpy(&iph->saddr, &route->src, sizeof(iph->saddr));
	memcpy(&iph->daddr, &pkt->backend->node.addr, sizeof(iph->daddr));
}

static enum rlb_verdict send(struct rlb_pkt *pkt, const struct rlb_route *route,
			     struct outer *outer)
{
	u8 family = pkt->backend->node.family;
	unsigned int room = LL_RESERVED_SPACE(route->dst->dev) +
			    rlb_tunnel_overhead(&pkt->service->config, family);

	if (rlb_transit_hop(pkt, room))
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY);
	rlb_transit_count(pkt);
	if (put_inside(pkt, family))
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY);
	put_shim(pkt, route, outer);
	if (family == AF_INET)
		put_header4(pkt, route, outer);
	else
		put_header6(pkt, route, outer);
	rlb_transit_send(pkt, route->dst);
	return RLB_SENT;
}

/* Merged, and with a packet inside already? Of packets inside, an skb knows one's headers. */
static bool is_merged_tunnel(const struct sk_buff *skb)
{
	return skb_is_gso(skb) && skb->encapsulation;
}

/* Cut such a packet into what it was merged from. Sizes have been checked. */
static noinline enum rlb_verdict send_cut(struct rlb_pkt *pkt, const struct rlb_route *route,
					  struct outer *outer)
{
	struct sk_buff *whole = pkt->skb, *part, *next;
	struct sk_buff *parts = skb_gso_segment(whole, 0);

	if (IS_ERR_OR_NULL(parts))
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY);
	skb_list_walk_safe(parts, part, next) {
		skb_mark_not_on_list(part);
		pkt->skb = part;
		if (send(pkt, route, outer) != RLB_SENT)
			kfree_skb(part);
	}
	pkt->skb = whole;
	consume_skb(whole);	/* its parts are on their way */
	return RLB_SENT;
}

/**
 * rlb_tunnel_in() - send a request, or an error about an answer, to its backend
 * @pkt: the packet, steered
 *
 * Return: RLB_SENT, RLB_PASS or RLB_DROP.
 */
enum rlb_verdict rlb_tunnel_in(struct rlb_pkt *pkt)
{
	const struct rlb_service_config *c = &pkt->service->config;
	u8 family = pkt->backend->node.family;
	const struct rlb_route *route;
	enum rlb_verdict verdict;
	struct outer outer;
	unsigned int mtu;

	route = rlb_transit_route(pkt, &verdict);
	if (!route)
		return verdict;
	mtu = dst_mtu(route->dst) - rlb_tunnel_overhead(c, family);
	verdict = rlb_transit_check(pkt, mtu);
	if (verdict != RLB_NEXT)
		return verdict;
	outer = (struct outer) {
		.proto = rlb_tunnel_proto(c),
		.dsfield = dsfield_of(pkt),
		.may_cut = may_cut(pkt, mtu),
		.sport = c->tunnel_port ? port_of(pkt) : 0,
		.label = family == AF_INET6 ? label_of(pkt) : 0,
	};
	return unlikely(is_merged_tunnel(pkt->skb)) ? send_cut(pkt, route, &outer) :
						      send(pkt, route, &outer);
}
