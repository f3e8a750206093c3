/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * outer.h - ICMP errors about the outer packets of mode tunnel
 */
#ifndef _RINGLB_OUTER_H
#define _RINGLB_OUTER_H

#include "../ringlb.h"

void rlb_outer_error(struct rlb_pkt *pkt);
int rlb_outer_reserve(struct rlb_net *rn, u32 more);
void rlb_outer_link(struct rlb_backend *b);
void rlb_outer_hide(struct rlb_backend *b);

#endif /* _RINGLB_OUTER_H */
