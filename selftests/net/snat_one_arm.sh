#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# snat_one_arm.sh - a gateway with one arm: clients, backends and the gateway on one network
#
#   cli  be1  be2  gw
#    +----+----+----+   a switch
# Backends know clients directly, and have no route by way of the gateway: answers come back to
# the gateway because that is who asked them. The gateway, which sees better ways all the time,
# sends nobody there.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 60 15)
much=$(scaled 1000000)

plug()			# plug NAME HOST: a namespace at the switch, 10.0.2.HOST
{
	ns_add "$1"
	link_add "$sw" "$1" "${!1}" gw
	must ip -n "$sw" link set "$1" master switch
	must ip -n "${!1}" -b - <<-END
		addr add 10.0.2.$2/24 dev gw
		addr add fd00:2::$2/64 dev gw
	END
}

ask()			# ask WORDS NS PROTO FAMILY PORT [WORD...]: 1 claim
{
	local words=$1 log=$tmp/$2.$3.$4.$5
	local -n vip=vip$4

	rm -f "$log"
	flows "$2" "$log" "$3" "$vip" "$5" "${@:6}" --ports "30000-$((30000 + n - 1))"
	ktap_check "one arm: $words, $3, IPv$4: all are answered by the VIP" judge answered "$log" "$n"
}

ktap_plan 15
need_module
zygote_start
ns_add sw
# shellcheck disable=SC2154 # ns_add sets it
must ip -n "$sw" link add switch up type bridge
plug gw 1
plug be1 11
plug be2 12
plug cli 50
backends=2
forward "$gw"
for name in cli be1 be2; do
	must ip -n "${!name}" route add "$vip4/32" via 10.0.2.1
	must ip -n "${!name}" route add "$vip6/128" via fd00:2::1
done
servers 5353 8080
for family in 4 6; do
	must rlb service add "web$family" tcp "$(at "$family" vip 80)" snat on snat-ports 20000-20999
	must rlb service add "dns$family" udp "$(at "$family" vip 53)" snat on \
		snat-ports 20000-20999 snat-address "$(at "$family" gw "" | tr -d '[]' | sed 's/:$//')"
	for b in 1 2; do
		must rlb backend add "web$family" "$(be_at "$family" "$b" 8080)"
		must rlb backend add "dns$family" "$(be_at "$family" "$b" 5353)"
	done
done

for family in 4 6; do
	ask "a client asks" cli tcp "$family" 80
	n=3 ask "a client sends much" cli tcp "$family" 80 --op "put:$much"
	n=3 ask "a client takes much" cli tcp "$family" 80 --op "get:$much"
	ask "a client asks" cli udp "$family" 53
	ask "a backend asks" be1 tcp "$family" 80
	ask "a backend asks" be2 udp "$family" 53
done
ktap_is "one arm: nobody was sent elsewhere" "$(redirects cli be1 be2)" 0
ktap_is "one arm: redirects that would have been were dropped, and are counted" \
	"$(($(counted web4 drop_redirect) > 0 && $(counted web6 drop_redirect) > 0))" 1
ktap_is "one arm: no sum was wrong" "$(wire_errors cli gw be1 be2)" 0
