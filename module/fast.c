// SPDX-License-Identifier: GPL-2.0-only
/*
 * fast.c - the fast path: packets that the rules settle at once, past the stack
 *
 * In: what a device of dev.c receives, before the stack has looked at it. Out: a packet of a
 * service is sent to its backend, or its client; all others go on as they came, counted by
 * reason if they may be a service's. Softirq under rcu_read_lock().
 *
 * What is taken here would have gone the same way through the stack and left it the same, byte
 * for byte; it meets no chain of nftables or iptables and no conntrack. So the checks of
 * ip_rcv() and ip_forward() are made here, and nothing is written, counted or told before they
 * all are: whatever has something out of the ordinary is left to the stack, untouched.
 *
 *   is it a service's?	by addresses, then by service or backend	all other packets: no more
 *   link		addressed to us, untagged, nobody else's
 *   header		no options, whole, sums right, TTL left
 *   whom to?		steer.h, reply.h
 *   where to?		fast_route.h
 *   off		forward/nat.h, TTL, neighbour
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>

#include <net/dst.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/route.h>
#include <net/xfrm.h>

#include "dev.h"
#include "direct.h"
#include "fast.h"
#include "fast_route.h"
#include "forward/nat.h"
#include "netns.h"
#include "parse.h"
#include "reply.h"
#include "service.h"
#include "stats.h"
#include "steer.h"

/* What is known of a packet that is about to be taken */
struct fast {
	struct rlb_pkt pkt;
	struct rlb_pin *pin;
	struct rlb_hop hop;
	unsigned int len;	/* what its header says */
	bool is_reply;
};

static noinline unsigned int decline(const struct rlb_dev *d, enum ringlb_dev_counter why)
{
	rlb_dev_count(d, why);
	return NF_ACCEPT;
}

/* Whose address, if any service's, does it have? */
static __always_inline bool is_foreign(const struct rlb_net *rn, u8 family, const void *saddr,
				       const void *daddr)
{
	return !rlb_index_knows(&rn->vips, family, daddr) &&
	       !rlb_index_knows(&rn->reals, family, saddr);
}

/* Is it someone's who is further up in the stack, or does someone there want to see it? */
static bool is_claimed(const struct sk_buff *skb)
{
	return skb_dst(skb) || skb_shared(skb) || skb_nfct(skb) || skb_sec_path(skb) ||
	       skb_sk_is_prefetched((struct sk_buff *)skb) || rlb_xfrm_any(dev_net(skb->dev));
}

/* One that the receiving device has merged itself cannot be sent on. */
static bool is_lro(const struct sk_buff *skb)
{
	return skb_is_nonlinear(skb) && skb_shinfo(skb)->gso_size && !skb_shinfo(skb)->gso_type;
}

static enum ringlb_dev_counter check_link(const struct sk_buff *skb)
{
	if (unlikely(skb->pkt_type != PACKET_HOST))
		return RINGLB_DEV_DECLINED_ADDRESS;
	if (unlikely(skb_vlan_tag_present(skb)))
		return RINGLB_DEV_DECLINED_VLAN;
	if (unlikely(rcu_access_pointer(skb->dev->rx_handler) || netif_is_l3_slave(skb->dev)))
		return RINGLB_DEV_DECLINED_PORT;
	if (unlikely(is_claimed(skb) || is_lro(skb)))
		return RINGLB_DEV_DECLINED_OTHER;
	return RINGLB_DEV_UNSPEC;
}

static noinline enum ringlb_dev_counter why_not_plain4(const struct iphdr *iph)
{
	if (iph->version != 4 || iph->ihl < 5)
		return RINGLB_DEV_DECLINED_MALFORMED;
	if (ip_is_fragment(iph))
		return RINGLB_DEV_DECLINED_FRAGMENT;
	if (!rlb_is_common(iph->protocol))
		return RINGLB_DEV_DECLINED_PROTOCOL;
	return RINGLB_DEV_DECLINED_OPTIONS;
}

