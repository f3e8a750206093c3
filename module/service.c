// SPDX-License-Identifier: GPL-2.0-only
/*
 * service.c - the life of a service
 *
 * In: requests to create, change, destroy. Process context under cfg_lock; may sleep. Packets
 * find their service by service.h.
 */
#include <linux/mm.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "draft.h"
#include "hook.h"
#include "match.h"
#include "own.h"
#include "service.h"
#include "snat.h"
#include "stats.h"
#include "table.h"

static const struct rhashtable_params name_params = {
	.key_len = RINGLB_NAME_MAX + 1,
	.key_offset = offsetof(struct rlb_service, config.name),
	.head_offset = offsetof(struct rlb_service, name_node),
	.automatic_shrinking = true,
};

/**
 * rlb_service_by_name() - find a service for a request
 * @rn: the namespace
 * @name: RINGLB_NAME_MAX + 1 bytes, padded with NULs
 *
 * cfg_lock held.
 *
 * Return: the service, NULL if there is none.
 */
struct rlb_service *rlb_service_by_name(struct rlb_net *rn, const char *name)
{
	return rhashtable_lookup_fast(&rn->names, name, name_params);
}

static void service_free(struct rlb_service *svc)
{
	rlb_stats_free(svc->stats);
	kfree(svc->blocks);
	kfree(svc);
}

static void service_free_rcu(struct rcu_head *rcu)
{
	service_free(container_of(rcu, struct rlb_service, rcu));
}

static bool is_single(const struct rlb_service_config *c)
{
	return c->port && !rlb_service_has_prefix(c);
}

static struct rlb_service *service_alloc(struct rlb_net *rn, const struct rlb_service_config *c)
{
	struct rlb_service *svc;

	svc = kzalloc(sizeof(*svc), GFP_KERNEL_ACCOUNT);
	if (!svc)
		return NULL;
	svc->stats = rlb_stats_alloc(RLB_COUNTERS_ALL);
	if (!svc->stats) {
		kfree(svc);
		return NULL;
	}
	svc->rn = rn;
	svc->born = rlb_seconds();
	svc->config = *c;
	INIT_LIST_HEAD(&svc->gone);
	svc->node.family = c->family;
	svc->node.proto = c->proto;
	svc->node.port = c->port;
	svc->node.addr = c->vip;
	svc->ports = c->ports;
	/* A client's port may be in flows to several of the service's ports or addresses. */
	svc->wide = c->snat.on || rlb_service_has_prefix(c) || (!c->port && !rlb_service_is_any(c));
	svc->fast = c->mode == RINGLB_MODE_NAT && is_single(c) && !c->snat.on;
	if (is_single(c))
		return svc;
	svc->blocks = c->mark.mask ?
		rlb_blocks_of_mark(svc, &svc->node, &c->mark) :
		rlb_blocks_alloc(svc, &svc->node, c->prefix, &svc->ports);
	if (svc->blocks)
		return svc;
	service_free(svc);
	return NULL;
}

/**
 * rlb_service_at() - a service that takes packets at an address and some port
 * @rn: the namespace; cfg_lock held
 * @family: AF_INET or AF_INET6
 * @proto: protocol
 * @addr: the address
 * @ports: the ports
 *
 * Return: the service, the first of several; NULL if there is none.
 */
const struct rlb_service *rlb_service_at(struct rlb_net *rn, u8 family, u8 proto,
					 const union rlb_addr *addr, const struct rlb_ports *ports)
{
	struct rlb_tuple t = { .dst = *addr, .dport = htons(ports->first), .family = family,
			       .proto = proto };
	const struct rlb_service *svc;
	unsigned long id;

	if (ports->first == ports->last)
		return rlb_service_of(rn, &t, 0);
	xa_for_each(&rn->services, id, svc)
		if (svc->config.family == family && rlb_protocols_meet(svc->config.proto, proto) &&
		    !svc->config.mark.mask && rlb_prefix_has(&svc->config.vip, svc->config.prefix, addr) &&
		    rlb_ports_meet(&svc->ports, ports))
			return svc;
	return NULL;
}

