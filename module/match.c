// SPDX-License-Identifier: GPL-2.0-only
/*
 * match.c - services of several ports, addresses or protocols, or of a mark
 *
 * In: a service's prefix and range of ports, or a packet's protocol, address and port. Out:
 * blocks of ports in rlb_net.vips (lookup/ports.h), or the service. A packet looks once for each
 * size of blocks that some service has, the smallest first: ranges do not meet, and every port is
 * the largest. It does so for its address alone, and then for each length of prefixes that some
 * service has, the longest first; and if it has a mark, for this with each mask that some service
 * has: the one of the most bits says most. What no service of its protocol takes, one of every
 * protocol may: all is looked for once more, if there is any.
 * Readers: softirq or process context under rcu_read_lock() or cfg_lock. Writers: process context
 * under cfg_lock.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "lookup/ports.h"
#include "match.h"

/* Lengths of prefixes that some service has, the longest first, as @bits */
#define for_each_prefix(bits, match)						\
	for ((bits) = longest(match, 128); (bits) >= 0; (bits) = longest(match, bits))

/* The longest prefix that some service has, of less than @below bits; -1: none */
static int longest(const struct rlb_match *match, int below)
{
	u64 word;

	if (below > 64) {
		word = READ_ONCE(match->prefixes[1]) & (below < 128 ? BIT_ULL(below - 64) - 1 : ~0ULL);
		if (word)
			return 64 + fls64(word) - 1;
		below = 64;
	}
	word = READ_ONCE(match->prefixes[0]) & (below < 64 ? BIT_ULL(below) - 1 : ~0ULL);
	return fls64(word) - 1;
}

/* As a prefix is found: by its bits, behind which a 1 ends it, so that its length is told, too */
static union rlb_addr ended(const union rlb_addr *addr, unsigned int bits)
{
	union rlb_addr a = *addr;

	rlb_prefix_cut(&a, bits);
	a.byte[bits / 8] |= 0x80 >> bits % 8;
	return a;
}

/* As a mark is found: its bits, and which of them count */
static union rlb_addr mark_addr(u32 value, u32 mask)
{
	return (union rlb_addr){ .v6 = { (__force __be32)(value & mask), (__force __be32)mask } };
}

static unsigned int size_of(const struct rlb_ports *p, u32 first)
{
	if (rlb_ports_match(p) == RINGLB_MATCH_EVERY_PORT)
		return RLB_PORTS_BITS;
	return rlb_ports_block(first, p->last);
}

static void block_set(struct rlb_block *b, const struct rlb_index_node *vip, u32 first,
		      unsigned int bits)
{
	bool prefixed = b->prefix < rlb_prefix_full(vip->family);

	b->node.family = rlb_block_family(vip->family, prefixed, bits);
	b->node.proto = vip->proto;
	b->node.addr = prefixed ? ended(&vip->addr, b->prefix) : vip->addr;
	b->node.port = rlb_block_port(first, bits);
}

/**
 * rlb_blocks_alloc() - the ports of a service, in blocks
 * @svc: the service
 * @vip: its address, protocol and family
 * @prefix: bits of the address that are the same in all of its packets
 * @p: its ports
 *
 * Return: the blocks, to be freed by kfree() a grace period after rlb_blocks_remove(); NULL if
 * there is no memory.
 */
struct rlb_blocks *rlb_blocks_alloc(struct rlb_service *svc, const struct rlb_index_node *vip,
				    unsigned int prefix, const struct rlb_ports *p)
{
	struct rlb_blocks *blocks;
	struct rlb_block *b;
	unsigned int bits;
	u32 first, n = 0;

	for (first = p->first; first <= p->last; first += 1U << size_of(p, first))
		n++;
	blocks = kzalloc(struct_size(blocks, block, n), GFP_KERNEL_ACCOUNT);
	if (!blocks)
		return NULL;
	for (first = p->first; first <= p->last; first += 1U << bits) {
		bits = size_of(p, first);
		b = &blocks->block[blocks->n++];
		b->service = svc;
		b->prefix = prefix;
		block_set(b, vip, first, bits);
	}
	return blocks;
}

/**
 * rlb_blocks_of_mark() - a service that has a mark, as a block
 * @svc: the service
 * @vip: its protocol and family
 * @mark: its mark
 *
 * Return: as rlb_blocks_alloc().
 */
