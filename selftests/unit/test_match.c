// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_match.c - module/match.c and index.c, natively: who takes a packet, against a naive twin
 *
 * Services of one port, of ranges and of every port come and go, at few addresses and prefixes. The twin is
 * an array of them, each asked in turn whether it has the packet, and how closely.
 */
#include "match.h"
#include "unit.h"

#define SERVICES 24

/* What the module has of a service here; nobody looks into it. */
struct rlb_service {
	struct rlb_index_node node;
	struct rlb_ports ports;
	unsigned int prefix;
	struct rlb_mark mark;
	struct rlb_blocks *blocks;
	bool there;
};

static struct rlb_service service[SERVICES];
static struct mutex lock;
static struct rlb_net net;

static union rlb_addr some_addr(u8 family)
{
	union rlb_addr addr = { 0 };

	addr.byte[0] = 192;
	addr.byte[family == AF_INET ? 2 : 8] = unit_below(2);
	addr.byte[family == AF_INET ? 3 : 15] = unit_below(3);
	return addr;
}

static u8 some_family(void)
{
	return unit_below(2) ? AF_INET : AF_INET6;
}

/* Of a packet */
static u8 some_proto(void)
{
	return unit_below(2) ? IPPROTO_TCP : IPPROTO_UDP;
}

/* Of a service: now and then every one, and then every port */
static u8 some_service_proto(void)
{
	return unit_below(5) ? some_proto() : RINGLB_PROTOCOL_ANY;
}

static bool is_any(const struct rlb_service *s)
{
	return s->node.proto == RINGLB_PROTOCOL_ANY;
}

static struct rlb_ports some_ports(void)
{
	u16 first = unit_between(1, RLB_PORT_MAX);

	switch (unit_below(4)) {
	case 0:
		return (struct rlb_ports){ 1, RLB_PORT_MAX };
	case 1:
		return (struct rlb_ports){ first, unit_between(first, RLB_PORT_MAX) };
	case 2:
		first = 8000 + unit_below(100);
		return (struct rlb_ports){ first, first + unit_below(40) };
	default:
		first = 8000 + unit_below(140);
		return (struct rlb_ports){ first, first };
	}
}

/* As often as not one address */
static unsigned int some_prefix(u8 family)
{
	unsigned int full = rlb_prefix_full(family);

	switch (unit_below(4)) {
	case 0:
		return unit_between(1, full - 1);
	case 1:
		return full - 1 - unit_below(12);
	default:
		return full;
	}
}

/* Bit for bit */
static bool begins_alike(const union rlb_addr *a, const union rlb_addr *b, unsigned int bits)
{
	unsigned int i;

	for (i = 0; i < bits; i++)
		if ((a->byte[i / 8] ^ b->byte[i / 8]) & 0x80 >> i % 8)
			return false;
	return true;
}

static bool has(const struct rlb_service *s, u8 family, u8 proto, const union rlb_addr *addr)
{
	return s->there && !s->mark.mask && s->node.family == family && s->node.proto == proto &&
	       begins_alike(&s->node.addr, addr, s->prefix);
}

static bool has_mark(const struct rlb_service *s, u8 family, u8 proto, u32 mark)
{
	return s->there && s->mark.mask && s->node.family == family && s->node.proto == proto &&
	       (mark & s->mark.mask) == s->mark.value;
}

/* Few bits, so that they meet; masks of four kinds, of 2, 3, 4 and 32 bits */
static struct rlb_mark some_mark(void)
{
	static const u32 masks[] = { 0x6, 0x7, 0xf, ~0U };
	struct rlb_mark mark = { .mask = masks[unit_below(4)] };

	while (!mark.value)
		mark.value = unit_below(16) & mark.mask;
	return mark;
}

static bool has_room(const struct rlb_service *new)
{
	u32 i;

	for (i = 0; i < SERVICES && new->mark.mask; i++)
		if (service[i].there && service[i].node.family == new->node.family &&
		    service[i].node.proto == new->node.proto &&
		    !memcmp(&service[i].mark, &new->mark, sizeof(new->mark)))
			return false;
	for (i = 0; i < SERVICES && !new->mark.mask; i++)
		if (has(&service[i], new->node.family, new->node.proto, &new->node.addr) &&
		    service[i].prefix == new->prefix &&
		    rlb_ports_clash(&service[i].ports, &new->ports))
			return false;
	return true;
}

static void add(struct rlb_service *s)
{
	s->node.family = some_family();
	s->node.proto = some_service_proto();
	s->node.addr = some_addr(s->node.family);
	s->prefix = some_prefix(s->node.family);
	rlb_prefix_cut(&s->node.addr, s->prefix);
	s->ports = is_any(s) ? (struct rlb_ports){ 1, RLB_PORT_MAX } : some_ports();
	s->node.port = s->ports.first == s->ports.last ? htons(s->ports.first) : 0;
	s->blocks = NULL;
	s->mark = unit_below(4) ? (struct rlb_mark){ 0 } : some_mark();
	if (!has_room(s))
		return;
	if (s->mark.mask)
		s->blocks = rlb_blocks_of_mark(s, &s->node, &s->mark);
	else if (!s->node.port || s->prefix < rlb_prefix_full(s->node.family))
		s->blocks = rlb_blocks_alloc(s, &s->node, s->prefix, &s->ports);
	if (s->blocks) {
		assert_in_range(s->blocks->n, 1, RLB_PORTS_BLOCKS);
		assert_true(rlb_blocks_fit(&net, s->blocks));
	}
	assert_int_equal(rlb_index_reserve(&net.vips, s->blocks ? s->blocks->n : 1), 0);
	if (s->blocks)
		rlb_blocks_insert(&net, s->blocks);
	else
		rlb_index_insert(&net.vips, &s->node);
	s->there = true;
}

