// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_rules.c - the command check: rules of the firewall that harm flows of services
 *
 * In: services and backends, the firewall's rules. Out: findings, one for a chain and a
 * service. Packets are rewritten before conntrack and before every filter, and answers after
 * the last one: so rules see client and backend, and never the VIP, but for those of raw
 * tables.
 */
#include <linux/netfilter_ipv4.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "route.h"
#include "rules.h"
#include "words.h"

#define PRIORITY_REQUEST (NF_IP_PRI_CONNTRACK - 10)	/* where requests are rewritten */

/* A flow between anybody and a backend, in a chain */
struct flow {
	const struct check *c;
	const struct rules_chain *chain;
	const struct service *s;
	struct endpoint backend;
	const char *device;	/* towards it, or NULL */
};

/**
 * struct kind - a way in which a chain can harm flows
 * @finding: its word
 * @hook: of chains that can
 * @type: of these chains, or NULL: any
 * @harms: does the chain?
 * @text: how
 * @before: how rules of the cure begin
 * @requests: the cure is about packets to backends
 * @answers: the cure is about packets from backends
 * @vip: the cure is about packets to the VIP
 * @verdict: of the cure
 */
struct kind {
	const char *finding;
	const char *hook;
	const char *type;
	bool (*harms)(const struct flow *f);
	const char *text;
	const char *before;
	bool requests;
	bool answers;
	bool vip;
	const char *verdict;
};

static unsigned int walk(const struct flow *f, const struct endpoint *src,
			 const struct endpoint *dst, const char *state)
{
	struct rules_packet pkt = {
		.family = f->s->vip.family,
		.protocol = f->s->protocol,
		.src = src,
		.dst = dst,
		.in = src ? f->device : NULL,
		.out = dst ? f->device : NULL,
		.state = state,
	};

	return rules_walk(f->c->rules, f->chain, &pkt);
}

static unsigned int walk_request(const struct flow *f, const char *state)
{
	return walk(f, NULL, &f->backend, state);
}

static unsigned int walk_answer(const struct flow *f, const char *state)
{
	return walk(f, &f->backend, NULL, state);
}

static bool drops_requests(const struct flow *f)
{
	return walk_request(f, "new") == RULES_DROP;
}

static bool drops_answers(const struct flow *f)
{
	return walk_answer(f, "established") == RULES_DROP;
}

static bool rewrites_answers(const struct flow *f)
{
	return walk_answer(f, "new") & RULES_SOURCE;
}

static bool offloads(const struct flow *f)
{
	return (walk_request(f, "established") | walk_answer(f, "established")) & RULES_FLOW;
}

/* A packet to the VIP, before it is routed or rewritten */
static unsigned int walk_to_vip(const struct flow *f)
{
	struct rules_packet pkt = {
		.family = f->s->vip.family,
		.protocol = f->s->protocol,
		.dst = &f->s->vip,
	};

	return f->chain->priority < PRIORITY_REQUEST ? rules_walk(f->c->rules, f->chain, &pkt) : 0;
}

static bool untracks_requests(const struct flow *f)
{
	return walk_to_vip(f) & RULES_NOTRACK;
}

static bool untracks_all_requests(const struct flow *f)
{
	return walk_to_vip(f) & RULES_SURELY;
}

static bool untracks_answers(const struct flow *f)
{
	return f->chain->priority < NF_IP_PRI_CONNTRACK &&
	       walk_answer(f, NULL) & RULES_SURELY;
}

/* Does any chain do it? */
static bool any_chain(const struct flow *f, bool (*does)(const struct flow *f))
{
	struct rules_chain chain;
	struct flow other = *f;
	size_t at = 0;

	other.chain = &chain;
	while (rules_chain(f->c->rules, &at, &chain))
		if (!strcmp(chain.hook, "prerouting") && does(&other))
			return true;
	return false;
}

static bool untracks_requests_alone(const struct flow *f)
{
	return untracks_requests(f) && !any_chain(f, untracks_answers);
}

