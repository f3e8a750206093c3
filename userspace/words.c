// SPDX-License-Identifier: GPL-2.0-only
/*
 * words.c - the words of values: protocols, methods, keys, states, counters, keywords
 *
 * In: a word or a number. Out: the other one. Each pair stands here once, so what is printed
 * can be read back.
 */
#include "words.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "addr.h"
#include "lookup.h"
#include "map.h"
#include "model.h"
#include "seats.h"

struct pair {
	const char *word;
	u32 value;
};

static const struct pair protocols[] = {
	{ "tcp", IPPROTO_TCP },
	{ "udp", IPPROTO_UDP },
	{ "sctp", IPPROTO_SCTP },
	{ "any", RINGLB_PROTOCOL_ANY },
	{ NULL, 0 },
};

static const struct pair keys[] = {
	{ "5tuple", RINGLB_KEY_5TUPLE },
	{ "src", RINGLB_KEY_SRC },
	{ "quic-cid", RINGLB_KEY_QUIC_CID },
	{ NULL, 0 },
};

static const struct pair tracks[] = {
	{ "auto", RINGLB_TRACK_AUTO },
	{ "none", RINGLB_TRACK_NONE },
	{ "all", RINGLB_TRACK_ALL },
	{ NULL, 0 },
};

static const struct pair udp_drains[] = {
	{ "keep", RINGLB_UDP_DRAIN_KEEP },
	{ "rehash", RINGLB_UDP_DRAIN_REHASH },
	{ NULL, 0 },
};

static const struct pair switches[] = {
	{ "off", 0 },
	{ "on", 1 },
	{ NULL, 0 },
};

static const struct pair nones[] = {
	{ "reject", RINGLB_NONE_REJECT },
	{ "drop", RINGLB_NONE_DROP },
	{ NULL, 0 },
};

static const struct pair modes[] = {
	{ "nat", RINGLB_MODE_NAT },
	{ "dsr", RINGLB_MODE_DSR },
	{ "tunnel", RINGLB_MODE_TUNNEL },
	{ NULL, 0 },
};

static const struct pair tunnels[] = {
	{ "ipip", RINGLB_TUNNEL_IPIP },
	{ "gre", RINGLB_TUNNEL_GRE },
	{ "gue", RINGLB_TUNNEL_GUE },
	{ NULL, 0 },
};

static const struct pair matches[] = {
	{ "port", RINGLB_MATCH_PORT },
	{ "ports", RINGLB_MATCH_PORTS },
	{ "every-port", RINGLB_MATCH_EVERY_PORT },
	{ "mark", RINGLB_MATCH_MARK },
	{ "every-protocol", RINGLB_MATCH_EVERY_PROTOCOL },
	{ NULL, 0 },
};

static const struct pair states[] = {
	{ "up", RINGLB_STATE_UP },
	{ "drain", RINGLB_STATE_DRAIN },
	{ "down", RINGLB_STATE_DOWN },
	{ "leave", RINGLB_STATE_LEAVE },
	{ NULL, 0 },
};

static const struct pair changes[] = {
	{ "service-add", RINGLB_EVENT_SERVICE_ADD },
	{ "service-set", RINGLB_EVENT_SERVICE_SET },
	{ "service-del", RINGLB_EVENT_SERVICE_DEL },
	{ "backends", RINGLB_EVENT_BACKENDS },
	{ "secret", RINGLB_EVENT_SECRET },
	{ "settled", RINGLB_EVENT_SETTLED },
	{ NULL, 0 },
};

static const struct pair flow_states[] = {
	{ "half-open", RINGLB_FLOW_HALF_OPEN },
	{ "unconfirmed", RINGLB_FLOW_UNCONFIRMED },
	{ "established", RINGLB_FLOW_ESTABLISHED },
	{ "datagrams", RINGLB_FLOW_DATAGRAMS },
	{ "closing", RINGLB_FLOW_CLOSING },
	{ "closed", RINGLB_FLOW_CLOSED },
	{ NULL, 0 },
};

static const struct pair heard_of[] = {
	{ "begin", RINGLB_HEARD_BEGIN },
	{ "middle", RINGLB_HEARD_MIDDLE },
	{ "datagram", RINGLB_HEARD_DATAGRAM },
	{ "answer", RINGLB_HEARD_ANSWER },
	{ "both", RINGLB_HEARD_BOTH },
	{ "fin-client", RINGLB_HEARD_FIN_CLIENT },
	{ "fin-backend", RINGLB_HEARD_FIN_BACKEND },
	{ "rst", RINGLB_HEARD_RST },
	{ NULL, 0 },
};

