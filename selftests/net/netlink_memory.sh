#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# netlink_memory.sh - requests whose memory is refused, one allocation after the other
exec unshare --net python3 "$(dirname "$0")/netlink_memory.py"
