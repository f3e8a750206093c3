// SPDX-License-Identifier: GPL-2.0-only
/*
 * addr.c - addresses and ports: from words, to words, in order
 *
 * In: a word. Out: an endpoint, or the text of what was expected instead. Nothing is printed
 * and nothing is looked up: an address is numbers, or it is refused.
 */
#include "addr.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PORTS_TEXT_MAX 12	/* "10000-65535", NUL */

#define EXPECT_WITH_PORT "expected ADDR:PORT, as 192.0.2.10:443 or [2001:db8::10]:443"
#define EXPECT_OF_SERVICE \
	"expected ADDR:PORT, as 192.0.2.10:443 or [2001:db8::10]:443, ADDR:FIRST-LAST or ADDR:*, or with ADDR/BITS for ADDR; or mark:N, mark6:N or with /MASK"
#define EXPECT_OF_ANY \
	"expected ADDR or ADDR/BITS without a port, as 192.0.2.10 or 2001:db8::/64; or mark:N, mark6:N or with /MASK"
#define EXPECT_ALONE "expected ADDR without a port, as 192.0.2.10 or 2001:db8::10"
#define EXPECT_MAYBE_PORT \
	"expected ADDR or ADDR:PORT, as 10.0.0.11, 10.0.0.11:80, fd00::11 or [fd00::11]:80"
#define EXPECT_MARK "expected a mark and a mask, as mark:7 or mark6:0x10/0xf0, not 0, and no bits beside the mask"
#define EXPECT_PREFIX "expected a prefix of 1 to 32 bits, of IPv6 1 to 128"
#define EXPECT_NETWORK "expected no bits of the address behind its prefix"
#define EXPECT_PORT "expected a port from 1 to 65535"
#define EXPECT_PORTS "expected a port from 1 to 65535, FIRST-LAST or *"
#define EXPECT_NO_ZEROS "expected an IPv4 address without leading zeros"
#define EXPECT_NO_SCOPE "expected an address without a scope (%)"
#define EXPECT_NOT_MAPPED "expected an IPv4 address as such, not mapped into IPv6"

/**
 * addr_number() - a decimal number from a word
 * @word: digits and nothing else; no sign, no leading zeros
 * @max: the highest value allowed
 * @to: out: the number
 *
 * Return: NULL, or a text if the word is no such number.
 */
const char *addr_number(const char *word, u64 max, u64 *to)
{
	const char *p = word;
	u64 value = 0;

	if (!*p || (*p == '0' && p[1]))
		return "expected a number";
	for (; *p; p++) {
		unsigned int digit = *p - '0';

		if (*p < '0' || *p > '9' || value > (UINT64_MAX - digit) / 10)
			return "expected a number";
		value = value * 10 + digit;
	}
	if (value > max)
		return "expected a smaller number";
	*to = value;
	return NULL;
}

static bool has_leading_zero(const char *text)
{
	const char *p = text;

	for (; *p; p++)
		if (*p == '0' && (p == text || p[-1] == '.') && isdigit((unsigned char)p[1]))
			return true;
	return false;
}

static bool is_mapped(const union rlb_addr *addr)
{
	static const u8 prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(addr->byte, prefix, sizeof(prefix));
}

/* @text: an address alone; @v6: it must be IPv6, else IPv4. */
static const char *parse_address(const char *text, bool v6, const char *expected,
				 struct endpoint *to)
{
	if (strchr(text, '%'))
		return EXPECT_NO_SCOPE;
	to->family = v6 ? AF_INET6 : AF_INET;
	if (inet_pton(to->family, text, &to->addr) != 1)
		return !v6 && has_leading_zero(text) ? EXPECT_NO_ZEROS : expected;
	if (!v6 && has_leading_zero(text))
		return EXPECT_NO_ZEROS;
	if (v6 && is_mapped(&to->addr))
		return EXPECT_NOT_MAPPED;
	return NULL;
}

