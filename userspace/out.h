/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * out.h - facts to text or JSON: one call for each fact
 */
#ifndef _RINGLB_OUT_H
#define _RINGLB_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "model.h"

/* How text is laid out; JSON is the same for all of them. */
enum out_layout {
	OUT_LINES,	/* an object a line: "name key value key value" */
	OUT_COLUMNS,	/* an object a line below a line of keys; all objects have the same facts */
	OUT_FACTS,	/* a fact a line */
	OUT_BESIDE,	/* an object a column beside a column of keys; all have the same facts */
};

/* Text without the key, where the value tells what it is. */
#define OUT_BARE 1
/* Text on a line of its own, below the object's */
#define OUT_BELOW 2

struct out_cell;
struct json_t;

/**
 * struct out - where facts go
 * @to: the stream
 * @json: JSON, not text
 * @pretty: indented JSON
 * @stats: counters are wanted
 */
struct out {
	FILE *to;
	bool json;
	bool pretty;
	bool stats;
	/* of the list that is open; private to out.c */
	enum out_layout layout;
	bool alone;		/* one object, not a list */
	bool stream;		/* objects are printed one by one */
	bool begun;		/* one has been */
	bool failed;		/* no memory */
	struct json_t *list;
	struct json_t *object;
	struct json_t *array;
	struct json_t *outer;	/* the object whose list is open */
	struct out_cell *cells;
	size_t n, room;
};

void out_begin(struct out *o, enum out_layout layout);
void out_begin_one(struct out *o, enum out_layout layout);
void out_begin_stream(struct out *o);
void out_object(struct out *o);
int out_end(struct out *o);

void out_str(struct out *o, int flags, const char *key, const char *value);
void out_u64(struct out *o, int flags, const char *key, u64 value);
void out_hex(struct out *o, const char *key, u64 value);
void out_endpoint(struct out *o, int flags, const char *key, const struct endpoint *e);
void out_percent(struct out *o, const char *key, u64 part, u64 whole);
void out_percent_at(struct out *o, int flags, const char *key, u64 part, u64 whole);
void out_tenths(struct out *o, const char *key, u32 tenths);
void out_real(struct out *o, const char *key, double value);
void out_bool(struct out *o, const char *key, bool value);
void out_bar(struct out *o, const char *key, int width, double part, double asked, double most);
void out_none(struct out *o, const char *key);
void out_counters(struct out *o, const struct counters *c);
void out_counters_by(struct out *o, const struct counters *c, const char *(*word)(unsigned int));

/* A list of endpoints, absent if it is empty: in text they are one value. */
void out_endpoints(struct out *o, int flags, const char *key, const struct endpoint *list, size_t n);

/* A list of strings: JSON alone. NULL becomes null. */
void out_array(struct out *o, const char *key);
void out_array_str(struct out *o, const char *value);

/* A list of objects in the open object: JSON alone. Facts belong to the list's last object,
 * until it ends.
 */
void out_list(struct out *o, const char *key);
void out_list_object(struct out *o);
void out_list_end(struct out *o);

#endif /* _RINGLB_OUT_H */
