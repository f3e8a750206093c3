// SPDX-License-Identifier: GPL-2.0-only
/*
 * history.c - requests about the ledger of changes
 *
 * Process context; cfg_lock is taken here.
 */
#include "../history.h"
#include "nl.h"

/**
 * rlb_fill_history() - an entry of the ledger
 * @skb: the message
 * @e: the entry
 * @sums: its counts of flows are those since the change
 *
 * Return: 0 or -EMSGSIZE.
 */
int rlb_fill_history(struct sk_buff *skb, const struct rlb_entry *e, bool sums)
{
	struct nlattr *nest = nla_nest_start(skb, RINGLB_A_HISTORY);

	if (!nest ||
	    nla_put_u64_64bit(skb, RINGLB_A_HISTORY_NUMBER, e->number, RINGLB_A_HISTORY_PAD) ||
	    nla_put_u64_64bit(skb, RINGLB_A_HISTORY_TIME, e->time, RINGLB_A_HISTORY_PAD) ||
	    nla_put_u32(skb, RINGLB_A_HISTORY_EVENT, e->event) ||
	    nla_put_string(skb, RINGLB_A_HISTORY_SERVICE, e->service) ||
	    nla_put_u32(skb, RINGLB_A_HISTORY_GENERATION, e->generation) ||
	    nla_put_u32(skb, RINGLB_A_HISTORY_SLOTS, e->slots) ||
	    nla_put_u32(skb, RINGLB_A_HISTORY_MOVED, e->moved) ||
	    nla_put_u32(skb, RINGLB_A_HISTORY_PENDING, e->pending))
		return -EMSGSIZE;
	if (sums && (nla_put_u64_64bit(skb, RINGLB_A_HISTORY_PINNED, e->pinned,
				       RINGLB_A_HISTORY_PAD) ||
		     nla_put_u64_64bit(skb, RINGLB_A_HISTORY_LOST, e->lost,
				       RINGLB_A_HISTORY_PAD)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int dump_entry(struct sk_buff *skb, struct netlink_callback *cb, const struct rlb_entry *e)
{
	void *header;
	int err;

	header = rlb_nl_dump_begin(skb, cb, RINGLB_CMD_HISTORY_GET);
	if (!header)
		return -EMSGSIZE;
	err = rlb_fill_history(skb, e, true);
	return rlb_nl_dump_end(skb, header, err);
}

/* The cursor is the number of the last entry that was told. */
int rlb_nl_history_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct rlb_net *rn = rlb_net_of(sock_net(skb->sk));
	u64 *told = (u64 *)cb->ctx;
	struct rlb_entry e;
	u64 number = *told;

	mutex_lock(&rn->cfg_lock);
	while (rlb_history_next(rn, &number, &e) && !dump_entry(skb, cb, &e))
		*told = number;
	mutex_unlock(&rn->cfg_lock);
	return skb->len;
}
