// SPDX-License-Identifier: GPL-2.0-only
/*
 * drain.c - let backends drain, and if wanted wait for their flows to end
 *
 * In: a command. Out: a line for each backend each time that something of it has changed,
 * at most one a second, until it has no flows any more, its time is over, or it is gone.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "object.h"

/* What was told of a backend last */
struct told {
	struct endpoint at;
	u32 flows;
	bool done;
	bool any;
};

/*
 * The kernel keeps no flow of it, or has no time left for them. One that leaves is waited for
 * until it is gone, a moment later.
 */
static bool is_drained(const struct backend *b)
{
	if (b->state == RINGLB_STATE_LEAVE)
		return false;
	return !HAS(b, RINGLB_A_BACKEND_DRAIN_LEFT) || !b->drain_left ||
	       (!b->flows && !b->unseen_left);
}

/* A line of its own. Return: an exit code. */
static int tell(struct tool *t, const char *service, const struct endpoint *at,
		const struct backend *b)
{
	struct out *o = &t->out;

	out_begin_one(o, OUT_LINES);
	out_object(o);
	if (b) {
		backend_facts(o, service, b, 0);
	} else {
		out_str(o, OUT_BARE, "service", service);
		out_endpoint(o, OUT_BARE, "backend", at);
		out_str(o, 0, "state", "gone");
	}
	return tool_end(t, TOOL_DONE);
}

/* Look at one backend. Return: an exit code. */
static int look(struct tool *t, const struct service *s, const char *name, struct told *told)
{
	const struct backend *b = s ? service_find(s, &told->at) : NULL;
	bool news = !told->any || !b || b->flows != told->flows;

	told->done = !b || is_drained(b);
	told->any = true;
	if (b)
		told->flows = b->flows;
	return news || told->done ? tell(t, name, &told->at, b) : TOOL_DONE;
}

/* Look at all that are not done. Return: an exit code; TOOL_ABOVE: some are not done. */
static int look_at_all(struct tool *t, const char *name, struct told *told, size_t n)
{
	const struct service *s;
	struct model m = { 0 };
	int code = TOOL_DONE, ret;
	size_t i;

	ret = fetch_model(&t->session, name, true, &m);
	if (ret < 0 && ret != -ENOENT)	/* gone, with its backends */
		code = tool_refused(t, "wait");
	s = model_find(&m, name);
	for (i = 0; i < n && !code; i++)
		if (!told[i].done)
			code = look(t, s, name, &told[i]);
	for (i = 0; i < n && !code; i++)
		if (!told[i].done)
			code = TOOL_ABOVE;
	model_free(&m);
	return code;
}

static int wait_for(struct tool *t, const struct command *command, struct told *told, size_t n)
{
	const struct timespec second = { .tv_sec = 1 };
	const char *name = command->service.name;
	u32 left = command->backend.wait;
	int code;

	for (;; left--) {
		code = look_at_all(t, name, told, n);
		if (code != TOOL_ABOVE)
			return code;
		if (!left)
			break;
		nanosleep(&second, NULL);
	}
	tool_error("wait: %u seconds are over, and flows are left: they keep draining",
		   command->backend.wait);
	return TOOL_REFUSED;
}

int drain_run(struct tool *t, const struct command *command)
{
	size_t n = command->n_more + 1, i;
	struct command one;
	struct told *told;
	int code;

	code = change_run(t, command);
	if (code || !HAS(&command->backend, BACKEND_WAIT))
		return code;
	told = calloc(n, sizeof(*told));
	if (!told)
		return tool_no_memory();
	for (i = 0; i < n; i++) {
		backend_nth(command, i, &one);
		told[i].at = one.backend.at;
	}
	code = wait_for(t, command, told, n);
	free(told);
	return code;
}
