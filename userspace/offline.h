/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * offline.h - answers from a file, without a kernel
 */
#ifndef _RINGLB_OFFLINE_H
#define _RINGLB_OFFLINE_H

#include "grammar.h"
#include "lookup.h"
#include "model.h"

int offline_load(const char *file, struct model *m);
int offline_apply(struct model *m, const struct command *c, char *error, size_t size);
int offline_agree(const struct model *m, const struct command *c, char *error, size_t size);
int offline_count(struct model *m, const char *service);
u32 offline_members(const struct service *s, struct rlb_member *m);
int offline_table(const struct service *s, struct table *t);
int offline_lookup(const struct model *m, struct lookup *l, char *error, size_t size);

#endif /* _RINGLB_OFFLINE_H */
