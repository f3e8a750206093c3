// SPDX-License-Identifier: GPL-2.0-only
/*
 * fetch.c - the configuration, tables and the secret from the kernel
 *
 * In: a session. Out: a model or table that was so at one moment, or the word that it may
 * not have been.
 */
#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "seats.h"
#include "tool.h"
#include "wire.h"

/* A request about one service, or about all if @service is NULL */
static struct nl_msg *request(struct session *s, int cmd, const char *service)
{
	struct nl_msg *msg = session_message(s, cmd);

	if (msg && service && wire_put_name(msg, service)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	if (!msg)
		session_fail(s, -ENOMEM, "out of memory");
	return msg;
}

static void begin_services(void *arg)
{
	model_flush(arg);
}

static int take_service(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];
	struct service s;
	int err;

	err = wire_get_top(h, tb);
	if (!err)
		err = wire_get_service(tb[RINGLB_A_SERVICE], &s);
	if (!err)
		err = model_add(arg, &s, NULL);
	/* One moment has no two services of one name or address. */
	return err == -EEXIST || err == -EADDRINUSE ? -EAGAIN : err;
}

static int fetch_services(struct session *s, const char *service, struct model *m)
{
	struct nl_msg *msg = request(s, RINGLB_CMD_SERVICE_GET, service);
	int err;

	if (!msg)
		return -ENOMEM;
	if (service) {
		begin_services(m);
		err = session_ask(s, msg, take_service, m);
	} else {
		err = session_dump(s, msg, begin_services, take_service, m);
	}
	nlmsg_free(msg);
	return err;
}

static void begin_backends(void *arg)
{
	struct model *m = arg;
	size_t i;

	for (i = 0; i < m->n; i++)
		m->services[i]->n = 0;
}

static int take_backend(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];
	struct service name, *s;
	struct backend b;
	int err;

	err = wire_get_top(h, tb);
	if (!err)
		err = wire_get_service(tb[RINGLB_A_SERVICE], &name);
	if (!err)
		err = wire_get_backend(tb[RINGLB_A_BACKEND], &b);
	if (err)
		return err;
	s = model_find(arg, name.name);
	if (!s)
		return -EAGAIN;
	err = service_add(s, &b);
	return err == -EEXIST ? -EAGAIN : err;
}

static int fetch_backends(struct session *s, const char *service, struct model *m)
{
	struct nl_msg *msg = request(s, RINGLB_CMD_BACKEND_GET, service);
	int err;

	if (!msg)
		return -ENOMEM;
	err = session_dump(s, msg, begin_backends, take_backend, m);
	nlmsg_free(msg);
	return err;
}

/* Nothing but states has changed from @a to @b, and @a has all its backends. */
static bool is_same(const struct model *a, const struct model *b)
{
	size_t i;

	if (a->n != b->n)
		return false;
	for (i = 0; i < a->n; i++) {
		if (!service_is_same(a->services[i], b->services[i]))
			return false;
		if (HAS(a->services[i], RINGLB_A_SERVICE_BACKENDS) &&
		    a->services[i]->n != a->services[i]->n_backends)
			return false;
	}
	return true;
}

/* One try. 0: consistent; 1: not; or -errno */
static int fetch_all(struct session *s, const char *service, struct model *m)
{
	struct model after = { 0 };
	int ret;

	ret = fetch_services(s, service, m);
	if (!ret)
		ret = fetch_backends(s, service, m);
	if (!ret)
		ret = fetch_services(s, service, &after);
	if (!ret && !is_same(m, &after))
		ret = 1;
	model_free(&after);
	return ret;
}

/**
 * fetch_model() - get services from the kernel
 * @s: the session
 * @service: one of them; NULL: all
 * @backends: with their backends
 * @m: out: the model, empty before
 *
 * Return: 0; 1 if it was never read twice alike; -errno with the reason in @s->why.
 */
int fetch_model(struct session *s, const char *service, bool backends, struct model *m)
{
	unsigned int try;
	int ret = 1;

	if (!backends)
		return fetch_services(s, service, m);
	for (try = 0; try < SESSION_DUMP_TRIES && ret == 1; try++)
		ret = fetch_all(s, service, m);
	return ret;
}

