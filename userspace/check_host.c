// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_host.c - the command check: sysctls, routes, and whether backends answer
 *
 * In: services and backends, /proc/sys, the kernel's routing. Out: findings.
 */
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "route.h"
#include "words.h"

#define UNANSWERED 8	/* packets without one answer, that are more than the first of a flow */

/* Of a device: slashes, since a device's name may have dots */
static long sysctl_of(const char *device, const char *what, char name[96])
{
	snprintf(name, 96, "net/ipv4/conf/%s/%s", device, what);
	return check_sysctl(name);
}

/* A service of this family; in mode nat, if @nat */
static bool has_family(const struct check *c, u8 family, bool nat)
{
	size_t i;

	for (i = 0; i < c->model.n; i++)
		if (c->model.services[i]->vip.family == family &&
		    (!nat || service_is_nat(c->model.services[i])))
			return true;
	return false;
}

/* Is it the first one of a list? Lists are short: of devices. */
static bool is_new(char seen[][IF_NAMESIZE], unsigned int *n, const char *device)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (!strcmp(seen[i], device))
			return false;
	if (*n == ROUTES_MAX)
		return false;
	strcpy(seen[(*n)++], device);
	return true;
}

static void forwarding_of(struct check *c, const char *device)
{
	char name[96];

	if (sysctl_of(device, "forwarding", name) == 0)
		check_found(c, "forwarding", device,
			    check_say("IPv4 packets that come in by this device, as backends' answers do, are not forwarded"),
			    check_say("sysctl -w %s=1", name));
}

/* Of the devices by which answers come in; IPv6 has no such switch for a device. */
static void forwarding_of_devices(struct check *c)
{
	char seen[ROUTES_MAX][IF_NAMESIZE];
	unsigned int n = 0;
	struct route r;
	size_t i, j;

	for (i = 0; i < c->model.n; i++) {
		const struct service *s = c->model.services[i];

		for (j = 0; j < s->n && s->vip.family == AF_INET && service_is_nat(s); j++) {
			if (route_get(&c->route, &s->backends[j].at, &r) || r.type != RTN_UNICAST)
				continue;
			if (*r.device && is_new(seen, &n, r.device))
				forwarding_of(c, r.device);
		}
	}
}

/* Finds hosts that forward no packets; those of some modes need no forwarding. */
void check_forwarding(struct check *c)
{
	if (has_family(c, AF_INET, true) && check_sysctl("net/ipv4/ip_forward") == 0)
		check_found(c, "forwarding", "IPv4",
			    check_say("this host forwards no IPv4 packets"),
			    check_say("sysctl -w net.ipv4.ip_forward=1"));
	else
		forwarding_of_devices(c);
	if (has_family(c, AF_INET6, true) && check_sysctl("net/ipv6/conf/all/forwarding") == 0)
		check_found(c, "forwarding", "IPv6",
			    check_say("this host forwards no IPv6 packets"),
			    check_say("sysctl -w net.ipv6.conf.all.forwarding=1"));
}

/* Does it throw away what comes by another device than the way back? */
static bool is_strict(const char *device, char name[96])
{
	long all = check_sysctl("net/ipv4/conf/all/rp_filter");
	long own = sysctl_of(device, "rp_filter", name);

	return own >= 0 && (own > all ? own : all) == 1;
}

/*
 * Finds devices whose default route is not the best one, and whose filter is strict: what
 * clients send that way is thrown away, since the way back to them is another.
 */
void check_rp_filter(struct check *c)
{
	char seen[ROUTES_MAX][IF_NAMESIZE], name[96];
	struct routes all = { .n = 0 };
	unsigned int i, n = 0;
	u32 best = UINT32_MAX;

	if (!has_family(c, AF_INET, false) || route_defaults(&c->route, AF_INET, &all))
		return;
	for (i = 0; i < all.n; i++)
		if (all.route[i].metric < best)
			best = all.route[i].metric;
	for (i = 0; i < all.n; i++)	/* those of the best are seen */
		if (all.route[i].metric == best && *all.route[i].device)
			is_new(seen, &n, all.route[i].device);
	for (i = 0; i < all.n; i++) {
		const char *device = all.route[i].device;

		if (*device && is_new(seen, &n, device) && is_strict(device, name))
			check_found(c, "rp_filter", device,
				    check_say("packets of clients that come by this device are dropped: rp_filter is strict and the best default route is another"),
				    check_say("sysctl -w %s=2", name));
	}
}

