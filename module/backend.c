// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - the backends of a service: objects, and the ordered set of them
 *
 * Process context under cfg_lock. Packets find a backend through its service's table or
 * through rlb_net.reals; it is unlinked from both, then freed after a grace period.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "backend.h"
#include "forward/outer.h"
#include "forward/route.h"
#include "forward/tunnel.h"
#include "service.h"
#include "stats.h"
#include "way.h"

/**
 * rlb_backend_free() - the end of a backend that no packet can find
 * @b: the backend
 */
void rlb_backend_free(struct rlb_backend *b)
{
	rlb_route_free(b);
	rlb_way_to_end(b);
	rlb_stats_free(b->stats);
	kfree(b);
}

static void backend_free_rcu(struct rcu_head *rcu)
{
	rlb_backend_free(container_of(rcu, struct rlb_backend, rcu));
}

/* Order of the set: families, addresses, then configured ports, as bytes on the wire. */
static int compare(const struct rlb_backend *b, const struct rlb_backend_config *c)
{
	int order = (int)b->node.family - c->family;

	order = order ?: memcmp(&b->node.addr, &c->addr, rlb_addr_len(c->family));
	return order ?: (int)be16_to_cpu(b->port) - be16_to_cpu(c->port);
}

/* As a request would name it */
static struct rlb_backend_config name_of(const struct rlb_backend *b)
{
	return (struct rlb_backend_config) {
		.addr = b->node.addr, .family = b->node.family, .port = b->port,
	};
}

/* By what packets find a backend; perhaps one that has been removed */
static struct rlb_backend *find_indexed(struct rlb_net *rn, const struct rlb_index_node *key)
{
	struct rlb_index_node *node;

	node = rlb_index_find(&rn->reals, key->family, key->proto, &key->addr, key->port);
	return node ? container_of(node, struct rlb_backend, node) : NULL;
}

/**
 * rlb_backend_by_tuple() - the backend in force that has an address, port and protocol
 * @rn: the namespace; cfg_lock held
 * @key: address, port, protocol and family of its packets
 *
 * Return: the backend, NULL if there is none, or only one that has been removed.
 */
struct rlb_backend *rlb_backend_by_tuple(struct rlb_net *rn, const struct rlb_index_node *key)
{
	struct rlb_backend *b = find_indexed(rn, key);

	return b && !b->is_gone ? b : NULL;
}

/**
 * rlb_backend_ports() - the ports at which a backend gets packets
 * @b: the backend
 *
 * Return: one, or all of its service.
 */
struct rlb_ports rlb_backend_ports(const struct rlb_backend *b)
{
	u16 port = ntohs(b->node.port);

	return port ? (struct rlb_ports){ port, port } : b->service->ports;
}

/* Backends that keep the ports of packets are found by address alone, whatever their ports. */
static bool are_kept(const struct rlb_ports *a, const struct rlb_ports *b)
{
	return a->first != a->last && b->first != b->last;
}

/**
 * rlb_backend_at() - a backend in force that gets packets at some address and some port
 * @rn: the namespace; cfg_lock held
 * @family: AF_INET or AF_INET6
 * @proto: protocol
 * @addr: the address
 * @prefix: bits that addresses begin with; all: one address
 * @ports: the ports
 *
 * Return: the backend, the first of several; NULL if there is none.
 */
struct rlb_backend *rlb_backend_at(struct rlb_net *rn, u8 family, u8 proto,
				   const union rlb_addr *addr, u8 prefix,
				   const struct rlb_ports *ports)
{
	struct rlb_backend *b;
	struct rlb_service *svc;
	struct rlb_ports has;
	unsigned long id;
	u32 i;

	if (ports->first == ports->last && prefix == rlb_prefix_full(family)) {
		b = rlb_real_find(rn, family, proto, addr, htons(ports->first));
		if (!b || b->node.port || !b->needs_pin)
			return b && !b->is_gone ? b : NULL;
		/* It has the address; who has the port may be another one. */
	}
	xa_for_each(&rn->services, id, svc) {
		if (!rlb_protocols_meet(svc->config.proto, proto) || !rlb_service_is_nat(svc))
			continue;
		for (i = 0; i < svc->set.n; i++) {
			b = svc->set.item[i].backend;
			has = rlb_backend_ports(b);
			if ((rlb_ports_meet(&has, ports) || are_kept(&has, ports)) &&
			    b->node.family == family && rlb_prefix_has(addr, prefix, &b->node.addr))
				return b;
		}
	}
	return NULL;
}