static bool marks_clash(const struct rlb_mark *a, const struct rlb_mark *b)
{
	return a->mask && hweight32(a->mask) == hweight32(b->mask) && rlb_mark_meet(a, b);
}

static bool spans_clash(const struct rlb_service_config *a, const struct rlb_service_config *b)
{
	return !a->mark.mask && a->prefix == b->prefix &&
	       !memcmp(&a->vip, &b->vip, sizeof(a->vip)) && rlb_ports_clash(&a->ports, &b->ports);
}

/* A service that would take the same packets as another one, and nothing says which; NULL: none */
static const struct rlb_service *find_clash(struct rlb_net *rn, const struct rlb_service_config *c)
{
	const struct rlb_service *svc;
	struct rlb_index_node *node;
	unsigned long id;

	if (is_single(c)) {
		node = rlb_index_find(&rn->vips, c->family, c->proto, &c->vip, c->port);
		return node ? container_of(node, struct rlb_service, node) : NULL;
	}
	xa_for_each(&rn->services, id, svc)
		if (svc->config.family == c->family && svc->config.proto == c->proto &&
		    (c->mark.mask ? marks_clash(&svc->config.mark, &c->mark) :
				    spans_clash(&svc->config, c)))
			return svc;
	return NULL;
}

static int refuse_clash(const struct rlb_service_config *c, struct netlink_ext_ack *extack)
{
	if (c->mark.mask) {
		NL_SET_ERR_MSG(extack,
			       "a service of this protocol has a mark of as many bits that packets with this one may have, too");
		return -EEXIST;
	}
	if (rlb_service_is_any(c)) {
		NL_SET_ERR_MSG(extack, "a service of every protocol and this address exists");
		return -EEXIST;
	}
	switch (rlb_ports_match(&c->ports)) {
	case RINGLB_MATCH_PORTS:
		NL_SET_ERR_MSG(extack,
			       "a service of this protocol and address has a range with some of these ports");
		break;
	case RINGLB_MATCH_EVERY_PORT:
		NL_SET_ERR_MSG(extack,
			       "a service of every port of this protocol and address exists");
		break;
	default:
		NL_SET_ERR_MSG(extack, "a service of this protocol, address and port exists");
	}
	return -EEXIST;
}

static int check_free(struct rlb_net *rn, const struct rlb_service_config *c,
		      struct netlink_ext_ack *extack)
{
	if (rlb_service_by_name(rn, c->name)) {
		NL_SET_ERR_MSG(extack, "a service of this name exists");
		return -EEXIST;
	}
	if (find_clash(rn, c))
		return refuse_clash(c, extack);
	if (!c->mark.mask &&
	    rlb_backend_at(rn, c->family, c->proto, &c->vip, c->prefix, &c->ports)) {
		NL_SET_ERR_MSG(extack, "address and port are those of a backend");
		return -EINVAL;
	}
	if (rn->n_services == RINGLB_SERVICES_MAX) {
		NL_SET_ERR_MSG(extack, "namespace has 65536 services, the most there can be");
		return -ENOSPC;
	}
	return 0;
}

/* Let requests find a service: by number, which orders dumps, and by name. */
static int service_enlist(struct rlb_net *rn, struct rlb_service *svc)
{
	int err;

	err = xa_alloc_cyclic(&rn->services, &svc->id, svc, XA_LIMIT(1, RLB_PIN_NUMBERS - 1),
			      &rn->next_id, GFP_KERNEL_ACCOUNT);
	if (err < 0)
		return err;
	err = rhashtable_insert_fast(&rn->names, &svc->name_node, name_params);
	if (err) {
		xa_erase(&rn->services, svc->id);
		return err;
	}
	rn->n_services++;
	return 0;
}

static void service_delist(struct rlb_net *rn, struct rlb_service *svc)
{
	rn->n_services--;
	rhashtable_remove_fast(&rn->names, &svc->name_node, name_params);
	xa_erase(&rn->services, svc->id);
}

