/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nl.h - a conversation with the module
 */
#ifndef _RINGLB_NL_H
#define _RINGLB_NL_H

#include <linux/netlink.h>
#include <stdbool.h>

#include "env.h"

struct nl_msg;
struct nl_sock;

#define SESSION_NO_PERMISSION \
	"no permission: needs CAP_NET_ADMIN in this network namespace (run as root)"
#define SESSION_DUMP_TRIES 10	/* before an inconsistent dump is handed out as such */

/**
 * struct refusal - why something was not done
 * @err: -errno
 * @text: one sentence, without newline
 * @has_offset: the kernel named an attribute of the request
 * @offset: where it is, counted from the message's header
 */
struct refusal {
	int err;
	char text[512];
	bool has_offset;
	u32 offset;
};

/**
 * struct session - a socket of the family, or of the kernel's routing, in one network namespace
 * @sk: libnl's socket
 * @family: the family's number
 * @notices: the number of the group of notices, 0 if it was not there
 * @flows: likewise, of the group that tells of flows
 * @why: of the last failure
 */
struct session {
	struct nl_sock *sk;
	int family;
	u32 notices;
	u32 flows;
	struct refusal why;
};

/* Takes one message of an answer. Returns 0 or -errno. */
typedef int (*session_take)(const struct nlmsghdr *h, void *arg);

int session_open(struct session *s, const char *netns);
int session_open_route(struct session *s);
void session_close(struct session *s);
struct nl_msg *session_message(struct session *s, int cmd);
int session_ask(struct session *s, struct nl_msg *msg, session_take take, void *arg);
int session_dump(struct session *s, struct nl_msg *msg, void (*begin)(void *arg),
		 session_take take, void *arg);
int session_listen(struct session *s, u32 group, u32 buffer);
int session_next(struct session *s, session_take take, void *arg);
int session_discard(struct session *s);

/* refusal.c */
int session_fail(struct session *s, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void refusal_points(char *text, size_t size, u64 vnodes);
void refusal_read(struct refusal *r, const struct nlmsghdr *h);

#endif /* _RINGLB_NL_H */
