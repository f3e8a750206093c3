// SPDX-License-Identifier: GPL-2.0-only
/*
 * change.c - commands that change something: one, or several of one kind, in one message
 *
 * In: commands. Out: a message to the module; who is at fault if it is refused.
 */
#include "change.h"

#include <errno.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"

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

	switch (commands->g->cmd) {
	case RINGLB_CMD_SERVICE_NEW:
	case RINGLB_CMD_SERVICE_SET:
	case RINGLB_CMD_SERVICE_DEL:
		err = wire_put_service(msg, &commands->service);
		return err ? err : wire_put_seats(msg, &commands->service);
	case RINGLB_CMD_SECRET_SET:
		return wire_put_secret(msg, commands->secret);
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

/**
 * change_send() - apply commands, all or none
 * @s: the session
 * @commands: as for change_build()
 * @n: how many, at most BATCH_GROUP_MAX
 * @at_fault: out: after a refusal: which of them; @n if that is not known
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int change_send(struct session *s, const struct command *commands, size_t n, size_t *at_fault)
{
	struct wire_span *spans = calloc(n, sizeof(*spans));
	struct nl_msg *msg = session_message(s, commands->g->cmd);
	size_t i;
	int err;

	*at_fault = n > 1 ? n : 0;
	if (!msg || !spans) {
		err = session_fail(s, -ENOMEM, "out of memory");
		goto out;
	}
	err = commands->g->cmd == RINGLB_CMD_SERVICE_SET ?
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

int change_run(struct tool *t, const struct command *command)
{
	struct session *s = tool_session(t);
	char title[GRAMMAR_TITLE_MAX];
	size_t at_fault;

	if (!s)
		return TOOL_REFUSED;
	if (change_send(s, command, 1, &at_fault))
		return tool_refused(t, grammar_title(command->g, title));
	return TOOL_DONE;
}
