// SPDX-License-Identifier: GPL-2.0-only
/*
 * tool.c - what commands have in common: the session, errors, the end
 *
 * In: what came of a command. Out: its exit code, and one line on stderr if it is not 0.
 */
#include "tool.h"

#include <stdarg.h>
#include <string.h>

#include "offline.h"

void tool_error(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("ringlb: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int tool_no_memory(void)
{
	tool_error("out of memory");
	return TOOL_REFUSED;
}

/**
 * tool_session() - the session, connected when first asked for
 * @t: the run
 *
 * Return: the session, or NULL after an error message.
 */
struct session *tool_session(struct tool *t)
{
	if (t->connected)
		return &t->session;
	if (session_open(&t->session, t->netns)) {
		tool_error("%s", t->session.why.text);
		session_close(&t->session);
		return NULL;
	}
	t->connected = true;
	return &t->session;
}

/**
 * tool_refused() - say why the session's last request was refused
 * @t: the run
 * @doing: what was tried
 *
 * Return: the exit code.
 */
int tool_refused(struct tool *t, const char *doing)
{
	tool_error("%s: %s", doing, t->session.why.text);
	return TOOL_REFUSED;
}

/* Say that what is printed may not be what was there at any one time. */
int tool_inconsistent(void)
{
	tool_error("the configuration changed during each of %u attempts to read it; what is shown may not fit together",
		   SESSION_DUMP_TRIES);
	return TOOL_REFUSED;
}

/**
 * tool_end() - print the open list
 * @t: the run
 * @code: the exit code so far
 *
 * Return: @code, or another one if the output could not be written.
 */
int tool_end(struct tool *t, int code)
{
	if (!out_end(&t->out))
		return code;
	tool_error("the output could not be written");
	return TOOL_REFUSED;
}

/**
 * tool_model() - get the configuration from where -f says, else from the kernel
 * @t: the run
 * @service: one service; NULL: all
 * @what: TOOL_BACKENDS, TOOL_COUNTS
 * @m: out: the model, empty before; to be freed in any case
 *
 * Return: an exit code, after its message; TOOL_REFUSED with an @m that has services: it is
 *	inconsistent, and can be shown so.
 */
int tool_model(struct tool *t, const char *service, unsigned int what, struct model *m)
{
	struct session *s;
	int ret;

	if (t->file) {
		ret = offline_load(t->file, m);
		if (!ret && service && !model_find(m, service)) {
			tool_error("%s: service \"%s\": no such service", t->file, service);
			return TOOL_REFUSED;
		}
		if (!ret && what & TOOL_COUNTS && offline_count(m, service))
			ret = tool_no_memory();
		return ret;
	}
	s = tool_session(t);
	if (!s)
		return TOOL_REFUSED;
	ret = fetch_model(s, service, what & TOOL_BACKENDS, m);
	if (ret < 0) {
		model_flush(m);
		if (service)
			tool_error("service \"%s\": %s", service, s->why.text);
		else
			tool_error("%s", s->why.text);
		return TOOL_REFUSED;
	}
	return ret ? tool_inconsistent() : TOOL_DONE;
}
