#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# offline_twin.sh - answers from a file are those of an independent twin, byte for byte
#
# In:  the built tool, python3 (twin.py); no module, no root.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"
conf=$dir/conf

cat >"$conf" <<'END'
secret set 8c1f0a73d2e94b56a0b1c2d3e4f50617
service add empty tcp 192.0.2.13:80 method ring key 5tuple slots 65536 vnodes 160 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
service add idle tcp 192.0.2.14:80 method ring key 5tuple slots 65536 vnodes 160 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add idle 10.0.3.1 weight 0 state up
service add last tcp 192.0.2.12:80 method ring key 5tuple slots 65536 vnodes 20 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add last 10.0.2.1 weight 1 state drain
backend add last 10.0.2.2 weight 3 state down
backend add last 10.0.2.3 weight 2 state drain
service add none udp 192.0.2.11:53 method ring key 5tuple slots 65536 vnodes 7 settle 1% track auto timeout 120 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add none 10.0.1.1 weight 1 state down
service add one udp 192.0.2.15:53 method ring key src slots 65536 vnodes 1 settle 1% track auto timeout 120 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add one 10.0.4.1:5353 weight 1 state up
service add rare tcp 192.0.2.16:80 method ring key 5tuple slots 65536 vnodes 1 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add rare 10.0.5.1 weight 20000 state down
backend add rare 10.0.5.2 weight 1 state up
service add web4 tcp 192.0.2.10:443 method ring key 5tuple slots 65536 vnodes 160 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add web4 9.255.255.255:1 weight 65 state up
backend add web4 10.0.0.11 weight 1 state up
backend add web4 10.0.0.11:8080 weight 2 state up
backend add web4 10.0.0.11:8081 weight 3 state drain
backend add web4 10.0.0.12:256 weight 4 state up slow-start 30
backend add web4 10.0.0.13:8080 weight 5 state down
backend add web4 10.0.0.14:8080 weight 0 state up
service add web6 udp [2001:db8::10]:443 method ring key src slots 65536 vnodes 33 settle 1% track auto timeout 120 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add web6 fd00::1 id 0 weight 1 state up
backend add web6 [fd00::1]:80 weight 100 state up
backend add web6 [fd00::2]:80 weight 50 state drain
backend add web6 fd00::100 weight 7 state down
service add low tcp 192.0.2.20:80 method rendezvous key src slots 4096 slack 0.5% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add low 10.0.6.1 weight 1 state up
backend add low 10.0.6.2 weight 1 state down
backend add low 10.0.6.3:80 weight 1 state up
service add fill tcp 192.0.2.21:80 method rendezvous key 5tuple slots 4096 slack 0.5% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
service add free udp 192.0.2.22:80 method rendezvous key 5tuple slots 4096 slack none settle 0% track auto timeout 120 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
service add steep tcp 192.0.2.23:80 method rendezvous key 5tuple slots 4096 slack 1% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add steep 10.0.8.1 weight 65535 state up
backend add steep 10.0.8.2 weight 1 state up
backend add steep 10.0.8.3 weight 800 state drain
service add sole tcp 192.0.2.24:80 method rendezvous key 5tuple slots 4096 slack 1% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add sole 10.0.9.1 weight 7 state up
service add usual tcp [2001:db8::24]:80 method rendezvous key 5tuple slots 65536 slack 1% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add usual fd00::1 weight 1 state up
backend add usual fd00::2 weight 2 state up
backend add usual [fd00::2]:81 weight 3 state down
service add wide tcp 192.0.2.25:80 method rendezvous key 5tuple slots 131072 slack 2% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat
backend add wide 10.0.10.1 id 7 weight 5 state up
backend add wide 10.0.10.2 weight 4 state up
backend add wide 10.0.10.3 id 4294967294 weight 1 state up
service add seats tcp 192.0.2.27:80 method seat key 5tuple slots 4096 settle 1% seats 3:5,1:2,9:7,2:4,1:3,8:1
backend add seats 10.0.12.1 id 1 weight 5 state up
backend add seats 10.0.12.2 id 2 weight 1 state up
backend add seats 10.0.12.3 id 3 weight 4 state up
backend add seats 10.0.12.8 id 8 weight 1 state down
service add thin tcp 192.0.2.28:80 method seat key 5tuple slots 4096 settle 1% seats 1:1000,2:1000,3:1
backend add thin 10.0.13.1 id 1 weight 1 state up
backend add thin 10.0.13.2 id 2 weight 2 state up
backend add thin 10.0.13.3 id 3 weight 1 state drain
service add vacant tcp 192.0.2.29:80 method seat key 5tuple slots 8192 settle 1% seats 1:3,2:1,3:65535
backend add vacant 10.0.14.2 id 2 weight 1 state up
backend add vacant 10.0.14.9 weight 0 state up
service add all4 any 192.0.2.31 method rendezvous key 5tuple slots 4096 slack 1% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode dsr
backend add all4 10.0.16.1 weight 1 state up
backend add all4 10.0.16.2 weight 2 state up
backend add all4 10.0.16.3 weight 2 state down
service add all6 any 2001:db8::31 method ring key 5tuple slots 4096 vnodes 9 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode dsr
backend add all6 fd00::16:1 weight 1 state up
backend add all6 fd00::16:2 weight 2 state up
service add mapped tcp 192.0.2.30:80 method slots key 5tuple slots 4096 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep
backend add mapped 10.0.15.1 weight 1 state up
backend add mapped 10.0.15.2:81 id 7 weight 9 state up
backend add mapped 10.0.15.3 weight 1 state down
backend add mapped 10.0.15.4 weight 3 state up
backend add mapped 10.0.15.5 weight 0 state up
service set mapped map 0-0=10.0.15.2:81,1-99=10.0.15.1,100-2047=10.0.15.3,2048-4094=10.0.15.1,4095-4095=10.0.15.3
END
# Among these of fill there are some whose slots run short: they take from others at last.
{
	echo 'service add tight tcp 192.0.2.26:80 method rendezvous key 5tuple slots 4096 slack 0% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat'
	for i in {1..76}; do
		echo "backend add tight 10.0.11.$i weight 1 state up"
	done
	for i in {1..150}; do
		echo "backend add fill 10.0.58.$i weight $((i % 7 + 1)) state up"
		echo "backend add free 10.1.7.$i weight $((i % 3 + 1)) state up"
	done
} >>"$conf"
services=(empty idle last none one rare web4 web6 low fill free steep sole tight usual wide
	seats thin vacant mapped all4 all6)

