// SPDX-License-Identifier: GPL-2.0-only
/*
 * offline_table.c - tables and lookups without a kernel
 *
 * In: a model. Out: what a module with this configuration would answer. Slots and choices
 * come from module/lookup, as in the module.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "cid.h"
#include "lookup.h"
#include "map.h"
#include "offline.h"

/**
 * offline_members() - the members of a service: its backends with a weight, in their order
 * @s: the service
 * @m: out: room for all of its backends
 *
 * Return: how many.
 */
u32 offline_members(const struct service *s, struct rlb_member *m)
{
	const struct backend *b;
	u32 n = 0;

	for (b = s->backends; b < s->backends + s->n; b++) {
		if (!b->weight)
			continue;
		m[n].id = HAS(b, RINGLB_A_BACKEND_ID) ? b->id : RLB_NO_ID;
		m[n].ident = m[n].id != RLB_NO_ID ? rlb_ident_of_id(m[n].id) :
			     rlb_ident(b->at.family, &b->at.addr, htons(b->at.port), s->protocol);
		m[n++].weight = b->weight;
	}
	return n;
}

/* Members of @s into @t, with their states. */
static int table_members(const struct service *s, struct table *t, struct rlb_member **m)
{
	size_t i;

	*m = calloc(s->n + 1, sizeof(**m));
	t->members = calloc(s->n + 1, sizeof(*t->members));
	t->owners = calloc(s->slots, sizeof(*t->owners));
	if (!*m || !t->members || !t->owners)
		return -ENOMEM;
	offline_members(s, *m);
	for (i = 0; i < s->n; i++)
		if (s->backends[i].weight)
			t->members[t->n++] = s->backends[i];
	return 0;
}

/* What a module says of the flows that come to it. A file knows no time: nobody starts just now. */
static void set_accepts(const struct service *s, struct backend *b)
{
	b->accepts = s->n_seats ? rlb_seat_accept(s->seats, s->n_seats, b->id, b->weight) :
				  RLB_SHARE_ALL;
	if (b->accepts < RLB_SHARE_ALL)
		SET(b, RINGLB_A_BACKEND_ACCEPTS);
}

static int build(const struct service *s, const struct rlb_member *m, struct table *t)
{
	struct rlb_params params = { .vnodes = s->vnodes, .slack = s->slack, .seats = s->seats,
				     .n_seats = s->n_seats };
	struct rlb_range *ranges = NULL;
	int err;

	if (s->method == RINGLB_METHOD_SLOTS && s->map) {
		ranges = map_members(s);
		if (!ranges)
			return -ENOMEM;
		params.n_ranges = s->map->n;
	}
	params.ranges = ranges;
	err = rlb_lookup_build(rlb_lookup_find(s->method), t->owners, __builtin_ctz(s->slots), m,
			       t->n, &params);
	free(ranges);
	return err;
}

/**
 * offline_table() - the table that a service has
 * @s: the service
 * @t: out: the table, to be freed after success
 *
 * Return: 0, -E2BIG, -ENOMEM.
 */
int offline_table(const struct service *s, struct table *t)
{
	unsigned int bits = __builtin_ctz(s->slots);
	struct rlb_member *m;
	u32 i;
	int err;

	memset(t, 0, sizeof(*t));
	t->method = s->method;
	t->slots = s->slots;
	err = table_members(s, t, &m);
	if (!err)
		err = build(s, m, t);
	if (!err)
		t->digest = rlb_digest_seats(rlb_digest(t->owners, bits, m, t->n), s->seats,
					     s->n_seats);
	free(m);
	if (err) {
		table_free(t);
		return err;
	}
	for (i = 0; i < t->n; i++) {
		t->members[i].slots = 0;
		SET(&t->members[i], RINGLB_A_BACKEND_SLOTS);
		set_accepts(s, &t->members[i]);
	}
	for (i = 0; i < t->slots; i++) {
		if (t->owners[i] < t->n)
			t->members[t->owners[i]].slots++;
		else
			t->owners[i] = RINGLB_NO_OWNER;
	}
	t->seats = s->seats;
	t->n_seats = s->n_seats;
	return 0;
}

static int count(struct service *s)
{
	struct backend *b;
	struct table t;
	u32 i;
	int err;

	err = offline_table(s, &t);
	if (err)
		return err;
	s->digest = t.digest;
	SET(s, RINGLB_A_SERVICE_DIGEST);
	s->canonical = t.digest;
	SET(s, RINGLB_A_SERVICE_CANONICAL);
	s->pending = 0;
	SET(s, RINGLB_A_SERVICE_PENDING);
	s->transitions = 0;
	SET(s, RINGLB_A_SERVICE_TRANSITIONS);
	s->n_backends = s->n;
	SET(s, RINGLB_A_SERVICE_BACKENDS);
	for (i = 0; i < s->n; i++)
		SET(&s->backends[i], RINGLB_A_BACKEND_SLOTS);
	for (i = 0; i < t.n; i++) {
		b = service_find(s, &t.members[i].at);
		b->slots = t.members[i].slots;
		set_accepts(s, b);
	}
	table_free(&t);
	return 0;
}

/**
 * offline_count() - what a kernel counts: slots of backends, digests
 * @m: a model from a file
 * @service: one of its services; NULL: all
 *
 * Return: 0 or -ENOMEM.
 */
