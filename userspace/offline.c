// SPDX-License-Identifier: GPL-2.0-only
/*
 * offline.c - a configuration from a file: commands applied to a model
 *
 * In: a file of commands. Out: the model, with what a module would count. What a module would
 * refuse is refused, and the line named.
 */
#include "offline.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "batch.h"
#include "cid.h"
#include "map.h"
#include "nl.h"
#include "object.h"
#include "seats.h"
#include "tool.h"

static int refuse(char *error, size_t size, const char *why)
{
	snprintf(error, size, "%s", why);
	return -1;
}

/* Would this service's ring have too many points? */
static int check_points(const struct service *s, char *error, size_t size)
{
	u64 sum = 0;
	size_t i;

	if (s->method != RINGLB_METHOD_RING)
		return 0;
	for (i = 0; i < s->n; i++)
		sum += s->backends[i].weight;
	if (sum * s->vnodes <= RINGLB_POINTS_MAX)
		return 0;
	refusal_points(error, size, RINGLB_POINTS_MAX / sum);
	return -1;
}

/* Overwrite what was given in @from. */
static void take_options(struct service *s, const struct service *from)
{
	if (HAS(from, RINGLB_A_SERVICE_METHOD))
		s->method = from->method;
	if (HAS(from, RINGLB_A_SERVICE_KEY))
		s->key = from->key;
	if (HAS(from, RINGLB_A_SERVICE_SLOTS))
		s->slots = from->slots;
	if (HAS(from, RINGLB_A_SERVICE_SLACK))
		s->slack = from->slack;
	if (HAS(from, RINGLB_A_SERVICE_VNODES))
		s->vnodes = from->vnodes;
	if (HAS(from, RINGLB_A_SERVICE_SETTLE))
		s->settle = from->settle;
	if (HAS(from, RINGLB_A_SERVICE_TRACK))
		s->track = from->track;
	if (HAS(from, RINGLB_A_SERVICE_TIMEOUT))
		s->timeout = from->timeout;
	if (HAS(from, RINGLB_A_SERVICE_DRAIN_TIMEOUT))
		s->drain_timeout = from->drain_timeout;
	if (HAS(from, RINGLB_A_SERVICE_LAST_RESORT))
		s->last_resort = from->last_resort;
	if (HAS(from, RINGLB_A_SERVICE_UDP_DRAIN))
		s->udp_drain = from->udp_drain;
	if (HAS(from, RINGLB_A_SERVICE_NONE))
		s->none = from->none;
	if (HAS(from, RINGLB_A_SERVICE_SEATS)) {
		s->seats = from->seats;
		s->n_seats = from->n_seats;
		s->has &= ~BIT(SERVICE_SEATS_SAID);
		if (from->n_seats)
			SET(s, SERVICE_SEATS_SAID);
	}
	if (HAS(from, SERVICE_MAP))
		s->map = from->map;
	s->has &= ~(BIT(RINGLB_A_SERVICE_SEATS) | BIT(SERVICE_MAP));
	if (s->method == RINGLB_METHOD_SEAT)
		SET(s, RINGLB_A_SERVICE_SEATS);
}

/* Where packets of a tunnel go to, if they have ports */
static int complete_tunnel_port(struct service *s, char *error, size_t size)
{
	if (s->mode != RINGLB_MODE_TUNNEL || s->tunnel != RINGLB_TUNNEL_GUE)
		return HAS(s, RINGLB_A_SERVICE_TUNNEL_PORT) ?
		       refuse(error, size, "tunnel-port is of use with tunnel gue only (attribute: tunnel-port)") : 0;
	if (!HAS(s, RINGLB_A_SERVICE_TUNNEL_PORT))
		s->tunnel_port = RINGLB_TUNNEL_PORT_DEFAULT;
	SET(s, RINGLB_A_SERVICE_TUNNEL_PORT);
	return 0;
}

