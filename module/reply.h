/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reply.h - is this packet a backend's answer?
 */
#ifndef _RINGLB_REPLY_H
#define _RINGLB_REPLY_H

#include "ringlb.h"

struct rlb_pin;

enum rlb_verdict rlb_reply_find(struct rlb_pkt *pkt);
bool rlb_reply_peek(struct rlb_pkt *pkt, struct rlb_pin **pin);
void rlb_reply_tell(const struct rlb_pkt *pkt, struct rlb_pin *pin);

#endif /* _RINGLB_REPLY_H */
