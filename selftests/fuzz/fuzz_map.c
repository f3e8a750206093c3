// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_map.c - the reader of maps of slots, from files and from words
 *
 * In: any bytes, as a file, and as ranges in a word if there is a = and no NUL in them.
 * Whatever they are: a map is refused with one printable sentence, or its ranges follow each
 * other; if it fits to a service, it is the table that is built from it, slot by slot, and
 * what is printed of it is read back as the same map.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "../../userspace/map.h"
#include "offline.h"

#define SLOTS 4096
#define BACKENDS 4	/* 10.0.0.1 and on, port 80 */

static void add_backends(struct service *s)
{
	struct backend b = { .state = RINGLB_STATE_UP, .weight = 1 };
	u32 i;

	for (i = 1; i <= BACKENDS; i++) {
		b.at.family = AF_INET;
		b.at.addr.v4 = htonl(0x0a000000 + i);
		b.at.port = 80;
		promise(!service_add(s, &b));
	}
}

/* What is printed of the service's map; to be freed */
static char *words_of(const struct service *s)
{
	char *words = NULL;
	size_t size;
	FILE *f = open_memstream(&words, &size);

	promise(f);
	map_print(f, s);
	fclose(f);
	promise(words);
	return words;
}

static void check_fitting(const struct service *s)
{
	char *words = words_of(s), *again;
	struct service back = *s;
	const struct map_range *r;
	struct table t;
	u32 slot = 0;

	promise(!offline_table(s, &t));
	for (r = s->map->range; r < s->map->range + s->map->n; r++)
		for (slot = r->first; slot <= r->last; slot++)
			promise(!addr_cmp(&t.members[t.owners[slot]].at, &r->at));
	promise(slot == SLOTS);
	table_free(&t);
	promise(!strncmp(words, " map ", 5) && !map_parse(words + 5, &back));
	again = words_of(&back);
	promise(!strcmp(words, again));
	free(words);
	free(again);
}

static void check_sentence(const char *wrong)
{
	promise(wrong && *wrong);
	for (; *wrong; wrong++)
		promise(*wrong >= ' ' && *wrong <= '~');
}

static void check(struct service *s, const char *word)
{
	const char *why;
	u32 i;

	if (map_parse(word, s)) {
		check_sentence(s->map->wrong);
		return;
	}
	for (i = 0; i < s->map->n; i++) {
		promise(s->map->range[i].first == (i ? s->map->range[i - 1].last + 1 : 0));
		promise(s->map->range[i].first <= s->map->range[i].last);
	}
	why = map_fit(s);
	if (why)
		check_sentence(why);
	else
		check_fitting(s);
}

static void check_word(struct service *s, const uint8_t *data, size_t size)
{
	char *word = strndup((const char *)data, size);

	promise(word);
	if (strlen(word) == size && strchr(word, '='))
		check(s, word);
	free(word);
}

static void check_file(struct service *s, const uint8_t *data, size_t size)
{
	int fd = memfd_create("map", 0);
	char path[32];

	promise(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check(s, path);
	close(fd);
}

void fuzz_map(const uint8_t *data, size_t size)
{
	struct service s = { .name = "web", .protocol = IPPROTO_TCP, .slots = SLOTS,
			     .method = RINGLB_METHOD_SLOTS };

	add_backends(&s);
	check_word(&s, data, size);
	check_file(&s, data, size);
	free(s.backends);
	map_free_all();
}
