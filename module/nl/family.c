// SPDX-License-Identifier: GPL-2.0-only
/*
 * family.c - the generic netlink family: which command is whose, and what it needs
 *
 * In: messages from the generic netlink core, which checks capabilities and, of most commands,
 * policies first.
 * Process context. The core runs requests side by side; the namespace's cfg_lock, taken by
 * the handlers, is what keeps them apart.
 */
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/notifier.h>

#include "../draft.h"
#include "../stats.h"
#include "../version.h"
#include "nl.h"
#include "policy.h"

#define DO(command, function, attrs)			\
	{						\
		.cmd = (command),			\
		.doit = (function),			\
		.policy = (attrs),			\
		.maxattr = RINGLB_A_MAX,		\
		.flags = GENL_UNS_ADMIN_PERM,		\
	}

/* A refusal ends what the socket has begun, so it must be the module's: see rlb_nl_change(). */
#define CHANGE(command, function)			\
	{						\
		.cmd = (command),			\
		.validate = GENL_DONT_VALIDATE_STRICT,	\
		.doit = (function),			\
		.policy = rlb_policy_nothing,		\
		.maxattr = RINGLB_A_MAX,		\
		.flags = GENL_UNS_ADMIN_PERM,		\
	}

#define DUMP(command, function, attrs)			\
	{						\
		.cmd = (command),			\
		.dumpit = (function),			\
		.policy = (attrs),			\
		.maxattr = RINGLB_A_MAX,		\
		.flags = GENL_UNS_ADMIN_PERM,		\
	}

static const struct genl_ops ops[] = {
	DO(RINGLB_CMD_INFO_GET, rlb_nl_info_get, rlb_policy_nothing),
	DO(RINGLB_CMD_SERVICE_NEW, rlb_nl_service_new, rlb_policy_service_new),
	CHANGE(RINGLB_CMD_SERVICE_SET, rlb_nl_service_set),
	DO(RINGLB_CMD_SERVICE_DEL, rlb_nl_service_del, rlb_policy_service_ref),
	{
		.cmd = RINGLB_CMD_SERVICE_GET,
		.doit = rlb_nl_service_get,
		.dumpit = rlb_nl_service_dump,
		.policy = rlb_policy_service_ref,
		.maxattr = RINGLB_A_MAX,
		.flags = GENL_UNS_ADMIN_PERM,
	},
	CHANGE(RINGLB_CMD_BACKEND_NEW, rlb_nl_backend_new),
	CHANGE(RINGLB_CMD_BACKEND_SET, rlb_nl_backend_set),
	CHANGE(RINGLB_CMD_BACKEND_DEL, rlb_nl_backend_del),
	DUMP(RINGLB_CMD_BACKEND_GET, rlb_nl_backend_dump, rlb_policy_service_ref),
	DUMP(RINGLB_CMD_TABLE_GET, rlb_nl_table_dump, rlb_policy_service_ref),
	DO(RINGLB_CMD_LOOKUP, rlb_nl_lookup, rlb_policy_lookup),
	DO(RINGLB_CMD_SECRET_GET, rlb_nl_secret_get, rlb_policy_nothing),
	DO(RINGLB_CMD_SECRET_SET, rlb_nl_secret_set, rlb_policy_secret_set),
	DO(RINGLB_CMD_FLUSH, rlb_nl_flush, rlb_policy_nothing),
	CHANGE(RINGLB_CMD_BEGIN, rlb_nl_transaction),
	CHANGE(RINGLB_CMD_COMMIT, rlb_nl_transaction),
	CHANGE(RINGLB_CMD_ABORT, rlb_nl_transaction),
	DUMP(RINGLB_CMD_FLOW_GET, rlb_nl_flow_dump, rlb_policy_flow_filter),
	DO(RINGLB_CMD_FLOW_FLUSH, rlb_nl_flow_flush, rlb_policy_flow_filter),
	DO(RINGLB_CMD_FLOW_SET, rlb_nl_flow_set, rlb_policy_flow_set),
	DUMP(RINGLB_CMD_HISTORY_GET, rlb_nl_history_dump, rlb_policy_nothing),
	DO(RINGLB_CMD_FLOW_NEW, rlb_nl_flow_new, rlb_policy_flow_new),
	DO(RINGLB_CMD_FLOW_DEL, rlb_nl_flow_del, rlb_policy_flow_del),
	DO(RINGLB_CMD_DEV_NEW, rlb_nl_dev_new, rlb_policy_dev),
	DO(RINGLB_CMD_DEV_DEL, rlb_nl_dev_del, rlb_policy_dev),
	DUMP(RINGLB_CMD_DEV_GET, rlb_nl_dev_dump, rlb_policy_nothing),
};

