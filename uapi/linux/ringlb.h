/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * ringlb.h - the generic netlink protocol between the ringlb module and its tools
 *
 * Rules that hold for every message:
 *  - the top-level attributes are those of enum ringlb_attr; each holds one object, whose
 *    own attributes are nested in it (with NLA_F_NESTED set);
 *  - addresses are in network byte order and their attribute says the family; every other
 *    number is in host byte order and at least 32 bits wide;
 *  - validation is strict: unknown attributes, wrong lengths and trailing bytes are refused;
 *  - every command, and each notice group, needs CAP_NET_ADMIN in the user namespace that
 *    owns the network namespace of the socket;
 *  - a refusal carries an extended ack with a text, and the attribute at fault where there
 *    is one. It has changed nothing.
 * Numbers are never reused. Attribute 0 of every set is unused.
 */
#ifndef _UAPI_LINUX_RINGLB_H
#define _UAPI_LINUX_RINGLB_H

#include <linux/types.h>

#define RINGLB_GENL_NAME	"ringlb"
#define RINGLB_GENL_VERSION	1
#define RINGLB_MCGRP_NAME	"notices"
#define RINGLB_MCGRP_FLOWS	"flows"

/* Limits */
#define RINGLB_NAME_MAX		31	/* bytes of a service's name, without the NUL */
#define RINGLB_WEIGHT_MAX	65535
#define RINGLB_VNODES_MAX	65535	/* virtual nodes for each unit of weight */
#define RINGLB_VNODES_DEFAULT	160

#define RINGLB_SLACK_MAX	1000	/* tenths of a percent: twice its share */
#define RINGLB_SLACK_DEFAULT	10	/* 1 % */
#define RINGLB_SLACK_NONE	0xffffffff	/* shares are not capped */
#define RINGLB_POINTS_MAX	(1U << 22)	/* virtual nodes in one ring */
#define RINGLB_BACKENDS_MAX	4096	/* in one service */
#define RINGLB_DRAFTS_MAX	64	/* changes begun and not committed in one network namespace */
#define RINGLB_SERVICES_MAX	65536	/* in one network namespace */
#define RINGLB_SLOTS_MIN	(1U << 12)	/* in one table */
#define RINGLB_SLOTS_MAX	(1U << 20)
#define RINGLB_SLOTS_DEFAULT	(1U << 16)
#define RINGLB_SETTLE_MAX	1000	/* the whole table in a second */
#define RINGLB_SETTLE_DEFAULT	10	/* 1 % of the slots a second */
#define RINGLB_SEATS_MAX	8192	/* in one list, see RINGLB_A_SEATS */
#define RINGLB_REJECTS_MAX	1000	/* senders that a service tells in a second that no
					 * backend takes their packets
					 */
#define RINGLB_PROTOCOL_ANY	0	/* in the place of an IPPROTO_*: every protocol but
					 * ICMP and ICMPv6
					 */
#define RINGLB_TIMEOUT_MAX	604800	/* seconds: a week */
#define RINGLB_DRAIN_TIMEOUT_DEFAULT 900
#define RINGLB_SLOW_START_MAX	86400	/* seconds: a day */
#define RINGLB_ACCEPTS_ALL	65536
#define RINGLB_TIMEOUT_TCP	900	/* default for a silent flow */
#define RINGLB_TIMEOUT_UDP	120
#define RINGLB_TIMEOUT_SCTP	900
#define RINGLB_TIMEOUT_ANY	900	/* TCP may be among them */
#define RINGLB_TIMEOUT_DEFAULT(protocol)	/* an IPPROTO_* */	\
	((protocol) == IPPROTO_TCP ? RINGLB_TIMEOUT_TCP :		\
	 (protocol) == IPPROTO_SCTP ? RINGLB_TIMEOUT_SCTP :		\
	 (protocol) == RINGLB_PROTOCOL_ANY ? RINGLB_TIMEOUT_ANY : RINGLB_TIMEOUT_UDP)
#define RINGLB_TUNNEL_PORT_DEFAULT 6080	/* of tunnels of type gue, at backends */
#define RINGLB_SNAT_PORTS	(61000U << 16 | 65535)	/* outside of Linux' ip_local_port_range */
#define RINGLB_FLOWS_MIN	1024	/* that a namespace's table may hold, at most */
#define RINGLB_FLOWS_MOST	(1U << 26)
#define RINGLB_SECRET_LEN	16	/* bytes of the hash key */
#define RINGLB_NO_OWNER		0xffff	/* in a table without members */
#define RINGLB_ID_NONE		0xffffffff	/* a backend without an id */
#define RINGLB_CID_MAX		20	/* bytes of a connection id of QUIC */
#define RINGLB_CID_CONFIG_MAX	6	/* 7 is of ids that no server can be told by */
#define RINGLB_SID_LENGTH_MAX	4	/* bytes of a backend's id in a connection id */
#define RINGLB_SID_LENGTH_DEFAULT 2

