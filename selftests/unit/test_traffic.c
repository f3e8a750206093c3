// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_traffic.c - packets to flows: none is read beyond its end, each is counted once
 */
#include "traffic.h"
#include "unit.h"

#define PACKET_MAX 128

/* A packet that is nearly one: sane where it matters, of random length and with random faults */
static u32 random_packet(u8 *p)
{
	u32 len = unit_below(PACKET_MAX), i, faults = unit_below(4);
	static const u8 protos[] = { 6, 17, 0, 43, 44, 60, 1 };

	for (i = 0; i < PACKET_MAX; i++)
		p[i] = unit_below(4) ? 0 : unit_random();
	p[0] = unit_below(2) ? 0x45 : 0x60;
	p[*p == 0x45 ? 9 : 6] = protos[unit_below(sizeof(protos))];
	p[40] = protos[unit_below(sizeof(protos))];
	for (i = 0; i < faults; i++)
		p[unit_below(60)] = unit_random();
	return len;
}

/* In a buffer of just its length, so that the sanitizer sees a byte too many */
static int add(struct traffic *t, const struct service *of, const u8 *packet, u32 len)
{
	u8 *copy = malloc(len);
	int err;

	memcpy(copy, packet, len);
	err = traffic_add(t, of, copy, len, len + 7);
	free(copy);
	return err;
}

static void every_packet_counts(void **unused)
{
	struct traffic t = { 0 };
	u64 packets = 0, bytes = 0, sent = 0, n = unit_rounds(200000);
	u8 p[PACKET_MAX];
	u32 i, len;

	for (i = 0; i < n; i++) {
		u64 others = t.others;

		len = random_packet(p);
		assert_int_equal(add(&t, NULL, p, len), 0);
		if (t.others == others)
			sent += len + 7;
	}
	for (i = 0; i < t.n; i++) {
		packets += t.flows[i].packets;
		bytes += t.flows[i].bytes;
	}
	assert_int_equal(packets + t.others, n);
	assert_int_equal(bytes, sent);
	assert_true(packets > n / 10 && t.others > n / 10);
	traffic_sort(&t);
	for (i = 1; i < t.n; i++)
		assert_true(t.flows[i - 1].bytes >= t.flows[i].bytes);
	traffic_free(&t);
}

/* 20 + 20 bytes of TCP */
static void tcp(u8 *p, u8 src, u16 sport, u8 dst, u16 dport, u8 flags)
{
	memset(p, 0, 40);
	p[0] = 0x45;
	p[9] = 6;
	p[12] = 10;
	p[15] = src;
	p[16] = 10;
	p[19] = dst;
	p[20] = sport >> 8;
	p[21] = sport;
	p[22] = dport >> 8;
	p[23] = dport;
	p[33] = flags;
}

static void both_directions(void **unused)
{
	struct service web = { .protocol = 6, .vip = { .family = AF_INET, .port = 80 } };
	struct traffic all = { 0 }, of = { 0 };
	u8 p[40];
	u32 i;

	web.vip.addr.byte[0] = 10;
	web.vip.addr.byte[3] = 1;
	for (i = 0; i < 20000; i++) {
		u8 client = 2 + i % 200;
		u16 port = 1000 + i / 200;

		tcp(p, 1, 80, client, port, 0x12);	/* the answer is what was heard */
		assert_int_equal(add(&all, NULL, p, 40) + add(&of, &web, p, 40), 0);
		tcp(p, client, port, 1, 80, 0x10);
		assert_int_equal(add(&all, NULL, p, 40) + add(&of, &web, p, 40), 0);
	}
	tcp(p, 2, 1000, 1, 81, 0x02);
	assert_int_equal(add(&of, &web, p, 40), 0);
	assert_int_equal(of.others, 1);
	assert_int_equal(all.n, 20000);
	assert_int_equal(of.n, 20000);
	for (i = 0; i < all.n; i++) {
		assert_memory_equal(&all.flows[i], &of.flows[i], sizeof(*of.flows));
		assert_int_equal(all.flows[i].packets, 2);
		assert_int_equal(all.flows[i].tuple.dst.byte[3], 1);
	}
	traffic_free(&all);
	traffic_free(&of);
}

/* Of a service of every protocol: a flow for each client and protocol, but for ICMP */
static void every_protocol(void **unused)
{
	static const u8 protocols[] = { 6, 17, 47, 50, 1 };
	struct service any = {
		.protocol = RINGLB_PROTOCOL_ANY,
		.vip = { .family = AF_INET, .port = 1, .last = 65535, .portless = true },
	};
	struct traffic of = { 0 };
	u8 p[40];
	u32 i;

	any.vip.addr.byte[0] = 10;
	any.vip.addr.byte[3] = 1;
	for (i = 0; i < 5000; i++) {
		u8 client = 2 + i / 5 % 20;

		tcp(p, i & 1 ? 1 : client, unit_random(), i & 1 ? client : 1, unit_random(), 0x10);
		p[9] = protocols[i % 5];
		assert_int_equal(add(&of, &any, p, 40), 0);
	}
	assert_int_equal(of.n, 20 * 4);
	assert_int_equal(of.others, 1000);
	for (i = 0; i < of.n; i++) {
		assert_int_equal(of.flows[i].packets, 50);
		assert_int_equal(of.flows[i].tuple.sport, 0);
		assert_int_equal(of.flows[i].tuple.dst.byte[3], 1);
	}
	traffic_free(&of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("traffic: every packet counts once, and none is read beyond its end",
		      every_packet_counts),
		CLAIM("traffic: both directions are one flow, as its client sees it",
		      both_directions),
		CLAIM("traffic: of every protocol a client has one flow each", every_protocol),
	};

	return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
