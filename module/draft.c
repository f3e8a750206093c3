// SPDX-License-Identifier: GPL-2.0-only
/*
 * draft.c - changes of a service and its backends, as all or nothing
 *
 * In: what requests say of a service and its backends. Out: a new table in service, a new set of
 * backends and a new configuration, or a reason why not and nothing changed. Process context
 * under cfg_lock.
 *
 * A draft copies the set, changes the copy as often as it is told to, prepares with one build
 * all that can fail, and commits with one swap; or it is aborted. A backend that both sets
 * hold is the same object, with its counters; a new one is made while drafting; one that only
 * the old set holds is retired at the commit, and freed when no record needs it.
 *
 * A draft may stay open from request to request of one socket, while others change the same
 * service or take the addresses of its new backends: it finds out when it is prepared.
 */
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "draft.h"
#include "forward/outer.h"
#include "map.h"
#include "own.h"
#include "service.h"
#include "slow.h"
#include "table.h"

/**
 * rlb_draft_begin() - start a change of a service's backends
 * @draft: the change
 * @svc: the service
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_draft_begin(struct rlb_draft *draft, struct rlb_service *svc)
{
	const struct rlb_backend_set *now = &svc->set;

	draft->service = svc;
	draft->config = svc->config;
	draft->seats = NULL;
	draft->map = NULL;
	draft->configured = false;
	draft->table = NULL;
	draft->rebuild = false;
	draft->changes = svc->changes;
	draft->set.n = now->n;
	draft->set.room = max(now->n, 1U);
	draft->set.item = kvmalloc_array(draft->set.room, sizeof(*now->item), GFP_KERNEL_ACCOUNT);
	if (!draft->set.item)
		return -ENOMEM;
	if (now->n)
		memcpy(draft->set.item, now->item, now->n * sizeof(*now->item));
	return 0;
}

/**
 * rlb_draft_configure() - change the service in a draft
 * @draft: the draft; its lists are those that @config points at
 * @config: how it will be
 */
void rlb_draft_configure(struct rlb_draft *draft, const struct rlb_service_config *config)
{
	draft->config = *config;
	draft->configured = true;
	draft->rebuild |= rlb_service_needs_table(draft->service, config);
}

/* Room for one more. */
static int set_grow(struct rlb_backend_set *set)
{
	u32 room = min_t(u32, set->room * 2, RINGLB_BACKENDS_MAX);
	struct rlb_backend_item *item;

	if (set->n < set->room)
		return 0;
	item = kvmalloc_array(room, sizeof(*item), GFP_KERNEL_ACCOUNT);
	if (!item)
		return -ENOMEM;
	memcpy(item, set->item, set->n * sizeof(*item));
	kvfree(set->item);
	set->item = item;
	set->room = room;
	return 0;
}

/* May two services send to one address and port? If all flows of both are remembered. */
static bool can_share(const struct rlb_draft *draft, const struct rlb_backend *b)
{
	return draft->config.track == RINGLB_TRACK_ALL &&
	       b->service->config.track == RINGLB_TRACK_ALL;
}

/* Is a backend in force that will be when this draft is? */
static bool is_taken(const struct rlb_draft *draft, const struct rlb_backend_config *c,
		     const struct rlb_ports *ports, __be16 port)
{
	const struct rlb_service *svc = draft->service;
	struct rlb_backend *b = rlb_backend_at(svc->rn, c->family, svc->config.proto, &c->addr,
					       rlb_prefix_full(c->family), ports);

	if (b && b->service != svc)
		return !can_share(draft, b) || b->node.port != port;
	return b && rlb_backend_is_in(&draft->set, b);
}

static int refuse_vip(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "backend is the address and port of a service");
	return -EINVAL;
}

static int refuse_taken(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack,
		       "address and port of the backend already get packets of a service: replies could not be told apart without track all in both");
	return -EEXIST;
}

static int refuse_own(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "backend is an address of this host, which this mode cannot send to");
	return -EINVAL;
}

/*
 * The way back is found by a backend's address, port and protocol alone, so a namespace can
 * have each of them once where answers come by, but for services that remember all flows, and
 * none that is a VIP.
 */
static int check_unique(const struct rlb_draft *draft, const struct rlb_backend_config *c,
			struct netlink_ext_ack *extack)
{
	const struct rlb_service_config *sc = &draft->service->config;
	const struct rlb_backend_set *set = &draft->set;
	struct rlb_ports ports = sc->ports;
	__be16 port = c->port ?: sc->port;
	u32 i;

