/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * env.h - all that module/flow/ takes from its surroundings, kernel or user space
 *
 * The flow table and its rules are compiled twice: into the module, and natively for tests and
 * the simulation. Natively this header speaks the few kernel words that they use: locks become
 * spins on a C11 atomic, RCU pointers acquire and release. What cannot be done in a header
 * (memory of pins, work that runs later) is declared in pins.h, and the module's own half of
 * it is work.c.
 */
#ifndef _RINGLB_FLOW_ENV_H
#define _RINGLB_FLOW_ENV_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/in.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "lookup/env.h"

#define RLB_FLOW_SECOND ((u32)HZ)

/* The time of the flow table: ticks, cheap to read, monotonic; wraps after weeks. */
static inline u32 rlb_flow_now(void)
{
	return jiffies;
}

#else /* user space */

#include <netinet/in.h>
#include <sched.h>

#include "lookup/env.h"

/* Atomic, so that a thread sanitizer knows them for what they are. */
#undef READ_ONCE
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value) __atomic_store_n(&(x), (value), __ATOMIC_RELAXED)

#define RLB_FLOW_SECOND 1000U

#define U64_MAX UINT64_MAX
#define min(a, b) ((a) < (b) ? (a) : (b))
#define __rcu
#define __force
#define ____cacheline_aligned __attribute__((aligned(64)))

#define rcu_access_pointer(p) __atomic_load_n(&(p), __ATOMIC_RELAXED)
#define rcu_dereference_check(p, held) __atomic_load_n(&(p), __ATOMIC_ACQUIRE)
#define rcu_dereference_protected(p, held) __atomic_load_n(&(p), __ATOMIC_RELAXED)
#define rcu_assign_pointer(p, value) __atomic_store_n(&(p), (value), __ATOMIC_RELEASE)
#define RCU_INIT_POINTER(p, value) __atomic_store_n(&(p), (value), __ATOMIC_RELAXED)
#define smp_rmb() ((void)0)	/* every rcu_dereference_check() acquires */

void rcu_read_lock(void);
void rcu_read_unlock(void);
void synchronize_rcu(void);

typedef struct { int locked; } spinlock_t;

static inline void spin_lock_init(spinlock_t *lock)
{
	lock->locked = 0;
}

static inline void spin_lock_bh(spinlock_t *lock)
{
	while (__atomic_exchange_n(&lock->locked, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

static inline void spin_unlock_bh(spinlock_t *lock)
{
	__atomic_store_n(&lock->locked, 0, __ATOMIC_RELEASE);
}

struct mutex {
	spinlock_t lock;
};

static inline void mutex_init(struct mutex *m)
{
	spin_lock_init(&m->lock);
}

static inline void mutex_lock(struct mutex *m)
{
	spin_lock_bh(&m->lock);
}

static inline void mutex_unlock(struct mutex *m)
{
	spin_unlock_bh(&m->lock);
}

typedef struct { int n; } atomic_t;
typedef struct { u64 n; } atomic64_t;

static inline int atomic_read(const atomic_t *a)
{
	return READ_ONCE(a->n);
}

static inline void atomic_set(atomic_t *a, int n)
{
	WRITE_ONCE(a->n, n);
}

static inline int atomic_inc_return(atomic_t *a)
{
	return __atomic_add_fetch(&a->n, 1, __ATOMIC_SEQ_CST);
}

static inline void atomic_inc(atomic_t *a)
{
	__atomic_add_fetch(&a->n, 1, __ATOMIC_SEQ_CST);
}

static inline void atomic_sub(int n, atomic_t *a)
{
	__atomic_sub_fetch(&a->n, n, __ATOMIC_SEQ_CST);
}

static inline void atomic_dec(atomic_t *a)
{
	__atomic_sub_fetch(&a->n, 1, __ATOMIC_SEQ_CST);
}

static inline u64 atomic64_read(const atomic64_t *a)
{
	return READ_ONCE(a->n);
}

static inline void atomic64_set(atomic64_t *a, u64 n)
{
	WRITE_ONCE(a->n, n);
}

static inline void atomic64_add(u64 n, atomic64_t *a)
{
	__atomic_add_fetch(&a->n, n, __ATOMIC_RELAXED);
}

static inline void atomic64_inc(atomic64_t *a)
{
	__atomic_add_fetch(&a->n, 1, __ATOMIC_RELAXED);
}

static inline u32 cmpxchg_u32(u32 *at, u32 old, u32 new)
{
	__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

#define cmpxchg(at, old, new) cmpxchg_u32(at, old, new)

/* Nothing runs later by itself: a test calls what work.c would. */
struct delayed_work {
	bool pending;
};

struct rcu_work {
	bool pending;
};

#endif /* __KERNEL__ */

#endif /* _RINGLB_FLOW_ENV_H */
