/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map.h - the operator's map of slots to backends, for those who read, hold and print it
 */
#ifndef _RINGLB_MAP_H
#define _RINGLB_MAP_H

#include <stdio.h>

#include "lookup.h"
#include "model.h"

#define MAP_EXPECTS "a file of ranges, or the ranges themselves: FIRST-LAST=ADDR[:PORT],..."

/**
 * struct map_range - slots that follow each other, and their backend
 * @first: the first of them
 * @last: the last of them
 * @at: the backend
 * @place: its line in the map's file, or its number in a word, from 1
 */
struct map_range {
	u32 first;
	u32 last;
	struct endpoint at;
	u32 place;
};

/**
 * struct map - who is to own which slot, method slots
 * @file: where it was read; NULL: in a word, or from a table
 * @wrong: why it is no map; NULL: it is one
 * @range: ascending; if it is a map, each begins where the one before it ended, the first at 0
 * @n: how many
 * @room: for how many there is memory
 */
struct map {
	char *file;
	char *wrong;
	struct map_range *range;
	u32 n;
	u32 room;
	struct map *next;
};

int map_parse(const char *word, struct service *s);
const char *map_fit(struct service *s);
struct map *map_of_table(const struct table *t);
void map_print(FILE *to, const struct service *s);
struct rlb_range *map_members(const struct service *s);
void map_free_all(void);

#endif /* _RINGLB_MAP_H */
