# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# ktap.sh - how a test says what it found: KTAP lines, and an exit status that agrees
#
#   . "$(dirname "$0")/../ktap.sh"
#   ktap_plan 3
#   ktap_check "service show lists what was added" grep -q web out
#   if [[ $moved -le 13200 ]]; then ktap_ok "$claim"; else ktap_fail "$claim" "moved $moved"; fi
#   ktap_skip "claim about sctp" "no sctp module"
#
# In:  RINGLB_EXPECT_ALL=1 makes every skip a failure.
# Out: on stdout "1..N", then one "ok"/"not ok" line for each claim, details as "# ..." before it.
# Exit: 0 all passed, 1 something failed, 4 everything was skipped. It is set here, whatever
#      the script itself ends with: one that dies early, or tells of fewer or more claims than
#      it planned, has failed. What ktap_defer was given runs before, last first.

ktap_planned=0
ktap_count=0
ktap_failed=0
ktap_skipped=0
ktap_deferred=()

ktap_plan()		# ktap_plan N: how many claims will follow; once, first
{
	ktap_planned=$1
	echo "KTAP version 1"
	echo "1..$1"
}

ktap_note()		# ktap_note TEXT...: a line of detail for each word given
{
	local text

	for text; do
		printf '%s\n' "$text" | sed 's/^/# /'
	done
}

ktap_ok()		# ktap_ok CLAIM
{
	ktap_count=$((ktap_count + 1))
	echo "ok $ktap_count - $1"
}

ktap_fail()		# ktap_fail CLAIM [DETAIL]...
{
	local claim=$1

	shift
	ktap_note "$@"
	ktap_count=$((ktap_count + 1))
	ktap_failed=$((ktap_failed + 1))
	echo "not ok $ktap_count - $claim"
}

ktap_skip()		# ktap_skip CLAIM WHAT_IS_MISSING
{
	if [[ ${RINGLB_EXPECT_ALL:-} == 1 ]]; then
		ktap_fail "$1" "would be skipped ($2), and nothing may be"
		return
	fi
	ktap_count=$((ktap_count + 1))
	ktap_skipped=$((ktap_skipped + 1))
	echo "ok $ktap_count - $1 # SKIP $2"
}

ktap_skip_rest()	# ktap_skip_rest WHAT_IS_MISSING: every claim still planned; ends the test
{
	while ((ktap_count < ktap_planned)); do
		ktap_skip "claim $((ktap_count + 1))" "$1"
	done
	exit 0
}

ktap_is()		# ktap_is CLAIM GOT EXPECTED: equal strings
{
	if [[ $2 == "$3" ]]; then
		ktap_ok "$1"
	else
		ktap_fail "$1" "expected: $3" "got:      $2"
	fi
}

ktap_check()		# ktap_check CLAIM COMMAND...: the command returns 0
{
	local claim=$1 out status

	shift
	out=$("$@" 2>&1)
	status=$?
	if [[ $status -eq 0 ]]; then
		ktap_ok "$claim"
	else
		ktap_fail "$claim" "status $status of: $*" ${out:+"$out"}
	fi
}

ktap_refuse()		# ktap_refuse CLAIM STATUS PATTERN COMMAND...: fails so, and says so
{
	local claim=$1 expected=$2 pattern=$3 out status

	shift 3
	out=$("$@" 2>&1)
	status=$?
	if [[ $status -eq $expected && $out =~ $pattern ]]; then
		ktap_ok "$claim"
	else
		ktap_fail "$claim" "of: $*" "expected: status $expected, text like: $pattern" \
			"got:      status $status, text: $out"
	fi
}

ktap_defer()		# ktap_defer COMMAND...: run it when the test ends, however it ends
{
	ktap_deferred+=("$(printf '%q ' "$@")")
}

ktap_run_deferred()	# now; also used by tests that tear down and build up again
{
	local n

	for ((n = ${#ktap_deferred[@]} - 1; n >= 0; n--)); do
		eval "${ktap_deferred[n]}"
	done
	ktap_deferred=()
}

ktap_exit()
{
	local status=$?

	trap '' TERM INT HUP
	set +e
	ktap_run_deferred
	if ((ktap_planned == 0)); then
		ktap_note "no plan"
		exit 1
	fi
	if ((ktap_count != ktap_planned)); then
		ktap_note "planned $ktap_planned claims, told of $ktap_count; ended with status $status"
		exit 1
	fi
	((ktap_failed == 0)) || exit 1
	((ktap_skipped < ktap_count)) || exit 4
	exit 0
}

trap ktap_exit EXIT
trap 'exit 143' TERM HUP
trap 'exit 130' INT