static bool is_twin(const struct rlb_backend *a, const struct rlb_backend *b)
{
	return a != b && a->node.port == b->node.port && a->node.proto == b->node.proto &&
	       a->node.family == b->node.family &&
	       !memcmp(&a->node.addr, &b->node.addr, sizeof(a->node.addr));
}

/**
 * rlb_backend_twin() - a backend in force that another service has at the same address and port
 * @b: a backend
 *
 * cfg_lock held.
 *
 * Return: it, NULL if there is none.
 */
struct rlb_backend *rlb_backend_twin(const struct rlb_backend *b)
{
	struct rlb_service *svc;
	unsigned long id;
	u32 i;

	if (!b->needs_pin)
		return NULL;
	xa_for_each(&b->service->rn->services, id, svc)
		for (i = 0; svc != b->service && rlb_service_is_nat(svc) && i < svc->set.n; i++)
			if (is_twin(svc->set.item[i].backend, b))
				return svc->set.item[i].backend;
	return NULL;
}

/* It is found no more; one at the same address and port is found instead. */
static void backend_hide(struct rlb_backend *b)
{
	struct rlb_backend *twin = b->indexed ? rlb_backend_twin(b) : NULL;

	if (twin) {
		rlb_index_replace(&b->service->rn->reals, &b->node, &twin->node);
		twin->indexed = true;
	} else if (b->indexed) {
		rlb_index_remove(&b->service->rn->reals, &b->node);
	}
	b->indexed = false;
}

/* Somebody keeps the ports of packets to an address: nobody who is gone has any of them. */
static void all_make_way(struct rlb_net *rn, const struct rlb_index_node *key)
{
	const struct rlb_service *svc;
	struct rlb_backend *b;
	unsigned long id;

	xa_for_each(&rn->services, id, svc)
		list_for_each_entry(b, &svc->gone, gone)
			if (b->indexed && rlb_protocols_meet(b->node.proto, key->proto) &&
			    b->node.family == key->family &&
			    !memcmp(&b->node.addr, &key->addr, sizeof(key->addr)))
				backend_hide(b);
}

/**
 * rlb_backend_make_way() - somebody else gets an address, port and protocol
 * @rn: the namespace; cfg_lock held
 * @key: address, port (0: any that its packets have), protocol and family
 *
 * A removed backend that still has them is found by them no more: what it sends is the
 * successor's.
 */
void rlb_backend_make_way(struct rlb_net *rn, const struct rlb_index_node *key)
{
	struct rlb_backend *b = find_indexed(rn, key);

	if (b && b->is_gone)
		backend_hide(b);
	if (!key->port)
		all_make_way(rn, key);
}

/* Other services send to its address and port, too. */
static void share(struct rlb_backend *b)
{
	WRITE_ONCE(b->service->wide, true);
	WRITE_ONCE(b->needs_pin, true);
}

/**
 * rlb_backend_link() - a backend comes into force, for the first time or again
 * @b: the backend; there is a place for it in rlb_net.reals
 *
 * Of several at the same address and port, one is found there; whose a packet is, pins say.
 */
void rlb_backend_link(struct rlb_backend *b)
{
	struct rlb_backend *first;

	if (b->is_gone)
		list_del(&b->gone);
	b->is_gone = false;
	b->known = true;
	if (rlb_service_is_tunnel(b->service))
		rlb_outer_link(b);
	if (b->indexed || !rlb_service_is_nat(b->service))
		return;
	rlb_backend_make_way(b->service->rn, &b->node);
	first = find_indexed(b->service->rn, &b->node);
	if (first) {
		share(first);
		share(b);
		return;
	}
	rlb_index_insert(&b->service->rn->reals, &b->node);
	b->indexed = true;
}

