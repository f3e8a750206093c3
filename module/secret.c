// SPDX-License-Identifier: GPL-2.0-only
/*
 * secret.c - the hash key of a namespace: drawn, told, changed
 *
 * In: a key, or the wish for one. Out: tables that hash with it. Process context under
 * cfg_lock; may sleep. Each table has a copy, so that packets find key and slots together.
 */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "history.h"
#include "secret.h"
#include "service.h"
#include "settle.h"
#include "table.h"

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
		rlb_table_discard_copy(tables[n]);
	kvfree(tables);
	return NULL;
}

/**
 * rlb_net_set_secret() - change the secret: every flow gets another slot
 * @rn: the namespace
 * @secret: the new one
 * @force: even if flows are lost that are kept from an earlier such change
 * @extack: for the reason of a refusal
 *
 * cfg_lock held; may sleep. Flows there are stay with their backends.
 *
 * Return: 0, or -ENOMEM or -EBUSY with nothing changed.
 */
int rlb_net_set_secret(struct rlb_net *rn, const struct rlb_secret *secret, bool force,
		       struct netlink_ext_ack *extack)
{
	struct rlb_table **tables;
	struct rlb_service *svc;
	unsigned long id;
	u32 n = 0;

	if (rn->has_secret && !memcmp(secret, &rn->secret, sizeof(*secret)))
		return 0;
	xa_for_each(&rn->services, id, svc)
		if (!force && rlb_table_is_busy(svc))
			return rlb_service_refuse_busy(extack);
	tables = tables_with(rn, secret);
	if (!tables)
		return -ENOMEM;
	rn->secret = *secret;
	rn->has_secret = true;
	xa_for_each(&rn->services, id, svc) {
		rlb_table_publish(svc, tables[n++]);
		svc->generation++;
		rlb_history_add(svc, RINGLB_EVENT_SECRET);
		rlb_settle_kick(svc);
	}
	kvfree(tables);
	return 0;
}
