// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - the backends of a service, and changes to them as all or nothing
 *
 * In: what a request says of backends. Out: a new table in service and a new set of backends,
 * or a reason why not and nothing changed. Process context under cfg_lock.
 *
 * A request drafts: it copies the set, changes the copy as often as it likes, prepares with
 * one build all that can fail, and commits with one swap; or it aborts. A backend that both sets hold is the same object,
 * with its counters; a new one is made while drafting; one that only the old set holds is
 * unlinked at the commit and freed after a grace period.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "backend.h"
#include "service.h"
#include "stats.h"
#include "table.h"

static void backend_free(struct rlb_backend *b)
{
	rlb_stats_free(b->stats);
	kfree(b);
}

static void backend_free_rcu(struct rcu_head *rcu)
{
	backend_free(container_of(rcu, struct rlb_backend, rcu));
}

static struct rlb_backend *backend_alloc(struct rlb_service *svc,
					 const struct rlb_backend_config *c)
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
	b->ident = rlb_ident(sc->family, &c->addr, c->port, sc->proto);
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

/* First place whose backend is not below the one asked for. */
static u32 lower_bound(const struct rlb_backend_set *set, const struct rlb_backend_config *c)
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
	u32 i = lower_bound(set, c);

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
	u32 i = lower_bound(set, &c);

	return i < set->n && !compare(set->item[i].backend, &c) ? i + 1 : i;
}

/* True if a set has this very backend, not just one with its address. */
static bool is_in(const struct rlb_backend_set *set, const struct rlb_backend *b)
{
	struct rlb_backend_config c = { .addr = b->node.addr, .port = b->port };
	u32 i = lower_bound(set, &c);

	return i < set->n && set->item[i].backend == b;
}

/**
 * rlb_draft_begin() - start a change of a service's backends
 * @draft: the change
 * @svc: the service
 * @more: how many backends may be added
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_draft_begin(struct rlb_draft *draft, struct rlb_service *svc, u32 more)
{
	const struct rlb_backend_set *now = &svc->set;

	draft->service = svc;
	draft->table = NULL;
	draft->rebuild = false;
	draft->set.n = now->n;
	draft->set.room = now->n + more;
	draft->set.item = kvmalloc_array(max(draft->set.room, 1U), sizeof(*now->item),
					 GFP_KERNEL_ACCOUNT);
	if (!draft->set.item)
		return -ENOMEM;
	if (now->n)
		memcpy(draft->set.item, now->item, now->n * sizeof(*now->item));
	return 0;
}

/*
 * The way back is found by a backend's address, port and protocol alone, so a namespace can
 * have each of them once, and none that is a VIP.
 */
static int check_unique(const struct rlb_draft *draft, const struct rlb_backend_config *c,
			struct netlink_ext_ack *extack)
{
	const struct rlb_service *svc = draft->service;
	__be16 port = c->port ?: svc->config.port;
	u32 i;

	if (rlb_index_find(&svc->rn->vips, svc->config.family, svc->config.proto, &c->addr, port)) {
		NL_SET_ERR_MSG(extack, "backend is the address and port of a service");
		return -EINVAL;
	}
	if (rlb_backend_find(&draft->set, c)) {
		NL_SET_ERR_MSG(extack, "service has this backend already");
		return -EEXIST;
	}
	if (rlb_index_find(&svc->rn->reals, svc->config.family, svc->config.proto, &c->addr, port))
		goto err_taken;
	for (i = 0; i < draft->set.n; i++)
		if (draft->set.item[i].backend->node.port == port &&
		    !memcmp(&draft->set.item[i].backend->node.addr, &c->addr,
			    rlb_addr_len(svc->config.family)))
			goto err_taken;
	return 0;

err_taken:
	NL_SET_ERR_MSG(extack,
		       "address and port of the backend already get packets of a service: replies could not be told apart");
	return -EEXIST;
}

/**
 * rlb_draft_add() - add a backend to a draft
 * @draft: the draft, with room for it
 * @c: the backend; weight 1 and state up unless given
 * @extack: for the reason of a refusal
 *
 * Return: 0; -EEXIST, -EINVAL, -ENOSPC or -ENOMEM with the draft as it was.
 */
int rlb_draft_add(struct rlb_draft *draft, const struct rlb_backend_config *c,
		  struct netlink_ext_ack *extack)
{
	struct rlb_backend_set *set = &draft->set;
	struct rlb_backend_item *item;
	struct rlb_backend *b;
	u32 i;
	int err;

	err = check_unique(draft, c, extack);
	if (err)
		return err;
	if (set->n == RINGLB_BACKENDS_MAX || set->n == set->room) {
		NL_SET_ERR_MSG(extack, "service has 4096 backends, the most there can be");
		return -ENOSPC;
	}
	b = backend_alloc(draft->service, c);
	if (!b)
		return -ENOMEM;
	i = lower_bound(set, c);
	item = &set->item[i];
	memmove(item + 1, item, (set->n - i) * sizeof(*item));
	memset(item, 0, sizeof(*item));
	item->backend = b;
	item->weight = c->has_weight ? c->weight : 1;
	item->state = c->has_state ? c->state : RINGLB_STATE_UP;
	set->n++;
	draft->rebuild |= item->weight;
	return 0;
}

