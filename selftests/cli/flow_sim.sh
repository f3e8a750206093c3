#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_sim.sh - what becomes of half a million flows while backends change, crash and come back
#
# In:  gcc, jq; no module, no root. The simulation decides with the module's own lookup and pin
#      code, and has one seed: the same numbers each time. unit/test_flow_sim runs it smaller,
#      under sanitizers.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ktap_plan 7
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

of()			# of POLICY FILTER
{
	jq -r --arg policy "$1" ".[] | select(.policy == \$policy) | $2" "$dir/rows"
}

all()			# all CONDITION: does it hold for each policy?
{
	jq -e "length == 5 and all(.[]; $1)" "$dir/rows" >/dev/null
}

ktap_check "simulation: it builds" make -s -C "$here/../sim" sim
"$here/../sim/sim" 500000 | tail -n 1 >"$dir/rows"
ktap_check "simulation: five policies, 500000 flows each" all '.flows == 500000'
ktap_check "simulation: without memory more than 1 % of the flows break" \
	test "$(of 'ringlb, stateless' .broken)" -gt 5000
ktap_is "simulation: drain open: none breaks" "$(of 'ringlb, drain open' .broken)" 0
ktap_check "simulation: drain 600 s: at most 300 ppm break" \
	test "$(of 'ringlb, drain 600 s' .broken)" -le 150
ktap_check "simulation: at most 40 % of the flows that live are remembered" \
	all '.peak_percent <= 40'
ktap_check "simulation: at rest none is" all '.before == 0 and .after == 0'
