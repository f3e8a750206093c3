// SPDX-License-Identifier: GPL-2.0-only
/*
 * digest.c - a number by which two gateways compare their tables
 *
 * In: a table. Out: 64 bits. Any context; a pass over all slots.
 */
#include "hash.h"
#include "lookup.h"

/**
 * rlb_digest() - hash who owns what
 * @slots: 2^@bits owners, indexes into @m or RINGLB_NO_OWNER, marked or not
 * @bits: size of the table
 * @m: the members
 * @n: how many
 *
 * The hash goes over the identity of each slot's owner (0 for none), slot by slot, so it is
 * equal for equal tables whatever the members' indexes. It needs no secret. It finds
 * differences that come from different configurations; it is no defence against a forger.
 *
 * Return: the digest.
 */
u64 rlb_digest(const u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n)
{
	u32 nslots = 1U << bits;
	struct rlb_sip sip;
	u16 owner;
	u32 s;

	rlb_sip_start(&sip, &rlb_public);
	for (s = 0; s < nslots; s++) {
		owner = rlb_slot_owner(slots[s]);
		rlb_sip_word(&sip, owner < n ? m[owner].ident : 0);
	}
	return rlb_sip_end(&sip, bits, 0);
}

/**
 * rlb_digest_seats() - let a digest tell lists of seats apart as well
 * @digest: rlb_digest() of the table
 * @seats: the list
 * @n: how many; 0: the digest stays what it is
 *
 * Two tables may be equal today and part with the next change, if their lists differ.
 *
 * Return: the digest of both.
 */
u64 rlb_digest_seats(u64 digest, const struct rlb_seat *seats, u32 n)
{
	struct rlb_sip sip;
	u32 k;

	if (!n)
		return digest;
	rlb_sip_start(&sip, &rlb_public);
	rlb_sip_word(&sip, digest);
	for (k = 0; k < n; k++)
		rlb_sip_word(&sip, (u64)seats[k].id << 32 | seats[k].weight);
	return rlb_sip_end(&sip, n, 0);
}