/* A tunnel says it all. */
static int complete_mode(struct service *s, char *error, size_t size)
{
	bool tunnel = HAS(s, RINGLB_A_SERVICE_TUNNEL), said = HAS(s, RINGLB_A_SERVICE_MODE);

	if (!said)
		s->mode = tunnel ? RINGLB_MODE_TUNNEL : RINGLB_MODE_NAT;
	SET(s, RINGLB_A_SERVICE_MODE);
	if (tunnel && s->mode != RINGLB_MODE_TUNNEL)
		return refuse(error, size, "tunnel needs mode tunnel (attribute: tunnel)");
	if (!tunnel && s->mode == RINGLB_MODE_TUNNEL)
		return refuse(error, size, "mode tunnel needs a tunnel type (attribute: mode)");
	if (complete_tunnel_port(s, error, size))
		return -1;
	if (service_is_any(s) && service_is_nat(s))
		return refuse(error, size, said ?
			"not every protocol can be rewritten: mode must be dsr or tunnel (attribute: mode)" :
			"not every protocol can be rewritten: mode must be dsr or tunnel (attribute: protocol)");
	return 0;
}

/* What goes with key quic-cid, as given or by default */
static int complete_cid(struct service *s, const struct service *from, char *error, size_t size)
{
	s->has &= ~SERVICE_CID;
	if (s->key != RINGLB_KEY_QUIC_CID) {
		s->cid_config = 0;
		s->sid_length = 0;
		return from->has & SERVICE_CID ?
		       refuse(error, size, "cid-config and sid-length are of use with key quic-cid only") : 0;
	}
	if (s->protocol != IPPROTO_UDP)
		return refuse(error, size, "key quic-cid needs protocol udp (attribute: key)");
	if (HAS(from, RINGLB_A_SERVICE_CID_CONFIG))
		s->cid_config = from->cid_config;
	if (HAS(from, RINGLB_A_SERVICE_SID_LENGTH))
		s->sid_length = from->sid_length;
	if (!s->sid_length)
		s->sid_length = RINGLB_SID_LENGTH_DEFAULT;
	s->has |= SERVICE_CID;
	return 0;
}

static int complete_snat(struct service *s, char *error, size_t size)
{
	if (!s->snat && s->has & SERVICE_SNAT & ~BIT(RINGLB_A_SERVICE_SNAT))
		return refuse(error, size, "snat-address and snat-ports are of use with snat only");
	s->has &= ~SERVICE_SNAT;
	if (!s->snat)
		return 0;
	if (!service_is_nat(s))
		return refuse(error, size, "snat needs mode nat (attribute: mode)");
	if (s->track != RINGLB_TRACK_ALL)
		return refuse(error, size, "snat remembers every flow: track must be all (attribute: track)");
	if (s->snat_at.family && s->snat_at.family != s->vip.family)
		return refuse(error, size,
			      "snat address is not of the address family of the service (attribute: snat-address)");
	if (s->snat_at.family && addr_wrong(&s->snat_at))
		return refuse(error, size, addr_wrong(&s->snat_at));
	if (!s->snat_ports)
		s->snat_ports = RINGLB_SNAT_PORTS;
	s->has |= SERVICE_SNAT;
	return 0;
}

/* What has to be forced: ports that a host may need for itself */
static int complete_force(struct service *s, char *error, size_t size)
{
	if (HAS(s, RINGLB_A_SERVICE_FORCE) && !s->snat && !s->vip.last && !s->vip.prefix)
		return refuse(error, size,
			      "force is of use with snat or several ports or addresses only");
	s->has &= ~BIT(RINGLB_A_SERVICE_FORCE);
	return 0;
}

static const char *clash_text(const struct service *s)
{
	switch (service_match(s)) {
	case RINGLB_MATCH_MARK:
		return "a service of this protocol has a mark of as many bits that packets with this one may have, too";
	case RINGLB_MATCH_PORTS:
		return "a service of this protocol and address has a range with some of these ports";
	case RINGLB_MATCH_EVERY_PROTOCOL:
		return "a service of every protocol and this address exists";
	case RINGLB_MATCH_EVERY_PORT:
		return "a service of every port of this protocol and address exists";
	default:
		return "a service of this protocol, address and port exists";
	}
}

