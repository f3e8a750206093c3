// SPDX-License-Identifier: GPL-2.0-only
/*
 * plan_cmd.c - the command plan: what a change will move, said before it is made
 *
 * In: words; the state of the kernel, or files. Out: plans, and an exit code that tells
 * whether more would move than the limit. Nothing is changed.
 */
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "offline.h"
#include "plan.h"
#include "plot.h"

#define MOVES (BIT(RINGLB_A_BACKEND_ID) | BIT(RINGLB_A_BACKEND_WEIGHT))

/* What can be planned: the same words as after the object and its service's name */
static const struct grammar changes[] = {
	{
		"backend", "add", .keywords = backend_keywords,
		.allowed = MOVES, .cmd = RINGLB_CMD_BACKEND_NEW, .parse = backend_parse_add,
	}, {
		"backend", "set", .keywords = backend_keywords,
		.allowed = MOVES, .cmd = RINGLB_CMD_BACKEND_SET, .parse = backend_parse_set,
	}, {
		"backend", "del", .keywords = backend_keywords, .cmd = RINGLB_CMD_BACKEND_DEL,
		.parse = backend_parse_del,
	}, {
		"service", "set", .keywords = service_keywords, .allowed = SERVICE_CHANGES,
		.cmd = RINGLB_CMD_SERVICE_SET, .parse = service_parse_set,
	},
};

static const struct grammar *find_change(const char *object, const char *verb)
{
	size_t i;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (!strcmp(changes[i].object, object) &&
		    (!verb || !strcmp(changes[i].verb, verb)))
			return &changes[i];
	return NULL;
}

/* Take one change. */
static int parse_change(struct cmd *c, const char *service, struct command *change)
{
	static const char *const ends[] = { "backend", "service", "limit", "plot", NULL };
	const char *object, *verb, *verbs;
	int err;

	object = cmd_next(c, "change", "backend or service");
	if (!object)
		return -1;
	if (!find_change(object, NULL))
		return cmd_bad(c, NULL, object, "expected backend, service, limit or plot");
	verbs = *object == 'b' ? "add, set or del" : "set";
	verb = cmd_next(c, "change", verbs);
	if (!verb)
		return -1;
	memset(change, 0, sizeof(*change));
	change->g = find_change(object, verb);
	if (!change->g) {
		char what[32], expected[32];

		snprintf(what, sizeof(what), "change of %s", object);
		snprintf(expected, sizeof(expected), "expected %s", verbs);
		return cmd_bad(c, what, verb, expected);
	}
	strcpy(change->service.name, service);
	change->has_service = true;
	c->ends = ends;
	err = change->g->parse(c, change);
	c->ends = NULL;
	if (!err && HAS(&change->backend, BACKEND_WAIT))
		err = cmd_bad(c, NULL, "wait", "expected in a plan no waiting");
	change->cmd = change->g->cmd;	/* with drain: what the removal moves when it comes */
	return err;
}

/* P% */
static int parse_limit(struct cmd *c, struct command *command)
{
	const char *word = cmd_next(c, "value of limit", TENTHS_EXPECTS);

	if (!word)
		return -1;
	if (word_tenths_find(word, 1000, &command->plan.limit))
		return cmd_bad(c, "limit", word, "expected " TENTHS_EXPECTS);
	command->plan.has_limit = true;
	return 0;
}

/* FILE */
static int parse_plot(struct cmd *c, struct command *command)
{
	command->plan.plot = cmd_next(c, "value of plot", "a file to draw into");
	if (command->plan.plot && !*command->plan.plot)
		return cmd_bad(c, "plot", "", "expected a file to draw into");
	return command->plan.plot ? 0 : -1;
}

/* [limit P%] [plot FILE], in any order, and then nothing */
static int parse_rest(struct cmd *c, struct command *command, bool may_plot)
{
	const char *word;
	int err = 0;

	while (cmd_more(c) && !err) {
		word = cmd_next(c, NULL, NULL);
		if (!strcmp(word, "limit") && !command->plan.has_limit)
			err = parse_limit(c, command);
		else if (!strcmp(word, "plot") && may_plot && !command->plan.plot)
			err = parse_plot(c, command);
		else if (command->plan.has_limit && (command->plan.plot || !may_plot))
			err = cmd_bad(c, NULL, word, "expected nothing more");
		else
			err = cmd_bad(c, NULL, word, command->plan.has_limit ?
				      "expected plot or nothing more" : !may_plot ||
				      command->plan.plot ? "expected limit or nothing more" :
				      "expected limit, plot or nothing more");
	}
	return err;
}