static u8 other_family(const struct rlb_service_config *config)
{
	return config->family == AF_INET ? AF_INET6 : AF_INET;
}

static int hooks_get(struct rlb_net *rn, const struct rlb_service_config *config)
{
	int err;

	err = rlb_hooks_get(rn, RLB_HOOKS_NAT, config->family);
	if (err)
		return err;
	if (config->snat.on)
		err = rlb_hooks_get(rn, RLB_HOOKS_SNAT, config->family);
	else if (config->mode == RINGLB_MODE_TUNNEL)	/* outer packets, and errors about them */
		err = rlb_hooks_get(rn, RLB_HOOKS_NAT, other_family(config));
	if (err)
		rlb_hooks_put(rn, RLB_HOOKS_NAT, config->family);
	return err;
}

static void hooks_put(struct rlb_net *rn, const struct rlb_service_config *config)
{
	if (config->snat.on)
		rlb_hooks_put(rn, RLB_HOOKS_SNAT, config->family);
	if (config->mode == RINGLB_MODE_TUNNEL)
		rlb_hooks_put(rn, RLB_HOOKS_NAT, other_family(config));
	rlb_hooks_put(rn, RLB_HOOKS_NAT, config->family);
}

/**
 * rlb_service_create() - a new service without backends
 * @rn: the namespace
 * @config: what it is
 * @extack: for the reason of a refusal
 *
 * Its packets are dropped and counted until it has a backend. With the first service of a
 * family the hooks of that family come into being.
 *
 * Return: the service, or -EEXIST, -EINVAL, -ENOSPC, -ENOMEM with nothing changed.
 */
struct rlb_service *rlb_service_create(struct rlb_net *rn, const struct rlb_service_config *config,
				       struct netlink_ext_ack *extack)
{
	static const struct rlb_backend_set none;
	struct rlb_service *svc;
	struct rlb_table *table;
	int err;

	err = check_free(rn, config, extack) ?: rlb_service_check_track(config, &none, extack) ?:
	      rlb_snat_check(rn->net, config, extack) ?: rlb_own_check(rn->net, config, extack);
	if (err)
		return ERR_PTR(err);
	svc = service_alloc(rn, config);
	if (!svc)
		return ERR_PTR(-ENOMEM);
	table = rlb_table_build(svc, config, &svc->set, extack);
	if (IS_ERR(table)) {
		err = PTR_ERR(table);
		goto err_free;
	}
	rlb_table_publish(svc, table);
	svc->generation = 1;
	if (svc->blocks && !rlb_blocks_fit(rn, svc->blocks)) {
		NL_SET_ERR_MSG(extack, "marks of services have 8 different masks, the most there can be");
		err = -ENOSPC;
		goto err_free_table;
	}
	err = rlb_index_reserve(&rn->vips, svc->blocks ? svc->blocks->n : 1) ?:
	      rlb_pins_reserve(&rn->pins) ?: (svc->wide ? rlb_back_reserve(&rn->pins) : 0);
	if (err)
		goto err_free_table;
	err = service_enlist(rn, svc);
	if (err)
		goto err_free_table;
	err = hooks_get(rn, config);
	if (err)
		goto err_delist;
	rlb_backend_make_way(rn, &svc->node);
	if (svc->blocks)
		rlb_blocks_insert(rn, svc->blocks);
	else
		rlb_index_insert(&rn->vips, &svc->node);
	return svc;

err_delist:
	service_delist(rn, svc);
err_free_table:
	rlb_table_free(table);
err_free:
	/* Not by kfree(): a walk over the hash table of names may have met it. */
	call_rcu(&svc->rcu, service_free_rcu);
	return ERR_PTR(err);
}

/**
 * rlb_service_refuse_busy() - say that flows of an earlier change are in the way
 * @extack: for the reason
 *
 * Return: -EBUSY.
 */
int rlb_service_refuse_busy(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack,
		       "flows are kept from an earlier change of key, slots or secret: wait until transitions have expired, or force it");
	return -EBUSY;
}

