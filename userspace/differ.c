// SPDX-License-Identifier: GPL-2.0-only
/*
 * differ.c - what makes one configuration of another, as commands
 *
 * In: a configuration as it is, and as a file wants it. Out: commands, those of a service one
 * after the other; none if both are the same. Settings are compared as the words they are saved
 * as. Nothing here asks or sends.
 *
 * Services that go, go first, and backends that another service is to have leave theirs before
 * that: no two have an address at any time. What a file does not say of a backend's state, nor
 * of a list of seats or a map, stays as it is.
 */
#include "differ.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "object.h"
#include "offline.h"
#include "save.h"
#include "seats.h"

/**
 * struct differ - one comparison
 * @to: where commands go
 * @is: as it is
 * @wanted: as it is to be
 * @failed: no memory for some comparison: the commands are not worth anything
 */
struct differ {
	FILE *to;
	const struct model *is;
	const struct model *wanted;
	bool failed;
};

static char *text_of(void (*print)(FILE *to, const struct service *s), const struct service *s)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	print(to, s);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static bool is_same_text(struct differ *d, void (*print)(FILE *to, const struct service *s),
			 const struct service *a, const struct service *b)
{
	char *one = text_of(print, a), *other = text_of(print, b);
	bool same = one && other && !strcmp(one, other);

	if (!one || !other)
		d->failed = true;
	free(one);
	free(other);
	return same;
}

/* Mask of what a command can change of a service */
static u64 settable(void)
{
	size_t i;

	for (i = 0; i < grammar_size; i++)
		if (grammar[i].cmd == RINGLB_CMD_SERVICE_SET)
			return grammar[i].allowed;
	return 0;
}

/* Mask of what is said once, when a service is added */
static u64 said_once(const struct service *s)
{
	u64 mask = (save_service_has(s) & ~settable()) | BIT(RINGLB_A_SERVICE_SNAT) |
		   BIT(RINGLB_A_SERVICE_FORCE);

	return s->snat ? mask | SERVICE_SNAT : mask;
}

/* Mask of what of it later commands may change */
static u64 said_again(const struct service *s)
{
	return save_service_has(s) & settable() & ~BIT(RINGLB_A_SERVICE_FORCE);
}

/* The service of @other that commands can turn @s into, or @s into; NULL: none */
static const struct service *same_service(struct differ *d, const struct model *other,
					  const struct service *s)
{
	const struct service *o = model_find(other, s->name);

	if (!o || !is_same_text(d, save_head, o, s) ||
	    save_pairs(NULL, service_keywords, said_once(s), o, s))
		return NULL;
	return o;
}

static void print_backend(struct differ *d, const char *verb, const struct service *s,
			  const struct backend *b)
{
	char word[ADDR_TEXT_MAX];

	fprintf(d->to, "backend %s %s %s", verb, s->name, addr_print(&b->at, word));
}

/* Does @b go, and is another service to have its address? */
static bool is_passed_on(struct differ *d, const struct service *w, const struct service *s,
			 const struct backend *b)
{
	struct endpoint at = service_real(s, &b->at);

	return !service_find(w, &b->at) && model_real_has(d->wanted, s->protocol, &at);
}

static void services_that_go(struct differ *d)
{
	size_t i;

	for (i = 0; i < d->is->n; i++)
		if (!same_service(d, d->wanted, d->is->services[i]))
			fprintf(d->to, "service del %s\n", d->is->services[i]->name);
}

static void backends_passed_on(struct differ *d)
{
	const struct service *s, *w;
	size_t i, j;

	for (i = 0; i < d->is->n; i++) {
		s = d->is->services[i];
		w = same_service(d, d->wanted, s);
		for (j = 0; w && j < s->n; j++) {
			if (!is_passed_on(d, w, s, &s->backends[j]))
				continue;
			print_backend(d, "del", s, &s->backends[j]);
			fputc('\n', d->to);
		}
	}
}

/* A backend that is about to leave by itself does so. */
static void backends_that_go(struct differ *d, const struct service *s, const struct service *w)
{
	const struct backend *b;

	for (b = s->backends; b < s->backends + s->n; b++) {
		if (service_find(w, &b->at) || b->state == RINGLB_STATE_LEAVE ||
		    is_passed_on(d, w, s, b))
			continue;
		print_backend(d, "del", s, b);
		fputc('\n', d->to);
	}
}

