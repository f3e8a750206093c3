/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prefix.h - the addresses of a service: one, or all that begin with the same bits
 *
 * An address alone says more of a packet than a prefix with it, and a longer prefix more than a
 * shorter one.
 */
#ifndef _RINGLB_LOOKUP_PREFIX_H
#define _RINGLB_LOOKUP_PREFIX_H

#include "key.h"

/* As long as an address: a prefix of so many bits is one address. */
static inline unsigned int rlb_prefix_full(u8 family)
{
	return family == AF_INET ? 32 : 128;
}

/* What is behind the first @bits bits becomes 0. */
static inline void rlb_prefix_cut(union rlb_addr *addr, unsigned int bits)
{
	unsigned int i = bits / 8;

	if (i >= sizeof(addr->byte))
		return;
	addr->byte[i++] &= 0xff00 >> bits % 8;
	while (i < sizeof(addr->byte))
		addr->byte[i++] = 0;
}

/* The last address that begins with @prefix */
static inline union rlb_addr rlb_prefix_last(const union rlb_addr *prefix, unsigned int bits,
					     u8 family)
{
	union rlb_addr last = *prefix;
	unsigned int i;

	for (i = bits; i < rlb_prefix_full(family); i++)
		last.byte[i / 8] |= 0x80 >> i % 8;
	return last;
}

static inline bool rlb_prefix_has(const union rlb_addr *prefix, unsigned int bits,
				  const union rlb_addr *addr)
{
	union rlb_addr a = *addr;

	rlb_prefix_cut(&a, bits);
	return !memcmp(&a, prefix, sizeof(a));
}

/* Has one of two prefixes all addresses of the other? Else they have none in common. */
static inline bool rlb_prefix_meet(const union rlb_addr *a, unsigned int a_bits,
				   const union rlb_addr *b, unsigned int b_bits)
{
	return a_bits < b_bits ? rlb_prefix_has(a, a_bits, b) : rlb_prefix_has(b, b_bits, a);
}

#endif /* _RINGLB_LOOKUP_PREFIX_H */