ktap_plan $((${#services[@]} + 6))

for s in "${services[@]}"; do
	claim="table show: $s is the twin's, byte for byte"
	python3 "$here/twin.py" table "$conf" "$s" >"$dir/twin"
	"$ringlb" -j -f "$conf" table show "$s" >"$dir/tool"
	ktap_check "$claim" cmp "$dir/twin" "$dir/tool"
done

# A line a packet, from the tool, as the twin writes it
answer='
import json, sys
for line in sys.stdin:
    flow, _, text = line.partition(" {")
    a = json.loads("{" + text)
    print(flow, a["service"], a.get("slot", "-"), a.get("owner", "-"), a.get("backend", "-"),
          a["probes"])
'
python3 "$here/twin.py" lookups "$conf" 1 400 >"$dir/twin"
while read -r protocol src dst _; do
	printf '%s ' "$protocol $src $dst"
	"$ringlb" -j -f "$conf" lookup "$protocol" "$src" "$dst"
done <"$dir/twin" | python3 -c "$answer" >"$dir/tool"
ktap_is "lookup: 400 packets have an answer each" "$(wc -l <"$dir/tool")" 400
ktap_check "lookup: 400 packets go where the twin sends them" diff "$dir/twin" "$dir/tool"
ktap_check "lookup: some of them after more than one slot" grep -q ' [2-9]$' "$dir/twin"
ktap_check "lookup: some of them after all slots that may be seen" grep -q ' 65$' "$dir/twin"
ktap_check "lookup: some of them to none" grep -q -- ' - [0-9]*$' "$dir/twin"

# Slots follow from members, not from the order in which they came.
{
	grep -E '^(secret|service add)' "$conf"
	grep -E '^(backend|service set)' "$conf" | tac
} >"$dir/tac"
for f in "$conf" "$dir/tac"; do
	for s in "${services[@]}"; do
		"$ringlb" -j -f "$f" table show "$s"
	done >"$f.tables"
done
ktap_check "table show: the order of lines does not matter" cmp "$conf.tables" "$dir/tac.tables"
