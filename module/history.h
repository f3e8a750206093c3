/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - the ledger of changes: what each has moved, and what became of flows since
 */
#ifndef _RINGLB_HISTORY_H
#define _RINGLB_HISTORY_H

#include "service.h"

#define RLB_HISTORY_MAX 512	/* entries of a namespace; the oldest go first */

/**
 * struct rlb_entry - a change that is in force
 * @number: counts the changes of a namespace, from 1
 * @time: seconds since 1970
 * @service: name, padded with NULs; empty: of all services
 * @id: the service's number
 * @event: enum ringlb_event
 * @generation: of the service, after the change
 * @slots: of the service
 * @moved: slots that have another owner at once, or after settling
 * @pending: slots that are to follow
 * @pinned: flows of the service that had been remembered before it, since the service began
 * @lost: those that could not be kept, likewise
 */
struct rlb_entry {
	u64 number;
	u64 time;
	char service[RINGLB_NAME_MAX + 1];
	u32 id;
	u32 event;
	u32 generation;
	u32 slots;
	u32 moved;
	u32 pending;
	u64 pinned;
	u64 lost;
};

void rlb_history_add(struct rlb_service *svc, u32 event);
bool rlb_history_next(struct rlb_net *rn, u64 *number, struct rlb_entry *entry);
void rlb_history_exit(struct rlb_net *rn);

#endif /* _RINGLB_HISTORY_H */
