// SPDX-License-Identifier: GPL-2.0-only
/*
 * index.c - objects by address, port and protocol, for packets
 *
 * In: an address, a port, a protocol. Out: the node that has them.
 * Readers: softirq or process context under rcu_read_lock(). Writers: process context under
 * cfg_lock; they store single pointers into an array that readers are in, or replace it.
 *
 * At most half of an array's places are in use, so a reader always comes to an empty one. A
 * removed node leaves a grave, which readers step over and a later insertion digs up; graves
 * count as used, so too many of them lead to a new array.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "index.h"

#define INDEX_MIN 64	/* places in the smallest array */
#define KNOWN_BITS 16	/* of addresses, for each place: 32 or more for each node */

/* Equal to nothing that is looked for: no packet has address family 0. */
static struct rlb_index_node grave;

static struct rlb_index_array *array_locked(const struct rlb_index *idx)
{
	return rcu_dereference_protected(idx->array, lockdep_is_held(idx->lock));
}

static struct rlb_index_node *place_locked(const struct rlb_index *idx,
					   const struct rlb_index_array *a, u32 i)
{
	return rcu_dereference_protected(a->place[i], lockdep_is_held(idx->lock));
}

/* First place at or after the node's own that holds nothing. */
static u32 index_place(const struct rlb_index *idx, const struct rlb_index_array *a, u32 hash)
{
	const struct rlb_index_node *node;
	u32 i;

	for (i = hash & a->mask; ; i = (i + 1) & a->mask) {
		node = place_locked(idx, a, i);
		if (!node || node == &grave)
			return i;
	}
}

/* Readers may look for it by its address. Only a new array forgets an address. */
static void know(struct rlb_index_array *a, const struct rlb_index_node *node)
{
	set_bit(rlb_index_addr_hash(node->family, &node->addr) >> a->shift, a->known);
}

static void array_replace(struct rlb_index *idx, struct rlb_index_array *new)
{
	struct rlb_index_array *old = array_locked(idx);
	struct rlb_index_node *node;
	u32 i;

	for (i = 0; old && i <= old->mask; i++) {
		node = place_locked(idx, old, i);
		if (!node || node == &grave)
			continue;
		know(new, node);
		rcu_assign_pointer(new->place[index_place(idx, new, node->hash)], node);
	}
	rcu_assign_pointer(idx->array, new);
	idx->used = idx->live;
	if (old)
		kvfree_rcu(old, rcu);
}

static struct rlb_index_array *index_alloc(u32 size)
{
	u32 bits = size * KNOWN_BITS;
	struct rlb_index_array *a;

	a = kvzalloc(struct_size(a, place, size) + bits / BITS_PER_BYTE, GFP_KERNEL_ACCOUNT);
	if (!a)
		return NULL;
	a->mask = size - 1;
	a->shift = 64 - ilog2(bits);
	a->known = (unsigned long *)(a->place + size);
	return a;
}

/**
 * rlb_index_reserve() - make sure that insertions will not fail
 * @idx: the index
 * @more: how many nodes are going to be inserted
 *
 * Process context, cfg_lock held; may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_index_reserve(struct rlb_index *idx, u32 more)
{
	struct rlb_index_array *a = array_locked(idx);
	u32 size = INDEX_MIN;

	if (a && (idx->used + more) * 2 <= a->mask + 1)
		return 0;
	while (size < (idx->live + more) * 4)
		size *= 2;
	a = index_alloc(size);
	if (!a)
		return -ENOMEM;
	array_replace(idx, a);
	return 0;
}

/**
 * rlb_index_insert() - add a node for readers to find
 * @idx: the index, with a place reserved
 * @node: the node, complete but for its hash; what it is embedded in is ready for readers.
 *	There is no other node with the same key.
 *
 * cfg_lock held.
 */
void rlb_index_insert(struct rlb_index *idx, struct rlb_index_node *node)
{
	struct rlb_index_array *a = array_locked(idx);
	u32 i;

	node->what = rlb_index_what(node->family, node->proto, node->port);
	node->hash = rlb_index_hash(node->what, node->family, &node->addr);
	i = index_place(idx, a, node->hash);
	if (!place_locked(idx, a, i))
		idx->used++;
	idx->live++;
	know(a, node);
	rcu_assign_pointer(a->place[i], node);
}

static u32 index_of(const struct rlb_index *idx, const struct rlb_index_array *a,
		    const struct rlb_index_node *node)
{
	u32 i;

	for (i = node->hash & a->mask; place_locked(idx, a, i) != node; i = (i + 1) & a->mask)
		;
	return i;
}

/**
 * rlb_index_replace() - put a node in the place of another one, with no gap for readers
 * @idx: the index
 * @node: a node in it; to be freed after a grace period
 * @by: what is found instead, complete but for its hash; it has the same key
 *
 * cfg_lock held.
 */
void rlb_index_replace(struct rlb_index *idx, struct rlb_index_node *node,
		       struct rlb_index_node *by)
{
	struct rlb_index_array *a = array_locked(idx);

	by->what = node->what;
	by->hash = node->hash;
	rcu_assign_pointer(a->place[index_of(idx, a, node)], by);
}

/**
 * rlb_index_remove() - take a node away; never fails
 * @idx: the index
 * @node: a node in it; to be freed after a grace period
 *
 * cfg_lock held.
 */
void rlb_index_remove(struct rlb_index *idx, struct rlb_index_node *node)
{
	struct rlb_index_array *a = array_locked(idx);

	rcu_assign_pointer(a->place[index_of(idx, a, node)], &grave);
	idx->live--;
}

/**
 * rlb_index_destroy() - free the array
 * @idx: the index; nobody reads or writes it any more
 */
void rlb_index_destroy(struct rlb_index *idx)
{
	kvfree(rcu_dereference_protected(idx->array, true));
	RCU_INIT_POINTER(idx->array, NULL);
}
