// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - run every policy, print a table and JSON
 *
 * Usage: sim [FLOWS]
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim.h"

static double share(u32 thousandths)
{
	return thousandths / 10.0;
}

int main(int argc, char **argv)
{
	u32 flows = argc > 1 ? strtoul(argv[1], NULL, 10) : 500000;
	struct sim_result r[SIM_POLICIES];
	unsigned int i;

	printf("%-26s %8s %8s %8s %12s %12s %8s\n", "policy", "flows", "broken", "ppm",
	       "peak, mean %", "with ended %", "at rest");
	for (i = 0; i < SIM_POLICIES; i++) {
		sim_run(&sim_policies[i], flows, &r[i]);
		printf("%-26s %8llu %8llu %8llu %6.1f %5.1f %12.1f %5u %2u\n", sim_policies[i].name,
		       (unsigned long long)r[i].flows, (unsigned long long)r[i].broken,
		       (unsigned long long)(r[i].broken * 1000000 / r[i].flows),
		       share(r[i].peak), share(r[i].mean), share(r[i].peak_pins), r[i].before,
		       r[i].after);
	}
	printf("[");
	for (i = 0; i < SIM_POLICIES; i++)
		printf("%s{\"policy\":\"%s\",\"flows\":%llu,\"crashed\":%llu,\"broken\":%llu,"
		       "\"peak_percent\":%.1f,\"mean_percent\":%.1f,"
		       "\"peak_entries_percent\":%.1f,\"before\":%u,\"after\":%u}",
		       i ? "," : "", sim_policies[i].name, (unsigned long long)r[i].flows,
		       (unsigned long long)r[i].crashed, (unsigned long long)r[i].broken,
		       share(r[i].peak), share(r[i].mean), share(r[i].peak_pins), r[i].before,
		       r[i].after);
	printf("]\n");
	return 0;
}
