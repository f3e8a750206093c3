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
 *   is it plain?	no options, whole
 *   a service's?	by address and port		all other packets: no more
 *   link		addressed to us, untagged, nobody else's
 *   header		sum right, TTL left
 *   whom to?		steer.h, reply.h
 *   where to?		fast_route.h
 *   off		forward/rewrite.h, TTL, neighbour
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
#include <net/xfrm.h>

#include "dev.h"
#include "direct.h"
#include "fast.h"
#include "fast_route.h"
#include "forward/rewrite.h"
#include "netns.h"
#include "parse.h"
#include "reply.h"
#include "service.h"
#include "stats.h"
#include "steer.h"

/*
 * All of it is put into one function for each family, and what is known at one place is not
 * asked for at the next. What is rare stands apart.
 */

static noinline unsigned int decline(const struct rlb_dev *d, enum ringlb_dev_counter why)
{
	rlb_dev_count(d, why);
	return NF_ACCEPT;
}

/* Is its address surely no service's? */
static noinline bool is_foreign(const struct rlb_net *rn, const struct sk_buff *skb, bool v4)
{
	u8 family = v4 ? AF_INET : AF_INET6;
	const void *saddr = v4 ? (const void *)&ip_hdr(skb)->saddr : &ipv6_hdr(skb)->saddr;
	const void *daddr = v4 ? (const void *)&ip_hdr(skb)->daddr : &ipv6_hdr(skb)->daddr;

	return !rlb_index_knows(&rn->vips, family, daddr) &&
	       !rlb_index_knows(&rn->reals, family, saddr);
}

/* Is it someone's who is further up in the stack, or does someone there want to see it? */
static __always_inline bool is_claimed(const struct sk_buff *skb)
{
	return skb->_skb_refdst || skb_shared(skb) || skb_nfct(skb) || skb_sec_path(skb) ||
	       skb_sk_is_prefetched((struct sk_buff *)skb) || rlb_xfrm_any(dev_net(skb->dev));
}

/* One that the receiving device has merged itself cannot be sent on. */
static __always_inline bool is_lro(const struct sk_buff *skb)
{
	return skb_is_nonlinear(skb) && skb_shinfo(skb)->gso_size && !skb_shinfo(skb)->gso_type;
}

static __always_inline enum ringlb_dev_counter check_link(const struct sk_buff *skb)
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
static __always_inline bool pull(struct sk_buff *skb, unsigned int header, u8 proto,
				 unsigned int len)
{
	unsigned int end = header + rlb_common_len(proto);

	return len >= end && len <= skb->len && pskb_may_pull(skb, end);
}

/* Its length as its header says; @why: why it is not to be read on, if it is not */
static __always_inline unsigned int len_of(struct sk_buff *skb, bool v4,
					   enum ringlb_dev_counter *why)
{
	unsigned int header = v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	unsigned int len;
	u8 proto;

	if (v4) {
		if (unlikely(!rlb_parse_is_plain4(ip_hdr(skb))))
			*why = why_not_plain4(ip_hdr(skb));
		len = ntohs(ip_hdr(skb)->tot_len);
		proto = ip_hdr(skb)->protocol;
	} else {
		if (unlikely(ipv6_hdr(skb)->version != 6 || !rlb_is_common(ipv6_hdr(skb)->nexthdr)))
			*why = why_not_plain6(ipv6_hdr(skb));
		len = header + ntohs(ipv6_hdr(skb)->payload_len);
		proto = ipv6_hdr(skb)->nexthdr;
	}
	if (likely(!*why) && unlikely(!pull(skb, header, proto, len)))
		*why = RINGLB_DEV_DECLINED_MALFORMED;
	return len;
}

/* The rest of what is to be right about the header */
static __always_inline enum ringlb_dev_counter check_header(const struct sk_buff *skb, bool v4)
{
	if (v4 && unlikely(ip_fast_csum(ip_hdr(skb), 5)))
		return RINGLB_DEV_DECLINED_MALFORMED;
	if (unlikely((v4 ? ip_hdr(skb)->ttl : ipv6_hdr(skb)->hop_limit) <= 1))
		return RINGLB_DEV_DECLINED_TTL;
	return RINGLB_DEV_UNSPEC;
}

