// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_cid.c - module/lookup/cid.c: whose a QUIC packet is
 *
 * Datagrams are put together field by field, as servers and clients would. For any bytes there
 * is the naive twin of the fuzz target.
 */
#include "../fuzz/fuzz.h"
#include "cid.h"
#include "unit.h"

#define ROOM 64

struct datagram {
	u8 byte[ROOM];
	u32 n;
};

static void put(struct datagram *d, const void *from, u32 n)
{
	memcpy(d->byte + d->n, from, n);
	d->n += n;
}

static void put_byte(struct datagram *d, u8 byte)
{
	put(d, &byte, 1);
}

static void put_random(struct datagram *d, u32 n)
{
	while (n--)
		put_byte(d, unit_random());
}

/* As a server makes one: @n bytes, of which those after the server id are a nonce */
static struct datagram cid_of(const struct rlb_cid_form *form, u32 id, u32 n)
{
	struct datagram cid = { 0 };
	u32 i;

	put_byte(&cid, form->config << 5 | unit_below(32));
	for (i = form->length; i--; )
		put_byte(&cid, i < 4 ? id >> 8 * i : 0);
	put_random(&cid, n - cid.n);
	return cid;
}

static struct datagram with_short_header(const struct datagram *cid, u32 rest)
{
	struct datagram d = { 0 };

	put_byte(&d, unit_below(128));
	put(&d, cid->byte, cid->n);
	put_random(&d, rest);
	return d;
}

static struct datagram with_long_header(const struct datagram *cid, u32 rest)
{
	struct datagram d = { 0 };

	put_byte(&d, 128 + unit_below(128));
	put_random(&d, 4);
	put_byte(&d, cid->n);
	put(&d, cid->byte, cid->n);
	put_random(&d, rest);
	return d;
}

/* From memory that ends where the datagram does */
static bool server_of(const struct rlb_cid_form *form, const struct datagram *d, u32 *id)
{
	u8 *exact = malloc(d->n ? d->n : 1);
	const u8 *cid;
	bool found;
	u32 n;

	memcpy(exact, d->byte, d->n);
	cid = rlb_cid_of(exact, d->n, &n);
	found = cid && rlb_cid_server(form, cid, n, id);
	free(exact);
	return found;
}

static struct rlb_cid_form any_form(void)
{
	return (struct rlb_cid_form) {
		.config = unit_below(RINGLB_CID_CONFIG_MAX + 1),
		.length = 1 + unit_below(RINGLB_SID_LENGTH_MAX),
	};
}

static u32 any_id(const struct rlb_cid_form *form)
{
	u32 id = unit_random();

	return form->length < 4 ? id >> 8 * (4 - form->length) : id;
}

static u32 least(const struct rlb_cid_form *form)
{
	return 1 + form->length + RLB_CID_NONCE_MIN;
}

/* Taken apart by hand: configuration 0 and a length of 7, server id ed793a, nonce ee080dbf */
static void known(void **unused)
{
	static const u8 cid[] = { 0x07, 0xed, 0x79, 0x3a, 0xee, 0x08, 0x0d, 0xbf };
	const struct rlb_cid_form form = { .config = 0, .length = 3 };
	u32 id;

	assert_true(rlb_cid_server(&form, cid, sizeof(cid), &id));
	assert_int_equal(id, 0xed793a);
}

static void found(void **unused)
{
	unsigned int i, rounds = unit_rounds(100000);

	for (i = 0; i < rounds; i++) {
		struct rlb_cid_form form = any_form();
		u32 id = any_id(&form), seen = ~id;
		u32 n = least(&form) + unit_below(RINGLB_CID_MAX + 1 - least(&form));
		struct datagram cid = cid_of(&form, id, n);
		struct datagram one = with_short_header(&cid, unit_below(20));
		struct datagram other = with_long_header(&cid, unit_below(20));

		assert_true(server_of(&form, &one, &seen));
		assert_int_equal(seen, id);
		seen = ~id;
		assert_true(server_of(&form, &other, &seen));
		assert_int_equal(seen, id);
	}
}

static void other_config(void **unused)
{
	struct rlb_cid_form form, others;
	struct datagram cid, d;
	u8 config;
	u32 id;

	for (config = 0; config <= RINGLB_CID_CONFIG_MAX; config++) {
		form = others = (struct rlb_cid_form){ .config = config, .length = 2 };
		for (others.config = 0; others.config < 8; others.config++) {
			cid = cid_of(&others, 5, 12);
			d = with_short_header(&cid, 9);
			assert_int_equal(server_of(&form, &d, &id), others.config == config);
		}
	}
}

