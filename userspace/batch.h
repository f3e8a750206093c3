/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * batch.h - files of commands
 */
#ifndef _RINGLB_BATCH_H
#define _RINGLB_BATCH_H

#include <stdio.h>

#include "grammar.h"

/**
 * struct batch - a file of commands, parsed
 * @file: its name, for messages
 * @commands: in order; owned
 */
struct batch {
	const char *file;
	struct command *commands;
	size_t n;
	size_t room;
};

int batch_parse(struct batch *b, FILE *from, char *error, size_t size);
int batch_open(struct batch *b, const char *file);
void batch_free(struct batch *b);
size_t batch_group(const struct batch *b, size_t first);
int batch_run(struct tool *t, const char *file);

#endif /* _RINGLB_BATCH_H */
