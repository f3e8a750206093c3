// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - commands about backends: their words, and showing them
 *
 * In: words; a model. Out: commands; facts. Changes are sent by change.c.
 */
#include <stdio.h>
#include <string.h>

#include "object.h"

static void name_backend(struct backend *b, const struct endpoint *at)
{
	b->at = *at;
	b->has &= ~(BIT(RINGLB_A_BACKEND_IPV4) | BIT(RINGLB_A_BACKEND_IPV6) |
		    BIT(RINGLB_A_BACKEND_PORT));
	SET(b, at->family == AF_INET ? RINGLB_A_BACKEND_IPV4 : RINGLB_A_BACKEND_IPV6);
	if (at->port)
		SET(b, RINGLB_A_BACKEND_PORT);
}

/* SERVICE ADDR[:PORT], or the latter alone if the service is known */
static int parse_backend(struct cmd *c, struct command *command)
{
	bool known = command->has_service;
	struct endpoint at;

	command->has_service = true;
	command->has_backend = true;
	if ((!known && cmd_name(c, command->service.name)) ||
	    cmd_endpoint(c, "backend", ADDR_MAYBE_PORT, &at))
		return -1;
	name_backend(&command->backend, &at);
	return 0;
}

/* The same, and more addresses: words with what no keyword has. */
static int parse_backends(struct cmd *c, struct command *command)
{
	struct endpoint at;

	if (parse_backend(c, command))
		return -1;
	command->more = c->word + c->at;
	while (cmd_more(c) && strpbrk(c->word[c->at], ".:[")) {
		if (cmd_endpoint(c, "backend", ADDR_MAYBE_PORT, &at))
			return -1;
		command->n_more++;
	}
	command->several = command->n_more;
	return 0;
}

/**
 * backend_nth() - one of the commands that a command with several backends stands for
 * @command: any command, parsed; its words are still there
 * @i: which one, up to @command's n_more
 * @one: out: the command for one backend
 */
void backend_nth(const struct command *command, size_t i, struct command *one)
{
	struct endpoint at;

	*one = *command;
	one->more = NULL;
	one->n_more = 0;
	if (i && !addr_parse(command->more[i - 1], ADDR_MAYBE_PORT, &at))
		name_backend(&one->backend, &at);
}

/**
 * backend_title() - "backend add", with the address if the words name several
 * @command: a command for one backend, or another one
 * @title: where it goes
 *
 * Return: @title.
 */
const char *backend_title(const struct command *command, char title[BACKEND_TITLE_MAX])
{
	char at[ADDR_TEXT_MAX];
	size_t len;

	len = strlen(grammar_title(command->g, title));
	if (command->several)
		snprintf(title + len, BACKEND_TITLE_MAX - len, " %s",
			 addr_print(&command->backend.at, at));
	return title;
}

/* The generation is the service's. */
static int parse_pairs(struct cmd *c, struct command *command, u64 more)
{
	struct backend *b = &command->backend;

	if (cmd_pairs(c, backend_keywords, command->g->allowed | more, b, &b->has))
		return -1;
	if (HAS(b, BACKEND_IF_GENERATION)) {
		command->service.if_generation = b->if_generation;
		SET(&command->service, RINGLB_A_SERVICE_IF_GENERATION);
	}
	return 0;
}

int backend_parse_add(struct cmd *c, struct command *command)
{
	return parse_backends(c, command) ? -1 : parse_pairs(c, command, 0);
}

int backend_parse_set(struct cmd *c, struct command *command)
{
	if (parse_backends(c, command))
		return -1;
	if (parse_pairs(c, command, 0))
		return -1;
	if (!HAS(&command->backend, RINGLB_A_BACKEND_ID) &&
	    !HAS(&command->backend, RINGLB_A_BACKEND_WEIGHT) &&
	    !HAS(&command->backend, RINGLB_A_BACKEND_STATE) &&
	    !HAS(&command->backend, RINGLB_A_BACKEND_SLOW_START))
		return cmd_fail(c, "change is missing: expected id, weight, state or slow-start");
	return 0;
}

/* The verb is the state. */
int backend_parse_state(struct cmd *c, struct command *command)
{
	if (parse_backends(c, command) || parse_pairs(c, command, 0))
		return -1;
	SET(&command->backend, RINGLB_A_BACKEND_STATE);
	return word_state_find(command->g->verb, &command->backend.state);
}

/* With "drain" it is a state: the module removes them when it is time. */
int backend_parse_del(struct cmd *c, struct command *command)
{
	if (parse_backends(c, command))
		return -1;
	if (!cmd_next_is(c, "drain"))
		return parse_pairs(c, command, 0);
	c->at++;
	command->cmd = RINGLB_CMD_BACKEND_SET;
	command->backend.state = RINGLB_STATE_LEAVE;
	SET(&command->backend, RINGLB_A_BACKEND_STATE);
	return parse_pairs(c, command, BIT(BACKEND_WAIT));
}

