// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_wire.c - the tool's messages: what is put in comes out, and nothing in one is believed
 */
#include <arpa/inet.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>

#include "batch.h"
#include "change.h"
#include "nl.h"
#include "unit.h"
#include "wire.h"

static struct session session = { .family = 27 };

static struct nl_msg *begin(int cmd)
{
	struct nl_msg *msg = session_message(&session, cmd);

	assert_non_null(msg);
	return msg;
}

/* A nest by its number, with NLA_F_NESTED set; what is in it may need that too. */
static struct nlattr *nest_of(struct nl_msg *msg, int type)
{
	struct nlattr *a;
	int left;

	nlmsg_for_each_attr(a, nlmsg_hdr(msg), GENL_HDRLEN, left) {
		assert_true(a->nla_type & NLA_F_NESTED);
		if (nla_type(a) == type)
			return a;
	}
	refute("no attribute %d", type);
	return NULL;
}

static void random_endpoint(struct endpoint *e, bool with_port)
{
	u32 i;

	memset(e, 0, sizeof(*e));
	e->family = unit_below(2) ? AF_INET : AF_INET6;
	for (i = 0; i < rlb_addr_len(e->family); i++)
		e->addr.byte[i] = unit_random();
	e->port = with_port || unit_below(2) ? unit_between(1, 65535) : 0;
}

static void random_backend(struct backend *b)
{
	memset(b, 0, sizeof(*b));
	random_endpoint(&b->at, false);
	SET(b, b->at.family == AF_INET ? RINGLB_A_BACKEND_IPV4 : RINGLB_A_BACKEND_IPV6);
	if (b->at.port)
		SET(b, RINGLB_A_BACKEND_PORT);
	if (unit_below(2)) {
		SET(b, RINGLB_A_BACKEND_WEIGHT);
		b->weight = unit_below(65536);
	}
	if (unit_below(2)) {
		SET(b, RINGLB_A_BACKEND_ID);
		b->id = unit_random();
	}
	if (unit_below(2)) {
		SET(b, RINGLB_A_BACKEND_STATE);
		b->state = unit_between(1, RINGLB_STATE_MAX);
	}
	if (unit_below(2)) {
		SET(b, RINGLB_A_BACKEND_SLOW_START);
		b->slow_start = unit_below(RINGLB_SLOW_START_MAX + 1);
	}
}