static noinline enum ringlb_dev_counter why_not_plain6(const struct ipv6hdr *iph)
{
	if (iph->version != 6)
		return RINGLB_DEV_DECLINED_MALFORMED;
	switch (iph->nexthdr) {
	case IPPROTO_HOPOPTS:
	case IPPROTO_ROUTING:
	case IPPROTO_FRAGMENT:
	case IPPROTO_DSTOPTS:
	case IPPROTO_AH:
		return RINGLB_DEV_DECLINED_OPTIONS;
	default:
		return RINGLB_DEV_DECLINED_PROTOCOL;
	}
}

/* Are packet and headers whole? They are in one piece then, and move if they were not. */
static bool pull(struct sk_buff *skb, unsigned int header, u8 proto, unsigned int len)
{
	unsigned int end = header + rlb_transport_len(proto);

	return len >= end && len <= skb->len && pskb_may_pull(skb, end);
}

static enum ringlb_dev_counter check_header4(struct sk_buff *skb, struct fast *f)
{
	const struct iphdr *iph = ip_hdr(skb);

	if (unlikely(!rlb_parse_is_plain4(iph)))
		return why_not_plain4(iph);
	f->len = ntohs(iph->tot_len);
	if (unlikely(ip_fast_csum(iph, 5) || !pull(skb, sizeof(*iph), iph->protocol, f->len)))
		return RINGLB_DEV_DECLINED_MALFORMED;
	iph = ip_hdr(skb);
	if (unlikely(iph->ttl <= 1))
		return RINGLB_DEV_DECLINED_TTL;
	rlb_parse_header4(&f->pkt, iph, sizeof(*iph));
	return RINGLB_DEV_UNSPEC;
}

static enum ringlb_dev_counter check_header6(struct sk_buff *skb, struct fast *f)
{
	const struct ipv6hdr *iph = ipv6_hdr(skb);

	if (unlikely(iph->version != 6 || !rlb_is_common(iph->nexthdr)))
		return why_not_plain6(iph);
	f->len = sizeof(*iph) + ntohs(iph->payload_len);
	if (unlikely(!pull(skb, sizeof(*iph), iph->nexthdr, f->len)))
		return RINGLB_DEV_DECLINED_MALFORMED;
	iph = ipv6_hdr(skb);
	if (unlikely(iph->hop_limit <= 1))
		return RINGLB_DEV_DECLINED_TTL;
	rlb_parse_header6(&f->pkt, iph);
	return RINGLB_DEV_UNSPEC;
}

static void read_ports(struct rlb_pkt *pkt)
{
	const __be16 *ports = (const __be16 *)(pkt->skb->data + pkt->l4);

	pkt->tuple.sport = ports[0];
	pkt->tuple.dport = ports[1];
}

/*
 * Does the tuple's source say that a request is a backend's, an answer to a backend? The stack
 * looks at those twice: an answer may be one when it leaves, a connection straight to a backend.
 */
static bool is_from_real(const struct rlb_pkt *pkt)
{
	const struct rlb_index *reals = &pkt->rn->reals;
	const struct rlb_tuple *t = &pkt->tuple;

	return unlikely(rlb_index_knows(reals, t->family, &t->src)) &&
	       rlb_real_find(pkt->rn, t->family, t->proto, &t->src, t->sport);
}

/* Whom is it to? @ours: is there a service or a backend of its addresses and ports? */
static enum ringlb_dev_counter steer(struct fast *f, bool *ours)
{
	struct rlb_pkt *pkt = &f->pkt;
	bool is_answer;

	read_ports(pkt);
	if (rlb_service_find(pkt) == RLB_NEXT) {
		*ours = true;
		if (is_from_real(pkt) || unlikely(!pkt->service->fast))
			return RINGLB_DEV_DECLINED_OTHER;
		pkt->backend = rlb_steer_settled(pkt, &f->pin);
		return pkt->backend ? RINGLB_DEV_UNSPEC : RINGLB_DEV_DECLINED_UNSETTLED;
	}
	f->is_reply = true;
	is_answer = rlb_reply_peek(pkt, &f->pin);
	*ours = pkt->backend;
	if (!is_answer)
		return RINGLB_DEV_DECLINED_NO_FLOW;
	if (is_from_real(pkt) || unlikely(!pkt->service->fast))
		return RINGLB_DEV_DECLINED_OTHER;
	return RINGLB_DEV_UNSPEC;
}

