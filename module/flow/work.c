// SPDX-License-Identifier: GPL-2.0-only
/*
 * work.c - what the flow table needs of the kernel: memory of pins, and work that runs later
 *
 * In: pins to be made or freed, a table that wants to be swept. Out: the same calls on
 * pins.c, later and in process context. One tick a quarter of a second while there are pins,
 * none at rest.
 *
 * Pins are made by packets, which nobody can be charged for: they are bounded by the table's
 * maximum instead. Buckets are charged to whoever configures, by lookup/env.h.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "pins.h"

#define TICK (HZ / 4)
#define PASS 32			/* ticks in which every bucket is swept once */

static struct kmem_cache *cache;
static struct kmem_cache *wide_cache;

/**
 * rlb_pins_module_init() - before the first table
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_pins_module_init(void)
{
	cache = kmem_cache_create("ringlb_pin", sizeof(struct rlb_pin), 0, SLAB_HWCACHE_ALIGN,
				  NULL);
	wide_cache = kmem_cache_create("ringlb_wide", sizeof(struct rlb_wide), 0,
				       SLAB_HWCACHE_ALIGN, NULL);
	if (cache && wide_cache)
		return 0;
	rlb_pins_module_exit();
	return -ENOMEM;
}

/**
 * rlb_pins_module_exit() - after the last table
 */
void rlb_pins_module_exit(void)
{
	kmem_cache_destroy(wide_cache);
	kmem_cache_destroy(cache);
}

/**
 * rlb_pins_default_max() - how many flows a namespace may remember unless told
 *
 * Return: as many as fill a 64th of the memory, between 2^14 and 2^22.
 */
u32 rlb_pins_default_max(void)
{
	unsigned long pages = totalram_pages() / 64;

	return clamp(pages, (1UL << 14) / (PAGE_SIZE / sizeof(struct rlb_pin)),
		     (1UL << 22) / (PAGE_SIZE / sizeof(struct rlb_pin))) *
	       (PAGE_SIZE / sizeof(struct rlb_pin));
}

/**
 * rlb_pin_alloc() - memory for a pin
 * @wide: for a wide one
 *
 * Softirq; does not sleep.
 *
 * Return: the memory, or NULL.
 */
struct rlb_pin *rlb_pin_alloc(bool wide)
{
	return kmem_cache_alloc(wide ? wide_cache : cache, GFP_ATOMIC | __GFP_NOWARN);
}

/**
 * rlb_pin_free() - give it back
 * @pin: no reader can be looking at it; its key is set
 */
void rlb_pin_free(struct rlb_pin *pin)
{
	kmem_cache_free(rlb_pin_is_wide(pin) ? wide_cache : cache, pin);
}

static void tick(struct work_struct *work)
{
	struct rlb_pins *pins = container_of(to_delayed_work(work), struct rlb_pins, tick);

	rlb_pins_sweep(pins, rlb_pins_buckets(pins) / PASS, rlb_flow_now());
	rlb_pins_grow(pins);
	if (rlb_pins_any(pins))
		rlb_pins_tick_later(pins, false);
}

static void tell(struct work_struct *work)
{
	rlb_pins_tell(container_of(to_delayed_work(work), struct rlb_pins, tell));
}

static void reap(struct work_struct *work)
{
	rlb_pins_reap(container_of(to_rcu_work(work), struct rlb_pins, reap));
}

/**
 * rlb_pins_work_init() - make a table's work ready
 * @pins: the table
 */
void rlb_pins_work_init(struct rlb_pins *pins)
{
	INIT_DELAYED_WORK(&pins->tick, tick);
	INIT_DELAYED_WORK(&pins->tell, tell);
	INIT_RCU_WORK(&pins->reap, reap);
}

/**
 * rlb_pins_work_exit() - returns when no work is under way, or will be
 * @pins: the table; no packet comes any more
 */
void rlb_pins_work_exit(struct rlb_pins *pins)
{
	cancel_delayed_work_sync(&pins->tick);
	cancel_delayed_work_sync(&pins->tell);
	do {	/* one may run that has taken the last ones; each starts the next if there are more */
		flush_rcu_work(&pins->reap);
	} while (READ_ONCE(pins->waiting));
}

/**
 * rlb_pins_tick_later() - sweep and grow, in a while
 * @pins: the table
 * @soon: chains are getting long
 *
 * Softirq.
 */
void rlb_pins_tick_later(struct rlb_pins *pins, bool soon)
{
	if (soon)
		mod_delayed_work(system_unbound_wq, &pins->tick, 0);
	else
		queue_delayed_work(system_unbound_wq, &pins->tick, TICK);
}

/**
 * rlb_pins_reap_later() - call rlb_pins_reap() after a grace period
 * @pins: the table
 */
void rlb_pins_reap_later(struct rlb_pins *pins)
{
	queue_rcu_work(system_unbound_wq, &pins->reap);
}

/**
 * rlb_pins_tell_later() - call rlb_pins_tell() when some more may be there to be told
 * @pins: the table
 *
 * Softirq.
 */
void rlb_pins_tell_later(struct rlb_pins *pins)
{
	queue_delayed_work(system_unbound_wq, &pins->tell, 1);
}

/**
 * rlb_pins_hush() - returns when nobody is being told of flows, or will be
 * @pins: the table; no packet comes any more
 */
void rlb_pins_hush(struct rlb_pins *pins)
{
	rlb_feed_close(&pins->feed);
	cancel_delayed_work_sync(&pins->tell);
}
