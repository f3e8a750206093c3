// SPDX-License-Identifier: GPL-2.0-only
/*
 * netns.c - state of a network namespace: born, found, torn down; and its secret
 *
 * In: the kernel's word that a namespace begins or ends. Out: struct rlb_net.
 * Process context; may sleep.
 *
 * The end comes in two steps. First the hooks go, in all namespaces that end together; then
 * the core waits for a grace period, once for all of them; then services are freed, which no
 * packet can be looking at any more. No request is under way: whoever could make one holds
 * the namespace, or, when the module is unloaded, main.c has closed the family before.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "hook.h"
#include "netns.h"
#include "service.h"
#include "stats.h"
#include "table.h"

unsigned int rlb_net_id;

static int __net_init netns_init(struct net *net)
{
	struct rlb_net *rn = rlb_net_of(net);
	int err;

	rn->net = net;
	rn->seq = 1;
	mutex_init(&rn->cfg_lock);
	rn->stats = rlb_stats_alloc(RLB_COUNTERS_ALL);
	if (!rn->stats)
		return -ENOMEM;
	err = rlb_services_init(rn);
	if (err)
		rlb_stats_free(rn->stats);
	return err;
}

static void __net_exit netns_pre_exit(struct net *net)
{
	rlb_hooks_exit(rlb_net_of(net));
}

static void __net_exit netns_exit(struct net *net)
{
	struct rlb_net *rn = rlb_net_of(net);

	rlb_services_exit(rn);
	rlb_stats_free(rn->stats);
	memzero_explicit(&rn->secret, sizeof(rn->secret));
}

static struct pernet_operations netns_ops = {
	.init = netns_init,
	.pre_exit = netns_pre_exit,
	.exit = netns_exit,
	.id = &rlb_net_id,
	.size = sizeof(struct rlb_net),
};

/**
 * rlb_net_secret() - the namespace's secret; drawn at random when it is first needed
 * @rn: the namespace
 * @secret: out: the secret
 *
 * cfg_lock held; may wait for the machine to have randomness.
 */
void rlb_net_secret(struct rlb_net *rn, struct rlb_secret *secret)
{
	lockdep_assert_held(&rn->cfg_lock);
	if (!rn->has_secret) {
		get_random_bytes_wait(&rn->secret, sizeof(rn->secret));
		rn->has_secret = true;
	}
	*secret = rn->secret;
}

/* Copies of all tables with the secret, in order of the services' numbers. */
static struct rlb_table **tables_with(struct rlb_net *rn, const struct rlb_secret *secret)
{
	struct rlb_table **tables;
	struct rlb_service *svc;
	unsigned long id;
	u32 n = 0;

	tables = kvcalloc(max(rn->n_services, 1U), sizeof(*tables), GFP_KERNEL_ACCOUNT);
	if (!tables)
		return NULL;
	xa_for_each(&rn->services, id, svc) {
		tables[n] = rlb_table_copy(rlb_table_locked(svc));
		if (!tables[n])
			goto err_free;
		tables[n++]->secret = *secret;
	}
	return tables;

err_free:
	while (n--)
		kvfree(tables[n]);
	kvfree(tables);
	return NULL;
}

/**
 * rlb_net_set_secret() - change the secret, which moves every flow
 * @rn: the namespace
 * @secret: the new one
 *
 * cfg_lock held; may sleep.
 *
 * Return: 0, or -ENOMEM with nothing changed.
 */
int rlb_net_set_secret(struct rlb_net *rn, const struct rlb_secret *secret)
{
	struct rlb_table **tables;
	struct rlb_service *svc;
	unsigned long id;
	u32 n = 0;

	if (rn->has_secret && !memcmp(secret, &rn->secret, sizeof(*secret)))
		return 0;
	tables = tables_with(rn, secret);
	if (!tables)
		return -ENOMEM;
	rn->secret = *secret;
	rn->has_secret = true;
	xa_for_each(&rn->services, id, svc)
		rlb_table_publish(svc, tables[n++]);
	kvfree(tables);
	return 0;
}

/**
 * rlb_net_changed() - the configuration has changed: a dump under way must be told
 * @rn: the namespace
 */
void rlb_net_changed(struct rlb_net *rn)
{
	lockdep_assert_held(&rn->cfg_lock);
	if (!++rn->seq)		/* 0 would switch the check off */
		rn->seq = 1;
}

/**
 * rlb_netns_register() - begin in all namespaces
 *
 * Return: 0 or -errno.
 */
int rlb_netns_register(void)
{
	return register_pernet_subsys(&netns_ops);
}

/**
 * rlb_netns_unregister() - end in all namespaces, configured or not, under traffic or not
 */
void rlb_netns_unregister(void)
{
	unregister_pernet_subsys(&netns_ops);
}
