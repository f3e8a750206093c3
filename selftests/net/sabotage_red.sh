#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sabotage_red.sh - the tests see what they are there to see
#
# A build of the module that can be told to misbehave (module/sabotage.h) takes the place of
# the real one. For each fault the tests that claim to notice it are run until they have said
# so, and the same claims hold with the same build and no fault.
# timeout: 1200
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

swap()			# swap FILE.ko [PARAMETER]: the module, now this one
{
	rmmod ringlb && insmod "$@"
}

said()			# said ok|"not ok" PATTERN...: each in the test's output
{
	local verdict=$1 pattern

	shift
	for pattern; do
		grep -qE "^$verdict [0-9]+ - $pattern" "$tmp/out" || return
	done
}

says()			# says FAULT TEST ok|"not ok" PATTERN...: 1 claim
{
	local fault=$1 test=$2 verdict=$3

	shift 3
	must swap "$sabotage" "sabotage=$fault"
	SCALE=24 "$selftests/net/$test.sh" >"$tmp/out" 2>&1 &
	ktap_check "sabotage $fault: $test says \"$verdict\" of $*" \
		wait_for 420 said "$verdict" "$@"
	end $!
}

ktap_plan 5
need_module
ko=${RINGLB_KO:-} sabotage=${RINGLB_SABOTAGE_KO:-}
[[ -n $ko && -n $sabotage ]] || ktap_skip_rest "RINGLB_KO and RINGLB_SABOTAGE_KO"
ktap_defer swap "$ko"

slot=("nat: tcp over IPv4 from a client: at the backend that lookup names"
	"nat: tcp over IPv6 from a client: at the backend that lookup names")
reply=("nat: tcp over IPv4 from a client: all answered"
	"nat: tcp over IPv6 from a client: all answered")
sums=("offload off: [0-9]+ bytes to the VIP over IPv4")

says 0 nat_basic ok "${slot[@]}" "${reply[@]}"
says 0 nat_offload ok "${sums[@]}"
says 1 nat_basic "not ok" "${slot[@]}"
says 2 nat_basic "not ok" "${reply[@]}"
says 3 nat_offload "not ok" "${sums[@]}"
