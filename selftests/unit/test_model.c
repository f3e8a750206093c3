// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_model.c - the tool's model against an unsorted twin; what it prints of it
 */
#include <arpa/inet.h>
#include <jansson.h>

#include "model.h"
#include "offline.h"
#include "out.h"
#include "unit.h"

#define TWIN_MAX 128

/* Few addresses, so that they meet */
static struct endpoint few_endpoints(void)
{
	struct endpoint e = { .family = unit_below(2) ? AF_INET : AF_INET6 };

	e.addr.byte[0] = 1 + unit_below(2);
	e.addr.byte[3] = unit_below(3);
	e.port = unit_below(3) * 128;	/* 128, 256: their bytes sort as numbers do */
	return e;
}

static struct service few_services(void)
{
	struct service s = { .protocol = unit_protocol() };

	s.name[0] = 'a' + unit_below(12);
	s.vip = few_endpoints();
	return s;
}

static int twin_find(const struct service *twin, size_t n, const struct service *s, bool by_name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (by_name ? !strcmp(twin[i].name, s->name) :
		    twin[i].protocol == s->protocol && !addr_cmp(&twin[i].vip, &s->vip))
			return i;
	return -1;
}

static void services(void **unused)
{
	struct service twin[TWIN_MAX];
	unsigned int round, i;
	size_t n = 0;
	struct model m = { 0 };
	int at, err;

	for (round = 0; round < unit_rounds(50000); round++) {
		struct service s = few_services(), *found = model_find(&m, s.name);

		at = twin_find(twin, n, &s, true);
		assert_int_equal(found != NULL, at >= 0);
		found = model_match(&m, s.protocol, &s.vip);
		assert_int_equal(found != NULL, twin_find(twin, n, &s, false) >= 0);
		if (found)
			assert_int_equal(addr_cmp(&found->vip, &s.vip), 0);
		if (unit_below(3)) {
			err = model_add(&m, &s, NULL);
			assert_int_equal(err, at >= 0 ? -EEXIST : found ? -EADDRINUSE : 0);
			if (!err)
				twin[n++] = s;
		} else if (at >= 0) {
			model_del(&m, model_find(&m, s.name));
			twin[at] = twin[--n];
		}
		assert_int_equal(m.n, n);
		for (i = 1; i < m.n; i++)
			assert_true(strcmp(m.services[i - 1]->name, m.services[i]->name) < 0);
	}
	model_free(&m);
}

static void backends(void **unused)
{
	struct endpoint twin[TWIN_MAX];
	struct service s = { 0 };
	unsigned int round;
	size_t i, n = 0;
	int err;

	for (round = 0; round < unit_rounds(50000); round++) {
		struct backend b = { .at = few_endpoints(), .weight = unit_below(9) }, *found;

		for (i = 0; i < n && addr_cmp(&twin[i], &b.at); i++)
			;
		found = service_find(&s, &b.at);
		assert_int_equal(found != NULL, i < n);
		if (unit_below(3)) {
			err = service_add(&s, &b);
			assert_int_equal(err, found ? -EEXIST : 0);
			if (!err)
				twin[n++] = b.at;
		} else if (found) {
			service_del(&s, found);
			twin[i] = twin[--n];
		}
		assert_int_equal(s.n, n);
		for (i = 1; i < s.n; i++)
			assert_true(addr_cmp(&s.backends[i - 1].at, &s.backends[i].at) < 0);
	}
	free(s.backends);
}

/*
 * How little a service says of a packet: prefixes are 24 bits or all; those of every protocol say
 * least. -1: it does not take it
 */
static int twin_rank(const struct service *s, u32 protocol, const struct endpoint *at)
{
	const struct endpoint *v = &s->vip;
	unsigned int last = v->last ? v->last : v->port;
	bool every = v->port == 1 && last == 65535;

	if (v->family != at->family ||
	    memcmp(&v->addr, &at->addr, v->prefix ? 3 : sizeof(v->addr)))
		return -1;
	if (s->protocol == RINGLB_PROTOCOL_ANY)
		return v->prefix ? 11 : 10;
	if (s->protocol != protocol || at->port < v->port || at->port > last)
		return -1;
	return (v->prefix ? 3 : 0) + (every ? 2 : v->last ? 1 : 0);
}

/* The naive way: the one that says most */
static const struct service *twin_match(const struct service *twin, size_t n, u32 protocol,
					const struct endpoint *at)
{
	const struct service *best = NULL;
	size_t i;
	int rank;

	for (i = 0; i < n; i++) {
		rank = twin_rank(&twin[i], protocol, at);
		if (rank >= 0 && (!best || rank < twin_rank(best, protocol, at)))
			best = &twin[i];
	}
	return best;
}

