/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * words.h - the words of values: one table for those who read them and those who print them
 */
#ifndef _RINGLB_WORDS_H
#define _RINGLB_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "env.h"

#define NAME_EXPECTS "1 to 31 of the characters A-Z a-z 0-9 . _ -, the first not -"
#define TENTHS_EXPECTS "0% to 100%, at most one decimal"
#define SECONDS_EXPECTS "1 to 604800 seconds"
#define SLOW_START_EXPECTS "none or 1 to 86400 seconds"
#define WORD_VALUE_MAX 32	/* the longest value that a keyword prints, with its NUL */

/**
 * struct keyword - a KEYWORD VALUE pair
 * @word: the keyword
 * @values: its values, as usage lines write them
 * @expects: its values, as errors write them
 * @attr: its attribute's number; bit of the object's mask
 * @parse: value to object; 0 or -1
 * @print: object to value; NULL: it is no setting, and is not saved
 */
struct keyword {
	const char *word;
	const char *values;
	const char *expects;
	unsigned int attr;
	int (*parse)(const char *value, void *object);
	void (*print)(char value[WORD_VALUE_MAX], const void *object);
};

/* Of struct service, of struct backend, of struct simulate..., in the order in which save
 * writes them; the last one's word is NULL.
 */
extern const struct keyword service_keywords[];
extern const struct keyword backend_keywords[];
extern const struct keyword simulate_keywords[];
extern const struct keyword lookup_keywords[];
extern const struct keyword flow_keywords[];
extern const struct keyword remembered_keywords[];
extern const struct keyword export_keywords[];
extern const struct keyword secret_keywords[];

/* Word to number: 0, or -1 with the number as it was. Number to word: "unknown" for one that
 * only a newer module knows.
 */
int word_protocol_find(const char *word, u32 *protocol);
bool word_has_ports(u32 protocol);
int word_packet_protocol_find(const char *word, u32 *protocol);
const char *word_protocol(u32 protocol);
int word_state_find(const char *word, u32 *state);
const char *word_state(u32 state);
const char *word_method(u32 method);
const char *word_key(u32 key);
const char *word_track(u32 track);
const char *word_switch(u32 on);
const char *word_udp_drain(u32 udp_drain);
const char *word_match(u32 match);
const char *word_none(u32 none);
const char *word_mode(u32 mode);
const char *word_tunnel(u32 tunnel);
const char *word_counter(unsigned int counter);
const char *word_dev_counter(unsigned int counter);
const char *word_event(u32 event);
const char *word_flow_state(u32 state);
const char *word_flow_event(unsigned int attr);
#define WORD_HEARD_MAX 64	/* all there is to hear, with its NUL */
const char *word_heard(u32 heard, char word[WORD_HEARD_MAX]);
int word_tenths_find(const char *word, u32 max, u32 *tenths);
const char *word_tenths(u32 tenths, char word[WORD_VALUE_MAX]);
const char *word_why(const struct keyword *k, const void *object);
const char *word_stray(u32 method, u64 has);

bool word_is_name(const char *word);
int word_secret(const char *word, u8 key[16]);

#endif /* _RINGLB_WORDS_H */