/**
 * enum ringlb_cmd - commands, and the notices that changes cause
 *
 * "many" means that the object may be repeated: all of them are applied, as one change with
 * one new table, or none.
 *
 * @RINGLB_CMD_INFO_GET: -> INFO: version and limits of the loaded module; FLOWS: the
 *	namespace's flow table
 * @RINGLB_CMD_SERVICE_NEW: SERVICE, SEATS (many, or none) -> SERVICE; refused with EEXIST if name or address is taken
 * @RINGLB_CMD_SERVICE_SET: SERVICE (name, and what changes), SEATS (many, or none), BACKEND (many,
 *	or none: a map for method slots; address, RANGES) -> SERVICE, but not between BEGIN and
 *	COMMIT. A map gives every slot to one backend of those that the service has then; its
 *	backends come in ascending order of address and port, bytes as on the wire. Between BEGIN
 *	and COMMIT it may be cut into several messages, after SLOTS if that changes.
 * @RINGLB_CMD_SERVICE_DEL: SERVICE (name)
 * @RINGLB_CMD_SERVICE_GET: SERVICE (name) -> SERVICE; as a dump: all services
 * @RINGLB_CMD_BACKEND_NEW: SERVICE (name), BACKEND (many)
 * @RINGLB_CMD_BACKEND_SET: SERVICE (name), BACKEND (many; address, and what changes)
 * @RINGLB_CMD_BACKEND_DEL: SERVICE (name), BACKEND (many; address)
 * @RINGLB_CMD_BACKEND_GET: a dump: SERVICE (name; all services if absent) -> SERVICE (name)
 *	and one BACKEND a message
 * @RINGLB_CMD_TABLE_GET: a dump: SERVICE (name) -> TABLE in many messages: first the members
 *	in the order of their index (address and port alone), then SEATS, if the method is
 *	seat, then the owners of all slots
 * @RINGLB_CMD_LOOKUP: LOOKUP (protocol, addresses, ports) -> LOOKUP with the answer
 * @RINGLB_CMD_SECRET_GET: -> SECRET with key and fingerprint
 * @RINGLB_CMD_SECRET_SET: SECRET (key, perhaps force): every flow gets another slot; those there
 *	are stay with their backends. Like SERVICE_SET with another key or number of slots it is
 *	refused with EBUSY while flows are kept from an earlier such change, unless forced
 * @RINGLB_CMD_FLUSH: removes all services of the namespace, and takes the fast path off its devices
 * @RINGLB_CMD_SERVICE_NEW_NOTICE: notice: SERVICE, as after SERVICE_GET
 * @RINGLB_CMD_SERVICE_SET_NOTICE: notice: SERVICE, as after SERVICE_GET
 * @RINGLB_CMD_SERVICE_DEL_NOTICE: notice: SERVICE, as it was
 * @RINGLB_CMD_BACKEND_NEW_NOTICE: notice: SERVICE (name), BACKEND
 * @RINGLB_CMD_BACKEND_SET_NOTICE: notice: SERVICE (name), BACKEND
 * @RINGLB_CMD_BACKEND_DEL_NOTICE: notice: SERVICE (name), BACKEND as it was
 * @RINGLB_CMD_SECRET_SET_NOTICE: notice: SECRET (fingerprint alone)
 * @RINGLB_CMD_BEGIN: SERVICE (name, perhaps the expected generation): what this socket says
 *	about the service (SERVICE_SET) and its backends from now on is one change, which comes
 *	into force by COMMIT and not before; it vanishes with the socket. A refused SERVICE_SET, BACKEND_NEW,
 *	_SET, _DEL, BEGIN, COMMIT or ABORT of the socket ends it as well, if it names the service,
 *	or no service that there is: whatever the reason, but for those for which no message
 *	reaches the module (no permission, an unknown command, no whole header).
 * @RINGLB_CMD_COMMIT: SERVICE (name): all of it comes into force, with one new table, or
 *	nothing of it; refused with ESTALE if others have changed the service since BEGIN
 * @RINGLB_CMD_ABORT: SERVICE (name): forget it
 * @RINGLB_CMD_FLOW_GET: a dump: SERVICE (name), BACKEND (address), both or the first or
 *	neither -> one FLOW a message: those that are remembered. Flows that are there all the
 *	time are told once; those that come or go meanwhile, or not
 * @RINGLB_CMD_FLOW_FLUSH: SERVICE (name), BACKEND (address), likewise: these flows are
 *	forgotten: their next packets go where new flows go
 * @RINGLB_CMD_FLOW_SET: FLOWS (limit)
 * @RINGLB_CMD_HISTORY_GET: a dump -> one HISTORY a message, the oldest change first
 * @RINGLB_CMD_HISTORY_NOTICE: notice: HISTORY: a change is in force
 * @RINGLB_CMD_FLOW_NEW: SERVICE (name, or none), FLOW (many, or none): flows that another
 *	gateway remembers -> FLOWS (TAKEN, KEPT): all are checked before the first is taken. No
 *	other flow is forgotten to make room: those that found none are the rest. The service,
 *	and those of the flows, have flows from now on: changes of theirs keep them, even if
 *	this gateway has seen no packet yet
 * @RINGLB_CMD_FLOW_DEL: FLOW (many; service, client): flows that another gateway remembers no
 *	more, nor needs to; those that are not remembered here are passed over
 * @RINGLB_CMD_FLOW_NEW_NOTICE: notice of the group "flows": FLOW, as after FLOW_GET: a flow
 *	that has somebody at both ends is remembered, in another state than before, with another
 *	backend, or for a good while longer. To a socket that has joined the group and asks for
 *	FLOW_GET, notices are sent from then on. If some are lost, receiving fails once with
 *	ENOBUFS: all flows are to be asked for again
 * @RINGLB_CMD_FLOW_DEL_NOTICE: notice of the group "flows": FLOW (service, protocol, client):
 *	it is no more remembered, and goes where others of its slot go. Flows that expire, whose
 *	backend is gone, or that are forgotten on request, are not told
 * @RINGLB_CMD_DEV_NEW: DEV (name) -> DEV: packets of services that this device receives take
 *	the fast path where they can; refused with EEXIST if they do already
 * @RINGLB_CMD_DEV_DEL: DEV (name): they do not any more
 * @RINGLB_CMD_DEV_GET: a dump: one DEV a message
 * @RINGLB_CMD_DEV_NEW_NOTICE: notice: DEV
 * @RINGLB_CMD_DEV_DEL_NOTICE: notice: DEV as it was: on request, or because the device is gone
 */
enum ringlb_cmd {
	RINGLB_CMD_UNSPEC,
	RINGLB_CMD_INFO_GET,
	RINGLB_CMD_SERVICE_NEW,
	RINGLB_CMD_SERVICE_SET,
	RINGLB_CMD_SERVICE_DEL,
	RINGLB_CMD_SERVICE_GET,
	RINGLB_CMD_BACKEND_NEW,
	RINGLB_CMD_BACKEND_SET,
	RINGLB_CMD_BACKEND_DEL,
	RINGLB_CMD_BACKEND_GET,
	RINGLB_CMD_TABLE_GET,
	RINGLB_CMD_LOOKUP,
	RINGLB_CMD_SECRET_GET,
	RINGLB_CMD_SECRET_SET,
	RINGLB_CMD_FLUSH,
	RINGLB_CMD_SERVICE_NEW_NOTICE,
	RINGLB_CMD_SERVICE_SET_NOTICE,
	RINGLB_CMD_SERVICE_DEL_NOTICE,
	RINGLB_CMD_BACKEND_NEW_NOTICE,
	RINGLB_CMD_BACKEND_SET_NOTICE,
	RINGLB_CMD_BACKEND_DEL_NOTICE,
	RINGLB_CMD_SECRET_SET_NOTICE,
	RINGLB_CMD_BEGIN,
	RINGLB_CMD_COMMIT,
	RINGLB_CMD_ABORT,
	RINGLB_CMD_FLOW_GET,
	RINGLB_CMD_FLOW_FLUSH,
	RINGLB_CMD_FLOW_SET,
	RINGLB_CMD_HISTORY_GET,
	RINGLB_CMD_HISTORY_NOTICE,
	RINGLB_CMD_FLOW_NEW,
	RINGLB_CMD_FLOW_DEL,
	RINGLB_CMD_FLOW_NEW_NOTICE,
	RINGLB_CMD_FLOW_DEL_NOTICE,
	RINGLB_CMD_DEV_NEW,
	RINGLB_CMD_DEV_DEL,
	RINGLB_CMD_DEV_GET,
	RINGLB_CMD_DEV_NEW_NOTICE,
	RINGLB_CMD_DEV_DEL_NOTICE,

