#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# batch_lines.sh - what is wrong in a file is told with its line, before anything is sent
#
# In:  the built tool; no module, no root.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"
f=$dir/f

# CLAIM, status, text after FILE:, the options, then the file
refused()
{
	local claim=$1 expected="$2 ringlb: $f:$3" out

	shift 3
	out=$("$ringlb" "$@" 2>&1 >"$dir/stdout")
	out="$? $out"
	if [[ $out == "$expected" && ! -s $dir/stdout ]]; then
		ktap_ok "$claim"
	else
		ktap_fail "$claim" "$(cat "$f")" "expected: $expected" "got:      $out"
	fi
}

file()			# file LINE...
{
	printf '%s\n' "$@" >"$f"
}

words()			# words CLAIM TEXT: wrong for -b and -f alike
{
	refused "-b: $1" 1 "$2" -b "$f"
	refused "-f: $1" 1 "$2" -f "$f" save
}

model()			# model TEXT: refused as a module would
{
	refused "-f: ${1#*: }" 2 "$1" -f "$f" save
}

ktap_plan 86

web='service add web tcp 192.0.2.1:80 method ring'
file "$web" '' '# a comment' 'backend add web 10.0.0.1 weight -3'
words "a wrong number names its line" '4: weight "-3": expected 0 to 65535'
file "$web # comment" 'servce show'
words "an unknown object names its line" \
	'2: "servce": expected service, backend, lookup, plan, simulate, table, flow, dev, secret, save, apply, monitor, history, check, flush, version or help'
file 'service show'
words "commands that change nothing are not for files" \
	'1: "service show": expected in a file only commands that change something'
file 'lookup tcp 198.51.100.7:1 192.0.2.1:80'
words "a lookup is not for files" \
	'1: "lookup": expected in a file only commands that change something'
file '-j service show'
words "options are not for files" \
	'1: "-j": expected service, backend, lookup, plan, simulate, table, flow, dev, secret, save, apply, monitor, history, check, flush, version or help'
file 'secret set -'
words "a secret from stdin is not for files" \
	'1: secret "-": expected in a file 32 hex digits or random'
printf 'flush\nflush \0x\n' >"$f"
words "a NUL byte is no text" '2: expected text, found a NUL byte'
printf 'flush\nservice' >"$f"
words "a last line without newline is a line" \
	'2: command of service is missing: expected add, set, del or show'
file "$(printf 'x %.0s' {1..70})"
words "too many words" '1: expected at most 64 words'

file 'service add web tcp 192.0.2.1:80 method ring'
claim="-b: right words are sent, and there is no module"
if [[ -d /sys/module/ringlb ]]; then
	ktap_skip "$claim" "a kernel without the module loaded"
else
	out=$("$ringlb" -b "$f" 2>&1)
	ktap_is "$claim" "$? $out" '2 ringlb: module ringlb is not loaded (try: modprobe ringlb)'
fi
out=$("$ringlb" -b - 2>&1 <<<'flush now')
ktap_is "-b -: errors are of stdin" "$? $out" '1 ringlb: stdin:1: "now": expected nothing more'
out=$("$ringlb" -b "$dir/none" 2>&1)
ktap_is "-b: a file that is not there" "$? $out" "2 ringlb: $dir/none: No such file or directory"
out=$("$ringlb" -b "$dir" 2>&1)
ktap_is "-b: a directory" "$? $out" "1 ringlb: $dir: could not be read"
printf '# nothing\n\n   \n#\n' >"$f"
ktap_is "-f: a file of comments is an empty configuration" "$("$ringlb" -f "$f" save; echo $?)" 0
printf '%s\r\n' "$web" 'backend add web 10.0.0.1' >"$f"
ktap_is "-f: lines may end as on other systems" "$("$ringlb" -f "$f" save | tail -1)" \
	'backend add web 10.0.0.1 weight 1 state up'
file "$web" 'backend add web 10.0.0.1#2'
words "a comment begins a word" \
	'2: backend "10.0.0.1#2": expected ADDR or ADDR:PORT, as 10.0.0.11, 10.0.0.11:80, fd00::11 or [fd00::11]:80'