static void random_service(struct service *s)
{
	size_t i, len = unit_between(1, RINGLB_NAME_MAX);

	memset(s, 0, sizeof(*s));
	for (i = 0; i < len; i++)
		s->name[i] = "abcXYZ019._-"[unit_below(12)];
	SET(s, RINGLB_A_SERVICE_NAME);
	if (unit_below(2)) {
		random_endpoint(&s->vip, true);
		SET(s, s->vip.family == AF_INET ? RINGLB_A_SERVICE_IPV4 : RINGLB_A_SERVICE_IPV6);
		SET(s, RINGLB_A_SERVICE_PORT);
		SET(s, RINGLB_A_SERVICE_PROTOCOL);
		s->protocol = unit_protocol();
		SET(s, RINGLB_A_SERVICE_METHOD);
		s->method = unit_between(1, RINGLB_METHOD_MAX);
	}
	if (unit_below(2)) {
		SET(s, RINGLB_A_SERVICE_KEY);
		s->key = unit_between(1, RINGLB_KEY_MAX);
		SET(s, RINGLB_A_SERVICE_CID_CONFIG);
		s->cid_config = unit_below(RINGLB_CID_CONFIG_MAX + 1);
		SET(s, RINGLB_A_SERVICE_SID_LENGTH);
		s->sid_length = 1 + unit_below(RINGLB_SID_LENGTH_MAX);
	}
	if (unit_below(2)) {
		SET(s, RINGLB_A_SERVICE_VNODES);
		s->vnodes = unit_between(1, RINGLB_VNODES_MAX);
	}
	if (unit_below(2)) {
		SET(s, RINGLB_A_SERVICE_SLOTS);
		s->slots = 1U << unit_between(12, 20);
		SET(s, RINGLB_A_SERVICE_SLACK);
		s->slack = unit_below(3) ? unit_below(1001) : RINGLB_SLACK_NONE;
	}
	if (unit_below(2)) {
		SET(s, RINGLB_A_SERVICE_SETTLE);
		s->settle = unit_below(1001);
		SET(s, RINGLB_A_SERVICE_TRACK);
		s->track = unit_between(1, RINGLB_TRACK_MAX);
		SET(s, RINGLB_A_SERVICE_TIMEOUT);
		s->timeout = unit_between(1, RINGLB_TIMEOUT_MAX);
		SET(s, RINGLB_A_SERVICE_DRAIN_TIMEOUT);
		s->drain_timeout = unit_between(1, RINGLB_TIMEOUT_MAX);
		SET(s, RINGLB_A_SERVICE_LAST_RESORT);
		s->last_resort = unit_below(2);
		SET(s, RINGLB_A_SERVICE_UDP_DRAIN);
		s->udp_drain = unit_between(1, RINGLB_UDP_DRAIN_MAX);
		SET(s, RINGLB_A_SERVICE_NONE);
		s->none = 1 + unit_below(2);
		SET(s, RINGLB_A_SERVICE_MODE);
		s->mode = unit_between(1, RINGLB_MODE_MAX);
		SET(s, RINGLB_A_SERVICE_TUNNEL);
		s->tunnel = unit_between(1, RINGLB_TUNNEL_MAX);
		SET(s, RINGLB_A_SERVICE_TUNNEL_PORT);
		s->tunnel_port = unit_between(1, 65535);
		SET(s, RINGLB_A_SERVICE_IF_GENERATION);
		s->if_generation = unit_random();
		SET(s, RINGLB_A_SERVICE_SNAT);
		s->snat = 1;
		SET(s, RINGLB_A_SERVICE_SNAT_PORTS);
		s->snat_ports = unit_random();
		s->snat_at = (struct endpoint){ .family = AF_INET6, .addr.byte[3] = 7 };
		SET(s, RINGLB_A_SERVICE_SNAT_IPV6);
	}
}

static void service_round_trip(void **unused)
{
	struct service s, back;
	unsigned int round;

	for (round = 0; round < unit_rounds(5000); round++) {
		struct nl_msg *msg = begin(RINGLB_CMD_SERVICE_NEW);

		random_service(&s);
		assert_int_equal(wire_put_service(msg, &s), 0);
		assert_int_equal(wire_get_service(nest_of(msg, RINGLB_A_SERVICE), &back), 0);
		assert_memory_equal(&s, &back, sizeof(s));
		nlmsg_free(msg);
	}
}

static void backend_round_trip(void **unused)
{
	struct backend b, back;
	unsigned int round;

	for (round = 0; round < unit_rounds(5000); round++) {
		struct nl_msg *msg = begin(RINGLB_CMD_BACKEND_NEW);
		struct wire_span span;
		struct nlattr *a;

		random_backend(&b);
		assert_int_equal(wire_put_name(msg, "web"), 0);
		assert_int_equal(wire_put_backend(msg, &b, &span), 0);
		a = nest_of(msg, RINGLB_A_BACKEND);
		assert_int_equal(wire_get_backend(a, &back), 0);
		assert_memory_equal(&b, &back, sizeof(b));
		assert_int_equal(span.start, (char *)a - (char *)nlmsg_hdr(msg));
		assert_int_equal(span.end, nlmsg_hdr(msg)->nlmsg_len);
		nlmsg_free(msg);
	}
}

