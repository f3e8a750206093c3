// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmd.c - walking through the words of a command: the next one, a name, a number, pairs
 *
 * In: words. Out: values, or -1 and one sentence that quotes the word at fault and says what
 * was expected. Nothing here prints or exits.
 */
#include "cmd.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model.h"

#define BLANKS " \t\r\n\v\f"
#define QUOTE_MAX 200	/* bytes of a word that an error shows, with its quotes */

/**
 * cmd_split() - cut a line into words, in place; # begins a comment
 * @line: the line
 * @words: out: the words
 * @max: how many there may be
 *
 * Return: how many, -1 if there are too many.
 */
int cmd_split(char *line, char **words, int max)
{
	char *word, *rest;
	int n = 0;

	for (word = strtok_r(line, BLANKS, &rest); word && *word != '#';
	     word = strtok_r(NULL, BLANKS, &rest)) {
		if (n == max)
			return -1;
		words[n++] = word;
	}
	return n;
}

/**
 * cmd_fail() - say what is wrong
 * @c: the command; its error is replaced
 * @format: as printf()
 *
 * Return: -1.
 */
int cmd_fail(struct cmd *c, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->error, sizeof(c->error), format, args);
	va_end(args);
	return -1;
}

/* A word in double quotes. What could upset a terminal or end the quote early is shown as
 * \xNN; a long word is cut.
 */
static void quote(char to[QUOTE_MAX], const char *word)
{
	char *end = to + QUOTE_MAX - sizeof("\\xNN...\"");

	*to++ = '"';
	for (; *word && to < end; word++) {
		unsigned char c = *word;

		if (c >= ' ' && c < 0x7f && c != '"' && c != '\\')
			*to++ = c;
		else
			to += sprintf(to, "\\x%02x", c);
	}
	strcpy(to, *word ? "...\"" : "\"");
}

/**
 * cmd_bad() - say that a word is not what was expected
 * @c: the command
 * @what: what the word was to be; NULL: nothing in particular
 * @word: the word
 * @expected: the rest of the sentence
 *
 * Return: -1.
 */
int cmd_bad(struct cmd *c, const char *what, const char *word, const char *expected)
{
	char quoted[QUOTE_MAX];

	quote(quoted, word);
	if (!what)
		return cmd_fail(c, "%s: %s", quoted, expected);
	return cmd_fail(c, "%s %s: %s", what, quoted, expected);
}

bool cmd_more(const struct cmd *c)
{
	const char *const *end;

	if (c->at >= c->n)
		return false;
	for (end = c->ends; end && *end; end++)
		if (!strcmp(c->word[c->at], *end))
			return false;
	return true;
}

bool cmd_next_is(const struct cmd *c, const char *word)
{
	return cmd_more(c) && !strcmp(c->word[c->at], word);
}

/**
 * cmd_next() - take the next word
 * @c: the command
 * @what: what it is to be, for the error when there is none
 * @expected: likewise
 *
 * Return: the word, or NULL.
 */
const char *cmd_next(struct cmd *c, const char *what, const char *expected)
{
	if (!cmd_more(c)) {
		cmd_fail(c, "%s is missing: expected %s", what, expected);
		return NULL;
	}
	return c->word[c->at++];
}

int cmd_end(struct cmd *c)
{
	if (!cmd_more(c))
		return 0;
	return cmd_bad(c, NULL, c->word[c->at], "expected nothing more");
}

int cmd_name(struct cmd *c, char name[RINGLB_NAME_MAX + 1])
{
	const char *word = cmd_next(c, "service", NAME_EXPECTS);

	if (!word)
		return -1;
	if (!word_is_name(word))
		return cmd_bad(c, "service", word, "expected " NAME_EXPECTS);
	strcpy(name, word);
	return 0;
}

#define PROTOCOL_EXPECTS "tcp, udp, sctp or any"
#define PACKET_PROTOCOL_EXPECTS \
	"tcp, udp, sctp or the number of a protocol, 1 to 255, but not ICMP's (1 and 58)"

