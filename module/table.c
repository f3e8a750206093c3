// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - build a table aside, publish it by one pointer, free the old one later
 *
 * In: a service's configuration and backends. Out: what packets are steered by.
 * Process context under cfg_lock; building may sleep. Packets read the published table under
 * RCU; after publication nothing in it changes but one byte a member, the hint beside, and
 * once whether it is used.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "backend.h"
#include "lookup/settle.h"
#include "map.h"
#include "secret.h"
#include "table.h"

/*
 * One piece of memory: the struct, pointers to backends, backends by id and these ids, slots,
 * shares, one byte a member.
 */
static size_t table_size(u32 n, u32 room, u32 n_ids, unsigned int bits)
{
	return sizeof(struct rlb_table) + room * sizeof(struct rlb_backend *) +
	       n_ids * (sizeof(struct rlb_backend *) + sizeof(u32)) +
	       (sizeof(u16) << bits) + n * sizeof(u16) + n + 1;
}

/* Point into the piece; writers know that ids, slots and states are theirs to write. */
static void table_lay_out(struct rlb_table *t, u32 n, u32 room, u32 n_ids, unsigned int bits)
{
	t->backend = (struct rlb_backend **)(t + 1);
	t->room = room;
	t->named = t->backend + room;
	t->n_ids = n_ids;
	t->ids = (u32 *)(t->named + n_ids);
	t->view.slots = (u16 *)(t->ids + n_ids);
	t->view.share = t->view.slots + (1U << bits);
	t->view.takes = (u8 *)(t->view.share + n);
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

static u16 *table_share(struct rlb_table *t)
{
	return (u16 *)t->view.share;
}

/* The members of a set: backends with a weight, in order. */
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
		m[*n].ident = set->item[i].ident;
		m[*n].id = set->item[i].id;
		m[*n].weight = set->item[i].weight;
		(*n)++;
	}
	return m;
}

/* Count who owns how many slots, for requests that ask. */
static int count_slots(const struct rlb_table *t, struct rlb_backend_set *set)
{
	u32 *owned;
	u32 i, s;

	owned = kvcalloc(t->view.n + 1, sizeof(*owned), GFP_KERNEL_ACCOUNT);
	if (!owned)
		return -ENOMEM;
	for (s = 0; s < 1U << t->view.bits; s++)
		owned[t->view.slots[s] & RLB_SLOT_OWNER]++;
	for (i = 0; i < set->n; i++)
		set->item[i].slots = set->item[i].weight ? owned[set->item[i].member] : 0;
	kvfree(owned);
	return 0;
}

/* Tell each backend which member it is, and the table which backend a member is; nobody is last. */
static void bind_members(struct rlb_table *t, struct rlb_backend_set *set)
{
	u16 n = 0;
	u32 i;

	for (i = 0; i < set->n; i++) {
		if (!set->item[i].weight)
			continue;
		set->item[i].member = n;
		t->backend[n++] = set->item[i].backend;
	}
	t->backend[n] = NULL;
	t->total = n + 1;
}

static int compare_ids(const void *a, const void *b)
{
	u32 one = *(const u32 *)a, other = *(const u32 *)b;

	return one < other ? -1 : one > other;
}

/* Which backend makes connection ids with which number; each has one of its own. */
static void bind_ids(struct rlb_table *t, const struct rlb_backend_set *set)
{
	u32 *ids = (u32 *)t->ids;
	u32 i;

	for (i = 0; i < t->n_ids; i++)
		ids[i] = set->item[i].id;
	sort(ids, t->n_ids, sizeof(*ids), compare_ids, NULL);
	for (i = 0; i < t->n_ids; i++)
		t->named[rlb_cid_search(ids, t->n_ids, set->item[i].id)] = set->item[i].backend;
}

/* A backend's place in a set, NULL if it is no member: not there, or without weight. */
static const struct rlb_backend_item *member_in(const struct rlb_backend_set *set,
						const struct rlb_backend *b)
{
	const struct rlb_backend_item *item = rlb_backend_item_in(set, b);

	return item && item->weight ? item : NULL;
}

