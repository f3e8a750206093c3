/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seats.h - lists of seats, for those who read, hold and print them
 */
#ifndef _RINGLB_SEATS_H
#define _RINGLB_SEATS_H

#include <stdio.h>

#include "lookup.h"
#include "model.h"

#define SEATS_EXPECTS "fresh or ID:WEIGHT,ID:WEIGHT... of at most 8192 seats"

struct rlb_seat *seats_new(u32 n);
int seats_parse(const char *word, struct service *s);
void seats_print(FILE *to, const struct service *s);
const char *seats_fit(struct service *s);

#endif /* _RINGLB_SEATS_H */
