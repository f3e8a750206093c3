// SPDX-License-Identifier: GPL-2.0-only
/*
 * plot.c - draw what a change does: the ring before and after it, as SVG
 *
 * In: a plan and the two tables. Out: a file. A ring is drawn as three circles:
 *	outside	an arc for each backend, as long as its share, with number and percent
 *	inside	the slots as they lie, from the top clockwise; if there are too many arcs to be
 *		seen, PLOT_SAMPLES of the slots, evenly chosen
 *	after a change, innermost: those of the slots that moved
 * A list below has all numbers. No label can lie over another: those on arcs are written along
 * the radius, and only where the arc is wide enough.
 */
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool.h"
#include "words.h"

#define PLOT_WIDTH 1360
#define PLOT_TOP 64		/* above the rings */
#define PLOT_RING 600		/* what a ring needs in both directions */
#define PLOT_LINE 15		/* of the list */
#define PLOT_CHAR 6.2		/* the widest that a character of the list may be */
#define PLOT_SAMPLES 720
#define PLOT_ARCS_MAX 1500	/* that can be told from each other */
#define PLOT_LABEL_MIN 11.5	/* of an arc at its label */

#define R_LABEL 246.0
#define R_SHARE_OUT 240.0
#define R_SHARE_IN 200.0
#define R_SLOTS_OUT 192.0
#define R_SLOTS_IN 150.0
#define R_MOVED_OUT 144.0
#define R_MOVED_IN 126.0

#define NOBODY 0xffffffff

/**
 * struct ring - one of the two
 * @name: before or after
 * @owner: places in the plan's shares, or NOBODY; owned
 * @slots: how many; 0: there is no table
 * @x: its centre
 * @moved: of each slot, whether it is another backend's than before; NULL: not to be drawn
 */
struct ring {
	const char *name;
	u32 *owner;
	u32 slots;
	double x;
	u8 *moved;
};

struct plot {
	FILE *to;
	const struct plan *p;
	struct ring ring[2];
};

/* --- colours and shapes --------------------------------------------------- */

static int channel(double hue, double saturation, double light, double shift)
{
	double k = fmod(shift + hue / 30, 12), a = saturation * fmin(light, 1 - light);

	return 255 * (light - a * fmax(-1, fmin(fmin(k - 3, 9 - k), 1))) + 0.5;
}

/* Neighbours differ by the golden angle in hue; those of like hue in lightness. */
static const char *colour(u32 i, char text[8])
{
	static const double lights[] = { 0.45, 0.66, 0.32, 0.56 };
	double hue = fmod(210 + i * 137.508, 360);
	double light = lights[i / 8 % 4], saturation = i / 32 % 2 ? 0.42 : 0.72;

	snprintf(text, 8, "#%02x%02x%02x", channel(hue, saturation, light, 0),
		 channel(hue, saturation, light, 8), channel(hue, saturation, light, 4));
	return text;
}

static void point(FILE *to, char op, double x, double r, double turn)
{
	double angle = 2 * M_PI * turn;

	fprintf(to, "%c%.2f %.2f", op, x + r * sin(angle),
		PLOT_TOP + PLOT_RING / 2.0 - r * cos(angle));
}

/* An arc of a circle, in two parts: one cannot be a whole circle. */
static void arc_side(FILE *to, double x, double r, double from, double end)
{
	char op[32];
	int i;

	snprintf(op, sizeof(op), "A%.1f %.1f 0 0 %d ", r, r, end > from);
	for (i = 1; i <= 2; i++) {
		fputs(op, to);
		point(to, ' ', x, r, from + (end - from) * i / 2);
	}
}

/* From @from to @end, in parts of the circle */
static void arc(FILE *to, double x, double in, double out, double from, double end)
{
	point(to, 'M', x, out, from);
	arc_side(to, x, out, from, end);
	point(to, 'L', x, in, end);
	arc_side(to, x, in, end, from);
	fputs("Z", to);
}

