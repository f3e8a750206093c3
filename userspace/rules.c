// SPDX-License-Identifier: GPL-2.0-only
/*
 * rules.c - the firewall's rules, and what they would do to a packet
 *
 * In: `nft -j list ruleset`, which has the rules of iptables-nft too. Out: what may become of
 * a packet that is not known whole. A rule that is not understood may apply or not, so that
 * "surely" is said of nothing that is not sure.
 */
#include "rules.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define JUMPS_MAX 16	/* as in the kernel */

/**
 * struct rules - all rules
 * @root: nft's answer
 * @all: its list of tables, chains, rules; borrowed from @root; NULL: it was not read
 * @no_nft: there is no such program
 */
struct rules {
	json_t *root;
	json_t *all;
	bool no_nft;
};

static json_t *run_nft(bool *no_nft)
{
	json_t *root;
	int status;
	FILE *f;

	fflush(NULL);
	f = popen("nft -j list ruleset 2>/dev/null", "re");
	if (!f)
		return NULL;
	root = json_loadf(f, 0, NULL);
	status = pclose(f);
	*no_nft = WIFEXITED(status) && WEXITSTATUS(status) == 127;	/* as sh says it */
	if (!status)
		return root;
	json_decref(root);
	return NULL;
}

/**
 * rules_read() - read all rules of this network namespace
 *
 * Return: the rules, perhaps not read; NULL if there is no memory.
 */
struct rules *rules_read(void)
{
	struct rules *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->root = run_nft(&r->no_nft);
	r->all = json_object_get(r->root, "nftables");
	return r;
}

void rules_free(struct rules *r)
{
	if (r)
		json_decref(r->root);
	free(r);
}

/* nft fails, too, where the kernel has no nftables; then there are no rules. */
bool rules_are_read(const struct rules *r)
{
	struct stat st;

	return r->all || (!r->no_nft && stat("/sys/module/nf_tables", &st));
}