static const char *const counters[RINGLB_COUNTER_MAX + 1] = {
	[RINGLB_COUNTER_PACKETS_IN] = "packets_in",
	[RINGLB_COUNTER_BYTES_IN] = "bytes_in",
	[RINGLB_COUNTER_PACKETS_OUT] = "packets_out",
	[RINGLB_COUNTER_BYTES_OUT] = "bytes_out",
	[RINGLB_COUNTER_LOOKED_AGAIN] = "looked_again",
	[RINGLB_COUNTER_ICMP_IN] = "icmp_in",
	[RINGLB_COUNTER_ICMP_OUT] = "icmp_out",
	[RINGLB_COUNTER_UNTRANSLATED] = "untranslated",
	[RINGLB_COUNTER_DROP_NO_BACKEND] = "drop_no_backend",
	[RINGLB_COUNTER_DROP_NO_MEMORY] = "drop_no_memory",
	[RINGLB_COUNTER_DROP_NO_ROUTE] = "drop_no_route",
	[RINGLB_COUNTER_PINNED] = "pinned",
	[RINGLB_COUNTER_LOST] = "lost",
	[RINGLB_COUNTER_REJECTED] = "rejected",
	[RINGLB_COUNTER_REJECTS_LIMITED] = "rejects_limited",
	[RINGLB_COUNTER_DROP_REDIRECT] = "drop_redirect",
	[RINGLB_COUNTER_DROP_UNPINNED] = "drop_unpinned",
	[RINGLB_COUNTER_DROP_SNAT_PORTS] = "drop_snat_ports",
	[RINGLB_COUNTER_DROP_SNAT_ADDRESS] = "drop_snat_address",
	[RINGLB_COUNTER_DROP_CLASH] = "drop_clash",
	[RINGLB_COUNTER_DROP_OFF_LINK] = "drop_off_link",
	[RINGLB_COUNTER_DROP_TTL] = "drop_ttl",
	[RINGLB_COUNTER_DROP_TOO_BIG] = "drop_too_big",
	[RINGLB_COUNTER_BY_CID] = "by_cid",
	[RINGLB_COUNTER_PASS_MALFORMED] = "pass_malformed",
	[RINGLB_COUNTER_PASS_FRAGMENT] = "pass_fragment",
	[RINGLB_COUNTER_PASS_SOURCE_ROUTED] = "pass_source_routed",
	[RINGLB_COUNTER_PASS_HEADERS] = "pass_headers",
};

static const char *const dev_counters[RINGLB_DEV_MAX + 1] = {
	[RINGLB_DEV_TAKEN_IN] = "taken_in",
	[RINGLB_DEV_TAKEN_OUT] = "taken_out",
	[RINGLB_DEV_DECLINED_ADDRESS] = "declined_address",
	[RINGLB_DEV_DECLINED_VLAN] = "declined_vlan",
	[RINGLB_DEV_DECLINED_PORT] = "declined_port",
	[RINGLB_DEV_DECLINED_OPTIONS] = "declined_options",
	[RINGLB_DEV_DECLINED_FRAGMENT] = "declined_fragment",
	[RINGLB_DEV_DECLINED_PROTOCOL] = "declined_protocol",
	[RINGLB_DEV_DECLINED_MALFORMED] = "declined_malformed",
	[RINGLB_DEV_DECLINED_TTL] = "declined_ttl",
	[RINGLB_DEV_DECLINED_FORWARDING] = "declined_forwarding",
	[RINGLB_DEV_DECLINED_SOURCE] = "declined_source",
	[RINGLB_DEV_DECLINED_UNSETTLED] = "declined_unsettled",
	[RINGLB_DEV_DECLINED_NO_FLOW] = "declined_no_flow",
	[RINGLB_DEV_DECLINED_ROUTE] = "declined_route",
	[RINGLB_DEV_DECLINED_NEIGHBOUR] = "declined_neighbour",
	[RINGLB_DEV_DECLINED_MTU] = "declined_mtu",
	[RINGLB_DEV_DECLINED_OTHER] = "declined_other",
};

