#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_stress.sh - backends change in a tight loop, from two processors, under traffic
#
# Half of the backends are weighed, drained and taken back, the others go down, are removed
# and added again at any moment. The kernel's own checks watch.
# timeout: 240
# cpus: 2
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

seconds=$(scaled 60 6)
churns=()
stay=(10.0.2.11:8080 10.0.2.12:8080 10.0.2.13:8080 10.0.2.14:8080)
go=(10.0.2.15:8080 10.0.2.16:8080 10.0.2.17:8080 10.0.2.18:8080)

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

ktap_plan 5
farm 8
farm_servers 8 "$servers_log" 8080
must rlb service add web tcp "$vip4:80" settle 100%
must rlb service add dns udp "$vip4:53" settle 100%
for at in "${stay[@]}" "${go[@]}"; do
	must rlb backend add web "$at"
	must rlb backend add dns "$at"
done
background ready "$selftests/net/flood.py" --netns "$cli" --sockets 8 "$vip4:53" "$vip4:80"

cpu2=$((1 % $(nproc)))
churn web-stay 0 --stay web "${stay[@]}"
churn web-go $cpu2 --go web "${go[@]}"
churn dns-go 0 --go dns "${go[@]}"
churn dns-stay $cpu2 --stay dns "${stay[@]}"
wait "${churns[@]}"
made "stress: no change of a TCP service was refused" web-stay web-go
made "stress: no change of a UDP service was refused" dns-stay dns-go
must rlb service set web timeout 1
must rlb service set dns timeout 1
ktap_check "stress: the TCP service ends at the table of a fresh gateway" wait_for 60 whole web
ktap_check "stress: the UDP service ends at the table of a fresh gateway" wait_for 60 whole dns
flows cli "$tmp/after" tcp "$vip4" 80 --ports 50000-50099
flows cli "$tmp/after" udp "$vip4" 53 --ports 50000-50099
ktap_check "stress: after it all flows are answered" judge answered "$tmp/after" 200
