#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# packets_wire.sh - options, extension headers, checksums and fragments, byte for byte
#
# Crafted, from both sides of the gateway; see wire.py. Most of it once more with conntrack
# in the way.
# timeout: 240
set -u
# shellcheck source=selftests/wire.sh
. "$(dirname "$0")/../wire.sh"

ktap_plan 13
bed 1
wire_bed
for family in 4 6; do
	wire "" "$family" headers checksums sctp_sums fragments
done

must ip -n "$gw" route add "$vip4/32" dev cli
must ip -n "$gw" neigh replace "$vip4" dev cli \
	lladdr "$(ip -n "$cli" -j link show gw | jq -r '.[0].address')"
wire "" 4 left_alone
must ip -n "$gw" route del "$vip4/32"

track
for family in 4 6; do
	wire ", with conntrack" "$family" headers fragments
done
