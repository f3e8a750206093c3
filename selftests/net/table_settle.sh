#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_settle.sh - a change moves at once what it must, and settles to the canonical table
exec unshare --net python3 "$(dirname "$0")/table_settle.py"
