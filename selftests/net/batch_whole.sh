#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# batch_whole.sh - lines about backends of one service are one change, or none; a line that the
# module refuses is named
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

f=$tmp/f

file()			# file LINE...
{
	printf '%s\n' "$@" >"$f"
}

add()			# add SERVICE FIRST LAST [WORD]...: a line each, to stdout
{
	local i

	for ((i = $2; i <= $3; i++)); do
		echo "backend add $1 10.0.$((i / 250)).$((i % 250 + 1)) ${*:4}"
	done
}

generation()		# generation SERVICE
{
	rlbj service show "$1" | jq '.[0].generation'
}

n_of()			# n_of SERVICE: how many backends it has
{
	rlbj service show "$1" | jq '.[0].backends'
}

all()			# all SERVICE: what a change would show in; not the clock of earlier changes
{
	rlbj service show "$1" | jq -c '.[0] | del(.transitions_left)'
	rlb save
	rlbj table digest
}

# CLAIM, TEXT after FILE:, the service that is to stay as it was
refused()
{
	local before out

	before=$(all "$3")
	out=$(rlb -b "$f" 2>&1)
	ktap_is "batch: $1: told with its line" "$? $out" "2 ringlb: $f:$2"
	ktap_is "batch: $1: nothing has changed" "$(all "$3")" "$before"
}

ktap_plan 32
need_module
ns_add gw

must rlb service add web tcp "$vip4:80" slots 4096 settle 0%
was=$(generation web)
add web 1 4096 >"$f"
ktap_check "batch: 4096 backends from a file are taken" rlb -b "$f"
ktap_is "batch: all of them are there" "$(n_of web)" 4096
ktap_is "batch: as one change with one table" "$(generation web)" $((was + 1))
file 'service add most tcp 192.0.2.99:80 slots 1048576' "$(add most 5001 5005 weight 3)"
ktap_check "batch: a table of 2^20 slots is taken" rlb -b "$f"
must rlb save secret >"$tmp/saved"
ktap_is "batch: tables are those that the tool computes" "$(rlb table digest)" \
	"$(ringlb -f "$tmp/saved" table digest)"
must rlb service del most

file "$(add web 4097 4097)"
refused "one more than can be" "1: backend add: service has 4096 backends, the most there can be; commands applied before: 0" web
{
	echo "service set web settle 1%"
	for ((i = 1; i <= 600; i++)); do
		echo "backend set web 10.0.$((i / 250)).$((i % 250 + 1)) weight 3"
	done
	echo "backend del web 10.9.9.9"
	echo "backend del web 10.0.0.2"
} >"$f"
must rlb service set web settle 1%
refused "a backend that is not there, in the third message" \
	"602: backend del: service has no such backend; commands applied before: 1, lines 2 to 603 are one change" web
sed -i 602d "$f"
was=$(generation web)
ktap_check "batch: without that line the file is taken" rlb -b "$f"
ktap_is "batch: changes of many kinds are one table" "$(generation web)" $((was + 1))
ktap_is "batch: all of them are in force" \
	"$(n_of web) $(rlb save | grep -c '^backend add web .* weight 3 ')" "4095 599"

must rlb service del web
must rlb service add web tcp "$vip4:80" slots 4096 method ring vnodes 1 settle 0%
must rlb service add two tcp "$vip4:81" slots 4096 settle 0%
must rlb backend add two 10.0.0.77:80
{
	echo "# a comment"
	add web 1 300
	echo
	add two 1000 1001
} >"$f"
refused "an address that another service has" \
	"77: backend add: address and port of the backend already get packets of a service: replies could not be told apart without track all in both; commands applied before: 0, lines 2 to 301 are one change" web
file "$(add web 1 70 weight 65535)"
refused "what only the whole change breaks" \
	"1: backend add: vnodes times the sum of weights is above 4194304 points: none fits: lower the weights; commands applied before: 0, lines 1 to 70 are one change" web
file "$(add two 1 2)" "$(add none 3 4)"
out=$(rlb -b "$f" 2>&1)
ktap_is "batch: a service that is not there: told with its line" "$? $out" \
	"2 ringlb: $f:3: backend add: no such service; commands applied before: 2, lines 3 to 4 are one change"
ktap_is "batch: what came before stays" "$(n_of two)" 3
file 'service add two tcp 192.0.2.99:80' "$(add two 3 4)"
refused "a line of a service" \
	"1: service add: a service of this name exists; commands applied before: 0" two
file "$(add two 3 3)" 'backend add two fd00::1' "$(add two 4 4)"
refused "an address of the wrong family" \
	"2: backend add: backend is not of the address family of the service (attribute: address); commands applied before: 0, lines 1 to 3 are one change" two

was=$(generation two)
file "$(add two 3 3 if-generation $((was + 1)))" "$(add two 4 9)"
refused "another generation" \
	"1: backend add: service has changed: its generation is not the expected one; commands applied before: 0, lines 1 to 7 are one change" two
file "$(add two 3 3 if-generation "$was")" "$(add two 4 9)" \
	"backend set two 10.0.0.4 weight 2 if-generation $((was + 1))"
ktap_check "batch: an expected generation is that of the whole change" rlb -b "$f"
ktap_is "batch: and a line with another one begins another change" \
	"$(n_of two) $(generation two)" "10 $((was + 2))"

ktap_check "add: several backends in one command" \
	rlb backend add two 10.1.0.1 10.1.0.2:80 10.1.0.3 weight 7 if-generation $((was + 2))
ktap_is "add: are one change, and what follows holds for each" \
	"$(generation two) $(rlb save | grep -c '^backend add two 10.1.0.*weight 7 ')" "$((was + 3)) 3"
before=$(rlb save)
out=$(rlb backend down two 10.1.0.1 10.1.0.9 10.1.0.3 2>&1)
ktap_is "down: one of several that is not there is named" "$? $out" \
	"2 ringlb: backend down 10.1.0.9: service has no such backend"
ktap_is "down: and the others stay as they were" "$(rlb save)" "$before"
ktap_check "down: several at once" rlb backend down two 10.1.0.1 10.1.0.2:80
ktap_is "down: no table is built for it" \
	"$(generation two) $(rlb save | grep -c '^backend add two 10.1.0.*state down')" "$((was + 3)) 2"
