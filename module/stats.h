/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - counters of namespaces, services and backends, one set for each CPU
 */
#ifndef _RINGLB_STATS_H
#define _RINGLB_STATS_H

#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <linux/types.h>
#include <linux/u64_stats_sync.h>

#include "backend.h"
#include "ringlb.h"
#include "sabotage.h"
#include "service.h"

/* A backend has the first four counters, whoever else all of them. */
#define RLB_COUNTERS_BACKEND (RINGLB_COUNTER_BYTES_OUT + 1)
#define RLB_COUNTERS_ALL RINGLB_COUNTER_PAD

/**
 * struct rlb_stats - counters of one CPU, indexed by enum ringlb_counter (of a device: by
 *	enum ringlb_dev_counter)
 * @sync: for readers on 32-bit machines, where a counter is two words
 * @n: the counters; [0] is unused
 */
struct rlb_stats {
	struct u64_stats_sync sync;
	u64 n[];
};

struct rlb_stats __percpu *rlb_stats_alloc(unsigned int counters);
void rlb_stats_free(struct rlb_stats __percpu *stats);
void rlb_stats_sum(const struct rlb_stats __percpu *stats, unsigned int counters, u64 *sum);

void rlb_stats_add32(struct rlb_stats __percpu *stats, unsigned int which, u64 n);

/* One instruction, where words have 64 bits. */
static inline void rlb_stats_add(struct rlb_stats __percpu *stats, unsigned int which, u64 n)
{
	if (IS_ENABLED(CONFIG_64BIT))
		this_cpu_add(stats->n[which], n);
	else
		rlb_stats_add32(stats, which, n);
}

/**
 * rlb_count_bytes() - count a packet that was sent on, for its service and its backend
 * @pkt: the packet
 * @packets: RINGLB_COUNTER_PACKETS_IN or _OUT; the counter after it takes the bytes
 * @bytes: how many it has, from its network header on
 */
static __always_inline void rlb_count_bytes(const struct rlb_pkt *pkt,
					    enum ringlb_counter packets, u64 bytes)
{
	struct rlb_stats __percpu *service = pkt->service->stats;
	struct rlb_stats __percpu *backend = pkt->backend->stats;
	const struct sk_buff *skb = pkt->skb;
	u64 n = max_t(u64, skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1, 1);

	rlb_sabotage_count();
	rlb_stats_add(service, packets, n);
	rlb_stats_add(service, packets + 1, bytes);
	rlb_stats_add(backend, packets, n);
	rlb_stats_add(backend, packets + 1, bytes);
}

/**
 * rlb_count_traffic() - rlb_count_bytes(), of a packet that is as long as it says
 * @pkt: the packet
 * @packets: as there
 */
static __always_inline void rlb_count_traffic(const struct rlb_pkt *pkt,
					      enum ringlb_counter packets)
{
	rlb_count_bytes(pkt, packets, pkt->skb->len - skb_network_offset(pkt->skb));
}

void rlb_count(struct rlb_stats __percpu *stats, enum ringlb_counter which);
enum rlb_verdict rlb_drop(const struct rlb_pkt *pkt, enum ringlb_counter reason);

#endif /* _RINGLB_STATS_H */
