// SPDX-License-Identifier: GPL-2.0-only
/*
 * history.c - the ledger of changes: what each has moved, and what became of flows since
 *
 * In: changes, when they are in force. Out: entries, for requests that ask and those who
 * listen. A ring of RLB_HISTORY_MAX entries a namespace, made with its first change; ends with
 * the namespace. Process context under cfg_lock; may sleep.
 *
 * Flows are counted by the service's own counters, of which an entry keeps what they were: the
 * difference to the service's next entry, or to now, is what its change has caused.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "history.h"
#include "nl/nl.h"
#include "stats.h"
#include "table.h"

static struct rlb_entry *entry_at(const struct rlb_net *rn, u64 number)
{
	return &rn->history[number % RLB_HISTORY_MAX];
}

static void flows_so_far(const struct rlb_service *svc, u64 *pinned, u64 *lost)
{
	u64 sum[RLB_COUNTERS_ALL];

	rlb_stats_sum(svc->stats, RLB_COUNTERS_ALL, sum);
	*pinned = sum[RINGLB_COUNTER_PINNED];
	*lost = sum[RINGLB_COUNTER_LOST];
}

/**
 * rlb_history_add() - a change of a service is in force
 * @svc: the service; cfg_lock held
 * @event: enum ringlb_event
 *
 * The entry has the slots that have moved since the last one. Without memory for the ring
 * nothing is recorded.
 */
void rlb_history_add(struct rlb_service *svc, u32 event)
{
	const struct rlb_table *t = rlb_table_locked(svc);
	struct rlb_net *rn = svc->rn;
	struct rlb_entry *e;

	if (!rn->history)
		rn->history = kvcalloc(RLB_HISTORY_MAX, sizeof(*e), GFP_KERNEL_ACCOUNT);
	if (!rn->history)
		return;
	e = entry_at(rn, ++rn->history_last);
	*e = (struct rlb_entry){
		.number = rn->history_last,
		.time = ktime_get_real_seconds(),
		.id = svc->id,
		.event = event,
		.generation = svc->generation,
		.slots = 1U << t->view.bits,
		.moved = event == RINGLB_EVENT_SETTLED ? svc->followed : svc->moved,
		.pending = t->pending,
	};
	memcpy(e->service, svc->config.name, sizeof(e->service));
	flows_so_far(svc, &e->pinned, &e->lost);
	svc->moved = 0;
	svc->followed = 0;
	rlb_notify_history(rn, e);
}

/* The service's next entry, if there is one. */
static const struct rlb_entry *successor(const struct rlb_net *rn, const struct rlb_entry *e)
{
	u64 number;

	for (number = e->number + 1; number <= rn->history_last; number++)
		if (entry_at(rn, number)->id == e->id)
			return entry_at(rn, number);
	return NULL;
}

/* What the flow counters were when the entry's time was over. */
static void flows_until(struct rlb_net *rn, const struct rlb_entry *e, u64 *pinned, u64 *lost)
{
	const struct rlb_entry *next = successor(rn, e);
	const struct rlb_service *svc;

	*pinned = e->pinned;
	*lost = e->lost;
	if (next) {
		*pinned = next->pinned;
		*lost = next->lost;
		return;
	}
	svc = xa_load(&rn->services, e->id);
	if (svc)
		flows_so_far(svc, pinned, lost);
}

/**
 * rlb_history_next() - walk over the entries, the oldest first
 * @rn: the namespace; cfg_lock held
 * @number: in: the last one that was seen, 0 at first; out: this one
 * @entry: out: a copy, whose @pinned and @lost are those since its change and until the
 *	service's next one
 *
 * Return: false if there are no more.
 */
bool rlb_history_next(struct rlb_net *rn, u64 *number, struct rlb_entry *entry)
{
	u64 first = rn->history_last > RLB_HISTORY_MAX ? rn->history_last - RLB_HISTORY_MAX + 1 : 1;
	u64 pinned, lost;

	*number = max(*number + 1, first);
	if (*number > rn->history_last)
		return false;
	*entry = *entry_at(rn, *number);
	flows_until(rn, entry, &pinned, &lost);
	entry->pinned = pinned - entry->pinned;
	entry->lost = lost - entry->lost;
	return true;
}

/**
 * rlb_history_exit() - the namespace goes away
 * @rn: the namespace
 */
void rlb_history_exit(struct rlb_net *rn)
{
	kvfree(rn->history);
}