static bool untracks_answers_alone(const struct flow *f)
{
	return untracks_answers(f) && !any_chain(f, untracks_all_requests);
}

/* At which port a backend gets packets; the first, if they keep theirs */
static u16 port_of(const struct service *s, size_t i)
{
	return service_real(s, &s->backends[i].at).port;
}

static void put_address(FILE *to, const struct endpoint *e)
{
	char text[ADDR_TEXT_MAX];

	fputs(check_address(e, text), to);
}

/* A backend's port, or the first of those that packets of a service keep */
static void put_port(FILE *to, const struct service *s, u16 port)
{
	fprintf(to, "%u", port);
	if (s->vip.last)
		fprintf(to, "-%u", s->vip.last);
}

/* "ip saddr { 10.0.0.1, 10.0.0.2 } tcp sport 80": backends that are @harmed and have @port */
static void put_backends(FILE *to, const struct service *s, const bool *harmed, u16 port,
			 const char *side)
{
	const char *between = "";
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += harmed[i] && port_of(s, i) == port;
	fprintf(to, "%s %saddr %s", s->vip.family == AF_INET ? "ip" : "ip6", side,
		n > 1 ? "{ " : "");
	for (i = 0; i < s->n; i++) {
		if (!harmed[i] || port_of(s, i) != port)
			continue;
		fputs(between, to);
		put_address(to, &s->backends[i].at);
		between = ", ";
	}
	fputs(n > 1 ? " }" : "", to);
	if (service_is_any(s))
		return;
	fprintf(to, " %s %sport ", word_protocol(s->protocol), side);
	put_port(to, s, port);
}

static void put_vip(FILE *to, const struct service *s)
{
	if (s->vip.mask) {
		fprintf(to, "meta mark & %#x == %#x", s->vip.mask, s->vip.mark);
		if (!service_is_any(s))
			fprintf(to, " meta l4proto %s", word_protocol(s->protocol));
		return;
	}
	fprintf(to, "%s daddr ", s->vip.family == AF_INET ? "ip" : "ip6");
	put_address(to, &s->vip);
	if (service_is_any(s))
		return;
	fprintf(to, " %s dport ", word_protocol(s->protocol));
	put_port(to, s, s->vip.port);
}

/* A cure in the making */
struct cure {
	const struct kind *kind;
	const struct rules_chain *chain;
	const struct service *s;
	const bool *harmed;
	FILE *to;
	bool any;
};

/* One command of the cure. @side: s, d, or NULL for the VIP */
static void put_command(struct cure *u, u16 port, const char *side)
{
	fprintf(u->to, "%snft insert rule %s %s %s %s", u->any ? " && " : "", u->chain->family,
		u->chain->table, u->chain->name, u->kind->before);
	if (side)
		put_backends(u->to, u->s, u->harmed, port, side);
	else
		put_vip(u->to, u->s);
	fprintf(u->to, " %s", u->kind->verdict);
	u->any = true;
}

/* Has a backend before @i, harmed too, its port? */
static bool is_seen(const struct service *s, const bool *harmed, size_t i)
{
	size_t before;

	for (before = 0; before < i; before++)
		if (harmed[before] && port_of(s, before) == port_of(s, i))
			return true;
	return false;
}

/* Commands for all that is harmed, of each port together; NULL if there is no memory */
static char *cure_text(struct cure *u)
{
	char *text = NULL;
	size_t size, i;

	u->to = open_memstream(&text, &size);
	if (!u->to)
		return NULL;
	if (u->kind->vip)
		put_command(u, 0, NULL);
	for (i = 0; i < u->s->n && !u->kind->vip; i++) {
		u16 port = port_of(u->s, i);

		if (!u->harmed[i] || is_seen(u->s, u->harmed, i))
			continue;
		if (u->kind->requests)
			put_command(u, port, "d");
		if (u->kind->answers)
			put_command(u, port, "s");
	}
	return fclose(u->to) ? NULL : text;
}

