// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost.c - what does a packet cost? Sends 64-byte UDP frames of many flows, and counts
 *
 *   cost [-6] [-r] [-n] [-s] [-t] [-v VIPS] [-a FIRST] [-b PORT] [-f FLOWS] [-w WARM]
 *        [-m MEASURED] [-p PASSES] [-g MICROSECONDS] [-d SECONDS] CLIENT BACKEND...
 *
 *   -6  IPv6                      -r  replies: the backends send, each its own flows'
 *   -s  SYNs, with IPv4           -n  each flow's first packet: nothing is sent beforehand
 *   -t  times in nanoseconds by this machine's clock, not instructions
 *   -v  to that many VIPs, flow by flow; 0 (default): straight to the backends
 *   -a  the first of these VIPs (default 0)     -b  the backends' port (default 8080)
 *   -f  flows (default 8192)      -w  of which so many are sent beforehand (default all)
 *   -m  so many are measured      -p  in so many passes (default 3)
 *       (default all)                 both -w and -m: evenly spread over all flows
 *   -g  instead of all that: one packet each so many microseconds until stdin ends, ahead of
 *       all other processes; and the longest time from one that has arrived to the next
 *   -d  instead of all that: requests for so many seconds, as many as the kernel takes
 *
 * In:  names of network namespaces, each with a device "gw" that leads to the gateway, as
 *      bench.sh lays them. On one processor, where the clock counts instructions: a packet is
 *      through when sending it returns.
 * Out: a line of JSON: the cost of each packet (instructions, with -t nanoseconds), packets sent,
 *      packets that the other side received. Frames go out by AF_PACKET, 64 with one system call.
 *      Flows are sent once beforehand. Of the passes each call's cheapest counts, so that timer
 *      ticks and whatever else comes now and then drop out; of times, then, the median call's
 *      stands for all: of many flows it is good after one pass. With -g: the longest gap, in
 *      what costs are in. With -d: packets a second, of those alone that no queue refused; on
 *      each of several processors one may send.
 * Exit: 0, or 1 with the reason on stderr.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "frame.h"
#include "netns.h"

#define BATCH 64	/* frames a system call */
#define BACKENDS_MAX 32

/* What the command line asks for */
static bool replies, first_only, timed;
static unsigned int n_backends;
static struct traffic of = { .real_port = 8080 };
static unsigned int flows = 8192, warm, measured, passes = 3, every_us, seconds;

/* One device "gw": its namespace's /proc/net/dev, and a socket to send by */
struct port {
	const char *ns;
	int fd;
	FILE *counters;
};

static struct port client, backend[BACKENDS_MAX];

/* A system call's worth of packets: from @first on in @order, by @port */
struct chunk {
	const struct port *port;
	unsigned int first;
	unsigned int n;
	uint64_t cost;
};

static uint8_t frames[BATCH][FRAME] __attribute__((aligned(64)));
static struct mmsghdr msgs[BATCH];
static struct iovec iovs[BATCH];

/* --- sockets --------------------------------------------------------------------- */

static int packet_socket(int protocol)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = protocol,
				  .sll_ifindex = if_nametoindex("gw") };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, protocol);
	int size = 1 << 24;

	if (fd < 0 || bind(fd, (struct sockaddr *)&to, sizeof(to)))
		err(1, "packet socket");
	setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	return fd;
}

static void open_port(struct port *port, const char *ns)
{
	netns_enter(ns);
	port->ns = ns;
	port->fd = packet_socket(0);	/* receives nothing, so receiving costs nothing */
	port->counters = fopen("/proc/thread-self/net/dev", "r");
	if (!port->counters)
		err(1, "/proc/thread-self/net/dev");
	setbuf(port->counters, NULL);
}

