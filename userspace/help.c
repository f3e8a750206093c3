// SPDX-License-Identifier: GPL-2.0-only
/*
 * help.c - the command help: what the parser's tables say, for people and for tests
 *
 * In: the tables of options and commands. Out: usage lines.
 */
#include "help.h"

#include <string.h>

#include "object.h"

const struct option_word options[] = {
	{ 'j', NULL, "print JSON" },
	{ 'p', NULL, "print JSON, indented" },
	{ 's', NULL, "print counters too" },
	{ 'n', "NETNS", "work in a network namespace: a name below /run/netns, or a path" },
	{ 'b', "FILE", "apply the commands in a file, - is standard input" },
	{ 'f', "FILE", "answer from the commands in a file instead of the kernel" },
	{ 'V', NULL, "print the version of this tool" },
	{ 'h', NULL, "print this" },
	{ 0, NULL, NULL },
};

int help_parse(struct cmd *c, struct command *command)
{
	char list[192], expected[224];

	if (!cmd_more(c))
		return 0;
	command->topic = cmd_next(c, NULL, NULL);
	if (!grammar_has_object(command->topic)) {
		snprintf(expected, sizeof(expected), "expected %s",
			 grammar_objects(list, sizeof(list)));
		return cmd_bad(c, NULL, command->topic, expected);
	}
	return cmd_end(c);
}

static void print_keywords(struct out *o, const struct grammar *g)
{
	const struct keyword *k;

	out_array(o, "keywords");
	for (k = g->keywords; k && k->word; k++)
		if (g->allowed >> k->attr & 1)
			out_array_str(o, k->word);
}

static void print_command(struct out *o, const struct grammar *g)
{
	char usage[GRAMMAR_USAGE_MAX];

	out_object(o);
	out_str(o, OUT_BARE, "usage", grammar_usage(g, usage));
	if (o->json) {
		out_str(o, 0, "object", g->object);
		if (g->verb)
			out_str(o, 0, "command", g->verb);
		print_keywords(o, g);
		out_str(o, 0, "does", g->does);
	}
}

static void print_options(FILE *to)
{
	const struct option_word *w;

	fputs("usage: ringlb [OPTIONS] COMMAND\n       ringlb [OPTIONS] -b FILE\n\noptions:\n", to);
	for (w = options; w->letter; w++)
		fprintf(to, "  -%c %-6s %s\n", w->letter, w->argument ? w->argument : "", w->does);
	fputs("\ncommands:\n", to);
}

int help_run(struct tool *t, const struct command *command)
{
	char usage[GRAMMAR_USAGE_MAX];
	size_t i;

	if (!t->out.json && !command->topic)
		print_options(t->out.to);
	out_begin(&t->out, OUT_LINES);
	for (i = 0; i < grammar_size; i++) {
		if (command->topic && strcmp(command->topic, grammar[i].object))
			continue;
		if (t->out.json)
			print_command(&t->out, &grammar[i]);
		else
			fprintf(t->out.to, "  %s\n      %s\n",
				grammar_usage(&grammar[i], usage), grammar[i].does);
	}
	return tool_end(t, TOOL_DONE);
}
