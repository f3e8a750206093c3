/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * index.h - objects by address, port and protocol, for packets
 *
 * A flat hash table with open addressing and linear probing. Readers hold
 * rcu_read_lock() and take no lock; a probe that finds nothing costs a multiplication and,
 * mostly, one load. Writers hold cfg_lock.
 *
 * Beside it stands a bit for each address that nodes have, found by the address alone: most
 * packets of a gateway are told by it that they need not be looked at more closely.
 */
#ifndef _RINGLB_INDEX_H
#define _RINGLB_INDEX_H

#include <linux/bitops.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/swab.h>

#include "ringlb.h"

/**
 * struct rlb_index_node - what is found; embedded in a service or a backend
 * @hash: of the rest, set by rlb_index_insert()
 * @what: family, protocol and port in one word, likewise
 * @port: network byte order
 * @proto: IPPROTO_*
 * @family: AF_INET or AF_INET6, or see match.h
 * @addr: the address
 */
struct rlb_index_node {
	u32 hash;
	u32 what;
	__be16 port;
	u8 proto;
	u8 family;
	union rlb_addr addr;
};

/**
 * struct rlb_index_array - what readers read
 * @rcu: for kvfree_rcu()
 * @mask: number of places, a power of two, less one
 * @shift: 64 less log2 of the bits in @known
 * @known: by hash of an address; set if a node has it, or had
 * @place: nodes, NULL, or a removed node's grave
 */
struct rlb_index_array {
	struct rcu_head rcu;
	u32 mask;
	u32 shift;
	unsigned long *known;
	struct rlb_index_node __rcu *place[];
};

/* Half of an IPv6 address at one go, its 32-bit words in no order that anyone may rely on */
static inline u64 rlb_addr_half(const union rlb_addr *addr, unsigned int i)
{
	return (__force u32)addr->v6[2 * i] | (u64)(__force u32)addr->v6[2 * i + 1] << 32;
}

/* All bits of the address count; the high bits of the result are the good ones. */
static inline u64 rlb_index_addr_hash(u8 family, const union rlb_addr *addr)
{
	u64 x = family == AF_INET ? (__force u32)addr->v4 :
				    rlb_addr_half(addr, 0) ^ rlb_addr_half(addr, 1);

	return x * 0x9e3779b97f4a7c15ULL;
}

/**
 * rlb_index_knows() - may there be a node with this address?
 * @idx: the index
 * @family: AF_INET or AF_INET6
 * @addr: the address
 *
 * Caller holds rcu_read_lock().
 *
 * Return: false if surely none; true now and then though there is none.
 */
static inline bool rlb_index_knows(const struct rlb_index *idx, u8 family,
				   const union rlb_addr *addr)
{
	const struct rlb_index_array *a = rcu_dereference(idx->array);

	return a && test_bit(rlb_index_addr_hash(family, addr) >> a->shift, a->known);
}

/* Family, protocol and port as a node has them; never 0. */
static inline u32 rlb_index_what(u8 family, u8 proto, __be16 port)
{
	return (u32)family << 24 | (u32)proto << 16 | (__force u16)port;
}

/*
 * Only an operator chooses what is stored, so long runs of used places cannot be provoked by
 * packets; all bits of the key count all the same.
 */
static inline u32 rlb_index_hash(u32 what, u8 family, const union rlb_addr *addr)
{
	u64 x = (u64)(__force u32)addr->v4 << 32 | what;

	if (family != AF_INET) {
		x ^= (__force u32)addr->v6[1];
		x *= 0xbf58476d1ce4e5b9ULL;
		x ^= rlb_addr_half(addr, 1);
		x ^= x >> 27;	/* high bits are last bytes, and a product would leave them there */
	}
	x *= 0x9e3779b97f4a7c15ULL;
	return swab64(x);	/* places go by low bits: the good ones */
}

static inline bool rlb_index_equal(const struct rlb_index_node *node, u32 what, u8 family,
				   const union rlb_addr *addr)
{
	if (node->what != what || node->addr.v4 != addr->v4)
		return false;
	return family == AF_INET || !memcmp(node->addr.byte + 4, addr->byte + 4, 12);
}

/**
 * rlb_index_find() - find a node
 * @idx: the index
 * @family: AF_INET or AF_INET6
 * @proto: protocol
 * @addr: address
 * @port: port, network byte order
 *
 * Caller holds rcu_read_lock() or cfg_lock.
 *
 * Return: the node, NULL if there is none; valid until the caller lets go of the lock.
 */
static inline struct rlb_index_node *rlb_index_find(const struct rlb_index *idx, u8 family,
						    u8 proto, const union rlb_addr *addr,
						    __be16 port)
{
	u32 what = rlb_index_what(family, proto, port);
	const struct rlb_index_array *a;
	struct rlb_index_node *node;
	u32 i;

	a = rcu_dereference_check(idx->array, lockdep_is_held(idx->lock));
	if (!a)
		return NULL;
	for (i = rlb_index_hash(what, family, addr); ; i++) {
		node = rcu_dereference_check(a->place[i & a->mask], lockdep_is_held(idx->lock));
		if (!node || rlb_index_equal(node, what, family, addr))
			return node;
	}
}

int rlb_index_reserve(struct rlb_index *idx, u32 more);
void rlb_index_insert(struct rlb_index *idx, struct rlb_index_node *node);
void rlb_index_replace(struct rlb_index *idx, struct rlb_index_node *node,
		       struct rlb_index_node *by);
void rlb_index_remove(struct rlb_index *idx, struct rlb_index_node *node);
void rlb_index_destroy(struct rlb_index *idx);

#endif /* _RINGLB_INDEX_H */
