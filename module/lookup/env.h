/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * env.h - all that module/lookup/ takes from its surroundings, kernel or user space
 *
 * Everything else in this directory is pure C over integers and bytes: the same source gives
 * the same slots in the module, in the tool and in the tests. What differs between the two
 * worlds is here and nowhere else: fixed-width types, memory, the chance to yield, division.
 */
#ifndef _RINGLB_LOOKUP_ENV_H
#define _RINGLB_LOOKUP_ENV_H

#ifdef __KERNEL__

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <linux/types.h>

/* Process context only: may sleep. Charged to the caller's memory cgroup. */
static inline void *rlb_env_alloc(size_t n, size_t size)
{
	return kvmalloc_array(n, size, GFP_KERNEL_ACCOUNT);
}

static inline void rlb_env_free(void *p)
{
	kvfree(p);
}

static inline void rlb_env_yield(void)
{
	cond_resched();
}

/* 32-bit kernels have no operator for this. */
static inline u64 rlb_env_div(u64 a, u64 b)
{
	return div64_u64(a, b);
}

#else /* user space */

#include <errno.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#ifndef READ_ONCE
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#endif

#ifndef unlikely
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

#ifdef RLB_ENV_ALLOC	/* a test's allocator, which may fail on purpose */
void *rlb_env_alloc(size_t n, size_t size);
void rlb_env_free(void *p);
#else
static inline void *rlb_env_alloc(size_t n, size_t size)
{
	return reallocarray(NULL, n, size);
}

static inline void rlb_env_free(void *p)
{
	free(p);
}
#endif

static inline void rlb_env_yield(void)
{
}

static inline u64 rlb_env_div(u64 a, u64 b)
{
	return a / b;
}

#endif /* __KERNEL__ */

#endif /* _RINGLB_LOOKUP_ENV_H */
