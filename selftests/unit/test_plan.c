// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_plan.c - plans against a naive count over tables that need not be canonical
 */
#include "offline.h"
#include "plan.h"
#include "unit.h"

#define BACKENDS_MAX 24
#define SLOTS_MAX 8192

static struct service random_service(u32 slots)
{
	struct service s = { .protocol = 6, .vip.family = AF_INET, .vip.port = 80,
			     .key = RINGLB_KEY_5TUPLE, .slots = slots, .vnodes = 3,
			     .slack = unit_below(3) ? unit_below(30) : RINGLB_SLACK_NONE,
			     .settle = 10, .name = "web" };

	s.method = unit_between(1, RINGLB_METHOD_MAGLEV);
	return s;
}

static void random_backends(struct service *s, u32 keep)
{
	struct backend b = { .at.family = AF_INET };
	u32 i;

	for (i = 1; i <= BACKENDS_MAX; i++) {
		b.at.addr.byte[0] = 10;
		b.at.addr.byte[3] = i;
		b.weight = unit_below(4);
		if (unit_below(keep) && !service_find(s, &b.at))
			service_add(s, &b);
	}
}

/* Some of them go, come, or get another weight. */
static void change(struct service *s)
{
	u32 i;

	for (i = unit_below(4); i && s->n; i--)
		service_del(s, &s->backends[unit_below(s->n)]);
	for (i = unit_below(4); i && s->n; i--)
		s->backends[unit_below(s->n)].weight = unit_below(4);
	if (!unit_below(3))
		random_backends(s, 2);
}

/* The table in force: some slots have not settled. */
static void stir(struct table *t)
{
	u32 s;

	for (s = 0; s < t->slots && t->n; s++)
		if (!unit_below(10))
			t->owners[s] = unit_below(t->n);
}

static u32 weight_of(const struct service *s, const struct endpoint *at)
{
	const struct backend *b = service_find(s, at);

	return b ? b->weight : 0;
}

struct counts {
	u32 at_once, later, needless;
};

/* Addresses and weights alone, the rule in words */
static struct counts count(const struct service *old, const struct table *before,
			   const struct service *new, const struct table *after)
{
	u32 slots = before->slots > after->slots ? before->slots : after->slots;
	struct counts c = { 0 };
	const struct endpoint *from, *to;
	bool alone, must;
	u32 s;
	u16 a, b;

	for (s = 0; s < slots; s++) {
		a = before->owners[(u64)s * before->slots / slots];
		b = after->owners[(u64)s * after->slots / slots];
		if (a == RINGLB_NO_OWNER)
			continue;
		if (b == RINGLB_NO_OWNER) {
			c.at_once++;
			continue;
		}
		from = &before->members[a].at;
		to = &after->members[b].at;
		if (!addr_cmp(from, to))
			continue;
		alone = weight_of(old, from) == weight_of(new, from) &&
			weight_of(old, to) == weight_of(new, to);
		must = before->slots != after->slots || weight_of(new, from) < weight_of(old, from) ||
		       weight_of(new, to) > weight_of(old, to);
		c.needless += alone;
		c.at_once += must;
		c.later += !must;
	}
	return c;
}

/* The rows add up, to the totals and to each backend's slots. */
static void check_rows(const struct plan *p)
{
	u32 at_once = 0, later = 0, needless = 0, i;
	int64_t slots[2 * BACKENDS_MAX + 2] = { 0 };

	for (i = 0; i < p->n_moves; i++) {
		const struct plan_move *m = &p->moves[i];

		assert_true(m->from < p->n && m->from != m->to);
		assert_true(m->at_once + m->later);
		if (i)
			assert_true(m[-1].from < m->from || (m[-1].from == m->from && m[-1].to < m->to));
		at_once += m->at_once;
		later += m->later;
		needless += m->needless ? m->at_once + m->later : 0;
		slots[m->from] -= m->at_once + m->later;
		if (m->to != PLAN_NOBODY)
			slots[m->to] += m->at_once + m->later;
	}
	assert_int_equal(at_once, p->at_once);
	assert_int_equal(later, p->later);
	assert_int_equal(needless, p->needless);
	for (i = 0; i < p->n && p->slots_before == p->slots_after; i++) {
		bool had_owners = plan_peak_to_mean(p, false) > 0;

		if (had_owners)
			assert_int_equal(p->shares[i].after, p->shares[i].before + slots[i]);
	}
}

