// SPDX-License-Identifier: GPL-2.0-only
/*
 * ringlb.c - the tool: options, then one command or a file of them, then the exit code
 *
 * In: argv. Out: what the command prints, and 0 done, 1 wrong words, 2 refused, 3 a
 * plan above its limit.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "help.h"
#include "object.h"

/* What the options said */
struct choices {
	const char *batch;
	bool version;
	bool help;
};

/* getopt's own list of letters: stop at the first word, errors are ours */
static void option_letters(char *to)
{
	const struct option_word *w;

	*to++ = '+';
	*to++ = ':';
	for (w = options; w->letter; w++) {
		*to++ = w->letter;
		if (w->argument)
			*to++ = ':';
	}
	*to = '\0';
}

static int bad_option(int letter, const char *expected)
{
	tool_error("option \"-%c\": expected %s", letter >= ' ' && letter < 0x7f ? letter : '?',
		   expected);
	return TOOL_WORDS;
}

static int bad_letter(int letter)
{
	char expected[64] = "one of";
	const struct option_word *w;
	size_t len = strlen(expected);

	for (w = options; w->letter; w++)
		len += snprintf(expected + len, sizeof(expected) - len, " -%c", w->letter);
	return bad_option(letter, expected);
}

static int set_once(const char **to, int letter)
{
	if (*to)
		return bad_option(letter, "only once");
	if (!*optarg)
		return bad_option(letter, "a word that is not empty");
	*to = optarg;
	return TOOL_DONE;
}

static int parse_option(struct tool *t, struct choices *c, int letter)
{
	switch (letter) {
	case 'p':
		t->out.pretty = true;
		/* fall through */
	case 'j':
		t->out.json = true;
		return TOOL_DONE;
	case 's':
		t->out.stats = true;
		return TOOL_DONE;
	case 'n':
		return set_once(&t->netns, letter);
	case 'b':
		return set_once(&c->batch, letter);
	case 'f':
		return set_once(&t->file, letter);
	case 'V':
		c->version = true;
		return TOOL_DONE;
	case 'h':
		c->help = true;
		return TOOL_DONE;
	case ':':
		return bad_option(optopt, "an argument after it");
	}
	return bad_letter(optopt);
}

static int parse_options(struct tool *t, struct choices *c, int argc, char **argv)
{
	char letters[64];
	int letter, code;

	option_letters(letters);
	while ((letter = getopt(argc, argv, letters)) != -1) {
		code = parse_option(t, c, letter);
		if (code)
			return code;
	}
	return TOOL_DONE;
}

/* Do what the words after the options say. */
static int run_words(struct tool *t, struct cmd *words)
{
	char title[GRAMMAR_TITLE_MAX];
	struct command command;
	int code;

	if (grammar_parse(words, &command)) {
		tool_error("%s", words->error);
		return TOOL_WORDS;
	}
	if (t->file && !(command.g->flags & G_OFFLINE)) {
		tool_error("option \"-f\": expected lookup, plan, apply, simulate, table, save or show, not %s",
			   grammar_title(command.g, title));
		return TOOL_WORDS;
	}
	code = command.g->run(t, &command);
	explicit_bzero(&command, sizeof(command));
	return code;
}

static int run(struct tool *t, const struct choices *c, struct cmd *words)
{
	static char *help[] = { "help" };

	if (c->version) {
		fprintf(t->out.to, "ringlb %s\n", TOOL_VERSION);
		return fflush(t->out.to) ? TOOL_REFUSED : TOOL_DONE;
	}
	if (c->help) {
		words->word = help;
		words->n = 1;
	}
	if (!c->batch)
		return run_words(t, words);
	if (t->file)
		return bad_option('f', "no -b beside it");
	if (cmd_end(words)) {
		tool_error("%s after -b FILE", words->error);
		return TOOL_WORDS;
	}
	return batch_run(t, c->batch);
}

int main(int argc, char **argv)
{
	struct tool t = { .out.to = stdout };
	struct choices choices = { 0 };
	struct cmd words = { 0 };
	int code;

	code = parse_options(&t, &choices, argc, argv);
	if (!code) {
		words.word = argv + optind;
		words.n = argc - optind;
		code = run(&t, &choices, &words);
	}
	if (t.connected)
		session_close(&t.session);
	exit(code);
}
