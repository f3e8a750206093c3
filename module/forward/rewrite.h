/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rewrite.h - change addresses and ports, and every checksum over them
 */
#ifndef _RINGLB_REWRITE_H
#define _RINGLB_REWRITE_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <net/checksum.h>
#include <net/ip.h>

#include "../index.h"
#include "../parse.h"
#include "../ringlb.h"
#include "../sabotage.h"

enum rlb_side {
	RLB_SOURCE,
	RLB_DESTINATION,
};

static inline union rlb_addr *rlb_addr_at(void *iph, u8 family, enum rlb_side side)
{
	if (family == AF_INET)
		return side == RLB_SOURCE ? iph + offsetof(struct iphdr, saddr) :
					    iph + offsetof(struct iphdr, daddr);
	return side == RLB_SOURCE ? iph + offsetof(struct ipv6hdr, saddr) :
				    iph + offsetof(struct ipv6hdr, daddr);
}

/* Source and destination port are the first two fields of TCP, UDP and SCTP alike. */
static inline __be16 *rlb_port_at(struct sk_buff *skb, unsigned int l4, enum rlb_side side)
{
	return (__be16 *)(skb->data + l4) + (side == RLB_DESTINATION);
}

static inline void rlb_set_addr(union rlb_addr *field, u8 family, const union rlb_addr *addr)
{
	if (family == AF_INET)
		field->v4 = addr->v4;
	else
		memcpy(field, addr, sizeof(*field));
}

/* A sum learns that an address which it covers, in the pseudo header or not, changes. */
static inline void rlb_sum_addr(__sum16 *sum, struct sk_buff *skb, u8 family,
				const union rlb_addr *from, const union rlb_addr *to, bool pseudo)
{
	if (family == AF_INET)
		inet_proto_csum_replace4(sum, skb, from->v4, to->v4, pseudo);
	else
		inet_proto_csum_replace16(sum, skb, from->v6, to->v6, pseudo);
}

/*
 * The packet's own transport checksum; NULL if there is none: a UDP sender may leave it out
 * (RFC 768), and then it stays out. In IPv6 that is legal for some tunnels (RFC 6936).
 */
static inline __sum16 *rlb_transport_sum(struct sk_buff *skb, unsigned int l4, u8 proto)
{
	struct udphdr *uh = (struct udphdr *)(skb->data + l4);

	if (rlb_sabotaged(RLB_SABOTAGE_STALE_CHECKSUM))
		return NULL;
	if (proto == IPPROTO_TCP)
		return &((struct tcphdr *)uh)->check;
	return uh->check || skb->ip_summed == CHECKSUM_PARTIAL ? &uh->check : NULL;
}

static inline u64 rlb_add_with_carry(u64 a, u64 b)
{
	a += b;
	return a + (a < b);
}

/* The order of 32-bit words is all the same to a sum. */
static __always_inline __wsum rlb_addr6_diff(const union rlb_addr *from,
					     const union rlb_addr *to)
{
	u64 sum = rlb_add_with_carry(rlb_addr_half(to, 0), rlb_addr_half(to, 1));

	sum = rlb_add_with_carry(sum, ~rlb_addr_half(from, 0));
	sum = rlb_add_with_carry(sum, ~rlb_addr_half(from, 1));
	return csum_add((__force __wsum)(u32)sum, (__force __wsum)(u32)(sum >> 32));
}

/* What a sum over an address gains when that becomes another one. */
static __always_inline __wsum rlb_addr_diff(u8 family, const union rlb_addr *from,
					    const union rlb_addr *to)
{
	if (family == AF_INET)
		return csum_sub((__force __wsum)to->v4, (__force __wsum)from->v4);
	return rlb_addr6_diff(from, to);
}

static inline __wsum rlb_port_diff(__be16 from, __be16 to)
{
	return csum_sub((__force __wsum)(__force u16)to, (__force __wsum)(__force u16)from);
}

/* Sums that devices have a share in, or the packet's own sum of everything beside. */
static inline bool rlb_sum_is_shared(const struct sk_buff *skb)
{
	return skb->ip_summed == CHECKSUM_PARTIAL || skb->ip_summed == CHECKSUM_COMPLETE;
}

/* Of a TCP or UDP packet whose headers are writable. @shared: rlb_sum_is_shared() */
static __always_inline void rlb_rewrite_headers(struct rlb_pkt *pkt, enum rlb_side side,
						const union rlb_addr *addr, __be16 port,
						bool shared)
{
	struct sk_buff *skb = pkt->skb;
	u8 family = pkt->tuple.family;
	union rlb_addr *old_addr = rlb_addr_at(skb_network_header(skb), family, side);
	__be16 *old_port = rlb_port_at(skb, pkt->l4, side);
	__wsum diff = rlb_addr_diff(family, old_addr, addr);
	__sum16 *sum = rlb_transport_sum(skb, pkt->l4, pkt->tuple.proto);

	if (family == AF_INET)
		csum_replace_by_diff(&ip_hdr(skb)->check, diff);
	if (sum) {
		if (shared) {
			rlb_sum_addr(sum, skb, family, old_addr, addr, true);
			inet_proto_csum_replace2(sum, skb, *old_port, port, false);
		} else {
			csum_replace_by_diff(sum, csum_add(diff, rlb_port_diff(*old_port, port)));
		}
		if (pkt->tuple.proto == IPPROTO_UDP && !*sum)
			*sum = CSUM_MANGLED_0;	/* 0 would say: no checksum */
	}
	rlb_set_addr(old_addr, family, addr);
	*old_port = port;
}

/* How far into the packet a rewrite writes. */
static inline unsigned int rlb_rewrite_end(const struct rlb_pkt *pkt)
{
	return pkt->l4 + rlb_transport_len(pkt->tuple.proto);
}

int rlb_rewrite_other(struct rlb_pkt *pkt, enum rlb_side side, const union rlb_addr *addr,
		      __be16 port);

/**
 * rlb_rewrite() - give a packet another source or destination
 * @pkt: a parsed packet, no ICMP error
 * @side: which
 * @addr: new address
 * @port: new port
 *
 * Inline, so that each caller has its side's own. Most packets are of TCP or UDP, in one piece
 * that nobody else sees, with a sum that nobody shares: these are rewritten without a call.
 *
 * Return: 0 or -ENOMEM.
 */
static __always_inline int rlb_rewrite(struct rlb_pkt *pkt, enum rlb_side side,
				       const union rlb_addr *addr, __be16 port)
{
	const struct sk_buff *skb = pkt->skb;

	if (skb_headlen(skb) < pkt->plain_end || skb_cloned(skb) || rlb_sum_is_shared(skb))
		return rlb_rewrite_other(pkt, side, addr, port);
	rlb_rewrite_headers(pkt, side, addr, port, false);
	return 0;
}

int rlb_rewrite_error(struct rlb_pkt *pkt, enum rlb_side quoted_side, const union rlb_addr *addr,
		      __be16 port, enum rlb_side outer_side, bool outer);

#endif /* _RINGLB_REWRITE_H */
