// SPDX-License-Identifier: GPL-2.0-only
/*
 * history.c - the command history: the ledger of changes
 *
 * In: the module's entries. Out: a line for each change, the oldest first: what it moved, and
 * what became of flows since.
 */
#include <errno.h>
#include <netlink/msg.h>
#include <string.h>
#include <time.h>

#include "object.h"
#include "wire.h"

/* Of which service; where to */
struct telling {
	const char *service;
	struct out *o;
};

/**
 * history_facts() - all that is known of a change, into the open object
 * @o: where to
 * @e: the change
 */
void history_facts(struct out *o, const struct change_entry *e)
{
	time_t seconds = e->time;
	char when[32];
	struct tm tm;

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &tm));
	out_u64(o, OUT_BARE, "number", e->number);
	out_str(o, OUT_BARE, "time", when);
	out_str(o, OUT_BARE, "service", e->service);
	out_str(o, OUT_BARE, "change", word_event(e->event));
	out_u64(o, 0, "generation", e->generation);
	out_u64(o, 0, "slots", e->slots);
	out_u64(o, 0, "moved", e->moved);
	out_u64(o, 0, "pending", e->pending);
	if (!e->has_flows)
		return;
	out_u64(o, 0, "pinned", e->pinned);
	out_u64(o, 0, "lost", e->lost);
}

static int take_entry(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];
	const struct telling *t = arg;
	struct change_entry e;

	if (wire_get_top(h, tb) || wire_get_history(tb[RINGLB_A_HISTORY], &e))
		return -EBADMSG;
	if (t->service && strcmp(t->service, e.service))
		return 0;
	out_object(t->o);
	history_facts(t->o, &e);
	return 0;
}

int history_run(struct tool *t, const struct command *command)
{
	struct telling to = { command->has_service ? command->service.name : NULL, &t->out };
	struct session *s = tool_session(t);
	struct nl_msg *msg;
	int err, code;

	if (!s)
		return TOOL_REFUSED;
	msg = session_message(s, RINGLB_CMD_HISTORY_GET);
	if (!msg)
		return tool_no_memory();
	out_begin_stream(&t->out);
	err = session_dump(s, msg, NULL, take_entry, &to);
	nlmsg_free(msg);
	code = tool_end(t, TOOL_DONE);
	return err < 0 ? tool_refused(t, "history") : code;
}
