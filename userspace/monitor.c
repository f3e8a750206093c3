// SPDX-License-Identifier: GPL-2.0-only
/*
 * monitor.c - a line for each change, as it happens
 *
 * In: notices. Out: an event a line (or a JSON object a line), flushed at once. If notices
 * were lost, the state as it is now follows, so that a reader is right again after it.
 */
#include <errno.h>
#include <netlink/attr.h>

#include "object.h"
#include "wire.h"

static const struct {
	int cmd;
	const char *object;
	const char *event;
} events[] = {
	{ RINGLB_CMD_SERVICE_NEW_NOTICE, "service", "add" },
	{ RINGLB_CMD_SERVICE_SET_NOTICE, "service", "set" },
	{ RINGLB_CMD_SERVICE_DEL_NOTICE, "service", "del" },
	{ RINGLB_CMD_BACKEND_NEW_NOTICE, "backend", "add" },
	{ RINGLB_CMD_BACKEND_SET_NOTICE, "backend", "set" },
	{ RINGLB_CMD_BACKEND_DEL_NOTICE, "backend", "del" },
	{ RINGLB_CMD_SECRET_SET_NOTICE, "secret", "set" },
	{ RINGLB_CMD_DEV_NEW_NOTICE, "dev", "add" },
	{ RINGLB_CMD_DEV_DEL_NOTICE, "dev", "del" },
};

static void begin(struct out *o, const char *object, const char *event)
{
	out_begin_one(o, OUT_LINES);
	out_object(o);
	out_str(o, OUT_BARE, "object", object);
	out_str(o, OUT_BARE, "event", event);
}

static int end(struct out *o)
{
	return out_end(o) ? -EPIPE : 0;
}

static int print_service(struct out *o, const char *event, const struct service *s)
{
	begin(o, "service", event);
	service_facts(o, s);
	return end(o);
}

static int print_backend(struct out *o, const char *event, const char *service,
			 const struct backend *b)
{
	begin(o, "backend", event);
	backend_facts(o, service, b, 0);
	return end(o);
}

static int take_secret(struct out *o, const char *event, const struct nlattr *nest)
{
	struct nlattr *in[RINGLB_A_SECRET_MAX + 1], *a;
	u64 fingerprint;

	if (!nest || nla_parse_nested(in, RINGLB_A_SECRET_MAX, (struct nlattr *)nest, NULL))
		return -EBADMSG;
	a = in[RINGLB_A_SECRET_FINGERPRINT];
	if (!a || nla_len(a) != sizeof(fingerprint))
		return -EBADMSG;
	memcpy(&fingerprint, nla_data(a), sizeof(fingerprint));
	begin(o, "secret", event);
	out_hex(o, "fingerprint", fingerprint);
	return end(o);
}

static int print_dev(struct out *o, const char *event, const struct dev *d)
{
	begin(o, "dev", event);
	dev_facts(o, d);
	return end(o);
}

static int take_dev(struct out *o, const char *event, const struct nlattr *nest)
{
	struct dev d;

	return wire_get_dev(nest, &d) ? -EBADMSG : print_dev(o, event, &d);
}

static int take_event(struct out *o, size_t i, struct nlattr *const *tb)
{
	struct service s;
	struct backend b;
	int err;

	if (*events[i].object == 's' && events[i].cmd == RINGLB_CMD_SECRET_SET_NOTICE)
		return take_secret(o, events[i].event, tb[RINGLB_A_SECRET]);
	if (*events[i].object == 'd')
		return take_dev(o, events[i].event, tb[RINGLB_A_DEV]);
	err = wire_get_service(tb[RINGLB_A_SERVICE], &s);
	if (err)
		return err;
	if (!tb[RINGLB_A_BACKEND])
		return print_service(o, events[i].event, &s);
	err = wire_get_backend(tb[RINGLB_A_BACKEND], &b);
	return err ? err : print_backend(o, events[i].event, s.name, &b);
}

static int take_entry(struct out *o, const struct nlattr *nest)
{
	struct change_entry e;

	if (wire_get_history(nest, &e))
		return -EBADMSG;
	begin(o, "history", "add");
	history_facts(o, &e);
	return end(o);
}

static int take_notice(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];
	int cmd = wire_message_cmd(h);
	size_t i;

	if (wire_get_top(h, tb))
		return -EBADMSG;
	if (cmd == RINGLB_CMD_HISTORY_NOTICE)
		return take_entry(arg, tb[RINGLB_A_HISTORY]);
	for (i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (events[i].cmd == cmd)
			return take_event(arg, i, tb);
	return 0;	/* a newer module's */
}

/* Print all there is now. 0; 1: it changed meanwhile; -errno */
static int print_state(struct tool *t, struct session *asking)
{
	struct model m = { 0 };
	size_t i, j;
	int ret, err = 0;

	ret = fetch_model(asking, NULL, true, &m);
	for (i = 0; i < m.n && ret >= 0 && !err; i++) {
		const struct service *s = m.services[i];

		err = print_service(&t->out, "is", s);
		for (j = 0; j < s->n && !err; j++)
			err = print_backend(&t->out, "is", s->name, &s->backends[j]);
	}
	if (!ret && !err)
		ret = fetch_devs(asking, &m.devs);
	for (i = 0; i < m.devs.n && ret >= 0 && !err; i++)
		err = print_dev(&t->out, "is", &m.devs.dev[i]);
	model_free(&m);
	return err ? err : ret;
}

/* Notices were lost: those that wait are older than the state that is printed instead. */
static int resync(struct tool *t)
{
	struct session asking;
	int ret;

	do {
		begin(&t->out, "monitor", "lost");
		ret = end(&t->out);
		if (!ret)
			ret = session_discard(&t->session);
		if (ret)
			return ret;
		ret = session_open(&asking, NULL);	/* netns: this process is in it */
		if (!ret)
			ret = print_state(t, &asking);
		if (ret < 0)
			t->session.why = asking.why;
		session_close(&asking);
	} while (ret > 0);
	if (ret)
		return ret;
	begin(&t->out, "monitor", "synced");
	return end(&t->out);
}

int monitor_run(struct tool *t, const struct command *command)
{
	struct session *s = tool_session(t);
	int err;

	(void)command;
	if (!s)
		return TOOL_REFUSED;
	if (session_listen(s, s->notices, 0))
		return tool_refused(t, "monitor");
	begin(&t->out, "monitor", "listening");
	err = end(&t->out);
	while (!err) {
		err = session_next(s, take_notice, &t->out);
		if (err == -ENOBUFS)
			err = resync(t);
	}
	if (err == -EPIPE) {
		tool_error("the output could not be written");
		return TOOL_REFUSED;
	}
	return tool_refused(t, "monitor");
}