static struct service some_ports(unsigned int number)
{
	struct service s = { .protocol = unit_below(2) ? IPPROTO_TCP : IPPROTO_UDP };

	snprintf(s.name, sizeof(s.name), "s%u", number);
	s.vip = few_endpoints();
	s.vip.port = 1 + unit_below(40);
	if (unit_below(2))
		s.vip.last = s.vip.port + 1 + unit_below(12);
	if (!unit_below(8))
		s.protocol = RINGLB_PROTOCOL_ANY;
	if (!unit_below(8) || s.protocol == RINGLB_PROTOCOL_ANY) {
		s.vip.port = 1;
		s.vip.last = 65535;
	}
	if (!unit_below(3)) {
		s.vip.prefix = 24;
		memset(s.vip.addr.byte + 3, 0, 13);
	}
	return s;
}

static void matches(void **unused)
{
	struct service twin[TWIN_MAX];
	unsigned int round, look, prefixed = 0, kinds[RINGLB_MATCH_MAX + 1] = { 0 };

	for (round = 0; round < unit_rounds(400); round++) {
		struct model m = { 0 };
		size_t n = 0;

		while (n < TWIN_MAX / 2) {
			struct service s = some_ports(m.n + 1000 * n);

			if (unit_below(TWIN_MAX) == 0)
				break;
			if (model_clash(&m, &s))
				continue;
			assert_int_equal(model_add(&m, &s, NULL), 0);
			twin[n++] = s;
		}
		for (look = 0; look < 200; look++) {
			struct service s = some_ports(0);
			const struct service *want, *is;

			s.vip.last = s.vip.prefix = 0;
			if (s.protocol == RINGLB_PROTOCOL_ANY) {
				s.protocol = 47;	/* GRE, say, which has no ports */
				s.vip.port = 0;
			}
			want = twin_match(twin, n, s.protocol, &s.vip);
			is = model_match(&m, s.protocol, &s.vip);
			if (!want != !is || (is && strcmp(want->name, is->name)))
				refute("port %u: %s, not %s", s.vip.port, is ? is->name : "none",
				       want ? want->name : "none");
			kinds[is ? service_match(is) : 0]++;
			prefixed += is && is->vip.prefix;
		}
		model_free(&m);
	}
	for (look = 0; look <= RINGLB_MATCH_EVERY_PORT; look++)
		assert_true(kinds[look] > 50);
	assert_true(kinds[RINGLB_MATCH_EVERY_PROTOCOL] > 50);
	assert_true(prefixed > 50);
}

/* A range is its blocks, in order: each as large as it can be, so at most 30. */
static void blocks(void **unused)
{
	unsigned int round, most = 0;

	for (round = 0; round < unit_rounds(20000); round++) {
		u32 first = unit_between(1, 65535), last = unit_between(first, 65535), at, n = 0;

		for (at = first; at <= last; n++) {
			unsigned int bits = rlb_ports_block(at, last);

			assert_int_equal(at & ((1U << bits) - 1), 0);
			assert_true(at + (1U << bits) - 1 <= last);
			at += 1U << bits;
		}
		assert_int_equal(at, last + 1);
		most = n > most ? n : most;
	}
	assert_true(most <= RLB_PORTS_BLOCKS);
}

static void reals(void **unused)
{
	struct service twin[TWIN_MAX];
	struct model m = { 0 };
	unsigned int round;
	size_t n = 0;
	int at;

	for (round = 0; round < unit_rounds(50000); round++) {
		struct service s = few_services();

		at = twin_find(twin, n, &s, false);
		assert_int_equal(model_real_has(&m, s.protocol, &s.vip), at >= 0);
		if (unit_below(2)) {
			if (n == TWIN_MAX)
				continue;
			assert_int_equal(model_real_add(&m, s.protocol, &s.vip), 0);
			twin[n++] = s;	/* several stand for the same */
		} else {
			model_real_del(&m, s.protocol, &s.vip);
			if (at >= 0)
				twin[at] = twin[--n];
		}
	}
	model_free(&m);
}

/* When memory runs out there is no table, and nothing stays behind. */
static void no_memory(void **unused)
{
	struct service s = { .method = RINGLB_METHOD_RING, .vnodes = 10, .slots = 4096, .vip.family = AF_INET,
			     .protocol = IPPROTO_TCP };
	struct backend b = { .at = few_endpoints(), .weight = 1 };
	struct table t;

	b.at.family = AF_INET;
	service_add(&s, &b);
	unit_alloc_fail_at = 0;
	assert_int_equal(offline_table(&s, &t), -ENOMEM);
	unit_alloc_fail_at = -1;
	assert_int_equal(unit_alloc_live, 0);
	assert_int_equal(offline_table(&s, &t), 0);
	assert_int_equal(t.n, 1);
	assert_int_equal(t.members[0].slots, 4096);
	table_free(&t);
	free(s.backends);
}

