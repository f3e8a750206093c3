#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# apply_file.sh - apply makes the configuration what a file says, and the same file changes nothing
#
# Connections are open all the while; what apply finds missing is cli/apply_differs.sh's affair.
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 200 40)
times=$(scaled 40 10)

state()			# all that a change would change
{
	rlb -j service show | jq -c '.[] | [.service, .generation]'
	rlb -j history | jq length
	rlb save secret
}

unchanged()		# unchanged CLAIM COMMAND...: by what it does; 1 claim
{
	local claim=$1 before

	shift
	before=$(state)
	"$@" >"$tmp/said" 2>&1
	ktap_is "apply: $claim" "$(state)" "$before"
}

again()			# the same file, many times
{
	local i

	for ((i = 0; i < times; i++)); do
		rlb apply "$tmp/conf"
	done
}

entries()		# of the ledger, of web
{
	rlb -j history web | jq length
}

written()		# a file as people write it: web with three backends, and what else is given
{
	echo "service add web tcp $vip4:80 method ring"
	printf 'backend add web %s\n' "$(be_at 4 1 8080)" "$(be_at 4 2 8080)" "$(be_at 4 3 8080)"
	printf '%s\n' "$@"
}

as_file()		# as_file CLAIM COMMANDS: apply made it what the file says; 1 claim
{
	ktap_is "apply: $1" "$(rlb apply "$tmp/conf" 2>&1 | wc -l) $(rlb save)" \
		"$2 $(ringlb -f "$tmp/conf" save)"
}

ktap_plan 14
bed 4
servers 8080
written >"$tmp/conf"
as_file "a service and its backends" 4
rounds tcp cli tcp "$vip4" 80 --source "$cli4" --ports "20000-$((19999 + n))"
round one tcp
rlb save secret >"$tmp/conf"
unchanged "what is there changes nothing, $times times" again
ktap_is "apply: and says nothing" "$(<"$tmp/said")" ""
must rlb backend down web "$(be_at 4 3 8080)"
written >"$tmp/conf"
unchanged "a backend that a checker took down stays so" again
must rlb backend up web "$(be_at 4 3 8080)"

written "backend add web $(be_at 4 4 8080)" "backend set web $(be_at 4 1 8080) weight 2" \
	"service set web timeout 600 method maglev slots 8192" >"$tmp/conf"
unchanged "dry: nothing is changed" rlb apply "$tmp/conf" dry
ktap_is "apply: dry: what would be" "$(<"$tmp/said")" \
	"service set web method maglev slots 8192 timeout 600
backend set web $(be_at 4 1 8080) weight 2
backend add web $(be_at 4 4 8080) weight 1 state up"
before=$(entries)
as_file "settings, a weight and another backend" 3
ktap_is "apply: they are one change" "$(entries)" $((before + 1))
round two tcp
ktap_check "apply: no connection breaks" judge back "$tmp/tcp:one" "$tmp/tcp:two"

written "service set web timeout 600 method maglev slots 4096" >"$tmp/conf"
unchanged "what the module refuses changes nothing of the service" rlb apply "$tmp/conf"
ktap_is "apply: and the command is named" \
	"$(grep -o '^ringlb: apply: service set web slots 4096: ' "$tmp/said")" \
	"ringlb: apply: service set web slots 4096: "

written "service set web timeout 600 method slots slots 8192 map \
0-4095=$(be_at 4 1 8080),4096-6000=$(be_at 4 2 8080),6001-8191=$(be_at 4 3 8080)" >"$tmp/conf"
as_file "a map, and one backend less" 4
round three tcp
ktap_check "apply: no connection breaks then" judge back "$tmp/tcp:one" "$tmp/tcp:three"
hush tcp
: >"$tmp/conf"
as_file "a file without services" 1
