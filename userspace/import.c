// SPDX-License-Identifier: GPL-2.0-only
/*
 * import.c - flows that another gateway remembers
 *
 * In: lines as stream.h has them, from a file or as they come. Out: requests, each with the
 * flows that were there at once, so that none waits for the next. A line that is not
 * understood ends it; a flow that the module refuses is told with its line, and left out.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ringlb.h>
#include <netlink/msg.h>
#include <string.h>
#include <unistd.h>

#include "object.h"
#include "stream.h"
#include "wire.h"

#define BATCH_MAX 256		/* flows in one message */
#define REFUSALS_MAX 10		/* that are told; the others are counted */

/**
 * struct import - an import under way
 * @t: the run
 * @file: its name, for errors
 * @replace: whatever is remembered here
 * @stream: what was read so far
 * @gone: those of the batch are to be forgotten
 * @n: flows of the batch
 * @flow: these
 * @line: where they were
 * @taken: what became of those before
 * @full: flows that found no room
 * @forgotten: asked to be
 * @refused: by the module
 */
struct import {
	struct tool *t;
	const char *file;
	bool replace;
	struct stream stream;
	bool gone;
	size_t n;
	struct remembered flow[BATCH_MAX];
	unsigned int line[BATCH_MAX];
	u64 taken, kept, full, forgotten, refused;
};

int flow_parse_import(struct cmd *c, struct command *command)
{
	command->from = "-";
	if (cmd_more(c) && !cmd_next_is(c, "replace"))
		command->from = c->word[c->at++];
	if (!*command->from)
		return cmd_bad(c, "file", "", "expected a word that is not empty");
	command->replace = cmd_next_is(c, "replace");
	c->at += command->replace;
	return cmd_end(c);
}

static int take_counts(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];

	return wire_get_top(h, tb) ? -EBADMSG : wire_get_taken(tb[RINGLB_A_FLOWS], arg);
}

/* The batch in one message. @at_fault: out: after a refusal: which of them, @n if not known */
static int send_message(struct import *m, size_t *at_fault)
{
	struct session *s = &m->t->session;
	struct wire_span span[BATCH_MAX];
	struct taken taken = { 0 };
	struct nl_msg *msg;
	int err = 0;
	size_t i;

	*at_fault = m->n;
	msg = session_message(s, m->gone ? RINGLB_CMD_FLOW_DEL : RINGLB_CMD_FLOW_NEW);
	for (i = 0; msg && i < m->n && !err; i++)
		err = wire_put_flow(msg, &m->flow[i], &span[i]);
	if (!msg || err)
		err = session_fail(s, -ENOMEM, "out of memory");
	else
		err = session_ask(s, msg, m->gone ? NULL : take_counts, &taken);
	for (i = 0; i < m->n && err && s->why.has_offset; i++)
		if (s->why.offset >= span[i].start && s->why.offset < span[i].end)
			*at_fault = i;
	nlmsg_free(msg);
	if (err)
		return err;
	m->taken += taken.taken;
	m->kept += taken.kept;
	if (m->gone)
		m->forgotten += m->n;
	else
		m->full += m->n - taken.taken - taken.kept;
	return 0;
}

/* The module will not have this one: it is told, and the others go without it. */
static void leave_out(struct import *m, size_t i)
{
	const struct remembered *f = &m->flow[i];
	char client[ADDR_TEXT_MAX];

	if (m->refused++ < REFUSALS_MAX)
		tool_error("%s:%u: flow of %s from %s: %s", m->file, m->line[i], f->service,
			   addr_print(&f->client, client), m->t->session.why.text);
	m->n--;
	memmove(&m->flow[i], &m->flow[i + 1], (m->n - i) * sizeof(m->flow[0]));
	memmove(&m->line[i], &m->line[i + 1], (m->n - i) * sizeof(m->line[0]));
}

/* All flows that wait to be sent. Return: 0, or -errno that no other flow would mend */
static int send_batch(struct import *m)
{
	size_t at_fault;
	int err = 0;

	while (m->n) {
		err = send_message(m, &at_fault);
		if (!err || at_fault == m->n)
			break;
		leave_out(m, at_fault);
		err = 0;
	}
	m->n = 0;
	return err;
}

static int add(struct import *m, enum stream_what what, const struct remembered *f)
{
	bool gone = what == STREAM_GONE;
	int err = 0;

	if (m->n == BATCH_MAX || m->gone != gone)
		err = send_batch(m);
	m->gone = gone;
	m->flow[m->n] = *f;
	m->flow[m->n].replace |= m->replace;
	m->line[m->n++] = m->stream.line;
	return err;
}

