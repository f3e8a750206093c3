/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.h - a fleet of backends, flows, failures and changes, in simulated time
 */
#ifndef _RINGLB_SIM_H
#define _RINGLB_SIM_H

#include "lookup/env.h"

#define SIM_OPEN 0xffffffff	/* drains end when the flows have ended */

/**
 * struct sim_policy - how a gateway decides
 * @name: of the row
 * @rebuild: Maglev's way: whenever a backend goes down or returns, another table of those that
 *	are up. Otherwise: a table of all that are configured, rendezvous, looking again.
 * @remember: flows that a change would move
 * @transition: seconds for which a moved slot is remembered; 900, the idle timeout, by default
 * @drain: seconds after which a removed backend is gone, or SIM_OPEN
 */
struct sim_policy {
	const char *name;
	bool rebuild;
	bool remember;
	u32 transition;
	u32 drain;
};

/**
 * struct sim_result - what came of it
 * @flows: how many began
 * @crashed: flows whose backend failed; in none of the rest
 * @broken: flows of which a packet went to another backend than the first
 * @peak: most flows remembered, in thousandths of the flows alive; those that have ended and
 *	wait for their last packets are not counted
 * @mean: of the same, over the time of changes
 * @peak_pins: most entries in the table, those of ended flows with them, in the same measure
 * @before: entries before the first change
 * @after: entries when all flows have ended and their time is over
 */
struct sim_result {
	u64 flows;
	u64 crashed;
	u64 broken;
	u32 peak;
	u32 mean;
	u32 peak_pins;
	u32 before;
	u32 after;
};

#define SIM_POLICIES 5
extern const struct sim_policy sim_policies[SIM_POLICIES];

void sim_run(const struct sim_policy *policy, u32 flows, struct sim_result *result);

#endif /* _RINGLB_SIM_H */
