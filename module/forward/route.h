/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route.h - the kernel's route to a backend, kept with it
 */
#ifndef _RINGLB_ROUTE_H
#define _RINGLB_ROUTE_H

#include "../ringlb.h"

struct dst_entry;

struct dst_entry *rlb_route_link(const struct rlb_pkt *pkt, enum ringlb_counter *why);
void rlb_route_free(struct rlb_backend *b);
int rlb_routes_register(void);
void rlb_routes_unregister(void);

#endif /* _RINGLB_ROUTE_H */
