// SPDX-License-Identifier: GPL-2.0-only
/*
 * grammar.c - the table of all commands, and from words to one of them
 *
 * In: words. Out: a command, whole, or one sentence about what is wrong. Parsing, help and
 * what may stand in a file all follow from the one table here.
 */
#include "grammar.h"

#include <stdio.h>
#include <string.h>

#include "object.h"

#define BACKEND_CHANGES (BIT(RINGLB_A_BACKEND_ID) | BIT(RINGLB_A_BACKEND_WEIGHT) | \
			 BIT(RINGLB_A_BACKEND_STATE) | BIT(RINGLB_A_BACKEND_SLOW_START))

#define SIMULATE_OPTIONS (BIT(RINGLB_A_SERVICE_SLOTS) | BIT(RINGLB_A_SERVICE_SLACK) | \
			  BIT(RINGLB_A_SERVICE_VNODES) | BIT(SIMULATE_SEED) | \
			  BIT(SIMULATE_PCAP) | BIT(SIMULATE_PLOT) | BIT(SIMULATE_METHOD))

const struct grammar grammar[] = {
	{
		"service", "add", "NAME {tcp|udp|sctp ADDR:PORT|ADDR:FIRST-LAST|ADDR:*|ADDR/BITS:PORT|mark:N/MASK | any ADDR|ADDR/BITS|mark:N/MASK}",
		"serve a protocol, an address or prefix, and a port, several or all by backends; or every protocol",
		service_keywords, 0, (SERVICE_CHANGES & ~BIT(SERVICE_MAP)) | SERVICE_SNAT |
				     SERVICE_MODE | BIT(RINGLB_A_SERVICE_FORCE),
		G_CHANGES, RINGLB_CMD_SERVICE_NEW, service_parse_add, change_run,
	}, {
		"service", "set", "NAME", "change what is given, at least one",
		service_keywords, 0, SERVICE_CHANGES | BIT(RINGLB_A_SERVICE_IF_GENERATION) |
				     BIT(RINGLB_A_SERVICE_FORCE),
		G_CHANGES, RINGLB_CMD_SERVICE_SET, service_parse_set, change_run,
	}, {
		"service", "del", "NAME", "remove a service and its backends",
		.flags = G_CHANGES, .cmd = RINGLB_CMD_SERVICE_DEL,
		.parse = service_parse_name, .run = change_run,
	}, {
		"service", "show", "[NAME]", "show services; with -s their counters",
		.flags = G_OFFLINE, .parse = service_parse_maybe_name, .run = service_show,
	}, {
		"backend", "add", "SERVICE ADDR[:PORT]...",
		"add backends; without a port they get packets with the service's port",
		backend_keywords, 0, BACKEND_CHANGES | BIT(BACKEND_IF_GENERATION),
		G_CHANGES, RINGLB_CMD_BACKEND_NEW, backend_parse_add, change_run,
	}, {
		"backend", "set", "SERVICE ADDR[:PORT]...", "change what is given, at least one",
		backend_keywords, 0, BACKEND_CHANGES | BIT(BACKEND_IF_GENERATION),
		G_CHANGES, RINGLB_CMD_BACKEND_SET, backend_parse_set, change_run,
	}, {
		"backend", "up", "SERVICE ADDR[:PORT]...", "let backends take their flows",
		backend_keywords, 0, BIT(BACKEND_IF_GENERATION),
		G_CHANGES, RINGLB_CMD_BACKEND_SET, backend_parse_state, change_run,
	}, {
		"backend", "drain", "SERVICE ADDR[:PORT]...",
		"let backends keep their flows and get no new ones, unless no other is up",
		backend_keywords, 0, BIT(BACKEND_IF_GENERATION) | BIT(BACKEND_WAIT),
		G_CHANGES, RINGLB_CMD_BACKEND_SET, backend_parse_state, drain_run,
	}, {
		"backend", "down", "SERVICE ADDR[:PORT]...", "give all their flows to others",
		backend_keywords, 0, BIT(BACKEND_IF_GENERATION),
		G_CHANGES, RINGLB_CMD_BACKEND_SET, backend_parse_state, change_run,
	}, {
		"backend", "del", "SERVICE ADDR[:PORT]... [drain [wait SECONDS]]",
		"remove backends; with drain, when their flows have ended",
		backend_keywords, 0, BIT(BACKEND_IF_GENERATION),
		G_CHANGES, RINGLB_CMD_BACKEND_DEL, backend_parse_del, drain_run,
	}, {
		"backend", "show", "[SERVICE [ADDR[:PORT]]]",
		"show backends and their shares; with -s their counters",
		.flags = G_OFFLINE, .parse = backend_parse_show, .run = backend_show,
	}, {
		"lookup", NULL, "{tcp|udp|sctp SRC:PORT DST:PORT | NUMBER SRC DST}",
		"say where a packet of a client goes, and why",
		lookup_keywords, 0, BIT(RINGLB_A_LOOKUP_MARK) | BIT(RINGLB_A_LOOKUP_CID),
		.flags = G_OFFLINE, .parse = lookup_parse, .run = lookup_run,
	}, {
		"plan", NULL, "SERVICE CHANGE [CHANGE...] [limit P%] [plot FILE]",
		"say what changes will move if they are made together",
		.flags = G_OFFLINE, .parse = plan_parse, .run = plan_run,
	}, {
		"plan", "from", "FILE to FILE [limit P%]",
		"say what moves between two files of commands",
		.parse = plan_parse_from, .run = plan_run_from,
	}, {
		"simulate", NULL, "SERVICE",
		"all methods side by side, with the backends of a service",
		simulate_keywords, 0, SIMULATE_OPTIONS,
		G_OFFLINE, .parse = simulate_parse, .run = simulate_run,
	}, {
		"simulate", "backends", "COUNT",
		"all methods side by side, with so many backends",
		simulate_keywords, 0, SIMULATE_OPTIONS | BIT(SIMULATE_WEIGHT),
		.parse = simulate_parse_backends, .run = simulate_run,
	}, {
		"table", "show", "SERVICE",
		"show shares beside weights; with -j the owner of each slot",
		.flags = G_OFFLINE, .parse = service_parse_name, .run = table_show,
	}, {
		"table", "map", "SERVICE",
		"print who owns which slots, as service set reads it after map",
		.flags = G_OFFLINE, .parse = service_parse_name, .run = table_map,
	}, {
		"table", "digest", "[SERVICE]",
		"one line a service, equal on gateways that choose alike",
		.flags = G_OFFLINE, .parse = service_parse_maybe_name, .run = table_digest,
	}, {
		"flow", "show", "[SERVICE [ADDR[:PORT]]]",
		"show the flows that are remembered, with their backends",
		.parse = backend_parse_show, .run = flow_show,
	}, {
		"flow", "flush", "[SERVICE [ADDR[:PORT]]]",
		"forget flows: their next packets go where new flows go",
		.parse = backend_parse_show, .run = flow_flush,
	}, {
		"flow", "set", "", "change how many flows may be remembered",
		flow_keywords, BIT(RINGLB_A_FLOWS_LIMIT), BIT(RINGLB_A_FLOWS_LIMIT),
		G_CHANGES, RINGLB_CMD_FLOW_SET, flow_parse_set, change_run,
	}, {
		"flow", "stats", "", "show how full the flow table is, and what happened to flows",
		.run = flow_stats,
	}, {
		"flow", "export", "[SERVICE] [follow]",
		"print flows for another gateway; with follow what changes, until interrupted",
		export_keywords, 0, BIT(EXPORT_BUFFER),
		.parse = flow_parse_export, .run = flow_export,
	}, {
		"flow", "import", "[FILE|-] [replace]",
		"remember flows as another gateway has them",
		.parse = flow_parse_import, .run = flow_import,
	}, {
		"dev", "add", "DEV",
		"let packets that a device receives take the fast path, past firewall and conntrack",
		.flags = G_CHANGES, .cmd = RINGLB_CMD_DEV_NEW,
		.parse = dev_parse, .run = change_run,
	}, {
		"dev", "del", "DEV", "let them all take the way through the stack",
		.flags = G_CHANGES, .cmd = RINGLB_CMD_DEV_DEL,
		.parse = dev_parse, .run = change_run,
	}, {
		"dev", "show", "[DEV]",
		"show devices with the fast path; with -s what took it, and why others did not",
		.parse = dev_parse_show, .run = dev_show,
	}, {
		"secret", "show", "", "show the hash key and its fingerprint",
		.parse = NULL, .run = secret_show,
	}, {
		"secret", "set", "HEX|random|-",
		"set the hash key: 32 hex digits, new ones, or those on standard input",
		secret_keywords, 0, BIT(RINGLB_A_SECRET_FORCE),
		G_CHANGES, RINGLB_CMD_SECRET_SET, secret_parse_set, secret_set,
	}, {
		"save", NULL, "[secret]",
		"print the configuration as commands; the hash key only if asked for",
		.flags = G_OFFLINE, .parse = save_parse, .run = save_run,
	}, {
		"apply", NULL, "FILE|- [dry]",
		"make the configuration what a file says: change what differs, print it; with dry print it only",
		.flags = G_OFFLINE, .parse = apply_parse, .run = apply_run,
	}, {
		"monitor", NULL, "", "print a line for each change, until interrupted",
		.run = monitor_run,
	}, {
		"history", NULL, "[SERVICE]",
		"print the last changes: what they moved, and what became of flows since",
		.parse = service_parse_maybe_name, .run = history_run,
	}, {
		"check", NULL, "",
		"say what of this host's set-up will not work, and what mends it",
		.run = check_run,
	}, {
		"flush", NULL, "", "remove all services and devices of the network namespace",
		.flags = G_CHANGES, .cmd = RINGLB_CMD_FLUSH, .run = change_run,
	}, {
		"version", NULL, "",
		"show the versions of tool and module; with -s drops of no service",
		.run = version_run,
	}, {
		"help", NULL, "[OBJECT]", "show this, or the commands of one object",
		.flags = G_OFFLINE, .parse = help_parse, .run = help_run,
	},
};

