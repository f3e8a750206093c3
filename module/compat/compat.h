/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - the one place for differences between kernels
 *
 * Sources are written for the newest kernel; what an older one lacks is supplied here, by
 * what scripts/probe-kernel.sh found out (RLB_HAVE_*), never by a version number. Included
 * before everything else by Kbuild.
 */
#ifndef _RINGLB_COMPAT_H
#define _RINGLB_COMPAT_H

#include <linux/skbuff.h>
#include <linux/u64_stats_sync.h>
#include <linux/xfrm.h>
#include <net/flow.h>
#include <net/genetlink.h>
#include <net/inet_dscp.h>
#include <net/ip6_route.h>
#include <net/netfilter/ipv4/nf_defrag_ipv4.h>
#include <net/netfilter/ipv6/nf_defrag_ipv6.h>
#include <net/route.h>

#include "probed.h"

/* Of a local that is set field by field: some kernels have it cleared before. */
#if __has_attribute(__uninitialized__)
#define RLB_SET_LATER __attribute__((__uninitialized__))
#else
#define RLB_SET_LATER
#endif

/* skb_gso_validate_network_len(), skb_gso_segment(): in other headers before 6.5. */
#ifdef RLB_HAVE_GSO_H
#include <net/gso.h>
#endif

/* Readers of counters on 32-bit machines had to keep softirqs out themselves. */
#ifdef RLB_HAVE_FETCH_BEGIN_IRQ
#define rlb_stats_fetch_begin u64_stats_fetch_begin_irq
#define rlb_stats_fetch_retry u64_stats_fetch_retry_irq
#else
#define rlb_stats_fetch_begin u64_stats_fetch_begin
#define rlb_stats_fetch_retry u64_stats_fetch_retry
#endif

/* Attributes of a dump request: genl_info_dump() since 6.6. */
static inline struct nlattr **rlb_dump_attrs(struct netlink_callback *cb)
{
#ifdef RLB_HAVE_GENL_INFO_DUMP
	return genl_info_dump(cb)->attrs;
#else
	return genl_dumpit_info(cb)->attrs;
#endif
}

/* Who may listen to notices: checked by the kernel where a group can say it. */
#ifdef RLB_HAVE_MCGRP_CAP
#define RLB_MCGRP_ADMIN .flags = GENL_MCAST_CAP_NET_ADMIN,
#elif defined(RLB_HAVE_MCGRP_FLAGS)
#define RLB_MCGRP_ADMIN .flags = GENL_UNS_ADMIN_PERM,
#else
#define RLB_MCGRP_ADMIN
#endif

/* Since 6.1 the header's reserved fields are checked from this command on. */
#ifdef RLB_HAVE_RESV_START_OP
#define RLB_RESV_START_OP .resv_start_op = RINGLB_CMD_MAX + 1,
#else
#define RLB_RESV_START_OP
#endif

/* Defragmentation once on stayed on before 5.12. */
#ifndef RLB_HAVE_DEFRAG_DISABLE
static inline void nf_defrag_ipv4_disable(struct net *net)
{
}

static inline void nf_defrag_ipv6_disable(struct net *net)
{
}
#endif

/* Whose packet is answered by a reset: asked for since 5.11. */
#ifdef RLB_HAVE_REJECT_SOCK
#define rlb_send_reset nf_send_reset
#define rlb_send_reset6 nf_send_reset6
#else
#define rlb_send_reset(net, sk, skb, hook) nf_send_reset(net, skb, hook)
#define rlb_send_reset6(net, sk, skb, hook) nf_send_reset6(net, skb, hook)
#endif

/* All of the DSCP in routes: since 6.12; as a type of its own in flows: since 6.18. */
#ifndef IPTOS_RT_MASK
#define IPTOS_RT_MASK INET_DSCP_MASK
#endif

static inline void rlb_flow4_set_tos(struct flowi4 *fl4, u8 tos)
{
#ifdef RLB_HAVE_FLOW_TOS
	fl4->flowi4_tos = tos & IPTOS_RT_MASK;
#else
	fl4->flowi4_dscp = inet_dsfield_to_dscp(tos);
#endif
}

/* The MTU of a route for packets that are forwarded: this name since 5.14. */
static inline unsigned int rlb_mtu_forward6(const struct dst_entry *dst)
{
#ifdef RLB_HAVE_MTU_FORWARD6
	return ip6_dst_mtu_maybe_forward(dst, true);
#else
	return ip6_dst_mtu_forward(dst);
#endif
}

/* Is there any IPsec policy, or is what none covers to be dropped (since 5.14)? */
static inline bool rlb_xfrm_any(const struct net *net)
{
#ifdef CONFIG_XFRM
	if (net->xfrm.policy_count[XFRM_POLICY_FWD] | net->xfrm.policy_count[XFRM_POLICY_OUT])
		return true;
#ifdef RLB_HAVE_XFRM_DEFAULT
	return net->xfrm.policy_default[XFRM_POLICY_FWD] == XFRM_USERPOLICY_BLOCK ||
	       net->xfrm.policy_default[XFRM_POLICY_OUT] == XFRM_USERPOLICY_BLOCK;
#endif
#endif
	return false;
}

/* The time at which a packet came is not one at which it is to be sent: known since 5.18. */
static inline void rlb_clear_tstamp(struct sk_buff *skb)
{
#ifdef RLB_HAVE_CLEAR_TSTAMP
	skb_clear_tstamp(skb);
#else
	skb->tstamp = 0;
#endif
}

#endif /* _RINGLB_COMPAT_H */
