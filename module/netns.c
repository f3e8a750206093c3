// SPDX-License-Identifier: GPL-2.0-only
/*
 * netns.c - state of a network namespace: born, found, torn down
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
#include <linux/string.h>

#include "backend.h"
#include "dev.h"
#include "history.h"
#include "hook.h"
#include "netns.h"
#include "service.h"
#include "settle.h"
#include "stats.h"

unsigned int rlb_net_id;

static int __net_init netns_init(struct net *net)
{
	struct rlb_net *rn = rlb_net_of(net);
	struct rlb_secret secret;
	int err;

	rn->net = net;
	rn->seq = 1;
	mutex_init(&rn->cfg_lock);
	INIT_LIST_HEAD(&rn->devs);
	INIT_LIST_HEAD(&rn->ways);
	rlb_settle_init(rn);
	rlb_backends_init(rn);
	get_random_bytes(&secret, sizeof(secret));
	rlb_pins_init(&rn->pins, &secret, rlb_pins_default_max());
	memzero_explicit(&secret, sizeof(secret));
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
	rlb_devs_exit(rlb_net_of(net));
	rlb_hooks_exit(rlb_net_of(net));
}

static void __net_exit netns_exit(struct net *net)
{
	struct rlb_net *rn = rlb_net_of(net);

	rlb_settle_exit(rn);
	rlb_pins_hush(&rn->pins);	/* it names services */
	rlb_services_exit(rn);
	rlb_backends_stop(rn);	/* its work visits the flow table */
	rlb_pins_exit(&rn->pins);
	rlb_backends_exit(rn);	/* pins name them */
	rlb_history_exit(rn);
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