static int pair_find(const struct pair *pairs, const char *word, u32 *value)
{
	for (; pairs->word; pairs++) {
		if (strcmp(pairs->word, word))
			continue;
		*value = pairs->value;
		return 0;
	}
	return -1;
}

/* A newer module may send a value that this tool has no word for. */
static const char *pair_word(const struct pair *pairs, u32 value)
{
	for (; pairs->word; pairs++)
		if (pairs->value == value)
			return pairs->word;
	return "unknown";
}

int word_protocol_find(const char *word, u32 *protocol)
{
	return pair_find(protocols, word, protocol);
}

/* Those whose ports are known */
bool word_has_ports(u32 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_SCTP;
}

/* Of a packet: by name or number, but not ICMP, whose packets are of no service */
int word_packet_protocol_find(const char *word, u32 *protocol)
{
	u64 number;

	if (!pair_find(protocols, word, protocol))
		return *protocol == RINGLB_PROTOCOL_ANY ? -1 : 0;
	if (addr_number(word, 255, &number) || !number || number == IPPROTO_ICMP ||
	    number == IPPROTO_ICMPV6)
		return -1;
	*protocol = number;
	return 0;
}

/* Those without a name by number */
const char *word_protocol(u32 protocol)
{
	static char numbers[256][4];
	const struct pair *p;

	for (p = protocols; p->word; p++)
		if (p->value == protocol)
			return p->word;
	if (protocol > 255)
		return "unknown";
	snprintf(numbers[protocol], sizeof(numbers[protocol]), "%u", protocol & 255);
	return numbers[protocol];
}

int word_state_find(const char *word, u32 *state)
{
	return pair_find(states, word, state);
}

const char *word_state(u32 state)
{
	return pair_word(states, state);
}

const char *word_match(u32 match)
{
	return pair_word(matches, match);
}

const char *word_none(u32 none)
{
	return pair_word(nones, none);
}

const char *word_mode(u32 mode)
{
	return pair_word(modes, mode);
}

const char *word_tunnel(u32 tunnel)
{
	return pair_word(tunnels, tunnel);
}

const char *word_key(u32 key)
{
	return pair_word(keys, key);
}

const char *word_track(u32 track)
{
	return pair_word(tracks, track);
}

const char *word_switch(u32 on)
{
	return pair_word(switches, on);
}

const char *word_udp_drain(u32 udp_drain)
{
	return pair_word(udp_drains, udp_drain);
}

const char *word_method(u32 method)
{
	const struct rlb_lookup_ops *ops = rlb_lookup_find(method);

	return ops ? ops->name : "unknown";
}

/* NULL if the number is no counter. */
const char *word_counter(unsigned int counter)
{
	return counter <= RINGLB_COUNTER_MAX ? counters[counter] : NULL;
}

/* The same of a device's counter */
const char *word_dev_counter(unsigned int counter)
{
	return counter <= RINGLB_DEV_MAX ? dev_counters[counter] : NULL;
}

const char *word_event(u32 event)
{
	return pair_word(changes, event);
}

const char *word_flow_state(u32 state)
{
	return pair_word(flow_states, state);
}

/* What was heard of a flow: "begin,answer,both" */
const char *word_heard(u32 heard, char word[WORD_HEARD_MAX])
{
	const struct pair *p;
	size_t len = 0;

	*word = '\0';
	for (p = heard_of; p->word; p++)
		if (heard & p->value)
			len += snprintf(word + len, WORD_HEARD_MAX - len, "%s%s", len ? "," : "",
					p->word);
	return word;
}

/* A counter of the flow table, by its attribute. */
const char *word_flow_event(unsigned int attr)
{
	static const char *const events[] = {
		"added", "full", "evicted", "expired", "removed", "unpinned",
	};

	return events[attr - RINGLB_A_FLOWS_ADDED];
}

/**
 * word_is_name() - can a service be called so?
 * @word: the word
 *
 * Return: whether.
 */
bool word_is_name(const char *word)
{
	size_t len = strlen(word);

	if (!len || len > RINGLB_NAME_MAX || *word == '-')
		return false;
	return strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		      "0123456789._-") == len;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* @n bytes from their hex digits, and nothing else */
static int parse_bytes(const char *word, u8 *to, size_t n)
{
	int high, low;
	size_t i;

	if (strlen(word) != 2 * n)
		return -1;
	for (i = 0; i < n; i++) {
		high = hex_digit(word[2 * i]);
		low = hex_digit(word[2 * i + 1]);
		if (high < 0 || low < 0)
			return -1;
		to[i] = high << 4 | low;
	}
	return 0;
}