/* An address with the length of its prefix, be it all bits */
static const char *network(const struct endpoint *e, char text[ADDR_TEXT_MAX])
{
	struct endpoint net = { .addr = e->addr, .family = e->family, .prefix = addr_bits(e) };

	return addr_print(&net, text);
}

static const char *ip_of(const struct endpoint *e)
{
	return e->family == AF_INET ? "ip" : "ip -6";
}

static void check_vip(struct check *c, const struct service *s)
{
	char vip[ADDR_TEXT_MAX], net[ADDR_TEXT_MAX];
	struct route r;

	if (s->vip.mask)
		return;	/* nobody knows its addresses */
	/* No route, or one that drops: what no service takes ends here, as it should. */
	if (route_find(&c->route, &s->vip, &r) || r.type != RTN_UNICAST)
		return;
	check_address(&s->vip, vip);
	network(&s->vip, net);
	if (r.has_gateway || !r.prefix)
		check_found(c, "vip_route", vip,
			    check_say("packets to this VIP that no service takes are sent on%s%s, and may bounce between routers until they expire",
				      *r.device ? " by " : "", r.device),
			    check_say("%s route add blackhole %s", ip_of(&s->vip), net));
	else if (s->vip.prefix)
		return;	/* its addresses need not be of this host */
	else if (route_is_neighbour(&c->route, &s->vip, r.device))
		check_found(c, "vip_taken", vip,
			    check_say("this VIP is the address of another host in the network of %s: it is not reached by way of this one",
				      r.device),
			    check_say("ringlb service del %s", s->name));
	else if (r.prefix < addr_bits(&s->vip))
		check_found(c, "vip_unanswered", vip,
			    check_say("this VIP lies in the network of %s and is no address of this host, so nobody there finds it",
				      r.device),
			    check_say("%s address add %s dev %s", ip_of(&s->vip), net, r.device));
}

/* Finds VIPs whose packets bounce, that nobody finds, or that others have; each address once. */
void check_vips(struct check *c)
{
	const struct service *s, *before;
	size_t i;

	for (i = 0; i < c->model.n; i++) {
		struct endpoint at;

		s = c->model.by_vip[i];
		before = i ? c->model.by_vip[i - 1] : NULL;
		at = s->vip;
		if (before) {
			at.port = before->vip.port;
			at.last = before->vip.last;
		}
		if (!before || addr_cmp(&at, &before->vip))
			check_vip(c, s);
	}
}

/* One that has flows */
static void check_backend(struct check *c, const struct service *s, const struct backend *b)
{
	char at[ADDR_TEXT_MAX], bare[ADDR_TEXT_MAX];
	const char *finding = "backend_route";
	struct route r;
	char *text;

	check_address(&b->at, bare);
	if (route_get(&c->route, &b->at, &r)) {
		text = check_say("service %s sends flows to this backend, and there is no route to %s: %s",
				 s->name, bare, c->route.why.text);
	} else if (s->mode == RINGLB_MODE_DSR && r.has_gateway) {
		finding = "backend_off_link";
		text = check_say("service %s sends flows to this backend as next hop (mode dsr), and %s is not on a link of this host",
				 s->name, bare);
	} else {
		return;
	}
	addr_print(&b->at, at);
	check_found(c, finding, at, text, check_say("ringlb backend down %s %s", s->name, at));
}

/* Finds backends that packets cannot be sent to. */
void check_backends(struct check *c)
{
	size_t i, j;

	for (i = 0; i < c->model.n; i++) {
		const struct service *s = c->model.services[i];

		for (j = 0; j < s->n; j++)
			if (s->backends[j].state == RINGLB_STATE_UP && s->backends[j].weight)
				check_backend(c, s, &s->backends[j]);
	}
}

