/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * table.h - the published table of a service
 */
#ifndef _RINGLB_TABLE_H
#define _RINGLB_TABLE_H

#include <linux/atomic.h>
#include <linux/netlink.h>
#include <linux/rcupdate.h>

#include "lookup/cid.h"
#include "lookup/transition.h"
#include "ringlb.h"
#include "service.h"

/* Has a packet ever been steered? rlb_table.use; only the first two may change, and once. */
enum rlb_table_use {
	RLB_TABLE_UNUSED,
	RLB_TABLE_CLOSED,	/* replaced before that: who still holds it is remembered */
	RLB_TABLE_USED,
	RLB_TABLE_REKEYED,	/* used; flows may belong to another backend by @former */
};

/**
 * struct rlb_table - all that a packet needs to choose a backend, immutable but for what each
 *	member takes, and for @use
 * @view: slots and states, in the same piece of memory
 * @use: enum rlb_table_use, of this table and those before it
 * @key: enum ringlb_key
 * @secret: the namespace's
 * @backend: the members, by index; then NULL, for nobody; beyond that,
 *	old owners that are no members now
 * @cid: how @named write connection ids, key quic-cid
 * @ids: of all backends of the service, whatever their weight, ascending; key quic-cid alone
 * @named: these backends, in the same order
 * @n_ids: how many
 * @total: how many @backend has
 * @room: for how many there is memory
 * @moved: records of the slots in transition, NULL while there are none
 * @former: how packets were steered before every slot changed its flows, by another secret,
 *	key or number of slots; NULL: that has not happened, or not for a long time. It has no
 *	@former that anybody looks at.
 * @former_since: when it was replaced
 * @owns_former: @former ends with this table; cfg_lock
 * @digest: rlb_digest() of the slots as they are
 * @canonical_digest: of the slots as a gateway would build them that has just been configured
 * @canonical: these slots while they differ, NULL when the table has settled; cfg_lock. Goes
 *	along to the next table that is published.
 * @pending: in how many slots they differ; cfg_lock
 * @settle_from: where settling goes on; cfg_lock
 * @seats: the list of seats that the slots follow from, method seat; NULL: none. Goes along
 *	like @canonical.
 * @n_seats: how many
 * @stuck: those that have not followed are in transition, all of them; cfg_lock
 * @rcu: for rlb_table_free()
 */
struct rlb_table {
	struct rlb_view view;
	atomic_t use;
	enum ringlb_key key;
	struct rlb_secret secret;
	struct rlb_backend **backend;
	struct rlb_cid_form cid;
	const u32 *ids;
	struct rlb_backend **named;
	u32 n_ids;
	u32 total;
	u32 room;
	struct rlb_transitions *moved;
	struct rlb_table *former;
	u32 former_since;
	bool owns_former;
	u64 digest;
	u64 canonical_digest;
	u16 *canonical;
	u32 pending;
	u32 settle_from;
	struct rlb_seat *seats;
	u32 n_seats;
	bool stuck;
	struct rcu_head rcu;
};

/* For requests: the table in force. */
static inline struct rlb_table *rlb_table_locked(const struct rlb_service *svc)
{
	return rcu_dereference_protected(svc->table, lockdep_is_held(&svc->rn->cfg_lock));
}

struct rlb_table *rlb_table_build(struct rlb_service *svc,
				  const struct rlb_service_config *config,
				  struct rlb_backend_set *set,
				  struct netlink_ext_ack *extack);
void rlb_table_discard(struct rlb_table *table);
struct rlb_table *rlb_table_copy(const struct rlb_table *old);
void rlb_table_unmark(struct rlb_table *table);
void rlb_table_discard_copy(struct rlb_table *copy);
bool rlb_table_has_work(const struct rlb_service *svc);
u32 rlb_table_transitions(const struct rlb_service *svc, u32 *left);
bool rlb_table_is_busy(const struct rlb_service *svc);
int rlb_table_settle(struct rlb_service *svc);
void rlb_table_free(struct rlb_table *table);
void rlb_table_use(struct rlb_table *table);
void rlb_table_publish(struct rlb_service *svc, struct rlb_table *new);
void rlb_table_set_states(struct rlb_table *table, const struct rlb_backend_set *set,
			  const struct rlb_service_config *config);

#endif /* _RINGLB_TABLE_H */