static void random_flow(struct remembered *f)
{
	memset(f, 0, sizeof(*f));
	strcpy(f->service, "web");
	f->protocol = unit_protocol();
	random_endpoint(&f->client, false);
	random_backend(&f->backend);
	f->backend.has &= BIT(RINGLB_A_BACKEND_IPV4) | BIT(RINGLB_A_BACKEND_IPV6) |
			  BIT(RINGLB_A_BACKEND_PORT);
	f->backend = (struct backend){ .at = f->backend.at, .has = f->backend.has };
	SET(f, RINGLB_A_FLOW_HEARD);
	f->heard = unit_random();
	SET(f, RINGLB_A_FLOW_LEFT);
	f->left = unit_random();
	if (unit_below(2)) {
		SET(f, RINGLB_A_FLOW_SEQ);
		f->seq = unit_random();
		SET(f, RINGLB_A_FLOW_ACK);
		f->ack = unit_random();
	}
	SET(f, RINGLB_A_FLOW_PROTOCOL);
	SET(f, RINGLB_A_FLOW_SERVICE);
	SET(f, RINGLB_A_FLOW_BACKEND);
	SET(f, RINGLB_A_FLOW_PORT);
	SET(f, f->client.family == AF_INET ? RINGLB_A_FLOW_IPV4 : RINGLB_A_FLOW_IPV6);
}

static void flow_round_trip(void **unused)
{
	struct remembered f, back;
	struct wire_span span;
	unsigned int round;
	struct nlattr *a;

	for (round = 0; round < unit_rounds(5000); round++) {
		struct nl_msg *msg = begin(RINGLB_CMD_FLOW_NEW);

		random_flow(&f);
		assert_int_equal(wire_put_flow(msg, &f, &span), 0);
		a = nest_of(msg, RINGLB_A_FLOW);
		assert_int_equal(span.start, (char *)a - (char *)nlmsg_hdr(msg));
		assert_int_equal(span.end, nlmsg_hdr(msg)->nlmsg_len);
		assert_int_equal(wire_get_flow(a, &back), 0);
		assert_memory_equal(&f, &back, sizeof(f));
		nlmsg_free(msg);

		msg = begin(RINGLB_CMD_FLOW_DEL);
		memset(&f.backend, 0, sizeof(f.backend));
		assert_int_equal(wire_put_flow(msg, &f, &span), 0);
		a = nest_of(msg, RINGLB_A_FLOW);
		assert_int_equal(wire_get_flow(a, &back), -EBADMSG);
		assert_int_equal(wire_get_client(a, &back), 0);
		assert_string_equal(back.service, f.service);
		assert_int_equal(back.protocol, f.protocol);
		assert_memory_equal(&back.client, &f.client, sizeof(f.client));
		nlmsg_free(msg);
	}
}

static void taken(void **unused)
{
	struct nl_msg *msg = begin(RINGLB_CMD_FLOW_NEW);
	struct nlattr *top = nla_nest_start(msg, RINGLB_A_FLOWS);
	struct taken t;

	nla_put_u32(msg, RINGLB_A_FLOWS_TAKEN, 7);
	nla_put_u32(msg, RINGLB_A_FLOWS_KEPT, 8);
	nla_nest_end(msg, top);
	assert_int_equal(wire_get_taken(nest_of(msg, RINGLB_A_FLOWS), &t), 0);
	assert_int_equal(t.taken, 7);
	assert_int_equal(t.kept, 8);
	assert_int_equal(wire_get_taken(NULL, &t), -EBADMSG);
	nlmsg_free(msg);
}

/* LOOKUP as a module answers it */
static struct nl_msg *answer(const struct lookup *l)
{
	struct nl_msg *msg = begin(RINGLB_CMD_LOOKUP);
	struct nlattr *top = nla_nest_start(msg, RINGLB_A_LOOKUP), *nest;
	const struct backend *b = &l->owner;
	int type;