const size_t grammar_size = sizeof(grammar) / sizeof(grammar[0]);

/* "service add", "lookup" */
const char *grammar_title(const struct grammar *g, char title[GRAMMAR_TITLE_MAX])
{
	snprintf(title, GRAMMAR_TITLE_MAX, "%s%s%s", g->object, g->verb ? " " : "",
		 g->verb ? g->verb : "");
	return title;
}

/**
 * grammar_usage() - a command with all its words
 * @g: the command
 * @usage: where it goes
 *
 * Return: @usage: "service add NAME ... [method rendezvous|ring|maglev]".
 */
const char *grammar_usage(const struct grammar *g, char usage[GRAMMAR_USAGE_MAX])
{
	char title[GRAMMAR_TITLE_MAX];
	const struct keyword *k;
	size_t len;

	len = snprintf(usage, GRAMMAR_USAGE_MAX, "%s%s%s", grammar_title(g, title),
		       *g->words ? " " : "", g->words);
	for (k = g->keywords; k && k->word && len < GRAMMAR_USAGE_MAX; k++) {
		if (g->allowed >> k->attr & 1)
			len += snprintf(usage + len, GRAMMAR_USAGE_MAX - len,
					g->required >> k->attr & 1 ? " %s %s" : " [%s %s]",
					k->word, k->values);
	}
	return usage;
}

