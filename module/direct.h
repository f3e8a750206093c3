/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * direct.h - connections made straight to a backend's own address and port
 */
#ifndef _RINGLB_DIRECT_H
#define _RINGLB_DIRECT_H

#include "ringlb.h"

enum rlb_verdict rlb_direct_in(struct rlb_pkt *pkt);
bool rlb_direct_answers(const struct rlb_pkt *pkt);
bool rlb_direct_is_known(const struct rlb_pkt *pkt);
void rlb_direct_forget(const struct rlb_pkt *pkt);

/**
 * rlb_direct_yield() - a packet goes to a backend by way of the VIP: so does its answer
 * @pkt: the packet, steered
 */
static inline void rlb_direct_yield(const struct rlb_pkt *pkt)
{
	if (unlikely(rlb_pins_any_direct(&pkt->rn->pins)))
		rlb_direct_forget(pkt);
}

#endif /* _RINGLB_DIRECT_H */
