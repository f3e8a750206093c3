/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packet.h - bytes as the parser of packets is given them, and what its naive twin says
 */
#ifndef _RINGLB_UNIT_PACKET_H
#define _RINGLB_UNIT_PACKET_H

#include <stdint.h>

#include "parse.h"

/* Is there a service of every protocol? */
extern bool packet_any;

/**
 * packet_parse() - let module/parse.c look at a packet
 * @pkt: out: what it says; its skb is gone
 * @family: AF_INET or AF_INET6
 * @bytes: the packet, from its network header on
 * @len: how many
 * @linear: so many of these are where the parser may point to
 *
 * Return: its verdict.
 */
enum rlb_verdict packet_parse(struct rlb_pkt *pkt, int family, const uint8_t *bytes,
			      unsigned int len, unsigned int linear);

/* May the stack hand such a packet to a hook? Returns how much of it is linear at least, or 0. */
unsigned int packet_linear(int family, const uint8_t *bytes, unsigned int len);

/* NULL if the parser and its twin agree about a packet, else the first thing about which not.
 * @verdict: out: the parser's
 */
const char *packet_differs(int family, const uint8_t *bytes, unsigned int len,
			   unsigned int linear, enum rlb_verdict *verdict);

#endif /* _RINGLB_UNIT_PACKET_H */
