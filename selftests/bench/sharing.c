// SPDX-License-Identifier: GPL-2.0-only
/*
 * sharing.c - do processors write to the same cache lines? A plugin of QEMU's (-plugin)
 *
 *   sharing.so,dir=DIR
 *
 * In:  in DIR, "range": a line "ADDRESS BYTES", where the guest's module is. From the guest's
 *      instruction `nopl 0x1524c42(%rax)` on, at which that line is read, to
 *      `nopl 0x2524c42(%rax)`, at which the result is written, each store by an instruction
 *      of that module counts.
 * Out: in DIR, "sharing": stores by processor, lines written to, and of lines that more than
 *      one has written to: how many, and the most often that one of them passed from one
 *      processor to another. Memory that one frees and another takes passes a few times; what
 *      both write for each packet passes thousands of times.
 *
 * What of QEMU's plugin interface (version 1) is used stands below: no package has its header.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;

enum { CB_NO_REGS, MEM_W = 2 };

typedef void (*tb_cb)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*mem_cb)(unsigned int cpu, uint32_t info, uint64_t vaddr, void *data);
typedef void (*exec_cb)(unsigned int cpu, void *data);

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, tb_cb cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, mem_cb cb, int flags, int rw,
				      void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, exec_cb cb, int flags,
					    void *data);

bool qemu_plugin_mem_is_store(uint32_t info);

int qemu_plugin_version = 1;
int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv);

#define LINE_BITS 6
#define TABLE (1U << 20)	/* places for lines; open addressing */
#define CPUS 8
#define WORST 8	/* lines that are told of one by one */
#define MODULES 0xffffffffc0000000ULL	/* where modules are, on x86-64 */

struct line {
	uint64_t at;		/* its address >> LINE_BITS; 0: none */
	uint64_t code;		/* the latest instruction that took it from another processor */
	unsigned int stores;
	unsigned int cpu;	/* that wrote to it last */
	unsigned int passed;	/* from one to another */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct line table[TABLE];
static uint64_t stores[CPUS];
static const char *dir;
static uint64_t first, size;
static volatile bool watching;

static const uint8_t mark[2][7] = {	/* nopl disp32(%rax) */
	{ 0x0f, 0x1f, 0x80, 0x42, 0x4c, 0x52, 0x01 },
	{ 0x0f, 0x1f, 0x80, 0x42, 0x4c, 0x52, 0x02 },
};

static struct line *line_of(uint64_t vaddr)
{
	uint64_t at = vaddr >> LINE_BITS;
	uint32_t i = at * 0x9e3779b97f4a7c15ULL >> 44;

	while (table[i].at && table[i].at != at)
		i = (i + 1) % TABLE;
	return &table[i];
}

static void store(unsigned int cpu, uint32_t info, uint64_t vaddr, void *code)
{
	struct line *line;

	/* Some versions of QEMU tell of loads, too, whoever asked for stores alone. */
	if (!watching || !qemu_plugin_mem_is_store(info) || (uintptr_t)code - first >= size)
		return;
	pthread_mutex_lock(&lock);
	if (watching) {
		line = line_of(vaddr);
		stores[cpu % CPUS]++;
		if (line->at && line->cpu != cpu) {
			line->passed++;
			line->code = (uintptr_t)code;
		}
		line->at = vaddr >> LINE_BITS;
		line->cpu = cpu;
		line->stores++;
	}
	pthread_mutex_unlock(&lock);
}

static FILE *open_in_dir(const char *name, const char *mode)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return fopen(path, mode);
}

static void read_range(void)
{
	FILE *from = open_in_dir("range", "r");

	size = 0;
	if (!from)
		return;
	if (fscanf(from, "%" SCNx64 " %" SCNu64, &first, &size) != 2)
		size = 0;
	fclose(from);
}

static void begin(unsigned int cpu, void *data)
{
	(void)cpu, (void)data;
	pthread_mutex_lock(&lock);
	read_range();
	memset(table, 0, sizeof(table));
	memset(stores, 0, sizeof(stores));
	watching = true;
	pthread_mutex_unlock(&lock);
}

static int by_passed(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->passed < y->passed) - (x->passed > y->passed);
}

/* Reorders the table, which the next beginning empties. */
static void tell(FILE *to)
{
	unsigned int lines = 0, shared = 0;
	uint32_t i;

	for (i = 0; i < TABLE; i++) {
		lines += !!table[i].at;
		shared += !!table[i].passed;
	}
	qsort(table, TABLE, sizeof(table[0]), by_passed);
	fprintf(to, "{\"stores\": [%" PRIu64 ", %" PRIu64 "], \"lines\": %u, \"shared\": %u, "
		"\"passed\": %u, \"worst\": [", stores[0], stores[1], lines, shared,
		table[0].passed);
	for (i = 0; i < WORST && table[i].passed; i++)
		fprintf(to, "%s{\"line\": \"%#" PRIx64 "\", \"stores\": %u, \"passed\": %u, "
			"\"by\": \"%#" PRIx64 "\"}", i ? ", " : "", table[i].at << LINE_BITS,
			table[i].stores, table[i].passed, table[i].code - first);
	fprintf(to, "]}\n");
}

static void end(unsigned int cpu, void *data)
{
	FILE *to = open_in_dir("sharing", "w");

	(void)cpu, (void)data;
	pthread_mutex_lock(&lock);
	watching = false;
	if (to) {
		tell(to);
		fclose(to);
	}
	pthread_mutex_unlock(&lock);
}

static void translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t i, n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	for (i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t vaddr = qemu_plugin_insn_vaddr(insn);

		if (vaddr >= MODULES)
			qemu_plugin_register_vcpu_mem_cb(insn, store, CB_NO_REGS, MEM_W,
							 (void *)(uintptr_t)vaddr);
		if (qemu_plugin_insn_size(insn) != sizeof(mark[0]))
			continue;
		if (!memcmp(qemu_plugin_insn_data(insn), mark[0], sizeof(mark[0])))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, begin, CB_NO_REGS, NULL);
		if (!memcmp(qemu_plugin_insn_data(insn), mark[1], sizeof(mark[1])))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, end, CB_NO_REGS, NULL);
	}
}

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv)
{
	(void)info;
	if (argc != 1 || strncmp(argv[0], "dir=", 4)) {
		fprintf(stderr, "sharing: expected dir=DIR\n");
		return -1;
	}
	dir = strdup(argv[0] + 4);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
