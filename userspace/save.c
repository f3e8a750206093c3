// SPDX-License-Identifier: GPL-2.0-only
/*
 * save.c - the configuration as commands
 *
 * In: a model. Out: commands that make it again, in one order and with every setting, so
 * that equal configurations give equal bytes. The words are those of the parser's tables.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "map.h"
#include "object.h"
#include "seats.h"

int save_parse(struct cmd *c, struct command *command)
{
	const char *word;

	if (!cmd_more(c))
		return 0;
	word = cmd_next(c, NULL, NULL);
	if (strcmp(word, "secret"))
		return cmd_bad(c, NULL, word, "expected secret or nothing");
	command->with_secret = true;
	return cmd_end(c);
}

/* What the method does not have is no part of the configuration. */
static u64 service_pairs(const struct service *s)
{
	u64 wanted = ~0ULL;

	if (word_stray(s->method, BIT(RINGLB_A_SERVICE_SLACK)))
		wanted &= ~BIT(RINGLB_A_SERVICE_SLACK);
	if (word_stray(s->method, BIT(RINGLB_A_SERVICE_VNODES)))
		wanted &= ~BIT(RINGLB_A_SERVICE_VNODES);
	return wanted;
}

/* The same for a backend: one without an id or a slow start says nothing of it. */
static u64 backend_pairs(const struct backend *b)
{
	u64 wanted = ~0ULL;

	if (!HAS(b, RINGLB_A_BACKEND_ID))
		wanted &= ~BIT(RINGLB_A_BACKEND_ID);
	if (!b->slow_start)
		wanted &= ~BIT(RINGLB_A_BACKEND_SLOW_START);
	return wanted;
}

static void print_pairs(FILE *to, const struct keyword *k, u64 wanted, const void *object)
{
	char value[WORD_VALUE_MAX];

	for (; k->word; k++) {
		if (!k->print || !(wanted >> k->attr & 1))
			continue;
		k->print(value, object);
		fprintf(to, " %s %s", k->word, value);
	}
}

static void print_service(FILE *to, const struct service *s)
{
	char word[ADDR_TEXT_MAX];
	size_t i;

	fprintf(to, "service add %s %s %s", s->name, word_protocol(s->protocol),
		addr_print(&s->vip, word));
	print_pairs(to, service_keywords, service_pairs(s), s);
	if (s->method == RINGLB_METHOD_SEAT)
		seats_print(to, s);
	fputc('\n', to);
	for (i = 0; i < s->n; i++) {
		fprintf(to, "backend add %s %s", s->name, addr_print(&s->backends[i].at, word));
		print_pairs(to, backend_keywords, backend_pairs(&s->backends[i]),
			    &s->backends[i]);
		fputc('\n', to);
	}
	if (s->map && s->map->n) {
		fprintf(to, "service set %s", s->name);
		map_print(to, s);
		fputc('\n', to);
	}
}

/* What the configuration has beyond what the kernel says of services: seats and maps. */
static int get_lists(struct tool *t, struct model *m)
{
	int code = TOOL_DONE;
	size_t i;

	for (i = 0; i < m->n && !code && !t->file; i++)
		if (m->services[i]->method == RINGLB_METHOD_SEAT ||
		    m->services[i]->method == RINGLB_METHOD_SLOTS)
			code = table_lists(t, m->services[i]);
	return code;
}

/* A limit that nobody has set depends on the host's memory, and is no configuration. */
static int get_flow_limit(struct tool *t, struct model *m)
{
	struct flows f = { 0 };

	if (fetch_flows(&t->session, &f))
		return tool_refused(t, "save");
	if (f.limit != f.limit_default)
		m->flow_limit = f.limit;
	return TOOL_DONE;
}

static void print_secret(FILE *to, const u8 *secret)
{
	size_t i;

	fputs("secret set ", to);
	for (i = 0; i < RINGLB_SECRET_LEN; i++)
		fprintf(to, "%02x", secret[i]);
	fputc('\n', to);
}

/* A file that others can read must not get the secret: take their right away first. */
static int protect(FILE *to)
{
	struct stat st;

	if (fstat(fileno(to), &st) || !S_ISREG(st.st_mode) || !(st.st_mode & 077))
		return TOOL_DONE;
	if (!fchmod(fileno(to), 0600))
		return TOOL_DONE;
	tool_error("save secret: others can read the output file, and that cannot be changed: %s",
		   strerror(errno));
	return TOOL_REFUSED;
}

/* The secret, if it is to be saved. An exit code, after its message. */
static int get_secret(struct tool *t, struct model *m)
{
	if (!t->file && fetch_secret(&t->session, m))
		return tool_refused(t, "save secret");
	if (m->has_secret)
		return protect(t->out.to);
	tool_error("%s: no hash key to save", t->file);
	return TOOL_REFUSED;
}

int save_run(struct tool *t, const struct command *command)
{
	struct model m = { 0 };
	FILE *to = t->out.to;
	size_t i;
	int code;

	if (t->out.json) {
		tool_error("save: expected no -j or -p: it prints commands");
		return TOOL_WORDS;
	}
	code = tool_model(t, NULL, TOOL_BACKENDS, &m);
	if (!code)
		code = get_lists(t, &m);
	if (!code && !t->file)
		code = get_flow_limit(t, &m);
	if (!code && command->with_secret)
		code = get_secret(t, &m);
	if (!code && command->with_secret)
		print_secret(to, m.secret);
	if (!code && m.flow_limit)
		fprintf(to, "flow set limit %u\n", m.flow_limit);
	for (i = 0; i < m.n && !code; i++)
		print_service(to, m.services[i]);
	model_free(&m);
	if (!code && (fflush(to) || ferror(to))) {
		tool_error("the output could not be written");
		code = TOOL_REFUSED;
	}
	return code;
}
