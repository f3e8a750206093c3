/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * differ.h - what makes one configuration of another
 */
#ifndef _RINGLB_DIFFER_H
#define _RINGLB_DIFFER_H

#include <stdio.h>

#include "model.h"

int differ_print(FILE *to, const struct model *is, const struct model *wanted);

#endif /* _RINGLB_DIFFER_H */
