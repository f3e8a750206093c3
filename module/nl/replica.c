// SPDX-License-Identifier: GPL-2.0-only
/*
 * replica.c - flows that another gateway is told of, or tells us of
 *
 * In: the queue of flows that have changed; messages with flows of another gateway. Out:
 * notices of the group "flows", many in one buffer; flows that are remembered or forgotten.
 * Process context; cfg_lock is taken here, so that no backend goes while its pins are read.
 */
#include "../flow/track.h"
#include "../steer.h"
#include "../table.h"
#include "nl.h"
#include "policy.h"

#define FLOWS_A_TURN 1024	/* told before others may have the lock */

static struct rlb_net *net_of(struct rlb_pins *pins)
{
	return container_of(pins, struct rlb_net, pins);
}

static bool has_listeners(struct rlb_net *rn)
{
	return genl_has_listeners(&rlb_family, rn->net, RLB_GROUP_FLOWS);
}

static void say_lost(struct rlb_net *rn)
{
	genl_set_err(&rlb_family, rn->net, 0, RLB_GROUP_FLOWS, -ENOBUFS);
}

/**
 * rlb_nl_flow_listen() - all flows are asked for, perhaps by one who listens
 * @rn: the namespace, cfg_lock held
 *
 * From now on there are notices. Without memory for them, those who listen learn that they
 * have lost some, and ask again.
 */
void rlb_nl_flow_listen(struct rlb_net *rn)
{
	lockdep_assert_held(&rn->cfg_lock);
	if (has_listeners(rn) && rlb_feed_open(&rn->pins.feed))
		say_lost(rn);
}

static int fill_gone(struct sk_buff *skb, const struct rlb_service *svc,
		     const struct rlb_pin_key *key)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_FLOW);

	if (!nest || rlb_fill_flow_client(skb, svc, key))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/* What there is to be said of a flow: as it is now, or that it is gone */
static int fill_notice(struct sk_buff *skb, const struct rlb_service *svc,
		       const struct rlb_pin_key *key, const struct rlb_pin *pin)
{
	void *header = genlmsg_put(skb, 0, 0, &rlb_family, 0, pin ? RINGLB_CMD_FLOW_NEW_NOTICE :
								    RINGLB_CMD_FLOW_DEL_NOTICE);
	int err;

	if (!header)
		return -EMSGSIZE;
	err = pin ? rlb_fill_flow(skb, svc, pin) : fill_gone(skb, svc, key);
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

static void send(struct rlb_net *rn, struct sk_buff *skb)
{
	if (skb && skb->len)
		genlmsg_multicast_netns(&rlb_family, rn->net, skb, 0, RLB_GROUP_FLOWS, GFP_KERNEL);
	else
		nlmsg_free(skb);
}

/* One more notice; when the buffer is full, it is sent and another one is begun. */
static struct sk_buff *add_notice(struct rlb_net *rn, struct sk_buff *skb,
				  const struct rlb_pin_key *key)
{
	const struct rlb_service *svc = xa_load(&rn->services, key->target);
	struct rlb_pin copy;
	bool there;

	if (!svc)
		return skb;
	there = rlb_pins_copy(&rn->pins, key, rlb_flow_now(), &copy);
	if (skb && !fill_notice(skb, svc, key, there ? &copy : NULL))
		return skb;
	send(rn, skb);
	skb = nlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb)
		say_lost(rn);
	else if (WARN_ON_ONCE(fill_notice(skb, svc, key, there ? &copy : NULL)))
		nlmsg_trim(skb, skb->data);
	return skb;
}

/* Return: true if there may be more. */
static bool tell_turn(struct rlb_net *rn)
{
	struct sk_buff *skb = NULL;
	struct rlb_pin_key key;
	u32 i;

	if (!has_listeners(rn)) {
		rlb_feed_close(&rn->pins.feed);
		return false;
	}
	if (rlb_feed_take_lost(&rn->pins.feed))
		say_lost(rn);
	for (i = 0; i < FLOWS_A_TURN && rlb_feed_take(&rn->pins.feed, &key); i++)
		skb = add_notice(rn, skb, &key);
	send(rn, skb);
	return i == FLOWS_A_TURN;
}

