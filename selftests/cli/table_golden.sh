#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# table_golden.sh - fixed configurations have the tables that they always had
#
# In:  the built tool, jq, ../golden/; no module, no root. net/table_golden.sh is the same for
#      the kernel.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
golden=$here/../golden

ktap_plan 2
found=$("$ringlb" -f "$golden/conf" -j table digest | jq -r '.[] | "\(.service) \(.digest)"')
ktap_is "golden: the tool's tables have the digests that they always had" "$found" \
	"$(cat "$golden/digests")"
ktap_is "golden: there is a table of each method" \
	"$(cut -d- -f1 "$golden/digests" | sort -u | paste -sd' ')" "maglev rendezvous ring seat slots"
