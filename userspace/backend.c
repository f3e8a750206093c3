// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend.c - commands about backends: their words, and showing them
 *
 * In: words; a model. Out: commands; facts. Changes are sent by change.c.
 */
#include "object.h"

/* SERVICE ADDR[:PORT] */
static int parse_backend(struct cmd *c, struct command *command)
{
	struct backend *b = &command->backend;

	command->has_service = true;
	command->has_backend = true;
	if (cmd_name(c, command->service.name) ||
	    cmd_endpoint(c, "backend", ADDR_MAYBE_PORT, &b->at))
		return -1;
	SET(b, b->at.family == AF_INET ? RINGLB_A_BACKEND_IPV4 : RINGLB_A_BACKEND_IPV6);
	if (b->at.port)
		SET(b, RINGLB_A_BACKEND_PORT);
	return 0;
}

static int parse_pairs(struct cmd *c, struct command *command)
{
	return cmd_pairs(c, backend_keywords, command->g->allowed, &command->backend,
			 &command->backend.has);
}

int backend_parse_add(struct cmd *c, struct command *command)
{
	return parse_backend(c, command) ? -1 : parse_pairs(c, command);
}

int backend_parse_set(struct cmd *c, struct command *command)
{
	if (parse_backend(c, command))
		return -1;
	if (!cmd_more(c))
		return cmd_fail(c, "change is missing: expected weight or state");
	return parse_pairs(c, command);
}

/* The verb is the state. */
int backend_parse_state(struct cmd *c, struct command *command)
{
	if (parse_backend(c, command) || cmd_end(c))
		return -1;
	SET(&command->backend, RINGLB_A_BACKEND_STATE);
	return word_state_find(command->g->verb, &command->backend.state);
}

int backend_parse_del(struct cmd *c, struct command *command)
{
	return parse_backend(c, command) ? -1 : cmd_end(c);
}

int backend_parse_show(struct cmd *c, struct command *command)
{
	if (c->n - c->at >= 2)
		return backend_parse_del(c, command);
	return service_parse_maybe_name(c, command);
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
	if (HAS(b, RINGLB_A_BACKEND_WEIGHT))
		out_u64(o, 0, "weight", b->weight);
	if (HAS(b, RINGLB_A_BACKEND_STATE))
		out_str(o, 0, "state", word_state(b->state));
	if (HAS(b, RINGLB_A_BACKEND_SLOTS)) {
		out_u64(o, 0, "slots", b->slots);
		if (slots)
			out_percent(o, "share", b->slots, slots);
	}
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
out:
	model_free(&m);
	return code;
}
