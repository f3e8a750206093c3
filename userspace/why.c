// SPDX-License-Identifier: GPL-2.0-only
/*
 * why.c - the answer of a lookup as a sentence
 *
 * In: an answer. Out: why the packet goes where it goes, in words that the manual uses.
 */
#include "why.h"

#include <stdio.h>
#include <string.h>

#include "choose.h"
#include "words.h"

static bool drains(u32 state)
{
	return state == RINGLB_STATE_DRAIN || state == RINGLB_STATE_LEAVE;
}

static const char *condition(const struct lookup *l)
{
	if (l->owner.state == RINGLB_STATE_LEAVE)
		return "leaving";
	return l->owner.state == RINGLB_STATE_DRAIN ? "draining" : word_state(l->owner.state);
}

/* How the backend was found after the owner took nothing */
static void looked(const struct lookup *l, char *text, size_t size)
{
	if (l->probes > RLB_PROBES_MAX)
		snprintf(text, size, "%u slots seen, then all backends in turn", RLB_PROBES_MAX);
	else
		snprintf(text, size, "%u slots seen", l->probes);
}

/* Where a packet that begins a flow goes, and why */
static void why_new(const struct lookup *l, char text[WHY_MAX])
{
	bool last = l->has_backend && drains(l->backend.state);
	const char *state = condition(l);
	char owner[ADDR_TEXT_MAX], seen[64];

	if (!l->has_owner && l->probes > 1) {
		looked(l, seen, sizeof(seen));
		snprintf(text, WHY_MAX, "slot %u belongs to a seat without a backend: %s%s",
			 l->slot, l->has_backend ? "looked again, " :
			 "no backend takes flows, the packet is dropped, ", seen);
		return;
	}
	if (!l->has_owner) {
		snprintf(text, WHY_MAX, "no backend has a weight: the packet is dropped");
		return;
	}
	addr_print(&l->owner.at, owner);
	looked(l, seen, sizeof(seen));
	if (!l->has_backend)
		snprintf(text, WHY_MAX, "slot %u belongs to %s, which is %s: no backend takes flows, the packet is dropped",
			 l->slot, owner, state);
	else if (last && !addr_cmp(&l->owner.at, &l->backend.at))
		snprintf(text, WHY_MAX, "slot %u belongs to %s, which is %s and takes it because no backend is up",
			 l->slot, owner, state);
	else if (last)
		snprintf(text, WHY_MAX, "slot %u belongs to %s, which is %s: looked again for one that drains because none is up, %s",
			 l->slot, owner, state, seen);
	else if (!addr_cmp(&l->owner.at, &l->backend.at))
		snprintf(text, WHY_MAX, "slot %u belongs to %s, which is %s", l->slot, owner,
			 state);
	else
		snprintf(text, WHY_MAX, "slot %u belongs to %s, which is %s%s: looked again, %s",
			 l->slot, owner, state,
			 l->owner.state == RINGLB_STATE_UP ? " and takes a share of its flows" : "",
			 seen);
}

/* What a connection id says that does not decide */
static void add_cid(const struct lookup *l, char text[WHY_MAX])
{
	size_t len = strlen(text);
	char at[ADDR_TEXT_MAX];

	if (l->has_named)
		snprintf(text + len, WHY_MAX - len, "; its connection id is one of %s, which is %s",
			 addr_print(&l->named.at, at), word_state(l->named.state));
	else if (l->n_cid)
		snprintf(text + len, WHY_MAX - len, "; its connection id is no backend's");
}

/**
 * why_text() - say why
 * @l: the answer
 * @text: where the sentence goes
 *
 * Return: @text.
 */
const char *why_text(const struct lookup *l, char text[WHY_MAX])
{
	char at[ADDR_TEXT_MAX];
	size_t len;

	if (l->has_named && l->has_backend && !addr_cmp(&l->named.at, &l->backend.at)) {
		snprintf(text, WHY_MAX, "the connection id is one of %s, which is %s",
			 addr_print(&l->named.at, at), word_state(l->named.state));
		return text;
	}
	if (l->has_pin && l->has_backend && !addr_cmp(&l->pin.at, &l->backend.at)) {
		snprintf(text, WHY_MAX, "the flow is remembered, and stays with %s until it ends",
			 addr_print(&l->pin.at, at));
		add_cid(l, text);
		return text;
	}
	why_new(l, text);
	len = strlen(text);
	if (l->has_old)
		snprintf(text + len, WHY_MAX - len, "; flows that began before it changed hands stay with %s unless it is down",
			 addr_print(&l->old.at, at));
	add_cid(l, text);
	return text;
}