	__RINGLB_CMD_MAX,
	RINGLB_CMD_MAX = __RINGLB_CMD_MAX - 1
};

/* Top level: one object each */
enum ringlb_attr {
	RINGLB_A_UNSPEC,
	RINGLB_A_INFO,		/* nested, enum ringlb_attr_info */
	RINGLB_A_SERVICE,	/* nested, enum ringlb_attr_service */
	RINGLB_A_BACKEND,	/* nested, enum ringlb_attr_backend; may be repeated */
	RINGLB_A_TABLE,		/* nested, enum ringlb_attr_table */
	RINGLB_A_LOOKUP,	/* nested, enum ringlb_attr_lookup */
	RINGLB_A_SECRET,	/* nested, enum ringlb_attr_secret */
	RINGLB_A_SEATS,		/* array of struct ringlb_seat: the list of seats of a service, as
				 * many attributes as it needs; one that is empty: begin a new list
				 */
	RINGLB_A_FLOW,		/* nested, enum ringlb_attr_flow; may be repeated */
	RINGLB_A_FLOWS,		/* nested, enum ringlb_attr_flows */
	RINGLB_A_HISTORY,	/* nested, enum ringlb_attr_history */
	RINGLB_A_DEV,		/* nested, enum ringlb_attr_dev */

	__RINGLB_A_MAX,
	RINGLB_A_MAX = __RINGLB_A_MAX - 1
};

enum ringlb_attr_info {
	RINGLB_A_INFO_UNSPEC,
	RINGLB_A_INFO_VERSION,		/* string, as in /sys/module/ringlb/version */
	RINGLB_A_INFO_SERVICES,		/* u32, services in this namespace */
	RINGLB_A_INFO_COUNTERS,		/* nested, enum ringlb_counter: packets that were
					 * dropped, or not understood, before a service was
					 * known
					 */
	__RINGLB_A_INFO_MAX,
	RINGLB_A_INFO_MAX = __RINGLB_A_INFO_MAX - 1
};

enum ringlb_attr_service {
	RINGLB_A_SERVICE_UNSPEC,
	RINGLB_A_SERVICE_NAME,		/* string, 1..RINGLB_NAME_MAX bytes of
					 * [A-Za-z0-9._-], the first no '-'
					 */
	RINGLB_A_SERVICE_PROTOCOL,	/* u32, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_SCTP, or
					 * RINGLB_PROTOCOL_ANY with every port
					 */
	RINGLB_A_SERVICE_IPV4,		/* 4 bytes: the VIP; this or IPV6 */
	RINGLB_A_SERVICE_IPV6,		/* 16 bytes: the VIP; this or IPV4 */
	RINGLB_A_SERVICE_PORT,		/* u32, 1..65535: its port, or the first one */
	RINGLB_A_SERVICE_METHOD,	/* u32, enum ringlb_method */
	RINGLB_A_SERVICE_KEY,		/* u32, enum ringlb_key */
	RINGLB_A_SERVICE_VNODES,	/* u32, 1..RINGLB_VNODES_MAX; method ring */
	/* in answers and notices only: */
	RINGLB_A_SERVICE_SLOTS,		/* u32, a power of two, RINGLB_SLOTS_MIN.._MAX; may be
					 * given as well
					 */
	RINGLB_A_SERVICE_GENERATION,	/* u32, counts the tables that changes have published,
					 * from 1; settling does not count
					 */
	RINGLB_A_SERVICE_DIGEST,	/* u64, of the table in force: module/lookup/digest.c */
	RINGLB_A_SERVICE_BACKENDS,	/* u32, backends of any state and weight */
	RINGLB_A_SERVICE_COUNTERS,	/* nested, enum ringlb_counter */
	RINGLB_A_SERVICE_PAD,
	RINGLB_A_SERVICE_SLACK,		/* u32, tenths of a percent, 0..RINGLB_SLACK_MAX, or
					 * RINGLB_SLACK_NONE; method rendezvous
					 */
	RINGLB_A_SERVICE_SETTLE,	/* u32, thousandths of the slots that may follow in a
					 * second, 0..RINGLB_SETTLE_MAX; 0: none
					 */
	RINGLB_A_SERVICE_IF_GENERATION,	/* u32; in requests only: refuse with ESTALE if the
					 * generation is another one
					 */
	/* in answers and notices only: */
	RINGLB_A_SERVICE_PENDING,	/* u32, slots that have not followed yet */
	RINGLB_A_SERVICE_CANONICAL,	/* u64, digest of the table when all have */
	RINGLB_A_SERVICE_SEATS,		/* u32, seats in the list; method seat */
	RINGLB_A_SERVICE_TRACK,		/* u32, enum ringlb_track, default auto */
	RINGLB_A_SERVICE_TIMEOUT,	/* u32, seconds, 1..RINGLB_TIMEOUT_MAX: a flow that was silent
					 * for so long counts as ended
					 */
	RINGLB_A_SERVICE_DRAIN_TIMEOUT,	/* u32, seconds, 1..RINGLB_TIMEOUT_MAX: after so long a
					 * draining backend counts as down
					 */
	RINGLB_A_SERVICE_LAST_RESORT,	/* u32, 0 or 1: draining backends take new flows when no
					 * backend is up, default 1
					 */
	RINGLB_A_SERVICE_UDP_DRAIN,	/* u32, enum ringlb_udp_drain, default keep */
	/* in answers and notices only: */
	RINGLB_A_SERVICE_TRANSITIONS,	/* u32, slots whose owner changed not long ago */
	RINGLB_A_SERVICE_TRANSITIONS_LEFT, /* u32, seconds until the last of these has expired;
					 * absent if there are none
					 */
	RINGLB_A_SERVICE_FORCE,		/* u32, 0 or 1; of a change: lose the flows that are kept
					 * from an earlier change of key, slots or secret. When it is
					 * made, and then in answers: ports may be among those that
					 * this host needs: SNAT_PORTS for its own connections
					 * (ip_local_port_range), those of a service of several
					 * ports for its sockets as well
					 */
	/* in requests as well: */
	RINGLB_A_SERVICE_NONE,		/* u32, enum ringlb_none, default reject */
	/* when it is made, and in answers: */
	RINGLB_A_SERVICE_SNAT,		/* u32, 0 or 1, default 0: backends see the gateway in the
					 * client's place. 1 takes RINGLB_TRACK_ALL, which is the
					 * default then, and FORCE for any ports
					 */
	RINGLB_A_SERVICE_SNAT_IPV4,	/* 4 bytes: the gateway's address; this or IPV6, of the VIP's
					 * family; absent: by the route to the backend
					 */
	RINGLB_A_SERVICE_SNAT_IPV6,	/* 16 bytes: likewise */
	RINGLB_A_SERVICE_SNAT_PORTS,	/* u32: the gateway's ports, the first << 16 | the last,
					 * default RINGLB_SNAT_PORTS
					 */
	RINGLB_A_SERVICE_MODE,		/* u32, enum ringlb_mode, default nat; stays as it is for the
					 * life of the service
					 */
	RINGLB_A_SERVICE_PORT_LAST,	/* u32, 1..65535, not below PORT: the last port of several,
					 * which backends get as they are; 1 to 65535 is every
					 * port. Absent: it is one port
					 */
	RINGLB_A_SERVICE_MARK,		/* u32, not 0: the firewall mark of its packets, in the bits of
					 * MARK_MASK. Then the address is 0.0.0.0 or ::, for any, and
					 * PORT to PORT_LAST are 1 to 65535. Needs RINGLB_TRACK_ALL
					 * in RINGLB_MODE_NAT
					 */
	RINGLB_A_SERVICE_MARK_MASK,	/* u32, default all bits */
	RINGLB_A_SERVICE_PREFIX,	/* u32, 1..31, of IPv6 1..127: bits of the VIP that the
					 * addresses of its packets begin with; the others are 0.
					 * Needs RINGLB_TRACK_ALL. Absent: it is one address
					 */
	RINGLB_A_SERVICE_TUNNEL,	/* u32, enum ringlb_tunnel; with mode tunnel, which it stands
					 * for if MODE is absent
					 */
	/* in requests as well, with RINGLB_KEY_QUIC_CID only: */
	RINGLB_A_SERVICE_CID_CONFIG,	/* u32, 0..RINGLB_CID_CONFIG_MAX, default 0: the first three
					 * bits of connection ids that backends make
					 */
	RINGLB_A_SERVICE_SID_LENGTH,	/* u32, 1..RINGLB_SID_LENGTH_MAX, default
					 * RINGLB_SID_LENGTH_DEFAULT: bytes that the backend's id has
					 * in these, from the second byte on, the highest first
					 */
	/* in requests as well, with RINGLB_TUNNEL_GUE only; stays as it is: */
	RINGLB_A_SERVICE_TUNNEL_PORT,	/* u32, 1..65535, default RINGLB_TUNNEL_PORT_DEFAULT: where
					 * backends unwrap
					 */

