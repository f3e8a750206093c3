// SPDX-License-Identifier: GPL-2.0-only
/*
 * rules_match.c - is a rule of the firewall about a packet?
 *
 * In: an expression as nft's JSON has it, and a packet of which not all is known. Out: no,
 * yes, or perhaps. What is not understood is perhaps.
 */
#include <arpa/inet.h>
#include <jansson.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"
#include "words.h"

/* A field of the packet, as its rule writes it */
struct field {
	enum {
		FIELD_UNKNOWN,	/* not known, or not understood */
		FIELD_OTHER,	/* the packet has none: of another family or protocol */
		FIELD_NUMBER,
		FIELD_ADDRESS,
		FIELD_WORD,
		FIELD_NOT_WORD,	/* any word but this one */
	} kind;
	u32 number;
	u8 family;
	union rlb_addr addr;
	const char *word;
};

static enum rules_match sure(bool is)
{
	return is ? RULES_YES : RULES_NO;
}

static struct field word(const char *word)
{
	return (struct field){ .kind = FIELD_WORD, .word = word };
}

/* A device that is not known is another one than the one that is, and surely not lo. */
static struct field device(const char *name, const char *other)
{
	if (name)
		return word(name);
	return (struct field){ .kind = FIELD_NOT_WORD, .word = other ? other : "lo" };
}

static struct field field_meta(const char *key, const struct rules_packet *pkt)
{
	if (!strcmp(key, "iifname") || !strcmp(key, "iif"))
		return device(pkt->in, pkt->out);
	if (!strcmp(key, "oifname") || !strcmp(key, "oif"))
		return device(pkt->out, pkt->in);
	if (!strcmp(key, "l4proto"))
		return word(word_protocol(pkt->protocol));
	if (!strcmp(key, "nfproto"))
		return word(pkt->family == AF_INET ? "ipv4" : "ipv6");
	return (struct field){ .kind = FIELD_UNKNOWN };
}

static struct field field_address(const struct endpoint *e)
{
	if (!e)
		return (struct field){ .kind = FIELD_UNKNOWN };
	return (struct field){ .kind = FIELD_ADDRESS, .family = e->family, .addr = e->addr };
}

static struct field field_port(const struct endpoint *e)
{
	if (!e)
		return (struct field){ .kind = FIELD_UNKNOWN };
	return (struct field){ .kind = FIELD_NUMBER, .number = e->port };
}

/* Of the network or the transport header */
static struct field field_payload(const char *header, const char *key,
				  const struct rules_packet *pkt)
{
	bool is_network = !strcmp(header, "ip") || !strcmp(header, "ip6");
	bool is_transport = !strcmp(header, "th") ||
			    !strcmp(header, word_protocol(pkt->protocol));

	if (is_network && strcmp(header, pkt->family == AF_INET ? "ip" : "ip6"))
		return (struct field){ .kind = FIELD_OTHER };
	if (is_network && !strcmp(key, "saddr"))
		return field_address(pkt->src);
	if (is_network && !strcmp(key, "daddr"))
		return field_address(pkt->dst);
	if (is_network && (!strcmp(key, "protocol") || !strcmp(key, "nexthdr")))
		return word(word_protocol(pkt->protocol));
	if (is_transport && !strcmp(key, "sport"))
		return field_port(pkt->src);
	if (is_transport && !strcmp(key, "dport"))
		return field_port(pkt->dst);
	if (!is_transport && (!strcmp(header, "tcp") || !strcmp(header, "udp") ||
			      !strcmp(header, "sctp") || !strcmp(header, "icmp") ||
			      !strcmp(header, "icmpv6")))
		return (struct field){ .kind = FIELD_OTHER };
	return (struct field){ .kind = FIELD_UNKNOWN };
}

static const char *str(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value ? value : "";
}

static struct field field_of(const json_t *left, const struct rules_packet *pkt)
{
	json_t *meta = json_object_get(left, "meta");
	json_t *ct = json_object_get(left, "ct");
	json_t *payload = json_object_get(left, "payload");

	if (meta)
		return field_meta(str(meta, "key"), pkt);
	if (payload)
		return field_payload(str(payload, "protocol"), str(payload, "field"), pkt);
	if (ct && !strcmp(str(ct, "key"), "state") && pkt->state)
		return word(pkt->state);
	return (struct field){ .kind = FIELD_UNKNOWN };
}

/* "eth*" is every device whose name begins so. */
static bool is_word(const char *is, const char *pattern)
{
	size_t len = strlen(pattern);

	if (len && pattern[len - 1] == '*')
		return !strncmp(is, pattern, len - 1);
	return !strcmp(is, pattern);
}

/* @word: an address; @f: one of the same family? */
static bool read_address(const char *word, const struct field *f, union rlb_addr *to)
{
	return word && inet_pton(f->family, word, to) == 1;
}

static enum rules_match address_in(const struct field *f, const char *low, const char *high)
{
	size_t len = rlb_addr_len(f->family);
	union rlb_addr from, to;

	if (!read_address(low, f, &from) || !read_address(high, f, &to))
		return RULES_NO;
	return sure(memcmp(&f->addr, &from, len) >= 0 && memcmp(&f->addr, &to, len) <= 0);
}

static enum rules_match address_prefix(const struct field *f, const json_t *prefix)
{
	unsigned int len = json_integer_value(json_object_get(prefix, "len"));
	const unsigned char *a = (const unsigned char *)&f->addr, *b;
	union rlb_addr net;
	unsigned int i;