/* "24" of "192.0.2.0/24"; all bits are an address alone. */
static const char *parse_prefix(const char *text, struct endpoint *to)
{
	u64 bits;

	if (addr_number(text, rlb_prefix_full(to->family), &bits) || !bits)
		return EXPECT_PREFIX;
	if (!rlb_prefix_has(&to->addr, bits, &to->addr))
		return EXPECT_NETWORK;
	to->prefix = bits < rlb_prefix_full(to->family) ? bits : 0;
	return NULL;
}

/* "192.0.2.10", or "192.0.2.0/24" */
static const char *parse_addresses(char *text, bool v6, const char *expected,
				   struct endpoint *to)
{
	char *slash = strchr(text, '/');
	const char *bad;

	if (slash)
		*slash = '\0';
	bad = parse_address(text, v6, expected, to);
	return bad || !slash ? bad : parse_prefix(slash + 1, to);
}

static const char *parse_port(const char *text, struct endpoint *to)
{
	u64 port;

	if (addr_number(text, 65535, &port) || !port)
		return EXPECT_PORT;
	to->port = port;
	return NULL;
}

/* "443", "8000-8999" or "*" */
static const char *parse_ports(const char *text, struct endpoint *to)
{
	const char *dash = strchr(text, '-');
	char first[8];
	u64 last;

	if (!strcmp(text, "*")) {
		to->port = 1;
		to->last = RLB_PORT_MAX;
		return NULL;
	}
	if (!dash)
		return parse_port(text, to) ? EXPECT_PORTS : NULL;
	if (dash - text >= (long)sizeof(first))
		return EXPECT_PORTS;
	memcpy(first, text, dash - text);
	first[dash - text] = '\0';
	if (parse_port(first, to) || addr_number(dash + 1, RLB_PORT_MAX, &last) || last < to->port)
		return EXPECT_PORTS;
	if (last > to->port)
		to->last = last;
	return NULL;
}

/**
 * addr_mark() - a mark or mask from a word
 * @text: 1 to 4294967295, decimal or with 0x in hexadecimal digits
 *
 * Return: the number, 0 if it is none of these.
 */
u32 addr_mark(const char *text)
{
	bool hex = !strncmp(text, "0x", 2);
	u64 value = 0;
	char *end;

	if (!hex)
		return addr_number(text, UINT32_MAX, &value) ? 0 : value;
	if (!isxdigit((unsigned char)text[2]) || strlen(text) > strlen("0xffffffff"))
		return 0;
	value = strtoull(text, &end, 16);
	return *end ? 0 : value;
}

/* "mark:7", "mark6:0x10/0xf0": of any address and port */
static const char *parse_mark(const char *word, struct endpoint *to)
{
	const char *number = strchr(word, ':') + 1, *slash = strchr(number, '/');
	char mark[16] = "";

	if (slash && slash - number < (long)sizeof(mark))
		memcpy(mark, number, slash - number);
	to->family = word[4] == '6' ? AF_INET6 : AF_INET;
	to->port = 1;
	to->last = RLB_PORT_MAX;
	to->mark = addr_mark(slash ? mark : number);
	to->mask = slash ? addr_mark(slash + 1) : UINT32_MAX;
	return to->mark && to->mask && !(to->mark & ~to->mask) ? NULL : EXPECT_MARK;
}

static bool is_of_service(enum addr_form form)
{
	return form == ADDR_OF_SERVICE || form == ADDR_OF_ANY;
}

/* What stands behind an address, or that nothing does */
static const char *parse_rest(const char *port, enum addr_form form, const char *expected,
			      struct endpoint *to)
{
	switch (form) {
	case ADDR_OF_ANY:
		to->port = 1;
		to->last = RLB_PORT_MAX;
		to->portless = true;
		return port ? expected : NULL;
	case ADDR_ALONE:
		return port ? expected : NULL;
	case ADDR_OF_SERVICE:
		return port ? parse_ports(port, to) : expected;
	case ADDR_MAYBE_PORT:
		return port ? parse_port(port, to) : NULL;
	default:
		return port ? parse_port(port, to) : expected;
	}
}