/**
 * word_secret() - a hash key from its hex digits
 * @word: 32 hex digits
 * @key: out: the bytes
 *
 * Return: 0, or -1 if it is no such word.
 */
int word_secret(const char *word, u8 key[16])
{
	return parse_bytes(word, key, RINGLB_SECRET_LEN);
}

static int parse_u32(const char *word, u32 min, u32 max, u32 *to)
{
	u64 value;

	if (addr_number(word, max, &value) || value < min)
		return -1;
	*to = value;
	return 0;
}

static int parse_method(const char *value, void *object)
{
	const struct rlb_lookup_ops *ops = rlb_lookup_by_name(value);
	struct service *s = object;

	if (!ops)
		return -1;
	s->method = ops->id;
	return 0;
}

static void print_method(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_method(s->method));
}

static int parse_key(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(keys, value, &s->key);
}

static void print_key(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_key(s->key));
}

static int parse_cid_config(const char *value, void *object)
{
	struct service *s = object;

	return parse_u32(value, 0, RINGLB_CID_CONFIG_MAX, &s->cid_config);
}

static void print_cid_config(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%u", s->cid_config);
}

static int parse_sid_length(const char *value, void *object)
{
	struct service *s = object;

	return parse_u32(value, 1, RINGLB_SID_LENGTH_MAX, &s->sid_length);
}

static void print_sid_length(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%u", s->sid_length);
}

static int parse_vnodes(const char *value, void *object)
{
	struct service *s = object;

	return parse_u32(value, 1, RINGLB_VNODES_MAX, &s->vnodes);
}

static void print_vnodes(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%u", s->vnodes);
}

static int parse_slots(const char *value, void *object)
{
	struct service *s = object;
	u64 slots;

	if (addr_number(value, RINGLB_SLOTS_MAX, &slots) || slots < RINGLB_SLOTS_MIN ||
	    slots & (slots - 1))
		return -1;
	s->slots = slots;
	return 0;
}

static void print_slots(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%u", s->slots);
}

/**
 * word_tenths_find() - a percentage, in its tenths
 * @word: "1%", "0.5%"
 * @max: the most there can be
 * @tenths: out: "1%" is 10
 *
 * Return: 0, or -1 if it is no such word.
 */
int word_tenths_find(const char *word, u32 max, u32 *tenths)
{
	size_t len = strlen(word);
	char whole[WORD_VALUE_MAX];
	u64 value, tenth = 0;

	if (len < 2 || len >= sizeof(whole) || word[len - 1] != '%')
		return -1;
	len--;
	if (len > 2 && word[len - 2] == '.') {
		if (word[len - 1] < '0' || word[len - 1] > '9')
			return -1;
		tenth = word[len - 1] - '0';
		len -= 2;
	}
	memcpy(whole, word, len);
	whole[len] = '\0';
	if (addr_number(whole, max / 10, &value) || value * 10 + tenth > max)
		return -1;
	*tenths = value * 10 + tenth;
	return 0;
}

/* Number to word */
const char *word_tenths(u32 tenths, char word[WORD_VALUE_MAX])
{
	if (tenths % 10)
		snprintf(word, WORD_VALUE_MAX, "%u.%u%%", tenths / 10, tenths % 10);
	else
		snprintf(word, WORD_VALUE_MAX, "%u%%", tenths / 10);
	return word;
}

static int parse_slack(const char *value, void *object)
{
	struct service *s = object;

	if (strcmp(value, "none"))
		return word_tenths_find(value, RINGLB_SLACK_MAX, &s->slack);
	s->slack = RINGLB_SLACK_NONE;
	return 0;
}

static void print_slack(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	if (s->slack == RINGLB_SLACK_NONE)
		strcpy(value, "none");
	else
		word_tenths(s->slack, value);
}

static int parse_seats(const char *value, void *object)
{
	return seats_parse(value, object);
}

static int parse_map(const char *value, void *object)
{
	return map_parse(value, object);
}

static int parse_settle(const char *value, void *object)
{
	struct service *s = object;

	return word_tenths_find(value, RINGLB_SETTLE_MAX, &s->settle);
}

static void print_settle(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	word_tenths(s->settle, value);
}

static int parse_track(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(tracks, value, &s->track);
}

static void print_track(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_track(s->track));
}