static void random_changes(void **unused)
{
	u32 waits = 0, sizes = 0, ends = 0;
	unsigned int round;

	for (round = 0; round < unit_rounds(600); round++) {
		struct service old = random_service(unit_below(2) ? 4096 : SLOTS_MAX), new;
		struct table before, after;
		struct counts c;
		struct plan p;

		random_backends(&old, unit_below(5) ? 3 : 1);
		new = old;
		new.backends = NULL;
		new.n = 0;
		new.room = 0;
		for (size_t i = 0; i < old.n; i++)
			service_add(&new, &old.backends[i]);
		change(&new);
		if (!unit_below(5))
			new.slots = 4096;
		if (!unit_below(5))
			new.method = unit_between(1, RINGLB_METHOD_MAGLEV);
		if (!unit_below(10))
			new.n = 0;
		assert_int_equal(offline_table(&old, &before), 0);
		stir(&before);
		assert_int_equal(offline_table(&new, &after), 0);
		assert_int_equal(plan_compute(&p, &old, &before, &new), 0);
		c = count(&old, &before, &new, &after);
		assert_int_equal(p.status, PLAN_CHANGED);
		assert_int_equal(p.at_once, c.at_once);
		assert_int_equal(p.later, c.later);
		assert_int_equal(p.needless, c.needless);
		check_rows(&p);
		waits += p.later > 0;
		sizes += old.slots != new.slots;
		ends += before.n && !after.n;
		plan_free(&p);
		table_free(&before);
		table_free(&after);
		free(old.backends);
		free(new.backends);
	}
	assert_true(waits > unit_rounds(600) / 10 && sizes && (ends || unit_rounds(600) < 100));
}

/* A limit is exact, at every number of slots. */
static void limits(void **unused)
{
	struct plan p = { .slots = 4096 };
	u32 moved, limit;

	for (moved = 0; moved <= 4096; moved += unit_between(1, 40)) {
		p.at_once = unit_below(moved + 1);
		p.later = moved - p.at_once;
		for (limit = 0; limit <= 1000; limit++)
			assert_int_equal(plan_above(&p, limit),
					 moved * 100.0 / 4096 > limit / 10.0 + 1e-9);
	}
}

static void statuses(void **unused)
{
	struct service s = random_service(4096), other;
	struct table t;
	struct plan p;

	random_backends(&s, 100);
	s.backends[0].weight = 1;
	other = s;
	assert_int_equal(offline_table(&s, &t), 0);
	assert_int_equal(plan_compute(&p, NULL, NULL, &s), 0);
	assert_int_equal(p.status, PLAN_ADDED);
	assert_int_equal(p.at_once + p.later + p.n_moves, 0);
	plan_free(&p);
	assert_int_equal(plan_compute(&p, &s, &t, NULL), 0);
	assert_int_equal(p.status, PLAN_REMOVED);
	assert_int_equal(p.at_once, 4096);
	assert_int_equal(p.n_moves, p.n);
	plan_free(&p);
	other.vip.port++;
	assert_int_equal(plan_compute(&p, &s, &t, &other), 0);
	assert_int_equal(p.status, PLAN_REPLACED);
	assert_true(p.rehash);
	assert_int_equal(p.at_once, 4096);
	assert_int_equal(p.n_moves, 0);
	plan_free(&p);
	other = s;
	other.key = RINGLB_KEY_SRC;
	assert_int_equal(plan_compute(&p, &s, &t, &other), 0);
	assert_int_equal(p.status, PLAN_CHANGED);
	assert_true(p.rehash);
	assert_int_equal(p.at_once, 4096);
	plan_free(&p);
	other.key = RINGLB_KEY_QUIC_CID;	/* which hashes like 5TUPLE */
	assert_int_equal(plan_compute(&p, &s, &t, &other), 0);
	assert_false(p.rehash);
	assert_int_equal(p.at_once + p.later, 0);
	plan_free(&p);
	table_free(&t);
	free(s.backends);
}

static void no_memory(void **unused)
{
	struct service s = random_service(4096);
	struct table t;
	struct plan p;
	long at;

	random_backends(&s, 100);
	s.backends[0].weight = 1;
	assert_int_equal(offline_table(&s, &t), 0);
	for (at = 0;; at++) {
		unit_alloc_fail_at = at;
		if (!plan_compute(&p, &s, &t, &s))
			break;
		plan_free(&p);
	}
	unit_alloc_fail_at = -1;
	assert_true(at);
	assert_int_equal(unit_alloc_live, 0);
	assert_int_equal(p.at_once + p.later, 0);
	plan_free(&p);
	table_free(&t);
	free(s.backends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("plan: random changes move what a naive count says", random_changes),
		CLAIM("plan: a limit is exact", limits),
		CLAIM("plan: services come, go, and change what flows are hashed by", statuses),
		CLAIM("plan: without memory there is none, and nothing stays behind", no_memory),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