	if (port)
		ports.first = ports.last = ntohs(port);
	if (rlb_service_at(draft->service->rn, c->family, sc->proto, &c->addr, &ports))
		return refuse_vip(extack);
	if (rlb_backend_find(set, c)) {
		NL_SET_ERR_MSG(extack, "service has this backend already");
		return -EEXIST;
	}
	if (!rlb_service_is_nat(draft->service))
		return rlb_own_has(draft->service->rn->net, c->family, &c->addr) ?
			 refuse_own(extack) : 0;
	if (is_taken(draft, c, &ports, port))
		return refuse_taken(extack);
	for (i = 0; i < set->n; i++)
		if (set->item[i].backend->node.port == port &&
		    !memcmp(&set->item[i].backend->node.addr, &c->addr, rlb_addr_len(c->family)))
			return refuse_taken(extack);
	return 0;
}

/* What has been free when a backend was drafted may be taken by now, by other services. */
static int check_still_unique(const struct rlb_draft *draft, struct netlink_ext_ack *extack)
{
	const struct rlb_service *svc = draft->service;
	const struct rlb_index_node *node;
	struct rlb_backend *found;
	struct rlb_ports ports;
	u32 i;

	for (i = 0; i < draft->set.n; i++) {
		node = &draft->set.item[i].backend->node;
		if (rlb_backend_is_in(&svc->set, draft->set.item[i].backend))
			continue;
		ports = rlb_backend_ports(draft->set.item[i].backend);
		if (rlb_service_at(svc->rn, node->family, node->proto, &node->addr, &ports))
			return refuse_vip(extack);
		if (!rlb_service_is_nat(svc))
			continue;
		found = rlb_backend_at(svc->rn, node->family, node->proto, &node->addr,
				       rlb_prefix_full(node->family), &ports);
		if (found && found->service != svc &&
		    (!can_share(draft, found) || found->node.port != node->port))
			return refuse_taken(extack);
	}
	return 0;
}

/* An id tells a backend from the others of its service. */
static int check_id(const struct rlb_backend_set *set, const struct rlb_backend_item *own,
		    const struct rlb_backend_config *c, struct netlink_ext_ack *extack)
{
	u32 i;

	for (i = 0; c->has_id && c->id != RLB_NO_ID && i < set->n; i++) {
		if (set->item[i].id != c->id || &set->item[i] == own)
			continue;
		NL_SET_ERR_MSG_ATTR(extack, c->id_attr, "another backend of the service has this id");
		return -EEXIST;
	}
	return 0;
}

/* Does the table say anything of a backend? */
static bool is_in_table(const struct rlb_draft *draft, const struct rlb_backend_item *item)
{
	return item->weight || draft->config.key == RINGLB_KEY_QUIC_CID;
}

/**
 * rlb_draft_add() - add a backend to a draft
 * @draft: the draft
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

	err = check_unique(draft, c, extack) ?: check_id(set, NULL, c, extack);
	if (err)
		return err;
	if (set->n == RINGLB_BACKENDS_MAX) {
		NL_SET_ERR_MSG(extack, "service has 4096 backends, the most there can be");
		return -ENOSPC;
	}
	err = set_grow(set);
	if (err)
		return err;
	b = rlb_backend_alloc(draft->service, c);
	if (!b)
		return -ENOMEM;
	i = rlb_backend_place(set, c);
	item = &set->item[i];
	memmove(item + 1, item, (set->n - i) * sizeof(*item));
	memset(item, 0, sizeof(*item));
	item->backend = b;
	rlb_backend_set_id(item, c->has_id ? c->id : RLB_NO_ID);
	item->weight = c->has_weight ? c->weight : 1;
	item->state = c->has_state ? c->state : RINGLB_STATE_UP;
	item->slow_start = c->has_slow_start ? c->slow_start : 0;
	set->n++;
	draft->rebuild |= is_in_table(draft, item);
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
 * rlb_draft_set() - change a backend in a draft
 * @draft: the draft
 * @c: the backend, and what is given to change
 * @extack: for the reason of a refusal
 *
 * Return: 0, -ENOENT or -EEXIST.
 */
int rlb_draft_set(struct rlb_draft *draft, const struct rlb_backend_config *c,
		  struct netlink_ext_ack *extack)
{
	struct rlb_backend_item *item = find_or_refuse(draft, c, extack);
	int err;

	if (!item)
		return -ENOENT;
	err = check_id(&draft->set, item, c, extack);
	if (err)
		return err;
	if (c->has_id && c->id != item->id) {
		rlb_backend_set_id(item, c->id);
		draft->rebuild |= is_in_table(draft, item);
	}
	if (c->has_weight && c->weight != item->weight) {
		item->weight = c->weight;
		draft->rebuild = true;
	}
	if (c->has_state)
		item->state = c->state;
	if (c->has_slow_start)
		item->slow_start = c->slow_start;
	return 0;
}