/*
 * Make it a packet that may be written to, with room for the header of its next link, and cut
 * off what the last one has filled it up with. All else has been decided: from here on nothing
 * fails, and what memory was too short for is still as it came.
 */
static bool prepare(struct fast *f)
{
	struct sk_buff *skb = f->pkt.skb;

	if (unlikely(skb_cow(skb, LL_RESERVED_SPACE(f->hop.dev) + f->hop.dst->header_len) ||
		     pskb_trim_rcsum(skb, f->len)))
		return false;
	skb_orphan(skb);
	skb_forward_csum(skb);
	return true;
}

/* The stack's own order of changes: of two sums that are equal, it takes the same. */
static enum rlb_verdict translate(struct fast *f)
{
	if (f->is_reply) {
		if (unlikely(f->pin))
			rlb_reply_tell(&f->pkt, f->pin);
		return rlb_nat_out(&f->pkt);
	}
	if (unlikely(f->pin))
		rlb_steer_tell(&f->pkt, f->pin);
	rlb_direct_yield(&f->pkt);
	return rlb_nat_in(&f->pkt);
}

/* Off it goes; the packet belongs to the neighbour's output now. */
static unsigned int send(struct fast *f)
{
	struct sk_buff *skb = f->pkt.skb;

	memset(skb->cb, 0, sizeof(skb->cb));
	rlb_clear_tstamp(skb);
	skb_dst_set_noref(skb, f->hop.dst);
	skb->dev = f->hop.dev;
	neigh_output(f->hop.neigh, skb, false);
	return NF_STOLEN;
}

static unsigned int take4(const struct rlb_dev *d, struct fast *f)
{
	struct sk_buff *skb = f->pkt.skb;
	const struct net *net = dev_net(skb->dev);

	if (!prepare(f))
		return decline(d, RINGLB_DEV_DECLINED_OTHER);
	if (f->is_reply)
		ip_decrease_ttl(ip_hdr(skb));
	if (unlikely(translate(f) != RLB_NEXT))
		return NF_DROP;
	if (!f->is_reply)
		ip_decrease_ttl(ip_hdr(skb));
	if (READ_ONCE(net->ipv4.sysctl_ip_fwd_update_priority))
		skb->priority = rt_tos2priority(ip_hdr(skb)->tos);
	rlb_dev_count(d, f->is_reply ? RINGLB_DEV_TAKEN_OUT : RINGLB_DEV_TAKEN_IN);
	return send(f);
}

static unsigned int take6(const struct rlb_dev *d, struct fast *f)
{
	if (!prepare(f))
		return decline(d, RINGLB_DEV_DECLINED_OTHER);
	if (unlikely(translate(f) != RLB_NEXT))
		return NF_DROP;
	ipv6_hdr(f->pkt.skb)->hop_limit--;
	rlb_dev_count(d, f->is_reply ? RINGLB_DEV_TAKEN_OUT : RINGLB_DEV_TAKEN_IN);
	return send(f);
}

/* What the two families have in common until the route is asked for */
static __always_inline enum ringlb_dev_counter look(struct fast *f, bool v4, bool *ours)
{
	struct sk_buff *skb = f->pkt.skb;
	enum ringlb_dev_counter why;

	why = check_link(skb);
	if (!why)
		why = v4 ? check_header4(skb, f) : check_header6(skb, f);
	if (why) {
		*ours = true;	/* for all that can be said */
		return why;
	}
	skb_set_transport_header(skb, f->pkt.l4);
	return steer(f, ours);
}

