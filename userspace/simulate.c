// SPDX-License-Identifier: GPL-2.0-only
/*
 * simulate.c - the command simulate: all methods side by side
 *
 * In: words; a service of the kernel or a file, or a number of backends. Out: what each method
 * does with them. Nothing is changed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object.h"
#include "offline.h"
#include "plot.h"
#include "sim_print.h"

#define PROGRESS_AFTER_NS 500000000ULL

static int parse_options(struct cmd *c, struct command *command)
{
	struct simulate *s = &command->simulate;

	return cmd_pairs(c, simulate_keywords, command->g->allowed, s, &s->service.has);
}

int simulate_parse(struct cmd *c, struct command *command)
{
	if (cmd_name(c, command->simulate.service.name))
		return -1;
	return parse_options(c, command);
}

int simulate_parse_backends(struct cmd *c, struct command *command)
{
	static const char expects[] = "a number from 1 to 4096";
	const char *word = cmd_next(c, "backends", expects);
	u64 n;

	if (!word)
		return -1;
	if (addr_number(word, RINGLB_BACKENDS_MAX, &n) || !n)
		return cmd_bad(c, "backends", word, "expected a number from 1 to 4096");
	command->simulate.n = n;
	return parse_options(c, command);
}

/* On a terminal, what is being done if it takes long */
struct progress {
	u64 start_ns;
	bool shown;
};

static void show_progress(const char *method, u32 done, u32 all, void *arg)
{
	struct progress *p = arg;

	if (sim_now_ns() - p->start_ns < PROGRESS_AFTER_NS)
		return;
	fprintf(stderr, "\rsimulate: %s: table %u of %u\033[K", method, done, all);
	p->shown = true;
}

