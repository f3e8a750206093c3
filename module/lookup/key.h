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
 * @sport: the client's port, network byte order
 * @dport: the VIP's port, network byte order
 * @family: AF_INET or AF_INET6
 * @proto: IPPROTO_TCP or IPPROTO_UDP
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

/* Both ports, which stand side by side, and the protocol: the end of the longer inputs */
static inline u64 rlb_key_end(const struct rlb_tuple *t)
{
	const u8 *ports = (const u8 *)t + offsetof(struct rlb_tuple, sport);

	return rlb_get_le32(ports) | (u64)t->proto << 32;
}

static inline u64 rlb_key_hash4(const struct rlb_secret *secret, bool whole,
				const struct rlb_tuple *t)
{
	u64 src = rlb_get_le32(t->src.byte);
	struct rlb_sip s;

	rlb_sip_start(&s, secret);
	if (!whole)
		return rlb_sip_end(&s, src, 4);
	rlb_sip_word(&s, src | rlb_get_le32(t->dst.byte) << 32);
	return rlb_sip_end(&s, rlb_key_end(t), 13);
}

static inline u64 rlb_key_hash6(const struct rlb_secret *secret, bool whole,
				const struct rlb_tuple *t)
{
	struct rlb_sip s;

	rlb_sip_start(&s, secret);
	rlb_sip_word(&s, rlb_get_le64(t->src.byte));
	rlb_sip_word(&s, rlb_get_le64(t->src.byte + 8));
	if (!whole)
		return rlb_sip_end(&s, 0, 16);
	rlb_sip_word(&s, rlb_get_le64(t->dst.byte));
	rlb_sip_word(&s, rlb_get_le64(t->dst.byte + 8));
	return rlb_sip_end(&s, rlb_key_end(t), 37);
}

/**
 * rlb_key_hash() - hash the fields of a flow that its service's key names
 * @secret: the namespace's secret
 * @key: the service's key: RINGLB_KEY_5TUPLE hashes source, destination, source port,
 *	destination port and protocol, in this order; RINGLB_KEY_SRC the source address
 * @t: the flow
 *
 * The fields go into the hash word by word, as if they stood in a row: 13 bytes of IPv4 or 37
 * of IPv6, 4 or 16 of a source alone. These inputs differ in length, which SipHash takes in.
 *
 * Return: the hash; its top bits are the slot.
 */
static inline u64 rlb_key_hash(const struct rlb_secret *secret, enum ringlb_key key,
			       const struct rlb_tuple *t)
{
	bool whole = key != RINGLB_KEY_SRC;

	return t->family == AF_INET ? rlb_key_hash4(secret, whole, t) :
				      rlb_key_hash6(secret, whole, t);
}

u64 rlb_ident(u8 family, const union rlb_addr *addr, __be16 port, u8 proto);
u64 rlb_ident_of_id(u32 id);

#endif /* _RINGLB_LOOKUP_KEY_H */