int backend_parse_show(struct cmd *c, struct command *command)
{
	if (c->n - c->at >= 2)
		return parse_backend(c, command) ? -1 : cmd_end(c);
	return service_parse_maybe_name(c, command);
}

/* Of flows that are remembered only the kernel knows. */
static void flow_facts(struct out *o, const struct backend *b)
{
	if (!HAS(b, RINGLB_A_BACKEND_FLOWS))
		return;
	out_u64(o, 0, "flows", b->flows);
	if (HAS(b, RINGLB_A_BACKEND_DRAIN_LEFT)) {
		out_u64(o, 0, "unseen_left", b->unseen_left);
		out_u64(o, 0, "drain_left", b->drain_left);
	} else if (o->layout == OUT_COLUMNS) {
		out_none(o, "unseen_left");
		out_none(o, "drain_left");
	}
}

/* How it takes its flows, if not all of them at any time: most do */
static void start_facts(struct out *o, const struct backend *b)
{
	int flags = o->layout == OUT_COLUMNS ? OUT_BELOW : 0;

	if (HAS(b, RINGLB_A_BACKEND_SLOW_START) && b->slow_start)
		out_u64(o, flags, "slow_start", b->slow_start);
	if (HAS(b, RINGLB_A_BACKEND_SLOW_START_LEFT))
		out_u64(o, flags, "slow_start_left", b->slow_start_left);
	if (HAS(b, RINGLB_A_BACKEND_ACCEPTS))
		out_percent_at(o, flags, "accepts", b->accepts, RINGLB_ACCEPTS_ALL);
}

/**
 * backend_facts() - all that is known of a backend, into the open object
 * @o: where to
 * @service: the name of its service
 * @b: the backend
 * @slots: of the service's table; 0: not known
 */
void backend_facts(struct out *o, const char *service, const struct backend *b, u32 slots)
{
	out_str(o, OUT_BARE, "service", service);
	out_endpoint(o, OUT_BARE, "backend", &b->at);
	if (HAS(b, RINGLB_A_BACKEND_ID))
		out_u64(o, 0, "id", b->id);
	else if (o->layout == OUT_COLUMNS)
		out_none(o, "id");
	if (HAS(b, RINGLB_A_BACKEND_WEIGHT))
		out_u64(o, 0, "weight", b->weight);
	if (HAS(b, RINGLB_A_BACKEND_STATE))
		out_str(o, 0, "state", word_state(b->state));
	if (HAS(b, RINGLB_A_BACKEND_SLOTS)) {
		out_u64(o, 0, "slots", b->slots);
		if (slots)
			out_percent(o, "share", b->slots, slots);
	}
	flow_facts(o, b);
	start_facts(o, b);
	if (HAS(b, RINGLB_A_BACKEND_COUNTERS))
		out_counters(o, &b->counters);
}

static void show_backends(struct out *o, const struct service *s, const struct endpoint *only)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (only && addr_cmp(&s->backends[i].at, only))
			continue;
		out_object(o);
		backend_facts(o, s->name, &s->backends[i], s->slots);
	}
}

/* A weight that earns no slot is worth a word: nobody would look for it among the others. */
static void warn_slotless(const struct service *s, const struct endpoint *only)
{
	const struct backend *b;
	char word[ADDR_TEXT_MAX];

	for (b = s->backends; b < s->backends + s->n; b++)
		if (HAS(b, RINGLB_A_BACKEND_SLOTS) && b->weight && !b->slots &&
		    (!only || !addr_cmp(&b->at, only)))
			tool_error("note: service \"%s\": backend %s has weight %u and no slot: its share of the weights is below one of %u slots",
				   s->name, addr_print(&b->at, word), b->weight, s->slots);
}

int backend_show(struct tool *t, const struct command *command)
{
	const char *name = command->has_service ? command->service.name : NULL;
	const struct endpoint *only = command->has_backend ? &command->backend.at : NULL;
	char word[ADDR_TEXT_MAX];
	struct model m = { 0 };
	size_t i;
	int code;

	code = tool_model(t, name, TOOL_BACKENDS | TOOL_COUNTS, &m);
	if (code && !m.n)
		goto out;
	if (only && !service_find(model_find(&m, name), only)) {
		tool_error("service \"%s\" has no backend %s", name, addr_print(only, word));
		code = TOOL_REFUSED;
		goto out;
	}
	out_begin(&t->out, OUT_COLUMNS);
	for (i = 0; i < m.n; i++)
		if (!name || m.services[i] == model_find(&m, name))
			show_backends(&t->out, m.services[i], only);
	code = tool_end(t, code);
	for (i = 0; i < m.n && !t->out.json; i++)
		if (!name || m.services[i] == model_find(&m, name))
			warn_slotless(m.services[i], only);
out:
	model_free(&m);
	return code;
}