	nla_put_string(msg, RINGLB_A_LOOKUP_SERVICE, l->service);
	nla_put_u32(msg, RINGLB_A_LOOKUP_SLOT, l->slot);
	nla_put_u32(msg, RINGLB_A_LOOKUP_PROBES, l->probes);
	for (type = RINGLB_A_LOOKUP_OWNER; type <= RINGLB_A_LOOKUP_BACKEND; type++) {
		nest = nla_nest_start(msg, type);
		nla_put(msg, b->at.family == AF_INET ? RINGLB_A_BACKEND_IPV4 :
			RINGLB_A_BACKEND_IPV6, rlb_addr_len(b->at.family), &b->at.addr);
		nla_put_u32(msg, RINGLB_A_BACKEND_PORT, b->at.port);
		nla_put_u32(msg, RINGLB_A_BACKEND_STATE, b->state);
		nla_nest_end(msg, nest);
		b = &l->backend;
	}
	nla_nest_end(msg, top);
	return msg;
}

static void lookup_round_trip(void **unused)
{
	struct lookup l, back;
	unsigned int round;

	for (round = 0; round < unit_rounds(5000); round++) {
		struct nl_msg *msg;

		memset(&l, 0, sizeof(l));
		strcpy(l.service, "web");
		l.slot = unit_below(65536);
		l.probes = unit_below(65);
		random_endpoint(&l.owner.at, true);
		random_endpoint(&l.backend.at, true);
		l.owner.state = unit_between(1, 3);
		l.backend.state = unit_between(1, 3);
		msg = answer(&l);
		memset(&back, 0, sizeof(back));
		assert_int_equal(wire_get_lookup(nest_of(msg, RINGLB_A_LOOKUP), &back), 0);
		assert_string_equal(back.service, l.service);
		assert_int_equal(back.slot, l.slot);
		assert_int_equal(back.probes, l.probes);
		assert_true(back.has_owner && back.has_backend);
		assert_int_equal(addr_cmp(&back.owner.at, &l.owner.at), 0);
		assert_int_equal(addr_cmp(&back.backend.at, &l.backend.at), 0);
		assert_int_equal(back.owner.state, l.owner.state);
		assert_int_equal(back.backend.state, l.backend.state);
		nlmsg_free(msg);
	}
}

/* A question has exactly the attributes that a module wants. */
static void lookup_question(void **unused)
{
	struct lookup l = { .protocol = IPPROTO_UDP, .cid = { 0x60, 1, 2 }, .n_cid = 3 };
	struct nlattr *tb[RINGLB_A_LOOKUP_MAX + 1];
	struct nl_msg *msg = begin(RINGLB_CMD_LOOKUP);

	assert_null(addr_parse("[2001:db8::1]:7", ADDR_WITH_PORT, &l.src));
	assert_null(addr_parse("[2001:db8::2]:8", ADDR_WITH_PORT, &l.dst));
	assert_int_equal(wire_put_lookup(msg, &l), 0);
	assert_int_equal(nla_parse_nested(tb, RINGLB_A_LOOKUP_MAX,
					  nest_of(msg, RINGLB_A_LOOKUP), NULL), 0);
	assert_int_equal(nla_get_u32(tb[RINGLB_A_LOOKUP_PROTOCOL]), IPPROTO_UDP);
	assert_memory_equal(nla_data(tb[RINGLB_A_LOOKUP_SRC_IPV6]), &l.src.addr, 16);
	assert_memory_equal(nla_data(tb[RINGLB_A_LOOKUP_DST_IPV6]), &l.dst.addr, 16);
	assert_int_equal(nla_get_u32(tb[RINGLB_A_LOOKUP_SRC_PORT]), 7);
	assert_int_equal(nla_get_u32(tb[RINGLB_A_LOOKUP_DST_PORT]), 8);
	assert_null(tb[RINGLB_A_LOOKUP_SRC_IPV4]);
	assert_null(tb[RINGLB_A_LOOKUP_DST_IPV4]);
	assert_int_equal(nla_len(tb[RINGLB_A_LOOKUP_CID]), 3);
	assert_memory_equal(nla_data(tb[RINGLB_A_LOOKUP_CID]), l.cid, 3);
	nlmsg_free(msg);
}

