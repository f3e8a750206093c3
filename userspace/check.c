// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - the command check: is this host set up so that the services can work?
 *
 * In: the configuration, routes, sysctls and firewall rules of the network namespace. Out:
 * findings, each with the command that mends it; TOOL_REFUSED if there are any. Nothing is
 * changed.
 */
#include "check.h"

#include <stdarg.h>
#include <stdlib.h>

#include "object.h"
#include "rules.h"

/* All that is looked at, in the order in which it is told. */
static void (*const finders[])(struct check *c) = {
	check_forwarding,
	check_rp_filter,
	check_vips,
	check_backends,
	check_tunnels,
	check_answers,
	check_cids,
	check_conntrack,
	check_snat_ports,
	check_unread,
	check_drops,
	check_notrack,
	check_masquerade,
	check_flowtable,
};

/**
 * check_say() - a text for check_found()
 * @format: as of printf()
 *
 * Return: the text, NULL if there is no memory.
 */
char *check_say(const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vasprintf(&text, format, args);
	va_end(args);
	return len < 0 ? NULL : text;
}

/**
 * check_found() - tell of a finding
 * @c: the look at the host
 * @finding: the kind of finding, one word
 * @about: service, device or sysctl
 * @text: what is wrong; given away; NULL: there was no memory for it
 * @cure: the command that mends it; given away; NULL: there was no memory for it
 */
void check_found(struct check *c, const char *finding, const char *about, char *text, char *cure)
{
	if (text && cure) {
		out_object(c->out);
		out_str(c->out, OUT_BARE, "finding", finding);
		out_str(c->out, OUT_BARE, "about", about);
		out_str(c->out, OUT_BARE, "text", text);
		out_str(c->out, OUT_BELOW, "cure", cure);
		c->found++;
	} else {
		c->failed = true;
	}
	free(text);
	free(cure);
}

/**
 * check_sysctl() - a file of /proc/sys as a number
 * @name: its path from there
 *
 * Return: the number, -1: there is none.
 */
long check_sysctl(const char *name)
{
	char path[128];
	long value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fscanf(f, "%ld", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/**
 * check_address() - an address without its ports
 * @e: the address
 * @text: out: as words have it
 *
 * Return: @text.
 */
const char *check_address(const struct endpoint *e, char text[ADDR_TEXT_MAX])
{
	struct endpoint bare = *e;

	bare.port = 0;
	bare.last = 0;
	return addr_print(&bare, text);
}

static int look(struct tool *t, struct check *c)
{
	size_t i;
	int code;

	out_begin(&t->out, OUT_LINES);
	for (i = 0; i < sizeof(finders) / sizeof(finders[0]); i++)
		finders[i](c);
	code = tool_end(t, c->found ? TOOL_REFUSED : TOOL_DONE);
	if (c->failed)
		return tool_no_memory();
	if (!code && !t->out.json)
		fprintf(t->out.to, "nothing found\n");
	return code;
}

int check_run(struct tool *t, const struct command *command)
{
	struct check c = { .out = &t->out };
	int code;

	(void)command;
	code = tool_model(t, NULL, TOOL_BACKENDS, &c.model);
	if (!code && session_open_route(&c.route)) {
		tool_error("%s", c.route.why.text);
		code = TOOL_REFUSED;
	}
	if (!code)
		c.rules = rules_read();
	if (!code)
		code = c.rules ? look(t, &c) : tool_no_memory();
	rules_free(c.rules);
	session_close(&c.route);
	model_free(&c.model);
	return code;
}
