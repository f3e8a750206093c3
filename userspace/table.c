// SPDX-License-Identifier: GPL-2.0-only
/*
 * table.c - commands about tables: who owns which slot, and are two gateways alike
 *
 * In: a table or a model. Out: facts.
 */
#include <stdio.h>
#include <string.h>

#include "lookup.h"
#include "map.h"
#include "object.h"
#include "offline.h"

#define BAR_WIDTH 32

static int from_file(struct tool *t, const char *service, struct model *m,
		     struct table *table)
{
	int code = tool_model(t, service, TOOL_BACKENDS, m);

	if (!code && offline_table(model_find(m, service), table))
		code = tool_no_memory();
	return code;
}

/* Members come with addresses alone: take the rest from @s. 1 if @s is not of this table. */
static int join(struct table *table, const struct service *s)
{
	const struct backend *b;
	u32 i;

	if (!s || s->generation != table->generation)
		return 1;
	for (i = 0; i < table->n; i++) {
		b = service_find(s, &table->members[i].at);
		if (!b)
			return 1;
		table->members[i] = *b;
	}
	return 0;
}

/* 0; 1: it changes too fast; -errno with the reason in @s->why */
static int from_kernel(struct session *s, const char *service, struct model *m,
		       struct table *table)
{
	unsigned int try;
	int ret = 1;

	for (try = 0; try < SESSION_DUMP_TRIES && ret == 1; try++) {
		ret = fetch_model(s, service, true, m);
		if (!ret) {
			table_free(table);
			ret = fetch_table(s, service, table);
		}
		if (!ret)
			ret = join(table, model_find(m, service));
	}
	return ret;
}

/* The seats of the table are those of the service; a map is what the table is. 0 or -ENOMEM */
static int take_lists(struct service *s, const struct table *table)
{
	s->seats = table->seats;
	s->n_seats = table->n_seats;
	if (s->method == RINGLB_METHOD_SLOTS && table->n)
		s->map = map_of_table(table);
	return s->method == RINGLB_METHOD_SLOTS && table->n && !s->map ? -ENOMEM : 0;
}

static int from_kernel_with_lists(struct session *s, const char *service, struct model *m,
				  struct table *table)
{
	int ret = from_kernel(s, service, m, table);
	struct service *svc = ret ? NULL : model_find(m, service);

	if (svc && take_lists(svc, table))
		ret = session_fail(s, -ENOMEM, "out of memory");
	return ret;
}

/**
 * table_lists() - the seats or the map of a service, from the kernel
 * @t: the run, with its session
 * @s: a service as the kernel told it; gets its list or map
 *
 * Return: an exit code, after its message.
 */
int table_lists(struct tool *t, struct service *s)
{
	struct table table;
	int ret = fetch_table(&t->session, s->name, &table);

	if (!ret && (table.generation != s->generation || table.n_seats != s->n_seats))
		ret = 1;
	if (!ret && take_lists(s, &table))
		ret = session_fail(&t->session, -ENOMEM, "out of memory");
	table_free(&table);
	if (ret < 0)
		return tool_refused(t, "table");
	return ret ? tool_inconsistent() : TOOL_DONE;
}

/**
 * table_and_model() - a service with its backends, and its table
 * @t: the run
 * @command: names the service
 * @m: out: has the service; empty before; NULL: the table alone, its members without weights
 * @table: out; both are to be freed in any case
 *
 * Return: an exit code, after its message.
 */
int table_and_model(struct tool *t, const struct command *command, struct model *m,
		    struct table *table)
{
	const char *service = command->service.name;
	char title[GRAMMAR_TITLE_MAX];

	struct session *s;
	int ret;

	memset(table, 0, sizeof(*table));
	if (t->file)
		return from_file(t, service, m, table);
	s = tool_session(t);
	if (!s)
		return TOOL_REFUSED;
	ret = m ? from_kernel_with_lists(s, service, m, table) : fetch_table(s, service, table);
	if (ret < 0)
		return tool_refused(t, grammar_title(command->g, title));
	if (!ret)
		return TOOL_DONE;
	tool_error("the table of %s changed during each of %u attempts to read it", service,
		   SESSION_DUMP_TRIES);
	return TOOL_REFUSED;
}

/* One string a slot: JSON alone. Each member's word is made once. */
static void owners(struct out *o, const struct table *table)
{
	char (*words)[ADDR_TEXT_MAX];
	u32 i;

	words = calloc(table->n + 1, sizeof(*words));
	if (!words) {
		o->failed = true;
		return;
	}
	for (i = 0; i < table->n; i++)
		addr_print(&table->members[i].at, words[i]);
	out_array(o, "owners");
	for (i = 0; i < table->slots; i++)
		out_array_str(o, table->owners[i] < table->n ? words[table->owners[i]] : NULL);
	free(words);
}

