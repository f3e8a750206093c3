// SPDX-License-Identifier: GPL-2.0-only
/*
 * flow.c - requests about flows that are remembered
 *
 * In: messages that name all flows, those of a service, or those of a backend. Out: the flows;
 * or they are forgotten. Process context; cfg_lock is taken here, so that no backend goes
 * while its pins are read.
 */
#include "../flow/track.h"
#include "nl.h"
#include "policy.h"

#define PINS_A_TURN 4096	/* visited before others may have the lock */

/**
 * struct filter - which flows are meant
 * @service: of this service; NULL: of all
 * @backend: at this backend of it; NULL: at all
 */
struct filter {
	const struct rlb_service *service;
	const struct rlb_backend *backend;
};

static int parse_filter(struct rlb_net *rn, struct nlattr **attrs, struct filter *filter,
			struct netlink_ext_ack *extack)
{
	const struct rlb_backend_item *item;
	struct rlb_backend_config c;
	struct rlb_service *svc;
	int err;

	memset(filter, 0, sizeof(*filter));
	if (!attrs[RINGLB_A_SERVICE] && !attrs[RINGLB_A_BACKEND])
		return 0;
	svc = rlb_parse_service_ref(rn, attrs[RINGLB_A_SERVICE], extack);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	filter->service = svc;
	if (!attrs[RINGLB_A_BACKEND])
		return 0;
	err = rlb_parse_backend(attrs[RINGLB_A_BACKEND], svc, RINGLB_CMD_BACKEND_DEL, &c, extack);
	if (err)
		return err;
	item = rlb_backend_find(&svc->set, &c);
	if (!item) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[RINGLB_A_BACKEND],
				    "service has no such backend");
		return -ENOENT;
	}
	filter->backend = item->backend;
	return 0;
}

/* A test of rlb_pins_remove(), too. */
static bool is_meant(const struct rlb_pin *pin, void *arg)
{
	const struct filter *filter = arg;

	const struct rlb_backend *b = rlb_pin_backend(pin);

	return (!filter->service || b->service_id == filter->service->id) &&
	       (!filter->backend || b == filter->backend);
}

static u32 state_of(const struct rlb_pin *pin)
{
	const u32 both = RLB_PIN_FIN_CLIENT | RLB_PIN_FIN_BACKEND;

	if (pin->state & RLB_PIN_RST || (pin->state & both) == both)
		return RINGLB_FLOW_CLOSED;
	if (pin->state & both)
		return RINGLB_FLOW_CLOSING;
	if (pin->state & RLB_PIN_QUIET)
		return RINGLB_FLOW_DATAGRAMS;
	if (pin->state & RLB_PIN_CONFIRMED)
		return RINGLB_FLOW_ESTABLISHED;
	return pin->state & RLB_PIN_HALF ? RINGLB_FLOW_HALF_OPEN : RINGLB_FLOW_UNCONFIRMED;
}

