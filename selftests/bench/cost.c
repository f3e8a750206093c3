// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost.c - what does a packet cost? Sends 64-byte UDP frames of many flows, and counts
 *
 *   cost [-6] [-r] [-v VIPS] [-a FIRST] [-b PORT] [-f FLOWS] [-m MEASURED] [-p PASSES]
 *        CLIENT BACKEND...
 *
 *   -6  IPv6                      -r  replies: the backends send, each its own flows'
 *   -v  to that many VIPs, flow by flow; 0 (default): straight to the backends
 *   -a  the first of these VIPs (default 0)     -b  the backends' port (default 8080)
 *   -f  flows (default 8192)      -m  of which so many are measured, evenly (default all)
 *   -p  passes (default 3)
 *
 * In:  names of network namespaces, each with a device "gw" that leads to the gateway, as
 *      bench.sh lays them. On one processor, where the clock counts instructions: a packet is
 *      through when sending it returns.
 * Out: a line of JSON: instructions for each packet, packets sent, packets that the other
 *      side received. Frames go out by AF_PACKET, 64 with one system call. All flows are sent
 *      once beforehand. Of the passes each call's cheapest counts, so that timer ticks and
 *      whatever else comes now and then drop out.
 * Exit: 0, or 1 with the reason on stderr.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <x86intrin.h>

#define FRAME 64	/* bytes */
#define BATCH 64	/* frames a system call */
#define BACKENDS_MAX 32
#define PORTS 128	/* of each client */
#define VIP_PORT 80

static const uint8_t gateway_mac[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t sender_mac[ETH_ALEN] = { 2, 0, 0, 0, 0, 2 };

/* What the command line asks for */
static bool v6, replies;
static unsigned int vips, first_vip, real_port = 8080, n_backends;
static unsigned int flows = 8192, measured, passes = 3;

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

/* --- frames -------------------------------------------------------------------- */

static uint32_t sum_words(uint32_t sum, const void *data, size_t len)
{
	const uint8_t *p = data;

	for (; len >= 2; len -= 2, p += 2)
		sum += p[0] << 8 | p[1];
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons(~sum);
}

/* Addresses and ports of a flow: client() is in 198.18.0.0/15 or 2001:db8:c::/48. */
struct end {
	uint8_t addr[16];	/* IPv4: the first 4 bytes */
	uint16_t port;		/* host byte order */
};

static void set_end(struct end *end, const char *base4, const char *base6, uint32_t n,
		    uint16_t port)
{
	uint32_t last;

	memset(end, 0, sizeof(*end));
	inet_pton(v6 ? AF_INET6 : AF_INET, v6 ? base6 : base4, end->addr);
	memcpy(&last, end->addr + (v6 ? 12 : 0), 4);
	last = htonl(ntohl(last) + n);
	memcpy(end->addr + (v6 ? 12 : 0), &last, 4);
	end->port = port;
}

static void client_end(struct end *end, unsigned int flow)
{
	set_end(end, "198.18.0.1", "2001:db8:c::1", flow / PORTS, 1024 + flow % PORTS);
}

static void vip_end(struct end *end, unsigned int flow)
{
	set_end(end, "203.0.113.1", "2001:db8:f::1", first_vip + flow % vips, VIP_PORT);
}

static void backend_end(struct end *end, unsigned int b)
{
	set_end(end, "10.0.2.11", "fd00:2::11", b, real_port);
}

static uint8_t *put(uint8_t *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return to + len;
}

static void fill(uint8_t *frame, const struct end *from, const struct end *to)
{
	unsigned int alen = v6 ? 16 : 4, hlen = v6 ? sizeof(struct ip6_hdr) : sizeof(struct iphdr);
	uint16_t len = FRAME - ETH_HLEN - hlen;
	uint16_t proto = htons(v6 ? ETH_P_IPV6 : ETH_P_IP);
	uint8_t *ip, *addrs;
	struct udphdr *uh;
	uint32_t sum;

	memset(frame, 0, FRAME);
	ip = put(put(put(frame, gateway_mac, ETH_ALEN), sender_mac, ETH_ALEN), &proto, 2);
	uh = (struct udphdr *)(ip + hlen);
	addrs = (uint8_t *)uh - 2 * alen;
	put(put(addrs, from->addr, alen), to->addr, alen);
	*uh = (struct udphdr){ .source = htons(from->port), .dest = htons(to->port),
			       .len = htons(len) };
	sum = sum_words(IPPROTO_UDP + len, addrs, 2 * alen);
	uh->check = fold(sum_words(sum, uh, len));
	if (v6) {
		struct ip6_hdr *ip6h = (struct ip6_hdr *)ip;

		ip6h->ip6_vfc = 0x60;
		ip6h->ip6_plen = htons(len);
		ip6h->ip6_nxt = IPPROTO_UDP;
		ip6h->ip6_hlim = 64;
	} else {
		struct iphdr *iph = (struct iphdr *)ip;

		iph->version = 4;
		iph->ihl = 5;
		iph->tot_len = htons(FRAME - ETH_HLEN);
		iph->ttl = 64;
		iph->protocol = IPPROTO_UDP;
		iph->check = fold(sum_words(0, iph, sizeof(*iph)));
	}
}

static void fill_request(uint8_t *frame, unsigned int flow)
{
	struct end from, to;

	client_end(&from, flow);
	if (vips)
		vip_end(&to, flow);
	else
		backend_end(&to, flow % n_backends);
	fill(frame, &from, &to);
}

static void fill_reply(uint8_t *frame, unsigned int flow, unsigned int b)
{
	struct end from, to;

	backend_end(&from, b);
	client_end(&to, flow);
	fill(frame, &from, &to);
}

/* Which flow is this request that a backend has received? -1: none of ours */
static long flow_of(const uint8_t *frame)
{
	const uint8_t *ip = frame + ETH_HLEN;
	const uint8_t *src = ip + (v6 ? 8 + 12 : 12);
	const uint8_t *l4 = ip + (v6 ? sizeof(struct ip6_hdr) : sizeof(struct iphdr));
	uint32_t last, first_client;
	struct end first;

	client_end(&first, 0);
	memcpy(&last, src, 4);
	memcpy(&first_client, first.addr + (v6 ? 12 : 0), 4);
	if ((l4[2] << 8 | l4[3]) != (int)real_port)
		return -1;
	return (long)(ntohl(last) - ntohl(first_client)) * PORTS + (l4[0] << 8 | l4[1]) - 1024;
}

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

static void enter(const char *ns)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", ns);
	fd = open(path, O_RDONLY);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "namespace %s", ns);
	close(fd);
}

