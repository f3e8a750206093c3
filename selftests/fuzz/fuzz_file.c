// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_file.c - the readers of files of commands, as -b, -f and plan from .. to read them
 *
 * In: any bytes as a file. Whatever they are: the file is taken, or refused with one printable
 * sentence that names a line; a model that was made of it can be planned from nothing and to
 * nothing, and the plan's parts sum up.
 */
#include <string.h>

#include "batch.h"
#include "fuzz.h"
#include "../../userspace/map.h"
#include "offline.h"
#include "plan.h"

#define SLOTS_MAX 4096		/* a round is to be short */
#define POINTS_MAX (1U << 16)

static void check_error(const char *error)
{
	promise(*error);
	for (; *error; error++)
		promise(*error >= ' ' && *error <= '~');
}

/* All commands, up to one that is refused */
static void apply_all(struct model *m, const struct batch *b)
{
	char error[512];
	size_t i;

	for (i = 0; i < b->n; i++) {
		promise(b->commands[i].line);
		if (!offline_apply(m, &b->commands[i], error, sizeof(error)))
			continue;
		check_error(error);
		model_flush(m);
		return;
	}
}

static bool is_small(const struct service *s)
{
	u64 points = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		points += (u64)s->backends[i].weight * s->vnodes;
	return s->slots <= SLOTS_MAX && (s->method != RINGLB_METHOD_RING || points <= POINTS_MAX);
}

static void check_plan(const struct service *s)
{
	struct table table = { 0 };
	struct plan p = { 0 };
	u32 i, moved = 0;

	if (offline_table(s, &table))	/* more backends than slots, for one */
		return;
	promise(!plan_compute(&p, s, &table, s));
	promise(!p.at_once && !p.later && !p.n_moves);
	plan_free(&p);
	promise(!plan_compute(&p, s, &table, NULL));
	for (i = 0; i < p.n_moves; i++)
		moved += p.moves[i].at_once + p.moves[i].later;
	promise(moved == p.at_once + p.later);
	promise(moved == (table.n ? p.slots : 0));
	plan_free(&p);
	table_free(&table);
}

void fuzz_file(const uint8_t *data, size_t size)
{
	struct batch b = { .file = "f" };
	struct model m = { 0 };
	char error[768];
	size_t i;
	FILE *f;

	if (!size)
		return;
	f = fmemopen((void *)data, size, "r");
	promise(f);
	if (batch_parse(&b, f, error, sizeof(error)))
		check_error(error);
	else
		apply_all(&m, &b);
	fclose(f);
	for (i = 0; i < m.n; i++)
		if (is_small(m.services[i]))
			check_plan(m.services[i]);
	model_free(&m);
	batch_free(&b);
	map_free_all();
}
