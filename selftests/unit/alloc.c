// SPDX-License-Identifier: GPL-2.0-only
/*
 * alloc.c - memory for module/lookup/ in the tests: counted, poisoned, failing on demand
 */
#include "unit.h"

long unit_alloc_fail_at = -1;
long unit_alloc_live;
long unit_alloc_calls;

void *rlb_env_alloc(size_t n, size_t size)
{
	void *p;

	unit_alloc_calls++;
	if (unit_alloc_fail_at >= 0 && !unit_alloc_fail_at--)
		return NULL;
	p = reallocarray(NULL, n, size);
	if (p) {
		memset(p, 0xa5, n * size);
		unit_alloc_live++;
	}
	return p;
}

void rlb_env_free(void *p)
{
	if (p)
		unit_alloc_live--;
	free(p);
}
