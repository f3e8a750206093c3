// SPDX-License-Identifier: GPL-2.0-only
/*
 * slow.c - slow start: one that comes takes its flows little by little
 *
 * In: changes of backends; time. Out: what share of the new flows that come to it a backend
 * takes (rlb_backend.accepts). Process context under cfg_lock.
 *
 * The share never falls while a backend stays up: a flow that it has taken once it takes each
 * time. A flow that it does not take yet looks again and is remembered with whom it finds, so
 * that it stays there when the share has risen. No table is built: lookup/choose.h reads the
 * share. It is settle.c's work that lets it rise, once a second, and that ends with the
 * namespace; what it needs to know is the backend's and the service's, and ends with them.
 */
#include "service.h"
#include "slow.h"

/* Do the flows of its slots come to it? */
static bool is_in(const struct rlb_backend_item *item)
{
	return item->weight && item->state == RINGLB_STATE_UP;
}

static bool is_rising(const struct rlb_backend_item *item)
{
	return item->backend->accepts < RLB_SHARE_ALL;
}

static u32 passed(const struct rlb_backend_item *item)
{
	return rlb_seconds() - item->backend->came;
}

/* True if the share is another one now. */
static bool rise(const struct rlb_backend_item *item)
{
	u32 share = rlb_share_rise(passed(item), item->slow_start);

	if (share <= item->backend->accepts)
		return false;
	item->backend->accepts = share;
	return true;
}

static void follow(const struct rlb_backend_item *item, bool comes, bool alone)
{
	struct rlb_backend *b = item->backend;

	if (comes) {
		b->came = rlb_seconds();
		b->accepts = 0;
	}
	if (!is_in(item) || (comes && alone))
		b->accepts = RLB_SHARE_ALL;
	if (is_rising(item))
		rise(item);
}

/**
 * rlb_slow_follow() - a change of backends comes into force
 * @before: the backends of a service before it
 * @after: and after it; cfg_lock held
 *
 * Who comes while nobody is there takes all: nobody would take the rest, and a gateway that
 * has been configured anew is to choose as others do. Packets hear of it by
 * rlb_table_set_states().
 */
void rlb_slow_follow(const struct rlb_backend_set *before, const struct rlb_backend_set *after)
{
	const struct rlb_backend_item *item, *old;
	bool alone = true;

	for (item = before->item; item < before->item + before->n && alone; item++)
		alone = !is_in(item);
	for (item = after->item; item < after->item + after->n; item++) {
		old = rlb_backend_item_in(before, item->backend);
		follow(item, is_in(item) && (!old || !is_in(old)), alone);
	}
}

/**
 * rlb_slow_any() - does some backend's share rise?
 * @svc: the service; cfg_lock held
 *
 * Return: whether.
 */
bool rlb_slow_any(const struct rlb_service *svc)
{
	u32 i;

	for (i = 0; i < svc->set.n; i++)
		if (is_rising(&svc->set.item[i]))
			return true;
	return false;
}

/**
 * rlb_slow_step() - time has passed
 * @svc: the service; cfg_lock held
 *
 * Those that take all of their flows now owe a notice.
 *
 * Return: true if a share is another one: the table is to be told.
 */
bool rlb_slow_step(struct rlb_service *svc)
{
	struct rlb_backend_item *item;
	bool any = false;

	for (item = svc->set.item; item < svc->set.item + svc->set.n; item++) {
		if (!is_rising(item) || !rise(item))
			continue;
		any = true;
		if (!is_rising(item))
			item->changed = RINGLB_CMD_BACKEND_SET_NOTICE;
	}
	return any;
}

/**
 * rlb_slow_left() - for how long will a backend's share rise?
 * @item: the backend
 *
 * Return: seconds; 0 if it takes all of its flows.
 */
u32 rlb_slow_left(const struct rlb_backend_item *item)
{
	if (!is_rising(item))
		return 0;
	return item->slow_start - min(passed(item), item->slow_start);
}
