// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - libFuzzer's way into a target: FUZZ_TARGET says which
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FUZZ_TARGET(data, size);
	return 0;
}
