// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_parse.c - module/parse.c, natively: against a naive twin, and what single packets say
 *
 * Random packets are right ones of all kinds, then damaged: bytes changed, cut off, put in; and
 * laid out in two pieces, each exactly as long as its bytes, so that a sanitizer sees who reads
 * beyond.
 */
#include "packet.h"
#include "unit.h"

#define ROOM 400

/* A packet that is being made */
struct bytes {
	uint8_t at[ROOM];
	unsigned int len;
};

static const uint8_t client4[4] = { 10, 0, 1, 2 }, vip4[4] = { 192, 0, 2, 10 };
static const uint8_t client6[16] = { 0xfd, 0, 0, 1, [15] = 2 };
static const uint8_t vip6[16] = { 0x20, 1, 0x0d, 0xb8, [15] = 0x10 };

static void put(struct bytes *b, const void *bytes, unsigned int n)
{
	assert_true(b->len + n <= ROOM);
	memcpy(b->at + b->len, bytes, n);
	b->len += n;
}

static void put1(struct bytes *b, unsigned int value)
{
	put(b, &(uint8_t){ value }, 1);
}

static void put2(struct bytes *b, unsigned int value)
{
	put1(b, value >> 8);
	put1(b, value);
}

static void put_random(struct bytes *b, unsigned int n)
{
	while (n--)
		put1(b, unit_random());
}

/* From client to VIP, or @back; IPv4 with @words words of options */
static void put_network(struct bytes *b, int family, unsigned int proto, bool back,
			unsigned int words)
{
	if (family == AF_INET) {
		put1(b, 0x45 + words);
		put1(b, 0);
		put2(b, 200);
		put2(b, unit_random());
		put2(b, 0x4000);
		put1(b, 64);
		put1(b, proto);
		put2(b, 0);
		put(b, back ? vip4 : client4, 4);
		put(b, back ? client4 : vip4, 4);
		return;
	}
	put1(b, 0x60);
	put_random(b, 3);
	put2(b, 200);
	put1(b, proto);
	put1(b, 64);
	put(b, back ? vip6 : client6, 16);
	put(b, back ? client6 : vip6, 16);
}

static void put_ports(struct bytes *b, unsigned int sport, unsigned int dport, unsigned int more)
{
	put2(b, sport);
	put2(b, dport);
	put_random(b, more);
}

/* IPv4 options that fill @words words: of every kind, lengths right or not */
static void put_options4(struct bytes *b, unsigned int words)
{
	static const uint8_t kinds[] = { 0, 1, 7, 68, 131, 137, 148 };
	unsigned int left = words * 4;

	while (left) {
		unsigned int kind = kinds[unit_below(sizeof(kinds))];
		unsigned int size = 2 + unit_below(10);

		if (kind < 2 || left < 3 || size > left) {
			put1(b, kind < 2 ? kind : 1);
			left--;
			continue;
		}
		put1(b, kind);
		put1(b, size);
		put_random(b, size - 2);
		left -= size;
	}
}

/* Extension headers, at most @n, the last before @proto. Returns what the first one is. */
static unsigned int chain(struct bytes *b, unsigned int n, unsigned int proto)
{
	static const uint8_t kinds[] = { 0, 43, 44, 60, 51 };
	struct bytes rest = { .len = 0 };
	unsigned int kind, next, size;

	if (!n)
		return proto;
	kind = kinds[unit_below(unit_below(8) ? 4 : 5)];
	next = chain(&rest, n - 1, proto);
	size = kind == 44 ? 0 : unit_below(3);
	put1(b, next);
	put1(b, size);
	put1(b, 0);
	put1(b, unit_below(4) ? 0 : unit_random());
	put_random(b, 4 + size * 8);
	put(b, rest.at, rest.len);
	return kind;
}

static void put_packet(struct bytes *b, int family, unsigned int proto, bool back)
{
	unsigned int words = unit_below(4) ? 0 : unit_below(11);
	struct bytes ext = { .len = 0 };

	if (family == AF_INET) {
		put_network(b, family, proto, back, words);
		put_options4(b, words);
		return;
	}
	proto = chain(&ext, unit_below(3) ? 0 : unit_below(11), proto);
	put_network(b, family, proto, back, 0);
	put(b, ext.at, ext.len);
}

/* As often as not one that has ports */
static unsigned int some_protocol(void)
{
	static const uint8_t others[] = { 0, 1, 4, 41, 47, 50, 51, 58, 59, 136 };

	return unit_below(3) ? unit_protocol() : others[unit_below(sizeof(others))];
}