/* Which backends of a service does a chain harm? Whether any. */
static bool look(struct check *c, const struct kind *k, const struct rules_chain *chain,
		 const struct service *s, bool *harmed)
{
	struct flow f = { .c = c, .chain = chain, .s = s };
	struct route r;
	bool any = false;
	size_t i;

	for (i = 0; i < s->n; i++) {
		f.backend = service_real(s, &s->backends[i].at);
		f.device = !route_get(&c->route, &f.backend, &r) && *r.device ? r.device : NULL;
		harmed[i] = k->harms(&f);
		any |= harmed[i];
	}
	return any;
}

static void look_at_chain(struct check *c, const struct kind *k, const struct rules_chain *chain)
{
	bool harmed[RINGLB_BACKENDS_MAX];
	size_t i;

	for (i = 0; i < c->model.n; i++) {
		const struct service *s = c->model.services[i];
		struct cure u = { .kind = k, .chain = chain, .s = s, .harmed = harmed };

		if (service_is_nat(s) && look(c, k, chain, s, harmed))
			check_found(c, k->finding, s->name,
				    check_say("chain %s of table %s %s %s", chain->name,
					      chain->family, chain->table, k->text),
				    cure_text(&u));
	}
}

static void find_kind(struct check *c, const struct kind *k)
{
	struct rules_chain chain;
	size_t at = 0;

	while (rules_chain(c->rules, &at, &chain))
		if (!strcmp(chain.hook, k->hook) && (!k->type || !strcmp(chain.type, k->type)))
			look_at_chain(c, k, &chain);
}

/* Finds rules that cannot be read. */
void check_unread(struct check *c)
{
	if (!rules_are_read(c->rules))
		check_found(c, "firewall_unread", "nft",
			    check_say("the firewall's rules were not read: nft is not there, or failed"),
			    check_say("apt-get install nftables"));
}

/* Finds filters that let no packets pass between clients and backends. */
void check_drops(struct check *c)
{
	static const struct kind requests = {
		.finding = "firewall_drops",
		.hook = "forward",
		.harms = drops_requests,
		.text = "drops new flows to backends, which it sees in place of the VIP",
		.before = "",
		.requests = true,
		.verdict = "accept",
	};
	static const struct kind answers = {
		.finding = "firewall_drops",
		.hook = "forward",
		.harms = drops_answers,
		.text = "drops answers of backends",
		.before = "",
		.answers = true,
		.verdict = "accept",
	};

	find_kind(c, &requests);
	find_kind(c, &answers);
}

/* Finds rules after which conntrack sees half of a flow, which filters then call invalid. */
void check_notrack(struct check *c)
{
	static const struct kind requests = {
		.finding = "half_tracked",
		.hook = "prerouting",
		.harms = untracks_requests_alone,
		.text = "hides packets to the VIP from conntrack, but not the answers, which are then invalid to it",
		.before = "",
		.answers = true,
		.verdict = "notrack",
	};
	static const struct kind answers = {
		.finding = "half_tracked",
		.hook = "prerouting",
		.harms = untracks_answers_alone,
		.text = "hides backends' answers from conntrack, but not packets to the VIP",
		.before = "",
		.vip = true,
		.verdict = "notrack",
	};

	find_kind(c, &requests);
	find_kind(c, &answers);
}

/* Finds rules that would give a backend's answer another source than the one it is known by. */
void check_masquerade(struct check *c)
{
	static const struct kind kind = {
		.finding = "masquerade",
		.hook = "postrouting",
		.type = "nat",
		.harms = rewrites_answers,
		.text = "rewrites the source of backends' answers that conntrack does not know, and they never come from the VIP",
		.before = "",
		.answers = true,
		.verdict = "accept",
	};

	find_kind(c, &kind);
}

/* Finds flowtables: what they forward goes round every hook, so answers keep their source. */
void check_flowtable(struct check *c)
{
	static const struct kind kind = {
		.finding = "flowtable",
		.hook = "forward",
		.harms = offloads,
		.text = "puts flows of backends into a flowtable, and their answers go to clients untranslated",
		.before = "ct state established ",
		.requests = true,
		.answers = true,
		.verdict = "accept",
	};

	find_kind(c, &kind);
}
