// SPDX-License-Identifier: GPL-2.0-only
/*
 * none.c - what senders are told when no backend takes their packets
 *
 * In: a packet of a service, dropped for want of a backend. Out: a TCP reset, an ICMP error as
 * from a closed port, or to SCTP and other protocols as from a host without it, if the service
 * wants that, by the kernel's own helpers. They check what they answer: sums, a unicast sender, a
 * route back. The packet stays the netfilter core's.
 * Softirq or process context under rcu_read_lock().
 */
#include <linux/atomic.h>
#include <linux/icmp.h>
#include <linux/icmpv6.h>
#include <linux/if_packet.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>

#include <net/netfilter/ipv4/nf_reject.h>
#include <net/netfilter/ipv6/nf_reject.h>

#include "forward/transit.h"
#include "none.h"
#include "service.h"
#include "stats.h"
#include "steer.h"

static void reset(const struct rlb_pkt *pkt)
{
	const struct nf_hook_state *state = pkt->state;

	if (state->pf == NFPROTO_IPV4)
		rlb_send_reset(state->net, state->sk, pkt->skb, state->hook);
	else
		rlb_send_reset6(state->net, state->sk, pkt->skb, state->hook);
}

static void unreach(const struct rlb_pkt *pkt)
{
	const struct nf_hook_state *state = pkt->state;

	if (state->pf == NFPROTO_IPV4)
		nf_send_unreach(pkt->skb, ICMP_PORT_UNREACH, state->hook);
	else
		nf_send_unreach6(state->net, pkt->skb, ICMPV6_PORT_UNREACH, state->hook);
}

/*
 * As from a host that does not speak it. RFC 9260, section 10: of all errors, an endpoint of SCTP
 * gives up its association for these alone. netfilter's helper takes most protocols to have the sum
 * that TCP has, so the others' senders are told as by a router.
 */
static void deny_protocol(const struct rlb_pkt *pkt)
{
	const struct nf_hook_state *state = pkt->state;

	if (state->pf != NFPROTO_IPV4)
		rlb_transit_tell6(pkt->skb, state->net, ICMPV6_PARAMPROB, ICMPV6_UNK_NEXTHDR,
				  offsetof(struct ipv6hdr, nexthdr));
	else if (pkt->tuple.proto == IPPROTO_SCTP)
		nf_send_unreach(pkt->skb, ICMP_PROT_UNREACH, state->hook);
	else
		rlb_transit_tell4(pkt->skb, state->net, ICMP_DEST_UNREACH, ICMP_PROT_UNREACH, 0);
}

/*
 * Errors and resets are answered by nothing, nor is what the link's broadcast brought: many
 * gateways may have it.
 */
static bool wants_answer(const struct rlb_pkt *pkt)
{
	struct rlb_segment seg;

	if (pkt->skb->pkt_type != PACKET_HOST)
		return false;
	rlb_steer_says(pkt, &seg);
	return seg.kind != RLB_KIND_ERROR && seg.kind != RLB_KIND_RST;
}

/* At most RINGLB_REJECTS_MAX a second, a few more while processors disagree on the second. */
static bool is_within_limit(struct rlb_service *svc)
{
	u32 now = rlb_seconds();

	if (READ_ONCE(svc->rejects_at) != now) {
		WRITE_ONCE(svc->rejects_at, now);	/* pairs with the line above */
		atomic_set(&svc->rejects, 0);
	}
	return atomic_read(&svc->rejects) < RINGLB_REJECTS_MAX &&
	       atomic_inc_return(&svc->rejects) <= RINGLB_REJECTS_MAX;
}

/**
 * rlb_none() - tell a sender that no backend takes its packet
 * @pkt: the packet, dropped and counted
 *
 * A socket of this host learns it by the error alone, unless its connection is older than
 * that: then it needs the reset. SCTP does not look at the error of a send.
 *
 * Return: -errno for a sender on this host.
 */
int rlb_none(const struct rlb_pkt *pkt)
{
	u8 proto = pkt->tuple.proto;

	if (READ_ONCE(pkt->service->config.none) == RINGLB_NONE_DROP || !wants_answer(pkt))
		return -EHOSTUNREACH;
	if (!is_within_limit(pkt->service)) {
		rlb_count(pkt->service->stats, RINGLB_COUNTER_REJECTS_LIMITED);
		return -ECONNREFUSED;
	}
	rlb_count(pkt->service->stats, RINGLB_COUNTER_REJECTED);
	if (proto == IPPROTO_TCP)
		reset(pkt);
	else if (proto != IPPROTO_UDP)
		deny_protocol(pkt);
	else if (pkt->state->hook != NF_INET_LOCAL_OUT)
		unreach(pkt);
	return -ECONNREFUSED;
}
