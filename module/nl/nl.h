/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nl.h - the request rooms among themselves, and the door for main.c
 *
 * A request enters at family.c, which has had policy.c refuse what is badly formed; service.c,
 * backend.c, table.c, flow.c, replica.c, history.c, dev.c and secret.c carry it out, with
 * parse.c to read attributes and fill.c to write them; notify.c tells those who listen. Process
 * context, cfg_lock taken by the handler.
 */
#ifndef _RINGLB_NL_H
#define _RINGLB_NL_H

#include <net/genetlink.h>
#include <net/sock.h>

#include "../backend.h"
#include "../map.h"
#include "../netns.h"
#include "../service.h"

/* The multicast groups, in the order of family.c */
enum {
	RLB_GROUP_NOTICES,
	RLB_GROUP_FLOWS,
};

extern struct genl_family rlb_family;

int rlb_nl_register(void);
void rlb_nl_unregister(void);

/* handlers: one for each command */
int rlb_nl_info_get(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_service_new(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_service_set(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_service_del(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_service_get(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_service_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rlb_nl_flush(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_backend_new(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_backend_set(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_backend_del(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_transaction(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_backend_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rlb_nl_table_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rlb_nl_lookup(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_flow_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rlb_nl_flow_flush(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_flow_set(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_history_dump(struct sk_buff *skb, struct netlink_callback *cb);
int rlb_nl_flow_new(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_flow_del(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_secret_get(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_secret_set(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_dev_new(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_dev_del(struct sk_buff *skb, struct genl_info *info);
int rlb_nl_dev_dump(struct sk_buff *skb, struct netlink_callback *cb);

/* draft.c */
struct rlb_draft;
int rlb_nl_commit(struct rlb_draft *draft, u32 portid, struct netlink_ext_ack *extack);
int rlb_nl_change(struct genl_info *info, const struct nla_policy *policy,
		  int (*change)(struct rlb_net *rn, struct genl_info *info));

/* parse.c */
int rlb_parse_service_new(struct nlattr *attr, struct rlb_service_config *c,
			  struct netlink_ext_ack *extack);
int rlb_parse_service_set(struct nlattr *attr, struct rlb_service_config *c, bool more,
			  struct netlink_ext_ack *extack);
int rlb_parse_map(struct genl_info *info, const struct rlb_service *svc,
		  struct rlb_service_config *c, struct rlb_map **map);
int rlb_parse_seats(struct genl_info *info, struct rlb_service_config *c, struct rlb_seat **list);
struct rlb_service *rlb_parse_service_ref(struct rlb_net *rn, struct nlattr *attr,
					  struct netlink_ext_ack *extack);
int rlb_parse_backend(struct nlattr *attr, const struct rlb_service *svc, u8 cmd,
		      struct rlb_backend_config *c, struct netlink_ext_ack *extack);
int rlb_parse_lookup(struct nlattr *attr, struct rlb_tuple *t, u32 *mark,
		     const struct nlattr **cid, struct netlink_ext_ack *extack);
struct rlb_service *rlb_parse_flow_client(struct rlb_net *rn, struct nlattr *attr,
					  struct nlattr **tb, struct rlb_pin_key *key,
					  struct netlink_ext_ack *extack);

/* fill.c: 0 or -EMSGSIZE */
int rlb_fill_service(struct sk_buff *skb, const struct rlb_service *svc);
int rlb_fill_service_name(struct sk_buff *skb, const struct rlb_service *svc);
int rlb_fill_backend(struct sk_buff *skb, int attrtype, const struct rlb_backend_item *item,
		     bool counters);
int rlb_fill_backend_addr(struct sk_buff *skb, int attrtype, const struct rlb_backend *b);
int rlb_fill_member(struct sk_buff *skb, int attrtype, const struct rlb_service *svc,
		    const struct rlb_backend *b);
int rlb_fill_counters(struct sk_buff *skb, int attrtype, const struct rlb_stats __percpu *stats,
		      unsigned int n);
int rlb_fill_fingerprint(struct sk_buff *skb, const struct rlb_secret *secret, bool key);

struct rlb_dev;
int rlb_fill_dev(struct sk_buff *skb, const struct rlb_dev *d);

/* history.c: likewise; @sums: with what became of flows since */
struct rlb_entry;
int rlb_fill_history(struct sk_buff *skb, const struct rlb_entry *e, bool sums);

/* flow.c: likewise */
struct rlb_pin;
int rlb_fill_flows(struct sk_buff *skb, const struct rlb_net *rn);
int rlb_fill_flow(struct sk_buff *skb, const struct rlb_service *svc, const struct rlb_pin *pin);
int rlb_fill_flow_client(struct sk_buff *skb, const struct rlb_service *svc,
			 const struct rlb_pin_key *key);

/* replica.c */
void rlb_nl_flow_listen(struct rlb_net *rn);

/* Each message of a dump is between these. */
void *rlb_nl_dump_begin(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd);
int rlb_nl_dump_end(struct sk_buff *skb, void *header, int err);

/* An answer to one request: its message begins here and leaves by rlb_nl_reply(). */
struct sk_buff *rlb_nl_answer(struct genl_info *info, void **header);
int rlb_nl_reply(struct sk_buff *skb, void *header, struct genl_info *info, int err);

/* notify.c */
void rlb_notify_service(u8 notice, const struct rlb_service *svc, u32 portid);
void rlb_notify_backend(u8 notice, const struct rlb_service *svc,
			const struct rlb_backend_item *item, u32 portid);
bool rlb_notify_changed(struct rlb_service *svc, u32 portid);
void rlb_notify_history(struct rlb_net *rn, const struct rlb_entry *e);
void rlb_notify_secret(struct rlb_net *rn, u32 portid);
void rlb_notify_dev(u8 notice, const struct rlb_dev *d, u32 portid);

/* The backends of a request. */
#define rlb_for_each_backend_attr(attr, info, rem)				\
	nlmsg_for_each_attr(attr, (info)->nlhdr, GENL_HDRLEN, rem)		\
		if (nla_type(attr) == RINGLB_A_BACKEND)

#endif /* _RINGLB_NL_H */
