// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev.c - requests about devices with the fast path
 *
 * Process context; the rtnl lock keeps the device there, cfg_lock is taken inside it.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include "../dev.h"
#include "nl.h"
#include "policy.h"

static int parse_dev(struct genl_info *info, const struct nlattr **name)
{
	struct nlattr *attr = info->attrs[RINGLB_A_DEV];
	struct nlattr *tb[RINGLB_A_DEV_MAX + 1];
	int err;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "device is missing");
		return -EINVAL;
	}
	err = nla_parse_nested(tb, RINGLB_A_DEV_MAX, attr, rlb_policy_dev_nest, info->extack);
	if (err)
		return err;
	*name = tb[RINGLB_A_DEV_NAME];
	if (!*name) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr, "name of the device is missing");
		return -EINVAL;
	}
	return 0;
}

/* The change is in force: tell the one who asked for it. Too late to fail. */
static void answer_dev(struct genl_info *info, const struct rlb_dev *d)
{
	struct sk_buff *answer;
	void *header;

	answer = rlb_nl_answer(info, &header);
	if (answer)
		rlb_nl_reply(answer, header, info, rlb_fill_dev(answer, d));
}

static int dev_new(struct rlb_net *rn, struct genl_info *info, struct net_device *dev)
{
	struct rlb_dev *d;

	if (rlb_dev_find(rn, dev)) {
		NL_SET_ERR_MSG(info->extack, "device has the fast path already");
		return -EEXIST;
	}
	d = rlb_dev_create(rn, dev, info->extack);
	if (IS_ERR(d))
		return PTR_ERR(d);
	rlb_net_changed(rn);
	rlb_notify_dev(RINGLB_CMD_DEV_NEW_NOTICE, d, info->snd_portid);
	answer_dev(info, d);
	return 0;
}

static int dev_del(struct rlb_net *rn, struct genl_info *info, struct net_device *dev)
{
	struct rlb_dev *d = rlb_dev_find(rn, dev);

	if (!d) {
		NL_SET_ERR_MSG(info->extack, "device has no fast path");
		return -ENOENT;
	}
	rlb_net_changed(rn);
	rlb_notify_dev(RINGLB_CMD_DEV_DEL_NOTICE, d, info->snd_portid);
	rlb_dev_destroy(d);
	return 0;
}

/* Find the device that a request names, and change it. */
static int change(struct genl_info *info,
		  int (*what)(struct rlb_net *rn, struct genl_info *info, struct net_device *dev))
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	const struct nlattr *name;
	struct net_device *dev;
	int err;

	err = parse_dev(info, &name);
	if (err)
		return err;
	rtnl_lock();
	dev = __dev_get_by_name(rn->net, nla_data(name));
	if (dev) {
		mutex_lock(&rn->cfg_lock);
		err = what(rn, info, dev);
		mutex_unlock(&rn->cfg_lock);
	} else {
		NL_SET_ERR_MSG(info->extack, "no such device");
		err = -ENODEV;
	}
	rtnl_unlock();
	if (err)
		NL_SET_BAD_ATTR(info->extack, name);
	return err;
}

int rlb_nl_dev_new(struct sk_buff *skb, struct genl_info *info)
{
	return change(info, dev_new);
}

int rlb_nl_dev_del(struct sk_buff *skb, struct genl_info *info)
{
	return change(info, dev_del);
}

static int dump_dev(struct sk_buff *skb, struct netlink_callback *cb, const struct rlb_dev *d)
{
	void *header;
	int err;

	header = rlb_nl_dump_begin(skb, cb, RINGLB_CMD_DEV_GET);
	if (!header)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, header);
	err = rlb_fill_dev(skb, d);
	return rlb_nl_dump_end(skb, header, err);
}

/* The cursor counts the devices that were told. */
int rlb_nl_dev_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rlb_net *rn = rlb_net_of(sock_net(skb->sk));
	unsigned long *told = (unsigned long *)cb->ctx;
	const struct rlb_dev *d;
	unsigned long i = 0;

	mutex_lock(&rn->cfg_lock);
	cb->seq = rn->seq;
	list_for_each_entry(d, &rn->devs, node) {
		if (i++ < *told)
			continue;
		if (dump_dev(skb, cb, d))
			break;
		++*told;
	}
	mutex_unlock(&rn->cfg_lock);
	return skb->len;
}
