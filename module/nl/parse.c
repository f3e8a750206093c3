// SPDX-License-Identifier: GPL-2.0-only
/*
 * parse.c - from attributes to structs, and why not
 *
 * In: nests whose single values policy.c has let through. Out: what the other rooms work with,
 * or a refusal whose text names the rule and which points at the attribute. Process context;
 * nothing is changed.
 */
#include <linux/ctype.h>
#include <linux/inet.h>
#include <linux/log2.h>

#include <net/ipv6.h>

#include "../parse.h"
#include "nl.h"
#include "policy.h"

/* Parse a nest; the caller's @tb has room for @max + 1. */
static int nest(struct nlattr *attr, struct nlattr **tb, int max, const struct nla_policy *policy,
		const char *missing, struct netlink_ext_ack *extack)
{
	if (attr)
		return nla_parse_nested(tb, max, attr, policy, extack);
	extack->_msg = missing;
	return -EINVAL;
}

/* Refuse @attr, or the nest that should have had it. */
static int refuse(struct netlink_ext_ack *extack, const struct nlattr *attr, const char *why)
{
	extack->_msg = why;
	NL_SET_BAD_ATTR(extack, attr);
	return -EINVAL;
}

static int parse_name(struct nlattr *parent, struct nlattr *attr, char *name,
		      struct netlink_ext_ack *extack)
{
	const char *c;

	if (!attr)
		return refuse(extack, parent, "service name is missing");
	memset(name, 0, RINGLB_NAME_MAX + 1);
	nla_strscpy(name, attr, RINGLB_NAME_MAX + 1);
	if (!*name)
		return refuse(extack, attr, "service name is empty");
	for (c = name; *c; c++)
		if (!isascii(*c) || !(isalnum(*c) || strchr("._-", *c)))
			return refuse(extack, attr,
				      "service name may have letters, digits, '.', '_' and '-' only");
	if (*name == '-')
		return refuse(extack, attr, "service name must not begin with '-'");
	return 0;
}

static const char *wrong_ipv4(__be32 addr)
{
	if (ipv4_is_zeronet(addr))
		return "address is in 0.0.0.0/8";
	if (ipv4_is_loopback(addr))
		return "address is a loopback address";
	if (ipv4_is_multicast(addr))
		return "address is a multicast address";
	if (ipv4_is_lbcast(addr) || (ntohl(addr) & 0xf0000000) == 0xf0000000)
		return "address is a broadcast or reserved address";
	return NULL;
}

static const char *wrong_ipv6(const struct in6_addr *addr)
{
	int type = ipv6_addr_type(addr);

	if (type == IPV6_ADDR_ANY)
		return "address is ::";
	if (type & IPV6_ADDR_LOOPBACK)
		return "address is a loopback address";
	if (type & IPV6_ADDR_MULTICAST)
		return "address is a multicast address";
	if (type & IPV6_ADDR_MAPPED)
		return "address is an IPv4 address mapped to IPv6: give it as IPv4";
	if (type & IPV6_ADDR_LINKLOCAL)
		return "address is a link-local address";
	return NULL;
}

/* One address out of two attributes, of which exactly one must be there. */
static int parse_addr(struct nlattr *parent, struct nlattr *ipv4, struct nlattr *ipv6,
		      union rlb_addr *addr, u8 *family, struct netlink_ext_ack *extack)
{
	memset(addr, 0, sizeof(*addr));
	if (!ipv4 && !ipv6)
		return refuse(extack, parent, "address is missing");
	if (ipv4 && ipv6)
		return refuse(extack, ipv6, "address is given twice, as IPv4 and as IPv6");
	*family = ipv4 ? AF_INET : AF_INET6;
	nla_memcpy(addr, ipv4 ?: ipv6, rlb_addr_len(*family));
	return 0;
}

static const char *wrong_addr(const union rlb_addr *addr, u8 family)
{
	return family == AF_INET ? wrong_ipv4(addr->v4) : wrong_ipv6((struct in6_addr *)addr);
}

/* The same, for a VIP or a backend: an address that one host can have. */
static int parse_host(struct nlattr *parent, struct nlattr *ipv4, struct nlattr *ipv6,
		      union rlb_addr *addr, u8 *family, struct netlink_ext_ack *extack)
{
	const char *wrong;
	int err;

	err = parse_addr(parent, ipv4, ipv6, addr, family, extack);
	if (err)
		return err;
	wrong = wrong_addr(addr, *family);
	return wrong ? refuse(extack, ipv4 ?: ipv6, wrong) : 0;
}

