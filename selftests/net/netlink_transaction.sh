#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# netlink_transaction.sh - begin, as many messages as it takes, commit: one change or none
exec unshare --net python3 "$(dirname "$0")/netlink_transaction.py"
