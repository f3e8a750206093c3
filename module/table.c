// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - build a table aside, publish it by one pointer, free the old one later
 *
 * In: a service's configuration and backends. Out: what packets are steered by.
 * Process context under cfg_lock; building may sleep. Packets read the published table under
 * RCU; after publication nothing in it changes but one byte a member, and the hint beside.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "backend.h"
#include "secret.h"
#include "table.h"

/* One piece of memory: the struct, pointers to backends, slots, one byte a member. */
static size_t table_size(u32 n, unsigned int bits)
{
	return sizeof(struct rlb_table) + n * sizeof(struct rlb_backend *) +
	       (sizeof(u16) << bits) + n;
}

/* Point into the piece; writers know that slots and states are theirs to write. */
static void table_lay_out(struct rlb_table *t, u32 n, unsigned int bits)
{
	t->backend = (struct rlb_backend **)(t + 1);
	t->view.slots = (u16 *)(t->backend + n);
	t->view.takes = (u8 *)(t->view.slots + (1U << bits));
	t->view.n = n;
	t->view.bits = bits;
}

static u16 *table_slots(struct rlb_table *t)
{
	return (u16 *)t->view.slots;
}

static u8 *table_takes(struct rlb_table *t)
{
	return (u8 *)t->view.takes;
}

static struct rlb_member *members_of(const struct rlb_backend_set *set, u32 *n)
{
	struct rlb_member *m;
	u32 i;

	m = kvmalloc_array(max(set->n, 1U), sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (!m)
		return NULL;
	*n = 0;
	for (i = 0; i < set->n; i++) {
		if (!set->item[i].weight)
			continue;
		m[*n].ident = set->item[i].backend->ident;
		m[*n].weight = set->item[i].weight;
		(*n)++;
	}
	return m;
}

/* Tell each backend which member it is and how many slots it owns, and the table the rest. */
static int table_bind(struct rlb_table *t, struct rlb_backend_set *set)
{
	u32 *owned;
	u32 i, s;
	u16 n = 0;

	owned = kvcalloc(max(t->view.n, 1U), sizeof(*owned), GFP_KERNEL_ACCOUNT);
	if (!owned)
		return -ENOMEM;
	for (s = 0; t->view.n && s < 1U << t->view.bits; s++)
		owned[t->view.slots[s]]++;
	for (i = 0; i < set->n; i++) {
		set->item[i].slots = 0;
		if (!set->item[i].weight)
			continue;
		set->item[i].member = n;
		set->item[i].slots = owned[n];
		t->backend[n++] = set->item[i].backend;
	}
	kvfree(owned);
	rlb_table_set_states(t, set);
	return 0;
}

static void refuse_points(const struct rlb_member *m, u32 n, struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, RINGLB_MSG_POINTS);
	if (extack)
		nl_set_extack_cookie_u64(extack, rlb_ring_vnodes_max(m, n));
}

/**
 * rlb_table_build() - build the table of a service
 * @svc: the service
 * @config: the configuration to build by; may differ from the one in force
 * @set: the backends to build from; learns who owns how many slots
 * @extack: for the reason of a refusal
 *
 * Process context under cfg_lock; may sleep, takes milliseconds. Packets are not affected.
 *
 * Return: the table, to be published or freed by kvfree(); -ENOMEM, -E2BIG.
 */
struct rlb_table *rlb_table_build(struct rlb_service *svc,
				  const struct rlb_service_config *config,
				  struct rlb_backend_set *set, struct netlink_ext_ack *extack)
{
	struct rlb_table *t = NULL;
	struct rlb_member *m;
	int err = -ENOMEM;
	u32 n;

	m = members_of(set, &n);
	if (!m)
		return ERR_PTR(-ENOMEM);
	t = kvmalloc(table_size(n, RINGLB_SLOT_BITS), GFP_KERNEL_ACCOUNT);
	if (!t)
		goto out_free_members;
	table_lay_out(t, n, RINGLB_SLOT_BITS);
	err = rlb_lookup_build(config->ops, table_slots(t), RINGLB_SLOT_BITS, m, n,
			       &config->params);
	if (err == -E2BIG)
		refuse_points(m, n, extack);
	if (!err)
		err = table_bind(t, set);
	if (err)
		goto out_free_members;
	t->digest = rlb_digest(t->view.slots, t->view.bits, m, n);
	t->key = config->key;
	rlb_net_secret(svc->rn, &t->secret);
out_free_members:
	kvfree(m);
	if (!err)
		return t;
	kvfree(t);
	return ERR_PTR(err);
}

/**
 * rlb_table_copy() - a table like another, for a change that leaves its slots alone
 * @old: the table
 *
 * Process context; may sleep.
 *
 * Return: the copy, NULL if there is no memory.
 */
struct rlb_table *rlb_table_copy(const struct rlb_table *old)
{
	size_t size = table_size(old->view.n, old->view.bits);
	struct rlb_table *t;

	t = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!t)
		return NULL;
	memcpy(t, old, size);
	table_lay_out(t, old->view.n, old->view.bits);
	return t;
}

static void table_free_rcu(struct rcu_head *rcu)
{
	kvfree(container_of(rcu, struct rlb_table, rcu));
}

/**
 * rlb_table_free() - the end of a table that packets may still be looking at
 * @table: the table, of which no new packet hears
 *
 * Freed after one grace period, and not in the batches of kvfree_rcu(), which wait for
 * seconds: an operator's loop of changes must not pile up tables of 128 KiB.
 */
void rlb_table_free(struct rlb_table *table)
{
	call_rcu(&table->rcu, table_free_rcu);
}

/**
 * rlb_table_publish() - put a table into service
 * @svc: the service
 * @new: its new table; belongs to the service from now on
 *
 * cfg_lock held. Packets that have begun with the former table end with it.
 */
void rlb_table_publish(struct rlb_service *svc, struct rlb_table *new)
{
	struct rlb_table *old;

	old = rcu_replace_pointer(svc->table, new, lockdep_is_held(&svc->rn->cfg_lock));
	svc->generation++;
	if (old)
		rlb_table_free(old);
}

static u8 takes(u8 state)
{
	switch (state) {
	case RINGLB_STATE_UP:
		return RLB_TAKES_FLOWS;
	case RINGLB_STATE_DRAIN:
		return RLB_TAKES_LAST;
	default:
		return RLB_TAKES_NONE;
	}
}

/**
 * rlb_table_set_states() - let packets know which members take flows
 * @table: a table, published or not
 * @set: the backends that it was built from
 *
 * cfg_lock held, or the table not yet published. A byte a member is stored; readers pair with
 * READ_ONCE() in choose.h. The hint is never below the truth: it rises before the first
 * member that takes more, and falls after the last.
 */
void rlb_table_set_states(struct rlb_table *table, const struct rlb_backend_set *set)
{
	u8 best = RLB_TAKES_NONE;
	u32 i;

	WRITE_ONCE(table->view.best, RLB_TAKES_FLOWS);
	for (i = 0; i < set->n; i++) {
		if (!set->item[i].weight)
			continue;
		WRITE_ONCE(table_takes(table)[set->item[i].member], takes(set->item[i].state));
		best = max(best, takes(set->item[i].state));
	}
	WRITE_ONCE(table->view.best, best);
}