/* Of a service */
static int parse_proto(struct nlattr *parent, struct nlattr *attr, u8 *proto,
		       struct netlink_ext_ack *extack)
{
	u32 value;

	if (!attr)
		return refuse(extack, parent, "protocol is missing");
	value = nla_get_u32(attr);
	if (value != IPPROTO_TCP && value != IPPROTO_UDP && value != IPPROTO_SCTP &&
	    value != RINGLB_PROTOCOL_ANY)
		return refuse(extack, attr, "protocol must be tcp, udp, sctp or any");
	*proto = value;
	return 0;
}

/* Of a packet */
static int parse_packet_proto(struct nlattr *parent, struct nlattr *attr, u8 *proto,
			      struct netlink_ext_ack *extack)
{
	u32 value;

	if (!attr)
		return refuse(extack, parent, "protocol is missing");
	value = nla_get_u32(attr);
	if (!value || value > 255 || value == IPPROTO_ICMP || value == IPPROTO_ICMPV6)
		return refuse(extack, attr, "protocol must be 1 to 255, and not that of ICMP");
	*proto = value;
	return 0;
}

static int parse_slots(struct nlattr *attr, u8 *bits, struct netlink_ext_ack *extack)
{
	u32 slots = nla_get_u32(attr);

	if (!is_power_of_2(slots))
		return refuse(extack, attr, "slots must be a power of two");
	*bits = ilog2(slots);
	return 0;
}

static int parse_slack(struct nlattr *attr, u32 *slack, struct netlink_ext_ack *extack)
{
	*slack = nla_get_u32(attr);
	if (*slack > RINGLB_SLACK_MAX && *slack != RINGLB_SLACK_NONE)
		return refuse(extack, attr, "slack is above 1000 tenths of a percent");
	return 0;
}

static void parse_u32(const struct nlattr *attr, u32 *value)
{
	if (attr)
		*value = nla_get_u32(attr);
}

/* What becomes of flows when backends change. */
static void parse_flow_options(struct nlattr **tb, struct rlb_service_config *c)
{
	parse_u32(tb[RINGLB_A_SERVICE_TRACK], &c->track);
	parse_u32(tb[RINGLB_A_SERVICE_TIMEOUT], &c->timeout);
	parse_u32(tb[RINGLB_A_SERVICE_DRAIN_TIMEOUT], &c->drain_timeout);
	parse_u32(tb[RINGLB_A_SERVICE_LAST_RESORT], &c->last_resort);
	parse_u32(tb[RINGLB_A_SERVICE_UDP_DRAIN], &c->udp_drain);
}

/* What is hashed, or how backends write their ids into connection ids. */
static int parse_key(struct nlattr **tb, struct rlb_service_config *c,
		     struct netlink_ext_ack *extack)
{
	struct nlattr *config = tb[RINGLB_A_SERVICE_CID_CONFIG];
	struct nlattr *length = tb[RINGLB_A_SERVICE_SID_LENGTH];

	if (tb[RINGLB_A_SERVICE_KEY])
		c->key = nla_get_u32(tb[RINGLB_A_SERVICE_KEY]);
	if (c->key != RINGLB_KEY_QUIC_CID) {
		c->cid = (struct rlb_cid_form){ };
		return config || length ?
		       refuse(extack, config ?: length, "is of use with key quic-cid only") : 0;
	}
	if (c->proto != IPPROTO_UDP)
		return refuse(extack, tb[RINGLB_A_SERVICE_KEY], "key quic-cid needs protocol udp");
	if (config)
		c->cid.config = nla_get_u32(config);
	if (length)
		c->cid.length = nla_get_u32(length);
	else if (!c->cid.length)
		c->cid.length = RINGLB_SID_LENGTH_DEFAULT;
	return 0;
}

/* What may be given when a service is made, and later. */
static int parse_options(struct nlattr **tb, struct rlb_service_config *c,
			 struct netlink_ext_ack *extack)
{
	int err;

	if (tb[RINGLB_A_SERVICE_METHOD]) {
		c->ops = rlb_lookup_find(nla_get_u32(tb[RINGLB_A_SERVICE_METHOD]));
		if (!c->ops)
			return refuse(extack, tb[RINGLB_A_SERVICE_METHOD], "method is unknown");
	}
	parse_u32(tb[RINGLB_A_SERVICE_VNODES], &c->params.vnodes);
	parse_u32(tb[RINGLB_A_SERVICE_SETTLE], &c->settle);
	parse_u32(tb[RINGLB_A_SERVICE_NONE], &c->none);
	err = parse_key(tb, c, extack);
	if (!err && tb[RINGLB_A_SERVICE_SLOTS])
		err = parse_slots(tb[RINGLB_A_SERVICE_SLOTS], &c->bits, extack);
	if (!err && tb[RINGLB_A_SERVICE_SLACK])
		err = parse_slack(tb[RINGLB_A_SERVICE_SLACK], &c->params.slack, extack);
	parse_flow_options(tb, c);
	return err;
}

