/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match.h - services of several ports, addresses or protocols, or of a mark: found by packets that
 * no service's one address and port is
 */
#ifndef _RINGLB_MATCH_H
#define _RINGLB_MATCH_H

#include "index.h"
#include "lookup/prefix.h"
#include "ringlb.h"

struct rlb_service;

/**
 * struct rlb_mark - a firewall mark
 * @value: its bits
 * @mask: which count; 0: there is no mark
 */
struct rlb_mark {
	u32 value;
	u32 mask;
};

/**
 * struct rlb_block - some ports of a service
 * @node: in rlb_net.vips: the VIP, protocol, and the first port; its family says how many ports,
 *	and whether the VIP is a prefix
 * @service: whose
 * @prefix: bits of the VIP
 */
struct rlb_block {
	struct rlb_index_node node;
	struct rlb_service *service;
	u8 prefix;
};

/**
 * struct rlb_blocks - all ports of a service
 * @n: how many blocks
 * @block: each
 */
struct rlb_blocks {
	u32 n;
	struct rlb_block block[];
};

/* In an index, a block is of no address family: whoever looks for these does not find it. */
static inline u8 rlb_block_family(u8 family, bool prefixed, unsigned int bits)
{
	return 0x80 | prefixed << 6 | (family == AF_INET6) << 5 | bits;
}

/* Among blocks, who has a mark is told by this size. */
#define RLB_BLOCK_MARK 31

/* Do all packets with one of two marks have the other, or may some have both? */
static inline bool rlb_mark_meet(const struct rlb_mark *a, const struct rlb_mark *b)
{
	return !((a->value ^ b->value) & a->mask & b->mask);
}

/* The first port of the block of 2^bits ports that has @port */
static inline __be16 rlb_block_port(u32 port, unsigned int bits)
{
	return htons(port & ~((1U << bits) - 1));
}

static inline const struct rlb_match *rlb_match_of(const struct rlb_net *rn, u8 family)
{
	return &rn->match[family == AF_INET6];
}

/* Has a family any service of several ports or addresses? Bits of rlb_match.sizes */
static inline u32 rlb_match_sizes(const struct rlb_net *rn, u8 family)
{
	return READ_ONCE(rlb_match_of(rn, family)->sizes);
}

/* May packets of protocols that have no ports be some service's? */
static inline bool rlb_match_any(const struct rlb_net *rn, u8 family)
{
	return rlb_match_sizes(rn, family) & RLB_MATCH_ANY;
}

struct rlb_blocks *rlb_blocks_alloc(struct rlb_service *svc, const struct rlb_index_node *vip,
				    unsigned int prefix, const struct rlb_ports *p);
void rlb_blocks_insert(struct rlb_net *rn, struct rlb_blocks *blocks);
void rlb_blocks_remove(struct rlb_net *rn, struct rlb_blocks *blocks);
struct rlb_blocks *rlb_blocks_of_mark(struct rlb_service *svc, const struct rlb_index_node *vip,
				      const struct rlb_mark *mark);
bool rlb_blocks_fit(const struct rlb_net *rn, const struct rlb_blocks *blocks);
struct rlb_service *rlb_match_find(const struct rlb_net *rn, struct rlb_tuple *t, u32 mark);
bool rlb_match_marked(const struct rlb_net *rn, u8 family, u32 mark);
bool rlb_match_covers(const struct rlb_net *rn, u8 family, const union rlb_addr *addr);

#endif /* _RINGLB_MATCH_H */
