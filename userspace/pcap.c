// SPDX-License-Identifier: GPL-2.0-only
/*
 * pcap.c - capture files to flows
 *
 * In: a file that libpcap reads: Ethernet with or without VLAN tags, raw IP, Linux cooked.
 * Out: flows, or one sentence about what is wrong with the file.
 */
#include <pcap/pcap.h>

#include <errno.h>
#include <string.h>

#include "tool.h"
#include "traffic.h"

#define TAGS_MAX 4

#define TYPE_IPV4 0x0800
#define TYPE_IPV6 0x86dd
#define TYPE_VLAN 0x8100
#define TYPE_QINQ 0x88a8
#define TYPE_OLD_QINQ 0x9100

/**
 * struct link - how packets lie in a file
 * @type: libpcap's number
 * @type_at: where the protocol stands; -1: there is none
 * @len: of the header
 */
struct link {
	int type;
	int type_at;
	u32 len;
};

static const struct link links[] = {
	{ DLT_EN10MB, 12, 14 },
	{ DLT_RAW, -1, 0 },
	{ DLT_IPV4, -1, 0 },
	{ DLT_IPV6, -1, 0 },
	{ DLT_LINUX_SLL, 14, 16 },
	{ DLT_LINUX_SLL2, 0, 20 },
};

static const struct link *find_link(int type)
{
	size_t i;

	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (links[i].type == type)
			return &links[i];
	return NULL;
}

/* Where the network header begins; -1: it is none of IP */
static int network_at(const struct link *l, const u8 *p, u32 len)
{
	u32 at = l->len, type, tags;

	if (l->type_at < 0)
		return 0;
	if (len < l->len)
		return -1;
	type = p[l->type_at] << 8 | p[l->type_at + 1];
	for (tags = 0; tags < TAGS_MAX && len - at >= 4; tags++) {
		if (type != TYPE_VLAN && type != TYPE_QINQ && type != TYPE_OLD_QINQ)
			break;
		type = p[at + 2] << 8 | p[at + 3];
		at += 4;
	}
	return type == TYPE_IPV4 || type == TYPE_IPV6 ? (int)at : -1;
}

/* 0; 1 after libpcap's error; -errno */
static int read_packets(pcap_t *pcap, const struct link *l, const struct service *of,
			struct traffic *t)
{
	struct pcap_pkthdr *head;
	int ret, at, err = 0;
	const u8 *packet;

	while (!err && (ret = pcap_next_ex(pcap, &head, &packet)) == 1) {
		at = network_at(l, packet, head->caplen);
		if (at < 0 || head->len < head->caplen)
			t->others++;
		else
			err = traffic_add(t, of, packet + at, head->caplen - at, head->len - at);
	}
	return err ? err : ret == PCAP_ERROR;
}

static int say(const char *file, const char *what)
{
	tool_error("pcap \"%s\": %s", file, what);
	return TOOL_REFUSED;
}

static int read_file(const char *file, pcap_t *pcap, const struct service *of,
		     struct traffic *t)
{
	const struct link *l = find_link(pcap_datalink(pcap));
	char text[128];
	const char *name;

	if (!l) {
		name = pcap_datalink_val_to_name(pcap_datalink(pcap));
		snprintf(text, sizeof(text),
			 "expected packets of Ethernet, raw IP or Linux cooked, not %s",
			 name ? name : "of an unknown kind");
		return say(file, text);
	}
	switch (read_packets(pcap, l, of, t)) {
	case 0:
		break;
	case 1:
		return say(file, pcap_geterr(pcap));
	case -E2BIG:
		return say(file, "more than 4194304 flows");
	default:
		return tool_no_memory();
	}
	if (t->n)
		return TOOL_DONE;
	return say(file, of ? "no packet of the service in it" : "no packet of TCP, UDP or SCTP in it");
}

/**
 * traffic_read() - the flows of a file
 * @file: its name; "-": standard input
 * @of: the service whose packets count, in both directions; NULL: all
 * @t: out: the flows, the longest first; empty before; to be freed in any case
 *
 * Return: an exit code, after its message.
 */
int traffic_read(const char *file, const struct service *of, struct traffic *t)
{
	char error[PCAP_ERRBUF_SIZE], *text = error;
	size_t len = strlen(file);
	pcap_t *pcap;
	int code;

	pcap = pcap_open_offline(file, error);
	if (!pcap) {
		/* libpcap names some files itself. */
		if (!strncmp(error, file, len) && !strncmp(error + len, ": ", 2))
			text += len + 2;
		return say(file, text);
	}
	code = read_file(file, pcap, of, t);
	pcap_close(pcap);
	traffic_sort(t);
	return code;
}
