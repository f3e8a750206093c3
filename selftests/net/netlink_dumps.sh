#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# netlink_dumps.sh - lists are complete at any size, also while they change
# timeout: 240
exec unshare --net python3 "$(dirname "$0")/netlink_dumps.py"
