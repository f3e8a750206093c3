// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_stream.c - flows as lines for another gateway: what is printed is read, nothing else is
 */
#include <netinet/in.h>
#include <unistd.h>

#include "stream.h"
#include "unit.h"

static struct stream stream;
static enum stream_what what;
static struct remembered flow;
static struct cmd cmd;

static int read_line(const char *text)
{
	static char line[1024];

	strcpy(line, text);
	return stream_line(&stream, line, strlen(line), &cmd, &what, &flow);
}

static void begin(void)
{
	memset(&stream, 0, sizeof(stream));
	assert_int_equal(read_line("ringlb flows 1"), 0);
	assert_int_equal(what, STREAM_NOTHING);
}

static void refused(const char *text, const char *why)
{
	assert_int_equal(read_line(text), -1);
	assert_string_equal(cmd.error, why);
}

static void random_endpoint(struct endpoint *e)
{
	u32 i;

	e->family = unit_below(2) ? AF_INET : AF_INET6;
	for (i = 0; i < rlb_addr_len(e->family); i++)
		e->addr.byte[i] = unit_between(1, 255);
	e->port = unit_below(65536);
}

static void there_and_back(void **unused)
{
	unsigned int round, rounds = unit_rounds(20000);
	char line[STREAM_LINE_MAX];
	struct remembered f;
	FILE *to;

	begin();
	for (round = 0; round < rounds; round++) {
		memset(&f, 0, sizeof(f));
		sprintf(f.service, "web-%u.%d", unit_below(1000), 7);
		f.protocol = unit_protocol();
		random_endpoint(&f.client);
		random_endpoint(&f.backend.at);
		f.heard = unit_between(1, RINGLB_HEARD_ALL);
		f.left = unit_below(RINGLB_TIMEOUT_MAX + 1);
		f.has = BIT(RINGLB_A_FLOW_HEARD) | BIT(RINGLB_A_FLOW_LEFT);
		f.replace = unit_below(2);
		if (f.protocol == IPPROTO_TCP) {
			f.seq = unit_random();
			f.ack = unit_random();
			f.has |= BIT(RINGLB_A_FLOW_SEQ) | BIT(RINGLB_A_FLOW_ACK);
		}
		memset(line, 0, sizeof(line));
		to = fmemopen(line, sizeof(line), "w");
		stream_print_flow(to, f.replace ? STREAM_NEW : STREAM_IS, &f);
		fclose(to);
		line[strlen(line) - 1] = '\0';
		if (read_line(line))
			refute("%s: %s", line, cmd.error);
		assert_int_equal(what, f.replace ? STREAM_NEW : STREAM_IS);
		assert_memory_equal(&flow, &f, sizeof(f));
	}
	assert_in_range(stream.told, 1, rounds);
}

static void whole(void **unused)
{
	const char *is = "is web tcp 198.51.100.7:1 10.0.0.1:80 heard begin,both seq 1 ack 2 left 3";

	begin();
	assert_int_equal(read_line(is), 0);
	refused("synced 2", "number of flows \"2\": expected how many is lines there were: some are missing");
	assert_false(stream.synced);
	assert_int_equal(read_line("synced 1"), 0);
	assert_true(stream.synced);
	assert_int_equal(read_line("lost"), 0);
	assert_false(stream.synced);
	assert_int_equal(read_line(is), 0);
	assert_int_equal(read_line(is), 0);
	assert_int_equal(read_line("synced 2"), 0);
	assert_true(stream.synced);
	assert_int_equal(stream.line, 8);
}

