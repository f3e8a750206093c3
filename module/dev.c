// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev.c - devices whose packets may take the fast path
 *
 * In: requests, and the kernel's word that devices end or addresses come. Out: hooks on
 * devices. Process context under the rtnl lock and the namespace's cfg_lock, in this order;
 * at a namespace's end under cfg_lock alone.
 *
 * A device that is removed or moved to another namespace loses the fast path first: nothing
 * here refers to it afterwards, so nothing can hold up its end.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include <net/netns/generic.h>

#include "dev.h"
#include "fast.h"
#include "hook.h"
#include "netns.h"
#include "nl/nl.h"
#include "way.h"

/*
 * Where in the row of a device's ingress hooks: behind chains that filter at -500, before
 * flowtables, which nobody puts that low.
 */
#define PRIORITY_FAST (-450)

static void free_rcu(struct rcu_head *rcu)
{
	struct rlb_dev *d = container_of(rcu, struct rlb_dev, rcu);

	rlb_stats_free(d->stats);
	kfree(d);
}

/**
 * rlb_dev_find() - a device with the fast path
 * @rn: the namespace; cfg_lock held
 * @dev: the device
 *
 * Return: what there is of it, NULL if it has no fast path.
 */
struct rlb_dev *rlb_dev_find(struct rlb_net *rn, const struct net_device *dev)
{
	struct rlb_dev *d;

	lockdep_assert_held(&rn->cfg_lock);
	list_for_each_entry(d, &rn->devs, node)
		if (d->dev == dev)
			return d;
	return NULL;
}

/**
 * rlb_dev_has() - does a device have the fast path?
 * @rn: the namespace; rcu_read_lock() held
 * @dev: the device
 *
 * For packets.
 */
bool rlb_dev_has(const struct rlb_net *rn, const struct net_device *dev)
{
	const struct rlb_dev *d;

	list_for_each_entry_rcu(d, &rn->devs, node)
		if (d->dev == dev)
			return true;
	return false;
}

/* Remember all IPv4 addresses that the namespace has; those that come later are told. */
static void own_begin(struct rlb_net *rn)
{
	const struct in_device *in_dev;
	const struct in_ifaddr *ifa;
	struct net_device *dev;

	ASSERT_RTNL();
	bitmap_zero(rn->own, 1U << RLB_OWN_BITS);
	for_each_netdev(rn->net, dev) {
		in_dev = __in_dev_get_rtnl(dev);
		if (!in_dev)
			continue;
		in_dev_for_each_ifa_rtnl(ifa, in_dev)
			set_bit(rlb_own_bit(ifa->ifa_local), rn->own);
	}
}

/* There are devices that no packet could take the fast path from, whatever it is. */
static int check(struct net_device *dev, struct netlink_ext_ack *extack)
{
	if (dev->flags & IFF_LOOPBACK)
		NL_SET_ERR_MSG(extack, "the loopback device has no fast path");
	else if (netif_is_l3_master(dev) || netif_is_l3_slave(dev))
		NL_SET_ERR_MSG(extack, "device belongs to a VRF, where there is no fast path");
	else if (netdev_is_rx_handler_busy(dev))
		NL_SET_ERR_MSG(extack, "device is a port of a bridge, a bond or the like");
	else
		return 0;
	return -EOPNOTSUPP;
}

static struct rlb_dev *dev_alloc(struct rlb_net *rn, struct net_device *dev)
{
	struct rlb_dev *d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);

	if (!d)
		return NULL;
	d->stats = rlb_stats_alloc(RLB_DEV_COUNTERS);
	if (!d->stats) {
		kfree(d);
		return NULL;
	}
	d->rn = rn;
	d->dev = dev;
	d->ops = (struct nf_hook_ops){
		.hook = rlb_fast,
		.dev = dev,
		.priv = d,
		.pf = NFPROTO_NETDEV,
		.hooknum = NF_NETDEV_INGRESS,
		.priority = PRIORITY_FAST,
	};
	return d;
}

static int hooks_get(struct rlb_net *rn)
{
	int err;

	err = rlb_hooks_get(rn, RLB_HOOKS_FAST, AF_INET);
	if (err)
		return err;
	err = rlb_hooks_get(rn, RLB_HOOKS_FAST, AF_INET6);
	if (err)
		rlb_hooks_put(rn, RLB_HOOKS_FAST, AF_INET);
	return err;
}

static void hooks_put(struct rlb_net *rn)
{
	rlb_hooks_put(rn, RLB_HOOKS_FAST, AF_INET6);
	rlb_hooks_put(rn, RLB_HOOKS_FAST, AF_INET);
}

/* Before the first device */
static int begin(struct rlb_net *rn)
{
	int err;

	own_begin(rn);
	err = hooks_get(rn);
	if (err)
		return err;
	err = rlb_ways_begin(rn);
	if (err)
		hooks_put(rn);
	return err;
}

