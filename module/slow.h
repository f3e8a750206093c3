/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slow.h - slow start: one that comes takes its flows little by little
 */
#ifndef _RINGLB_SLOW_H
#define _RINGLB_SLOW_H

#include "backend.h"

void rlb_slow_follow(const struct rlb_backend_set *before, const struct rlb_backend_set *after);
bool rlb_slow_any(const struct rlb_service *svc);
bool rlb_slow_step(struct rlb_service *svc);
u32 rlb_slow_left(const struct rlb_backend_item *item);

#endif /* _RINGLB_SLOW_H */
