#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# service_mark.sh - services by firewall mark: who takes a packet, where it goes, refusals
#
# The mark's high bits (be1), the whole mark (be2), and a VIP (be3), which comes first. Packets
# are marked by where they go.
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40 8)
one=198.18.0.1 other=198.18.7.2 one6=2001:db8:1::1 other6=2001:db8:2::7

meets()			# meets SERVICE WHERE MARK BACKEND ADDR PORT: 3 claims
{
	local log=$tmp/$1.$6 to=$5:$6 from

	from=$(at 4 cli 20000)
	[[ $5 == *:* ]] && to=[$5]:$6 from=$(at 6 cli 20000)
	flows cli "$log" tcp "$5" "$6" --ports "20000-$((19999 + n))"
	ktap_check "mark: $to with mark $3: all are answered, from there" judge answered "$log" "$n"
	ktap_is "mark: $to with mark $3: by the backend of $1" \
		"$(jq -rs '[.[].name] | unique | join(" ")' "$log")" "be$4"
	ktap_is "mark: $to with mark $3: lookup says by what" \
		"$(rlbj lookup tcp "$from" "$to" mark "$3" |
			jq -r '"\(.service) \(.match // "port")"')" "$1 $2"
}

refuses()		# refuses WORDS TEXT WORD...: 1 claim
{
	local words=$1 text=$2

	shift 2
	ktap_refuse "mark: $words" 2 "$text" ringlb -n "$gw" "$@"
}

ktap_plan 26
bed 3
servers 8080 8005
must in_ns "$gw" nft -f - <<-END
	table inet marks {
		chain pre {
			type filter hook prerouting priority -300;
			ip daddr $one tcp dport { 80, 81 } meta mark set 0x12
			ip daddr $other tcp dport { 80, 81 } meta mark set 0x1015
			ip daddr $vip4 tcp dport 80 meta mark set 0x12
			ip6 daddr $one6 tcp dport { 80, 81 } meta mark set 0x12
			ip6 daddr $other6 tcp dport { 80, 81 } meta mark set 0x1015
		}
	}
END
must rlb -b /dev/stdin <<-END
	service add high4 tcp mark:0x10/0xf0 track all
	service add all4 tcp mark:0x12 track all
	service add high6 tcp mark6:16/240 track all
	service add all6 tcp mark6:0x12 track all
	service add web tcp $vip4:80
	backend add high4 $(be_at 4 1 8080)
	backend add all4 $(be_at 4 2 8080)
	backend add high6 $(be_at 6 1 8080)
	backend add all6 $(be_at 6 2 8080)
	backend add web $(be_at 4 3 8080)
END
watch_leaks cli

meets all4 mark 0x12 2 "$one" 80
meets high4 mark 0x1015 1 "$other" 81
meets all6 mark 0x12 2 "$one6" 80
meets high6 mark 0x1015 1 "$other6" 81
meets web port 0x12 3 "$vip4" 80
ktap_is "mark: no packet with a backend's address came to the client" "$(leaks cli)" 0
refuses "what no rule marks is nobody's" "destination is no service" \
	lookup tcp "$(at 4 cli 20000)" "$one:80"
refuses "nor has it another mark" "destination is no service" \
	lookup tcp "$(at 4 cli 20000)" "$one:80" mark 0x22

rlb save >"$tmp/saved"
rlb save secret >"$tmp/secret"
ktap_is "mark: lookup offline says the same" \
	"$(for mark in 0x12 0x13; do
		ringlb -j -f "$tmp/secret" lookup tcp "$(at 4 cli 20000)" "$one:80" mark "$mark" |
			jq -r .service
	done | paste -sd' ')" "all4 high4"
must rlb flush
must rlb -b "$tmp/saved"
ktap_is "mark: save and -b are a round trip" "$(rlb save | diff - "$tmp/saved")" ""
ktap_is "mark: to apply what there is changes nothing" "$(rlb apply "$tmp/saved")" ""

# One port of the client, two addresses with the mark.
must rlb backend add all4 "$(be_at 4 1 8005)"
for port in 80 81; do
	rounds "p$port" cli tcp "$one" "$port" --source "$cli4" --ports "30000-$((29999 + n))"
	round first "p$port"
done
must rlb backend drain all4 "$(be_at 4 2 8080)"
for port in 80 81; do
	round second "p$port"
done
ktap_check "mark: connections to two ports from one stay when backends change" \
	judge stay "$tmp/p80:first" "$tmp/p80:second" + stay "$tmp/p81:first" "$tmp/p81:second"

refuses "flows that are not remembered" \
	"answers do not tell the addresses of marked packets apart: track must be all" \
	service add more tcp mark:0x100
refuses "a mark that says as much of a packet" \
	"a service of this protocol has a mark of as many bits that packets with this one may have, too" \
	service add more tcp mark:0x3/0xf track all
ktap_check "mark: one that no packet has beside the other" \
	rlb service add more tcp mark:0x20/0xf0 track all
must rlb -b - <<<"$(for ((i = 5; i < 11; i++)); do
	echo "service add m$i tcp mark:1/$(((1 << i) - 1)) track all"
done)"
refuses "a ninth mask" "marks of services have 8 different masks, the most there can be" \
	service add ninth tcp mark:1/0x7ff track all
