#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_golden.sh - the kernel's tables of fixed configurations, and two gateways that agree
exec unshare --net python3 "$(dirname "$0")/table_golden.py"