static int parse_snat_addr(struct nlattr *attr, struct nlattr **tb, struct rlb_service_config *c,
			   struct netlink_ext_ack *extack)
{
	struct nlattr *ipv4 = tb[RINGLB_A_SERVICE_SNAT_IPV4];
	struct nlattr *ipv6 = tb[RINGLB_A_SERVICE_SNAT_IPV6];
	u8 family;
	int err;

	if (!ipv4 && !ipv6)
		return 0;
	err = parse_host(attr, ipv4, ipv6, &c->snat.addr, &family, extack);
	if (err)
		return err;
	if (family != c->family)
		return refuse(extack, ipv4 ?: ipv6,
			      "snat address is not of the address family of the service");
	c->snat.has_addr = true;
	return 0;
}

static int parse_snat_ports(const struct nlattr *attr, struct rlb_snat *snat,
			    struct netlink_ext_ack *extack)
{
	u32 ports = attr ? nla_get_u32(attr) : RINGLB_SNAT_PORTS;

	snat->first = ports >> 16;
	snat->last = ports & 0xffff;
	if (!snat->first || snat->last < snat->first)
		return refuse(extack, attr, "snat ports must be 1 to 65535, the first not above the last");
	return 0;
}

/* Whether the gateway takes the client's place, which is said once. */
static int parse_snat(struct nlattr *attr, struct nlattr **tb, struct rlb_service_config *c,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *stray = tb[RINGLB_A_SERVICE_SNAT_IPV4] ?: tb[RINGLB_A_SERVICE_SNAT_IPV6] ?:
			       tb[RINGLB_A_SERVICE_SNAT_PORTS];
	struct nlattr *on = tb[RINGLB_A_SERVICE_SNAT];

	c->snat.on = on && nla_get_u32(on);
	if (!c->snat.on)
		return stray ? refuse(extack, stray, "is of use with snat only") : 0;
	if (c->mode != RINGLB_MODE_NAT)
		return refuse(extack, tb[RINGLB_A_SERVICE_MODE], "snat needs mode nat");
	if (!tb[RINGLB_A_SERVICE_TRACK])
		c->track = RINGLB_TRACK_ALL;
	if (c->track != RINGLB_TRACK_ALL)
		return refuse(extack, tb[RINGLB_A_SERVICE_TRACK],
			      "snat remembers every flow: track must be all");
	return parse_snat_addr(attr, tb, c, extack) ?:
	       parse_snat_ports(tb[RINGLB_A_SERVICE_SNAT_PORTS], &c->snat, extack);
}

/* How many addresses the VIP is */
static int parse_prefix(struct nlattr *attr, struct rlb_service_config *c,
			struct netlink_ext_ack *extack)
{
	union rlb_addr last;
	const char *wrong;

	c->prefix = attr ? nla_get_u32(attr) : rlb_prefix_full(c->family);
	if (!attr)
		return 0;
	if (c->prefix >= rlb_prefix_full(c->family))
		return refuse(extack, attr, "prefix must be 1 to 31 bits, of IPv6 1 to 127");
	if (!rlb_prefix_has(&c->vip, c->prefix, &c->vip))
		return refuse(extack, attr, "address has bits behind its prefix");
	last = rlb_prefix_last(&c->vip, c->prefix, c->family);
	wrong = wrong_addr(&last, c->family);
	return wrong ? refuse(extack, attr, wrong) : 0;
}

static int parse_ports(struct nlattr *attr, struct nlattr **tb, struct rlb_service_config *c,
		       struct netlink_ext_ack *extack)
{
	struct nlattr *first = tb[RINGLB_A_SERVICE_PORT], *last = tb[RINGLB_A_SERVICE_PORT_LAST];

	if (!first)
		return refuse(extack, attr, "port is missing");
	c->ports.first = nla_get_u32(first);
	c->ports.last = nla_get_u32(last ?: first);
	if (c->ports.last < c->ports.first)
		return refuse(extack, last, "range of ports ends before it begins");
	if (c->ports.first == c->ports.last)
		c->port = htons(c->ports.first);
	if (rlb_service_is_any(c) && rlb_ports_match(&c->ports) != RINGLB_MATCH_EVERY_PORT)
		return refuse(extack, first, "a service of every protocol has every port");
	return 0;
}

