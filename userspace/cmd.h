/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd.h - walking through the words of a command
 */
#ifndef _RINGLB_CMD_H
#define _RINGLB_CMD_H

#include <linux/ringlb.h>

#include "addr.h"
#include "words.h"

/**
 * struct cmd - words, and how far they are read
 * @word: the words
 * @n: how many
 * @at: the next one
 * @ends: words that end what is being read, up to a NULL; NULL: none do
 * @error: after a failure: one sentence, without end or newline
 */
struct cmd {
	char **word;
	int n;
	int at;
	const char *const *ends;
	char error[512];
};

int cmd_split(char *line, char **words, int max);

/* All of these return 0, or -1 with the error set, unless they say otherwise. */
int cmd_fail(struct cmd *c, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int cmd_bad(struct cmd *c, const char *what, const char *word, const char *expected);
bool cmd_more(const struct cmd *c);	/* is a word left? */
bool cmd_next_is(const struct cmd *c, const char *word);	/* is it this one? */
const char *cmd_next(struct cmd *c, const char *what, const char *expected);
int cmd_end(struct cmd *c);		/* no word may be left */

/* The next word as a service's name, a protocol, an endpoint */
int cmd_name(struct cmd *c, char name[RINGLB_NAME_MAX + 1]);
int cmd_protocol(struct cmd *c, u32 *protocol);
int cmd_packet_protocol(struct cmd *c, u32 *protocol);
int cmd_endpoint(struct cmd *c, const char *what, enum addr_form form, struct endpoint *e);
int cmd_pairs(struct cmd *c, const struct keyword *keywords, u64 allowed, void *object, u64 *has);

#endif /* _RINGLB_CMD_H */
