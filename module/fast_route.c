// SPDX-License-Identifier: GPL-2.0-only
/*
 * fast_route.c - where a packet goes from here, asked of the kernel
 *
 * In: a packet at ingress, its addresses and its backend, for which fast_route.h has no answer.
 * Out: route, device and neighbour, or the reason why the stack has to see to it:
 * RINGLB_DEV_DECLINED_*. Softirq under rcu_read_lock(); writes nothing but what way.h keeps.
 *
 * The answer is the one that ip_route_input() and ip_forward() would come to, sources checked
 * as fib_validate_source() does; where that would take more than is done here, the packet is
 * declined. Routes are those that the kernel keeps for packets of the normal path at each next
 * hop, so the first packet after a change is the stack's, which makes them.
 */
#include <net/ip.h>
#include <net/nexthop.h>

#include "fast_route.h"

#define DECLINED_NOT RINGLB_DEV_UNSPEC

/**
 * rlb_route_is_too_long() - for a route: one that is merged goes by the length of its segments
 * @skb: a packet that is longer than the most
 * @most: that a route takes
 *
 * Return: true if the stack has to see to it.
 */
bool rlb_route_is_too_long(const struct sk_buff *skb, u32 most)
{
	return !skb_is_gso(skb) || !skb_gso_validate_network_len(skb, most);
}

/*
 * Addresses and ports by which the stack would route a packet; @back: the way to the source, if
 * there is one that was found before
 */
struct ends {
	__be32 saddr;
	__be32 daddr;
	__be16 sport;
	__be16 dport;
	const struct rlb_way *back;
};

/*
 * The way there: the kernel's route of the next hop, if there is one hop and no exception. The
 * change of a route is counted after it: so count before the look.
 */
static noinline bool lookup4(const struct rlb_pkt *pkt, const struct iphdr *iph,
			     const struct ends *ends, struct rlb_way *way)
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
	struct fib_result res;
	struct rtable *rt;

	way->generation = rt_genid_ipv4(net);
	rlb_flow4_set_tos(&fl4, iph->tos);
	if (fib_lookup(net, &fl4, &res, 0) || res.type != RTN_UNICAST)
		return false;
	if (fib_info_num_path(res.fi) > 1 || rcu_access_pointer(res.nhc->nhc_exceptions))
		return false;
	rt = rcu_dereference(res.nhc->nhc_rth_input);
	if (!rt || rt->rt_genid != way->generation || rt->dst.lwtstate ||
	    rt->rt_gw_family == AF_INET6)
		return false;
	way->dst = &rt->dst;
	way->most = ip_dst_mtu_maybe_forward(way->dst, true);
	return rlb_way_is_fresh4(net, way);
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

/* Is a way one for all packets to the address, and up to date? Those with DSCP have others. */
static bool is_kept4(const struct rlb_pkt *pkt, const struct iphdr *iph,
		     const struct rlb_way *way)
{
	const struct net *net = dev_net(pkt->skb->dev);

	return way->dst && !rlb_route_has_dscp(iph) && !fib4_has_custom_rules(net) &&
	       rlb_way_is_fresh4(net, way);
}

static const struct rlb_way_to *kept_to4(const struct rlb_pkt *pkt, const struct iphdr *iph)
{
	const struct rlb_way_to *to = rcu_dereference(pkt->backend->way);

	return to && is_kept4(pkt, iph, &to->way) ? to : NULL;
}

static const struct rlb_way *kept_back4(const struct rlb_pkt *pkt, const struct iphdr *iph)
{
	const union rlb_addr *client = &pkt->tuple.src;
	const struct rlb_way_back *back = rlb_way_back_at(pkt->rn, AF_INET, client);

	return back->client.v4 == client->v4 && is_kept4(pkt, iph, &back->way) ? &back->way : NULL;
}

/* A packet that came from where packets to its source go is from there, by any rule. */
static bool is_from_there(const struct rlb_pkt *pkt, const struct ends *ends)
{
	return ends->back && READ_ONCE(ends->back->dst->dev) == pkt->skb->dev;
}

/* rlb_may_be_own() errs now and then: a client's address may fall on the bit of one of ours. */
static bool is_own4(const struct rlb_pkt *pkt, __be32 addr)
{
	return rlb_may_be_own(pkt->rn, addr) &&
	       __ip_dev_find(dev_net(pkt->skb->dev), addr, false);
}

