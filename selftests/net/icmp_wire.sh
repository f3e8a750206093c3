#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# icmp_wire.sh - ICMP errors and redirects of every kind, byte for byte
#
# Crafted, from both sides of the gateway and by the gateway itself; see wire.py. Some of it
# once more with conntrack in the way.
# timeout: 240
set -u
# shellcheck source=selftests/wire.sh
. "$(dirname "$0")/../wire.sh"

ktap_plan 18
bed 1
wire_bed
must ip -n "$gw" link set be1 mtu 1300
for family in 4 6; do
	lost=10.9.9.9
	((family == 4)) || lost=fd09::9
	must rlb service add "lostudp$family" udp "$(at "$family" vip 54)"
	must rlb service add "losttcp$family" tcp "$(at "$family" vip 81)"
	must rlb backend add "lostudp$family" "$lost"
	must rlb backend add "losttcp$family" "$lost"
done

# Backends beside the client.
link=$(ip -n "$cli" -j link show gw | jq -r '.[0].address')
for address in 10.0.1.{50,3,4} fd00:1::{50,3,4}; do
	must ip -n "$gw" neigh replace "$address" dev cli lladdr "$link"
done
for family in 4 6; do
	beside=10.0.1.50
	((family == 4)) || beside=fd00:1::50
	must rlb service add "beside$family" udp "$(at "$family" vip 55)"
	must rlb backend add "beside$family" "$beside"
done

for family in 4 6; do
	wire "" "$family" errors_in errors_out errors_own errors_odd redirects redirects_own
done
track
for family in 4 6; do
	wire ", with conntrack" "$family" errors_in errors_out errors_own
done
