/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wire.h - the model's structs to attributes and back
 */
#ifndef _RINGLB_WIRE_H
#define _RINGLB_WIRE_H

#include <linux/netlink.h>

#include "model.h"

struct map_range;
struct nl_msg;
struct nlattr;

/* Where a nest is in its message, counted from the message's header. */
struct wire_span {
	u32 start;
	u32 end;
};

/* 0, or -EMSGSIZE: the message is full */
int wire_put_name(struct nl_msg *msg, const char *service);
int wire_put_service(struct nl_msg *msg, const struct service *s);
int wire_put_seats(struct nl_msg *msg, const struct service *s);
int wire_put_map(struct nl_msg *msg, const struct map_range *r, u32 n);
int wire_put_backend(struct nl_msg *msg, const struct backend *b, struct wire_span *span);
int wire_put_lookup(struct nl_msg *msg, const struct lookup *l);
int wire_put_flow(struct nl_msg *msg, const struct remembered *f, struct wire_span *span);
int wire_put_flows(struct nl_msg *msg, const struct flows *f);
int wire_put_dev(struct nl_msg *msg, const char *name);
int wire_put_secret(struct nl_msg *msg, const u8 key[RINGLB_SECRET_LEN], bool force);

/* 0, or -EBADMSG: a nest is missing, or what is in it is of no use */
int wire_get_top(const struct nlmsghdr *h, struct nlattr *tb[RINGLB_A_MAX + 1]);
int wire_get_service(const struct nlattr *nest, struct service *s);
int wire_get_backend(const struct nlattr *nest, struct backend *b);
int wire_get_lookup(const struct nlattr *nest, struct lookup *l);
int wire_get_history(const struct nlattr *nest, struct change_entry *e);
int wire_get_flow(const struct nlattr *nest, struct remembered *f);
int wire_get_client(const struct nlattr *nest, struct remembered *f);
int wire_get_taken(const struct nlattr *nest, struct taken *taken);
int wire_get_flows(const struct nlattr *nest, struct flows *f);
int wire_get_dev(const struct nlattr *nest, struct dev *d);
int wire_get_counters(const struct nlattr *nest, struct counters *c);

int wire_message_cmd(const struct nlmsghdr *h);
const char *wire_attr_word(const struct nlmsghdr *h, u32 offset);

#endif /* _RINGLB_WIRE_H */