/* From now on packets without a beginning, of flows not remembered, stay with it for a while. */
static void wane(struct rlb_backend *b)
{
	WRITE_ONCE(b->waned, rlb_seconds());
}

/**
 * rlb_backend_set_share() - how many of the flows of its slots a backend takes when it is up
 * @b: the backend
 * @share: in parts of RLB_SHARE_ALL
 *
 * cfg_lock held. The table is told by rlb_table_set_states().
 */
void rlb_backend_set_share(struct rlb_backend *b, u32 share)
{
	if (share < b->share)
		wane(b);
	b->share = share;
}

/**
 * rlb_backend_set_state() - what becomes of flows that are a backend's already
 * @b: the backend
 * @state: enum ringlb_state
 *
 * cfg_lock held. Packets that hold the backend follow at once.
 */
void rlb_backend_set_state(struct rlb_backend *b, u8 state)
{
	if (b->state == state)
		return;
	if (!rlb_state_drains(b->state)) {
		b->drained = rlb_seconds();
		b->drained_out = false;
	}
	if (b->state == RINGLB_STATE_UP && rlb_state_drains(state))
		wane(b);
	b->state = state;
	WRITE_ONCE(b->takes, state == RINGLB_STATE_UP ? RLB_TAKES_FLOWS :
			     rlb_state_drains(state) && !b->drained_out ? RLB_TAKES_LAST :
									  RLB_TAKES_NONE);
}

/* Of pins.h: a flow of this backend is remembered, or is not any more. */
void rlb_pin_held(struct rlb_backend *backend, int by)
{
	atomic_add(by, &backend->flows);
}

/* Of pins.h, too: the address of a backend. */
const union rlb_addr *rlb_pin_backend_addr(const struct rlb_backend *backend)
{
	return &backend->node.addr;
}

/**
 * rlb_backend_flows() - how many flows of a backend are remembered
 * @b: the backend
 *
 * Return: pins that name it. Those of connections straight to it do not count: they do not
 * end with its place in the service.
 */
u32 rlb_backend_flows(const struct rlb_backend *b)
{
	return atomic_read(&b->flows);
}

/**
 * rlb_backend_drain_left() - for how long may a draining backend still have flows?
 * @svc: its service; cfg_lock held
 * @item: the backend, which drains
 *
 * Return: seconds; 0: it counts as down.
 */
u32 rlb_backend_drain_left(const struct rlb_service *svc, const struct rlb_backend_item *item)
{
	u32 passed = rlb_seconds() - item->backend->drained;

	if (item->backend->drained_out)
		return 0;
	return svc->config.drain_timeout - min(passed, svc->config.drain_timeout);
}

/**
 * rlb_backend_unseen_left() - may a draining backend have flows that are not remembered yet?
 * @svc: its service; cfg_lock held
 * @item: the backend, which drains
 *
 * Flows that send something are remembered then; others end with the service's timeout.
 *
 * Return: seconds until it cannot; 0: it cannot.
 */
u32 rlb_backend_unseen_left(const struct rlb_service *svc, const struct rlb_backend_item *item)
{
	u32 passed = rlb_seconds() - item->backend->drained;

	return passed > svc->config.timeout ? 0 : svc->config.timeout - passed + 1;
}

/**
 * rlb_backend_has_left() - is a backend to be removed now?
 * @svc: its service; cfg_lock held
 * @item: the backend
 *
 * Return: true if it leaves, and its flows have ended or its time is over.
 */
bool rlb_backend_has_left(const struct rlb_service *svc, const struct rlb_backend_item *item)
{
	if (item->state != RINGLB_STATE_LEAVE)
		return false;
	return item->backend->drained_out ||
	       (!rlb_backend_unseen_left(svc, item) && !rlb_backend_flows(item->backend));
}

