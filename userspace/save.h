/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * save.h - the configuration as commands, for those who print all of it or a part
 */
#ifndef _RINGLB_SAVE_H
#define _RINGLB_SAVE_H

#include <stdio.h>

#include "model.h"
#include "words.h"

struct tool;

int save_model(struct tool *t, struct model *m);
u64 save_service_has(const struct service *s);
int save_pairs(FILE *to, const struct keyword *k, u64 wanted, const void *object,
	       const void *unlike);
void save_head(FILE *to, const struct service *s);
void save_backend(FILE *to, const struct service *s, const struct backend *b);
void save_map(FILE *to, const struct service *s);
void save_service(FILE *to, const struct service *s);
void save_secret(FILE *to, const u8 *secret);

#endif /* _RINGLB_SAVE_H */
