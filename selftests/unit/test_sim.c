// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sim.c - the figures of simulations against counts by the letter of their definitions
 */
#include <math.h>

#include "figures.h"
#include "sim.h"

#define BITS 12
#define SLOTS (1U << BITS)
#define BACKENDS_MAX 40

static u32 weights[BACKENDS_MAX];

static struct sim_input random_input(void)
{
	struct sim_input in = { .bits = BITS, .params = { .vnodes = 3, .slack = 10 },
				.seed = unit_below(1000) };
	u32 i, n = unit_between(1, BACKENDS_MAX), max = unit_below(2) ? 1 : 5;

	for (i = 0; i < n; i++)
		weights[i] = 1 + unit_below(max);
	assert_int_equal(sim_list_equal(&in, n, weights, n), 0);
	return in;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9 * (1 + fabs(a));
}

/* --- the counts ---------------------------------------------------------- */

static void shares(void **unused)
{
	unsigned int round;

	for (round = 0; round < unit_rounds(100); round++) {
		struct sim_input in = random_input();
		struct sim_counts c = { 0 };
		double peak = 0, least = 1e9, sum = 0;
		u16 owners[SLOTS];
		u32 i, s;

		for (s = 0; s < SLOTS; s++)
			owners[s] = unit_below(in.n);
		for (i = 0; i < in.n; i++)
			sum += in.m[i].weight;
		for (i = 0; i < in.n; i++) {
			double own = 0;

			for (s = 0; s < SLOTS; s++)
				own += owners[s] == i;
			own = own / SLOTS / (in.m[i].weight / sum);
			peak = own > peak ? own : peak;
			least = own < least ? own : least;
		}
		sim_count_shares(&c, &in, SIM_SLOTS, owners);
		assert_true(near(c.peak, peak) && near(c.least, least));
		sim_list_free(&in);
	}
}

/* ALGORITHMS: flows between two that were not changed, over the unavoidable part */
static void moves(void **unused)
{
	unsigned int round;

	for (round = 0; round < unit_rounds(200); round++) {
		struct sim_input in = { .bits = BITS };
		struct sim_moves m = { 0 };
		u32 moved = 0, between = 0, changed = unit_below(5), s;
		int gain = 0;
		u16 before[SLOTS], after[SLOTS];

		for (s = 0; s < SLOTS; s++) {
			before[s] = unit_below(6);
			after[s] = unit_below(2) ? before[s] : unit_below(6);
			gain += (after[s] == changed) - (before[s] == changed);
			if (before[s] != after[s])
				moved++;
			if (before[s] != after[s] && before[s] != changed && after[s] != changed)
				between++;
		}
		sim_count_moves(&m, &in, SIM_SLOTS, before, after, changed);
		assert_int_equal(m.of, SLOTS);
		assert_int_equal(m.moved, moved);
		assert_int_equal(m.excess, between);
		assert_int_equal(m.must, abs(gain));
	}
}

static void views(void **unused)
{
	unsigned int round;

	for (round = 0; round < unit_rounds(20); round++) {
		struct sim_input in = random_input();
		struct sim_counts c = { 0 };
		static u16 owner[SIM_GATEWAYS][SLOTS];
		static u8 know[SIM_GATEWAYS][BACKENDS_MAX];
		u16 *owners[SIM_GATEWAYS];
		const u8 *knows[SIM_GATEWAYS];
		double sum = 0, load = 0;
		u64 needless = 0, different = 0;
		u32 g, h, s, i;

		for (g = 0; g < SIM_GATEWAYS; g++) {
			owners[g] = owner[g];
			knows[g] = know[g];
			for (i = 0; i < in.n; i++)
				know[g][i] = unit_below(10) > 0;
			know[g][unit_below(in.n)] = 1;
			for (s = 0; s < SLOTS; s++)
				do
					owner[g][s] = unit_below(in.n);
				while (!know[g][owner[g][s]]);
		}
		for (g = 0; g < SIM_GATEWAYS; g++)
			for (h = g + 1; h < SIM_GATEWAYS; h++)
				for (s = 0; s < SLOTS; s++)
					if (owner[g][s] != owner[h][s] &&
					    know[g][owner[g][s]] && know[g][owner[h][s]] &&
					    know[h][owner[g][s]] && know[h][owner[h][s]])
						needless++;
		for (i = 0; i < in.n; i++)
			sum += in.m[i].weight;
		for (i = 0; i < in.n; i++) {
			double some = 0;

			for (s = 0; s < SLOTS; s++) {
				bool any = false;

				for (g = 0; g < SIM_GATEWAYS; g++)
					any |= owner[g][s] == i;
				some += any;
				different += any;
			}
			some *= sum / in.m[i].weight / SLOTS;
			load = some > load ? some : load;
		}
		assert_int_equal(sim_count_views(&c, &in, owners, knows), 0);
		assert_int_equal(c.compared, 45 * SLOTS);
		assert_int_equal(c.needless, needless);
		assert_true(near(c.spread, (double)different / SLOTS));
		assert_true(near(c.load, load));
		sim_list_free(&in);
	}
}

