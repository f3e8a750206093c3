/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * grammar.h - the table of all commands, for those who parse, run, send and explain them
 */
#ifndef _RINGLB_GRAMMAR_H
#define _RINGLB_GRAMMAR_H

#include "cmd.h"
#include "model.h"

struct grammar;
struct tool;

enum secret_from {
	SECRET_WORD,
	SECRET_RANDOM,
	SECRET_STDIN,
};

/**
 * struct command - a command after parsing
 * @g: which one
 * @cmd: enum ringlb_cmd, of those that change something: @g's, unless words make it another
 * @line: its line in a file; 0: it is none of a file
 * @has_service: a service was named
 * @has_backend: a backend was named
 * @several: it is one of several backends that one command names
 * @more: the words of further backends, for which the same is to be done; see backend_nth()
 * @n_more: how many
 * @with_secret: save: the secret too
 * @export: flow export: how
 * @replace: flow import: whatever is remembered of the flows
 * @from: flow import, apply: a file, or "-"
 * @dry: apply: show what would be done
 * @force: secret set: even if flows are lost that are kept from an earlier change
 * @plan: what is planned: changes as words, a limit in tenths of a percent, files
 * @simulate: what is simulated
 * @topic: help: an object; NULL: all
 */
struct command {
	const struct grammar *g;
	int cmd;
	unsigned int line;
	bool has_service;
	bool has_backend;
	bool several;
	bool with_secret;
	struct export_options export;
	bool replace;
	const char *from;
	bool dry;
	enum secret_from secret_from;
	const char *topic;
	char **more;
	size_t n_more;
	struct force force;
	struct {
		char **word;
		int n;
		bool has_limit;
		u32 limit;
		const char *from;
		const char *to;
		const char *plot;
	} plan;
	union {
		struct {
			struct service service;
			struct backend backend;
		};
		struct simulate simulate;
		struct lookup lookup;
		struct flows flows;
		struct dev dev;
		u8 secret[RINGLB_SECRET_LEN];
	};
};

/* Mask of what service add may give, and service set not: how packets go to backends */
#define SERVICE_MODE (BIT(RINGLB_A_SERVICE_MODE) | BIT(RINGLB_A_SERVICE_TUNNEL) | \
		      BIT(RINGLB_A_SERVICE_TUNNEL_PORT))

/* Mask of what goes with key quic-cid */
#define SERVICE_CID (BIT(RINGLB_A_SERVICE_CID_CONFIG) | BIT(RINGLB_A_SERVICE_SID_LENGTH))

/* Mask of what service set may give, and service add but for a map */
#define SERVICE_CHANGES (BIT(RINGLB_A_SERVICE_METHOD) | BIT(RINGLB_A_SERVICE_KEY) | SERVICE_CID | \
			 BIT(RINGLB_A_SERVICE_SLOTS) | BIT(RINGLB_A_SERVICE_SLACK) | \
			 BIT(RINGLB_A_SERVICE_VNODES) | BIT(RINGLB_A_SERVICE_SEATS) | \
			 BIT(SERVICE_MAP) | BIT(RINGLB_A_SERVICE_SETTLE) | \
			 BIT(RINGLB_A_SERVICE_TRACK) | BIT(RINGLB_A_SERVICE_TIMEOUT) | \
			 BIT(RINGLB_A_SERVICE_DRAIN_TIMEOUT) | \
			 BIT(RINGLB_A_SERVICE_LAST_RESORT) | BIT(RINGLB_A_SERVICE_UDP_DRAIN) | \
			 BIT(RINGLB_A_SERVICE_NONE))

/* What service add alone may give, FORCE apart */
#define SERVICE_SNAT (BIT(RINGLB_A_SERVICE_SNAT) | BIT(RINGLB_A_SERVICE_SNAT_IPV4) | \
		      BIT(RINGLB_A_SERVICE_SNAT_PORTS))

#define G_CHANGES 1	/* changes something: may stand in a file of commands */
#define G_OFFLINE 2	/* can be answered from a file */

/**
 * struct grammar - a command there is
 * @object: its first word
 * @verb: its second; NULL: it has none
 * @words: what follows, before the pairs
 * @does: what it does, for help
 * @keywords: of the pairs that may follow
 * @required: mask of the pairs that must
 * @allowed: mask of the pairs that may
 * @flags: G_*
 * @cmd: enum ringlb_cmd, of those that change something
 * @parse: words to command; 0 or -1
 * @run: does it; an exit code
 */
struct grammar {
	const char *object;
	const char *verb;
	const char *words;
	const char *does;
	const struct keyword *keywords;
	u64 required;
	u64 allowed;
	unsigned int flags;
	int cmd;
	int (*parse)(struct cmd *c, struct command *command);
	int (*run)(struct tool *t, const struct command *command);
};

#define GRAMMAR_USAGE_MAX 640
#define GRAMMAR_TITLE_MAX 32

extern const struct grammar grammar[];
extern const size_t grammar_size;

int grammar_parse(struct cmd *c, struct command *command);
const char *grammar_title(const struct grammar *g, char title[GRAMMAR_TITLE_MAX]);
const char *grammar_usage(const struct grammar *g, char usage[GRAMMAR_USAGE_MAX]);
bool grammar_has_object(const char *object);
const char *grammar_objects(char *to, size_t size);

#endif /* _RINGLB_GRAMMAR_H */