/* Why all flows must be remembered and are not, in the module's words; NULL: they need not be */
static const char *wants_track(const struct service *s)
{
	size_t i;

	if (s->track == RINGLB_TRACK_ALL)
		return NULL;
	if (s->snat)
		return "snat remembers every flow: track must be all";
	if (s->vip.mask && service_is_nat(s))
		return "answers do not tell the addresses of marked packets apart: track must be all";
	if (s->vip.prefix && service_is_nat(s))
		return "answers do not tell the addresses of a prefix apart: track must be all";
	if (s->key == RINGLB_KEY_QUIC_CID && service_is_nat(s))
		return "answers do not tell that a connection id chose their backend: track must be all, or mode dsr or tunnel";
	for (i = 0; s->vip.last && i < s->n; i++)
		if (s->backends[i].at.port)
			return "answers of a backend with a port do not tell several ports apart: track must be all";
	return NULL;
}

static int apply_service_add(struct model *m, const struct service *from, char *error,
			     size_t size)
{
	struct service s = *from;

	s.key = RINGLB_KEY_5TUPLE;
	s.slots = RINGLB_SLOTS_DEFAULT;
	s.slack = RINGLB_SLACK_DEFAULT;
	s.vnodes = RINGLB_VNODES_DEFAULT;
	s.settle = RINGLB_SETTLE_DEFAULT;
	s.track = RINGLB_TRACK_AUTO;
	s.timeout = RINGLB_TIMEOUT_DEFAULT(s.protocol);
	s.drain_timeout = RINGLB_DRAIN_TIMEOUT_DEFAULT;
	s.last_resort = 1;
	s.udp_drain = RINGLB_UDP_DRAIN_KEEP;
	s.none = RINGLB_NONE_REJECT;
	if (s.snat)
		s.track = RINGLB_TRACK_ALL;
	take_options(&s, from);
	SET(&s, RINGLB_A_SERVICE_KEY);
	SET(&s, RINGLB_A_SERVICE_SLOTS);
	SET(&s, RINGLB_A_SERVICE_SLACK);
	SET(&s, RINGLB_A_SERVICE_VNODES);
	SET(&s, RINGLB_A_SERVICE_SETTLE);
	SET(&s, RINGLB_A_SERVICE_TRACK);
	SET(&s, RINGLB_A_SERVICE_TIMEOUT);
	SET(&s, RINGLB_A_SERVICE_DRAIN_TIMEOUT);
	SET(&s, RINGLB_A_SERVICE_LAST_RESORT);
	SET(&s, RINGLB_A_SERVICE_UDP_DRAIN);
	SET(&s, RINGLB_A_SERVICE_NONE);
	if (addr_wrong(&s.vip))
		return refuse(error, size, addr_wrong(&s.vip));
	if (complete_mode(&s, error, size) || complete_cid(&s, from, error, size) ||
	    complete_snat(&s, error, size) ||
	    complete_force(&s, error, size))
		return -1;
	if (model_find(m, s.name))
		return refuse(error, size, "a service of this name exists");
	if (model_clash(m, &s))
		return refuse(error, size, clash_text(&s));
	if (model_real_meets(m, s.protocol, &s.vip))
		return refuse(error, size, "address and port are those of a backend");
	if (wants_track(&s))
		return refuse(error, size, wants_track(&s));
	if (m->n == RINGLB_SERVICES_MAX)
		return refuse(error, size,
			      "namespace has 65536 services, the most there can be");
	switch (model_add(m, &s, NULL)) {
	case 0:
		return 0;
	case -EADDRINUSE:
		return refuse(error, size,
			      "a service of this protocol, address and port exists");
	}
	return refuse(error, size, "out of memory");
}

