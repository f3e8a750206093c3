// SPDX-License-Identifier: GPL-2.0-only
/*
 * sim_methods.c - the methods that are simulated: all that services have, and teaching ones
 *
 * In: members. Out: owners of slots, as from any method. A slot stands for one flow: teaching
 * methods that have no table are asked about each.
 *
 * The teaching ones are written down plainly, as published:
 *	modulo		flow number modulo number of backends; no hash, so shares are exact
 *	jump		Lamping and Veach, "A fast, minimal memory, consistent hash algorithm"
 *	kademlia	Maymounkov and Mazieres: the id nearest by XOR; ids as points of ring
 *	chord		Stoica et al.: the successor, with one id for each unit of weight
 */
#include <errno.h>
#include <stdlib.h>

#include "hash.h"
#include "sim.h"

#define SIM_ID_BYTES 10		/* an id in a list: 8 bytes, and 2 for whose it is */
#define SIM_LOOKUPS 4096	/* by way of fingers */
#define SIM_PRIME 2654435761ULL	/* no sum of weights has it as a divisor */

/* --- those whose backends stand in a row, each as often as its weight says ---------------- */

static u64 *row_ends(const struct rlb_member *m, u32 n)
{
	u64 *ends = calloc(n, sizeof(*ends)), sum = 0;
	u32 i;

	for (i = 0; ends && i < n; i++) {
		sum += m[i].weight;
		ends[i] = sum;
	}
	return ends;
}

/* Whose place is it? */
static u32 row_find(const u64 *ends, u32 n, u64 place)
{
	u32 low = 0, high = n - 1, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (ends[mid] <= place)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int row_check(const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	(void)m, (void)n, (void)p;
	return 0;
}

static int row_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
		     u64 (*place)(u64 flow, u64 places))
{
	u64 *ends = row_ends(m, n);
	u32 s;

	if (!ends)
		return -ENOMEM;
	for (s = 0; s < 1U << bits; s++)
		slots[s] = row_find(ends, n, place(s, ends[n - 1]));
	free(ends);
	return 0;
}

static u64 modulo_place(u64 flow, u64 places)
{
	return flow * SIM_PRIME % places;
}

static int modulo_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
			const struct rlb_params *p)
{
	(void)p;
	return row_build(slots, bits, m, n, modulo_place);
}

static u64 jump_place(u64 flow, u64 places)
{
	u64 key = rlb_hash_mix(flow + SIM_PRIME);
	u64 place = 0, next = 0;

	while (next < places) {
		place = next;
		key = key * 2862933555777941757ULL + 1;
		next = ((place + 1) << 31) / ((key >> 33) + 1);
	}
	return place;
}

static int jump_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
		      const struct rlb_params *p)
{
	(void)p;
	return row_build(slots, bits, m, n, jump_place);
}

/* --- those whose backends have ids --------------------------------------------------------- */

struct id {
	u64 at;
	u32 owner;
};

static int id_cmp(const void *a, const void *b)
{
	const struct id *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static u64 count_ids(const struct rlb_member *m, u32 n, u32 each)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < n; i++)
		sum += (u64)m[i].weight * each;
	return sum;
}

/* @each ids for each unit of weight, in ascending order */
static struct id *list_ids(const struct rlb_member *m, u32 n, u32 each)
{
	struct id *ids = calloc(count_ids(m, n, each), sizeof(*ids));
	u32 i, j, k = 0;

	if (!ids)
		return NULL;
	for (i = 0; i < n; i++)
		for (j = 0; j < m[i].weight * each; j++)
			ids[k++] = (struct id){ rlb_hash_mix(m[i].ident + (j + 1) * SIM_PRIME), i };
	qsort(ids, k, sizeof(*ids), id_cmp);
	return ids;
}

