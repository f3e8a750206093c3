#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# simulate_pcap.sh - flows from captures: counted truly, in every form; broken files refused
#
# In:  the built tool, python3 (simulate_pcap.py); no module, no root.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

refused()		# refused FILE TEXT
{
	ktap_refuse "pcap: $1: refused" 2 "^ringlb: pcap \"$dir/$1.pcap\": $2" \
		"$ringlb" simulate backends 3 slots 4096 pcap "$dir/$1.pcap"
}

ktap_plan 14

python3 "$here/simulate_pcap.py" write "$dir" || exit
ktap_is "pcap: shares, moves and elephants are those of lookups, in every form" \
	"$(python3 "$here/simulate_pcap.py" check "$ringlb" "$dir" 2>&1)" ""

ktap_is "pcap: without a service every flow of TCP and UDP counts" \
	"$("$ringlb" -j simulate backends 3 slots 4096 pcap "$dir/ethernet.pcap" |
		python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["traffic_flows"])')" 63
ktap_is "pcap: IPv6, behind an extension header; who answers is the server" \
	"$("$ringlb" -j simulate backends 3 slots 4096 pcap "$dir/six.pcap" | python3 -c '
import json, sys
e, = json.load(sys.stdin)[0]["elephants"]
print(e["protocol"], e["source"][-5:], e["destination"][-4:], e["packets"], e["bytes"])')" \
	"tcp :5000 :443 1 68"
"$ringlb" simulate backends 3 slots 4096 pcap "$dir/ethernet.pcap" >"$dir/text"
ktap_is "pcap: in text too, with elephants and shares" \
	"$(grep -c -E '^(bytes_moved_on_add |longest flows|shares by method rendezvous:|10.0.0.3:8080 )' "$dir/text")" 4

refused none 'no packet of TCP, UDP or SCTP in it$'
refused usb 'expected packets of Ethernet, raw IP or Linux cooked, not USB_LINUX_MMAPPED$'
refused cut 'truncated dump file; '
refused empty 'truncated dump file; '
refused head 'truncated dump file; '
refused text 'unknown file format$'
refused long 'invalid packet capture length'
refused missing 'No such file or directory$'
cat >"$dir/dns" <<END
service add dns udp 192.0.2.77:53
backend add dns 10.0.0.1
END
ktap_refuse "pcap: nothing of the service in it" 2 ': no packet of the service in it$' \
	"$ringlb" -f "$dir/dns" simulate dns slots 4096 pcap "$dir/ethernet.pcap"

bad=$(for file in "$dir"/noise*.pcap; do
	"$ringlb" simulate backends 3 slots 4096 pcap "$file" >/dev/null 2>"$dir/err"
	status=$?
	[[ $status -eq 0 || ($status -eq 2 && $(cat "$dir/err") == "ringlb: pcap "*) ]] ||
		echo "$file: $status $(cat "$dir/err")"
done)
ktap_is "pcap: whatever is in it, an answer or a refusal" "$bad" ""
