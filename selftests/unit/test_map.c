// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_map.c - userspace/map.c: a map of slots is read as it stands, or refused with its line
 *
 * The naive twin paints each range onto a table, slot by slot, and looks at what is left.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <unistd.h>

#include "../../userspace/map.h"
#include "offline.h"
#include "unit.h"
#include "wire.h"

#define SLOTS 4096
#define BACKENDS 9	/* 10.0.0.1 and on; the last one has no weight, 10.0.0.10 is not there */
#define RANGES 60

struct range {
	u32 first;
	u32 last;
	u32 backend;
};

static struct service web;

static struct endpoint at(u32 number)
{
	struct endpoint e = { .family = AF_INET, .port = number % 2 ? 80 : 0 };

	e.addr.v4 = htonl(0x0a000000 + number);
	return e;
}

static int make_service(void **unused)
{
	struct backend b = { .state = RINGLB_STATE_UP };
	u32 i;

	web = (struct service) { .name = "web", .protocol = IPPROTO_TCP, .slots = SLOTS,
				 .method = RINGLB_METHOD_SLOTS };
	for (i = 1; i <= BACKENDS; i++) {
		b.at = at(i);
		b.weight = i < BACKENDS;
		assert_int_equal(service_add(&web, &b), 0);
	}
	return 0;
}

static int free_service(void **unused)
{
	free(web.backends);
	return 0;
}

/* Cuts the table at random places; some ranges are then spoilt, and all shuffled. */
static u32 make_ranges(struct range *r)
{
	u32 n = 0, s = 0, i, spoils = unit_below(3);
	struct range keep;

	for (; s < SLOTS; s = r[n++].last + 1) {
		r[n] = (struct range) { s, s + unit_below(SLOTS / 12), 1 + unit_below(BACKENDS - 1) };
		if (r[n].last >= SLOTS || n == RANGES - 1)
			r[n].last = SLOTS - 1;
	}
	for (; spoils; spoils--) {
		i = unit_below(n);
		switch (unit_below(5)) {
		case 0:
			r[i].first += 1 + unit_below(2);
			break;
		case 1:
			r[i].first -= r[i].first ? 1 : 0;
			break;
		case 2:
			r[i].last += unit_below(2) ? 1 : SLOTS;
			break;
		case 3:
			r[i].backend = BACKENDS + unit_below(2);
			break;
		case 4:
			r[i] = r[--n];
			break;
		}
	}
	for (i = 0; i < n; i++) {
		s = i + unit_below(n - i);
		keep = r[i];
		r[i] = r[s];
		r[s] = keep;
	}
	return n;
}

/* Is each slot painted once, by a member? */
static bool paint(const struct range *r, u32 n, u8 *owner)
{
	u32 i, s, painted = 0;

	memset(owner, 0, SLOTS);
	for (i = 0; i < n; i++) {
		if (r[i].last >= SLOTS || r[i].last < r[i].first || r[i].backend >= BACKENDS)
			return false;
		for (s = r[i].first; s <= r[i].last; s++, painted++) {
			if (owner[s])
				return false;
			owner[s] = r[i].backend;
		}
	}
	return painted == SLOTS;
}

static char *as_word(const struct range *r, u32 n)
{
	char *word = NULL, text[ADDR_TEXT_MAX];
	struct endpoint e;
	size_t size;
	FILE *f = open_memstream(&word, &size);
	u32 i;

	for (i = 0; i < n; i++) {
		e = at(r[i].backend);
		fprintf(f, "%s%u", i ? "," : "", r[i].first);
		if (r[i].first != r[i].last || unit_below(2))
			fprintf(f, "-%u", r[i].last);
		fprintf(f, "=%s", addr_print(&e, text));
	}
	fclose(f);
	return word;
}

static char *printed(const struct service *s)
{
	char *word = NULL;
	size_t size;
	FILE *f = open_memstream(&word, &size);

	map_print(f, s);
	fclose(f);
	return word;
}

