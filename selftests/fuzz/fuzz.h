/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - what takes any bytes, and what must hold whatever they are
 *
 * Each target takes an input and ends the program if a promise is broken. Under libFuzzer
 * (Makefile here) inputs are searched for; selftests/unit/test_fuzz.c replays the corpus.
 */
#ifndef _RINGLB_FUZZ_H
#define _RINGLB_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define promise(condition) do {							\
	if (!(condition)) {							\
		fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);	\
		abort();							\
	}									\
} while (0)

void fuzz_build(const uint8_t *data, size_t size);
void fuzz_cid(const uint8_t *data, size_t size);
void fuzz_file(const uint8_t *data, size_t size);
void fuzz_parse(const uint8_t *data, size_t size);
void fuzz_map(const uint8_t *data, size_t size);
void fuzz_stream(const uint8_t *data, size_t size);

#endif /* _RINGLB_FUZZ_H */
