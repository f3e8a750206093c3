#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dev_life.sh - devices with the fast path: come, refused, shown, saved, gone, under traffic
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 40 10)

counted_of()		# counted_of DEV FILTER: of its counters
{
	rlbj -s dev show "$1" | jq ".[].counters | $2"
}

taken()			# both ways, of all devices
{
	rlbj -s dev show | jq '[.[].counters | .taken_in, .taken_out] | add'
}

all_dev()		# all_dev add|del
{
	local dev

	for dev in cli be1 be2; do
		must rlb dev "$1" "$dev"
	done
}

refused()		# refused CLAIM TEXT WORD...: exit status 2
{
	local claim=$1 text=$2 out status

	shift 2
	out=$(rlb "$@" 2>&1)
	status=$?
	ktap_is "dev: $claim" "$status $out" "2 ringlb: $text"
}

answered()		# answered PORTS COUNT: UDP of both families, that many each
{
	rm -f "$tmp/probe"
	flows cli "$tmp/probe" udp "$vip4" 53 --ports "$1" --timeout 5
	flows cli "$tmp/probe" udp "$vip6" 53 --ports "$1" --timeout 5
	judge answered "$tmp/probe" $((2 * $2))
}

takes_all()		# all but the first ones of each backend, both ways: more than half
{
	local before

	before=$(taken)
	answered "$1" "$n" || return
	(($(taken) - before >= 2 * n))
}

transfer()		# transfer 4|6: 10 MB each way, by segments that are merged
{
	local -n vip=vip$1
	local size before op

	size=$(scaled 10000000)
	before=$(taken)
	rm -f "$tmp/transfer"
	for op in put get; do
		flows cli "$tmp/transfer" tcp "$vip" 80 --op "$op:$size" --timeout 20
	done
	judge answered "$tmp/transfer" 2 && (($(taken) > before + 20))
}

gone_in_time()		# gone_in_time DEV: a reference that somebody keeps would hold it up for ever
{
	timeout 60 ip -n "$gw" link del "$1"
}

untracked()		# what conntrack has seen of the services' packets
{
	in_ns "$gw" nft -j list counters |
		jq -c '[.nftables[].counter | values | select(.name | startswith("seen")).packets]'
}

ktap_plan 26
bed 2
servers 8080 5353
service dns4 udp 4 53 5353
service dns6 udp 6 53 5353
service web4 tcp 4 80 8080
service web6 tcp 6 80 8080

ktap_is "dev: none at first" "$(rlbj dev show)" "[]"
all_dev add
ktap_is "dev: those that were added are shown" \
	"$(rlbj dev show | jq -c '[.[].device]')" '["cli","be1","be2"]'
refused "twice" "dev add: device has the fast path already" dev add cli
refused "no such device" "dev add: no such device" dev add nix
refused "the loopback" "dev add: the loopback device has no fast path" dev add lo
refused "one without it" "dev del: device has no fast path" dev del lo
refused "shown without it" "dev show lo: device has no fast path" dev show lo
must ip -n "$gw" link add bridge0 type bridge
must ip -n "$gw" link add port type dummy
must ip -n "$gw" link set port master bridge0
refused "the port of a bridge" "dev add: device is a port of a bridge, a bond or the like" \
	dev add port
must rlb save >"$tmp/saved"
must rlb flush
ktap_is "dev: flush takes it from all devices" "$(rlbj dev show)" "[]"
must rlb -b "$tmp/saved"
ktap_is "dev: what was saved is read back and saved as the same bytes" \
	"$(rlb save)" "$(<"$tmp/saved")"

# The first packets make routes and neighbours.
answered 20000-20009 10 >"$tmp/first"
ktap_check "dev: packets take it both ways" takes_all "20100-$((20099 + n))"
for family in 4 6; do
	ktap_check "dev: merged segments go through whole, IPv$family" transfer $family
done

must in_ns "$gw" nft -f - <<-END
	table inet t {
		counter seen_tracked { }
		counter seen_untracked { }
		chain pre {
			type filter hook prerouting priority 0
			meta l4proto { tcp, udp } ct state != untracked counter name seen_tracked
			meta l4proto { tcp, udp } ct state untracked counter name seen_untracked
		}
	}
END
must ip -n "$gw" route flush cache
must rlb backend set dns4 10.0.2.11:5353 weight 2	# flows of slots that move are remembered
answered "21000-$((20999 + n))" "$n" >"$tmp/tracked"
ktap_check "dev: flows go on beside conntrack" grep -q . <<<"$(untracked)"
ktap_is "dev: conntrack sees none of the services' packets" "$(untracked | jq '.[0]')" 0
must in_ns "$gw" nft delete table inet t

# Changes of the way take effect at once: what is sent next does not arrive, or does.
must ip -n "$gw" route replace blackhole 10.0.2.11/32
must ip -n "$gw" route replace blackhole 10.0.2.12/32
forget
flows cli "$tmp/none" udp "$vip4" 53 --ports 22000-22009 --timeout 0.3
ktap_is "dev: a route that is gone is not used" "$(wc -l <"$servers_log")" 0
must ip -n "$gw" route replace 10.0.2.11/32 dev be1
must ip -n "$gw" route replace 10.0.2.12/32 dev be2
answered 22100-22109 10 >"$tmp/back"
ktap_check "dev: routes that are back are used" takes_all "22200-$((22199 + n))"

must ip -n "$gw" addr add 10.0.1.2/32 dev lo	# the client's own address
forget
flows cli "$tmp/none" udp "$vip4" 53 --ports 23000-23009 --timeout 0.3
ktap_is "dev: an address that has become the gateway's is no client's" \
	"$(wc -l <"$servers_log")" 0
must ip -n "$gw" addr del 10.0.1.2/32 dev lo

must ip -n "$gw" link set be1 down
must ip -n "$gw" link set be2 down
forget
flows cli "$tmp/none" udp "$vip4" 53 --ports 24000-24009 --timeout 0.3
ktap_is "dev: a device that is down sends nothing" "$(wc -l <"$servers_log")" 0
for dev in be1 be2; do
	must ip -n "$gw" link set $dev up
	must ip -n "$gw" addr replace fd00:2::1/128 dev $dev
	must ip -n "$gw" route replace "10.0.2.1${dev#be}/32" dev $dev
	must ip -n "$gw" route replace "fd00:2::1${dev#be}/128" dev $dev
done
answered 24100-24109 10 >"$tmp/up"
ktap_check "dev: up again it does" takes_all "24200-$((24199 + n))"

background ready "$selftests/net/flood.py" --netns "$cli" "$vip4:53" "[$vip6]:53" "$vip4:80" \
	"[$vip6]:80"
must rlb dev del be1
must rlb dev add be1
ktap_is "dev: taken and given under traffic" "$(rlbj dev show be1 | jq -r '.[].device')" be1
ktap_check "dev: a device is removed under traffic" gone_in_time be2
ktap_is "dev: which has lost the fast path, then" "$(rlbj dev show | jq -c '[.[].device]')" \
	'["cli","be1"]'
ktap_check "dev: and the one by which replies went" gone_in_time cli
must ip -n "$gw" link set be1 netns "$cli" name elsewhere
ktap_is "dev: one that moves to another namespace has lost it, too" \
	"$(rlbj dev show)" "[]"
ktap_is "dev: and has none there" "$(ringlb -n "$cli" -j dev show)" "[]"