	__RINGLB_A_SERVICE_MAX,
	RINGLB_A_SERVICE_MAX = __RINGLB_A_SERVICE_MAX - 1
};

enum ringlb_attr_backend {
	RINGLB_A_BACKEND_UNSPEC,
	RINGLB_A_BACKEND_IPV4,		/* 4 bytes; family of the VIP, but for mode tunnel */
	RINGLB_A_BACKEND_IPV6,		/* 16 bytes; likewise */
	RINGLB_A_BACKEND_PORT,		/* u32, 0..65535; 0 or absent: the service's port is kept;
					 * mode nat
					 */
	RINGLB_A_BACKEND_WEIGHT,	/* u32, 0..RINGLB_WEIGHT_MAX, default 1; 0: in no slot */
	RINGLB_A_BACKEND_STATE,		/* u32, enum ringlb_state, default up */
	/* in answers and notices only: */
	RINGLB_A_BACKEND_SLOTS,		/* u32, slots it owns */
	RINGLB_A_BACKEND_COUNTERS,	/* nested, enum ringlb_counter */
	/* in requests as well: */
	RINGLB_A_BACKEND_ID,		/* u32, the operator's number of it, each once in a service;
					 * its identity in place of its address. RINGLB_ID_NONE in
					 * a request: none; absent in an answer if there is none
					 */
	/* in answers and notices only: */
	RINGLB_A_BACKEND_FLOWS,		/* u32, its flows that are remembered */
	RINGLB_A_BACKEND_DRAIN_LEFT,	/* u32, seconds until it counts as down; absent unless it
					 * drains
					 */
	RINGLB_A_BACKEND_UNSEEN_LEFT,	/* u32, seconds until those of its flows that have sent
					 * nothing since it began to drain count as ended, so that
					 * FLOWS has all that are left; likewise
					 */
	/* in requests as well: */
	RINGLB_A_BACKEND_SLOW_START,	/* u32, seconds, 0..RINGLB_SLOW_START_MAX, default 0: for so
					 * long one that comes up or is added takes a growing share of
					 * the new flows of its slots
					 */
	/* in answers and notices only: */
	RINGLB_A_BACKEND_SLOW_START_LEFT, /* u32, seconds until it takes all of them; absent if it
					 * does
					 */
	RINGLB_A_BACKEND_ACCEPTS,	/* u32, of RINGLB_ACCEPTS_ALL new flows that come to it, how
					 * many it takes just now when it is up; absent if all
					 */
	/* in SERVICE_SET only: */
	RINGLB_A_BACKEND_RANGES,	/* array of struct ringlb_range: slots that the map gives
					 * to it
					 */

	__RINGLB_A_BACKEND_MAX,
	RINGLB_A_BACKEND_MAX = __RINGLB_A_BACKEND_MAX - 1
};

