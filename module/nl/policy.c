// SPDX-License-Identifier: GPL-2.0-only
/*
 * policy.c - what each command may be asked with: types, lengths and bounds of single values
 *
 * Only what is listed for a command is accepted by it. What must be there, and what
 * contradicts what, is for parse.c.
 */
#include <linux/if.h>

#include "policy.h"

/* Not const: older kernels point to these as they are, newer ones as const. */
static struct netlink_range_validation port_of_service = { .min = 1, .max = 65535 };
static struct netlink_range_validation port_or_none = { .max = 65535 };
static struct netlink_range_validation vnodes = { .min = 1, .max = RINGLB_VNODES_MAX };
static struct netlink_range_validation slots = {
	.min = RINGLB_SLOTS_MIN,
	.max = RINGLB_SLOTS_MAX,
};
static struct netlink_range_validation timeout = { .min = 1, .max = RINGLB_TIMEOUT_MAX };
static struct netlink_range_validation left = { .max = RINGLB_TIMEOUT_MAX };
static struct netlink_range_validation flows = {
	.min = RINGLB_FLOWS_MIN,
	.max = RINGLB_FLOWS_MOST,
};
static struct netlink_range_validation slow_start = { .max = RINGLB_SLOW_START_MAX };
static struct netlink_range_validation weight = { .max = RINGLB_WEIGHT_MAX };

#define POLICY_NAME	{ .type = NLA_NUL_STRING, .len = RINGLB_NAME_MAX }
#define POLICY_IPV4	NLA_POLICY_EXACT_LEN(4)
#define POLICY_IPV6	NLA_POLICY_EXACT_LEN(16)

/* What may be said of a service when it is made and later. */
#define POLICY_OPTIONS								\
	[RINGLB_A_SERVICE_METHOD] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_METHOD_MAX), \
	[RINGLB_A_SERVICE_KEY] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_KEY_MAX),	\
	[RINGLB_A_SERVICE_VNODES] = NLA_POLICY_FULL_RANGE(NLA_U32, &vnodes),	\
	[RINGLB_A_SERVICE_SLOTS] = NLA_POLICY_FULL_RANGE(NLA_U32, &slots),	\
	[RINGLB_A_SERVICE_SLACK] = { .type = NLA_U32 },				\
	[RINGLB_A_SERVICE_SETTLE] = NLA_POLICY_MAX(NLA_U32, RINGLB_SETTLE_MAX),	\
	[RINGLB_A_SERVICE_TRACK] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_TRACK_MAX), \
	[RINGLB_A_SERVICE_TIMEOUT] = NLA_POLICY_FULL_RANGE(NLA_U32, &timeout),	\
	[RINGLB_A_SERVICE_DRAIN_TIMEOUT] = NLA_POLICY_FULL_RANGE(NLA_U32, &timeout), \
	[RINGLB_A_SERVICE_LAST_RESORT] = NLA_POLICY_MAX(NLA_U32, 1),		\
	[RINGLB_A_SERVICE_UDP_DRAIN] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_UDP_DRAIN_MAX), \
	[RINGLB_A_SERVICE_NONE] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_NONE_MAX), \
	[RINGLB_A_SERVICE_MODE] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_MODE_MAX), \
	[RINGLB_A_SERVICE_CID_CONFIG] = NLA_POLICY_MAX(NLA_U32, RINGLB_CID_CONFIG_MAX), \
	[RINGLB_A_SERVICE_SID_LENGTH] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_SID_LENGTH_MAX),

const struct nla_policy rlb_policy_service_new_nest[RINGLB_A_SERVICE_MAX + 1] = {
	[RINGLB_A_SERVICE_NAME] = POLICY_NAME,
	[RINGLB_A_SERVICE_PROTOCOL] = { .type = NLA_U32 },
	[RINGLB_A_SERVICE_IPV4] = POLICY_IPV4,
	[RINGLB_A_SERVICE_IPV6] = POLICY_IPV6,
	[RINGLB_A_SERVICE_MARK] = NLA_POLICY_MIN(NLA_U32, 1),
	[RINGLB_A_SERVICE_MARK_MASK] = NLA_POLICY_MIN(NLA_U32, 1),
	[RINGLB_A_SERVICE_PREFIX] = NLA_POLICY_RANGE(NLA_U32, 1, 127),
	[RINGLB_A_SERVICE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_of_service),
	[RINGLB_A_SERVICE_SNAT] = NLA_POLICY_MAX(NLA_U32, 1),
	[RINGLB_A_SERVICE_SNAT_IPV4] = POLICY_IPV4,
	[RINGLB_A_SERVICE_SNAT_IPV6] = POLICY_IPV6,
	[RINGLB_A_SERVICE_SNAT_PORTS] = { .type = NLA_U32 },
	[RINGLB_A_SERVICE_PORT_LAST] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_of_service),
	[RINGLB_A_SERVICE_FORCE] = NLA_POLICY_MAX(NLA_U32, 1),
	[RINGLB_A_SERVICE_TUNNEL] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_TUNNEL_MAX),
	[RINGLB_A_SERVICE_TUNNEL_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_of_service),
	POLICY_OPTIONS
};

