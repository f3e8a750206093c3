/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settle.h - tables that are not canonical yet become so, in batches
 */
#ifndef _RINGLB_SETTLE_H
#define _RINGLB_SETTLE_H

#include "ringlb.h"

struct rlb_service;

void rlb_settle_init(struct rlb_net *rn);
void rlb_settle_kick(const struct rlb_service *svc);
void rlb_settle_exit(struct rlb_net *rn);

#endif /* _RINGLB_SETTLE_H */
