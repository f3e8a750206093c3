/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model.h - services, backends, tables and lookups, as user space holds them
 */
#ifndef _RINGLB_MODEL_H
#define _RINGLB_MODEL_H

#include <linux/ringlb.h>
#include <net/if.h>
#include <stdbool.h>

#include "addr.h"

/* A mask has a bit for each attribute of an object's set, ... */
#define BIT(n) (1ULL << (n))

/* Was this attribute given? */
#define HAS(object, attr) (!!((object)->has & BIT(attr)))
#define SET(object, attr) ((object)->has |= BIT(attr))

/* ... and, from here on, one for each thing that is given and is no attribute. */
#define MASK_OWN 48
_Static_assert(RINGLB_A_SERVICE_MAX < MASK_OWN && RINGLB_A_BACKEND_MAX < MASK_OWN &&
	       RINGLB_A_FLOWS_MAX < MASK_OWN && RINGLB_COUNTER_MAX < 64 &&
	       (int)RINGLB_DEV_MAX <= (int)RINGLB_COUNTER_MAX,
	       "masks have a bit for each attribute and each counter");

struct map;
struct rlb_seat;

struct counters {
	u64 has;				/* bits of enum ringlb_counter, or another one */
	u64 value[RINGLB_COUNTER_MAX + 1];
};

/**
 * struct backend - a backend of one service
 * @has: bits of enum ringlb_attr_backend; the address is always there
 */
struct backend {
	u64 has;
	struct endpoint at;
	u32 id;			/* in a command, RINGLB_ID_NONE: none */
	u32 weight;
	u32 state;
	u32 slow_start;		/* 0: none */
	u32 slow_start_left;
	u32 accepts;
	u32 slots;
	u32 flows;
	u32 drain_left;		/* seconds */
	u32 unseen_left;	/* seconds */
	u32 wait;		/* seconds that a command waits for its flows to end */
	u32 if_generation;	/* of the service, as a command expects it */
	struct counters counters;
};

/* In @has of a backend, beyond the attributes: @if_generation was given. */
#define BACKEND_IF_GENERATION (MASK_OWN + 0)
#define BACKEND_WAIT (MASK_OWN + 1)	/* likewise: @wait */
#define BACKEND_STATE_SAID (MASK_OWN + 2)	/* a file gives @state */

/* Of commands that give all flows other slots. */
struct force {
	u64 has;		/* bits of enum ringlb_attr_secret */
	u32 on;
};

/**
 * struct service - a service and its backends
 * @has: bits of enum ringlb_attr_service; the name is always there
 * @vip: IPV4 or IPV6, and PORT, in @has
 * @n_backends: as the kernel counts them
 * @backends: in canonical order
 */
struct service {
	u64 has;
	char name[RINGLB_NAME_MAX + 1];
	u32 protocol;
	struct endpoint vip;
	u32 method;
	u32 key;
	u32 cid_config;		/* key quic-cid */
	u32 sid_length;		/* bytes; key quic-cid */
	u32 vnodes;
	u32 slots;
	u32 slack;
	u32 settle;
	u32 track;
	u32 timeout;
	u32 drain_timeout;
	u32 last_resort;
	u32 udp_drain;
	u32 transitions;
	u32 transitions_left;
	u32 none;
	u32 mode;
	u32 tunnel;
	u32 tunnel_port;	/* tunnel gue */
	u32 snat;
	u32 snat_ports;		/* the first << 16 | the last */
	struct endpoint snat_at;	/* without a port; no family: by the route */
	u32 generation;
	u32 if_generation;	/* as a command expects it */
	u32 force;		/* a command loses flows that are kept from an earlier one */
	u64 digest;
	u64 canonical;
	u32 pending;
	u32 n_backends;
	struct rlb_seat *seats;	/* method seat: the list; seats.c owns it */
	u32 n_seats;
	struct map *map;	/* method slots: the map; map.c owns it */
	struct counters counters;

	struct backend *backends;
	size_t n;
	size_t room;
};

