// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl.c - a conversation with the module: connect, ask, dump, listen, and why not
 *
 * In: requests. Out: the messages of an answer, one by one, or a refusal with the kernel's
 * own text. Messages are read from the socket here and not through libnl's callbacks, which
 * show neither extended acks nor errors at the end of a dump.
 */
#include "nl.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/ringlb.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

#define MESSAGE_MAX (96 * 1024)
#define RECEIVE_BUFFER (1024 * 1024)	/* capped by net.core.rmem_max */

#define TEXT_NOT_LOADED "module ringlb is not loaded (try: modprobe ringlb)"

/* What is known while an answer is read. */
struct answer {
	struct session *s;
	u32 seq;
	session_take take;
	void *arg;
	bool done;
	bool interrupted;
	int err;
};

/* @h belongs to the answer. Errors of @take end nothing: the rest must leave the socket. */
static void answer_message(struct answer *a, const struct nlmsghdr *h)
{
	int err;

	if (h->nlmsg_flags & NLM_F_DUMP_INTR)
		a->interrupted = true;
	switch (h->nlmsg_type) {
	case NLMSG_NOOP:
		return;
	case NLMSG_OVERRUN:
		a->err = session_fail(a->s, -ENOBUFS, "the kernel lost a part of the answer");
		return;
	case NLMSG_ERROR:
	case NLMSG_DONE:
		a->done = true;
		if (a->err)
			return;
		refusal_read(&a->s->why, h);
		a->err = a->s->why.err;
		return;
	}
	if (a->err || !a->take)
		return;
	err = a->take(h, a->arg);
	if (err)
		a->err = session_fail(a->s, err, "the module's answer is not understood: %s",
				      strerror(-err));
}

static void answer_buffer(struct answer *a, unsigned char *buf, int len)
{
	struct nlmsghdr *h;

	for (h = (struct nlmsghdr *)buf; nlmsg_ok(h, len); h = nlmsg_next(h, &len)) {
		if (a->done || h->nlmsg_seq != a->seq)
			continue;	/* the rest of an earlier answer */
		answer_message(a, h);
	}
}

/* Receive one buffer. Its length, 0 for one that is to be skipped, or -errno. */
static int receive(struct session *s, unsigned char **buf)
{
	struct sockaddr_nl from = { 0 };
	int n;

	errno = 0;
	n = nl_recv(s->sk, &from, buf, NULL);
	if (n == -NLE_AGAIN)
		return -EAGAIN;
	if (n < 0)
		return errno == ENOBUFS ? -ENOBUFS : -EIO;
	if (n && from.nl_pid) {		/* not from the kernel */
		free(*buf);
		return 0;
	}
	return n;
}

/* Send @msg and read the whole answer. */
static int converse(struct session *s, struct nl_msg *msg, int flags, struct answer *a)
{
	struct nlmsghdr *h = nlmsg_hdr(msg);
	unsigned char *buf;
	int n;

	h->nlmsg_flags = NLM_F_REQUEST | flags;
	h->nlmsg_seq = NL_AUTO_SEQ;	/* anew, when a message is sent again */
	n = nl_send_auto(s->sk, msg);
	if (n < 0)
		return session_fail(s, -EIO, "sending to the kernel: %s", nl_geterror(n));
	a->s = s;
	a->seq = h->nlmsg_seq;
	while (!a->done) {
		n = receive(s, &buf);
		if (n < 0)
			return session_fail(s, n, "receiving from the kernel: %s", strerror(-n));
		if (!n)
			continue;
		answer_buffer(a, buf, n);
		free(buf);
	}
	return a->err;
}

