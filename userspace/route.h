/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route.h - where this host would send packets
 */
#ifndef _RINGLB_ROUTE_H
#define _RINGLB_ROUTE_H

#include <net/if.h>
#include <stdbool.h>

#include "addr.h"
#include "nl.h"

/**
 * struct route - a route
 * @type: RTN_*
 * @prefix: bits of the destination; of route_find() alone
 * @metric: of route_defaults() alone
 * @mtu: bytes, of this route apart from its device, 0: it has none
 * @has_gateway: the next hop is a router
 * @has_source: @source is the address that this host would send from
 * @device: where packets leave; empty if there are several
 */
struct route {
	u8 type;
	u8 prefix;
	u32 metric;
	u32 mtu;
	bool has_gateway;
	bool has_source;
	struct endpoint source;
	char device[IF_NAMESIZE];
};

/* Default routes, as many as anyone has */
#define ROUTES_MAX 64

struct routes {
	struct route route[ROUTES_MAX];
	unsigned int n;
};

/* @s: a session of session_open_route(). 0 or -errno; -ENETUNREACH: there is no route. */
int route_get(struct session *s, const struct endpoint *to, struct route *r);
int route_find(struct session *s, const struct endpoint *to, struct route *r);
bool route_is_neighbour(struct session *s, const struct endpoint *at, const char *device);
int route_defaults(struct session *s, u8 family, struct routes *all);
unsigned int route_link_mtu(const char *device);

#endif /* _RINGLB_ROUTE_H */
