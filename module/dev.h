/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dev.h - devices whose packets may take the fast path
 */
#ifndef _RINGLB_DEV_H
#define _RINGLB_DEV_H

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/netlink.h>

#include "ringlb.h"
#include "stats.h"

#define RLB_DEV_COUNTERS ((unsigned int)RINGLB_DEV_PAD)

/**
 * struct rlb_dev - a device with the fast path
 * @rn: its namespace
 * @stats: RLB_DEV_COUNTERS, indexed by enum ringlb_dev_counter
 * @dev: the device. No reference is held: dev.c hears of its end in time.
 * @ops: the hook there
 * @node: in rlb_net.devs
 * @rcu: for its end
 */
struct rlb_dev {
	struct rlb_net *rn;
	struct rlb_stats __percpu *stats;
	struct net_device *dev;
	struct nf_hook_ops ops;
	struct list_head node;
	struct rcu_head rcu;
};

static inline void rlb_dev_count(const struct rlb_dev *d, enum ringlb_dev_counter which)
{
	rlb_stats_add(d->stats, which, 1);
}

static inline unsigned int rlb_own_bit(__be32 addr)
{
	return (u32)((__force u32)addr * 0x9e3779b1U) >> (32 - RLB_OWN_BITS);
}

/**
 * rlb_may_be_own() - may an IPv4 address be one of the gateway's own?
 * @rn: the namespace; it has devices with the fast path
 * @addr: the address
 *
 * Return: false if surely not; true now and then though it is none.
 */
static inline bool rlb_may_be_own(const struct rlb_net *rn, __be32 addr)
{
	return test_bit(rlb_own_bit(addr), rn->own);
}

struct rlb_dev *rlb_dev_create(struct rlb_net *rn, struct net_device *dev,
			       struct netlink_ext_ack *extack);
struct rlb_dev *rlb_dev_find(struct rlb_net *rn, const struct net_device *dev);
bool rlb_dev_has(const struct rlb_net *rn, const struct net_device *dev);
void rlb_dev_destroy(struct rlb_dev *d);
void rlb_devs_destroy(struct rlb_net *rn, u32 portid);
void rlb_devs_exit(struct rlb_net *rn);

int rlb_devs_register(void);
void rlb_devs_unregister(void);

#endif /* _RINGLB_DEV_H */