	if (!read_address(str(prefix, "addr"), f, &net) || len > 8 * rlb_addr_len(f->family))
		return RULES_NO;
	b = (const unsigned char *)&net;
	for (i = 0; i < len; i++)
		if ((a[i / 8] ^ b[i / 8]) >> (7 - i % 8) & 1)
			return RULES_NO;
	return RULES_YES;
}

static enum rules_match in_range(const struct field *f, json_t *range)
{
	json_t *low = json_array_get(range, 0), *high = json_array_get(range, 1);

	if (f->kind == FIELD_ADDRESS)
		return address_in(f, json_string_value(low), json_string_value(high));
	if (f->kind == FIELD_NUMBER && json_is_integer(low) && json_is_integer(high))
		return sure(f->number >= json_integer_value(low) &&
			    f->number <= json_integer_value(high));
	return RULES_PERHAPS;
}

static enum rules_match is_string(const struct field *f, const char *value)
{
	switch (f->kind) {
	case FIELD_WORD:
		return sure(is_word(f->word, value));
	case FIELD_NOT_WORD:
		return strcmp(f->word, value) ? RULES_PERHAPS : RULES_NO;
	case FIELD_ADDRESS:
		return address_in(f, value, value);
	default:
		return RULES_PERHAPS;
	}
}

/* One value, a range or a prefix */
static enum rules_match is_one(const struct field *f, json_t *right)
{
	json_t *range = json_object_get(right, "range"), *prefix = json_object_get(right, "prefix");

	if (f->kind == FIELD_OTHER)
		return RULES_NO;
	if (f->kind == FIELD_UNKNOWN)
		return RULES_PERHAPS;
	if (range)
		return in_range(f, range);
	if (prefix)
		return f->kind == FIELD_ADDRESS ? address_prefix(f, prefix) : RULES_PERHAPS;
	if (json_is_string(right))
		return is_string(f, json_string_value(right));
	if (json_is_integer(right) && f->kind == FIELD_NUMBER)
		return sure(f->number == json_integer_value(right));
	return RULES_PERHAPS;
}

/* Several fields beside as many values: all of them */
static enum rules_match is_concat(json_t *left, json_t *right, const struct rules_packet *pkt)
{
	enum rules_match all = RULES_YES, one;
	json_t *value = json_object_get(right, "concat"), *part;
	struct field f;
	size_t i;

	json_array_foreach(left, i, part) {
		f = field_of(part, pkt);
		one = is_one(&f, json_array_get(value, i));
		if (one < all)
			all = one;
	}
	return all;
}

static enum rules_match is_any(const struct rules *r, const struct rules_chain *c,
			       json_t *left, json_t *list, const struct rules_packet *pkt)
{
	enum rules_match best = RULES_NO, one;
	json_t *value;
	size_t i;

	json_array_foreach(list, i, value) {
		one = rules_is(r, c, left, value, pkt);
		if (one > best)
			best = one;
	}
	return best;
}

/**
 * rules_is() - does a field have a value, or one of several?
 * @r: the rules, for named sets
 * @c: the chain
 * @left: the field, or several
 * @right: a value, a range, a prefix, a set, or a set's name
 * @pkt: the packet
 *
 * Return: whether.
 */
enum rules_match rules_is(const struct rules *r, const struct rules_chain *c,
			  json_t *left, json_t *right, const struct rules_packet *pkt)
{
	json_t *concat = json_object_get(left, "concat"), *set = json_object_get(right, "set");
	json_t *element = json_object_get(right, "elem");
	const char *name = json_string_value(right);
	struct field f;

	if (element)	/* with a counter or a timeout */
		return rules_is(r, c, left, json_object_get(element, "val"), pkt);
	if (name && *name == '@')
		return is_any(r, c, left, rules_elements(r, c, name + 1), pkt);
	if (json_is_array(set))
		return is_any(r, c, left, set, pkt);
	if (json_is_array(right))
		return is_any(r, c, left, right, pkt);
	if (concat)
		return is_concat(concat, right, pkt);
	f = field_of(left, pkt);
	return is_one(&f, right);
}

/* Does the packet lack the header that the rule looks at? Then != is not true either. */
static bool lacks(const json_t *left, const struct rules_packet *pkt)
{
	json_t *concat = json_object_get(left, "concat"), *part;
	size_t i;

	json_array_foreach(concat, i, part)
		if (field_of(part, pkt).kind == FIELD_OTHER)
			return true;
	return field_of(left, pkt).kind == FIELD_OTHER;
}

/**
 * rules_match() - is a match of a rule true for a packet?
 * @r: the rules, for named sets
 * @c: the chain
 * @match: the match: two sides and an operator
 * @pkt: the packet
 *
 * Return: whether.
 */
enum rules_match rules_match(const struct rules *r, const struct rules_chain *c,
			     json_t *match, const struct rules_packet *pkt)
{
	json_t *left = json_object_get(match, "left");
	const char *op = str(match, "op");
	enum rules_match is;

	if (lacks(left, pkt))
		return RULES_NO;
	is = rules_is(r, c, left, json_object_get(match, "right"), pkt);
	if (!strcmp(op, "==") || !strcmp(op, "in"))
		return is;
	if (!strcmp(op, "!="))
		return is == RULES_YES ? RULES_NO : is == RULES_NO ? RULES_YES : RULES_PERHAPS;
	return RULES_PERHAPS;
}
