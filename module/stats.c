// SPDX-License-Identifier: GPL-2.0-only
/*
 * stats.c - counters of namespaces, services and backends
 *
 * In: what happened to a packet. Out: sums, when a request asks for them.
 * Counting: any context in which netfilter hooks run, that is softirq or process context. A
 * CPU writes its own counters only: by one instruction each where words have 64 bits, else
 * with softirqs kept out. Summing: process context.
 */
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "stats.h"

/**
 * rlb_stats_alloc() - a set of counters, all 0
 * @counters: RLB_COUNTERS_BACKEND or RLB_COUNTERS_ALL
 *
 * Process context, may sleep.
 *
 * Return: the set, NULL if there is no memory.
 */
struct rlb_stats __percpu *rlb_stats_alloc(unsigned int counters)
{
	struct rlb_stats __percpu *stats;
	int cpu;

	stats = __alloc_percpu_gfp(struct_size((struct rlb_stats *)NULL, n, counters),
				   __alignof__(struct rlb_stats), GFP_KERNEL_ACCOUNT);
	if (!stats)
		return NULL;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(stats, cpu)->sync);
	return stats;
}

/**
 * rlb_stats_free() - the end of a set of counters
 * @stats: the set, or NULL; no packet can find it any more
 *
 * Any context but hard interrupts.
 */
void rlb_stats_free(struct rlb_stats __percpu *stats)
{
	free_percpu(stats);
}

/**
 * rlb_stats_sum() - add up the counters of all CPUs
 * @stats: the set
 * @counters: as it was allocated
 * @sum: out: @counters sums
 */
void rlb_stats_sum(const struct rlb_stats __percpu *stats, unsigned int counters, u64 *sum)
{
	const struct rlb_stats *s;
	unsigned int i, start;
	u64 value;
	int cpu;

	memset(sum, 0, counters * sizeof(*sum));
	for_each_possible_cpu(cpu) {
		s = per_cpu_ptr(stats, cpu);
		for (i = 1; i < counters; i++) {
			do {
				start = rlb_stats_fetch_begin(&s->sync);
				value = READ_ONCE(s->n[i]);
			} while (rlb_stats_fetch_retry(&s->sync, start));
			sum[i] += value;
		}
	}
}

/**
 * rlb_stats_add32() - add to a counter where words have 32 bits
 * @stats: whose counters
 * @which: the counter
 * @n: how much
 */
void rlb_stats_add32(struct rlb_stats __percpu *stats, unsigned int which, u64 n)
{
	struct rlb_stats *s;

	local_bh_disable();
	s = this_cpu_ptr(stats);
	u64_stats_update_begin(&s->sync);
	s->n[which] += n;
	u64_stats_update_end(&s->sync);
	local_bh_enable();
}

/**
 * rlb_count() - count one event
 * @stats: whose counters
 * @which: the counter
 */
void rlb_count(struct rlb_stats __percpu *stats, enum ringlb_counter which)
{
	rlb_stats_add(stats, which, 1);
}

/**
 * rlb_drop() - the one way in which a packet is dropped
 * @pkt: the packet; netfilter's core frees it
 * @reason: a RINGLB_COUNTER_DROP_* to count it under
 *
 * Return: RLB_DROP.
 */
enum rlb_verdict rlb_drop(const struct rlb_pkt *pkt, enum ringlb_counter reason)
{
	rlb_count(pkt->service ? pkt->service->stats : pkt->rn->stats, reason);
	return RLB_DROP;
}
