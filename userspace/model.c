// SPDX-License-Identifier: GPL-2.0-only
/*
 * model.c - a configuration in memory: sorted arrays of services and their backends
 *
 * In: objects to add, find, remove. Out: the same in canonical order, whatever the order of
 * arrival. What arrives sorted is appended, so that long files and dumps cost little.
 */
#include "model.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Make room for one more element in an array of @n. */
static void *grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 8;
	void *p;

	if (n < *room)
		return array;
	p = reallocarray(array, more, size);
	if (p)
		*room = more;
	return p;
}

static int name_cmp(const struct service *a, const struct service *b)
{
	return strcmp(a->name, b->name);
}

static int vip_cmp(const struct service *a, const struct service *b)
{
	if (a->protocol != b->protocol)
		return a->protocol < b->protocol ? -1 : 1;
	return addr_cmp(&a->vip, &b->vip);
}

/* Where @key is in a sorted array, or where it would be inserted. */
static size_t place(struct service *const *array, size_t n, const struct service *key,
		    int (*cmp)(const struct service *, const struct service *), bool *found)
{
	size_t low = 0, high = n;

	*found = false;
	if (n && cmp(array[n - 1], key) < 0)
		return n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int diff = cmp(array[mid], key);

		if (!diff)
			*found = true;
		if (diff < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * model_find() - a service by its name
 * @m: the model
 * @name: the name
 *
 * Return: the service or NULL.
 */
struct service *model_find(const struct model *m, const char *name)
{
	struct service key = { 0 };
	bool found;
	size_t i;

	strncpy(key.name, name, RINGLB_NAME_MAX);
	i = place(m->services, m->n, &key, name_cmp, &found);
	return found ? m->services[i] : NULL;
}

/* A service by its own protocol, address and ports */
static struct service *find_vip(const struct model *m, u32 protocol, const struct endpoint *vip)
{
	struct service key = { .protocol = protocol, .vip = *vip };
	bool found;
	size_t i;

	i = place(m->by_vip, m->n, &key, vip_cmp, &found);
	return found ? m->by_vip[i] : NULL;
}

/* Several ports or addresses */
static bool is_wide(const struct endpoint *e)
{
	return e->last || e->prefix;
}

static struct rlb_ports ports_of(const struct service *s)
{
	return (struct rlb_ports){ s->vip.port, s->vip.last ? s->vip.last : s->vip.port };
}

/**
 * service_match() - by what a service takes packets to its address
 * @s: the service
 *
 * Return: enum ringlb_match.
 */
u32 service_match(const struct service *s)
{
	struct rlb_ports p = ports_of(s);

	if (s->vip.mask)
		return RINGLB_MATCH_MARK;
	return service_is_any(s) ? RINGLB_MATCH_EVERY_PROTOCOL : rlb_ports_match(&p);
}

static int mask_bits(const struct service *s)
{
	return __builtin_popcount(s->vip.mask);
}

/* Does a service say more of packets than another one that takes them, too? */
static bool is_closer(const struct service *a, const struct service *b)
{
	unsigned int a_bits = addr_bits(&a->vip), b_bits = addr_bits(&b->vip);

	if (service_is_any(a) != service_is_any(b))
		return !service_is_any(a);
	if (a->vip.mask || b->vip.mask)
		return !a->vip.mask || (b->vip.mask && mask_bits(a) > mask_bits(b));
	return a_bits == b_bits ? service_match(a) < service_match(b) : a_bits > b_bits;
}

/* Does a service take a packet, if none is closer? */
static bool takes(const struct service *s, u32 protocol, const struct endpoint *at)
{
	struct endpoint to = *at;

	if (service_is_any(s))
		to.port = 1;	/* as good as any other, or none */
	return rlb_protocols_meet(s->protocol, protocol) && addr_meet(&s->vip, &to);
}

/**
 * model_match() - the service that takes a packet
 * @m: the model
 * @protocol: IPPROTO_*
 * @at: address and port
 *
 * Return: the service or NULL.
 */
struct service *model_match(const struct model *m, u32 protocol, const struct endpoint *at)
{
	struct service *s, *found = find_vip(m, protocol, at);
	size_t i;

	if (found || !m->n_wide)
		return found;
	for (i = 0; i < m->n; i++) {
		s = m->services[i];
		if (takes(s, protocol, at) && (!found || is_closer(s, found)))
			found = s;
	}
	return found;
}

/**
 * model_meet() - a service that takes packets of an address and some port
 * @m: the model
 * @protocol: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP; or RINGLB_PROTOCOL_ANY
 * @at: address or prefix, and one port or several
 *
 * Return: the first of them, or NULL.
 */
struct service *model_meet(const struct model *m, u32 protocol, const struct endpoint *at)
{
	struct service *found = find_vip(m, protocol, at);
	size_t i;

	for (i = 0; !found && i < m->n && (m->n_wide || is_wide(at)); i++)
		if (rlb_protocols_meet(m->services[i]->protocol, protocol) &&
		    addr_meet(&m->services[i]->vip, at))
			found = m->services[i];
	return found;
}

/**
 * model_clash() - a service that would take a service's packets, and nothing says which of them
 * @m: the model
 * @s: the service, not in it
 *
 * Return: it, or NULL.
 */
struct service *model_clash(const struct model *m, const struct service *s)
{
	struct rlb_ports mine = ports_of(s), other;
	struct service *o;
	size_t i;

	if (!is_wide(&s->vip))
		return find_vip(m, s->protocol, &s->vip);
	for (i = 0; i < m->n; i++) {
		o = m->services[i];
		other = ports_of(o);
		if (o->protocol != s->protocol || !addr_meet(&o->vip, &s->vip))
			continue;
		if (o->vip.prefix == s->vip.prefix && mask_bits(o) == mask_bits(s) &&
		    rlb_ports_clash(&other, &mine))
			return o;
	}
	return NULL;
}

static void insert(struct service **array, size_t n, size_t at, struct service *s)
{
	memmove(array + at + 1, array + at, (n - at) * sizeof(*array));
	array[at] = s;
}

static void take_out(struct service **array, size_t n, size_t at)
{
	memmove(array + at, array + at + 1, (n - at - 1) * sizeof(*array));
}

/**
 * model_add() - add a copy of a service, without its backends
 * @m: the model
 * @s: the service
 * @added: out, may be NULL: the copy
 *
 * Return: 0, -EEXIST if the name is taken, -EADDRINUSE if protocol, address and port are,
 *	-ENOMEM.
 */
int model_add(struct model *m, const struct service *s, struct service **added)
{
	size_t by_name, by_vip, room;
	struct service **array;
	struct service *copy;
	bool found;

	by_name = place(m->services, m->n, s, name_cmp, &found);
	if (found)
		return -EEXIST;
	by_vip = place(m->by_vip, m->n, s, vip_cmp, &found);
	if (found)
		return -EADDRINUSE;
	room = m->room;
	array = grow(m->services, m->n, &room, sizeof(*array));
	if (!array)
		return -ENOMEM;
	m->services = array;
	array = grow(m->by_vip, m->n, &m->room, sizeof(*array));
	if (!array)
		return -ENOMEM;
	m->by_vip = array;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *s;
	copy->backends = NULL;
	copy->n = 0;
	copy->room = 0;
	insert(m->services, m->n, by_name, copy);
	insert(m->by_vip, m->n, by_vip, copy);
	m->n++;
	m->n_wide += is_wide(&s->vip);
	if (added)
		*added = copy;
	return 0;
}

static void service_free(struct service *s)
{
	free(s->backends);
	free(s);
}

/**
 * model_del() - remove a service and its backends
 * @m: the model
 * @s: one of its services; freed
 */
void model_del(struct model *m, struct service *s)
{
	bool found;

	take_out(m->services, m->n, place(m->services, m->n, s, name_cmp, &found));
	take_out(m->by_vip, m->n, place(m->by_vip, m->n, s, vip_cmp, &found));
	m->n--;
	m->n_wide -= is_wide(&s->vip);
	service_free(s);
}

/**
 * service_real() - where a packet goes
 * @s: its service
 * @at: its backend
 *
 * Return: address and port as the packet has them then; with several ports, all there may be.
 */
struct endpoint service_real(const struct service *s, const struct endpoint *at)
{
	struct endpoint r = *at;

	if (!r.port) {
		r.port = s->vip.port;
		r.last = s->vip.last;
	}
	return r;
}

/* Protocol, address and port of a packet after it was given a backend */
struct real {
	u32 protocol;
	struct endpoint at;
	size_t users;		/* backends that stand for it */
};

static int real_cmp(const void *a, const void *b)
{
	const struct real *x = a, *y = b;

	if (x->protocol != y->protocol)
		return x->protocol < y->protocol ? -1 : 1;
	return addr_cmp(&x->at, &y->at);
}

/**
 * model_real_add() - note where packets are sent
 * @m: the model
 * @protocol: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
 * @at: address and port as packets have them
 *
 * Return: 0 or -ENOMEM.
 */
int model_real_add(struct model *m, u32 protocol, const struct endpoint *at)
{
	struct real *r = malloc(sizeof(*r)), **in;

	if (!r)
		return -ENOMEM;
	r->protocol = protocol;
	r->at = *at;
	r->users = 0;
	in = tsearch(r, &m->reals, real_cmp);
	if (!in || *in != r)
		free(r);
	if (!in)
		return -ENOMEM;
	(*in)->users++;
	return 0;
}

bool model_real_has(const struct model *m, u32 protocol, const struct endpoint *at)
{
	struct real key = { .protocol = protocol, .at = *at };

	return tfind(&key, &m->reals, real_cmp);
}

/* Are answers of a service's backends told by their address, in this protocol? */
static bool is_real(const struct service *s, u32 protocol)
{
	return service_is_nat(s) && rlb_protocols_meet(s->protocol, protocol);
}

/**
 * model_real_meets() - are packets sent to an address and some port already?
 * @m: the model
 * @protocol: IPPROTO_TCP, IPPROTO_UDP or IPPROTO_SCTP
 * @at: address, and one port or several
 *
 * Return: whether.
 */
bool model_real_meets(const struct model *m, u32 protocol, const struct endpoint *at)
{
	struct endpoint real;
	size_t i, j;

	if (!is_wide(at) && model_real_has(m, protocol, at))
		return true;
	for (i = 0; i < m->n && (m->n_wide || is_wide(at)); i++)
		for (j = 0; j < m->services[i]->n && is_real(m->services[i], protocol); j++) {
			real = service_real(m->services[i], &m->services[i]->backends[j].at);
			if (addr_meet(&real, at) || addr_same_place(&real, at))
				return true;
		}
	return false;
}

void model_real_del(struct model *m, u32 protocol, const struct endpoint *at)
{
	struct real key = { .protocol = protocol, .at = *at }, **in, *r;

	in = tfind(&key, &m->reals, real_cmp);
	if (!in || --(*in)->users)
		return;
	r = *in;
	tdelete(&key, &m->reals, real_cmp);
	free(r);
}

void model_flush(struct model *m)
{
	tdestroy(m->reals, free);
	m->reals = NULL;
	m->n_wide = 0;
	while (m->n)
		service_free(m->services[--m->n]);
	m->devs.n = 0;
}

/* Frees what is in @m, wipes the secret, leaves an empty model. */
void model_free(struct model *m)
{
	model_flush(m);
	free(m->services);
	free(m->by_vip);
	devs_free(&m->devs);
	explicit_bzero(m, sizeof(*m));
}

static size_t backend_place(const struct service *s, const struct endpoint *at, bool *found)
{
	size_t low = 0, high = s->n;

	*found = false;
	if (s->n && addr_cmp(&s->backends[s->n - 1].at, at) < 0)
		return s->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int diff = addr_cmp(&s->backends[mid].at, at);

		if (!diff)
			*found = true;
		if (diff < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * service_find() - a backend of a service
 * @s: the service
 * @at: the backend's address and port
 *
 * Return: the backend, valid until the next change of @s, or NULL.
 */
struct backend *service_find(const struct service *s, const struct endpoint *at)
{
	bool found;
	size_t i = backend_place(s, at, &found);

	return found ? &s->backends[i] : NULL;
}

/**
 * service_add() - add a copy of a backend
 * @s: the service
 * @b: the backend
 *
 * Return: 0, -EEXIST if the address is taken, -ENOMEM.
 */
int service_add(struct service *s, const struct backend *b)
{
	struct backend *array;
	bool found;
	size_t i;

	i = backend_place(s, &b->at, &found);
	if (found)
		return -EEXIST;
	array = grow(s->backends, s->n, &s->room, sizeof(*array));
	if (!array)
		return -ENOMEM;
	s->backends = array;
	memmove(array + i + 1, array + i, (s->n - i) * sizeof(*array));
	array[i] = *b;
	s->n++;
	return 0;
}

void service_del(struct service *s, struct backend *b)
{
	size_t i = b - s->backends;

	memmove(b, b + 1, (s->n - i - 1) * sizeof(*b));
	s->n--;
}

/* Has some backend a weight? */
bool service_has_members(const struct service *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->backends[i].weight)
			return true;
	return false;
}

/**
 * service_is_same() - is this one state of one service?
 * @a: a service as it was
 * @b: as it is
 *
 * Return: false if anything but backends' states and counters can have changed between.
 */
bool service_is_same(const struct service *a, const struct service *b)
{
	return !strcmp(a->name, b->name) && !vip_cmp(a, b) && a->method == b->method &&
	       a->key == b->key && a->cid_config == b->cid_config &&
	       a->sid_length == b->sid_length && a->vnodes == b->vnodes && a->slots == b->slots &&
	       a->slack == b->slack && a->settle == b->settle &&
	       a->track == b->track && a->timeout == b->timeout &&
	       a->drain_timeout == b->drain_timeout && a->last_resort == b->last_resort &&
	       a->udp_drain == b->udp_drain && a->none == b->none && a->mode == b->mode &&
	       a->tunnel == b->tunnel && a->tunnel_port == b->tunnel_port &&
	       a->snat == b->snat && a->snat_ports == b->snat_ports &&
	       !addr_cmp(&a->snat_at, &b->snat_at) &&
	       a->generation == b->generation && a->digest == b->digest &&
	       a->pending == b->pending && a->n_backends == b->n_backends;
}

void table_free(struct table *t)
{
	free(t->members);
	free(t->owners);
	memset(t, 0, sizeof(*t));
}

struct dev *devs_find(const struct devs *devs, const char *name)
{
	size_t i;

	for (i = 0; i < devs->n; i++)
		if (!strcmp(devs->dev[i].name, name))
			return &devs->dev[i];
	return NULL;
}

/* Behind the others; 0 or -ENOMEM */
int devs_add(struct devs *devs, const struct dev *d)
{
	struct dev *more;

	if (devs->n == devs->room) {
		more = reallocarray(devs->dev, 2 * devs->room + 4, sizeof(*more));
		if (!more)
			return -ENOMEM;
		devs->dev = more;
		devs->room = 2 * devs->room + 4;
	}
	devs->dev[devs->n++] = *d;
	return 0;
}

void devs_del(struct devs *devs, struct dev *d)
{
	memmove(d, d + 1, (char *)(devs->dev + --devs->n) - (char *)d);
}

void devs_free(struct devs *devs)
{
	free(devs->dev);
	*devs = (struct devs){ 0 };
}
