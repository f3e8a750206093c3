#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# plan_live.sh - what a plan says of a change is what dumps of the kernel's table then show
exec unshare --net python3 "$(dirname "$0")/plan_live.py"
