// SPDX-License-Identifier: GPL-2.0-only
/*
 * parse.c - from bytes to what the other rooms want to know
 *
 * In: an skb at one of our hooks, whose network header the stack has checked and pulled.
 * Out: addresses, ports, protocol and offsets, for a TCP or UDP packet or an ICMP error that
 * quotes one; RLB_PASS for all else. Nothing is written, and nothing is read before its
 * bounds are checked: what is too short for its own headers is not ours.
 * Softirq or process context.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <net/ip.h>
#include <net/ipv6.h>

#include "parse.h"

#define QUOTED_MIN 8	/* bytes of a quoted transport header; RFC 792 promises no more */

/**
 * rlb_parse_far_ports() - rlb_parse_ports() where headers do not stand in one piece of memory
 * @pkt: as there
 * @offset: as there
 * @sport: as there
 * @dport: as there
 *
 * Return: RLB_NEXT, or RLB_PASS if the packet ends before.
 */
enum rlb_verdict rlb_parse_far_ports(const struct rlb_pkt *pkt, unsigned int offset,
				     __be16 *sport, __be16 *dport)
{
	__be16 ports[2];

	if (skb_copy_bits(pkt->skb, offset, ports, sizeof(ports)))
		return RLB_PASS;
	*sport = ports[0];
	*dport = ports[1];
	return RLB_NEXT;
}

/*
 * The packet that an ICMP error quotes. It went the other way: its source is whom the error
 * goes to. So the tuple is turned round, and rooms find the error's flow by it as they find
 * that of a packet in the error's direction.
 */
static enum rlb_verdict parse_quoted_transport(struct rlb_pkt *pkt)
{
	if (!rlb_has_ports(pkt->tuple.proto))
		return RLB_PASS;
	if (pkt->skb->len < pkt->quoted_l4 + QUOTED_MIN)
		return RLB_PASS;
	pkt->is_error = true;
	return rlb_parse_ports(pkt, pkt->quoted_l4, &pkt->tuple.dport, &pkt->tuple.sport);
}

static bool icmp4_is_ours(u8 type)
{
	switch (type) {
	case ICMP_DEST_UNREACH:
	case ICMP_SOURCE_QUENCH:
	case ICMP_TIME_EXCEEDED:
	case ICMP_PARAMETERPROB:
		return true;
	default:
		return false;
	}
}

/**
 * rlb_parse_icmp4() - the part of rlb_parse() for ICMP errors
 * @pkt: as there; @pkt->l4 is set
 * @daddr: whom the error goes to
 *
 * Return: as there.
 */
enum rlb_verdict rlb_parse_icmp4(struct rlb_pkt *pkt, __be32 daddr)
{
	const struct icmphdr *icmph;
	struct icmphdr icmp_buf;
	const struct iphdr *iph;
	struct iphdr ip_buf;

	icmph = skb_header_pointer(pkt->skb, pkt->l4, sizeof(icmp_buf), &icmp_buf);
	if (!icmph || !icmp4_is_ours(icmph->type))
		return RLB_PASS;
	pkt->quoted = pkt->l4 + sizeof(*icmph);
	iph = skb_header_pointer(pkt->skb, pkt->quoted, sizeof(ip_buf), &ip_buf);
	if (!iph || iph->version != 4 || iph->ihl < 5 || iph->frag_off & htons(IP_OFFSET))
		return RLB_PASS;
	if (iph->saddr != daddr)
		return RLB_PASS;
	pkt->quoted_l4 = pkt->quoted + iph->ihl * 4;
	pkt->tuple.proto = iph->protocol;
	pkt->tuple.src.v4 = iph->daddr;
	pkt->tuple.dst.v4 = iph->saddr;
	return parse_quoted_transport(pkt);
}

/*
 * Skip extension headers.
 * Return: offset of the first header that is none, its number in @proto; negative if the
 *	headers run over the end of the packet. @fragment: bits of a fragment header.
 */
static int skip_ext6(const struct sk_buff *skb, unsigned int header, u8 *proto, __be16 *fragment)
{
	*fragment = 0;
	if (rlb_has_ports(*proto) || *proto == IPPROTO_ICMPV6)
		return header;
	return ipv6_skip_exthdr(skb, header, proto, fragment);
}

static enum rlb_verdict parse_icmp6(struct rlb_pkt *pkt, const struct in6_addr *daddr)
{
	const struct icmp6hdr *icmph;
	struct icmp6hdr icmp_buf;
	const struct ipv6hdr *iph;
	struct ipv6hdr ip_buf;
	__be16 fragment;
	int offset;

	icmph = skb_header_pointer(pkt->skb, pkt->l4, sizeof(icmp_buf), &icmp_buf);
	if (!icmph || icmph->icmp6_type < ICMPV6_DEST_UNREACH ||
	    icmph->icmp6_type > ICMPV6_PARAMPROB)
		return RLB_PASS;
	pkt->quoted = pkt->l4 + sizeof(*icmph);
	iph = skb_header_pointer(pkt->skb, pkt->quoted, sizeof(ip_buf), &ip_buf);
	if (!iph || iph->version != 6 || !ipv6_addr_equal(&iph->saddr, daddr))
		return RLB_PASS;
	pkt->tuple.proto = iph->nexthdr;
	offset = skip_ext6(pkt->skb, pkt->quoted + sizeof(*iph), &pkt->tuple.proto, &fragment);
	if (offset < 0 || fragment & htons(IP6_OFFSET))
		return RLB_PASS;
	pkt->quoted_l4 = offset;
	memcpy(&pkt->tuple.src, &iph->daddr, sizeof(struct in6_addr));
	memcpy(&pkt->tuple.dst, &iph->saddr, sizeof(struct in6_addr));
	return parse_quoted_transport(pkt);
}

/**
 * rlb_parse_other6() - the part of rlb_parse() for what begins with neither TCP nor UDP
 * @pkt: as there; addresses are set, @pkt->l4 is where IPv6's own header ends
 * @iph: that header
 *
 * Return: as there.
 */
enum rlb_verdict rlb_parse_other6(struct rlb_pkt *pkt, const struct ipv6hdr *iph)
{
	u8 proto = iph->nexthdr;
	__be16 fragment;
	int offset;

	offset = skip_ext6(pkt->skb, pkt->l4, &proto, &fragment);
	if (offset < 0 || fragment)
		return RLB_PASS;
	pkt->l4 = offset;
	pkt->tuple.proto = proto;
	if (proto == IPPROTO_ICMPV6)
		return parse_icmp6(pkt, &iph->daddr);
	return rlb_has_ports(proto) ? rlb_parse_transport(pkt) : RLB_PASS;
}
