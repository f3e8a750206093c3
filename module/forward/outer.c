// SPDX-License-Identifier: GPL-2.0-only
/*
 * outer.c - ICMP errors about the outer packets of mode tunnel
 *
 * In: an error to this host that quotes a packet of a tunnel's protocol. Out: the kernel knows
 * how large packets to that backend may be, and the sender of the packet inside is told, as far as
 * that is quoted: it knows nothing of the tunnel. The error goes its way.
 * Packets: softirq or process context under rcu_read_lock(). Backends: process context under
 * cfg_lock.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include <net/dst.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "../backend.h"
#include "../match.h"
#include "../own.h"
#include "../service.h"
#include "../stats.h"
#include "outer.h"
#include "route.h"
#include "transit.h"
#include "tunnel.h"

#define INNER4_MIN (sizeof(struct iphdr) + 8)		/* of a packet, for an error about it */
#define INNER6_MIN (sizeof(struct ipv6hdr) + 8)

/**
 * struct trouble - what an error says of an outer packet
 * @too_large: it is, and @mtu is what its way takes; else it did not arrive
 * @mtu: bytes
 */
struct trouble {
	bool too_large;
	u32 mtu;
};

static bool read4(const struct rlb_pkt *pkt, struct trouble *what)
{
	const struct icmphdr *icmph;
	struct icmphdr buf;

	icmph = skb_header_pointer(pkt->skb, pkt->l4, sizeof(buf), &buf);
	if (!icmph)
		return false;
	what->too_large = icmph->type == ICMP_DEST_UNREACH && icmph->code == ICMP_FRAG_NEEDED;
	what->mtu = ntohs(icmph->un.frag.mtu);
	return what->too_large || icmph->type == ICMP_DEST_UNREACH ||
	       icmph->type == ICMP_TIME_EXCEEDED;
}

static bool read6(const struct rlb_pkt *pkt, struct trouble *what)
{
	const struct icmp6hdr *icmph;
	struct icmp6hdr buf;

	icmph = skb_header_pointer(pkt->skb, pkt->l4, sizeof(buf), &buf);
	if (!icmph)
		return false;
	what->too_large = icmph->icmp6_type == ICMPV6_PKT_TOOBIG;
	what->mtu = ntohl(icmph->icmp6_mtu);
	return what->too_large || icmph->icmp6_type == ICMPV6_DEST_UNREACH ||
	       icmph->icmp6_type == ICMPV6_TIME_EXCEED;
}

/* To whom a tunnel leads, NULL if the error is about no packet of a tunnel from here */
static struct rlb_backend *find_end(const struct rlb_pkt *pkt)
{
	const struct rlb_tuple *t = &pkt->tuple;	/* turned round: from the backend */
	struct rlb_index_node *node;

	node = rlb_index_find(&pkt->rn->ends, t->family, t->proto, &t->src, t->sport);
	if (!node || !rlb_own_has(pkt->state->net, t->family, &t->dst))
		return NULL;
	return container_of(node, struct rlb_backend, end);
}

/* A copy of the error that begins with the header at @offset, in one piece if it is IPv6. */
static struct sk_buff *quoted_at(const struct rlb_pkt *pkt, unsigned int offset)
{
	struct sk_buff *skb = skb_clone(pkt->skb, GFP_ATOMIC);

	if (!skb)
		return NULL;
	if (!pskb_may_pull(skb, min(skb->len, offset + INNER6_MIN)) ||
	    skb->len < offset + INNER4_MIN) {
		kfree_skb(skb);
		return NULL;
	}
	__skb_pull(skb, offset);
	skb_reset_network_header(skb);
	skb_dst_drop(skb);
	memset(skb->cb, 0, sizeof(skb->cb));
	return skb;
}

/* The kernel's route to the backend gets narrower; ours follows, being its. */
static void remember(const struct rlb_pkt *pkt, u32 mtu)
{
	struct sk_buff *skb = quoted_at(pkt, pkt->quoted);
	struct net *net = pkt->state->net;

	if (!skb)
		return;
	if (pkt->tuple.family == AF_INET)
		ipv4_update_pmtu(skb, net, mtu, 0, pkt->tuple.proto);
	else
		ip6_update_pmtu(skb, net, htonl(mtu), 0, 0, sock_net_uid(net, NULL));
	consume_skb(skb);
}

static void tell4(struct sk_buff *skb, struct net *net, const struct trouble *what, u32 mtu)
{
	skb->protocol = htons(ETH_P_IP);
	if (!what->too_large)
		rlb_transit_tell4(skb, net, ICMP_DEST_UNREACH, ICMP_HOST_UNREACH, 0);
	else if (ip_hdr(skb)->frag_off & htons(IP_DF))
		rlb_transit_tell4(skb, net, ICMP_DEST_UNREACH, ICMP_FRAG_NEEDED, mtu);
}