int plan_parse(struct cmd *c, struct command *command)
{
	struct command change;

	command->has_service = true;
	if (cmd_name(c, command->service.name))
		return -1;
	command->plan.word = c->word + c->at;
	do {
		if (parse_change(c, command->service.name, &change))
			return -1;
		command->plan.n = c->word + c->at - command->plan.word;
	} while (cmd_more(c) && !cmd_next_is(c, "limit") && !cmd_next_is(c, "plot"));
	return parse_rest(c, command, true);
}

int plan_parse_from(struct cmd *c, struct command *command)
{
	const char *word;

	command->plan.from = cmd_next(c, "file", "a file of commands");
	if (!command->plan.from)
		return -1;
	word = cmd_next(c, "to", "to FILE");
	if (!word)
		return -1;
	if (strcmp(word, "to"))
		return cmd_bad(c, NULL, word, "expected to");
	command->plan.to = cmd_next(c, "file", "a file of commands");
	if (!command->plan.to)
		return -1;
	return parse_rest(c, command, false);
}

/* Facts, then moves, then shares. An exit code. */
static int print_text(struct tool *t, const struct plan *p, const u32 *limit, bool more)
{
	struct out *o = &t->out;
	int code;

	if (more)
		fputc('\n', o->to);
	out_begin(o, OUT_FACTS);
	plan_facts(o, p, limit);
	code = tool_end(t, TOOL_DONE);
	if (!code && p->n_moves) {
		fputc('\n', o->to);
		out_begin(o, OUT_COLUMNS);
		plan_move_columns(o, p);
		code = tool_end(t, code);
	}
	if (!code && p->n) {
		fputc('\n', o->to);
		out_begin(o, OUT_COLUMNS);
		plan_share_columns(o, p);
		code = tool_end(t, code);
	}
	return code;
}

/* Weights that earn no slot, in the end */
static void warn_slotless(const struct plan *p)
{
	char word[ADDR_TEXT_MAX];
	u32 i;

	for (i = 0; i < p->n; i++)
		if (p->shares[i].is && !p->shares[i].after)
			tool_error("note: service \"%s\": backend %s will have weight %u and no slot",
				   p->service, addr_print(&p->shares[i].at, word),
				   p->shares[i].weight_after);
}

/* Print plans, and say which are above the limit. An exit code. */
static int print(struct tool *t, struct plan *plans, size_t n, const u32 *limit)
{
	int code = TOOL_DONE;
	char word[WORD_VALUE_MAX];
	size_t i;

	if (t->out.json)
		out_begin(&t->out, OUT_FACTS);
	for (i = 0; i < n && t->out.json; i++)
		plan_facts(&t->out, &plans[i], limit);
	if (t->out.json)
		code = tool_end(t, code);
	for (i = 0; i < n && !t->out.json && !code; i++)
		code = print_text(t, &plans[i], limit, i);
	for (i = 0; i < n && !code; i++) {
		u32 moved = plans[i].at_once + plans[i].later;

		if (!t->out.json)
			warn_slotless(&plans[i]);
		if (!limit || !plan_above(&plans[i], *limit))
			continue;
		tool_error("plan: service \"%s\": %u of %u slots move (%.2f%%), above the limit of %s",
			   plans[i].service, moved, plans[i].slots,
			   100.0 * moved / plans[i].slots, word_tenths(*limit, word));
	}
	for (i = 0; i < n && !code && limit; i++)
		if (plan_above(&plans[i], *limit))
			return TOOL_ABOVE;
	return code;
}

/* What the kernel told has no tree of where packets are sent: those of this service. */
static int note_reals(struct model *m, const struct service *s)
{
	struct endpoint real;
	size_t i;

	for (i = 0; i < s->n; i++) {
		real = service_real(s, &s->backends[i].at);
		if (model_real_add(m, s->protocol, &real))
			return -1;
	}
	return 0;
}

