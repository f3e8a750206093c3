// SPDX-License-Identifier: GPL-2.0-only
/*
 * mark.c - tells sharing.c, from inside the guest, when to watch: mark begin|end
 */
#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "begin"))
		__asm__ volatile("nopl 0x1524c42(%rax)");
	else if (argc == 2 && !strcmp(argv[1], "end"))
		__asm__ volatile("nopl 0x2524c42(%rax)");
	else
		return 2;
	return 0;
}
