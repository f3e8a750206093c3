// SPDX-License-Identifier: GPL-2.0-only
/*
 * fast_route.c - where a packet goes from here, asked for as cheaply as can be
 *
 * In: a packet at ingress, its addresses and its backend. Out: route, device and neighbour, or
 * the reason why the stack has to see to it: RINGLB_DEV_DECLINED_*. Softirq under
 * rcu_read_lock(); writes nothing but what way.h keeps.
 *
 * The answer is the one that ip_route_input() and ip_forward() would come to, sources checked
 * as fib_validate_source() does; where that would take more than is done here, the packet is
 * declined. Routes are those that the kernel keeps for packets of the normal path at each next
 * hop, so the first packet after a change is the stack's, which makes them.
 *
 * A route is kept (way.h) for the next packet, if it depends on nothing but the address: no
 * policy rules, one next hop, no DSCP. What it says holds as long as the kernel has not changed
 * any route, or the MTU of a device: that is asked for each packet.
 */
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>

#include <net/addrconf.h>
#include <net/arp.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ip_fib.h>
#include <net/ndisc.h>
#include <net/nexthop.h>
#include <net/route.h>

#include "backend.h"
#include "dev.h"
#include "fast_route.h"
#include "way.h"

#define DECLINED_NOT RINGLB_DEV_UNSPEC

/* Does a route say what the kernel's routes said when they were of that generation? */
static bool is_of4(const struct dst_entry *dst, int generation)
{
	return READ_ONCE(dst->obsolete) == DST_OBSOLETE_FORCE_CHK &&
	       container_of(dst, struct rtable, dst)->rt_genid == generation;
}

static bool is_fresh4(const struct net *net, const struct dst_entry *dst)
{
	return is_of4(dst, rt_genid_ipv4(net));
}

static bool has_dscp4(const struct iphdr *iph)
{
	return iph->tos & ~INET_ECN_MASK;
}

/* Addresses and ports by which the stack would route a packet */
struct ends {
	__be32 saddr;
	__be32 daddr;
	__be16 sport;
	__be16 dport;
};

/* The way there: the kernel's route of the next hop, if there is one hop and no exception. */
static noinline struct dst_entry *lookup4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					  const struct ends *ends)
{
	const struct sk_buff *skb = pkt->skb;
	struct net *net = dev_net(skb->dev);
	struct flowi4 fl4 = {
		.flowi4_iif = skb->dev->ifindex,
		.flowi4_mark = skb->mark,
		.flowi4_scope = RT_SCOPE_UNIVERSE,
		.flowi4_proto = iph->protocol,
		.flowi4_uid = sock_net_uid(net, NULL),
		.saddr = ends->saddr,
		.daddr = ends->daddr,
		.fl4_sport = ends->sport,
		.fl4_dport = ends->dport,
	};
	int generation = rt_genid_ipv4(net);	/* before the look: a change bumps it afterwards */
	struct fib_result res;
	struct rtable *rt;

	rlb_flow4_set_tos(&fl4, iph->tos);
	if (fib_lookup(net, &fl4, &res, 0) || res.type != RTN_UNICAST)
		return NULL;
	if (fib_info_num_path(res.fi) > 1 || rcu_access_pointer(res.nhc->nhc_exceptions))
		return NULL;
	rt = rcu_dereference(res.nhc->nhc_rth_input);
	if (!rt || !is_of4(&rt->dst, generation) || rt->dst.lwtstate)
		return NULL;
	return &rt->dst;
}

/* This network, the loopback, multicast and beyond: told by the first byte */
static bool is_impossible4(__be32 saddr)
{
	u8 first = *(const u8 *)&saddr;

	return first == 0 || first == 127 || first >= 224;
}

