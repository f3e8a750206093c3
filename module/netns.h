/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * netns.h - state of a network namespace: born, found, torn down
 */
#ifndef _RINGLB_NETNS_H
#define _RINGLB_NETNS_H

#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "ringlb.h"

extern unsigned int rlb_net_id;

/* For packets and requests alike: the state lives as long as the namespace does. */
static inline struct rlb_net *rlb_net_of(const struct net *net)
{
	return net_generic(net, rlb_net_id);
}

void rlb_net_changed(struct rlb_net *rn);

int rlb_netns_register(void);
void rlb_netns_unregister(void);

#endif /* _RINGLB_NETNS_H */
