// SPDX-License-Identifier: GPL-2.0-only
/*
 * parse.c - from bytes to what the other rooms want to know
 *
 * In: an skb at one of our hooks, whose network header the stack has checked and pulled.
 * Out: addresses, ports, protocol and offsets, for a TCP, UDP or SCTP packet or an ICMP error
 * that quotes one; RLB_PASS for all else, with the reason if it might have been one of ours.
 * While some service has every protocol, packets of those without ports are told, too, but for
 * ICMP: what is no error is the gateway's own, such as echo and the discovery of neighbours.
 * Nothing is written, and nothing is read before its bounds are checked. Loops have an end that no
 * packet sets. Compiled natively as well, for tests (selftests/unit/kernel).
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
#include <net/ndisc.h>

#include "match.h"
#include "parse.h"

#define QUOTED_MIN 8	/* bytes of a quoted transport header; RFC 792 promises no more */
#define HEADERS_MAX 8	/* extension headers of one packet; RFC 8200 names seven */
#define OPTIONS_MAX 8	/* of a redirect, before the one that quotes a packet */

/**
 * rlb_parse_far_ports() - the ports of headers that do not stand in one piece of memory
 * @pkt: the packet
 * @offset: where they begin
 * @sport: out: the first one
 * @dport: out: the second one
 *
 * Return: RLB_NEXT, or RLB_PASS if the packet ends before.
 */
enum rlb_verdict rlb_parse_far_ports(struct rlb_pkt *pkt, unsigned int offset,
				     __be16 *sport, __be16 *dport)
{
	__be16 ports[2];

	if (skb_copy_bits(pkt->skb, offset, ports, sizeof(ports)))
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_MALFORMED);
	*sport = ports[0];
	*dport = ports[1];
	return RLB_NEXT;
}

/* Of those that hold a packet and have no ports */
static bool is_tunnel(u8 proto)
{
	return proto == IPPROTO_IPIP || proto == IPPROTO_IPV6 || proto == IPPROTO_GRE;
}

static bool is_icmp(u8 proto)
{
	return proto == IPPROTO_ICMP || proto == IPPROTO_ICMPV6;
}

/* Of a protocol without ports, or with some that are not known here: may it be of a service? */
static enum rlb_verdict parse_portless(struct rlb_pkt *pkt)
{
	pkt->plain_end = ~0U;
	if (is_icmp(pkt->tuple.proto) || !rlb_match_any(pkt->rn, pkt->tuple.family))
		return RLB_PASS;
	return RLB_NEXT;
}

/*
 * The packet that an ICMP error quotes. It went the other way: its source is whom the error
 * goes to. So the tuple is turned round, and rooms find the error's flow by it as they find
 * that of a packet in the error's direction.
 */
static enum rlb_verdict parse_quoted_transport(struct rlb_pkt *pkt)
{
	if (!rlb_has_ports(pkt->tuple.proto)) {
		pkt->is_outer = is_tunnel(pkt->tuple.proto);
		pkt->is_error = parse_portless(pkt) == RLB_NEXT;
		return pkt->is_error ? RLB_NEXT : RLB_PASS;
	}
	pkt->is_error = true;
	return rlb_parse_ports(pkt, pkt->quoted_l4, QUOTED_MIN, &pkt->tuple.dport, &pkt->tuple.sport);
}

static bool icmp4_is_ours(u8 type)
{
	switch (type) {
	case ICMP_DEST_UNREACH:
	case ICMP_SOURCE_QUENCH:
	case ICMP_REDIRECT:
	case ICMP_TIME_EXCEEDED:
	case ICMP_PARAMETERPROB:
		return true;
	default:
		return false;
	}
}

static enum rlb_verdict parse_icmp4(struct rlb_pkt *pkt, __be32 daddr)
{
	const struct icmphdr *icmph;
	struct icmphdr icmp_buf;
	const struct iphdr *iph;
	struct iphdr ip_buf;

