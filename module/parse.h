/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - from bytes to what the other rooms want to know
 */
#ifndef _RINGLB_PARSE_H
#define _RINGLB_PARSE_H

#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>

#include "index.h"
#include "ringlb.h"

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
 * Return: true for TCP and UDP packets whose address no node of @idx has.
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
	return (proto == IPPROTO_TCP || proto == IPPROTO_UDP) &&
	       !rlb_index_knows(idx, family, addr);
}

enum rlb_verdict rlb_parse(struct rlb_pkt *pkt);

#endif /* _RINGLB_PARSE_H */