/* Text: what each member has, beside what its weight asks for. */
static void shares(struct out *o, const struct table *table, const u32 *slots)
{
	double most = 0, total = 0;
	u32 i;

	for (i = 0; i < table->n; i++)
		total += table->members[i].weight;
	for (i = 0; i < table->n && total; i++) {
		if (slots[i] > most)
			most = slots[i];
		if (table->members[i].weight / total * table->slots > most)
			most = table->members[i].weight / total * table->slots;
	}
	for (i = 0; i < table->n; i++) {
		const struct backend *b = &table->members[i];

		out_object(o);
		out_endpoint(o, OUT_BARE, "backend", &b->at);
		out_str(o, 0, "state", HAS(b, RINGLB_A_BACKEND_STATE) ? word_state(b->state) :
			"-");
		out_u64(o, 0, "weight", b->weight);
		out_u64(o, 0, "slots", slots[i]);
		out_percent(o, "share", slots[i], table->slots);
		out_percent(o, "asked", b->weight, total);
		out_bar(o, "bar (| asked)", BAR_WIDTH, slots[i],
			total ? b->weight / total * table->slots : 0, most);
	}
}

/* JSON alone: the list of seats, in its order. */
static void seats(struct out *o, const struct table *table)
{
	u32 k;

	if (table->method != RINGLB_METHOD_SEAT || !o->json)
		return;
	out_list(o, "seats");
	for (k = 0; k < table->n_seats; k++) {
		out_list_object(o);
		out_u64(o, 0, "id", table->seats[k].id);
		out_u64(o, 0, "weight", table->seats[k].weight);
	}
	out_list_end(o);
}

static int show_shares(struct tool *t, const struct table *table)
{
	u32 *slots = calloc(table->n + 1, sizeof(*slots));
	u32 i;

	if (!slots)
		return tool_no_memory();
	for (i = 0; i < table->slots; i++)
		if (table->owners[i] < table->n)
			slots[table->owners[i]]++;
	out_begin(&t->out, OUT_COLUMNS);
	shares(&t->out, table, slots);
	free(slots);
	return tool_end(t, TOOL_DONE);
}

int table_show(struct tool *t, const struct command *command)
{
	const char *service = command->service.name;
	struct model m = { 0 };
	struct table table;
	int code;

	code = table_and_model(t, command, t->file || !t->out.json ? &m : NULL, &table);
	model_free(&m);
	if (!code) {
		out_begin(&t->out, OUT_LINES);
		out_object(&t->out);
		out_str(&t->out, OUT_BARE, "service", service);
		out_str(&t->out, 0, "method", word_method(table.method));
		out_u64(&t->out, 0, "slots", table.slots);
		if (table.has_generation)
			out_u64(&t->out, 0, "generation", table.generation);
		out_hex(&t->out, "digest", table.digest);
		seats(&t->out, &table);
		owners(&t->out, &table);
		code = tool_end(t, TOOL_DONE);
	}
	if (!code && !t->out.json)
		code = show_shares(t, &table);
	table_free(&table);
	return code;
}

/* A line "FIRST-LAST BACKEND", as files of maps have it */
static void range_facts(struct out *o, const struct map_range *r)
{
	char slots[32];

	out_object(o);
	if (o->json) {
		out_u64(o, 0, "first", r->first);
		out_u64(o, 0, "last", r->last);
	} else {
		snprintf(slots, sizeof(slots), "%u-%u", r->first, r->last);
		out_str(o, OUT_BARE, "slots", slots);
	}
	out_endpoint(o, OUT_BARE, "backend", &r->at);
}

int table_map(struct tool *t, const struct command *command)
{
	const struct map *map = NULL;
	struct model m = { 0 };
	struct table table;
	int code;
	u32 i;

	code = table_and_model(t, command, t->file ? &m : NULL, &table);
	model_free(&m);
	if (!code) {
		map = map_of_table(&table);
		code = map ? TOOL_DONE : tool_no_memory();
	}
	if (!code)
		out_begin(&t->out, OUT_LINES);
	for (i = 0; map && i < map->n; i++)
		range_facts(&t->out, &map->range[i]);
	table_free(&table);
	return code ? code : tool_end(t, TOOL_DONE);
}

static void digest_facts(struct out *o, const struct service *s, const struct model *m)
{
	u64 not_up = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		not_up += s->backends[i].state != RINGLB_STATE_UP;
	out_object(o);
	out_str(o, OUT_BARE, "service", s->name);
	out_str(o, 0, "method", word_method(s->method));
	out_u64(o, 0, "slots", s->slots);
	out_hex(o, "canonical_digest", s->canonical);
	out_hex(o, "digest", s->digest);
	service_key_facts(o, s);
	if (m->has_fingerprint)
		out_hex(o, "secret_fingerprint", m->fingerprint);
	out_u64(o, 0, "pending", s->pending);
	out_u64(o, 0, "not_up", not_up);
}

int table_digest(struct tool *t, const struct command *command)
{
	const char *name = command->has_service ? command->service.name : NULL;
	struct model m = { 0 };
	size_t i;
	int code;

	code = tool_model(t, name, TOOL_BACKENDS | TOOL_COUNTS, &m);
	if (code && !m.n)
		goto out;
	if (!t->file && fetch_secret(&t->session, &m)) {
		code = tool_refused(t, "secret");
		goto out;
	}
	out_begin(&t->out, OUT_LINES);
	for (i = 0; i < m.n; i++)
		if (!name || m.services[i] == model_find(&m, name))
			digest_facts(&t->out, m.services[i], &m);
	code = tool_end(t, code);
out:
	model_free(&m);
	return code;
}