/* It has flows elsewhere. One that is not there has none here. */
static int say_service(struct import *m, const char *service)
{
	struct session *s = &m->t->session;
	struct nl_msg *msg = session_message(s, RINGLB_CMD_FLOW_NEW);
	int err;

	if (!msg || wire_put_name(msg, service))
		err = session_fail(s, -ENOMEM, "out of memory");
	else
		err = session_ask(s, msg, NULL, NULL);
	nlmsg_free(msg);
	if (err != -ENOENT)
		return err;
	m->refused++;
	tool_error("%s:%u: service \"%s\": %s", m->file, m->stream.line, service, s->why.text);
	return 0;
}

static int take_line(struct import *m, enum stream_what what, const struct remembered *f)
{
	switch (what) {
	case STREAM_IS:
	case STREAM_NEW:
	case STREAM_GONE:
		return add(m, what, f);
	case STREAM_SERVICE:
		return say_service(m, f->service);
	default:
		return 0;
	}
}

/* What was wrong with the line; those before it are taken. */
static int bad_line(struct import *m, const char *why)
{
	int err = send_batch(m);

	tool_error("%s:%u: %s; flows taken before: %llu", m->file, m->stream.line, why,
		   (unsigned long long)m->taken);
	return err ? tool_refused(m->t, "flow import") : TOOL_WORDS;
}

static int bad_read(struct import *m, int err)
{
	m->stream.line++;
	if (err == -E2BIG)
		return bad_line(m, "line is too long: expected at most 511 bytes");
	if (err == -EPIPE)
		return bad_line(m, "line has no end: the stream was cut off");
	return bad_line(m, strerror(-err));
}

/* Line by line, to the end. An exit code, after its message. */
static int import_lines(struct import *m, struct stream_reader *r)
{
	enum stream_what what;
	struct remembered f;
	struct cmd c;
	size_t len;
	char *line;
	int ret, err = 0;

	while (!err && (ret = stream_read(r, &line, &len)) > 0) {
		if (stream_line(&m->stream, line, len, &c, &what, &f))
			return bad_line(m, c.error);
		err = take_line(m, what, &f);
		if (!err && stream_is_idle(r))
			err = send_batch(m);
	}
	if (!err && ret < 0)
		return bad_read(m, ret);
	if (!err)
		err = send_batch(m);
	if (err)
		return tool_refused(m->t, "flow import");
	if (m->stream.synced)
		return TOOL_DONE;
	tool_error("%s: expected synced COUNT in the end: the stream was cut off", m->file);
	return TOOL_REFUSED;
}

static int print_counts(struct import *m, int code)
{
	struct out *o = &m->t->out;

	if (m->refused > REFUSALS_MAX)
		tool_error("%s: and %llu more were refused", m->file,
			   (unsigned long long)m->refused - REFUSALS_MAX);
	if (m->full)
		tool_error("%s: %llu flows found the flow table full: see flow set limit", m->file,
			   (unsigned long long)m->full);
	out_begin_one(o, OUT_FACTS);
	out_object(o);
	out_u64(o, 0, "taken", m->taken);
	out_u64(o, 0, "kept", m->kept);
	out_u64(o, 0, "full", m->full);
	out_u64(o, 0, "forgotten", m->forgotten);
	out_u64(o, 0, "refused", m->refused);
	return tool_end(m->t, !code && (m->refused || m->full) ? TOOL_REFUSED : code);
}

int flow_import(struct tool *t, const struct command *command)
{
	bool is_stdin = !strcmp(command->from, "-");
	struct stream_reader *r = calloc(1, sizeof(*r));
	struct import *m = calloc(1, sizeof(*m));
	int code = TOOL_REFUSED;

	if (!r || !m) {
		code = tool_no_memory();
		goto out;
	}
	*m = (struct import){ .t = t, .file = is_stdin ? "stdin" : command->from,
			      .replace = command->replace };
	r->fd = is_stdin ? STDIN_FILENO : open(command->from, O_RDONLY | O_CLOEXEC);
	if (r->fd < 0)
		tool_error("%s: %s", command->from, strerror(errno));
	else if (tool_session(t))
		code = print_counts(m, import_lines(m, r));
	if (r->fd > 0)
		close(r->fd);
out:
	free(m);
	free(r);
	return code;
}
