// SPDX-License-Identifier: GPL-2.0-only
/*
 * out.c - facts to text or JSON: one call for each fact
 *
 * In: objects and their facts. Out: when the list ends, all of it, or nothing and -1. JSON
 * is libjansson's. Text waits in cells until the width of columns is known.
 */
#include "out.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

#define PERCENT_DIGITS 2
#define OUT_BAR_MAX 32

/**
 * struct out_cell - a fact as text
 * @first: it begins an object
 * @bare: its key is not shown in lines
 * @below: it has a line of its own
 */
struct out_cell {
	const char *key;
	char *value;
	bool first;
	bool bare;
	bool number;
	bool below;
};

static void begin(struct out *o, enum out_layout layout, bool alone)
{
	o->layout = layout;
	o->alone = alone;
	o->stream = false;
	o->failed = false;
	o->n = 0;
	o->object = NULL;
	o->array = NULL;
	o->list = o->json && !alone ? json_array() : NULL;
}

/* Begin a list of objects: in JSON an array, even of one. */
void out_begin(struct out *o, enum out_layout layout)
{
	begin(o, layout, false);
}

/* Begin what is one object and no list. */
void out_begin_one(struct out *o, enum out_layout layout)
{
	begin(o, layout, true);
}

/* Begin a list, an object a line, that is printed as it grows and takes no memory. */
void out_begin_stream(struct out *o)
{
	begin(o, OUT_LINES, true);
	o->stream = true;
	o->begun = false;
}

static struct out_cell *new_cell(struct out *o)
{
	if (o->n == o->room) {
		size_t room = o->room ? 2 * o->room : 64;
		struct out_cell *cells = reallocarray(o->cells, room, sizeof(*cells));

		if (!cells) {
			o->failed = true;
			return NULL;
		}
		o->cells = cells;
		o->room = room;
	}
	return &o->cells[o->n++];
}

static void print_one(struct out *o);

/* Facts belong to a new object from now on. */
void out_object(struct out *o)
{
	struct out_cell *mark;

	if (o->stream)
		print_one(o);
	if (o->json) {
		o->object = json_object();
		if (!o->object || (o->list && json_array_append_new(o->list, o->object)))
			o->failed = true;
		return;
	}
	mark = new_cell(o);
	if (mark)
		*mark = (struct out_cell){ .first = true };
}

/* @fact.value is given to the list. */
static void cell(struct out *o, struct out_cell fact)
{
	struct out_cell *to = fact.value && !o->failed ? new_cell(o) : NULL;

	if (!to) {
		free(fact.value);
		o->failed = true;
		return;
	}
	*to = fact;
}

static char *number_text(u64 value)
{
	char buf[24];

	snprintf(buf, sizeof(buf), "%" PRIu64, value);
	return strdup(buf);
}

/* @value is given to the object. */
static void json_fact(struct out *o, const char *key, json_t *value)
{
	if (o->failed || !value || json_object_set_new(o->object, key, value))
		o->failed = true;
}

void out_str(struct out *o, int flags, const char *key, const char *value)
{
	if (o->json)
		json_fact(o, key, json_string(value));
	else
		cell(o, (struct out_cell){ .key = key, .value = strdup(value),
					   .bare = flags & OUT_BARE,
					   .below = flags & OUT_BELOW });
}

void out_u64(struct out *o, int flags, const char *key, u64 value)
{
	if (o->json)
		json_fact(o, key, json_integer(value));
	else
		cell(o, (struct out_cell){ .key = key, .value = number_text(value),
					   .bare = flags & OUT_BARE, .below = flags & OUT_BELOW,
					   .number = true });
}

/* 16 hex digits: a number that is compared, not reckoned with */
void out_hex(struct out *o, const char *key, u64 value)
{
	char hex[17];

	snprintf(hex, sizeof(hex), "%016" PRIx64, value);
	out_str(o, 0, key, hex);
}

void out_endpoint(struct out *o, int flags, const char *key, const struct endpoint *e)
{
	char word[ADDR_TEXT_MAX];

	out_str(o, flags, key, addr_print(e, word));
}

