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