static bool sends_to(const struct service *s, u32 protocol, const struct endpoint *r)
{
	struct endpoint at;
	size_t i;

	for (i = 0; s->protocol == protocol && service_is_nat(s) && i < s->n; i++) {
		at = service_real(s, &s->backends[i].at);
		if (addr_same_place(&at, r))
			return true;
	}
	return false;
}

/* Another service that sends to where this one does, and does not remember all flows if @narrow */
static bool has_twin(const struct model *m, const struct service *s, const struct endpoint *r,
		     bool narrow)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->services[i] != s && sends_to(m->services[i], s->protocol, r) &&
		    (!narrow || m->services[i]->track != RINGLB_TRACK_ALL))
			return true;
	return false;
}

/* Is a backend's address and port taken, and not to be shared? */
static bool is_taken(const struct model *m, const struct service *s, const struct endpoint *r)
{
	if (!model_real_meets(m, s->protocol, r))
		return false;
	return s->track != RINGLB_TRACK_ALL || sends_to(s, s->protocol, r) ||
	       has_twin(m, s, r, true) || !has_twin(m, s, r, false);
}

/* Does it send to a backend of another service, and so must remember all flows? */
static bool must_track(const struct model *m, const struct service *s)
{
	struct endpoint r;
	size_t i;

	for (i = 0; service_is_nat(s) && i < s->n; i++) {
		r = service_real(s, &s->backends[i].at);
		if (has_twin(m, s, &r, false))
			return true;
	}
	return false;
}

static int apply_service_set(const struct model *m, struct service *s,
			     const struct service *from, char *error, size_t size)
{
	bool tracked = s->track == RINGLB_TRACK_ALL;
	const char *stray;

	take_options(s, from);
	if (complete_cid(s, from, error, size))
		return -1;
	stray = word_stray(s->method, from->has);
	if (stray) {
		snprintf(error, size, "%s is no parameter of method %s", stray,
			 word_method(s->method));
		return -1;
	}
	if (wants_track(s))
		return refuse(error, size, wants_track(s));
	if (tracked && s->track != RINGLB_TRACK_ALL && must_track(m, s))
		return refuse(error, size,
			      "another service sends to a backend of this one: track must be all in both");
	return check_points(s, error, size);
}

/* Take the id that @from gives, if it gives one that no other backend has. */
static int take_id(struct service *s, struct backend *b, const struct backend *from, char *error,
		   size_t size)
{
	size_t i;

	if (!HAS(from, RINGLB_A_BACKEND_ID))
		return 0;
	for (i = 0; i < s->n && from->id != RINGLB_ID_NONE; i++)
		if (HAS(&s->backends[i], RINGLB_A_BACKEND_ID) && s->backends[i].id == from->id &&
		    &s->backends[i] != b)
			return refuse(error, size,
				      "another backend of the service has this id (attribute: id)");
	b->id = from->id;
	if (b->id == RINGLB_ID_NONE)
		b->has &= ~BIT(RINGLB_A_BACKEND_ID);
	else
		SET(b, RINGLB_A_BACKEND_ID);
	return 0;
}