/* --- the circles ------------------------------------------------------------ */

static u32 share_slots(const struct plot *p, const struct ring *r, u32 i)
{
	return r == &p->ring[0] ? p->p->shares[i].before : p->p->shares[i].after;
}

/* Number and percent of an arc, along the radius; not upside down */
static void share_label(FILE *to, const struct ring *r, u32 i, double middle, double percent)
{
	double y = PLOT_TOP + PLOT_RING / 2.0, angle = 360 * middle - 90;
	bool left = middle > 0.5;

	fprintf(to, "<text class=\"label\" transform=\"translate(%.2f %.2f) rotate(%.2f)\" dy=\".35em\" text-anchor=\"%s\">%u: %.2f%%</text>\n",
		r->x + R_LABEL * sin(2 * M_PI * middle), y - R_LABEL * cos(2 * M_PI * middle),
		left ? angle + 180 : angle, left ? "end" : "start", i + 1, percent);
}

static void shares(const struct plot *p, const struct ring *r)
{
	char word[ADDR_TEXT_MAX], rgb[8];
	u32 i, own, sum = 0;
	double from, end;

	for (i = 0; i < p->p->n; i++) {
		own = share_slots(p, r, i);
		if (!own)
			continue;
		from = (double)sum / r->slots;
		sum += own;
		end = (double)sum / r->slots;
		addr_print(&p->p->shares[i].at, word);
		fprintf(p->to, "<path class=\"share\" data-ring=\"%s\" data-backend=\"%s\" data-slots=\"%u\" data-percent=\"%.4f\" fill=\"%s\" stroke=\"#fff\" stroke-width=\".6\" d=\"",
			r->name, word, own, 100.0 * own / r->slots, colour(i, rgb));
		arc(p->to, r->x, R_SHARE_IN, R_SHARE_OUT, from, end);
		fprintf(p->to, "\"><title>%s: %.2f%%</title></path>\n", word,
			100.0 * own / r->slots);
		if (2 * M_PI * R_LABEL * (end - from) >= PLOT_LABEL_MIN)
			share_label(p->to, r, i, (from + end) / 2, 100.0 * own / r->slots);
	}
}

/* Whose arc is there, when @n slots are drawn? */
static u32 arc_owner(const struct ring *r, u32 n, u32 k, bool moved)
{
	u32 s = (u64)(k % n) * r->slots / n;

	return moved && !r->moved[s] ? NOBODY : r->owner[s];
}

static u32 count_arcs(const struct ring *r, u32 n, bool moved)
{
	u32 k, arcs = 0;

	for (k = 0; k < n; k++)
		arcs += arc_owner(r, n, k, moved) != arc_owner(r, n, k + 1, moved);
	return arcs ? arcs : 1;
}

/* How many slots are drawn */
static u32 drawn(const struct ring *r)
{
	if (count_arcs(r, r->slots, false) > PLOT_ARCS_MAX ||
	    (r->moved && count_arcs(r, r->slots, true) > PLOT_ARCS_MAX))
		return PLOT_SAMPLES;
	return r->slots;
}

/* Slots @from to @end, beyond the last if it goes over the top */
struct slots_arc {
	u32 from;
	u32 end;
	u32 owner;
};

/* All arcs when @n slots are drawn, those of NOBODY too. Their number; 0: no memory. */
static u32 list_arcs(const struct ring *r, u32 n, bool moved, struct slots_arc **list)
{
	u32 all = count_arcs(r, n, moved), first = 0, k, arcs = 0;

	*list = calloc(all, sizeof(**list));
	if (!*list)
		return 0;
	while (first < n && arc_owner(r, n, first, moved) == arc_owner(r, n, first + n - 1, moved))
		first++;
	first %= n;		/* one arc: it has no beginning */
	for (k = first; k < first + n; k++) {
		if (k == first || arc_owner(r, n, k, moved) != (*list)[arcs - 1].owner)
			(*list)[arcs++] = (struct slots_arc){ k, k, arc_owner(r, n, k, moved) };
		(*list)[arcs - 1].end = k + 1;
	}
	return arcs;
}

