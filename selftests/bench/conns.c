// SPDX-License-Identifier: GPL-2.0-only
/*
 * conns.c - what does a TCP connection cost? One after another: made, a byte each way, closed
 *
 *   conns [-n CONNECTIONS] ADDRESS PORT LISTEN_PORT CLIENT BACKEND...
 *
 *   -n  how many (default 4096), a multiple of 64
 *
 * In:  an IPv4 address and port to connect to; the port at which backends listen; names of
 *      network namespaces. One process is client and servers, on one processor: whatever it
 *      waits for has come when it asks, so that nothing is counted but the way and both ends.
 * Out: a line of JSON: what one costs from connect() to both ends' close(), in nanoseconds of this
 *      machine's clock, which are instructions where that counts them; and connections made.
 *      They are timed 64 at a time, and the median stands for all.
 * Exit: 0, or 1 with the reason on stderr.
 */
#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "netns.h"

#define BATCH 64	/* connections timed together */
#define BACKENDS_MAX 32

static struct pollfd servers[BACKENDS_MAX];
static unsigned int n_servers;

static void listen_in(const char *ns, uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd, on = 1;

	if (n_servers == BACKENDS_MAX)
		errx(1, "more than %d backends", BACKENDS_MAX);
	netns_enter(ns);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 8))
		err(1, "port %u in %s", port, ns);
	servers[n_servers++] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

static int accepted(void)	/* the connection that one of the servers has */
{
	unsigned int i;
	int fd = -1;

	if (poll(servers, n_servers, 1000) != 1)
		errx(1, "no server was reached, or several were");
	for (i = 0; i < n_servers; i++)
		if (servers[i].revents)
			fd = accept(servers[i].fd, NULL, NULL);
	if (fd < 0)
		err(1, "accept");
	return fd;
}

static void hand_over(int from, int to)		/* a byte */
{
	char byte = 'r';

	if (write(from, &byte, 1) != 1 || read(to, &byte, 1) != 1)
		err(1, "a byte");
}

static void one(const struct sockaddr_in *to)
{
	int client = socket(AF_INET, SOCK_STREAM, 0), server;

	if (client < 0 || connect(client, (const struct sockaddr *)to, sizeof(*to)))
		err(1, "connect");
	server = accepted();
	hand_over(client, server);
	hand_over(server, client);
	close(server);
	close(client);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static uint64_t batch(const struct sockaddr_in *to)
{
	uint64_t began = now();
	unsigned int i;

	for (i = 0; i < BATCH; i++)
		one(to);
	return now() - began;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static unsigned int number(const char *text, unsigned int most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || !value || value > most)
		errx(1, "\"%s\": expected a number from 1 to %u", text, most);
	return value;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	unsigned int n = 4096, i;
	uint64_t *costs;
	int opt;

	while ((opt = getopt(argc, argv, "n:")) != -1) {
		if (opt != 'n')
			return 1;
		n = number(optarg, 1 << 20);
	}
	argc -= optind, argv += optind;
	if (argc < 5 || n % BATCH || inet_pton(AF_INET, argv[0], &to.sin_addr) != 1)
		errx(1, "words: see the head of conns.c");
	to.sin_port = htons(number(argv[1], UINT16_MAX));
	for (i = 4; i < (unsigned int)argc; i++)
		listen_in(argv[i], number(argv[2], UINT16_MAX));
	netns_enter(argv[3]);

	costs = calloc(n / BATCH, sizeof(*costs));
	if (!costs)
		err(1, "memory");
	batch(&to);	/* what is made once */
	for (i = 0; i < n / BATCH; i++)
		costs[i] = batch(&to);
	qsort(costs, n / BATCH, sizeof(*costs), by_value);
	printf("{\"cost\": %.1f, \"connections\": %u}\n", (double)costs[n / BATCH / 2] / BATCH, n);
	return 0;
}
