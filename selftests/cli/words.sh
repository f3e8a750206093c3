#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# words.sh - wrong words: each has its text, which quotes the word and says what was expected
#
# In:  the built tool; no module, no root.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
name='1 to 31 of the characters A-Z a-z 0-9 . _ -, the first not -'
with_port='expected ADDR:PORT, as 192.0.2.10:443 or [2001:db8::10]:443'
mark="expected a mark and a mask, as mark:7 or mark6:0x10/0xf0, not 0, and no bits beside the mask"
with_ports="$with_port, ADDR:FIRST-LAST or ADDR:*, or with ADDR/BITS for ADDR; or mark:N, mark6:N or with /MASK"
of_any='expected ADDR or ADDR/BITS without a port, as 192.0.2.10 or 2001:db8::/64; or mark:N, mark6:N or with /MASK'
alone='expected ADDR without a port, as 192.0.2.10 or 2001:db8::10'
protocol="tcp, udp, sctp or the number of a protocol, 1 to 255, but not ICMP's (1 and 58)"
ports='expected a port from 1 to 65535, FIRST-LAST or *'
maybe_port='expected ADDR or ADDR:PORT, as 10.0.0.11, 10.0.0.11:80, fd00::11 or [fd00::11]:80'
no_zeros='expected an IPv4 address without leading zeros'
no_scope='expected an address without a scope (%)'
not_mapped='expected an IPv4 address as such, not mapped into IPv6'
port='expected a port from 1 to 65535'
objects='service, backend, lookup, plan, simulate, table, flow, dev, secret, save, apply, monitor, history, check, flush, version or help'
letters='expected one of -j -p -s -n -b -f -V -h'
slack='none or 0% to 100%, at most one decimal'
seats='fresh or ID:WEIGHT,ID:WEIGHT... of at most 8192 seats'
weights='1 to 64 weights from 1 to 65535, commas between them'
long=$(printf 'x%.0s' {1..300})
add='service add web tcp 192.0.2.1:80'
map=0-4095=10.0.0.1

