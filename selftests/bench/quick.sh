#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# quick.sh - instructions for each packet, of ringlb and beside it, held against goals
#
# 8192 flows of 64-byte UDP, one service, four backends, nothing remembered, everything
# counted. Goals are of what ringlb's hooks cost above forwarding without balancing. The
# baseline is what they cost, by forwarding, when it was last written; it binds where kernel
# and compiler are the same: there the figures are equal to a part in a thousand.
# The time limit is by the guest's clock, which runs fast while it waits for files.
# timeout: 6000
set -u
# shellcheck source=selftests/bench/bed.sh
. "$(dirname "$0")/bed.sh"

declare -A goal=([4:request]=600 [4:reply]=700 [6:request]=730 [6:reply]=830)
baseline=$bench/baseline.json
found=${RINGLB_SHARE:-$tmp}/bench.json
found_on=${RINGLB_SHARE:-$tmp}/baseline.json

cost_of()		# cost_of PATH FAMILY DIRECTION FILE
{
	jq --arg path "$1" --argjson family "$2" --arg direction "$3" '
		(.rows? // .)[] | select([.path, .family, .direction] == [$path, $family, $direction]) |
		.counted_instr' "$4"
}

meets_goal()		# meets_goal FAMILY DIRECTION
{
	jq -n -e "$(cost_of "ringlb hook" "$1" "$2" "$found") -
		$(cost_of forwarding "$1" "$2" "$found") |
		\"\(. * 10 | round / 10) instructions\", . <= ${goal[$1:$2]}"
}

same_build()		# was the baseline measured with this kernel and compiler?
{
	jq -e -s '.[0].kernel == .[1].kernel and .[0].compiler == .[1].compiler' \
		"$baseline" "$found_on" >/dev/null
}

keeps_baseline()	# keeps_baseline FAMILY DIRECTION
{
	same_build || return 0
	jq -n -e "$(cost_of "ringlb hook" "$1" "$2" "$found") /
		$(cost_of forwarding "$1" "$2" "$found") /
		$(cost_of "ringlb hook" "$1" "$2" "$baseline") *
		$(cost_of forwarding "$1" "$2" "$baseline") |
		\"\(. * 1000 | round / 10) % of the baseline\", . <= 1.02"
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

ktap_plan 8
bench_bed 4
tc_first drop drop
row generator
tc_none
tc_first "mirred egress redirect dev be1" "mirred egress redirect dev cli"
row "tc redirect"
tc_none
row forwarding
ringlb_up 1
row "ringlb hook" -v 1
ringlb_down
ipvs_up
row "IPVS mh tuned" -v 1
ipvs_down

results >"$found"
jq --arg kernel "$(kernel_package)" --arg compiler "$(compiler)" \
	'{ $kernel, $compiler, rows: . }' "$found" >"$found_on"
for family in 4 6; do
	for direction in request reply; do
		ktap_check "bench: IPv$family, $direction: at most ${goal[$family:$direction]} instructions above forwarding" \
			meets_goal $family "$direction"
		ktap_check "bench: IPv$family, $direction: at most 2 % above the baseline of this kernel and compiler, if there is one" \
			keeps_baseline $family "$direction"
	done
done
