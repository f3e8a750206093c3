/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cid.h - to a backend by the connection id of a QUIC packet
 */
#ifndef _RINGLB_CID_H
#define _RINGLB_CID_H

#include "ringlb.h"

struct rlb_table;

struct rlb_backend *rlb_cid_backend(const struct rlb_table *table, const u8 *cid, u32 n);
bool rlb_cid_may_carry(const struct rlb_service *svc, const struct rlb_backend *b);
enum rlb_verdict rlb_cid_steer(struct rlb_pkt *pkt, struct rlb_table *table);

#endif /* _RINGLB_CID_H */
