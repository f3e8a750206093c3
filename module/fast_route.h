/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fast_route.h - where a packet goes from here, asked for as cheaply as can be
 */
#ifndef _RINGLB_FAST_ROUTE_H
#define _RINGLB_FAST_ROUTE_H

#include <net/dst.h>
#include <net/neighbour.h>

#include "ringlb.h"

/**
 * struct rlb_hop - the next one
 * @dst: the route; not held
 * @dev: out by this device
 * @neigh: to there
 */
struct rlb_hop {
	struct dst_entry *dst;
	struct net_device *dev;
	struct neighbour *neigh;
};

enum ringlb_dev_counter rlb_route_request4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					   struct rlb_hop *hop);
enum ringlb_dev_counter rlb_route_reply4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					 struct rlb_hop *hop);
enum ringlb_dev_counter rlb_route_request6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					   struct rlb_hop *hop);
enum ringlb_dev_counter rlb_route_reply6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					 struct rlb_hop *hop);

#endif /* _RINGLB_FAST_ROUTE_H */
