// SPDX-License-Identifier: GPL-2.0-only
/*
 * map.c - the operator's map of slots to backends: from a file, a word or a table
 *
 * In: lines of "FIRST-LAST BACKEND", or as much in one word; a table. Out: ranges in order, or
 * one sentence that names the line and the rule; words. A map is never changed once it is made,
 * and lives until map_free_all(): commands and services point to it.
 */
#include "map.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define MAP_WORDS_MAX 8		/* in a line; two are right */
#define SLOTS_EXPECTS "expected FIRST-LAST or a single slot, 0 to 1048575"

/* All maps there are */
static struct map *all;

static struct map *map_new(void)
{
	struct map *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->next = all;
	all = m;
	return m;
}

static int add_range(struct map *m, const struct map_range *r)
{
	u32 room = m->room ? 2 * m->room : 64;
	struct map_range *array;

	if (m->n == m->room) {
		array = reallocarray(m->range, room, sizeof(*array));
		if (!array)
			return -1;
		m->range = array;
		m->room = room;
	}
	m->range[m->n++] = *r;
	return 0;
}

/* "FILE:7", "range 7" */
static const char *where(const struct map *m, u32 place, char *to, size_t size)
{
	if (m->file)
		snprintf(to, size, "%s:%u", m->file, place);
	else
		snprintf(to, size, "map: range %u", place);
	return to;
}

/* The first thing that is wrong is what is told. */
__attribute__((format(printf, 3, 4)))
static void set_wrong(struct map *m, u32 place, const char *format, ...)
{
	char text[1024], at[512];
	va_list args;

	if (m->wrong)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (asprintf(&m->wrong, "%s: %s", where(m, place, at, sizeof(at)), text) < 0)
		m->wrong = NULL;
}

/* --- reading -------------------------------------------------------------- */

/* "0-2047", "5" */
static int parse_slots(struct cmd *c, struct map_range *r)
{
	const char *word = cmd_next(c, "slots", "FIRST-LAST");
	char text[32], *dash;
	u64 first, last;

	if (!word)
		return -1;
	snprintf(text, sizeof(text), "%s", word);
	dash = strchr(text, '-');
	if (dash)
		*dash++ = '\0';
	if (strlen(word) >= sizeof(text) || addr_number(text, RINGLB_SLOTS_MAX - 1, &first) ||
	    addr_number(dash ? dash : text, RINGLB_SLOTS_MAX - 1, &last))
		return cmd_bad(c, "slots", word, SLOTS_EXPECTS);
	if (last < first)
		return cmd_bad(c, "slots", word, "expected the first not to be above the last");
	r->first = first;
	r->last = last;
	return 0;
}

/* Words of a range: slots, and their backend. */
static void parse_range(struct map *m, struct cmd *c, u32 place)
{
	struct map_range r = { .place = place };

	if (m->n == RINGLB_SLOTS_MAX)
		cmd_fail(c, "expected at most 1048576 ranges");
	else if (!parse_slots(c, &r) && !cmd_endpoint(c, "backend", ADDR_MAYBE_PORT, &r.at) &&
		 !cmd_end(c) && add_range(m, &r))
		cmd_fail(c, "out of memory");
	if (*c->error)
		set_wrong(m, place, "%s", c->error);
}

static void parse_line(struct map *m, char *line, size_t len, u32 number)
{
	char *words[MAP_WORDS_MAX];
	struct cmd c = { .word = words };

	if (strlen(line) != len) {
		set_wrong(m, number, "expected text, found a NUL byte");
		return;
	}
	c.n = cmd_split(line, words, MAP_WORDS_MAX);
	if (c.n < 0)
		set_wrong(m, number, "expected FIRST-LAST BACKEND");
	else if (c.n)
		parse_range(m, &c, number);
}

static void read_lines(struct map *m, FILE *from)
{
	char *line = NULL;
	size_t room = 0;
	u32 number = 0;
	ssize_t len;

	while (!m->wrong && (len = getline(&line, &room, from)) >= 0)
		parse_line(m, line, len, ++number);
	if (ferror(from))
		set_wrong(m, number + 1, "could not be read");
	free(line);
}

static void read_file(struct map *m)
{
	FILE *from = fopen(m->file, "re");
	struct cmd c;

	if (!from) {
		cmd_bad(&c, "map", m->file, strerror(errno));
		m->wrong = strdup(c.error);
		return;
	}
	read_lines(m, from);
	fclose(from);
}

/* "0-2047=10.0.0.1:80,2048-4095=10.0.0.2:80" */
static void read_word(struct map *m, const char *word)
{
	char *copy = strdup(word), *rest = copy, *one, *words[2];
	u32 number = 0;

	while (copy && !m->wrong && (one = strsep(&rest, ","))) {
		struct cmd c = { .word = words, .n = 1 };

		words[0] = one;
		words[1] = strchr(one, '=');
		if (words[1]) {
			*words[1]++ = '\0';
			c.n = 2;
		}
		parse_range(m, &c, ++number);
	}
	free(copy);
}

/* --- rules ---------------------------------------------------------------- */