struct rlb_blocks *rlb_blocks_of_mark(struct rlb_service *svc, const struct rlb_index_node *vip,
				      const struct rlb_mark *mark)
{
	struct rlb_blocks *blocks = kzalloc(struct_size(blocks, block, 1), GFP_KERNEL_ACCOUNT);

	if (!blocks)
		return NULL;
	blocks->n = 1;
	blocks->block[0].service = svc;
	blocks->block[0].node.family = rlb_block_family(vip->family, false, RLB_BLOCK_MARK);
	blocks->block[0].node.proto = vip->proto;
	blocks->block[0].node.addr = mark_addr(mark->value, mark->mask);
	return blocks;
}

static u32 mask_of(const struct rlb_block *b)
{
	return (__force u32)b->node.addr.v6[1];
}

/* The place of a mask, or an empty one; RLB_MATCH_MASKS: there is none */
static u32 mask_place(const struct rlb_match *match, u32 mask)
{
	u32 i, empty = RLB_MATCH_MASKS;

	for (i = 0; i < RLB_MATCH_MASKS; i++) {
		if (match->masks[i] == mask)
			return i;
		if (!match->masks[i])
			empty = i;
	}
	return empty;
}

/**
 * rlb_blocks_fit() - is there a place for the mask of a service's mark?
 * @rn: the namespace
 * @blocks: the service's
 *
 * Return: false if services have as many different ones as they may.
 */
bool rlb_blocks_fit(const struct rlb_net *rn, const struct rlb_blocks *blocks)
{
	const struct rlb_block *b = &blocks->block[0];

	return (b->node.family & 31) != RLB_BLOCK_MARK ||
	       mask_place(&rn->match[b->node.family >> 5 & 1], mask_of(b)) < RLB_MATCH_MASKS;
}

static void count_mask(struct rlb_match *match, u32 mask, int by)
{
	u32 i = mask_place(match, mask), any = 0, j;

	match->n_masks[i] += by;
	WRITE_ONCE(match->masks[i], match->n_masks[i] ? mask : 0);
	for (j = 0; j < RLB_MATCH_MASKS; j++)
		any |= match->masks[j];
	WRITE_ONCE(match->sizes, any ? match->sizes | RLB_MATCH_MARK :
				       match->sizes & ~RLB_MATCH_MARK);
}

/* What packets have to look for: one more of a kind, or one less. */
static void count(u32 *n, int by, u32 *mask, u32 bit)
{
	*n += by;
	WRITE_ONCE(*mask, *n ? *mask | bit : *mask & ~bit);	/* pairs with rlb_match_find() */
}

static void count_prefix(struct rlb_match *match, unsigned int bits, int by)
{
	u64 *word = &match->prefixes[bits / 64], bit = BIT_ULL(bits % 64);

	match->n_prefixes[bits] += by;
	WRITE_ONCE(*word, match->n_prefixes[bits] ? *word | bit : *word & ~bit);
	if (match->prefixes[0] || match->prefixes[1])
		WRITE_ONCE(match->sizes, match->sizes | RLB_MATCH_PREFIX);
	else
		WRITE_ONCE(match->sizes, match->sizes & ~RLB_MATCH_PREFIX);
}

static void count_block(struct rlb_net *rn, const struct rlb_block *b, int by)
{
	struct rlb_match *match = &rn->match[b->node.family >> 5 & 1];
	unsigned int bits = b->node.family & 31;

	if (b->node.proto == RINGLB_PROTOCOL_ANY)
		count(&match->n_any, by, &match->sizes, RLB_MATCH_ANY);
	if (bits == RLB_BLOCK_MARK) {
		count_mask(match, mask_of(b), by);
	} else if (b->node.family >> 6 & 1) {
		count(&match->n_spread[bits], by, &match->spread, BIT(bits));
		count_prefix(match, b->prefix, by);
	} else {
		count(&match->n_sizes[bits], by, &match->sizes, BIT(bits));
	}
}

/**
 * rlb_blocks_insert() - let packets find a service by its ports
 * @rn: the namespace; there are places for the blocks in rlb_net.vips
 * @blocks: the blocks
 */
void rlb_blocks_insert(struct rlb_net *rn, struct rlb_blocks *blocks)
{
	u32 i;

	for (i = 0; i < blocks->n; i++) {
		rlb_index_insert(&rn->vips, &blocks->block[i].node);
		count_block(rn, &blocks->block[i], 1);
	}
}

/**
 * rlb_blocks_remove() - packets find it no more
 * @rn: the namespace
 * @blocks: the blocks
 */
void rlb_blocks_remove(struct rlb_net *rn, struct rlb_blocks *blocks)
{
	u32 i;

	for (i = 0; i < blocks->n; i++) {
		count_block(rn, &blocks->block[i], -1);
		rlb_index_remove(&rn->vips, &blocks->block[i].node);
	}
}

