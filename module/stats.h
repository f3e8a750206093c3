/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - counters of namespaces, services and backends, one set for each CPU
 */
#ifndef _RINGLB_STATS_H
#define _RINGLB_STATS_H

#include <linux/types.h>
#include <linux/u64_stats_sync.h>

#include "ringlb.h"

/* A backend has the first four counters, whoever else all of them. */
#define RLB_COUNTERS_BACKEND (RINGLB_COUNTER_BYTES_OUT + 1)
#define RLB_COUNTERS_ALL RINGLB_COUNTER_PAD

/**
 * struct rlb_stats - counters of one CPU, indexed by enum ringlb_counter
 * @sync: for readers on 32-bit machines
 * @n: the counters; [0] is unused
 */
struct rlb_stats {
	struct u64_stats_sync sync;
	u64_stats_t n[];
};

struct rlb_stats __percpu *rlb_stats_alloc(unsigned int counters);
void rlb_stats_free(struct rlb_stats __percpu *stats);
void rlb_stats_sum(const struct rlb_stats __percpu *stats, unsigned int counters, u64 *sum);

void rlb_count(struct rlb_stats __percpu *stats, enum ringlb_counter which);
void rlb_count_traffic(const struct rlb_pkt *pkt, enum ringlb_counter packets);
enum rlb_verdict rlb_drop(const struct rlb_pkt *pkt, enum ringlb_counter reason);

#endif /* _RINGLB_STATS_H */
