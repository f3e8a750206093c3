// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_words.c - the tool's words: addresses, numbers, keywords, whole commands, files
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <limits.h>
#include <strings.h>

#include "batch.h"
#include "cmd.h"
#include "grammar.h"
#include "unit.h"
#include "words.h"

static void random_endpoint(struct endpoint *e)
{
	u32 i;

	memset(e, 0, sizeof(*e));
	e->family = unit_below(2) ? AF_INET : AF_INET6;
	for (i = 0; i < rlb_addr_len(e->family); i++)
		e->addr.byte[i] = unit_below(3) ? unit_random() : 0;
	if (e->family == AF_INET6)
		e->addr.byte[0] |= 0x20;	/* no ::, no IPv4 mapped */
	e->port = unit_below(3) ? unit_between(1, 65535) : 0;
}

static void endpoint_round_trip(void **unused)
{
	struct endpoint e, back;
	char word[ADDR_TEXT_MAX];
	unsigned int round;

	for (round = 0; round < unit_rounds(50000); round++) {
		random_endpoint(&e);
		addr_print(&e, word);
		if (addr_parse(word, ADDR_MAYBE_PORT, &back))
			refute("%s is refused", word);
		assert_memory_equal(&e, &back, sizeof(e));
		assert_int_equal(addr_cmp(&e, &back), 0);
		assert_int_equal(!addr_parse(word, ADDR_WITH_PORT, &back), e.port != 0);
	}
}

static void endpoint_mutants(void **unused)
{
	static const char bytes[] = "0123456789abcdef.:[]%/ x-\377";
	char word[2 * ADDR_TEXT_MAX], again[ADDR_TEXT_MAX];
	struct endpoint e, back;
	unsigned int round, n;
	size_t len, at;

	for (round = 0; round < unit_rounds(200000); round++) {
		random_endpoint(&e);
		addr_print(&e, word);
		for (n = unit_between(1, 4); n; n--) {
			len = strlen(word);
			at = unit_below(len + 1);
			switch (unit_below(3)) {
			case 0:		/* one more */
				memmove(word + at + 1, word + at, len - at + 1);
				/* fall through */
			case 1:		/* another one, or the end */
				word[at] = bytes[unit_below(sizeof(bytes) - (at == len))];
				word[len + 1] = '\0';
				break;
			case 2:		/* one less */
				memmove(word + at, word + at + 1, len - at);
			}
		}
		if (addr_parse(word, ADDR_MAYBE_PORT, &e))
			continue;
		/* What is taken means one endpoint, and has a word that means the same. */
		if (addr_parse(addr_print(&e, again), ADDR_MAYBE_PORT, &back))
			refute("%s is taken, its word %s is not", word, again);
		assert_memory_equal(&e, &back, sizeof(e));
	}
}

static void endpoint_length(void **unused)
{
	char word[300];
	struct endpoint e;
	size_t len;

	for (len = 1; len < sizeof(word); len++) {
		memset(word, '1', len);
		word[len] = '\0';
		assert_non_null(addr_parse(word, ADDR_MAYBE_PORT, &e));
		word[0] = '[';
		word[len - 1] = ']';
		assert_non_null(addr_parse(word, ADDR_MAYBE_PORT, &e));
		word[len / 2] = ':';
		assert_non_null(addr_parse(word, ADDR_MAYBE_PORT, &e));
	}
}

static void number(void **unused)
{
	static const char bytes[] = "0123456789+- .xe";
	char word[32], *end;
	unsigned int round;
	u64 value, max;
	size_t i, len;

	for (round = 0; round < unit_rounds(200000); round++) {
		unsigned long long naive;
		bool good;

		len = unit_below(23);
		for (i = 0; i < len; i++)
			word[i] = bytes[unit_below(unit_below(4) ? 10 : sizeof(bytes) - 1)];
		word[len] = '\0';
		max = unit_below(2) ? 65535 : UINT64_MAX;
		errno = 0;
		naive = strtoull(word, &end, 10);
		good = len && !*end && !errno && isdigit((unsigned char)*word) &&
		       (len == 1 || *word != '0') && naive <= max;
		value = 4711;
		if (!addr_number(word, max, &value) != good)
			refute("%s: %s", word, good ? "refused" : "taken");
		assert_int_equal(value, good ? naive : 4711);
	}
}

