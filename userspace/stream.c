// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream.c - flows as lines of text, for another gateway
 *
 * In: flows; lines that come from who knows where. Out: lines; flows, or one sentence about
 * what is wrong with a line. Nothing is kept from one line to the next but counts.
 */
#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

static const char header[] = "ringlb flows 1";

static const struct {
	const char *word;
	enum stream_what what;
} kinds[] = {
	{ "service", STREAM_SERVICE },
	{ "is", STREAM_IS },
	{ "synced", STREAM_SYNCED },
	{ "new", STREAM_NEW },
	{ "gone", STREAM_GONE },
	{ "lost", STREAM_LOST },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const char *word_of(enum stream_what what)
{
	size_t i;

	for (i = 0; i < N_KINDS && kinds[i].what != what; i++)
		;
	return kinds[i].word;
}

void stream_print_header(FILE *to)
{
	fprintf(to, "%s\n", header);
}

void stream_print_service(FILE *to, const char *service)
{
	fprintf(to, "%s %s\n", word_of(STREAM_SERVICE), service);
}

/**
 * stream_print_flow() - a line about a flow
 * @to: where it goes
 * @what: STREAM_IS, STREAM_NEW or STREAM_GONE
 * @f: the flow
 */
void stream_print_flow(FILE *to, enum stream_what what, const struct remembered *f)
{
	char client[ADDR_TEXT_MAX], backend[ADDR_TEXT_MAX], heard[WORD_HEARD_MAX];

	fprintf(to, "%s %s %s %s", word_of(what), f->service, word_protocol(f->protocol),
		addr_print(&f->client, client));
	if (what != STREAM_GONE)
		fprintf(to, " %s heard %s", addr_print(&f->backend.at, backend),
			word_heard(f->heard, heard));
	if (what != STREAM_GONE && HAS(f, RINGLB_A_FLOW_SEQ))
		fprintf(to, " seq %u ack %u", f->seq, f->ack);
	if (what != STREAM_GONE)
		fprintf(to, " left %u", f->left);
	fputc('\n', to);
}

void stream_print_synced(FILE *to, u64 told)
{
	fprintf(to, "%s %llu\n", word_of(STREAM_SYNCED), (unsigned long long)told);
}

void stream_print_lost(FILE *to)
{
	fprintf(to, "%s\n", word_of(STREAM_LOST));
}

static int parse_flow(struct cmd *c, enum stream_what what, struct remembered *f)
{
	const u64 all = BIT(RINGLB_A_FLOW_HEARD) | BIT(RINGLB_A_FLOW_SEQ) |
			BIT(RINGLB_A_FLOW_ACK) | BIT(RINGLB_A_FLOW_LEFT);

	if (cmd_name(c, f->service) || cmd_packet_protocol(c, &f->protocol) ||
	    cmd_endpoint(c, "client", ADDR_MAYBE_PORT, &f->client))
		return -1;
	if (what == STREAM_GONE)
		return cmd_end(c);
	if (cmd_endpoint(c, "backend", ADDR_MAYBE_PORT, &f->backend.at) ||
	    cmd_pairs(c, remembered_keywords, all, f, &f->has))
		return -1;
	if (!HAS(f, RINGLB_A_FLOW_HEARD) || !HAS(f, RINGLB_A_FLOW_LEFT))
		return cmd_fail(c, "heard or left is missing");
	if (HAS(f, RINGLB_A_FLOW_SEQ) != HAS(f, RINGLB_A_FLOW_ACK))
		return cmd_fail(c, "seq and ack: expected both or neither");
	f->replace = what == STREAM_NEW;
	return 0;
}

/* So many were told: is that so? */
static int parse_synced(struct stream *s, struct cmd *c)
{
	const char *word = cmd_next(c, "number of flows", "how many is lines there were");
	u64 told;

	if (!word)
		return -1;
	if (addr_number(word, UINT64_MAX / 16, &told) || told != s->told)
		return cmd_bad(c, "number of flows", word,
			       "expected how many is lines there were: some are missing");
	s->synced = true;
	return cmd_end(c);
}

static int parse_kind(struct stream *s, struct cmd *c, enum stream_what *what,
		      struct remembered *f)
{
	const char *word = cmd_next(c, "line", "what it tells");
	size_t i;

	for (i = 0; i < N_KINDS && strcmp(kinds[i].word, word); i++)
		;
	if (i == N_KINDS)
		return cmd_bad(c, NULL, word, "expected service, is, synced, new, gone or lost");
	*what = kinds[i].what;
	switch (*what) {
	case STREAM_SERVICE:
		return cmd_name(c, f->service) || cmd_end(c) ? -1 : 0;
	case STREAM_SYNCED:
		return parse_synced(s, c);
	case STREAM_LOST:
		s->told = 0;
		s->synced = false;
		return cmd_end(c);
	case STREAM_IS:
		s->told++;
		/* fall through */
	default:
		return parse_flow(c, *what, f);
	}
}

/* Cut a line into words, in place. -1 if there are too many. */
static int split(char *line, char *words[STREAM_WORDS_MAX])
{
	char *word, *rest;
	int n = 0;

	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (n == STREAM_WORDS_MAX)
			return -1;
		words[n++] = word;
	}
	return n;
}

