// SPDX-License-Identifier: GPL-2.0-only
/*
 * registry.c - the methods there are, by number and by word
 *
 * A new method is a file of its own, a number in the uapi header and a line here.
 */
#include "lookup.h"

static const struct rlb_lookup_ops *const methods[] = {
	&rlb_ring_ops,
	&rlb_rendezvous_ops,
	&rlb_maglev_ops,
	&rlb_seat_ops,
	&rlb_slots_ops,
};

#define N_METHODS (sizeof(methods) / sizeof(methods[0]))

/**
 * rlb_lookup_find() - a method by its number
 * @id: the number
 *
 * Return: the method, NULL if there is none.
 */
const struct rlb_lookup_ops *rlb_lookup_find(enum ringlb_method id)
{
	size_t i;

	for (i = 0; i < N_METHODS; i++)
		if (methods[i]->id == id)
			return methods[i];
	return NULL;
}

/**
 * rlb_lookup_by_name() - a method by its word
 * @name: the word
 *
 * Return: the method, NULL if there is none.
 */
const struct rlb_lookup_ops *rlb_lookup_by_name(const char *name)
{
	size_t i;

	for (i = 0; i < N_METHODS; i++)
		if (!strcmp(methods[i]->name, name))
			return methods[i];
	return NULL;
}

/**
 * rlb_lookup_build() - fill a table
 * @ops: the method
 * @slots: where 2^@bits owners go; RINGLB_NO_OWNER in all if there are no members
 * @bits: 1..20
 * @m: the members, each once, in ascending order of address and port (bytes as on the wire)
 * @n: how many, at most RINGLB_BACKENDS_MAX
 * @p: the method's parameters
 *
 * Process context, may sleep; time and memory are bounded by @bits and by what the method's
 * check() lets through.
 *
 * Return: 0, -ENOMEM, or what is wrong with members and parameters, by the method's word: see
 *	struct rlb_lookup_ops.
 */
int rlb_lookup_build(const struct rlb_lookup_ops *ops, u16 *slots, unsigned int bits,
		     const struct rlb_member *m, u32 n, const struct rlb_params *p)
{
	size_t s;
	int err;

	err = ops->check(m, n, p);
	if (err)
		return err;
	if (n)
		return ops->build(slots, bits, m, n, p);
	for (s = 0; s < (size_t)1 << bits; s++)
		slots[s] = RINGLB_NO_OWNER;
	return 0;
}
