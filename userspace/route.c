// SPDX-License-Identifier: GPL-2.0-only
/*
 * route.c - where this host would send packets
 *
 * In: an address, a session with the kernel's routing. Out: the route, as the kernel itself
 * finds it.
 */
#include "route.h"

#include <errno.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void read_device(const struct nlattr *a, struct route *r)
{
	if (a && !if_indextoname(nla_get_u32(a), r->device))
		*r->device = '\0';
}

static u32 read_mtu(struct nlattr *metrics)
{
	static struct nla_policy policy[RTAX_MAX + 1] = {
		[RTAX_MTU] = { .type = NLA_U32 },
	};
	struct nlattr *tb[RTAX_MAX + 1];

	if (!metrics || nla_parse_nested(tb, RTAX_MAX, metrics, policy) || !tb[RTAX_MTU])
		return 0;
	return nla_get_u32(tb[RTAX_MTU]);
}

static int take_route(const struct nlmsghdr *h, void *arg)
{
	static struct nla_policy policy[RTA_MAX + 1] = {
		[RTA_OIF] = { .type = NLA_U32 },
		[RTA_PRIORITY] = { .type = NLA_U32 },
		[RTA_TABLE] = { .type = NLA_U32 },
	};
	struct nlattr *tb[RTA_MAX + 1];
	const struct rtmsg *rtm;
	struct route *r = arg;

	if (h->nlmsg_type != RTM_NEWROUTE ||
	    nlmsg_parse((struct nlmsghdr *)h, sizeof(*rtm), tb, RTA_MAX, policy))
		return -EBADMSG;
	rtm = nlmsg_data(h);
	memset(r, 0, sizeof(*r));
	r->type = rtm->rtm_type;
	r->prefix = rtm->rtm_dst_len;
	r->metric = tb[RTA_PRIORITY] ? nla_get_u32(tb[RTA_PRIORITY]) : 0;
	r->mtu = read_mtu(tb[RTA_METRICS]);
	r->has_gateway = tb[RTA_GATEWAY] || tb[RTA_VIA] || tb[RTA_MULTIPATH];
	read_device(tb[RTA_OIF], r);
	if (tb[RTA_PREFSRC] && nla_len(tb[RTA_PREFSRC]) == (int)rlb_addr_len(rtm->rtm_family)) {
		r->has_source = true;
		r->source.family = rtm->rtm_family;
		memcpy(&r->source.addr, nla_data(tb[RTA_PREFSRC]), rlb_addr_len(rtm->rtm_family));
	}
	return 0;
}

static struct nl_msg *request(const struct rtmsg *rtm, const struct endpoint *to)
{
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETROUTE, 0);

	if (!msg)
		return NULL;
	if (nlmsg_append(msg, (void *)rtm, sizeof(*rtm), NLMSG_ALIGNTO) ||
	    (to && nla_put(msg, RTA_DST, rlb_addr_len(to->family), &to->addr))) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static int get(struct session *s, const struct endpoint *to, unsigned int flags, struct route *r)
{
	struct rtmsg rtm = {
		.rtm_family = to->family,
		.rtm_dst_len = 8 * rlb_addr_len(to->family),
		.rtm_flags = flags,
	};
	struct nl_msg *msg = request(&rtm, to);
	int err;

	if (!msg)
		return session_fail(s, -ENOMEM, "out of memory");
	err = session_ask(s, msg, take_route, r);
	nlmsg_free(msg);
	return err;
}

/**
 * route_get() - how packets of this host to an address would go
 * @s: the session
 * @to: the address
 * @r: out: next hop, device, source
 *
 * Return: 0, or -errno.
 */
int route_get(struct session *s, const struct endpoint *to, struct route *r)
{
	return get(s, to, 0, r);
}

/**
 * route_find() - the entry of the routing table that an address meets
 * @s: the session
 * @to: the address
 * @r: out: the entry
 *
 * Return: 0, or -errno.
 */
int route_find(struct session *s, const struct endpoint *to, struct route *r)
{
	return get(s, to, RTM_F_FIB_MATCH, r);
}

static int take_neighbour(const struct nlmsghdr *h, void *arg)
{
	struct nlattr *tb[NDA_MAX + 1];
	const struct ndmsg *ndm;
	bool *known = arg;

	if (h->nlmsg_type != RTM_NEWNEIGH ||
	    nlmsg_parse((struct nlmsghdr *)h, sizeof(*ndm), tb, NDA_MAX, NULL))
		return -EBADMSG;
	ndm = nlmsg_data(h);
	*known = tb[NDA_LLADDR] && ndm->ndm_state & (NUD_REACHABLE | NUD_STALE | NUD_DELAY |
						     NUD_PROBE | NUD_PERMANENT);
	return 0;
}

/**
 * route_is_neighbour() - does another host have an address, as far as this one has heard?
 * @s: the session
 * @at: the address
 * @device: in whose network it is
 *
 * Return: whether.
 */
bool route_is_neighbour(struct session *s, const struct endpoint *at, const char *device)
{
	struct ndmsg ndm = { .ndm_family = at->family, .ndm_ifindex = if_nametoindex(device) };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_GETNEIGH, 0);
	bool known = false;
	int err = -ENOMEM;

	if (msg && !nlmsg_append(msg, &ndm, sizeof(ndm), NLMSG_ALIGNTO) &&
	    !nla_put(msg, NDA_DST, rlb_addr_len(at->family), &at->addr))
		err = session_ask(s, msg, take_neighbour, &known);
	nlmsg_free(msg);
	return !err && known;
}

static void forget_routes(void *arg)
{
	struct routes *all = arg;

	all->n = 0;
}

static int take_default(const struct nlmsghdr *h, void *arg)
{
	struct routes *all = arg;
	struct route r;

	if (take_route(h, &r))
		return -EBADMSG;
	if (!r.prefix && r.type == RTN_UNICAST && all->n < ROUTES_MAX)
		all->route[all->n++] = r;
	return 0;
}

/**
 * route_defaults() - the default routes of the main table
 * @s: the session
 * @family: AF_INET or AF_INET6
 * @all: out: the routes
 *
 * Return: 0, or -errno.
 */
int route_defaults(struct session *s, u8 family, struct routes *all)
{
	struct rtmsg rtm = { .rtm_family = family, .rtm_table = RT_TABLE_MAIN };
	struct nl_msg *msg = request(&rtm, NULL);
	int err;

	if (!msg)
		return session_fail(s, -ENOMEM, "out of memory");
	err = session_dump(s, msg, forget_routes, take_default, all);
	nlmsg_free(msg);
	return err < 0 ? err : 0;
}

/**
 * route_link_mtu() - how large packets a device takes
 * @device: its name
 *
 * Return: bytes, 0: nobody knows.
 */
unsigned int route_link_mtu(const char *device)
{
	struct ifreq ifr = { .ifr_mtu = 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return 0;
	memcpy(ifr.ifr_name, device, strnlen(device, sizeof(ifr.ifr_name) - 1));
	if (ioctl(fd, SIOCGIFMTU, &ifr))
		ifr.ifr_mtu = 0;
	close(fd);
	return ifr.ifr_mtu;
}