/* --- teaching methods ----------------------------------------------------- */

static const struct sim_method *method(const char *name)
{
	static struct sim_method methods[SIM_METHODS_MAX];
	u32 i, n = sim_methods(methods);

	for (i = 0; i < n; i++)
		if (!strcmp(methods[i].ops->name, name))
			return &methods[i];
	refute("no method %s", name);
	return NULL;
}

/* The nearest by a search of all ids, and the first at or after, going round */
static u32 search(const struct sim_input *in, u32 each, u64 at, bool by_xor)
{
	u64 best = ~0ULL, id, far;
	u32 i, j, who = 0;

	for (i = 0; i < in->n; i++) {
		for (j = 0; j < in->m[i].weight * each; j++) {
			id = rlb_hash_mix(in->m[i].ident + (j + 1) * 2654435761ULL);
			far = by_xor ? id ^ at : id - at;
			if (far < best) {
				best = far;
				who = i;
			}
		}
	}
	return who;
}

static void ids(void **unused)
{
	unsigned int round;

	for (round = 0; round < unit_rounds(20); round++) {
		struct sim_input in = random_input();
		static u16 xored[SLOTS], after[SLOTS];
		u32 s;

		assert_int_equal(rlb_lookup_build(method("kademlia")->ops, xored, BITS, in.m,
						  in.n, &in.params), 0);
		assert_int_equal(rlb_lookup_build(method("chord")->ops, after, BITS, in.m, in.n,
						  &in.params), 0);
		for (s = 0; s < SLOTS; s += 7) {
			u64 at = (u64)s << (64 - BITS);

			assert_int_equal(xored[s], search(&in, in.params.vnodes, at, true));
			assert_int_equal(after[s], search(&in, 1, at, false));
		}
		sim_list_free(&in);
	}
}

/* As published, with floats */
static int64_t published_jump(u64 key, int64_t buckets)
{
	int64_t b = -1, j = 0;

	while (j < buckets) {
		b = j;
		key = key * 2862933555777941757ULL + 1;
		j = (b + 1) * ((double)(1LL << 31) / (double)((key >> 33) + 1));
	}
	return b;
}

static void rows(void **unused)
{
	unsigned int round;

	for (round = 0; round < unit_rounds(50); round++) {
		struct sim_input in = random_input();
		u16 row[BACKENDS_MAX * 5], modulo[SLOTS], jump[SLOTS];
		u32 i, j, s, n = 0;

		for (i = 0; i < in.n; i++)
			for (j = 0; j < in.m[i].weight; j++)
				row[n++] = i;
		assert_int_equal(rlb_lookup_build(method("modulo")->ops, modulo, BITS, in.m,
						  in.n, &in.params), 0);
		assert_int_equal(rlb_lookup_build(method("jump")->ops, jump, BITS, in.m, in.n,
						  &in.params), 0);
		for (s = 0; s < SLOTS; s++) {
			u64 key = rlb_hash_mix(s + 2654435761ULL);

			assert_int_equal(modulo[s], row[s * 2654435761ULL % n]);
			assert_int_equal(jump[s], row[published_jump(key, n)]);
		}
		sim_list_free(&in);
	}
}

static void hops(void **unused)
{
	static const u32 sizes[] = { 1, 2, 16, 1024 }, one = 1;
	double mean;
	u32 i, most;

	for (i = 0; i < 4; i++) {
		struct sim_input in = { .bits = BITS };

		assert_int_equal(sim_list_equal(&in, sizes[i], &one, 1), 0);
		assert_int_equal(method("chord")->hops(&in, &mean, &most), 0);
		/* Half of the binary logarithm, and not many more than it at most */
		assert_true(mean <= log2(sizes[i]) / 2 + 1 && most <= 2 * log2(sizes[i]) + 1);
		assert_true(sizes[i] == 1 ? !most : mean >= log2(sizes[i]) / 2 - 1 && most);
		sim_list_free(&in);
	}
}

/* --- whole runs ------------------------------------------------------------ */

