/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plan.h - what a change of a service will move
 */
#ifndef _RINGLB_PLAN_H
#define _RINGLB_PLAN_H

#include "model.h"

struct out;

#define PLAN_NOBODY 0xffffffff	/* no backend: a dead seat, or no members */

/* What becomes of a service */
enum plan_status {
	PLAN_CHANGED,
	PLAN_ADDED,
	PLAN_REMOVED,
	PLAN_REPLACED,	/* another protocol, address, port or mode of the same name */
};

/**
 * struct plan_share - a backend that is in the table before or after
 * @was: it is in the table before
 * @is: it is in the table after
 * @renamed: it has another id: another identity, as if it were another backend
 * @weight_before: 0 if not @was
 * @weight_after: 0 if not @is
 * @before: slots it has, of struct plan's @slots_before
 * @at_once: slots it has right after the change, of @slots_after
 * @after: slots it has in the end, of @slots_after
 */
struct plan_share {
	struct endpoint at;
	bool was;
	bool is;
	bool renamed;
	u32 weight_before;
	u32 weight_after;
	u32 before;
	u32 at_once;
	u32 after;
};

/**
 * struct plan_move - slots that go from one backend to another. Slots without an owner have
 *	no flows that could move while there are no backends; else others take them.
 * @from: a backend's place in struct plan's @shares, or PLAN_NOBODY
 * @to: likewise
 * @at_once: slots that move with the change
 * @later: slots that move by settling
 * @needless: the change leaves both backends alone
 */
struct plan_move {
	u32 from;
	u32 to;
	u32 at_once;
	u32 later;
	bool needless;
};

/**
 * struct plan - what a change moves
 * @rehash: flows get other slots: all of them move, and @moves is empty
 * @slots: what moves are counted in; the larger of the two tables
 * @settle: thousandths of the slots a second
 * @at_once: of @slots
 * @later: of @slots
 * @needless: of both
 * @shares: in the order of addresses; owned
 * @moves: in the order of @from and @to; owned
 */
struct plan {
	char service[RINGLB_NAME_MAX + 1];
	enum plan_status status;
	bool rehash;
	u32 method;
	u32 slots;
	u32 slots_before;
	u32 slots_after;
	u32 settle;
	u32 at_once;
	u32 later;
	u32 needless;
	struct plan_share *shares;
	u32 n;
	struct plan_move *moves;
	u32 n_moves;
};

int plan_compute(struct plan *p, const struct service *before, const struct table *table,
		 const struct service *after);
void plan_rehash(struct plan *p);
void plan_free(struct plan *p);
bool plan_above(const struct plan *p, u32 limit);
double plan_peak_to_mean(const struct plan *p, bool after);

/* plan_print.c; @limit: tenths of a percent, or NULL */
void plan_facts(struct out *o, const struct plan *p, const u32 *limit);
void plan_move_columns(struct out *o, const struct plan *p);
void plan_share_columns(struct out *o, const struct plan *p);

#endif /* _RINGLB_PLAN_H */