const struct nla_policy rlb_policy_service_set_nest[RINGLB_A_SERVICE_MAX + 1] = {
	[RINGLB_A_SERVICE_NAME] = POLICY_NAME,
	[RINGLB_A_SERVICE_IF_GENERATION] = { .type = NLA_U32 },
	[RINGLB_A_SERVICE_FORCE] = NLA_POLICY_MAX(NLA_U32, 1),
	POLICY_OPTIONS
};

const struct nla_policy rlb_policy_service_ref_nest[RINGLB_A_SERVICE_MAX + 1] = {
	[RINGLB_A_SERVICE_NAME] = POLICY_NAME,
};

/* For changes of backends: which service, and on what condition. */
static const struct nla_policy rlb_policy_service_if_nest[RINGLB_A_SERVICE_MAX + 1] = {
	[RINGLB_A_SERVICE_NAME] = POLICY_NAME,
	[RINGLB_A_SERVICE_IF_GENERATION] = { .type = NLA_U32 },
};

const struct nla_policy rlb_policy_backend_new_nest[RINGLB_A_BACKEND_MAX + 1] = {
	[RINGLB_A_BACKEND_IPV4] = POLICY_IPV4,
	[RINGLB_A_BACKEND_IPV6] = POLICY_IPV6,
	[RINGLB_A_BACKEND_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_or_none),
	[RINGLB_A_BACKEND_WEIGHT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weight),
	[RINGLB_A_BACKEND_ID] = { .type = NLA_U32 },
	[RINGLB_A_BACKEND_STATE] = NLA_POLICY_RANGE(NLA_U32, 1, RINGLB_STATE_MAX),
	[RINGLB_A_BACKEND_SLOW_START] = NLA_POLICY_FULL_RANGE(NLA_U32, &slow_start),
};

const struct nla_policy rlb_policy_backend_del_nest[RINGLB_A_BACKEND_MAX + 1] = {
	[RINGLB_A_BACKEND_IPV4] = POLICY_IPV4,
	[RINGLB_A_BACKEND_IPV6] = POLICY_IPV6,
	[RINGLB_A_BACKEND_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_or_none),
};

/* A part of a map. */
const struct nla_policy rlb_policy_backend_map_nest[RINGLB_A_BACKEND_MAX + 1] = {
	[RINGLB_A_BACKEND_IPV4] = POLICY_IPV4,
	[RINGLB_A_BACKEND_IPV6] = POLICY_IPV6,
	[RINGLB_A_BACKEND_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_or_none),
	[RINGLB_A_BACKEND_RANGES] = { .type = NLA_BINARY },
};

const struct nla_policy rlb_policy_lookup_nest[RINGLB_A_LOOKUP_MAX + 1] = {
	[RINGLB_A_LOOKUP_PROTOCOL] = { .type = NLA_U32 },
	[RINGLB_A_LOOKUP_SRC_IPV4] = POLICY_IPV4,
	[RINGLB_A_LOOKUP_SRC_IPV6] = POLICY_IPV6,
	[RINGLB_A_LOOKUP_SRC_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_or_none),
	[RINGLB_A_LOOKUP_DST_IPV4] = POLICY_IPV4,
	[RINGLB_A_LOOKUP_DST_IPV6] = POLICY_IPV6,
	[RINGLB_A_LOOKUP_MARK] = { .type = NLA_U32 },
	[RINGLB_A_LOOKUP_CID] = NLA_POLICY_RANGE(NLA_BINARY, 1, RINGLB_CID_MAX),
	[RINGLB_A_LOOKUP_DST_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_or_none),
};

const struct nla_policy rlb_policy_secret_set_nest[RINGLB_A_SECRET_MAX + 1] = {
	[RINGLB_A_SECRET_KEY] = NLA_POLICY_EXACT_LEN(RINGLB_SECRET_LEN),
	[RINGLB_A_SECRET_FORCE] = NLA_POLICY_MAX(NLA_U32, 1),
};

const struct nla_policy rlb_policy_flow_set_nest[RINGLB_A_FLOWS_MAX + 1] = {
	[RINGLB_A_FLOWS_LIMIT] = NLA_POLICY_FULL_RANGE(NLA_U32, &flows),
};