/* A good map is the table, and its words are read back as the same words. */
static void check_good(const u8 *owner)
{
	char *word = printed(&web), *again;
	struct service back = web;
	struct table t;
	u32 s;

	assert_int_equal(offline_table(&web, &t), 0);
	for (s = 0; s < SLOTS; s++)
		assert_int_equal(ntohl(t.members[t.owners[s]].at.addr.v4) & 0xff, owner[s]);
	assert_memory_equal(word, " map ", 5);
	assert_int_equal(map_parse(word + 5, &back), 0);
	again = printed(&back);
	assert_string_equal(again, word);
	free(again);
	back.map = map_of_table(&t);
	assert_non_null(back.map);
	again = printed(&back);
	assert_string_equal(again, word);
	free(again);
	free(word);
	table_free(&t);
}

static void as_naive(void **unused)
{
	unsigned int round, good = 0;
	struct range r[RANGES];
	u8 owner[SLOTS];
	const char *why;
	char *word;
	u32 n;

	for (round = 0; round < unit_rounds(3000); round++) {
		n = make_ranges(r);
		word = as_word(r, n);
		why = map_parse(word, &web) ? web.map->wrong : map_fit(&web);
		if (paint(r, n, owner) != !why)
			refute("%s: %s", word, why ? why : "taken");
		free(word);
		if (why)
			continue;
		good++;
		check_good(owner);
	}
	assert_true(good > round / 5 && good < round * 4 / 5);
}

static void file_of(char path[32], const char *text, size_t len)
{
	int fd;

	strcpy(path, "/tmp/test_map.XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
}

/* Reads a file; what is wrong with it, without the file's name */
static const char *read_text(const char *text, size_t len)
{
	char path[32];
	int err;

	file_of(path, text, len);
	err = map_parse(path, &web);
	unlink(path);
	assert_int_equal(!err, !web.map->wrong);
	if (!err)
		return map_fit(&web) ? strchr(map_fit(&web), ':') + 1 : NULL;
	assert_memory_equal(web.map->wrong, path, strlen(path));
	return web.map->wrong + strlen(path) + 1;
}

static void lines(void **unused)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{ "0-4095 10.0.0.2", NULL },
		{ "# a\n\n \t 0-4094\t10.0.0.2 # b\r\n4095 10.0.0.2\n", NULL },
		{ "4095 10.0.0.2\n0-4094 10.0.0.1:80\n", NULL },
		{ "", "1: expected ranges of slots" },
		{ "# nothing\n\n", "1: expected ranges of slots" },
		{ "0-4095\n", "1: backend is missing: expected ADDR or ADDR:PORT" },
		{ "0-4095 10.0.0.2 x\n", "1: \"x\": expected nothing more" },
		{ "0-4095 a b c d e f g h\n", "1: expected FIRST-LAST BACKEND" },
		{ "#\n7-6 10.0.0.2\n", "2: slots \"7-6\": expected the first not to be above the last" },
		{ "1-4095 10.0.0.2\n", "1: slot 0 has no owner" },
		{ "0-9 10.0.0.2\n20-4095 10.0.0.2\n", "2: slots 10 to 19 have no owner" },
		{ "20-4095 10.0.0.2\n0-9 10.0.0.2\n", "1: slots 10 to 19 have no owner" },
		{ "0-9 10.0.0.2\n", "1: slots 10 to 4095 have no owner" },
		{ "0-9 10.0.0.2\n9-4095 10.0.0.2\n", "2: slot 9 has an owner already, by line 1" },
		{ "0-4095 10.0.0.2\n\n0 10.0.0.2\n", "3: slot 0 has an owner already, by line 1" },
		{ "0-4095 10.0.0.2\n4096 10.0.0.2\n", "2: slot 4096 is beyond the last one, 4095" },
		{ "0-4095 10.0.0.10\n",
		  "1: slots 0 to 4095 are given to 10.0.0.10, which is no backend of the service" },
		{ "0-4095 10.0.0.9:80\n", "1: slots 0 to 4095 are given to 10.0.0.9:80, which has weight 0" },
		{ "0-4095 10.0.0.2:80\n",
		  "1: slots 0 to 4095 are given to 10.0.0.2:80, which is no backend of the service" },
		{ "0-4095 10.0.0.\xff\n",
		  "1: backend \"10.0.0.\\xff\": expected ADDR or ADDR:PORT, as 10.0.0.11, 10.0.0.11:80, fd00::11 or [fd00::11]:80" },
	};
	const char *why;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		why = read_text(cases[i].text, strlen(cases[i].text));
		if (!why != !cases[i].why || (why && strcmp(why, cases[i].why)))
			refute("%s: %s", cases[i].text, why ? why : "taken");
	}
	assert_string_equal(read_text("0-9 10.0.0.2\n\0\n", 15),
			    "2: expected text, found a NUL byte");
}

