// SPDX-License-Identifier: GPL-2.0-only
/*
 * batch.c - files of commands: parsed whole, then sent
 *
 * In: lines of words as after "ringlb", # begins a comment. Out: commands, or the line that
 * is wrong; then changes in the kernel, or the line that was refused and what was applied.
 */
#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"
#include "object.h"

#define LINE_WORDS_MAX 64

static struct command *new_command(struct batch *b)
{
	struct command *array;
	size_t room;

	if (b->n == b->room) {
		room = b->room ? 2 * b->room : 64;
		array = reallocarray(b->commands, room, sizeof(*array));
		if (!array)
			return NULL;
		b->commands = array;
		b->room = room;
	}
	return &b->commands[b->n];
}

/* A line that names several backends is as many commands. */
static int add_commands(struct batch *b, const struct command *line)
{
	struct command *command;
	size_t i;

	for (i = 0; i <= line->n_more; i++) {
		command = new_command(b);
		if (!command)
			return -1;
		backend_nth(line, i, command);
		b->n++;
	}
	return 0;
}

static int parse_command(struct batch *b, struct cmd *c, unsigned int number,
			 struct command *command)
{
	char title[GRAMMAR_TITLE_MAX];

	if (grammar_parse(c, command))
		return -1;
	if (!(command->g->flags & G_CHANGES))
		return cmd_bad(c, NULL, grammar_title(command->g, title),
			       "expected in a file only commands that change something");
	if (command->cmd == RINGLB_CMD_SECRET_SET && command->secret_from == SECRET_STDIN)
		return cmd_bad(c, "secret", "-", "expected in a file 32 hex digits or random");
	if (command->has_backend && HAS(&command->backend, BACKEND_WAIT))
		return cmd_bad(c, NULL, "wait", "expected in a file no waiting");
	command->line = number;
	return add_commands(b, command) ? cmd_fail(c, "out of memory") : 0;
}

static int parse_line(struct batch *b, char *line, unsigned int number, struct cmd *c)
{
	struct command command;
	char *words[LINE_WORDS_MAX];
	int err;

	*c = (struct cmd){ .word = words, .n = cmd_split(line, words, LINE_WORDS_MAX) };
	if (!c->n)
		return 0;
	if (c->n < 0)
		return cmd_fail(c, "expected at most %d words", LINE_WORDS_MAX);
	err = parse_command(b, c, number, &command);
	explicit_bzero(&command, sizeof(command));
	return err;
}

/**
 * batch_parse() - parse a stream of commands
 * @b: out: the batch, with its file's name given
 * @from: the stream
 * @error: out: FILE:LINE and what is wrong
 * @size: of @error
 *
 * Return: 0, or -1 with @b undefined, but to be freed.
 */
int batch_parse(struct batch *b, FILE *from, char *error, size_t size)
{
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	struct cmd c;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&line, &room, from)) >= 0) {
		number++;
		if (strlen(line) != (size_t)len)
			err = cmd_fail(&c, "expected text, found a NUL byte");
		else
			err = parse_line(b, line, number, &c);
		explicit_bzero(line, len);	/* it may be the secret */
	}
	free(line);
	if (err) {
		snprintf(error, size, "%s:%u: %s", b->file, number, c.error);
	} else if (ferror(from)) {
		snprintf(error, size, "%s: could not be read", b->file);
		err = -1;
	}
	return err;
}

/**
 * batch_open() - parse a file
 * @b: out: the batch, to be freed in any case
 * @file: its name; "-": standard input
 *
 * Return: an exit code, after its message.
 */
int batch_open(struct batch *b, const char *file)
{
	bool is_stdin = !strcmp(file, "-");
	char error[768];
	FILE *from;
	int err;

	*b = (struct batch){ .file = is_stdin ? "stdin" : file };
	from = is_stdin ? stdin : fopen(file, "re");
	if (!from) {
		tool_error("%s: %s", file, strerror(errno));
		return TOOL_REFUSED;
	}
	err = batch_parse(b, from, error, sizeof(error));
	if (!is_stdin)
		fclose(from);
	if (!err)
		return TOOL_DONE;
	tool_error("%s", error);
	return TOOL_WORDS;
}

void batch_free(struct batch *b)
{
	if (b->commands)
		explicit_bzero(b->commands, b->room * sizeof(*b->commands));
	free(b->commands);
	b->commands = NULL;
	b->n = 0;
	b->room = 0;
}

/* About backends of a service, or about which slots are whose */
static bool can_join(const struct command *c)
{
	return c->has_backend || service_sets_map(c);
}

/**
 * batch_group() - how many commands are one change
 * @b: the batch
 * @first: the first of them
 *
 * Commands about backends of one service that follow each other are one change with one new
 * table, and so are maps among them. One that expects a generation begins another.
 *
 * Return: 1 or more.
 */
size_t batch_group(const struct batch *b, size_t first)
{
	const struct command *c = &b->commands[first];
	size_t n = 1;

	while (can_join(c) && first + n < b->n && can_join(&c[n]) &&
	       (!HAS(&c[n].service, RINGLB_A_SERVICE_IF_GENERATION) ||
		c[n].line == c[n - 1].line) &&
	       !strcmp(c[n].service.name, c->service.name))
		n++;
	return n;
}

/* @first to @first + @n: what was refused; @at_fault: which of them, @n if not known */
static int refused(const struct batch *b, size_t first, size_t n, size_t at_fault,
		   const char *why)
{
	const struct command *c = &b->commands[first];
	const struct command *bad = at_fault < n ? &c[at_fault] : c;
	char title[BACKEND_TITLE_MAX], lines[64] = "";

	if (c->line != c[n - 1].line)
		snprintf(lines, sizeof(lines), ", lines %u to %u are one change", c->line,
			 c[n - 1].line);
	tool_error("%s:%u: %s: %s; commands applied before: %zu%s", b->file, bad->line,
		   backend_title(bad, title), why, first, lines);
	return TOOL_REFUSED;
}

/**
 * batch_run() - apply a file of commands
 * @t: the run
 * @file: its name; "-": standard input
 *
 * Return: an exit code, after its message.
 */
int batch_run(struct tool *t, const char *file)
{
	size_t i, n, at_fault;
	struct session *s;
	struct batch b;
	int code;

	code = batch_open(&b, file);
	if (code)
		goto out;
	s = tool_session(t);
	if (!s) {
		code = TOOL_REFUSED;
		goto out;
	}
	for (i = 0; i < b.n; i += n) {
		n = batch_group(&b, i);
		if (change_send(s, &b.commands[i], n, &at_fault)) {
			code = refused(&b, i, n, at_fault, s->why.text);
			break;
		}
	}
out:
	batch_free(&b);
	return code;
}