static void take_out(struct rlb_draft *draft, struct rlb_backend_item *item)
{
	struct rlb_backend_set *set = &draft->set;

	draft->rebuild |= is_in_table(draft, item);
	if (!item->backend->known)
		rlb_backend_free(item->backend);
	memmove(item, item + 1, (set->item + set->n - item - 1) * sizeof(*item));
	set->n--;
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

	if (!item)
		return -ENOENT;
	take_out(draft, item);
	return 0;
}

/**
 * rlb_draft_del_drained() - remove from a draft the backends that leave and have no flows
 * @draft: the draft
 */
void rlb_draft_del_drained(struct rlb_draft *draft)
{
	struct rlb_backend_item *item = draft->set.item;

	while (item < draft->set.item + draft->set.n)
		if (rlb_backend_has_left(draft->service, item))
			take_out(draft, item);
		else
			item++;
}

static u32 count_new(const struct rlb_draft *draft)
{
	u32 n = 0;
	u32 i;

	for (i = 0; i < draft->set.n && rlb_service_is_nat(draft->service); i++)
		n += !draft->set.item[i].backend->indexed;
	return n;
}

/* For what is to be found by packets or ICMP errors */
static int reserve_places(const struct rlb_draft *draft)
{
	struct rlb_net *rn = draft->service->rn;

	if (rlb_service_is_tunnel(draft->service))
		return rlb_outer_reserve(rn, draft->set.n);
	return rlb_index_reserve(&rn->reals, count_new(draft));
}

/* Will some of its flows need wide pins? */
static int reserve_wide(const struct rlb_draft *draft)
{
	return draft->config.track == RINGLB_TRACK_ALL ? rlb_back_reserve(&draft->service->rn->pins) :
							 0;
}

/*
 * What is added is perhaps what the service has, or had not long ago: then it is that one,
 * with its counters, its flows, and the slots that it is the old owner of.
 */
static void revive(struct rlb_draft *draft)
{
	struct rlb_backend_item *item = draft->set.item;
	struct rlb_backend *known;
	u32 i;

	for (i = 0; i < draft->set.n; i++) {
		if (item[i].backend->known)
			continue;
		known = rlb_backend_known(draft->service, item[i].backend);
		if (!known)
			continue;
		rlb_backend_free(item[i].backend);
		item[i].backend = known;
	}
}

/**
 * rlb_draft_prepare() - do all of a draft that can fail
 * @draft: the draft
 * @extack: for the reason of a refusal
 *
 * Builds a table if members, weights or what the table follows from differ. May sleep; packets
 * are not affected.
 *
 * Return: 0; -ESTALE if others have changed the service since the draft was begun, -EBUSY,
 *	-EEXIST, -EINVAL, -ENOMEM or -E2BIG; then nothing is changed and the draft is to be aborted.
 */
int rlb_draft_prepare(struct rlb_draft *draft, struct netlink_ext_ack *extack)
{
	struct rlb_service *svc = draft->service;
	struct rlb_table *table;
	int err;

	if (draft->changes != svc->changes) {
		NL_SET_ERR_MSG(extack, "service has been changed by others since this change was begun");
		return -ESTALE;
	}
	if (draft->configured && rlb_service_is_busy(svc, &draft->config))
		return rlb_service_refuse_busy(extack);
	err = check_still_unique(draft, extack) ?:
	      rlb_service_check_track(&draft->config, &draft->set, extack) ?:
	      rlb_service_check_ids(&draft->config, &draft->set, extack);
	if (err)
		return err;
	revive(draft);
	err = reserve_places(draft) ?: reserve_wide(draft);
	if (err || !draft->rebuild)
		return err;
	table = rlb_table_build(svc, &draft->config, &draft->set, extack);
	if (IS_ERR(table))
		return PTR_ERR(table);
	draft->table = table;
	return 0;
}

static void free_lists(struct rlb_draft *draft)
{
	kvfree(draft->seats);
	rlb_map_free(draft->map);
}