static void broken_bytes(void **unused)
{
	static const char good[] = "# map\n0-99 10.0.0.2\n100-4095 10.0.0.1:80 # b\n";
	char text[sizeof(good)];
	unsigned int round, n;
	const char *why, *p;

	for (round = 0; round < unit_rounds(2000); round++) {
		memcpy(text, good, sizeof(good));
		for (n = 1 + unit_below(4); n; n--)
			text[unit_below(sizeof(good) - 1)] = unit_below(256);
		why = read_text(text, sizeof(good) - 1);
		for (p = why; p && *p; p++)
			assert_true(isprint((unsigned char)*p));
	}
}

static void many_lines(void **unused)
{
	struct service big = web;
	char *text = NULL, path[32];
	size_t size;
	FILE *f = open_memstream(&text, &size);
	struct table t;
	u32 i;

	for (i = 0; i < 100000; i++)
		fprintf(f, "%u-%u 10.0.0.%s\n", i * 10, i == 99999 ? (1U << 20) - 1 : i * 10 + 9,
			i % 2 ? "1:80" : "2");
	fclose(f);
	file_of(path, text, size);
	big.slots = 1U << 20;
	assert_int_equal(map_parse(path, &big), 0);
	unlink(path);
	free(text);
	assert_int_equal(big.map->n, 100000);
	assert_null(map_fit(&big));
	assert_int_equal(offline_table(&big, &t), 0);
	for (i = 0; i < 1U << 20; i++)
		assert_int_equal(t.owners[i], i < 1000000 ? !(i / 10 % 2) : 0);
	table_free(&t);
}

/* All of a map is in messages, each range once, and each message can be sent. */
static void messages(void **unused)
{
	struct map_range *r = calloc(5000, sizeof(*r));
	u32 i, seen = 0, n_messages = 0;
	struct nlattr *a, *tb[RINGLB_A_BACKEND_MAX + 1];
	struct nl_msg *msg;
	int put, left;

	for (i = 0; i < 5000; i++)
		r[i] = (struct map_range) { .first = i, .last = i, .at = at(i / 1300 * 2) };
	for (i = 0; i < 5000; i += put, n_messages++) {
		msg = nlmsg_alloc_size(96 * 1024);
		assert_non_null(genlmsg_put(msg, 0, 0, 20, 0, 0, RINGLB_CMD_SERVICE_SET, 1));
		put = wire_put_map(msg, r + i, 5000 - i);
		assert_true(put > 0);
		nlmsg_for_each_attr(a, nlmsg_hdr(msg), GENL_HDRLEN, left) {
			const struct ringlb_range *list;
			u32 k, addr;

			assert_int_equal(nla_type(a), RINGLB_A_BACKEND);
			assert_int_equal(nla_parse_nested(tb, RINGLB_A_BACKEND_MAX, a, NULL), 0);
			memcpy(&addr, nla_data(tb[RINGLB_A_BACKEND_IPV4]), sizeof(addr));
			list = nla_data(tb[RINGLB_A_BACKEND_RANGES]);
			for (k = 0; k < nla_len(tb[RINGLB_A_BACKEND_RANGES]) / sizeof(*list); k++) {
				assert_int_equal(list[k].first, seen);
				assert_int_equal(list[k].last, seen);
				assert_int_equal(ntohl(addr) & 0xff, seen / 1300 * 2);
				seen++;
			}
		}
		assert_int_equal(seen, i + put);
		nlmsg_free(msg);
	}
	assert_int_equal(n_messages, 3);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("map: a word is the table that it says, or refused, as a naive twin has it",
		      as_naive),
		CLAIM("map: what is wrong in a file is told with line and rule", lines),
		CLAIM("map: files with broken bytes are taken or refused in print", broken_bytes),
		CLAIM("map: a file of 100000 lines", many_lines),
		CLAIM("map: a long map is cut into messages, each range in one", messages),
	};

	return cmocka_run_group_tests_name("map", tests, make_service, free_service);
}
