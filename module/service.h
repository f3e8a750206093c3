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
#include "lookup/cid.h"
#include "match.h"
#include "ringlb.h"

struct rlb_map;
struct rlb_table;

/**
 * struct rlb_snat - does the gateway take the client's place?
 * @on: it does
 * @has_addr: by the address @addr; else by the one that the route to the backend has
 * @first: its ports, host byte order: from this one
 * @last: to this one
 * @addr: the address
 */
struct rlb_snat {
	bool on;
	bool has_addr;
	u16 first;
	u16 last;
	union rlb_addr addr;
};

/**
 * struct rlb_service_config - what an operator says of a service
 * @name: padded with NULs
 * @family: AF_INET or AF_INET6
 * @proto: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP; or RINGLB_PROTOCOL_ANY
 * @ports: of the VIP; all there are, of every protocol
 * @port: the same if it is one, in network byte order; else 0
 * @vip: the address
 * @mark: that its packets have, whatever their address and port; then @vip is 0
 * @prefix: bits of it that the addresses of its packets begin with; all: it is one address
 * @ops: method
 * @key: enum ringlb_key
 * @cid: connection ids of its backends, key quic-cid; else 0
 * @params: of the method
 * @bits: the table has 2^bits slots, RLB_BITS_MIN..RLB_BITS_MAX
 * @settle: slots that may follow in a second, in thousandths of the table; 0: none
 * @track: enum ringlb_track
 * @mode: enum ringlb_mode
 * @tunnel: enum ringlb_tunnel, of mode tunnel
 * @tunnel_port: where its packets go to, in network byte order; 0: they have no ports
 * @timeout: seconds after which a flow that has sent nothing counts as ended
 * @drain_timeout: seconds after which a draining backend counts as down
 * @last_resort: draining backends take new flows when none is up
 * @udp_drain: enum ringlb_udp_drain
 * @none: enum ringlb_none
 * @snat: never changes
 * @force: of a change alone: lose the flows that are kept from an earlier change of this kind
 * @forced: ports that this host may need for itself are allowed; never changes
 * @map: method slots: who is to own which slot; NULL: as it is, always so in a service's own
 *	configuration
 */
struct rlb_service_config {
	char name[RINGLB_NAME_MAX + 1];
	u8 family;
	u8 proto;
	__be16 port;
	struct rlb_ports ports;
	union rlb_addr vip;
	u8 prefix;
	struct rlb_mark mark;
	const struct rlb_lookup_ops *ops;
	enum ringlb_key key;
	struct rlb_cid_form cid;
	struct rlb_params params;
	u8 bits;
	u32 settle;
	u32 track;
	u32 mode;
	u32 tunnel;
	__be16 tunnel_port;
	u32 timeout;
	u32 drain_timeout;
	u32 last_resort;
	u32 udp_drain;
	u32 none;
	struct rlb_snat snat;
	bool force;
	bool forced;
	const struct rlb_map *map;
};

/**
 * struct rlb_service - a service
 * @node: in rlb_net.vips unless it has several ports or addresses: VIP, port (or 0), protocol
 *	and family
 * @ports: those of the VIP; never change
 * @table: the published table, never NULL once the service can be found
 * @stats: RLB_COUNTERS_ALL
 * @wide: its flows have wide pins; once set, it stays. Written under cfg_lock, read by packets
 * @fast: its packets may take the fast path: nat of one address and port, and no
 *	snat; never changes
 * @rejects: packets that senders were told of in the second @rejects_at, and further ones
 * @rejects_at: rlb_seconds(); written by packets, by whichever is the first in a second
 * @rn: its namespace
 * @rcu: for its end
 * @config: as configured; cfg_lock, but for what @node repeats
 * @set: its backends; cfg_lock
 * @gone: backends that have been removed and are old owners of slots; cfg_lock
 * @blocks: in rlb_net.vips, if it has several ports or addresses; else NULL. cfg_lock
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
	struct rlb_ports ports;
	struct rlb_table __rcu *table;
	struct rlb_stats __percpu *stats;
	bool wide;
	bool fast;
	atomic_t rejects;
	u32 rejects_at;
	struct rlb_net *rn;

	/* requests */
	struct rcu_head rcu;
	struct rlb_service_config config;
	struct rlb_backend_set set;
	struct list_head gone;
	struct rlb_blocks *blocks;
	u32 id;
	u32 generation;
	u32 moved;
	u32 followed;
	u32 born;
	u32 changes;
	struct rhash_head name_node;
};

/**
 * rlb_service_of() - the service whose VIP a packet is to
 * @rn: the namespace
 * @t: the packet, from client to VIP; its ports become 0 if the service does not look at them
 * @mark: its mark
 *
 * Caller holds rcu_read_lock() or cfg_lock.
 *
 * Return: the service, NULL if there is none.
 */
