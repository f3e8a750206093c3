// SPDX-License-Identifier: GPL-2.0-only
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "netns.h"

/**
 * netns_enter() - what this process opens from now on is there
 * @name: as of `ip netns`
 *
 * Ends the process with the reason on stderr if that cannot be.
 */
void netns_enter(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "namespace %s", name);
	close(fd);
}
