/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - from bytes to what the other rooms want to know
 */
#ifndef _RINGLB_PARSE_H
#define _RINGLB_PARSE_H

#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/sctp.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <net/ip.h>

#include "index.h"
#include "ringlb.h"

/* Common enough to be parsed and rewritten in the hook itself */
static inline bool rlb_is_common(u8 proto)
{
	return proto == IPPROTO_TCP || proto == IPPROTO_UDP;
}

/* Of a common protocol: bytes of its header, checksum included, options not */
static inline unsigned int rlb_common_len(u8 proto)
{
	return proto == IPPROTO_TCP ? sizeof(struct tcphdr) : sizeof(struct udphdr);
}

/* Of any protocol with ports */
static inline unsigned int rlb_transport_len(u8 proto)
{
	return proto == IPPROTO_SCTP ? sizeof(struct sctphdr) : rlb_common_len(proto);
}

/* With both ports at the beginning of its header */
static inline bool rlb_has_ports(u8 proto)
{
	return rlb_is_common(proto) || proto == IPPROTO_SCTP;
}

/**
 * rlb_parse_is_foreign() - is this surely none of ours? Of most packets this says enough
 * @skb: a packet, its network header checked and pulled
 * @family: AF_INET or AF_INET6
 * @idx: those whose packets are ours
 * @source: they are at its source, not at its destination
 *
 * Caller holds rcu_read_lock(). ICMP errors are ours by what they quote, and IPv6 headers may
 * stand before any protocol: these are not told here.
 *
 * Return: true for packets with ports whose address no node of @idx has.
 */
static inline bool rlb_parse_is_foreign(const struct sk_buff *skb, u8 family,
					const struct rlb_index *idx, bool source)
{
	const void *addr;
	u8 proto;

	if (family == AF_INET) {
		addr = source ? &ip_hdr(skb)->saddr : &ip_hdr(skb)->daddr;
		proto = ip_hdr(skb)->protocol;
	} else {
		addr = source ? &ipv6_hdr(skb)->saddr : &ipv6_hdr(skb)->daddr;
		proto = ipv6_hdr(skb)->nexthdr;
	}
	return !rlb_index_knows(idx, family, addr) && rlb_has_ports(proto);
}

enum rlb_verdict rlb_parse_far_ports(struct rlb_pkt *pkt, unsigned int offset,
				     __be16 *sport, __be16 *dport);
enum rlb_verdict rlb_parse_other4(struct rlb_pkt *pkt);
enum rlb_verdict rlb_parse_other6(struct rlb_pkt *pkt);

/* Not ours to touch, though it may be of one of our flows: say why. */
static inline enum rlb_verdict rlb_parse_pass(struct rlb_pkt *pkt, enum ringlb_counter why)
{
	pkt->passed = why;
	return RLB_PASS;
}

/* The ports at @offset, where the packet has at least @len bytes or is too short. */
static __always_inline enum rlb_verdict rlb_parse_ports(struct rlb_pkt *pkt, unsigned int offset,
							unsigned int len, __be16 *sport,
							__be16 *dport)
{
	const __be16 *ports = (const __be16 *)(pkt->skb->data + offset);

	if (pkt->skb->len < offset + len)
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_MALFORMED);
	if (skb_headlen(pkt->skb) < offset + 2 * sizeof(*ports))
		return rlb_parse_far_ports(pkt, offset, sport, dport);
	*sport = ports[0];
	*dport = ports[1];
	return RLB_NEXT;
}

/* The packet's own transport header: whole, since it may have to be rewritten. */
static __always_inline enum rlb_verdict rlb_parse_transport(struct rlb_pkt *pkt)
{
	u8 proto = pkt->tuple.proto;
	unsigned int len = rlb_transport_len(proto);

	pkt->plain_end = rlb_is_common(proto) ? pkt->l4 + len : ~0U;
	return rlb_parse_ports(pkt, pkt->l4, len, &pkt->tuple.sport, &pkt->tuple.dport);
}

/* IPv4: TCP or UDP, in one piece, without options */
static __always_inline bool rlb_parse_is_plain4(const struct iphdr *iph)
{
	return *(const u8 *)iph == 0x45 && !ip_is_fragment(iph) && rlb_is_common(iph->protocol);
}

/* What IPv4's own header says; it has @len bytes. */
static __always_inline void rlb_parse_header4(struct rlb_pkt *pkt, const struct iphdr *iph,
					      unsigned int len)
{
	unsigned int l4 = skb_network_offset(pkt->skb) + len;

	pkt->tuple.proto = iph->protocol;
	pkt->l4 = l4;
	pkt->tuple.src.v4 = iph->saddr;
	pkt->tuple.dst.v4 = iph->daddr;
}

/* What IPv6's own header says. */
static __always_inline void rlb_parse_header6(struct rlb_pkt *pkt, const struct ipv6hdr *iph)
{
	unsigned int l4 = skb_network_offset(pkt->skb) + sizeof(*iph);

	pkt->tuple.proto = iph->nexthdr;
	pkt->l4 = l4;
	memcpy(&pkt->tuple.src, &iph->saddr, sizeof(iph->saddr));
	memcpy(&pkt->tuple.dst, &iph->daddr, sizeof(iph->daddr));
}

/**
 * rlb_parse() - look at a packet
 * @pkt: skb, rn and state are set, all else is 0; the rest is filled in but for service and
 *	backend
 *
 * The common packet is read in the caller, all others apart.
 *
 * Return: RLB_NEXT, or RLB_PASS for a packet that no service can be about.
 */
static __always_inline enum rlb_verdict rlb_parse(struct rlb_pkt *pkt)
{
	unsigned int len;

	pkt->tuple.family = pkt->state->pf;
	if (pkt->state->pf == NFPROTO_IPV4) {
		const struct iphdr *iph = ip_hdr(pkt->skb);

		if (!rlb_parse_is_plain4(iph))
			return rlb_parse_other4(pkt);
		rlb_parse_header4(pkt, iph, sizeof(*iph));
	} else {
		const struct ipv6hdr *iph = ipv6_hdr(pkt->skb);

		if (!rlb_is_common(iph->nexthdr))
			return rlb_parse_other6(pkt);
		rlb_parse_header6(pkt, iph);
	}
	len = rlb_common_len(pkt->tuple.proto);
	pkt->plain_end = pkt->l4 + len;
	return rlb_parse_ports(pkt, pkt->l4, len, &pkt->tuple.sport, &pkt->tuple.dport);
}

#endif /* _RINGLB_PARSE_H */