/* In @has of a service, beyond the attributes: @map was given; a file gives a list of @seats. */
#define SERVICE_MAP (MASK_OWN + 0)
#define SERVICE_SEATS_SAID (MASK_OWN + 1)

/* Does it take packets whatever their protocol, and looks at no ports? */
static inline bool service_is_any(const struct service *s)
{
	return s->protocol == RINGLB_PROTOCOL_ANY;
}

/* Do answers of its backends come by? Then these are told by address and port. */
static inline bool service_is_nat(const struct service *s)
{
	return !HAS(s, RINGLB_A_SERVICE_MODE) || s->mode == RINGLB_MODE_NAT;
}

/**
 * struct dev - a device whose packets may take the fast path
 * @counters: by enum ringlb_dev_counter
 */
struct dev {
	char name[IFNAMSIZ];
	u32 index;
	struct counters counters;
};

/* All of a namespace, or of a file */
struct devs {
	struct dev *dev;
	size_t n;
	size_t room;
};

/**
 * struct model - all services of a namespace, or of a file
 * @services: in order of their names; owned
 * @by_vip: the same in order of protocol, address and port
 * @flow_limit: the most flows that may be remembered; 0: as the module has it by itself
 * @devs: with the fast path
 * @reals: where packets of services are sent: a tree, kept for files alone
 * @n_wide: services of several ports or addresses
 */
struct model {
	struct service **services;
	struct service **by_vip;
	void *reals;
	size_t n_wide;
	size_t n;
	size_t room;
	u32 flow_limit;
	struct devs devs;
	bool has_secret;
	u8 secret[RINGLB_SECRET_LEN];
	bool has_fingerprint;
	u64 fingerprint;
};

/**
 * struct table - who owns which slot
 * @members: in the order of their index; owned
 * @owners: @slots indexes of members, or RINGLB_NO_OWNER; owned
 */
struct table {
	u32 method;
	u32 slots;
	bool has_generation;
	u32 generation;
	u64 digest;
	struct backend *members;
	u32 n;
	struct rlb_seat *seats;	/* as in struct service */
	u32 n_seats;
	u16 *owners;
};

/**
 * struct remembered - a flow that is remembered
 * @has: bits of enum ringlb_attr_flow
 * @heard: RINGLB_HEARD_*
 * @seq: TCP: a number of the client
 * @ack: TCP: what the client will acknowledge
 * @replace: whatever is remembered of it
 */
struct remembered {
	char service[RINGLB_NAME_MAX + 1];
	u32 protocol;
	struct endpoint client;
	struct backend backend;
	u32 state;
	u32 left;		/* seconds */
	u64 has;
	u32 heard;
	u32 seq;
	u32 ack;
	bool replace;
	bool direct;		/* straight to the backend */
	bool wide;		/* no flow for another gateway */
	struct endpoint snat;	/* the gateway, as the backend sees it; no family: it does not */
};

#define EXPORT_BUFFER 1		/* bit in @has */
#define EXPORT_BUFFER_MIN 4096
#define EXPORT_BUFFER_MAX (1U << 30)
#define EXPORT_BUFFER_DEFAULT (8U << 20)

/**
 * struct export_options - how flows are exported
 * @has: EXPORT_BUFFER
 * @buffer: bytes of notices that may wait
 * @follow: go on with what changes
 */
struct export_options {
	u64 has;
	u32 buffer;
	bool follow;
};

/**
 * struct taken - what became of flows of another gateway
 * @taken: remembered as they were given
 * @kept: remembered as they were before
 */
struct taken {
	u32 taken;
	u32 kept;
};

/**
 * struct flows - the flow table of a namespace
 * @has: bits of enum ringlb_attr_flows
 * @limit: the most it may hold
 * @limit_default: the same unless it is set
 * @now: those it holds
 * @event: counters, by attribute
 */
struct flows {
	u64 has;
	u32 limit;
	u32 limit_default;
	u32 now;
	u64 event[RINGLB_A_FLOWS_MAX + 1];
};