/**
 * out_percent_at() - a share, in hundredths of the whole
 * @o: where to
 * @flags: OUT_BELOW or 0
 * @key: its key
 * @part: the part
 * @whole: the whole; 0: the share is 0
 */
void out_percent_at(struct out *o, int flags, const char *key, u64 part, u64 whole)
{
	double percent = whole ? 100.0 * part / whole : 0;
	char buf[32];

	if (o->json) {
		json_fact(o, key, json_real(percent));
		return;
	}
	snprintf(buf, sizeof(buf), "%.*f%%", PERCENT_DIGITS, percent);
	cell(o, (struct out_cell){ .key = key, .value = strdup(buf), .number = true,
				   .below = flags & OUT_BELOW });
}

/* The same where facts stand */
void out_percent(struct out *o, const char *key, u64 part, u64 whole)
{
	out_percent_at(o, 0, key, part, whole);
}

/* A percentage that was given in tenths: "0.5%", in JSON 0.5 */
void out_tenths(struct out *o, const char *key, u32 tenths)
{
	char word[WORD_VALUE_MAX];

	if (o->json)
		json_fact(o, key, json_real(tenths / 10.0));
	else
		cell(o, (struct out_cell){ .key = key, .number = true,
					   .value = strdup(word_tenths(tenths, word)) });
}

/* A ratio: three decimals as text */
void out_real(struct out *o, const char *key, double value)
{
	char buf[32];

	if (o->json) {
		json_fact(o, key, json_real(value));
		return;
	}
	snprintf(buf, sizeof(buf), "%.3f", value);
	cell(o, (struct out_cell){ .key = key, .value = strdup(buf), .number = true });
}

void out_bool(struct out *o, const char *key, bool value)
{
	if (o->json)
		json_fact(o, key, json_boolean(value));
	else
		cell(o, (struct out_cell){ .key = key, .value = strdup(value ? "yes" : "no") });
}

/**
 * out_bar() - a bar of a part, with a mark: text alone
 * @o: where to
 * @key: its key
 * @width: of the longest, at most OUT_BAR_MAX
 * @part: the part
 * @asked: where the mark goes
 * @most: what the longest bar stands for
 */
void out_bar(struct out *o, const char *key, int width, double part, double asked, double most)
{
	int mark = most ? asked / most * width + 0.5 : 0;
	int len = most ? part / most * width + 0.5 : 0;
	int end = mark > len ? mark : len;
	char text[OUT_BAR_MAX + 2];
	int i;

	for (i = 0; i < end; i++)
		text[i] = i < len ? '#' : ' ';
	if (end)
		text[mark ? mark - 1 : 0] = '|';
	text[end] = '\0';
	out_str(o, 0, key, text);
}

/* A fact that this object does not have: absent in JSON. */
void out_none(struct out *o, const char *key)
{
	if (!o->json)
		cell(o, (struct out_cell){ .key = key, .value = strdup("-") });
}

/**
 * out_counters_by() - counters, if they are wanted
 * @o: where to
 * @c: the counters
 * @word: number to word; NULL for a number that is no counter
 */
void out_counters_by(struct out *o, const struct counters *c, const char *(*word)(unsigned int))
{
	json_t *object = NULL;
	unsigned int i;

	if (!o->stats)
		return;
	if (o->json) {
		object = json_object();
		json_fact(o, "counters", object);
	}
	for (i = 1; i <= RINGLB_COUNTER_MAX && !o->failed; i++) {
		const char *key = word(i);

		if (!key || !(c->has >> i & 1))
			continue;
		if (!o->json)
			cell(o, (struct out_cell){ .key = key, .below = true,
						   .value = number_text(c->value[i]) });
		else if (json_object_set_new(object, key, json_integer(c->value[i])))
			o->failed = true;
	}
}

/* Of namespaces, services and backends */
void out_counters(struct out *o, const struct counters *c)
{
	out_counters_by(o, c, word_counter);
}

void out_list(struct out *o, const char *key)
{
	if (!o->json)
		return;
	o->array = json_array();
	json_fact(o, key, o->array);
	o->outer = o->object;
}