	icmph = skb_header_pointer(pkt->skb, pkt->l4, sizeof(icmp_buf), &icmp_buf);
	if (!icmph)
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_MALFORMED);
	if (!icmp4_is_ours(icmph->type))
		return RLB_PASS;
	pkt->is_redirect = icmph->type == ICMP_REDIRECT;
	pkt->quoted = pkt->l4 + sizeof(*icmph);
	iph = skb_header_pointer(pkt->skb, pkt->quoted, sizeof(ip_buf), &ip_buf);
	if (!iph || iph->version != 4 || iph->ihl < 5)
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_MALFORMED);
	if (iph->saddr != daddr)
		return RLB_PASS;
	if (iph->frag_off & htons(IP_OFFSET))
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_FRAGMENT);
	pkt->quoted_l4 = pkt->quoted + iph->ihl * 4;
	pkt->tuple.proto = iph->protocol;
	pkt->tuple.src.v4 = iph->daddr;
	pkt->tuple.dst.v4 = iph->saddr;
	return parse_quoted_transport(pkt);
}

/*
 * IPv4: does a source route lead on from the destination? Options come unchecked; what is
 * wrong with them ends the search.
 */
static bool is_source_routed4(const struct rlb_pkt *pkt, const struct iphdr *iph)
{
	unsigned int len = iph->ihl * 4 - sizeof(*iph);
	u8 buf[MAX_IPOPTLEN];
	const u8 *option;
	unsigned int i = 0;

	option = skb_header_pointer(pkt->skb, skb_network_offset(pkt->skb) + sizeof(*iph), len, buf);
	while (option && i < len && option[i] != IPOPT_END) {
		if (option[i] == IPOPT_NOOP) {
			i++;
			continue;
		}
		if (i + 1 >= len || option[i + 1] < 2 || i + option[i + 1] > len)
			return false;
		if (option[i] == IPOPT_LSRR || option[i] == IPOPT_SSRR)
			return option[i + 1] > 2 && option[i + 2] <= option[i + 1];
		i += option[i + 1];
	}
	return false;
}

/**
 * rlb_parse_other4() - rlb_parse() for IPv4 packets that are not plain TCP or UDP
 * @pkt: as there
 *
 * Return: as there.
 */
enum rlb_verdict rlb_parse_other4(struct rlb_pkt *pkt)
{
	const struct iphdr *iph = ip_hdr(pkt->skb);

	if (!rlb_has_ports(iph->protocol) && iph->protocol != IPPROTO_ICMP &&
	    !rlb_match_any(pkt->rn, AF_INET))
		return RLB_PASS;
	if (ip_is_fragment(iph))	/* one that the kernel's defrag does not want */
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_FRAGMENT);
	if (iph->ihl > 5 && is_source_routed4(pkt, iph))
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_SOURCE_ROUTED);
	rlb_parse_header4(pkt, iph, iph->ihl * 4);
	if (iph->protocol == IPPROTO_ICMP)
		return parse_icmp4(pkt, iph->daddr);
	return rlb_has_ports(iph->protocol) ? rlb_parse_transport(pkt) : parse_portless(pkt);
}

static bool is_extension(u8 proto)
{
	return proto == IPPROTO_HOPOPTS || proto == IPPROTO_ROUTING ||
	       proto == IPPROTO_FRAGMENT || proto == IPPROTO_DSTOPTS;
}

/*
 * Skip one extension header, which @proto says is at @offset. Authentication headers are not
 * skipped: they cover what we would have to change.
 * Return: 0, or the counter that says why the packet cannot be read on.
 */
static enum ringlb_counter skip_header6(const struct sk_buff *skb, unsigned int *offset,
					u8 *proto, bool quoted)
{
	const u8 *header;
	u8 buf[8];

	header = skb_header_pointer(skb, *offset, sizeof(buf), buf);
	if (!header)
		return RINGLB_COUNTER_PASS_MALFORMED;
	if (*proto == IPPROTO_ROUTING && header[3])	/* segments left */
		return RINGLB_COUNTER_PASS_SOURCE_ROUTED;
	if (*proto == IPPROTO_FRAGMENT) {
		u16 bits = header[2] << 8 | header[3];

		if (bits & IP6_OFFSET || (bits & IP6_MF && !quoted))
			return RINGLB_COUNTER_PASS_FRAGMENT;
		*offset += sizeof(buf);
	} else {
		*offset += (header[1] + 1) * 8;
	}
	*proto = header[0];
	return 0;
}

/*
 * Skip extension headers, up to the first header that is none.
 * Return: 0, or the counter that says why the packet cannot be read on.
 */