/* The first of @ids at or after @at; @n if there is none */
static u32 id_from(const struct id *ids, u32 n, u64 at)
{
	u32 low = 0, high = n, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (ids[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int kademlia_check(const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	return count_ids(m, n, p->vnodes) > RINGLB_POINTS_MAX ? -E2BIG : 0;
}

/*
 * The id nearest to @at by XOR: of those that agree in the bits so far, those that agree in the
 * next one too, if there are any.
 */
static const struct id *nearest(const struct id *ids, u32 n, u64 at)
{
	u64 bit, prefix = 0;
	u32 ones;

	for (bit = 1ULL << 63; bit && n > 1; bit >>= 1) {
		ones = id_from(ids, n, prefix | bit);
		if (ones < n && (at & bit || !ones)) {
			ids += ones;
			n -= ones;
			prefix |= bit;
		} else {
			n = ones;
		}
	}
	return ids;
}

static int kademlia_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
			  const struct rlb_params *p)
{
	u32 all = count_ids(m, n, p->vnodes), s;
	struct id *ids = list_ids(m, n, p->vnodes);

	if (!ids)
		return -ENOMEM;
	for (s = 0; s < 1U << bits; s++)
		slots[s] = nearest(ids, all, (u64)s << (64 - bits))->owner;
	free(ids);
	return 0;
}

static int chord_check(const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	(void)p;
	return count_ids(m, n, 1) > RINGLB_POINTS_MAX ? -E2BIG : 0;
}

static int chord_build(u16 *slots, unsigned int bits, const struct rlb_member *m, u32 n,
		       const struct rlb_params *p)
{
	u32 all = count_ids(m, n, 1), s;
	struct id *ids = list_ids(m, n, 1);

	(void)p;
	if (!ids)
		return -ENOMEM;
	for (s = 0; s < 1U << bits; s++)
		slots[s] = ids[id_from(ids, all, (u64)s << (64 - bits)) % all].owner;
	free(ids);
	return 0;
}

/*
 * The node that @from asks next about @key: the last of its fingers (the successors of
 * @from + 2^i) before the key; its own successor if none is.
 */
static u32 finger(const struct id *ids, u32 n, u32 from, u64 key)
{
	u64 here = ids[from].at;
	u32 i, f;

	for (i = 64; i--; ) {
		f = id_from(ids, n, here + (1ULL << i)) % n;
		if (f != from && ids[f].at - here < key - here)
			return f;
	}
	return (from + 1) % n;
}

static u32 count_hops(const struct id *ids, u32 n, u32 from, u64 key)
{
	u32 owner = id_from(ids, n, key) % n;
	u32 hops = 0;

	while (from != owner) {
		from = finger(ids, n, from, key);
		hops++;
	}
	return hops;
}

/* From random nodes for random keys, each node knowing its fingers alone */
static int chord_hops(const struct sim_input *in, double *mean, u32 *most)
{
	u32 n = count_ids(in->m, in->n, 1), i, hops, from;
	struct id *ids = list_ids(in->m, in->n, 1);
	u64 sum = 0;

	if (!ids)
		return -ENOMEM;
	*most = 0;
	for (i = 0; i < SIM_LOOKUPS; i++) {
		from = (sim_draw(in->seed, 2ULL * i) >> 32) * n >> 32;
		hops = count_hops(ids, n, from, sim_draw(in->seed, 2ULL * i + 1));
		sum += hops;
		if (hops > *most)
			*most = hops;
	}
	*mean = (double)sum / SIM_LOOKUPS;
	free(ids);
	return 0;
}

/* --- what a lookup needs at hand ------------------------------------------------------------ */

/* Two bytes a slot, and whether a backend takes flows */
static u64 table_bytes(const struct sim_input *in)
{
	return (2ULL << in->bits) + in->n;
}

static u64 no_bytes(const struct sim_input *in)
{
	(void)in;
	return 0;
}

static u64 kademlia_bytes(const struct sim_input *in)
{
	return count_ids(in->m, in->n, in->params.vnodes) * SIM_ID_BYTES;
}

/* A node's fingers: about as many different ones as the number of ids has bits */
static u64 chord_bytes(const struct sim_input *in)
{
	u64 ids = count_ids(in->m, in->n, 1), fingers = 0;

	while (fingers < 64 && 1ULL << fingers < ids)
		fingers++;
	return fingers * SIM_ID_BYTES;
}

static const struct rlb_lookup_ops modulo_ops = {
	.name = "modulo", .check = row_check, .build = modulo_build,
};

static const struct rlb_lookup_ops jump_ops = {
	.name = "jump", .check = row_check, .build = jump_build,
};

static const struct rlb_lookup_ops kademlia_ops = {
	.name = "kademlia", .check = kademlia_check, .build = kademlia_build,
};

static const struct rlb_lookup_ops chord_ops = {
	.name = "chord", .check = chord_check, .build = chord_build,
};

static const struct sim_method teaching[] = {
	{ &modulo_ops, NULL, true, no_bytes, NULL },
	{ &jump_ops, NULL, true, no_bytes, NULL },
	{ &kademlia_ops, NULL, true, kademlia_bytes, NULL },
	{ &chord_ops, NULL, true, chord_bytes, chord_hops },
};

/**
 * sim_methods() - all methods, in the order in which they are shown
 * @methods: out
 *
 * Return: how many.
 */
u32 sim_methods(struct sim_method methods[SIM_METHODS_MAX])
{
	u32 id, n = 0;
	size_t i;

	for (id = 1; id <= RINGLB_METHOD_MAX; id++) {
		if (!rlb_lookup_find(id) || id == RINGLB_METHOD_SLOTS)
			continue;	/* an operator's own map follows no rule */
		methods[n++] = (struct sim_method){
			.ops = rlb_lookup_find(id), .bytes = table_bytes,
			.build = id == RINGLB_METHOD_SEAT ? sim_seat_build : NULL,
		};
	}
	for (i = 0; i < sizeof(teaching) / sizeof(teaching[0]); i++)
		methods[n++] = teaching[i];
	return n;
}
