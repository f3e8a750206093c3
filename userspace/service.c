// SPDX-License-Identifier: GPL-2.0-only
/*
 * service.c - commands about services: their words, and showing them
 *
 * In: words; a model. Out: commands; facts. Changes are sent by change.c.
 */
#include <stdlib.h>

#include "object.h"

/* A method that the words name has the parameters that they name. */
static int check_stray(struct cmd *c, const struct service *s)
{
	const char *stray = word_stray(s->method, s->has);

	if (!stray)
		return 0;
	return cmd_fail(c, "%s is no parameter of method %s", stray, word_method(s->method));
}

int service_parse_add(struct cmd *c, struct command *command)
{
	struct service *s = &command->service;

	if (cmd_name(c, s->name) || cmd_protocol(c, &s->protocol) ||
	    cmd_endpoint(c, "address", service_is_any(s) ? ADDR_OF_ANY : ADDR_OF_SERVICE, &s->vip))
		return -1;
	SET(s, RINGLB_A_SERVICE_PROTOCOL);
	SET(s, s->vip.family == AF_INET ? RINGLB_A_SERVICE_IPV4 : RINGLB_A_SERVICE_IPV6);
	SET(s, RINGLB_A_SERVICE_PORT);
	if (s->vip.last)
		SET(s, RINGLB_A_SERVICE_PORT_LAST);
	if (s->vip.prefix)
		SET(s, RINGLB_A_SERVICE_PREFIX);
	if (s->vip.mask)
		s->has |= BIT(RINGLB_A_SERVICE_MARK) | BIT(RINGLB_A_SERVICE_MARK_MASK);
	if (cmd_pairs(c, service_keywords, command->g->allowed, s, &s->has))
		return -1;
	if (!HAS(s, RINGLB_A_SERVICE_METHOD))
		s->method = RINGLB_METHOD_RENDEZVOUS;
	SET(s, RINGLB_A_SERVICE_METHOD);
	return check_stray(c, s);
}

int service_parse_set(struct cmd *c, struct command *command)
{
	struct service *s = &command->service;

	if (!command->has_service && cmd_name(c, s->name))
		return -1;
	if (cmd_pairs(c, service_keywords, command->g->allowed, s, &s->has))
		return -1;
	if (!(s->has & ~BIT(RINGLB_A_SERVICE_IF_GENERATION)))
		return cmd_fail(c, "change is missing: expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain or none");
	return HAS(s, RINGLB_A_SERVICE_METHOD) ? check_stray(c, s) : 0;
}