static int take_secret(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1], *in[RINGLB_A_SECRET_MAX + 1];
	struct model *m = arg;

	if (wire_get_top(h, tb) || !tb[RINGLB_A_SECRET] ||
	    nla_parse_nested(in, RINGLB_A_SECRET_MAX, tb[RINGLB_A_SECRET], NULL) ||
	    !in[RINGLB_A_SECRET_KEY] || !in[RINGLB_A_SECRET_FINGERPRINT] ||
	    nla_len(in[RINGLB_A_SECRET_KEY]) != RINGLB_SECRET_LEN ||
	    nla_len(in[RINGLB_A_SECRET_FINGERPRINT]) != sizeof(u64))
		return -EBADMSG;
	memcpy(m->secret, nla_data(in[RINGLB_A_SECRET_KEY]), sizeof(m->secret));
	memcpy(&m->fingerprint, nla_data(in[RINGLB_A_SECRET_FINGERPRINT]), sizeof(u64));
	m->has_secret = true;
	m->has_fingerprint = true;
	return 0;
}

/**
 * fetch_secret() - get the hash key and its fingerprint from the kernel
 * @s: the session
 * @m: where they go
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int fetch_secret(struct session *s, struct model *m)
{
	struct nl_msg *msg = request(s, RINGLB_CMD_SECRET_GET, NULL);
	int err;

	if (!msg)
		return -ENOMEM;
	err = session_ask(s, msg, take_secret, m);
	nlmsg_free(msg);
	if (!err && !m->has_secret)
		return session_fail(s, -EBADMSG, "the module's answer has no secret");
	return err;
}

static int take_flows(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];

	return wire_get_top(h, tb) ? -EBADMSG : wire_get_flows(tb[RINGLB_A_FLOWS], arg);
}

/**
 * fetch_flows() - ask the kernel how full its flow table is
 * @s: the session
 * @f: out: limit, number, counters
 *
 * Return: 0, or -errno with the reason in @s->why.
 */
int fetch_flows(struct session *s, struct flows *f)
{
	struct nl_msg *msg = request(s, RINGLB_CMD_INFO_GET, NULL);
	int err;

	if (!msg)
		return -ENOMEM;
	err = session_ask(s, msg, take_flows, f);
	nlmsg_free(msg);
	return err;
}

/* A table in the making */
struct taking {
	struct table *t;
	bool begun;
	u32 owners;	/* so far */
};

static void begin_table(void *arg)
{
	struct taking *k = arg;

	table_free(k->t);
	k->begun = false;
	k->owners = 0;
}

static int take_header(struct taking *k, struct nlattr *const *in)
{
	struct table *t = k->t;

	if (!in[RINGLB_A_TABLE_SLOTS] || !in[RINGLB_A_TABLE_GENERATION] ||
	    !in[RINGLB_A_TABLE_DIGEST] || !in[RINGLB_A_TABLE_METHOD])
		return k->begun ? 0 : -EBADMSG;
	if (k->begun)
		return nla_get_u32(in[RINGLB_A_TABLE_GENERATION]) == t->generation ? 0 : -EAGAIN;
	t->method = nla_get_u32(in[RINGLB_A_TABLE_METHOD]);
	t->slots = nla_get_u32(in[RINGLB_A_TABLE_SLOTS]);
	t->generation = nla_get_u32(in[RINGLB_A_TABLE_GENERATION]);
	t->has_generation = true;
	memcpy(&t->digest, nla_data(in[RINGLB_A_TABLE_DIGEST]), sizeof(u64));
	if (!t->slots || t->slots > 1U << 20)
		return -EBADMSG;
	t->members = calloc(RINGLB_BACKENDS_MAX, sizeof(*t->members));
	t->owners = calloc(t->slots, sizeof(*t->owners));
	k->begun = true;
	return t->members && t->owners ? 0 : -ENOMEM;
}

static int take_member(struct taking *k, const struct nlattr *a)
{
	if (k->t->n == RINGLB_BACKENDS_MAX)
		return -EBADMSG;
	return wire_get_backend(a, &k->t->members[k->t->n++]);
}

/* The list of seats grows with each part of it. */
static int take_seats(struct taking *k, const struct nlattr *a)
{
	u32 n = nla_len(a) / sizeof(struct rlb_seat);
	struct rlb_seat *list;

	if (n > RINGLB_SEATS_MAX - k->t->n_seats)
		return -EBADMSG;
	list = seats_new(k->t->n_seats + n);
	if (!list)
		return -ENOMEM;
	if (k->t->n_seats)
		memcpy(list, k->t->seats, k->t->n_seats * sizeof(*list));
	memcpy(list + k->t->n_seats, nla_data(a), n * sizeof(*list));
	k->t->seats = list;
	k->t->n_seats += n;
	return 0;
}

