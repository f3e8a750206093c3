// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_parse.c - module/parse.c: packets of any bytes, against its naive twin
 *
 * In: a byte that chooses the family and how much of the packet is linear, then the packet.
 * Whatever they are: the parser says what the twin says, and reads nothing beyond.
 */
#include "../unit/packet.h"
#include "fuzz.h"

void fuzz_parse(const uint8_t *data, size_t size)
{
	enum rlb_verdict verdict;
	unsigned int linear;
	int family;

	if (!size)
		return;
	family = *data & 1 ? AF_INET6 : AF_INET;
	packet_any = *data & 0x80;
	linear = packet_linear(family, data + 1, size - 1);
	if (!linear)
		return;
	linear += *data & 2 ? size - 1 - linear : (*data >> 2) % (size - linear);
	promise(!packet_differs(family, data + 1, size - 1, linear, &verdict));
}