static bool is_draining(const struct rlb_backend_item *item)
{
	return rlb_state_drains(item->state) && !item->backend->drained_out;
}

/**
 * rlb_backends_draining() - does some backend drain, and not for too long yet, or leave?
 * @svc: the service; cfg_lock held
 *
 * Return: whether.
 */
bool rlb_backends_draining(const struct rlb_service *svc)
{
	u32 i;

	for (i = 0; i < svc->set.n; i++)
		if (is_draining(&svc->set.item[i]) ||
		    svc->set.item[i].state == RINGLB_STATE_LEAVE)
			return true;
	return false;
}

/**
 * rlb_backends_drain_out() - those that have drained for as long as they may count as down
 * @svc: the service; cfg_lock held
 *
 * Return: true if there are any that did not before: the table is to be told.
 */
bool rlb_backends_drain_out(struct rlb_service *svc)
{
	u32 now = rlb_seconds();
	struct rlb_backend *b;
	bool any = false;
	u32 i;

	for (i = 0; i < svc->set.n; i++) {
		b = svc->set.item[i].backend;
		if (!is_draining(&svc->set.item[i]) || now - b->drained <= svc->config.drain_timeout)
			continue;
		b->drained_out = true;
		WRITE_ONCE(b->takes, RLB_TAKES_NONE);
		any = true;
	}
	return any;
}

/* Nothing finds it but its pins; they go next. */
static void backend_end(struct rlb_backend *b)
{
	struct rlb_net *rn = b->service->rn;

	backend_hide(b);
	rlb_outer_hide(b);
	WRITE_ONCE(b->takes, RLB_TAKES_NONE);
	list_add(&b->gone, &rn->ending);
	schedule_work(&rn->end);
}

/* A test of rlb_pins_remove(). */
static bool is_ending(const struct rlb_pin *pin, void *arg)
{
	return rlb_pin_backend(pin)->ending;
}

static void free_all(struct list_head *ending)
{
	struct rlb_backend *b, *next;

	list_for_each_entry_safe(b, next, ending, gone) {
		list_del(&b->gone);
		call_rcu(&b->rcu, backend_free_rcu);
	}
}

/*
 * No packet chooses them any more; after a grace period none is about to pin one, so that
 * their pins can be forgotten; and after another, none holds one through a pin.
 */
static void end_work(struct work_struct *work)
{
	struct rlb_net *rn = container_of(work, struct rlb_net, end);
	struct rlb_backend *b;
	LIST_HEAD(ending);

	mutex_lock(&rn->cfg_lock);
	list_splice_init(&rn->ending, &ending);
	mutex_unlock(&rn->cfg_lock);
	if (list_empty(&ending))
		return;
	list_for_each_entry(b, &ending, gone)
		b->ending = true;
	synchronize_rcu();
	mutex_lock(&rn->cfg_lock);	/* requests that read pins hold it */
	rlb_pins_remove(&rn->pins, is_ending, NULL);
	mutex_unlock(&rn->cfg_lock);
	free_all(&ending);
}

/**
 * rlb_backends_init() - make a namespace ready for the end of backends
 * @rn: the namespace
 */
void rlb_backends_init(struct rlb_net *rn)
{
	INIT_LIST_HEAD(&rn->ending);
	INIT_WORK(&rn->end, end_work);
}

/**
 * rlb_backends_stop() - returns when no work on the end of backends is under way, or will be
 * @rn: the namespace, without services and without packets
 */
void rlb_backends_stop(struct rlb_net *rn)
{
	cancel_work_sync(&rn->end);
}

/**
 * rlb_backends_exit() - free those that are left to end
 * @rn: the namespace, after rlb_backends_stop(); no pin names a backend any more
 */
void rlb_backends_exit(struct rlb_net *rn)
{
	free_all(&rn->ending);
}

