// SPDX-License-Identifier: GPL-2.0-only
/*
 * cid.c - the connection id of a QUIC packet, and whose it is
 *
 * In: the first bytes of a datagram, of which nothing is known. Out: where its destination
 * connection id is, by what all versions of QUIC have in common (RFC 8999); and the number of
 * the server that made it, if it is in the plaintext form of draft-ietf-quic-load-balancers:
 * three bits of configuration, five of any value, then the server id, then a nonce. Nothing
 * beyond the bytes that are given is read. Any context.
 */
#include "cid.h"

#define LONG_HEADER 0x80	/* bit of a datagram's first byte */
#define LONG_LENGTH 5		/* place of the id's length in a long header, behind the version */
#define CONFIG_SHIFT 5		/* of the configuration in an id's first byte */

/**
 * rlb_cid_of() - where the destination connection id of a datagram is
 * @data: the datagram, from behind the UDP header on
 * @len: how much there is of it; from RLB_CID_HEAD on more is of no use
 * @n: out: bytes of the id; after a short header, which does not tell, as many as it may have
 *
 * Return: the id; NULL if the datagram ends before it does, or it is longer than servers may
 * make theirs.
 */
const u8 *rlb_cid_of(const u8 *data, u32 len, u32 *n)
{
	if (!len)
		return NULL;
	if (!(data[0] & LONG_HEADER)) {
		*n = len - 1 < RINGLB_CID_MAX ? len - 1 : RINGLB_CID_MAX;
		return data + 1;
	}
	if (len <= LONG_LENGTH)
		return NULL;
	*n = data[LONG_LENGTH];
	if (*n > RINGLB_CID_MAX || *n > len - LONG_LENGTH - 1)
		return NULL;
	return data + LONG_LENGTH + 1;
}

/**
 * rlb_cid_server() - which server made a connection id
 * @form: how they write them
 * @cid: the id
 * @n: its bytes, or as many as it may have
 * @id: out: the server's number, its bytes as on the wire; perhaps of no server there is
 *
 * A client's own id, of random bytes, may look like a server's.
 *
 * Return: false if none did: it is too short, or of another configuration.
 */
bool rlb_cid_server(const struct rlb_cid_form *form, const u8 *cid, u32 n, u32 *id)
{
	u32 i;

	if (n < 1U + form->length + RLB_CID_NONCE_MIN || cid[0] >> CONFIG_SHIFT != form->config)
		return false;
	*id = 0;
	for (i = 1; i <= form->length; i++)
		*id = *id << 8 | cid[i];
	return true;
}

/**
 * rlb_cid_search() - find a server's number among others
 * @ids: in ascending order, each once
 * @n: how many
 * @id: the number
 *
 * Return: its place; @n if it is not there.
 */
u32 rlb_cid_search(const u32 *ids, u32 n, u32 id)
{
	u32 low = 0, high = n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && ids[low] == id ? low : n;
}