static const char *str(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

/**
 * rules_chain() - the next chain that the kernel calls
 * @r: the rules
 * @at: where to go on; 0 at first
 * @c: out: the chain
 *
 * Return: false if there are no more.
 */
bool rules_chain(const struct rules *r, size_t *at, struct rules_chain *c)
{
	while (*at < json_array_size(r->all)) {
		json_t *chain = json_object_get(json_array_get(r->all, (*at)++), "chain");

		if (!json_object_get(chain, "hook"))
			continue;
		*c = (struct rules_chain){
			.family = str(chain, "family"),
			.table = str(chain, "table"),
			.name = str(chain, "name"),
			.hook = str(chain, "hook"),
			.type = str(chain, "type"),
			.priority = json_integer_value(json_object_get(chain, "prio")),
			.drops = !strcmp(str(chain, "policy"), "drop"),
		};
		return true;
	}
	return false;
}

/* Is this of the chain's table? */
static bool is_of(const json_t *object, const struct rules_chain *c)
{
	return !strcmp(str(object, "family"), c->family) &&
	       !strcmp(str(object, "table"), c->table);
}

struct json_t *rules_elements(const struct rules *r, const struct rules_chain *c,
			      const char *name)
{
	json_t *entry, *set;
	size_t i;

	json_array_foreach(r->all, i, entry) {
		set = json_object_get(entry, "set");
		if (!set)
			set = json_object_get(entry, "map");
		if (set && is_of(set, c) && !strcmp(str(set, "name"), name))
			return json_object_get(set, "elem");
	}
	return NULL;
}

/* A walk through chains: how deep it is, and whether the packet perhaps has left it */
struct walk {
	const struct rules *r;
	const struct rules_chain *base;
	const struct rules_packet *pkt;
	unsigned int depth;
	bool perhaps;
};

static unsigned int walk_chain(struct walk *w, const char *name);

/* A jump comes back at the end of the chain that it led to. */
static unsigned int walk_jump(struct walk *w, const json_t *verdict)
{
	unsigned int fate;

	if (w->depth == JUMPS_MAX)
		return RULES_ACCEPT | RULES_DROP | RULES_END;
	w->depth++;
	fate = walk_chain(w, str(verdict, "target"));
	w->depth--;
	return fate;
}

/* Fates of a verdict; 0: it is none. @ends: the rule's chain goes no further. */
static unsigned int verdict_fate(struct walk *w, const json_t *statement, bool *ends)
{
	static const struct {
		const char *word;
		unsigned int fate;
	} words[] = {
		{ "accept", RULES_ACCEPT },
		{ "drop", RULES_DROP },
		{ "reject", RULES_DROP },
		{ "queue", RULES_ACCEPT | RULES_DROP },
		{ "return", RULES_END },
		{ "masquerade", RULES_SOURCE },
		{ "snat", RULES_SOURCE },
		{ "redirect", RULES_ACCEPT },
		{ "dnat", RULES_ACCEPT },
	};
	json_t *jump = json_object_get(statement, "jump"), *go = json_object_get(statement, "goto");
	unsigned int fate;
	size_t i;

	*ends = true;
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (json_object_get(statement, words[i].word))
			return words[i].fate;
	if (go)
		return walk_jump(w, go);
	if (!jump)
		return 0;
	fate = walk_jump(w, jump);
	*ends = !(fate & RULES_END);
	return fate & ~RULES_END;
}

/* A map of verdicts: each element whose key may be the packet's */
static unsigned int vmap_fate(struct walk *w, json_t *vmap, bool *ends)
{
	json_t *data = json_object_get(vmap, "data"), *list, *entry;
	unsigned int fate = 0;
	size_t i;

	*ends = false;
	list = json_is_string(data) ? rules_elements(w->r, w->base, json_string_value(data) + 1) :
				      json_object_get(data, "set");
	json_array_foreach(list, i, entry) {
		enum rules_match m = rules_is(w->r, w->base, json_object_get(vmap, "key"),
					      json_array_get(entry, 0), w->pkt);
		bool one_ends;

		if (m == RULES_NO)
			continue;
		fate |= verdict_fate(w, json_array_get(entry, 1), &one_ends);
		if (m == RULES_YES) {
			*ends = one_ends;
			break;
		}
	}
	return fate;
}

/* Targets of iptables that nft does not translate */
static unsigned int xt_fate(json_t *xt, bool *ends)
{
	const char *name = str(xt, "name");

	*ends = true;
	if (!strcmp(name, "REJECT"))
		return RULES_DROP;
	if (!strcmp(name, "MASQUERADE") || !strcmp(name, "SNAT"))
		return RULES_SOURCE;
	*ends = false;
	if (!strcmp(name, "FLOWOFFLOAD"))
		return RULES_FLOW;
	return !strcmp(name, "CT") || !strcmp(name, "NOTRACK") ? RULES_NOTRACK : 0;
}

/* A statement with a verdict, or one that leaves a mark. */
static unsigned int statement_fate(struct walk *w, json_t *statement, bool *ends)
{
	json_t *vmap = json_object_get(statement, "vmap"), *xt = json_object_get(statement, "xt");
	unsigned int fate;

	if (vmap)
		return vmap_fate(w, vmap, ends);
	if (xt)
		return xt_fate(xt, ends);
	fate = verdict_fate(w, statement, ends);
	if (fate)
		return fate;
	*ends = false;
	if (json_object_get(statement, "flow"))
		return RULES_FLOW;
	if (!json_object_get(statement, "notrack"))
		return 0;
	return w->perhaps ? RULES_NOTRACK : RULES_NOTRACK | RULES_SURELY;
}

/* Does the packet get past this statement? */
static enum rules_match statement_match(struct walk *w, json_t *statement)
{
	json_t *match = json_object_get(statement, "match"), *xt = json_object_get(statement, "xt");

	if (match)
		return rules_match(w->r, w->base, match, w->pkt);
	if (json_object_get(statement, "limit") || json_object_get(statement, "quota"))
		return RULES_PERHAPS;
	return xt && strcmp(str(xt, "type"), "target") ? RULES_PERHAPS : RULES_YES;
}

/* What a rule may do. @ends: it surely is the last one for this packet. */
static unsigned int rule_fate(struct walk *w, json_t *statements, bool *ends)
{
	enum rules_match all = RULES_YES, one;
	bool perhaps = w->perhaps, stops = false;
	unsigned int fate = 0;
	json_t *statement;
	size_t i;

	*ends = false;
	json_array_foreach(statements, i, statement) {
		one = statement_match(w, statement);
		if (one < all)
			all = one;
		if (all == RULES_NO)
			break;
		w->perhaps = perhaps || all == RULES_PERHAPS;
		fate |= statement_fate(w, statement, &stops);
		if (stops)
			break;
	}
	*ends = stops && all == RULES_YES;
	w->perhaps = perhaps || (!*ends && fate & (RULES_ACCEPT | RULES_DROP | RULES_SOURCE));
	return fate;
}

static unsigned int walk_chain(struct walk *w, const char *name)
{
	unsigned int fate = 0;
	json_t *entry, *rule;
	bool ends;
	size_t i;

	json_array_foreach(w->r->all, i, entry) {
		rule = json_object_get(entry, "rule");
		if (!rule || !is_of(rule, w->base) || strcmp(str(rule, "chain"), name))
			continue;
		fate |= rule_fate(w, json_object_get(rule, "expr"), &ends);
		if (ends)
			return fate;
	}
	return fate | RULES_END;
}

/**
 * rules_walk() - what a chain may do to a packet
 * @r: the rules
 * @c: the chain
 * @pkt: the packet
 *
 * Return: bits of enum rules_fate; RULES_DROP alone: it is surely dropped. 0: the chain sees
 *	no packets of this family.
 */
unsigned int rules_walk(const struct rules *r, const struct rules_chain *c,
			const struct rules_packet *pkt)
{
	struct walk w = { .r = r, .base = c, .pkt = pkt };
	unsigned int fate;

	if (strcmp(c->family, "inet") && strcmp(c->family, pkt->family == AF_INET ? "ip" : "ip6"))
		return 0;
	fate = walk_chain(&w, c->name);
	if (fate & RULES_END)
		fate |= c->drops ? RULES_DROP : RULES_ACCEPT;
	return fate & ~RULES_END;
}
