/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * way.h - routes that packets of the fast path have found
 */
#ifndef _RINGLB_WAY_H
#define _RINGLB_WAY_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include <net/dst.h>
#include <net/neighbour.h>

#include "index.h"
#include "ringlb.h"

struct rlb_backend;

#define RLB_WAY_BACK_BITS 10	/* log2 of the clients whose routes a CPU keeps, of each family */

/**
 * struct rlb_way - a route
 * @dst: the kernel's; a reference is held
 * @generation: of the kernel's routes, when it was found
 * @most: IPv4: the length of the longest packet that it takes
 * @found: IPv6: when, in jiffies
 */
struct rlb_way {
	struct dst_entry *dst;
	int generation;
	union {
		u32 most;
		u32 found;
	};
};

/**
 * struct rlb_way_to - the way to a backend
 * @way: the route
 * @neigh: the next hop; a reference is held, until its device ends
 * @backend: whose it is
 * @node: in rlb_net.ways
 * @rcu: for its end
 */
struct rlb_way_to {
	struct rlb_way way;
	struct neighbour *neigh;
	struct rlb_backend *backend;
	struct list_head node;
	struct rcu_head rcu;
};

/**
 * struct rlb_way_back - the way back to a client
 * @way: the route; none if it has no dst
 * @client: whom to
 */
struct rlb_way_back {
	struct rlb_way way;
	union rlb_addr client;
};

/**
 * rlb_way_back_at() - the place of a client's route
 * @rn: the namespace, which has devices with the fast path
 * @family: AF_INET or AF_INET6
 * @client: its address
 *
 * Bottom halves are disabled.
 *
 * Return: the place on this CPU, which may be another client's or nobody's.
 */
static inline struct rlb_way_back *rlb_way_back_at(const struct rlb_net *rn, u8 family,
						   const union rlb_addr *client)
{
	struct rlb_way_back *of_family = this_cpu_read(*rn->ways_back) +
					 ((family == AF_INET6) << RLB_WAY_BACK_BITS);

	return of_family + (rlb_index_addr_hash(family, client) >> (64 - RLB_WAY_BACK_BITS));
}

int rlb_ways_begin(struct rlb_net *rn);
void rlb_ways_end(struct rlb_net *rn);
void rlb_ways_forget(struct rlb_net *rn, const struct net_device *dev);
void rlb_way_to_set(struct rlb_backend *b, const struct rlb_way *way, struct neighbour *neigh);
void rlb_way_to_end(struct rlb_backend *b);
void rlb_way_back_set(struct rlb_way_back *back, const union rlb_addr *client,
		      const struct rlb_way *way);

#endif /* _RINGLB_WAY_H */