/* An address of the wrong length, of two families or of none is no address. */
static void family_and_length(void **unused)
{
	static const u8 zero[32];
	struct backend b;
	int v4, v6;

	for (v4 = -1; v4 <= 20; v4++) {
		for (v6 = -1; v6 <= 20; v6++) {
			struct nl_msg *msg = begin(RINGLB_CMD_BACKEND_GET);
			struct nlattr *nest = nla_nest_start(msg, RINGLB_A_BACKEND);
			bool good = (v4 == 4 && v6 < 0) || (v4 < 0 && v6 == 16);

			if (v4 >= 0)
				nla_put(msg, RINGLB_A_BACKEND_IPV4, v4, zero);
			if (v6 >= 0)
				nla_put(msg, RINGLB_A_BACKEND_IPV6, v6, zero);
			nla_nest_end_keep_empty(msg, nest);
			if (!wire_get_backend(nest, &b) != good)
				refute("IPV4 of %d and IPV6 of %d bytes: %s", v4, v6,
				       good ? "refused" : "taken");
			nlmsg_free(msg);
		}
	}
}

/* ASan is the judge: whatever is in a message, no byte outside is read. */
static void mutants(void **unused)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];
	struct backend b;
	struct service s;
	struct lookup l = { 0 };
	unsigned int round, n;

	strcpy(l.service, "web");
	random_endpoint(&l.owner.at, true);
	random_endpoint(&l.backend.at, true);
	for (round = 0; round < unit_rounds(60000); round++) {
		struct nl_msg *msg = unit_below(2) ? answer(&l) : begin(RINGLB_CMD_SERVICE_GET);
		struct nlmsghdr *h;
		u32 len;
		u8 *copy;

		random_service(&s);
		random_backend(&b);
		wire_put_service(msg, &s);
		wire_put_backend(msg, &b, NULL);
		len = nlmsg_hdr(msg)->nlmsg_len;
		copy = malloc(len);	/* of this very length, for ASan */
		memcpy(copy, nlmsg_hdr(msg), len);
		nlmsg_free(msg);
		for (n = unit_between(0, 6); n; n--)
			copy[NLMSG_HDRLEN + unit_below(len - NLMSG_HDRLEN)] =
				unit_below(2) ? unit_below(24) : unit_random();
		h = (struct nlmsghdr *)copy;
		if (!wire_get_top(h, tb)) {
			wire_get_service(tb[RINGLB_A_SERVICE], &s);
			wire_get_backend(tb[RINGLB_A_BACKEND], &b);
			wire_get_lookup(tb[RINGLB_A_LOOKUP], &l);
			assert_true(strlen(s.name) <= RINGLB_NAME_MAX);
			assert_true(strlen(l.service) <= RINGLB_NAME_MAX);
		}
		wire_attr_word(h, unit_below(len));
		free(copy);
	}
}

static void attribute_words(void **unused)
{
	struct nl_msg *msg = begin(RINGLB_CMD_BACKEND_NEW);
	struct backend b = { .at.family = AF_INET, .at.port = 80, .weight = 1, .state = 1 };
	const struct nlmsghdr *h = nlmsg_hdr(msg);
	struct wire_span span[2];

	b.has = ~0ULL;
	wire_put_name(msg, "web");
	wire_put_backend(msg, &b, &span[0]);
	wire_put_backend(msg, &b, &span[1]);
	assert_string_equal(wire_attr_word(h, GENL_HDRLEN + NLMSG_HDRLEN + NLA_HDRLEN), "name");
	assert_string_equal(wire_attr_word(h, span[0].start + 4), "address");
	assert_string_equal(wire_attr_word(h, span[1].start + 4), "address");
	assert_string_equal(wire_attr_word(h, span[1].start + 12), "port");
	assert_string_equal(wire_attr_word(h, span[1].start + 20), "id");
	assert_string_equal(wire_attr_word(h, span[1].start + 28), "weight");
	assert_string_equal(wire_attr_word(h, span[1].start + 36), "state");
	assert_null(wire_attr_word(h, span[1].start));
	assert_null(wire_attr_word(h, span[1].start + 8));
	assert_null(wire_attr_word(h, span[1].end));
	nlmsg_free(msg);
}