/* Apply one change to the model, for each backend that it names. */
static int apply_change(struct model *m, const struct command *change)
{
	char title[BACKEND_TITLE_MAX], error[512];
	struct command one;
	size_t i;

	for (i = 0; i <= change->n_more; i++) {
		backend_nth(change, i, &one);
		if (!offline_apply(m, &one, error, sizeof(error)))
			continue;
		tool_error("plan: %s: %s", backend_title(&one, title), error);
		return TOOL_REFUSED;
	}
	return TOOL_DONE;
}

/* Apply the changes to the model, one after the other. An exit code, after its message. */
static int apply(struct tool *t, struct model *m, const struct command *command)
{
	struct cmd c = { .word = command->plan.word, .n = command->plan.n };
	struct command change;
	char error[512];
	int code = TOOL_DONE;

	if (!t->file && note_reals(m, model_find(m, command->service.name)))
		return tool_no_memory();
	while (!code && cmd_more(&c)) {
		if (parse_change(&c, command->service.name, &change)) {
			tool_error("%s", c.error);
			return TOOL_WORDS;
		}
		code = apply_change(m, &change);
	}
	if (!code && offline_agree(m, &change, error, sizeof(error))) {
		tool_error("plan: %s", error);
		return TOOL_REFUSED;
	}
	return code;
}

/* Draw it, if that is wanted. An exit code. */
static int plot(const char *file, const struct plan *p, const struct table *before,
		const struct service *s)
{
	struct table after;
	int code;

	if (!file)
		return TOOL_DONE;
	if (offline_table(s, &after))
		return tool_no_memory();
	code = plot_write(file, p, before, &after);
	table_free(&after);
	return code;
}

int plan_run(struct tool *t, const struct command *command)
{
	const u32 *limit = command->plan.has_limit ? &command->plan.limit : NULL;
	const char *name = command->service.name;
	struct service before;
	struct table table;
	struct model m = { 0 };
	struct plan p = { 0 };
	int code;

	code = table_and_model(t, command, &m, &table);
	if (!code) {
		before = *model_find(&m, name);
		code = apply(t, &m, command);
	}
	if (!code && plan_compute(&p, &before, &table, model_find(&m, name)))
		code = tool_no_memory();
	if (!code)
		code = plot(command->plan.plot, &p, &table, model_find(&m, name));
	if (!code)
		code = print(t, &p, 1, limit);
	plan_free(&p);
	table_free(&table);
	model_free(&m);
	return code;
}

static int compare(struct plan *p, const struct service *before, const struct service *after)
{
	struct table table = { 0 };
	int err = 0;

	if (before)
		err = offline_table(before, &table);
	if (!err)
		err = plan_compute(p, before, before ? &table : NULL, after);
	table_free(&table);
	return err;
}

/* All services of both, by name. The number of plans, or -1: no memory. */
static ssize_t compare_all(struct plan *plans, const struct model *from, const struct model *to,
			   bool rehash)
{
	size_t i = 0, j = 0, n = 0;

	while (i < from->n || j < to->n) {
		int order = i == from->n ? 1 : j == to->n ? -1 :
			    strcmp(from->services[i]->name, to->services[j]->name);

		if (compare(&plans[n++], order <= 0 ? from->services[i] : NULL,
			    order >= 0 ? to->services[j] : NULL))
			return -1;
		if (!order && rehash)
			plan_rehash(&plans[n - 1]);
		i += order <= 0;
		j += order >= 0;
	}
	return n;
}

int plan_run_from(struct tool *t, const struct command *command)
{
	const u32 *limit = command->plan.has_limit ? &command->plan.limit : NULL;
	struct model from = { 0 }, to = { 0 };
	struct plan *plans = NULL;
	ssize_t i, n = 0;
	bool rehash;
	int code;

	code = offline_load(command->plan.from, &from);
	if (!code)
		code = offline_load(command->plan.to, &to);
	if (code)
		goto out;
	rehash = from.has_secret && to.has_secret &&
		 memcmp(from.secret, to.secret, sizeof(from.secret));
	plans = calloc(from.n + to.n + 1, sizeof(*plans));
	n = plans ? compare_all(plans, &from, &to, rehash) : -1;
	code = n < 0 ? tool_no_memory() : print(t, plans, n, limit);
out:
	for (i = 0; plans && i < (ssize_t)(from.n + to.n); i++)
		plan_free(&plans[i]);
	free(plans);
	model_free(&from);
	model_free(&to);
	return code;
}
