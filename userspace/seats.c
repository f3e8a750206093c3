// SPDX-License-Identifier: GPL-2.0-only
/*
 * seats.c - the list of seats of a service, as words and as it grows
 *
 * In: words; a service with its backends. Out: a list; words. A list is never changed once it
 * is made and lives as long as the process: commands, services and tables point to it.
 */
#include "seats.h"

#include <stdlib.h>
#include <string.h>

#include "addr.h"
#include "offline.h"

/* All lists there are */
struct kept {
	struct kept *next;
	struct rlb_seat seat[];
};

static struct kept *all;

/**
 * seats_new() - memory for a list
 * @n: of how many seats
 *
 * Return: the list, which is never freed; NULL: no memory.
 */
struct rlb_seat *seats_new(u32 n)
{
	struct kept *k = calloc(1, sizeof(*k) + n * sizeof(k->seat[0]));

	if (!k)
		return NULL;
	k->next = all;
	all = k;
	return k->seat;
}

/* ID:WEIGHT and a comma or the end. Where the next one begins, or NULL. */
static const char *parse_seat(const char *word, struct rlb_seat *seat)
{
	size_t len = strcspn(word, ",");
	char text[32], *colon;
	u64 id, weight;

	if (len >= sizeof(text))
		return NULL;
	memcpy(text, word, len);
	text[len] = '\0';
	colon = strchr(text, ':');
	if (!colon)
		return NULL;
	*colon = '\0';
	if (addr_number(text, RLB_NO_ID - 1, &id) ||
	    addr_number(colon + 1, RINGLB_WEIGHT_MAX, &weight) || !weight)
		return NULL;
	seat->id = id;
	seat->weight = weight;
	return word + len + (word[len] == ',');
}

/**
 * seats_parse() - read a list
 * @word: "1:10,2:10", or "fresh" for one that begins anew
 * @s: gets the list
 *
 * Return: 0, or -1 if it is no such word.
 */
int seats_parse(const char *word, struct service *s)
{
	const char *c;
	u32 k, n = 1;

	s->seats = NULL;
	s->n_seats = 0;
	if (!strcmp(word, "fresh"))
		return 0;
	for (c = word; *c; c++)
		n += *c == ',';
	if (n > RLB_SEATS_MAX || c == word || c[-1] == ',')
		return -1;
	s->seats = seats_new(n);
	for (k = 0, c = word; k < n && c && s->seats; k++)
		c = parse_seat(c, &s->seats[k]);
	s->n_seats = n;
	return s->seats && c ? 0 : -1;
}

void seats_print(FILE *to, const struct service *s)
{
	u32 k;

	for (k = 0; k < s->n_seats; k++)
		fprintf(to, "%s%u:%u", k ? "," : " seats ", s->seats[k].id, s->seats[k].weight);
}

/**
 * seats_fit() - let a service's list grow by what its backends need, as the module does
 * @s: the service
 *
 * Return: NULL, or why not.
 */
const char *seats_fit(struct service *s)
{
	struct rlb_seat *list;
	struct rlb_member *m;
	u32 i, room, n;
	int now;

	if (s->method != RINGLB_METHOD_SEAT) {
		s->n_seats = 0;
		return NULL;
	}
	m = calloc(s->n + 1, sizeof(*m));
	if (!m)
		return "out of memory";
	n = offline_members(s, m);
	room = s->n_seats + n < RLB_SEATS_MAX ? s->n_seats + n : RLB_SEATS_MAX;
	list = seats_new(room);
	for (i = 0; i < n && m[i].id != RLB_NO_ID; i++)
		;
	if (list && s->n_seats)
		memcpy(list, s->seats, s->n_seats * sizeof(*list));
	now = list && i == n ? rlb_seat_fit_all(list, s->n_seats, m, n) : -1;
	free(m);
	if (!list)
		return "out of memory";
	if (i < n)
		return "method seat needs an id of each backend that has a weight";
	if (now < 0)
		return "list of seats has 8192 seats, the most there can be: begin a new one";
	if ((u32)now == s->n_seats)
		return NULL;
	s->seats = list;
	s->n_seats = now;
	return NULL;
}
