# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# wire.sh - the bed of tests that send crafted packets and compare what comes out
#
#   . "$(dirname "$0")/../wire.sh"
#   ktap_plan 2
#   bed 1
#   wire_bed
#   wire "" 4 errors_in errors_out
#
# In:  lib.sh's; net/wire.py, which sends and compares.

selftests=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=selftests/lib.sh
. "$selftests/lib.sh"

# Kernels at both ends say nothing, and nobody asks for neighbours: what comes is what was sent.
wire_bed()		# wire_bed: for wire.py, in a `bed 1`; its words are in $ends
{
	local family leg ns mac=() there=()

	for family in 4 6; do
		service "dns$family" udp "$family" 53 5353
		service "web$family" tcp "$family" 80 8080
		service "call$family" sctp "$family" 80 8080
	done
	for leg in cli be1; do
		ns=$leg-$tag
		must in_ns "$ns" nft add table inet quiet
		must in_ns "$ns" nft add chain inet quiet in \
			'{ type filter hook prerouting priority -500; policy drop; }'
		mac+=("$(ip -n "$gw" -j link show "$leg" | jq -r '.[0].address')")
		there+=("$(ip -n "$ns" -j link show gw | jq -r '.[0].address')")
	done
	must in_ns "$gw" sysctl -qw net.ipv4.icmp_ratemask=0
	must ip -n "$gw" -b - <<-END
		neigh replace $cli4 dev cli lladdr ${there[0]}
		neigh replace $cli6 dev cli lladdr ${there[0]}
		neigh replace 10.0.2.11 dev be1 lladdr ${there[1]}
		neigh replace fd00:2::11 dev be1 lladdr ${there[1]}
		route add 10.0.2.99/32 dev be1
		route add fd00:2::99/128 dev be1
	END
	ends=(--cli "$cli/gw/${mac[0]}" --be1 "$be1/gw/${mac[1]}" --gw "$gw")
}

declare -A wire_claims=(
	[errors_in]="errors to the VIP reach the backend"
	[errors_out]="errors about requests show the VIP"
	[errors_own]="the gateway's own errors quote what was sent"
	[errors_odd]="errors that tell too little, or lie, are left alone"
	[redirects]="redirects about flows are dropped"
	[redirects_own]="the gateway's own redirects about flows are dropped"
	[headers]="options and extension headers stay as they are"
	[checksums]="checksums change by what is changed"
	[sctp_sums]="SCTP's checksum changes by what is changed"
	[fragments]="fragments in any order arrive whole"
	[left_alone]="fragments of a socket that wants it so are left alone"
)

wire()			# wire WORDS FAMILY GROUP...: of crafted packets, see wire.py; a claim each
{
	local words=$1 family=$2 group

	shift 2
	zygote wire "${ends[@]}" "$family" "$@" >"$tmp/wire"
	for group; do
		ktap_check "wire: IPv$family: ${wire_claims[$group]}$words" wired "$group"
	done
}

wired()			# wired GROUP: wire.py has said so
{
	grep -q "^ok $1\$" "$tmp/wire" && return
	grep -v '^ok ' "$tmp/wire"
	return 1
}

track()			# conntrack in the gateway, with rules that need it
{
	must in_ns "$gw" nft -f - <<-END
		table inet track {
			chain in {
				type filter hook forward priority 0;
				ct state invalid,new,established,related counter
			}
		}
	END
}