/**
 * rlb_backend_retire() - a backend is removed
 * @b: the backend, about to leave the service's set
 *
 * It is freed when rlb_backends_forget() finds that the table needs it no longer.
 */
void rlb_backend_retire(struct rlb_backend *b)
{
	b->is_gone = true;
	rlb_backend_set_state(b, RINGLB_STATE_UNSPEC);
	list_add_tail(&b->gone, &b->service->gone);
}

/**
 * rlb_backends_forget() - the end of removed backends that nobody needs
 * @svc: their service; cfg_lock held
 */
void rlb_backends_forget(struct rlb_service *svc)
{
	struct rlb_backend *b, *next;

	list_for_each_entry_safe(b, next, &svc->gone, gone) {
		if (b->bound)
			continue;
		list_del(&b->gone);
		backend_end(b);
	}
}

/**
 * rlb_backend_known() - the service has, or had not long ago, a backend like this one
 * @svc: the service; cfg_lock held
 * @b: a backend that was made for it and has never been in force
 *
 * Return: that backend, NULL if there is none.
 */
struct rlb_backend *rlb_backend_known(struct rlb_service *svc, const struct rlb_backend *b)
{
	struct rlb_backend_config c = name_of(b);
	struct rlb_backend_item *item = rlb_backend_find(&svc->set, &c);
	struct rlb_backend *gone;

	if (item)
		return item->backend;
	list_for_each_entry(gone, &svc->gone, gone)
		if (!compare(gone, &c))
			return gone;
	return NULL;
}

/**
 * rlb_backend_alloc() - a new backend
 * @svc: its service; cfg_lock held
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
	b->service_id = svc->id;
	b->needs_pin = rlb_service_needs_pins(sc) || (c->port && !sc->port);
	b->number = svc->rn->next_backend++ % RLB_PIN_NUMBERS;
	b->accepts = RLB_SHARE_ALL;
	b->waned = rlb_seconds() - RINGLB_TIMEOUT_MAX - 1;	/* long ago */
	b->port = c->port;
	b->node.family = c->family;
	b->node.proto = sc->proto;
	b->node.addr = c->addr;
	b->node.port = c->port ?: sc->port;
	b->end.family = c->family;
	b->end.proto = rlb_tunnel_proto(sc);
	b->end.port = sc->tunnel_port;
	b->end.addr = c->addr;
	return b;
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
 * rlb_backend_item_in() - weight, state and slots of a backend
 * @set: a set
 * @b: a backend
 *
 * Return: the place of this very backend, not of one like it, valid until the set's next
 *	change; NULL if the set does not have it.
 */
struct rlb_backend_item *rlb_backend_item_in(const struct rlb_backend_set *set,
					     const struct rlb_backend *b)
{
	struct rlb_backend_config c = name_of(b);
	u32 i = rlb_backend_place(set, &c);

	return i < set->n && set->item[i].backend == b ? &set->item[i] : NULL;
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
 * @c: address and configured port of the last backend that was met
 *
 * Return: index of the first backend after that one.
 */
u32 rlb_backend_after(const struct rlb_backend_set *set, const struct rlb_backend_config *c)
{
	u32 i = rlb_backend_place(set, c);

	return i < set->n && !compare(set->item[i].backend, c) ? i + 1 : i;
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
	return rlb_backend_item_in(set, b);
}

/**
 * rlb_backends_destroy() - the end of all backends of a service, those removed included
 * @svc: the service; no longer found by packets to its VIP
 *
 * cfg_lock held. Packets may still hold the backends until a grace period has passed.
 */
void rlb_backends_destroy(struct rlb_service *svc)
{
	struct rlb_backend *b, *next;
	u32 i;

	for (i = 0; i < svc->set.n; i++)
		backend_end(svc->set.item[i].backend);
	list_for_each_entry_safe(b, next, &svc->gone, gone) {
		list_del(&b->gone);
		backend_end(b);
	}
	kvfree(svc->set.item);
	memset(&svc->set, 0, sizeof(svc->set));
}
