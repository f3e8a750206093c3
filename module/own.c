// SPDX-License-Identifier: GPL-2.0-only
/*
 * own.c - ports that this host needs for itself
 *
 * In: a service that is to be, of several ports, addresses or protocols. Out: a refusal, if its
 * VIP is an address of this host and some of its ports are those of sockets, or are given to
 * connections of its own, or it has every protocol; or if its prefix has an address of this host.
 * Process context under cfg_lock; may sleep.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/inetdevice.h>
#include <linux/net.h>
#include <linux/sched.h>

#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/ip.h>
#include <net/route.h>

#include "own.h"
#include "service.h"

/**
 * rlb_own_has() - is an address this host's?
 * @net: the namespace
 * @family: AF_INET or AF_INET6
 * @addr: the address
 *
 * Return: whether.
 */
bool rlb_own_has(struct net *net, u8 family, const union rlb_addr *addr)
{
	if (family == AF_INET)
		return inet_addr_type(net, addr->v4) == RTN_LOCAL;
	return ipv6_chk_addr(net, (const struct in6_addr *)addr, NULL, 0);
}

static bool covers(const struct rlb_service_config *c, const void *own)
{
	union rlb_addr addr = { 0 };

	memcpy(&addr, own, rlb_addr_len(c->family));
	return rlb_prefix_has(&c->vip, c->prefix, &addr);
}

static bool covers_device4(const struct rlb_service_config *c, const struct net_device *dev)
{
	const struct in_device *in_dev = __in_dev_get_rcu(dev);
	const struct in_ifaddr *ifa;

	if (in_dev)
		in_dev_for_each_ifa_rcu(ifa, in_dev)
			if (covers(c, &ifa->ifa_local))
				return true;
	return false;
}

static bool covers_device6(const struct rlb_service_config *c, const struct net_device *dev)
{
	const struct inet6_dev *in6_dev = __in6_dev_get(dev);
	const struct inet6_ifaddr *ifa;

	if (in6_dev)
		list_for_each_entry_rcu(ifa, &in6_dev->addr_list, if_list)
			if (covers(c, &ifa->addr))
				return true;
	return false;
}

static bool covers_own(struct net *net, const struct rlb_service_config *c)
{
	struct net_device *dev;
	bool found = false;

	rcu_read_lock();
	for_each_netdev_rcu(net, dev) {
		found = c->family == AF_INET ? covers_device4(c, dev) : covers_device6(c, dev);
		if (found)
			break;
	}
	rcu_read_unlock();
	return found;
}

static int check_prefix(struct net *net, const struct rlb_service_config *c,
			struct netlink_ext_ack *extack)
{
	if (!covers_own(net, c))
		return 0;
	NL_SET_ERR_MSG(extack, "prefix has an address of this host: force it, or take another");
	return -EINVAL;
}

static bool has_ephemeral(struct net *net, const struct rlb_service_config *c)
{
	int low, high;

	inet_get_local_port_range(net, &low, &high);
	return c->ports.first <= high && low <= c->ports.last;
}

/* Who cannot have a port is not alone with it. */
static bool is_bound(struct net *net, const struct rlb_service_config *c, u16 port)
{
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct socket *sock;
	int err;

	err = sock_create_kern(net, c->family, c->proto == IPPROTO_UDP ? SOCK_DGRAM : SOCK_STREAM,
			       c->proto, &sock);
	if (err)
		return false;
	memcpy(&sin6.sin6_addr, &c->vip, sizeof(sin6.sin6_addr));
	sin.sin_addr.s_addr = c->vip.v4;
	err = c->family == AF_INET ? kernel_bind(sock, (void *)&sin, sizeof(sin)) :
				     kernel_bind(sock, (void *)&sin6, sizeof(sin6));
	sock_release(sock);
	return err == -EADDRINUSE;
}

/**
 * rlb_own_check() - would a service take what this host's own sockets should get?
 * @net: the namespace
 * @config: the service that is to be
 * @extack: for the reason of a refusal
 *
 * A service of one address and port is told by name what it is to take, and is not asked.
 *
 * Return: 0 or -EINVAL.
 */
int rlb_own_check(struct net *net, const struct rlb_service_config *config,
		  struct netlink_ext_ack *extack)
{
	u32 port;

	if (config->forced || config->mark.mask)
		return 0;
	if (rlb_service_has_prefix(config))
		return check_prefix(net, config, extack);
	if (config->port || !rlb_own_has(net, config->family, &config->vip))
		return 0;
	if (rlb_service_is_any(config)) {
		NL_SET_ERR_MSG(extack,
			       "address is this host's, which would get no packets to it any more: force it, or take another");
		return -EINVAL;
	}
	if (has_ephemeral(net, config)) {
		NL_SET_ERR_MSG(extack,
			       "address is this host's, whose own connections use some of the ports (ip_local_port_range): force it, or take others");
		return -EINVAL;
	}
	for (port = config->ports.first; port <= config->ports.last; port++) {
		if (is_bound(net, config, port)) {
			NL_SET_ERR_MSG(extack,
				       "address is this host's, and a socket has one of the ports: force it, or take others");
			return -EINVAL;
		}
		cond_resched();
	}
	return 0;
}