static void check_answers_of(struct check *c, const struct service *s, const struct backend *b)
{
	char at[ADDR_TEXT_MAX], source[ADDR_TEXT_MAX];
	struct route r;

	if (route_get(&c->route, &b->at, &r) || r.type != RTN_UNICAST || !r.has_source)
		return;
	check_found(c, "no_answers", addr_print(&b->at, at),
		    check_say("this backend of %s was sent %llu packets, and no answer came back through here: it is dead, or its default route leads elsewhere (the cure is for the backend)",
			      s->name,
			      (unsigned long long)b->counters.value[RINGLB_COUNTER_PACKETS_IN]),
		    check_say("%s route replace default via %s", ip_of(&b->at),
			      check_address(&r.source, source)));
}

/* Finds backends whose answers take another way. Whoever asks by TCP is answered. */
void check_answers(struct check *c)
{
	size_t i, j;

	for (i = 0; i < c->model.n; i++) {
		const struct service *s = c->model.services[i];

		for (j = 0; j < s->n && s->protocol == IPPROTO_TCP && service_is_nat(s); j++) {
			const u64 *counter = s->backends[j].counters.value;

			if (counter[RINGLB_COUNTER_PACKETS_IN] >= UNANSWERED &&
			    !counter[RINGLB_COUNTER_PACKETS_OUT])
				check_answers_of(c, s, &s->backends[j]);
		}
	}
}

/*
 * Finds services that look at connection ids of servers that write theirs otherwise: a client
 * that changes its address would lose its connection.
 */
void check_cids(struct check *c)
{
	size_t i;

	for (i = 0; i < c->model.n; i++) {
		const struct service *s = c->model.services[i];
		const u64 *counter = s->counters.value;

		if (s->key != RINGLB_KEY_QUIC_CID || counter[RINGLB_COUNTER_BY_CID] ||
		    counter[RINGLB_COUNTER_PACKETS_IN] < UNANSWERED)
			continue;
		check_found(c, "no_cids", s->name,
			    check_say("this service was sent %llu packets, and none had a connection id of a backend: servers must be told configuration %u and a server id of %u bytes, the backend's id; if they cannot be",
				      (unsigned long long)counter[RINGLB_COUNTER_PACKETS_IN],
				      s->cid_config, s->sid_length),
			    check_say("ringlb service set %s key 5tuple", s->name));
	}
}

/* Finds a table of connections that is full, or nearly: new ones are then dropped. */
void check_conntrack(struct check *c)
{
	long count = check_sysctl("net/netfilter/nf_conntrack_count");
	long max = check_sysctl("net/netfilter/nf_conntrack_max");

	if (count < 0 || max <= 0 || count < max - max / 10)
		return;
	check_found(c, "conntrack_full", "conntrack",
		    check_say("conntrack remembers %ld connections of at most %ld, and drops new ones when it is full",
			      count, max),
		    check_say("sysctl -w net.netfilter.nf_conntrack_max=%ld", 4 * max));
}

/* Finds ports of services that the host's own connections may get: answers would be mistaken. */
void check_snat_ports(struct check *c)
{
	unsigned int low, high;
	size_t i;
	FILE *f;
	int n;

	f = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	if (!f)
		return;
	n = fscanf(f, "%u %u", &low, &high);
	fclose(f);
	for (i = 0; i < c->model.n && n == 2; i++) {
		const struct service *s = c->model.services[i];
		unsigned int first = s->snat_ports >> 16, last = s->snat_ports & 0xffff;

		if (!s->snat || first > high || last < low)
			continue;
		check_found(c, "snat_ports", s->name,
			    check_say("snat ports %u-%u of this service are among %u-%u, which the gateway's own connections get",
				      first, last, low, high),
			    check_say("sysctl -w net.ipv4.ip_local_port_range=\"%u %u\"",
				      first > 32768 ? 32768 : last + 1,
				      first > 32768 ? first - 1 : 65535));
	}
}
