// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_key.c - module/lookup/key.c: which bytes are hashed, and that nothing is folded
 */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "key.h"
#include "unit.h"

static const struct rlb_secret secret = { .k = { 0x1122334455667788, 0x99aabbccddeeff00 } };

static struct rlb_tuple tuple(u8 family, u8 proto, const char *src, u16 sport,
			      const char *dst, u16 dport)
{
	struct rlb_tuple t;

	/* What is not a part of the flow must not matter. */
	memset(&t, unit_random(), sizeof(t));
	assert_int_equal(inet_pton(family, src, &t.src), 1);
	assert_int_equal(inet_pton(family, dst, &t.dst), 1);
	t.sport = htons(sport);
	t.dport = htons(dport);
	t.family = family;
	t.proto = proto;
	return t;
}

static u64 hash5(const struct rlb_tuple *t)
{
	return rlb_key_hash(&secret, RINGLB_KEY_5TUPLE, t);
}

static u64 hash_src(const struct rlb_tuple *t)
{
	return rlb_key_hash(&secret, RINGLB_KEY_SRC, t);
}

static void layout_v4(void **unused)
{
	static const u8 bytes[] = {
		198, 51, 100, 7, 192, 0, 2, 10, 0x9d, 0x1e, 0x01, 0xbb, 6,
	};
	struct rlb_tuple t = tuple(AF_INET, IPPROTO_TCP, "198.51.100.7", 40222,
				   "192.0.2.10", 443);

	assert_int_equal(hash5(&t), rlb_hash(&secret, bytes, sizeof(bytes)));
	assert_int_equal(hash_src(&t), rlb_hash(&secret, bytes, 4));
}

static void layout_v6(void **unused)
{
	static const u8 bytes[] = {
		0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7,
		0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
		0x9d, 0x1e, 0x00, 0x35, 17,
	};
	struct rlb_tuple t = tuple(AF_INET6, IPPROTO_UDP, "2001:db8:0:1::7", 40222,
				   "2001:db8::10", 53);

	assert_int_equal(hash5(&t), rlb_hash(&secret, bytes, sizeof(bytes)));
	assert_int_equal(hash_src(&t), rlb_hash(&secret, bytes, 16));
}

/* Changing from one key to another that hashes alike moves no slot. */
static void alike(void **unused)
{
	static const u8 families[] = { AF_INET, AF_INET6 };
	enum ringlb_key a, b;
	struct rlb_tuple t;
	unsigned int i;
	bool same;

	for (a = 1; a <= RINGLB_KEY_MAX; a++)
		for (b = 1; b <= RINGLB_KEY_MAX; b++)
			for (i = 0; i < 2; i++) {
				t = tuple(families[i], IPPROTO_UDP, i ? "2001:db8::7" : "198.51.100.7",
					  40222, i ? "2001:db8::10" : "192.0.2.10", 443);
				same = rlb_key_hash(&secret, a, &t) == rlb_key_hash(&secret, b, &t);
				assert_int_equal(rlb_key_is_same(a, b), same);
			}
}

static void flip(struct rlb_tuple *t, size_t bit)
{
	((u8 *)t)[bit / 8] ^= 1 << bit % 8;
}

/* Bits of struct rlb_tuple from OFFSET on, LEN bytes, in both families. */
static void each_bit_counts(size_t offset, size_t len, int in_src_key)
{
	static const u8 families[] = { AF_INET, AF_INET6 };
	struct rlb_tuple t;
	u64 five, src;
	size_t bit, f, i;

	for (f = 0; f < 2; f++) {
		for (i = 0; i < sizeof(t); i++)
			((u8 *)&t)[i] = unit_random();
		t.family = families[f];
		five = hash5(&t);
		src = hash_src(&t);
		for (bit = offset * 8; bit < (offset + len) * 8; bit++) {
			int beyond = t.family == AF_INET && len == 16 &&
				     bit >= offset * 8 + 32;

			flip(&t, bit);
			assert_int_equal(hash5(&t) != five, !beyond);
			assert_int_equal(hash_src(&t) != src, in_src_key && !beyond);
			flip(&t, bit);
		}
	}
}

static void every_bit(void **unused)
{
	each_bit_counts(offsetof(struct rlb_tuple, src), 16, 1);
	each_bit_counts(offsetof(struct rlb_tuple, dst), 16, 0);
	each_bit_counts(offsetof(struct rlb_tuple, sport), 2, 0);
	each_bit_counts(offsetof(struct rlb_tuple, dport), 2, 0);
	each_bit_counts(offsetof(struct rlb_tuple, proto), 1, 0);
}