static int apply_backend_add(struct model *m, struct service *s, const struct backend *from,
			     char *error, size_t size)
{
	struct endpoint r = service_real(s, &from->at);
	struct backend b = *from;

	if (!HAS(&b, RINGLB_A_BACKEND_WEIGHT))
		b.weight = 1;
	if (HAS(&b, RINGLB_A_BACKEND_STATE))
		SET(&b, BACKEND_STATE_SAID);
	else
		b.state = RINGLB_STATE_UP;
	SET(&b, RINGLB_A_BACKEND_WEIGHT);
	SET(&b, RINGLB_A_BACKEND_STATE);
	SET(&b, RINGLB_A_BACKEND_SLOW_START);
	if (addr_wrong(&b.at))
		return refuse(error, size, addr_wrong(&b.at));
	if (b.at.family != s->vip.family && s->mode != RINGLB_MODE_TUNNEL)
		return refuse(error, size,
			      "backend is not of the address family of the service");
	if (b.at.port && !service_is_nat(s))
		return refuse(error, size,
			      "backend has a port, which this mode does not change (attribute: port)");
	if (model_meet(m, s->protocol, &r))
		return refuse(error, size, "backend is the address and port of a service");
	if (service_find(s, &b.at))
		return refuse(error, size, "service has this backend already");
	if (service_is_nat(s) && is_taken(m, s, &r))
		return refuse(error, size,
			      "address and port of the backend already get packets of a service: replies could not be told apart without track all in both");
	if (take_id(s, &b, from, error, size))
		return -1;
	if (s->n == RINGLB_BACKENDS_MAX)
		return refuse(error, size, "service has 4096 backends, the most there can be");
	if (service_add(s, &b) || (service_is_nat(s) && model_real_add(m, s->protocol, &r)))
		return refuse(error, size, "out of memory");
	if (wants_track(s))
		return refuse(error, size, wants_track(s));
	return check_points(s, error, size);
}

/* Set or remove a backend that must be there. */
static int apply_backend(struct model *m, struct service *s, const struct command *c,
			 char *error, size_t size)
{
	struct backend *b = service_find(s, &c->backend.at);
	struct endpoint r = service_real(s, &c->backend.at);

	if (!b)
		return refuse(error, size, "service has no such backend");
	if (c->cmd == RINGLB_CMD_BACKEND_DEL) {
		if (service_is_nat(s))
			model_real_del(m, s->protocol, &r);
		service_del(s, b);
		return 0;
	}
	if (take_id(s, b, &c->backend, error, size))
		return -1;
	if (HAS(&c->backend, RINGLB_A_BACKEND_WEIGHT))
		b->weight = c->backend.weight;
	if (HAS(&c->backend, RINGLB_A_BACKEND_STATE)) {
		b->state = c->backend.state;
		SET(b, BACKEND_STATE_SAID);
	}
	if (HAS(&c->backend, RINGLB_A_BACKEND_SLOW_START))
		b->slow_start = c->backend.slow_start;
	return check_points(s, error, size);
}

static void apply_service_del(struct model *m, struct service *s)
{
	struct endpoint r;
	size_t i;

	for (i = 0; i < s->n && service_is_nat(s); i++) {
		r = service_real(s, &s->backends[i].at);
		model_real_del(m, s->protocol, &r);
	}
	model_del(m, s);
}

static void apply_secret(struct model *m, const struct command *c)
{
	struct rlb_secret key;

	m->has_secret = c->secret_from == SECRET_WORD;
	m->has_fingerprint = m->has_secret;
	if (!m->has_secret)
		return;
	memcpy(m->secret, c->secret, sizeof(m->secret));
	rlb_secret_load(&key, m->secret);
	m->fingerprint = rlb_secret_fingerprint(&key);
}

static int apply_dev(struct model *m, const struct command *c, char *error, size_t size)
{
	struct dev *d = devs_find(&m->devs, c->dev.name);

	if (c->cmd == RINGLB_CMD_DEV_DEL) {
		if (!d)
			return refuse(error, size, "device has no fast path");
		devs_del(&m->devs, d);
		return 0;
	}
	if (d)
		return refuse(error, size, "device has the fast path already");
	return devs_add(&m->devs, &c->dev) ? refuse(error, size, "out of memory") : 0;
}

/**
 * offline_apply() - apply a command to a model
 * @m: the model; undefined after a failure
 * @c: the command, one that changes something
 * @error: out: why not
 * @size: of @error
 *
 * Return: 0 or -1.
 */
