// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - the backends of a service: objects, and the ordered set of them
 *
 * Process context under cfg_lock. Packets find a backend through its service's table or
 * through rlb_net.reals; it is unlinked from both, then freed after a grace period.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "backend.h"
#include "service.h"
#include "stats.h"

/**
 * rlb_backend_free() - the end of a backend that no packet can find
 * @b: the backend
 */
void rlb_backend_free(struct rlb_backend *b)
{
	rlb_stats_free(b->stats);
	kfree(b);
}

static void backend_free_rcu(struct rcu_head *rcu)
{
	rlb_backend_free(container_of(rcu, struct rlb_backend, rcu));
}

/**
 * rlb_backend_unlink() - the end of a backend that is in force
 * @b: the backend; no table that packets meet from now on has it
 *
 * Freed after a grace period.
 */
void rlb_backend_unlink(struct rlb_backend *b)
{
	rlb_index_remove(&b->service->rn->reals, &b->node);
	call_rcu(&b->rcu, backend_free_rcu);
}

/**
 * rlb_backend_alloc() - a new backend
 * @svc: its service
 * @c: address and port
 *
 * Return: the backend, which no packet can find yet; NULL if there is no memory.
 */
struct rlb_backend *rlb_backend_alloc(struct rlb_service *svc, const struct rlb_backend_config *c)
{
	const struct rlb_service_config *sc = &svc->config;
	struct rlb_backend *b;

	b = kzalloc(sizeof(*b), GFP_KERNEL_ACCOUNT);
	if (!b)
		return NULL;
	b->stats = rlb_stats_alloc(RLB_COUNTERS_BACKEND);
	if (!b->stats) {
		kfree(b);
		return NULL;
	}
	b->service = svc;
	b->port = c->port;
	b->node.family = sc->family;
	b->node.proto = sc->proto;
	b->node.addr = c->addr;
	b->node.port = c->port ?: sc->port;
	return b;
}

/* Order of the set: addresses, then configured ports, as bytes on the wire. */
static int compare(const struct rlb_backend *b, const struct rlb_backend_config *c)
{
	int order = memcmp(&b->node.addr, &c->addr, rlb_addr_len(b->node.family));

	return order ?: (int)be16_to_cpu(b->port) - be16_to_cpu(c->port);
}

/**
 * rlb_backend_place() - where in a set a backend is, or would be
 * @set: the set
 * @c: its address and configured port
 *
 * Return: index of the first backend that is not before it.
 */
u32 rlb_backend_place(const struct rlb_backend_set *set, const struct rlb_backend_config *c)
{
	u32 low = 0, high = set->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (compare(set->item[middle].backend, c) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * rlb_backend_compare() - the order of a set
 * @a: a backend
 * @b: another of the same service
 *
 * Return: below, at or above 0 as @a is before, like or after @b.
 */
int rlb_backend_compare(const struct rlb_backend *a, const struct rlb_backend *b)
{
	struct rlb_backend_config c = { .addr = b->node.addr, .port = b->port };

	return compare(a, &c);
}

/**
 * rlb_backend_find() - find a backend in a set
 * @set: the set
 * @c: its address and configured port
 *
 * Return: its place, NULL if there is none; valid until the set's next change.
 */
struct rlb_backend_item *rlb_backend_find(const struct rlb_backend_set *set,
					  const struct rlb_backend_config *c)
{
	u32 i = rlb_backend_place(set, c);

	if (i == set->n || compare(set->item[i].backend, c))
		return NULL;
	return &set->item[i];
}

/**
 * rlb_backend_item_of() - weight, state and slots of a backend
 * @svc: its service
 * @b: one of the service's backends
 *
 * Return: its place, valid until the set's next change.
 */
struct rlb_backend_item *rlb_backend_item_of(const struct rlb_service *svc,
					     const struct rlb_backend *b)
{
	struct rlb_backend_config c = { .addr = b->node.addr, .port = b->port };

	return rlb_backend_find(&svc->set, &c);
}

/**
 * rlb_backend_set_id() - give a backend an id, and with it another identity
 * @item: the backend in a set that is not yet in force
 * @id: the id; RLB_NO_ID: it has none, and is its address
 */
void rlb_backend_set_id(struct rlb_backend_item *item, u32 id)
{
	const struct rlb_backend *b = item->backend;

	item->id = id;
	item->ident = id == RLB_NO_ID ? rlb_ident(b->node.family, &b->node.addr, b->port,
						  b->node.proto) : rlb_ident_of_id(id);
}

/**
 * rlb_backend_after() - go on with a walk over a set that may have changed since
 * @set: the set
 * @addr: address of the last backend that was met
 * @port: its configured port
 *
 * Return: index of the first backend after that one.
 */
u32 rlb_backend_after(const struct rlb_backend_set *set, const union rlb_addr *addr, __be16 port)
{
	struct rlb_backend_config c = { .addr = *addr, .port = port };
	u32 i = rlb_backend_place(set, &c);

	return i < set->n && !compare(set->item[i].backend, &c) ? i + 1 : i;
}

/**
 * rlb_backend_is_in() - does a set have this very backend, and not just one like it?
 * @set: the set
 * @b: the backend
 *
 * Return: true if so.
 */
bool rlb_backend_is_in(const struct rlb_backend_set *set, const struct rlb_backend *b)
{
	struct rlb_backend_config c = { .addr = b->node.addr, .port = b->port };
	u32 i = rlb_backend_place(set, &c);

	return i < set->n && set->item[i].backend == b;
}

/**
 * rlb_backends_destroy() - the end of all backends of a service
 * @svc: the service; no longer found by packets to its VIP
 *
 * cfg_lock held. Packets may still hold the backends until a grace period has passed.
 */
void rlb_backends_destroy(struct rlb_service *svc)
{
	u32 i;

	for (i = 0; i < svc->set.n; i++)
		rlb_backend_unlink(svc->set.item[i].backend);
	kvfree(svc->set.item);
	memset(&svc->set, 0, sizeof(svc->set));
}
