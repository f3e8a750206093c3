// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_tunnel.c - the command check: do clients' packets fit into tunnels to backends?
 *
 * In: services in mode tunnel, routes to their backends, MTUs of devices. Out: findings, one for
 * a service: about its backend with the least room.
 *
 * Packets that do not fit are no trouble to senders that are told so. Whether some are not, this
 * host cannot see, but whether backends announce less: then next to no packet is too large.
 */
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "overhead.h"
#include "route.h"

#define MTU_FAR 1500	/* packets that come from far away are not larger */
#define MTU_IPV4 68	/* what each link takes */
#define MTU_IPV6 1280
#define RARE 1000	/* packets of a service: it is no matter if one of so many was too large */

/* The clients' side; looked at once, 0: not yet */
struct side {
	struct check *c;
	unsigned int mtu4;
	unsigned int mtu6;
};

/**
 * struct room - the way to a backend
 * @b: the backend
 * @device: that leads there
 * @link: bytes that the device takes
 * @way: bytes that packets to the backend may have, not above @link
 * @overhead: of the tunnel
 * @inside: bytes that are left for packets in it
 */
struct room {
	const struct backend *b;
	char device[IF_NAMESIZE];
	unsigned int link;
	unsigned int way;
	unsigned int overhead;
	unsigned int inside;
};

/* IPv6 may take less of a link. */
static unsigned int way_of(const struct route *r, u8 family, unsigned int link)
{
	char name[96];
	long mtu = r->mtu;

	snprintf(name, sizeof(name), "net/ipv6/conf/%s/mtu", r->device);
	if (!mtu && family == AF_INET6)
		mtu = check_sysctl(name);
	return mtu > 0 && mtu < link ? mtu : link;
}

static bool room_of(struct check *c, const struct service *s, const struct backend *b,
		    struct room *room)
{
	struct route r;

	if (route_get(&c->route, &b->at, &r) || r.type != RTN_UNICAST)
		return false;
	*room = (struct room){
		.b = b,
		.link = route_link_mtu(r.device),
		.overhead = rlb_overhead(s->tunnel, b->at.family),
	};
	strcpy(room->device, r.device);
	room->way = way_of(&r, b->at.family, room->link);
	room->inside = room->way > room->overhead + MTU_IPV4 ? room->way - room->overhead : MTU_IPV4;
	return room->link;
}

/* The least there is for packets of a service; false: nobody knows */
static bool least_room(struct check *c, const struct service *s, struct room *least)
{
	struct room room;
	size_t i;

	least->b = NULL;
	for (i = 0; i < s->n; i++) {
		const struct backend *b = &s->backends[i];

		if (b->state == RINGLB_STATE_UP && b->weight && room_of(c, s, b, &room) &&
		    (!least->b || room.inside < least->inside))
			*least = room;
	}
	return least->b;
}

/* How large packets may come in: of those who are far away, or by a link that takes less */
static unsigned int find_largest(struct check *c, u8 family)
{
	struct routes all = { .n = 0 };
	unsigned int i, largest = 0;

	if (route_defaults(&c->route, family, &all))
		return MTU_FAR;
	for (i = 0; i < all.n; i++) {
		unsigned int mtu = *all.route[i].device ? route_link_mtu(all.route[i].device) : 0;

		if (!mtu)
			return MTU_FAR;
		if (mtu > largest)
			largest = mtu;
	}
	return largest && largest < MTU_FAR ? largest : MTU_FAR;
}

static unsigned int largest_of(struct side *side, u8 family)
{
	unsigned int *mtu = family == AF_INET ? &side->mtu4 : &side->mtu6;

	if (!*mtu)
		*mtu = find_largest(side->c, family);
	return *mtu;
}

/* What all IPv6 links take, so that no sender makes less of it */
static bool is_cut(const struct service *s, const struct room *room)
{
	return s->vip.family == AF_INET6 && room->inside < MTU_IPV6 && room->way == room->link;
}

static void found_cut(struct check *c, const struct service *s, const struct room *room)
{
	char at[ADDR_TEXT_MAX];

	check_found(c, "tunnel_fragments", s->name,
		    check_say("IPv6 packets of %u bytes, which no sender need make smaller, go to backend %s in fragments: %s takes %u bytes, and %u are the tunnel's",
			      MTU_IPV6, check_address(&room->b->at, at), room->device, room->link,
			      room->overhead),
		    check_say("ip link set dev %s mtu %u", room->device,
			      MTU_IPV6 + room->overhead));
}

/* Those of TCP, which is stuck if it is not told, and those that TCP may be among */
static bool is_narrow(struct side *side, const struct service *s, const struct room *room)
{
	const u64 *counter = s->counters.value;
	u64 large = counter[RINGLB_COUNTER_DROP_TOO_BIG];

	if (s->protocol != IPPROTO_TCP && !service_is_any(s))
		return false;
	return room->inside < largest_of(side, s->vip.family) &&
	       counter[RINGLB_COUNTER_PACKETS_IN] < RARE * (large ? large : 1);
}

/* What rules call packets that come from a VIP */
static char *from_vip(const struct service *s)
{
	bool is_ipv4 = s->vip.family == AF_INET;
	char vip[ADDR_TEXT_MAX];

	if (s->vip.mask)	/* nobody knows its addresses */
		return check_say("meta nfproto %s", is_ipv4 ? "ipv4" : "ipv6");
	return check_say("%s saddr %s", is_ipv4 ? "ip" : "ip6", check_address(&s->vip, vip));
}

/* Backends announce what fits. */
static char *announce_less(const struct service *s, const struct room *room)
{
	unsigned int headers = s->vip.family == AF_INET ? 40 : 60;	/* IP's and TCP's */
	char *from = from_vip(s), *text;

	if (!from)
		return NULL;
	text = check_say("nft 'add table inet mss; add chain inet mss out { type filter hook output priority mangle; }; add rule inet mss out %s tcp flags syn tcp option maxseg size set %u'",
			 from, room->inside - headers);
	free(from);
	return text;
}

static void found_narrow(struct side *side, const struct service *s, const struct room *room)
{
	unsigned int largest = largest_of(side, s->vip.family);
	char at[ADDR_TEXT_MAX];

	check_found(side->c, "tunnel_mtu", s->name,
		    check_say("packets of clients may have %u bytes, and the tunnel to backend %s takes %u: clients that hear no ICMP are stuck; let the links to backends take %u, or backends announce less (the cure is for them)",
			      largest, check_address(&room->b->at, at), room->inside,
			      largest + room->overhead),
		    announce_less(s, room));
}

/* Finds tunnels that clients' packets do not fit into, of services that they are sent to. */
void check_tunnels(struct check *c)
{
	struct side side = { .c = c };
	struct room room;
	size_t i;

	for (i = 0; i < c->model.n; i++) {
		const struct service *s = c->model.services[i];

		if (s->mode != RINGLB_MODE_TUNNEL || !least_room(c, s, &room))
			continue;
		if (is_cut(s, &room))
			found_cut(c, s, &room);
		else if (is_narrow(&side, s, &room))
			found_narrow(&side, s, &room);
	}
}
