/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map.h - the operator's map of slots to backends, as requests tell it: method slots
 */
#ifndef _RINGLB_MAP_H
#define _RINGLB_MAP_H

#include <linux/netlink.h>

#include "backend.h"
#include "service.h"

/**
 * struct rlb_map_backend - a backend that a map names; it need not be there yet
 * @addr: its address
 * @family: of @addr
 * @port: as configured, network byte order
 */
struct rlb_map_backend {
	union rlb_addr addr;
	u8 family;
	__be16 port;
};

/**
 * struct rlb_map - a map that is not yet in force; the one in force is the table itself
 * @backend: those that it names, each once, ascending by family, address, then port
 * @n: how many
 * @bits: it is of 2^@bits slots
 * @owner: of each slot, a place in @backend; RINGLB_NO_OWNER for nobody yet
 */
struct rlb_map {
	struct rlb_map_backend *backend;
	u32 n;
	u8 bits;
	u16 owner[];
};

struct rlb_map *rlb_map_alloc(unsigned int bits);
void rlb_map_free(struct rlb_map *map);
int rlb_map_name(struct rlb_map *map, const struct rlb_backend_config *c);
int rlb_map_claim(struct rlb_map *map, u32 first, u32 last, u16 owner);
int rlb_map_ranges(const struct rlb_service *svc, const struct rlb_service_config *config,
		   const struct rlb_backend_set *set, u32 n, struct rlb_range **ranges,
		   u32 *n_ranges, struct netlink_ext_ack *extack);

#endif /* _RINGLB_MAP_H */
