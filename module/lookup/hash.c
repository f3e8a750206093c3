// SPDX-License-Identifier: GPL-2.0-only
/*
 * hash.c - the keyed hash over bytes, and what belongs to its key
 *
 * In: bytes in wire order and a 128-bit secret. Out: 64 bits, the same on every machine.
 * Any context.
 */
#include "hash.h"

const struct rlb_secret rlb_public = {
	.k = { 0x203a626c676e6972ULL, 0x797469746e656469ULL },
};

static u64 get_le(const u8 *p, size_t n)
{
	u64 word = 0;

	while (n--)
		word = word << 8 | p[n];
	return word;
}

/**
 * rlb_secret_load() - read a key from its 16 bytes
 * @secret: where it goes
 * @bytes: the key as operators write it, first byte first
 */
void rlb_secret_load(struct rlb_secret *secret, const u8 bytes[16])
{
	secret->k[0] = rlb_get_le64(bytes);
	secret->k[1] = rlb_get_le64(bytes + 8);
}

/**
 * rlb_secret_store() - the 16 bytes of a key, as rlb_secret_load() takes them
 * @secret: the key
 * @bytes: where they go
 */
void rlb_secret_store(const struct rlb_secret *secret, u8 bytes[16])
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		bytes[i] = secret->k[i / 8] >> 8 * (i % 8);
}

/**
 * rlb_secret_fingerprint() - a number by which two gateways compare their secrets
 * @secret: the key
 *
 * Return: the hash of a fixed text under the key; it tells nothing of the key.
 */
u64 rlb_secret_fingerprint(const struct rlb_secret *secret)
{
	static const char text[] = "ringlb secret fingerprint";

	return rlb_hash(secret, text, sizeof(text) - 1);
}

/**
 * rlb_hash() - SipHash of bytes
 * @secret: the key
 * @data: the bytes
 * @len: how many
 *
 * Return: 64 bits, uniform to anyone who does not know the key.
 */
u64 rlb_hash(const struct rlb_secret *secret, const void *data, size_t len)
{
	const u8 *p = data;
	struct rlb_sip s;
	size_t left;

	rlb_sip_start(&s, secret);
	for (left = len; left >= 8; left -= 8, p += 8)
		rlb_sip_word(&s, rlb_get_le64(p));
	return rlb_sip_end(&s, get_le(p, left), len);
}