static uint64_t received(const struct port *port)
{
	unsigned long long bytes, packets;
	char line[512];

	rewind(port->counters);
	while (fgets(line, sizeof(line), port->counters))
		if (sscanf(line, " gw: %llu %llu", &bytes, &packets) == 2)
			return packets;
	errx(1, "%s: no device gw", port->ns);
}

/* By those to whom the measured packets go */
static uint64_t received_there(void)
{
	uint64_t sum = 0;
	unsigned int b;

	if (replies)
		return received(&client);
	for (b = 0; b < n_backends; b++)
		sum += received(&backend[b]);
	return sum;
}

static uint64_t send_batch(const struct port *port, unsigned int n)
{
	uint64_t start = __rdtsc();
	int sent = sendmmsg(port->fd, msgs, n, 0);
	uint64_t end = __rdtsc();

	if (sent != (int)n)
		err(1, "%s: %d of %u packets sent", port->ns, sent, n);
	return end - start;
}

/* --- time ------------------------------------------------------------------------- */

/* The counter of send_batch() and the clock, at the same moment */
struct moment {
	uint64_t ticks;
	struct timespec clock;
};

static void start_clock(struct moment *m)
{
	m->ticks = __rdtsc();
	clock_gettime(CLOCK_MONOTONIC, &m->clock);
}

static double ns_since(const struct moment *then, const struct moment *now)
{
	return (now->clock.tv_sec - then->clock.tv_sec) * 1e9 +
	       (now->clock.tv_nsec - then->clock.tv_nsec);
}

/* Over a tenth of a second or more, so that reading the clock matters little. */
static double ns_per_tick(const struct moment *then)
{
	struct moment now;

	do {
		start_clock(&now);
	} while (ns_since(then, &now) < 1e8);
	return ns_since(then, &now) / (now.ticks - then->ticks);
}

/* --- flows ------------------------------------------------------------------------ */

static unsigned int nth_of(unsigned int i, unsigned int n)
{
	return (uint64_t)i * flows / n;
}

static unsigned int nth_measured(unsigned int i)
{
	return nth_of(i, measured);
}

static void request_warm(void)
{
	unsigned int i, n;

	for (i = 0; i < warm; i += n) {
		for (n = 0; n < BATCH && i + n < warm; n++)
			frame_request(&of, frames[n], nth_of(i + n, warm));
		send_batch(&client, n);
	}
}

static unsigned int hear(int fd, uint8_t b, uint8_t *taken_by)
{
	uint8_t frame[FRAME];
	unsigned int n = 0;

	while (recv(fd, frame, sizeof(frame), 0) == FRAME) {
		long flow = frame_flow(&of, frame);

		if (flow < 0 || flow >= (long)flows)
			continue;
		taken_by[flow] = b;
		n++;
	}
	return n;
}

/* Which backend has each measured flow? Listens while requests go by. */
static void learn(uint8_t *taken_by)
{
	unsigned int b, i, n, heard = 0;
	int fd[BACKENDS_MAX];

	for (b = 0; b < n_backends; b++) {
		netns_enter(backend[b].ns);
		fd[b] = packet_socket(htons(ETH_P_ALL));
	}
	for (i = 0; i < measured; i += n) {
		for (n = 0; n < BATCH && i + n < measured; n++)
			frame_request(&of, frames[n], nth_measured(i + n));
		send_batch(&client, n);
		for (b = 0; b < n_backends; b++)
			heard += hear(fd[b], b, taken_by);
	}
	for (b = 0; b < n_backends; b++)
		close(fd[b]);
	if (heard != measured)
		errx(1, "of %u requests the backends received %u", measured, heard);
}

/* The measured flows in the order in which they are sent: replies backend by backend */
static unsigned int *put_in_order(const uint8_t *taken_by)
{
	unsigned int *order = calloc(measured, sizeof(*order));
	unsigned int b, i, n = 0;

	for (b = 0; b < (replies ? n_backends : 1); b++)
		for (i = 0; i < measured; i++)
			if (!replies || taken_by[nth_measured(i)] == b)
				order[n++] = nth_measured(i);
	return order;
}

