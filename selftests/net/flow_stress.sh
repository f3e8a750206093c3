#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_stress.sh - backends change in a tight loop, from two processors, under traffic
#
# Half of the backends are weighed, drained and taken back, the others go down, are removed
# and added again at any moment. The kernel's own checks watch. Of a third service backends are
# weighed and drained alone, two of them left as they are: no connection to it may break.
# timeout: 240
# cpus: 2
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=$(scaled 60 6)
late=$((40 * ${RINGLB_PATIENCE:-1}))
churns=()
stay=(10.0.2.11:8080 10.0.2.12:8080 10.0.2.13:8080 10.0.2.14:8080)
go=(10.0.2.15:8080 10.0.2.16:8080 10.0.2.17:8080 10.0.2.18:8080)
kept=(10.0.2.13:8081 10.0.2.14:8081 10.0.2.15:8081 10.0.2.16:8081 10.0.2.17:8081 10.0.2.18:8081)

churn()			# churn NAME CPU WORD...: in the background; what it says: $tmp/NAME.made
{
	local name=$1 cpu=$2

	shift 2
	taskset -c "$cpu" "$selftests/net/churn.py" --netns "$gw" --seconds "$seconds" "$@" \
		>"$tmp/$name.made" 2>&1 &
	churns+=($!)
	ktap_defer end $!
}

made()			# made CLAIM NAME...: 1 claim
{
	local claim=$1 name

	shift
	for name; do
		ktap_note "$name: $(<"$tmp/$name.made") changes"
		if ! [[ $(<"$tmp/$name.made") =~ ^[1-9][0-9]*$ ]]; then
			ktap_fail "$claim"
			return
		fi
	done
	ktap_ok "$claim"
}

whole()			# whole SERVICE: its table is the one that a fresh gateway would have
{
	must rlb save >"$tmp/conf"
	rlb table digest "$1" | grep -qF "$(ringlb -f "$tmp/conf" table digest "$1" |
		grep -o 'canonical_digest .* digest [^ ]*')"
}

ktap_plan 8
farm 8
farm_servers 8 "$servers_log" 8080 8081
must rlb -b /dev/stdin <<END
service add web tcp $vip4:80 settle 100%
service add dns udp $vip4:53 settle 100%
service add kept tcp $vip4:81 settle 100%
backend add web ${stay[*]} ${go[*]}
backend add dns ${stay[*]} ${go[*]}
backend add kept 10.0.2.11:8081 10.0.2.12:8081 ${kept[*]}
END
live kept cli --source "$cli4" --ports 20000-29999 --lanes "$(scaled 100 20)" --every 1 \
	--life 4-12 --late "$late" "$vip4" 81
round begun kept
background ready "$selftests/net/flood.py" --netns "$cli" --sockets 8 "$vip4:53" "$vip4:80"

cpu2=$((1 % $(nproc)))
churn web-stay 0 --stay web "${stay[@]}"
churn web-go $cpu2 --go web "${go[@]}"
churn dns-go 0 --go dns "${go[@]}"
churn dns-stay $cpu2 --stay dns "${stay[@]}"
churn kept-stay $cpu2 --stay kept "${kept[@]}"
wait "${churns[@]}"
round stop kept
made "stress: no change of a TCP service was refused" web-stay web-go
made "stress: no change of a UDP service was refused" dns-stay dns-go
made "stress: no change of a service whose backends all stay was refused" kept-stay
must zygote broken "$tmp/kept" /dev/null "$servers_log" >"$tmp/verdict"
ktap_note "$(jq -r '"connections \(.flows), broken \(.broken), messages \(.messages)"' "$tmp/verdict")"
ktap_is "stress: no connection breaks whose backend is weighed and drained" \
	"$(jq -c '[.broken, .some]' "$tmp/verdict")" "[0,[]]"
ktap_check "stress: connections came and went all the while" \
	test "$(jq .flows "$tmp/verdict")" -gt "$(scaled 100 20)"
must rlb service set web timeout 1
must rlb service set dns timeout 1
ktap_check "stress: the TCP service ends at the table of a fresh gateway" wait_for 60 whole web
ktap_check "stress: the UDP service ends at the table of a fresh gateway" wait_for 60 whole dns
flows cli "$tmp/after" tcp "$vip4" 80 --ports 50000-50099 --timeout "$late"
flows cli "$tmp/after" udp "$vip4" 53 --ports 50000-50099 --timeout "$late"
ktap_check "stress: after it all flows are answered" judge answered "$tmp/after" 200
