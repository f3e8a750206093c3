// SPDX-License-Identifier: GPL-2.0-only
/*
 * settle.c - what time does to services: transitions expire, pending slots follow, drains end,
 * those that leave are gone, those that start slowly take more
 *
 * In: services whose tables are pending or have slots in transition, or whose backends drain
 * or start slowly. Out: every second one more published table each, if anything differs, with
 * as many slots moved as the service allows. A work item of the namespace, process context;
 * takes cfg_lock. It runs only while some service of the namespace has such work.
 */
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "draft.h"
#include "history.h"
#include "netns.h"
#include "nl/nl.h"
#include "service.h"
#include "settle.h"
#include "slow.h"
#include "table.h"

#define SETTLE_PERIOD HZ

static bool has_work(const struct rlb_service *svc)
{
	return rlb_table_has_work(svc) || rlb_backends_draining(svc) || rlb_slow_any(svc);
}

static bool any_has_left(const struct rlb_service *svc)
{
	u32 i;

	for (i = 0; i < svc->set.n; i++)
		if (rlb_backend_has_left(svc, &svc->set.item[i]))
			return true;
	return false;
}

/* Remove those that leave and have no flows any more; what fails is tried again. */
static void let_leave(struct rlb_service *svc)
{
	struct rlb_draft draft;

	if (!any_has_left(svc) || rlb_draft_begin(&draft, svc))
		return;
	rlb_draft_del_drained(&draft);
	if (rlb_nl_commit(&draft, 0, NULL))
		rlb_draft_abort(&draft);
}

static void settle_service(struct rlb_service *svc)
{
	bool was_pending = rlb_table_locked(svc)->pending;
	bool drained = rlb_backends_drain_out(svc);

	if (rlb_slow_step(svc) || drained)
		rlb_table_set_states(rlb_table_locked(svc), &svc->set, &svc->config);
	if (rlb_notify_changed(svc, 0))
		rlb_net_changed(svc->rn);
	let_leave(svc);
	if (rlb_table_settle(svc) <= 0)
		return;		/* nothing to do yet, or no memory: next time */
	rlb_net_changed(svc->rn);
	svc->followed += svc->moved;
	svc->moved = 0;
	if (was_pending && !rlb_table_locked(svc)->pending) {
		rlb_notify_service(RINGLB_CMD_SERVICE_SET_NOTICE, svc, 0);
		rlb_history_add(svc, RINGLB_EVENT_SETTLED);
	}
}

static void settle_work(struct work_struct *work)
{
	struct rlb_net *rn = container_of(to_delayed_work(work), struct rlb_net, settle);
	struct rlb_service *svc;
	bool again = false;
	unsigned long id;

	mutex_lock(&rn->cfg_lock);
	xa_for_each(&rn->services, id, svc) {
		if (has_work(svc))
			settle_service(svc);
		again |= has_work(svc);
	}
	if (again)
		schedule_delayed_work(&rn->settle, SETTLE_PERIOD);
	mutex_unlock(&rn->cfg_lock);
}

/**
 * rlb_settle_init() - make a namespace ready
 * @rn: the namespace
 */
void rlb_settle_init(struct rlb_net *rn)
{
	INIT_DELAYED_WORK(&rn->settle, settle_work);
}

/**
 * rlb_settle_kick() - a service has changed: its table may have work
 * @svc: the service; cfg_lock held
 */
void rlb_settle_kick(const struct rlb_service *svc)
{
	if (has_work(svc))
		schedule_delayed_work(&svc->rn->settle, SETTLE_PERIOD);
}

/**
 * rlb_settle_exit() - the namespace goes away: returns when the work is done for good
 * @rn: the namespace; no request comes any more, cfg_lock not held
 */
void rlb_settle_exit(struct rlb_net *rn)
{
	cancel_delayed_work_sync(&rn->settle);
}