/* What has to be forced: ports that this host may need for itself */
static int parse_force(const struct nlattr *attr, struct rlb_service_config *c,
		       struct netlink_ext_ack *extack)
{
	c->forced = attr && nla_get_u32(attr);
	return !attr || c->snat.on || !c->port || rlb_service_has_prefix(c) ?
		0 : refuse(extack, attr, "is of use with snat or several ports or addresses only");
}

/* Where outer packets go to, if they have ports */
static int parse_tunnel_port(const struct nlattr *port, struct rlb_service_config *c,
			     struct netlink_ext_ack *extack)
{
	if (c->tunnel != RINGLB_TUNNEL_GUE)
		return port ? refuse(extack, port, "tunnel-port is of use with tunnel gue only") : 0;
	c->tunnel_port = htons(port ? nla_get_u32(port) : RINGLB_TUNNEL_PORT_DEFAULT);
	return 0;
}

/* How packets go to backends, which is said once. A tunnel says it all. */
static int parse_mode(struct nlattr **tb, struct rlb_service_config *c,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *tunnel = tb[RINGLB_A_SERVICE_TUNNEL];

	c->mode = tunnel ? RINGLB_MODE_TUNNEL : RINGLB_MODE_NAT;
	parse_u32(tb[RINGLB_A_SERVICE_MODE], &c->mode);
	if (tunnel && c->mode != RINGLB_MODE_TUNNEL)
		return refuse(extack, tunnel, "tunnel needs mode tunnel");
	if (!tunnel && c->mode == RINGLB_MODE_TUNNEL)
		return refuse(extack, tb[RINGLB_A_SERVICE_MODE], "mode tunnel needs a tunnel type");
	if (tunnel)
		c->tunnel = nla_get_u32(tunnel);
	return parse_tunnel_port(tb[RINGLB_A_SERVICE_TUNNEL_PORT], c, extack);
}

/* What is to be rewritten must be understood, and what was rewritten found again. */
static int check_any(struct nlattr **tb, const struct rlb_service_config *c,
		     struct netlink_ext_ack *extack)
{
	if (!rlb_service_is_any(c) || c->mode != RINGLB_MODE_NAT)
		return 0;
	return refuse(extack, tb[RINGLB_A_SERVICE_MODE] ?: tb[RINGLB_A_SERVICE_PROTOCOL],
		      "not every protocol can be rewritten: mode must be dsr or tunnel");
}

static int parse_vip(struct nlattr *attr, struct nlattr **tb, struct rlb_service_config *c,
		     struct netlink_ext_ack *extack)
{
	if (tb[RINGLB_A_SERVICE_MARK_MASK])
		return refuse(extack, tb[RINGLB_A_SERVICE_MARK_MASK], "is of use with a mark only");
	return parse_host(attr, tb[RINGLB_A_SERVICE_IPV4], tb[RINGLB_A_SERVICE_IPV6], &c->vip,
			  &c->family, extack) ?:
	       parse_prefix(tb[RINGLB_A_SERVICE_PREFIX], c, extack) ?:
	       parse_ports(attr, tb, c, extack);
}

/* A mark instead of an address and port: the address is that of any, and so are the ports. */
static int parse_mark(struct nlattr *attr, struct nlattr **tb, struct rlb_service_config *c,
		      struct netlink_ext_ack *extack)
{
	struct nlattr *mark = tb[RINGLB_A_SERVICE_MARK];
	int err;

	err = parse_addr(attr, tb[RINGLB_A_SERVICE_IPV4], tb[RINGLB_A_SERVICE_IPV6], &c->vip,
			 &c->family, extack) ?:
	      parse_ports(attr, tb, c, extack);
	if (err)
		return err;
	if (memchr_inv(&c->vip, 0, sizeof(c->vip)) || tb[RINGLB_A_SERVICE_PREFIX] ||
	    rlb_ports_match(&c->ports) != RINGLB_MATCH_EVERY_PORT)
		return refuse(extack, mark, "a service by mark has every address and every port");
	c->prefix = 0;
	c->mark.value = nla_get_u32(mark);
	c->mark.mask = ~0U;
	parse_u32(tb[RINGLB_A_SERVICE_MARK_MASK], &c->mark.mask);
	if (c->mark.value & ~c->mark.mask)
		return refuse(extack, mark, "mark has bits that its mask has not");
	return 0;
}

/**
 * rlb_parse_service_new() - read all of a service
 * @attr: the SERVICE nest, or NULL
 * @c: out: the service
 * @extack: for the reason of a refusal
 *
 * Return: 0 or -EINVAL, -ERANGE...
 */
