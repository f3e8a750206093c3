// SPDX-License-Identifier: GPL-2.0-only
/*
 * nat.c - mode nat: the destination of requests is rewritten, and the source of replies
 *
 * In: a packet, its service and its backend. Out: the packet rewritten, or dropped if its
 * headers cannot be made writable. Softirq or process context under rcu_read_lock().
 */
#include "../backend.h"
#include "../service.h"
#include "../stats.h"
#include "nat.h"
#include "rewrite.h"

/**
 * rlb_nat_in() - send a request to its backend
 * @pkt: the packet, steered
 *
 * Return: RLB_NEXT or RLB_DROP.
 */
enum rlb_verdict rlb_nat_in(struct rlb_pkt *pkt)
{
	const struct rlb_backend *to = pkt->backend;

	if (rlb_rewrite(pkt, RLB_DESTINATION, &to->node.addr, rlb_backend_port(to, &pkt->tuple)))
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY);
	rlb_count_traffic(pkt, RINGLB_COUNTER_PACKETS_IN);
	return RLB_NEXT;
}

/**
 * rlb_nat_out() - make a reply come from the VIP
 * @pkt: the packet, recognised by reply.c
 *
 * Return: RLB_NEXT or RLB_DROP.
 */
enum rlb_verdict rlb_nat_out(struct rlb_pkt *pkt)
{
	const struct rlb_tuple *flow = &pkt->tuple;

	if (rlb_rewrite(pkt, RLB_SOURCE, &flow->dst, flow->dport))
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_MEMORY);
	rlb_count_traffic(pkt, RINGLB_COUNTER_PACKETS_OUT);
	return RLB_NEXT;
}