int cmd_protocol(struct cmd *c, u32 *protocol)
{
	const char *word = cmd_next(c, "protocol", PROTOCOL_EXPECTS);

	if (!word)
		return -1;
	if (word_protocol_find(word, protocol))
		return cmd_bad(c, "protocol", word, "expected " PROTOCOL_EXPECTS);
	return 0;
}

/* Of a packet: there are more than services name */
int cmd_packet_protocol(struct cmd *c, u32 *protocol)
{
	const char *word = cmd_next(c, "protocol", PACKET_PROTOCOL_EXPECTS);

	if (!word)
		return -1;
	if (word_packet_protocol_find(word, protocol))
		return cmd_bad(c, "protocol", word, "expected " PACKET_PROTOCOL_EXPECTS);
	return 0;
}

/* What an endpoint looks like, for those who have left it out */
static const char *form_of(enum addr_form form)
{
	switch (form) {
	case ADDR_MAYBE_PORT:
		return "ADDR or ADDR:PORT";
	case ADDR_OF_ANY:
	case ADDR_ALONE:
		return "ADDR";
	default:
		return "ADDR:PORT";
	}
}

int cmd_endpoint(struct cmd *c, const char *what, enum addr_form form, struct endpoint *e)
{
	const char *word = cmd_next(c, what, form_of(form));
	const char *bad;

	if (!word)
		return -1;
	bad = addr_parse(word, form, e);
	return bad ? cmd_bad(c, what, word, bad) : 0;
}

/* "a", "a or b", "a, b or c" */
static void list_allowed(char *to, size_t size, const struct keyword *keywords, u64 allowed)
{
	const struct keyword *k;
	unsigned int left = 0;
	size_t len = 0;

	for (k = keywords; k->word; k++)
		left += allowed >> k->attr & 1;
	if (!left)
		snprintf(to, size, "nothing more");
	else
		*to = '\0';
	for (k = keywords; k->word && len < size; k++) {
		if (!(allowed >> k->attr & 1))
			continue;
		left--;
		len += snprintf(to + len, size - len, "%s%s", k->word,
				!left ? "" : left == 1 ? " or " : ", ");
	}
}

static const struct keyword *find_keyword(const struct keyword *k, u64 allowed, const char *word)
{
	for (; k->word; k++)
		if (allowed >> k->attr & 1 && !strcmp(k->word, word))
			return k;
	return NULL;
}

/**
 * cmd_pairs() - take all the rest as KEYWORD VALUE pairs, in any order, none twice
 * @c: the command
 * @keywords: the object's keywords
 * @allowed: mask of the attributes that may be given
 * @object: where values go
 * @has: in and out: mask of the attributes given
 *
 * Return: 0 or -1.
 */
int cmd_pairs(struct cmd *c, const struct keyword *keywords, u64 allowed, void *object, u64 *has)
{
	const struct keyword *k;
	const char *value;
	char text[256];

	while (cmd_more(c)) {
		const char *word = c->word[c->at++];

		k = find_keyword(keywords, allowed, word);
		if (!k) {
			size_t len = sprintf(text, "expected ");

			list_allowed(text + len, sizeof(text) - len, keywords, allowed);
			return cmd_bad(c, NULL, word, text);
		}
		if (*has >> k->attr & 1)
			return cmd_bad(c, NULL, word, "expected only once");
		snprintf(text, sizeof(text), "value of %s", k->word);
		value = cmd_next(c, text, k->expects);
		if (!value)
			return -1;
		if (k->parse(value, object)) {
			if (word_why(k, object))
				return cmd_fail(c, "%s", word_why(k, object));
			snprintf(text, sizeof(text), "expected %s", k->expects);
			return cmd_bad(c, k->word, value, text);
		}
		*has |= BIT(k->attr);
	}
	return 0;
}