enum ringlb_attr_table {
	RINGLB_A_TABLE_UNSPEC,
	RINGLB_A_TABLE_METHOD,		/* u32, enum ringlb_method */
	RINGLB_A_TABLE_SLOTS,		/* u32, slots in the whole table */
	RINGLB_A_TABLE_GENERATION,	/* u32; differs between messages: dump again */
	RINGLB_A_TABLE_DIGEST,		/* u64 */
	RINGLB_A_TABLE_FIRST,		/* u32, slot of the first owner in OWNERS, or index of the
					 * first BACKEND of this message
					 */
	RINGLB_A_TABLE_OWNERS,		/* array of u16 in host byte order: index of a member, or
					 * RINGLB_NO_OWNER for nobody
					 */
	RINGLB_A_TABLE_PAD,

	__RINGLB_A_TABLE_MAX,
	RINGLB_A_TABLE_MAX = __RINGLB_A_TABLE_MAX - 1
};

/**
 * struct ringlb_seat - a seat of method seat; host byte order
 * @weight: its nominal weight, 1..RINGLB_WEIGHT_MAX
 * @id: of the backend that sits there
 */
struct ringlb_seat {
	__u32 weight;
	__u32 id;
};

/**
 * struct ringlb_range - slots of method slots; host byte order
 * @first: the first of them
 * @last: the last of them
 */
struct ringlb_range {
	__u32 first;
	__u32 last;
};

/* A packet from a client to a VIP, and where it goes. SRC and DST of one family. */
enum ringlb_attr_lookup {
	RINGLB_A_LOOKUP_UNSPEC,
	RINGLB_A_LOOKUP_PROTOCOL,	/* u32, IPPROTO_*, but not ICMP's */
	RINGLB_A_LOOKUP_SRC_IPV4,	/* 4 bytes */
	RINGLB_A_LOOKUP_SRC_IPV6,	/* 16 bytes */
	RINGLB_A_LOOKUP_SRC_PORT,	/* u32, 0..65535 */
	RINGLB_A_LOOKUP_DST_IPV4,	/* 4 bytes */
	RINGLB_A_LOOKUP_DST_IPV6,	/* 16 bytes */
	RINGLB_A_LOOKUP_DST_PORT,	/* u32, 0..65535 */
	/* in answers only: */
	RINGLB_A_LOOKUP_SERVICE,	/* string, name of the service */
	RINGLB_A_LOOKUP_SLOT,		/* u32 */
	RINGLB_A_LOOKUP_OWNER,		/* nested, enum ringlb_attr_backend: the slot's owner; absent
					 * if no backend has a weight
					 */
	RINGLB_A_LOOKUP_BACKEND,	/* nested: where the packet goes, if it begins a flow or the
					 * flow is remembered; absent: it is dropped
					 */
	RINGLB_A_LOOKUP_PROBES,		/* u32, slots looked at: 1 = the owner took it;
					 * 65 = 64 in vain, then all members
					 */
	RINGLB_A_LOOKUP_OLD_OWNER,	/* nested, address and port: who had the slot before it
					 * changed hands, perhaps removed; absent if it is settled
					 */
	RINGLB_A_LOOKUP_PIN,		/* nested, address and port: with whom the flow is
					 * remembered; absent if it is not
					 */
	RINGLB_A_LOOKUP_MODE,		/* u32, enum ringlb_mode: how it goes there */
	RINGLB_A_LOOKUP_MATCH,		/* u32, enum ringlb_match: by what the service takes it */
	RINGLB_A_LOOKUP_MARK,		/* u32, the packet's mark, default 0; in requests only */
	RINGLB_A_LOOKUP_PREFIX,		/* u32, as SERVICE_PREFIX; absent if it is one address */
	RINGLB_A_LOOKUP_CID,		/* 1..RINGLB_CID_MAX bytes, the packet's connection id, which
					 * a service with RINGLB_KEY_QUIC_CID looks at; in requests
					 * only
					 */
	RINGLB_A_LOOKUP_NAMED,		/* nested, enum ringlb_attr_backend: the backend that has made
					 * this id, in whatever state; absent if none has
					 */

	__RINGLB_A_LOOKUP_MAX,
	RINGLB_A_LOOKUP_MAX = __RINGLB_A_LOOKUP_MAX - 1
};

/* A flow that is remembered */
enum ringlb_attr_flow {
	RINGLB_A_FLOW_UNSPEC,
	RINGLB_A_FLOW_PROTOCOL,		/* u32, IPPROTO_* of its packets */
	RINGLB_A_FLOW_IPV4,		/* 4 bytes: the client */
	RINGLB_A_FLOW_IPV6,		/* 16 bytes: the client */
	RINGLB_A_FLOW_PORT,		/* u32, the client's; 0: whatever it is */
	RINGLB_A_FLOW_SERVICE,		/* string, name of its service */
	RINGLB_A_FLOW_BACKEND,		/* nested, enum ringlb_attr_backend: address and port */
	RINGLB_A_FLOW_STATE,		/* u32, enum ringlb_flow_state */
	RINGLB_A_FLOW_LEFT,		/* u32, seconds until it is forgotten if it stays silent */
	RINGLB_A_FLOW_HEARD,		/* u32, RINGLB_HEARD_*: how it began and what was heard since,
					 * of which STATE is the sum
					 */
	RINGLB_A_FLOW_SEQ,		/* u32, TCP: a sequence number of the client, heard lately */
	RINGLB_A_FLOW_ACK,		/* u32, TCP: what the client will acknowledge, if half open */
	RINGLB_A_FLOW_REPLACE,		/* u32, 0 or 1; in requests only: whatever is remembered of
					 * the flow; else only if that is the same, for less long
					 */
	RINGLB_A_FLOW_DIRECT,		/* u32, 1: straight to the backend, not by way of the VIP;
					 * else absent
					 */
	RINGLB_A_FLOW_WIDE,		/* u32, 1: found from the backend's side as well, and no flow
					 * for another gateway; else absent
					 */
	RINGLB_A_FLOW_SNAT_IPV4,	/* 4 bytes: the gateway, as the backend sees it; this, IPV6
					 * or none
					 */
	RINGLB_A_FLOW_SNAT_IPV6,	/* 16 bytes: likewise */
	RINGLB_A_FLOW_SNAT_PORT,	/* u32: its port there */

	__RINGLB_A_FLOW_MAX,
	RINGLB_A_FLOW_MAX = __RINGLB_A_FLOW_MAX - 1
};