/**
 * rlb_fill_flow_client() - whose flow it is: begins what is said of it
 * @skb: the message, in a FLOW nest
 * @svc: its service
 * @key: the flow
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_flow_client(struct sk_buff *skb, const struct rlb_service *svc,
			 const struct rlb_pin_key *key)
{
	if (nla_put_u32(skb, RINGLB_A_FLOW_PROTOCOL, key->proto) ||
	    nla_put(skb, key->family == AF_INET ? RINGLB_A_FLOW_IPV4 : RINGLB_A_FLOW_IPV6,
		    rlb_addr_len(key->family), &key->addr) ||
	    nla_put_u32(skb, RINGLB_A_FLOW_PORT, ntohs(key->port)) ||
	    nla_put_string(skb, RINGLB_A_FLOW_SERVICE, svc->config.name))
		return -EMSGSIZE;
	return 0;
}

static int fill_heard(struct sk_buff *skb, const struct rlb_pin *pin)
{
	BUILD_BUG_ON(RINGLB_HEARD_BEGIN != RLB_PIN_HALF || RINGLB_HEARD_MIDDLE != RLB_PIN_MIDFLOW);
	BUILD_BUG_ON(RINGLB_HEARD_DATAGRAM != RLB_PIN_QUIET);
	BUILD_BUG_ON(RINGLB_HEARD_ANSWER != RLB_PIN_ANSWERED);
	BUILD_BUG_ON(RINGLB_HEARD_BOTH != RLB_PIN_CONFIRMED || RINGLB_HEARD_RST != RLB_PIN_RST);
	BUILD_BUG_ON(RINGLB_HEARD_FIN_CLIENT != RLB_PIN_FIN_CLIENT);
	BUILD_BUG_ON(RINGLB_HEARD_FIN_BACKEND != RLB_PIN_FIN_BACKEND);
	if (nla_put_u32(skb, RINGLB_A_FLOW_HEARD, pin->state & RINGLB_HEARD_ALL))
		return -EMSGSIZE;
	if (pin->key.proto != IPPROTO_TCP || pin->state & RLB_PIN_QUIET)
		return 0;
	return nla_put_u32(skb, RINGLB_A_FLOW_SEQ, pin->seq) ||
	       nla_put_u32(skb, RINGLB_A_FLOW_ACK, pin->ack) ? -EMSGSIZE : 0;
}

static int fill_wide(struct sk_buff *skb, const struct rlb_wide *wide)
{
	const struct rlb_end *gate = &wide->gate;
	u8 family = wide->pin.key.family;

	if (nla_put_u32(skb, RINGLB_A_FLOW_WIDE, 1))
		return -EMSGSIZE;
	if (!gate->port)
		return 0;
	return nla_put(skb, family == AF_INET ? RINGLB_A_FLOW_SNAT_IPV4 : RINGLB_A_FLOW_SNAT_IPV6,
		       rlb_addr_len(family), &gate->addr) ||
	       nla_put_u32(skb, RINGLB_A_FLOW_SNAT_PORT, ntohs(gate->port)) ? -EMSGSIZE : 0;
}

/**
 * rlb_fill_flow() - a flow that is remembered
 * @skb: the message
 * @svc: its service
 * @pin: the flow; if it is a wide one, part of all of it
 *
 * cfg_lock held. Return: 0 or -EMSGSIZE.
 */
int rlb_fill_flow(struct sk_buff *skb, const struct rlb_service *svc, const struct rlb_pin *pin)
{
	s32 left = max_t(s32, pin->expires - rlb_flow_now(), 0);
	struct nlattr *nest;

	nest = nla_nest_start(skb, RINGLB_A_FLOW);
	if (!nest || rlb_fill_flow_client(skb, svc, &pin->key) ||
	    rlb_fill_backend_addr(skb, RINGLB_A_FLOW_BACKEND, rlb_pin_backend(pin)) ||
	    nla_put_u32(skb, RINGLB_A_FLOW_STATE, state_of(pin)) ||
	    nla_put_u32(skb, RINGLB_A_FLOW_LEFT, left / RLB_FLOW_SECOND) ||
	    fill_heard(skb, pin) ||
	    (rlb_pin_is_direct(pin) && nla_put_u32(skb, RINGLB_A_FLOW_DIRECT, 1)) ||
	    (rlb_pin_is_wide(pin) && fill_wide(skb, rlb_wide_of(pin))))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int dump_flow(struct sk_buff *skb, struct netlink_callback *cb, struct rlb_net *rn,
		     const struct rlb_pin *pin)
{
	struct rlb_service *svc = xa_load(&rn->services, rlb_pin_backend(pin)->service_id);
	void *header;
	int err;

	if (!svc || rlb_flow_reached(rlb_flow_now(), pin->expires))
		return 0;
	header = rlb_nl_dump_begin(skb, cb, RINGLB_CMD_FLOW_GET);
	if (!header)
		return -EMSGSIZE;
	err = rlb_fill_flow(skb, svc, pin);
	return rlb_nl_dump_end(skb, header, err);
}

/* Where a dump goes on, as rlb_pins_next() has it. */
struct flow_cursor {
	u64 next;
	bool ended;
};

/* Some flows, while there is room. Return: 0: go on; 1: no room, or no flow is left; -errno. */
static int dump_turn(struct sk_buff *skb, struct netlink_callback *cb, struct rlb_net *rn)
{
	struct flow_cursor *at = (struct flow_cursor *)cb->ctx;
	struct filter filter;
	struct rlb_wide copy;
	u64 next = at->next;
	u32 i;
	int err;

	err = parse_filter(rn, rlb_dump_attrs(cb), &filter, cb->extack);
	if (err)
		return err;
	for (i = 0; i < PINS_A_TURN; i++) {
		if (!rlb_pins_next(&rn->pins, &next, &copy)) {
			at->ended = true;
			return 1;
		}
		if (is_meant(&copy.pin, &filter) && dump_flow(skb, cb, rn, &copy.pin))
			return 1;
		at->next = next;
	}
	return 0;
}

int rlb_nl_flow_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct flow_cursor *at = (struct flow_cursor *)cb->ctx;
	struct rlb_net *rn = rlb_net_of(sock_net(skb->sk));
	int done = 0;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->ctx));
	while (!done && !at->ended) {
		mutex_lock(&rn->cfg_lock);
		if (!at->next)
			rlb_nl_flow_listen(rn);
		done = dump_turn(skb, cb, rn);
		mutex_unlock(&rn->cfg_lock);
		if (!done && fatal_signal_pending(current))
			done = -EINTR;
	}
	return done < 0 ? done : skb->len;
}

