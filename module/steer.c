// SPDX-License-Identifier: GPL-2.0-only
/*
 * steer.c - from a flow to a backend
 *
 * In: a packet and its service. Out: a backend, or a drop. Nothing is remembered: the same
 * flow meets the same backend as long as the table and the states are the same.
 * Softirq or process context under rcu_read_lock(); reads the published table, writes only
 * counters.
 */
#include "sabotage.h"
#include "service.h"
#include "stats.h"
#include "steer.h"
#include "table.h"

/**
 * rlb_steer_tuple() - which backend takes a flow
 * @table: a table; caller holds rcu_read_lock() or cfg_lock
 * @flow: the flow, from client to VIP
 * @choice: out: slot, owner, member and number of probes
 *
 * Return: the backend, NULL if none takes flows.
 */
struct rlb_backend *rlb_steer_tuple(const struct rlb_table *table, const struct rlb_tuple *flow,
				    struct rlb_choice *choice)
{
	rlb_choose(&table->view, rlb_key_hash(&table->secret, table->key, flow), choice);
	return choice->member < 0 ? NULL : table->backend[choice->member];
}

/**
 * rlb_steer() - choose the backend of a packet on its way to a VIP
 * @pkt: the packet and its service; @pkt->backend is set
 *
 * Return: RLB_NEXT or RLB_DROP.
 */
enum rlb_verdict rlb_steer(struct rlb_pkt *pkt)
{
	const struct rlb_table *table = rcu_dereference(pkt->service->table);
	struct rlb_choice choice;

	pkt->backend = rlb_steer_tuple(table, &pkt->tuple, &choice);
	if (!pkt->backend)
		return rlb_drop(pkt, RINGLB_COUNTER_DROP_NO_BACKEND);
	if (choice.probes > 1)
		rlb_count(pkt->service->stats, RINGLB_COUNTER_LOOKED_AGAIN);
	if (rlb_sabotaged(RLB_SABOTAGE_WRONG_SLOT))
		pkt->backend = table->backend[(choice.member + 1) % table->view.n];
	return RLB_NEXT;
}