# Words as a shell would take them, a tab, the text after "ringlb: ".
cases()
{
	cat <<-END
	#	command is missing: expected $objects
	servce show	"servce": expected $objects
	serv	"serv": expected $objects
	''	"": expected $objects
	Service show	"Service": expected $objects
	--help	option "--": expected one of -j -p -s -n -b -f -V -h
	-x	option "-x": $letters
	-jx service show	option "-x": $letters
	-n	option "-n": expected an argument after it
	-b	option "-b": expected an argument after it
	-n a -n b service show	option "-n": expected only once
	-b a -b b	option "-b": expected only once
	-n '' service show	option "-n": expected a word that is not empty
	-f a -b b	option "-f": expected no -b beside it
	-b a service show	"service": expected nothing more after -b FILE
	-f a flush	option "-f": expected lookup, plan, apply, simulate, table, save or show, not flush
	-f a service add web tcp 192.0.2.1:80 method ring	option "-f": expected lookup, plan, apply, simulate, table, save or show, not service add
	-f a monitor	option "-f": expected lookup, plan, apply, simulate, table, save or show, not monitor
	service	command of service is missing: expected add, set, del or show
	service ad	command of service "ad": expected add, set, del or show
	service show -j	service "-j": expected $name
	backend	command of backend is missing: expected add, set, up, drain, down, del or show
	backend remove web	command of backend "remove": expected add, set, up, drain, down, del or show
	table	command of table is missing: expected show, map or digest
	secret	command of secret is missing: expected show or set
	service add	service is missing: expected $name
	service add ''	service "": expected $name
	service add 'a b'	service "a b": expected $name
	service add -a	service "-a": expected $name
	service add a/b	service "a/b": expected $name
	service add caf$(printf '\303\251')	service "caf\\xc3\\xa9": expected $name
	service add 'a"b'	service "a\\x22b": expected $name
	service add 12345678901234567890123456789012	service "12345678901234567890123456789012": expected $name
	service add $long	service "${long:0:190}...": expected $name
	service add web	protocol is missing: expected tcp, udp, sctp or any
	service add web dccp	protocol "dccp": expected tcp, udp, sctp or any
	service add web TCP 192.0.2.1:80	protocol "TCP": expected tcp, udp, sctp or any
	service add web tcp	address is missing: expected ADDR:PORT
	service add web tcp 192.0.2.1	address "192.0.2.1": $with_ports
	service add web tcp $long:80	address "${long:0:190}...": $with_ports
	service add web tcp 192.0.2.1:	address "192.0.2.1:": $ports
	service add web tcp :80	address ":80": $with_ports
	service add web tcp 192.0.2.1:0	address "192.0.2.1:0": $ports
	service add web tcp 192.0.2.1:65536	address "192.0.2.1:65536": $ports
	service add web tcp 192.0.2.1:080	address "192.0.2.1:080": $ports
	service add web tcp 192.0.2.1:80-	address "192.0.2.1:80-": $ports
	service add web tcp 192.0.2.1:-90	address "192.0.2.1:-90": $ports
	service add web tcp 192.0.2.1:90-80	address "192.0.2.1:90-80": $ports
	service add web tcp 192.0.2.1:80-65536	address "192.0.2.1:80-65536": $ports
	service add web tcp 192.0.2.1:0-80	address "192.0.2.1:0-80": $ports
	service add web tcp 192.0.2.1:080-90	address "192.0.2.1:080-90": $ports
	service add web tcp 192.0.2.1:80-90-100	address "192.0.2.1:80-90-100": $ports
	service add web tcp 192.0.2.1:**	address "192.0.2.1:**": $ports
	service add web tcp 192.0.2.1:1-*	address "192.0.2.1:1-*": $ports
	service add web tcp 192.0.2.1:+80	address "192.0.2.1:+80": $ports
	service add web tcp 192.0.2.1:http	address "192.0.2.1:http": $ports
	service add web tcp 192.0.2.1:99999999999999999999999	address "192.0.2.1:99999999999999999999999": $ports
	service add web tcp 192.0.2.0/33:80	address "192.0.2.0/33:80": expected a prefix of 1 to 32 bits, of IPv6 1 to 128
	service add web tcp 0.0.0.0/0:80	address "0.0.0.0/0:80": expected a prefix of 1 to 32 bits, of IPv6 1 to 128
	service add web tcp 192.0.2.0/:80	address "192.0.2.0/:80": expected a prefix of 1 to 32 bits, of IPv6 1 to 128
	service add web tcp 192.0.2.0/024:80	address "192.0.2.0/024:80": expected a prefix of 1 to 32 bits, of IPv6 1 to 128
	service add web tcp 192.0.2.1/24:80	address "192.0.2.1/24:80": expected no bits of the address behind its prefix
	service add web tcp [2001:db8::1/64]:80	address "[2001:db8::1/64]:80": expected no bits of the address behind its prefix
	service add web tcp [2001:db8::]/64:80	address "[2001:db8::]/64:80": $with_ports
	service add web tcp 192.0.2.0/24	address "192.0.2.0/24": $with_ports
	backend add web 10.0.0.0/24	backend "10.0.0.0/24": $maybe_port
	service add web any	address is missing: expected ADDR
	service add web any 192.0.2.1:80	address "192.0.2.1:80": $of_any
	service add web any 192.0.2.1:*	address "192.0.2.1:*": $of_any
	service add web any [2001:db8::1]:80	address "[2001:db8::1]:80": $of_any
	service add web any 192.0.2.1/24	address "192.0.2.1/24": expected no bits of the address behind its prefix
	service add web any mark:0	address "mark:0": $mark
	service add web tcp mark:0	address "mark:0": $mark
	service add web tcp mark:	address "mark:": $mark
	service add web tcp mark:x	address "mark:x": $mark
	service add web tcp mark:0x	address "mark:0x": $mark
	service add web tcp mark:4294967296	address "mark:4294967296": $mark
	service add web tcp mark:0x100000000	address "mark:0x100000000": $mark
	service add web tcp mark:7/0	address "mark:7/0": $mark
	service add web tcp mark:7/	address "mark:7/": $mark
	service add web tcp mark6:8/7	address "mark6:8/7": $mark
	service add web tcp mark:-1	address "mark:-1": $mark
	service add web tcp mark:7:80	address "mark:7:80": $mark
	lookup tcp 192.0.2.1:1 192.0.2.1:2 mark 0	mark "0": expected 1 to 4294967295, decimal or hexadecimal
	backend add web mark:7	backend "mark:7": $maybe_port
	lookup udp 192.0.2.1:1 192.0.2.1:2 cid 0	cid "0": expected 1 to 20 bytes in hex digits
	lookup udp 192.0.2.1:1 192.0.2.1:2 cid 0x07	cid "0x07": expected 1 to 20 bytes in hex digits
	lookup udp 192.0.2.1:1 192.0.2.1:2 cid 070	cid "070": expected 1 to 20 bytes in hex digits
	lookup udp 192.0.2.1:1 192.0.2.1:2 cid 000000000000000000000000000000000000000000	cid "000000000000000000000000000000000000000000": expected 1 to 20 bytes in hex digits
	$add cid-config 7	cid-config "7": expected 0 to 6
	$add sid-length 0	sid-length "0": expected 1 to 4
	$add sid-length 5	sid-length "5": expected 1 to 4
	service add web tcp 192.0.2.01:80	address "192.0.2.01:80": $no_zeros
	service add web tcp 192.0.2:80	address "192.0.2:80": $with_ports
	service add web tcp 192.0.2.256:80	address "192.0.2.256:80": $with_ports
	service add web tcp 0xc0000201:80	address "0xc0000201:80": $with_ports
	service add web tcp www.example:80	address "www.example:80": $with_ports
	service add web tcp 2001:db8::1	address "2001:db8::1": $with_ports
	service add web tcp [2001:db8::1]	address "[2001:db8::1]": $with_ports
	service add web tcp [2001:db8::1]80	address "[2001:db8::1]80": $with_ports
	service add web tcp [2001:db8::1:80	address "[2001:db8::1:80": $with_ports
	service add web tcp [192.0.2.1]:80	address "[192.0.2.1]:80": $with_ports
	service add web tcp []:80	address "[]:80": $with_ports
	service add web tcp [2001:db8::1]:	address "[2001:db8::1]:": $ports
	service add web tcp [2001:db8::1]:0	address "[2001:db8::1]:0": $ports
	service add web tcp [fe80::1%eth0]:80	address "[fe80::1%eth0]:80": $no_scope
	service add web tcp [::ffff:192.0.2.1]:80	address "[::ffff:192.0.2.1]:80": $not_mapped
	service add web tcp [12345::]:80	address "[12345::]:80": $with_ports
	$add method	value of method is missing: expected rendezvous, ring, maglev, seat or slots
	$add method maglev vnodes 10	vnodes is no parameter of method maglev
	$add method maglev slack 1%	slack is no parameter of method maglev
	$add method rings	method "rings": expected rendezvous, ring, maglev, seat or slots
	$add method Rendezvous	method "Rendezvous": expected rendezvous, ring, maglev, seat or slots
	$add slots	value of slots is missing: expected a power of two from 4096 to 1048576
	$add slots 65535	slots "65535": expected a power of two from 4096 to 1048576
	$add slots 2048	slots "2048": expected a power of two from 4096 to 1048576
	$add slots 2097152	slots "2097152": expected a power of two from 4096 to 1048576
	$add slots 0	slots "0": expected a power of two from 4096 to 1048576
	$add slots 2^16	slots "2^16": expected a power of two from 4096 to 1048576
	$add slack	value of slack is missing: expected $slack
	$add slack 1	slack "1": expected $slack
	$add slack %	slack "%": expected $slack
	$add slack .5%	slack ".5%": expected $slack
	$add slack 1.%	slack "1.%": expected $slack
	$add slack 1.25%	slack "1.25%": expected $slack
	$add slack 01%	slack "01%": expected $slack
	$add slack -1%	slack "-1%": expected $slack
	$add slack 100.1%	slack "100.1%": expected $slack
	$add slack 101%	slack "101%": expected $slack
	$add slack 1.x%	slack "1.x%": expected $slack
	$add slack '1 %'	slack "1 %": expected $slack
	$add slack None	slack "None": expected $slack
	$add settle none	settle "none": expected 0% to 100%, at most one decimal
	$add settle 100.1%	settle "100.1%": expected 0% to 100%, at most one decimal
	$add none	value of none is missing: expected reject or drop
	$add none refuse	none "refuse": expected reject or drop
	$add settle 10	settle "10": expected 0% to 100%, at most one decimal
	$add track some	track "some": expected auto, none or all
	$add timeout 0	timeout "0": expected 1 to 604800 seconds
	$add timeout 604801	timeout "604801": expected 1 to 604800 seconds
	$add timeout 15m	timeout "15m": expected 1 to 604800 seconds
	$add drain-timeout -1	drain-timeout "-1": expected 1 to 604800 seconds
	$add mode direct	mode "direct": expected nat, dsr or tunnel
	$add mode	value of mode is missing: expected nat, dsr or tunnel
	$add mode tunnel tunnel vxlan	tunnel "vxlan": expected ipip, gre or gue
	$add tunnel gue tunnel-port 0	tunnel-port "0": expected 1 to 65535
	$add tunnel gue tunnel-port 65536	tunnel-port "65536": expected 1 to 65535
	$add tunnel gue tunnel-port gue	tunnel-port "gue": expected 1 to 65535
	service set web tunnel ipip	"tunnel": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, if-generation or force
	service set web tunnel-port 6081	"tunnel-port": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, if-generation or force
	service set web mode dsr	"mode": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, if-generation or force
	$add last-resort yes	last-resort "yes": expected on or off
	$add udp-drain move	udp-drain "move": expected keep or rehash
	$add snat yes	snat "yes": expected on or off
	$add snat on snat-ports 5	snat-ports "5": expected FIRST-LAST, 1 to 65535
	$add snat on snat-ports 0-5	snat-ports "0-5": expected FIRST-LAST, 1 to 65535
	$add snat on snat-ports 5-4	snat-ports "5-4": expected FIRST-LAST, 1 to 65535
	$add snat on snat-ports 5-65536	snat-ports "5-65536": expected FIRST-LAST, 1 to 65535
	$add snat on snat-address gw	snat-address "gw": expected route or an address
	$add snat on snat-address 10.0.0.1:5	snat-address "10.0.0.1:5": expected route or an address
	service set web snat on	"snat": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, if-generation or force
	$add if-generation 1	"if-generation": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, mode, tunnel, tunnel-port, snat, snat-address, snat-ports or force
	$add vnodes 7	vnodes is no parameter of method rendezvous
	$add vnodes 7 method rendezvous	vnodes is no parameter of method rendezvous
	$add slack 2% method ring	slack is no parameter of method ring
	service set web method ring slack 2%	slack is no parameter of method ring
	service set web vnodes 7 method rendezvous	vnodes is no parameter of method rendezvous
	$add seats 1:1	seats is no parameter of method rendezvous
	$add method seat seats	value of seats is missing: expected $seats
	$add method seat seats 1	seats "1": expected $seats
	$add method seat seats 1:0	seats "1:0": expected $seats
	$add method seat seats 1:65536	seats "1:65536": expected $seats
	$add method seat seats 4294967295:1	seats "4294967295:1": expected $seats
	$add method seat seats 1:1,	seats "1:1,": expected $seats
	$add method seat seats ,1:1	seats ",1:1": expected $seats
	$add method seat seats 1:1,,2:1	seats "1:1,,2:1": expected $seats
	$add method seat slack 1%	slack is no parameter of method seat
	$add method slots map $map	"map": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, mode, tunnel, tunnel-port, snat, snat-address, snat-ports or force
	$add method slots slack 1%	slack is no parameter of method slots
	service set web method ring map $map	map is no parameter of method ring
	service set web map	value of map is missing: expected a file of ranges, or the ranges themselves: FIRST-LAST=ADDR[:PORT],...
	service set web map ''	map "": No such file or directory
	service set web map /none	map "/none": No such file or directory
	service set web map =	map: range 1: slots "": expected FIRST-LAST or a single slot, 0 to 1048575
	service set web map 0-9	map "0-9": No such file or directory
	service set web map 0-9=	map: range 1: backend "": $maybe_port
	service set web map 0-9=web	map: range 1: backend "web": $maybe_port
	service set web map 0-9=10.0.0.1,	map: range 2: slots "": expected FIRST-LAST or a single slot, 0 to 1048575
	service set web map 0-9=10.0.0.1,10-x=10.0.0.1	map: range 2: slots "10-x": expected FIRST-LAST or a single slot, 0 to 1048575
	service set web map 0-9-10=10.0.0.1	map: range 1: slots "0-9-10": expected FIRST-LAST or a single slot, 0 to 1048575
	service set web map 0-1048576=10.0.0.1	map: range 1: slots "0-1048576": expected FIRST-LAST or a single slot, 0 to 1048575
	service set web map 9-0=10.0.0.1	map: range 1: slots "9-0": expected the first not to be above the last
	service set web map 1-9=10.0.0.1	map: range 1: slot 0 has no owner
	service set web map 9-19=10.0.0.1,0-6=10.0.0.1	map: range 1: slots 7 to 8 have no owner
	service set web map 0-9=10.0.0.1,9-4095=10.0.0.2	map: range 2: slot 9 has an owner already, by range 1
	service set web map 9=10.0.0.1,0-9=10.0.0.2	map: range 2: slot 9 has an owner already, by range 1
	plan web service set map 1-9=10.0.0.1	map: range 1: slot 0 has no owner
	simulate web method slots	method "slots": expected rendezvous, ring, maglev or seat
	service set web if-generation	value of if-generation is missing: expected 0 to 4294967295
	service set web key src if-generation 4294967296	if-generation "4294967296": expected 0 to 4294967295
	service set web if-generation 3	change is missing: expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain or none
	$add method ring method ring	"method": expected only once
	$add method ring key	value of key is missing: expected 5tuple, src or quic-cid
	$add method ring key dst	key "dst": expected 5tuple, src or quic-cid
	$add method ring vnodes 0	vnodes "0": expected 1 to 65535
	$add method ring vnodes 65536	vnodes "65536": expected 1 to 65535
	$add method ring vnodes 0160	vnodes "0160": expected 1 to 65535
	$add method ring vnodes 1e3	vnodes "1e3": expected 1 to 65535
	$add method ring weight 2	"weight": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, mode, tunnel, tunnel-port, snat, snat-address, snat-ports or force
	$add ring	"ring": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, mode, tunnel, tunnel-port, snat, snat-address, snat-ports or force
	service set web	change is missing: expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain or none
	service set web state up	"state": expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain, none, if-generation or force
	service set web vnodes 3 vnodes 3	"vnodes": expected only once
	service del	service is missing: expected $name
	service del web now	"now": expected nothing more
	service show web dns	"dns": expected nothing more
	backend add	service is missing: expected $name
	backend add web	backend is missing: expected ADDR or ADDR:PORT
	backend add web 10.0.0.011	backend "10.0.0.011": $no_zeros
	backend add web ::ffff:10.0.0.11	backend "::ffff:10.0.0.11": $not_mapped
	backend add web fe80::1%eth0	backend "fe80::1%eth0": $no_scope
	backend add web fe80::1%2	backend "fe80::1%2": $no_scope
	backend add web 10.0.0.11:	backend "10.0.0.11:": $port
	backend add web [fd00::11	backend "[fd00::11": $maybe_port
	backend add web [10.0.0.11]	backend "[10.0.0.11]": $maybe_port
	backend add web node1	backend "node1": $maybe_port
	backend add web 10.0.0.11 id	value of id is missing: expected none or 0 to 4294967294
	backend add web 10.0.0.11 id -1	id "-1": expected none or 0 to 4294967294
	backend add web 10.0.0.11 id 4294967295	id "4294967295": expected none or 0 to 4294967294
	backend set web 10.0.0.11 id seven	id "seven": expected none or 0 to 4294967294
	backend add web 10.0.0.11 weight	value of weight is missing: expected 0 to 65535
	backend add web 10.0.0.11 weight -3	weight "-3": expected 0 to 65535
	backend add web 10.0.0.11 weight 65536	weight "65536": expected 0 to 65535
	backend add web 10.0.0.11 weight 4294967297	weight "4294967297": expected 0 to 65535
	backend add web 10.0.0.11 weight 18446744073709551617	weight "18446744073709551617": expected 0 to 65535
	backend add web 10.0.0.11 weight ''	weight "": expected 0 to 65535
	backend add web 10.0.0.11 weight 1.5	weight "1.5": expected 0 to 65535
	backend add web 10.0.0.11 weight '1 '	weight "1 ": expected 0 to 65535
	backend add web 10.0.0.11 wieght 3	"wieght": expected id, weight, state, slow-start or if-generation
	backend add web 10.0.0.11 state dead	state "dead": expected up, drain, down or leave
	backend add web 10.0.0.11 weight 1 state up weight 1	"weight": expected only once
	backend add web 10.0.0.11 slow-start	value of slow-start is missing: expected none or 1 to 86400 seconds
	backend add web 10.0.0.11 slow-start 0	slow-start "0": expected none or 1 to 86400 seconds
	backend set web 10.0.0.11 slow-start 86401	slow-start "86401": expected none or 1 to 86400 seconds
	backend set web 10.0.0.11 slow-start 1s	slow-start "1s": expected none or 1 to 86400 seconds
	backend up web 10.0.0.11 slow-start 9	"slow-start": expected if-generation
	backend set web 10.0.0.11	change is missing: expected id, weight, state or slow-start
	backend drain web	backend is missing: expected ADDR or ADDR:PORT
	backend set web 10.0.0.11 if-generation 2	change is missing: expected id, weight, state or slow-start
	backend drain web 10.0.0.11 now	"now": expected if-generation or wait
	backend drain web 10.0.0.11 wait 0	wait "0": expected 1 to 604800 seconds
	backend down web 10.0.0.11 wait 5	"wait": expected if-generation
	backend del web 10.0.0.11 wait 5	"wait": expected if-generation
	backend del web 10.0.0.11 drain drain	"drain": expected if-generation or wait
	plan web backend del 10.0.0.11 drain wait 5	"wait": expected in a plan no waiting
	backend del web 10.0.0.11 weight 1	"weight": expected if-generation
	backend up web 10.0.0.11 if-generation -1	if-generation "-1": expected 0 to 4294967295
	backend show web 10.0.0.11 all	"all": expected nothing more
	lookup	protocol is missing: expected $protocol
	lookup icmp	protocol "icmp": expected $protocol
	lookup any	protocol "any": expected $protocol
	lookup 0	protocol "0": expected $protocol
	lookup 1	protocol "1": expected $protocol
	lookup 58	protocol "58": expected $protocol
	lookup 256	protocol "256": expected $protocol
	lookup 47	source is missing: expected ADDR
	lookup 47 198.51.100.7:1	source "198.51.100.7:1": $alone
	lookup 47 [2001:db8::7]:1	source "[2001:db8::7]:1": $alone
	lookup 47 198.51.100.7 192.0.2.1:80	destination "192.0.2.1:80": $alone
	lookup 6 198.51.100.7	source "198.51.100.7": $with_port
	lookup tcp	source is missing: expected ADDR:PORT
	lookup tcp 198.51.100.7	source "198.51.100.7": $with_port
	lookup tcp 198.51.100.7:1	destination is missing: expected ADDR:PORT
	lookup tcp 198.51.100.7:1 192.0.2.1:0	destination "192.0.2.1:0": $port
	lookup tcp 198.51.100.7:1 [2001:db8::1]:80	destination "[2001:db8::1]:80": expected an address of the source's family
	lookup tcp 198.51.100.7:1 192.0.2.1:80 why	"why": expected mark or cid
	plan	service is missing: expected $name
	plan web	change is missing: expected backend or service
	plan web 10.0.0.1	"10.0.0.1": expected backend, service, limit or plot
	plan web limit 5%	"limit": expected backend, service, limit or plot
	plan web backend	change is missing: expected add, set or del
	plan web backend up	change of backend "up": expected add, set or del
	plan web service	change is missing: expected set
	plan web service add	change of service "add": expected set
	plan web service set	change is missing: expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain or none
	plan web service set limit 1%	change is missing: expected method, key, cid-config, sid-length, slots, slack, vnodes, seats, map, settle, track, timeout, drain-timeout, last-resort, udp-drain or none
	plan web service set method ring slack 1%	slack is no parameter of method ring
	plan web backend add	backend is missing: expected ADDR or ADDR:PORT
	plan web backend add limit 5%	backend is missing: expected ADDR or ADDR:PORT
	plan web backend add 10.0.0.1 state down	"state": expected id or weight
	plan web backend add 10.0.0.1 weight	value of weight is missing: expected 0 to 65535
	plan web backend add 10.0.0.1 weight limit 5%	value of weight is missing: expected 0 to 65535
	plan web backend add 10.0.0.1 backend add 10.0.0.2 weight -1	weight "-1": expected 0 to 65535
	plan web backend set 10.0.0.1 limit 5%	change is missing: expected id, weight, state or slow-start
	plan web backend set 10.0.0.1 weight 2 if-generation 1	"if-generation": expected id or weight
	plan web backend del 10.0.0.1 weight 2	"weight": expected nothing more
	plan web backend del 10.0.0.1 limit	value of limit is missing: expected 0% to 100%, at most one decimal
	plan web backend del 10.0.0.1 limit 5	limit "5": expected 0% to 100%, at most one decimal
	plan web backend del 10.0.0.1 limit 100.1%	limit "100.1%": expected 0% to 100%, at most one decimal
	plan web backend del 10.0.0.1 limit 5% limit 6%	"limit": expected plot or nothing more
	plan web backend del 10.0.0.1 plot a plot b	"plot": expected limit or nothing more
	plan web backend del 10.0.0.1 plot a limit 5% now	"now": expected nothing more
	plan web backend del 10.0.0.1 plot	value of plot is missing: expected a file to draw into
	plan web backend del 10.0.0.1 plot ''	plot "": expected a file to draw into
	plan from a to b plot c	"plot": expected limit or nothing more
	plan web plot a	"plot": expected backend, service, limit or plot
	plan web backend del 10.0.0.1 limit 5% backend del 10.0.0.2	"backend": expected plot or nothing more
	plan from	file is missing: expected a file of commands
	plan from a	to is missing: expected to FILE
	plan from a b	"b": expected to
	plan from a to	file is missing: expected a file of commands
	plan from a to b now	"now": expected limit or nothing more
	plan from a to b limit x	limit "x": expected 0% to 100%, at most one decimal
	-f a plan from a to b	option "-f": expected lookup, plan, apply, simulate, table, save or show, not plan from
	simulate	service is missing: expected $name
	simulate web now	"now": expected slots, slack, vnodes, seed, pcap, plot or method
	simulate web weight 2	"weight": expected slots, slack, vnodes, seed, pcap, plot or method
	simulate web slots 5000	slots "5000": expected a power of two from 4096 to 1048576
	simulate web slots 4096 slots 4096	"slots": expected only once
	simulate web seed -1	seed "-1": expected 0 to 4294967295
	simulate web seed	value of seed is missing: expected 0 to 4294967295
	simulate backends	backends is missing: expected a number from 1 to 4096
	simulate backends 0	backends "0": expected a number from 1 to 4096
	simulate backends 4097	backends "4097": expected a number from 1 to 4096
	simulate backends few	backends "few": expected a number from 1 to 4096
	simulate backends 4 weight	value of weight is missing: expected $weights
	simulate backends 4 weight 0	weight "0": expected $weights
	simulate backends 4 weight 1,	weight "1,": expected $weights
	simulate backends 4 weight ,1	weight ",1": expected $weights
	simulate backends 4 weight 1,,2	weight "1,,2": expected $weights
	simulate backends 4 weight 65536	weight "65536": expected $weights
	simulate backends 4 weight 1,2x	weight "1,2x": expected $weights
	simulate backends 4 weight $(printf '1,%.0s' {1..64})1	weight "$(printf '1,%.0s' {1..64})1": expected $weights
	simulate backends 4 now	"now": expected weight, slots, slack, vnodes, seed, pcap, plot or method
	simulate web plot	value of plot is missing: expected a file to draw into
	simulate web pcap	value of pcap is missing: expected a file of captured packets
	simulate web pcap ''	pcap "": expected a file of captured packets
	simulate web plot ''	plot "": expected a file to draw into
	simulate web plot a plot a	"plot": expected only once
	simulate web method hrw	method "hrw": expected rendezvous, ring, maglev or seat
	-f a simulate backends 4	option "-f": expected lookup, plan, apply, simulate, table, save or show, not simulate backends
	table show	service is missing: expected $name
	table digest web dns	"dns": expected nothing more
	secret set	secret is missing: expected 32 hex digits, random or -
	secret set 00112233	secret of 8 characters: expected 32 hex digits, random or -
	secret set 0011223344556677889900112233445g	secret of 32 characters: expected 32 hex digits, random or -
	secret set random random	"random": expected force
	dev add	device is missing: expected 1 to 15 characters, without / and :
	dev add a/b	device "a/b": expected 1 to 15 characters, without / and :
	dev add eth0:1	device "eth0:1": expected 1 to 15 characters, without / and :
	dev add ''	device "": expected 1 to 15 characters, without / and :
	dev del 0123456789abcdef	device "0123456789abcdef": expected 1 to 15 characters, without / and :
	dev add eth0 eth1	"eth1": expected nothing more
	dev set eth0	command of dev "set": expected add, del or show
	dev show a b	"b": expected nothing more
	secret show web	"web": expected nothing more
	save all	"all": expected secret or nothing
	save secret now	"now": expected nothing more
	flow export web now	"now": expected buffer
	flow export follow buffer 4095	buffer "4095": expected 4096 to 1073741824 bytes
	flow export 'a b'	service "a b": expected $name
	flow export follow web	"web": expected buffer
	-j flow export	flow export: expected no -j or -p: it prints lines for flow import
	flow import a replace b	"b": expected nothing more
	flow import a b	"b": expected nothing more
	flow import ''	file "": expected a word that is not empty
	-j save	save: expected no -j or -p: it prints commands
	monitor web	"web": expected nothing more
	check web	"web": expected nothing more
	-f a check	option "-f": expected lookup, plan, apply, simulate, table, save or show, not check
	flush all	"all": expected nothing more
	version 2	"2": expected nothing more
	help servce	"servce": expected $objects
	help service backend	"backend": expected nothing more
	END
}

mapfile -t lines < <(cases)
ktap_plan $((${#lines[@]} + 2))

for line in "${lines[@]}"; do
	words=${line%%$'\t'*}
	expected=${line#*$'\t'}
	[[ $words != '#' ]] || words=
	eval "set -- $words"
	out=$("$ringlb" "$@" 2>&1 >/dev/null </dev/null)
	status=$?
	if [[ $status -eq 1 && $out == "ringlb: $expected" ]]; then
		ktap_ok "words: ${words:0:60}"
	else
		ktap_fail "words: ${words:0:60}" "expected: 1 ringlb: $expected" \
			"got:      $status $out"
	fi
done

out=$(for line in "${lines[@]}"; do
	words=${line%%$'\t'*}
	[[ $words != '#' ]] || words=
	eval "set -- $words"
	"$ringlb" "$@" 2>/dev/null </dev/null
done)
ktap_is "words: nothing on stdout when they are wrong" "$out" ""

out=$("$ringlb" secret set 00112233445566778899aabbccddeefff 2>&1)
if [[ $out != *0011223344* ]]; then
	ktap_ok "words: a mistyped secret is not repeated"
else
	ktap_fail "words: a mistyped secret is not repeated" "$out"
fi
