/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * back.h - wide pins (pins.h), as packets of their backends find them
 *
 * A side is a set of chains, lock-free for readers, by what a packet of the backend has in its
 * headers. No two pins are at the same place of a side: so what a backend sends is of one flow,
 * and a port of the gateway is one flow's as long as its pin is there.
 */
#ifndef _RINGLB_FLOW_BACK_H
#define _RINGLB_FLOW_BACK_H

#include "env.h"
#include "lookup/key.h"

struct rlb_pins;
struct rlb_back_array;
struct rlb_wide;

#define RLB_PINS_STRIPE_BITS 6

/* What packets are to that a backend sends */
enum rlb_back_to {
	RLB_BACK_CLIENT,		/* to the client: all wide pins are there */
	RLB_BACK_GATE,		/* to the gateway: those with a gate */
	RLB_BACKS
};

/**
 * struct rlb_back - one of them
 * @array: chains; RCU, changed under @visit of the table; NULL: there have been no wide pins
 * @lock: by the first bits of the hash
 */
struct rlb_back {
	struct rlb_back_array __rcu *array;
	spinlock_t lock[1 << RLB_PINS_STRIPE_BITS];
};

/* Life; process context. */
void rlb_back_init(struct rlb_pins *pins);
int rlb_back_reserve(struct rlb_pins *pins);
void rlb_back_grow(struct rlb_pins *pins);
void rlb_back_exit(struct rlb_pins *pins);

/* For pins.c, under the stripe's lock of the flow */
bool rlb_back_link(struct rlb_pins *pins, struct rlb_wide *wide);
void rlb_back_unlink(struct rlb_pins *pins, struct rlb_wide *wide);

/* Packets; under rcu_read_lock(). */
struct rlb_wide *rlb_back_look(const struct rlb_pins *pins, enum rlb_back_to side,
				const struct rlb_tuple *t);
struct rlb_wide *rlb_back_find(const struct rlb_pins *pins, enum rlb_back_to side,
				const struct rlb_tuple *t, u32 now);

#endif /* _RINGLB_FLOW_BACK_H */
