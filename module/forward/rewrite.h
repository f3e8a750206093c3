/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rewrite.h - change addresses and ports, and every checksum over them
 */
#ifndef _RINGLB_REWRITE_H
#define _RINGLB_REWRITE_H

#include "../ringlb.h"

enum rlb_side {
	RLB_SOURCE,
	RLB_DESTINATION,
};

int rlb_rewrite(struct rlb_pkt *pkt, enum rlb_side side, const union rlb_addr *addr, __be16 port);
int rlb_rewrite_error(struct rlb_pkt *pkt, enum rlb_side quoted_side, const union rlb_addr *addr,
		      __be16 port, enum rlb_side outer_side, bool outer);

#endif /* _RINGLB_REWRITE_H */
