// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - requests about tables: a dump of all slots, and the answer for one flow
 *
 * Process context; cfg_lock is taken here. Nothing is changed.
 */
#include "../cid.h"
#include "../steer.h"
#include "../table.h"
#include "nl.h"

#define MEMBERS_A_MESSAGE 32
#define SEATS_A_MESSAGE 256
#define SLOTS_A_MESSAGE 1024

/* Where a dump goes on: members first, then seats, then slots. */
struct table_cursor {
	u32 member;
	u32 seat;
	u32 slot;
};

static int fill_members(struct sk_buff *skb, const struct rlb_table *t, struct table_cursor *at)
{
	u32 end = min(at->member + MEMBERS_A_MESSAGE, t->view.n);
	int err = 0;

	for (; at->member < end && !err; at->member++)
		err = rlb_fill_backend_addr(skb, RINGLB_A_BACKEND, t->backend[at->member]);
	return err;
}

static int fill_seats(struct sk_buff *skb, const struct rlb_table *t, struct table_cursor *at)
{
	u32 n = min_t(u32, SEATS_A_MESSAGE, t->n_seats - at->seat);

	if (nla_put(skb, RINGLB_A_SEATS, n * sizeof(*t->seats), t->seats + at->seat))
		return -EMSGSIZE;
	at->seat += n;
	return 0;
}

/* Who owns the next slots; readers get no marks. */
static int fill_owners(struct sk_buff *skb, const struct rlb_table *t, struct table_cursor *at)
{
	u32 n = min_t(u32, SLOTS_A_MESSAGE, (1U << t->view.bits) - at->slot);
	struct nlattr *attr = nla_reserve(skb, RINGLB_A_TABLE_OWNERS, n * sizeof(u16));
	u16 *owner;

	if (!attr)
		return -EMSGSIZE;
	for (owner = nla_data(attr); n; n--, owner++) {
		*owner = rlb_slot_owner(t->view.slots[at->slot++]);
		if (*owner >= t->view.n)
			*owner = RINGLB_NO_OWNER;
	}
	return 0;
}

static int fill_head(struct sk_buff *skb, const struct rlb_service *svc, const struct rlb_table *t,
		     u32 first)
{
	return nla_put_u32(skb, RINGLB_A_TABLE_METHOD, svc->config.ops->id) ||
	       nla_put_u32(skb, RINGLB_A_TABLE_SLOTS, 1U << t->view.bits) ||
	       nla_put_u32(skb, RINGLB_A_TABLE_GENERATION, svc->generation) ||
	       nla_put_u64_64bit(skb, RINGLB_A_TABLE_DIGEST, t->digest, RINGLB_A_TABLE_PAD) ||
	       nla_put_u32(skb, RINGLB_A_TABLE_FIRST, first);
}

static int fill_table(struct sk_buff *skb, const struct rlb_service *svc, struct table_cursor *at)
{
	const struct rlb_table *t = rlb_table_locked(svc);
	bool members = at->member < t->view.n;
	bool seats = !members && at->seat < t->n_seats;
	struct nlattr *nest;

	if (rlb_fill_service_name(skb, svc))
		return -EMSGSIZE;
	nest = nla_nest_start(skb, RINGLB_A_TABLE);
	if (!nest || fill_head(skb, svc, t, members ? at->member : at->slot))
		return -EMSGSIZE;
	if (!members && !seats && fill_owners(skb, t, at))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	if (members)
		return fill_members(skb, t, at);
	return seats ? fill_seats(skb, t, at) : 0;
}

/* One message, or none and the cursor where it was. */
static int dump_part(struct sk_buff *skb, struct netlink_callback *cb,
		     const struct rlb_service *svc)
{
	struct table_cursor *at = (struct table_cursor *)cb->ctx;
	struct table_cursor before = *at;
	void *header;
	int err;

	header = rlb_nl_dump_begin(skb, cb, RINGLB_CMD_TABLE_GET);
	if (!header)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, header);
	err = fill_table(skb, svc, at);
	if (err)
		*at = before;
	return rlb_nl_dump_end(skb, header, err);
}

int rlb_nl_table_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attr = rlb_dump_attrs(cb)[RINGLB_A_SERVICE];
	struct table_cursor *at = (struct table_cursor *)cb->ctx;
	struct rlb_net *rn = rlb_net_of(sock_net(skb->sk));
	struct rlb_service *svc;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->ctx));
	mutex_lock(&rn->cfg_lock);
	cb->seq = rn->seq;
	svc = rlb_parse_service_ref(rn, attr, cb->extack);
	if (!IS_ERR(svc))
		while (at->slot < 1U << rlb_table_locked(svc)->view.bits)
			if (dump_part(skb, cb, svc))
				break;
	mutex_unlock(&rn->cfg_lock);
	return IS_ERR(svc) ? PTR_ERR(svc) : skb->len;
}

