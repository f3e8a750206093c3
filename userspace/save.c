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
#include "save.h"
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
u64 save_service_has(const struct service *s)
{
	u64 wanted = ~0ULL;

	if (word_stray(s->method, BIT(RINGLB_A_SERVICE_SLACK)))
		wanted &= ~BIT(RINGLB_A_SERVICE_SLACK);
	if (word_stray(s->method, BIT(RINGLB_A_SERVICE_VNODES)))
		wanted &= ~BIT(RINGLB_A_SERVICE_VNODES);
	if (s->mode != RINGLB_MODE_TUNNEL)
		wanted &= ~BIT(RINGLB_A_SERVICE_TUNNEL);
	if (s->mode != RINGLB_MODE_TUNNEL || s->tunnel != RINGLB_TUNNEL_GUE)
		wanted &= ~BIT(RINGLB_A_SERVICE_TUNNEL_PORT);
	if (s->key != RINGLB_KEY_QUIC_CID)
		wanted &= ~SERVICE_CID;
	if (!s->snat)
		wanted &= ~SERVICE_SNAT;
	if (!s->force)
		wanted &= ~BIT(RINGLB_A_SERVICE_FORCE);
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

/**
 * save_pairs() - settings as pairs of words
 * @to: where to; NULL: just count them
 * @k: the keywords
 * @wanted: mask of those that count
 * @object: what has the settings
 * @unlike: only those that differ from this one's; NULL: all
 *
 * Return: how many pairs.
 */
int save_pairs(FILE *to, const struct keyword *k, u64 wanted, const void *object,
	       const void *unlike)
{
	char value[WORD_VALUE_MAX], other[WORD_VALUE_MAX];
	int n = 0;

	for (; k->word; k++) {
		if (!k->print || !(wanted >> k->attr & 1))
			continue;
		k->print(value, object);
		if (unlike)
			k->print(other, unlike);
		if (unlike && !strcmp(value, other))
			continue;
		if (to)
			fprintf(to, " %s %s", k->word, value);
		n++;
	}
	return n;
}

/* What no later command can change of a service: the beginning of the one that makes it */
void save_head(FILE *to, const struct service *s)
{
	char word[ADDR_TEXT_MAX];

	fprintf(to, "service add %s %s %s", s->name, word_protocol(s->protocol),
		addr_print(&s->vip, word));
}

void save_backend(FILE *to, const struct service *s, const struct backend *b)
{
	char word[ADDR_TEXT_MAX];

	fprintf(to, "backend add %s %s", s->name, addr_print(&b->at, word));
	save_pairs(to, backend_keywords, backend_pairs(b), b, NULL);
	fputc('\n', to);
}

void save_map(FILE *to, const struct service *s)
{
	if (!s->map || !s->map->n)
		return;
	fprintf(to, "service set %s", s->name);
	map_print(to, s);
	fputc('\n', to);
}

/**
 * save_service() - a service with its backends, as commands
 * @to: where to
 * @s: the service
 */
void save_service(FILE *to, const struct service *s)
{
	size_t i;

	save_head(to, s);
	save_pairs(to, service_keywords, save_service_has(s), s, NULL);
	if (s->method == RINGLB_METHOD_SEAT)
		seats_print(to, s);
	fputc('\n', to);
	for (i = 0; i < s->n; i++)
		save_backend(to, s, &s->backends[i]);
	save_map(to, s);
}

/* What the configuration has beyond what the kernel says of services: seats and maps. */
static int get_lists(struct tool *t, struct model *m)
{
	int code = TOOL_DONE;
	size_t i;

	for (i = 0; i < m->n && !code; i++)
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

static int get_devs(struct tool *t, struct model *m)
{
	int ret = fetch_devs(&t->session, &m->devs);

	return !ret ? TOOL_DONE : ret > 0 ? tool_inconsistent() : tool_refused(t, "save");
}

/**
 * save_model() - the whole configuration but for the secret, from where -f says or the kernel
 * @t: the run
 * @m: out: the model, empty before; to be freed in any case
 *
 * Return: an exit code, after its message.
 */
int save_model(struct tool *t, struct model *m)
{
	int code = tool_model(t, NULL, TOOL_BACKENDS, m);

	if (code || t->file)
		return code;
	code = get_lists(t, m);
	if (!code)
		code = get_flow_limit(t, m);
	return code ? code : get_devs(t, m);
}

void save_secret(FILE *to, const u8 *secret)
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
	code = save_model(t, &m);
	if (!code && command->with_secret)
		code = get_secret(t, &m);
	if (!code && command->with_secret)
		save_secret(to, m.secret);
	if (!code && m.flow_limit)
		fprintf(to, "flow set limit %u\n", m.flow_limit);
	for (i = 0; i < m.n && !code; i++)
		save_service(to, m.services[i]);
	for (i = 0; i < m.devs.n && !code; i++)
		fprintf(to, "dev add %s\n", m.devs.dev[i].name);
	model_free(&m);
	if (!code && (fflush(to) || ferror(to))) {
		tool_error("the output could not be written");
		code = TOOL_REFUSED;
	}
	return code;
}
