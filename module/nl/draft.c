// SPDX-License-Identifier: GPL-2.0-only
/*
 * draft.c - requests that change a service: each by itself, or as a part of what its socket has
 * begun
 *
 * In: messages that the generic netlink core has not looked into. Out: changes in force and
 * their notices, or a refusal, and then nothing is left of what was begun. Process context;
 * cfg_lock is taken here.
 */
#include "../draft.h"
#include "../history.h"
#include "../settle.h"
#include "nl.h"
#include "policy.h"

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
	if (draft->configured)
		rlb_notify_service(RINGLB_CMD_SERVICE_SET_NOTICE, svc, portid);
	rlb_notify_changed(svc, portid);
	rlb_history_add(svc, draft->configured ? RINGLB_EVENT_SERVICE_SET : RINGLB_EVENT_BACKENDS);
	return 0;
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
	else
		rlb_draft_abort(draft);
	if (!err)
		rlb_draft_close(draft);
	return err;
}

int rlb_nl_transaction(struct sk_buff *skb, struct genl_info *info)
{
	return rlb_nl_change(info, info->genlhdr->cmd == RINGLB_CMD_BEGIN ?
			     rlb_policy_service_if : rlb_policy_service_ref, begin_commit_abort);
}

/* What the core does for other commands */
static int check(struct genl_info *info, const struct nla_policy *policy)
{
	if (info->genlhdr->reserved) {
		NL_SET_ERR_MSG(info->extack, "reserved bytes of the header are not 0");
		return -EINVAL;
	}
	return nlmsg_parse(info->nlhdr, GENL_HDRLEN, info->attrs, RINGLB_A_MAX, policy,
			   info->extack);
}

/*
 * A part of what the socket has begun is missing now, so that the rest must not come into force.
 * Nothing is sure of a refused message: if it names no service, it may have been about any.
 */
static void give_up(struct rlb_net *rn, struct genl_info *info)
{
	struct nlattr *attr = nlmsg_find_attr(info->nlhdr, GENL_HDRLEN, RINGLB_A_SERVICE);
	char name[RINGLB_NAME_MAX + 1] = "";

	if (attr)
		attr = nla_find_nested(attr, RINGLB_A_SERVICE_NAME);
	if (attr)
		nla_strscpy(name, attr, sizeof(name));
	rlb_drafts_drop(rn, rlb_service_by_name(rn, name), info->snd_portid);
}

/**
 * rlb_nl_change() - carry out a request that may be a part of what its socket has begun
 * @info: the request, unchecked
 * @policy: of its top level
 * @change: what it asks for; cfg_lock is held
 *
 * Return: 0 or what @change says; -EINVAL... if the policy refuses it.
 */
int rlb_nl_change(struct genl_info *info, const struct nla_policy *policy,
		  int (*change)(struct rlb_net *rn, struct genl_info *info))
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	int err;

	mutex_lock(&rn->cfg_lock);
	err = check(info, policy);
	if (!err)
		err = change(rn, info);
	if (err)
		give_up(rn, info);
	mutex_unlock(&rn->cfg_lock);
	return err;
}
