// SPDX-License-Identifier: GPL-2.0-only
/*
 * key.c - a flow's fields, or a backend's, as the bytes that are hashed
 *
 * In: addresses and ports in network byte order. Out: 64 bits. The bytes are laid out as on
 * the wire and whole, never folded, so that no two flows (or backends) have the same input.
 * Any context.
 */
#include "key.h"

/* The longest identity: an IPv6 address, a port, the protocol. */
#define IDENT_MAX (16 + 2 + 1)

static u8 *put(u8 *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return to + len;
}

/* Both ports, which stand side by side, and the protocol: the end of the longer inputs */
static u64 ports_and_proto(const struct rlb_tuple *t)
{
	const u8 *ports = (const u8 *)t + offsetof(struct rlb_tuple, sport);

	return rlb_get_le32(ports) | (u64)t->proto << 32;
}

static u64 hash4(const struct rlb_secret *secret, bool whole, const struct rlb_tuple *t)
{
	u64 src = rlb_get_le32(t->src.byte);
	struct rlb_sip s;

	rlb_sip_start(&s, secret);
	if (!whole)
		return rlb_sip_end(&s, src, 4);
	rlb_sip_word(&s, src | rlb_get_le32(t->dst.byte) << 32);
	return rlb_sip_end(&s, ports_and_proto(t), 13);
}

static u64 hash6(const struct rlb_secret *secret, bool whole, const struct rlb_tuple *t)
{
	struct rlb_sip s;

	rlb_sip_start(&s, secret);
	rlb_sip_word(&s, rlb_get_le64(t->src.byte));
	rlb_sip_word(&s, rlb_get_le64(t->src.byte + 8));
	if (!whole)
		return rlb_sip_end(&s, 0, 16);
	rlb_sip_word(&s, rlb_get_le64(t->dst.byte));
	rlb_sip_word(&s, rlb_get_le64(t->dst.byte + 8));
	return rlb_sip_end(&s, ports_and_proto(t), 37);
}

/**
 * rlb_key_hash() - hash the fields of a flow that its service's key names
 * @secret: the namespace's secret
 * @key: the service's key: RINGLB_KEY_5TUPLE hashes source, destination, source port,
 *	destination port and protocol, in this order, and so does RINGLB_KEY_QUIC_CID, for
 *	packets whose connection id tells nothing; RINGLB_KEY_SRC the source address
 * @t: the flow
 *
 * The fields go into the hash word by word, as if they stood in a row: 13 bytes of IPv4 or 37
 * of IPv6, 4 or 16 of a source alone. These inputs differ in length, which SipHash takes in.
 *
 * Return: the hash; its top bits are the slot.
 */
u64 rlb_key_hash(const struct rlb_secret *secret, enum ringlb_key key,
		 const struct rlb_tuple *t)
{
	bool whole = key != RINGLB_KEY_SRC;

	return t->family == AF_INET ? hash4(secret, whole, t) : hash6(secret, whole, t);
}

/**
 * rlb_ident() - the identity of a backend, from which its places in a table follow
 * @family: AF_INET or AF_INET6
 * @addr: its address
 * @port: its port in network byte order as configured; 0 if it keeps the VIP's
 * @proto: the service's protocol
 *
 * The same backend has the same identity in every service and on every gateway: the public
 * key is used, and neither weight nor state nor place in a list goes in.
 *
 * Return: the hash of address, port and protocol.
 */
u64 rlb_ident(u8 family, const union rlb_addr *addr, __be16 port, u8 proto)
{
	u8 bytes[IDENT_MAX];
	u8 *end = put(bytes, addr, rlb_addr_len(family));

	end = put(end, &port, 2);
	*end++ = proto;
	return rlb_hash(&rlb_public, bytes, end - bytes);
}

/**
 * rlb_ident_of_id() - the identity of a backend to which the operator gave a number
 * @id: the number, not RLB_NO_ID
 *
 * Four bytes are hashed, where an address gives seven or nineteen, and the length goes in: no
 * id and no address have the same input.
 *
 * Return: the hash of the id.
 */
u64 rlb_ident_of_id(u32 id)
{
	const u8 bytes[4] = { id, id >> 8, id >> 16, id >> 24 };

	return rlb_hash(&rlb_public, bytes, sizeof(bytes));
}
