/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fast_route.h - where a packet goes from here, asked for as cheaply as can be
 *
 * A route is kept (way.h) for the next packet, if it depends on nothing but the address: no
 * policy rules, one next hop, no DSCP. Here it is asked whether that still holds, and whether the
 * packet is one for it; all else is fast_route.c's.
 *
 * What a route says holds as long as the kernel has not changed any: it counts changes. Of IPv4
 * that is the whole answer. Of IPv6 routes are removed without being counted, but leave their
 * copies then; a link that loses its carrier is not counted; and a route is counted a moment
 * before it is there, so that one is asked for again every second.
 */
#ifndef _RINGLB_FAST_ROUTE_H
#define _RINGLB_FAST_ROUTE_H

#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>

#include <net/addrconf.h>
#include <net/arp.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ip_fib.h>
#include <net/ndisc.h>
#include <net/neighbour.h>
#include <net/route.h>

#include "backend.h"
#include "dev.h"
#include "ringlb.h"
#include "way.h"

/**
 * struct rlb_hop - the next one
 * @dst: the route; not held
 * @dev: out by this device
 * @neigh: to there
 */
struct rlb_hop {
	struct dst_entry *dst;
	struct net_device *dev;
	struct neighbour *neigh;
};

enum ringlb_dev_counter rlb_route_find_to4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					   struct rlb_hop *hop);
enum ringlb_dev_counter rlb_route_find_back4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					     struct rlb_hop *hop);
enum ringlb_dev_counter rlb_route_find_to6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					   struct rlb_hop *hop);
enum ringlb_dev_counter rlb_route_find_back6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					     struct rlb_hop *hop);
bool rlb_route_is_too_long(const struct sk_buff *skb, u32 most);

static inline bool rlb_neigh_is_valid(const struct neighbour *neigh)
{
	return READ_ONCE(neigh->nud_state) & NUD_VALID && !READ_ONCE(neigh->dead);
}

static inline bool rlb_route_has_dscp(const struct iphdr *iph)
{
	return iph->tos & ~INET_ECN_MASK;
}

/* This network, the loopback, multicast and beyond: told by the first byte */
static inline bool rlb_route_is_impossible4(__be32 saddr)
{
	u8 first = *(const u8 *)&saddr;

	return first == 0 || first == 127 || first >= 224;
}

static inline bool rlb_way_is_fresh4(const struct net *net, const struct rlb_way *way)
{
	return way->generation == rt_genid_ipv4(net) &&
	       READ_ONCE(way->dst->obsolete) == DST_OBSOLETE_FORCE_CHK;
}

/* The source is asked for no route: nothing is configured that wants that. */
static inline bool rlb_route_by_rule4(const struct net *net, struct in_device *in_dev)
{
	return IPV4_DEVCONF_ALL(net, RP_FILTER) || IN_DEV_CONF_GET(in_dev, RP_FILTER) ||
	       net->ipv4.fib_has_custom_local_routes || fib4_has_custom_rules(net) ||
	       fib_num_tclassid_users((struct net *)net);
}

/* Does a packet go by a way that was found before, as far as it and its device are concerned? */
static __always_inline bool rlb_way_is_for4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					    unsigned int len, const struct rlb_way *way,
					    const struct net_device *out)
{
	const struct net_device *in = pkt->skb->dev;
	struct in_device *in_dev = __in_dev_get_rcu(in);
	const struct net *net = dev_net(in);

	return in_dev && IN_DEV_FORWARD(in_dev) && !rlb_route_has_dscp(iph) &&
	       rlb_way_is_fresh4(net, way) && !rlb_route_by_rule4(net, in_dev) &&
	       !rlb_route_is_impossible4(iph->saddr) && !rlb_may_be_own(pkt->rn, iph->saddr) &&
	       out != in && (likely(len <= way->most) ||
			     !rlb_route_is_too_long(pkt->skb, way->most));
}