/* What a sum, an exclusive or or a concatenation without bounds would confuse. */
static void no_confusion(void **unused)
{
	const struct rlb_tuple flows[] = {
		tuple(AF_INET, 6, "10.0.0.1", 8100, "192.0.2.10", 80),
		tuple(AF_INET, 6, "10.0.0.2", 8099, "192.0.2.10", 80),
		tuple(AF_INET, 6, "192.0.2.10", 80, "10.0.0.1", 8100),
		tuple(AF_INET, 6, "10.0.0.1", 80, "192.0.2.10", 8100),
		tuple(AF_INET, 17, "10.0.0.1", 8100, "192.0.2.10", 80),
		tuple(AF_INET, 6, "192.0.2.10", 8100, "10.0.0.1", 80),
		tuple(AF_INET, 6, "0.0.0.0", 0, "0.0.0.0", 0),
		tuple(AF_INET6, 6, "::", 0, "::", 0),
		tuple(AF_INET6, 6, "::ffff:10.0.0.1", 8100, "::ffff:192.0.2.10", 80),
		tuple(AF_INET6, 6, "::10.0.0.1", 8100, "::192.0.2.10", 80),
		tuple(AF_INET6, 6, "a00:1::", 8100, "c000:20a::", 80),
		tuple(AF_INET6, 6, "0:0:a00:1::", 8100, "c000:20a::", 80),
		tuple(AF_INET6, 6, "a00:1:a00:1::", 8100, "::c000:20a", 80),
		tuple(AF_INET6, 6, "2001:db8::1:2", 1, "2001:db8::10", 80),
		tuple(AF_INET6, 6, "2001:db8::2:1", 1, "2001:db8::10", 80),
		tuple(AF_INET6, 6, "2001:db8:1::2", 1, "2001:db8::10", 80),
	};
	const size_t n = sizeof(flows) / sizeof(flows[0]);
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			assert_int_not_equal(hash5(&flows[i]), hash5(&flows[j]));
}

static int by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* 100 addresses x 20 x 20 ports x 2 protocols: 80000 tuples near one another, no two alike.
 * By chance two of 64 bits meet in one of 5 billion runs.
 */
static void dense(void **unused)
{
	static u64 hashes[80000];
	struct rlb_tuple t;
	u32 i, n = 80000;

	for (i = 0; i < n; i++) {
		t = tuple(AF_INET, i & 1 ? 6 : 17, "10.0.0.0", 8000 + i / 2 % 20,
			  "192.0.2.10", 80 + i / 40 % 20);
		t.src.byte[3] = i / 800;
		hashes[i] = hash5(&t);
	}
	qsort(hashes, n, sizeof(hashes[0]), by_value);
	for (i = 1; i < n; i++)
		assert_int_not_equal(hashes[i], hashes[i - 1]);
}

static u64 ident(const char *addr, u16 port, u8 proto)
{
	u8 family = strchr(addr, ':') ? AF_INET6 : AF_INET;
	union rlb_addr a;

	memset(&a, unit_random(), sizeof(a));
	assert_int_equal(inet_pton(family, addr, &a), 1);
	return rlb_ident(family, &a, htons(port), proto);
}

static void ident_layout(void **unused)
{
	static const u8 v4[] = { 10, 0, 2, 11, 0x1f, 0x90, 6 };
	static const u8 v6[] = {
		0xfd, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0, 0, 17,
	};

	assert_int_equal(ident("10.0.2.11", 8080, 6), rlb_hash(&rlb_public, v4, sizeof(v4)));
	assert_int_equal(ident("fd00:2::11", 0, 17), rlb_hash(&rlb_public, v6, sizeof(v6)));
}

static void ident_of_id(void **unused)
{
	static const u8 id[] = { 0x78, 0x56, 0x34, 0x12 };

	assert_int_equal(rlb_ident_of_id(0x12345678), rlb_hash(&rlb_public, id, sizeof(id)));
}

static void ident_no_confusion(void **unused)
{
	const u64 idents[] = {
		ident("10.0.0.1", 8100, 6), ident("10.0.0.2", 8099, 6),
		ident("10.0.0.1", 8100, 17), ident("10.0.0.1", 0, 6),
		ident("10.0.0.2", 8100, 6), ident("10.1.0.0", 8100, 6),
		ident("::10.0.0.1", 8100, 6), ident("::ffff:10.0.0.1", 8100, 6),
		ident("a00:1::", 8100, 6), ident("fd00:2::11", 80, 6),
		ident("fd00:2::12", 80, 6), ident("fd00:2:0:1::11", 80, 6),
		ident("fd00:2:1::11", 80, 6), ident("fd00:2::1:11", 80, 6),
		rlb_ident_of_id(0), rlb_ident_of_id(1), rlb_ident_of_id(0x0100000a),
		rlb_ident_of_id(0x0a000001), rlb_ident_of_id(6), rlb_ident_of_id(8100),
	};
	const size_t n = sizeof(idents) / sizeof(idents[0]);
	size_t i, j;

	for (i = 0; i < n; i++)
		for (j = 0; j < i; j++)
			assert_int_not_equal(idents[i], idents[j]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("key: an IPv4 flow is its 13 bytes as on the wire", layout_v4),
		CLAIM("key: an IPv6 flow is its 37 bytes as on the wire", layout_v6),
		CLAIM("key: those that hash alike are known", alike),
		CLAIM("key: every bit of the named fields counts, and no other", every_bit),
		CLAIM("key: flows that folding would confuse differ", no_confusion),
		CLAIM("key: 80000 neighbouring flows have 80000 hashes", dense),
		CLAIM("key: a backend is its address, port and protocol whole", ident_layout),
		CLAIM("key: a backend with an id is its id, four bytes, and nothing else", ident_of_id),
		CLAIM("key: backends that folding would confuse differ", ident_no_confusion),
	};

	return cmocka_run_group_tests_name("key", tests, NULL, NULL);
}
