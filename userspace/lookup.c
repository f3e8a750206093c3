// SPDX-License-Identifier: GPL-2.0-only
/*
 * lookup.c - the command lookup: where a client's packet goes, and why
 *
 * In: words. Out: facts and one sentence, from the kernel or from a file.
 */
#include <errno.h>
#include <netlink/msg.h>

#include "object.h"
#include "offline.h"
#include "wire.h"
#include "why.h"

int lookup_parse(struct cmd *c, struct command *command)
{
	struct lookup *l = &command->lookup;
	enum addr_form form;

	if (cmd_packet_protocol(c, &l->protocol))
		return -1;
	form = word_has_ports(l->protocol) ? ADDR_WITH_PORT : ADDR_ALONE;
	if (cmd_endpoint(c, "source", form, &l->src) ||
	    cmd_endpoint(c, "destination", form, &l->dst))
		return -1;
	if (l->src.family != l->dst.family)
		return cmd_bad(c, "destination", c->word[c->at - 1],
			       "expected an address of the source's family");
	return cmd_pairs(c, lookup_keywords, command->g->allowed, l, &l->has);
}

static int take_lookup(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];

	if (wire_get_top(h, tb))
		return -EBADMSG;
	return wire_get_lookup(tb[RINGLB_A_LOOKUP], arg);
}

static int ask_kernel(struct tool *t, struct lookup *l)
{
	struct session *s = tool_session(t);
	struct nl_msg *msg;
	int err;

	if (!s)
		return TOOL_REFUSED;
	msg = session_message(s, RINGLB_CMD_LOOKUP);
	if (!msg || wire_put_lookup(msg, l)) {
		nlmsg_free(msg);
		return tool_no_memory();
	}
	err = session_ask(s, msg, take_lookup, l);
	nlmsg_free(msg);
	return err ? tool_refused(t, "lookup") : TOOL_DONE;
}

static int ask_file(struct tool *t, struct lookup *l)
{
	struct model m = { 0 };
	char error[256];
	int code;

	code = tool_model(t, NULL, TOOL_BACKENDS, &m);
	if (!code && offline_lookup(&m, l, error, sizeof(error))) {
		tool_error("%s: %s", t->file, error);
		code = TOOL_REFUSED;
	}
	model_free(&m);
	return code;
}

int lookup_run(struct tool *t, const struct command *command)
{
	struct lookup l = command->lookup;
	char why[WHY_MAX];
	int code;

	code = t->file ? ask_file(t, &l) : ask_kernel(t, &l);
	if (code)
		return code;
	out_begin_one(&t->out, OUT_FACTS);
	out_object(&t->out);
	out_str(&t->out, 0, "service", l.service);
	if (l.match > RINGLB_MATCH_PORT)
		out_str(&t->out, 0, "match", word_match(l.match));
	if (l.prefix)
		out_u64(&t->out, 0, "prefix", l.prefix);
	if (l.mode)
		out_str(&t->out, 0, "mode", word_mode(l.mode));
	if (l.has_owner || l.probes > 1)
		out_u64(&t->out, 0, "slot", l.slot);
	if (l.has_owner) {
		out_endpoint(&t->out, 0, "owner", &l.owner.at);
		out_str(&t->out, 0, "owner_state", word_state(l.owner.state));
	}
	if (l.has_backend)
		out_endpoint(&t->out, 0, "backend", &l.backend.at);
	if (l.has_old)
		out_endpoint(&t->out, 0, "old_owner", &l.old.at);
	if (l.has_named)
		out_endpoint(&t->out, 0, "cid_backend", &l.named.at);
	if (l.has_pin)
		out_endpoint(&t->out, 0, "pin", &l.pin.at);
	out_u64(&t->out, 0, "probes", l.probes);
	out_str(&t->out, 0, "why", why_text(&l, why));
	return tool_end(t, TOOL_DONE);
}
