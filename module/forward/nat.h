/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nat.h - mode nat: the destination of requests is rewritten, and the source of replies
 */
#ifndef _RINGLB_NAT_H
#define _RINGLB_NAT_H

#include "../ringlb.h"

enum rlb_verdict rlb_nat_in(struct rlb_pkt *pkt);
enum rlb_verdict rlb_nat_out(struct rlb_pkt *pkt);

#endif /* _RINGLB_NAT_H */