void out_list_object(struct out *o)
{
	if (!o->json || o->failed)
		return;
	o->object = json_object();
	if (!o->object || json_array_append_new(o->array, o->object))
		o->failed = true;
}

void out_list_end(struct out *o)
{
	if (o->json)
		o->object = o->outer;
}

void out_array(struct out *o, const char *key)
{
	if (!o->json)
		return;
	o->array = json_array();
	json_fact(o, key, o->array);
}

void out_array_str(struct out *o, const char *value)
{
	if (!o->json || o->failed)
		return;
	if (json_array_append_new(o->array, value ? json_string(value) : json_null()))
		o->failed = true;
}

/* "10.0.0.1, 10.0.0.2:80"; NULL: no memory */
static char *join_endpoints(const struct endpoint *list, size_t n)
{
	char *words = NULL, word[ADDR_TEXT_MAX];
	size_t size, i;
	FILE *to = open_memstream(&words, &size);

	if (!to)
		return NULL;
	for (i = 0; i < n; i++)
		fprintf(to, "%s%s", i ? ", " : "", addr_print(&list[i], word));
	fclose(to);
	return words;
}

void out_endpoints(struct out *o, int flags, const char *key, const struct endpoint *list, size_t n)
{
	char word[ADDR_TEXT_MAX];
	size_t i;

	if (n && !o->json)
		cell(o, (struct out_cell){ .key = key, .value = join_endpoints(list, n),
					   .below = flags & OUT_BELOW });
	if (!n || !o->json)
		return;
	out_array(o, key);
	for (i = 0; i < n; i++)
		out_array_str(o, addr_print(&list[i], word));
}

/* The cells of an object are those from its mark to the next one. */
static size_t object_end(const struct out *o, size_t i)
{
	for (i++; i < o->n && !o->cells[i].first; i++)
		;
	return i;
}

/* "    key value key value", if there is anything that stands below */
static void print_below(const struct out *o, size_t i, size_t end)
{
	bool any = false;

	for (; i < end; i++) {
		if (!o->cells[i].below)
			continue;
		fprintf(o->to, "%s%s %s", any ? " " : "    ", o->cells[i].key, o->cells[i].value);
		any = true;
	}
	if (any)
		fputc('\n', o->to);
}

static void print_line(const struct out *o, size_t i, size_t end)
{
	const char *space = "";
	size_t c;

	for (c = i + 1; c < end; c++) {
		const struct out_cell *fact = &o->cells[c];

		if (fact->below)
			continue;
		if (fact->bare)
			fprintf(o->to, "%s%s", space, fact->value);
		else
			fprintf(o->to, "%s%s %s", space, fact->key, fact->value);
		space = " ";
	}
	fputc('\n', o->to);
	print_below(o, i, end);
}

#define COLUMNS_MAX 16

static size_t print_cell(const struct out *o, const char *value, bool number, size_t width,
			 size_t pad)
{
	size_t len = strlen(value);
	size_t left = width > len ? width - len : 0;

	/* Padding is due before the next cell, so that no line ends in spaces. */
	if (!len)
		return pad + width + 2;
	if (number)
		pad += left;
	fprintf(o->to, "%*s%s", (int)pad, "", value);
	return 2 + (number ? 0 : left);
}

static void print_columns(const struct out *o)
{
	size_t width[COLUMNS_MAX] = { 0 };
	size_t i, c, pad, end, len;
	unsigned int col = 0;

	for (i = 0; i < o->n; i++) {
		const struct out_cell *fact = &o->cells[i];

		col = fact->first ? 0 : col + 1;
		if (fact->first || fact->below || col > COLUMNS_MAX)
			continue;
		len = strlen(fact->value);
		if (strlen(fact->key) > len)
			len = strlen(fact->key);
		if (len > width[col - 1])
			width[col - 1] = len;
	}
	for (i = 0; i < o->n; i = end) {
		end = object_end(o, i);
		for (c = i + 1, pad = 0; !i && c < end && !o->cells[c].below; c++)
			pad = print_cell(o, o->cells[c].key, o->cells[c].number,
					 width[c - i - 1], pad);
		if (!i)
			fputc('\n', o->to);
		for (c = i + 1, pad = 0; c < end && !o->cells[c].below; c++)
			pad = print_cell(o, o->cells[c].value, o->cells[c].number,
					 width[c - i - 1], pad);
		fputc('\n', o->to);
		print_below(o, i, end);
	}
}