/**
 * stream_line() - what a line tells
 * @s: the stream
 * @line: the line, without its newline but with a NUL; it is cut into words
 * @len: of it
 * @c: after a failure: what is wrong
 * @what: out: what it tells
 * @f: out: a flow, or the name of a service
 *
 * Return: 0 or -1.
 */
int stream_line(struct stream *s, char *line, size_t len, struct cmd *c, enum stream_what *what,
		struct remembered *f)
{
	s->line++;
	memset(f, 0, sizeof(*f));
	*what = STREAM_NOTHING;
	*c = (struct cmd){ .word = s->words };
	if (strlen(line) != len)
		return cmd_fail(c, "expected text, found a NUL byte");
	if (!s->has_header) {
		if (strcmp(line, header))
			return cmd_bad(c, "header", line, "expected \"ringlb flows 1\"");
		s->has_header = true;
		return 0;
	}
	c->n = split(line, s->words);
	if (c->n < 0)
		return cmd_fail(c, "expected at most %d words", STREAM_WORDS_MAX);
	return c->n ? parse_kind(s, c, what, f) : 0;
}

/* Where the next line ends, in what was read; NULL: not there */
static char *end_of_line(const struct stream_reader *r)
{
	return memchr(r->buf + r->at, '\n', r->n - r->at);
}

static int read_more(struct stream_reader *r)
{
	ssize_t n;

	memmove(r->buf, r->buf + r->at, r->n - r->at);
	r->n -= r->at;
	r->at = 0;
	do {
		n = read(r->fd, r->buf + r->n, sizeof(r->buf) - 1 - r->n);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	r->n += n;
	r->ended = !n;
	return 0;
}

/**
 * stream_read() - the next line, when it is there
 * @r: the file
 * @line: out: the line, without its newline but with a NUL; until the next call
 * @len: out: its length
 *
 * Return: 1; 0 at the end; -E2BIG: a line is longer than STREAM_LINE_MAX; -EPIPE: the last one
 *	has no end; another -errno.
 */
int stream_read(struct stream_reader *r, char **line, size_t *len)
{
	char *end;
	int err;

	while (!(end = end_of_line(r))) {
		if (r->n - r->at >= STREAM_LINE_MAX)
			return -E2BIG;
		if (r->ended)
			return r->n > r->at ? -EPIPE : 0;
		err = read_more(r);
		if (err)
			return err;
	}
	*line = r->buf + r->at;
	*len = end - *line;
	if (*len >= STREAM_LINE_MAX)
		return -E2BIG;
	*end = '\0';
	r->at += *len + 1;
	return 1;
}

/* Would stream_read() have to wait? */
bool stream_is_idle(struct stream_reader *r)
{
	struct pollfd p = { .fd = r->fd, .events = POLLIN };

	return !end_of_line(r) && !r->ended && !poll(&p, 1, 0);
}
