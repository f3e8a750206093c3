// SPDX-License-Identifier: GPL-2.0-only
/*
 * route.c - the kernel's route to a backend, kept with it
 *
 * In: a packet and its backend. Out: the route, which packets share until the kernel's routing
 * changes, or the device goes away.
 * Packets: softirq or process context under rcu_read_lock(). Devices: process context; takes
 * cfg_lock inside the RTNL, never the other way.
 */
#include <linux/netdevice.h>
#include <linux/slab.h>

#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "../backend.h"
#include "../netns.h"
#include "../service.h"
#include "route.h"

static void route_free(struct rlb_route *r)
{
	dst_release(r->dst);
	kfree(r);
}

static void route_free_rcu(struct rcu_head *rcu)
{
	route_free(container_of(rcu, struct rlb_route, rcu));
}

/* Is a backend reached as next hop, and not by way of others? */
static bool is_on_link(const struct rlb_pkt *pkt)
{
	return pkt->service->config.mode == RINGLB_MODE_DSR;
}

/*
 * KNOWN_NH: a packet that takes this route goes to the address that was looked up, whatever its
 * own destination is.
 */
static struct dst_entry *find4(const struct rlb_pkt *pkt, struct rlb_route *r,
			       enum ringlb_counter *why)
{
	struct flowi4 fl4 = {
		.daddr = pkt->backend->node.addr.v4,
		.flowi4_flags = is_on_link(pkt) ? FLOWI_FLAG_KNOWN_NH : 0,
	};
	struct rtable *rt = ip_route_output_key(pkt->state->net, &fl4);

	if (IS_ERR(rt))
		return NULL;
	r->src.v4 = fl4.saddr;
	if (is_on_link(pkt) && rt->rt_uses_gateway)
		*why = RINGLB_COUNTER_DROP_OFF_LINK;
	else if (rt->rt_type == RTN_UNICAST)
		return &rt->dst;
	ip_rt_put(rt);
	return NULL;
}

/* With this host's address by the route, if it is to be used. */
static struct dst_entry *look_up6(const struct rlb_pkt *pkt, struct flowi6 *fl6)
{
	struct net *net = pkt->state->net;
	struct dst_entry *dst;

	if (is_on_link(pkt))
		return ip6_route_output(net, NULL, fl6);
	return ip6_dst_lookup(net, NULL, &dst, fl6) ? NULL : dst;
}

static struct dst_entry *find6(const struct rlb_pkt *pkt, struct rlb_route *r,
			       enum ringlb_counter *why)
{
	struct flowi6 fl6 = { .flowi6_flags = is_on_link(pkt) ? FLOWI_FLAG_KNOWN_NH : 0 };
	struct dst_entry *dst;
	u32 flags;

	memcpy(&fl6.daddr, &pkt->backend->node.addr, sizeof(fl6.daddr));
	dst = look_up6(pkt, &fl6);
	if (!dst)
		return NULL;
	memcpy(&r->src, &fl6.saddr, sizeof(fl6.saddr));
	r->cookie = rt6_get_cookie((struct rt6_info *)dst);
	flags = ((struct rt6_info *)dst)->rt6i_flags;
	if (!dst->error && is_on_link(pkt) && flags & RTF_GATEWAY)
		*why = RINGLB_COUNTER_DROP_OFF_LINK;
	else if (!dst->error && !(flags & (RTF_LOCAL | RTF_ANYCAST)))
		return dst;
	dst_release(dst);
	return NULL;
}

/* Keep a route in the place of another one; who comes second leaves it as it is. */
static void keep(struct rlb_backend *b, struct rlb_route *old, struct rlb_route *r)
{
	if (cmpxchg((struct rlb_route __force **)&b->route, old, r) != old)
		call_rcu(&r->rcu, route_free_rcu);
	else if (old)
		call_rcu(&old->rcu, route_free_rcu);
}

/* No packet before has had this route, or it holds no more. */
static noinline const struct rlb_route *find(const struct rlb_pkt *pkt, struct rlb_route *old,
					     enum ringlb_counter *why)
{
	struct rlb_route *r = kzalloc(sizeof(*r), GFP_ATOMIC);

	*why = RINGLB_COUNTER_DROP_NO_MEMORY;
	if (!r)
		return NULL;
	*why = RINGLB_COUNTER_DROP_NO_ROUTE;
	r->dst = pkt->backend->node.family == AF_INET ? find4(pkt, r, why) : find6(pkt, r, why);
	if (!r->dst) {
		kfree(r);
		return NULL;
	}
	keep(pkt->backend, old, r);
	return r;
}

/**
 * rlb_route_get() - the way to a packet's backend
 * @pkt: the packet, steered
 * @why: out: if there is none, the counter that says why
 *
 * Caller holds rcu_read_lock(). In mode dsr, whatever takes the route goes to the backend as next
 * hop, which is on a link of this host.
 *
 * Return: the route, valid until the caller lets go of the lock; NULL if there is none.
 */
const struct rlb_route *rlb_route_get(const struct rlb_pkt *pkt, enum ringlb_counter *why)
{
	struct rlb_route *r = rcu_dereference(pkt->backend->route);

	return r && dst_check(r->dst, r->cookie) ? r : find(pkt, r, why);
}

/**
 * rlb_route_free() - the end of a backend's route
 * @b: the backend, which no packet can find
 */
void rlb_route_free(struct rlb_backend *b)
{
	struct rlb_route *r = rcu_dereference_protected(b->route, true);

	if (r)
		route_free(r);
}

static void forget(struct rlb_backend *b)
{
	struct rlb_route *r = xchg((struct rlb_route __force **)&b->route, NULL);

	if (r)
		call_rcu(&r->rcu, route_free_rcu);
}

static void forget_all(struct rlb_net *rn)
{
	struct rlb_service *svc;
	struct rlb_backend *b;
	unsigned long id;
	u32 i;

	mutex_lock(&rn->cfg_lock);
	xa_for_each(&rn->services, id, svc) {
		for (i = 0; i < svc->set.n; i++)
			forget(svc->set.item[i].backend);
		list_for_each_entry(b, &svc->gone, gone)
			forget(b);
	}
	mutex_unlock(&rn->cfg_lock);
}

/*
 * A device that is unregistered waits for all routes by it to be freed, and for callbacks
 * first. The kernel's own are gone by now, so that none is found again.
 */
static int device_event(struct notifier_block *nb, unsigned long event, void *arg)
{
	if (event == NETDEV_UNREGISTER)
		forget_all(rlb_net_of(dev_net(netdev_notifier_info_to_dev(arg))));
	return NOTIFY_DONE;
}

static struct notifier_block devices = {
	.notifier_call = device_event,
};

/**
 * rlb_routes_register() - learn of devices that go away
 *
 * Return: 0 or -errno.
 */
int rlb_routes_register(void)
{
	return register_netdevice_notifier(&devices);
}

/**
 * rlb_routes_unregister() - learn of them no more
 */
void rlb_routes_unregister(void)
{
	unregister_netdevice_notifier(&devices);
}