static inline struct rlb_service *rlb_service_of(const struct rlb_net *rn,
						 struct rlb_tuple *t, u32 mark)
{
	struct rlb_index_node *node;

	node = rlb_index_find(&rn->vips, t->family, t->proto, &t->dst, t->dport);
	if (likely(node))
		return container_of(node, struct rlb_service, node);
	return rlb_match_sizes(rn, t->family) ? rlb_match_find(rn, t, mark) : NULL;
}

/* The port that a packet of a service is to, whose backend has got it at @port */
static inline __be16 rlb_service_port(const struct rlb_service *svc, __be16 port)
{
	return svc->node.port ?: port;
}

/* Does a service take packets whatever their protocol, and its flows are told by addresses? */
static inline bool rlb_service_is_any(const struct rlb_service_config *c)
{
	return c->proto == RINGLB_PROTOCOL_ANY;
}

/* Are a service's packets to several addresses? */
static inline bool rlb_service_has_prefix(const struct rlb_service_config *c)
{
	return c->prefix < rlb_prefix_full(c->family);
}

/* Do answers of backends not tell which packets of a service they are to? Then pins do. */
static inline bool rlb_service_needs_pins(const struct rlb_service_config *c)
{
	return c->snat.on || (c->mode == RINGLB_MODE_NAT && rlb_service_has_prefix(c));
}

/* Has a service this port, perhaps among others? */
static inline bool rlb_service_has_port(const struct rlb_service *svc, __be16 port)
{
	return ntohs(port) >= svc->ports.first && ntohs(port) <= svc->ports.last;
}

/**
 * rlb_service_find() - the service of a packet that travels towards a VIP
 * @pkt: a parsed packet; @pkt->service is set
 *
 * Return: RLB_NEXT, or RLB_PASS if its destination is no VIP.
 */
static inline enum rlb_verdict rlb_service_find(struct rlb_pkt *pkt)
{
	pkt->service = rlb_service_of(pkt->rn, &pkt->tuple, pkt->skb->mark);
	return pkt->service ? RLB_NEXT : RLB_PASS;
}

/* Of those that keep the ports of packets */
static inline struct rlb_backend *rlb_real_keeping(const struct rlb_net *rn, u8 family, u8 proto,
						   const union rlb_addr *addr, __be16 port)
{
	struct rlb_index_node *node = rlb_index_find(&rn->reals, family, proto, addr, 0);
	struct rlb_backend *b;

	b = node ? container_of(node, struct rlb_backend, node) : NULL;
	/* Of several with the address one is found, and pins say whose a packet is. */
	return b && (READ_ONCE(b->needs_pin) || rlb_service_has_port(b->service, port)) ? b : NULL;
}

/**
 * rlb_real_find() - the backend that gets packets at an address and port
 * @rn: the namespace
 * @family: AF_INET or AF_INET6
 * @proto: protocol
 * @addr: the address
 * @port: the port
 *
 * Caller holds rcu_read_lock() or cfg_lock.
 *
 * Return: the backend, perhaps one that has been removed; NULL if there is none.
 */
static inline struct rlb_backend *rlb_real_find(const struct rlb_net *rn, u8 family, u8 proto,
						const union rlb_addr *addr, __be16 port)
{
	struct rlb_index_node *node = rlb_index_find(&rn->reals, family, proto, addr, port);

	if (likely(node))
		return container_of(node, struct rlb_backend, node);
	return rlb_match_sizes(rn, family) ? rlb_real_keeping(rn, family, proto, addr, port) : NULL;
}

/* Are a service's packets rewritten, so that answers come by and have to be, too? */
static inline bool rlb_service_is_nat(const struct rlb_service *svc)
{
	return svc->config.mode == RINGLB_MODE_NAT;
}

/* Do they go inside packets of the gateway's own? */
static inline bool rlb_service_is_tunnel(const struct rlb_service *svc)
{
	return svc->config.mode == RINGLB_MODE_TUNNEL;
}

struct rlb_service *rlb_service_by_name(struct rlb_net *rn, const char *name);
const struct rlb_service *rlb_service_at(struct rlb_net *rn, u8 family, u8 proto,
					 const union rlb_addr *addr, const struct rlb_ports *ports);
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
int rlb_service_check_ids(const struct rlb_service_config *config,
			  const struct rlb_backend_set *set, struct netlink_ext_ack *extack);
int rlb_service_refuse_busy(struct netlink_ext_ack *extack);
void rlb_service_destroy(struct rlb_service *svc);

int rlb_services_init(struct rlb_net *rn);
void rlb_services_exit(struct rlb_net *rn);

#endif /* _RINGLB_SERVICE_H */
