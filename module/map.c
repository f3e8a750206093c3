// SPDX-License-Identifier: GPL-2.0-only
/*
 * map.c - the operator's map of slots to backends, as requests tell it: method slots
 *
 * In: names of backends, and ranges of slots for each; the table in force. Out: ranges with
 * members, from which lookup/slots.c fills a table. Process context under cfg_lock; may sleep.
 * A map is thrown away when the table is built: from then on the table says who owns what.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "map.h"
#include "table.h"

/**
 * rlb_map_alloc() - a map that gives no slot to anyone yet
 * @bits: it is of 2^@bits slots
 *
 * Return: the map, to be freed by rlb_map_free(); NULL if there is no memory.
 */
struct rlb_map *rlb_map_alloc(unsigned int bits)
{
	struct rlb_map *map;

	map = kvmalloc(struct_size(map, owner, 1U << bits), GFP_KERNEL_ACCOUNT);
	if (!map)
		return NULL;
	map->backend = kvmalloc_array(RINGLB_BACKENDS_MAX, sizeof(*map->backend),
				      GFP_KERNEL_ACCOUNT);
	if (!map->backend) {
		kvfree(map);
		return NULL;
	}
	map->n = 0;
	map->bits = bits;
	memset(map->owner, 0xff, sizeof(*map->owner) << bits);
	return map;
}

/**
 * rlb_map_free() - the end of a map
 * @map: the map, or NULL
 */
void rlb_map_free(struct rlb_map *map)
{
	if (map)
		kvfree(map->backend);
	kvfree(map);
}

static int compare(const struct rlb_map_backend *b, const struct rlb_backend_config *c)
{
	int order = (int)b->family - c->family;

	order = order ?: memcmp(&b->addr, &c->addr, rlb_addr_len(c->family));
	return order ?: (int)be16_to_cpu(b->port) - be16_to_cpu(c->port);
}

/**
 * rlb_map_name() - the next backend that a map names, or once more the last one
 * @map: the map
 * @c: its address and configured port
 *
 * Return: its place in the map; -EINVAL if it comes before the last one, -ENOSPC.
 */
int rlb_map_name(struct rlb_map *map, const struct rlb_backend_config *c)
{
	int order = map->n ? compare(&map->backend[map->n - 1], c) : -1;

	if (order > 0)
		return -EINVAL;
	if (!order)
		return map->n - 1;
	if (map->n == RINGLB_BACKENDS_MAX)
		return -ENOSPC;
	map->backend[map->n].addr = c->addr;
	map->backend[map->n].family = c->family;
	map->backend[map->n].port = c->port;
	return map->n++;
}

/**
 * rlb_map_claim() - give slots to a backend
 * @map: the map
 * @first: the first of them
 * @last: the last of them
 * @owner: the backend's place in the map
 *
 * Return: 0; -ERANGE if they end before they begin, or beyond the table; -EEXIST if one of them
 *	has an owner.
 */
int rlb_map_claim(struct rlb_map *map, u32 first, u32 last, u16 owner)
{
	u32 s;

	if (last < first || last >> map->bits)
		return -ERANGE;
	for (s = first; s <= last; s++) {
		if (map->owner[s] != RINGLB_NO_OWNER)
			return -EEXIST;
		map->owner[s] = owner;
	}
	return 0;
}

/* Ranges of slots with one owner; slots of nobody are in none. Counts only if @r is NULL. */
static u32 list(const u16 *owner, u32 nslots, const u16 *members, struct rlb_range *r)
{
	u32 s, n = 0;
	u16 last = RINGLB_NO_OWNER, now;

	for (s = 0; s < nslots; s++, last = now) {
		now = rlb_slot_owner(owner[s]);
		if (now == RINGLB_NO_OWNER)
			continue;
		if (now != last) {
			if (r)
				r[n] = (struct rlb_range) { .first = s, .member = members[now] };
			n++;
		}
		if (r)
			r[n - 1].last = s;
	}
	return n;
}

/* As lookup/slots.c takes them; @members: of each owner, its index */
static int list_ranges(const u16 *owner, unsigned int bits, const u16 *members,
		       struct rlb_range **ranges, u32 *n)
{
	*n = list(owner, 1U << bits, members, NULL);
	*ranges = kvmalloc_array(max(*n, 1U), sizeof(**ranges), GFP_KERNEL_ACCOUNT);
	if (!*ranges)
		return -ENOMEM;
	list(owner, 1U << bits, members, *ranges);
	return 0;
}