/* The flow table of a namespace */
enum ringlb_attr_flows {
	RINGLB_A_FLOWS_UNSPEC,
	RINGLB_A_FLOWS_LIMIT,		/* u32, the most it may hold, RINGLB_FLOWS_MIN.._MOST */
	/* in answers only: */
	RINGLB_A_FLOWS_DEFAULT,		/* u32, the limit unless another one is set */
	RINGLB_A_FLOWS_NOW,		/* u32, those it holds */
	RINGLB_A_FLOWS_ADDED,		/* u64: remembered, since the namespace began */
	RINGLB_A_FLOWS_FULL,		/* u64: not remembered: table full, or no memory */
	RINGLB_A_FLOWS_EVICTED,		/* u64: unconfirmed ones, forgotten to make room */
	RINGLB_A_FLOWS_EXPIRED,		/* u64: silent for too long, or closed */
	RINGLB_A_FLOWS_REMOVED,		/* u64: forgotten with their backend, or on request */
	RINGLB_A_FLOWS_UNPINNED,	/* u64: lost because they could not be remembered */
	RINGLB_A_FLOWS_PAD,
	/* in answers of FLOW_NEW only: */
	RINGLB_A_FLOWS_TAKEN,		/* u32, flows that are remembered as they were given */
	RINGLB_A_FLOWS_KEPT,		/* u32, flows that are remembered as they were before */

	__RINGLB_A_FLOWS_MAX,
	RINGLB_A_FLOWS_MAX = __RINGLB_A_FLOWS_MAX - 1
};

/* A change: the last 512 of a namespace are kept. */
enum ringlb_attr_history {
	RINGLB_A_HISTORY_UNSPEC,
	RINGLB_A_HISTORY_NUMBER,	/* u64, counts the changes of the namespace, from 1 */
	RINGLB_A_HISTORY_TIME,		/* u64, seconds since 1970 */
	RINGLB_A_HISTORY_EVENT,		/* u32, enum ringlb_event */
	RINGLB_A_HISTORY_SERVICE,	/* string, name of the service */
	RINGLB_A_HISTORY_GENERATION,	/* u32, of the service after it */
	RINGLB_A_HISTORY_SLOTS,		/* u32, of the service */
	RINGLB_A_HISTORY_MOVED,		/* u32, slots that got another owner at once; of SETTLED,
					 * those that have followed
					 */
	RINGLB_A_HISTORY_PENDING,	/* u32, slots that are to follow */
	RINGLB_A_HISTORY_PINNED,	/* u64, flows of the service remembered since then, until its
					 * next change; absent in a notice
					 */
	RINGLB_A_HISTORY_LOST,		/* u64, flows not kept, likewise */
	RINGLB_A_HISTORY_PAD,

	__RINGLB_A_HISTORY_MAX,
	RINGLB_A_HISTORY_MAX = __RINGLB_A_HISTORY_MAX - 1
};

enum ringlb_attr_secret {
	RINGLB_A_SECRET_UNSPEC,
	RINGLB_A_SECRET_KEY,		/* RINGLB_SECRET_LEN bytes; never in a notice */
	RINGLB_A_SECRET_FINGERPRINT,	/* u64; equal for equal keys, tells nothing of them */
	RINGLB_A_SECRET_PAD,
	RINGLB_A_SECRET_FORCE,		/* u32, 0 or 1; in requests only */

	__RINGLB_A_SECRET_MAX,
	RINGLB_A_SECRET_MAX = __RINGLB_A_SECRET_MAX - 1
};

/* A device whose packets may take the fast path */
enum ringlb_attr_dev {
	RINGLB_A_DEV_UNSPEC,
	RINGLB_A_DEV_NAME,		/* string, 1..15 bytes */
	/* in answers and notices only: */
	RINGLB_A_DEV_INDEX,		/* u32, the kernel's number of it */
	RINGLB_A_DEV_COUNTERS,		/* nested, enum ringlb_dev_counter */

	__RINGLB_A_DEV_MAX,
	RINGLB_A_DEV_MAX = __RINGLB_A_DEV_MAX - 1
};

/* How the slots of a table are filled */
enum ringlb_method {
	RINGLB_METHOD_UNSPEC,
	RINGLB_METHOD_RING,		/* Karger's ring of virtual nodes */
	RINGLB_METHOD_RENDEZVOUS,	/* rendezvous by rank, shares capped by slack */
	RINGLB_METHOD_MAGLEV,		/* Maglev's turns, by weight */
	RINGLB_METHOD_SEAT,		/* quotas by an agreed list of numbered seats */
	RINGLB_METHOD_SLOTS,		/* the operator's own map */

	__RINGLB_METHOD_MAX,
	RINGLB_METHOD_MAX = __RINGLB_METHOD_MAX - 1
};

/* Which fields of a packet are hashed */
enum ringlb_key {
	RINGLB_KEY_UNSPEC,
	RINGLB_KEY_5TUPLE,		/* both addresses, both ports, protocol; without the
					 * ports in services of every protocol
					 */
	RINGLB_KEY_SRC,			/* the client's address */
	RINGLB_KEY_QUIC_CID,		/* as 5TUPLE; but packets with a connection id of QUIC that a
					 * backend has made go to that one, while it is up or drains.
					 * UDP alone; each backend has an id. RINGLB_MODE_NAT needs
					 * RINGLB_TRACK_ALL
					 */

	__RINGLB_KEY_MAX,
	RINGLB_KEY_MAX = __RINGLB_KEY_MAX - 1
};

/* Which flows are remembered */
enum ringlb_track {
	RINGLB_TRACK_UNSPEC,
	RINGLB_TRACK_AUTO,		/* those that a change would move */
	RINGLB_TRACK_NONE,		/* none */
	RINGLB_TRACK_ALL,		/* all */

	__RINGLB_TRACK_MAX,
	RINGLB_TRACK_MAX = __RINGLB_TRACK_MAX - 1
};

/* What UDP flows do when their backend drains */
enum ringlb_udp_drain {
	RINGLB_UDP_DRAIN_UNSPEC,
	RINGLB_UDP_DRAIN_KEEP,		/* stay */
	RINGLB_UDP_DRAIN_REHASH,	/* move at once */

	__RINGLB_UDP_DRAIN_MAX,
	RINGLB_UDP_DRAIN_MAX = __RINGLB_UDP_DRAIN_MAX - 1
};

