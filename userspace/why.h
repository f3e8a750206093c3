/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * why.h - the answer of a lookup as a sentence
 */
#ifndef _RINGLB_WHY_H
#define _RINGLB_WHY_H

#include "model.h"

#define WHY_MAX 448

const char *why_text(const struct lookup *l, char text[WHY_MAX]);

#endif /* _RINGLB_WHY_H */