static int range_cmp(const void *a, const void *b)
{
	const struct map_range *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* Of two ranges the later one in the file is at fault. */
static void tell_overlap(struct map *m, const struct map_range *a, const struct map_range *b)
{
	const struct map_range *early = a->place < b->place ? a : b;
	const struct map_range *late = early == a ? b : a;

	set_wrong(m, late->place, "slot %u has an owner already, by %s %u", b->first,
		  m->file ? "line" : "range", early->place);
}

static void tell_gap(struct map *m, u32 first, u32 last, u32 place)
{
	if (first == last)
		set_wrong(m, place, "slot %u has no owner", first);
	else
		set_wrong(m, place, "slots %u to %u have no owner", first, last);
}

/* Into order; no slot twice, and none left out but behind the last range. */
static void check_order(struct map *m)
{
	u32 i, next = 0;

	qsort(m->range, m->n, sizeof(*m->range), range_cmp);
	for (i = 0; i < m->n && !m->wrong; i++) {
		const struct map_range *r = &m->range[i];

		if (r->first < next)
			tell_overlap(m, r - 1, r);
		else if (r->first > next)
			tell_gap(m, next, r->first - 1, r->place);
		next = r->last + 1;
	}
}

/**
 * map_parse() - read a map
 * @word: a file's name, or ranges: what has a = in it
 * @s: gets the map, or what says why it is none; NULL: no memory
 *
 * Return: 0, or -1 if it is no map.
 */
int map_parse(const char *word, struct service *s)
{
	struct map *m = map_new();

	s->map = m;
	if (!m)
		return -1;
	if (strchr(word, '=')) {
		read_word(m, word);
	} else {
		m->file = strdup(word);
		if (!m->file)
			return -1;
		read_file(m);
	}
	if (!m->n)
		set_wrong(m, 1, "expected ranges of slots");
	if (!m->wrong)
		check_order(m);
	return m->wrong || !m->n ? -1 : 0;
}

/* Does it end where the table does? */
static void check_end(struct map *m, u32 slots)
{
	const struct map_range *last = &m->range[m->n - 1], *r;

	for (r = m->range; r <= last && r->last < slots; r++)
		;
	if (r <= last)
		set_wrong(m, r->place, "slot %u is beyond the last one, %u", r->last, slots - 1);
	else if (last->last + 1 < slots)
		tell_gap(m, last->last + 1, slots - 1, last->place);
}

static void check_backends(struct map *m, const struct service *s)
{
	const struct map_range *r;
	const struct backend *b;
	char word[ADDR_TEXT_MAX];

	for (r = m->range; r < m->range + m->n && !m->wrong; r++) {
		b = service_find(s, &r->at);
		if (!b || !b->weight)
			set_wrong(m, r->place, "slots %u to %u are given to %s, which %s", r->first,
				  r->last, addr_print(&r->at, word),
				  b ? "has weight 0" : "is no backend of the service");
	}
}

/**
 * map_fit() - does a service's map fit to its slots and backends, as the module asks?
 * @s: the service; loses the map if its method has none
 *
 * Return: NULL, or why not; valid until the next call.
 */
const char *map_fit(struct service *s)
{
	static char *wrong;
	struct map probe;

	if (s->method != RINGLB_METHOD_SLOTS)
		s->map = NULL;
	if (!s->map)
		return s->method == RINGLB_METHOD_SLOTS && service_has_members(s) ?
		       "method slots needs a map of all slots" : NULL;
	probe = *s->map;
	check_end(&probe, s->slots);
	if (!probe.wrong)
		check_backends(&probe, s);
	free(wrong);
	wrong = probe.wrong;
	return wrong;
}

/* --- from tables, to tables and words -------------------------------------- */

/**
 * map_of_table() - the map that a table is
 * @t: the table
 *
 * Return: the map, without ranges for slots of nobody; NULL: no memory.
 */
struct map *map_of_table(const struct table *t)
{
	struct map *m = map_new();
	struct map_range r = { 0 };
	u32 s, end;

	for (s = 0; s < t->slots && m; s = end) {
		for (end = s + 1; end < t->slots && t->owners[end] == t->owners[s]; end++)
			;
		if (t->owners[s] >= t->n)
			continue;
		r.first = s;
		r.last = end - 1;
		r.at = t->members[t->owners[s]].at;
		r.place++;
		if (add_range(m, &r))
			return NULL;
	}
	return m;
}

/* " map RANGES", as few of them as there can be, so that equal maps are equal words */
void map_print(FILE *to, const struct service *s)
{
	const struct map_range *r = s->map->range, *end = r + s->map->n, *last;
	const char *before = " map ";
	char word[ADDR_TEXT_MAX];

	for (; r < end; r = last + 1, before = ",") {
		for (last = r; last + 1 < end && !addr_cmp(&last[1].at, &r->at); last++)
			;
		fprintf(to, "%s%u-%u=%s", before, r->first, last->last, addr_print(&r->at, word));
	}
}

/**
 * map_members() - a map's ranges with indexes of members, as lookup/slots.c takes them
 * @s: the service, whose map fits
 *
 * Return: the ranges, to be freed by free(); NULL: no memory.
 */
struct rlb_range *map_members(const struct service *s)
{
	struct rlb_range *ranges = calloc(s->map->n + 1, sizeof(*ranges));
	u32 *index = calloc(s->n + 1, sizeof(*index));
	u32 i, n = 0;

	for (i = 0; i < s->n && index; i++) {
		index[i] = n;
		n += !!s->backends[i].weight;
	}
	for (i = 0; i < s->map->n && index && ranges; i++) {
		const struct backend *b = service_find(s, &s->map->range[i].at);

		ranges[i].first = s->map->range[i].first;
		ranges[i].last = s->map->range[i].last;
		ranges[i].member = b && b->weight ? index[b - s->backends] : RINGLB_NO_OWNER;
	}
	if (!index) {
		free(ranges);
		ranges = NULL;
	}
	free(index);
	return ranges;
}

/**
 * map_free_all() - the end of all maps
 *
 * Commands and services that point to one must not use it any more.
 */
void map_free_all(void)
{
	struct map *m;

	while ((m = all)) {
		all = m->next;
		free(m->file);
		free(m->wrong);
		free(m->range);
		free(m);
	}
}