/* With whom a flow is remembered, NULL if it is not; cfg_lock keeps the backend. */
static struct rlb_backend *pinned(const struct rlb_service *svc, const struct rlb_tuple *flow)
{
	struct rlb_backend *b = NULL;
	struct rlb_pin *pin;

	rcu_read_lock();
	pin = rlb_steer_pin(svc, flow);
	if (pin)
		b = rlb_pin_backend(pin);
	rcu_read_unlock();
	return b;
}

static int fill_history(struct sk_buff *skb, const struct rlb_backend *pin,
			const struct rlb_backend *old)
{
	if (old && rlb_fill_backend_addr(skb, RINGLB_A_LOOKUP_OLD_OWNER, old))
		return -EMSGSIZE;
	return pin ? rlb_fill_backend_addr(skb, RINGLB_A_LOOKUP_PIN, pin) : 0;
}

/* By what a service takes its packets */
static enum ringlb_match match_of(const struct rlb_service *svc)
{
	if (svc->config.mark.mask)
		return RINGLB_MATCH_MARK;
	return rlb_service_is_any(&svc->config) ? RINGLB_MATCH_EVERY_PROTOCOL :
						  rlb_ports_match(&svc->ports);
}

static int fill_lookup(struct sk_buff *skb, const struct rlb_service *svc,
		       const struct rlb_tuple *flow, const struct nlattr *cid)
{
	const struct rlb_table *t = rlb_table_locked(svc);
	struct rlb_backend *pin = pinned(svc, flow);
	struct rlb_backend *b, *named = NULL;
	struct rlb_choice choice;
	struct nlattr *nest;

	b = rlb_steer_tuple(t, flow, &choice);
	if (pin && READ_ONCE(pin->takes) != RLB_TAKES_NONE)
		b = pin;
	if (cid)
		named = rlb_cid_backend(t, nla_data(cid), nla_len(cid));
	if (named && rlb_cid_may_carry(svc, named))
		b = named;
	nest = nla_nest_start(skb, RINGLB_A_LOOKUP);
	if (!nest || nla_put_string(skb, RINGLB_A_LOOKUP_SERVICE, svc->config.name) ||
	    nla_put_u32(skb, RINGLB_A_LOOKUP_SLOT, choice.slot) ||
	    nla_put_u32(skb, RINGLB_A_LOOKUP_PROBES, choice.probes) ||
	    nla_put_u32(skb, RINGLB_A_LOOKUP_MODE, svc->config.mode) ||
	    nla_put_u32(skb, RINGLB_A_LOOKUP_MATCH, match_of(svc)) ||
	    (rlb_service_has_prefix(&svc->config) && !svc->config.mark.mask &&
	     nla_put_u32(skb, RINGLB_A_LOOKUP_PREFIX, svc->config.prefix)))
		return -EMSGSIZE;
	if (choice.owner < t->view.n &&
	    rlb_fill_member(skb, RINGLB_A_LOOKUP_OWNER, svc, t->backend[choice.owner]))
		return -EMSGSIZE;
	if (b && rlb_fill_member(skb, RINGLB_A_LOOKUP_BACKEND, svc, b))
		return -EMSGSIZE;
	if (named && rlb_fill_member(skb, RINGLB_A_LOOKUP_NAMED, svc, named))
		return -EMSGSIZE;
	if (fill_history(skb, pin, rlb_steer_old_owner(t, flow, choice.slot)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int answer_lookup(struct rlb_net *rn, struct genl_info *info, struct rlb_tuple *flow,
			 u32 mark, const struct nlattr *cid)
{
	struct rlb_service *svc = rlb_service_of(rn, flow, mark);
	struct sk_buff *skb;
	void *header;
	int err;

	if (!svc) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[RINGLB_A_LOOKUP],
				    "destination is no service");
		return -ENOENT;
	}
	if (cid && svc->config.key != RINGLB_KEY_QUIC_CID) {
		NL_SET_ERR_MSG_ATTR(info->extack, cid,
				    "connection ids are of use with key quic-cid only");
		return -EINVAL;
	}
	skb = rlb_nl_answer(info, &header);
	if (!skb)
		return -ENOMEM;
	err = fill_lookup(skb, svc, flow, cid);
	return rlb_nl_reply(skb, header, info, err);
}

int rlb_nl_lookup(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	const struct nlattr *cid;
	struct rlb_tuple flow;
	u32 mark;
	int err;

	err = rlb_parse_lookup(info->attrs[RINGLB_A_LOOKUP], &flow, &mark, &cid, info->extack);
	if (err)
		return err;
	mutex_lock(&rn->cfg_lock);
	err = answer_lookup(rn, info, &flow, mark, cid);
	mutex_unlock(&rn->cfg_lock);
	return err;
}
