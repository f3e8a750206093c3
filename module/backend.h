/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend.h - the backends of a service: objects, and the ordered set of them
 */
#ifndef _RINGLB_BACKEND_H
#define _RINGLB_BACKEND_H

#include <linux/list.h>
#include <linux/netlink.h>

#include "index.h"
#include "ringlb.h"

struct rlb_route;
struct rlb_way_to;

/**
 * struct rlb_backend - an address, and perhaps a port, inside one service
 * @node: address, port, protocol and family of the packets that it gets and sends; the port is
 *	the service's if none is configured, 0 if that has several. In rlb_net.reals if answers
 *	come by (mode nat)
 * @end: of mode tunnel: address, port, protocol and family of the outer packets that it gets
 * @stats: RLB_COUNTERS_BACKEND
 * @service: whose it is; outlives every packet's sight of it
 * @number: its own in the namespace, below RLB_PIN_DIRECT; never changes
 * @service_id: rlb_service.id, which outlives the service; never changes
 * @takes: enum rlb_takes by its state; none once removed. Written under cfg_lock, read by
 *	packets; pairs READ_ONCE() in steer.c with WRITE_ONCE() in table.c and backend.c
 * @needs_pin: its answers are told by pins alone; once set, it stays. Likewise
 * @flows: pins that name it, of flows to the VIP
 * @waned: rlb_seconds() when it last began to take less of its slots' flows; likewise
 * @share: of the flows of its slots, what it takes, in parts of RLB_SHARE_ALL; cfg_lock
 * @drained: rlb_seconds() when it began to drain; cfg_lock
 * @came: rlb_seconds() when the flows of its slots began to come to it; cfg_lock
 * @accepts: how many of them it takes, in parts of RLB_SHARE_ALL: slow.c; cfg_lock
 * @state: enum ringlb_state, as in its item; cfg_lock
 * @drained_out: it drains, and has for as long as it may: it counts as down; cfg_lock
 * @route: to it; forward/route.c
 * @gone: in rlb_service.gone, if @is_gone; in the end in rlb_net.ending
 * @ending: its pins are being forgotten
 * @is_gone: it has been removed from the service's set; cfg_lock
 * @known: it has been in force; cfg_lock
 * @indexed: packets find it by @node; cfg_lock
 * @is_end: ICMP errors find it by @end, in rlb_net.ends; cfg_lock
 * @bound: the service's table has it, as a member or as an old owner; cfg_lock
 * @way: the route to it that packets of the fast path have found, or NULL; see way.c
 * @rcu: for its end
 * @port: as configured, network byte order; 0: none
 */
struct rlb_backend {
	struct rlb_index_node node;
	struct rlb_index_node end;
	struct rlb_stats __percpu *stats;
	struct rlb_service *service;
	u32 number;
	u32 service_id;
	atomic_t flows;
	u32 waned;
	u8 takes;
	bool needs_pin;
	u8 state;
	bool drained_out;
	struct rlb_route __rcu *route;

	u32 share;
	u32 drained;
	u32 came;
	u32 accepts;
	struct list_head gone;
	bool ending;
	bool is_gone;
	bool known;
	bool indexed;
	bool is_end;
	bool bound;
	struct rlb_way_to __rcu *way;
	struct rcu_head rcu;
	__be16 port;
};

/**
 * struct rlb_backend_item - a backend as a member of its service
 * @backend: which
 * @ident: its identity: of its id, or of its address, configured port and protocol
 * @id: the operator's number of it, RLB_NO_ID for none
 * @weight: 0..RINGLB_WEIGHT_MAX
 * @slots: how many it owns in the published table
 * @share: of the flows that come to it, what its weight lets it take when up, in parts of
 *	RLB_SHARE_ALL
 * @slow_start: seconds until it takes so many when it has come
 * @member: its index in the table; meaningless if @weight is 0
 * @state: enum ringlb_state
 * @changed: the notice that the last commit owes, RINGLB_CMD_BACKEND_*_NOTICE or 0
 */
struct rlb_backend_item {
	struct rlb_backend *backend;
	u64 ident;
	u32 id;
	u32 weight;
	u32 slots;
	u32 share;
	u32 slow_start;
	u16 member;
	u8 state;
	u8 changed;
};

/* Of the flows that come to it, what a backend takes just now when it is up */
static inline u32 rlb_backend_accepts(const struct rlb_backend_item *item)
{
	return (u64)item->share * item->backend->accepts / RLB_SHARE_ALL;
}

