#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# slotless.sh - backends whose weight earns them no slot are named, now and in plans
#
# In:  the built tool, jq; no module, no root: configurations come from files (-f).
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

cat >"$dir/conf" <<'END'
service add rare tcp 192.0.2.10:80 method maglev slots 4096
backend add rare 10.0.0.1 weight 65535
backend add rare 10.0.0.2 weight 1
backend add rare 10.0.0.3:81 weight 1
backend add rare 10.0.0.4 weight 0
service add usual tcp 192.0.2.11:80
backend add usual 10.0.0.5 10.0.0.6
END

answer()		# answer WORD...: what is said on standard output
{
	"$ringlb" -f "$dir/conf" "$@" 2>/dev/null
}

ktap_plan 7
ktap_is "slotless: service show names them on a line of their own" \
	"$(answer service show | grep -A1 ^rare | tail -1)" "    slotless 10.0.0.2, 10.0.0.3:81"
ktap_is "slotless: as text, of other services nothing is said" \
	"$(answer service show usual | grep -c slotless)" 0
ktap_is "slotless: as JSON, an array, or nothing" \
	"$(answer -j service show | jq -c 'map(.slotless)')" '[["10.0.0.2","10.0.0.3:81"],null]'
ktap_is "slotless: a plan names those that will be" \
	"$(answer plan rare backend set 10.0.0.2 weight 99 backend add 10.0.0.7 |
		awk '$1 == "slotless"')" "slotless             10.0.0.3:81, 10.0.0.7"
ktap_is "slotless: a plan as JSON" \
	"$(answer -j plan rare backend del 10.0.0.3:81 | jq -c 'map(.slotless)')" '[["10.0.0.2"]]'
ktap_is "slotless: a plan after which there are none" \
	"$(answer -j plan rare backend set 10.0.0.1 weight 1 | jq -c 'map(has("slotless"))')" '[false]'
ktap_is "slotless: of a map, a backend in no range" "$(answer -j plan usual service set \
	method slots map 0-65535=10.0.0.6 | jq -c 'map(.slotless)')" '[["10.0.0.5"]]'