static enum ringlb_counter skip_headers6(const struct sk_buff *skb, unsigned int *offset,
					 u8 *proto, bool quoted)
{
	enum ringlb_counter why = 0;
	unsigned int n = 0;

	while (!why && is_extension(*proto)) {
		if (n++ == HEADERS_MAX)
			return RINGLB_COUNTER_PASS_HEADERS;
		why = skip_header6(skb, offset, proto, quoted);
	}
	return why;
}

/* The packet that is quoted at pkt->quoted, if its source is @to: that was the sender. */
static enum rlb_verdict parse_quoted6(struct rlb_pkt *pkt, const struct in6_addr *to)
{
	const struct ipv6hdr *iph;
	enum ringlb_counter why;
	struct ipv6hdr buf;

	iph = skb_header_pointer(pkt->skb, pkt->quoted, sizeof(buf), &buf);
	if (!iph || iph->version != 6)
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_MALFORMED);
	if (!ipv6_addr_equal(&iph->saddr, to))
		return RLB_PASS;
	pkt->tuple.proto = iph->nexthdr;
	pkt->quoted_l4 = pkt->quoted + sizeof(*iph);
	why = skip_headers6(pkt->skb, &pkt->quoted_l4, &pkt->tuple.proto, true);
	if (why == RINGLB_COUNTER_PASS_SOURCE_ROUTED || why == RINGLB_COUNTER_PASS_HEADERS)
		return RLB_PASS;	/* such packets are of no flow of ours */
	if (why)
		return rlb_parse_pass(pkt, why);
	memcpy(&pkt->tuple.src, &iph->daddr, sizeof(struct in6_addr));
	memcpy(&pkt->tuple.dst, &iph->saddr, sizeof(struct in6_addr));
	return parse_quoted_transport(pkt);
}

/* A redirect (RFC 4861): two addresses, then options, of which one may quote the packet. */
static enum rlb_verdict parse_redirect6(struct rlb_pkt *pkt, const struct in6_addr *to)
{
	unsigned int offset = pkt->l4 + sizeof(struct rd_msg);
	const u8 *option;
	unsigned int n;
	u8 buf[2];

	pkt->is_redirect = true;
	for (n = 0; n < OPTIONS_MAX && offset < pkt->skb->len; n++) {
		option = skb_header_pointer(pkt->skb, offset, sizeof(buf), buf);
		if (!option || !option[1])
			return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_MALFORMED);
		if (option[0] == ND_OPT_REDIRECT_HDR) {
			pkt->quoted = offset + 8;
			return parse_quoted6(pkt, to);
		}
		offset += option[1] * 8;
	}
	return RLB_PASS;
}

static enum rlb_verdict parse_icmp6(struct rlb_pkt *pkt, const struct in6_addr *daddr)
{
	const struct icmp6hdr *icmph;
	struct icmp6hdr icmp_buf;

	icmph = skb_header_pointer(pkt->skb, pkt->l4, sizeof(icmp_buf), &icmp_buf);
	if (!icmph)
		return rlb_parse_pass(pkt, RINGLB_COUNTER_PASS_MALFORMED);
	if (icmph->icmp6_type == NDISC_REDIRECT)
		return parse_redirect6(pkt, daddr);
	if (icmph->icmp6_type < ICMPV6_DEST_UNREACH || icmph->icmp6_type > ICMPV6_PARAMPROB)
		return RLB_PASS;
	pkt->quoted = pkt->l4 + sizeof(*icmph);
	return parse_quoted6(pkt, daddr);
}

/**
 * rlb_parse_other6() - rlb_parse() for IPv6 packets that begin with neither TCP nor UDP
 * @pkt: as there
 *
 * Return: as there.
 */
enum rlb_verdict rlb_parse_other6(struct rlb_pkt *pkt)
{
	const struct ipv6hdr *iph = ipv6_hdr(pkt->skb);
	enum ringlb_counter why;

	rlb_parse_header6(pkt, iph);
	why = skip_headers6(pkt->skb, &pkt->l4, &pkt->tuple.proto, false);
	if (why)
		return rlb_parse_pass(pkt, why);
	if (pkt->tuple.proto == IPPROTO_ICMPV6)
		return parse_icmp6(pkt, &iph->daddr);
	return rlb_has_ports(pkt->tuple.proto) ? rlb_parse_transport(pkt) : parse_portless(pkt);
}
