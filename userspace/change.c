// SPDX-License-Identifier: GPL-2.0-only
/*
 * change.c - commands that change something: one, or several for one service, as one change
 *
 * In: commands. Out: a message to the module, or several from begin to commit; who is at fault
 * if it is refused.
 */
#include "change.h"

#include <errno.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "object.h"
#include "offline.h"

/**
 * change_build() - put commands into a message
 * @msg: the message, begun
 * @commands: one, or several BACKEND_NEW of one service
 * @n: how many
 * @spans: out: where each command's own nest is; NULL: not of interest
 *
 * Return: 0 or -EMSGSIZE.
 */
int change_build(struct nl_msg *msg, const struct command *commands, size_t n,
		 struct wire_span *spans)
{
	size_t i;
	int err;

	switch (commands->cmd) {
	case RINGLB_CMD_SERVICE_NEW:
	case RINGLB_CMD_SERVICE_SET:
	case RINGLB_CMD_SERVICE_DEL:
		err = wire_put_service(msg, &commands->service);
		return err ? err : wire_put_seats(msg, &commands->service);
	case RINGLB_CMD_SECRET_SET:
		return wire_put_secret(msg, commands->secret, commands->force.on);
	case RINGLB_CMD_FLOW_SET:
		return wire_put_flows(msg, &commands->flows);
	case RINGLB_CMD_DEV_NEW:
	case RINGLB_CMD_DEV_DEL:
		return wire_put_dev(msg, commands->dev.name);
	case RINGLB_CMD_FLUSH:
		return 0;
	}
	err = wire_put_service(msg, &commands->service);
	for (i = 0; i < n && !err; i++)
		err = wire_put_backend(msg, &commands[i].backend, spans ? &spans[i] : NULL);
	return err;
}

/* A parameter of the method that the service has not would be kept and do nothing. */
static int check_stray(struct session *s, const struct service *given)
{
	struct model m = { 0 };
	const char *stray;
	int err;

	if (HAS(given, RINGLB_A_SERVICE_METHOD) || !word_stray(0, given->has))
		return 0;
	err = fetch_model(s, given->name, false, &m);
	if (!err && m.n) {
		stray = word_stray(m.services[0]->method, given->has);
		if (stray)
			err = session_fail(s, -EINVAL, "%s is no parameter of method %s", stray,
					   word_method(m.services[0]->method));
	}
	model_free(&m);
	return err;
}

/* Add the word of the attribute that the kernel points at, if the message has it. */
static void add_attribute(struct refusal *why, const struct nlmsghdr *h)
{
	const char *word = why->has_offset ? wire_attr_word(h, why->offset) : NULL;
	size_t len = strlen(why->text);

	if (word)
		snprintf(why->text + len, sizeof(why->text) - len, " (attribute: %s)", word);
}

/* One message. @at_fault: which of @n, after a refusal; @n if that is not known */
static int send_message(struct session *s, const struct command *commands, size_t n,
			size_t *at_fault)
{
	struct wire_span *spans = calloc(n, sizeof(*spans));
	struct nl_msg *msg = session_message(s, commands->cmd);
	size_t i;
	int err;

	*at_fault = n > 1 ? n : 0;
	if (!msg || !spans) {
		err = session_fail(s, -ENOMEM, "out of memory");
		goto out;
	}
	err = commands->cmd == RINGLB_CMD_SERVICE_SET ?
	      check_stray(s, &commands->service) : 0;
	if (err)
		goto out;
	err = change_build(msg, commands, n, spans);
	if (err) {
		session_fail(s, err, "the message would be too long");
		goto out;
	}
	err = session_ask(s, msg, NULL, NULL);
	if (!err)
		goto out;
	for (i = 0; i < n && s->why.has_offset; i++)
		if (s->why.offset >= spans[i].start && s->why.offset < spans[i].end)
			*at_fault = i;
	add_attribute(&s->why, nlmsg_hdr(msg));
out:
	nlmsg_free(msg);
	free(spans);
	return err;
}

/* BEGIN, COMMIT or ABORT. Only the first may expect a generation. */
static int send_bracket(struct session *s, int cmd, const struct service *service)
{
	struct nl_msg *msg = session_message(s, cmd);
	struct service named = { .if_generation = service->if_generation };
	int err;

	strcpy(named.name, service->name);
	if (cmd == RINGLB_CMD_BEGIN)
		named.has = service->has & BIT(RINGLB_A_SERVICE_IF_GENERATION);
	if (msg && !wire_put_service(msg, &named))
		err = session_ask(s, msg, NULL, NULL);
	else
		err = session_fail(s, -ENOMEM, "out of memory");
	nlmsg_free(msg);
	return err;
}

static int by_backend(const void *a, const void *b)
{
	const struct map_range *x = a, *y = b;
	int order = addr_cmp(&x->at, &y->at);

	return order ? order : x->first < y->first ? -1 : x->first > y->first;
}

