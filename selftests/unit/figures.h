/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * figures.h - what a method of filling tables is judged by, counted slot by slot
 *
 * In: a method, the number of backends and of slots. Out: counts, exact integers, the same in
 * every run: the backends are 10.x.y.z:8080 of weight 1. What is "excess" and "needless":
 *
 *	must-move	slots that a changed backend gives away or takes
 *	excess		slots that moved between two backends neither of which changed
 *	needless	slots for which two gateways, each of which knows a random 90 % of the
 *			backends, choose differently though both know both choices
 */
#ifndef _RINGLB_FIGURES_H
#define _RINGLB_FIGURES_H

#include "unit.h"

/* How a method is judged; @sets: that many sets of @n backends are added up. */
struct figures {
	const struct rlb_lookup_ops *ops;
	struct rlb_params params;
	unsigned int bits;
	u32 n;
	u32 sets;
};

enum figures_change { FIGURES_ADD, FIGURES_REMOVE, FIGURES_WEIGHT };

struct figures_moves {
	u64 must;
	u64 excess;
};

struct figures_shares {
	u32 least;	/* slots of the backend that owns the fewest, */
	u32 most;	/* and the most, of all sets */
};

struct figures_views {
	u64 slots;	/* compared */
	u64 needless;
};

/* @m: room for @n. Backends number @first and on of set @set; in order of address. */
void figures_members(struct rlb_member *m, u32 first, u32 n, u32 set);
struct figures_shares figures_shares(const struct figures *f);
struct figures_moves figures_moves(const struct figures *f, enum figures_change change);
struct figures_views figures_views(const struct figures *f, u32 gateways);

/* @bound in thousandths of a percent of must-move */
void figures_excess_at_most(const struct figures *f, u32 bound);
/* @bound in thousandths of a percent of all slots; 10 gateways */
void figures_needless_at_most(const struct figures *f, u32 bound);
/* shares in ten-thousandths of the mean */
void figures_shares_within(const struct figures *f, u32 low, u32 high);

#endif /* _RINGLB_FIGURES_H */
