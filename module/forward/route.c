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
#include <net/route.h>

#include "../backend.h"
#include "../netns.h"
#include "../service.h"
#include "route.h"

/**
 * struct rlb_route - a route; never changed once packets can see it
 * @dst: as the kernel gave it
 * @cookie: by which @dst tells whether it still holds
 * @rcu: for its end
 */
struct rlb_route {
	struct dst_entry *dst;
	u32 cookie;
	struct rcu_head rcu;
};

static void route_free(struct rlb_route *r)
{
	dst_release(r->dst);
	kfree(r);
}

static void route_free_rcu(struct rcu_head *rcu)
{
	route_free(container_of(rcu, struct rlb_route, rcu));
}

/*
 * KNOWN_NH: a packet that takes this route goes to the address that was looked up, whatever its
 * own destination is.
 */
static struct dst_entry *find_link4(struct net *net, const union rlb_addr *to,
				    enum ringlb_counter *why)
{
	struct flowi4 fl4 = { .daddr = to->v4, .flowi4_flags = FLOWI_FLAG_KNOWN_NH };
	struct rtable *rt = ip_route_output_key(net, &fl4);

	if (IS_ERR(rt))
		return NULL;
	if (rt->rt_uses_gateway)
		*why = RINGLB_COUNTER_DROP_OFF_LINK;
	else if (rt->rt_type == RTN_UNICAST)
		return &rt->dst;
	ip_rt_put(rt);
	return NULL;
}

static struct dst_entry *find_link6(struct net *net, const union rlb_addr *to,
				    enum ringlb_counter *why)
{
	struct flowi6 fl6 = { .flowi6_flags = FLOWI_FLAG_KNOWN_NH };
	struct dst_entry *dst;
	u32 flags;

	memcpy(&fl6.daddr, to, sizeof(fl6.daddr));
	dst = ip6_route_output(net, NULL, &fl6);
	flags = ((struct rt6_info *)dst)->rt6i_flags;
	if (!dst->error && flags & RTF_GATEWAY)
		*why = RINGLB_COUNTER_DROP_OFF_LINK;
	else if (!dst->error && !(flags & (RTF_LOCAL | RTF_ANYCAST)))
		return dst;
	dst_release(dst);
	return NULL;
}

/* Keep a route in the place of another one; who comes second leaves it as it is. */
static struct dst_entry *keep(struct rlb_backend *b, struct rlb_route *old, struct dst_entry *dst)
{
	struct rlb_route *r = kmalloc(sizeof(*r), GFP_ATOMIC);

	if (!r) {
		dst_release(dst);
		return NULL;
	}
	r->dst = dst;
	r->cookie = b->node.family == AF_INET6 ? rt6_get_cookie((struct rt6_info *)dst) : 0;
	if (cmpxchg((struct rlb_route __force **)&b->route, old, r) != old)
		call_rcu(&r->rcu, route_free_rcu);
	else if (old)
		call_rcu(&old->rcu, route_free_rcu);
	return dst;
}

/* No packet before has had this route, or it holds no more. */
static noinline struct dst_entry *find_link(const struct rlb_pkt *pkt, struct rlb_route *old,
					    enum ringlb_counter *why)
{
	const struct rlb_index_node *to = &pkt->backend->node;
	struct net *net = pkt->state->net;
	struct dst_entry *dst;

	*why = RINGLB_COUNTER_DROP_NO_ROUTE;
	dst = to->family == AF_INET ? find_link4(net, &to->addr, why) :
				      find_link6(net, &to->addr, why);
	if (!dst)
		return NULL;
	*why = RINGLB_COUNTER_DROP_NO_MEMORY;
	return keep(pkt->backend, old, dst);
}

/**
 * rlb_route_link() - the way to a packet's backend as next hop, on a link of this host
 * @pkt: the packet, steered
 * @why: out: if there is none, the counter that says why
 *
 * Caller holds rcu_read_lock(). Whatever takes the route goes to the backend.
 *
 * Return: the route, valid until the caller lets go of the lock; NULL if there is none.
 */
struct dst_entry *rlb_route_link(const struct rlb_pkt *pkt, enum ringlb_counter *why)
{
	struct rlb_route *r = rcu_dereference(pkt->backend->route);

	return r && dst_check(r->dst, r->cookie) ? r->dst : find_link(pkt, r, why);
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