/* An error about a packet of the other direction, or a redirect */
static void put_error(struct bytes *b, int family)
{
	static const uint8_t types4[] = { 3, 4, 5, 11, 12, 0 }, types6[] = { 1, 2, 3, 4, 137, 128 };
	unsigned int which = unit_below(6);
	struct bytes quoted = { .len = 0 };

	put_packet(&quoted, family, some_protocol(), true);
	put_ports(&quoted, 80, 4000, unit_below(24));
	put_packet(b, family, family == AF_INET ? IPPROTO_ICMP : IPPROTO_ICMPV6, false);
	put1(b, family == AF_INET ? types4[which] : types6[which]);
	put_random(b, 7);
	if (family == AF_INET6 && which == 4) {
		put_random(b, 32);
		for (which = unit_below(3); which; which--) {
			put1(b, 2);
			put1(b, 1);
			put_random(b, 6);
		}
		put1(b, 4);
		put1(b, 1 + quoted.len / 8);
		put_random(b, 6);
	}
	if (b->len + quoted.len <= ROOM)
		put(b, quoted.at, quoted.len);
}

static void sample(struct bytes *b, int family)
{
	unsigned int proto = some_protocol();

	b->len = 0;
	if (unit_below(2)) {
		put_error(b, family);
		return;
	}
	put_packet(b, family, proto, false);
	put_ports(b, 4000, 80, proto == IPPROTO_TCP ? 16 : proto == IPPROTO_SCTP ? 8 : 4);
}

static void damage(struct bytes *b)
{
	unsigned int n;

	for (n = unit_below(4); n; n--)
		b->at[unit_below(b->len)] = unit_below(2) ? unit_random() : unit_below(4);
	if (!unit_below(3))
		b->len = unit_below(b->len) + 1;
}

static void as_twin(void **unused)
{
	unsigned int i, linear, rounds = unit_rounds(2000000);
	enum rlb_verdict verdict;
	unsigned int seen[RLB_DROP + 1] = { 0 };
	const char *what;
	struct bytes b;

	for (i = 0; i < rounds; i++) {
		int family = i & 1 ? AF_INET : AF_INET6;

		packet_any = unit_below(2);
		sample(&b, family);
		damage(&b);
		linear = packet_linear(family, b.at, b.len);
		if (!linear)
			continue;
		linear += unit_below(2) ? unit_below(b.len - linear + 1) : 0;
		what = packet_differs(family, b.at, b.len, linear, &verdict);
		if (what)
			refute("packet %u of %u bytes, %u linear: %s differs", i, b.len, linear, what);
		seen[verdict]++;
	}
	packet_any = false;
	/* the input is worth something: as many are understood as not, about */
	assert_true(seen[RLB_NEXT] > rounds / 8);
	assert_true(seen[RLB_PASS] > rounds / 8);
}

static enum rlb_verdict look(struct rlb_pkt *pkt, int family, const struct bytes *b)
{
	return packet_parse(pkt, family, b->at, b->len, packet_linear(family, b->at, b->len));
}

/* All lengths from the network header to the whole packet: too short is what it is called. */
static void cut_short(void **unused)
{
	static const int families[] = { AF_INET, AF_INET6 };
	unsigned int i, whole;
	struct rlb_pkt pkt;
	struct bytes b;

	for (i = 0; i < 2; i++) {
		unsigned int size = families[i] == AF_INET ? 20 : 40;

		b.len = 0;
		put_network(&b, families[i], families[i] == AF_INET ? 1 : 58, false, 0);
		put1(&b, families[i] == AF_INET ? 11 : 3);
		put_random(&b, 7);
		put_network(&b, families[i], 6, true, 0);
		put_ports(&b, 80, 4000, 4);
		whole = b.len;
		assert_int_equal(look(&pkt, families[i], &b), RLB_NEXT);
		assert_true(pkt.is_error);
		assert_int_equal(pkt.tuple.sport, htons(4000));
		assert_int_equal(pkt.tuple.dport, htons(80));
		assert_int_equal(pkt.quoted, size + 8);
		assert_int_equal(pkt.quoted_l4, size + 8 + size);
		for (b.len = size; b.len < whole; b.len++) {
			assert_int_equal(look(&pkt, families[i], &b), RLB_PASS);
			assert_int_equal(pkt.passed, RINGLB_COUNTER_PASS_MALFORMED);
		}
	}
}