/* Mark what is new or other, for notices; without a new table, places in the old one stay. */
static void take_over(const struct rlb_draft *draft, struct rlb_backend_item *item)
{
	const struct rlb_backend_item *old;

	item->changed = RINGLB_CMD_BACKEND_NEW_NOTICE;
	old = rlb_backend_item_in(&draft->service->set, item->backend);
	if (!old)
		return;
	item->changed = old->weight != item->weight || old->state != item->state ||
			old->id != item->id || old->slow_start != item->slow_start ?
			RINGLB_CMD_BACKEND_SET_NOTICE : 0;
	if (!draft->table) {
		item->slots = old->slots;
		item->share = old->share;
		item->member = old->member;
	}
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

	rlb_slow_follow(&old, &draft->set);
	for (i = 0; i < draft->set.n; i++)
		take_over(draft, &draft->set.item[i]);
	for (i = 0; i < old.n; i++)
		if (!rlb_backend_is_in(&draft->set, old.item[i].backend))
			rlb_backend_retire(old.item[i].backend);
	for (i = 0; i < draft->set.n; i++)
		if (!rlb_backend_is_in(&old, draft->set.item[i].backend))
			rlb_backend_link(draft->set.item[i].backend);
	for (i = 0; i < draft->set.n; i++) {
		rlb_backend_set_state(draft->set.item[i].backend, draft->set.item[i].state);
		rlb_backend_set_share(draft->set.item[i].backend, draft->set.item[i].share);
	}
	if (draft->configured)
		rlb_service_configure(svc, &draft->config);
	rlb_table_set_states(draft->table ?: rlb_table_locked(svc), &draft->set, &svc->config);
	if (draft->table) {
		rlb_table_publish(svc, draft->table);
		svc->generation++;
	}
	svc->set = draft->set;
	svc->changes++;
	rlb_backends_forget(svc);
	kvfree(old.item);
	free_lists(draft);
}

/**
 * rlb_draft_abort() - throw a draft away
 * @draft: the draft, prepared or not
 */
void rlb_draft_abort(struct rlb_draft *draft)
{
	u32 i;

	for (i = 0; i < draft->set.n; i++)
		if (!draft->set.item[i].backend->known)
			rlb_backend_free(draft->set.item[i].backend);
	kvfree(draft->set.item);
	free_lists(draft);
	rlb_table_discard(draft->table);
}

/**
 * rlb_draft_open() - begin a draft that stays open from request to request
 * @svc: the service
 * @portid: the socket whose it is
 * @extack: for the reason of a refusal
 *
 * Return: 0; -EBUSY if the socket has one open for this service, -ENOSPC or -ENOMEM.
 */
int rlb_draft_open(struct rlb_service *svc, u32 portid, struct netlink_ext_ack *extack)
{
	struct rlb_net *rn = svc->rn;
	struct rlb_draft *draft;
	int err;

	if (rlb_draft_opened(svc, portid)) {
		NL_SET_ERR_MSG(extack, "a change of this service is begun already");
		return -EBUSY;
	}
	if (rn->n_drafts == RINGLB_DRAFTS_MAX) {
		NL_SET_ERR_MSG(extack, "namespace has 64 changes that are begun and not committed");
		return -ENOSPC;
	}
	draft = kzalloc(sizeof(*draft), GFP_KERNEL_ACCOUNT);
	if (!draft)
		return -ENOMEM;
	err = rlb_draft_begin(draft, svc);
	if (err) {
		kfree(draft);
		return err;
	}
	draft->portid = portid;
	list_add(&draft->open, &rn->drafts);
	WRITE_ONCE(rn->n_drafts, rn->n_drafts + 1);	/* pairs with rlb_drafts_hang_up() */
	return 0;
}

/**
 * rlb_draft_opened() - the draft that a socket has open
 * @svc: the service
 * @portid: the socket
 *
 * Return: the draft, NULL if there is none.
 */
struct rlb_draft *rlb_draft_opened(const struct rlb_service *svc, u32 portid)
{
	struct rlb_draft *draft;

	list_for_each_entry(draft, &svc->rn->drafts, open)
		if (draft->service == svc && draft->portid == portid)
			return draft;
	return NULL;
}

/**
 * rlb_draft_close() - a draft that was open is committed or aborted
 * @draft: the draft
 */
void rlb_draft_close(struct rlb_draft *draft)
{
	struct rlb_net *rn = draft->service->rn;

	WRITE_ONCE(rn->n_drafts, rn->n_drafts - 1);
	list_del(&draft->open);
	kfree(draft);
}

/**
 * rlb_drafts_drop() - throw open drafts away
 * @rn: the namespace, cfg_lock held
 * @svc: those of this service; NULL: of any
 * @portid: those of this socket; 0: of any
 */
void rlb_drafts_drop(struct rlb_net *rn, const struct rlb_service *svc, u32 portid)
{
	struct rlb_draft *draft, *next;

	list_for_each_entry_safe(draft, next, &rn->drafts, open) {
		if ((svc && draft->service != svc) || (portid && draft->portid != portid))
			continue;
		rlb_draft_abort(draft);
		rlb_draft_close(draft);
	}
}

/**
 * rlb_drafts_hang_up() - a socket is closed: what it has not committed vanishes
 * @rn: the namespace, cfg_lock not held
 * @portid: the socket
 */
void rlb_drafts_hang_up(struct rlb_net *rn, u32 portid)
{
	if (!READ_ONCE(rn->n_drafts))	/* this socket's own would be counted */
		return;
	mutex_lock(&rn->cfg_lock);
	rlb_drafts_drop(rn, NULL, portid);
	mutex_unlock(&rn->cfg_lock);
}