/* As fib_validate_source() has it, or stricter */
static bool may_come4(const struct rlb_pkt *pkt, const struct iphdr *iph, const struct ends *ends,
		      struct in_device *in_dev, const struct net_device *out)
{
	if (rlb_route_is_impossible4(ends->saddr) || is_own4(pkt, ends->saddr))
		return false;
	return !rlb_route_by_rule4(dev_net(out), in_dev) || is_from_there(pkt, ends) ||
	       is_source_sound4(pkt, iph, ends, in_dev, out);
}

/* May the packet go from device to device, is it small enough, and does somebody live there? */
static enum ringlb_dev_counter hop4(const struct rlb_pkt *pkt, const struct iphdr *iph,
				    const struct ends *ends, const struct rlb_way *way,
				    struct rlb_hop *hop)
{
	const struct sk_buff *skb = pkt->skb;
	struct in_device *in_dev = __in_dev_get_rcu(skb->dev);

	hop->dst = way->dst;
	hop->dev = READ_ONCE(hop->dst->dev);
	if (!may_come4(pkt, iph, ends, in_dev, hop->dev))
		return RINGLB_DEV_DECLINED_SOURCE;
	if (hop->dev == skb->dev && IN_DEV_TX_REDIRECTS(in_dev))
		return RINGLB_DEV_DECLINED_ROUTE;
	if (ntohs(iph->tot_len) > way->most && rlb_route_is_too_long(skb, way->most))
		return RINGLB_DEV_DECLINED_MTU;
	hop->neigh = rlb_route_neigh4(hop->dst, hop->dev, ends->daddr);
	if (!hop->neigh || !rlb_neigh_is_valid(hop->neigh))
		return RINGLB_DEV_DECLINED_NEIGHBOUR;
	return DECLINED_NOT;
}

static bool may_forward4(const struct rlb_pkt *pkt)
{
	struct in_device *in_dev = __in_dev_get_rcu(pkt->skb->dev);

	return in_dev && IN_DEV_FORWARD(in_dev);
}

/**
 * rlb_route_find_to4() - rlb_route_to4() of any packet
 * @pkt: as there
 * @iph: as there
 * @hop: as there
 *
 * Return: as there.
 */
enum ringlb_dev_counter rlb_route_find_to4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					   struct rlb_hop *hop)
{
	const struct rlb_index_node *node = &pkt->backend->node;
	const struct rlb_way_to *kept = kept_to4(pkt, iph);
	const struct ends ends = {
		iph->saddr, node->addr.v4, pkt->tuple.sport, node->port, kept_back4(pkt, iph)
	};
	enum ringlb_dev_counter why;
	struct rlb_way way;

	if (!may_forward4(pkt))
		return RINGLB_DEV_DECLINED_FORWARDING;
	if (kept)
		way = kept->way;
	else if (!lookup4(pkt, iph, &ends, &way))
		return RINGLB_DEV_DECLINED_ROUTE;
	why = hop4(pkt, iph, &ends, &way, hop);
	if (!why && (!kept || kept->neigh != hop->neigh) && is_kept4(pkt, iph, &way))
		rlb_way_to_set(pkt->backend, &way, hop->neigh);
	return why;
}

/**
 * rlb_route_find_back4() - rlb_route_back4() of any packet
 * @pkt: as there
 * @iph: as there
 * @hop: as there
 *
 * Return: as there.
 */
enum ringlb_dev_counter rlb_route_find_back4(const struct rlb_pkt *pkt, const struct iphdr *iph,
					     struct rlb_hop *hop)
{
	const struct rlb_way *kept = kept_back4(pkt, iph);
	const struct rlb_way_to *to = kept_to4(pkt, iph);
	const struct ends ends = {
		iph->saddr, iph->daddr, pkt->backend->node.port, pkt->tuple.sport,
		to ? &to->way : NULL
	};
	struct rlb_way way;

	if (!may_forward4(pkt))
		return RINGLB_DEV_DECLINED_FORWARDING;
	if (kept)
		return hop4(pkt, iph, &ends, kept, hop);
	if (!lookup4(pkt, iph, &ends, &way))
		return RINGLB_DEV_DECLINED_ROUTE;
	if (is_kept4(pkt, iph, &way))
		rlb_way_back_set(rlb_way_back_at(pkt->rn, AF_INET, &pkt->tuple.src),
				 &pkt->tuple.src, &way);
	return hop4(pkt, iph, &ends, &way, hop);
}

/* One next hop, for as long as it is said to be? */
static bool is_lasting6(const struct rt6_info *rt)
{
	const struct fib6_info *from = rcu_dereference(rt->from);

	return from && !from->fib6_nsiblings && !from->nh &&
	       !(rt->rt6i_flags & (RTF_CACHE | RTF_EXPIRES));
}

