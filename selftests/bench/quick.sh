#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# quick.sh - instructions for each packet, of ringlb and beside it, held against goals
#
# 8192 flows of 64-byte UDP, one service, four backends, everything counted; nothing
# remembered, then 65536 flows: of another service, and those that are measured. Goals are of
# what ringlb's hooks cost above forwarding without balancing, and of what the fast path costs
# beside a tc redirect; its replies are to 64 clients, routes to whom it keeps. The baseline is
# what the hooks cost, by forwarding, when it was last written; it binds where kernel and
# compiler are the same: there the figures are equal to a part in a thousand.
# The time limit is the guest's, whose clock runs fast while it waits for files.
# timeout: 6000
set -u
# shellcheck source=selftests/bench/bed.sh
. "$(dirname "$0")/bed.sh"

declare -A goal=([4:request]=600 [4:reply]=700 [6:request]=730 [6:reply]=830)
declare -A of_floor=([4:request]=135 [4:reply]=160 [6:request]=135 [6:reply]=230)	# percent
pins=65536
pins_goal=150			# beyond these, while flows are remembered
baseline=$bench/baseline.json
found=${RINGLB_SHARE:-$tmp}/bench.json
found_on=${RINGLB_SHARE:-$tmp}/baseline.json

declare -A now was	# PATH:PINS:FAMILY:DIRECTION: tenths of an instruction

costs_in()		# costs_in FILE: a line of key and figure for each
{
	jq -r '(.rows? // .)[] |
		["\(.path):\(.pins):\(.family):\(.direction)", (.counted_instr * 10 | round)] |
		@tsv' "$1"
}

read_costs()
{
	local key tenths

	while IFS=$'\t' read -r key tenths; do
		now["$key"]=$tenths
	done < <(costs_in "$found")
	same_build || return
	while IFS=$'\t' read -r key tenths; do
		was["$key"]=$tenths
	done < <(costs_in "$baseline")
}

meets_goal()		# meets_goal KEY KEY_OF_FORWARDING GOAL
{
	local above=$((${now[$1]} - ${now[$2]}))

	echo "$above tenths of an instruction"
	((above <= $3 * 10))
}

same_build()		# was the baseline measured with this kernel and compiler?
{
	jq -e -s '.[0].kernel == .[1].kernel and .[0].compiler == .[1].compiler' \
		"$baseline" "$found_on" >/dev/null
}

keeps_baseline()	# keeps_baseline KEY KEY_OF_FORWARDING
{
	[[ ${was[$1]:-} ]] || return 0
	echo "${now[$1]} tenths of an instruction, forwarding ${now[$2]};" \
		"baseline: ${was[$1]}, ${was[$2]}"
	((${now[$1]} * ${was[$2]} * 100 <= 102 * ${was[$1]} * ${now[$2]}))
}

# "Linux version 6.1.0-1-amd64 (...) #1 SMP ... Debian 6.1.1-1 (date)": release and package
kernel_package()
{
	sed -nE 's/^Linux version ([^ ]+) .* Debian ([^ ]+) .*/\1 \2/p' /proc/version
}

compiler()		# by what it left in the module
{
	readelf -p .comment "$RINGLB_KO" | sed -nE 's/.*\] +(GCC: .*|.*clang.*)/\1/p' | sort -u
}

held()			# held OF PATH PINS EXTRA_GOAL: four figures, against goals and baseline
{
	local of=$1 path=$2 n=$3 extra=$4 family direction most keys

	for family in 4 6; do
		for direction in request reply; do
			keys=("$path:$n:$family:$direction" "forwarding:0:$family:$direction")
			most=$((${goal[$family:$direction]} + extra))
			ktap_check "bench: IPv$family, $direction$of: at most $most instructions above forwarding" \
				meets_goal "${keys[@]}" $most
			ktap_check "bench: IPv$family, $direction$of: at most 2 % above the baseline of this kernel and compiler, if there is one" \
				keeps_baseline "${keys[@]}"
		done
	done
}

under_floor()		# the fast path, against redirecting all without a look
{
	local family direction key most

	for family in 4 6; do
		for direction in request reply; do
			key="$family:$direction"
			most=${of_floor[$key]}
			ktap_check "bench: IPv$family, $direction, fast path: at most $most % of a tc redirect" \
				is_below "${now["ringlb fast path:0:$key"]}" \
				$((${now["tc redirect:0:$key"]} * most / 100))
			ktap_check "bench: IPv$family, $direction, fast path: cheaper than not balancing" \
				is_below "${now["ringlb fast path:0:$key"]}" "${now["forwarding:0:$key"]}"
		done
	done
}

is_below()		# is_below TENTHS TENTHS
{
	echo "$1 tenths of an instruction, of $2"
	(($1 <= $2))
}

ktap_plan 32
bench_bed 4
anchors
ringlb_up 1
row "ringlb hook" -v 1
dev_all add
row "ringlb fast path" -v 1
dev_all del
pins_up "$pins"
row "ringlb hook" -v 1
row "ringlb hook, pinned" "${pinned[@]}"
pins_are "$pins"
ringlb_down
ipvs_up conn_tab_bits=20 mh-fallback,mh-port
row "IPVS mh tuned" -v 1
ipvs_down

results >"$found"
jq --arg kernel "$(kernel_package)" --arg compiler "$(compiler)" \
	'{ $kernel, $compiler, rows: . }' "$found" >"$found_on"
read_costs
held "" "ringlb hook" 0 0
held " while $pins flows are remembered" "ringlb hook" "$pins" "$pins_goal"
held ", remembered, one of $pins" "ringlb hook, pinned" "$pins" "$pins_goal"
under_floor