/* Values of a keyword: those that help names, or some of the many. */
static const char *examples(const struct keyword *k)
{
	if (!strcmp(k->word, "slots"))
		return "4096|65536|1048576";
	if (!strcmp(k->values, "P%"))
		return "0%|0.1%|1%|99.9%|100%";
	if (!strcmp(k->values, "P%|none"))
		return "0%|0.5%|1%|12.5%|100%|none";
	if (!strcmp(k->word, "seats"))
		return "fresh|0:1|1:65535,2:7";
	if (!strcmp(k->word, "map"))
		return "0-4095=10.0.0.1|0-9=fd00::1,10-10=[fd00::1]:80,11-4095=fd00::1";
	if (!strcmp(k->word, "snat-address"))
		return "route|10.0.2.1";
	if (!strcmp(k->word, "snat-ports"))
		return "1-1|20000-20999|61000-65535";
	if (!strcmp(k->values, "0-6"))
		return "0|3|6";
	if (!strcmp(k->values, "1-4"))
		return "1|2|4";
	if (!strcmp(k->values, "N|none"))
		return "0|7|4294967294|none";
	if (!strcmp(k->values, "SECONDS|none"))
		return "1|60|86400|none";
	if (!strcmp(k->values, "SECONDS"))
		return "1|60|604800";
	return strcmp(k->values, "N") ? k->values : "1|160|65535";
}

