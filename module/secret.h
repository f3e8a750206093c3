/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * secret.h - the hash key of a namespace
 */
#ifndef _RINGLB_SECRET_H
#define _RINGLB_SECRET_H

#include "ringlb.h"

void rlb_net_secret(struct rlb_net *rn, struct rlb_secret *secret);
int rlb_net_set_secret(struct rlb_net *rn, const struct rlb_secret *secret, bool force,
		       struct netlink_ext_ack *extack);

#endif /* _RINGLB_SECRET_H */
