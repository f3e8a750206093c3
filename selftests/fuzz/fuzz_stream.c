// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_stream.c - the reader of flows that another gateway remembers
 *
 * In: any bytes as a stream. Whatever they are: each line is taken, or refused with one
 * printable sentence; a flow that was taken is the same when it is printed and read again.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "stream.h"

static void check_error(const struct cmd *c)
{
	const char *p;

	promise(*c->error);
	for (p = c->error; *p; p++)
		promise(*p >= ' ' && *p <= '~');
}

static void check_flow(enum stream_what what, const struct remembered *f)
{
	struct stream s = { .has_header = true };
	char line[STREAM_LINE_MAX + 1] = "";
	struct remembered again;
	enum stream_what same;
	struct cmd c;
	FILE *to = fmemopen(line, sizeof(line), "w");

	promise(to);
	stream_print_flow(to, what, f);
	promise(!fclose(to));
	promise(*line && line[strlen(line) - 1] == '\n');
	line[strlen(line) - 1] = '\0';
	promise(!stream_line(&s, line, strlen(line), &c, &same, &again));
	promise(same == what && !memcmp(&again, f, sizeof(again)));
}

static void read_all(struct stream_reader *r)
{
	struct stream s = { 0 };
	enum stream_what what;
	struct remembered f;
	struct cmd c;
	size_t len;
	char *line;

	while (stream_read(r, &line, &len) > 0) {
		promise(len < STREAM_LINE_MAX);
		if (stream_line(&s, line, len, &c, &what, &f)) {
			check_error(&c);
			return;
		}
		promise(s.line && s.has_header);
		if (what == STREAM_IS || what == STREAM_NEW || what == STREAM_GONE)
			check_flow(what, &f);
	}
}

void fuzz_stream(const uint8_t *data, size_t size)
{
	struct stream_reader *r = calloc(1, sizeof(*r));

	promise(r);
	r->fd = memfd_create("stream", 0);
	promise(r->fd >= 0 && write(r->fd, data, size) == (ssize_t)size);
	promise(!lseek(r->fd, 0, SEEK_SET));
	read_all(r);
	close(r->fd);
	free(r);
}
