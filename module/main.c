// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - load and unload order, nothing else
 */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include <linux/ringlb.h>

#include "dev.h"
#include "flow/pins.h"
#include "forward/route.h"
#include "netns.h"
#include "nl/nl.h"
#include "sabotage.h"
#include "version.h"

#ifdef RLB_SABOTAGE
int rlb_sabotage;
unsigned long rlb_sabotage_packets;
module_param_named(sabotage, rlb_sabotage, int, 0444);
MODULE_PARM_DESC(sabotage, "fault of this test build, see sabotage.h");
#endif

static int __init ringlb_init(void)
{
	int err;

	err = rlb_pins_module_init();
	if (err)
		return err;
	/* Namespaces first: a request finds its namespace's state as soon as there is a family. */
	err = rlb_netns_register();
	if (err)
		goto err_pins;
	err = rlb_routes_register();
	if (err)
		goto err_netns;
	err = rlb_devs_register();
	if (err)
		goto err_routes;
	err = rlb_nl_register();
	if (err)
		goto err_devs;
	return 0;

err_devs:
	rlb_devs_unregister();
err_routes:
	rlb_routes_unregister();
err_netns:
	rlb_netns_unregister();
	rcu_barrier();
err_pins:
	rlb_pins_module_exit();
	return err;
}

static void __exit ringlb_exit(void)
{
	/* No new requests, and none under way. */
	rlb_nl_unregister();
	rlb_devs_unregister();
	rlb_routes_unregister();
	/* No hooks, a grace period, no services: nothing calls into us but callbacks. */
	rlb_netns_unregister();
	/* And now those that free services, backends and tables have run, too. */
	rcu_barrier();
	rlb_pins_module_exit();
}

module_init(ringlb_init);
module_exit(ringlb_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The ringlb authors");
MODULE_DESCRIPTION("consistent-hash layer 4 load balancer");
MODULE_VERSION(RINGLB_VERSION);
MODULE_ALIAS("net-pf-16-proto-16-family-" RINGLB_GENL_NAME);
