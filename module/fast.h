/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fast.h - the fast path: packets that the rules settle at once, past the stack
 */
#ifndef _RINGLB_FAST_H
#define _RINGLB_FAST_H

#include <linux/netfilter.h>

#include "ringlb.h"

unsigned int rlb_fast(void *priv, struct sk_buff *skb, const struct nf_hook_state *state);
void rlb_fast_untrack(struct rlb_net *rn, struct sk_buff *skb, const struct nf_hook_state *state);

#endif /* _RINGLB_FAST_H */
