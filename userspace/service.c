// SPDX-License-Identifier: GPL-2.0-only
/*
 * service.c - commands about services: their words, and showing them
 *
 * In: words; a model. Out: commands; facts. Changes are sent by change.c.
 */
#include "object.h"

int service_parse_add(struct cmd *c, struct command *command)
{
	struct service *s = &command->service;

	if (cmd_name(c, s->name) || cmd_protocol(c, &s->protocol) ||
	    cmd_endpoint(c, "address", ADDR_WITH_PORT, &s->vip))
		return -1;
	SET(s, RINGLB_A_SERVICE_PROTOCOL);
	SET(s, s->vip.family == AF_INET ? RINGLB_A_SERVICE_IPV4 : RINGLB_A_SERVICE_IPV6);
	SET(s, RINGLB_A_SERVICE_PORT);
	if (cmd_pairs(c, service_keywords, command->g->allowed, s, &s->has))
		return -1;
	if (!HAS(s, RINGLB_A_SERVICE_METHOD))
		return cmd_fail(c, "method is missing: expected method ring");
	return 0;
}

int service_parse_set(struct cmd *c, struct command *command)
{
	struct service *s = &command->service;

	if (cmd_name(c, s->name))
		return -1;
	if (!cmd_more(c))
		return cmd_fail(c, "change is missing: expected key or vnodes");
	return cmd_pairs(c, service_keywords, command->g->allowed, s, &s->has);
}

int service_parse_name(struct cmd *c, struct command *command)
{
	command->has_service = true;
	if (cmd_name(c, command->service.name))
		return -1;
	return cmd_end(c);
}

int service_parse_maybe_name(struct cmd *c, struct command *command)
{
	return cmd_more(c) ? service_parse_name(c, command) : 0;
}

/**
 * service_facts() - all that is known of a service, into the open object
 * @o: where to
 * @s: the service
 */
void service_facts(struct out *o, const struct service *s)
{
	out_str(o, OUT_BARE, "service", s->name);
	if (HAS(s, RINGLB_A_SERVICE_PROTOCOL))
		out_str(o, OUT_BARE, "protocol", word_protocol(s->protocol));
	if (HAS(s, RINGLB_A_SERVICE_PORT))
		out_endpoint(o, OUT_BARE, "vip", &s->vip);
	if (HAS(s, RINGLB_A_SERVICE_METHOD))
		out_str(o, 0, "method", word_method(s->method));
	if (HAS(s, RINGLB_A_SERVICE_KEY))
		out_str(o, 0, "key", word_key(s->key));
	if (HAS(s, RINGLB_A_SERVICE_VNODES))
		out_u64(o, 0, "vnodes", s->vnodes);
	if (HAS(s, RINGLB_A_SERVICE_SLOTS))
		out_u64(o, 0, "slots", s->slots);
	if (HAS(s, RINGLB_A_SERVICE_GENERATION))
		out_u64(o, 0, "generation", s->generation);
	if (HAS(s, RINGLB_A_SERVICE_DIGEST))
		out_hex(o, "digest", s->digest);
	if (HAS(s, RINGLB_A_SERVICE_BACKENDS))
		out_u64(o, 0, "backends", s->n_backends);
	if (HAS(s, RINGLB_A_SERVICE_COUNTERS))
		out_counters(o, &s->counters);
}

int service_show(struct tool *t, const struct command *command)
{
	const char *name = command->has_service ? command->service.name : NULL;
	struct model m = { 0 };
	int code;
	size_t i;

	code = tool_model(t, name, TOOL_COUNTS, &m);
	if (!code || m.n) {
		out_begin(&t->out, OUT_LINES);
		for (i = 0; i < m.n; i++) {
			if (name && m.services[i] != model_find(&m, name))
				continue;
			out_object(&t->out);
			service_facts(&t->out, m.services[i]);
		}
		code = tool_end(t, code);
	}
	model_free(&m);
	return code;
}