static int refuse_untracked(const struct rlb_service_config *config, struct netlink_ext_ack *extack)
{
	if (config->mark.mask)
		NL_SET_ERR_MSG(extack,
			       "answers do not tell the addresses of marked packets apart: track must be all");
	else
		NL_SET_ERR_MSG(extack,
			       "answers do not tell the addresses of a prefix apart: track must be all");
	return -EINVAL;
}

/**
 * rlb_service_check_track() - are flows remembered that must be?
 * @config: the service as it is to be
 * @set: its backends as they are to be
 * @extack: for the reason of a refusal
 *
 * cfg_lock held.
 *
 * Return: 0 or -EINVAL.
 */
int rlb_service_check_track(const struct rlb_service_config *config,
			    const struct rlb_backend_set *set, struct netlink_ext_ack *extack)
{
	u32 i;

	if (config->snat.on && config->track != RINGLB_TRACK_ALL) {
		NL_SET_ERR_MSG(extack, "snat remembers every flow: track must be all");
		return -EINVAL;
	}
	if (rlb_service_needs_pins(config) && config->track != RINGLB_TRACK_ALL)
		return refuse_untracked(config, extack);
	if (config->key == RINGLB_KEY_QUIC_CID && config->mode == RINGLB_MODE_NAT &&
	    config->track != RINGLB_TRACK_ALL) {
		NL_SET_ERR_MSG(extack,
			       "answers do not tell that a connection id chose their backend: track must be all, or mode dsr or tunnel");
		return -EINVAL;
	}
	for (i = 0; config->track != RINGLB_TRACK_ALL && i < set->n; i++) {
		if (rlb_backend_twin(set->item[i].backend)) {
			NL_SET_ERR_MSG(extack,
				       "another service sends to a backend of this one: track must be all in both");
			return -EINVAL;
		}
		if (set->item[i].backend->port && !config->port) {
			NL_SET_ERR_MSG(extack,
				       "answers of a backend with a port do not tell several ports apart: track must be all");
			return -EINVAL;
		}
	}
	return 0;
}

/**
 * rlb_service_check_ids() - can all backends be told by connection ids, if they have to be?
 * @config: the service as it is to be
 * @set: its backends as they are to be
 * @extack: for the reason of a refusal
 *
 * cfg_lock held.
 *
 * Return: 0 or -EINVAL.
 */
int rlb_service_check_ids(const struct rlb_service_config *config,
			  const struct rlb_backend_set *set, struct netlink_ext_ack *extack)
{
	u32 i;

	for (i = 0; config->key == RINGLB_KEY_QUIC_CID && i < set->n; i++) {
		if (set->item[i].id == RLB_NO_ID) {
			NL_SET_ERR_MSG(extack, "key quic-cid needs an id of each backend");
			return -EINVAL;
		}
		if (!rlb_cid_has_room(&config->cid, set->item[i].id)) {
			NL_SET_ERR_MSG(extack, "id of a backend needs more than sid-length bytes");
			return -EINVAL;
		}
	}
	return 0;
}

/* Will all flows have other slots? */
static bool places_differ(const struct rlb_service_config *a, const struct rlb_service_config *b)
{
	return a->bits != b->bits || !rlb_key_is_same(a->key, b->key);
}

/**
 * rlb_service_is_busy() - would a configuration lose flows that are kept from an earlier one?
 * @svc: the service; cfg_lock held
 * @config: the configuration
 *
 * Return: true if so, and it is not forced.
 */
bool rlb_service_is_busy(const struct rlb_service *svc, const struct rlb_service_config *config)
{
	return places_differ(config, &svc->config) && !config->force && rlb_table_is_busy(svc);
}

/**
 * rlb_service_needs_table() - does a configuration ask for another table?
 * @svc: the service
 * @config: the configuration
 *
 * Return: true if the table has to be built anew.
 */
bool rlb_service_needs_table(const struct rlb_service *svc,
			     const struct rlb_service_config *config)
{
	const struct rlb_service_config *now = &svc->config;

	return config->ops != now->ops || places_differ(config, now) || config->map ||
	       config->key != now->key || memcmp(&config->cid, &now->cid, sizeof(now->cid)) ||
	       memcmp(&config->params, &now->params, sizeof(now->params));
}