/* Is the way back to the source by where the packet came from, as far as that is asked? */
static noinline bool is_source_sound4(const struct rlb_pkt *pkt, const struct iphdr *iph,
				      const struct ends *ends, struct in_device *in_dev,
				      const struct net_device *out)
{
	u32 rp_filter = IN_DEV_RPFILTER(in_dev);
	const struct sk_buff *skb = pkt->skb;
	struct net *net = dev_net(skb->dev);
	struct flowi4 fl4 = {
		.flowi4_iif = out->ifindex,
		.flowi4_mark = IN_DEV_SRC_VMARK(in_dev) ? skb->mark : 0,
		.flowi4_scope = RT_SCOPE_UNIVERSE,
		.flowi4_proto = iph->protocol,
		.flowi4_uid = sock_net_uid(net, NULL),
		.saddr = ends->daddr,
		.daddr = ends->saddr,
		.fl4_sport = ends->dport,
		.fl4_dport = ends->sport,
	};
	struct fib_result res;

	rlb_flow4_set_tos(&fl4, iph->tos);
	if (fib_lookup(net, &fl4, &res, 0) || res.type != RTN_UNICAST)
		return false;
	if (fib_info_nh_uses_dev(res.fi, skb->dev))
		return true;
	return !rp_filter || (rp_filter != 1 && rcu_access_pointer(in_dev->ifa_list));
}

/* rlb_may_be_own() errs now and then: a client's address may fall on the bit of one of ours. */
static noinline bool is_own4(struct net *net, __be32 addr)
{
	return __ip_dev_find(net, addr, false);
}

/* The route to the packet's backend, if it is up to date; packets with DSCP have others. */
static const struct rlb_way *way_to4(const struct rlb_pkt *pkt)
{
	const struct rlb_way_to *to = rcu_dereference(pkt->backend->way);

	return likely(to && is_fresh4(dev_net(pkt->skb->dev), to->way.dst)) ? &to->way : NULL;
}

/* A packet that came from where packets to its backend go is from there, by any rule. */
static bool is_from_backend4(const struct rlb_pkt *pkt, const struct iphdr *iph)
{
	const struct rlb_way *way = has_dscp4(iph) ? NULL : way_to4(pkt);

	return way && READ_ONCE(way->dst->dev) == pkt->skb->dev;
}

/* As fib_validate_source() has it, or stricter */
static __always_inline bool may_come4(const struct rlb_pkt *pkt, const struct iphdr *iph,
				      const struct ends *ends, struct in_device *in_dev,
				      const struct net_device *out, bool is_reply)
{
	struct net *net = dev_net(pkt->skb->dev);

	if (unlikely(is_impossible4(ends->saddr)))
		return false;
	if (unlikely(rlb_may_be_own(pkt->rn, ends->saddr)) && is_own4(net, ends->saddr))
		return false;
	if (likely(!IN_DEV_RPFILTER(in_dev) && !net->ipv4.fib_has_custom_local_routes &&
		   !fib4_has_custom_rules(net) && !fib_num_tclassid_users(net)))
		return true;
	return (is_reply && is_from_backend4(pkt, iph)) ||
	       is_source_sound4(pkt, iph, ends, in_dev, out);
}

/* One that is merged goes by the length of its segments. */
static noinline bool is_too_long(const struct sk_buff *skb, u32 most)
{
	return !skb_is_gso(skb) || !skb_gso_validate_network_len(skb, most);
}

/* May the packet go from device to device, is it small enough, and does somebody live there? */
static __always_inline enum ringlb_dev_counter
hop4(const struct rlb_pkt *pkt, const struct iphdr *iph, struct in_device *in_dev, u32 most,
     __be32 daddr, struct rlb_hop *hop)
{
	const struct rtable *rt = container_of(hop->dst, struct rtable, dst);
	const struct sk_buff *skb = pkt->skb;

	if (unlikely(hop->dev == skb->dev) && IN_DEV_TX_REDIRECTS(in_dev))
		return RINGLB_DEV_DECLINED_ROUTE;
	if (unlikely(ntohs(iph->tot_len) > most) && is_too_long(skb, most))
		return RINGLB_DEV_DECLINED_MTU;
	if (rt->rt_gw_family == AF_INET)
		daddr = rt->rt_gw4;
	else if (unlikely(rt->rt_gw_family))
		return RINGLB_DEV_DECLINED_ROUTE;
	hop->neigh = __ipv4_neigh_lookup_noref(hop->dev, (__force u32)daddr);
	if (unlikely(!hop->neigh || !(READ_ONCE(hop->neigh->nud_state) & NUD_VALID)))
		return RINGLB_DEV_DECLINED_NEIGHBOUR;
	return DECLINED_NOT;
}