/* The arcs of one backend, or none */
static void backend_arcs(const struct plot *p, const struct ring *r, u32 n, bool moved, u32 owner,
			 const struct slots_arc *list, u32 all)
{
	double in = moved ? R_MOVED_IN : R_SLOTS_IN, out = moved ? R_MOVED_OUT : R_SLOTS_OUT;
	char word[ADDR_TEXT_MAX], rgb[8];
	u32 i, arcs = 0;

	for (i = 0; i < all; i++)
		arcs += list[i].owner == owner;
	if (!arcs)
		return;
	fprintf(p->to, "<path class=\"%s\" data-ring=\"%s\" data-backend=\"%s\" data-arcs=\"%u\" fill=\"%s\" d=\"",
		moved ? "moved" : "arcs", r->name, addr_print(&p->p->shares[owner].at, word), arcs,
		colour(owner, rgb));
	for (i = 0; i < all; i++)
		if (list[i].owner == owner)
			arc(p->to, r->x, in, out, (double)list[i].from / n,
			    (double)list[i].end / n);
	fputs("\"/>\n", p->to);
}

static int slots(const struct plot *p, const struct ring *r, bool moved)
{
	u32 i, n = drawn(r), all;
	struct slots_arc *list;

	all = list_arcs(r, n, moved, &list);
	for (i = 0; i < p->p->n; i++)
		backend_arcs(p, r, n, moved, i, list, all);
	free(list);
	return all ? 0 : -ENOMEM;
}

static void middle_text(const struct plot *p, const struct ring *r, int line, const char *weight,
			const char *text)
{
	fprintf(p->to, "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\" font-weight=\"%s\">%s</text>\n",
		r->x, PLOT_TOP + PLOT_RING / 2 + 16 * line, weight, text);
}

static u32 count_members(const struct plot *p, const struct ring *r)
{
	u32 i, n = 0;

	for (i = 0; i < p->p->n; i++)
		n += r == &p->ring[0] ? p->p->shares[i].was : p->p->shares[i].is;
	return n;
}

static int ring(const struct plot *p, const struct ring *r)
{
	u32 members = count_members(p, r);
	char text[96];
	int line = 1, err;

	snprintf(text, sizeof(text), "%u backend%s", members, members == 1 ? "" : "s");
	middle_text(p, r, -2, "bold", r->name);
	middle_text(p, r, -1, "normal", text);
	if (!members)
		return 0;
	shares(p, r);
	err = slots(p, r, false);
	if (r->moved && !err) {
		fprintf(p->to, "<circle cx=\"%.0f\" cy=\"%d\" r=\"%.0f\" fill=\"none\" stroke=\"#eee\" stroke-width=\"%.0f\"/>\n",
			r->x, PLOT_TOP + PLOT_RING / 2, (R_MOVED_IN + R_MOVED_OUT) / 2,
			R_MOVED_OUT - R_MOVED_IN);
		err = slots(p, r, true);
	}
	snprintf(text, sizeof(text), "peak/mean %.3f", plan_peak_to_mean(p->p, r != &p->ring[0]));
	middle_text(p, r, 0, "normal", text);
	snprintf(text, sizeof(text), "%u slots", r->slots);
	middle_text(p, r, line++, "normal", text);
	if (drawn(r) != r->slots) {
		snprintf(text, sizeof(text), "(%u of them drawn)", drawn(r));
		middle_text(p, r, line++, "normal", text);
	}
	if (r->moved)
		middle_text(p, r, line, "normal", "innermost: slots that moved");
	return err;
}

/* --- the list ----------------------------------------------------------------- */