file 'backend add web 10.0.0.1'
model '1: backend add: no such service'
file 'service set web key src'
model '1: service set: no such service'
file "$web" 'service del web' 'backend add web 10.0.0.1'
model '3: backend add: no such service'
file "$web" 'flush' 'service set web vnodes 3'
model '3: service set: no such service'
file "$web" "${web/:80/:81}"
model '2: service add: a service of this name exists'
file "$web" "${web/web/dns}"
model '2: service add: a service of this protocol, address and port exists'
file "$web" 'backend add web fd00::1'
model '2: backend add: backend is not of the address family of the service'
file "$web" 'backend add web 10.0.0.1' 'backend add web 10.0.0.1 weight 2'
model '3: backend add: service has this backend already'
file "$web" 'backend add web 10.0.0.1' 'backend add web 10.0.0.1:80'
model '3: backend add: address and port of the backend already get packets of a service: replies could not be told apart without track all in both'
file "$web" 'backend add web 192.0.2.1'
model '2: backend add: backend is the address and port of a service'
file "$web" 'backend add web 10.0.0.1' 'service add x tcp 10.0.0.1:80 method ring'
model '3: service add: address and port are those of a backend'
file "$web" 'backend add web 10.0.0.1' 'backend del web 10.0.0.1:80'
model '3: backend del: service has no such backend'
file "$web" 'backend drain web 10.0.0.1'
model '2: backend drain: service has no such backend'
file "$web" 'backend add web 10.0.0.1 weight 65535'
model '2: backend add: vnodes times the sum of weights is above 4194304 points: largest vnodes that fits: 64'
file "$web" 'service set web slack 1%'
model '2: service set: slack is no parameter of method ring'
file "${web/method ring}" 'service set web vnodes 3'
model '2: service set: vnodes is no parameter of method rendezvous'
file "${web/method ring}" 'service set web settle 0% if-generation 1'
model '2: service set: if-generation: what a file describes has no generation'
file "${web/method ring}" 'backend add web 10.0.0.1 weight 65535' 'service set web method ring'
model '3: service set: vnodes times the sum of weights is above 4194304 points: largest vnodes that fits: 64'
file "${web/ring/ring vnodes 64}" 'backend add web 10.0.0.1 weight 65535' \
	'backend add web 10.0.0.2' 'service set web vnodes 65'
model '4: service set: vnodes times the sum of weights is above 4194304 points: largest vnodes that fits: 64'
file "${web/ring/ring vnodes 1}" "$(for i in {1..65}; do
	echo "backend add web 10.0.0.$i weight 65535"; done)"
model '66: backend add: vnodes times the sum of weights is above 4194304 points: none fits: lower the weights'
quic='service add q udp 192.0.2.1:443 key quic-cid'
file "${quic/udp/tcp} track all"
model '1: service add: key quic-cid needs protocol udp (attribute: key)'
file "$quic"
model '1: service add: answers do not tell that a connection id chose their backend: track must be all, or mode dsr or tunnel'
file "$web cid-config 1"
model '1: service add: cid-config and sid-length are of use with key quic-cid only'
file "$quic mode dsr" 'backend add q 10.0.0.1'
model '2: backend add: key quic-cid needs an id of each backend'
file "$quic mode dsr sid-length 1" 'backend add q 10.0.0.1 id 256'
model '2: backend add: id of a backend needs more than sid-length bytes'
file "$quic mode dsr" 'backend add q 10.0.0.1 id 1' 'service set q key 5tuple sid-length 2'
model '3: service set: cid-config and sid-length are of use with key quic-cid only'
mapped="${web/ring/slots slots 4096}"
file "$mapped" 'backend add web 10.0.0.1'
model '2: backend add: method slots needs a map of all slots'
file "$mapped" 'backend add web 10.0.0.1' 'service set web map 0-4095=10.0.0.1' 'backend add web 10.0.0.2' \
	'service set web key src' 'backend del web 10.0.0.1'
model '6: backend del: map: range 1: slots 0 to 4095 are given to 10.0.0.1, which is no backend of the service'
file "$mapped" 'backend add web 10.0.0.1' 'service set web map 0-4095=10.0.0.1' \
	'service set web slots 8192'
model '4: service set: map: range 1: slots 4096 to 8191 have no owner'
file "$web" 'service set web map 0-4095=10.0.0.1'
model '2: service set: map is no parameter of method ring'
printf '%s\n' '# a map' '0-9 10.0.0.1' '8-4095 10.0.0.1' >"$dir/map"
file "$mapped" 'backend add web 10.0.0.1' "service set web map $dir/map"
words "a wrong map names its own line" "3: $dir/map:3: slot 8 has an owner already, by line 2"
printf '%s\n' '# a map' '10-4095 10.0.0.2' '' '0-9 10.0.0.1' >"$dir/map"
file "$mapped" 'backend add web 10.0.0.1' "service set web map $dir/map"
model "3: service set: $dir/map:2: slots 10 to 4095 are given to 10.0.0.2, which is no backend of the service"
file "$mapped" "service set web map $dir/map" 'backend add web 10.0.0.1' 'backend add web 10.0.0.2'
ktap_is "-f: a map and the backends that it names are one change" \
	"$("$ringlb" -f "$f" save | tail -1)" 'service set web map 0-9=10.0.0.1,10-4095=10.0.0.2'

