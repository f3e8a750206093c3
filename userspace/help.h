/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * help.h - options and commands, explained
 */
#ifndef _RINGLB_HELP_H
#define _RINGLB_HELP_H

/**
 * struct option_word - an option of the tool
 * @letter: the option
 * @argument: what must follow it, NULL: nothing
 * @does: what it does
 */
struct option_word {
	char letter;
	const char *argument;
	const char *does;
};

extern const struct option_word options[];	/* the last one's letter is 0 */

#endif /* _RINGLB_HELP_H */