/* Each command of a group has its own place, and together they fill the message. */
static void group_spans(void **unused)
{
	static struct command commands[CHANGE_MESSAGE_MAX];
	struct wire_span spans[CHANGE_MESSAGE_MAX];
	struct nl_msg *msg = begin(RINGLB_CMD_BACKEND_NEW);
	struct backend back;
	size_t i, g;

	for (g = 0; grammar[g].cmd != RINGLB_CMD_BACKEND_NEW; g++)
		;
	for (i = 0; i < CHANGE_MESSAGE_MAX; i++) {
		commands[i].g = &grammar[g];
		strcpy(commands[i].service.name, "web");
		random_backend(&commands[i].backend);
	}
	assert_int_equal(change_build(msg, commands, CHANGE_MESSAGE_MAX, spans), 0);
	for (i = 0; i < CHANGE_MESSAGE_MAX; i++) {
		char *at = (char *)nlmsg_hdr(msg) + spans[i].start;

		assert_int_equal(wire_get_backend((struct nlattr *)at, &back), 0);
		assert_int_equal(addr_cmp(&back.at, &commands[i].backend.at), 0);
		if (i)
			assert_int_equal(spans[i].start, spans[i - 1].end);
	}
	assert_int_equal(spans[CHANGE_MESSAGE_MAX - 1].end, nlmsg_hdr(msg)->nlmsg_len);
	nlmsg_free(msg);
}

/* An NLMSG_ERROR or NLMSG_DONE as kernels make them */
struct error_message {
	int type;
	int err;
	bool capped;
	u32 echoed;		/* bytes of payload that are echoed, if not capped */
	const char *text;
	const u32 *offset;
	const u64 *cookie;
};

static struct nl_msg *error_message(const struct error_message *e)
{
	struct nlmsgerr body = { .error = e->err, .msg.nlmsg_len = NLMSG_HDRLEN + e->echoed };
	struct nl_msg *msg = nlmsg_alloc_size(4096);
	struct nlmsghdr *h = nlmsg_put(msg, 0, 1, e->type, 0, NLM_F_ACK_TLVS);

	if (e->type == NLMSG_DONE) {
		nlmsg_append(msg, (void *)&e->err, sizeof(e->err), NLMSG_ALIGNTO);
	} else {
		nlmsg_append(msg, &body, sizeof(body), NLMSG_ALIGNTO);
		if (e->capped)
			h->nlmsg_flags |= NLM_F_CAPPED;
		else
			nlmsg_reserve(msg, e->echoed, NLMSG_ALIGNTO);
	}
	if (e->text)
		nla_put_string(msg, NLMSGERR_ATTR_MSG, e->text);
	if (e->offset)
		nla_put_u32(msg, NLMSGERR_ATTR_OFFS, *e->offset);
	if (e->cookie)
		nla_put(msg, NLMSGERR_ATTR_COOKIE, sizeof(u64), e->cookie);
	return msg;
}

