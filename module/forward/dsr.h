/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dsr.h - mode dsr: packets go to the backend as they are, as to a router
 */
#ifndef _RINGLB_DSR_H
#define _RINGLB_DSR_H

#include "../ringlb.h"

enum rlb_verdict rlb_dsr_in(struct rlb_pkt *pkt);

#endif /* _RINGLB_DSR_H */
