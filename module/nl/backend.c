// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - requests about backends
 *
 * In: messages with one or more backends of one service. Out: all of them applied as one
 * change, or none; answers; notices. Process context; cfg_lock is taken here.
 */
#include "../draft.h"
#include "../settle.h"
#include "nl.h"

/* One of the changes that a request consists of. */
typedef int (*draft_fn)(struct rlb_draft *draft, const struct rlb_backend_config *c,
			struct netlink_ext_ack *extack);

#define for_each_backend_attr(attr, info, rem)					\
	nlmsg_for_each_attr(attr, (info)->nlhdr, GENL_HDRLEN, rem)		\
		if (nla_type(attr) == RINGLB_A_BACKEND)

static int draft_all(struct rlb_draft *draft, struct genl_info *info, draft_fn change)
{
	struct rlb_backend_config c;
	struct nlattr *attr;
	int err, rem;

	for_each_backend_attr(attr, info, rem) {
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

/* Those that will be gone, as they are. */
static void notify_removed(const struct rlb_draft *draft, u32 portid)
{
	const struct rlb_service *svc = draft->service;
	u32 i;

	for (i = 0; i < svc->set.n; i++)
		if (!rlb_backend_is_in(&draft->set, svc->set.item[i].backend))
			rlb_notify_backend(RINGLB_CMD_BACKEND_DEL_NOTICE, svc, &svc->set.item[i],
					   portid);
}

/**
 * rlb_nl_commit() - one build, one swap, and the notices
 * @draft: the draft; used up unless an error is returned
 * @portid: who caused it and need not be told; 0: nobody
 * @extack: for the reason of a refusal, or NULL
 *
 * cfg_lock held. Return: 0, or an error of rlb_draft_prepare().
 */
int rlb_nl_commit(struct rlb_draft *draft, u32 portid, struct netlink_ext_ack *extack)
{
	struct rlb_service *svc = draft->service;
	int err;

	err = rlb_draft_prepare(draft, extack);
	if (err)
		return err;
	notify_removed(draft, portid);
	rlb_draft_commit(draft);
	rlb_settle_kick(svc);
	rlb_net_changed(svc->rn);
	rlb_notify_changed(svc, portid);
	return 0;
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
	if (err)
		rlb_draft_abort(&draft);
	return err;
}

/* Where a message stopped half way, the whole of what was begun is given up. */
static int change_later(struct rlb_draft *draft, struct genl_info *info, draft_fn change)
{
	int err = draft_all(draft, info, change);

	if (err) {
		rlb_draft_abort(draft);
		rlb_draft_close(draft);
	}
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
	return draft ? change_later(draft, info, change) : change_at_once(svc, info, change);
}

static int locked(struct genl_info *info, draft_fn change)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	int err;

	mutex_lock(&rn->cfg_lock);
	err = change_backends(rn, info, change);
	mutex_unlock(&rn->cfg_lock);
	return err;
}

int rlb_nl_backend_new(struct sk_buff *skb, struct genl_info *info)
{
	return locked(info, rlb_draft_add);
}

int rlb_nl_backend_set(struct sk_buff *skb, struct genl_info *info)
{
	return locked(info, rlb_draft_set);
}

int rlb_nl_backend_del(struct sk_buff *skb, struct genl_info *info)
{
	return locked(info, rlb_draft_del);
}

static int no_draft(struct genl_info *info)
{
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[RINGLB_A_SERVICE],
			    "no change of this service is begun");
	return -ENOENT;
}

static int begin_commit_abort(struct rlb_net *rn, struct genl_info *info)
{
	struct rlb_service *svc;
	struct rlb_draft *draft;
	int err = 0;

	svc = rlb_parse_service_ref(rn, info->attrs[RINGLB_A_SERVICE], info->extack);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	if (info->genlhdr->cmd == RINGLB_CMD_BEGIN)
		return rlb_draft_open(svc, info->snd_portid, info->extack);
	draft = rlb_draft_opened(svc, info->snd_portid);
	if (!draft)
		return no_draft(info);
	if (info->genlhdr->cmd == RINGLB_CMD_COMMIT)
		err = rlb_nl_commit(draft, info->snd_portid, info->extack);
	if (err || info->genlhdr->cmd == RINGLB_CMD_ABORT)
		rlb_draft_abort(draft);
	rlb_draft_close(draft);
	return err;
}

int rlb_nl_transaction(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	int err;

	mutex_lock(&rn->cfg_lock);
	err = begin_commit_abort(rn, info);
	mutex_unlock(&rn->cfg_lock);
	return err;
}

/* Where a dump goes on: after this backend of this service. */
struct backend_cursor {
	u32 id;			/* of the service; 0: at the beginning */
	__be16 port;
	bool inside;		/* some of the service's backends have been told */
	union rlb_addr addr;
};

static int dump_backend(struct sk_buff *skb, struct netlink_callback *cb,
			const struct rlb_service *svc, const struct rlb_backend_item *item)
{
	void *header;
	int err;

	header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &rlb_family,
			     NLM_F_MULTI, RINGLB_CMD_BACKEND_GET);
	if (!header)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, header);
	err = rlb_fill_service_name(skb, svc) ?: rlb_fill_backend(skb, RINGLB_A_BACKEND, item, true);
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

/* Backends come and go between two messages; those that stay are told once each. */
static int dump_backends(struct sk_buff *skb, struct netlink_callback *cb,
			 const struct rlb_service *svc)
{
	struct backend_cursor *at = (struct backend_cursor *)cb->ctx;
	u32 i = 0;
	int err;

	if (at->inside && at->id == svc->id)
		i = rlb_backend_after(&svc->set, &at->addr, at->port);
	for (; i < svc->set.n; i++) {
		err = dump_backend(skb, cb, svc, &svc->set.item[i]);
		if (err)
			return err;
		at->id = svc->id;
		at->inside = true;
		at->addr = svc->set.item[i].backend->node.addr;
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
