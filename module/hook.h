/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hook.h - our netfilter hooks in a namespace: there while it has services of the family
 */
#ifndef _RINGLB_HOOK_H
#define _RINGLB_HOOK_H

#include "ringlb.h"

int rlb_hooks_get(struct rlb_net *rn, enum rlb_hook_set set, u8 family);
void rlb_hooks_put(struct rlb_net *rn, enum rlb_hook_set set, u8 family);
void rlb_hooks_exit(struct rlb_net *rn);

#endif /* _RINGLB_HOOK_H */