int rlb_parse_service_new(struct nlattr *attr, struct rlb_service_config *c,
			  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RINGLB_A_SERVICE_MAX + 1];
	int err;

	err = nest(attr, tb, RINGLB_A_SERVICE_MAX, rlb_policy_service_new_nest,
		   "service is missing", extack);
	if (!err)
		err = parse_name(attr, tb[RINGLB_A_SERVICE_NAME], c->name, extack);
	if (!err)
		err = parse_proto(attr, tb[RINGLB_A_SERVICE_PROTOCOL], &c->proto, extack);
	if (!err)
		err = tb[RINGLB_A_SERVICE_MARK] ? parse_mark(attr, tb, c, extack) :
						  parse_vip(attr, tb, c, extack);
	if (err)
		return err;
	c->ops = rlb_lookup_find(RINGLB_METHOD_RENDEZVOUS);
	c->key = RINGLB_KEY_5TUPLE;
	c->params.vnodes = RINGLB_VNODES_DEFAULT;
	c->params.slack = RINGLB_SLACK_DEFAULT;
	c->bits = ilog2(RINGLB_SLOTS_DEFAULT);
	c->settle = RINGLB_SETTLE_DEFAULT;
	c->track = RINGLB_TRACK_AUTO;
	c->drain_timeout = RINGLB_DRAIN_TIMEOUT_DEFAULT;
	c->last_resort = 1;
	c->udp_drain = RINGLB_UDP_DRAIN_KEEP;
	c->timeout = RINGLB_TIMEOUT_DEFAULT(c->proto);
	c->none = RINGLB_NONE_REJECT;
	return parse_mode(tb, c, extack) ?: check_any(tb, c, extack) ?:
	       parse_options(tb, c, extack) ?: parse_snat(attr, tb, c, extack) ?:
	       parse_force(tb[RINGLB_A_SERVICE_FORCE], c, extack);
}

static bool has_option(struct nlattr **tb)
{
	return tb[RINGLB_A_SERVICE_METHOD] || tb[RINGLB_A_SERVICE_KEY] ||
	       tb[RINGLB_A_SERVICE_VNODES] || tb[RINGLB_A_SERVICE_SLOTS] ||
	       tb[RINGLB_A_SERVICE_SLACK] || tb[RINGLB_A_SERVICE_SETTLE] ||
	       tb[RINGLB_A_SERVICE_TRACK] || tb[RINGLB_A_SERVICE_TIMEOUT] ||
	       tb[RINGLB_A_SERVICE_DRAIN_TIMEOUT] || tb[RINGLB_A_SERVICE_LAST_RESORT] ||
	       tb[RINGLB_A_SERVICE_UDP_DRAIN] || tb[RINGLB_A_SERVICE_NONE] ||
	       tb[RINGLB_A_SERVICE_MODE] || tb[RINGLB_A_SERVICE_CID_CONFIG] ||
	       tb[RINGLB_A_SERVICE_SID_LENGTH];
}

/**
 * rlb_parse_service_set() - read what changes of a service
 * @attr: the SERVICE nest of a service that exists
 * @c: in: the service as it is; out: as it is to be
 * @more: something to change is given beside the nest
 * @extack: for the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int rlb_parse_service_set(struct nlattr *attr, struct rlb_service_config *c, bool more,
			  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RINGLB_A_SERVICE_MAX + 1];
	int err;

	err = nest(attr, tb, RINGLB_A_SERVICE_MAX, rlb_policy_service_set_nest,
		   "service is missing", extack);
	if (err)
		return err;
	if (!more && !has_option(tb))
		return refuse(extack, attr, "nothing to change is given");
	if (tb[RINGLB_A_SERVICE_MODE] && nla_get_u32(tb[RINGLB_A_SERVICE_MODE]) != c->mode)
		return refuse(extack, tb[RINGLB_A_SERVICE_MODE],
			      "mode of a service stays as it is: add another service");
	c->force = tb[RINGLB_A_SERVICE_FORCE] && nla_get_u32(tb[RINGLB_A_SERVICE_FORCE]);
	return parse_options(tb, c, extack);
}

/* How many seats all attributes of a request hold, or why not. */
static int count_seats(struct genl_info *info)
{
	struct nlattr *attr;
	u32 n = 0;
	int rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != RINGLB_A_SEATS)
			continue;
		if (nla_len(attr) % sizeof(struct rlb_seat))
			return refuse(info->extack, attr, "list of seats ends within a seat");
		n += nla_len(attr) / sizeof(struct rlb_seat);
		if (n > RINGLB_SEATS_MAX)
			return refuse(info->extack, attr,
				      "list of seats has more than 8192, the most there can be");
	}
	return n;
}