static void open_port(struct port *port, const char *ns)
{
	enter(ns);
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

/* --- flows ------------------------------------------------------------------------ */

static unsigned int nth_measured(unsigned int i)
{
	return (uint64_t)i * flows / measured;
}

static void request_all(void)
{
	unsigned int flow, n;

	for (flow = 0; flow < flows; flow += n) {
		for (n = 0; n < BATCH && flow + n < flows; n++)
			fill_request(frames[n], flow + n);
		send_batch(&client, n);
	}
}

static unsigned int hear(int fd, uint8_t b, uint8_t *taken_by)
{
	uint8_t frame[FRAME];
	unsigned int n = 0;

	while (recv(fd, frame, sizeof(frame), 0) == FRAME) {
		long flow = flow_of(frame);

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
		enter(backend[b].ns);
		fd[b] = packet_socket(htons(ETH_P_ALL));
	}
	for (i = 0; i < measured; i += n) {
		for (n = 0; n < BATCH && i + n < measured; n++)
			fill_request(frames[n], nth_measured(i + n));
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
				fill_reply(frames[i], flow, taken_by[flow]);
			else
				fill_request(frames[i], flow);
		}
		cost = send_batch(c->port, c->n);
		if (cost < c->cost)
			c->cost = cost;
	}
}

static void measure(void)
{
	uint8_t *taken_by = calloc(flows, sizeof(*taken_by));
	unsigned int i, n_chunks, *order;
	uint64_t sum = 0, before;
	struct chunk *chunks;

	for (i = 0; i < flows; i++)
		taken_by[i] = i % n_backends;
	if (vips)
		request_all();
	if (vips && replies)
		learn(taken_by);
	order = put_in_order(taken_by);
	chunks = cut(order, taken_by, &n_chunks);
	pass(chunks, n_chunks, order, taken_by);	/* caches of routes and memory */
	for (i = 0; i < n_chunks; i++)
		chunks[i].cost = UINT64_MAX;
	before = received_there();
	for (i = 0; i < passes; i++)
		pass(chunks, n_chunks, order, taken_by);
	for (i = 0; i < n_chunks; i++)
		sum += chunks[i].cost;
	printf("{\"instructions\": %.1f, \"sent\": %u, \"received\": %llu}\n",
	       (double)sum / measured, measured * passes,
	       (unsigned long long)(received_there() - before));
	free(chunks);
	free(order);
	free(taken_by);
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

	while ((opt = getopt(argc, argv, "6rv:a:b:f:m:p:")) != -1) {
		switch (opt) {
		case '6': v6 = true; break;
		case 'r': replies = true; break;
		case 'v': vips = number(optarg, 0, 65536); break;
		case 'a': first_vip = number(optarg, 0, 65536); break;
		case 'b': real_port = number(optarg, 1, 65535); break;
		case 'f': flows = number(optarg, 1, 1 << 24); break;
		case 'm': measured = number(optarg, 1, 1 << 24); break;
		case 'p': passes = number(optarg, 1, 1000); break;
		default: return 1;
		}
	}
	n_backends = argc - optind - 1;
	if (argc - optind < 2 || n_backends > BACKENDS_MAX)
		errx(1, "expected a client and 1 to %d backends", BACKENDS_MAX);
	if (!measured || measured > flows)
		measured = flows;
	for (i = 0; i < BATCH; i++) {
		iovs[i] = (struct iovec){ frames[i], FRAME };
		msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &iovs[i], .msg_iovlen = 1 };
	}
	open_port(&client, argv[optind]);
	for (i = 0; i < (int)n_backends; i++)
		open_port(&backend[i], argv[optind + 1 + i]);
	measure();
	return 0;
}