static struct chunk *cut(const unsigned int *order, const uint8_t *taken_by, unsigned int *n_chunks)
{
	struct chunk *chunks = calloc(measured / BATCH + BACKENDS_MAX + 1, sizeof(*chunks));
	struct chunk *c = chunks - 1;
	unsigned int i;

	for (i = 0; i < measured; i++) {
		const struct port *port = replies ? &backend[taken_by[order[i]]] : &client;

		if (c < chunks || c->n == BATCH || c->port != port)
			*++c = (struct chunk){ .port = port, .first = i, .cost = UINT64_MAX };
		c->n++;
	}
	*n_chunks = c + 1 - chunks;
	return chunks;
}

static void pass(struct chunk *chunks, unsigned int n_chunks, const unsigned int *order,
		 const uint8_t *taken_by)
{
	struct chunk *c;
	unsigned int i;
	uint64_t cost;

	for (c = chunks; c < chunks + n_chunks; c++) {
		for (i = 0; i < c->n; i++) {
			unsigned int flow = order[c->first + i];

			if (replies)
				frame_reply(&of, frames[i], flow, taken_by[flow]);
			else
				frame_request(&of, frames[i], flow);
		}
		cost = send_batch(c->port, c->n);
		if (cost < c->cost)
			c->cost = cost;
	}
}

static double per_packet(const struct chunk *c)
{
	return (double)c->cost / c->n;
}

static int by_cost(const void *a, const void *b)
{
	double x = per_packet(a), y = per_packet(b);

	return x < y ? -1 : x > y;
}

/* Counted: the mean; timed: the median of calls */
static double cost_of(struct chunk *chunks, unsigned int n_chunks, const struct moment *began)
{
	uint64_t sum = 0;
	unsigned int i;

	if (timed) {
		qsort(chunks, n_chunks, sizeof(*chunks), by_cost);
		return per_packet(&chunks[n_chunks / 2]) * ns_per_tick(began);
	}
	for (i = 0; i < n_chunks; i++)
		sum += chunks[i].cost;
	return (double)sum / measured;
}

static void measure(void)
{
	uint8_t *taken_by = calloc(flows, sizeof(*taken_by));
	unsigned int i, n_chunks, *order;
	struct chunk *chunks;
	struct moment began;
	uint64_t before;

	for (i = 0; i < flows; i++)
		taken_by[i] = i % n_backends;
	if (of.vips && !first_only)
		request_warm();
	if (of.vips && replies)
		learn(taken_by);
	order = put_in_order(taken_by);
	chunks = cut(order, taken_by, &n_chunks);
	/* For caches of routes and memory; but what is timed is to find what others left there. */
	if (!first_only && (replies || (!timed && measured < warm)))
		pass(chunks, n_chunks, order, taken_by);
	for (i = 0; i < n_chunks; i++)
		chunks[i].cost = UINT64_MAX;
	start_clock(&began);
	before = received_there();
	for (i = 0; i < passes; i++)
		pass(chunks, n_chunks, order, taken_by);
	printf("{\"cost\": %.1f, \"sent\": %u, \"received\": %llu}\n",
	       cost_of(chunks, n_chunks, &began), measured * passes,
	       (unsigned long long)(received_there() - before));
	free(chunks);
	free(order);
	free(taken_by);
}

/* --- gaps ------------------------------------------------------------------------- */

static bool goes_on(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	return poll(&in, 1, 0) == 0;
}

static void sleep_until(struct timespec *at)
{
	at->tv_nsec += every_us * 1000L;
	if (at->tv_nsec >= 1000000000) {
		at->tv_nsec -= 1000000000;
		at->tv_sec++;
	}
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, at, NULL);
}

