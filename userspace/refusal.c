// SPDX-License-Identifier: GPL-2.0-only
/*
 * refusal.c - why a request was refused, in words
 *
 * In: an NLMSG_ERROR or NLMSG_DONE with what the kernel adds: text, place, number. Out: one
 * sentence and the place. Lengths are checked: nothing in the message is believed.
 */
#include <errno.h>
#include <linux/ringlb.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nl.h"

/**
 * session_fail() - note why something failed
 * @s: the session
 * @err: -errno
 * @format: as printf()
 *
 * Return: @err.
 */
int session_fail(struct session *s, int err, const char *format, ...)
{
	va_list args;

	memset(&s->why, 0, sizeof(s->why));
	s->why.err = err;
	va_start(args, format);
	vsnprintf(s->why.text, sizeof(s->why.text), format, args);
	va_end(args);
	return err;
}

/**
 * refusal_points() - the one refusal that carries a number
 * @text: where the sentence goes
 * @size: of @text
 * @vnodes: the largest that fits; 0: none
 */
void refusal_points(char *text, size_t size, u64 vnodes)
{
	if (vnodes)
		snprintf(text, size, "%s: largest vnodes that fits: %llu", RINGLB_MSG_POINTS,
			 (unsigned long long)vnodes);
	else
		snprintf(text, size, "%s: none fits: lower the weights", RINGLB_MSG_POINTS);
}

/* The kernel's text, or what the number alone tells */
static void refusal_text(struct refusal *r, const char *text, const u64 *cookie)
{
	if (text && cookie && !strcmp(text, RINGLB_MSG_POINTS))
		refusal_points(r->text, sizeof(r->text), *cookie);
	else if (text)
		snprintf(r->text, sizeof(r->text), "%s", text);
	else
		snprintf(r->text, sizeof(r->text), "%s", r->err == -EPERM ?
			 SESSION_NO_PERMISSION : strerror(-r->err));
}

/**
 * refusal_read() - read an NLMSG_ERROR, or an NLMSG_DONE, with what the kernel adds
 * @r: out: the refusal; its err is 0 if the message is an acknowledgment
 * @h: the message
 */
void refusal_read(struct refusal *r, const struct nlmsghdr *h)
{
	const char *end = (const char *)h + h->nlmsg_len;
	const char *p = nlmsg_data(h);
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1] = { NULL };
	const char *text = NULL;
	u64 number, *cookie = NULL;
	size_t skip;

	memset(r, 0, sizeof(*r));
	if (end - p < (int)sizeof(int))
		return;
	memcpy(&r->err, p, sizeof(int));
	skip = sizeof(int);
	if (h->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *e = (const struct nlmsgerr *)p;

		/* The request's header is echoed always, its payload unless capped. */
		skip = sizeof(*e);
		if (end - p >= (int)skip && !(h->nlmsg_flags & NLM_F_CAPPED))
			skip += NLMSG_ALIGN(e->msg.nlmsg_len) - sizeof(e->msg);
	}
	if (!r->err)
		return;
	if (r->err > 0)
		r->err = -EPROTO;
	if (h->nlmsg_flags & NLM_F_ACK_TLVS && skip < (size_t)(end - p))
		nla_parse(tb, NLMSGERR_ATTR_MAX, (struct nlattr *)(p + skip), end - p - skip, NULL);
	if (tb[NLMSGERR_ATTR_MSG] && nla_len(tb[NLMSGERR_ATTR_MSG]) > 0) {
		text = nla_data(tb[NLMSGERR_ATTR_MSG]);
		if (text[nla_len(tb[NLMSGERR_ATTR_MSG]) - 1])
			text = NULL;
	}
	if (tb[NLMSGERR_ATTR_OFFS] && nla_len(tb[NLMSGERR_ATTR_OFFS]) == sizeof(u32)) {
		r->has_offset = true;
		r->offset = nla_get_u32(tb[NLMSGERR_ATTR_OFFS]);
	}
	if (tb[NLMSGERR_ATTR_COOKIE] && nla_len(tb[NLMSGERR_ATTR_COOKIE]) == sizeof(number)) {
		memcpy(&number, nla_data(tb[NLMSGERR_ATTR_COOKIE]), sizeof(number));
		cookie = &number;
	}
	refusal_text(r, text, cookie);
}