static void end_progress(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

/* Options that were given are the simulation's, others the service's. */
static void set_options(struct sim_input *in, const struct simulate *given,
			const struct service *s)
{
	const struct service *from = &given->service;
	u32 slots = s ? s->slots : RINGLB_SLOTS_DEFAULT;

	in->params.slack = s ? s->slack : RINGLB_SLACK_DEFAULT;
	in->params.vnodes = s ? s->vnodes : RINGLB_VNODES_DEFAULT;
	if (HAS(from, RINGLB_A_SERVICE_SLOTS))
		slots = from->slots;
	if (HAS(from, RINGLB_A_SERVICE_SLACK))
		in->params.slack = from->slack;
	if (HAS(from, RINGLB_A_SERVICE_VNODES))
		in->params.vnodes = from->vnodes;
	in->bits = __builtin_ctz(slots);
	in->seed = given->seed;
}

static int invent(struct sim_input *in, const struct simulate *given)
{
	static const u32 one = 1;

	set_options(in, given, NULL);
	if (sim_list_equal(in, given->n, given->n_weights ? given->weights : &one,
			   given->n_weights ? given->n_weights : 1))
		return tool_no_memory();
	return TOOL_DONE;
}

/**
 * struct subject - what is simulated, beside the list of backends
 * @method: the service's, or of a drawing
 * @key: what of a flow is hashed
 * @secret: by what
 * @service: without its backends
 * @traffic: flows of a capture
 */
struct subject {
	u32 method;
	u32 key;
	struct rlb_secret secret;
	struct service service;
	struct traffic traffic;
};

/* The service's own, so that flows go where they go; else one that all know */
static int take_secret(struct tool *t, struct model *m, struct subject *s)
{
	if (!t->file && fetch_secret(tool_session(t), m))
		return tool_refused(t, "simulate");
	s->secret = rlb_public;
	if (m->has_secret)
		rlb_secret_load(&s->secret, m->secret);
	return TOOL_DONE;
}

static int take_service(struct tool *t, struct sim_input *in, const struct simulate *given,
			struct subject *to)
{
	const char *name = given->service.name;
	struct model m = { 0 };
	const struct service *s;
	int code;

	code = tool_model(t, name, TOOL_BACKENDS, &m);
	s = code ? NULL : model_find(&m, name);
	if (s && !service_has_members(s)) {
		tool_error("simulate: service \"%s\" has no backend with a weight", name);
		code = TOOL_REFUSED;
	} else if (s) {
		set_options(in, given, s);
		if (s->method != RINGLB_METHOD_SLOTS)
			to->method = s->method;
		to->key = s->key;
		to->service = *s;
		code = sim_list_service(in, s) ? tool_no_memory() : TOOL_DONE;
	}
	if (!code && given->pcap)
		code = take_secret(t, &m, to);
	model_free(&m);
	return code;
}

/* Flows of a file, if that is wanted. An exit code. */
static int read_traffic(struct sim_input *in, const struct simulate *given, struct subject *s)
{
	int code;

	if (!given->pcap)
		return TOOL_DONE;
	code = traffic_read(given->pcap, given->n ? NULL : &s->service, &s->traffic);
	if (!code && sim_traffic_weigh(in, &s->traffic, &s->secret, s->key))
		code = tool_no_memory();
	return code;
}

/* The backends of a simulation, without newcomers or with @more of them, as a service's */
static int as_service(const struct sim_input *in, u32 more, struct service *s)
{
	struct backend b = { .state = RINGLB_STATE_UP };
	int err = 0;
	u32 i;

	for (i = 0; i < in->n + more && !err; i++) {
		b.at = in->at[i];
		b.weight = in->m[i].weight;
		err = service_add(s, &b);
	}
	return err;
}

static int plan_and_plot(const char *file, const struct service *before,
			 const struct service *after)
{
	struct table from = { 0 }, to = { 0 };
	struct plan p = { 0 };
	int code = TOOL_DONE, err;

	err = offline_table(before, &from);
	if (!err)
		err = offline_table(after, &to);
	if (!err)
		err = plan_compute(&p, before, &from, after);
	if (err && err != -ENOMEM) {
		tool_error("plot: %s cannot hold these backends", word_method(before->method));
		code = TOOL_REFUSED;
	} else {
		code = err ? tool_no_memory() : plot_write(file, &p, &from, &to);
	}
	plan_free(&p);
	table_free(&from);
	table_free(&to);
	return code;
}

/* Draw one more backend being added, if that is wanted. An exit code. */
static int plot(const struct sim_input *in, const struct simulate *given, u32 method)
{
	struct service before = { .method = method, .slots = 1U << in->bits,
				  .slack = in->params.slack, .vnodes = in->params.vnodes,
				  .protocol = in->protocol, .key = RINGLB_KEY_5TUPLE,
				  .settle = RINGLB_SETTLE_DEFAULT };
	struct service after;
	int code;

	if (!given->plot)
		return TOOL_DONE;
	snprintf(before.name, sizeof(before.name), "%s", given->n ? "one more backend" :
		 given->service.name);
	after = before;
	if (as_service(in, 0, &before) || as_service(in, in->newcomers ? 1 : 0, &after))
		code = tool_no_memory();
	else
		code = plan_and_plot(given->plot, &before, &after);
	free(before.backends);
	free(after.backends);
	return code;
}

/* Simulate all methods. Those that cannot hold these backends are told of. An exit code. */
static int run_all(const struct sim_input *in, const struct sim_method *methods, u32 all,
		   struct sim_result *results, u32 *n)
{
	u32 i;
	int err;

	for (i = 0; i < all; i++) {
		err = sim_run(&results[*n], &methods[i], in);
		end_progress(in->arg);
		if (err == -ENOMEM)
			return tool_no_memory();
		if (!err)
			(*n)++;
		else if (err == -E2BIG)
			tool_error("note: %s cannot hold these backends",
				   methods[i].ops->name);
	}
	return TOOL_DONE;
}

/* Text: a list after the one before it. An exit code. */
static int print_traffic(struct tool *t, const struct sim_input *in, u32 method,
			 const struct sim_result *results, u32 n)
{
	struct out *o = &t->out;
	int code;
	u32 i;

	fputs("\nlongest flows, and their backends by each method:\n", o->to);
	out_begin(o, OUT_COLUMNS);
	sim_elephants(o, in, results, n);
	code = tool_end(t, TOOL_DONE);
	for (i = 0; i < n && !code; i++) {
		if (results[i].method->ops->id != method)
			continue;
		fprintf(o->to, "\nshares by method %s:\n", word_method(method));
		out_begin(o, OUT_COLUMNS);
		sim_shares(o, in, &results[i]);
		code = tool_end(t, code);
	}
	return code;
}

static int print(struct tool *t, const struct sim_input *in, u32 method,
		 const struct sim_result *results, u32 n)
{
	int code;
	u32 i;

	out_begin(&t->out, OUT_BESIDE);
	for (i = 0; i < n; i++)
		sim_facts(&t->out, in, &results[i]);
	code = tool_end(t, TOOL_DONE);
	if (!code && in->traffic && !t->out.json)
		code = print_traffic(t, in, method, results, n);
	return code;
}

int simulate_run(struct tool *t, const struct command *command)
{
	const struct simulate *given = &command->simulate;
	struct subject subject = { .method = RINGLB_METHOD_RENDEZVOUS,
				   .key = RINGLB_KEY_5TUPLE, .secret = rlb_public };
	struct sim_method methods[SIM_METHODS_MAX];
	struct sim_result results[SIM_METHODS_MAX];
	struct progress progress = { .start_ns = sim_now_ns() };
	struct sim_input in = { .arg = &progress };
	u32 i, n = 0;
	int code;

	if (isatty(STDERR_FILENO))
		in.step = show_progress;
	code = given->n ? invent(&in, given) : take_service(t, &in, given, &subject);
	if (HAS(&given->service, SIMULATE_METHOD))
		subject.method = given->service.method;
	if (!code)
		code = read_traffic(&in, given, &subject);
	if (!code)
		code = plot(&in, given, subject.method);
	if (!code)
		code = run_all(&in, methods, sim_methods(methods), results, &n);
	end_progress(&progress);
	if (!code)
		code = print(t, &in, subject.method, results, n);
	for (i = 0; i < n; i++)
		sim_result_free(&results[i]);
	sim_traffic_free(&in);
	traffic_free(&subject.traffic);
	explicit_bzero(&subject, sizeof(subject));
	sim_list_free(&in);
	return code;
}
