/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - the firewall's rules, and what they would do to a packet
 */
#ifndef _RINGLB_RULES_H
#define _RINGLB_RULES_H

#include <stdbool.h>

#include "addr.h"

struct json_t;
struct rules;

/**
 * struct rules_packet - a packet as far as it is known
 * @protocol: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
 * @src: its source, or NULL: anybody's
 * @dst: its destination, or NULL: anybody's
 * @in: the device by which it came, or NULL: any but @out
 * @out: the device by which it leaves, or NULL: any but @in
 * @state: of its connection, as ct state says it
 */
struct rules_packet {
	u8 family;
	u32 protocol;
	const struct endpoint *src;
	const struct endpoint *dst;
	const char *in;
	const char *out;
	const char *state;
};

/* What may become of it: bits */
enum rules_fate {
	RULES_ACCEPT = 1,
	RULES_DROP = 2,		/* or reject */
	RULES_SOURCE = 4,	/* its source is rewritten */
	RULES_FLOW = 8,		/* its connection goes into a flowtable */
	RULES_NOTRACK = 16,	/* conntrack leaves it alone */
	RULES_SURELY = 32,	/* beside RULES_NOTRACK: that is sure */
	RULES_END = 64,		/* end of a chain; private to rules.c */
};

/* Whether a rule is about a packet of which not all is known. The least of several is all. */
enum rules_match {
	RULES_NO,
	RULES_PERHAPS,
	RULES_YES,
};

/**
 * struct rules_chain - a chain that the kernel calls
 * @type: filter, nat, route
 * @priority: where among others
 */
struct rules_chain {
	const char *family;
	const char *table;
	const char *name;
	const char *hook;
	const char *type;
	int priority;
	bool drops;	/* its policy */
};

struct rules *rules_read(void);
void rules_free(struct rules *r);
bool rules_are_read(const struct rules *r);
bool rules_chain(const struct rules *r, size_t *at, struct rules_chain *c);
unsigned int rules_walk(const struct rules *r, const struct rules_chain *c,
			const struct rules_packet *pkt);

/* rules_match.c */
enum rules_match rules_match(const struct rules *r, const struct rules_chain *c,
			     struct json_t *match, const struct rules_packet *pkt);
enum rules_match rules_is(const struct rules *r, const struct rules_chain *c,
			  struct json_t *left, struct json_t *right,
			  const struct rules_packet *pkt);

/* rules.c: elements of a named set or map of the chain's table, or NULL */
struct json_t *rules_elements(const struct rules *r, const struct rules_chain *c,
			      const char *name);

#endif /* _RINGLB_RULES_H */
