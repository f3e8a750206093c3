#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# live_judge.sh - the tests of living flows notice each way in which one can break
exec python3 "$(dirname "$0")/live_judge.py"