static int parse_timeout(const char *value, void *object)
{
	struct service *s = object;

	return parse_u32(value, 1, RINGLB_TIMEOUT_MAX, &s->timeout);
}

static void print_timeout(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%u", s->timeout);
}

static int parse_drain_timeout(const char *value, void *object)
{
	struct service *s = object;

	return parse_u32(value, 1, RINGLB_TIMEOUT_MAX, &s->drain_timeout);
}

static void print_drain_timeout(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%u", s->drain_timeout);
}

static int parse_last_resort(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(switches, value, &s->last_resort);
}

static void print_last_resort(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_switch(s->last_resort));
}

static int parse_udp_drain(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(udp_drains, value, &s->udp_drain);
}

static void print_udp_drain(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_udp_drain(s->udp_drain));
}

static int parse_none(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(nones, value, &s->none);
}

static void print_none(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_none(s->none));
}

static int parse_mode(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(modes, value, &s->mode);
}

static void print_mode(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_mode(s->mode));
}

static int parse_tunnel(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(tunnels, value, &s->tunnel);
}

static void print_tunnel(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_tunnel(s->tunnel));
}

static int parse_tunnel_port(const char *value, void *object)
{
	struct service *s = object;

	return parse_u32(value, 1, RLB_PORT_MAX, &s->tunnel_port);
}

static void print_tunnel_port(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%u", s->tunnel_port);
}

static int parse_if_generation(const char *value, void *object)
{
	struct service *s = object;

	return parse_u32(value, 0, UINT32_MAX, &s->if_generation);
}

static int parse_snat(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(switches, value, &s->snat);
}

static void print_snat(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_switch(s->snat));
}

static int parse_snat_address(const char *value, void *object)
{
	struct service *s = object;

	memset(&s->snat_at, 0, sizeof(s->snat_at));
	if (!strcmp(value, "route"))
		return 0;
	return addr_parse(value, ADDR_MAYBE_PORT, &s->snat_at) || s->snat_at.port ? -1 : 0;
}

static void print_snat_address(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;
	char text[ADDR_TEXT_MAX];

	snprintf(value, WORD_VALUE_MAX, "%s",
		 s->snat_at.family ? addr_print(&s->snat_at, text) : "route");
}

static int parse_snat_ports(const char *value, void *object)
{
	struct service *s = object;
	char first[sizeof("65535")];
	size_t len = strcspn(value, "-");
	u32 from, to;

	if (!value[len] || len >= sizeof(first))
		return -1;
	memcpy(first, value, len);
	first[len] = '\0';
	if (parse_u32(first, 1, 65535, &from) || parse_u32(value + len + 1, from, 65535, &to))
		return -1;
	s->snat_ports = from << 16 | to;
	return 0;
}

static void print_snat_ports(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%u-%u", s->snat_ports >> 16, s->snat_ports & 0xffff);
}

static void print_service_force(char value[WORD_VALUE_MAX], const void *object)
{
	const struct service *s = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_switch(s->force));
}

static int parse_service_force(const char *value, void *object)
{
	struct service *s = object;

	return pair_find(switches, value, &s->force);
}

static int parse_lookup_mark(const char *value, void *object)
{
	struct lookup *l = object;

	l->dst.mark = addr_mark(value);
	return l->dst.mark ? 0 : -1;
}

static int parse_lookup_cid(const char *value, void *object)
{
	struct lookup *l = object;
	size_t n = strlen(value) / 2;

	if (!n || n > RINGLB_CID_MAX || parse_bytes(value, l->cid, n))
		return -1;
	l->n_cid = n;
	return 0;
}

static int parse_secret_force(const char *value, void *object)
{
	struct force *f = object;

	return pair_find(switches, value, &f->on);
}

static int parse_backend_if_generation(const char *value, void *object)
{
	struct backend *b = object;

	return parse_u32(value, 0, UINT32_MAX, &b->if_generation);
}

/* "none", which stands for @none, or a number */
static int parse_or_none(const char *value, u32 none, u32 min, u32 max, u32 *to)
{
	if (strcmp(value, "none"))
		return parse_u32(value, min, max, to);
	*to = none;
	return 0;
}

static void print_or_none(char word[WORD_VALUE_MAX], u32 none, u32 value)
{
	if (value == none)
		strcpy(word, "none");
	else
		snprintf(word, WORD_VALUE_MAX, "%u", value);
}