/* "1"; "1/2": before and after; "-": none */
static void weight_text(const struct plan_share *s, char text[16])
{
	if (s->was && s->is && s->weight_before == s->weight_after)
		snprintf(text, 16, "%u", s->weight_after);
	else if (s->was && s->is)
		snprintf(text, 16, "%u/%u", s->weight_before, s->weight_after);
	else
		snprintf(text, 16, s->is ? "-/%u" : "%u/-", s->weight_before + s->weight_after);
}

/* "24.99%", "-" if it is not there */
static const char *percent_text(bool there, double part, double whole, char text[16])
{
	if (there && whole)
		snprintf(text, 16, "%.2f%%", 100 * part / whole);
	else
		strcpy(text, "-");
	return text;
}

static size_t widest_address(const struct plan *p)
{
	char word[ADDR_TEXT_MAX];
	size_t len, width = strlen("backend");
	u32 i;

	for (i = 0; i < p->n; i++) {
		len = strlen(addr_print(&p->shares[i].at, word));
		if (len > width)
			width = len;
	}
	return width;
}

#define LIST_FORMAT "%4s  %-*s %11s  %7s %7s  %7s %7s"
#define LIST_CHARS (4 + 2 + 1 + 11 + 2 + 7 + 1 + 7 + 2 + 7 + 1 + 7)

static void list_line(const struct plot *p, u32 i, int address, const double total[2], double x,
		      double y)
{
	char number[12], word[ADDR_TEXT_MAX], weight[16], part[4][16], rgb[8];
	const struct plan_share *s = &p->p->shares[i];

	snprintf(number, sizeof(number), "%u", i + 1);
	weight_text(s, weight);
	fprintf(p->to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>",
		x, y - 9, colour(i, rgb));
	fprintf(p->to, "<text class=\"list\" x=\"%.1f\" y=\"%.1f\">" LIST_FORMAT "</text>\n",
		x + 12, y, number, address, addr_print(&s->at, word), weight,
		percent_text(s->was, s->weight_before, total[0], part[0]),
		percent_text(s->was, s->before, p->p->slots_before, part[1]),
		percent_text(s->is, s->weight_after, total[1], part[2]),
		percent_text(s->is, s->after, p->p->slots_after, part[3]));
}

/**
 * struct list - how the list is laid out
 * @address: characters for an address
 * @width: of a column
 * @columns: beside each other
 * @lines: in each
 */
struct list {
	int address;
	double width;
	u32 columns;
	u32 lines;
};

static struct list lay_out(const struct plan *p)
{
	struct list l = { .address = widest_address(p) };

	l.width = (LIST_CHARS + l.address) * PLOT_CHAR + 30;
	l.columns = (PLOT_WIDTH - 20) / l.width;
	if (!l.columns)
		l.columns = 1;
	l.lines = (p->n + l.columns - 1) / l.columns;
	return l;
}

static void list(const struct plot *p, const struct list *l)
{
	double total[2] = { 0 }, x, y = PLOT_TOP + PLOT_RING + 20;
	u32 i;

	for (i = 0; i < p->p->n; i++) {
		total[0] += p->p->shares[i].weight_before;
		total[1] += p->p->shares[i].weight_after;
	}
	for (i = 0; i < p->p->n; i++) {
		x = 20 + i / l->lines * l->width;
		if (i % l->lines == 0)
			fprintf(p->to, "<text class=\"list\" x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">" LIST_FORMAT "</text>\n",
				x + 12, y, "", l->address, "backend", "weight", "asked", "before",
				"asked", "after");
		list_line(p, i, l->address, total, x, y + (i % l->lines + 1) * PLOT_LINE);
	}
}

/* --- all of it ------------------------------------------------------------------ */

