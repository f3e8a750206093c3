#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# plan_moves.sh - plan says exactly what differs between the tables before and after
#
# In:  the built tool, python3 (plan_moves.py); no module, no root.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

{
	echo "service add web tcp 192.0.2.1:80 slots 4096"
	for i in {1..40}; do
		echo "backend add web 10.0.0.$i weight $((i % 4 + 1))"
	done
	echo "backend add web 10.0.0.250 weight 0"
	echo "service add few tcp 192.0.2.2:80"
	echo "backend add few 10.0.1.1"
	echo "backend add few 10.0.1.2 weight 2"
	echo "service add ring tcp 192.0.2.3:80 method ring slots 4096"
	echo "backend add ring 10.0.2.1"
	echo "backend add ring 10.0.2.2"
	echo "backend add ring 10.0.2.3:81 weight 3"
	echo "service add empty tcp 192.0.2.4:80 slots 4096"
	echo "service add from tcp 192.0.2.5:80 slots 4096"
} >"$dir/conf"
"$ringlb" -f "$dir/conf" save >"$dir/before.conf"

# SERVICE, then each change as one word
cases=(
	"web|backend del 10.0.0.7"
	"web|backend add 10.0.0.99:8080"
	"web|backend set 10.0.0.7 weight 9"
	"web|backend set 10.0.0.2 weight 1"
	"web|backend set 10.0.0.2 weight 0"
	"web|backend set 10.0.0.250 weight 3"
	"web|backend set 10.0.0.9 id 9"
	"web|backend set 10.0.0.9 id 4|backend add 10.0.0.98 id 9 weight 2"
	"ring|backend set 10.0.2.3:81 id 1"
	"web|backend del 10.0.0.250"
	"web|backend del 10.0.0.7|backend del 10.0.0.8|backend add 10.0.0.9:81 weight 4|backend set 10.0.0.1 weight 7"
	"web|service set slack none"
	"web|service set slack 0%"
	"web|service set slack 0%|backend del 10.0.0.7"
	"web|service set method ring"
	"web|service set method ring|service set vnodes 7"
	"web|service set slots 8192"
	"few|backend del 10.0.1.2"
	"few|backend del 10.0.1.2|backend del 10.0.1.1"
	"few|service set slots 4096"
	"ring|backend add 10.0.2.4"
	"ring|backend del 10.0.2.1|backend add 10.0.2.1:80"
	"ring|service set vnodes 3"
	"empty|backend add 10.0.3.1|backend add 10.0.3.2 weight 3"
	"from|backend add 10.0.4.1"
)

