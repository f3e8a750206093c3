#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# plot.sh - drawings have the arcs and shares that the tables have
#
# In:  the built tool, python3 (plot.py); no module, no root.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

{
	echo 'service add four tcp 192.0.2.1:80 method ring'
	echo 'service add many tcp 192.0.2.2:80'
	echo 'service add one tcp 192.0.2.3:80 slots 4096'
	echo 'service add none tcp [2001:db8::4]:80 slots 4096'
	for i in {1..4}; do
		echo "backend add four 10.0.0.$i weight $((i % 3))"
	done
	for i in {1..100}; do
		echo "backend add many 10.0.1.$i weight $((i % 4))"
	done
	echo 'backend add one 10.0.2.1'
} >"$dir/conf"

# drawing SERVICE CHANGE [exact]: what is wrong with it
drawing()
{
	local object verb words

	read -r object verb words <<<"$2"
	(cat "$dir/conf"; echo "$object $verb $1 $words") >"$dir/after.conf"
	# shellcheck disable=SC2086
	"$ringlb" -f "$dir/conf" plan "$1" $2 plot "$dir/svg" >/dev/null || return
	"$ringlb" -j -f "$dir/conf" table show "$1" >"$dir/before"
	"$ringlb" -j -f "$dir/after.conf" table show "$1" >"$dir/after"
	python3 "$here/plot.py" "$dir/svg" "$dir/before" "$dir/after" "${@:3}"
}

ktap_plan 14

while IFS='|' read -r service change exact; do
	# shellcheck disable=SC2086
	ktap_is "plot: $service: $change: drawn as the tables say" \
		"$(drawing "$service" "$change" $exact 2>&1)" ""
done <<'END'
four|backend add 10.0.0.9|exact
four|backend del 10.0.0.2|exact
four|service set vnodes 3|exact
many|backend add 10.0.1.200 weight 2
many|backend del 10.0.1.7
many|backend set 10.0.1.3 weight 90
many|service set method maglev
one|backend add 10.0.2.2
one|backend del 10.0.2.1
none|backend add fd00::1
END

"$ringlb" simulate backends 4 slots 4096 vnodes 20 plot "$dir/svg" method ring >/dev/null
{
	echo 'service add web tcp 192.0.2.9:80 method ring vnodes 20 slots 4096'
	for i in {1..4}; do
		echo "backend add web 10.0.0.$i:8080"
	done
} >"$dir/conf"
"$ringlb" -j -f "$dir/conf" table show web >"$dir/before"
echo 'backend add web 10.0.0.5:8080' >>"$dir/conf"
"$ringlb" -j -f "$dir/conf" table show web >"$dir/after"
ktap_is "plot: simulate draws one more backend" \
	"$(python3 "$here/plot.py" "$dir/svg" "$dir/before" "$dir/after" exact 2>&1)" ""
"$ringlb" -f "$dir/conf" simulate web slots 4096 plot "$dir/svg" >/dev/null
ktap_check "plot: simulate draws the service's method" grep -q '>web, method ring<' "$dir/svg"
ktap_refuse "plot: a file that cannot be written" 2 \
	'^ringlb: plot "/nowhere/a.svg": No such file or directory$' \
	"$ringlb" -f "$dir/conf" plan web backend del 10.0.0.1:8080 plot /nowhere/a.svg
ktap_refuse "plot: a full disk" 2 '^ringlb: plot "/dev/full": No space left on device$' \
	"$ringlb" -f "$dir/conf" plan web backend del 10.0.0.1:8080 plot /dev/full