static void refusals(void **unused)
{
	static const u32 offset = 44;
	static const u64 none, cookie = 64;
	static const struct {
		struct error_message e;
		const char *text;
	} cases[] = {
		{ { NLMSG_ERROR, -EINVAL, true, 40, "no", &offset, NULL }, "no" },
		{ { NLMSG_ERROR, -EINVAL, false, 40, "no", &offset, NULL }, "no" },
		{ { NLMSG_ERROR, -EINVAL, false, 37, "no", &offset, NULL }, "no" },
		{ { NLMSG_ERROR, -EINVAL, false, 0, "no", &offset, NULL }, "no" },
		{ { NLMSG_DONE, -ENOENT, false, 0, "no such service", NULL, NULL },
		  "no such service" },
		{ { NLMSG_ERROR, -ENOENT, true, 0, NULL, NULL, NULL },
		  "No such file or directory" },
		{ { NLMSG_ERROR, -EPERM, true, 0, NULL, NULL, NULL }, SESSION_NO_PERMISSION },
		{ { NLMSG_ERROR, -EPERM, true, 0, "not here", NULL, NULL }, "not here" },
		{ { NLMSG_ERROR, -E2BIG, true, 0, RINGLB_MSG_POINTS, NULL, &cookie },
		  "vnodes times the sum of weights is above 4194304 points: largest vnodes that fits: 64" },
		{ { NLMSG_ERROR, -E2BIG, true, 0, RINGLB_MSG_POINTS, NULL, &none },
		  "vnodes times the sum of weights is above 4194304 points: none fits: lower the weights" },
		{ { NLMSG_ERROR, -E2BIG, true, 0, "other", NULL, &cookie }, "other" },
	};
	struct refusal r;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nl_msg *msg = error_message(&cases[i].e);

		refusal_read(&r, nlmsg_hdr(msg));
		assert_int_equal(r.err, cases[i].e.err);
		assert_string_equal(r.text, cases[i].text);
		assert_int_equal(r.has_offset, cases[i].e.offset != NULL);
		if (r.has_offset)
			assert_int_equal(r.offset, offset);
		nlmsg_free(msg);
	}
}

static void refusal_mutants(void **unused)
{
	static const u32 offset = 44;
	static const u64 cookie = 64;
	unsigned int round, n;
	struct refusal r;

	for (round = 0; round < unit_rounds(60000); round++) {
		struct error_message e = {
			unit_below(2) ? NLMSG_ERROR : NLMSG_DONE, -EINVAL, unit_below(2),
			unit_below(60), "some text", &offset, &cookie,
		};
		struct nl_msg *msg = error_message(&e);
		struct nlmsghdr *h = nlmsg_hdr(msg);
		u32 len = unit_below(2) ? h->nlmsg_len :
			  NLMSG_HDRLEN + unit_below(h->nlmsg_len - NLMSG_HDRLEN + 1);
		u8 *copy = malloc(len);

		memcpy(copy, h, len);
		nlmsg_free(msg);
		((struct nlmsghdr *)copy)->nlmsg_len = len;
		for (n = unit_between(0, 4); n && len > NLMSG_HDRLEN; n--)
			copy[NLMSG_HDRLEN + unit_below(len - NLMSG_HDRLEN)] =
				unit_below(2) ? unit_below(16) : unit_random();
		refusal_read(&r, (struct nlmsghdr *)copy);
		assert_true(r.err <= 0);
		assert_true(!r.err || *r.text || len > NLMSG_HDRLEN);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("wire: a service is read as it was written", service_round_trip),
		CLAIM("wire: a backend is read as it was written, where its span says",
		      backend_round_trip),
		CLAIM("wire: a flow is read as it was written, whole or its client alone", flow_round_trip),
		CLAIM("wire: what became of flows is read", taken),
		CLAIM("wire: an answer to lookup is read as it was written", lookup_round_trip),
		CLAIM("wire: a question of lookup has what a module wants", lookup_question),
		CLAIM("wire: an address has one family and its length", family_and_length),
		CLAIM("wire: changed messages are read within their bounds", mutants),
		CLAIM("wire: an offset leads to the word of its attribute", attribute_words),
		CLAIM("wire: each backend of a group has its place in the message", group_spans),
		CLAIM("wire: refusals have the kernel's text, place and number", refusals),
		CLAIM("wire: changed refusals are read within their bounds", refusal_mutants),
	};

	return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