file 'service add web tcp 224.0.0.1:80 method ring'
model '1: service add: address is a multicast address'
file 'service add web tcp [::]:80 method ring'
model '1: service add: address is ::'
file "$web" 'backend add web 127.0.0.1'
model '2: backend add: address is a loopback address'
file "$web" 'backend add web 255.255.255.255'
model '2: backend add: address is a broadcast or reserved address'
file 'service add web tcp [2001:db8::1]:80 method ring' 'backend add web fe80::1'
model '2: backend add: address is a link-local address'
file "$web" "$(for i in {0..4096}; do
	echo "backend add web 10.0.$((i / 256)).$((i % 256))"; done)"
model '4098: backend add: service has 4096 backends, the most there can be'

all='service add all any 192.0.2.7 mode dsr'
file "${all% mode dsr}"
model '1: service add: not every protocol can be rewritten: mode must be dsr or tunnel (attribute: protocol)'
file "${all/dsr/nat}"
model '1: service add: not every protocol can be rewritten: mode must be dsr or tunnel (attribute: mode)'
file "${all/mode dsr/tunnel gre} tunnel-port 6081"
model '1: service add: tunnel-port is of use with tunnel gue only (attribute: tunnel-port)'
file "$all tunnel-port 6081"
model '1: service add: tunnel-port is of use with tunnel gue only (attribute: tunnel-port)'
file "$all snat on"
model '1: service add: snat needs mode nat (attribute: mode)'
file "$all" "${all/all/more}"
model '2: service add: a service of every protocol and this address exists'
file "$all" 'backend add all 10.0.0.1:80'
model '2: backend add: backend has a port, which this mode does not change (attribute: port)'
file "$all" "$web" 'backend add web 192.0.2.7:8080'
model '3: backend add: backend is the address and port of a service'
file "$web" "$all" 'backend add all 192.0.2.1'
model '3: backend add: backend is the address and port of a service'
file "$web" 'backend add web 192.0.2.7' "$all"
model '3: service add: address and port are those of a backend'
file "$all" "${all/192.0.2.7/192.0.2.0\/24}" "${all/192.0.2.7/mark:7}"
model '2: service add: a service of this name exists'

file "$web" 'backend add web 10.0.0.1 id 7' 'backend add web 10.0.0.2' 'backend set web 10.0.0.2 id 7'
model '4: backend set: another backend of the service has this id (attribute: id)'

# 25 services of 3999 backends
many()
{
	awk 'BEGIN {
		for (s = 0; s < 25; s++) {
			print "service add s" s " tcp 192.0.2." s + 1 ":80 slots 4096"
			for (b = 0; b < 3999; b++)
				print "backend add s" s " 10." s "." int(b / 256) "." b % 256
		}
	}'
}

many >"$f"
ktap_is "-f: a file of 100000 lines is taken" "$("$ringlb" -f "$f" save | wc -l)" 100000
echo 'backend add s24 10.24.0.0' >>"$f"
model '100001: backend add: service has this backend already'
(many; printf 'backend add s24 \377\376\n') >"$f"
words "bytes that are no text, after as many lines" \
	'100001: backend "\xff\xfe": expected ADDR or ADDR:PORT, as 10.0.0.11, 10.0.0.11:80, fd00::11 or [fd00::11]:80'

# What a removed object held is free again.
file "$web" 'backend add web 10.0.0.1' 'backend del web 10.0.0.1' 'backend add web 10.0.0.1:80' \
	'service del web' 'service add x tcp 10.0.0.1:80 method ring'
ktap_is "-f: what was removed is free again" "$("$ringlb" -f "$f" save)" \
	'service add x tcp 10.0.0.1:80 method ring key 5tuple slots 65536 vnodes 160 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat'

file "$web" 'secret set random'
refused "lookup: without the digits of the secret there is no answer" 2 \
	' no hash key: expected a line: secret set HEX (as save secret prints it)' \
	-f "$f" lookup tcp 198.51.100.7:1 192.0.2.1:80
file 'secret set 00112233445566778899aabbccddeeff' "$web"
refused "lookup: a destination that is no service" 2 ' destination is no service' \
	-f "$f" lookup tcp 198.51.100.7:1 192.0.2.1:81
refused "lookup: a protocol that is no service" 2 ' destination is no service' \
	-f "$f" lookup udp 198.51.100.7:1 192.0.2.1:80
