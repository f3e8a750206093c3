// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit.c - random input for the native tests, the same in every run unless SEED is given
 */
#include <errno.h>
#include <netinet/in.h>

#include "unit.h"

static u64 state;

static void seed(void)
{
	const char *text = getenv("SEED");

	state = text ? strtoull(text, NULL, 0) : 20240229;
	state = state * 2 + 1;
}

/* xorshift64*: no relative of what the code under test mixes with */
u64 unit_random(void)
{
	if (!state)
		seed();
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1dULL;
}

u32 unit_below(u32 n)
{
	return (unit_random() >> 32) * n >> 32;
}

u32 unit_between(u32 low, u32 high)
{
	u32 span = high - low + 1;

	while (span > 1 && unit_below(3) == 0)
		span = (span + 3) / 4;
	return low + unit_below(span);
}

unsigned int unit_rounds(unsigned int n)
{
	const char *text = getenv("SCALE");
	unsigned int scale = text ? strtoul(text, NULL, 10) : 1;

	n /= scale ? scale : 1;
	return n ? n : 1;
}

unsigned int unit_protocol(void)
{
	static const u8 protocols[] = { IPPROTO_TCP, IPPROTO_UDP, IPPROTO_SCTP };

	return protocols[unit_below(sizeof(protocols))];
}

u64 unit_splitmix(u64 start, u64 step)
{
	u64 z = start + step * UINT64_C(11400714819323198485);

	z = (z ^ (z >> 30)) * UINT64_C(13787848793156543929);
	z = (z ^ (z >> 27)) * UINT64_C(10723151780598845931);
	return z ^ (z >> 31);
}

void unit_members(struct rlb_member *m, u32 n, u32 weight_max)
{
	u32 i;

	for (i = 0; i < n; i++) {
		m[i].ident = unit_random();
		m[i].weight = unit_between(1, weight_max);
	}
	unit_sort(m, n);
}

static int by_ident(const void *a, const void *b)
{
	const struct rlb_member *x = a, *y = b;

	return x->ident < y->ident ? -1 : x->ident > y->ident;
}

void unit_sort(struct rlb_member *m, u32 n)
{
	qsort(m, n, sizeof(*m), by_ident);
}

void unit_shuffle(struct rlb_member *m, u32 n)
{
	struct rlb_member keep;
	u32 i, j;

	for (i = n; i > 1; i--) {
		j = unit_below(i);
		keep = m[j];
		m[j] = m[i - 1];
		m[i - 1] = keep;
	}
}

u32 unit_weight_max(void)
{
	static const u32 max[] = { 1, 1, 2, 10, 1000, RINGLB_WEIGHT_MAX };

	return max[unit_below(sizeof(max) / sizeof(*max))];
}

void unit_shares(const u16 *slots, unsigned int bits, u32 n, u32 *own)
{
	u32 s;

	memset(own, 0, (n + 1) * sizeof(*own));
	for (s = 0; s < 1U << bits; s++) {
		assert_in_range(slots[s], 0, n);
		own[slots[s]]++;
	}
}

void unit_no_memory(const struct rlb_lookup_ops *ops, unsigned int bits,
		    const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	u16 *slots = malloc(sizeof(*slots) << bits), *again = malloc(sizeof(*again) << bits);
	long calls, at;

	unit_alloc_calls = 0;
	assert_int_equal(rlb_lookup_build(ops, slots, bits, m, n, p), 0);
	assert_int_equal(unit_alloc_live, 0);
	calls = unit_alloc_calls;
	assert_true(calls > 0);
	for (at = 0; at < calls; at++) {
		unit_alloc_fail_at = at;
		assert_int_equal(rlb_lookup_build(ops, again, bits, m, n, p), -ENOMEM);
		assert_int_equal(unit_alloc_live, 0);
	}
	unit_alloc_fail_at = -1;
	assert_int_equal(rlb_lookup_build(ops, again, bits, m, n, p), 0);
	assert_memory_equal(slots, again, sizeof(*slots) << bits);
	free(again);
	free(slots);
}