/* The new index of each of the former members, and of those old owners that are members again. */
static void renumber_members(const struct rlb_table *before, const struct rlb_backend_set *after,
			     u16 *renumber)
{
	const struct rlb_backend_item *item;
	u32 i;

	for (i = 0; i < before->total; i++) {
		item = before->backend[i] ? member_in(after, before->backend[i]) : NULL;
		renumber[i] = item ? item->member : RINGLB_NO_OWNER;
	}
}

/* For where slots belong, a backend with another identity than before is another member. */
static void disown_others(const struct rlb_backend_set *before,
			  const struct rlb_backend_set *after, u16 *renumber)
{
	const struct rlb_backend_item *old, *new;

	for (old = before->item; old < before->item + before->n; old++) {
		new = old->weight ? member_in(after, old->backend) : NULL;
		if (new && new->ident != old->ident)
			renumber[old->member] = RINGLB_NO_OWNER;
	}
}

/* What happens to the new members; a backend that is in both sets is the same object. */
static void compare_weights(const struct rlb_backend_set *before,
			    const struct rlb_backend_set *after, u8 *change)
{
	const struct rlb_backend_item *new, *old;

	for (new = after->item; new < after->item + after->n; new++) {
		if (!new->weight)
			continue;
		old = member_in(before, new->backend);
		if (!old || old->ident != new->ident || new->weight > old->weight)
			change[new->member] = RLB_MEMBER_GAINS;
		else
			change[new->member] = new->weight < old->weight ? RLB_MEMBER_LOSES : 0;
	}
}

/*
 * The table has its canonical slots. If packets are steered by another one, let only those
 * move now that must, and keep the canonical ones aside for the others.
 */
static int defer_moves(struct rlb_table *t, const struct rlb_service *svc,
		       const struct rlb_backend_set *set, const u16 *renumber)
{
	const struct rlb_table *before = rlb_table_locked(svc);
	size_t size = sizeof(u16) << t->view.bits;
	u8 *change;

	if (!before->view.n || !t->view.n)
		return 0;
	change = kvmalloc_array(t->view.n + 1, sizeof(*change), GFP_KERNEL_ACCOUNT);
	t->canonical = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!change || !t->canonical) {
		kvfree(change);
		return -ENOMEM;
	}
	compare_weights(&svc->set, set, change);
	change[t->view.n] = 0;
	memcpy(t->canonical, t->view.slots, size);
	t->pending = rlb_settle_begin(table_slots(t), t->canonical, before->view.slots,
				      t->view.bits, renumber, change);
	kvfree(change);
	if (!t->pending) {
		kvfree(t->canonical);
		t->canonical = NULL;
	}
	return 0;
}

/* Old owners that are no members now have got indexes after these. */
static void bind_old_owners(struct rlb_table *t, const struct rlb_table *before,
			    const u16 *renumber)
{
	u32 i;

	for (i = 0; i < before->total; i++)
		if (renumber[i] != RINGLB_NO_OWNER && renumber[i] >= t->view.n)
			t->backend[renumber[i]] = before->backend[i];
}

/* Drop records that say nothing. */
static void trim_records(struct rlb_table *t)
{
	if (t->moved && t->moved->n)
		return;
	rlb_transitions_free(t->moved);
	t->moved = NULL;
	t->total = t->view.n + 1;
}

static int record_moves(struct rlb_table *t, const struct rlb_service *svc, u16 *renumber,
			struct netlink_ext_ack *extack)
{
	const struct rlb_table *before = rlb_table_locked(svc);
	int err;

	t->moved = rlb_transitions_alloc(t->view.bits);
	if (!t->moved)
		return -ENOMEM;
	err = rlb_transition_carry(t->moved, table_slots(t), before->moved, before->view.slots,
				   t->view.bits, before->view.n, renumber, &t->total,
				   rlb_seconds());
	if (err) {
		NL_SET_ERR_MSG(extack,
			       "slots in transition have 32767 owners, old and new: wait until some have expired");
		return err;
	}
	bind_old_owners(t, before, renumber);
	trim_records(t);
	return 0;
}

