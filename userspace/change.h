/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change.h - commands that change something, to messages
 */
#ifndef _RINGLB_CHANGE_H
#define _RINGLB_CHANGE_H

#include "grammar.h"
#include "nl.h"
#include "wire.h"

#define CHANGE_MESSAGE_MAX 256	/* backends in one message */

int change_build(struct nl_msg *msg, const struct command *commands, size_t n,
		 struct wire_span *spans);
int change_send(struct session *s, const struct command *commands, size_t n, size_t *at_fault);

#endif /* _RINGLB_CHANGE_H */