static int copy_seats(struct genl_info *info, struct rlb_seat *to)
{
	struct rlb_seat *seat = to;
	struct nlattr *attr;
	int rem;

	BUILD_BUG_ON(sizeof(*to) != sizeof(struct ringlb_seat));
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != RINGLB_A_SEATS)
			continue;
		memcpy(to, nla_data(attr), nla_len(attr));
		to += nla_len(attr) / sizeof(*to);
		for (; seat < to; seat++) {
			if (!seat->weight || seat->weight > RINGLB_WEIGHT_MAX)
				return refuse(info->extack, attr,
					      "weight of a seat is not 1 to 65535");
			if (seat->id == RLB_NO_ID)
				return refuse(info->extack, attr, "a seat has no id");
		}
	}
	return 0;
}

/**
 * rlb_parse_seats() - read a list of seats, if there is one
 * @info: the request
 * @c: the service as it is to be; its list becomes the one that is given
 * @list: out: to be freed by kvfree() when @c is no longer used
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int rlb_parse_seats(struct genl_info *info, struct rlb_service_config *c, struct rlb_seat **list)
{
	int n;

	*list = NULL;
	if (!info->attrs[RINGLB_A_SEATS])
		return 0;
	if (c->ops->id != RINGLB_METHOD_SEAT)
		return refuse(info->extack, info->attrs[RINGLB_A_SEATS],
			      "seats are no parameter of this method");
	n = count_seats(info);
	if (n < 0)
		return n;
	*list = kvmalloc_array(max(n, 1), sizeof(**list), GFP_KERNEL_ACCOUNT);
	if (!*list)
		return -ENOMEM;
	c->params.seats = *list;
	c->params.n_seats = n;
	return copy_seats(info, *list);
}

/**
 * rlb_parse_service_ref() - find the service that a request names
 * @rn: the namespace, cfg_lock held
 * @attr: the SERVICE nest, or NULL; whatever it has beside a name and an expected generation
 *	is for others
 * @extack: for the reason of a refusal
 *
 * Return: the service, or -EINVAL, -ENOENT, -ESTALE.
 */
struct rlb_service *rlb_parse_service_ref(struct rlb_net *rn, struct nlattr *attr,
					  struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RINGLB_A_SERVICE_MAX + 1];
	char name[RINGLB_NAME_MAX + 1];
	struct rlb_service *svc;
	int err;

	err = nest(attr, tb, RINGLB_A_SERVICE_MAX, rlb_policy_service_set_nest,
		   "service is missing", extack);
	if (!err)
		err = parse_name(attr, tb[RINGLB_A_SERVICE_NAME], name, extack);
	if (err)
		return ERR_PTR(err);
	svc = rlb_service_by_name(rn, name);
	if (!svc) {
		NL_SET_ERR_MSG_ATTR(extack, tb[RINGLB_A_SERVICE_NAME], "no such service");
		return ERR_PTR(-ENOENT);
	}
	attr = tb[RINGLB_A_SERVICE_IF_GENERATION];
	if (attr && nla_get_u32(attr) != svc->generation) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "service has changed: its generation is not the expected one");
		return ERR_PTR(-ESTALE);
	}
	return svc;
}

static const struct nla_policy *backend_policy(u8 cmd)
{
	switch (cmd) {
	case RINGLB_CMD_SERVICE_SET:
		return rlb_policy_backend_map_nest;
	case RINGLB_CMD_BACKEND_DEL:
		return rlb_policy_backend_del_nest;
	default:
		return rlb_policy_backend_new_nest;
	}
}

