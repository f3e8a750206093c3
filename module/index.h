/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * index.h - objects by address, port and protocol, for packets
 *
 * A flat hash table with open addressing and linear probing. Readers hold
 * rcu_read_lock() and take no lock; a probe that finds nothing costs a multiplication and,
 * mostly, one load. Writers hold cfg_lock.
 */
#ifndef _RINGLB_INDEX_H
#define _RINGLB_INDEX_H

#include <linux/rcupdate.h>

#include "ringlb.h"

/**
 * struct rlb_index_node - what is found; embedded in a service or a backend
 * @hash: of the rest, set by rlb_index_insert()
 * @port: network byte order
 * @proto: IPPROTO_*
 * @family: AF_INET or AF_INET6
 * @addr: the address
 */
struct rlb_index_node {
	u32 hash;
	__be16 port;
	u8 proto;
	u8 family;
	union rlb_addr addr;
};

struct rlb_index_node *rlb_index_find(const struct rlb_index *idx, u8 family, u8 proto,
				      const union rlb_addr *addr, __be16 port);
int rlb_index_reserve(struct rlb_index *idx, u32 more);
void rlb_index_insert(struct rlb_index *idx, struct rlb_index_node *node);
void rlb_index_remove(struct rlb_index *idx, struct rlb_index_node *node);
void rlb_index_destroy(struct rlb_index *idx);

#endif /* _RINGLB_INDEX_H */