/* Another backend is to have its id, and it another one: it has none meanwhile. */
static bool is_id_taken(const struct service *w, const struct backend *b)
{
	size_t i;

	for (i = 0; i < w->n && HAS(b, RINGLB_A_BACKEND_ID); i++)
		if (HAS(&w->backends[i], RINGLB_A_BACKEND_ID) && w->backends[i].id == b->id)
			return addr_cmp(&w->backends[i].at, &b->at);
	return false;
}

static void ids_that_go(struct differ *d, const struct service *s, const struct service *w)
{
	const struct backend *b;

	for (b = s->backends; b < s->backends + s->n; b++) {
		if (!service_find(w, &b->at) || !is_id_taken(w, b))
			continue;
		print_backend(d, "set", s, b);
		fputs(" id none\n", d->to);
	}
}

/* As settings are compared: one without an id has the id "none". */
static struct backend comparable(const struct backend *b, bool no_id)
{
	struct backend c = *b;

	if (no_id || !HAS(b, RINGLB_A_BACKEND_ID))
		c.id = RINGLB_ID_NONE;
	return c;
}

static void change_backend(struct differ *d, const struct service *w, const struct backend *is,
			   const struct backend *wanted)
{
	struct backend old = comparable(is, is_id_taken(w, is)), new = comparable(wanted, false);
	u64 mask = ~0ULL;

	if (!HAS(wanted, BACKEND_STATE_SAID) && is->state != RINGLB_STATE_LEAVE)
		mask &= ~BIT(RINGLB_A_BACKEND_STATE);
	if (!save_pairs(NULL, backend_keywords, mask, &new, &old))
		return;
	print_backend(d, "set", w, wanted);
	save_pairs(d->to, backend_keywords, mask, &new, &old);
	fputc('\n', d->to);
}

static void backends_that_stay_or_come(struct differ *d, const struct service *s,
				       const struct service *w)
{
	const struct backend *b, *old;

	for (b = w->backends; b < w->backends + w->n; b++) {
		old = service_find(s, &b->at);
		if (old)
			change_backend(d, w, old, b);
		else
			save_backend(d->to, w, b);
	}
}

static void change_settings(struct differ *d, const struct service *s, const struct service *w)
{
	bool seats = w->method == RINGLB_METHOD_SEAT && HAS(w, SERVICE_SEATS_SAID) &&
		     !is_same_text(d, seats_print, s, w);

	if (!save_pairs(NULL, service_keywords, said_again(w), w, s) && !seats)
		return;
	fprintf(d->to, "service set %s", w->name);
	save_pairs(d->to, service_keywords, said_again(w), w, s);
	if (seats)
		seats_print(d->to, w);
	fputc('\n', d->to);
}

static void change_service(struct differ *d, const struct service *s, const struct service *w)
{
	change_settings(d, s, w);
	backends_that_go(d, s, w);
	ids_that_go(d, s, w);
	backends_that_stay_or_come(d, s, w);
	if (w->map && !is_same_text(d, save_map, s, w))
		save_map(d->to, w);
}

/**
 * differ_print() - what makes one configuration of another
 * @to: commands go there
 * @is: the configuration as it is
 * @wanted: as it is to be, from a file
 *
 * The secret and the bound of the flow table are not looked at.
 *
 * Return: 0, or -ENOMEM: what was printed means nothing.
 */
int differ_print(FILE *to, const struct model *is, const struct model *wanted)
{
	struct differ d = { .to = to, .is = is, .wanted = wanted };
	const struct service *s;
	size_t i;

	services_that_go(&d);
	backends_passed_on(&d);
	for (i = 0; i < wanted->n; i++) {
		s = same_service(&d, is, wanted->services[i]);
		if (s)
			change_service(&d, s, wanted->services[i]);
	}
	for (i = 0; i < wanted->n; i++)
		if (!same_service(&d, is, wanted->services[i]))
			save_service(to, wanted->services[i]);
	return d.failed || ferror(to) ? -ENOMEM : 0;
}