/* Does a command say which slots are whose? */
bool service_sets_map(const struct command *command)
{
	return command->g->cmd == RINGLB_CMD_SERVICE_SET && HAS(&command->service, SERVICE_MAP);
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

static void slack_fact(struct out *o, const struct service *s)
{
	if (!HAS(s, RINGLB_A_SERVICE_SLACK) ||
	    word_stray(s->method, BIT(RINGLB_A_SERVICE_SLACK)))
		return;
	if (s->slack == RINGLB_SLACK_NONE)
		out_str(o, 0, "slack", "none");
	else
		out_tenths(o, "slack", s->slack);
}

/* By what packets find their slot, or their backend */
void service_key_facts(struct out *o, const struct service *s)
{
	out_str(o, 0, "key", word_key(s->key));
	if (HAS(s, RINGLB_A_SERVICE_CID_CONFIG))
		out_u64(o, 0, "cid_config", s->cid_config);
	if (HAS(s, RINGLB_A_SERVICE_SID_LENGTH))
		out_u64(o, 0, "sid_length", s->sid_length);
}

/* What becomes of flows when backends change. */
static void flow_facts(struct out *o, const struct service *s)
{
	if (HAS(s, RINGLB_A_SERVICE_TRACK))
		out_str(o, 0, "track", word_track(s->track));
	if (HAS(s, RINGLB_A_SERVICE_TIMEOUT))
		out_u64(o, 0, "timeout", s->timeout);
	if (HAS(s, RINGLB_A_SERVICE_DRAIN_TIMEOUT))
		out_u64(o, 0, "drain_timeout", s->drain_timeout);
	if (HAS(s, RINGLB_A_SERVICE_LAST_RESORT))
		out_str(o, 0, "last_resort", word_switch(s->last_resort));
	if (HAS(s, RINGLB_A_SERVICE_UDP_DRAIN))
		out_str(o, 0, "udp_drain", word_udp_drain(s->udp_drain));
	if (HAS(s, RINGLB_A_SERVICE_TRANSITIONS) && (s->transitions || o->json))
		out_u64(o, 0, "transitions", s->transitions);
	if (HAS(s, RINGLB_A_SERVICE_TRANSITIONS_LEFT))
		out_u64(o, 0, "transitions_left", s->transitions_left);
}

/* Whether the gateway stands in the client's place */
static void snat_facts(struct out *o, const struct service *s)
{
	char ports[sizeof("65535-65535")];

	if (!s->snat)
		return;
	out_str(o, 0, "snat", word_switch(s->snat));
	if (s->snat_at.family)
		out_endpoint(o, 0, "snat_address", &s->snat_at);
	else
		out_str(o, 0, "snat_address", "route");
	snprintf(ports, sizeof(ports), "%u-%u", s->snat_ports >> 16, s->snat_ports & 0xffff);
	out_str(o, 0, "snat_ports", ports);
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
		service_key_facts(o, s);
	if (HAS(s, RINGLB_A_SERVICE_SLOTS))
		out_u64(o, 0, "slots", s->slots);
	slack_fact(o, s);
	if (HAS(s, RINGLB_A_SERVICE_VNODES) &&
	    !word_stray(s->method, BIT(RINGLB_A_SERVICE_VNODES)))
		out_u64(o, 0, "vnodes", s->vnodes);
	if (HAS(s, RINGLB_A_SERVICE_SEATS))
		out_u64(o, 0, "seats", s->n_seats);
	if (HAS(s, RINGLB_A_SERVICE_SETTLE))
		out_tenths(o, "settle", s->settle);
	flow_facts(o, s);
	if (HAS(s, RINGLB_A_SERVICE_NONE))
		out_str(o, 0, "none", word_none(s->none));
	if (HAS(s, RINGLB_A_SERVICE_MODE))
		out_str(o, 0, "mode", word_mode(s->mode));
	if (HAS(s, RINGLB_A_SERVICE_TUNNEL))
		out_str(o, 0, "tunnel", word_tunnel(s->tunnel));
	if (HAS(s, RINGLB_A_SERVICE_TUNNEL_PORT))
		out_u64(o, 0, "tunnel_port", s->tunnel_port);
	snat_facts(o, s);
	if (s->force)
		out_str(o, 0, "force", word_switch(s->force));
	if (HAS(s, RINGLB_A_SERVICE_GENERATION))
		out_u64(o, 0, "generation", s->generation);
	if (HAS(s, RINGLB_A_SERVICE_DIGEST))
		out_hex(o, "digest", s->digest);
	if (HAS(s, RINGLB_A_SERVICE_CANONICAL))
		out_hex(o, "canonical_digest", s->canonical);
	if (HAS(s, RINGLB_A_SERVICE_PENDING) && (s->pending || o->json))
		out_u64(o, 0, "pending", s->pending);
	if (HAS(s, RINGLB_A_SERVICE_BACKENDS))
		out_u64(o, 0, "backends", s->n_backends);
	if (HAS(s, RINGLB_A_SERVICE_COUNTERS))
		out_counters(o, &s->counters);
}

/* Those whose weight earns no slot: nobody would look for them among the others. */
static void slotless_fact(struct out *o, const struct service *s)
{
	struct endpoint *list = calloc(s->n + 1, sizeof(*list));
	const struct backend *b;
	size_t n = 0;

	for (b = s->backends; list && b < s->backends + s->n; b++)
		if (HAS(b, RINGLB_A_BACKEND_SLOTS) && b->weight && !b->slots)
			list[n++] = b->at;
	if (list)
		out_endpoints(o, OUT_BELOW, "slotless", list, n);
	else
		o->failed = true;
	free(list);
}

int service_show(struct tool *t, const struct command *command)
{
	const char *name = command->has_service ? command->service.name : NULL;
	struct model m = { 0 };
	int code;
	size_t i;

	code = tool_model(t, name, TOOL_BACKENDS | TOOL_COUNTS, &m);
	if (!code || m.n) {
		out_begin(&t->out, OUT_LINES);
		for (i = 0; i < m.n; i++) {
			if (name && m.services[i] != model_find(&m, name))
				continue;
			out_object(&t->out);
			service_facts(&t->out, m.services[i]);
			slotless_fact(&t->out, m.services[i]);
		}
		code = tool_end(t, code);
	}
	model_free(&m);
	return code;
}