/* After the last one, no packet is in the hook. */
static void delist(struct rlb_dev *d)
{
	struct rlb_net *rn = d->rn;

	list_del_rcu(&d->node);
	if (!list_empty(&rn->devs))
		return;
	hooks_put(rn);
	synchronize_net();
	rlb_ways_end(rn);
}

/**
 * rlb_dev_create() - packets of a device may take the fast path
 * @rn: the namespace; rtnl and cfg_lock held
 * @dev: a device in it
 * @extack: for the reason of a refusal
 *
 * Return: the device's state, or an ERR_PTR().
 */
struct rlb_dev *rlb_dev_create(struct rlb_net *rn, struct net_device *dev,
			       struct netlink_ext_ack *extack)
{
	struct rlb_dev *d;
	int err;

	lockdep_assert_held(&rn->cfg_lock);
	err = check(dev, extack);
	if (err)
		return ERR_PTR(err);
	d = dev_alloc(rn, dev);
	if (!d)
		return ERR_PTR(-ENOMEM);
	if (list_empty(&rn->devs)) {
		err = begin(rn);
		if (err)
			goto err_free;
	}
	list_add_tail_rcu(&d->node, &rn->devs);
	err = nf_register_net_hook(rn->net, &d->ops);
	if (err) {
		NL_SET_ERR_MSG(extack, "the kernel has no netfilter hooks on devices");
		goto err_delist;
	}
	return d;

err_delist:
	delist(d);
err_free:
	call_rcu(&d->rcu, free_rcu);
	return ERR_PTR(err);
}

/**
 * rlb_dev_destroy() - they may not any more
 * @d: the device's state; cfg_lock held
 *
 * May sleep. Packets may be under way in the hook until a grace period has passed.
 */
void rlb_dev_destroy(struct rlb_dev *d)
{
	lockdep_assert_held(&d->rn->cfg_lock);
	nf_unregister_net_hook(d->rn->net, &d->ops);
	delist(d);
	call_rcu(&d->rcu, free_rcu);
}

/**
 * rlb_devs_destroy() - all devices of a namespace lose the fast path
 * @rn: the namespace; cfg_lock held
 * @portid: who caused it and need not be told
 */
void rlb_devs_destroy(struct rlb_net *rn, u32 portid)
{
	struct rlb_dev *d, *next;

	list_for_each_entry_safe(d, next, &rn->devs, node) {
		rlb_notify_dev(RINGLB_CMD_DEV_DEL_NOTICE, d, portid);
		rlb_dev_destroy(d);
	}
}

/**
 * rlb_devs_exit() - the namespace goes away, or the module
 * @rn: the namespace
 */
void rlb_devs_exit(struct rlb_net *rn)
{
	struct rlb_dev *d, *next;

	mutex_lock(&rn->cfg_lock);
	list_for_each_entry_safe(d, next, &rn->devs, node)
		rlb_dev_destroy(d);
	mutex_unlock(&rn->cfg_lock);
}

/* A device is removed, or leaves for another namespace. */
static int device_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct net_device *dev = netdev_notifier_info_to_dev(data);
	struct rlb_net *rn = rlb_net_of(dev_net(dev));
	struct rlb_dev *d;

	if (event != NETDEV_UNREGISTER)
		return NOTIFY_DONE;
	rlb_ways_forget(rn, dev);
	mutex_lock(&rn->cfg_lock);
	d = rlb_dev_find(rn, dev);
	if (d) {
		rlb_net_changed(rn);
		rlb_notify_dev(RINGLB_CMD_DEV_DEL_NOTICE, d, 0);
		rlb_dev_destroy(d);
	}
	mutex_unlock(&rn->cfg_lock);
	return NOTIFY_DONE;
}

/* An IPv4 address comes; of one that goes the bit stays: it says "may be". */
static int address_event(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct in_ifaddr *ifa = data;

	if (event == NETDEV_UP)
		set_bit(rlb_own_bit(ifa->ifa_local),
			rlb_net_of(dev_net(ifa->ifa_dev->dev))->own);
	return NOTIFY_DONE;
}

static struct notifier_block device_block = {
	.notifier_call = device_event,
};

static struct notifier_block address_block = {
	.notifier_call = address_event,
};

/**
 * rlb_devs_register() - begin to hear of devices and addresses, in all namespaces
 *
 * Return: 0 or -errno.
 */
int rlb_devs_register(void)
{
	int err;

	err = register_inetaddr_notifier(&address_block);
	if (err)
		return err;
	err = register_netdevice_notifier(&device_block);
	if (err)
		unregister_inetaddr_notifier(&address_block);
	return err;
}

/**
 * rlb_devs_unregister() - hear no more; no device has the fast path afterwards
 */
void rlb_devs_unregister(void)
{
	unregister_netdevice_notifier(&device_block);
	unregister_inetaddr_notifier(&address_block);
}