int offline_apply(struct model *m, const struct command *c, char *error, size_t size)
{
	struct service *s;

	switch (c->cmd) {
	case RINGLB_CMD_FLUSH:
		model_flush(m);
		return 0;
	case RINGLB_CMD_SECRET_SET:
		apply_secret(m, c);
		return 0;
	case RINGLB_CMD_FLOW_SET:
		m->flow_limit = c->flows.limit;
		return 0;
	case RINGLB_CMD_DEV_NEW:
	case RINGLB_CMD_DEV_DEL:
		return apply_dev(m, c, error, size);
	case RINGLB_CMD_SERVICE_NEW:
		return apply_service_add(m, &c->service, error, size);
	}
	s = model_find(m, c->service.name);
	if (!s)
		return refuse(error, size, "no such service");
	if (HAS(&c->service, RINGLB_A_SERVICE_IF_GENERATION))
		return refuse(error, size,
			      "if-generation: what a file describes has no generation");
	switch (c->cmd) {
	case RINGLB_CMD_SERVICE_SET:
		return apply_service_set(m, s, &c->service, error, size);
	case RINGLB_CMD_SERVICE_DEL:
		apply_service_del(m, s);
		return 0;
	case RINGLB_CMD_BACKEND_NEW:
		return apply_backend_add(m, s, &c->backend, error, size);
	}
	return apply_backend(m, s, c, error, size);
}

/* Why not all backends can be told by connection ids, if they have to be */
static const char *cid_fit(const struct service *s)
{
	const struct rlb_cid_form form = { .length = s->sid_length };
	size_t i;

	for (i = 0; s->key == RINGLB_KEY_QUIC_CID && i < s->n; i++) {
		if (!HAS(&s->backends[i], RINGLB_A_BACKEND_ID))
			return "key quic-cid needs an id of each backend";
		if (!rlb_cid_has_room(&form, s->backends[i].id))
			return "id of a backend needs more than sid-length bytes";
	}
	return NULL;
}

/**
 * offline_agree() - what follows from several commands that a module takes as one change
 * @m: the model, after the last of them
 * @c: one of them
 * @error: out: why a module would refuse
 * @size: of @error
 *
 * Return: 0 or -1.
 */
int offline_agree(const struct model *m, const struct command *c, char *error, size_t size)
{
	struct service *s = NULL;
	const char *why;

	if (c->cmd != RINGLB_CMD_FLUSH && c->cmd != RINGLB_CMD_SECRET_SET &&
	    c->cmd != RINGLB_CMD_FLOW_SET && c->cmd != RINGLB_CMD_DEV_NEW &&
	    c->cmd != RINGLB_CMD_DEV_DEL)
		s = model_find(m, c->service.name);
	why = s ? seats_fit(s) : NULL;
	if (s && !why)
		why = map_fit(s);
	if (s && !why)
		why = cid_fit(s);
	return why ? refuse(error, size, why) : 0;
}

/* Commands of a file that are one change. The index of the one at fault, @n if none is. */
static size_t load_group(struct model *m, const struct command *c, size_t n, char *error,
			 size_t size)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (offline_apply(m, &c[i], error, size))
			return i;
	if (!offline_agree(m, c, error, size))
		return n;
	for (i = n - 1; i && !service_sets_map(&c[i]); i--)
		;
	return i;
}

/**
 * offline_load() - a model from a file of commands
 * @file: its name; "-": standard input
 * @m: out: the model, empty before; to be freed in any case
 *
 * Return: an exit code, after its message; @m is empty if it is not 0.
 */
int offline_load(const char *file, struct model *m)
{
	char error[512], title[BACKEND_TITLE_MAX];
	struct batch b;
	size_t i, n, bad;
	int code;

	code = batch_open(&b, file);
	for (i = 0; i < b.n && !code; i += n) {
		n = batch_group(&b, i);
		bad = load_group(m, &b.commands[i], n, error, sizeof(error));
		if (bad == n)
			continue;
		tool_error("%s:%u: %s: %s", b.file, b.commands[i + bad].line,
			   backend_title(&b.commands[i + bad], title), error);
		code = TOOL_REFUSED;
	}
	if (code)
		model_flush(m);
	batch_free(&b);
	return code;
}