static unsigned int fast4(const struct rlb_dev *d, struct sk_buff *skb,
			  const struct nf_hook_state *state)
{
	struct fast f = { .pkt = { .skb = skb, .state = state, .rn = d->rn } };
	enum ringlb_dev_counter why;
	const struct iphdr *iph;
	bool ours = false;

	if (unlikely(!pskb_may_pull(skb, sizeof(*iph))))
		return NF_ACCEPT;
	iph = ip_hdr(skb);
	if (is_foreign(d->rn, AF_INET, &iph->saddr, &iph->daddr))
		return NF_ACCEPT;
	f.pkt.tuple.family = AF_INET;
	why = look(&f, true, &ours);
	if (!why) {
		iph = ip_hdr(skb);
		why = f.is_reply ? rlb_route_reply4(&f.pkt, iph, &f.hop) :
				   rlb_route_request4(&f.pkt, iph, &f.hop);
	}
	if (unlikely(why))
		return ours ? decline(d, why) : NF_ACCEPT;
	return take4(d, &f);
}

static unsigned int fast6(const struct rlb_dev *d, struct sk_buff *skb,
			  const struct nf_hook_state *state)
{
	struct fast f = { .pkt = { .skb = skb, .state = state, .rn = d->rn } };
	enum ringlb_dev_counter why;
	const struct ipv6hdr *iph;
	bool ours = false;

	if (unlikely(!pskb_may_pull(skb, sizeof(*iph))))
		return NF_ACCEPT;
	iph = ipv6_hdr(skb);
	if (is_foreign(d->rn, AF_INET6, &iph->saddr, &iph->daddr))
		return NF_ACCEPT;
	f.pkt.tuple.family = AF_INET6;
	why = look(&f, false, &ours);
	if (!why) {
		iph = ipv6_hdr(skb);
		why = f.is_reply ? rlb_route_reply6(&f.pkt, iph, &f.hop) :
				   rlb_route_request6(&f.pkt, iph, &f.hop);
	}
	if (unlikely(why))
		return ours ? decline(d, why) : NF_ACCEPT;
	return take6(d, &f);
}

/**
 * rlb_fast() - the hook on a device
 * @priv: struct rlb_dev
 * @skb: what it has received
 * @state: what the netfilter core says
 *
 * Return: NF_STOLEN if the packet has been sent on, else mostly NF_ACCEPT.
 */
unsigned int rlb_fast(void *priv, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct rlb_dev *d = priv;

	if (skb->protocol == htons(ETH_P_IP))
		return fast4(d, skb, state);
	if (skb->protocol == htons(ETH_P_IPV6))
		return fast6(d, skb, state);
	return NF_ACCEPT;
}

static bool is_of_service(struct rlb_net *rn, struct sk_buff *skb,
			  const struct nf_hook_state *state)
{
	struct rlb_pkt pkt = { .skb = skb, .state = state, .rn = rn };
	struct rlb_pin *pin;

	if (rlb_parse(&pkt) != RLB_NEXT)
		return false;
	return rlb_service_find(&pkt) == RLB_NEXT || rlb_reply_peek(&pkt, &pin);
}

/**
 * rlb_fast_untrack() - conntrack must not see half of a flow
 * @rn: the namespace; it has devices with the fast path
 * @skb: a packet at PRE_ROUTING, before conntrack
 * @state: what the netfilter core says
 *
 * A packet of a service that comes by one of these devices and was declined is not tracked.
 */
void rlb_fast_untrack(struct rlb_net *rn, struct sk_buff *skb, const struct nf_hook_state *state)
{
	if (skb_nfct(skb) || !rlb_dev_has(rn, state->in))
		return;
	if (!(rlb_match_sizes(rn, state->pf) & RLB_MATCH_PREFIX) &&
	    rlb_parse_is_foreign(skb, state->pf, &rn->vips, false) &&
	    rlb_parse_is_foreign(skb, state->pf, &rn->reals, true))
		return;
	if (is_of_service(rn, skb, state))
		nf_ct_set(skb, NULL, IP_CT_UNTRACKED);
}