static void bad_lines(void **unused)
{
	memset(&stream, 0, sizeof(stream));
	refused("ringlb flows 2", "header \"ringlb flows 2\": expected \"ringlb flows 1\"");
	refused("", "header \"\": expected \"ringlb flows 1\"");
	begin();
	refused("was web", "\"was\": expected service, is, synced, new, gone or lost");
	refused("service", "service is missing: expected " NAME_EXPECTS);
	refused("service web now", "\"now\": expected nothing more");
	refused("gone web dccp 198.51.100.7:1", "protocol \"dccp\": expected tcp, udp, sctp or the number of a protocol, 1 to 255, but not ICMP's (1 and 58)");
	refused("gone web tcp", "client is missing: expected ADDR or ADDR:PORT");
	refused("gone web tcp 198.51.100.7:1 10.0.0.1", "\"10.0.0.1\": expected nothing more");
	refused("is web tcp 198.51.100.7:1", "backend is missing: expected ADDR or ADDR:PORT");
	refused("is web tcp 198.51.100.7:1 10.0.0.1", "heard or left is missing");
	refused("is web tcp 198.51.100.7:1 10.0.0.1 heard begin", "heard or left is missing");
	refused("is web tcp 198.51.100.7:1 10.0.0.1 heard begin left 1 seq 1",
		"seq and ack: expected both or neither");
	refused("is web tcp 198.51.100.7:1 10.0.0.1 heard begin left 604801",
		"left \"604801\": expected 0 to 604800 seconds");
	refused("is web tcp 198.51.100.7:1 10.0.0.1 heard both,begin left 1",
		"heard \"both,begin\": expected begin, middle or datagram, perhaps ,answer ,both ,fin-client ,fin-backend ,rst");
	refused("is web tcp 198.51.100.7:1 10.0.0.1 heard begin, left 1",
		"heard \"begin,\": expected begin, middle or datagram, perhaps ,answer ,both ,fin-client ,fin-backend ,rst");
	refused("is web tcp 198.51.100.7:1 10.0.0.1 weight 1", "\"weight\": expected heard, seq, ack or left");
	refused("new 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16", "expected at most 16 words");
	refused("synced", "number of flows is missing: expected how many is lines there were");
	refused("synced -1", "number of flows \"-1\": expected how many is lines there were: some are missing");
	assert_int_equal(stream_line(&stream, (char[]){ "lost\0" }, 5, &cmd, &what, &flow), -1);
	assert_string_equal(cmd.error, "expected text, found a NUL byte");
	assert_int_equal(read_line(""), 0);
	assert_int_equal(what, STREAM_NOTHING);
}

/* A reader with its end of a pipe; the other one is returned. */
static int reader(struct stream_reader *r)
{
	int fd[2];

	assert_int_equal(pipe(fd), 0);
	memset(r, 0, sizeof(*r));
	r->fd = fd[0];
	return fd[1];
}

static void as_they_come(void **unused)
{
	static struct stream_reader r;
	char *line, big[STREAM_LINE_MAX + 1];
	size_t len;
	int fd = reader(&r);

	assert_true(stream_is_idle(&r));
	assert_int_equal(write(fd, "one\ntwo\nth", 10), 10);
	assert_false(stream_is_idle(&r));
	assert_int_equal(stream_read(&r, &line, &len), 1);
	assert_string_equal(line, "one");
	assert_false(stream_is_idle(&r));
	assert_int_equal(stream_read(&r, &line, &len), 1);
	assert_string_equal(line, "two");
	assert_true(stream_is_idle(&r));
	assert_int_equal(write(fd, "ree\nfour", 8), 8);
	assert_int_equal(stream_read(&r, &line, &len), 1);
	assert_string_equal(line, "three");
	assert_int_equal(len, 5);
	close(fd);
	assert_int_equal(stream_read(&r, &line, &len), -EPIPE);
	close(r.fd);

	fd = reader(&r);
	memset(big, 'x', sizeof(big));
	big[STREAM_LINE_MAX - 1] = '\n';
	assert_int_equal(write(fd, big, STREAM_LINE_MAX), STREAM_LINE_MAX);
	assert_int_equal(stream_read(&r, &line, &len), 1);
	assert_int_equal(len, STREAM_LINE_MAX - 1);
	big[STREAM_LINE_MAX - 1] = 'x';
	assert_int_equal(write(fd, big, STREAM_LINE_MAX), STREAM_LINE_MAX);
	assert_int_equal(stream_read(&r, &line, &len), -E2BIG);	/* and does not wait for its end */
	close(fd);
	close(r.fd);

	fd = reader(&r);
	close(fd);
	assert_int_equal(stream_read(&r, &line, &len), 0);
	close(r.fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM("stream: a flow that is printed is read as it was", there_and_back),
		CLAIM("stream: flows that are missing are noticed", whole),
		CLAIM("stream: a line that is not understood is refused with what was expected",
		      bad_lines),
		CLAIM("stream: lines are read as they come, and bounded", as_they_come),
	};

	return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
