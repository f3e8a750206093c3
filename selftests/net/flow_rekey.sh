#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_rekey.sh - another secret, key or number of slots: every flow gets another slot, and
# those that are there stay where they are
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 200 40)
sample=8

stay()			# stay CLAIM BEFORE AFTER: 2 claims
{
	round "$3" tcp udp
	ktap_check "$1: connections stay" judge stay "$tmp/tcp:$2" "$tmp/tcp:$3"
	ktap_check "$1: UDP stays" judge stay "$tmp/udp:$2" "$tmp/udp:$3"
}

transitions()		# transitions SERVICE
{
	rlbj service show "$1" | jq '.[0].transitions'
}

settled()
{
	[[ $(transitions web) == 0 && $(transitions dns) == 0 ]]
}

# New connections go where the kernel said that they would; the first few are looked up.
fresh()			# fresh CLAIM FIRSTPORT: 2 claims
{
	local p said

	said=$(for ((p = $2; p < $2 + sample; p++)); do
		echo "$cli4:$p be$(rlbj lookup tcp "$cli4:$p" "$vip4:80" |
			jq -r '.backend | capture("1(?<n>[0-9]):").n')"
	done | sort)
	flows cli "$tmp/$2" tcp "$vip4" 80 --source "$cli4" --ports "$2-$(($2 + n - 1))"
	ktap_check "$1: new connections are answered" judge answered "$tmp/$2" "$n"
	ktap_is "$1: each where lookup said" "$(jq -r '"\(.src) \(.name)"' "$tmp/$2" |
		sort | head -n $sample)" "$said"
}

busy='flows are kept from an earlier change of key, slots or secret: wait until transitions have expired, or force it'

ktap_plan 25
open_flows "$n"
stay "at rest" first rest
ktap_is "at rest nothing is remembered" "$(rlbj flow stats | jq .added)" 0
must rlb secret set random
ktap_is "secret: all slots are in transition" "$(transitions web) $(transitions dns)" "65536 65536"
stay "secret" rest secret
fresh "secret" 30000
ktap_is "secret: most flows are remembered" \
	"$(rlbj flow stats | jq ".flows > $n and .flows <= 3 * $n")" true

before=$(rlb save secret)
ktap_refuse "secret: a second one: refused" 2 "$busy" rlb secret set random
ktap_refuse "slots: refused likewise" 2 "$busy" rlb service set web slots 4096
ktap_refuse "key: refused likewise" 2 "$busy" rlb service set dns key src
ktap_is "refused: nothing has changed" "$(rlb save secret)" "$before"
ktap_check "another parameter is not" rlb service set web settle 2%
must rlb backend add web "$(be_at 4 5 8080)"
must rlb backend del dns "$(be_at 6 4 5353)"
round both tcp udp
ktap_check "secret, then a backend: connections stay" judge stay "$tmp/tcp:secret" "$tmp/tcp:both"
ktap_check "secret, then one removed: UDP leaves it alone" \
	judge stay "$tmp/udp:secret" "$tmp/udp:both" except 4 gone 4
ktap_check "forced: accepted" rlb secret set random force on
stay "forced: heard of meanwhile" both forced

must rlb service set web timeout 1
must rlb service set dns timeout 1
ktap_check "in time all slots are settled" wait_for 30 settled
must rlb service set web timeout 900
must rlb service set dns timeout 120
round settled tcp udp
must rlb service set web slots 4096
must rlb service set dns key src
stay "slots, key" settled slots
fresh "slots" 40000
ktap_is "slots: the table is the one that a fresh gateway would build" \
	"$(rlbj service show web | jq '.[0] | .digest == .canonical_digest')" true
