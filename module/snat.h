/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snat.h - the gateway in the client's place: addresses and ports of its own
 */
#ifndef _RINGLB_SNAT_H
#define _RINGLB_SNAT_H

#include "ringlb.h"

struct netlink_ext_ack;
struct rlb_service_config;

int rlb_snat_check(struct net *net, const struct rlb_service_config *config,
		   struct netlink_ext_ack *extack);
enum ringlb_counter rlb_snat_gate(const struct rlb_pkt *pkt, struct rlb_wide *what);
enum rlb_verdict rlb_snat_in(struct rlb_pkt *pkt);
enum rlb_verdict rlb_snat_out(struct rlb_pkt *pkt);

#endif /* _RINGLB_SNAT_H */
