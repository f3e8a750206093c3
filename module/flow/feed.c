// SPDX-License-Identifier: GPL-2.0-only
/*
 * feed.c - of which flows somebody who listens has to be told
 *
 * In: keys, from packets and sweeps, under a stripe's lock or none. Out: the same, in order,
 * to a work in process context; or that some were lost. Rules: feed.h.
 */
#include "feed.h"
#include "pins.h"

/**
 * rlb_feed_init() - a queue of which nobody wants anything yet
 * @feed: the queue
 */
void rlb_feed_init(struct rlb_feed *feed)
{
	memset(feed, 0, sizeof(*feed));
	spin_lock_init(&feed->lock);
}

/**
 * rlb_feed_open() - somebody listens
 * @feed: the queue; it may be open already
 *
 * Process context, may sleep; cfg_lock held, as for rlb_feed_close().
 *
 * Return: 0, or -ENOMEM.
 */
int rlb_feed_open(struct rlb_feed *feed)
{
	struct rlb_pin_key *ring;

	if (rlb_feed_is_on(feed))
		return 0;
	ring = rlb_env_alloc(RLB_FEED_SIZE, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	spin_lock_bh(&feed->lock);
	feed->ring = ring;
	WRITE_ONCE(feed->on, true);
	spin_unlock_bh(&feed->lock);
	return 0;
}

/**
 * rlb_feed_close() - nobody listens any more
 * @feed: the queue; what is in it is forgotten
 *
 * Process context, may sleep.
 */
void rlb_feed_close(struct rlb_feed *feed)
{
	struct rlb_pin_key *ring;

	spin_lock_bh(&feed->lock);
	ring = feed->ring;
	feed->ring = NULL;
	feed->head = 0;
	feed->n = 0;
	feed->lost = false;
	WRITE_ONCE(feed->on, false);
	spin_unlock_bh(&feed->lock);
	rlb_env_free(ring);
}

/**
 * rlb_feed_put() - a flow is to be told of
 * @feed: the queue
 * @key: the flow
 * @most: only if so many or fewer are there already; below RLB_FEED_SIZE: what is not put in
 *	is not lost, the caller comes again
 *
 * Return: true if it is there now.
 */
bool rlb_feed_put(struct rlb_feed *feed, const struct rlb_pin_key *key, u32 most)
{
	bool room;

	spin_lock_bh(&feed->lock);
	room = feed->ring && feed->n < RLB_FEED_SIZE && feed->n <= most;
	if (room)
		feed->ring[(feed->head + feed->n++) % RLB_FEED_SIZE] = *key;
	else if (feed->ring && most >= RLB_FEED_SIZE)
		feed->lost = true;
	spin_unlock_bh(&feed->lock);
	return room;
}

/**
 * rlb_feed_take() - the flow that has waited longest
 * @feed: the queue
 * @key: out: the flow
 *
 * Return: false if there is none.
 */
bool rlb_feed_take(struct rlb_feed *feed, struct rlb_pin_key *key)
{
	bool any;

	spin_lock_bh(&feed->lock);
	any = feed->n;
	if (any) {
		*key = feed->ring[feed->head];
		feed->head = (feed->head + 1) % RLB_FEED_SIZE;
		feed->n--;
	}
	spin_unlock_bh(&feed->lock);
	return any;
}

/**
 * rlb_feed_take_lost() - were some lost since this was asked last?
 * @feed: the queue
 */
bool rlb_feed_take_lost(struct rlb_feed *feed)
{
	bool lost;

	spin_lock_bh(&feed->lock);
	lost = feed->lost;
	feed->lost = false;
	spin_unlock_bh(&feed->lock);
	return lost;
}
