/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * netns.h - into a network namespace
 */
#ifndef _BENCH_NETNS_H
#define _BENCH_NETNS_H

void netns_enter(const char *name);

#endif /* _BENCH_NETNS_H */
