/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own.h - ports that this host needs for itself
 */
#ifndef _RINGLB_OWN_H
#define _RINGLB_OWN_H

#include <linux/netlink.h>

#include "lookup/key.h"

struct net;
struct rlb_service_config;

bool rlb_own_has(struct net *net, u8 family, const union rlb_addr *addr);
int rlb_own_check(struct net *net, const struct rlb_service_config *config,
		  struct netlink_ext_ack *extack);

#endif /* _RINGLB_OWN_H */