/**
 * session_ask() - one request, until it is acknowledged
 * @s: the session
 * @msg: the request; stays the caller's
 * @take: takes each message of the answer; NULL: none is of interest
 * @arg: for @take
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int session_ask(struct session *s, struct nl_msg *msg, session_take take, void *arg)
{
	struct answer a = { .take = take, .arg = arg };

	return converse(s, msg, NLM_F_ACK, &a);
}

/**
 * session_dump() - ask for a list, again if it changed while it was read
 * @s: the session
 * @msg: the request; stays the caller's
 * @begin: forgets what was taken, before each try; NULL: nothing is to be forgotten
 * @take: takes each message; -EAGAIN: it does not fit to the ones before
 * @arg: for both
 *
 * Return: 0; 1 if the last of SESSION_DUMP_TRIES was inconsistent too; -errno with the reason
 *	in @s->why.
 */
int session_dump(struct session *s, struct nl_msg *msg, void (*begin)(void *arg),
		 session_take take, void *arg)
{
	unsigned int try;
	int err;

	for (try = 0; try < SESSION_DUMP_TRIES; try++) {
		struct answer a = { .take = take, .arg = arg };

		if (begin)
			begin(arg);
		err = converse(s, msg, NLM_F_DUMP, &a);
		if (err && err != -EAGAIN)
			return err;
		if (!err && !a.interrupted)
			return 0;
	}
	return 1;
}

/**
 * session_message() - begin a request
 * @s: the session
 * @cmd: enum ringlb_cmd
 *
 * Return: the message, NULL if there is no memory.
 */
struct nl_msg *session_message(struct session *s, int cmd)
{
	struct nl_msg *msg = nlmsg_alloc_size(MESSAGE_MAX);

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, s->family, 0, 0, cmd,
				RINGLB_GENL_VERSION)) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static int take_family(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[CTRL_ATTR_MAX + 1], *group[CTRL_ATTR_MCAST_GRP_MAX + 1], *a;
	struct session *s = arg;
	int left;

	if (genlmsg_parse((struct nlmsghdr *)h, 0, tb, CTRL_ATTR_MAX, NULL) ||
	    !tb[CTRL_ATTR_FAMILY_ID])
		return -EBADMSG;
	s->family = nla_get_u16(tb[CTRL_ATTR_FAMILY_ID]);
	if (!tb[CTRL_ATTR_MCAST_GROUPS])
		return 0;
	nla_for_each_nested(a, tb[CTRL_ATTR_MCAST_GROUPS], left) {
		if (nla_parse_nested(group, CTRL_ATTR_MCAST_GRP_MAX, a, NULL) ||
		    !group[CTRL_ATTR_MCAST_GRP_NAME] || !group[CTRL_ATTR_MCAST_GRP_ID])
			continue;
		if (!strcmp(nla_get_string(group[CTRL_ATTR_MCAST_GRP_NAME]), RINGLB_MCGRP_NAME))
			s->notices = nla_get_u32(group[CTRL_ATTR_MCAST_GRP_ID]);
		if (!strcmp(nla_get_string(group[CTRL_ATTR_MCAST_GRP_NAME]), RINGLB_MCGRP_FLOWS))
			s->flows = nla_get_u32(group[CTRL_ATTR_MCAST_GRP_ID]);
	}
	return 0;
}

/* The kernel loads the module itself where it may: that happens within this question. */
static int find_family(struct session *s)
{
	struct nl_msg *msg = nlmsg_alloc();
	int err;

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, GENL_ID_CTRL, 0, 0,
				 CTRL_CMD_GETFAMILY, 1) ||
	    nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, RINGLB_GENL_NAME)) {
		nlmsg_free(msg);
		return session_fail(s, -ENOMEM, "out of memory");
	}
	err = session_ask(s, msg, take_family, s);
	nlmsg_free(msg);
	if (err == -ENOENT)
		return session_fail(s, err, TEXT_NOT_LOADED);
	return err;
}

/* Move this process into a namespace: for the sockets that it opens from now on. */
static int enter_netns(struct session *s, const char *netns)
{
	char path[512];
	int fd, err;

	if (strchr(netns, '/'))
		snprintf(path, sizeof(path), "%s", netns);
	else
		snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return session_fail(s, -errno, "network namespace %s: %s", path, strerror(errno));
	err = setns(fd, CLONE_NEWNET) ? -errno : 0;
	close(fd);
	if (err)
		return session_fail(s, err, "network namespace %s: %s", path,
				    err == -EPERM ? "no permission to enter it (run as root)" :
				    strerror(-err));
	return 0;
}

