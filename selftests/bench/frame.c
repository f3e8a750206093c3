// SPDX-License-Identifier: GPL-2.0-only
/*
 * frame.c - frames of many flows, as clients and backends of bed.sh send them
 */
#include "frame.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <string.h>

#define PORTS 128	/* of each client */
#define VIP_PORT 80

static const uint8_t gateway_mac[ETH_ALEN] = { 2, 0, 0, 0, 0, 1 };
static const uint8_t sender_mac[ETH_ALEN] = { 2, 0, 0, 0, 0, 2 };

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

/* Addresses and ports of a flow: client_end() is in 198.18.0.0/15 or 2001:db8:c::/48. */
struct end {
	uint8_t addr[16];	/* IPv4: the first 4 bytes */
	uint16_t port;		/* host byte order */
};

static void set_end(const struct traffic *of, struct end *end, const char *base4,
		    const char *base6, uint32_t n, uint16_t port)
{
	uint32_t last;

	memset(end, 0, sizeof(*end));
	inet_pton(of->v6 ? AF_INET6 : AF_INET, of->v6 ? base6 : base4, end->addr);
	memcpy(&last, end->addr + (of->v6 ? 12 : 0), 4);
	last = htonl(ntohl(last) + n);
	memcpy(end->addr + (of->v6 ? 12 : 0), &last, 4);
	end->port = port;
}

static void client_end(const struct traffic *of, struct end *end, unsigned int flow)
{
	set_end(of, end, "198.18.0.1", "2001:db8:c::1", flow / PORTS, 1024 + flow % PORTS);
}

static void vip_end(const struct traffic *of, struct end *end, unsigned int flow)
{
	set_end(of, end, "203.0.113.1", "2001:db8:f::1", of->first_vip + flow % of->vips, VIP_PORT);
}

static void backend_end(const struct traffic *of, struct end *end, unsigned int b)
{
	set_end(of, end, "10.0.2.11", "fd00:2::11", b, of->real_port);
}

static uint8_t *put(uint8_t *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	return to + len;
}

/* UDP, or a SYN; @addrs are the sum of what else its checksum covers. */
static void fill_transport(const struct traffic *of, uint8_t *l4, uint16_t len,
			   uint32_t addrs, const struct end *from, const struct end *to)
{
	struct tcphdr *th = (struct tcphdr *)l4;
	struct udphdr *uh = (struct udphdr *)l4;

	if (of->syns) {
		*th = (struct tcphdr){ .source = htons(from->port), .dest = htons(to->port),
				       .seq = htonl(1), .doff = len / 4, .syn = 1,
				       .window = htons(65535) };
		th->check = fold(sum_words(addrs + IPPROTO_TCP + len, l4, len));
	} else {
		*uh = (struct udphdr){ .source = htons(from->port), .dest = htons(to->port),
				       .len = htons(len) };
		uh->check = fold(sum_words(addrs + IPPROTO_UDP + len, l4, len));
	}
}

static void fill(const struct traffic *of, uint8_t *frame, const struct end *from,
		 const struct end *to)
{
	unsigned int hlen = of->v6 ? sizeof(struct ip6_hdr) : sizeof(struct iphdr);
	unsigned int alen = of->v6 ? 16 : 4;
	uint16_t len = of->syns ? sizeof(struct tcphdr) : FRAME - ETH_HLEN - hlen;
	uint16_t proto = htons(of->v6 ? ETH_P_IPV6 : ETH_P_IP);
	uint8_t *ip, *addrs;

	memset(frame, 0, FRAME);
	ip = put(put(put(frame, gateway_mac, ETH_ALEN), sender_mac, ETH_ALEN), &proto, 2);
	addrs = ip + hlen - 2 * alen;
	put(put(addrs, from->addr, alen), to->addr, alen);
	fill_transport(of, ip + hlen, len, sum_words(0, addrs, 2 * alen), from, to);
	if (of->v6) {
		struct ip6_hdr *ip6h = (struct ip6_hdr *)ip;

		ip6h->ip6_vfc = 0x60;
		ip6h->ip6_plen = htons(len);
		ip6h->ip6_nxt = of->syns ? IPPROTO_TCP : IPPROTO_UDP;
		ip6h->ip6_hlim = 64;
	} else {
		struct iphdr *iph = (struct iphdr *)ip;

		iph->version = 4;
		iph->ihl = 5;
		iph->tot_len = htons(hlen + len);
		iph->ttl = 64;
		iph->protocol = of->syns ? IPPROTO_TCP : IPPROTO_UDP;
		iph->check = fold(sum_words(0, iph, sizeof(*iph)));
	}
}

/**
 * frame_request() - a flow's packet, as its client sends it
 * @of: the traffic
 * @frame: FRAME bytes, written
 * @flow: which
 */
void frame_request(const struct traffic *of, uint8_t *frame, unsigned int flow)
{
	struct end from, to;

	client_end(of, &from, flow);
	if (of->vips)
		vip_end(of, &to, flow);
	else
		backend_end(of, &to, flow % of->backends);
	fill(of, frame, &from, &to);
}

/**
 * frame_reply() - a flow's packet, as a backend sends it
 * @of: the traffic
 * @frame: FRAME bytes, written
 * @flow: which
 * @b: the backend
 */
void frame_reply(const struct traffic *of, uint8_t *frame, unsigned int flow, unsigned int b)
{
	struct end from, to;

	backend_end(of, &from, b);
	client_end(of, &to, flow);
	fill(of, frame, &from, &to);
}

/**
 * frame_flow() - which flow is this request that a backend has received?
 * @of: the traffic
 * @frame: FRAME bytes
 *
 * Return: its number; -1: none of ours.
 */
long frame_flow(const struct traffic *of, const uint8_t *frame)
{
	const uint8_t *ip = frame + ETH_HLEN;
	const uint8_t *src = ip + (of->v6 ? 8 + 12 : 12);
	const uint8_t *l4 = ip + (of->v6 ? sizeof(struct ip6_hdr) : sizeof(struct iphdr));
	uint32_t last, first_client;
	struct end first;

	client_end(of, &first, 0);
	memcpy(&last, src, 4);
	memcpy(&first_client, first.addr + (of->v6 ? 12 : 0), 4);
	if ((l4[2] << 8 | l4[3]) != (int)of->real_port)
		return -1;
	return (long)(ntohl(last) - ntohl(first_client)) * PORTS + (l4[0] << 8 | l4[1]) - 1024;
}
