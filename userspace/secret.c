// SPDX-License-Identifier: GPL-2.0-only
/*
 * secret.c - commands about the hash key
 *
 * In: words, standard input. Out: a command with the key; the key and its fingerprint.
 * Copies of the key are wiped after use.
 */
#include <string.h>
#include <sys/random.h>

#include "change.h"
#include "object.h"

#define EXPECT_HEX "expected 32 hex digits, random or -"

int secret_parse_set(struct cmd *c, struct command *command)
{
	const char *word = cmd_next(c, "secret", "32 hex digits, random or -");

	if (!word)
		return -1;
	if (!strcmp(word, "-")) {
		command->secret_from = SECRET_STDIN;
	} else if (!strcmp(word, "random")) {
		command->secret_from = SECRET_RANDOM;
		if (getrandom(command->secret, RINGLB_SECRET_LEN, 0) != RINGLB_SECRET_LEN)
			return cmd_fail(c, "no random numbers from the system");
	} else if (word_secret(word, command->secret)) {
		/* Not quoted: it may be a key with one digit too many. */
		return cmd_fail(c, "secret of %zu characters: " EXPECT_HEX, strlen(word));
	}
	return cmd_pairs(c, secret_keywords, command->g->allowed, &command->force,
			 &command->force.has);
}

/* One word of 32 hex digits from standard input. An exit code, after its message. */
static int read_key(u8 key[RINGLB_SECRET_LEN])
{
	char line[128] = "", *word, *rest;
	int code = TOOL_DONE;

	if (!fgets(line, sizeof(line), stdin))
		*line = '\0';
	word = strtok_r(line, " \t\r\n", &rest);
	if (!word || strtok_r(NULL, " \t\r\n", &rest) || word_secret(word, key)) {
		tool_error("standard input: expected one line of 32 hex digits");
		code = TOOL_WORDS;
	}
	explicit_bzero(line, sizeof(line));
	return code;
}

int secret_set(struct tool *t, const struct command *command)
{
	struct command copy = *command;
	int code = TOOL_DONE;

	if (copy.secret_from == SECRET_STDIN)
		code = read_key(copy.secret);
	if (!code)
		code = change_run(t, &copy);
	explicit_bzero(&copy, sizeof(copy));
	return code;
}

int secret_show(struct tool *t, const struct command *command)
{
	char hex[2 * RINGLB_SECRET_LEN + 1];
	struct model m = { 0 };
	struct session *s;
	size_t i;
	int code;

	(void)command;
	s = tool_session(t);
	if (!s)
		return TOOL_REFUSED;
	if (fetch_secret(s, &m))
		return tool_refused(t, "secret show");
	for (i = 0; i < RINGLB_SECRET_LEN; i++)
		sprintf(hex + 2 * i, "%02x", m.secret[i]);
	out_begin(&t->out, OUT_LINES);
	out_object(&t->out);
	out_str(&t->out, 0, "secret", hex);
	out_hex(&t->out, "fingerprint", m.fingerprint);
	code = tool_end(t, TOOL_DONE);
	explicit_bzero(hex, sizeof(hex));
	model_free(&m);
	return code;
}
