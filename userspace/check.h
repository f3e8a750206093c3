/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.h - what the files of the command check have in common
 */
#ifndef _RINGLB_CHECK_H
#define _RINGLB_CHECK_H

#include "model.h"
#include "nl.h"
#include "out.h"

struct rules;

/**
 * struct check - a look at this host
 * @out: where findings go
 * @model: services and backends
 * @route: a session with the kernel's routing
 * @rules: the firewall's
 * @found: findings so far
 * @failed: no memory
 */
struct check {
	struct out *out;
	struct model model;
	struct session route;
	struct rules *rules;
	unsigned int found;
	bool failed;
};

char *check_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check_found(struct check *c, const char *finding, const char *about, char *text, char *cure);
long check_sysctl(const char *name);
const char *check_address(const struct endpoint *e, char text[ADDR_TEXT_MAX]);

/* Finders: each looks at one thing, and says what it finds. */

/* check_host.c */
void check_forwarding(struct check *c);
void check_rp_filter(struct check *c);
void check_vips(struct check *c);
void check_backends(struct check *c);
void check_answers(struct check *c);
void check_cids(struct check *c);
void check_conntrack(struct check *c);
void check_snat_ports(struct check *c);

/* check_tunnel.c */
void check_tunnels(struct check *c);

/* check_rules.c */
void check_unread(struct check *c);
void check_drops(struct check *c);
void check_masquerade(struct check *c);
void check_flowtable(struct check *c);
void check_notrack(struct check *c);

#endif /* _RINGLB_CHECK_H */