static int parse_id(const char *value, void *object)
{
	struct backend *b = object;

	return parse_or_none(value, RINGLB_ID_NONE, 0, RINGLB_ID_NONE - 1, &b->id);
}

static void print_id(char value[WORD_VALUE_MAX], const void *object)
{
	const struct backend *b = object;

	print_or_none(value, RINGLB_ID_NONE, b->id);
}

static int parse_slow_start(const char *value, void *object)
{
	struct backend *b = object;

	return parse_or_none(value, 0, 1, RINGLB_SLOW_START_MAX, &b->slow_start);
}

static void print_slow_start(char value[WORD_VALUE_MAX], const void *object)
{
	const struct backend *b = object;

	print_or_none(value, 0, b->slow_start);
}

static int parse_weight(const char *value, void *object)
{
	struct backend *b = object;

	return parse_u32(value, 0, RINGLB_WEIGHT_MAX, &b->weight);
}

static void print_weight(char value[WORD_VALUE_MAX], const void *object)
{
	const struct backend *b = object;

	snprintf(value, WORD_VALUE_MAX, "%u", b->weight);
}

static int parse_state(const char *value, void *object)
{
	struct backend *b = object;

	return word_state_find(value, &b->state);
}

static void print_state(char value[WORD_VALUE_MAX], const void *object)
{
	const struct backend *b = object;

	snprintf(value, WORD_VALUE_MAX, "%s", word_state(b->state));
}

static int parse_wait(const char *value, void *object)
{
	struct backend *b = object;

	return parse_u32(value, 1, RINGLB_TIMEOUT_MAX, &b->wait);
}

static int parse_flow_limit(const char *value, void *object)
{
	struct flows *f = object;

	return parse_u32(value, RINGLB_FLOWS_MIN, RINGLB_FLOWS_MOST, &f->limit);
}

/* An operator's own map says nothing of other backends. */
static int parse_drawn_method(const char *value, void *object)
{
	struct service *s = object;

	return parse_method(value, s) || s->method == RINGLB_METHOD_SLOTS ? -1 : 0;
}

