// SPDX-License-Identifier: GPL-2.0-only
/*
 * export.c - the flows that are remembered, for another gateway
 *
 * In: the module's answers and notices. Out: lines as stream.h has them, each flow as it
 * comes, so that millions need no memory here. If notices were lost, all flows follow again.
 */
#include <errno.h>
#include <linux/ringlb.h>
#include <netlink/msg.h>
#include <string.h>

#include "object.h"
#include "stream.h"
#include "wire.h"

/**
 * struct export - an export under way
 * @t: the run; its session listens, if what changes is to be told
 * @service: of this service; NULL: of all
 * @asking: a session of its own
 * @told: flows in this round
 */
struct export {
	struct tool *t;
	const char *service;
	struct session asking;
	u64 told;
};

/* A service may be called so, too: it is meant by the first of two. */
int flow_parse_export(struct cmd *c, struct command *command)
{
	struct export_options *o = &command->export;

	command->has_service = cmd_more(c) && !cmd_next_is(c, "buffer") &&
			       (!cmd_next_is(c, "follow") ||
				(c->at + 1 < c->n && !strcmp(c->word[c->at + 1], "follow")));
	if (command->has_service && cmd_name(c, command->service.name))
		return -1;
	o->follow = cmd_next_is(c, "follow");
	c->at += o->follow;
	o->buffer = EXPORT_BUFFER_DEFAULT;
	return cmd_pairs(c, export_keywords, command->g->allowed, o, &o->has);
}

static int flush(struct export *e)
{
	FILE *to = e->t->out.to;

	return fflush(to) || ferror(to) ? -EPIPE : 0;
}

static int take_flow(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];
	struct export *e = arg;
	struct remembered f;

	if (wire_get_top(h, tb) || wire_get_flow(tb[RINGLB_A_FLOW], &f))
		return -EBADMSG;
	if (f.direct || f.wide)	/* another gateway sees its packets, and needs no more; or it has no such */
		return 0;
	stream_print_flow(e->t->out.to, STREAM_IS, &f);
	e->told++;
	return 0;
}

/* Services of which packets have come by */
static int print_services(struct export *e)
{
	struct model m = { 0 };
	size_t i;
	int ret;

	ret = fetch_model(&e->asking, e->service, false, &m);
	for (i = 0; i < m.n && ret >= 0; i++)
		if (m.services[i]->counters.value[RINGLB_COUNTER_PACKETS_IN])
			stream_print_service(e->t->out.to, m.services[i]->name);
	model_free(&m);
	return ret < 0 ? ret : 0;
}

/* All flows as they are. A dump of flows is consistent by itself: there is no second try. */
static int print_all(struct export *e)
{
	struct nl_msg *msg;
	int err = print_services(e);

	if (err)
		return err;
	msg = session_message(&e->asking, RINGLB_CMD_FLOW_GET);
	if (!msg || (e->service && wire_put_name(msg, e->service)))
		err = session_fail(&e->asking, -ENOMEM, "out of memory");
	e->told = 0;
	if (!err)
		err = session_dump(&e->asking, msg, NULL, take_flow, e);
	nlmsg_free(msg);
	if (err)
		return err;
	stream_print_synced(e->t->out.to, e->told);
	return flush(e);
}

static int take_notice(const struct nlmsghdr *h, void *arg)
{
	bool is_new = wire_message_cmd(h) == RINGLB_CMD_FLOW_NEW_NOTICE;
	struct nlattr *tb[RINGLB_A_MAX + 1];
	struct export *e = arg;
	struct remembered f;

	if (!is_new && wire_message_cmd(h) != RINGLB_CMD_FLOW_DEL_NOTICE)
		return 0;	/* a newer module's */
	if (wire_get_top(h, tb) || (is_new ? wire_get_flow(tb[RINGLB_A_FLOW], &f) :
					     wire_get_client(tb[RINGLB_A_FLOW], &f)))
		return -EBADMSG;
	if (!e->service || !strcmp(e->service, f.service))
		stream_print_flow(e->t->out.to, is_new ? STREAM_NEW : STREAM_GONE, &f);
	return 0;
}

/* Those that wait are older than what is told instead. */
static int resync(struct export *e)
{
	int err;

	stream_print_lost(e->t->out.to);
	err = session_discard(&e->t->session);
	return err ? err : print_all(e);
}

static int follow(struct export *e)
{
	struct session *s = &e->t->session;
	int err = 0;

	while (!err) {
		err = session_next(s, take_notice, e);
		if (!err)
			err = flush(e);
		else if (err == -ENOBUFS)
			err = resync(e);
	}
	return err;
}

static int export_all(struct export *e, const struct export_options *o)
{
	int err = 0;

	if (o->follow)
		err = session_listen(&e->t->session, e->t->session.flows, o->buffer);
	if (!err)
		err = session_open(&e->asking, NULL);	/* netns: this process is in it */
	if (err)
		return err;
	stream_print_header(e->t->out.to);
	err = print_all(e);
	return err || !o->follow ? err : follow(e);
}

int flow_export(struct tool *t, const struct command *command)
{
	struct export e = { .t = t };
	int err;

	if (t->out.json) {
		tool_error("flow export: expected no -j or -p: it prints lines for flow import");
		return TOOL_WORDS;
	}
	if (!tool_session(t))
		return TOOL_REFUSED;
	if (command->has_service)
		e.service = command->service.name;
	err = export_all(&e, &command->export);
	if (err && e.asking.why.err)
		t->session.why = e.asking.why;
	session_close(&e.asking);
	if (!err)
		return TOOL_DONE;
	if (err != -EPIPE)
		return tool_refused(t, "flow export");
	tool_error("the output could not be written");
	return TOOL_REFUSED;
}
