/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * overhead.h - how much larger packets become in a tunnel
 */
#ifndef _RINGLB_LOOKUP_OVERHEAD_H
#define _RINGLB_LOOKUP_OVERHEAD_H

#include <linux/ringlb.h>

#include "env.h"

#define RLB_OVERHEAD_IPV4 20
#define RLB_OVERHEAD_IPV6 40
#define RLB_OVERHEAD_GRE 4
#define RLB_OVERHEAD_GUE 12	/* UDP, and 4 bytes */

/* Bytes before the packet inside. @tunnel: enum ringlb_tunnel. @family: of the outer header */
static inline unsigned int rlb_overhead(u32 tunnel, u8 family)
{
	unsigned int ip = family == AF_INET ? RLB_OVERHEAD_IPV4 : RLB_OVERHEAD_IPV6;

	switch (tunnel) {
	case RINGLB_TUNNEL_GRE:
		return ip + RLB_OVERHEAD_GRE;
	case RINGLB_TUNNEL_GUE:
		return ip + RLB_OVERHEAD_GUE;
	default:
		return ip;
	}
}

#endif /* _RINGLB_LOOKUP_OVERHEAD_H */