/* Ask for a route. Return: does it depend on the address alone? */
static bool find4(const struct rlb_pkt *pkt, const struct iphdr *iph, const struct ends *ends,
		  struct rlb_way *way)
{
	way->dst = lookup4(pkt, iph, ends);
	if (!way->dst)
		return false;
	way->most = ip_dst_mtu_maybe_forward(way->dst, true);
	return !has_dscp4(iph) && !fib4_has_custom_rules(dev_net(pkt->skb->dev));
}

static noinline struct rlb_way find_to4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					const struct ends *ends)
{
	struct rlb_way way;

	if (find4(pkt, iph, ends, &way))
		rlb_way_to_set(pkt->backend, &way);
	return way;
}

static noinline struct rlb_way find_back4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					  const struct ends *ends, struct rlb_way_back *back)
{
	struct rlb_way way;

	if (find4(pkt, iph, ends, &way))
		rlb_way_back_set(back, &pkt->tuple.src, &way);
	return way;
}

static __always_inline struct rlb_way to_backend4(const struct rlb_pkt *pkt,
						  const struct iphdr *iph,
						  const struct ends *ends)
{
	const struct rlb_way *way = way_to4(pkt);

	return likely(way && !has_dscp4(iph)) ? *way : find_to4(pkt, iph, ends);
}

static __always_inline struct rlb_way to_client4(const struct rlb_pkt *pkt,
						 const struct iphdr *iph,
						 const struct ends *ends)
{
	struct rlb_way_back *back = rlb_way_back_at(pkt->rn, AF_INET, &pkt->tuple.src);

	if (likely(back->client.v4 == ends->daddr && back->way.dst && !has_dscp4(iph) &&
		   is_fresh4(dev_net(pkt->skb->dev), back->way.dst)))
		return back->way;
	return find_back4(pkt, iph, ends, back);
}

static __always_inline enum ringlb_dev_counter
route4(const struct rlb_pkt *pkt, const struct iphdr *iph, const struct ends *ends, bool is_reply,
       struct rlb_hop *hop)
{
	struct in_device *in_dev = __in_dev_get_rcu(pkt->skb->dev);
	struct rlb_way way;

	if (unlikely(!in_dev || !IN_DEV_FORWARD(in_dev)))
		return RINGLB_DEV_DECLINED_FORWARDING;
	way = is_reply ? to_client4(pkt, iph, ends) : to_backend4(pkt, iph, ends);
	if (unlikely(!way.dst))
		return RINGLB_DEV_DECLINED_ROUTE;
	hop->dst = way.dst;
	hop->dev = READ_ONCE(hop->dst->dev);
	if (unlikely(!may_come4(pkt, iph, ends, in_dev, hop->dev, is_reply)))
		return RINGLB_DEV_DECLINED_SOURCE;
	return hop4(pkt, iph, in_dev, way.most, ends->daddr, hop);
}

/**
 * rlb_route_request4() - to the packet's backend
 * @pkt: a packet from a client, steered
 * @iph: its header
 * @hop: out
 *
 * Return: RINGLB_DEV_UNSPEC, or why the stack has to see to it.
 */
enum ringlb_dev_counter rlb_route_request4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					   struct rlb_hop *hop)
{
	const struct rlb_index_node *to = &pkt->backend->node;
	const struct ends ends = { iph->saddr, to->addr.v4, pkt->tuple.sport, to->port };

	return route4(pkt, iph, &ends, false, hop);
}

/**
 * rlb_route_reply4() - to the packet's client
 * @pkt: a packet from a backend to a client; its tuple is the flow's
 * @iph: its header
 * @hop: out
 *
 * Return: RINGLB_DEV_UNSPEC, or why the stack has to see to it.
 */
enum ringlb_dev_counter rlb_route_reply4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					 struct rlb_hop *hop)
{
	const struct ends ends = {
		iph->saddr, iph->daddr, pkt->backend->node.port, pkt->tuple.sport
	};