/* A part of a map, its ranges in the order of backends. How many were sent, or -errno. */
static int send_part(struct session *s, const struct service *service, const struct map_range *r,
		     u32 n)
{
	struct nl_msg *msg = session_message(s, RINGLB_CMD_SERVICE_SET);
	int sent = -EMSGSIZE, err;

	if (!msg)
		return session_fail(s, -ENOMEM, "out of memory");
	if (!wire_put_service(msg, service))
		sent = wire_put_map(msg, r, n);
	err = sent < 0 ? session_fail(s, sent, "the message would be too long") :
	      session_ask(s, msg, NULL, NULL);
	if (err)
		add_attribute(&s->why, nlmsg_hdr(msg));
	nlmsg_free(msg);
	return err ? err : sent;
}

/* SERVICE_SET with a map, in as many messages as it takes; what else is given is in the first. */
static int send_map(struct session *s, const struct service *service)
{
	u32 n = service->map->n, at = 0;
	struct map_range *r = reallocarray(NULL, n, sizeof(*r));
	struct service rest = { 0 };
	int sent = 1;

	if (!r)
		return session_fail(s, -ENOMEM, "out of memory");
	memcpy(r, service->map->range, n * sizeof(*r));
	qsort(r, n, sizeof(*r), by_backend);
	strcpy(rest.name, service->name);
	for (; at < n && sent > 0; at += sent)
		sent = send_part(s, at ? &rest : service, r + at, n - at);
	free(r);
	return sent < 0 ? sent : 0;
}

/* How many go into one message: they are of one kind, and about backends. */
static size_t message_length(const struct command *commands, size_t n)
{
	size_t i = 1;

	if (!commands->has_backend)
		return 1;
	while (i < n && i < CHANGE_MESSAGE_MAX && commands[i].cmd == commands->cmd)
		i++;
	return i;
}

/* What follows BEGIN; nothing of it stays after a refusal. */
static int send_rest(struct session *s, const struct command *commands, size_t n,
		     size_t *at_fault)
{
	struct refusal why;
	size_t i, len, bad;
	int err = 0;

	for (i = 0; i < n && !err; i += len) {
		len = message_length(commands + i, n - i);
		bad = 0;
		err = service_sets_map(commands + i) ? send_map(s, &commands[i].service) :
		      send_message(s, commands + i, len, &bad);
		if (err && bad < len)
			*at_fault = i + bad;
	}
	if (!err)
		err = send_bracket(s, RINGLB_CMD_COMMIT, &commands->service);
	if (!err)
		return 0;
	why = s->why;
	send_bracket(s, RINGLB_CMD_ABORT, &commands->service);	/* most refusals have done so */
	s->why = why;
	return err;
}

/* As in a file, on what the kernel has. */
static int apply_all(struct model *m, const struct command *commands, size_t n)
{
	struct command c;
	char error[512];
	size_t i;

	for (i = 0; i < n; i++) {
		c = commands[i];
		c.service.has &= ~BIT(RINGLB_A_SERVICE_IF_GENERATION);
		if (offline_apply(m, &c, error, sizeof(error)))
			return -1;
	}
	return 0;
}

/*
 * A map that does not fit is refused here, because the module could not tell the line of its
 * file. All other reasons are the module's to tell.
 */
static int check_maps(struct session *s, const struct command *commands, size_t n,
		      size_t *at_fault)
{
	struct model m = { 0 };
	const char *why;
	size_t i;
	int err;

	for (i = 0; i < n && !service_sets_map(&commands[i]); i++)
		;
	if (i == n)
		return 0;
	err = fetch_model(s, commands->service.name, true, &m);
	if (!err && m.n && !apply_all(&m, commands, n)) {
		why = map_fit(m.services[0]);
		if (why) {
			err = session_fail(s, -EINVAL, "%s", why);
			*at_fault = i;
		}
	}
	model_free(&m);
	return err < 0 ? err : 0;
}

/**
 * change_send() - apply commands, all or none
 * @s: the session
 * @commands: one, or several about one service and its backends, of which the first may expect
 *	a generation
 * @n: how many; more than one, and maps, are sent from BEGIN to COMMIT
 * @at_fault: out: after a refusal: which of them; @n if that is not known
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int change_send(struct session *s, const struct command *commands, size_t n, size_t *at_fault)
{
	int err;

	if (n == 1 && !service_sets_map(commands))
		return send_message(s, commands, 1, at_fault);
	*at_fault = n;
	err = check_maps(s, commands, n, at_fault);
	if (err)
		return err;
	err = send_bracket(s, RINGLB_CMD_BEGIN, &commands->service);
	return err ? err : send_rest(s, commands, n, at_fault);
}

int change_run(struct tool *t, const struct command *command)
{
	struct session *s = tool_session(t);
	char title[BACKEND_TITLE_MAX];
	size_t n = command->n_more + 1, at_fault, i;
	struct command *commands;
	int code = TOOL_DONE;

	if (!s)
		return TOOL_REFUSED;
	commands = calloc(n, sizeof(*commands));
	if (!commands)
		return tool_no_memory();
	for (i = 0; i < n; i++)
		backend_nth(command, i, &commands[i]);
	if (change_send(s, commands, n, &at_fault))
		code = tool_refused(t, at_fault < n ? backend_title(&commands[at_fault], title) :
				    grammar_title(command->g, title));
	explicit_bzero(commands, n * sizeof(*commands));
	free(commands);
	return code;
}
