// SPDX-License-Identifier: GPL-2.0-only
/*
 * version.c - the command version: this tool and the loaded module, are they of one release
 *
 * In: the module's INFO. Out: facts; a warning on stderr.
 */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "object.h"
#include "wire.h"

#define SYS_VERSION "/sys/module/ringlb/version"

struct info {
	char version[32];
	bool has_services;
	u32 services;
	struct counters counters;
};

static int take_info(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1], *in[RINGLB_A_INFO_MAX + 1], *a;
	struct info *info = arg;

	if (wire_get_top(h, tb) || !tb[RINGLB_A_INFO] ||
	    nla_parse_nested(in, RINGLB_A_INFO_MAX, tb[RINGLB_A_INFO], NULL))
		return -EBADMSG;
	a = in[RINGLB_A_INFO_VERSION];
	if (a)
		snprintf(info->version, sizeof(info->version), "%.*s", nla_len(a),
			 (const char *)nla_data(a));
	a = in[RINGLB_A_INFO_SERVICES];
	if (a && nla_len(a) == sizeof(u32)) {
		info->has_services = true;
		info->services = nla_get_u32(a);
	}
	return wire_get_counters(in[RINGLB_A_INFO_COUNTERS], &info->counters);
}

/* What everybody may read, if the module cannot be asked. */
static void read_sys(struct info *info)
{
	FILE *f = fopen(SYS_VERSION, "re");

	if (!f)
		return;
	if (!fgets(info->version, sizeof(info->version), f))
		*info->version = '\0';
	info->version[strcspn(info->version, "\n")] = '\0';
	fclose(f);
}

static int ask(struct session *s, struct info *info)
{
	struct nl_msg *msg = session_message(s, RINGLB_CMD_INFO_GET);
	int err;

	if (!msg)
		return session_fail(s, -ENOMEM, "out of memory");
	err = session_ask(s, msg, take_info, info);
	nlmsg_free(msg);
	return err;
}

int version_run(struct tool *t, const struct command *command)
{
	struct info info = { 0 };
	int err;

	(void)command;
	err = session_open(&t->session, t->netns);
	if (!err)
		err = ask(&t->session, &info);
	session_close(&t->session);
	if (err && (t->netns || t->out.stats)) {
		/* More was asked for than can be read elsewhere. */
		return tool_refused(t, "version");
	}
	if (err)
		read_sys(&info);
	out_begin_one(&t->out, OUT_FACTS);
	out_object(&t->out);
	out_str(&t->out, 0, "tool", TOOL_VERSION);
	if (*info.version)
		out_str(&t->out, 0, "module", info.version);
	else if (!t->out.json)
		out_str(&t->out, 0, "module", "not loaded");
	if (info.has_services)
		out_u64(&t->out, 0, "services", info.services);
	out_counters(&t->out, &info.counters);
	if (*info.version && strcmp(info.version, TOOL_VERSION))
		tool_error("the tool is of version %s and the loaded module of version %s: load the module again, or install the tool that belongs to it",
			   TOOL_VERSION, info.version);
	return tool_end(t, TOOL_DONE);
}
