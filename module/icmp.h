/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * icmp.h - ICMP errors about our flows, brought to the right end
 */
#ifndef _RINGLB_ICMP_H
#define _RINGLB_ICMP_H

#include "ringlb.h"

enum rlb_verdict rlb_icmp_in(struct rlb_pkt *pkt);
enum rlb_verdict rlb_icmp_out(struct rlb_pkt *pkt);

#endif /* _RINGLB_ICMP_H */
