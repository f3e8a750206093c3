/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plot.h - a drawing of a change: the ring before and after it
 */
#ifndef _RINGLB_PLOT_H
#define _RINGLB_PLOT_H

#include "plan.h"

int plot_write(const char *file, const struct plan *p, const struct table *before,
	       const struct table *after);

#endif /* _RINGLB_PLOT_H */