/**
 * rlb_parse_backend() - read a backend
 * @attr: a BACKEND nest
 * @svc: the service
 * @cmd: RINGLB_CMD_BACKEND_NEW, _SET or _DEL, or RINGLB_CMD_SERVICE_SET for a part of a map
 * @c: out: the backend
 * @extack: for the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int rlb_parse_backend(struct nlattr *attr, const struct rlb_service *svc, u8 cmd,
		      struct rlb_backend_config *c, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RINGLB_A_BACKEND_MAX + 1];
	int err;

	memset(c, 0, sizeof(*c));
	err = nest(attr, tb, RINGLB_A_BACKEND_MAX, backend_policy(cmd), "backend is missing", extack);
	if (!err)
		err = parse_host(attr, tb[RINGLB_A_BACKEND_IPV4], tb[RINGLB_A_BACKEND_IPV6],
				 &c->addr, &c->family, extack);
	if (err)
		return err;
	if (c->family != svc->config.family && !rlb_service_is_tunnel(svc))
		return refuse(extack, tb[RINGLB_A_BACKEND_IPV4] ?: tb[RINGLB_A_BACKEND_IPV6],
			      "backend is not of the address family of the service");
	if (tb[RINGLB_A_BACKEND_PORT])
		c->port = htons(nla_get_u32(tb[RINGLB_A_BACKEND_PORT]));
	if (c->port && !rlb_service_is_nat(svc))
		return refuse(extack, tb[RINGLB_A_BACKEND_PORT],
			      "backend has a port, which this mode does not change");
	c->has_weight = tb[RINGLB_A_BACKEND_WEIGHT];
	if (c->has_weight)
		c->weight = nla_get_u32(tb[RINGLB_A_BACKEND_WEIGHT]);
	c->has_state = tb[RINGLB_A_BACKEND_STATE];
	if (c->has_state)
		c->state = nla_get_u32(tb[RINGLB_A_BACKEND_STATE]);
	c->has_slow_start = tb[RINGLB_A_BACKEND_SLOW_START];
	if (c->has_slow_start)
		c->slow_start = nla_get_u32(tb[RINGLB_A_BACKEND_SLOW_START]);
	c->ranges = tb[RINGLB_A_BACKEND_RANGES];
	c->id_attr = tb[RINGLB_A_BACKEND_ID];
	c->has_id = c->id_attr;
	if (c->has_id)
		c->id = nla_get_u32(c->id_attr);
	if (cmd == RINGLB_CMD_BACKEND_SET && !c->has_id && !c->has_weight && !c->has_state &&
	    !c->has_slow_start)
		return refuse(extack, attr, "nothing to change is given");
	return 0;
}

static __be16 parse_port(const struct nlattr *attr)
{
	return attr ? htons(nla_get_u32(attr)) : 0;
}

/**
 * rlb_parse_lookup() - read a flow
 * @attr: the LOOKUP nest, or NULL
 * @t: out: the flow
 * @mark: out: its packets' mark
 * @cid: out: attribute with the packet's connection id, or NULL
 * @extack: for the reason of a refusal
 *
 * Return: 0 or -EINVAL.
 */
int rlb_parse_lookup(struct nlattr *attr, struct rlb_tuple *t, u32 *mark,
		     const struct nlattr **cid, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[RINGLB_A_LOOKUP_MAX + 1];
	u8 family;
	int err;

	err = nest(attr, tb, RINGLB_A_LOOKUP_MAX, rlb_policy_lookup_nest, "lookup is missing",
		   extack);
	if (!err)
		err = parse_packet_proto(attr, tb[RINGLB_A_LOOKUP_PROTOCOL], &t->proto, extack);
	if (!err)
		err = parse_addr(attr, tb[RINGLB_A_LOOKUP_SRC_IPV4], tb[RINGLB_A_LOOKUP_SRC_IPV6],
				 &t->src, &t->family, extack);
	if (!err)
		err = parse_addr(attr, tb[RINGLB_A_LOOKUP_DST_IPV4], tb[RINGLB_A_LOOKUP_DST_IPV6],
				 &t->dst, &family, extack);
	if (err)
		return err;
	if (family != t->family)
		return refuse(extack, attr, "source and destination are of different families");
	if (rlb_has_ports(t->proto) &&
	    (!tb[RINGLB_A_LOOKUP_SRC_PORT] || !tb[RINGLB_A_LOOKUP_DST_PORT]))
		return refuse(extack, attr, "source or destination port is missing");
	t->sport = parse_port(tb[RINGLB_A_LOOKUP_SRC_PORT]);
	t->dport = parse_port(tb[RINGLB_A_LOOKUP_DST_PORT]);
	*mark = 0;
	parse_u32(tb[RINGLB_A_LOOKUP_MARK], mark);
	*cid = tb[RINGLB_A_LOOKUP_CID];
	return 0;
}

static int claim_ranges(struct rlb_map *map, const struct nlattr *attr, u16 owner,
			struct netlink_ext_ack *extack)
{
	const struct ringlb_range *r = nla_data(attr), *end;
	int err = 0;

	if (!nla_len(attr) || nla_len(attr) % sizeof(*r))
		return refuse(extack, attr, "ranges of slots are none, or end within one");
	end = r + nla_len(attr) / sizeof(*r);
	for (; r < end && !err; r++)
		err = rlb_map_claim(map, r->first, r->last, owner);
	if (err == -ERANGE)
		refuse(extack, attr, "range of slots ends before it begins, or beyond the last slot");
	else if (err)
		refuse(extack, attr, "slot of a range has an owner already");
	return err;
}