# check CASE: the plan against both tables
check()
{
	local service=${1%%|*} rest=${1#*|} changes change words object verb

	IFS='|' read -ra changes <<<"$rest"
	cp "$dir/before.conf" "$dir/after.given"
	for change in "${changes[@]}"; do
		read -r object verb words <<<"$change"
		echo "$object $verb $service $words" >>"$dir/after.given"
	done
	"$ringlb" -f "$dir/after.given" save >"$dir/after.conf" || return
	# shellcheck disable=SC2086
	"$ringlb" -j -f "$dir/before.conf" plan "$service" ${rest//|/ } >"$dir/plan" || return
	"$ringlb" -j -f "$dir/before.conf" table show "$service" >"$dir/before"
	"$ringlb" -j -f "$dir/after.conf" table show "$service" >"$dir/after"
	python3 "$here/plan_moves.py" check "$dir/plan" "$dir/before" "$dir/after" \
		"$dir/before.conf" "$dir/after.conf"
}

# The same between two files: the objects that both print for the service are equal.
check_files()
{
	"$ringlb" -j plan from "$dir/before.conf" to "$dir/after.conf" |
		python3 -c '
import json, sys
plan, = json.load(open(sys.argv[1]))
other, = [p for p in json.load(sys.stdin) if p["service"] == plan["service"]]
if plan != other:
    print(plan, other)' "$dir/plan"
}

plan()
{
	"$ringlb" -f "$dir/before.conf" plan "$@"
}

status()		# status COMMAND...: its exit code and what it says
{
	local out

	out=$("$@" 2>&1 >"$dir/stdout")
	echo "$? $out"
}

ktap_plan $((2 * ${#cases[@]} + 21))

later=0
for c in "${cases[@]}"; do
	ktap_is "plan: ${c//|/ }: as the tables say" "$(check "$c" 2>&1)" ""
	ktap_is "plan from to: ${c//|/ }: the same" "$(check_files 2>&1)" ""
	grep -q '"later":0,' "$dir/plan" || later=$((later + 1))
done
ktap_check "plan: some of these settle later" test "$later" -ge 3

"$ringlb" -f "$dir/before.conf" save >"$dir/again"
ktap_check "plan: nothing is changed" cmp "$dir/before.conf" "$dir/again"

# few: 10.0.1.1 has a third of the slots, give or take.
moved=$("$ringlb" -j -f "$dir/before.conf" plan few backend del 10.0.1.1 |
	python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["moved"])')
ktap_check "limit: the case moves about a third" test "$moved" -gt 21000 -a "$moved" -lt 22700
below=$((moved * 1000 / 65536))
ktap_is "limit: above it, 3 and a sentence" \
	"$(status plan few backend del 10.0.1.1 limit "$((below / 10)).$((below % 10))%")" \
	"3 ringlb: plan: service \"few\": $moved of 65536 slots move ($(python3 -c \
	"print(f'{100 * $moved / 65536:.2f}')")%), above the limit of $((below / 10)).$((below % 10))%"
ktap_check "limit: the plan is printed all the same" grep -q '^above_limit *yes$' "$dir/stdout"
below=$((below + 1))
ktap_is "limit: a tenth of a percent more, and it is not above" \
	"$(status plan few backend del 10.0.1.1 limit "$((below / 10)).$((below % 10))%")" "0 "
ktap_check "limit: the plan says so" grep -q '^above_limit *no$' "$dir/stdout"
ktap_is "limit: nothing moves, not even above 0%" \
	"$(status plan few backend set 10.0.1.1 weight 1 limit 0%)" "0 "
ktap_is "limit: JSON has it as a number, and whether it is exceeded" \
	"$("$ringlb" -j -f "$dir/before.conf" plan few backend del 10.0.1.1 limit 0.5% 2>/dev/null |
		python3 -c 'import json, sys; p, = json.load(sys.stdin); print(p["limit"], p["above_limit"])')" \
	"0.5 True"
ktap_is "limit: JSON above it is 3 too" \
	"$("$ringlb" -j -f "$dir/before.conf" plan few backend del 10.0.1.1 limit 0% >/dev/null 2>&1; echo $?)" 3
sed 's/few tcp 192.0.2.2:80/few tcp 192.0.2.2:81/' "$dir/before.conf" >"$dir/other.conf"
ktap_is "from to: another address of a service moves all its flows" \
	"$(status "$ringlb" plan from "$dir/before.conf" to "$dir/other.conf" limit 99.9%)" \
	"3 ringlb: plan: service \"few\": 65536 of 65536 slots move (100.00%), above the limit of 99.9%"
sed '/^service add few/s/mode nat/mode dsr/' "$dir/before.conf" >"$dir/mode.conf"
ktap_is "from to: another mode of a service moves all its flows" \
	"$(status "$ringlb" plan from "$dir/before.conf" to "$dir/mode.conf" limit 99.9%)" \
	"3 ringlb: plan: service \"few\": 65536 of 65536 slots move (100.00%), above the limit of 99.9%"
ktap_is "from to: a service that goes moves all its flows" \
	"$(status "$ringlb" plan from "$dir/other.conf" to /dev/null limit 99.9% | wc -l)" 3
ktap_is "from to: a new service moves none" \
	"$(status "$ringlb" plan from /dev/null to "$dir/other.conf" limit 0%)" "0 "
(echo 'secret set 00112233445566778899aabbccddeeff'; cat "$dir/before.conf") >"$dir/one.conf"
sed 's/ff$/fe/' "$dir/one.conf" >"$dir/two.conf"
ktap_is "from to: another secret moves all flows" \
	"$(status "$ringlb" plan from "$dir/one.conf" to "$dir/two.conf" limit 99.9% | wc -l)" 3
ktap_is "from to: the same file moves nothing" \
	"$(status "$ringlb" plan from "$dir/one.conf" to "$dir/one.conf" limit 0%)" "0 "

ktap_is "plan: another key moves all flows" "$(plan web service set key src | grep -E '^(moved|rehash) ')" \
	"$(printf 'moved                4096\nrehash               yes')"
ktap_is "plan: a change that a module would refuse is refused" \
	"$(status plan web backend add 10.0.0.99 backend del 10.0.0.98)" \
	'2 ringlb: plan: backend del: service has no such backend'
ktap_is "plan: a service that is not there" "$(status plan dns backend add 10.0.0.99)" \
	"2 ringlb: $dir/before.conf: service \"dns\": no such service"
ktap_is "plan: a weight that earns no slot is named" \
	"$(status plan few backend add 10.0.1.3 weight 65535 backend add 10.0.1.4 weight 65535)" \
	'0 ringlb: note: service "few": backend 10.0.1.1 will have weight 1 and no slot'
ktap_is "plan: text has a bar for each share, and marks what the weight asks for" \
	"$(plan few backend add 10.0.1.3 weight 3 | sed -n 's/^10.* [0-9.]*%  //p' | tail -n 3)" \
	"$(printf '%s\n' '###########|              #####|' '#######################|  ###########|' \
	'                          #################|')"