static const char *form_expects(enum addr_form form)
{
	switch (form) {
	case ADDR_WITH_PORT:
		return EXPECT_WITH_PORT;
	case ADDR_OF_SERVICE:
		return EXPECT_OF_SERVICE;
	case ADDR_OF_ANY:
		return EXPECT_OF_ANY;
	case ADDR_ALONE:
		return EXPECT_ALONE;
	default:
		return EXPECT_MAYBE_PORT;
	}
}

/**
 * addr_parse() - an endpoint from a word
 * @word: ADDR:PORT, with ADDR_MAYBE_PORT also ADDR, with ADDR_OF_SERVICE also ADDR:FIRST-LAST,
 *	ADDR:* and a prefix; with ADDR_OF_ANY and ADDR_ALONE no port; IPv6 with a port in brackets
 * @form: whether there must be a port
 * @to: out: the endpoint; undefined after an error
 *
 * Return: NULL, or what was expected (a literal).
 */
const char *addr_parse(const char *word, enum addr_form form, struct endpoint *to)
{
	const char *expected = form_expects(form);
	const char *port = NULL;
	bool v6 = false;
	const char *bad;
	char text[64];
	size_t len;

	memset(to, 0, sizeof(*to));
	if (is_of_service(form) &&
	    (!strncmp(word, "mark:", 5) || !strncmp(word, "mark6:", 6)))
		return parse_mark(word, to);
	len = strlen(word);
	if (*word == '[') {
		const char *close = strchr(word, ']');

		if (!close || (close[1] && close[1] != ':'))
			return expected;
		port = close[1] ? close + 2 : NULL;
		v6 = true;
		word++;
		len = close - word;
	} else {
		const char *colon = strchr(word, ':');

		if (colon && strchr(colon + 1, ':')) {
			v6 = true;
		} else if (colon) {
			port = colon + 1;
			len = colon - word;
		}
	}
	if (len >= sizeof(text))
		return expected;
	memcpy(text, word, len);
	text[len] = '\0';
	bad = is_of_service(form) ? parse_addresses(text, v6, expected, to) :
				    parse_address(text, v6, expected, to);
	return bad ? bad : parse_rest(port, form, expected, to);
}

static const char *print_ports(const struct endpoint *e, char text[PORTS_TEXT_MAX])
{
	if (addr_is_every_port(e))
		strcpy(text, "*");
	else if (e->last)
		snprintf(text, PORTS_TEXT_MAX, "%u-%u", e->port, e->last);
	else
		snprintf(text, PORTS_TEXT_MAX, "%u", e->port);
	return text;
}

static char *print_mark(const struct endpoint *e, char text[ADDR_TEXT_MAX])
{
	int n = snprintf(text, ADDR_TEXT_MAX, "mark%s:%#x", e->family == AF_INET6 ? "6" : "",
			 e->mark);

	if (e->mask != UINT32_MAX)
		snprintf(text + n, ADDR_TEXT_MAX - n, "/%#x", e->mask);
	return text;
}

/**
 * addr_print() - the word of an endpoint, as addr_parse() takes it
 * @e: the endpoint
 * @text: where it goes
 *
 * Return: @text.
 */
char *addr_print(const struct endpoint *e, char text[ADDR_TEXT_MAX])
{
	char addr[INET6_ADDRSTRLEN + sizeof("/127")], ports[PORTS_TEXT_MAX];

	if (e->mask)
		return print_mark(e, text);
	if (!inet_ntop(e->family, &e->addr, addr, INET6_ADDRSTRLEN))
		strcpy(addr, "?");
	if (e->prefix)
		sprintf(addr + strlen(addr), "/%u", e->prefix);
	if (!e->port || e->portless)
		snprintf(text, ADDR_TEXT_MAX, "%s", addr);
	else
		snprintf(text, ADDR_TEXT_MAX, e->family == AF_INET6 ? "[%s]:%s" : "%s:%s",
			 addr, print_ports(e, ports));
	return text;
}

bool addr_is_every_port(const struct endpoint *e)
{
	return e->port == 1 && e->last == RLB_PORT_MAX;
}

