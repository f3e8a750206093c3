// SPDX-License-Identifier: GPL-2.0-only
/*
 * flow.c - commands about flows that the module remembers
 *
 * In: words; the module's answers. Out: facts, each flow as it comes, so that millions need
 * no memory here; requests.
 */
#include <errno.h>
#include <netlink/msg.h>

#include "object.h"
#include "wire.h"

int flow_parse_set(struct cmd *c, struct command *command)
{
	struct flows *f = &command->flows;

	if (cmd_pairs(c, flow_keywords, command->g->allowed, f, &f->has))
		return -1;
	return HAS(f, RINGLB_A_FLOWS_LIMIT) ? 0 : cmd_fail(c, "change is missing: expected limit");
}

/* A request about all flows, those of a service, or those of a backend of it */
static struct nl_msg *request(struct tool *t, int cmd, const struct command *command)
{
	struct session *s = tool_session(t);
	struct nl_msg *msg;

	if (!s)
		return NULL;
	msg = session_message(s, cmd);
	if (msg && ((command->has_service && wire_put_name(msg, command->service.name)) ||
		    (command->has_backend && wire_put_backend(msg, &command->backend, NULL)))) {
		nlmsg_free(msg);
		msg = NULL;
	}
	if (!msg)
		tool_no_memory();
	return msg;
}

static int take_flow(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];
	struct out *o = arg;
	struct remembered f;

	if (wire_get_top(h, tb) || wire_get_flow(tb[RINGLB_A_FLOW], &f))
		return -EBADMSG;
	out_object(o);
	out_str(o, OUT_BARE, "service", f.service);
	out_str(o, OUT_BARE, "protocol", word_protocol(f.protocol));
	out_endpoint(o, OUT_BARE, "client", &f.client);
	out_endpoint(o, 0, "backend", &f.backend.at);
	out_str(o, 0, "state", word_flow_state(f.state));
	out_u64(o, 0, "left", f.left);
	if (f.snat.family)
		out_endpoint(o, 0, "snat", &f.snat);
	if (f.direct)
		out_bool(o, "direct", true);
	return 0;
}

int flow_show(struct tool *t, const struct command *command)
{
	struct nl_msg *msg = request(t, RINGLB_CMD_FLOW_GET, command);
	int err, code;

	if (!msg)
		return TOOL_REFUSED;
	out_begin_stream(&t->out);
	err = session_dump(&t->session, msg, NULL, take_flow, &t->out);
	nlmsg_free(msg);
	code = tool_end(t, TOOL_DONE);
	return err < 0 ? tool_refused(t, "flow show") : code;
}

int flow_flush(struct tool *t, const struct command *command)
{
	struct nl_msg *msg = request(t, RINGLB_CMD_FLOW_FLUSH, command);
	int err;

	if (!msg)
		return TOOL_REFUSED;
	err = session_ask(&t->session, msg, NULL, NULL);
	nlmsg_free(msg);
	return err ? tool_refused(t, "flow flush") : TOOL_DONE;
}

int flow_stats(struct tool *t, const struct command *command)
{
	struct flows f = { 0 };
	unsigned int i;

	(void)command;
	if (!tool_session(t))
		return TOOL_REFUSED;
	if (fetch_flows(&t->session, &f))
		return tool_refused(t, "flow stats");
	out_begin_one(&t->out, OUT_FACTS);
	out_object(&t->out);
	out_u64(&t->out, 0, "flows", f.now);
	out_u64(&t->out, 0, "limit", f.limit);
	for (i = RINGLB_A_FLOWS_ADDED; i <= RINGLB_A_FLOWS_UNPINNED; i++)
		if (HAS(&f, i))
			out_u64(&t->out, 0, word_flow_event(i), f.event[i]);
	return tool_end(t, TOOL_DONE);
}
