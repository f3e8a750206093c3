/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.h - what each command may be asked with
 */
#ifndef _RINGLB_POLICY_H
#define _RINGLB_POLICY_H

#include <net/netlink.h>

#include <linux/ringlb.h>

/* Top level of each command. */
extern const struct nla_policy rlb_policy_nothing[];
extern const struct nla_policy rlb_policy_service_new[];
extern const struct nla_policy rlb_policy_service_set[];
extern const struct nla_policy rlb_policy_service_ref[];
extern const struct nla_policy rlb_policy_service_if[];
extern const struct nla_policy rlb_policy_backend_new[];
extern const struct nla_policy rlb_policy_backend_del[];
extern const struct nla_policy rlb_policy_lookup[];
extern const struct nla_policy rlb_policy_secret_set[];
extern const struct nla_policy rlb_policy_flow_filter[];
extern const struct nla_policy rlb_policy_flow_set[];
extern const struct nla_policy rlb_policy_flow_new[];
extern const struct nla_policy rlb_policy_flow_del[];
extern const struct nla_policy rlb_policy_dev[];

/* Inside the nests, for those who parse them. */
extern const struct nla_policy rlb_policy_service_new_nest[];
extern const struct nla_policy rlb_policy_service_set_nest[];
extern const struct nla_policy rlb_policy_service_ref_nest[];
extern const struct nla_policy rlb_policy_backend_new_nest[];
extern const struct nla_policy rlb_policy_backend_del_nest[];
extern const struct nla_policy rlb_policy_backend_map_nest[];
extern const struct nla_policy rlb_policy_lookup_nest[];
extern const struct nla_policy rlb_policy_secret_set_nest[];
extern const struct nla_policy rlb_policy_flow_set_nest[];
extern const struct nla_policy rlb_policy_flow_new_nest[];
extern const struct nla_policy rlb_policy_flow_del_nest[];
extern const struct nla_policy rlb_policy_dev_nest[];

#endif /* _RINGLB_POLICY_H */
