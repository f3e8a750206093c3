// SPDX-License-Identifier: GPL-2.0-only
/*
 * rewrite.c - change addresses and ports, and every checksum over them
 *
 * In: a parsed packet, a side of it, a new address and port. Out: the packet rewritten, or
 * -ENOMEM and the packet as it was. Softirq or process context; may copy the headers if
 * someone else can see them, so pointers into the packet do not survive a call.
 *
 * Checksums are updated by what changed (RFC 1624), by the kernel's helpers, which know about
 * CHECKSUM_PARTIAL (the field holds a sum over the pseudo header, the device adds the rest)
 * and CHECKSUM_COMPLETE (skb->csum changes along). So a packet that came damaged leaves
 * damaged. Merged packets (GSO) have one header for all their segments and need no more.
 *
 * SCTP has no pseudo header: addresses do not matter to its CRC, ports do.
 */
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <linux/tcp.h>
#include <linux/udp.h>

#include <net/checksum.h>
#include <net/ip.h>
#include <net/sctp/checksum.h>

#include "rewrite.h"

/* Bytes of a quoted transport header up to the end of its checksum. */
#define TCP_CHECK_END (offsetof(struct tcphdr, check) + sizeof(__sum16))

static void rewrite_addr(struct sk_buff *skb, u8 family, enum rlb_side side,
			 const union rlb_addr *addr)
{
	union rlb_addr *old = rlb_addr_at(skb_network_header(skb), family, side);

	if (family == AF_INET)
		csum_replace4(&ip_hdr(skb)->check, old->v4, addr->v4);
	rlb_set_addr(old, family, addr);
}

/* Who computes the CRC of this packet later, the device or segmentation, finds the new port. */
static bool sctp_is_unfinished(const struct sk_buff *skb)
{
	return skb->ip_summed == CHECKSUM_PARTIAL;
}

/*
 * A CRC changes by what the bytes that it covers change, whether it was right before or not: so
 * a damaged packet stays damaged, as with other sums.
 */
static void rewrite_sctp_port(struct sk_buff *skb, unsigned int l4, enum rlb_side side, __be16 port)
{
	struct sctphdr *sh = (struct sctphdr *)(skb->data + l4);
	__le32 before;

	if (sctp_is_unfinished(skb) || rlb_sabotaged(RLB_SABOTAGE_STALE_CHECKSUM)) {
		*rlb_port_at(skb, l4, side) = port;
		return;
	}
	before = sctp_compute_cksum(skb, l4);
	*rlb_port_at(skb, l4, side) = port;
	sh->checksum ^= before ^ sctp_compute_cksum(skb, l4);
}

static void rewrite_sctp(struct rlb_pkt *pkt, enum rlb_side side, const union rlb_addr *addr,
			 __be16 port)
{
	struct sk_buff *skb = pkt->skb;

	rewrite_addr(skb, pkt->tuple.family, side, addr);
	if (*rlb_port_at(skb, pkt->l4, side) != port)
		rewrite_sctp_port(skb, pkt->l4, side, port);
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;		/* an internet checksum, of no use to SCTP */
}

/**
 * rlb_rewrite_other() - rlb_rewrite() of any packet
 * @pkt: as there
 * @side: as there
 * @addr: as there
 * @port: as there
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_rewrite_other(struct rlb_pkt *pkt, enum rlb_side side, const union rlb_addr *addr,
		      __be16 port)
{
	if (skb_ensure_writable(pkt->skb, rlb_rewrite_end(pkt)))
		return -ENOMEM;
	if (pkt->tuple.proto == IPPROTO_SCTP)
		rewrite_sctp(pkt, side, addr, port);
	else
		rlb_rewrite_headers(pkt, side, addr, port, rlb_sum_is_shared(pkt->skb));
	return 0;
}

/* The ICMP checksum learns that two bytes of the quoted packet change. */
static void sum_quoted2(struct sk_buff *skb, __sum16 *icmp_sum, __sum16 from, __sum16 to)
{
	inet_proto_csum_replace2(icmp_sum, skb, (__force __be16)from, (__force __be16)to, false);
}

/*
 * The quoted packet's transport checksum, if it is quoted and if there is one. The CRC of SCTP
 * is over more than what is quoted; who is told does not look at it.
 */
