/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tunnel.h - mode tunnel: packets go to the backend inside packets of the gateway's own
 */
#ifndef _RINGLB_TUNNEL_H
#define _RINGLB_TUNNEL_H

#include "../ringlb.h"

struct rlb_service_config;

u8 rlb_tunnel_proto(const struct rlb_service_config *c);
unsigned int rlb_tunnel_overhead(const struct rlb_service_config *c, u8 family);
enum rlb_verdict rlb_tunnel_in(struct rlb_pkt *pkt);

#endif /* _RINGLB_TUNNEL_H */
