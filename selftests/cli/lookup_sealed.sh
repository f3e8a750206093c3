#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lookup_sealed.sh - module/lookup/ is pure: what it knows it is told, and integers are enough
#
# In:  gcc, nm; no module, no root.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

top=$here/../..
lookup=$top/module/lookup
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

ktap_plan 3
ktap_is "lookup: of others it includes the protocol's header alone; env.h is its way out" \
	"$(cd "$lookup" && for f in *.[ch]; do
		[[ $f != env.h ]] || continue
		sed -n -E 's/^#include ["<](.*)[">]$/\1/p' "$f" | while read -r name; do
			[[ $name == linux/ringlb.h || -f $name ]] || echo "$f: $name"
		done
	done)" ""

# Without registers for them there are no floats.
claim="lookup: integers are enough"
if cc -O2 -std=gnu11 -mgeneral-regs-only -I"$top/uapi" -I"$lookup" -r -nostdlib \
	-o "$dir/lookup.o" "$lookup"/*.c 2>"$dir/err"; then
	ktap_ok "$claim"
else
	ktap_fail "$claim" "$(cat "$dir/err")"
fi
ktap_is "lookup: of others it calls for memory and bytes alone" \
	"$( (nm -u "$dir/lookup.o" || echo U nothing) 2>&1 | awk '{ print $2 }' |
		grep -vxE 'reallocarray|free|mem(cmp|cpy|move|set)|strcmp')" ""
