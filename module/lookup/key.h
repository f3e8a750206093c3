/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * key.h - which fields of a packet decide where it goes, and who a backend is
 */
#ifndef _RINGLB_LOOKUP_KEY_H
#define _RINGLB_LOOKUP_KEY_H

#include <linux/ringlb.h>

#include "env.h"
#include "hash.h"

/* An address in network byte order; IPv4 in the first four bytes. */
union rlb_addr {
	u8 byte[16];
	__be32 v4;
	__be32 v6[4];
};

/**
 * struct rlb_tuple - a flow, as its client sees it
 * @src: the client's address
 * @dst: the VIP
 * @sport: the client's port, network byte order; 0 in services of every protocol
 * @dport: the VIP's port, network byte order; likewise
 * @family: AF_INET or AF_INET6
 * @proto: IPPROTO_*
 */
struct rlb_tuple {
	union rlb_addr src;
	union rlb_addr dst;
	__be16 sport;
	__be16 dport;
	u8 family;
	u8 proto;
};

static inline size_t rlb_addr_len(u8 family)
{
	return family == AF_INET ? 4 : 16;
}

/* Has a flow the same hash by either? */
static inline bool rlb_key_is_same(enum ringlb_key a, enum ringlb_key b)
{
	return (a == RINGLB_KEY_SRC) == (b == RINGLB_KEY_SRC);
}

u64 rlb_key_hash(const struct rlb_secret *secret, enum ringlb_key key,
		 const struct rlb_tuple *t);
u64 rlb_ident(u8 family, const union rlb_addr *addr, __be16 port, u8 proto);
u64 rlb_ident_of_id(u32 id);

#endif /* _RINGLB_LOOKUP_KEY_H */