/* Each value that help names is read, printed as itself; nothing near it is read. */
static void keyword_values(const struct keyword *k, void *object)
{
	char values[80], near[96], printed[WORD_VALUE_MAX], *word, *rest;

	for (; k->word; k++) {
		strcpy(values, examples(k));
		for (word = strtok_r(values, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
			assert_int_equal(k->parse(word, object), 0);
			if (k->print) {
				k->print(printed, object);
				assert_string_equal(printed, word);
			}
			snprintf(near, sizeof(near), "%s ", word);
			assert_int_equal(k->parse(near, object), -1);
			snprintf(near, sizeof(near), "x%s", word);
			assert_int_equal(k->parse(near, object), -1);
			snprintf(near, strlen(word), "%s", word);
			if (!isdigit((unsigned char)*word) || strlen(word) == 1 || k->values[0] == 'P')
				assert_int_equal(k->parse(near, object), -1);
		}
		assert_int_equal(k->parse("", object), -1);
		if (k->print && strcmp(k->word, "id"))
			assert_int_equal(k->parse("1048577", object), -1);
	}
}

static void keywords(void **unused)
{
	struct service s = { 0 };
	struct backend b = { 0 };

	keyword_values(service_keywords, &s);
	keyword_values(backend_keywords, &b);
}

/* What the protocol has, the tool has a word for. */
static void complete(void **unused)
{
	unsigned int i, j;

	for (i = 1; i <= RINGLB_COUNTER_MAX; i++) {
		if (i == RINGLB_COUNTER_PAD)
			continue;
		assert_non_null(word_counter(i));
		for (j = 1; j < i; j++)
			if (word_counter(j))
				assert_string_not_equal(word_counter(i), word_counter(j));
	}
	for (i = 1; i <= RINGLB_METHOD_SEAT; i++)
		assert_string_not_equal(word_method(i), "unknown");
	for (i = 1; i <= RINGLB_KEY_MAX; i++)
		assert_string_not_equal(word_key(i), "unknown");
	for (i = 1; i <= RINGLB_STATE_MAX; i++)
		assert_string_not_equal(word_state(i), "unknown");
	assert_string_equal(word_state(RINGLB_STATE_MAX + 1), "unknown");
}

/* Tenths of a percent: every number has one word, and no other word means it. */
static void tenths(void **unused)
{
	static const char bytes[] = "0123456789.%+- x";
	char word[WORD_VALUE_MAX], again[WORD_VALUE_MAX];
	unsigned int round;
	u32 value, i, len;

	for (i = 0; i <= 1000; i++) {
		assert_int_equal(word_tenths_find(word_tenths(i, word), 1000, &value), 0);
		assert_int_equal(value, i);
		assert_int_equal(word_tenths_find(word, i ? i - 1 : 0, &value), i ? -1 : 0);
		snprintf(again, sizeof(again), "%u.%u%%", i / 10, i % 10);
		assert_int_equal(word_tenths_find(again, 1000, &value), 0);
		assert_int_equal(value, i);
	}
	for (round = 0; round < unit_rounds(300000); round++) {
		len = unit_below(8);
		for (i = 0; i < len; i++)
			word[i] = bytes[unit_below(sizeof(bytes) - 1)];
		word[len] = '\0';
		if (word_tenths_find(word, 1000, &value))
			continue;
		assert_true(value <= 1000);
		snprintf(again, sizeof(again), "%u.%u%%", value / 10, value % 10);
		if (strcmp(again, word))	/* "1.0%" may be "1%" */
			assert_string_equal(word_tenths(value, again), word);
	}
}

static void names(void **unused)
{
	char word[RINGLB_NAME_MAX + 2] = "";
	int c;

	assert_false(word_is_name(""));
	for (c = 1; c < 256; c++) {
		bool good = c < 128 && (isalnum(c) || strchr("._-", c));

		word[0] = 'a';
		word[1] = c;
		assert_int_equal(word_is_name(word), good);
		word[0] = c;
		assert_int_equal(word_is_name(word), good && c != '-');
	}
	memset(word, 'a', RINGLB_NAME_MAX);
	assert_true(word_is_name(word));
	word[RINGLB_NAME_MAX] = 'a';
	assert_false(word_is_name(word));
}

static void secrets(void **unused)
{
	char word[40], back[40];
	u8 key[16], read[16];
	unsigned int round, i;

	for (round = 0; round < unit_rounds(2000); round++) {
		for (i = 0; i < 16; i++) {
			key[i] = unit_random();
			sprintf(word + 2 * i, unit_below(2) ? "%02x" : "%02X", key[i]);
		}
		assert_int_equal(word_secret(word, read), 0);
		assert_memory_equal(key, read, 16);
		strcpy(back, word);
		word[unit_below(32)] = "gG/:@`x -"[unit_below(9)];
		assert_int_equal(word_secret(word, read), -1);
		back[unit_below(32)] = '\0';
		assert_int_equal(word_secret(back, read), -1);
	}
	assert_int_equal(word_secret("000102030405060708090a0b0c0d0e0f0", read), -1);
}

#define WORDS_MAX 40

/* A good command of each kind, and words that stand near to good ones */
static const char *const lines[] = {
	"service add web tcp 192.0.2.10:443 method ring key src vnodes 7",
	"service add web tcp 192.0.2.10:443 slots 4096 slack 0.5% settle 0% track none timeout 30 drain-timeout 60 last-resort off",
	"service set web vnodes 8 key 5tuple if-generation 7", "service del web", "service show web",
	"backend add web 10.0.0.1:80 weight 2 state drain", "backend set web fd00::1 weight 0",
	"backend drain web [fd00::1]:80", "backend up web 10.0.0.1", "backend down web 10.0.0.1",
	"backend del web 10.0.0.1 if-generation 4294967295", "backend add web 10.0.0.1 10.0.0.2:80 weight 3",
	"backend show web 10.0.0.1",
	"lookup tcp 198.51.100.7:40222 192.0.2.10:443", "table show web", "table digest",
	"service set web method slots slots 4096 map 0-7=10.0.0.1,8-4095=10.0.0.2:80", "table map web",
	"plan web backend add 10.0.0.1 weight 2 limit 5%", "plan from a to b limit 0%",
	"plan web backend del 10.0.0.1 plot a.svg limit 1%",
	"plan web service set slack 1% backend del 10.0.0.1 backend set 10.0.0.2 weight 0",
	"simulate web slots 4096 slack none plot a.svg method ring pcap a.pcap", "simulate backends 100 weight 1,2,65535 seed 7",
	"flow show web 10.0.0.11:80", "flow flush", "flow set limit 4096", "flow stats",
	"dev add eth0", "dev del eth0", "dev show", "dev show eth0",
	"flow export web follow buffer 65536", "flow import flows.txt replace",
	"secret show", "secret set 000102030405060708090a0b0c0d0e0f", "secret set random",
	"save secret", "apply web.conf dry", "monitor", "history web", "check", "flush", "version", "help backend",
};

static const char *const spare[] = {
	"simulate", "backends", "seed", "plot", "1,2", "1,", "plan", "limit", "from", "to", "backend", "service", "set", "slack", "settle", "slots", "none", "0.5%", "100.1%", "%", "4096", "if-generation", "track", "timeout", "drain-timeout", "last-resort", "off", "udp-drain", "keep", "60",
	"", "-", "-j", "web", "tcp", "ring", "weight", "-3", "65536", "99999999999999999999",
	"[::]:1", "[", "]", ":", "%", "\x01\x7f\xff", "\"", "state", "secret", "show", "add",
};

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* Cut a line and change some of its words. Words belong to @store. */
static int mutate(char *words[WORDS_MAX], char store[1024])
{
	char *word, *rest;
	int n = 0, i, j;

	strcpy(store, lines[unit_below(N(lines))]);
	for (word = strtok_r(store, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[n++] = word;
	for (i = unit_below(3); i; i--) {
		j = unit_below(n + 1);
		switch (unit_below(4)) {
		case 0:		/* another word */
			words[j < n ? j : 0] = (char *)spare[unit_below(N(spare))];
			break;
		case 1:		/* one more */
			if (n < WORDS_MAX) {
				memmove(words + j + 1, words + j, (n - j) * sizeof(*words));
				words[j] = (char *)spare[unit_below(N(spare))];
				n++;
			}
			break;
		case 2:		/* fewer */
			n = j;
			break;
		case 3:		/* two change places */
			if (n > 1 && j < n - 1) {
				word = words[j];
				words[j] = words[j + 1];
				words[j + 1] = word;
			}
		}
	}
	return n;
}

static void check_error(const char *error)
{
	const char *p;

	assert_true(*error);
	for (p = error; *p; p++)
		if (*p < ' ' || *p > '~')
			refute("an error has byte %d: %s", *p, error);
}

static void whole_commands(void **unused)
{
	char *words[WORDS_MAX], store[1024];
	unsigned int round, taken = 0;
	struct command command;

	for (round = 0; round < unit_rounds(300000); round++) {
		struct cmd c = { .word = words, .n = mutate(words, store) };

		if (grammar_parse(&c, &command)) {
			check_error(c.error);
			continue;
		}
		taken++;
		assert_int_equal(c.at, c.n);	/* no word is passed over */
		assert_non_null(command.g->run);
	}
	assert_true(taken > unit_rounds(300000) / 10);
}

/* All lines are taken, and every command there is has one. */
static void every_command(void **unused)
{
	bool seen[64] = { false };
	char *words[WORDS_MAX], store[1024], *word, *rest;
	struct command command;
	size_t i;

	for (i = 0; i < N(lines); i++) {
		struct cmd c = { .word = words };

		strcpy(store, lines[i]);
		for (word = strtok_r(store, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
			words[c.n++] = word;
		if (grammar_parse(&c, &command))
			refute("%s: %s", lines[i], c.error);
		seen[command.g - grammar] = true;
	}
	for (i = 0; i < grammar_size; i++)
		if (!seen[i])
			refute("no line has command %s %s", grammar[i].object,
			       grammar[i].verb ? grammar[i].verb : "");
}

static void files(void **unused)
{
	static const char bytes[] = "#\n\r\t \0-x0";
	char text[2048], error[1024];
	unsigned int round, n;
	size_t len, i;

	for (round = 0; round < unit_rounds(20000); round++) {
		struct batch b = { .file = "f" };
		FILE *f;

		for (len = 0; len < 1500 && unit_below(8);)
			len += sprintf(text + len, "%s\n", lines[unit_below(N(lines))]);
		for (n = unit_below(4); n && len; n--)
			text[unit_below(len)] = bytes[unit_below(sizeof(bytes) - 1)];
		if (!len)
			continue;
		f = fmemopen(text, len, "r");
		assert_non_null(f);
		if (batch_parse(&b, f, error, sizeof(error)))
			check_error(error);
		for (i = 0; i < b.n; i += n) {
			n = batch_group(&b, i);
			assert_true(n >= 1);
			assert_true(i + n <= b.n);
		}
		batch_free(&b);
		fclose(f);
	}
}

/* Lines about backends and maps of one service are one change, and nothing else is. */
static void groups(void **unused)
{
	static const char text[] =
		"service add a tcp 192.0.2.1:80 method ring\n"
		"backend add a 10.0.0.1\nbackend add a 10.0.0.2\n# b\nbackend down a 10.0.0.1\n"
		"backend add b 10.0.0.4 10.0.0.5\nbackend set b 10.0.0.4 weight 1\nbackend del b 10.0.0.4\n"
		"service set b slots 4096\nservice set b slots 8192\n"
		"backend add b 10.0.0.7\n"
		"backend add b 10.0.0.8 10.0.0.9 10.0.0.10 if-generation 1\nbackend add b 10.0.0.11\n"
		"backend add b 10.0.0.12 if-generation 2\n"
		"service set c method slots map 0-4095=10.0.0.1\nbackend del c 10.0.0.9\n"
		"service set c map 0-4095=10.0.0.2\nservice set c method ring\n"
		"service set c map 0-4095=10.0.0.2\nservice set d map 0-4095=10.0.0.2\n"
		"service set d map 0-4095=10.0.0.2 if-generation 9\n";
	static const size_t expected[] = { 1, 3, 4, 1, 1, 1, 4, 1, 3, 1, 1, 1, 1 };
	static const unsigned int line[] = { 1, 2, 6, 9, 10, 11, 12, 14, 15, 18, 19, 20, 21 };
	struct batch b = { .file = "f" };
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	char error[1024];
	size_t i, g;

	assert_non_null(f);
	assert_int_equal(batch_parse(&b, f, error, sizeof(error)), 0);
	for (i = 0, g = 0; i < b.n; i += batch_group(&b, i), g++) {
		assert_int_equal(batch_group(&b, i), expected[g]);
		assert_int_equal(b.commands[i].line, line[g]);
	}
	assert_int_equal(g, N(expected));
	batch_free(&b);
	fclose(f);
}

/* A line that names several backends is a command for each of them. */
static void several(void **unused)
{
	char text[] = "backend set a 10.0.0.1 10.0.0.2:80 [fd00::1]:81 fd00::2 state down";
	static const char *const at[] = { "10.0.0.1", "10.0.0.2:80", "[fd00::1]:81", "fd00::2" };
	char word[ADDR_TEXT_MAX], error[1024];
	struct batch b = { .file = "f" };
	FILE *f = fmemopen(text, strlen(text), "r");
	size_t i;

	assert_int_equal(batch_parse(&b, f, error, sizeof(error)), 0);
	assert_int_equal(b.n, N(at));
	for (i = 0; i < b.n; i++) {
		const struct backend *backend = &b.commands[i].backend;

		assert_string_equal(addr_print(&backend->at, word), at[i]);
		assert_int_equal(HAS(backend, RINGLB_A_BACKEND_PORT), strstr(at[i], ":8") != NULL);
		assert_int_equal(HAS(backend, RINGLB_A_BACKEND_IPV4), i < 2);
		assert_int_equal(HAS(backend, RINGLB_A_BACKEND_IPV6), i >= 2);
		assert_int_equal(backend->state, RINGLB_STATE_DOWN);
		assert_string_equal(b.commands[i].service.name, "a");
	}
	batch_free(&b);
	fclose(f);
}

static void long_group(void **unused)
{
	struct batch b = { .file = "f" };
	char *text = NULL, error[1024];
	FILE *f;
	size_t size, i;

	f = open_memstream(&text, &size);
	for (i = 0; i < 5000; i++)
		fprintf(f, "backend add a 10.0.%zu.%zu\n", i / 256, i % 256);
	fclose(f);
	f = fmemopen(text, size, "r");
	assert_int_equal(batch_parse(&b, f, error, sizeof(error)), 0);
	assert_int_equal(batch_group(&b, 0), 5000);
	batch_free(&b);
	fclose(f);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("words: an endpoint's word is read back as the same", endpoint_round_trip),
		CLAIM("words: a changed endpoint is refused or means one endpoint", endpoint_mutants),
		CLAIM("words: what is long and no endpoint is refused", endpoint_length),
		CLAIM("words: numbers are digits alone, as a naive twin reads them", number),
		CLAIM("words: values of keywords are printed as they are read", keywords),
		CLAIM("words: tenths of a percent have one word each, or .0", tenths),
		CLAIM("words: the protocol has nothing without a word", complete),
		CLAIM("words: names have the letters that they may have", names),
		CLAIM("words: secrets are 32 hex digits", secrets),
		CLAIM("words: every command has a line that is taken", every_command),
		CLAIM("words: changed commands are taken whole or refused in print", whole_commands),
		CLAIM("words: changed files are taken or refused in print", files),
		CLAIM("words: lines about backends and maps of one service are one change", groups),
		CLAIM("words: a line with several backends is as many commands", several),
		CLAIM("words: one change may have any number of lines", long_group),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