static const struct genl_multicast_group groups[] = {
	[RLB_GROUP_NOTICES] = { .name = RINGLB_MCGRP_NAME, RLB_MCGRP_ADMIN },
	[RLB_GROUP_FLOWS] = { .name = RINGLB_MCGRP_FLOWS, RLB_MCGRP_ADMIN },
};

struct genl_family rlb_family __ro_after_init = {
	.name = RINGLB_GENL_NAME,
	.version = RINGLB_GENL_VERSION,
	.maxattr = RINGLB_A_MAX,
	.netnsok = true,
	.parallel_ops = true,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	RLB_RESV_START_OP
	.mcgrps = groups,
	.n_mcgrps = ARRAY_SIZE(groups),
	.module = THIS_MODULE,
};

/**
 * rlb_nl_answer() - start the answer to a request
 * @info: the request
 * @header: out: for rlb_nl_reply()
 *
 * Return: the message, to be filled and given to rlb_nl_reply(); NULL if there is no memory.
 */
struct sk_buff *rlb_nl_answer(struct genl_info *info, void **header)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);

	if (skb)
		*header = genlmsg_put_reply(skb, info, &rlb_family, 0, info->genlhdr->cmd);
	return skb;
}

/**
 * rlb_nl_reply() - send an answer, or throw it away
 * @skb: from rlb_nl_answer(); used up
 * @header: likewise
 * @info: the request
 * @err: what came of filling it
 *
 * Return: 0 or -errno, @err first.
 */
int rlb_nl_reply(struct sk_buff *skb, void *header, struct genl_info *info, int err)
{
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	genlmsg_end(skb, header);
	return genlmsg_reply(skb, info);
}

/**
 * rlb_nl_dump_begin() - start one of the messages of a dump
 * @skb: what the dump fills
 * @cb: the dump
 * @cmd: the message's command
 *
 * Return: the message's header, for rlb_nl_dump_end(); NULL if @skb is full.
 */
void *rlb_nl_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &rlb_family,
			   NLM_F_MULTI, cmd);
}

/**
 * rlb_nl_dump_end() - the message is whole, or does not fit
 * @skb: what the dump fills; ends before the message after an error
 * @header: from rlb_nl_dump_begin()
 * @err: what came of filling the message
 *
 * Return: @err.
 */
int rlb_nl_dump_end(struct sk_buff *skb, void *header, int err)
{
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

static int fill_info(struct sk_buff *skb, struct rlb_net *rn)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_INFO);

	if (!nest || nla_put_string(skb, RINGLB_A_INFO_VERSION, RINGLB_VERSION) ||
	    nla_put_u32(skb, RINGLB_A_INFO_SERVICES, READ_ONCE(rn->n_services)) ||
	    rlb_fill_counters(skb, RINGLB_A_INFO_COUNTERS, rn->stats, RLB_COUNTERS_ALL))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

int rlb_nl_info_get(struct sk_buff *skb, struct genl_info *info)
{
	struct sk_buff *answer;
	void *header;
	int err;

	answer = rlb_nl_answer(info, &header);
	if (!answer)
		return -ENOMEM;
	err = fill_info(answer, rlb_net_of(genl_info_net(info))) ?:
	      rlb_fill_flows(answer, rlb_net_of(genl_info_net(info)));
	return rlb_nl_reply(answer, header, info, err);
}

/* A socket of generic netlink is closed, perhaps one that has begun a change. */
static int hang_up(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct netlink_notify *n = data;

	if (event == NETLINK_URELEASE && n->protocol == NETLINK_GENERIC)
		rlb_drafts_hang_up(rlb_net_of(n->net), n->portid);
	return NOTIFY_DONE;
}

static struct notifier_block hang_up_block = {
	.notifier_call = hang_up,
};

/**
 * rlb_nl_register() - open for requests
 *
 * Return: 0 or -errno.
 */
int rlb_nl_register(void)
{
	int err;

	err = netlink_register_notifier(&hang_up_block);
	if (err)
		return err;
	err = genl_register_family(&rlb_family);
	if (err)
		netlink_unregister_notifier(&hang_up_block);
	return err;
}

/**
 * rlb_nl_unregister() - take no more requests; returns when none is under way
 */
void rlb_nl_unregister(void)
{
	genl_unregister_family(&rlb_family);
	netlink_unregister_notifier(&hang_up_block);
}
