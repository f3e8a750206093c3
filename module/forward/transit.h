/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transit.h - what a router does with a packet that it sends on
 */
#ifndef _RINGLB_TRANSIT_H
#define _RINGLB_TRANSIT_H

#include "../ringlb.h"

struct dst_entry;

enum rlb_verdict rlb_transit_check(struct rlb_pkt *pkt, unsigned int mtu);
int rlb_transit_hop(struct rlb_pkt *pkt, unsigned int headroom);
void rlb_transit_count(const struct rlb_pkt *pkt);
void rlb_transit_send(struct rlb_pkt *pkt, struct dst_entry *dst);

#endif /* _RINGLB_TRANSIT_H */