/**
 * addr_bits() - how many bits the addresses of an endpoint have in common
 * @e: the endpoint
 *
 * Return: all, if it is one address.
 */
unsigned int addr_bits(const struct endpoint *e)
{
	return e->prefix ? e->prefix : rlb_prefix_full(e->family);
}

static struct rlb_ports ports_of(const struct endpoint *e)
{
	return (struct rlb_ports){ e->port, e->last ? e->last : e->port };
}

/**
 * addr_same_place() - do two services send to one place, as far as answers can tell?
 * @a: where one of them sends to
 * @b: where the other one does
 *
 * Return: true if they have the address in common, and the port, or several ports each.
 */
bool addr_same_place(const struct endpoint *a, const struct endpoint *b)
{
	return a->family == b->family && !memcmp(&a->addr, &b->addr, rlb_addr_len(a->family)) &&
	       (a->last && b->last ? true : !a->last && !b->last && a->port == b->port);
}

/* Of packets all bits of a mark count. */
static bool marks_meet(const struct endpoint *a, const struct endpoint *b)
{
	return !((a->mark ^ b->mark) & (a->mask ? a->mask : UINT32_MAX) &
		 (b->mask ? b->mask : UINT32_MAX));
}

/**
 * addr_meet() - have two endpoints of one protocol some address and port in common?
 * @a: one
 * @b: the other
 *
 * Return: whether.
 */
bool addr_meet(const struct endpoint *a, const struct endpoint *b)
{
	struct rlb_ports x = ports_of(a), y = ports_of(b);

	if (a->mask || b->mask)
		return a->family == b->family && marks_meet(a, b);
	return a->family == b->family && rlb_ports_meet(&x, &y) &&
	       rlb_prefix_meet(&a->addr, addr_bits(a), &b->addr, addr_bits(b));
}

/**
 * addr_cmp() - the canonical order: family, bytes of the address as on the wire, port, last port,
 * prefix
 * @a: one
 * @b: the other
 *
 * Return: below, equal to or above 0, as memcmp().
 */
int addr_cmp(const struct endpoint *a, const struct endpoint *b)
{
	int diff;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	diff = memcmp(&a->addr, &b->addr, rlb_addr_len(a->family));
	if (diff)
		return diff;
	diff = (int)a->port - (int)b->port;
	if (diff)
		return diff;
	diff = (int)a->last - (int)b->last;
	if (!diff)
		diff = (int)a->prefix - (int)b->prefix;
	if (!diff && a->mask != b->mask)
		diff = a->mask < b->mask ? -1 : 1;
	return diff || a->mark == b->mark ? diff : a->mark < b->mark ? -1 : 1;
}

static const char *wrong_ipv4(const u8 *b)
{
	if (!b[0])
		return "address is in 0.0.0.0/8";
	if (b[0] == 127)
		return "address is a loopback address";
	if (b[0] >= 224 && b[0] < 240)
		return "address is a multicast address";
	if (b[0] >= 240)
		return "address is a broadcast or reserved address";
	return NULL;
}

static const char *wrong_ipv6(const u8 *b)
{
	static const u8 zero[15];

	if (!memcmp(b, zero, 15) && b[15] <= 1)
		return b[15] ? "address is a loopback address" : "address is ::";
	if (b[0] == 0xff)
		return "address is a multicast address";
	if (b[0] == 0xfe && (b[1] & 0xc0) == 0x80)
		return "address is a link-local address";
	return NULL;
}

static const char *wrong_addr(const u8 *b, u8 family)
{
	return family == AF_INET ? wrong_ipv4(b) : wrong_ipv6(b);
}

/**
 * addr_wrong() - why no service or backend can have this address
 * @e: the endpoint; its port does not matter
 *
 * Return: the module's text, NULL if it can.
 */
const char *addr_wrong(const struct endpoint *e)
{
	const union rlb_addr last = rlb_prefix_last(&e->addr, addr_bits(e), e->family);
	const char *wrong = wrong_addr(e->addr.byte, e->family);

	if (e->mask)
		return NULL;
	return wrong ? wrong : wrong_addr(last.byte, e->family);
}
