// SPDX-License-Identifier: GPL-2.0-only
/*
 * way.c - routes that packets of the fast path have found
 *
 * In: a route that the kernel has made. Out: the same, until another packet finds it out of
 * date: that to a backend at the backend, that to a client in a table of this CPU's, where it
 * makes way for another client's. Softirq under rcu_read_lock(), but for begin and end.
 *
 * A route that is held here does not hold a device: when the kernel is done with a route it
 * takes the device out of it, whoever holds it, and that it is done is asked for before each use
 * (fast_route.h). A neighbour does hold its device: those of a device that ends are let go when
 * the kernel says so, which is after no packet can find a route by it any more. All are released
 * when no device of the namespace has the fast path any more, those of a backend with the
 * backend at the latest.
 */
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "backend.h"
#include "service.h"
#include "way.h"

#define WAYS_BACK (2U << RLB_WAY_BACK_BITS)	/* both families */

/* Guards rlb_net.ways of all namespaces, and what is in them: backends may outlive theirs. */
static DEFINE_SPINLOCK(ways_lock);

/* Who looks at the way has what it holds until a grace period has passed, as the way itself. */
static void unlink_to(struct rlb_way_to *to)
{
	list_del(&to->node);
	dst_release(to->way.dst);
	neigh_release(to->neigh);
}

/* Nobody finds it any more. */
static void end_to(struct rlb_way_to *to)
{
	RCU_INIT_POINTER(to->backend->way, NULL);
	unlink_to(to);
	kfree_rcu(to, rcu);
}

/**
 * rlb_way_to_set() - a packet has found a new route to a backend
 * @b: the backend
 * @way: the route
 * @neigh: the next hop
 *
 * Without memory, and for a route or neighbour that is just coming to its end, nothing happens.
 */
void rlb_way_to_set(struct rlb_backend *b, const struct rlb_way *way, struct neighbour *neigh)
{
	struct rlb_way_to *new, *old;

	new = kmalloc(sizeof(*new), GFP_ATOMIC | __GFP_NOWARN);
	if (!new)
		return;
	if (!dst_hold_safe(way->dst))
		goto err_free;
	if (!refcount_inc_not_zero(&neigh->refcnt))
		goto err_release;
	new->way = *way;
	new->neigh = neigh;
	new->backend = b;
	spin_lock_bh(&ways_lock);
	list_add(&new->node, &b->service->rn->ways);
	old = rcu_replace_pointer(b->way, new, lockdep_is_held(&ways_lock));
	if (old)
		unlink_to(old);
	spin_unlock_bh(&ways_lock);
	if (old)
		kfree_rcu(old, rcu);
	return;

err_release:
	dst_release(way->dst);
err_free:
	kfree(new);
}

/**
 * rlb_way_to_end() - a backend ends, which no packet can find
 * @b: the backend; perhaps after its namespace
 */
void rlb_way_to_end(struct rlb_backend *b)
{
	struct rlb_way_to *to;

	spin_lock_bh(&ways_lock);
	to = rcu_replace_pointer(b->way, NULL, lockdep_is_held(&ways_lock));
	if (to)
		unlink_to(to);
	spin_unlock_bh(&ways_lock);
	kfree(to);
}

/**
 * rlb_way_back_set() - a packet has found a new route to a client
 * @back: the client's place
 * @client: whom to
 * @way: the route
 *
 * Most clients are behind one router, whose route need not be held once more for each: its
 * count is in a cache line that all CPUs share.
 */
void rlb_way_back_set(struct rlb_way_back *back, const union rlb_addr *client,
		      const struct rlb_way *way)
{
	if (back->way.dst != way->dst) {
		if (!dst_hold_safe(way->dst))
			return;
		dst_release(back->way.dst);
	}
	back->way = *way;
	back->client = *client;
}

static void backs_free(struct rlb_net *rn)
{
	struct rlb_way_back *backs;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		backs = *per_cpu_ptr(rn->ways_back, cpu);
		for (i = 0; backs && i < WAYS_BACK; i++)
			dst_release(backs[i].way.dst);
		kvfree(backs);
	}
	free_percpu(rn->ways_back);
	rn->ways_back = NULL;
}

/**
 * rlb_ways_begin() - a namespace is about to have its first device with the fast path
 * @rn: the namespace; cfg_lock held
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_ways_begin(struct rlb_net *rn)
{
	struct rlb_way_back *backs;
	int cpu;

	rn->ways_back = alloc_percpu(struct rlb_way_back *);
	if (!rn->ways_back)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		backs = kvcalloc(WAYS_BACK, sizeof(*backs), GFP_KERNEL_ACCOUNT);
		if (!backs) {
			backs_free(rn);
			return -ENOMEM;
		}
		*per_cpu_ptr(rn->ways_back, cpu) = backs;
	}
	return 0;
}

/**
 * rlb_ways_end() - a namespace has had its last one
 * @rn: the namespace; cfg_lock held. No packet is under way in the fast path.
 */
void rlb_ways_end(struct rlb_net *rn)
{
	struct rlb_way_to *to, *next;

	backs_free(rn);
	spin_lock_bh(&ways_lock);
	list_for_each_entry_safe(to, next, &rn->ways, node)
		end_to(to);
	spin_unlock_bh(&ways_lock);
}

/**
 * rlb_ways_forget() - a device ends
 * @rn: its namespace
 * @dev: the device; no packet can find a route by it
 */
void rlb_ways_forget(struct rlb_net *rn, const struct net_device *dev)
{
	struct rlb_way_to *to, *next;

	spin_lock_bh(&ways_lock);
	list_for_each_entry_safe(to, next, &rn->ways, node)
		if (to->neigh->dev == dev)
			end_to(to);
	spin_unlock_bh(&ways_lock);
}
