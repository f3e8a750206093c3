// SPDX-License-Identifier: GPL-2.0-only
/*
 * secret.c - requests about the hash key of a namespace
 *
 * Process context; cfg_lock is taken here. The key itself is told only to who asks for it.
 */
#include "../secret.h"
#include "nl.h"
#include "policy.h"

int rlb_nl_secret_get(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	struct rlb_secret secret;
	struct sk_buff *answer;
	void *header;
	int err;

	answer = rlb_nl_answer(info, &header);
	if (!answer)
		return -ENOMEM;
	mutex_lock(&rn->cfg_lock);
	rlb_net_secret(rn, &secret);
	mutex_unlock(&rn->cfg_lock);
	err = rlb_fill_fingerprint(answer, &secret, true);
	memzero_explicit(&secret, sizeof(secret));
	return rlb_nl_reply(answer, header, info, err);
}

static int parse_secret(struct genl_info *info, struct rlb_secret *secret, bool *force)
{
	struct nlattr *attr = info->attrs[RINGLB_A_SECRET];
	struct nlattr *tb[RINGLB_A_SECRET_MAX + 1];
	int err;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "secret is missing");
		return -EINVAL;
	}
	err = nla_parse_nested(tb, RINGLB_A_SECRET_MAX, attr, rlb_policy_secret_set_nest,
			       info->extack);
	if (err)
		return err;
	if (!tb[RINGLB_A_SECRET_KEY]) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "key of the secret is missing");
		return -EINVAL;
	}
	rlb_secret_load(secret, nla_data(tb[RINGLB_A_SECRET_KEY]));
	*force = tb[RINGLB_A_SECRET_FORCE] && nla_get_u32(tb[RINGLB_A_SECRET_FORCE]);
	return 0;
}

int rlb_nl_secret_set(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	struct rlb_secret secret;
	bool force;
	int err;

	err = parse_secret(info, &secret, &force);
	if (err)
		return err;
	mutex_lock(&rn->cfg_lock);
	err = rlb_net_set_secret(rn, &secret, force, info->extack);
	if (!err) {
		rlb_net_changed(rn);
		rlb_notify_secret(rn, info->snd_portid);
	}
	mutex_unlock(&rn->cfg_lock);
	memzero_explicit(&secret, sizeof(secret));
	return err;
}
