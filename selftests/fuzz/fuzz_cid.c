// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_cid.c - module/lookup/cid.c: datagrams of any bytes, against a naive twin
 *
 * In: a byte that chooses the form of connection ids, then the datagram. Whatever it is: the
 * same server is found as by the twin, and nothing is read beyond.
 */
#include <string.h>

#include "cid.h"
#include "fuzz.h"

/* By the pictures of RFC 8999 and of the draft; -1: no server made it */
static int64_t twin(unsigned int config, size_t length, const uint8_t *data, size_t size)
{
	size_t at = 1, left, i;
	int64_t id = 0;

	if (!size)
		return -1;
	if (data[0] >= 128) {
		at = 6;
		if (size < 6 || data[5] > 20 || size < at + data[5])
			return -1;
		left = data[5];
	} else {
		left = size - 1;
	}
	if (left < 1 + length + 4 || data[at] / 32 != config)
		return -1;
	for (i = 0; i < length; i++)
		id = id * 256 + data[at + 1 + i];
	return id;
}

void fuzz_cid(const uint8_t *data, size_t size)
{
	struct rlb_cid_form form;
	const uint8_t *cid;
	int64_t found = -1;
	u32 n, id;

	if (!size)
		return;
	form.config = data[0] % (RINGLB_CID_CONFIG_MAX + 1);
	form.length = 1 + (data[0] >> 4) % RINGLB_SID_LENGTH_MAX;
	data++;
	size--;
	cid = rlb_cid_of(data, size, &n);
	if (cid) {
		promise(n <= RINGLB_CID_MAX && cid >= data && n <= size - (cid - data));
		if (rlb_cid_server(&form, cid, n, &id))
			found = id;
	}
	promise(found == twin(form.config, form.length, data, size));
	promise(found < 0 || rlb_cid_has_room(&form, found));
	if (size > RLB_CID_HEAD)
		promise(found == twin(form.config, form.length, data, RLB_CID_HEAD));
}
