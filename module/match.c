// SPDX-License-Identifier: GPL-2.0-only
/*
 * match.c - services of several ports: found by packets that no service's one port is
 *
 * In: a service's range of ports, or a packet's protocol, address and port. Out: blocks of ports
 * in rlb_net.vips (lookup/ports.h), or the service. A packet looks once for each size of blocks
 * that some service has, the smallest first: ranges do not meet, and every port is the largest.
 * Readers: softirq or process context under rcu_read_lock() or cfg_lock. Writers: process context
 * under cfg_lock.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "lookup/ports.h"
#include "match.h"

static unsigned int size_of(const struct rlb_ports *p, u32 first)
{
	if (rlb_ports_match(p) == RINGLB_MATCH_EVERY_PORT)
		return RLB_PORTS_BITS;
	return rlb_ports_block(first, p->last);
}

static void block_set(struct rlb_block *b, struct rlb_service *svc,
		      const struct rlb_index_node *vip, u32 first, unsigned int bits)
{
	b->service = svc;
	b->node.family = rlb_block_family(vip->family, bits);
	b->node.proto = vip->proto;
	b->node.addr = vip->addr;
	b->node.port = rlb_block_port(first, bits);
}

/**
 * rlb_blocks_alloc() - the ports of a service, in blocks
 * @svc: the service
 * @vip: its address, protocol and family
 * @p: its ports, more than one
 *
 * Return: the blocks, to be freed by kfree() a grace period after rlb_blocks_remove(); NULL if
 * there is no memory.
 */
struct rlb_blocks *rlb_blocks_alloc(struct rlb_service *svc, const struct rlb_index_node *vip,
				    const struct rlb_ports *p)
{
	struct rlb_blocks *blocks;
	unsigned int bits;
	u32 first, n = 0;

	for (first = p->first; first <= p->last; first += 1U << size_of(p, first))
		n++;
	blocks = kzalloc(struct_size(blocks, block, n), GFP_KERNEL_ACCOUNT);
	if (!blocks)
		return NULL;
	for (first = p->first; first <= p->last; first += 1U << bits) {
		bits = size_of(p, first);
		block_set(&blocks->block[blocks->n++], svc, vip, first, bits);
	}
	return blocks;
}

/* One more block of a node's size, or one less. */
static void count(struct rlb_net *rn, const struct rlb_index_node *node, int by)
{
	unsigned int bits = node->family & 31, six = node->family >> 5 & 1;

	rn->n_blocks[six][bits] += by;
	if (rn->n_blocks[six][bits])
		WRITE_ONCE(rn->sizes[six], rn->sizes[six] | BIT(bits));
	else	/* pairs with rlb_match_sizes() */
		WRITE_ONCE(rn->sizes[six], rn->sizes[six] & ~BIT(bits));
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
		count(rn, &blocks->block[i].node, 1);
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
		count(rn, &blocks->block[i].node, -1);
		rlb_index_remove(&rn->vips, &blocks->block[i].node);
	}
}

/**
 * rlb_match_ports() - the service that has a packet's port among others
 * @rn: the namespace
 * @t: the packet, from client to VIP
 *
 * Return: the service, NULL if there is none.
 */
struct rlb_service *rlb_match_ports(const struct rlb_net *rn, const struct rlb_tuple *t)
{
	unsigned long sizes = rlb_match_sizes(rn, t->family);
	struct rlb_index_node *node;
	unsigned int bits;

	for_each_set_bit(bits, &sizes, RLB_PORTS_BITS + 1) {
		node = rlb_index_find(&rn->vips, rlb_block_family(t->family, bits), t->proto,
				      &t->dst, rlb_block_port(ntohs(t->dport), bits));
		if (node)
			return container_of(node, struct rlb_block, node)->service;
	}
	return NULL;
}
