// SPDX-License-Identifier: GPL-2.0-only
/*
 * flow.c - memory, grace periods and work for module/flow/ in native programs
 *
 * Read-side sections are read locks: a grace period waits for those that are open.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"

long flow_pins_live;
long flow_pin_fail_at = -1;

static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER;

void rcu_read_lock(void)
{
	pthread_rwlock_rdlock(&readers);
}

void rcu_read_unlock(void)
{
	pthread_rwlock_unlock(&readers);
}

void synchronize_rcu(void)
{
	pthread_rwlock_wrlock(&readers);
	pthread_rwlock_unlock(&readers);
}

long *flow_held(const struct rlb_backend *backend)
{
	static long held[64];

	return &held[(uintptr_t)backend / 64 % 64];
}

void rlb_pin_held(struct rlb_backend *backend, int by)
{
	__atomic_add_fetch(flow_held(backend), by, __ATOMIC_RELAXED);
}

static union rlb_addr backend_addr[64];

static void __attribute__((constructor)) backend_addr_init(void)
{
	u32 i;

	for (i = 0; i < 64; i++) {
		backend_addr[i].byte[0] = 10;
		backend_addr[i].byte[3] = i;
	}
}

const union rlb_addr *rlb_pin_backend_addr(const struct rlb_backend *backend)
{
	return &backend_addr[(uintptr_t)backend / 64 % 64];
}

struct rlb_pin *rlb_pin_alloc(bool wide)
{
	size_t size = wide ? sizeof(struct rlb_wide) : sizeof(struct rlb_pin);
	struct rlb_pin *pin;

	if (!flow_pin_fail_at)
		return NULL;
	if (flow_pin_fail_at > 0)
		flow_pin_fail_at--;
	pin = malloc(size);
	memset(pin, 0xa5, size);
	__atomic_add_fetch(&flow_pins_live, 1, __ATOMIC_RELAXED);
	return pin;
}

void rlb_pin_free(struct rlb_pin *pin)
{
	__atomic_sub_fetch(&flow_pins_live, 1, __ATOMIC_RELAXED);
	free(pin);
}

void rlb_pins_work_init(struct rlb_pins *pins)
{
}

void rlb_pins_work_exit(struct rlb_pins *pins)
{
	flow_quiesce(pins);
}

void rlb_pins_tick_later(struct rlb_pins *pins, bool soon)
{
	WRITE_ONCE(pins->tick.pending, true);
}

void rlb_pins_reap_later(struct rlb_pins *pins)
{
	WRITE_ONCE(pins->reap.pending, true);
}

void rlb_pins_tell_later(struct rlb_pins *pins)
{
	WRITE_ONCE(pins->tell.pending, true);
}

void flow_quiesce(struct rlb_pins *pins)
{
	while (READ_ONCE(pins->reap.pending)) {
		WRITE_ONCE(pins->reap.pending, false);
		synchronize_rcu();
		rlb_pins_reap(pins);
	}
}