/* A change, from the ledger. */
struct change_entry {
	u64 number;
	u64 time;		/* seconds since 1970 */
	u32 event;
	char service[RINGLB_NAME_MAX + 1];
	u32 generation;
	u32 slots;
	u32 moved;
	u32 pending;
	bool has_flows;		/* what became of flows since is known */
	u64 pinned;
	u64 lost;
};

/* A packet, and where it goes. */
struct lookup {
	u32 protocol;
	struct endpoint src;
	struct endpoint dst;	/* with the mark of packets, if they have one */
	u64 has;
	u8 cid[RINGLB_CID_MAX];	/* its connection id */
	u32 n_cid;		/* bytes of it; 0: not told */

	char service[RINGLB_NAME_MAX + 1];
	u32 match;		/* by what that takes it */
	u32 prefix;		/* bits of its VIP; 0: it is one address */
	u32 mode;		/* 0: not told */
	u32 slot;
	u32 probes;
	bool has_owner;
	bool has_backend;
	struct backend owner;
	struct backend backend;
	bool has_old;		/* the slot has changed hands not long ago */
	bool has_pin;		/* the flow is remembered */
	bool has_named;		/* the connection id is one of a backend's */
	struct backend old;
	struct backend pin;
	struct backend named;
};

#define SIMULATE_WEIGHTS_MAX 64

/**
 * struct simulate - what is simulated
 * @service: a service, or its options alone; it is first, so that words for the one are words
 *	for the other
 * @n: invented backends; 0: those of the service
 * @weights: of these, again from the first when they end
 * @n_weights: how many
 * @seed: chooses who changes and what gateways know
 * @plot: file for a drawing, or NULL
 * @pcap: file of packets, or NULL
 */
struct simulate {
	struct service service;
	u32 n;
	u32 weights[SIMULATE_WEIGHTS_MAX];
	u32 n_weights;
	u32 seed;
	const char *plot;
	const char *pcap;
};

/* In @has of a simulation's service: what may be given beyond a service's attributes */
#define SIMULATE_WEIGHT (MASK_OWN + 8)
#define SIMULATE_SEED (MASK_OWN + 9)
#define SIMULATE_PLOT (MASK_OWN + 10)
#define SIMULATE_PCAP (MASK_OWN + 11)
#define SIMULATE_METHOD RINGLB_A_SERVICE_METHOD	/* the one that is drawn */

/* The zeroed struct is an empty model, service or table. */
void model_free(struct model *m);
void model_flush(struct model *m);
struct service *model_find(const struct model *m, const char *name);
struct service *model_match(const struct model *m, u32 protocol, const struct endpoint *at);
struct service *model_clash(const struct model *m, const struct service *s);
struct service *model_meet(const struct model *m, u32 protocol, const struct endpoint *at);
int model_add(struct model *m, const struct service *s, struct service **added);
void model_del(struct model *m, struct service *s);
int model_real_add(struct model *m, u32 protocol, const struct endpoint *at);
bool model_real_meets(const struct model *m, u32 protocol, const struct endpoint *at);
bool model_real_has(const struct model *m, u32 protocol, const struct endpoint *at);
void model_real_del(struct model *m, u32 protocol, const struct endpoint *at);
struct endpoint service_real(const struct service *s, const struct endpoint *at);
u32 service_match(const struct service *s);
struct backend *service_find(const struct service *s, const struct endpoint *at);
int service_add(struct service *s, const struct backend *b);
void service_del(struct service *s, struct backend *b);
bool service_has_members(const struct service *s);
bool service_is_same(const struct service *a, const struct service *b);
void table_free(struct table *t);
struct dev *devs_find(const struct devs *devs, const char *name);
int devs_add(struct devs *devs, const struct dev *d);
void devs_del(struct devs *devs, struct dev *d);
void devs_free(struct devs *devs);

#endif /* _RINGLB_MODEL_H */