/**
 * rlb_route_to4() - to the packet's backend
 * @pkt: a packet from a client, steered
 * @iph: its header
 * @len: how long it is
 * @hop: out
 *
 * Return: RINGLB_DEV_UNSPEC, or why the stack has to see to it.
 */
static __always_inline enum ringlb_dev_counter
rlb_route_to4(const struct rlb_pkt *pkt, const struct iphdr *iph, unsigned int len,
	      struct rlb_hop *hop)
{
	const struct rlb_way_to *to = rcu_dereference(pkt->backend->way);

	if (unlikely(!to || !rlb_way_is_for4(pkt, iph, len, &to->way, to->neigh->dev) ||
		     !rlb_neigh_is_valid(to->neigh)))
		return rlb_route_find_to4(pkt, iph, hop);
	hop->dst = to->way.dst;
	hop->dev = to->neigh->dev;
	hop->neigh = to->neigh;
	return RINGLB_DEV_UNSPEC;
}

static inline struct neighbour *rlb_route_neigh4(const struct dst_entry *dst,
						 struct net_device *dev, __be32 daddr)
{
	const struct rtable *rt = container_of(dst, struct rtable, dst);

	if (rt->rt_gw_family == AF_INET)
		daddr = rt->rt_gw4;
	return __ipv4_neigh_lookup_noref(dev, (__force u32)daddr);
}

/**
 * rlb_route_back4() - to the packet's client
 * @pkt: a packet from a backend to a client; its tuple is the flow's
 * @iph: its header
 * @len: how long it is
 * @hop: out
 *
 * Return: RINGLB_DEV_UNSPEC, or why the stack has to see to it.
 */
static __always_inline enum ringlb_dev_counter
rlb_route_back4(const struct rlb_pkt *pkt, const struct iphdr *iph, unsigned int len,
	      struct rlb_hop *hop)
{
	const struct rlb_way_back *back = rlb_way_back_at(pkt->rn, AF_INET, &pkt->tuple.src);

	hop->dst = back->way.dst;
	if (unlikely(back->client.v4 != iph->daddr || !hop->dst))
		return rlb_route_find_back4(pkt, iph, hop);
	hop->dev = READ_ONCE(hop->dst->dev);
	if (unlikely(!rlb_way_is_for4(pkt, iph, len, &back->way, hop->dev)))
		return rlb_route_find_back4(pkt, iph, hop);
	hop->neigh = rlb_route_neigh4(hop->dst, hop->dev, iph->daddr);
	if (unlikely(!hop->neigh || !rlb_neigh_is_valid(hop->neigh)))
		return RINGLB_DEV_DECLINED_NEIGHBOUR;
	return RINGLB_DEV_UNSPEC;
}

/*
 * IPv6. There are no checks of the source beyond its kind, and no routes by traffic class; a
 * route may depend on the source where some do (subtrees).
 */

static inline bool rlb_route_by_rule6(const struct net *net)
{
	return fib6_has_custom_rules(net) || fib6_routes_require_src(net);
}

static inline bool rlb_way_is_fresh6(const struct net *net, const struct rlb_way *way)
{
	const struct rt6_info *rt = container_of(way->dst, struct rt6_info, dst);

	return way->generation == rt_genid_ipv6(net) && rcu_access_pointer(rt->from) &&
	       (u32)jiffies - way->found < HZ;
}

/* Global unicast addresses are told by their first bits; of others the kernel knows more. */
static inline bool rlb_route_may_come6(const struct in6_addr *saddr)
{
	int type;

	if (likely((saddr->s6_addr[0] & 0xe0) == 0x20))
		return true;
	type = ipv6_addr_type(saddr);
	return type != IPV6_ADDR_ANY &&
	       !(type & (IPV6_ADDR_MULTICAST | IPV6_ADDR_LOOPBACK | IPV6_ADDR_LINKLOCAL));
}