static struct rlb_backend_item *find_or_refuse(const struct rlb_draft *draft,
					       const struct rlb_backend_config *c,
					       struct netlink_ext_ack *extack)
{
	struct rlb_backend_item *item = rlb_backend_find(&draft->set, c);

	if (!item)
		NL_SET_ERR_MSG(extack, "service has no such backend");
	return item;
}

/**
 * rlb_draft_set() - change weight or state of a backend in a draft
 * @draft: the draft
 * @c: the backend, and what is given of weight and state
 * @extack: for the reason of a refusal
 *
 * Return: 0 or -ENOENT.
 */
int rlb_draft_set(struct rlb_draft *draft, const struct rlb_backend_config *c,
		  struct netlink_ext_ack *extack)
{
	struct rlb_backend_item *item = find_or_refuse(draft, c, extack);

	if (!item)
		return -ENOENT;
	if (c->has_weight && c->weight != item->weight) {
		item->weight = c->weight;
		draft->rebuild = true;
	}
	if (c->has_state)
		item->state = c->state;
	return 0;
}

/**
 * rlb_draft_del() - remove a backend from a draft
 * @draft: the draft
 * @c: the backend
 * @extack: for the reason of a refusal
 *
 * Return: 0 or -ENOENT.
 */
int rlb_draft_del(struct rlb_draft *draft, const struct rlb_backend_config *c,
		  struct netlink_ext_ack *extack)
{
	struct rlb_backend_item *item = find_or_refuse(draft, c, extack);
	struct rlb_backend_set *set = &draft->set;

	if (!item)
		return -ENOENT;
	draft->rebuild |= item->weight;
	if (!is_in(&draft->service->set, item->backend))
		backend_free(item->backend);
	memmove(item, item + 1, (set->item + set->n - item - 1) * sizeof(*item));
	set->n--;
	return 0;
}

/**
 * rlb_draft_prepare() - do all of a draft that can fail
 * @draft: the draft
 * @extack: for the reason of a refusal
 *
 * Builds a table if members or weights differ. May sleep; packets are not affected.
 *
 * Return: 0; -ENOMEM or -E2BIG with nothing changed and the draft to be aborted.
 */
int rlb_draft_prepare(struct rlb_draft *draft, struct netlink_ext_ack *extack)
{
	struct rlb_service *svc = draft->service;
	struct rlb_table *table;
	int err;

	err = rlb_index_reserve(&svc->rn->reals, draft->set.room - svc->set.n);
	if (err || !draft->rebuild)
		return err;
	table = rlb_table_build(svc, &svc->config, &draft->set, extack);
	if (IS_ERR(table))
		return PTR_ERR(table);
	draft->table = table;
	return 0;
}

/**
 * rlb_draft_commit() - put a draft into force
 * @draft: the draft, prepared; used up
 *
 * A change of states alone is a store a member. New backends can answer before packets are
 * sent to them, old ones until no packet is sent to them any more.
 */
void rlb_draft_commit(struct rlb_draft *draft)
{
	struct rlb_service *svc = draft->service;
	struct rlb_backend_set old = svc->set;
	u32 i;

	for (i = 0; i < draft->set.n; i++)
		if (!is_in(&old, draft->set.item[i].backend))
			rlb_index_insert(&svc->rn->reals, &draft->set.item[i].backend->node);
	if (draft->table) {
		rlb_table_publish(svc, draft->table);
		svc->generation++;
	} else {
		rlb_table_set_states(rlb_table_locked(svc), &draft->set);
	}
	svc->set = draft->set;
	for (i = 0; i < old.n; i++) {
		if (is_in(&svc->set, old.item[i].backend))
			continue;
		rlb_index_remove(&svc->rn->reals, &old.item[i].backend->node);
		call_rcu(&old.item[i].backend->rcu, backend_free_rcu);
	}
	kvfree(old.item);
}

/**
 * rlb_draft_abort() - throw a draft away
 * @draft: the draft, prepared or not
 */
void rlb_draft_abort(struct rlb_draft *draft)
{
	u32 i;

	for (i = 0; i < draft->set.n; i++)
		if (!is_in(&draft->service->set, draft->set.item[i].backend))
			backend_free(draft->set.item[i].backend);
	kvfree(draft->set.item);
	rlb_table_discard(draft->table);
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

	for (i = 0; i < svc->set.n; i++) {
		rlb_index_remove(&svc->rn->reals, &svc->set.item[i].backend->node);
		call_rcu(&svc->set.item[i].backend->rcu, backend_free_rcu);
	}
	kvfree(svc->set.item);
	memset(&svc->set, 0, sizeof(svc->set));
}
