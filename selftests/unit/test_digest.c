// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_digest.c - module/lookup/digest.c: equal for equal tables, and only for those
 */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "key.h"
#include "unit.h"

#define BITS 10
#define SLOTS (1U << BITS)

static u16 slots[SLOTS], other[SLOTS];

static void build(u16 *to, unsigned int bits, const struct rlb_member *m, u32 n)
{
	const struct rlb_params p = { .vnodes = 20 };

	assert_int_equal(rlb_lookup_build(&rlb_ring_ops, to, bits, m, n, &p), 0);
}

/* The same owners under other indexes. */
static void index_order(void **unused)
{
	struct rlb_member m[20], mixed[20];
	unsigned int round;
	u32 i, s;

	for (round = 0; round < unit_rounds(200); round++) {
		u32 n = unit_between(1, 20);
		u32 shift = unit_below(n);

		unit_members(m, n, 9);
		build(slots, BITS, m, n);
		for (i = 0; i < n; i++) {
			mixed[(i + shift) % n] = m[i];
			mixed[(i + shift) % n].weight = 77;	/* no part of the table */
		}
		for (s = 0; s < SLOTS; s++)
			other[s] = (slots[s] + shift) % n;
		assert_int_equal(rlb_digest(slots, BITS, m, n), rlb_digest(other, BITS, mixed, n));
	}
}

static void each_slot(void **unused)
{
	struct rlb_member m[5];
	u16 keep;
	u64 first;
	u32 s;

	unit_members(m, 5, 9);
	build(slots, BITS, m, 5);
	first = rlb_digest(slots, BITS, m, 5);
	for (s = 0; s < SLOTS; s++) {
		keep = slots[s];
		slots[s] = (keep + 1) % 5;
		assert_int_not_equal(rlb_digest(slots, BITS, m, 5), first);
		slots[s] = RINGLB_NO_OWNER;
		assert_int_not_equal(rlb_digest(slots, BITS, m, 5), first);
		slots[s] = keep;
	}
	assert_int_equal(rlb_digest(slots, BITS, m, 5), first);
}

/* Two neighbouring slots change places: a sum over slots would not see it. */
static void swapped(void **unused)
{
	struct rlb_member m[5];
	u64 first;
	u32 s;

	unit_members(m, 5, 9);
	build(slots, BITS, m, 5);
	first = rlb_digest(slots, BITS, m, 5);
	for (s = 0; s + 1 < SLOTS; s++) {
		if (slots[s] == slots[s + 1])
			continue;
		memcpy(other, slots, sizeof(slots));
		other[s] = slots[s + 1];
		other[s + 1] = slots[s];
		assert_int_not_equal(rlb_digest(other, BITS, m, 5), first);
	}
}

static void other_backend(void **unused)
{
	struct rlb_member m[5];
	u64 first;

	unit_members(m, 5, 9);
	build(slots, BITS, m, 5);
	first = rlb_digest(slots, BITS, m, 5);
	m[2].ident ^= 1ULL << unit_below(64);
	assert_int_not_equal(rlb_digest(slots, BITS, m, 5), first);
}

static void size(void **unused)
{
	u64 seen[17];
	unsigned int bits, b;
	static u16 none[1 << 16];

	memset(none, 0xff, sizeof(none));
	for (bits = 1; bits <= 16; bits++) {
		seen[bits] = rlb_digest(none, bits, NULL, 0);
		for (b = 1; b < bits; b++)
			assert_int_not_equal(seen[b], seen[bits]);
	}
}

/*
 * What another program, which has only the description of the table and the digest to go by,
 * computed for four backends 10.0.2.11:8080 .. 10.0.2.14:8080 of a TCP service with weights
 * 1, 2, 1 and 3: a release that gives another number moves flows when gateways are updated.
 */
static void golden(void **unused)
{
	static const u32 weights[] = { 1, 2, 1, 3 };
	const struct rlb_params p = { .vnodes = RINGLB_VNODES_DEFAULT };
	static u16 table[RINGLB_SLOTS_DEFAULT];
	struct rlb_member m[4];
	union rlb_addr addr;
	u32 i;

	for (i = 0; i < 4; i++) {
		addr.v4 = htonl(0x0a00020b + i);
		m[i].ident = rlb_ident(AF_INET, &addr, htons(8080), IPPROTO_TCP);
		m[i].weight = weights[i];
	}
	assert_int_equal(rlb_lookup_build(&rlb_ring_ops, table, 16, m, 4, &p), 0);
	assert_int_equal(rlb_digest(table, 16, m, 4), 0x03677491b084827f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("digest: equal for equal tables whatever the indexes", index_order),
		CLAIM("digest: another owner of any one slot changes it", each_slot),
		CLAIM("digest: two slots that change places change it", swapped),
		CLAIM("digest: another backend under the same index changes it", other_backend),
		CLAIM("digest: tables of different sizes differ", size),
		CLAIM("digest: a known table has the digest that it always had", golden),
	};

	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