/* Members and owners come in order and without gaps: more than that needs no @FIRST. */
static int take_owners(struct taking *k, const struct nlattr *a, const struct nlattr *first)
{
	u32 n;

	if (!a)
		return 0;
	n = nla_len(a) / sizeof(u16);
	if (!first || nla_get_u32(first) != k->owners || n > k->t->slots - k->owners)
		return -EBADMSG;
	memcpy(k->t->owners + k->owners, nla_data(a), n * sizeof(u16));
	k->owners += n;
	return 0;
}

static int take_table(const struct nlmsghdr *h, void *arg)
{
	static struct nla_policy policy[RINGLB_A_TABLE_MAX + 1] = {
		[RINGLB_A_TABLE_METHOD] = { .type = NLA_U32 },
		[RINGLB_A_TABLE_SLOTS] = { .type = NLA_U32 },
		[RINGLB_A_TABLE_GENERATION] = { .type = NLA_U32 },
		[RINGLB_A_TABLE_DIGEST] = { .type = NLA_U64 },
		[RINGLB_A_TABLE_FIRST] = { .type = NLA_U32 },
	};
	struct nlattr *tb[RINGLB_A_MAX + 1], *in[RINGLB_A_TABLE_MAX + 1], *a;
	struct taking *k = arg;
	int err, left;

	if (wire_get_top(h, tb) || !tb[RINGLB_A_TABLE] ||
	    nla_parse_nested(in, RINGLB_A_TABLE_MAX, tb[RINGLB_A_TABLE], policy))
		return -EBADMSG;
	err = take_header(k, in);
	nlmsg_for_each_attr(a, (struct nlmsghdr *)h, GENL_HDRLEN, left)
		if (!err && nla_type(a) == RINGLB_A_BACKEND)
			err = take_member(k, a);
		else if (!err && nla_type(a) == RINGLB_A_SEATS)
			err = take_seats(k, a);
	return err ? err : take_owners(k, in[RINGLB_A_TABLE_OWNERS], in[RINGLB_A_TABLE_FIRST]);
}

/* Are all slots there, and every owner a member? */
static bool is_whole(const struct taking *k)
{
	u32 i;

	if (!k->begun || k->owners != k->t->slots)
		return false;
	for (i = 0; i < k->t->slots; i++)
		if (k->t->owners[i] != RINGLB_NO_OWNER && k->t->owners[i] >= k->t->n)
			return false;
	return true;
}

/**
 * fetch_table() - get a table from the kernel
 * @s: the session
 * @service: whose
 * @t: out: the table; to be freed in any case
 *
 * Return: 0; 1 if it changed during each try: there is no @t; -errno with the reason in
 *	@s->why.
 */
int fetch_table(struct session *s, const char *service, struct table *t)
{
	struct nl_msg *msg = request(s, RINGLB_CMD_TABLE_GET, service);
	struct taking k = { .t = t };
	int ret;

	memset(t, 0, sizeof(*t));
	if (!msg)
		return -ENOMEM;
	ret = session_dump(s, msg, begin_table, take_table, &k);
	nlmsg_free(msg);
	if (!ret && !is_whole(&k))
		ret = session_fail(s, -EBADMSG, "the module's answer is not a whole table");
	return ret;
}

static void begin_devs(void *arg)
{
	struct devs *devs = arg;

	devs->n = 0;
}

static int take_dev(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[RINGLB_A_MAX + 1];
	struct dev d;
	int err;

	err = wire_get_top(h, tb);
	if (!err)
		err = wire_get_dev(tb[RINGLB_A_DEV], &d);
	return err ? err : devs_add(arg, &d);
}

/**
 * fetch_devs() - devices with the fast path
 * @s: the session
 * @devs: out: all of them; to be freed in any case
 *
 * Return: as fetch_model().
 */
int fetch_devs(struct session *s, struct devs *devs)
{
	struct nl_msg *msg = request(s, RINGLB_CMD_DEV_GET, NULL);
	int err;

	if (!msg)
		return -ENOMEM;
	err = session_dump(s, msg, begin_devs, take_dev, devs);
	nlmsg_free(msg);
	return err;
}
