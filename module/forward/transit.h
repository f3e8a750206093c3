/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transit.h - what a router does with a packet that it sends on
 */
#ifndef _RINGLB_TRANSIT_H
#define _RINGLB_TRANSIT_H

#include <linux/netfilter.h>

#include "../ringlb.h"

struct dst_entry;
struct rlb_route;

/* Is it this host's own packet, which no router has sent on before? */
static inline bool rlb_transit_is_own(const struct rlb_pkt *pkt)
{
	return pkt->state->hook == NF_INET_LOCAL_OUT;
}

const struct rlb_route *rlb_transit_route(struct rlb_pkt *pkt, enum rlb_verdict *verdict);
enum rlb_verdict rlb_transit_check(struct rlb_pkt *pkt, unsigned int mtu);
int rlb_transit_hop(struct rlb_pkt *pkt, unsigned int headroom);
void rlb_transit_count(const struct rlb_pkt *pkt);
void rlb_transit_send(struct rlb_pkt *pkt, struct dst_entry *dst);
void rlb_transit_tell4(struct sk_buff *skb, struct net *net, u8 type, u8 code, u32 info);
void rlb_transit_tell6(struct sk_buff *skb, struct net *net, u8 type, u8 code, u32 info);

#endif /* _RINGLB_TRANSIT_H */
