// SPDX-License-Identifier: GPL-2.0-only
/*
 * apply.c - make the configuration what a file says, by changing what differs and nothing else
 *
 * In: a file of commands, as save prints them. Out: the commands that are missing, each printed
 * and, unless they are to be shown only, sent: those of a service together, as one change.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "change.h"
#include "differ.h"
#include "object.h"
#include "offline.h"
#include "save.h"

int apply_parse(struct cmd *c, struct command *command)
{
	command->from = cmd_next(c, "file", "a file of commands, - is standard input");
	if (!command->from)
		return -1;
	command->dry = cmd_next_is(c, "dry");
	c->at += command->dry;
	return cmd_end(c);
}

/* Devices with the fast path: those that lose it, then those that get it */
static void differ_devs(FILE *to, const struct devs *is, const struct devs *wanted)
{
	size_t i;

	for (i = 0; i < is->n; i++)
		if (!devs_find(wanted, is->dev[i].name))
			fprintf(to, "dev del %s\n", is->dev[i].name);
	for (i = 0; i < wanted->n; i++)
		if (!devs_find(is, wanted->dev[i].name))
			fprintf(to, "dev add %s\n", wanted->dev[i].name);
}

/* All commands that are missing. An exit code, after its message. */
static int differ_all(struct tool *t, FILE *to, const struct model *wanted)
{
	struct model is = { 0 };
	int code = save_model(t, &is);

	if (!code && wanted->has_secret && !t->file && fetch_secret(&t->session, &is))
		code = tool_refused(t, "apply");
	if (!code && wanted->has_secret &&
	    (!is.has_secret || memcmp(is.secret, wanted->secret, sizeof(is.secret))))
		save_secret(to, wanted->secret);
	if (!code && wanted->flow_limit && wanted->flow_limit != is.flow_limit)
		fprintf(to, "flow set limit %u\n", wanted->flow_limit);
	if (!code && differ_print(to, &is, wanted))
		code = tool_no_memory();
	if (!code)
		differ_devs(to, &is.devs, &wanted->devs);
	model_free(&is);
	return code;
}

/* Commands that make one change: of one service that is there before and after it */
static size_t group(const struct batch *b, size_t first)
{
	const struct command *c = &b->commands[first];
	size_t n = 1;

	if (c->cmd == RINGLB_CMD_SERVICE_NEW || c->cmd == RINGLB_CMD_SERVICE_DEL ||
	    c->cmd == RINGLB_CMD_SECRET_SET || c->cmd == RINGLB_CMD_FLOW_SET ||
	    c->cmd == RINGLB_CMD_DEV_NEW || c->cmd == RINGLB_CMD_DEV_DEL)
		return 1;
	while (first + n < b->n && (c[n].has_backend || c[n].cmd == RINGLB_CMD_SERVICE_SET) &&
	       !strcmp(c[n].service.name, c->service.name))
		n++;
	return n;
}

/* A line of the commands, without its end; the key is not shown. */
static void show(struct out *o, const struct command *c, char **line)
{
	char *end = strchr(*line, '\n');

	*end = '\0';
	out_object(o);
	out_str(o, OUT_BARE, "command", c->cmd == RINGLB_CMD_SECRET_SET ? "secret set -" : *line);
	*line = end + 1;
}

/* Line @n of @text, for a message; the text is of no use after that. */
static const char *nth_line(char *text, size_t n, const struct command *c)
{
	if (c->cmd == RINGLB_CMD_SECRET_SET)
		return "secret set";
	for (; n; n--)
		text = strchr(text, '\n') + 1;
	*strchrnul(text, '\n') = '\0';
	return text;
}

/* Send them, unless they are to be shown only, and print what was done. An exit code. */
static int run(struct tool *t, const struct batch *b, char *text, bool dry)
{
	size_t i, j, n, at_fault;
	int code = TOOL_DONE;
	char *line = text;

	out_begin(&t->out, OUT_LINES);
	for (i = 0; i < b->n && !code; i += n) {
		n = group(b, i);
		if (!dry && change_send(&t->session, &b->commands[i], n, &at_fault)) {
			at_fault = at_fault < n ? at_fault : 0;
			tool_error("apply: %s: %s",
				   nth_line(line, at_fault, &b->commands[i + at_fault]),
				   t->session.why.text);
			code = TOOL_REFUSED;
		}
		for (j = 0; j < n && !code; j++)
			show(&t->out, &b->commands[i + j], &line);
	}
	return tool_end(t, code);
}

/* The text is our own, so it parses; a line names one backend, so it is one command. */
static int parse_and_run(struct tool *t, char *text, size_t size, bool dry)
{
	struct batch b = { .file = "apply" };
	FILE *from = size ? fmemopen(text, size, "r") : NULL;
	char error[768] = "out of memory";
	int code;

	if (size && (!from || batch_parse(&b, from, error, sizeof(error)))) {
		tool_error("apply: %s", error);
		code = TOOL_REFUSED;
	} else {
		code = run(t, &b, text, dry);
	}
	if (from)
		fclose(from);
	batch_free(&b);
	return code;
}

int apply_run(struct tool *t, const struct command *command)
{
	struct model wanted = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *to;
	int code;

	to = open_memstream(&text, &size);
	if (!to)
		return tool_no_memory();
	code = offline_load(command->from, &wanted);
	if (!code)
		code = differ_all(t, to, &wanted);
	if (fclose(to) && !code)
		code = tool_no_memory();
	if (!code)
		code = parse_and_run(t, text, size, command->dry || t->file);
	if (text)
		explicit_bzero(text, size);
	free(text);
	model_free(&wanted);
	return code;
}
