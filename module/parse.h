/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parse.h - from bytes to what the other rooms want to know
 */
#ifndef _RINGLB_PARSE_H
#define _RINGLB_PARSE_H

#include "ringlb.h"

enum rlb_verdict rlb_parse(struct rlb_pkt *pkt);

#endif /* _RINGLB_PARSE_H */