/* Each datagram that ends too early, and each id that is too short, or longer than servers' */
static void cut(void **unused)
{
	struct rlb_cid_form form;
	struct datagram cid, d;
	u32 id, n;

	for (form = (struct rlb_cid_form){ .config = 3 }; form.length < RINGLB_SID_LENGTH_MAX; ) {
		form.length++;
		cid = cid_of(&form, 7, least(&form));
		for (n = 0; n <= 1 + cid.n; n++) {
			d = with_short_header(&cid, 0);
			d.n = n;
			assert_int_equal(server_of(&form, &d, &id), n == 1 + cid.n);
		}
		for (n = 0; n <= 6 + cid.n; n++) {
			d = with_long_header(&cid, 0);
			d.n = n;
			assert_int_equal(server_of(&form, &d, &id), n == 6 + cid.n);
		}
		for (n = 0; n < ROOM - 6; n++) {
			d = with_long_header(&cid, ROOM - 6 - cid.n);
			d.byte[5] = n;
			assert_int_equal(server_of(&form, &d, &id),
					 n >= cid.n && n <= RINGLB_CID_MAX);
		}
	}
}

static void enough(void **unused)
{
	struct rlb_cid_form form = { .config = 6, .length = RINGLB_SID_LENGTH_MAX };
	struct datagram cid = cid_of(&form, 0xfffefdfc, RINGLB_CID_MAX);
	struct datagram d = with_long_header(&cid, 0);
	u32 id;

	assert_int_equal(d.n, RLB_CID_HEAD);
	assert_true(server_of(&form, &d, &id));
	assert_int_equal(id, 0xfffefdfc);
}

static void room(void **unused)
{
	struct rlb_cid_form form = { .config = 0 };
	u32 length;

	for (length = 1; length <= 4; length++) {
		form.length = length;
		assert_true(rlb_cid_has_room(&form, 0));
		assert_true(rlb_cid_has_room(&form, 0xffffffffU >> 8 * (4 - length)));
		if (length < 4)
			assert_false(rlb_cid_has_room(&form, 1U << 8 * length));
	}
}

/* Most of them nearly right: the form is the one of the id, its length nearly what is there */
static void any_bytes(void **unused)
{
	unsigned int i, rounds = unit_rounds(200000);
	u8 byte[1 + ROOM], *exact;
	u32 n, k;

	for (i = 0; i < rounds; i++) {
		n = 1 + unit_below(unit_below(2) ? 12 : ROOM);
		for (k = 0; k < sizeof(byte); k++)
			byte[k] = unit_random();
		k = byte[1] & 0x80 ? 7 : 2;
		if (unit_below(4))
			byte[k] = byte[0] % (RINGLB_CID_CONFIG_MAX + 1) << 5 | unit_below(32);
		if (k == 7 && unit_below(4))
			byte[6] = n > 7 ? n - 7 - unit_below(2) : 0;
		exact = malloc(n);
		memcpy(exact, byte, n);
		fuzz_cid(exact, n);
		free(exact);
	}
}

/* Against a search from the first to the last */
static void searched(void **unused)
{
	unsigned int i, rounds = unit_rounds(20000);
	u32 ids[40], n, k, at, want;

	for (i = 0; i < rounds; i++) {
		n = unit_below(41);
		for (k = 0, at = unit_below(3); k < n; k++, at += 1 + unit_below(3))
			ids[k] = at;
		if (n && !unit_below(4))
			ids[n - 1] = 0xffffffff;
		want = unit_below(8) ? unit_below(at + 2) : 0xffffffff;
		for (k = 0; k < n && ids[k] != want; k++)
			;
		assert_int_equal(rlb_cid_search(ids, n, want), k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("cid: an id of known bytes has the server id that it was made of", known),
		CLAIM("cid: ids that servers made are found behind short and long headers", found),
		CLAIM("cid: those of another configuration are nobody's", other_config),
		CLAIM("cid: so is what is cut off, too short, or longer than 20 bytes", cut),
		CLAIM("cid: the first 26 bytes of a datagram are enough", enough),
		CLAIM("cid: any bytes are read as by a naive twin", any_bytes),
		CLAIM("cid: a number has room in as many bytes as it needs", room),
		CLAIM("cid: numbers are found as by looking at each", searched),
	};

	return cmocka_run_group_tests_name("cid", tests, NULL, NULL);
}