/**
 * struct rlb_backend_set - the backends of a service, each once
 * @item: ascending by family, address, then port, as bytes on the wire
 * @n: how many
 * @room: for how many there is memory
 */
struct rlb_backend_set {
	struct rlb_backend_item *item;
	u32 n;
	u32 room;
};

/**
 * struct rlb_backend_config - what a request says of a backend
 * @addr: its address
 * @family: of @addr: the service's, but for mode tunnel
 * @port: network byte order, 0 for none
 * @id: valid if @has_id; RLB_NO_ID: none
 * @id_attr: where a request gives it
 * @ranges: of a map: attribute with the slots that it is to own
 * @weight: valid if @has_weight
 * @state: valid if @has_state
 * @slow_start: valid if @has_slow_start
 * @has_id: the id is given
 * @has_weight: the weight is given
 * @has_state: the state is given
 * @has_slow_start: the time is given
 */
struct rlb_backend_config {
	union rlb_addr addr;
	u8 family;
	__be16 port;
	u32 id;
	const struct nlattr *id_attr;
	const struct nlattr *ranges;
	u32 weight;
	u32 slow_start;
	u8 state;
	bool has_id;
	bool has_weight;
	bool has_state;
	bool has_slow_start;
};

/* The port at which a backend gets a packet of a flow */
static inline __be16 rlb_backend_port(const struct rlb_backend *b, const struct rlb_tuple *flow)
{
	return b->node.port ?: flow->dport;
}

/* Does a backend in this state keep its flows, and take no others? */
static inline bool rlb_state_drains(u8 state)
{
	return state == RINGLB_STATE_DRAIN || state == RINGLB_STATE_LEAVE;
}

struct rlb_backend *rlb_backend_alloc(struct rlb_service *svc, const struct rlb_backend_config *c);
void rlb_backend_free(struct rlb_backend *b);
void rlb_backend_set_share(struct rlb_backend *b, u32 share);
void rlb_backend_set_state(struct rlb_backend *b, u8 state);
bool rlb_backends_draining(const struct rlb_service *svc);
bool rlb_backends_drain_out(struct rlb_service *svc);
void rlb_backend_link(struct rlb_backend *b);
void rlb_backend_retire(struct rlb_backend *b);
struct rlb_backend *rlb_backend_known(struct rlb_service *svc, const struct rlb_backend *b);
struct rlb_backend *rlb_backend_twin(const struct rlb_backend *b);
struct rlb_backend *rlb_backend_by_tuple(struct rlb_net *rn, const struct rlb_index_node *key);
struct rlb_ports rlb_backend_ports(const struct rlb_backend *b);
struct rlb_backend *rlb_backend_at(struct rlb_net *rn, u8 family, u8 proto,
				   const union rlb_addr *addr, u8 prefix,
				   const struct rlb_ports *ports);
void rlb_backend_make_way(struct rlb_net *rn, const struct rlb_index_node *key);

u32 rlb_backend_place(const struct rlb_backend_set *set, const struct rlb_backend_config *c);
bool rlb_backend_is_in(const struct rlb_backend_set *set, const struct rlb_backend *b);
struct rlb_backend_item *rlb_backend_find(const struct rlb_backend_set *set,
					  const struct rlb_backend_config *c);
struct rlb_backend_item *rlb_backend_item_in(const struct rlb_backend_set *set,
					     const struct rlb_backend *b);
void rlb_backend_set_id(struct rlb_backend_item *item, u32 id);
u32 rlb_backend_after(const struct rlb_backend_set *set, const struct rlb_backend_config *c);

u32 rlb_backend_flows(const struct rlb_backend *b);
u32 rlb_backend_unseen_left(const struct rlb_service *svc, const struct rlb_backend_item *item);
bool rlb_backend_has_left(const struct rlb_service *svc, const struct rlb_backend_item *item);
u32 rlb_backend_drain_left(const struct rlb_service *svc, const struct rlb_backend_item *item);
void rlb_backends_forget(struct rlb_service *svc);
void rlb_backends_init(struct rlb_net *rn);
void rlb_backends_stop(struct rlb_net *rn);
void rlb_backends_exit(struct rlb_net *rn);
void rlb_backends_destroy(struct rlb_service *svc);

#endif /* _RINGLB_BACKEND_H */
