/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim_print.h - results of simulations as facts
 */
#ifndef _RINGLB_SIM_PRINT_H
#define _RINGLB_SIM_PRINT_H

#include "sim.h"

struct out;

void sim_facts(struct out *o, const struct sim_input *in, const struct sim_result *r);

#endif /* _RINGLB_SIM_PRINT_H */