/* What other rooms want to know of the packet, which begins with its network header here */
static __always_inline void describe(struct rlb_pkt *pkt, struct sk_buff *skb, struct rlb_net *rn,
				     const struct nf_hook_state *state, bool v4)
{
	struct rlb_tuple *t = &pkt->tuple;
	const __be16 *ports;

	pkt->skb = skb;
	pkt->rn = rn;
	pkt->state = state;
	if (v4) {
		memset(&t->src, 0, sizeof(t->src));
		memset(&t->dst, 0, sizeof(t->dst));
		t->src.v4 = ip_hdr(skb)->saddr;
		t->dst.v4 = ip_hdr(skb)->daddr;
		t->proto = ip_hdr(skb)->protocol;
	} else {
		memcpy(&t->src, &ipv6_hdr(skb)->saddr, sizeof(t->src));
		memcpy(&t->dst, &ipv6_hdr(skb)->daddr, sizeof(t->dst));
		t->proto = ipv6_hdr(skb)->nexthdr;
	}
	t->family = v4 ? AF_INET : AF_INET6;
	pkt->l4 = v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	pkt->plain_end = ~0U;
	/* and from there to the end, nothing */
	memset((u8 *)pkt + offsetof(struct rlb_pkt, quoted), 0,
	       sizeof(*pkt) - offsetof(struct rlb_pkt, quoted));
	ports = (const __be16 *)(skb->data + pkt->l4);
	t->sport = ports[0];
	t->dport = ports[1];
}

/*
 * Does the tuple's source say that a request is a backend's, an answer to a backend? The stack
 * looks at those twice: an answer may be one when it leaves, a connection straight to a backend.
 */
static __always_inline bool is_from_real(const struct rlb_pkt *pkt, u8 family)
{
	const struct rlb_index *reals = &pkt->rn->reals;
	const struct rlb_tuple *t = &pkt->tuple;

	return unlikely(rlb_index_knows(reals, family, &t->src)) &&
	       rlb_real_find(pkt->rn, family, t->proto, &t->src, t->sport);
}

/*
 * Make it a packet that may be written to, with room for the header of its next link, and cut
 * off what the last one has filled it up with. All else has been decided: from here on nothing
 * fails, and what memory was too short for is still as it came.
 */
static __always_inline bool prepare(struct sk_buff *skb, unsigned int len,
				    const struct rlb_hop *hop)
{
	if (unlikely(skb_cow(skb, LL_RESERVED_SPACE(hop->dev) + hop->dst->header_len) ||
		     pskb_trim_rcsum(skb, len)))
		return false;
	skb_orphan(skb);
	return true;
}

/* As by rlb_rewrite(), of a packet that is prepared: it does not fail. */
static __always_inline void rewrite(struct rlb_pkt *pkt, enum rlb_side side,
				    const union rlb_addr *addr, __be16 port)
{
	bool shared = rlb_sum_is_shared(pkt->skb);

	if (likely(!shared)) {
		rlb_rewrite_headers(pkt, side, addr, port, false);
		return;
	}
	rlb_rewrite_other(pkt, side, addr, port);
	skb_forward_csum(pkt->skb);
}

static __always_inline void hop_down(struct sk_buff *skb, bool v4)
{
	if (v4)
		ip_decrease_ttl(ip_hdr(skb));
	else
		ipv6_hdr(skb)->hop_limit--;
}

/* What the stack would leave in the packet beside its bytes */
static __always_inline void mark_forwarded(struct sk_buff *skb, bool v4)
{
	int iif = skb->dev->ifindex;

	if (v4) {
		memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
		IPCB(skb)->iif = iif;
		if (READ_ONCE(dev_net(skb->dev)->ipv4.sysctl_ip_fwd_update_priority))
			skb->priority = rt_tos2priority(ip_hdr(skb)->tos);
	} else {
		memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
		IP6CB(skb)->iif = iif;
	}
	rlb_clear_tstamp(skb);
}

/* Off it goes; the packet belongs to the neighbour's output now. */
static __always_inline unsigned int send(struct sk_buff *skb, const struct rlb_hop *hop)
{
	skb_dst_set_noref(skb, hop->dst);
	skb->dev = hop->dev;
	neigh_output(hop->neigh, skb, false);
	return NF_STOLEN;
}

/* To a backend: steered, routed, rewritten and then sent, in the stack's order of changes. */
static __always_inline unsigned int request(const struct rlb_dev *d, struct rlb_pkt *pkt,
					    unsigned int len, bool v4)
{
	struct sk_buff *skb = pkt->skb;
	enum ringlb_dev_counter why;
	struct rlb_pin *pin = NULL;
	struct rlb_hop hop RLB_SET_LATER;

	if (is_from_real(pkt, v4 ? AF_INET : AF_INET6) || unlikely(!pkt->service->fast))
		return decline(d, RINGLB_DEV_DECLINED_OTHER);
	pkt->backend = rlb_steer_settled(pkt, &pin);
	if (unlikely(!pkt->backend))
		return decline(d, RINGLB_DEV_DECLINED_UNSETTLED);
	why = v4 ? rlb_route_to4(pkt, ip_hdr(skb), len, &hop) :
		   rlb_route_to6(pkt, ipv6_hdr(skb), len, &hop);
	if (unlikely(why))
		return decline(d, why);
	if (!prepare(skb, len, &hop))
		return decline(d, RINGLB_DEV_DECLINED_OTHER);
	if (unlikely(pin))
		rlb_steer_tell(pkt, pin);
	rlb_direct_yield(pkt);
	rewrite(pkt, RLB_DESTINATION, &pkt->backend->node.addr, pkt->backend->node.port);
	rlb_count_bytes(pkt, RINGLB_COUNTER_PACKETS_IN, len);
	hop_down(skb, v4);
	mark_forwarded(skb, v4);
	rlb_dev_count(d, RINGLB_DEV_TAKEN_IN);
	return send(skb, &hop);
}

