/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tool.h - what a run of the tool knows, and how commands end
 */
#ifndef _RINGLB_TOOL_H
#define _RINGLB_TOOL_H

#include <stdbool.h>

#include "model.h"
#include "nl.h"
#include "out.h"

#define TOOL_VERSION "0.1.0"

/* Exit codes */
enum {
	TOOL_DONE,	/* done */
	TOOL_WORDS,	/* the words are wrong; nothing was tried */
	TOOL_REFUSED,	/* by the kernel, the system or the model */
	TOOL_ABOVE,	/* a plan moves more than its limit */
};

/**
 * struct tool - a run of the tool
 * @out: where facts go
 * @netns: -n, or NULL
 * @file: -f, or NULL: ask the kernel
 * @session: to the module, once somebody wanted it
 * @connected: @session is open
 */
struct tool {
	struct out out;
	const char *netns;
	const char *file;
	struct session session;
	bool connected;
};

struct session *tool_session(struct tool *t);
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
int tool_refused(struct tool *t, const char *doing);
int tool_no_memory(void);
int tool_end(struct tool *t, int code);

/* What tool_model() is to get beside services */
#define TOOL_BACKENDS 1
#define TOOL_COUNTS 2	/* slots and digests: to be reckoned if they come from no kernel */

int tool_model(struct tool *t, const char *service, unsigned int what, struct model *m);
int tool_inconsistent(void);

/* fetch.c: from the kernel */
int fetch_model(struct session *s, const char *service, bool backends, struct model *m);
int fetch_secret(struct session *s, struct model *m);
int fetch_flows(struct session *s, struct flows *f);
int fetch_devs(struct session *s, struct devs *devs);
int fetch_table(struct session *s, const char *service, struct table *t);

#endif /* _RINGLB_TOOL_H */