/* The table has its canonical slots: what packets are steered by now decides what moves when. */
static int table_follow(struct rlb_table *t, const struct rlb_service *svc,
			const struct rlb_service_config *config,
			const struct rlb_backend_set *set, struct netlink_ext_ack *extack)
{
	const struct rlb_table *before = rlb_table_locked(svc);
	u16 *renumber;
	int err;

	if (!before || before->view.bits != t->view.bits)
		return 0;
	renumber = kvmalloc_array(before->total, sizeof(*renumber), GFP_KERNEL_ACCOUNT);
	if (!renumber)
		return -ENOMEM;
	renumber_members(before, set, renumber);
	disown_others(&svc->set, set, renumber);
	err = config->ops->id == RINGLB_METHOD_SLOTS ? 0 : defer_moves(t, svc, set, renumber);
	if (!err) {
		renumber_members(before, set, renumber);
		err = record_moves(t, svc, renumber, extack);
	}
	kvfree(renumber);
	return err;
}

static void refuse_points(const struct rlb_member *m, u32 n, struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, RINGLB_MSG_POINTS);
	if (extack)
		nl_set_extack_cookie_u64(extack, rlb_ring_vnodes_max(m, n));
}

/* With room for all who may be old owners. */
static struct rlb_table *table_alloc(const struct rlb_service *svc,
				     const struct rlb_service_config *config,
				     const struct rlb_backend_set *set, u32 n)
{
	u32 n_ids = config->key == RINGLB_KEY_QUIC_CID ? set->n : 0;
	const struct rlb_table *before = rlb_table_locked(svc);
	u32 room = n + 1 + (before ? before->total : 0);
	struct rlb_table *t;

	t = kvmalloc(table_size(n, room, n_ids, config->bits), GFP_KERNEL_ACCOUNT);
	if (!t)
		return NULL;
	memset(t, 0, sizeof(*t));
	table_lay_out(t, n, room, n_ids, config->bits);
	table_takes(t)[n] = RLB_TAKES_NONE;
	if (before) {
		t->former = before->former;
		t->former_since = before->former_since;
	}
	return t;
}

/* Why the method does not take these members and parameters */
static void refuse(int err, const struct rlb_service_config *config, const struct rlb_member *m,
		   u32 n, struct netlink_ext_ack *extack)
{
	enum ringlb_method method = config->ops->id;

	if (method == RINGLB_METHOD_RING && err == -E2BIG)
		refuse_points(m, n, extack);
	else if (method == RINGLB_METHOD_SEAT && err == -E2BIG)
		NL_SET_ERR_MSG(extack, "there are more seats than slots");
	else if (method == RINGLB_METHOD_SEAT && err == -EINVAL)
		NL_SET_ERR_MSG(extack, "method seat needs an id of each backend that has a weight");
	else if (method == RINGLB_METHOD_SEAT && err == -ENOSPC)
		NL_SET_ERR_MSG(extack,
			       "list of seats has 8192 seats, the most there can be: begin a new one");
	else if (method == RINGLB_METHOD_SLOTS && err == -ENODATA)
		NL_SET_ERR_MSG(extack, "map leaves slots without an owner");
	else if (err == -E2BIG)
		NL_SET_ERR_MSG(extack, "there are more backends than slots");
}

/* The list of seats of a new table: the one there is, and what its members need beyond. */
static int table_seats(struct rlb_table *t, const struct rlb_params *p, const struct rlb_member *m)
{
	u32 room = min_t(u32, p->n_seats + t->view.n, RLB_SEATS_MAX);
	u32 i;
	int n;

	for (i = 0; i < t->view.n; i++)
		if (m[i].id == RLB_NO_ID)
			return -EINVAL;
	t->seats = kvmalloc_array(max(room, 1U), sizeof(*t->seats), GFP_KERNEL_ACCOUNT);
	if (!t->seats)
		return -ENOMEM;
	if (p->n_seats)
		memcpy(t->seats, p->seats, p->n_seats * sizeof(*t->seats));
	n = rlb_seat_fit_all(t->seats, p->n_seats, m, t->view.n);
	if (n < 0)
		return n;
	t->n_seats = n;
	return 0;
}

