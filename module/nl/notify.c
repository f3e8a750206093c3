// SPDX-License-Identifier: GPL-2.0-only
/*
 * notify.c - tell those who listen what has changed
 *
 * Process context under cfg_lock, after the change is in force. A notice that cannot be made
 * for want of memory is lost; listeners learn of it as of any overrun, by ENOBUFS.
 */
#include "../dev.h"
#include "nl.h"

static struct sk_buff *notice_start(struct rlb_net *rn, u8 notice, void **header)
{
	struct sk_buff *skb;

	if (!genl_has_listeners(&rlb_family, rn->net, RLB_GROUP_NOTICES))
		return NULL;
	skb = nlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!skb) {
		genl_set_err(&rlb_family, rn->net, 0, RLB_GROUP_NOTICES, -ENOBUFS);
		return NULL;
	}
	*header = genlmsg_put(skb, 0, 0, &rlb_family, 0, notice);
	return skb;
}

static void notice_end(struct rlb_net *rn, struct sk_buff *skb, void *header, u32 portid, int err)
{
	if (WARN_ON_ONCE(err)) {	/* one object always fits */
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&rlb_family, rn->net, skb, portid, RLB_GROUP_NOTICES,
				GFP_KERNEL);
}

/**
 * rlb_notify_service() - a service is new, other, or gone
 * @notice: RINGLB_CMD_SERVICE_*_NOTICE
 * @svc: the service
 * @portid: who caused it and need not be told
 */
void rlb_notify_service(u8 notice, const struct rlb_service *svc, u32 portid)
{
	struct sk_buff *skb;
	void *header;

	skb = notice_start(svc->rn, notice, &header);
	if (skb)
		notice_end(svc->rn, skb, header, portid, rlb_fill_service(skb, svc));
}

/**
 * rlb_notify_backend() - a backend is new, other, or gone
 * @notice: RINGLB_CMD_BACKEND_*_NOTICE
 * @svc: its service
 * @item: the backend
 * @portid: who caused it and need not be told
 */
void rlb_notify_backend(u8 notice, const struct rlb_service *svc,
			const struct rlb_backend_item *item, u32 portid)
{
	struct sk_buff *skb;
	void *header;

	skb = notice_start(svc->rn, notice, &header);
	if (skb)
		notice_end(svc->rn, skb, header, portid,
			   rlb_fill_service_name(skb, svc) ?:
			   rlb_fill_backend(skb, RINGLB_A_BACKEND, item, true));
}

/**
 * rlb_notify_changed() - backends that are new or other, as they are now
 * @svc: the service; those that owe a notice owe none after it
 * @portid: who caused it and need not be told
 *
 * Return: true if there were any.
 */
bool rlb_notify_changed(struct rlb_service *svc, u32 portid)
{
	struct rlb_backend_item *item;
	bool any = false;
	u32 i;

	for (i = 0; i < svc->set.n; i++) {
		item = &svc->set.item[i];
		if (!item->changed)
			continue;
		rlb_notify_backend(item->changed, svc, item, portid);
		item->changed = 0;
		any = true;
	}
	return any;
}

/**
 * rlb_notify_history() - a change is in the ledger
 * @rn: the namespace
 * @e: the entry
 */
void rlb_notify_history(struct rlb_net *rn, const struct rlb_entry *e)
{
	struct sk_buff *skb;
	void *header;

	skb = notice_start(rn, RINGLB_CMD_HISTORY_NOTICE, &header);
	if (skb)
		notice_end(rn, skb, header, 0, rlb_fill_history(skb, e, false));
}

/**
 * rlb_notify_secret() - the secret is another one
 * @rn: the namespace
 * @portid: who caused it and need not be told
 */
void rlb_notify_secret(struct rlb_net *rn, u32 portid)
{
	struct sk_buff *skb;
	void *header;

	skb = notice_start(rn, RINGLB_CMD_SECRET_SET_NOTICE, &header);
	if (skb)
		notice_end(rn, skb, header, portid, rlb_fill_fingerprint(skb, &rn->secret, false));
}

/**
 * rlb_notify_dev() - a device has the fast path, or has it no more
 * @notice: RINGLB_CMD_DEV_*_NOTICE
 * @d: the device
 * @portid: who caused it and need not be told
 */
void rlb_notify_dev(u8 notice, const struct rlb_dev *d, u32 portid)
{
	struct sk_buff *skb;
	void *header;

	skb = notice_start(d->rn, notice, &header);
	if (skb)
		notice_end(d->rn, skb, header, portid, rlb_fill_dev(skb, d));
}
