/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ringlb.h - what several rooms hold: a namespace's state, a packet on its way, verdicts
 *
 * Locks. There is one: rlb_net.cfg_lock, a mutex that serialises all changes and all reads of
 * the configuration in a namespace. It is taken by requests (nl/), and by the namespace's
 * birth and death. It is taken inside the RTNL where devices are concerned, never the other way
 * round. Inside it may be taken, in this order and never the other way: the netfilter core's
 * hook mutex (through rlb_hooks_get()), locks of sockets that nobody else sees (own.c),
 * allocators' locks. Packets take no lock, but for the one under which a new route to a backend
 * is put on a list (way.c): they find services, backends and tables through RCU pointers, in one
 * read-side section that the netfilter core opens around each hook.
 *
 * Lifetimes. A service is found by packets through rlb_net.vips, a backend through
 * rlb_net.reals or .ends and through the table of its service, a table through its service. Each is
 * unlinked first and freed after a grace period; nothing that a packet holds outlives its
 * hook. A backend points to its service: all backends are unlinked before their service, so
 * whoever finds one under RCU finds the other alive. A removed backend stays where packets find
 * it as long as the table in force has it as some slot's old owner. Services, backends and
 * tables are freed by callbacks of this module, which main.c waits for when it is unloaded.
 */
#ifndef _RINGLB_H
#define _RINGLB_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/rhashtable-types.h>
#include <linux/skbuff.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <linux/ringlb.h>

#include "flow/pins.h"
#include "lookup/choose.h"
#include "lookup/key.h"
#include "lookup/lookup.h"
#include "lookup/ports.h"

struct rlb_backend;
struct rlb_entry;
struct rlb_index_array;
struct rlb_service;
struct rlb_stats;

#define RLB_HOOKS 4	/* the most of each set and family; see hook.c */

/* Sets of netfilter hooks, which are there while a service or a device needs them */
enum rlb_hook_set {
	RLB_HOOKS_NAT,		/* every service */
	RLB_HOOKS_SNAT,		/* those with gates */
	RLB_HOOKS_FAST,		/* devices with the fast path, of both families */
	RLB_HOOK_SETS
};

#define RLB_OWN_BITS 12	/* log2 of the bits in rlb_net.own */

/**
 * struct rlb_index - see index.h
 * @array: what packets read
 * @lock: cfg_lock of the namespace
 * @live: nodes in it; cfg_lock
 * @used: places in it that are not empty: nodes and graves; cfg_lock
 */
struct rlb_index {
	struct rlb_index_array __rcu *array;
	struct mutex *lock;
	u32 live;
	u32 used;
};

#define RLB_MATCH_PREFIX (1U << 31)
#define RLB_MATCH_MARK (1U << 30)
#define RLB_MATCH_ANY (1U << 29)
#define RLB_MATCH_MASKS 8	/* different masks of marks */

/**
 * struct rlb_match - see match.h; of an address family
 * @sizes: bit n: some service of one address has a block of 2^n ports; RLB_MATCH_PREFIX: some
 *	service has a prefix; RLB_MATCH_MARK: a mark; RLB_MATCH_ANY: every protocol
 * @spread: bit n: likewise, of a service that has a prefix
 * @prefixes: bit n of these 128: some service has a prefix of n bits
 * @masks: of marks of services; 0: none
 * @n_sizes: how many blocks of each size there are; cfg_lock
 * @n_spread: likewise
 * @n_prefixes: how many blocks have a prefix of each length; cfg_lock
 * @n_masks: how many services have each of @masks; cfg_lock
 * @n_any: how many blocks are those of services of every protocol; cfg_lock
 */
struct rlb_match {
	/* packets */
	u32 sizes;
	u32 spread;
	u64 prefixes[2];
	u32 masks[RLB_MATCH_MASKS];

	/* requests */
	u32 n_sizes[RLB_PORTS_BITS + 1];
	u32 n_spread[RLB_PORTS_BITS + 1];
	u32 n_prefixes[128];
	u32 n_masks[RLB_MATCH_MASKS];
	u32 n_any;
};