static noinline bool lookup6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
			     const struct in6_addr *daddr, __be16 sport, __be16 dport,
			     struct rlb_way *way)
{
	const struct sk_buff *skb = pkt->skb;
	struct net *net = dev_net(skb->dev);
	struct flowi6 fl6 = {
		.flowi6_iif = skb->dev->ifindex,
		.daddr = *daddr,
		.saddr = iph->saddr,
		.flowlabel = ip6_flowinfo(iph),
		.flowi6_mark = skb->mark,
		.flowi6_proto = iph->nexthdr,
		.fl6_sport = sport,
		.fl6_dport = dport,
	};
	const struct rt6_info *rt;

	way->generation = rt_genid_ipv6(net);
	way->found = jiffies;
	way->dst = ip6_route_input_lookup(net, skb->dev, &fl6, NULL,
					  RT6_LOOKUP_F_HAS_SADDR | RT6_LOOKUP_F_DST_NOREF);
	rt = container_of(way->dst, struct rt6_info, dst);
	return !way->dst->error && !way->dst->lwtstate &&
	       !(rt->rt6i_flags & (RTF_LOCAL | RTF_ANYCAST | RTF_REJECT));
}

/* One for all packets to that address? */
static bool may_keep6(const struct rlb_pkt *pkt, const struct rlb_way *way)
{
	return !rlb_route_by_rule6(dev_net(pkt->skb->dev)) && netif_carrier_ok(way->dst->dev) &&
	       is_lasting6(container_of(way->dst, struct rt6_info, dst));
}

static enum ringlb_dev_counter hop6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
				    const struct in6_addr *daddr, struct dst_entry *dst,
				    struct rlb_hop *hop)
{
	hop->dst = dst;
	hop->dev = READ_ONCE(dst->dev);
	if (hop->dev == pkt->skb->dev)	/* a redirect may be due */
		return RINGLB_DEV_DECLINED_ROUTE;
	if (!rlb_route_may_come6(&iph->saddr))
		return RINGLB_DEV_DECLINED_SOURCE;
	if (rlb_route_is_too_long6(pkt->skb, sizeof(*iph) + ntohs(iph->payload_len), dst))
		return RINGLB_DEV_DECLINED_MTU;
	hop->neigh = rlb_route_neigh6(dst, hop->dev, daddr);
	if (!hop->neigh || !rlb_neigh_is_valid(hop->neigh))
		return RINGLB_DEV_DECLINED_NEIGHBOUR;
	return DECLINED_NOT;
}

static bool may_forward6(const struct rlb_pkt *pkt)
{
	const struct net_device *dev = pkt->skb->dev;

	return rlb_route_may_forward6(dev_net(dev), dev);
}

/**
 * rlb_route_find_to6() - rlb_route_to6() of any packet
 * @pkt: as there
 * @iph: as there
 * @hop: as there
 *
 * Return: as there.
 */
enum ringlb_dev_counter rlb_route_find_to6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					   struct rlb_hop *hop)
{
	const struct rlb_index_node *node = &pkt->backend->node;
	const struct in6_addr *daddr = (const struct in6_addr *)&node->addr;
	enum ringlb_dev_counter why;
	struct rlb_way way;

	if (!may_forward6(pkt))
		return RINGLB_DEV_DECLINED_FORWARDING;
	if (!lookup6(pkt, iph, daddr, pkt->tuple.sport, node->port, &way))
		return RINGLB_DEV_DECLINED_ROUTE;
	why = hop6(pkt, iph, daddr, way.dst, hop);
	if (!why && may_keep6(pkt, &way))
		rlb_way_to_set(pkt->backend, &way, hop->neigh);
	return why;
}

/**
 * rlb_route_find_back6() - rlb_route_back6() of any packet
 * @pkt: as there
 * @iph: as there
 * @hop: as there
 *
 * Return: as there.
 */
enum ringlb_dev_counter rlb_route_find_back6(const struct rlb_pkt *pkt, const struct ipv6hdr *iph,
					     struct rlb_hop *hop)
{
	const union rlb_addr *client = &pkt->tuple.src;
	struct rlb_way way;

	if (!may_forward6(pkt))
		return RINGLB_DEV_DECLINED_FORWARDING;
	if (!lookup6(pkt, iph, &iph->daddr, pkt->backend->node.port, pkt->tuple.sport, &way))
		return RINGLB_DEV_DECLINED_ROUTE;
	if (may_keep6(pkt, &way))
		rlb_way_back_set(rlb_way_back_at(pkt->rn, AF_INET6, client), client, &way);
	return hop6(pkt, iph, &iph->daddr, way.dst, hop);
}
