#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_direct.sh - who goes straight to a backend, through the gateway or from it, is answered
# by the backend, whatever goes to the VIP from the same ports
#
# A third of all such answers would pass for the service's: what is told apart, and what is
# remembered for it, is held against `ringlb lookup`.
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

n=$(scaled 64 16)

direct()		# direct NS PROTO FAMILY FROM [WORD...]: N flows to be1; results to $tmp/last
{
	local port=8080

	[[ $2 == tcp ]] || port=5353
	rm -f "$tmp/last"
	flows "$1" "$tmp/last" "$2" "$(be_at "$3" 1)" "$port" --ports "$4-$(($4 + n - 1))" "${@:5}"
}

by_vip()		# by_vip PROTO FAMILY FROM: N flows; results to $tmp/last
{
	local -n vip=vip$2
	local port=80

	[[ $1 == tcp ]] || port=53
	rm -f "$tmp/last"
	flows cli "$tmp/last" "$1" "$vip" "$port" --ports "$3-$(($3 + n - 1))"
}

answered()		# answered CLAIM COMMAND...: each of its flows, by whom it asked
{
	local claim=$1

	shift
	"$@"
	ktap_check "$claim" judge answered "$tmp/last" "$n"
}

# Of the clients 10.0.1.2:FROM and on, those whose answers by be1 would be the service's
mistaken()		# mistaken PROTO VIP:PORT FROM
{
	local port

	for ((port = $3; port < $3 + n; port++)); do
		[[ $(rlbj lookup "$1" "$cli4:$port" "$2") != *'"backend":"10.0.2.11:'* ]] ||
			echo "$cli4:$port"
	done
}

shown()			# shown SERVICE STATE: clients of direct flows
{
	rlbj flow show "$1" | jq -r ".[] | select(.direct and .state == \"$2\") | .client" | sort
}

no_direct()		# no_direct SERVICE
{
	rlbj flow show "$1" | jq -e 'all(.[]; .direct | not)'
}

all_closed()		# all_closed SERVICE: its direct flows, and will soon be forgotten
{
	rlbj flow show "$1" | jq -e 'all(.[]; .direct and .state == "closed" and .left <= 10)'
}

stat()			# stat KEY
{
	rlbj flow stats | jq ".$1"
}

ktap_plan 33
bed 3
servers 5353 8080
for name in be1 be2 be3; do		# an old connection's port is free for the next one
	must in_ns "${!name}" sysctl -qw net.ipv4.tcp_max_tw_buckets=0
done
must rlb secret set 000102030405060708090a0b0c0d0e0f	# with it each part below has some of all
service web tcp 4 80 8080
service dns udp 4 53 5353
service web6 tcp 6 80 8080
service dns6 udp 6 53 5353
for name in dns dns6; do		# none ends while we look
	must rlb service set $name timeout 3600
done

# --- none but these -----------------------------------------------------------

for family in 4 6; do
	for proto in tcp udp; do
		answered "direct: $proto, IPv$family: answered by the backend" \
			direct cli $proto $family 20000
		answered "direct: $proto, IPv$family, from the gateway: answered by the backend" \
			direct gw $proto $family 20000
	done
done
mistaken udp "$vip4:53" 20000 >"$tmp/mistaken"
ktap_check "direct: some answers would have passed for the service's" test -s "$tmp/mistaken"
ktap_is "direct: just these flows are remembered" \
	"$(shown dns datagrams | grep "^$cli4:")" "$(<"$tmp/mistaken")"
ktap_is "direct: they are the backend's, but do not count as its share" \
	"$(rlbj flow show dns "$(be_at 4 1 5353)" | jq 'length > 0') $(rlbj backend show dns |
		jq -c '[.[].flows]')" "true [0,0,0]"
ktap_is "direct: a line each as text" "$(rlb flow show dns | grep -c ' direct')" \
	"$(rlbj flow show dns | jq length)"

# --- the life of one ------------------------------------------------------------