#define POLICY_FLOW_CLIENT						\
	[RINGLB_A_FLOW_PROTOCOL] = { .type = NLA_U32 },			\
	[RINGLB_A_FLOW_IPV4] = POLICY_IPV4,				\
	[RINGLB_A_FLOW_IPV6] = POLICY_IPV6,				\
	[RINGLB_A_FLOW_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &port_or_none), \
	[RINGLB_A_FLOW_SERVICE] = POLICY_NAME,

const struct nla_policy rlb_policy_flow_new_nest[RINGLB_A_FLOW_MAX + 1] = {
	POLICY_FLOW_CLIENT
	[RINGLB_A_FLOW_BACKEND] = NLA_POLICY_NESTED(rlb_policy_backend_del_nest),
	[RINGLB_A_FLOW_LEFT] = NLA_POLICY_FULL_RANGE(NLA_U32, &left),
	[RINGLB_A_FLOW_HEARD] = NLA_POLICY_MAX(NLA_U32, RINGLB_HEARD_ALL),
	[RINGLB_A_FLOW_SEQ] = { .type = NLA_U32 },
	[RINGLB_A_FLOW_ACK] = { .type = NLA_U32 },
	[RINGLB_A_FLOW_REPLACE] = NLA_POLICY_MAX(NLA_U32, 1),
};

const struct nla_policy rlb_policy_flow_del_nest[RINGLB_A_FLOW_MAX + 1] = {
	POLICY_FLOW_CLIENT
};

const struct nla_policy rlb_policy_dev_nest[RINGLB_A_DEV_MAX + 1] = {
	[RINGLB_A_DEV_NAME] = { .type = NLA_NUL_STRING, .len = IFNAMSIZ - 1 },
};

const struct nla_policy rlb_policy_nothing[RINGLB_A_MAX + 1] = {};

const struct nla_policy rlb_policy_service_new[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SERVICE] = NLA_POLICY_NESTED(rlb_policy_service_new_nest),
	[RINGLB_A_SEATS] = { .type = NLA_BINARY },
};

const struct nla_policy rlb_policy_service_set[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SERVICE] = NLA_POLICY_NESTED(rlb_policy_service_set_nest),
	[RINGLB_A_BACKEND] = NLA_POLICY_NESTED(rlb_policy_backend_map_nest),
	[RINGLB_A_SEATS] = { .type = NLA_BINARY },
};

const struct nla_policy rlb_policy_service_ref[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SERVICE] = NLA_POLICY_NESTED(rlb_policy_service_ref_nest),
};

const struct nla_policy rlb_policy_service_if[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SERVICE] = NLA_POLICY_NESTED(rlb_policy_service_if_nest),
};

const struct nla_policy rlb_policy_backend_new[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SERVICE] = NLA_POLICY_NESTED(rlb_policy_service_if_nest),
	[RINGLB_A_BACKEND] = NLA_POLICY_NESTED(rlb_policy_backend_new_nest),
};

const struct nla_policy rlb_policy_backend_del[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SERVICE] = NLA_POLICY_NESTED(rlb_policy_service_if_nest),
	[RINGLB_A_BACKEND] = NLA_POLICY_NESTED(rlb_policy_backend_del_nest),
};

const struct nla_policy rlb_policy_lookup[RINGLB_A_MAX + 1] = {
	[RINGLB_A_LOOKUP] = NLA_POLICY_NESTED(rlb_policy_lookup_nest),
};

const struct nla_policy rlb_policy_secret_set[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SECRET] = NLA_POLICY_NESTED(rlb_policy_secret_set_nest),
};

const struct nla_policy rlb_policy_flow_filter[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SERVICE] = NLA_POLICY_NESTED(rlb_policy_service_ref_nest),
	[RINGLB_A_BACKEND] = NLA_POLICY_NESTED(rlb_policy_backend_del_nest),
};

const struct nla_policy rlb_policy_flow_set[RINGLB_A_MAX + 1] = {
	[RINGLB_A_FLOWS] = NLA_POLICY_NESTED(rlb_policy_flow_set_nest),
};

const struct nla_policy rlb_policy_flow_new[RINGLB_A_MAX + 1] = {
	[RINGLB_A_SERVICE] = NLA_POLICY_NESTED(rlb_policy_service_ref_nest),
	[RINGLB_A_FLOW] = NLA_POLICY_NESTED(rlb_policy_flow_new_nest),
};

const struct nla_policy rlb_policy_flow_del[RINGLB_A_MAX + 1] = {
	[RINGLB_A_FLOW] = NLA_POLICY_NESTED(rlb_policy_flow_del_nest),
};

const struct nla_policy rlb_policy_dev[RINGLB_A_MAX + 1] = {
	[RINGLB_A_DEV] = NLA_POLICY_NESTED(rlb_policy_dev_nest),
};