/* Of pins.h */
void rlb_pins_tell(struct rlb_pins *pins)
{
	struct rlb_net *rn = net_of(pins);
	bool more;

	do {
		mutex_lock(&rn->cfg_lock);
		more = tell_turn(rn);
		mutex_unlock(&rn->cfg_lock);
	} while (more);
}

#define for_each_flow_attr(attr, info, rem)					\
	nlmsg_for_each_attr(attr, (info)->nlhdr, GENL_HDRLEN, rem)		\
		if (nla_type(attr) == RINGLB_A_FLOW)

static int refuse(struct netlink_ext_ack *extack, const struct nlattr *attr, int err,
		  const char *why)
{
	extack->_msg = why;
	if (attr)
		NL_SET_BAD_ATTR(extack, attr);
	return err;
}

/* How far the flow is, and how long it lasts */
static int parse_heard(struct nlattr *attr, struct nlattr **tb, const struct rlb_service *svc,
		       struct rlb_pin *pin, struct netlink_ext_ack *extack)
{
	if (!tb[RINGLB_A_FLOW_HEARD] || !tb[RINGLB_A_FLOW_LEFT])
		return refuse(extack, attr, -EINVAL, "what was heard or the time left is missing");
	pin->state = nla_get_u32(tb[RINGLB_A_FLOW_HEARD]);
	if (!rlb_track_is_state(pin->state, svc->config.proto))
		return refuse(extack, tb[RINGLB_A_FLOW_HEARD], -EINVAL,
			      "what was heard contradicts itself or the protocol");
	if (svc->config.proto == IPPROTO_TCP && (!tb[RINGLB_A_FLOW_SEQ] || !tb[RINGLB_A_FLOW_ACK]))
		return refuse(extack, attr, -EINVAL, "sequence numbers are missing");
	if (tb[RINGLB_A_FLOW_SEQ])
		pin->seq = nla_get_u32(tb[RINGLB_A_FLOW_SEQ]);
	if (tb[RINGLB_A_FLOW_ACK])
		pin->ack = nla_get_u32(tb[RINGLB_A_FLOW_ACK]);
	pin->state |= rlb_steer_sees(svc);
	rlb_track_restore(pin, nla_get_u32(tb[RINGLB_A_FLOW_LEFT]) * RLB_FLOW_SECOND,
			  rlb_steer_idle(svc), rlb_flow_now());
	return 0;
}

/**
 * struct taken - a flow of another gateway
 * @pin: the flow
 * @service: its service
 * @replace: whatever is remembered of it
 */
struct taken {
	struct rlb_pin pin;
	struct rlb_service *service;
	bool replace;
};

static int parse_flow(struct rlb_net *rn, struct nlattr *attr, struct taken *t,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RINGLB_A_FLOW_MAX + 1];
	const struct rlb_backend_item *item;
	struct rlb_backend_config c;
	int err;

	memset(t, 0, sizeof(*t));
	t->service = rlb_parse_flow_client(rn, attr, tb, &t->pin.key, extack);
	if (IS_ERR(t->service))
		return PTR_ERR(t->service);
	if (t->service->config.track == RINGLB_TRACK_NONE)
		return refuse(extack, tb[RINGLB_A_FLOW_SERVICE], -EINVAL,
			      "service remembers no flows: track is none");
	if (t->service->wide)
		return refuse(extack, tb[RINGLB_A_FLOW_SERVICE], -EINVAL,
			      "flows of a service with snat or shared backends are those of one gateway");
	if (!tb[RINGLB_A_FLOW_BACKEND])
		return refuse(extack, attr, -EINVAL, "backend is missing");
	err = rlb_parse_backend(tb[RINGLB_A_FLOW_BACKEND], t->service, RINGLB_CMD_BACKEND_DEL, &c,
				extack);
	if (err)
		return err;
	item = rlb_backend_find(&t->service->set, &c);
	if (!item)
		return refuse(extack, tb[RINGLB_A_FLOW_BACKEND], -ENOENT,
			      "service has no such backend");
	RCU_INIT_POINTER(t->pin.backend, item->backend);
	t->replace = tb[RINGLB_A_FLOW_REPLACE] && nla_get_u32(tb[RINGLB_A_FLOW_REPLACE]);
	return parse_heard(attr, tb, t->service, &t->pin, extack);
}