int offline_count(struct model *m, const char *service)
{
	size_t i;
	int err = 0;

	for (i = 0; i < m->n && !err; i++)
		if (!service || m->services[i] == model_find(m, service))
			err = count(m->services[i]);
	return err;
}

static u8 takes(const struct service *s, u32 state, u32 share)
{
	switch (state) {
	case RINGLB_STATE_UP:
		return share < RLB_SHARE_ALL ? RLB_TAKES_SHARE : RLB_TAKES_FLOWS;
	case RINGLB_STATE_DRAIN:
	case RINGLB_STATE_LEAVE:
		return s->last_resort ? RLB_TAKES_LAST : RLB_TAKES_NONE;
	}
	return RLB_TAKES_NONE;
}

/* What members of @t take, behind them one who takes nothing. The highest level. */
static u8 set_levels(const struct service *s, struct table *t, u8 *levels, u16 *shares)
{
	u8 best = RLB_TAKES_NONE;
	u32 i, share;

	for (i = 0; i < t->n; i++) {
		share = t->members[i].accepts;
		levels[i] = takes(s, t->members[i].state, share);
		shares[i] = share < RLB_SHARE_ALL ? share : RLB_SHARE_ALL - 1;
		if (levels[i] > best)
			best = levels[i];
	}
	levels[t->n] = RLB_TAKES_NONE;
	for (i = 0; i < t->slots; i++)
		if (t->owners[i] == RINGLB_NO_OWNER)
			t->owners[i] = t->n;
	return best == RLB_TAKES_SHARE ? RLB_TAKES_FLOWS : best;
}

/* Whose the packet's connection id is; it goes there, unless that one is down. */
static void choose_by_cid(const struct service *s, struct lookup *l)
{
	const struct rlb_cid_form form = { .config = s->cid_config, .length = s->sid_length };
	size_t i;
	u32 id;

	if (!l->n_cid || !rlb_cid_server(&form, l->cid, l->n_cid, &id))
		return;
	for (i = 0; i < s->n; i++)
		if (HAS(&s->backends[i], RINGLB_A_BACKEND_ID) && s->backends[i].id == id)
			break;
	if (i == s->n)
		return;
	l->has_named = true;
	l->named = s->backends[i];
	if (l->named.state == RINGLB_STATE_DOWN ||
	    (l->named.state != RINGLB_STATE_UP && s->udp_drain == RINGLB_UDP_DRAIN_REHASH))
		return;
	l->has_backend = true;
	l->backend = l->named;
}

/* Choose for a packet of @s. */
static int choose(const struct model *m, const struct service *s, struct lookup *l)
{
	struct rlb_tuple tuple = {
		.src = l->src.addr, .dst = l->dst.addr, .sport = htons(l->src.port),
		.dport = htons(l->dst.port), .family = l->src.family, .proto = l->protocol,
	};
	struct rlb_view view = { .bits = __builtin_ctz(s->slots) };
	struct rlb_choice choice;
	struct rlb_secret key;
	struct table t;
	u16 *shares;
	u8 *levels;

	if (service_is_any(s))
		tuple.sport = tuple.dport = 0;
	if (offline_table(s, &t))
		return -ENOMEM;
	shares = calloc(t.n + 1, sizeof(*levels) + sizeof(*shares));
	if (!shares) {
		table_free(&t);
		return -ENOMEM;
	}
	levels = (u8 *)(shares + t.n + 1);
	view.best = set_levels(s, &t, levels, shares);
	view.slots = t.owners;
	view.takes = levels;
	view.share = shares;
	view.n = t.n;
	rlb_secret_load(&key, m->secret);
	rlb_choose(&view, rlb_key_hash(&key, s->key, &tuple), &choice);
	l->slot = choice.slot;
	l->probes = choice.probes;
	l->has_owner = choice.owner < t.n;
	if (l->has_owner)
		l->owner = t.members[choice.owner];
	l->has_backend = choice.member >= 0;
	if (l->has_backend)
		l->backend = t.members[choice.member];
	free(shares);
	table_free(&t);
	return 0;
}

/**
 * offline_lookup() - where a packet goes
 * @m: the model
 * @l: in: the packet; out: the answer
 * @error: out: why there is none
 * @size: of @error
 *
 * Return: 0 or -1.
 */
int offline_lookup(const struct model *m, struct lookup *l, char *error, size_t size)
{
	const struct service *s = model_match(m, l->protocol, &l->dst);

	if (!s) {
		snprintf(error, size, "destination is no service");
		return -1;
	}
	if (!m->has_secret) {
		snprintf(error, size, "no hash key: expected a line: secret set HEX (as save secret prints it)");
		return -1;
	}
	strcpy(l->service, s->name);
	if (l->n_cid && s->key != RINGLB_KEY_QUIC_CID) {
		snprintf(error, size, "connection ids are of use with key quic-cid only");
		return -1;
	}
	l->match = service_match(s);
	l->mode = s->mode;
	l->prefix = s->vip.prefix;
	if (!choose(m, s, l)) {
		choose_by_cid(s, l);
		return 0;
	}
	snprintf(error, size, "out of memory");
	return -1;
}
