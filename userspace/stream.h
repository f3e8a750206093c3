/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream.h - flows as lines of text, for another gateway
 *
 *	ringlb flows 1					the format, first of all
 *	service NAME					it has flows, remembered or not
 *	is NAME PROTOCOL CLIENT BACKEND heard ... left N	a flow that is remembered
 *	synced COUNT					that was all: so many is lines
 *	new NAME PROTOCOL CLIENT BACKEND heard ... left N	it is remembered from now on, so
 *	gone NAME PROTOCOL CLIENT			it is not any more
 *	lost						notices: all there is follows again
 *
 * From one stream all of it is read line by line, in a fixed amount of memory.
 */
#ifndef _RINGLB_STREAM_H
#define _RINGLB_STREAM_H

#include <stdio.h>

#include "cmd.h"
#include "model.h"

#define STREAM_LINE_MAX 512	/* bytes of a line, with its newline */
#define STREAM_WORDS_MAX 16	/* in a line */

enum stream_what {
	STREAM_NOTHING,		/* the header, an empty line, a comment */
	STREAM_SERVICE,
	STREAM_IS,
	STREAM_SYNCED,
	STREAM_NEW,
	STREAM_GONE,
	STREAM_LOST,
};

/**
 * struct stream - what is known of a stream that is read
 * @line: number of the last line
 * @has_header: the header was there
 * @synced: all flows were there that there were
 * @told: is lines since the beginning, or since some were lost
 * @words: of the last line
 */
struct stream {
	unsigned int line;
	bool has_header;
	bool synced;
	u64 told;
	char *words[STREAM_WORDS_MAX];
};

/**
 * struct stream_reader - lines of a file, as they come
 * @fd: the file
 * @at: where the next line begins
 * @n: where what was read ends
 * @ended: there is no more to be read
 */
struct stream_reader {
	int fd;
	size_t at;
	size_t n;
	bool ended;
	char buf[64 * 1024];
};

void stream_print_header(FILE *to);
void stream_print_service(FILE *to, const char *service);
void stream_print_flow(FILE *to, enum stream_what what, const struct remembered *f);
void stream_print_synced(FILE *to, u64 told);
void stream_print_lost(FILE *to);

int stream_line(struct stream *s, char *line, size_t len, struct cmd *c, enum stream_what *what,
		struct remembered *f);
int stream_read(struct stream_reader *r, char **line, size_t *len);
bool stream_is_idle(struct stream_reader *r);

#endif /* _RINGLB_STREAM_H */