static void tell6(struct sk_buff *skb, struct net *net, const struct trouble *what, u32 mtu)
{
	skb->protocol = htons(ETH_P_IPV6);
	if (!what->too_large)
		rlb_transit_tell6(skb, net, ICMPV6_DEST_UNREACH, ICMPV6_ADDR_UNREACH, 0);
	else
		rlb_transit_tell6(skb, net, ICMPV6_PKT_TOOBIG, 0, max_t(u32, mtu, IPV6_MIN_MTU));
}

static bool may_be_vip(const struct rlb_net *rn, u8 family, const void *addr)
{
	return rlb_index_knows(&rn->vips, family, addr) ||
	       (rlb_match_sizes(rn, family) & RLB_MATCH_PREFIX &&
		rlb_match_covers(rn, family, addr));
}

/* Is what begins here, so far as it is there, a packet to a VIP? */
static bool is_to_vip(const struct rlb_net *rn, const struct sk_buff *skb)
{
	if (ip_hdr(skb)->version == 4)
		return may_be_vip(rn, AF_INET, &ip_hdr(skb)->daddr);
	return ipv6_hdr(skb)->version == 6 && skb_headlen(skb) >= INNER6_MIN &&
	       may_be_vip(rn, AF_INET6, &ipv6_hdr(skb)->daddr);
}

static void tell(const struct rlb_pkt *pkt, const struct rlb_backend *b,
		 const struct trouble *what)
{
	unsigned int overhead = rlb_tunnel_overhead(&b->service->config, b->node.family);
	u32 mtu = what->mtu > overhead ? what->mtu - overhead : 0;
	struct sk_buff *skb = quoted_at(pkt, pkt->quoted + overhead);

	if (!skb)
		return;
	if (is_to_vip(pkt->rn, skb)) {
		rlb_count(b->service->stats, RINGLB_COUNTER_ICMP_OUT);
		if (ip_hdr(skb)->version == 4)
			tell4(skb, pkt->state->net, what, mtu);
		else
			tell6(skb, pkt->state->net, what, mtu);
	}
	consume_skb(skb);
}

/**
 * rlb_outer_error() - an ICMP error, perhaps about an outer packet of ours
 * @pkt: the error, parsed: it quotes a packet of a protocol that tunnels have
 */
void rlb_outer_error(struct rlb_pkt *pkt)
{
	struct rlb_backend *b = find_end(pkt);
	struct trouble what;

	if (!b || pkt->is_redirect)
		return;
	if (!(pkt->tuple.family == AF_INET ? read4(pkt, &what) : read6(pkt, &what)))
		return;
	if (what.too_large)
		remember(pkt, what.mtu);
	tell(pkt, b, &what);
}

static bool is_same_end(const struct rlb_backend *a, const struct rlb_backend *b)
{
	return a->end.family == b->end.family && a->end.proto == b->end.proto &&
	       a->end.port == b->end.port &&
	       !memcmp(&a->end.addr, &b->end.addr, sizeof(a->end.addr));
}

/* Another backend in force, of whatever service, to which the same outer packets go */
static struct rlb_backend *find_other(const struct rlb_backend *b)
{
	struct rlb_service *svc;
	unsigned long id;
	u32 i;

	xa_for_each(&b->service->rn->services, id, svc)
		for (i = 0; rlb_service_is_tunnel(svc) && i < svc->set.n; i++)
			if (svc->set.item[i].backend != b &&
			    is_same_end(svc->set.item[i].backend, b))
				return svc->set.item[i].backend;
	return NULL;
}

/**
 * rlb_outer_reserve() - make sure that rlb_outer_link() will not fail
 * @rn: the namespace; cfg_lock held
 * @more: for so many backends
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_outer_reserve(struct rlb_net *rn, u32 more)
{
	return rlb_index_reserve(&rn->ends, more);
}

/**
 * rlb_outer_link() - errors about packets to a backend are looked for
 * @b: the backend, of a service in mode tunnel; cfg_lock held
 *
 * Of several to which the same packets go, one is found.
 */
void rlb_outer_link(struct rlb_backend *b)
{
	struct rlb_net *rn = b->service->rn;

	if (rlb_index_find(&rn->ends, b->end.family, b->end.proto, &b->end.addr, b->end.port))
		return;
	rlb_index_insert(&rn->ends, &b->end);
	b->is_end = true;
}

/**
 * rlb_outer_hide() - they are not any more, unless other backends are there
 * @b: the backend, about to be freed; cfg_lock held
 */
void rlb_outer_hide(struct rlb_backend *b)
{
	struct rlb_backend *other;

	if (!b->is_end)
		return;
	other = find_other(b);
	if (other) {
		rlb_index_replace(&b->service->rn->ends, &b->end, &other->end);
		other->is_end = true;
	} else {
		rlb_index_remove(&b->service->rn->ends, &b->end);
	}
	b->is_end = false;
}
