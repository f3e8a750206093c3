// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fuzz.c - the corpus of the fuzz targets once more, with whatever compiles the tests
 */
#include <dirent.h>

#include "../fuzz/fuzz.h"
#include "unit.h"

#define INPUT_MAX (64 * 1024)
#define LEAST 7		/* inputs of a target, or the corpus has been lost */

static void replay_file(const char *dir, const char *name, void (*target)(const uint8_t *, size_t))
{
	static uint8_t data[INPUT_MAX];
	char path[512];
	uint8_t *exact;
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	exact = malloc(size + 1);	/* its end is where a byte too many is noticed */
	memcpy(exact, data, size);
	exact = realloc(exact, size ? size : 1);
	target(exact, size);
	free(exact);
}

static void replay(const char *dir, void (*target)(const uint8_t *, size_t))
{
	DIR *d = opendir(dir);
	unsigned int n = 0;
	struct dirent *e;

	if (!d)
		refute("%s cannot be read", dir);
	while ((e = readdir(d))) {
		if (*e->d_name == '.')
			continue;
		replay_file(dir, e->d_name, target);
		n++;
	}
	closedir(d);
	assert_true(n >= LEAST);
}

static void build(void **unused)
{
	replay(FUZZ_CORPUS "/build", fuzz_build);
}

static void cid(void **unused)
{
	replay(FUZZ_CORPUS "/cid", fuzz_cid);
}

static void file(void **unused)
{
	replay(FUZZ_CORPUS "/file", fuzz_file);
}

static void parse(void **unused)
{
	replay(FUZZ_CORPUS "/parse", fuzz_parse);
}

static void map(void **unused)
{
	replay(FUZZ_CORPUS "/map", fuzz_map);
}

static void stream(void **unused)
{
	replay(FUZZ_CORPUS "/stream", fuzz_stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("fuzz: builders keep their promises for every input of the corpus", build),
		CLAIM("fuzz: connection ids are read as by a naive twin", cid),
		CLAIM("fuzz: readers of files keep theirs", file),
		CLAIM("fuzz: the parser of packets agrees with its twin", parse),
		CLAIM("fuzz: the reader of maps keeps its own", map),
		CLAIM("fuzz: the reader of another gateway's flows keeps its own", stream),
	};

	return cmocka_run_group_tests_name("fuzz", tests, NULL, NULL);
}
