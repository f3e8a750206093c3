/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cid.h - the connection id of a QUIC packet, and whose it is
 */
#ifndef _RINGLB_LOOKUP_CID_H
#define _RINGLB_LOOKUP_CID_H

#include <linux/ringlb.h>

#include "env.h"

/* As much of a datagram as is looked at: first byte, version, length, connection id */
#define RLB_CID_HEAD (1 + 4 + 1 + RINGLB_CID_MAX)
#define RLB_CID_NONCE_MIN 4	/* bytes after the server id that no two ids share */

/**
 * struct rlb_cid_form - how servers write their connection ids; plaintext
 * @config: the number of this agreement, 0..RINGLB_CID_CONFIG_MAX, in the first three bits
 * @length: bytes of the server id, from the second byte on, 1..RINGLB_SID_LENGTH_MAX
 */
struct rlb_cid_form {
	u8 config;
	u8 length;
};

/* Can a server's number be written so? */
static inline bool rlb_cid_has_room(const struct rlb_cid_form *form, u32 id)
{
	return form->length >= sizeof(id) || !(id >> (8 * form->length));
}

const u8 *rlb_cid_of(const u8 *data, u32 len, u32 *n);
bool rlb_cid_server(const struct rlb_cid_form *form, const u8 *cid, u32 n, u32 *id);
u32 rlb_cid_search(const u32 *ids, u32 n, u32 id);

#endif /* _RINGLB_LOOKUP_CID_H */
