#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# netlink_policy.sh - what no tool would send is refused with a text, and changes nothing
exec unshare --net python3 "$(dirname "$0")/netlink_policy.py"
