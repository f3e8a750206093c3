#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# none_reject.sh - when no backend takes flows: refused at once, or dropped in silence
#
# From a client, by PRE_ROUTING, and from the gateway itself, by LOCAL_OUT.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 20 4)

asks()			# asks NS PROTO FAMILY SOURCE ERROR WORDS [OPTION]...: n flows fail so
{
	local -n to=vip$3
	local log=$tmp/$1.$2.$3.$5 ns=$1 proto=$2 family=$3 source=$4 error=$5 words=$6
	local port=80 connected=()

	shift 6
	[[ $proto == tcp ]] || { port=53 connected=(--connected); }
	flows "$ns" "$log" "$proto" "$to" "$port" --source "$source" "${connected[@]}" \
		--ports "20000-$((19999 + n))" "$@"
	ktap_check "none: $proto over IPv$family from $words" judge failed "$log" "$n" "$error"
}

of_all()		# of_all COUNTER...: of all services, in one number
{
	rlbj -s service show | jq "[.[].counters | $(IFS=,; echo "$*")] | add"
}

have_come()		# have_come N: so many more have been dropped
{
	[[ $(of_all .drop_no_backend) -eq $((dropped + $1)) ]]
}

# Crafted packets to services without a backend; counted when they have come.
sends()			# sends MAC N KIND...: of each kind N over IPv4 and N over IPv6
{
	dropped=$(of_all .drop_no_backend)
	must zygote craft --netns "$cli" --device gw --mac "$1" plain "${@:2}"
	must wait_for 30 have_come $(($2 * 2 * ($# - 2)))
}

unanswered()		# dropped and told nobody; 1 claim
{
	local told

	told=$(of_all .rejected .rejects_limited)
	sends "$gw_mac" 3 rst error
	sends ff:ff:ff:ff:ff:ff 3 syn udp
	ktap_is "none: resets, errors and broadcasts are answered by nothing" \
		"$(of_all .rejected .rejects_limited)" "$told"
}

# As many seconds may have begun as have passed, and one more. Two services.
flood()			# 2 claims
{
	local began=$SECONDS told limited n

	n=$(scaled 6000 200)
	told=$(of_all .rejected) limited=$(of_all .rejects_limited)
	sends "$gw_mac" "$n" syn
	told=$(($(of_all .rejected) - told)) limited=$(($(of_all .rejects_limited) - limited))
	ktap_check "none: of a flood a service answers at most 1000 packets a second" \
		test "$told" -le $(((SECONDS - began + 2) * 2000))
	ktap_is "none: of a flood each packet is counted" $((told + limited)) $((2 * n))
}

ktap_plan 19
bed 1
for family in 4 6; do
	service "web$family" tcp "$family" 80 8080
	service "dns$family" udp "$family" 53 5353
	must rlb backend down "web$family" "$(be_at "$family" 1 8080)"
	must rlb backend down "dns$family" "$(be_at "$family" 1 5353)"
done
must ip -n "$gw" route add "$vip4/32" dev cli
must ip -n "$gw" route add "$vip6/128" dev cli
gw_mac=$(ip -n "$gw" -j link show cli | jq -r '.[0].address')

ktap_is "none: reject is what a service does unless told otherwise" \
	"$(rlbj service show | jq -r '[.[].none] | unique | join(" ")')" reject
for proto in tcp udp; do
	asks cli "$proto" 4 "$cli4" ECONNREFUSED "a client: refused"
	asks cli "$proto" 6 "$cli6" ECONNREFUSED "a client: refused"
	asks gw "$proto" 4 "$gw4" ECONNREFUSED "the gateway: refused"
	asks gw "$proto" 6 "$gw6" ECONNREFUSED "the gateway: refused"
done
ktap_is "none: each packet is counted, as dropped and as rejected" \
	"$(for s in web4 web6 dns4 dns6; do
		echo "$(counted $s drop_no_backend) $(counted $s rejected)"
	done | sort -u)" "$((2 * n)) $((2 * n))"
unanswered
ktap_is "none: every answer's checksums are right" "$(wire_errors cli gw)" 0

for service in web4 web6 dns4 dns6; do
	must rlb service set "$service" none drop
done
ktap_is "none: drop is saved" "$(rlb save | grep -c 'none drop')" 4
asks cli tcp 4 "$cli4" timeout "a client: no answer" --timeout 1
asks cli tcp 6 "$cli6" timeout "a client: no answer" --timeout 1
ktap_is "none: what is dropped is not counted as rejected" \
	"$(counted web4 rejected) $(counted web6 rejected)" "$((2 * n)) $((2 * n))"
ktap_refuse "none: another word is refused" 1 'none "refuse": expected reject or drop' \
	ringlb -n "$gw" service set web4 none refuse
must rlb service set web4 none reject
must rlb service set web6 none reject
flood
