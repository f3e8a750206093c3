/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reply.h - is this packet a backend's answer?
 */
#ifndef _RINGLB_REPLY_H
#define _RINGLB_REPLY_H

#include "ringlb.h"

enum rlb_verdict rlb_reply_find(struct rlb_pkt *pkt);

#endif /* _RINGLB_REPLY_H */