/**
 * struct rlb_net - all state of a network namespace
 * @vips: services by address, port and protocol of the VIP, or by blocks of ports; read by packets
 * @reals: backends by address, port and protocol of their packets; those that keep the ports of
 *	packets by port 0. Read by packets
 * @match: of IPv4 and of IPv6: what to look for beside single addresses and ports; read by packets
 * @ends: backends of mode tunnel by what their outer packets go to; read by ICMP errors
 * @stats: packets dropped before a service was known
 * @pins: flows that are remembered
 * @devs: devices with the fast path; changed under cfg_lock, read by packets
 * @own: by hash of an IPv4 address; set if the namespace has it, or had. Written under the
 *	rtnl lock, read by packets; true of all addresses only while there are @devs.
 * @ways: routes to backends that packets have found; way.c has the lock
 * @ways_back: routes to clients that packets have found, a table for each CPU; there while
 *	there are @devs
 * @cfg_lock: guards everything below, and every change of what is above
 * @net: the namespace; alive as long as this is
 * @services: services by number, in order of creation
 * @names: services by name
 * @n_services: how many
 * @next_id: where the search for a new service's number starts
 * @next_backend: counts backends; each one's number
 * @seq: counts changes, for the consistency check of dumps; never 0
 * @hooked: services that need a set of hooks, of IPv4 and of IPv6: it exists while this is not 0
 * @hooks: these hooks
 * @secret: the hash key, copied into each table
 * @has_secret: false until it is first needed
 * @ending: backends whose pins are to be forgotten
 * @end: backend.c's work on these
 * @settle: settle.c's work; there while some service has any
 * @drafts: changes that sockets have begun and not committed
 * @n_drafts: how many
 * @history: history.c's ring, NULL until the first change
 * @history_last: number of the latest entry in it, 0 for none
 */
struct rlb_net {
	/* packets */
	struct rlb_index vips;
	struct rlb_index reals;
	struct rlb_match match[2];
	struct rlb_index ends;
	struct rlb_stats __percpu *stats;
	struct rlb_pins pins;
	struct list_head devs;
	DECLARE_BITMAP(own, 1U << RLB_OWN_BITS);
	struct list_head ways;
	struct rlb_way_back *__percpu *ways_back;

	/* requests */
	struct mutex cfg_lock;
	struct net *net;
	struct xarray services;
	struct rhashtable names;
	u32 n_services;
	u32 next_id;
	u32 next_backend;
	u32 seq;
	u32 hooked[RLB_HOOK_SETS][2];
	struct nf_hook_ops hooks[RLB_HOOK_SETS][2][RLB_HOOKS];
	struct rlb_secret secret;
	bool has_secret;
	struct list_head ending;
	struct work_struct end;
	struct delayed_work settle;
	struct list_head drafts;
	u32 n_drafts;
	struct rlb_entry *history;
	u64 history_last;
};

/* The clock of transitions: whole seconds, which nobody sets. */
static inline u32 rlb_seconds(void)
{
	return ktime_get_seconds();
}

/**
 * enum rlb_verdict - what a room says of a packet
 * @RLB_NEXT: go on to the next room; after the last one, the packet goes its way
 * @RLB_PASS: not ours: leave it as it is
 * @RLB_DROP: dropped, and counted by rlb_drop()
 * @RLB_SENT: sent on from here; it is no longer the netfilter core's
 */
enum rlb_verdict {
	RLB_NEXT,
	RLB_PASS,
	RLB_DROP,
	RLB_SENT,
};

/**
 * struct rlb_pkt - what is known of a packet; lives on the stack of hook.c
 * @skb: the packet; belongs to the netfilter core
 * @rn: its namespace
 * @state: what the netfilter core says of the hook
 * @tuple: addresses, ports and protocol as in the packet; if @is_error, as in the packet that
 *	the ICMP error quotes. Ports are 0 where the protocol has none, or its service does not
 *	look at them. reply.c and icmp.c turn it into the flow's tuple.
 * @l4: offset of the transport (or ICMP) header from skb->data
 * @plain_end: where what a rewrite writes of a TCP or UDP header ends, likewise; ~0 for other
 *	protocols, which are not rewritten in one go
 * @is_error: the packet is an ICMP error
 * @is_redirect: if @is_error, one that names a better way
 * @is_outer: an ICMP error that quotes a packet without ports, perhaps an outer packet of mode
 *	tunnel
 * @passed: if parse.c said RLB_PASS: why, for a packet that may be of one of our flows: a
 *	RINGLB_COUNTER_PASS_*; else 0
 * @why: why the packet's flow could not be remembered, if that was tried: a RINGLB_COUNTER_DROP_*
 * @quoted: if @is_error, offset of the quoted network header
 * @quoted_l4: if @is_error, offset of the quoted transport header
 * @service: set by service.c or reply.c
 * @backend: set by steer.c or reply.c
 */
struct rlb_pkt {
	struct sk_buff *skb;
	struct rlb_net *rn;
	const struct nf_hook_state *state;
	struct rlb_tuple tuple;
	unsigned int l4;
	unsigned int plain_end;
	unsigned int quoted;
	unsigned int quoted_l4;
	bool is_error;
	bool is_redirect;
	bool is_outer;
	u8 passed;
	u8 why;
	struct rlb_service *service;
	struct rlb_backend *backend;
};

#endif /* _RINGLB_H */
