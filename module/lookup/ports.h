/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ports.h - the ports of a service: one, a range, or every port
 *
 * Of the services of a protocol and an address, the one whose ports say most of a packet takes
 * it: first who has its port alone, then who has it in a range, then who has every port. So
 * services of a kind must not have a port in common, and others may. Those of every protocol come
 * after all of a packet's own.
 *
 * A range is as well a row of blocks: of 2^n ports each, the first a multiple of 2^n. A port is in
 * one block of each size, so that a packet's service is found by one look for each size there is.
 */
#ifndef _RINGLB_LOOKUP_PORTS_H
#define _RINGLB_LOOKUP_PORTS_H

#include <linux/ringlb.h>

#include "env.h"

#define RLB_PORT_MAX 65535
#define RLB_PORTS_BITS 16	/* a block of these: all there are */
#define RLB_PORTS_BLOCKS 30	/* that a range has at most */

/**
 * struct rlb_ports - ports in host byte order
 * @first: from here, 1..RLB_PORT_MAX
 * @last: to here, not below @first
 */
struct rlb_ports {
	u16 first;
	u16 last;
};

static inline enum ringlb_match rlb_ports_match(const struct rlb_ports *p)
{
	if (p->first == p->last)
		return RINGLB_MATCH_PORT;
	return p->first == 1 && p->last == RLB_PORT_MAX ? RINGLB_MATCH_EVERY_PORT :
							  RINGLB_MATCH_PORTS;
}

static inline bool rlb_ports_meet(const struct rlb_ports *a, const struct rlb_ports *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* Have two services, or a service and a packet, a protocol in common? */
static inline bool rlb_protocols_meet(u32 a, u32 b)
{
	return a == b || a == RINGLB_PROTOCOL_ANY || b == RINGLB_PROTOCOL_ANY;
}

/* Would nothing say which of two services of a protocol and an address takes a packet? */
static inline bool rlb_ports_clash(const struct rlb_ports *a, const struct rlb_ports *b)
{
	return rlb_ports_match(a) == rlb_ports_match(b) && rlb_ports_meet(a, b);
}

/* The largest block that begins at @first and does not go beyond @last: of 2^this ports */
static inline unsigned int rlb_ports_block(u32 first, u32 last)
{
	unsigned int bits = 0;

	while (bits < RLB_PORTS_BITS && !(first >> bits & 1) && first + (2U << bits) - 1 <= last)
		bits++;
	return bits;
}

#endif /* _RINGLB_LOOKUP_PORTS_H */
