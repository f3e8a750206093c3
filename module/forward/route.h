/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route.h - the kernel's route to a backend, kept with it
 */
#ifndef _RINGLB_ROUTE_H
#define _RINGLB_ROUTE_H

#include "../ringlb.h"

struct dst_entry;

/**
 * struct rlb_route - a route; never changed once packets can see it
 * @dst: as the kernel gave it
 * @src: this host's address by it, for packets of its own: mode tunnel
 * @cookie: by which @dst tells whether it still holds
 * @rcu: for its end
 */
struct rlb_route {
	struct dst_entry *dst;
	union rlb_addr src;
	u32 cookie;
	struct rcu_head rcu;
};

const struct rlb_route *rlb_route_get(const struct rlb_pkt *pkt, enum ringlb_counter *why);
void rlb_route_free(struct rlb_backend *b);
int rlb_routes_register(void);
void rlb_routes_unregister(void);

#endif /* _RINGLB_ROUTE_H */
