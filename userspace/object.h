/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * object.h - what the files of the objects give to the table of commands and to each other
 */
#ifndef _RINGLB_OBJECT_H
#define _RINGLB_OBJECT_H

#include "grammar.h"
#include "tool.h"

/* *_parse*(): words to command; 0, or -1 with the error in @c. The others: an exit code. */

/* service.c */
int service_parse_add(struct cmd *c, struct command *command);
int service_parse_set(struct cmd *c, struct command *command);
int service_parse_name(struct cmd *c, struct command *command);
int service_parse_maybe_name(struct cmd *c, struct command *command);
int service_show(struct tool *t, const struct command *command);
bool service_sets_map(const struct command *command);
void service_facts(struct out *o, const struct service *s);
void service_key_facts(struct out *o, const struct service *s);

/* backend.c */
int backend_parse_add(struct cmd *c, struct command *command);
int backend_parse_set(struct cmd *c, struct command *command);
int backend_parse_state(struct cmd *c, struct command *command);
int backend_parse_del(struct cmd *c, struct command *command);
int backend_parse_show(struct cmd *c, struct command *command);
int backend_show(struct tool *t, const struct command *command);
void backend_nth(const struct command *command, size_t i, struct command *one);
#define BACKEND_TITLE_MAX (GRAMMAR_TITLE_MAX + ADDR_TEXT_MAX)
const char *backend_title(const struct command *command, char title[BACKEND_TITLE_MAX]);
void backend_facts(struct out *o, const char *service, const struct backend *b, u32 slots);

/* plan_cmd.c */
int plan_parse(struct cmd *c, struct command *command);
int plan_parse_from(struct cmd *c, struct command *command);
int plan_run(struct tool *t, const struct command *command);
int plan_run_from(struct tool *t, const struct command *command);

/* simulate.c */
int simulate_parse(struct cmd *c, struct command *command);
int simulate_parse_backends(struct cmd *c, struct command *command);
int simulate_run(struct tool *t, const struct command *command);

/* table.c */
int table_and_model(struct tool *t, const struct command *command, struct model *m,
		    struct table *table);
int table_lists(struct tool *t, struct service *s);
int table_show(struct tool *t, const struct command *command);
int table_map(struct tool *t, const struct command *command);
int table_digest(struct tool *t, const struct command *command);

/* lookup.c */
int lookup_parse(struct cmd *c, struct command *command);
int lookup_run(struct tool *t, const struct command *command);

/* flow.c */
int flow_parse_set(struct cmd *c, struct command *command);
int flow_show(struct tool *t, const struct command *command);
int flow_flush(struct tool *t, const struct command *command);
int flow_stats(struct tool *t, const struct command *command);

/* history.c */
int history_run(struct tool *t, const struct command *command);
void history_facts(struct out *o, const struct change_entry *e);

/* dev.c */
int dev_parse(struct cmd *c, struct command *command);
int dev_parse_show(struct cmd *c, struct command *command);
int dev_show(struct tool *t, const struct command *command);
void dev_facts(struct out *o, const struct dev *d);

/* export.c */
int flow_parse_export(struct cmd *c, struct command *command);
int flow_export(struct tool *t, const struct command *command);

/* import.c */
int flow_parse_import(struct cmd *c, struct command *command);
int flow_import(struct tool *t, const struct command *command);

/* secret.c */
int secret_parse_set(struct cmd *c, struct command *command);
int secret_show(struct tool *t, const struct command *command);
int secret_set(struct tool *t, const struct command *command);

/* change.c */
int change_run(struct tool *t, const struct command *command);

/* drain.c */
int drain_run(struct tool *t, const struct command *command);

/* save.c */
int save_parse(struct cmd *c, struct command *command);
int save_run(struct tool *t, const struct command *command);

/* apply.c */
int apply_parse(struct cmd *c, struct command *command);
int apply_run(struct tool *t, const struct command *command);

/* monitor.c */
int monitor_run(struct tool *t, const struct command *command);

/* check.c */
int check_run(struct tool *t, const struct command *command);

/* version.c */
int version_run(struct tool *t, const struct command *command);

/* help.c */
int help_parse(struct cmd *c, struct command *command);
int help_run(struct tool *t, const struct command *command);

#endif /* _RINGLB_OBJECT_H */
