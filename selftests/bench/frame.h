/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * frame.h - frames of many flows
 */
#ifndef _BENCH_FRAME_H
#define _BENCH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#define FRAME 64	/* bytes */

/**
 * struct traffic - what frames are of
 * @v6: IPv6
 * @syns: SYNs, with IPv4 alone; else UDP
 * @vips: to that many VIPs, flow by flow; 0: straight to the backends
 * @first_vip: the first of these
 * @real_port: the backends' port
 * @backends: how many
 */
struct traffic {
	bool v6;
	bool syns;
	unsigned int vips;
	unsigned int first_vip;
	unsigned int real_port;
	unsigned int backends;
};

void frame_request(const struct traffic *of, uint8_t *frame, unsigned int flow);
void frame_reply(const struct traffic *of, uint8_t *frame, unsigned int flow, unsigned int b);
long frame_flow(const struct traffic *of, const uint8_t *frame);

#endif /* _BENCH_FRAME_H */