/* By what a service takes a packet; of several with its address the first of these does */
enum ringlb_match {
	RINGLB_MATCH_UNSPEC,
	RINGLB_MATCH_PORT,		/* it has this port alone */
	RINGLB_MATCH_PORTS,		/* the port is in its range */
	RINGLB_MATCH_EVERY_PORT,	/* it has every port */
	RINGLB_MATCH_MARK,		/* it has the packet's mark */
	RINGLB_MATCH_EVERY_PROTOCOL,	/* it has every protocol */

	__RINGLB_MATCH_MAX,
	RINGLB_MATCH_MAX = __RINGLB_MATCH_MAX - 1
};

/* What becomes of packets that no backend takes */
enum ringlb_none {
	RINGLB_NONE_UNSPEC,
	RINGLB_NONE_REJECT,		/* the sender is told, as by a closed port */
	RINGLB_NONE_DROP,		/* it is not */

	__RINGLB_NONE_MAX,
	RINGLB_NONE_MAX = __RINGLB_NONE_MAX - 1
};

/* How packets go to their backend, and how answers come back */
enum ringlb_mode {
	RINGLB_MODE_UNSPEC,
	RINGLB_MODE_NAT,		/* their destination is rewritten; answers by way of the gateway */
	RINGLB_MODE_DSR,		/* as they are, with the backend as next hop, on the same link;
					 * answers go straight to the client
					 */
	RINGLB_MODE_TUNNEL,		/* as they are, inside a packet from the gateway to the backend,
					 * which may be anywhere; answers go straight to the client
					 */

	__RINGLB_MODE_MAX,
	RINGLB_MODE_MAX = __RINGLB_MODE_MAX - 1
};

/* What packets of mode tunnel are inside of */
enum ringlb_tunnel {
	RINGLB_TUNNEL_UNSPEC,
	RINGLB_TUNNEL_IPIP,		/* an IP header alone: RFC 2003, 2473, 4213 */
	RINGLB_TUNNEL_GRE,		/* GRE, without key or checksum: RFC 2784 */
	RINGLB_TUNNEL_GUE,		/* UDP to TUNNEL_PORT, from a port that goes by the flow,
					 * with a header of four bytes: Generic UDP Encapsulation
					 */

	__RINGLB_TUNNEL_MAX,
	RINGLB_TUNNEL_MAX = __RINGLB_TUNNEL_MAX - 1
};

/* Administrative state of a backend; its slots stay its own in every state */
enum ringlb_state {
	RINGLB_STATE_UNSPEC,
	RINGLB_STATE_UP,		/* takes its flows */
	RINGLB_STATE_DRAIN,		/* takes none unless no other backend is up */
	RINGLB_STATE_DOWN,		/* takes none */
	RINGLB_STATE_LEAVE,		/* drains, and is removed when no flow is left or its time is
					 * over
					 */

	__RINGLB_STATE_MAX,
	RINGLB_STATE_MAX = __RINGLB_STATE_MAX - 1
};

/* What a change was */
enum ringlb_event {
	RINGLB_EVENT_UNSPEC,
	RINGLB_EVENT_SERVICE_ADD,	/* there was none of the name */
	RINGLB_EVENT_SERVICE_SET,	/* settings of a service, maybe backends, too */
	RINGLB_EVENT_SERVICE_DEL,	/* it is gone */
	RINGLB_EVENT_BACKENDS,		/* backends came, went, or changed */
	RINGLB_EVENT_SECRET,		/* the hash key */
	RINGLB_EVENT_SETTLED,		/* all slots have followed */

	__RINGLB_EVENT_MAX,
	RINGLB_EVENT_MAX = __RINGLB_EVENT_MAX - 1
};

/* Bits of RINGLB_A_FLOW_HEARD. How a flow began, one of these: */
#define RINGLB_HEARD_BEGIN	0x01	/* with a SYN */
#define RINGLB_HEARD_MIDDLE	0x02	/* with another packet */
#define RINGLB_HEARD_DATAGRAM	0x04	/* its protocol has no connections */
/* What was heard since: */
#define RINGLB_HEARD_ANSWER	0x08	/* the backend has answered the SYN */
#define RINGLB_HEARD_BOTH	0x10	/* there is somebody at both ends */
#define RINGLB_HEARD_FIN_CLIENT	0x20
#define RINGLB_HEARD_FIN_BACKEND 0x40
#define RINGLB_HEARD_RST	0x80
#define RINGLB_HEARD_ALL	0xff

/* How far a flow is */
enum ringlb_flow_state {
	RINGLB_FLOW_UNSPEC,
	RINGLB_FLOW_HALF_OPEN,		/* begun; the client has not acknowledged the answer */
	RINGLB_FLOW_UNCONFIRMED,	/* heard of by a packet in its midst; not yet answered */
	RINGLB_FLOW_ESTABLISHED,	/* somebody is at both ends */
	RINGLB_FLOW_DATAGRAMS,		/* of a protocol without connections */
	RINGLB_FLOW_CLOSING,		/* one side has said all */
	RINGLB_FLOW_CLOSED,		/* both have, or it was reset */

	__RINGLB_FLOW_MAX,
	RINGLB_FLOW_MAX = __RINGLB_FLOW_MAX - 1
};

/*
 * Counters: each is a u64 attribute of a COUNTERS nest. A backend has the first four, a
 * service all, a namespace (INFO) the drops. A packet merged by GRO or to be cut by GSO
 * counts as the packets it stands for; bytes are counted from the network header on, a
 * merged packet's headers once.
 */