static int parse_heard(const char *value, void *object)
{
	struct remembered *f = object;
	char word[WORD_HEARD_MAX], *rest, *one;
	u32 bit;

	f->heard = 0;
	if (strlen(value) >= sizeof(word))
		return -1;
	strcpy(word, value);
	for (one = strtok_r(word, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
		if (pair_find(heard_of, one, &bit))
			return -1;
		f->heard |= bit;
	}
	/* As it is printed: none twice, in order */
	return f->heard && !strcmp(word_heard(f->heard, word), value) ? 0 : -1;
}

static int parse_seq(const char *value, void *object)
{
	struct remembered *f = object;

	return parse_u32(value, 0, UINT32_MAX, &f->seq);
}

static int parse_ack(const char *value, void *object)
{
	struct remembered *f = object;

	return parse_u32(value, 0, UINT32_MAX, &f->ack);
}

static int parse_left(const char *value, void *object)
{
	struct remembered *f = object;

	return parse_u32(value, 0, RINGLB_TIMEOUT_MAX, &f->left);
}

static int parse_buffer(const char *value, void *object)
{
	struct export_options *e = object;

	return parse_u32(value, EXPORT_BUFFER_MIN, EXPORT_BUFFER_MAX, &e->buffer);
}

static int parse_seed(const char *value, void *object)
{
	struct simulate *s = object;

	return parse_u32(value, 0, UINT32_MAX, &s->seed);
}

static int parse_plot(const char *value, void *object)
{
	struct simulate *s = object;

	s->plot = value;
	return *value ? 0 : -1;
}

static int parse_pcap(const char *value, void *object)
{
	struct simulate *s = object;

	s->pcap = value;
	return *value ? 0 : -1;
}

/* "3", "1,2,4" */
static int parse_weights(const char *value, void *object)
{
	struct simulate *s = object;
	char word[WORD_VALUE_MAX];
	size_t len;

	for (; s->n_weights < SIMULATE_WEIGHTS_MAX; value += len + 1) {
		len = strcspn(value, ",");
		if (len >= sizeof(word))
			return -1;
		memcpy(word, value, len);
		word[len] = '\0';
		if (parse_u32(word, 1, RINGLB_WEIGHT_MAX, &s->weights[s->n_weights++]))
			return -1;
		if (!value[len])
			return 0;
	}
	return -1;
}

#define SLOTS_WORDS "slots", "N", "a power of two from 4096 to 1048576", \
	RINGLB_A_SERVICE_SLOTS, parse_slots, print_slots
#define SLACK_WORDS "slack", "P%|none", "none or " TENTHS_EXPECTS, \
	RINGLB_A_SERVICE_SLACK, parse_slack, print_slack
#define VNODES_WORDS "vnodes", "N", "1 to 65535", \
	RINGLB_A_SERVICE_VNODES, parse_vnodes, print_vnodes

const struct keyword service_keywords[] = {
	{ "method", "rendezvous|ring|maglev|seat|slots", "rendezvous, ring, maglev, seat or slots",
	  RINGLB_A_SERVICE_METHOD, parse_method, print_method },
	{ "key", "5tuple|src|quic-cid", "5tuple, src or quic-cid", RINGLB_A_SERVICE_KEY,
	  parse_key, print_key },
	{ "cid-config", "0-6", "0 to 6", RINGLB_A_SERVICE_CID_CONFIG, parse_cid_config,
	  print_cid_config },
	{ "sid-length", "1-4", "1 to 4", RINGLB_A_SERVICE_SID_LENGTH, parse_sid_length,
	  print_sid_length },
	{ SLOTS_WORDS },
	{ SLACK_WORDS },
	{ VNODES_WORDS },
	{ "seats", "LIST|fresh", SEATS_EXPECTS, RINGLB_A_SERVICE_SEATS, parse_seats, NULL },
	{ "map", "FILE|RANGES", MAP_EXPECTS, SERVICE_MAP, parse_map, NULL },
	{ "settle", "P%", TENTHS_EXPECTS, RINGLB_A_SERVICE_SETTLE, parse_settle,
	  print_settle },
	{ "track", "auto|none|all", "auto, none or all", RINGLB_A_SERVICE_TRACK, parse_track,
	  print_track },
	{ "timeout", "SECONDS", SECONDS_EXPECTS, RINGLB_A_SERVICE_TIMEOUT, parse_timeout,
	  print_timeout },
	{ "drain-timeout", "SECONDS", SECONDS_EXPECTS, RINGLB_A_SERVICE_DRAIN_TIMEOUT,
	  parse_drain_timeout, print_drain_timeout },
	{ "last-resort", "on|off", "on or off", RINGLB_A_SERVICE_LAST_RESORT, parse_last_resort,
	  print_last_resort },
	{ "udp-drain", "keep|rehash", "keep or rehash", RINGLB_A_SERVICE_UDP_DRAIN,
	  parse_udp_drain, print_udp_drain },
	{ "none", "reject|drop", "reject or drop", RINGLB_A_SERVICE_NONE, parse_none, print_none },
	{ "mode", "nat|dsr|tunnel", "nat, dsr or tunnel", RINGLB_A_SERVICE_MODE, parse_mode,
	  print_mode },
	{ "tunnel", "ipip|gre|gue", "ipip, gre or gue", RINGLB_A_SERVICE_TUNNEL, parse_tunnel,
	  print_tunnel },
	{ "tunnel-port", "N", "1 to 65535", RINGLB_A_SERVICE_TUNNEL_PORT, parse_tunnel_port,
	  print_tunnel_port },
	{ "snat", "on|off", "on or off", RINGLB_A_SERVICE_SNAT, parse_snat, print_snat },
	{ "snat-address", "ADDR|route", "route or an address", RINGLB_A_SERVICE_SNAT_IPV4,
	  parse_snat_address, print_snat_address },
	{ "snat-ports", "FIRST-LAST", "FIRST-LAST, 1 to 65535", RINGLB_A_SERVICE_SNAT_PORTS,
	  parse_snat_ports, print_snat_ports },
	{ "if-generation", "N", "0 to 4294967295", RINGLB_A_SERVICE_IF_GENERATION,
	  parse_if_generation, NULL },
	{ "force", "on|off", "on or off", RINGLB_A_SERVICE_FORCE, parse_service_force,
	  print_service_force },
	{ .word = NULL },
};

const struct keyword backend_keywords[] = {
	{ "id", "N|none", "none or 0 to 4294967294", RINGLB_A_BACKEND_ID, parse_id, print_id },
	{ "weight", "N", "0 to 65535", RINGLB_A_BACKEND_WEIGHT, parse_weight, print_weight },
	{ "state", "up|drain|down|leave", "up, drain, down or leave", RINGLB_A_BACKEND_STATE, parse_state,
	  print_state },
	{ "slow-start", "SECONDS|none", SLOW_START_EXPECTS, RINGLB_A_BACKEND_SLOW_START,
	  parse_slow_start, print_slow_start },
	{ "if-generation", "N", "0 to 4294967295", BACKEND_IF_GENERATION,
	  parse_backend_if_generation, NULL },
	{ "wait", "SECONDS", SECONDS_EXPECTS, BACKEND_WAIT, parse_wait, NULL },
	{ .word = NULL },
};

const struct keyword secret_keywords[] = {
	{ "force", "on|off", "on or off", RINGLB_A_SECRET_FORCE, parse_secret_force, NULL },
	{ .word = NULL },
};

const struct keyword lookup_keywords[] = {
	{ "mark", "N", "1 to 4294967295, decimal or hexadecimal", RINGLB_A_LOOKUP_MARK,
	  parse_lookup_mark, NULL },
	{ "cid", "HEX", "1 to 20 bytes in hex digits", RINGLB_A_LOOKUP_CID, parse_lookup_cid,
	  NULL },
	{ .word = NULL },
};

const struct keyword flow_keywords[] = {
	{ "limit", "N", "1024 to 67108864", RINGLB_A_FLOWS_LIMIT, parse_flow_limit, NULL },
	{ .word = NULL },
};

const struct keyword export_keywords[] = {
	{ "buffer", "BYTES", "4096 to 1073741824 bytes", EXPORT_BUFFER, parse_buffer, NULL },
	{ .word = NULL },
};

const struct keyword remembered_keywords[] = {
	{ "heard", "WHAT",
	  "begin, middle or datagram, perhaps ,answer ,both ,fin-client ,fin-backend ,rst",
	  RINGLB_A_FLOW_HEARD, parse_heard, NULL },
	{ "seq", "N", "0 to 4294967295", RINGLB_A_FLOW_SEQ, parse_seq, NULL },
	{ "ack", "N", "0 to 4294967295", RINGLB_A_FLOW_ACK, parse_ack, NULL },
	{ "left", "SECONDS", "0 to 604800 seconds", RINGLB_A_FLOW_LEFT, parse_left, NULL },
	{ .word = NULL },
};

/* A simulation begins with a service. */
const struct keyword simulate_keywords[] = {
	{ "weight", "W[,W...]", "1 to 64 weights from 1 to 65535, commas between them",
	  SIMULATE_WEIGHT, parse_weights, NULL },
	{ SLOTS_WORDS },
	{ SLACK_WORDS },
	{ VNODES_WORDS },
	{ "seed", "N", "0 to 4294967295", SIMULATE_SEED, parse_seed, NULL },
	{ "pcap", "FILE", "a file of captured packets", SIMULATE_PCAP, parse_pcap, NULL },
	{ "plot", "FILE", "a file to draw into", SIMULATE_PLOT, parse_plot, NULL },
	{ "method", "rendezvous|ring|maglev|seat", "rendezvous, ring, maglev or seat",
	  SIMULATE_METHOD, parse_drawn_method, NULL },
	{ .word = NULL },
};

/**
 * word_why() - why a value was not taken
 * @k: its keyword
 * @object: what it was for
 *
 * Return: a sentence, or NULL if there is nothing to say but what was expected.
 */
const char *word_why(const struct keyword *k, const void *object)
{
	const struct service *s = object;

	return k->parse == parse_map && s->map ? s->map->wrong : NULL;
}

/**
 * word_stray() - a parameter that the method does not have
 * @method: the method
 * @has: mask of the service's attributes that were given
 *
 * Return: the parameter's word, NULL if there is none.
 */
const char *word_stray(u32 method, u64 has)
{
	if (method != RINGLB_METHOD_RING && has >> RINGLB_A_SERVICE_VNODES & 1)
		return "vnodes";
	if (method != RINGLB_METHOD_RENDEZVOUS && has >> RINGLB_A_SERVICE_SLACK & 1)
		return "slack";
	if (method != RINGLB_METHOD_SEAT && has >> RINGLB_A_SERVICE_SEATS & 1)
		return "seats";
	if (method != RINGLB_METHOD_SLOTS && has >> SERVICE_MAP & 1)
		return "map";
	return NULL;
}