static int table_build(struct rlb_table *t, const struct rlb_service *svc,
		       const struct rlb_service_config *config, const struct rlb_backend_set *set,
		       const struct rlb_member *m, struct netlink_ext_ack *extack)
{
	struct rlb_params p = config->params;
	struct rlb_range *ranges = NULL;
	int err = 0;

	if (config->ops->id == RINGLB_METHOD_SEAT)
		err = table_seats(t, &p, m);
	else if (config->ops->id == RINGLB_METHOD_SLOTS)
		err = rlb_map_ranges(svc, config, set, t->view.n, &ranges, &p.n_ranges, extack);
	p.seats = t->seats;
	p.n_seats = t->n_seats;
	p.ranges = ranges;
	if (!err)
		err = rlb_lookup_build(config->ops, table_slots(t), t->view.bits, m, t->view.n, &p);
	if (!err && !t->view.n)		/* nobody is beyond the last member, here, too */
		memset(table_slots(t), 0, sizeof(u16) << t->view.bits);
	kvfree(ranges);
	return err;
}

/* A backend that weighs less than its seats takes less of the flows that come to them. */
static void set_shares(const struct rlb_table *t, struct rlb_backend_set *set)
{
	struct rlb_backend_item *item;

	for (item = set->item; item < set->item + set->n; item++)
		item->share = t->n_seats && item->weight ?
			      rlb_seat_accept(t->seats, t->n_seats, item->id, item->weight) :
			      RLB_SHARE_ALL;
}

static u64 table_digest(const struct rlb_table *t, const struct rlb_member *m)
{
	return rlb_digest_seats(rlb_digest(t->view.slots, t->view.bits, m, t->view.n), t->seats,
				t->n_seats);
}

/* Fill a new table; what is missing after that is key and secret. */
static int table_fill(struct rlb_table *t, struct rlb_service *svc,
		      const struct rlb_service_config *config, struct rlb_backend_set *set,
		      const struct rlb_member *m, struct netlink_ext_ack *extack)
{
	int err;

	bind_members(t, set);
	bind_ids(t, set);
	err = table_build(t, svc, config, set, m, extack);
	if (err) {
		refuse(err, config, m, t->view.n, extack);
		return err;
	}
	set_shares(t, set);
	rlb_table_set_states(t, set, config);
	t->canonical_digest = table_digest(t, m);
	t->digest = t->canonical_digest;
	err = table_follow(t, svc, config, set, extack);
	if (err)
		return err;
	if (t->pending)
		t->digest = table_digest(t, m);
	return count_slots(t, set);
}

/**
 * rlb_table_build() - build the table of a service
 * @svc: the service
 * @config: the configuration to build by; may differ from the one in force
 * @set: the backends to build from; learns who owns how many slots
 * @extack: for the reason of a refusal
 *
 * Process context under cfg_lock; may sleep, takes milliseconds. Packets are not affected.
 * The table differs from the one in force only where backends come, go, or change weight;
 * what else a fresh gateway would have otherwise is left to rlb_table_settle(). A service
 * that had no members, or another number of slots, gets what a fresh gateway would have.
 * Slots that change hands are in transition; old owners that are no members any more stay in
 * the table beyond its members and nobody.
 *
 * Return: the table, to be published or thrown away by rlb_table_discard(); -ENOMEM, or an error of
 *	the method after its text.
 */
struct rlb_table *rlb_table_build(struct rlb_service *svc,
				  const struct rlb_service_config *config,
				  struct rlb_backend_set *set, struct netlink_ext_ack *extack)
{
	struct rlb_member *m;
	struct rlb_table *t;
	int err = -ENOMEM;
	u32 n;

	m = members_of(set, &n);
	if (!m)
		return ERR_PTR(-ENOMEM);
	t = table_alloc(svc, config, set, n);
	if (t)
		err = table_fill(t, svc, config, set, m, extack);
	kvfree(m);
	if (err) {
		rlb_table_discard(t);
		return ERR_PTR(err);
	}
	t->key = config->key;
	t->cid = config->cid;
	rlb_net_secret(svc->rn, &t->secret);
	return t;
}

/**
 * rlb_table_discard_copy() - throw a copy away that was never published
 * @copy: the copy, from rlb_table_copy(), or NULL
 */
void rlb_table_discard_copy(struct rlb_table *copy)
{
	if (copy)
		rlb_transitions_free(copy->moved);
	kvfree(copy);
}

/**
 * rlb_table_discard() - throw a table away that was never published
 * @table: the table, from rlb_table_build(), or NULL
 */