bool grammar_has_object(const char *object)
{
	size_t i;

	for (i = 0; i < grammar_size; i++)
		if (!strcmp(grammar[i].object, object))
			return true;
	return false;
}

/* Add a word to "a, b or c". */
static void list_add(char *to, size_t size, const char *word, bool first, bool last)
{
	size_t len = strlen(to);

	snprintf(to + len, size - len, "%s%s", first ? "" : last ? " or " : ", ", word);
}

/* Is this the last line of its object? */
static bool object_ends(size_t i)
{
	return i + 1 == grammar_size || strcmp(grammar[i + 1].object, grammar[i].object);
}

/* All objects and commands without object: "service, backend or help" */
const char *grammar_objects(char *to, size_t size)
{
	size_t i;

	*to = '\0';
	for (i = 0; i < grammar_size; i++)
		if (object_ends(i))
			list_add(to, size, grammar[i].object, !*to, i + 1 == grammar_size);
	return to;
}

static const char *verbs(const char *object, char *to, size_t size)
{
	size_t i;

	*to = '\0';
	for (i = 0; i < grammar_size; i++)
		if (!strcmp(grammar[i].object, object))
			list_add(to, size, grammar[i].verb, !*to, object_ends(i));
	return to;
}

static const struct grammar *find(const char *object, const char *verb)
{
	size_t i;

	for (i = 0; i < grammar_size; i++)
		if (!strcmp(grammar[i].object, object) &&
		    (!grammar[i].verb || !verb || !strcmp(grammar[i].verb, verb)))
			return &grammar[i];
	return NULL;
}

/*
 * A command without a verb may be followed by one that has. A service may bear that verb as
 * its name, and then an object follows.
 */
static const struct grammar *with_verb(struct cmd *c, const struct grammar *g)
{
	const struct grammar *next = g + 1;

	if (next == grammar + grammar_size || strcmp(next->object, g->object) || !cmd_more(c) ||
	    strcmp(next->verb, c->word[c->at]))
		return g;
	if (c->at + 1 < c->n && grammar_has_object(c->word[c->at + 1]))
		return g;
	c->at++;
	return next;
}

/* Which command is it? NULL after an error. */
static const struct grammar *parse_title(struct cmd *c)
{
	char expected[224], list[192], what[64];
	const struct grammar *g;
	const char *object, *verb;

	object = cmd_next(c, "command", grammar_objects(list, sizeof(list)));
	if (!object)
		return NULL;
	g = find(object, NULL);
	if (!g) {
		snprintf(expected, sizeof(expected), "expected %s", list);
		cmd_bad(c, NULL, object, expected);
		return NULL;
	}
	if (!g->verb)
		return with_verb(c, g);
	snprintf(what, sizeof(what), "command of %s", object);
	verb = cmd_next(c, what, verbs(object, list, sizeof(list)));
	if (!verb)
		return NULL;
	g = find(object, verb);
	if (!g) {
		snprintf(expected, sizeof(expected), "expected %s", list);
		cmd_bad(c, what, verb, expected);
	}
	return g;
}

/**
 * grammar_parse() - words to a command
 * @c: the words; has the error after a failure
 * @command: out: the command; undefined after a failure. May point at the words.
 *
 * Return: 0 or -1.
 */
int grammar_parse(struct cmd *c, struct command *command)
{
	const struct grammar *g = parse_title(c);

	if (!g)
		return -1;
	memset(command, 0, sizeof(*command));
	command->g = g;
	command->cmd = g->cmd;
	return g->parse ? g->parse(c, command) : cmd_end(c);
}
