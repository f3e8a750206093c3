#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lookup_cost.sh - how many instructions a lookup takes
#
# In:  gcc, valgrind; no module, no root. Counted, not timed: the same on a busy machine.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ktap_plan 3
command -v valgrind >/dev/null || ktap_skip_rest "valgrind"
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

ktap_check "lookup: its benchmark builds" make -s -C "$here/../bench"
"$here/../bench/lookup.py" count >"$dir/rows"
# shellcheck disable=SC2016 # fields of awk
ktap_check "lookup: 12 instructions with all backends up, hash given, loop included" \
	awk '/^lookup, all up/ { exit !($4 == 12) }' "$dir/rows"
# shellcheck disable=SC2016
ktap_check "lookup: at most 3 more on average with a tenth of them down" \
	awk '/^lookup, 10 % down/ { exit !($5 <= 15) }' "$dir/rows"