static void print_facts(const struct out *o)
{
	size_t i, width = 0;

	for (i = 0; i < o->n; i++)
		if (!o->cells[i].first && strlen(o->cells[i].key) > width)
			width = strlen(o->cells[i].key);
	for (i = 0; i < o->n; i++) {
		if (!o->cells[i].first)
			fprintf(o->to, "%-*s  %s\n", (int)width, o->cells[i].key,
				o->cells[i].value);
		else if (i)
			fputc('\n', o->to);
	}
}

/* The widest value of an object, a column */
static int object_width(const struct out *o, size_t i)
{
	size_t c, len, width = 0;

	for (c = i + 1; c < object_end(o, i); c++) {
		len = strlen(o->cells[c].value);
		if (len > width)
			width = len;
	}
	return width;
}

static void print_beside(const struct out *o)
{
	size_t i, fact, keys = 0, facts = o->n ? object_end(o, 0) : 0;

	for (fact = 1; fact < facts; fact++)
		if (strlen(o->cells[fact].key) > keys)
			keys = strlen(o->cells[fact].key);
	for (fact = 1; fact < facts; fact++) {
		fprintf(o->to, "%-*s", (int)keys, o->cells[fact].key);
		for (i = 0; i < o->n; i = object_end(o, i))
			fprintf(o->to, "  %*s", object_width(o, i), o->cells[i + fact].value);
		fputc('\n', o->to);
	}
}

static void print_text(const struct out *o)
{
	size_t i, end;

	switch (o->layout) {
	case OUT_LINES:
		for (i = 0; i < o->n; i = end) {
			end = object_end(o, i);
			print_line(o, i, end);
		}
		break;
	case OUT_COLUMNS:
		print_columns(o);
		break;
	case OUT_FACTS:
		print_facts(o);
		break;
	case OUT_BESIDE:
		print_beside(o);
		break;
	}
}

static void print_json(struct out *o)
{
	json_t *all = o->alone ? o->object : o->list;

	if (json_dumpf(all, o->to, o->pretty ? JSON_INDENT(2) : JSON_COMPACT))
		o->failed = true;
	fputc('\n', o->to);
}

static void forget(struct out *o)
{
	size_t i;

	json_decref(o->alone ? o->object : o->list);
	o->list = NULL;
	o->object = NULL;
	for (i = 0; i < o->n; i++)
		free(o->cells[i].value);
	o->n = 0;
}

/* The open object of a stream, if there is one */
static void print_one(struct out *o)
{
	if (!o->failed && o->json && o->object) {
		fputs(o->begun ? "," : "[", o->to);
		if (o->pretty)
			fputc('\n', o->to);
		if (json_dumpf(o->object, o->to, o->pretty ? JSON_INDENT(2) : JSON_COMPACT))
			o->failed = true;
		o->begun = true;
	} else if (!o->failed && o->n) {
		print_text(o);
	}
	forget(o);
}

/* What a stream ends with */
static void end_stream(struct out *o)
{
	print_one(o);
	if (o->json)
		fputs(o->begun ? "]\n" : "[]\n", o->to);
}

/**
 * out_end() - print the list
 * @o: the list; free for the next one
 *
 * Return: 0, or -1 if there was no memory or the stream took not all.
 */
int out_end(struct out *o)
{
	if (o->stream)
		end_stream(o);
	else if (!o->failed && o->json)
		print_json(o);
	else if (!o->failed)
		print_text(o);
	forget(o);
	free(o->cells);
	o->cells = NULL;
	o->room = 0;
	if (fflush(o->to) || ferror(o->to))
		o->failed = true;
	return o->failed ? -1 : 0;
}