/* Another simulation, written for judging methods, finds about the same. */
static void as_figures(void **unused)
{
	static const char *const names[] = { "ring", "rendezvous", "maglev" };
	static const u32 one = 1;
	u32 i;

	for (i = 0; i < 3; i++) {
		struct sim_input in = { .bits = 14, .params = { .vnodes = 20, .slack = 10 } };
		struct figures f = { .ops = method(names[i])->ops, .params = in.params,
				     .bits = 14, .n = 60, .sets = 1 };
		struct figures_shares shares = figures_shares(&f);
		struct sim_result r;
		u32 kind;

		assert_int_equal(sim_list_equal(&in, 60, &one, 1), 0);
		assert_int_equal(sim_run(&r, method(names[i]), &in), 0);
		assert_true(near(r.counts->peak, shares.most * 60.0 / (1 << 14)));
		assert_true(near(r.counts->least, shares.least * 60.0 / (1 << 14)));
		f.sets = 8;
		for (kind = 0; kind < SIM_KINDS; kind++) {
			struct figures_moves m = figures_moves(&f, (enum figures_change)kind);
			double there = (double)m.excess / m.must;
			double here = (double)r.counts->moves[kind].excess /
				      r.counts->moves[kind].must;

			assert_int_equal(r.counts->moves[kind].of, 8 << 14);
			if (here < there * 0.6 || here > there * 1.6)
				refute("%s: kind %u: excess %f, elsewhere %f", names[i], kind,
				       here, there);
		}
		sim_result_free(&r);
		sim_list_free(&in);
	}
}

static void reproducible(void **unused)
{
	struct sim_method methods[SIM_METHODS_MAX];
	struct sim_input in = random_input();
	u32 i, n = sim_methods(methods);

	for (i = 0; i < n; i++) {
		struct sim_result a, b;

		assert_int_equal(sim_run(&a, &methods[i], &in), 0);
		assert_int_equal(sim_run(&b, &methods[i], &in), 0);
		assert_memory_equal(a.counts, b.counts, sizeof(a.counts));
		assert_memory_equal(a.owners, b.owners, sizeof(*a.owners) << BITS);
		sim_result_free(&a);
		sim_result_free(&b);
	}
	sim_list_free(&in);
}

/* One backend: it has all, cannot go, and all know it. */
static void alone(void **unused)
{
	static const u32 weight = RINGLB_WEIGHT_MAX;
	struct sim_input in = { .bits = BITS, .params = { .vnodes = 1 } };
	struct sim_result r;

	assert_int_equal(sim_list_equal(&in, 1, &weight, 1), 0);
	assert_int_equal(sim_run(&r, method("rendezvous"), &in), 0);
	assert_true(near(r.counts->peak, 1) && near(r.counts->least, 1));
	assert_int_equal(r.counts->moves[SIM_REMOVE].of, 0);
	assert_int_equal(r.counts->moves[SIM_WEIGHT].moved, 0);
	assert_int_equal(r.counts->needless, 0);
	assert_true(near(r.counts->spread, 1) && near(r.counts->load, 1));
	sim_result_free(&r);
	sim_list_free(&in);
}

/* Whoever comes, goes or gains: nothing else moves, and no two gateways disagree. */
static void seats(void **unused)
{
	static const struct sim_method seat = { .ops = &rlb_seat_ops, .build = sim_seat_build,
						.bytes = NULL };
	static const u32 mixed[] = { 3, 1, 9, 40000, 2 };
	u32 i;

	for (i = 0; i < 2; i++) {
		struct sim_input in = { .bits = BITS };
		struct sim_method m = seat;
		struct sim_result r;
		u32 kind;

		m.bytes = method("maglev")->bytes;
		assert_int_equal(sim_list_equal(&in, 20, mixed + 1 - i, i ? 5 : 1), 0);
		assert_int_equal(sim_run(&r, &m, &in), 0);
		for (kind = 0; kind < SIM_KINDS; kind++) {
			assert_true(r.counts->moves[kind].must > 0);
			assert_int_equal(r.counts->moves[kind].excess, 0);
		}
		assert_int_equal(r.counts->needless, 0);
		assert_true(i || (r.counts->peak < 1.006 && r.counts->least > 0.994));
		sim_result_free(&r);
		sim_list_free(&in);
	}
}

static void no_memory(void **unused)
{
	struct sim_input in = random_input();
	struct sim_result r;
	long at;

	for (at = 0;; at++) {
		unit_alloc_fail_at = at;
		if (!sim_run(&r, method("rendezvous"), &in))
			break;
	}
	unit_alloc_fail_at = -1;
	assert_true(at);
	assert_int_equal(unit_alloc_live, 0);
	sim_result_free(&r);
	sim_list_free(&in);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("simulate: shares are what a naive count says", shares),
		CLAIM("simulate: moves and excess are what a naive count says", moves),
		CLAIM("simulate: spread, load and needless are what a naive count says", views),
		CLAIM("simulate: kademlia and chord find what a search of all ids finds", ids),
		CLAIM("simulate: modulo and jump are what is published", rows),
		CLAIM("simulate: chord takes half of log2 N hops", hops),
		CLAIM("simulate: figures are those that methods are judged by", as_figures),
		CLAIM("simulate: the same seed gives the same figures", reproducible),
		CLAIM("simulate: one backend alone", alone),
		CLAIM("simulate: seats move no more than they must", seats),
		CLAIM("simulate: without memory there is none, and nothing stays behind",
		      no_memory),
	};

	return cmocka_run_group_tests_name("sim", tests, NULL, NULL);
}
