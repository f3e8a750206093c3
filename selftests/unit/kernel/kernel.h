/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - the few kernel words that module/parse.c, match.c and index.c are made of
 *
 * So that the parser of packets and what finds their services can be compiled natively, and fed,
 * watched by sanitizers, with more than a virtual machine could send. Included before everything else (-include); headers
 * of the kernel that a native machine does not have are made by the Makefile and say nothing.
 * Of a packet there is what the parser may look at. Its bytes are in two pieces, as an skb's
 * may be, each an allocation of its own.
 */
#ifndef _RINGLB_UNIT_KERNEL_H
#define _RINGLB_UNIT_KERNEL_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "flow/env.h"

#include <linux/icmpv6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/types.h>

#define __force
#define __percpu
#define noinline __attribute__((noinline))
#define swab64 __builtin_bswap64

/* <linux/...>: parts of struct rlb_net, which the parser only points to */
struct list_head { struct list_head *next, *prev; };
struct nf_hook_ops { int unused; };
struct rcu_head { int unused; };
struct rhashtable { int unused; };
struct work_struct { int unused; };
struct xarray { int unused; };

/* <linux/bitops.h>, <linux/rcupdate.h>, <linux/lockdep.h>: of index.h, index.c and match.c */
#define BIT(n) (1UL << (n))
#define BIT_ULL(n) (1ULL << (n))
#define BITS_PER_BYTE 8
#define ilog2(n) (31 - __builtin_clz(n))
#define fls64(x) ((x) ? 64 - __builtin_clzll(x) : 0)
#define hweight32(x) ((u32)__builtin_popcount(x))
#define likely(x) __builtin_expect(!!(x), 1)
#define container_of(p, type, field) ((type *)((char *)(p) - offsetof(type, field)))
#define kvfree_rcu(p, field) free(p)

#define for_each_set_bit(bit, bits, n)					\
	for ((bit) = 0; (bit) < (n); (bit)++)				\
		if (test_bit(bit, bits))

#ifndef rcu_dereference
#define rcu_dereference(p) rcu_dereference_check(p, true)
#endif
#define lockdep_is_held(lock) ((void)(lock), 1)

#define DECLARE_BITMAP(name, bits) unsigned long name[(bits) / (8 * sizeof(long))]

static inline bool test_bit(unsigned long n, const unsigned long *bits)
{
	return bits[n / (8 * sizeof(long))] >> n % (8 * sizeof(long)) & 1;
}

static inline void set_bit(unsigned long n, unsigned long *bits)
{
	bits[n / (8 * sizeof(long))] |= 1UL << n % (8 * sizeof(long));
}

/* <linux/slab.h>, <linux/mm.h> */
#define GFP_KERNEL_ACCOUNT 0
#define struct_size(p, field, n) (sizeof(*(p)) + (n) * sizeof((p)->field[0]))
#define kzalloc(size, flags) calloc(1, size)
#define kvzalloc(size, flags) calloc(1, size)
#define kvfree(p) free(p)

/* <linux/timekeeping.h> */
static inline uint64_t ktime_get_seconds(void)
{
	return 0;
}

/* <linux/netfilter.h> */
#define NFPROTO_IPV4 2
#define NFPROTO_IPV6 10

struct nf_hook_state {
	uint8_t pf;
};

/* <net/ip.h>, <net/ipv6.h>, <net/ndisc.h> */
#define IP_OFFSET 0x1fff
#define IP_MF 0x2000
#define IP6_OFFSET 0xfff8
#define IP6_MF 0x0001
#define NDISC_REDIRECT 137
#define ND_OPT_REDIRECT_HDR 4

struct rd_msg {
	struct icmp6hdr icmph;
	struct in6_addr target;
	struct in6_addr dest;
	uint8_t opt[];
};

static inline bool ip_is_fragment(const struct iphdr *iph)
{
	return iph->frag_off & htons(IP_MF | IP_OFFSET);
}

static inline bool ipv6_addr_equal(const struct in6_addr *a, const struct in6_addr *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* <linux/sctp.h> */
struct sctphdr {
	__be16 source;
	__be16 dest;
	__be32 vtag;
	__le32 checksum;
};

/**
 * struct sk_buff - a packet
 * @len: bytes of it
 * @linear: so many are at @data, the rest at @more
 * @data: the first piece
 * @more: the second one
 * @network: where in @data the network header begins
 */
struct sk_buff {
	unsigned int len;
	unsigned int linear;
	uint8_t *data;
	uint8_t *more;
	unsigned int network;
};

static inline unsigned int skb_network_offset(const struct sk_buff *skb)
{
	return skb->network;
}

static inline unsigned int skb_headlen(const struct sk_buff *skb)
{
	return skb->linear;
}

static inline struct iphdr *ip_hdr(const struct sk_buff *skb)
{
	return (struct iphdr *)(skb->data + skb->network);
}

static inline struct ipv6hdr *ipv6_hdr(const struct sk_buff *skb)
{
	return (struct ipv6hdr *)(skb->data + skb->network);
}

static inline int skb_copy_bits(const struct sk_buff *skb, unsigned int offset, void *buf,
				unsigned int len)
{
	uint8_t *to = buf;
	unsigned int i;

	if (offset > skb->len || len > skb->len - offset)
		return -1;
	for (i = offset; i < offset + len; i++)
		*to++ = i < skb->linear ? skb->data[i] : skb->more[i - skb->linear];
	return 0;
}

/* Bytes at @offset: as they lie in the first piece, else copied to @buf; NULL: not there. */
static inline void *skb_header_pointer(const struct sk_buff *skb, unsigned int offset,
				       unsigned int len, void *buf)
{
	if (offset <= skb->linear && len <= skb->linear - offset)
		return skb->data + offset;
	return skb_copy_bits(skb, offset, buf, len) ? NULL : buf;
}

#endif /* _RINGLB_UNIT_KERNEL_H */