/* A member's index; RINGLB_NO_OWNER for a backend that is not there, or has no weight. */
static u16 member_of(const struct rlb_backend_item *item)
{
	return item && item->weight ? item->member : RINGLB_NO_OWNER;
}

static int find_named(const struct rlb_map *map, const struct rlb_backend_set *set, u16 *members,
		      struct netlink_ext_ack *extack)
{
	struct rlb_backend_config c = { .port = 0 };
	u32 i;

	for (i = 0; i < map->n; i++) {
		c.addr = map->backend[i].addr;
		c.family = map->backend[i].family;
		c.port = map->backend[i].port;
		members[i] = member_of(rlb_backend_find(set, &c));
		if (members[i] != RINGLB_NO_OWNER)
			continue;
		NL_SET_ERR_MSG(extack,
			       "map gives slots to a backend that the service does not have, or that has no weight");
		return -ENOENT;
	}
	return 0;
}

/* Of a map that was given */
static int given_ranges(const struct rlb_map *map, unsigned int bits,
			const struct rlb_backend_set *set, struct rlb_range **ranges, u32 *n,
			struct netlink_ext_ack *extack)
{
	u16 *members;
	int err;

	if (map->bits != bits) {
		NL_SET_ERR_MSG(extack, "map is of another number of slots");
		return -EINVAL;
	}
	members = kvmalloc_array(map->n, sizeof(*members), GFP_KERNEL_ACCOUNT);
	if (!members)
		return -ENOMEM;
	err = find_named(map, set, members, extack);
	if (!err)
		err = list_ranges(map->owner, bits, members, ranges, n);
	kvfree(members);
	return err;
}

static int find_owners(const struct rlb_table *t, const struct rlb_backend_set *set, u16 *members,
		       struct netlink_ext_ack *extack)
{
	u32 i, s;

	for (i = 0; i < t->view.n; i++)
		members[i] = member_of(rlb_backend_item_in(set, t->backend[i]));
	for (s = 0; s < 1U << t->view.bits; s++) {
		if (members[t->view.slots[s] & RLB_SLOT_OWNER] != RINGLB_NO_OWNER)
			continue;
		NL_SET_ERR_MSG(extack,
			       "map gives slots to a backend that would go or have no weight: give another map first, or in one change");
		return -EBUSY;
	}
	return 0;
}

/* Of the map in force, which is the table: its owners must all be there still. */
static int kept_ranges(const struct rlb_table *t, unsigned int bits,
		       const struct rlb_backend_set *set, struct rlb_range **ranges, u32 *n,
		       struct netlink_ext_ack *extack)
{
	u16 *members;
	int err;

	if (t->view.bits != bits) {
		NL_SET_ERR_MSG(extack, "another number of slots needs a map of them");
		return -EINVAL;
	}
	members = kvmalloc_array(t->view.n, sizeof(*members), GFP_KERNEL_ACCOUNT);
	if (!members)
		return -ENOMEM;
	err = find_owners(t, set, members, extack);
	if (!err)
		err = list_ranges(t->view.slots, bits, members, ranges, n);
	kvfree(members);
	return err;
}

/**
 * rlb_map_ranges() - which slots belong to whom, by method slots
 * @svc: the service; cfg_lock held
 * @config: the configuration to build by, perhaps with a map; if not, the table in force is it
 * @set: the backends, their members numbered
 * @n: how many members
 * @ranges: out: as lookup/slots.c takes them; to be freed by kvfree(). NULL without members
 * @n_ranges: out: how many
 * @extack: for the reason of a refusal
 *
 * Return: 0; -ENOENT if a map that was given names who is no member, -EBUSY if an owner in force
 *	would be no member any more, -EINVAL without a map or for another number of slots, -ENOMEM.
 */
int rlb_map_ranges(const struct rlb_service *svc, const struct rlb_service_config *config,
		   const struct rlb_backend_set *set, u32 n, struct rlb_range **ranges,
		   u32 *n_ranges, struct netlink_ext_ack *extack)
{
	const struct rlb_table *t = rlb_table_locked(svc);

	if (config->map)
		return given_ranges(config->map, config->bits, set, ranges, n_ranges, extack);
	if (t && t->view.n && svc->config.ops->id == RINGLB_METHOD_SLOTS)
		return kept_ranges(t, config->bits, set, ranges, n_ranges, extack);
	if (!n)
		return 0;
	NL_SET_ERR_MSG(extack, "method slots needs a map of all slots");
	return -EINVAL;
}
