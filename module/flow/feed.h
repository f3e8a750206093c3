/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feed.h - of which flows somebody who listens has to be told
 *
 * A bounded queue of keys: packets put them in, a work takes them out and tells what is
 * remembered of each flow by then, if anything. So it does not matter how often a flow changed
 * meanwhile, and two that are told out of order cannot be. Empty and without memory while
 * nobody listens. What finds the queue full is lost, and that is told: who listens asks for
 * all flows again.
 *
 * @lock is taken inside of a stripe's lock (pins.h), and nothing inside of it.
 */
#ifndef _RINGLB_FLOW_FEED_H
#define _RINGLB_FLOW_FEED_H

#include "env.h"

struct rlb_pin_key;

#define RLB_FEED_SIZE 4096U	/* keys: 96 KiB */

/**
 * struct rlb_feed - the queue of a flow table
 * @on: somebody listens; read without a lock
 * @lock: guards what follows, and changes of @on
 * @lost: some did not find room
 * @head: the oldest
 * @n: how many there are
 * @ring: RLB_FEED_SIZE places; NULL while nobody listens
 */
struct rlb_feed {
	bool on;
	spinlock_t lock;
	bool lost;
	u32 head;
	u32 n;
	struct rlb_pin_key *ring;
};

/* Is it worth while to look for what could be told? */
static inline bool rlb_feed_is_on(const struct rlb_feed *feed)
{
	return READ_ONCE(feed->on);
}

/* Process context, may sleep. */
void rlb_feed_init(struct rlb_feed *feed);
int rlb_feed_open(struct rlb_feed *feed);
void rlb_feed_close(struct rlb_feed *feed);

/* Any context. */
bool rlb_feed_put(struct rlb_feed *feed, const struct rlb_pin_key *key, u32 most);
bool rlb_feed_take(struct rlb_feed *feed, struct rlb_pin_key *key);
bool rlb_feed_take_lost(struct rlb_feed *feed);

#endif /* _RINGLB_FLOW_FEED_H */
