/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hash.h - the keyed hash of ringlb: SipHash with a 64-bit result
 *
 * Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012). One compression round a
 * word and three to finish (SipHash-1-3), as the kernel's hsiphash on 64-bit machines and as
 * several languages use it against hash flooding. The numbers of rounds are fixed when this
 * is compiled, so that a test can build the same source with 2 and 4 and hold it against the
 * vectors of the paper.
 */
#ifndef _RINGLB_LOOKUP_HASH_H
#define _RINGLB_LOOKUP_HASH_H

#include "env.h"

#ifndef RLB_SIP_ROUNDS
#define RLB_SIP_ROUNDS 1		/* for each word of input */
#define RLB_SIP_FINAL_ROUNDS 3
#endif

/**
 * struct rlb_secret - a 128-bit hash key
 * @k: bytes 0..7 and 8..15 of the key, each read as a little-endian number
 */
struct rlb_secret {
	u64 k[2];
};

/* A hash over words in progress: rlb_sip_start(), rlb_sip_word()..., rlb_sip_end(). */
struct rlb_sip {
	u64 v0, v1, v2, v3;
};

/* Little-endian numbers anywhere in memory; written out so that compilers see one load. */
static inline u64 rlb_get_le32(const u8 *p)
{
	return (u64)p[0] | (u64)p[1] << 8 | (u64)p[2] << 16 | (u64)p[3] << 24;
}

static inline u64 rlb_get_le64(const u8 *p)
{
	return (u64)p[0] | (u64)p[1] << 8 | (u64)p[2] << 16 | (u64)p[3] << 24 |
	       (u64)p[4] << 32 | (u64)p[5] << 40 | (u64)p[6] << 48 | (u64)p[7] << 56;
}

static inline u64 rlb_sip_rotl(u64 x, unsigned int n)
{
	return x << n | x >> (64 - n);
}

static inline void rlb_sip_round(struct rlb_sip *s)
{
	s->v0 += s->v1;
	s->v1 = rlb_sip_rotl(s->v1, 13) ^ s->v0;
	s->v0 = rlb_sip_rotl(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = rlb_sip_rotl(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = rlb_sip_rotl(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = rlb_sip_rotl(s->v1, 17) ^ s->v2;
	s->v2 = rlb_sip_rotl(s->v2, 32);
}

static inline void rlb_sip_start(struct rlb_sip *s, const struct rlb_secret *secret)
{
	s->v0 = secret->k[0] ^ 0x736f6d6570736575ULL;
	s->v1 = secret->k[1] ^ 0x646f72616e646f6dULL;
	s->v2 = secret->k[0] ^ 0x6c7967656e657261ULL;
	s->v3 = secret->k[1] ^ 0x7465646279746573ULL;
}

/* @word: the next 8 bytes of input, read as a little-endian number */
static inline void rlb_sip_word(struct rlb_sip *s, u64 word)
{
	unsigned int i;

	s->v3 ^= word;
	for (i = 0; i < RLB_SIP_ROUNDS; i++)
		rlb_sip_round(s);
	s->v0 ^= word;
}

/* @tail: the last 0..7 bytes, little-endian; @len: bytes of the whole input. */
static inline u64 rlb_sip_end(struct rlb_sip *s, u64 tail, size_t len)
{
	unsigned int i;

	rlb_sip_word(s, tail | (u64)(len & 0xff) << 56);
	s->v2 ^= 0xff;
#pragma GCC unroll 4
	for (i = 0; i < RLB_SIP_FINAL_ROUNDS; i++)
		rlb_sip_round(s);
	return s->v0 ^ s->v1 ^ s->v2 ^ s->v3;
}

void rlb_secret_load(struct rlb_secret *secret, const u8 bytes[16]);
void rlb_secret_store(const struct rlb_secret *secret, u8 bytes[16]);
u64 rlb_secret_fingerprint(const struct rlb_secret *secret);
u64 rlb_hash(const struct rlb_secret *secret, const void *data, size_t len);

/**
 * rlb_hash_mix() - a cheap bijection of 64 bits in which each input bit flips each output
 *	bit about half of the time (Stafford's variant 13 of the MurmurHash3 finaliser)
 * @x: a number that an adversary cannot choose: a keyed hash, or a public identity
 *
 * Return: the mixed number.
 */
static inline u64 rlb_hash_mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/*
 * The key of hashes that must be equal everywhere and need no secret (identities, digests):
 * the bytes "ringlb: identity".
 */
extern const struct rlb_secret rlb_public;

#endif /* _RINGLB_LOOKUP_HASH_H */