enum ringlb_counter {
	RINGLB_COUNTER_UNSPEC,
	RINGLB_COUNTER_PACKETS_IN,	/* packets from clients, sent to a backend */
	RINGLB_COUNTER_BYTES_IN,	/* bytes of these */
	RINGLB_COUNTER_PACKETS_OUT,	/* replies, sent to clients */
	RINGLB_COUNTER_BYTES_OUT,	/* bytes of these */
	RINGLB_COUNTER_LOOKED_AGAIN,	/* packets of flows not remembered whose owner takes none */
	RINGLB_COUNTER_ICMP_IN,		/* ICMP errors about replies, sent to a backend */
	RINGLB_COUNTER_ICMP_OUT,	/* ICMP errors about requests, sent to clients */
	RINGLB_COUNTER_UNTRANSLATED,	/* packets from a backend's address and port that answer
					 * no flow of this service as it stands; passed on as they are
					 */
	RINGLB_COUNTER_DROP_NO_BACKEND,	/* dropped: no backend takes flows */
	RINGLB_COUNTER_DROP_NO_MEMORY,	/* dropped: headers could not be made writable */
	RINGLB_COUNTER_DROP_NO_ROUTE,	/* dropped: no route to the backend: of the gateway's own
					 * packets, and of all in modes dsr and tunnel
					 */
	RINGLB_COUNTER_PINNED,		/* flows remembered because a change would have moved them */
	RINGLB_COUNTER_LOST,		/* flows that were not kept: their backend is down or gone, or
					 * they found no room
					 */
	RINGLB_COUNTER_REJECTED,	/* packets of drop_no_backend whose sender was told, by a
					 * reset or an ICMP error (which the kernel may still
					 * withhold: sums wrong, no route back, its own limit)
					 */
	RINGLB_COUNTER_REJECTS_LIMITED,	/* packets of drop_no_backend whose sender was not told
					 * because RINGLB_REJECTS_MAX others were in this second
					 */
	RINGLB_COUNTER_DROP_REDIRECT,	/* dropped: an ICMP redirect about a flow of a service */
	RINGLB_COUNTER_DROP_UNPINNED,	/* dropped: the flow must be remembered and is not: the table is
					 * full, or it began before its first packet was seen
					 */
	RINGLB_COUNTER_DROP_SNAT_PORTS,	/* dropped: all ports of the gateway are taken by flows to this
					 * backend, or so many that none was found
					 */
	RINGLB_COUNTER_DROP_SNAT_ADDRESS, /* dropped: the gateway has no address towards the backend */
	RINGLB_COUNTER_DROP_CLASH,	/* dropped: client and backend have a flow of another VIP, and no
					 * other backend takes this one
					 */
	RINGLB_COUNTER_DROP_OFF_LINK,	/* dropped: mode dsr, and the backend is not on a link of the
					 * gateway
					 */
	RINGLB_COUNTER_DROP_TTL,	/* dropped: mode dsr or tunnel, and its hops are used up; the sender is
					 * told
					 */
	RINGLB_COUNTER_DROP_TOO_BIG,	/* dropped: mode dsr or tunnel, larger than the way to the backend
					 * takes, and not to be cut; the sender is told the size
					 */
	RINGLB_COUNTER_BY_CID,		/* packets whose connection id said to which backend; key
					 * quic-cid
					 */
	/* of a network namespace; packets to the address of a VIP, but ICMP and what has IPv6
	 * extension headers to any address, passed on as they are:
	 */
	RINGLB_COUNTER_PASS_MALFORMED,	/* TCP, UDP or ICMP that is too short for its own headers,
					 * or an ICMP error that quotes too little to tell the flow
					 */
	RINGLB_COUNTER_PASS_FRAGMENT,	/* a fragment that the kernel did not reassemble, or an ICMP
					 * error about one that is not the first
					 */
	RINGLB_COUNTER_PASS_SOURCE_ROUTED, /* its source route leads on from its destination */
	RINGLB_COUNTER_PASS_HEADERS,	/* IPv6: more than 8 extension headers */
	RINGLB_COUNTER_PAD,

	__RINGLB_COUNTER_MAX,
	RINGLB_COUNTER_MAX = __RINGLB_COUNTER_MAX - 1
};

/*
 * Counters of a device with the fast path: each is a u64 attribute of a COUNTERS nest. A packet
 * that came to the address of a VIP, or from that of a backend, and may be one of a service's,
 * is either taken or declined; what is declined goes on to the stack as it came, and through
 * the hooks there. A merged packet counts once.
 */
enum ringlb_dev_counter {
	RINGLB_DEV_UNSPEC,
	RINGLB_DEV_TAKEN_IN,		/* packets from clients, sent to a backend */
	RINGLB_DEV_TAKEN_OUT,		/* replies, sent to clients */
	RINGLB_DEV_DECLINED_ADDRESS,	/* declined: its link-layer address is not the device's */
	RINGLB_DEV_DECLINED_VLAN,	/* declined: it has a VLAN tag */
	RINGLB_DEV_DECLINED_PORT,	/* declined: the device is a port of a bridge or bond, below
					 * another device, or in a VRF
					 */
	RINGLB_DEV_DECLINED_OPTIONS,	/* declined: IPv4 options or IPv6 extension headers */
	RINGLB_DEV_DECLINED_FRAGMENT,	/* declined: a fragment (IPv4) */
	RINGLB_DEV_DECLINED_PROTOCOL,	/* declined: neither TCP nor UDP, ICMP errors say */
	RINGLB_DEV_DECLINED_MALFORMED,	/* declined: header wrong, its checksum, or lengths */
	RINGLB_DEV_DECLINED_TTL,	/* declined: TTL or hop limit ends here */
	RINGLB_DEV_DECLINED_FORWARDING,	/* declined: the device may not forward */
	RINGLB_DEV_DECLINED_SOURCE,	/* declined: a source address that must not come from there
					 * (rp_filter), or that cannot be one
					 */
	RINGLB_DEV_DECLINED_UNSETTLED,	/* declined: more is to be decided than who owns the slot,
					 * or with whom the flow is remembered
					 */
	RINGLB_DEV_DECLINED_NO_FLOW,	/* declined: from a backend, but no answer to a client */
	RINGLB_DEV_DECLINED_ROUTE,	/* declined: no route, none that was used yet, or one that
					 * asks for more than sending: several next hops, a
					 * redirect, a tunnel
					 */
	RINGLB_DEV_DECLINED_NEIGHBOUR,	/* declined: the next hop's link-layer address is not known */
	RINGLB_DEV_DECLINED_MTU,	/* declined: larger than the route's MTU */
	RINGLB_DEV_DECLINED_OTHER,	/* declined: of a socket, an IPsec policy, a tunnel or a
					 * connection that the stack knows of; or memory was short
					 */
	RINGLB_DEV_PAD,

	__RINGLB_DEV_MAX,
	RINGLB_DEV_MAX = __RINGLB_DEV_MAX - 1
};

/*
 * Text of the one refusal that carries a number: an extended ack with a cookie of 8 bytes,
 * a u64 in host byte order, the largest RINGLB_A_SERVICE_VNODES that fits.
 */
#define RINGLB_MSG_POINTS \
	"vnodes times the sum of weights is above 4194304 points"

#endif /* _UAPI_LINUX_RINGLB_H */
