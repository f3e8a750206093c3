#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# coexist_bare.sh - a kernel without conntrack: nothing needs it, and nothing loads it
#
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

conntrack_is_there()
{
	[[ -d /sys/module/nf_conntrack ]]
}

unload()		# unload MODULE: and first those that use it
{
	local holder

	for holder in "/sys/module/$1/holders"/*; do
		[[ ! -e $holder ]] || unload "${holder##*/}" || return
	done
	[[ ! -d /sys/module/$1 ]] || rmmod "$1"
}

# Namespaces of tests before this one let go of it when they have been taken down.
conntrack_unloaded()
{
	! conntrack_is_there || unload nf_conntrack
}

need_module
ktap_plan 6
must wait_for 30 conntrack_unloaded
bed 2
servers 8080 5353
both_services 2
service dead4 udp 4 54 5354
traffic "no conntrack" 20000 "$(scaled 40 8)"
flows cli "$tmp/refused" udp "$vip4" 54 --connected --source "$cli4"
ktap_check "no conntrack: errors come to the client" judge failed "$tmp/refused" 1 ECONNREFUSED
ktap_is "no conntrack: no receiver saw a damaged packet" "$(wire_errors cli be1 be2)" 0
ktap_check "no conntrack: nothing has loaded it" eval '! conntrack_is_there'