int rlb_nl_flow_flush(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	struct filter filter;
	int err;

	mutex_lock(&rn->cfg_lock);
	err = parse_filter(rn, info->attrs, &filter, info->extack);
	if (!err)
		rlb_pins_remove(&rn->pins, is_meant, &filter);
	mutex_unlock(&rn->cfg_lock);
	return err;
}

int rlb_nl_flow_set(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	struct nlattr *attr = info->attrs[RINGLB_A_FLOWS];
	struct nlattr *tb[RINGLB_A_FLOWS_MAX + 1];
	int err;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "flow table is missing");
		return -EINVAL;
	}
	err = nla_parse_nested(tb, RINGLB_A_FLOWS_MAX, attr, rlb_policy_flow_set_nest,
			       info->extack);
	if (err)
		return err;
	if (!tb[RINGLB_A_FLOWS_LIMIT]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "limit is missing");
		return -EINVAL;
	}
	return rlb_pins_set_max(&rn->pins, nla_get_u32(tb[RINGLB_A_FLOWS_LIMIT]));
}

/**
 * rlb_fill_flows() - the flow table of a namespace
 * @skb: the message
 * @rn: the namespace
 *
 * Any lock or none. Return: 0, or -EMSGSIZE.
 */
int rlb_fill_flows(struct sk_buff *skb, const struct rlb_net *rn)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_FLOWS);
	u32 i;

	BUILD_BUG_ON(RINGLB_A_FLOWS_UNPINNED - RINGLB_A_FLOWS_ADDED != RLB_PINS_UNPINNED);
	BUILD_BUG_ON(RINGLB_FLOWS_MIN != RLB_PINS_MIN || RINGLB_FLOWS_MOST != RLB_PINS_MAX);
	if (!nest || nla_put_u32(skb, RINGLB_A_FLOWS_LIMIT, READ_ONCE(rn->pins.max)) ||
	    nla_put_u32(skb, RINGLB_A_FLOWS_DEFAULT, rlb_pins_default_max()) ||
	    nla_put_u32(skb, RINGLB_A_FLOWS_NOW, rlb_pins_number(&rn->pins)))
		return -EMSGSIZE;
	for (i = 0; i < RLB_PINS_COUNTERS; i++)
		if (nla_put_u64_64bit(skb, RINGLB_A_FLOWS_ADDED + i,
				      rlb_pins_counter(&rn->pins, i), RINGLB_A_FLOWS_PAD))
			return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}
