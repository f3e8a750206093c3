/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unit.h - what the native tests share: claims, random numbers, an allocator that fails
 *
 * Environment: SEED chooses other random input; SCALE divides the number of rounds.
 */
#ifndef _RINGLB_UNIT_H
#define _RINGLB_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "env.h"
#include "lookup.h"

/* A test whose name in the output is what it claims. */
#define CLAIM(text, function) { text, function, NULL, NULL, NULL }

/* Stop the test; say what was seen. */
#define refute(...) do { print_error(__VA_ARGS__); print_error("\n"); fail(); } while (0)

/* A tool that a claim needs is missing: a skip, or a failure where all must run. */
#define unavailable(what) do {						\
	fprintf(stderr, "# missing: %s\n", what);			\
	if (getenv("RINGLB_EXPECT_ALL"))				\
		fail();							\
	skip();								\
} while (0)

u64 unit_random(void);
u32 unit_below(u32 n);			/* 0 .. n-1 */
u32 unit_between(u32 low, u32 high);	/* both may come; small numbers as often as large */
unsigned int unit_rounds(unsigned int n);
unsigned int unit_protocol(void);	/* any that a service may have */

/* The naive twin's own bijection of 64 bits: splitmix64, whose walk a ring's points are. */
u64 unit_splitmix(u64 start, u64 step);

/* Members with random identities; sorted as callers of rlb_lookup_build() sort: any fixed
 * order that does not depend on arrival. Here: by identity.
 */
void unit_members(struct rlb_member *m, u32 n, u32 weight_max);
void unit_sort(struct rlb_member *m, u32 n);

void unit_shuffle(struct rlb_member *m, u32 n);

/* A bound for weights: all equal as often as wildly different */
u32 unit_weight_max(void);

/* How many of 2^@bits slots each of @n members owns: @own[@n] are nobody's. */
void unit_shares(const u16 *slots, unsigned int bits, u32 n, u32 *own);

/* Each allocation of a build fails once: the build fails, loses nothing, and then works. */
void unit_no_memory(const struct rlb_lookup_ops *ops, unsigned int bits,
		    const struct rlb_member *m, u32 n, const struct rlb_params *p);

/* alloc.c: rlb_env_alloc() of the code under test */
extern long unit_alloc_fail_at;		/* this many succeed, then one fails; -1: none */
extern long unit_alloc_live;		/* not freed yet */
extern long unit_alloc_calls;

#endif /* _RINGLB_UNIT_H */