/**
 * rlb_service_configure() - let a configuration be the service's
 * @svc: the service; a table that it needs is about to be published
 * @config: the configuration
 *
 * The list of seats is the table's: the former one, or see rlb_table_publish(). So is the map.
 */
void rlb_service_configure(struct rlb_service *svc, const struct rlb_service_config *config)
{
	svc->config = *config;
	svc->config.map = NULL;
	svc->config.force = false;
}

/**
 * rlb_service_change() - change method, key or parameters of a service
 * @svc: the service
 * @config: its new configuration; name, address, protocol and port as they are
 * @extack: for the reason of a refusal
 *
 * With another key or number of slots every flow gets another slot; flows there are stay with
 * their backends. A map moves at once what it gives to others. Another method, or other
 * parameters of it, move nothing at once: the table settles to what they ask for.
 * A configuration like the one in force changes nothing.
 *
 * Return: 0, -EBUSY, or what rlb_table_build() says, with nothing changed.
 */
int rlb_service_change(struct rlb_service *svc, const struct rlb_service_config *config,
		       struct netlink_ext_ack *extack)
{
	struct rlb_table *table = NULL;
	int err;

	if (rlb_service_is_busy(svc, config))
		return rlb_service_refuse_busy(extack);
	err = rlb_service_check_track(config, &svc->set, extack) ?:
	      rlb_service_check_ids(config, &svc->set, extack);
	if (err)
		return err;
	if (rlb_service_needs_table(svc, config)) {
		table = rlb_table_build(svc, config, &svc->set, extack);
		if (IS_ERR(table))
			return PTR_ERR(table);
	}
	rlb_service_configure(svc, config);
	if (table) {
		rlb_table_publish(svc, table);
		svc->generation++;
	}
	rlb_table_set_states(rlb_table_locked(svc), &svc->set, &svc->config);
	svc->changes++;
	return 0;
}

/**
 * rlb_service_destroy() - the end of a service and of its backends
 * @svc: the service
 *
 * Its packets are ordinary packets from now on. Memory is freed after a grace period.
 */
void rlb_service_destroy(struct rlb_service *svc)
{
	struct rlb_net *rn = svc->rn;

	rlb_drafts_drop(rn, svc, 0);
	if (svc->blocks)
		rlb_blocks_remove(rn, svc->blocks);
	else
		rlb_index_remove(&rn->vips, &svc->node);
	rlb_backends_destroy(svc);
	hooks_put(rn, &svc->config);
	service_delist(rn, svc);
	rlb_table_free(rlb_table_locked(svc));
	call_rcu(&svc->rcu, service_free_rcu);
}

/**
 * rlb_services_init() - make a namespace ready for services
 * @rn: the namespace's state, zeroed but for cfg_lock
 *
 * Return: 0 or -ENOMEM.
 */
int rlb_services_init(struct rlb_net *rn)
{
	INIT_LIST_HEAD(&rn->drafts);
	xa_init_flags(&rn->services, XA_FLAGS_ALLOC1);
	rn->vips.lock = &rn->cfg_lock;
	rn->reals.lock = &rn->cfg_lock;
	rn->ends.lock = &rn->cfg_lock;
	return rhashtable_init(&rn->names, &name_params);
}

/**
 * rlb_services_exit() - the end of all services of a namespace
 * @rn: the namespace, whose hooks have been gone for a grace period
 */
void rlb_services_exit(struct rlb_net *rn)
{
	struct rlb_service *svc;
	unsigned long id;

	mutex_lock(&rn->cfg_lock);
	xa_for_each(&rn->services, id, svc)
		rlb_service_destroy(svc);
	mutex_unlock(&rn->cfg_lock);
	rhashtable_destroy(&rn->names);
	xa_destroy(&rn->services);
	rlb_index_destroy(&rn->vips);
	rlb_index_destroy(&rn->reals);
	rlb_index_destroy(&rn->ends);
}