/* The first second is for caches. */
static void find_gap(void)
{
	struct sched_param first = { .sched_priority = 50 };
	unsigned int sent = 0, settled = 1000000 / every_us;
	uint64_t before, now, last = 0, longest = 0;
	struct timespec at;
	struct moment began;

	if (sched_setscheduler(0, SCHED_FIFO, &first))
		err(1, "SCHED_FIFO");
	before = received_there();
	start_clock(&began);
	at = began.clock;
	while (goes_on()) {
		sleep_until(&at);
		frame_request(&of, frames[0], sent % flows);
		send_batch(&client, 1);
		now = __rdtsc();
		if (sent++ > settled && now - last > longest)
			longest = now - last;
		last = now;
	}
	printf("{\"gap\": %.0f, \"sent\": %u, \"received\": %llu}\n",
	       longest * (timed ? ns_per_tick(&began) : 1), sent,
	       (unsigned long long)(received_there() - before));
}

/* --- rate ------------------------------------------------------------------------- */

static void find_rate(void)
{
	unsigned int flow = 0, n;
	uint64_t sent = 0;
	struct moment began, now;
	int taken;

	start_clock(&began);
	do {
		for (n = 0; n < BATCH; n++, flow = (flow + 1) % flows)
			frame_request(&of, frames[n], flow);
		taken = sendmmsg(client.fd, msgs, BATCH, 0);
		if (taken < 0 && errno != ENOBUFS)
			err(1, "%s", client.ns);
		sent += taken < 0 ? 0 : taken;
		start_clock(&now);
	} while (ns_since(&began, &now) < seconds * 1e9);
	printf("{\"rate\": %.0f, \"sent\": %llu}\n", sent * 1e9 / ns_since(&began, &now),
	       (unsigned long long)sent);
}

static unsigned int number(const char *word, unsigned int least, unsigned int most)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (end == word || *end || n < least || n > most)
		errx(1, "\"%s\": expected a number from %u to %u", word, least, most);
	return n;
}

int main(int argc, char **argv)
{
	int opt, i;

	while ((opt = getopt(argc, argv, "6rnstv:a:b:f:w:m:p:g:d:")) != -1) {
		switch (opt) {
		case '6': of.v6 = true; break;
		case 'r': replies = true; break;
		case 'n': first_only = true; break;
		case 's': of.syns = true; break;
		case 't': timed = true; break;
		case 'v': of.vips = number(optarg, 0, 65536); break;
		case 'a': of.first_vip = number(optarg, 0, 65536); break;
		case 'b': of.real_port = number(optarg, 1, 65535); break;
		case 'f': flows = number(optarg, 1, 1 << 24); break;
		case 'w': warm = number(optarg, 1, 1 << 24); break;
		case 'm': measured = number(optarg, 1, 1 << 24); break;
		case 'g': every_us = number(optarg, 1, 999999); break;
		case 'd': seconds = number(optarg, 1, 3600); break;
		case 'p': passes = number(optarg, 1, 1000); break;
		default: return 1;
		}
	}
	n_backends = argc - optind - 1;
	of.backends = n_backends;
	if (argc - optind < 2 || n_backends > BACKENDS_MAX)
		errx(1, "expected a client and 1 to %d backends", BACKENDS_MAX);
	if (!measured || measured > flows)
		measured = flows;
	if (!warm || warm > flows)
		warm = flows;
	if (first_only)
		passes = 1;
	if (of.syns && of.v6)
		errx(1, "SYNs are sent with IPv4 alone: a frame holds no more");
	for (i = 0; i < BATCH; i++) {
		iovs[i] = (struct iovec){ frames[i], FRAME };
		msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &iovs[i], .msg_iovlen = 1 };
	}
	open_port(&client, argv[optind]);
	for (i = 0; i < (int)n_backends; i++)
		open_port(&backend[i], argv[optind + 1 + i]);
	if (every_us)
		find_gap();
	else if (seconds)
		find_rate();
	else
		measure();
	return 0;
}
