/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * draft.h - changes of a service and its backends, as all or nothing
 */
#ifndef _RINGLB_DRAFT_H
#define _RINGLB_DRAFT_H

#include <linux/list.h>
#include <linux/netlink.h>

#include "backend.h"
#include "service.h"

struct rlb_map;
struct rlb_table;

/**
 * struct rlb_draft - a change of a service and its backends that is not yet in force
 * @service: whose
 * @config: how the service will be
 * @seats: the list of seats that was given for it; NULL: none
 * @map: the map that was given for it; NULL: none
 * @configured: something was given for it
 * @set: how its backends will be
 * @table: its table, once prepared; NULL if the one in force can stay
 * @rebuild: members or weights differ, so a table has to be built
 * @changes: rlb_service.changes when it was begun
 * @open: in rlb_net.drafts, if it stays open from request to request
 * @portid: whose it is, if so
 */
struct rlb_draft {
	struct rlb_service *service;
	struct rlb_service_config config;
	struct rlb_seat *seats;
	struct rlb_map *map;
	bool configured;
	struct rlb_backend_set set;
	struct rlb_table *table;
	bool rebuild;
	u32 changes;
	struct list_head open;
	u32 portid;
};

int rlb_draft_begin(struct rlb_draft *draft, struct rlb_service *svc);
void rlb_draft_configure(struct rlb_draft *draft, const struct rlb_service_config *config);
int rlb_draft_add(struct rlb_draft *draft, const struct rlb_backend_config *c,
		  struct netlink_ext_ack *extack);
int rlb_draft_set(struct rlb_draft *draft, const struct rlb_backend_config *c,
		  struct netlink_ext_ack *extack);
int rlb_draft_del(struct rlb_draft *draft, const struct rlb_backend_config *c,
		  struct netlink_ext_ack *extack);
void rlb_draft_del_drained(struct rlb_draft *draft);
int rlb_draft_prepare(struct rlb_draft *draft, struct netlink_ext_ack *extack);
void rlb_draft_commit(struct rlb_draft *draft);
void rlb_draft_abort(struct rlb_draft *draft);

int rlb_draft_open(struct rlb_service *svc, u32 portid, struct netlink_ext_ack *extack);
struct rlb_draft *rlb_draft_opened(const struct rlb_service *svc, u32 portid);
void rlb_draft_close(struct rlb_draft *draft);
void rlb_drafts_drop(struct rlb_net *rn, const struct rlb_service *svc, u32 portid);
void rlb_drafts_hang_up(struct rlb_net *rn, u32 portid);

#endif /* _RINGLB_DRAFT_H */