static inline bool rlb_route_may_forward6(const struct net *net, const struct net_device *dev)
{
	const struct inet6_dev *idev = __in6_dev_get(dev);

	return idev && !READ_ONCE(idev->cnf.disable_ipv6) &&
	       READ_ONCE(net->ipv6.devconf_all->forwarding) &&
	       !READ_ONCE(net->ipv6.devconf_all->proxy_ndp);
}

/* What all links of IPv6 take, no route's MTU has to be looked up for. */
static inline bool rlb_route_is_too_long6(const struct sk_buff *skb, unsigned int len,
					  const struct dst_entry *dst)
{
	u32 most;

	if (likely(len <= IPV6_MIN_MTU))
		return false;
	most = max_t(u32, rlb_mtu_forward6(dst), IPV6_MIN_MTU);
	return len > most && rlb_route_is_too_long(skb, most);
}

/* As rlb_way_is_for4() */
static __always_inline bool rlb_way_is_for6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					    unsigned int len, const struct rlb_way *way,
					    const struct net_device *out)
{
	const struct net_device *in = pkt->skb->dev;
	const struct net *net = dev_net(in);

	return rlb_route_may_forward6(net, in) && rlb_way_is_fresh6(net, way) &&
	       !rlb_route_by_rule6(net) && netif_carrier_ok(out) &&
	       rlb_route_may_come6(&iph->saddr) && out != in &&
	       !rlb_route_is_too_long6(pkt->skb, len, way->dst);
}

/**
 * rlb_route_to6() - rlb_route_to4() for IPv6
 * @pkt: as there
 * @iph: as there
 * @len: as there
 * @hop: out
 *
 * Return: as there.
 */
static __always_inline enum ringlb_dev_counter
rlb_route_to6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph, unsigned int len,
	      struct rlb_hop *hop)
{
	const struct rlb_way_to *to = rcu_dereference(pkt->backend->way);

	if (unlikely(!to || !rlb_way_is_for6(pkt, iph, len, &to->way, to->neigh->dev) ||
		     !rlb_neigh_is_valid(to->neigh)))
		return rlb_route_find_to6(pkt, iph, hop);
	hop->dst = to->way.dst;
	hop->dev = to->neigh->dev;
	hop->neigh = to->neigh;
	return RINGLB_DEV_UNSPEC;
}

static inline struct neighbour *rlb_route_neigh6(const struct dst_entry *dst,
						 struct net_device *dev,
						 const struct in6_addr *daddr)
{
	const struct rt6_info *rt = container_of(dst, struct rt6_info, dst);

	return __ipv6_neigh_lookup_noref(dev, rt6_nexthop(rt, daddr));
}

/**
 * rlb_route_back6() - rlb_route_back4() for IPv6
 * @pkt: as there
 * @iph: as there
 * @len: as there
 * @hop: out
 *
 * Return: as there.
 */
static __always_inline enum ringlb_dev_counter
rlb_route_back6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph, unsigned int len,
	      struct rlb_hop *hop)
{
	const struct rlb_way_back *back = rlb_way_back_at(pkt->rn, AF_INET6, &pkt->tuple.src);

	hop->dst = back->way.dst;
	if (unlikely(!hop->dst || memcmp(&back->client, &iph->daddr, sizeof(iph->daddr))))
		return rlb_route_find_back6(pkt, iph, hop);
	hop->dev = READ_ONCE(hop->dst->dev);
	if (unlikely(!rlb_way_is_for6(pkt, iph, len, &back->way, hop->dev)))
		return rlb_route_find_back6(pkt, iph, hop);
	hop->neigh = rlb_route_neigh6(hop->dst, hop->dev, &iph->daddr);
	if (unlikely(!hop->neigh || !rlb_neigh_is_valid(hop->neigh)))
		return RINGLB_DEV_DECLINED_NEIGHBOUR;
	return RINGLB_DEV_UNSPEC;
}

#endif /* _RINGLB_FAST_ROUTE_H */
