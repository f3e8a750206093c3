// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev.c - commands about devices whose packets may take the fast path
 *
 * In: words; the module's answers. Out: facts; commands.
 */
#include <errno.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "object.h"
#include "wire.h"

#define NAME_IS "1 to 15 characters, without / and :"

/* As the kernel has it */
static bool is_name(const char *word)
{
	size_t len = strlen(word);

	return len && len < IFNAMSIZ && !strpbrk(word, "/: \t\r\n\v\f") && strcmp(word, ".") &&
	       strcmp(word, "..");
}

static int parse_name(struct cmd *c, struct command *command)
{
	const char *word = cmd_next(c, "device", NAME_IS);

	if (!word)
		return -1;
	if (!is_name(word))
		return cmd_bad(c, "device", word, "expected " NAME_IS);
	strcpy(command->dev.name, word);
	return cmd_end(c);
}

int dev_parse(struct cmd *c, struct command *command)
{
	return parse_name(c, command);
}

int dev_parse_show(struct cmd *c, struct command *command)
{
	return cmd_more(c) ? parse_name(c, command) : 0;
}

/**
 * dev_facts() - all that is known of a device, into the open object
 * @o: where to
 * @d: the device
 */
void dev_facts(struct out *o, const struct dev *d)
{
	out_str(o, OUT_BARE, "device", d->name);
	out_u64(o, 0, "index", d->index);
	out_counters_by(o, &d->counters, word_dev_counter);
}

int dev_show(struct tool *t, const struct command *command)
{
	const char *name = *command->dev.name ? command->dev.name : NULL;
	struct devs devs = { 0 };
	bool found = !name;
	size_t i;
	int code;

	if (!tool_session(t))
		return TOOL_REFUSED;
	code = fetch_devs(&t->session, &devs);
	if (code) {
		code = code > 0 ? tool_inconsistent() : tool_refused(t, "dev show");
		goto out;
	}
	out_begin(&t->out, OUT_LINES);
	for (i = 0; i < devs.n; i++) {
		if (name && strcmp(name, devs.dev[i].name))
			continue;
		found = true;
		out_object(&t->out);
		dev_facts(&t->out, &devs.dev[i]);
	}
	code = tool_end(t, TOOL_DONE);
	if (!found) {
		tool_error("dev show %s: device has no fast path", name);
		code = TOOL_REFUSED;
	}
out:
	devs_free(&devs);
	return code;
}