/* All flows are such that they can be taken. */
static int check_flows(struct rlb_net *rn, struct genl_info *info)
{
	struct nlattr *attr;
	struct taken t;
	int err, rem;

	for_each_flow_attr(attr, info, rem) {
		err = parse_flow(rn, attr, &t, info->extack);
		if (err)
			return err;
	}
	return 0;
}

/* They have been checked, and nothing that was checked has changed since. */
static void take_flows(struct rlb_net *rn, struct genl_info *info, u32 *count)
{
	struct nlattr *attr;
	struct taken t;
	int rem;

	for_each_flow_attr(attr, info, rem) {
		if (WARN_ON_ONCE(parse_flow(rn, attr, &t, info->extack)))
			return;
		rlb_table_use(rlb_table_locked(t.service));
		rcu_read_lock();
		count[rlb_pins_take(&rn->pins, &t.pin, t.replace, rlb_flow_now())]++;
		rcu_read_unlock();
		cond_resched();
	}
}

static int flow_new(struct rlb_net *rn, struct genl_info *info, u32 *count)
{
	struct nlattr *attr = info->attrs[RINGLB_A_SERVICE];
	struct rlb_service *svc = NULL;
	int err;

	if (!attr && !info->attrs[RINGLB_A_FLOW])
		return refuse(info->extack, NULL, -EINVAL, "flow is missing");
	if (attr)
		svc = rlb_parse_service_ref(rn, attr, info->extack);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	err = check_flows(rn, info);
	if (err)
		return err;
	if (svc)
		rlb_table_use(rlb_table_locked(svc));
	take_flows(rn, info, count);
	return 0;
}

static int fill_counts(struct sk_buff *skb, const u32 *count)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_FLOWS);

	if (!nest || nla_put_u32(skb, RINGLB_A_FLOWS_TAKEN, count[RLB_TAKEN]) ||
	    nla_put_u32(skb, RINGLB_A_FLOWS_KEPT, count[RLB_TAKEN_NOT]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int rlb_nl_flow_new(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	u32 count[RLB_TAKEN_FULL + 1] = { 0 };
	struct sk_buff *answer;
	void *header;
	int err;

	answer = rlb_nl_answer(info, &header);
	if (!answer)
		return -ENOMEM;
	mutex_lock(&rn->cfg_lock);
	err = flow_new(rn, info, count);
	mutex_unlock(&rn->cfg_lock);
	return rlb_nl_reply(answer, header, info, err ?: fill_counts(answer, count));
}

static int flow_del(struct rlb_net *rn, struct genl_info *info, bool check)
{
	struct nlattr *tb[RINGLB_A_FLOW_MAX + 1], *attr;
	struct rlb_pin_key key;
	struct rlb_service *svc;
	int rem;

	for_each_flow_attr(attr, info, rem) {
		svc = rlb_parse_flow_client(rn, attr, tb, &key, info->extack);
		if (IS_ERR(svc))
			return PTR_ERR(svc);
		if (check)
			continue;
		rcu_read_lock();
		rlb_pins_forget(&rn->pins, &key);
		rcu_read_unlock();
	}
	return 0;
}

int rlb_nl_flow_del(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	int err;

	if (!info->attrs[RINGLB_A_FLOW])
		return refuse(info->extack, NULL, -EINVAL, "flow is missing");
	mutex_lock(&rn->cfg_lock);
	err = flow_del(rn, info, true) ?: flow_del(rn, info, false);
	mutex_unlock(&rn->cfg_lock);
	return err;
}
