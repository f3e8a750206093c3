/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traffic.h - flows from a capture file
 */
#ifndef _RINGLB_TRAFFIC_H
#define _RINGLB_TRAFFIC_H

#include "model.h"

#define TRAFFIC_FLOWS_MAX (1U << 22)

/**
 * struct traffic_flow - a flow
 * @tuple: as its client sees it
 * @packets: in both directions
 * @bytes: of these, from the network header on
 */
struct traffic_flow {
	struct rlb_tuple tuple;
	u64 packets;
	u64 bytes;
};

/**
 * struct traffic - what a capture holds
 * @flows: in no order until traffic_sort(); owned
 * @others: packets that belong to no flow: of other protocols or services, fragments but the
 *	first, cut off before their ports
 * @place: flows by their hash, while the file is read; owned
 * @bits: room for 2^@bits
 */
struct traffic {
	struct traffic_flow *flows;
	u32 n;
	u64 others;
	u32 *place;
	unsigned int bits;
};

/* traffic.c */
int traffic_add(struct traffic *t, const struct service *of, const u8 *packet, u32 len,
		u64 bytes);
void traffic_sort(struct traffic *t);
void traffic_free(struct traffic *t);

/* pcap.c */
int traffic_read(const char *file, const struct service *of, struct traffic *t);

#endif /* _RINGLB_TRAFFIC_H */
