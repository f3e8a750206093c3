/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * addr.h - addresses and ports as words
 */
#ifndef _RINGLB_ADDR_H
#define _RINGLB_ADDR_H

#include "key.h"
#include "ports.h"
#include "prefix.h"

#define ADDR_TEXT_MAX 72	/* "[", the longest IPv6 address, "/127]:10000-65535", NUL; or a mark */

/**
 * struct endpoint - an address and a port
 * @addr: in network byte order, unused bytes zero
 * @port: in host byte order; 0: none given
 * @last: of several ports the last one, and @port is the first; else 0
 * @family: AF_INET or AF_INET6
 * @mark: a firewall mark, or that of a packet; 0: none
 * @mask: the bits of @mark that count, for whatever address and port; 0: there is an address
 * @prefix: of all addresses that begin with so many bits of @addr; 0: of @addr alone
 * @portless: of every protocol, so that its ports, which are all there are, have no word
 */
struct endpoint {
	union rlb_addr addr;
	u16 port;
	u16 last;
	u32 mark;
	u32 mask;
	u8 family;
	u8 prefix;
	bool portless;
};

enum addr_form {
	ADDR_WITH_PORT,
	ADDR_MAYBE_PORT,
	ADDR_OF_SERVICE,
	ADDR_OF_ANY,		/* a service of every protocol */
	ADDR_ALONE,		/* a packet of a protocol without ports */
};

const char *addr_parse(const char *word, enum addr_form form, struct endpoint *to);
u32 addr_mark(const char *text);
const char *addr_number(const char *word, u64 max, u64 *to);
char *addr_print(const struct endpoint *e, char text[ADDR_TEXT_MAX]);
unsigned int addr_bits(const struct endpoint *e);
bool addr_is_every_port(const struct endpoint *e);
bool addr_same_place(const struct endpoint *a, const struct endpoint *b);
bool addr_meet(const struct endpoint *a, const struct endpoint *b);
int addr_cmp(const struct endpoint *a, const struct endpoint *b);
const char *addr_wrong(const struct endpoint *e);

#endif /* _RINGLB_ADDR_H */