static void del(struct rlb_service *s)
{
	if (s->blocks)
		rlb_blocks_remove(&net, s->blocks);
	else
		rlb_index_remove(&net.vips, &s->node);
	free(s->blocks);
	s->there = false;
}

static const struct rlb_service *find(struct rlb_tuple *t, u32 mark)
{
	const struct rlb_index_node *node;

	node = rlb_index_find(&net.vips, t->family, t->proto, &t->dst, t->dport);
	if (node)
		return container_of(node, struct rlb_service, node);
	return rlb_match_sizes(&net, t->family) ? rlb_match_find(&net, t, mark) : NULL;
}

/* Does it say more of a packet that both have? */
static bool is_closer(const struct rlb_service *a, const struct rlb_service *b)
{
	if (a->prefix != b->prefix)
		return a->prefix > b->prefix;
	return rlb_ports_match(&a->ports) < rlb_ports_match(&b->ports);
}

/* Of those of @proto that have the address and port, the closest one */
static const struct rlb_service *twin_of(const struct rlb_tuple *t, u8 proto, u32 mark)
{
	const struct rlb_service *best = NULL;
	u16 port = ntohs(t->dport);
	u32 i;

	for (i = 0; i < SERVICES; i++)
		if (has(&service[i], t->family, proto, &t->dst) &&
		    service[i].ports.first <= port && port <= service[i].ports.last &&
		    (!best || is_closer(&service[i], best)))
			best = &service[i];
	for (i = 0; i < SERVICES; i++)
		if (has_mark(&service[i], t->family, proto, mark) &&
		    (!best || (best->mark.mask && service[i].mark.mask > best->mark.mask)))
			best = &service[i];
	return best;
}

/* Those of the packet's own protocol come first, whatever they have of it. */
static const struct rlb_service *twin(const struct rlb_tuple *t, u32 mark)
{
	return twin_of(t, t->proto, mark) ?: twin_of(t, RINGLB_PROTOCOL_ANY, mark);
}

/* A packet, as often as not to an end of what some service has, or beside it */
static struct rlb_tuple some_packet(void)
{
	const struct rlb_service *s = &service[unit_below(SERVICES)];
	struct rlb_tuple t = { .family = some_family(), .proto = some_proto() };
	u16 port = unit_between(1, RLB_PORT_MAX);

	t.dst = some_addr(t.family);
	if (unit_below(2) && s->there) {
		t.family = s->node.family;
		t.proto = is_any(s) ? t.proto : s->node.proto;
		t.dst = s->prefix < rlb_prefix_full(t.family) ? some_addr(t.family) : s->node.addr;
		port = (unit_below(2) ? s->ports.first : s->ports.last) + unit_below(3) - 1;
	}
	t.sport = htons(4000);
	t.dport = htons(port ? port : 1);
	return t;
}

/* No service has an address that is not told to be covered. */
static void covers(const struct rlb_tuple *t)
{
	u32 i;

	for (i = 0; i < SERVICES; i++)
		if (!service[i].mark.mask && service[i].prefix < rlb_prefix_full(t->family) &&
		    has(&service[i], t->family, service[i].node.proto, &t->dst))
			assert_true(rlb_match_covers(&net, t->family, &t->dst));
}

static void looks(void **unused)
{
	u32 round, look, prefixed = 0, anys = 0, kinds[RINGLB_MATCH_MAX + 1] = { 0 };

	net.vips.lock = &lock;
	for (round = 0; round < unit_rounds(20000); round++) {
		struct rlb_service *s = &service[unit_below(SERVICES)];

		if (s->there)
			del(s);
		else
			add(s);
		for (look = 0; look < 8; look++) {
			const struct rlb_tuple t = some_packet();
			struct rlb_tuple flow = t;
			u32 mark = unit_below(3) ? unit_below(64) : 0;
			const struct rlb_service *is = find(&flow, mark), *want = twin(&t, mark);

			if (is != want)
				refute("port %u: service %td, not %td", ntohs(t.dport),
				       is ? is - service : -1, want ? want - service : -1);
			kinds[!is ? 0 : is->mark.mask ? RINGLB_MATCH_MARK :
			      is_any(is) ? RINGLB_MATCH_EVERY_PROTOCOL :
					   rlb_ports_match(&is->ports)]++;
			assert_int_equal(flow.sport, is && is_any(is) ? 0 : t.sport);
			assert_int_equal(flow.dport, is && is_any(is) ? 0 : t.dport);
			anys += is && is->mark.mask && is_any(is);
			if (is && is->mark.mask)
				assert_true(rlb_match_marked(&net, t.family, mark));
			prefixed += is && is->prefix < rlb_prefix_full(t.family);
			covers(&t);
		}
	}
	for (look = 0; look <= RINGLB_MATCH_MAX; look++)
		assert_true(kinds[look] > 100);
	assert_true(anys > 100);
	assert_true(prefixed > 1000);
}

/* Without services of several ports or addresses, nobody has to look for them. */
static void none(void **unused)
{
	u32 i;

	for (i = 0; i < SERVICES; i++)
		if (service[i].there)
			del(&service[i]);
	assert_int_equal(rlb_match_sizes(&net, AF_INET), 0);
	assert_int_equal(rlb_match_sizes(&net, AF_INET6), 0);
	assert_int_equal(net.vips.live, 0);
	rlb_index_destroy(&net.vips);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("match: a packet's service is the closest one of a naive twin's", looks),
		CLAIM("match: when the last service of several ports or addresses is gone, none is looked for",
		      none),
	};

	return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