void rlb_table_discard(struct rlb_table *table)
{
	if (table) {
		if (table->owns_former)
			rlb_table_discard(table->former);
		kvfree(table->canonical);
		kvfree(table->seats);
	}
	rlb_table_discard_copy(table);
}

/**
 * rlb_table_unmark() - forget which slots are in transition
 * @table: a table that was never published
 */
void rlb_table_unmark(struct rlb_table *table)
{
	if (table->moved)
		rlb_transition_expire(table->moved, table_slots(table), table->view.bits, U32_MAX);
	trim_records(table);
}

/**
 * rlb_table_copy() - a table like another, for a change that leaves most of its slots alone
 * @old: the table
 *
 * Process context; may sleep. What is left to settle belongs to the old one until the copy is
 * published; a copy that is not is freed by rlb_table_discard_copy(). Its records are its own,
 * and there even if they are empty.
 *
 * Return: the copy, NULL if there is no memory.
 */
struct rlb_table *rlb_table_copy(const struct rlb_table *old)
{
	size_t size = table_size(old->view.n, old->room, old->n_ids, old->view.bits);
	struct rlb_table *t;

	t = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!t)
		return NULL;
	memcpy(t, old, size);
	table_lay_out(t, old->view.n, old->room, old->n_ids, old->view.bits);
	atomic_set(&t->use, RLB_TABLE_UNUSED);
	t->owns_former = false;
	t->moved = rlb_transitions_copy(old->moved, old->view.bits);
	if (t->moved)
		return t;
	kvfree(t);
	return NULL;
}