static void rewrite_quoted_sum(struct rlb_pkt *pkt, __sum16 *icmp_sum, const union rlb_addr *from,
			       const union rlb_addr *to, __be16 old_port, __be16 port)
{
	struct sk_buff *skb = pkt->skb;
	unsigned int words = rlb_addr_len(pkt->tuple.family) / 4;
	__sum16 *sum, old;
	unsigned int i;

	if (pkt->tuple.proto == IPPROTO_SCTP)
		return;
	if (pkt->tuple.proto == IPPROTO_TCP) {
		if (skb->len < pkt->quoted_l4 + TCP_CHECK_END)
			return;
		sum = &((struct tcphdr *)(skb->data + pkt->quoted_l4))->check;
	} else {
		sum = &((struct udphdr *)(skb->data + pkt->quoted_l4))->check;
		if (!*sum)
			return;
	}
	old = *sum;
	for (i = 0; i < words; i++)
		csum_replace4(sum, from->v6[i], to->v6[i]);
	csum_replace2(sum, old_port, port);
	if (pkt->tuple.proto == IPPROTO_UDP && !*sum)
		*sum = CSUM_MANGLED_0;
	sum_quoted2(skb, icmp_sum, old, *sum);
}

static void rewrite_quoted(struct rlb_pkt *pkt, __sum16 *icmp_sum, enum rlb_side side,
			   const union rlb_addr *addr, __be16 port)
{
	struct sk_buff *skb = pkt->skb;
	u8 family = pkt->tuple.family;
	union rlb_addr *old_addr = rlb_addr_at(skb->data + pkt->quoted, family, side);
	__be16 *old_port = rlb_port_at(skb, pkt->quoted_l4, side);
	struct iphdr *iph = (struct iphdr *)(skb->data + pkt->quoted);
	__sum16 old;

	rewrite_quoted_sum(pkt, icmp_sum, old_addr, addr, *old_port, port);
	if (family == AF_INET) {
		old = iph->check;
		csum_replace4(&iph->check, old_addr->v4, addr->v4);
		sum_quoted2(skb, icmp_sum, old, iph->check);
	}
	rlb_sum_addr(icmp_sum, skb, family, old_addr, addr, false);
	inet_proto_csum_replace2(icmp_sum, skb, *old_port, port, false);
	rlb_set_addr(old_addr, family, addr);
	*old_port = port;
}

static void rewrite_outer(struct rlb_pkt *pkt, __sum16 *icmp_sum, enum rlb_side side,
			  const union rlb_addr *addr)
{
	struct sk_buff *skb = pkt->skb;
	u8 family = pkt->tuple.family;
	union rlb_addr *old = rlb_addr_at(skb_network_header(skb), family, side);

	if (family == AF_INET)
		csum_replace4(&ip_hdr(skb)->check, old->v4, addr->v4);
	else
		rlb_sum_addr(icmp_sum, skb, family, old, addr, true);	/* ICMPv6 has a pseudo header */
	rlb_set_addr(old, family, addr);
}

/**
 * rlb_rewrite_error() - translate an ICMP error and the packet that it quotes
 * @pkt: a parsed ICMP error
 * @quoted_side: which side of the quoted packet changes
 * @addr: to this address
 * @port: and this port
 * @outer_side: which side of the error itself may change, to the same address
 * @outer: whether it does
 *
 * 8 bytes of the quoted transport header are enough; its checksum is updated if it is there.
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_rewrite_error(struct rlb_pkt *pkt, enum rlb_side quoted_side, const union rlb_addr *addr,
		      __be16 port, enum rlb_side outer_side, bool outer)
{
	struct sk_buff *skb = pkt->skb;
	unsigned int len = pkt->quoted_l4 + sizeof(struct udphdr);
	__sum16 *icmp_sum;

	if (pkt->tuple.proto == IPPROTO_TCP && skb->len >= pkt->quoted_l4 + TCP_CHECK_END)
		len = pkt->quoted_l4 + TCP_CHECK_END;
	if (skb_ensure_writable(skb, len))
		return -ENOMEM;
	icmp_sum = pkt->tuple.family == AF_INET ?
			   &((struct icmphdr *)(skb->data + pkt->l4))->checksum :
			   &((struct icmp6hdr *)(skb->data + pkt->l4))->icmp6_cksum;
	rewrite_quoted(pkt, icmp_sum, quoted_side, addr, port);
	if (outer)
		rewrite_outer(pkt, icmp_sum, outer_side, addr);
	return 0;
}