/* One object with each kind of fact */
static char *print(bool json, bool pretty, enum out_layout layout, bool stats)
{
	struct counters c = { .has = BIT(RINGLB_COUNTER_PACKETS_IN) |
				     BIT(RINGLB_COUNTER_BYTES_OUT) };
	struct endpoint e = { .family = AF_INET, .addr.byte = { 192, 0, 2, 1 }, .port = 80 };
	struct out o = { .json = json, .pretty = pretty, .stats = stats };
	char *text = NULL;
	size_t size;
	int i;

	c.value[RINGLB_COUNTER_PACKETS_IN] = 18446744073709ULL;
	c.value[RINGLB_COUNTER_BYTES_OUT] = 2;
	o.to = open_memstream(&text, &size);
	out_begin(&o, layout);
	for (i = 0; i < 2; i++) {
		out_object(&o);
		out_str(&o, OUT_BARE, "name", i ? "a" : "longer");
		out_endpoint(&o, 0, "at", &e);
		out_u64(&o, 0, "weight", i ? 65535 : 7);
		out_hex(&o, "digest", i ? 0x1234 : ~0ULL);
		out_percent(&o, "share", i, 4);
		out_array(&o, "list");
		out_array_str(&o, "x");
		out_array_str(&o, NULL);
		out_counters(&o, &c);
	}
	assert_int_equal(out_end(&o), 0);
	fclose(o.to);
	return text;
}

static void check(char *got, const char *expected)
{
	assert_string_equal(got, expected);
	free(got);
}

static void layouts(void **unused)
{
	check(print(false, false, OUT_LINES, false),
	      "longer at 192.0.2.1:80 weight 7 digest ffffffffffffffff share 0.00%\n"
	      "a at 192.0.2.1:80 weight 65535 digest 0000000000001234 share 25.00%\n");
	check(print(false, false, OUT_COLUMNS, true),
	      "name    at            weight  digest             share\n"
	      "longer  192.0.2.1:80       7  ffffffffffffffff   0.00%\n"
	      "    packets_in 18446744073709 bytes_out 2\n"
	      "a       192.0.2.1:80   65535  0000000000001234  25.00%\n"
	      "    packets_in 18446744073709 bytes_out 2\n");
	check(print(false, false, OUT_FACTS, false),
	      "name    longer\nat      192.0.2.1:80\nweight  7\ndigest  ffffffffffffffff\nshare   0.00%\n"
	      "\n"
	      "name    a\nat      192.0.2.1:80\nweight  65535\ndigest  0000000000001234\nshare   25.00%\n");
}

static void json(void **unused)
{
	check(print(true, false, OUT_LINES, true),
	      "[{\"name\":\"longer\",\"at\":\"192.0.2.1:80\",\"weight\":7,\"digest\":\"ffffffffffffffff\",\"share\":0.0,\"list\":[\"x\",null],\"counters\":{\"packets_in\":18446744073709,\"bytes_out\":2}},"
	      "{\"name\":\"a\",\"at\":\"192.0.2.1:80\",\"weight\":65535,\"digest\":\"0000000000001234\",\"share\":25.0,\"list\":[\"x\",null],\"counters\":{\"packets_in\":18446744073709,\"bytes_out\":2}}]\n");
}

/* -p is -j with other blanks, in every layout. */
static void pretty(void **unused)
{
	int layout;

	for (layout = OUT_LINES; layout <= OUT_FACTS; layout++) {
		char *one = print(true, false, layout, true), *two = print(true, true, layout, true);
		json_t *a = json_loads(one, 0, NULL), *b = json_loads(two, 0, NULL);

		assert_non_null(a);
		assert_true(json_equal(a, b));
		assert_string_not_equal(one, two);
		json_decref(a);
		json_decref(b);
		free(one);
		free(two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("model: services are those of an unsorted twin, in order", services),
		CLAIM("model: backends are those of an unsorted twin, in order", backends),
		CLAIM("model: of services of several ports a packet meets who says most of it", matches),
		CLAIM("model: a range of ports is at most 30 blocks", blocks),
		CLAIM("model: places of packets are those of an unsorted twin", reals),
		CLAIM("model: a table without memory is none, and leaks none", no_memory),
		CLAIM("out: text has lines, columns, facts", layouts),
		CLAIM("out: JSON has numbers as numbers and digests as strings", json),
		CLAIM("out: pretty JSON is the same JSON", pretty),
	};

	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