/* A backend, and the slots that it is to own. */
static int parse_part(struct nlattr *attr, const struct rlb_service *svc, struct rlb_map *map,
		      struct netlink_ext_ack *extack)
{
	struct rlb_backend_config c;
	int owner, err;

	err = rlb_parse_backend(attr, svc, RINGLB_CMD_SERVICE_SET, &c, extack);
	if (err)
		return err;
	if (!c.ranges)
		return refuse(extack, attr, "ranges of slots are missing");
	owner = rlb_map_name(map, &c);
	if (owner == -EINVAL)
		return refuse(extack, attr, "backends of a map are not in ascending order");
	if (owner < 0) {
		refuse(extack, attr, "map has more than 4096 backends, the most there can be");
		return owner;
	}
	return claim_ranges(map, c.ranges, owner, extack);
}

/**
 * rlb_parse_map() - read a map, or a part of one, if there is any
 * @info: the request
 * @svc: the service
 * @c: the service as it is to be; its map becomes the one that is given
 * @map: in: what was given before; NULL: nothing. Out: with what is given now. To be freed by
 *	rlb_map_free() when @c is no longer used, after a failure, too
 *
 * Return: 0, -EINVAL, -ERANGE, -EEXIST, -ENOSPC or -ENOMEM.
 */
int rlb_parse_map(struct genl_info *info, const struct rlb_service *svc,
		  struct rlb_service_config *c, struct rlb_map **map)
{
	struct nlattr *attr;
	int err = 0, rem;

	if (!info->attrs[RINGLB_A_BACKEND])
		return 0;
	if (c->ops->id != RINGLB_METHOD_SLOTS)
		return refuse(info->extack, info->attrs[RINGLB_A_BACKEND],
			      "a map is no parameter of this method");
	if (!*map)
		*map = rlb_map_alloc(c->bits);
	if (!*map)
		return -ENOMEM;
	rlb_for_each_backend_attr(attr, info, rem) {
		err = parse_part(attr, svc, *map, info->extack);
		if (err)
			return err;
	}
	c->map = *map;
	return 0;
}

/**
 * rlb_parse_flow_client() - whose flow it is
 * @rn: the namespace, cfg_lock held
 * @attr: a FLOW nest
 * @tb: out: what it has, RINGLB_A_FLOW_MAX + 1
 * @key: out: the flow
 * @extack: for the reason of a refusal
 *
 * Return: its service, or -EINVAL, -ENOENT.
 */
struct rlb_service *rlb_parse_flow_client(struct rlb_net *rn, struct nlattr *attr,
					  struct nlattr **tb, struct rlb_pin_key *key,
					  struct netlink_ext_ack *extack)
{
	char name[RINGLB_NAME_MAX + 1];
	struct rlb_service *svc;
	int err;

	memset(key, 0, sizeof(*key));
	err = nest(attr, tb, RINGLB_A_FLOW_MAX, rlb_policy_flow_new_nest, "flow is missing", extack);
	if (!err)
		err = parse_name(attr, tb[RINGLB_A_FLOW_SERVICE], name, extack);
	if (!err)
		err = parse_addr(attr, tb[RINGLB_A_FLOW_IPV4], tb[RINGLB_A_FLOW_IPV6], &key->addr,
				 &key->family, extack);
	if (err)
		return ERR_PTR(err);
	svc = rlb_service_by_name(rn, name);
	if (!svc) {
		NL_SET_ERR_MSG_ATTR(extack, tb[RINGLB_A_FLOW_SERVICE], "no such service");
		return ERR_PTR(-ENOENT);
	}
	err = parse_packet_proto(attr, tb[RINGLB_A_FLOW_PROTOCOL], &key->proto, extack);
	if (err)
		return ERR_PTR(err);
	if (!rlb_protocols_meet(key->proto, svc->config.proto) ||
	    key->family != svc->config.family) {
		refuse(extack, attr, "flow is not of the protocol and address family of its service");
		return ERR_PTR(-EINVAL);
	}
	if (!tb[RINGLB_A_FLOW_PORT]) {
		refuse(extack, attr, "port is missing");
		return ERR_PTR(-EINVAL);
	}
	key->port = htons(nla_get_u32(tb[RINGLB_A_FLOW_PORT]));
	if (rlb_service_is_any(&svc->config) && key->port) {
		refuse(extack, tb[RINGLB_A_FLOW_PORT],
		       "flow has a port, which a service of every protocol does not look at");
		return ERR_PTR(-EINVAL);
	}
	key->target = svc->id;
	return svc;
}