/* Kernels of before an option refuse it; all of them only make answers better. */
static void set_options(struct nl_sock *sk)
{
	static const int options[] = { NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK };
	int fd = nl_socket_get_fd(sk), on = 1;
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)!setsockopt(fd, SOL_NETLINK, options[i], &on, sizeof(on));
	nl_socket_set_buffer_size(sk, RECEIVE_BUFFER, 0);
	nl_socket_enable_msg_peek(sk);		/* no message is longer than its buffer */
}

static int open_socket(struct session *s, int protocol)
{
	int err;

	s->sk = nl_socket_alloc();
	if (!s->sk)
		return session_fail(s, -ENOMEM, "out of memory");
	err = nl_connect(s->sk, protocol);
	if (err)
		return session_fail(s, -EIO, "netlink socket: %s", nl_geterror(err));
	set_options(s->sk);
	return 0;
}

/**
 * session_open() - connect to the module
 * @s: out: the session; to be closed even after a failure
 * @netns: the network namespace: a name below /run/netns or a path; NULL: this one
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int session_open(struct session *s, const char *netns)
{
	int err;

	memset(s, 0, sizeof(*s));
	err = netns ? enter_netns(s, netns) : 0;
	if (!err)
		err = open_socket(s, NETLINK_GENERIC);
	return err ? err : find_family(s);
}

/**
 * session_open_route() - connect to the kernel's routing, in the namespace that we are in
 * @s: out: the session; to be closed even after a failure
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int session_open_route(struct session *s)
{
	memset(s, 0, sizeof(*s));
	return open_socket(s, NETLINK_ROUTE);
}

void session_close(struct session *s)
{
	nl_socket_free(s->sk);
	s->sk = NULL;
}

/**
 * session_listen() - receive notices from now on
 * @s: the session; asks no more
 * @group: one of its groups
 * @buffer: bytes of notices that may wait, more than others may have; 0: as all do
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int session_listen(struct session *s, u32 group, u32 buffer)
{
	int fd = nl_socket_get_fd(s->sk);

	if (buffer)
		(void)!setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer));
	if (!group)
		return session_fail(s, -ENOENT, "the loaded module sends no notices");
	if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		return session_fail(s, -errno, "%s", errno == EPERM ? SESSION_NO_PERMISSION :
				    strerror(errno));
	return 0;
}

/**
 * session_next() - wait for notices
 * @s: the session, listening
 * @take: takes each notice
 * @arg: for @take
 *
 * Return: 0; -ENOBUFS: some were lost; another -errno with the reason in @s->why.
 */
int session_next(struct session *s, session_take take, void *arg)
{
	struct nlmsghdr *h;
	unsigned char *buf;
	int n, err = 0;

	n = receive(s, &buf);
	if (n < 0)
		return session_fail(s, n, "receiving notices: %s", strerror(-n));
	if (!n)
		return 0;
	for (h = (struct nlmsghdr *)buf; nlmsg_ok(h, n) && !err; h = nlmsg_next(h, &n))
		if (h->nlmsg_type == s->family)
			err = take(h, arg);
	free(buf);
	return err ? session_fail(s, err, "a notice is not understood: %s", strerror(-err)) : 0;
}

/**
 * session_discard() - throw away all notices that wait
 * @s: the session, listening
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int session_discard(struct session *s)
{
	unsigned char *buf;
	int n;

	nl_socket_set_nonblocking(s->sk);
	do {
		n = receive(s, &buf);
		if (n > 0)
			free(buf);
	} while (n >= 0 || n == -ENOBUFS);
	if (fcntl(nl_socket_get_fd(s->sk), F_SETFL, 0))
		n = -errno;
	return n == -EAGAIN ? 0 : session_fail(s, n, "receiving notices: %s", strerror(-n));
}