/* To a client, likewise; what is not a backend's is none of ours. */
static __always_inline unsigned int reply(const struct rlb_dev *d, struct rlb_pkt *pkt,
					  unsigned int len, bool v4)
{
	struct sk_buff *skb = pkt->skb;
	enum ringlb_dev_counter why;
	struct rlb_pin *pin;
	struct rlb_hop hop RLB_SET_LATER;

	if (!rlb_reply_peek(pkt, &pin))
		return pkt->backend ? decline(d, RINGLB_DEV_DECLINED_NO_FLOW) : NF_ACCEPT;
	if (is_from_real(pkt, v4 ? AF_INET : AF_INET6) || unlikely(!pkt->service->fast))
		return decline(d, RINGLB_DEV_DECLINED_OTHER);
	why = v4 ? rlb_route_back4(pkt, ip_hdr(skb), len, &hop) :
		   rlb_route_back6(pkt, ipv6_hdr(skb), len, &hop);
	if (unlikely(why))
		return decline(d, why);
	if (!prepare(skb, len, &hop))
		return decline(d, RINGLB_DEV_DECLINED_OTHER);
	if (unlikely(pin))
		rlb_reply_tell(pkt, pin);
	hop_down(skb, v4);
	rewrite(pkt, RLB_SOURCE, &pkt->tuple.dst, pkt->tuple.dport);
	rlb_count_bytes(pkt, RINGLB_COUNTER_PACKETS_OUT, len);
	mark_forwarded(skb, v4);
	rlb_dev_count(d, RINGLB_DEV_TAKEN_OUT);
	return send(skb, &hop);
}

/* Link and header are looked at last, when it is known that it is a service's. */
static __always_inline enum ringlb_dev_counter check(const struct sk_buff *skb, bool v4)
{
	return check_link(skb) ?: check_header(skb, v4);
}

static __always_inline unsigned int take(const struct rlb_dev *d, struct sk_buff *skb,
					 const struct nf_hook_state *state, bool v4)
{
	enum ringlb_dev_counter why = RINGLB_DEV_UNSPEC;
	unsigned int len = len_of(skb, v4, &why);
	struct rlb_pkt pkt RLB_SET_LATER;
	bool is_request;

	if (unlikely(why))
		return is_foreign(d->rn, skb, v4) ? NF_ACCEPT : decline(d, why);
	describe(&pkt, skb, d->rn, state, v4);
	is_request = rlb_service_find(&pkt) == RLB_NEXT;
	if (!is_request && !rlb_index_knows(&d->rn->reals, pkt.tuple.family, &pkt.tuple.src))
		return NF_ACCEPT;
	why = check(skb, v4);
	if (unlikely(why))
		return decline(d, why);
	skb_set_transport_header(skb, pkt.l4);
	return is_request ? request(d, &pkt, len, v4) : reply(d, &pkt, len, v4);
}

static noinline unsigned int fast4(const struct rlb_dev *d, struct sk_buff *skb,
				   const struct nf_hook_state *state)
{
	return likely(pskb_may_pull(skb, sizeof(struct iphdr))) ? take(d, skb, state, true) :
								 NF_ACCEPT;
}

static noinline unsigned int fast6(const struct rlb_dev *d, struct sk_buff *skb,
				   const struct nf_hook_state *state)
{
	return likely(pskb_may_pull(skb, sizeof(struct ipv6hdr))) ? take(d, skb, state, false) :
								   NF_ACCEPT;
}

/**
 * rlb_fast() - the hook on a device
 * @priv: struct rlb_dev
 * @skb: what it has received
 * @state: what the netfilter core says
 *
 * Return: NF_STOLEN if the packet has been sent on, else NF_ACCEPT.
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
	if (!(rlb_match_sizes(rn, state->pf) & (RLB_MATCH_PREFIX | RLB_MATCH_MARK)) &&
	    rlb_parse_is_foreign(skb, state->pf, &rn->vips, false) &&
	    rlb_parse_is_foreign(skb, state->pf, &rn->reals, true))
		return;
	if (is_of_service(rn, skb, state))
		nf_ct_set(skb, NULL, IP_CT_UNTRACKED);
}
