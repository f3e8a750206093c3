/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * none.h - what senders are told when no backend takes their packets
 */
#ifndef _RINGLB_NONE_H
#define _RINGLB_NONE_H

#include "ringlb.h"

int rlb_none(const struct rlb_pkt *pkt);

#endif /* _RINGLB_NONE_H */