	return route4(pkt, iph, &ends, true, hop);
}

/*
 * IPv6. There are no checks of the source beyond its kind, and no routes by traffic class; a
 * route may depend on the source where some do (subtrees).
 */

static bool depends_on_address_alone6(const struct net *net)
{
	return !fib6_has_custom_rules(net) && !fib6_routes_require_src(net);
}

/*
 * Is a route that was found before up to date? The cookie stays when a link loses its carrier,
 * and it changes a moment later than the routes: so a route is asked for again now and then.
 */
static bool is_fresh6(const struct net *net, const struct rlb_way *way)
{
	return depends_on_address_alone6(net) && (u32)jiffies - way->found < HZ &&
	       dst_check(way->dst, way->cookie) && netif_carrier_ok(READ_ONCE(way->dst->dev));
}

/* One next hop, for as long as it is said to be? */
static bool is_lasting6(const struct rt6_info *rt)
{
	const struct fib6_info *from = rcu_dereference(rt->from);

	return from && !from->fib6_nsiblings && !from->nh &&
	       !(rt->rt6i_flags & (RTF_CACHE | RTF_EXPIRES));
}

static noinline struct dst_entry *lookup6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					  const struct in6_addr *saddr,
					  const struct in6_addr *daddr, __be16 sport, __be16 dport)
{
	const struct sk_buff *skb = pkt->skb;
	struct flowi6 fl6 = {
		.flowi6_iif = skb->dev->ifindex,
		.daddr = *daddr,
		.saddr = *saddr,
		.flowlabel = ip6_flowinfo(iph),
		.flowi6_mark = skb->mark,
		.flowi6_proto = iph->nexthdr,
		.fl6_sport = sport,
		.fl6_dport = dport,
	};
	struct dst_entry *dst;
	const struct rt6_info *rt;

	dst = ip6_route_input_lookup(dev_net(skb->dev), skb->dev, &fl6, NULL,
				     RT6_LOOKUP_F_HAS_SADDR | RT6_LOOKUP_F_DST_NOREF);
	rt = container_of(dst, struct rt6_info, dst);
	if (dst->error || rt->rt6i_flags & (RTF_LOCAL | RTF_ANYCAST | RTF_REJECT) || dst->lwtstate)
		return NULL;
	return dst;
}

/* Ask for a route. Return: does it depend on the address alone? */
static bool find6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
		  const struct in6_addr *daddr, __be16 sport, __be16 dport, struct rlb_way *way)
{
	const struct rt6_info *rt;

	way->dst = lookup6(pkt, iph, &iph->saddr, daddr, sport, dport);
	if (!way->dst)
		return false;
	rt = container_of(way->dst, struct rt6_info, dst);
	way->cookie = rt6_get_cookie(rt);
	way->found = jiffies;
	return depends_on_address_alone6(dev_net(pkt->skb->dev)) && is_lasting6(rt);
}

static noinline struct dst_entry *find_to6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph)
{
	const struct rlb_index_node *to = &pkt->backend->node;
	struct rlb_way way;

	if (find6(pkt, iph, (const struct in6_addr *)&to->addr, pkt->tuple.sport, to->port, &way))
		rlb_way_to_set(pkt->backend, &way);
	return way.dst;
}

static noinline struct dst_entry *find_back6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					     struct rlb_way_back *back)
{
	struct rlb_way way;

	if (find6(pkt, iph, &iph->daddr, pkt->backend->node.port, pkt->tuple.sport, &way))
		rlb_way_back_set(back, &pkt->tuple.src, &way);
	return way.dst;
}

static struct dst_entry *to_backend6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph)
{
	const struct rlb_way_to *to = rcu_dereference(pkt->backend->way);

	if (likely(to && is_fresh6(dev_net(pkt->skb->dev), &to->way)))
		return to->way.dst;
	return find_to6(pkt, iph);
}

static struct dst_entry *to_client6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph)
{
	struct rlb_way_back *back = rlb_way_back_at(pkt->rn, AF_INET6, &pkt->tuple.src);

