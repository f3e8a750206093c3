// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - requests about backends
 *
 * In: messages with one or more backends of one service. Out: all of them applied as one
 * change, or none; answers. Process context; cfg_lock is taken by draft.c, for dumps here.
 */
#include "../draft.h"
#include "nl.h"
#include "policy.h"

/* One of the changes that a request consists of. */
typedef int (*draft_fn)(struct rlb_draft *draft, const struct rlb_backend_config *c,
			struct netlink_ext_ack *extack);

static int draft_all(struct rlb_draft *draft, struct genl_info *info, draft_fn change)
{
	struct rlb_backend_config c;
	struct nlattr *attr;
	int err, rem;

	rlb_for_each_backend_attr(attr, info, rem) {
		err = rlb_parse_backend(attr, draft->service, info->genlhdr->cmd, &c, info->extack);
		if (err)
			return err;
		err = change(draft, &c, info->extack);
		if (!err)
			continue;
		if (!info->extack->bad_attr)
			NL_SET_BAD_ATTR(info->extack, attr);
		return err;
	}
	return 0;
}

/* Point at the first backend of the request that owns slots of a map: it may not go. */
static void point_at_owner(const struct rlb_service *svc, struct genl_info *info)
{
	const struct rlb_backend_item *item;
	struct rlb_backend_config c;
	struct nlattr *attr;
	int rem;

	rlb_for_each_backend_attr(attr, info, rem) {
		rlb_parse_backend(attr, svc, info->genlhdr->cmd, &c, info->extack);
		item = rlb_backend_find(&svc->set, &c);
		if (item && item->slots && !info->extack->bad_attr)
			NL_SET_BAD_ATTR(info->extack, attr);
	}
}

static int change_at_once(struct rlb_service *svc, struct genl_info *info, draft_fn change)
{
	struct rlb_draft draft;
	int err;

	err = rlb_draft_begin(&draft, svc);
	if (err)
		return err;
	err = draft_all(&draft, info, change);
	if (!err)
		err = rlb_nl_commit(&draft, info->snd_portid, info->extack);
	if (err == -EBUSY)
		point_at_owner(svc, info);
	if (err)
		rlb_draft_abort(&draft);
	return err;
}

static int change_backends(struct rlb_net *rn, struct genl_info *info, draft_fn change)
{
	struct rlb_service *svc;
	struct rlb_draft *draft;

	svc = rlb_parse_service_ref(rn, info->attrs[RINGLB_A_SERVICE], info->extack);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	if (!info->attrs[RINGLB_A_BACKEND]) {
		NL_SET_ERR_MSG(info->extack, "backend is missing");
		return -EINVAL;
	}
	draft = rlb_draft_opened(svc, info->snd_portid);
	return draft ? draft_all(draft, info, change) : change_at_once(svc, info, change);
}

static int add(struct rlb_net *rn, struct genl_info *info)
{
	return change_backends(rn, info, rlb_draft_add);
}

int rlb_nl_backend_new(struct sk_buff *skb, struct genl_info *info)
{
	return rlb_nl_change(info, rlb_policy_backend_new, add);
}

static int set(struct rlb_net *rn, struct genl_info *info)
{
	return change_backends(rn, info, rlb_draft_set);
}

int rlb_nl_backend_set(struct sk_buff *skb, struct genl_info *info)
{
	return rlb_nl_change(info, rlb_policy_backend_new, set);
}

static int del(struct rlb_net *rn, struct genl_info *info)
{
	return change_backends(rn, info, rlb_draft_del);
}

int rlb_nl_backend_del(struct sk_buff *skb, struct genl_info *info)
{
	return rlb_nl_change(info, rlb_policy_backend_del, del);
}

/* Where a dump goes on: after this backend of this service. */
struct backend_cursor {
	u32 id;			/* of the service; 0: at the beginning */
	__be16 port;
	u8 family;
	bool inside;		/* some of the service's backends have been told */
	union rlb_addr addr;
};

static int dump_backend(struct sk_buff *skb, struct netlink_callback *cb,
			const struct rlb_service *svc, const struct rlb_backend_item *item)
{
	void *header;
	int err;

	header = rlb_nl_dump_begin(skb, cb, RINGLB_CMD_BACKEND_GET);
	if (!header)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, header);
	err = rlb_fill_service_name(skb, svc) ?: rlb_fill_backend(skb, RINGLB_A_BACKEND, item, true);
	return rlb_nl_dump_end(skb, header, err);
}

/* Backends come and go between two messages; those that stay are told once each. */
static int dump_backends(struct sk_buff *skb, struct netlink_callback *cb,
			 const struct rlb_service *svc)
{
	struct backend_cursor *at = (struct backend_cursor *)cb->ctx;
	struct rlb_backend_config last = {
		.addr = at->addr, .family = at->family, .port = at->port,
	};
	u32 i = 0;
	int err;

	if (at->inside && at->id == svc->id)
		i = rlb_backend_after(&svc->set, &last);
	for (; i < svc->set.n; i++) {
		err = dump_backend(skb, cb, svc, &svc->set.item[i]);
		if (err)
			return err;
		at->id = svc->id;
		at->inside = true;
		at->addr = svc->set.item[i].backend->node.addr;
		at->family = svc->set.item[i].backend->node.family;
		at->port = svc->set.item[i].backend->port;
	}
	return 0;
}

int rlb_nl_backend_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attr = rlb_dump_attrs(cb)[RINGLB_A_SERVICE];
	struct backend_cursor *at = (struct backend_cursor *)cb->ctx;
	struct rlb_net *rn = rlb_net_of(sock_net(skb->sk));
	struct rlb_service *svc = NULL;
	unsigned long id;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->ctx));
	mutex_lock(&rn->cfg_lock);
	cb->seq = rn->seq;
	if (attr) {
		svc = rlb_parse_service_ref(rn, attr, cb->extack);
		if (!IS_ERR(svc))
			dump_backends(skb, cb, svc);
	} else {
		xa_for_each_start(&rn->services, id, svc, at->id)
			if (dump_backends(skb, cb, svc))
				break;
		svc = NULL;
	}
	mutex_unlock(&rn->cfg_lock);
	return IS_ERR(svc) ? PTR_ERR(svc) : skb->len;
}
