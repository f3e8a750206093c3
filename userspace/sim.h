/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sim.h - methods side by side: what they do with a list of backends, and when it changes
 *
 * All tables of a simulation hold the numbers of backends in one list: those that there are,
 * then the newcomers that may be added. What is counted:
 *
 *	must	slots that a change cannot but move: those of a backend that goes, those that
 *		a new one gets, what one gains or loses by its weight
 *	excess	slots that move between two backends neither of which was changed
 *	needless	slots for which two gateways that know different parts of the list choose
 *		differently, though both know both choices
 */
#ifndef _RINGLB_SIM_H
#define _RINGLB_SIM_H

#include "lookup.h"
#include "model.h"
#include "traffic.h"

#define SIM_CHANGES 8	/* of each kind, each of another backend */
#define SIM_GATEWAYS 10	/* of which each knows 90 % of the backends */
#define SIM_METHODS_MAX 24

enum sim_kind {
	SIM_ADD,
	SIM_REMOVE,
	SIM_WEIGHT,	/* twice its weight; one that cannot have that: half */

	SIM_KINDS
};

/* In what shares and moves are counted: slots, and with traffic what falls into them */
enum sim_measure {
	SIM_SLOTS,
	SIM_FLOWS,
	SIM_PACKETS,
	SIM_BYTES,

	SIM_MEASURES
};

/**
 * struct sim_input - what is simulated
 * @at: addresses of @n backends, ascending, and after them of @newcomers
 * @m: the same as members of a table; their ids are 1, 2, 3...
 * @n: at least 1
 * @newcomers: at most SIM_CHANGES; @n and they are at most RINGLB_BACKENDS_MAX
 * @protocol: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
 * @bits: size of tables
 * @seed: chooses who changes and what gateways know
 * @weigh: of each measure what each slot counts; NULL: one, or with a measure beyond the first
 *	that there is no traffic
 * @total: of all slots together, of each measure but the first
 * @traffic: flows that are weighed, hashed by @secret and @key; NULL: none
 * @step: called after each table: the method, how many are done, of how many
 * @arg: its last argument
 */
struct sim_input {
	struct endpoint *at;
	struct rlb_member *m;
	u32 n;
	u32 newcomers;
	u32 protocol;
	unsigned int bits;
	struct rlb_params params;
	u64 seed;
	const u64 *weigh[SIM_MEASURES];
	u64 total[SIM_MEASURES];
	const struct traffic *traffic;
	const struct rlb_secret *secret;
	u32 key;
	void (*step)(const char *method, u32 done, u32 all, void *arg);
	void *arg;
};

/**
 * struct sim_moves - what changes of one kind moved, added up
 * @of: what is in all tables that changed; 0: there was no such change
 */
struct sim_moves {
	u64 of;
	u64 moved;
	u64 must;
	u64 excess;
};

/**
 * struct sim_counts - what is counted of a method
 * @peak: of the backend that has most for its weight: what it has over what its weight asks
 * @least: likewise, of the one that has least
 * @compared: slots, for each pair of gateways
 * @needless: of these
 * @spread: different choices for a slot among all gateways, on the average
 * @load: slots that some gateway gives to a backend, over what its weight asks: the highest
 */
struct sim_counts {
	double peak;
	double least;
	struct sim_moves moves[SIM_KINDS];
	u64 compared;
	u64 needless;
	double spread;
	double load;
};

/**
 * struct sim_method - a method
 * @ops: how it gives slots to backends
 * @build: whom gateways choose; NULL: the owners that @ops finds
 * @teaching: it is known from the literature, and no method of a service
 * @bytes: what a lookup needs at hand
 * @hops: a node asks others; NULL: it asks none
 */
struct sim_method {
	const struct rlb_lookup_ops *ops;
	int (*build)(const struct sim_input *in, u16 *slots, const struct rlb_member *m, u32 n);
	bool teaching;
	u64 (*bytes)(const struct sim_input *in);
	int (*hops)(const struct sim_input *in, double *mean, u32 *most);
};

/**
 * struct sim_result - what came of a method
 * @counts: of the first measure all; of others shares and moves
 * @owners: 2^bits numbers of backends, before any change; owned
 * @build_ns: the fastest build of all
 */
struct sim_result {
	const struct sim_method *method;
	struct sim_counts counts[SIM_MEASURES];
	u16 *owners;
	u64 build_ns;
	u64 bytes;
	double hops;
	u32 hops_max;
};

/* sim_methods.c */
u32 sim_methods(struct sim_method methods[SIM_METHODS_MAX]);

/* sim_seat.c */
int sim_seat_build(const struct sim_input *in, u16 *slots, const struct rlb_member *m, u32 n);

/* sim_count.c */
u64 sim_total(const struct sim_input *in, enum sim_measure measure);
void sim_count_own(u64 *own, const struct sim_input *in, enum sim_measure measure,
		   const u16 *owners);
void sim_count_shares(struct sim_counts *c, const struct sim_input *in,
		      enum sim_measure measure, const u16 *owners);
void sim_count_moves(struct sim_moves *sum, const struct sim_input *in,
		     enum sim_measure measure, const u16 *before, const u16 *after,
		     u32 changed);
int sim_count_views(struct sim_counts *c, const struct sim_input *in,
		    u16 *const views[SIM_GATEWAYS], const u8 *const knows[SIM_GATEWAYS]);

/* sim_run.c */
u64 sim_draw(u64 seed, u64 what);
u64 sim_now_ns(void);
int sim_run(struct sim_result *r, const struct sim_method *method, const struct sim_input *in);
void sim_result_free(struct sim_result *r);

/* sim_list.c: *@in is to be freed in any case */
int sim_list_equal(struct sim_input *in, u32 n, const u32 *weights, u32 n_weights);
int sim_list_service(struct sim_input *in, const struct service *s);
void sim_list_free(struct sim_input *in);

#endif /* _RINGLB_SIM_H */