	if (likely(back->way.dst && !memcmp(&back->client, &iph->daddr, sizeof(iph->daddr)) &&
		   is_fresh6(dev_net(pkt->skb->dev), &back->way)))
		return back->way.dst;
	return find_back6(pkt, iph, back);
}

/* Global unicast addresses are told by their first bits; of others the kernel knows more. */
static bool may_come6(const struct in6_addr *saddr)
{
	int type;

	if (likely((saddr->s6_addr[0] & 0xe0) == 0x20))
		return true;
	type = ipv6_addr_type(saddr);
	return type != IPV6_ADDR_ANY &&
	       !(type & (IPV6_ADDR_MULTICAST | IPV6_ADDR_LOOPBACK | IPV6_ADDR_LINKLOCAL));
}

static bool may_forward6(const struct net_device *dev)
{
	const struct net *net = dev_net(dev);
	const struct inet6_dev *idev = __in6_dev_get(dev);

	return idev && !READ_ONCE(idev->cnf.disable_ipv6) &&
	       READ_ONCE(net->ipv6.devconf_all->forwarding) &&
	       !READ_ONCE(net->ipv6.devconf_all->proxy_ndp);
}

/* What all links of IPv6 take, no route's MTU has to be looked up for. */
static bool is_too_long6(const struct sk_buff *skb, const struct ipv6hdr *iph,
			 const struct dst_entry *dst)
{
	u32 len = sizeof(*iph) + ntohs(iph->payload_len);
	u32 most;

	if (likely(len <= IPV6_MIN_MTU))
		return false;
	most = max_t(u32, rlb_mtu_forward6(dst), IPV6_MIN_MTU);
	return len > most && is_too_long(skb, most);
}

static enum ringlb_dev_counter hop6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
				    const struct in6_addr *daddr, struct rlb_hop *hop)
{
	const struct rt6_info *rt = container_of(hop->dst, struct rt6_info, dst);

	hop->dev = READ_ONCE(hop->dst->dev);
	if (unlikely(hop->dev == pkt->skb->dev))	/* a redirect may be due */
		return RINGLB_DEV_DECLINED_ROUTE;
	if (unlikely(!may_come6(&iph->saddr)))
		return RINGLB_DEV_DECLINED_SOURCE;
	if (unlikely(is_too_long6(pkt->skb, iph, hop->dst)))
		return RINGLB_DEV_DECLINED_MTU;
	hop->neigh = __ipv6_neigh_lookup_noref(hop->dev, rt6_nexthop(rt, daddr));
	if (unlikely(!hop->neigh || !(READ_ONCE(hop->neigh->nud_state) & NUD_VALID)))
		return RINGLB_DEV_DECLINED_NEIGHBOUR;
	return DECLINED_NOT;
}

/**
 * rlb_route_request6() - to the packet's backend
 * @pkt: a packet from a client, steered
 * @iph: its header
 * @hop: out
 *
 * Return: RINGLB_DEV_UNSPEC, or why the stack has to see to it.
 */
enum ringlb_dev_counter rlb_route_request6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					   struct rlb_hop *hop)
{
	if (!may_forward6(pkt->skb->dev))
		return RINGLB_DEV_DECLINED_FORWARDING;
	hop->dst = to_backend6(pkt, iph);
	if (!hop->dst)
		return RINGLB_DEV_DECLINED_ROUTE;
	return hop6(pkt, iph, (const struct in6_addr *)&pkt->backend->node.addr, hop);
}

/**
 * rlb_route_reply6() - to the packet's client
 * @pkt: a packet from a backend to a client; its tuple is the flow's
 * @iph: its header
 * @hop: out
 *
 * Return: RINGLB_DEV_UNSPEC, or why the stack has to see to it.
 */
enum ringlb_dev_counter rlb_route_reply6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					 struct rlb_hop *hop)
{
	if (!may_forward6(pkt->skb->dev))
		return RINGLB_DEV_DECLINED_FORWARDING;
	hop->dst = to_client6(pkt, iph);
	if (!hop->dst)
		return RINGLB_DEV_DECLINED_ROUTE;
	return hop6(pkt, iph, &iph->daddr, hop);
}
