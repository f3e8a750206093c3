/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * service.h - a virtual service: a VIP, a protocol, a port, and the backends behind them
 */
#ifndef _RINGLB_SERVICE_H
#define _RINGLB_SERVICE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/netlink.h>
#include <linux/rhashtable-types.h>

#include "backend.h"
#include "index.h"
#include "ringlb.h"

struct rlb_map;
struct rlb_table;

/**
 * struct rlb_snat - does the gateway take the client's place?
 * @on: it does
 * @has_addr: by the address @addr; else by the one that the route to the backend has
 * @force: ports that its own connections may get are allowed
 * @first: its ports, host byte order: from this one
 * @last: to this one
 * @addr: the address
 */
struct rlb_snat {
	bool on;
	bool has_addr;
	bool force;
	u16 first;
	u16 last;
	union rlb_addr addr;
};

/**
 * struct rlb_service_config - what an operator says of a service
 * @name: padded with NULs
 * @family: AF_INET or AF_INET6
 * @proto: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
 * @port: of the VIP, network byte order
 * @vip: the address
 * @ops: method
 * @key: enum ringlb_key
 * @params: of the method
 * @bits: the table has 2^bits slots, RLB_BITS_MIN..RLB_BITS_MAX
 * @settle: slots that may follow in a second, in thousandths of the table; 0: none
 * @track: enum ringlb_track
 * @mode: enum ringlb_mode
 * @timeout: seconds after which a flow that has sent nothing counts as ended
 * @drain_timeout: seconds after which a draining backend counts as down
 * @last_resort: draining backends take new flows when none is up
 * @udp_drain: enum ringlb_udp_drain
 * @none: enum ringlb_none
 * @snat: never changes
 * @force: of a change alone: lose the flows that are kept from an earlier change of this kind
 * @map: method slots: who is to own which slot; NULL: as it is, always so in a service's own
 *	configuration
 */
struct rlb_service_config {
	char name[RINGLB_NAME_MAX + 1];
	u8 family;
	u8 proto;
	__be16 port;
	union rlb_addr vip;
	const struct rlb_lookup_ops *ops;
	enum ringlb_key key;
	struct rlb_params params;
	u8 bits;
	u32 settle;
	u32 track;
	u32 mode;
	u32 timeout;
	u32 drain_timeout;
	u32 last_resort;
	u32 udp_drain;
	u32 none;
	struct rlb_snat snat;
	bool force;
	const struct rlb_map *map;
};

/**
 * struct rlb_service - a service
 * @node: in rlb_net.vips; VIP, port, protocol and family are here
 * @table: the published table, never NULL once the service can be found
 * @stats: RLB_COUNTERS_ALL
 * @wide: its flows have wide pins; once set, it stays. Written under cfg_lock, read by packets
 * @rejects: packets that senders were told of in the second @rejects_at, and further ones
 * @rejects_at: rlb_seconds(); written by packets, by whichever is the first in a second
 * @rn: its namespace
 * @rcu: for its end
 * @config: as configured; cfg_lock, but for what @node repeats
 * @set: its backends; cfg_lock
 * @gone: backends that have been removed and are old owners of slots; cfg_lock
 * @id: its number in rlb_net.services
 * @generation: counts the tables that changes have published; cfg_lock
 * @moved: slots that tables gave another owner since the last entry of the ledger; cfg_lock
 * @followed: likewise, those that followed by settling; cfg_lock
 * @born: when it was added: rlb_seconds()
 * @changes: counts changes of @config and @set, those of states, too; cfg_lock
 * @name_node: in rlb_net.names
 */
struct rlb_service {
	/* packets */
	struct rlb_index_node node;
	struct rlb_table __rcu *table;
	struct rlb_stats __percpu *stats;
	bool wide;
	atomic_t rejects;
	u32 rejects_at;
	struct rlb_net *rn;

	/* requests */
	struct rcu_head rcu;
	struct rlb_service_config config;
	struct rlb_backend_set set;
	struct list_head gone;
	u32 id;
	u32 generation;
	u32 moved;
	u32 followed;
	u32 born;
	u32 changes;
	struct rhash_head name_node;
};

/**
 * rlb_service_find() - the service of a packet that travels towards a VIP
 * @pkt: a parsed packet; @pkt->service is set
 *
 * Return: RLB_NEXT, or RLB_PASS if its destination is no VIP.
 */
static inline enum rlb_verdict rlb_service_find(struct rlb_pkt *pkt)
{
	const struct rlb_tuple *t = &pkt->tuple;
	struct rlb_index_node *node;

	node = rlb_index_find(&pkt->rn->vips, t->family, t->proto, &t->dst, t->dport);
	if (!node)
		return RLB_PASS;
	pkt->service = container_of(node, struct rlb_service, node);
	return RLB_NEXT;
}

/* Are a service's packets rewritten, so that answers come by and have to be, too? */
static inline bool rlb_service_is_nat(const struct rlb_service *svc)
{
	return svc->config.mode == RINGLB_MODE_NAT;
}

struct rlb_service *rlb_service_by_name(struct rlb_net *rn, const char *name);
struct rlb_service *rlb_service_create(struct rlb_net *rn,
				       const struct rlb_service_config *config,
				       struct netlink_ext_ack *extack);
bool rlb_service_needs_table(const struct rlb_service *svc,
			     const struct rlb_service_config *config);
void rlb_service_configure(struct rlb_service *svc, const struct rlb_service_config *config);
int rlb_service_change(struct rlb_service *svc, const struct rlb_service_config *config,
		       struct netlink_ext_ack *extack);
bool rlb_service_is_busy(const struct rlb_service *svc, const struct rlb_service_config *config);
int rlb_service_check_track(const struct rlb_service_config *config,
			    const struct rlb_backend_set *set, struct netlink_ext_ack *extack);
int rlb_service_refuse_busy(struct netlink_ext_ack *extack);
void rlb_service_destroy(struct rlb_service *svc);

int rlb_services_init(struct rlb_net *rn);
void rlb_services_exit(struct rlb_net *rn);

#endif /* _RINGLB_SERVICE_H */