must rlb flow flush
rounds long cli tcp "$(be_at 4 1)" 8080 --source "$cli4" --ports "21000-$((20999 + n))"
round one long
ktap_is "life: established" "$(shown web established)" "$(mistaken tcp "$vip4:80" 21000)"
must rlb backend set web "$(be_at 4 2 8080)" weight 3
must rlb backend drain web "$(be_at 4 3 8080)"
round two long
must rlb backend set web "$(be_at 4 2 8080)" weight 1
must rlb backend up web "$(be_at 4 3 8080)"
round three long
ktap_check "life: when backends change, it stays what it is" \
	judge answered "$tmp/long" $((3 * n))
hush long
ktap_check "life: ended by FINs, it is forgotten soon" wait_for 60 all_closed web
must rlb service add deaf tcp "$vip4:81"
must rlb backend add deaf "$(be_at 4 1 8081)"
added=$(stat added)
rm -f "$tmp/last"
flows cli "$tmp/last" tcp "$(be_at 4 1)" 8081 --ports "21000-$((20999 + n))"
ktap_check "life: a refusal is the backend's" judge failed "$tmp/last" "$n" ECONNREFUSED
ktap_is "life: by a reset, it is forgotten soon" \
	"$(($(stat added) - added)) $(all_closed deaf)" "$n true"
must rlb service add mute udp "$vip4:54"
must rlb backend add mute "$(be_at 4 1 5354)"
rm -f "$tmp/last"
flows cli "$tmp/last" udp "$(be_at 4 1)" 5354 --connected --ports "21000-$((20999 + n))"
ktap_check "life: an ICMP error is about what was sent" judge failed "$tmp/last" "$n" ECONNREFUSED
must rlb service set dns timeout 1
direct cli udp 4 21000
ktap_check "life: silent for the service's timeout, it is forgotten" wait_for 60 no_direct dns
must rlb service set dns timeout 3600

# --- beside the service, at the same ports ------------------------------------------

must rlb flow flush
answered "same ports: straight" direct cli tcp 4 22000
answered "same ports: by the VIP, just after" by_vip tcp 4 22000
answered "same ports: by the VIP, over UDP" by_vip udp 4 22000
answered "same ports: straight, over UDP" direct cli udp 4 22000
answered "same ports: by the VIP again, over UDP" by_vip udp 4 22000
answered "same ports: straight again, over UDP" direct cli udp 4 22000

rounds vip cli tcp "$vip4" 80 --source "$cli4" --ports "23000-$((22999 + n))"
round one vip
for kind in other same; do
	jq -r "select((.name == \"be1\") == (\"$kind\" == \"same\")) | .src" "$tmp/vip" |
		sed -E 's/.*:(.*)/\1-\1/' >"$tmp/$kind"
	flows cli "$tmp/$kind.flows" tcp "$(be_at 4 1)" 8080 --timeout 2 \
		--ports "$(paste -sd, "$tmp/$kind")"
done
ktap_check "at once: with the service's at another backend: answered" \
	judge answered "$tmp/other.flows" "$(wc -l <"$tmp/other")"
ktap_check "at once: at the same one its own connection comes first" \
	judge failed "$tmp/same.flows" "$(wc -l <"$tmp/same")" timeout
round two vip
ktap_check "at once: that goes on" judge back "$tmp/vip:one" "$tmp/vip:two"

# What is remembered of the service's connections ends with them.
must rlb backend set web "$(be_at 4 2 8080)" weight 3
round three vip
hush vip
must wait_for 30 eval '! rlb flow show web | grep -q established'
answered "same ports: straight, after connections that were remembered" direct cli tcp 4 23000

# --- the table full -------------------------------------------------------------------

must rlb flow flush
must rlb flow set limit 1024
must rlb service set dns6 track all
flows cli "$tmp/many" udp "$vip6" 53 --ports 24000-25100 --window 64
ktap_is "full: of other flows" "$(stat flows)" 1024
unpinned=$(stat unpinned)
direct cli udp 4 20000
ktap_is "full: those that would be mistaken are counted" $(($(stat unpinned) - unpinned)) \
	"$(wc -l <"$tmp/mistaken")"
ktap_is "full: and mistaken, the others not" \
	"$(jq -r 'select(.from != .dst) | .src' "$tmp/last" | sed 's/.*://' | sort)" \
	"$(sed 's/.*://' "$tmp/mistaken")"
must rlb flow set limit 65536
answered "full: with room again, all are answered" direct cli udp 4 20000