static void routed4(void **unused)
{
	/* pointer, and whether the route leads on: 3 addresses end at byte 15 */
	static const struct { uint8_t kind, at; enum rlb_verdict verdict; } cases[] = {
		{ 131, 4, RLB_PASS }, { 137, 4, RLB_PASS }, { 131, 12, RLB_PASS },
		{ 131, 16, RLB_NEXT }, { 137, 16, RLB_NEXT }, { 7, 4, RLB_NEXT },
	};
	struct rlb_pkt pkt;
	struct bytes b;
	unsigned int i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		b.len = 0;
		put_network(&b, AF_INET, 17, false, 4);
		put1(&b, 1);
		put1(&b, cases[i].kind);
		put1(&b, 15);
		put1(&b, cases[i].at);
		put_random(&b, 12);
		put_ports(&b, 4000, 80, 4);
		assert_int_equal(look(&pkt, AF_INET, &b), cases[i].verdict);
		assert_int_equal(pkt.passed, cases[i].verdict == RLB_PASS ?
						     RINGLB_COUNTER_PASS_SOURCE_ROUTED : 0);
		if (cases[i].verdict == RLB_NEXT)
			assert_int_equal(pkt.l4, 36);
	}
}

/* Extension headers are skipped up to a number that no sender of right packets reaches. */
static void headers6(void **unused)
{
	struct rlb_pkt pkt;
	unsigned int i, n;
	struct bytes b;

	for (n = 0; n < 12; n++) {
		b.len = 0;
		put_network(&b, AF_INET6, n ? 60 : 17, false, 0);
		for (i = 0; i < n; i++) {
			put1(&b, i + 1 < n ? 60 : 17);
			put1(&b, 0);
			put_random(&b, 6);
		}
		put_ports(&b, 4000, 80, 4);
		assert_int_equal(look(&pkt, AF_INET6, &b), n <= 8 ? RLB_NEXT : RLB_PASS);
		assert_int_equal(pkt.passed, n <= 8 ? 0 : RINGLB_COUNTER_PASS_HEADERS);
		if (n <= 8)
			assert_int_equal(pkt.l4, 40 + 8 * n);
	}
}

/* Protocols without ports are told if some service has them; ICMP never, but by what it quotes. */
static void portless(void **unused)
{
	static const unsigned int protocols[] = { 4, 41, 47, 50, 51, 59, 136, 255 };
	struct rlb_pkt pkt;
	struct bytes b;
	unsigned int i;

	for (i = 0; i < 4 * sizeof(protocols) / sizeof(*protocols); i++) {
		unsigned int proto = protocols[i / 4];
		int family = i & 1 ? AF_INET : AF_INET6;
		unsigned int icmp = i & 1 ? 1 : 58;

		packet_any = i & 2;
		b.len = 0;
		put_network(&b, family, proto, false, 0);
		put_random(&b, 1);
		assert_int_equal(look(&pkt, family, &b), packet_any ? RLB_NEXT : RLB_PASS);
		assert_false(pkt.is_error);
		assert_int_equal(pkt.passed, 0);
		if (packet_any)
			assert_int_equal(pkt.tuple.proto, proto);
		assert_int_equal(pkt.tuple.sport, 0);
		assert_int_equal(pkt.tuple.dport, 0);

		b.len = 0;
		put_network(&b, family, icmp, false, 0);
		put1(&b, i & 1 ? 3 : 1);
		put_random(&b, 7);
		put_network(&b, family, proto, true, 0);
		put_random(&b, 8);
		assert_int_equal(look(&pkt, family, &b), packet_any ? RLB_NEXT : RLB_PASS);
		assert_int_equal(pkt.is_error, packet_any);
		assert_int_equal(pkt.is_outer, proto == 4 || proto == 41 || proto == 47);

		b.len = 0;
		put_network(&b, family, icmp, false, 0);
		put1(&b, i & 1 ? 8 : 128);	/* echo */
		put_random(&b, 7);
		assert_int_equal(look(&pkt, family, &b), RLB_PASS);
	}
	packet_any = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("parse: of two million damaged packets each is what a naive twin says", as_twin),
		CLAIM("parse: an ICMP error that is cut short at any byte is malformed", cut_short),
		CLAIM("parse: an IPv4 source route is one until its pointer is behind it", routed4),
		CLAIM("parse: up to 8 IPv6 extension headers are skipped", headers6),
		CLAIM("parse: protocols without ports are told while a service has every one", portless),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
