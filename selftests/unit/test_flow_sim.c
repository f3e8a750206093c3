// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_flow_sim.c - what the simulation of selftests/sim must say, with fewer flows than there
 */
#include "../sim/sim.h"
#include "unit.h"

#define FLOWS 100000

enum { MAGLEV, STATELESS, DRAIN_120, DRAIN_600, DRAIN_OPEN };

static struct sim_result r[SIM_POLICIES];

static int run_all(void **unused)
{
	u32 i;

	for (i = 0; i < SIM_POLICIES; i++)
		sim_run(&sim_policies[i], FLOWS, &r[i]);
	return 0;
}

static u64 ppm(const struct sim_result *row)
{
	assert_int_equal(row->flows, FLOWS);
	return row->broken * 1000000 / row->flows;
}

/* The events do harm: without memory, more than one flow in a hundred breaks. */
static void stateless(void **unused)
{
	assert_in_range(ppm(&r[MAGLEV]), 10000, 25000);
	assert_in_range(ppm(&r[STATELESS]), 10000, 25000);
}

static void drains(void **unused)
{
	assert_in_range(ppm(&r[DRAIN_120]), 1, 3000);
	assert_in_range(ppm(&r[DRAIN_600]), 1, 300);
	assert_int_equal(r[DRAIN_OPEN].broken, 0);
}

static void remembered(void **unused)
{
	u32 i;

	for (i = 0; i < SIM_POLICIES; i++) {
		assert_int_equal(r[i].before, 0);
		assert_int_equal(r[i].after, 0);
		assert_in_range(r[i].peak, i < DRAIN_120 ? 0 : 50, i < DRAIN_120 ? 0 : 400);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("flows: without memory more than 1 % of the flows break", stateless),
		CLAIM("flows: drain 600 s: at most 300 ppm break; drain open: none", drains),
		CLAIM("flows: at most 40 % of the flows are remembered, none at rest", remembered),
	};

	return cmocka_run_group_tests_name("flow_sim", tests, run_all, NULL);
}