static void table_free_rcu(struct rcu_head *rcu)
{
	rlb_table_discard(container_of(rcu, struct rlb_table, rcu));
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

/* Those of whom a table speaks, or the one that it remembers. */
static void mark_bound(const struct rlb_table *t, bool bound)
{
	u32 i;

	for (; t; t = t->owns_former ? t->former : NULL)
		for (i = 0; i < t->total; i++)
			if (t->backend[i])
				t->backend[i]->bound = bound;
}

/*
 * A service that is new and has seen no packet yet has no flows to be kept: whoever fills it
 * backend by backend means one table, and UDP is not to stay with its first backend. Packets
 * that come in this very moment find the former table closed, and are remembered. When it has
 * been there for longer than a flow may be silent, it may be the standby of another gateway,
 * whose flows come here when that one fails.
 */
static void follow_use(const struct rlb_service *svc, struct rlb_table *new, struct rlb_table *old)
{
	bool is_new = rlb_seconds() - svc->born <= svc->config.timeout;

	if (atomic_cmpxchg(&old->use, RLB_TABLE_UNUSED, RLB_TABLE_CLOSED) >= RLB_TABLE_USED ||
	    !is_new)
		atomic_set(&new->use, RLB_TABLE_USED);
	else
		rlb_table_unmark(new);
}

/**
 * rlb_table_use() - the service has flows, though no packet of theirs has asked for their slots
 * @table: the table in force
 */
void rlb_table_use(struct rlb_table *table)
{
	atomic_cmpxchg(&table->use, RLB_TABLE_UNUSED, RLB_TABLE_USED);
}

/* Do flows have the same slots in both? */
static bool same_places(const struct rlb_table *a, const struct rlb_table *b)
{
	return a->view.bits == b->view.bits && rlb_key_is_same(a->key, b->key) &&
	       !memcmp(&a->secret, &b->secret, sizeof(a->secret));
}

/* If all flows have other slots now, the old table as a whole tells who had them. */
static void remember_former(struct rlb_table *new, struct rlb_table *old)
{
	if (!same_places(new, old)) {
		rlb_table_unmark(new);
		new->former = atomic_read(&new->use) == RLB_TABLE_USED ? old : NULL;
		new->former_since = rlb_seconds();
	}
	if (new->former)
		atomic_set(&new->use, RLB_TABLE_REKEYED);
}

/* The end of a table that has been replaced, unless it is the one to be remembered. */
static void end_old(struct rlb_table *new, struct rlb_table *old)
{
	if (old->canonical == new->canonical)
		old->canonical = NULL;
	if (old->seats == new->seats)
		old->seats = NULL;
	if (new->former != old) {
		if (old->former == new->former)
			old->owns_former = false;
		rlb_table_free(old);
		return;
	}
	if (old->owns_former)
		rlb_table_free(old->former);
	old->owns_former = false;
}

/* How many slots have another owner in one table than in another? */
static u32 count_moved(const struct rlb_table *old, const struct rlb_table *new)
{
	u32 slots = 1U << new->view.bits, s, n = 0;

	if (!same_places(old, new))
		return slots;
	if (!old->view.n || !new->view.n)
		return old->view.n == new->view.n ? 0 : slots;
	for (s = 0; s < slots; s++)
		n += old->backend[old->view.slots[s] & RLB_SLOT_OWNER] !=
		     new->backend[new->view.slots[s] & RLB_SLOT_OWNER];
	return n;
}

/* @moved: slots that have another owner then */
static void publish(struct rlb_service *svc, struct rlb_table *new, u32 moved)
{
	struct rlb_table *old = rlb_table_locked(svc);

	svc->moved += moved;
	if (old) {
		follow_use(svc, new, old);
		remember_former(new, old);
	}
	svc->config.params.seats = new->seats;
	svc->config.params.n_seats = new->n_seats;
	rcu_assign_pointer(svc->table, new);
	if (!old) {
		mark_bound(new, true);
		return;
	}
	mark_bound(old, false);
	new->owns_former = new->former;
	end_old(new, old);
	mark_bound(new, true);
	rlb_backends_forget(svc);
}

/**
 * rlb_table_publish() - put a table into service
 * @svc: the service
 * @new: its new table; belongs to the service from now on
 *
 * cfg_lock held. The list of seats is the configuration's from now on. Packets that have begun
 * with the former table end with it. Removed backends of which only the former one spoke go.
 */
void rlb_table_publish(struct rlb_service *svc, struct rlb_table *new)
{
	const struct rlb_table *old = rlb_table_locked(svc);

	publish(svc, new, old ? count_moved(old, new) : 0);
}

static u8 takes(const struct rlb_backend_item *item, const struct rlb_service_config *config)
{
	switch (item->state) {
	case RINGLB_STATE_UP:
		return rlb_backend_accepts(item) < RLB_SHARE_ALL ? RLB_TAKES_SHARE :
								   RLB_TAKES_FLOWS;
	case RINGLB_STATE_DRAIN:
	case RINGLB_STATE_LEAVE:
		return config->last_resort && !item->backend->drained_out ? RLB_TAKES_LAST :
									    RLB_TAKES_NONE;
	default:
		return RLB_TAKES_NONE;
	}
}

/**
 * rlb_table_set_states() - let packets know which members take flows
 * @table: a table, published or not
 * @set: the backends that it was built from
 * @config: the service's configuration: whether draining ones are a last resort
 *
 * cfg_lock held, or the table not yet published. A byte a member is stored; readers pair with
 * READ_ONCE() in choose.h. The hint is never below the truth: it rises before the first
 * member that takes more, and falls after the last.
 */
void rlb_table_set_states(struct rlb_table *table, const struct rlb_backend_set *set,
			  const struct rlb_service_config *config)
{
	const struct rlb_backend_item *item;
	u8 best = RLB_TAKES_NONE;
	u8 level;

	WRITE_ONCE(table->view.best, RLB_TAKES_FLOWS);
	for (item = set->item; item < set->item + set->n; item++) {
		if (!item->weight)
			continue;
		level = takes(item, config);
		WRITE_ONCE(table_share(table)[item->member],
			   min(rlb_backend_accepts(item), RLB_SHARE_ALL - 1));
		WRITE_ONCE(table_takes(table)[item->member], level);
		best = max(best, level);
	}
	if (best == RLB_TAKES_SHARE)
		best = RLB_TAKES_FLOWS;
	WRITE_ONCE(table->view.best, best);
}

/* Of the table in force; 0: no memory */
static u64 digest_of(const struct rlb_table *t, const struct rlb_backend_set *set)
{
	struct rlb_member *m;
	u64 digest;
	u32 n;

	m = members_of(set, &n);
	if (!m)
		return 0;
	digest = table_digest(t, m);
	kvfree(m);
	return digest;
}

/* Which transitions have lasted long enough: those that began before this. */
static u32 expired_before(const struct rlb_service *svc)
{
	u32 now = rlb_seconds();

	return now - min(now, svc->config.timeout);
}

static bool former_expires(const struct rlb_service *svc, const struct rlb_table *t)
{
	return t->former && t->former_since < expired_before(svc);
}

static bool can_expire(const struct rlb_service *svc, const struct rlb_table *t)
{
	return (t->moved && t->moved->first < expired_before(svc)) || former_expires(svc, t);
}

static bool can_settle(const struct rlb_service *svc, const struct rlb_table *t)
{
	return t->pending && svc->config.settle && !t->stuck;
}

/**
 * rlb_table_has_work() - will time change a table?
 * @svc: the service; cfg_lock held
 *
 * Return: true if slots may follow or are in transition.
 */
bool rlb_table_has_work(const struct rlb_service *svc)
{
	const struct rlb_table *t = rlb_table_locked(svc);

	return t->moved || t->former || can_settle(svc, t);
}

/**
 * rlb_table_transitions() - how many slots are in transition, and for how long
 * @svc: the service; cfg_lock held
 * @left: out: seconds until the last one has expired, if there are any
 *
 * Return: slots.
 */
u32 rlb_table_transitions(const struct rlb_service *svc, u32 *left)
{
	const struct rlb_table *t = rlb_table_locked(svc);
	u32 last, passed;

	if (!t->moved && !t->former)
		return 0;
	last = t->former ? t->former_since : 0;
	if (t->moved)
		last = max(last, t->moved->last);
	passed = rlb_seconds() - last;
	*left = svc->config.timeout - min(passed, svc->config.timeout);
	return t->former ? 1U << t->view.bits : t->moved->n;
}

/**
 * rlb_table_is_busy() - are flows kept from before all of them got other slots?
 * @svc: the service; cfg_lock held
 *
 * Return: true if another change of that kind would lose these.
 */
bool rlb_table_is_busy(const struct rlb_service *svc)
{
	return rlb_table_locked(svc)->former;
}

/* End what has expired, and let some slots follow: @moved. True if the table differs now. */
static bool step(struct rlb_table *t, const struct rlb_service *svc, u32 *moved)
{
	u32 most = max((u32)(((u64)svc->config.settle << t->view.bits) / 1000), 1U);
	bool expired = can_expire(svc, t);

	*moved = 0;
	if (former_expires(svc, t))
		t->former = NULL;
	if (expired) {
		rlb_transition_expire(t->moved, table_slots(t), t->view.bits, expired_before(svc));
		t->stuck = false;
	}
	if (can_settle(svc, t)) {
		*moved = rlb_settle_step(table_slots(t), t->moved, t->canonical, t->view.bits,
					 &t->settle_from, most, rlb_seconds());
		t->pending -= *moved;
		t->stuck = t->pending && *moved < most;
	}
	return expired || *moved;
}

/**
 * rlb_table_settle() - let time do its work on a table
 * @svc: a service for which rlb_table_has_work()
 *
 * Ends the transitions that have expired, and lets as many slots follow to where a fresh
 * gateway would have them as the service allows in a second. cfg_lock held; may sleep.
 * Publishes one table, or none if there is nothing to do yet.
 *
 * Return: 1 if a table was published, 0 if not, or -ENOMEM with nothing changed.
 */
int rlb_table_settle(struct rlb_service *svc)
{
	struct rlb_table *t = rlb_table_locked(svc);
	u32 moved;

	if (!can_expire(svc, t) && !can_settle(svc, t))
		return 0;
	t = rlb_table_copy(t);
	if (!t)
		return -ENOMEM;
	if (!step(t, svc, &moved)) {
		rlb_table_discard_copy(t);
		return 0;
	}
	t->digest = t->pending ? digest_of(t, &svc->set) : t->canonical_digest;
	if (!t->digest || count_slots(t, &svc->set)) {
		rlb_table_discard_copy(t);
		return -ENOMEM;
	}
	trim_records(t);
	publish(svc, t, moved);
	if (!t->pending) {
		kvfree(t->canonical);
		t->canonical = NULL;
	}
	return 1;
}