/* A service of @proto that has a packet's port, in a block of one of these sizes, of @addr */
static struct rlb_service *find_sized(const struct rlb_net *rn, const struct rlb_tuple *t,
				      u8 proto, const union rlb_addr *addr, bool prefixed,
				      unsigned long sizes)
{
	struct rlb_index_node *node;
	unsigned int bits;

	for_each_set_bit(bits, &sizes, RLB_PORTS_BITS + 1) {
		node = rlb_index_find(&rn->vips, rlb_block_family(t->family, prefixed, bits),
				      proto, addr, rlb_block_port(ntohs(t->dport), bits));
		if (node)
			return container_of(node, struct rlb_block, node)->service;
	}
	return NULL;
}

/* The service that has a mark in the most bits */
static struct rlb_service *find_marked(const struct rlb_net *rn, u8 packet_family, u8 proto,
				       u32 mark)
{
	const struct rlb_match *match = rlb_match_of(rn, packet_family);
	u8 family = rlb_block_family(packet_family, false, RLB_BLOCK_MARK);
	struct rlb_service *best = NULL;
	struct rlb_index_node *node;
	union rlb_addr addr;
	u32 i, mask, bits = 0;

	for (i = 0; i < RLB_MATCH_MASKS; i++) {
		mask = READ_ONCE(match->masks[i]);
		if (!(mask & mark) || hweight32(mask) <= bits)
			continue;
		addr = mark_addr(mark, mask);
		node = rlb_index_find(&rn->vips, family, proto, &addr, 0);
		if (!node)
			continue;
		best = container_of(node, struct rlb_block, node)->service;
		bits = hweight32(mask);
	}
	return best;
}

/**
 * rlb_match_marked() - may some service take what has a mark?
 * @rn: the namespace
 * @family: AF_INET or AF_INET6
 * @mark: the mark
 *
 * Return: false if surely none does.
 */
bool rlb_match_marked(const struct rlb_net *rn, u8 family, u32 mark)
{
	const struct rlb_match *match = rlb_match_of(rn, family);
	u32 i;

	for (i = 0; i < RLB_MATCH_MASKS; i++)
		if (READ_ONCE(match->masks[i]) & mark)
			return true;
	return false;
}

/* The closest of the services of @proto that have a packet */
static struct rlb_service *find_of(const struct rlb_net *rn, const struct rlb_tuple *t, u8 proto,
				   u32 mark)
{
	const struct rlb_match *match = rlb_match_of(rn, t->family);
	struct rlb_service *svc;
	union rlb_addr addr;
	int bits;

	svc = find_sized(rn, t, proto, &t->dst, false, READ_ONCE(match->sizes));
	if (svc)
		return svc;
	for_each_prefix(bits, match) {
		addr = ended(&t->dst, bits);
		svc = find_sized(rn, t, proto, &addr, true, READ_ONCE(match->spread));
		if (svc)
			return svc;
	}
	return mark ? find_marked(rn, t->family, proto, mark) : NULL;
}

/**
 * rlb_match_find() - the service that has a packet's address and port among others, or its mark
 * @rn: the namespace
 * @t: the packet, from client to VIP; its ports become 0 if the service is of every protocol: all
 *	of a client's packets of one are a flow
 * @mark: its mark
 *
 * Return: the service, NULL if there is none.
 */
struct rlb_service *rlb_match_find(const struct rlb_net *rn, struct rlb_tuple *t, u32 mark)
{
	struct rlb_service *svc = find_of(rn, t, t->proto, mark);

	if (svc || !rlb_match_any(rn, t->family))
		return svc;
	svc = find_of(rn, t, RINGLB_PROTOCOL_ANY, mark);
	if (svc)
		t->sport = t->dport = 0;
	return svc;
}

/**
 * rlb_match_covers() - may some service's prefix have an address?
 * @rn: the namespace
 * @family: AF_INET or AF_INET6
 * @addr: the address, as in the packet
 *
 * Caller holds rcu_read_lock().
 *
 * Return: false if surely none has it.
 */
bool rlb_match_covers(const struct rlb_net *rn, u8 family, const union rlb_addr *addr)
{
	const struct rlb_match *match = rlb_match_of(rn, family);
	union rlb_addr whole = { 0 }, prefix;
	int bits;

	memcpy(&whole, addr, rlb_addr_len(family));
	for_each_prefix(bits, match) {
		prefix = ended(&whole, bits);
		if (rlb_index_knows(&rn->vips, rlb_block_family(family, true, 0), &prefix))
			return true;
	}
	return false;
}
