/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_print.h - results of simulations as facts
 */
#ifndef _RINGLB_SIM_PRINT_H
#define _RINGLB_SIM_PRINT_H

#include "sim.h"

struct out;

/* sim_traffic.c */
int sim_traffic_weigh(struct sim_input *in, const struct traffic *t,
		      const struct rlb_secret *secret, u32 key);
void sim_traffic_free(struct sim_input *in);
void sim_traffic_facts(struct out *o, const struct sim_input *in, const struct sim_result *r);
void sim_elephants(struct out *o, const struct sim_input *in, const struct sim_result *r, u32 n);
void sim_shares(struct out *o, const struct sim_input *in, const struct sim_result *r);

/* sim_print.c */
void sim_facts(struct out *o, const struct sim_input *in, const struct sim_result *r);

#endif /* _RINGLB_SIM_PRINT_H */