static double percent(u32 part, u32 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static int draw(const struct plot *p)
{
	struct list l = lay_out(p->p);
	const struct plan *plan = p->p;
	int height = PLOT_TOP + PLOT_RING + 40 + l.lines * PLOT_LINE;
	double width = fmax(PLOT_WIDTH, l.width + 40);
	int err;

	fprintf(p->to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%d\" viewBox=\"0 0 %.0f %d\" font-family=\"DejaVu Sans, Arial, sans-serif\" font-size=\"12\">\n",
		width, height, width, height);
	fputs("<style>.label{font-size:10px}.list{font:10px 'DejaVu Sans Mono',monospace;white-space:pre}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
	      p->to);
	fprintf(p->to, "<text x=\"20\" y=\"28\" font-size=\"18\">%s, method %s</text>\n",
		plan->service, word_method(plan->method));
	fprintf(p->to, "<text x=\"20\" y=\"48\">%.2f%% of the slots move: %.2f%% at once, %.2f%% later; needless %.2f%%</text>\n",
		percent(plan->at_once + plan->later, plan->slots),
		percent(plan->at_once, plan->slots), percent(plan->later, plan->slots),
		percent(plan->needless, plan->slots));
	err = ring(p, &p->ring[0]);
	if (!err)
		err = ring(p, &p->ring[1]);
	fputs("<g xml:space=\"preserve\">\n", p->to);
	list(p, &l);
	fputs("</g>\n</svg>\n", p->to);
	return err;
}

/* Owners as places in the plan's shares. Both are in the order of addresses. */
static int set_ring(struct ring *r, const struct plan *p, const struct table *t)
{
	u32 *place = calloc(t->n + 1, sizeof(*place));
	u32 i, at = 0, s;

	r->owner = calloc(t->slots + 1, sizeof(*r->owner));
	if (!place || !r->owner) {
		free(place);
		return -ENOMEM;
	}
	for (i = 0; i < t->n; i++) {
		while (addr_cmp(&p->shares[at].at, &t->members[i].at))
			at++;
		place[i] = at;
	}
	r->slots = t->slots;
	for (s = 0; s < t->slots; s++)
		r->owner[s] = t->owners[s] < t->n ? place[t->owners[s]] : NOBODY;
	free(place);
	return 0;
}

/* Tables of different sizes: a slot of the smaller one stands for several of the larger. */
static int set_moved(struct plot *p)
{
	struct ring *before = &p->ring[0], *after = &p->ring[1];
	u32 s, was;

	if (!before->slots || p->p->rehash)
		return 0;
	after->moved = calloc(after->slots + 1, sizeof(*after->moved));
	if (!after->moved)
		return -ENOMEM;
	for (s = 0; s < after->slots; s++) {
		was = before->owner[(u64)s * before->slots / after->slots];
		after->moved[s] = was != NOBODY && was != after->owner[s];
	}
	return 0;
}

/**
 * plot_write() - draw a change into a file
 * @file: its name
 * @p: the plan
 * @before: the table before
 * @after: the table after
 *
 * Return: an exit code, after its message.
 */
int plot_write(const char *file, const struct plan *p, const struct table *before,
	       const struct table *after)
{
	struct plot plot = { .p = p, .ring = {
		{ .name = "before", .x = PLOT_WIDTH / 4.0 },
		{ .name = "after", .x = PLOT_WIDTH * 3 / 4.0 },
	} };
	int code = TOOL_DONE, err;

	err = set_ring(&plot.ring[0], p, before);
	if (!err)
		err = set_ring(&plot.ring[1], p, after);
	if (!err)
		err = set_moved(&plot);
	if (!err) {
		plot.to = fopen(file, "we");
		if (plot.to)
			err = draw(&plot);
		if (!plot.to || ferror(plot.to) | fclose(plot.to)) {
			tool_error("plot \"%s\": %s", file, strerror(errno));
			code = TOOL_REFUSED;
		}
	}
	if (err)
		code = tool_no_memory();
	free(plot.ring[0].owner);
	free(plot.ring[1].owner);
	free(plot.ring[1].moved);
	return code;
}
