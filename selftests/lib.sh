# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# lib.sh - the bed that traffic tests lie on: namespaces, servers, clients, counters
#
#   . "$(dirname "$0")/../lib.sh"
#   ktap_plan 1
#   bed 4                       # cli -- gw -- be1..be4
#   servers 8080
#   rlb service add web tcp 192.0.2.10:80 method ring
#   rlb backend add web 10.0.2.11:8080
#   flows cli "$tmp/cli" tcp 192.0.2.10 80 --ports 20000-20099
#   ktap_check "all answered" judge answered "$tmp/cli" 100
#
# In:  root in a VM, with the module loaded and `ringlb` in PATH; SCALE divides counts.
# Out: the functions below; ktap.sh's. Whatever is made is taken away when the test ends.
#      $tmp, a directory; $cli, $gw, $be1..: names of the namespaces, random.
#
# Addresses, IPv4 and IPv6:
#   cli  10.0.1.2   fd00:1::2      default route by way of gw
#   gw   10.0.1.1   fd00:1::1      toward cli: device "cli"
#        10.0.2.1   fd00:2::1      toward beN: device "beN"
#   beN  10.0.2.1N  fd00:2::1N     default route by way of gw: device "gw"
# The VIPs are routed to gw by cli's default route; they are no addresses of anyone.

selftests=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=selftests/ktap.sh
. "$selftests/ktap.sh"

# shellcheck disable=SC2034 # for those who source this
{
	vip4=192.0.2.10 vip6=2001:db8::10
	cli4=10.0.1.2 cli6=fd00:1::2
	gw4=10.0.2.1 gw6=fd00:2::1
	cli='' gw='' gw2='' farm='' sw='' be1='' be2='' be3='' be4='' be5=''	# set by ns_add
}

tag=$(od -An -N3 -tx1 /dev/urandom | tr -d ' \n')
tmp=$(mktemp -d)
ktap_defer rm -rf "$tmp"
backends=0		# of the bed
servers_log=$tmp/servers

# --- general ------------------------------------------------------------------

scaled()		# scaled N [LEAST]: N / $SCALE, at least 1, or LEAST
{
	local n=$(($1 / ${SCALE:-1})) least=${2:-1}

	echo $((n < least ? least : n))
}

# The only place that waits for time to pass: it looks again until the condition holds.
wait_for()		# wait_for SECONDS COMMAND...: so many times RINGLB_PATIENCE
{
	local end=$((SECONDS + $1 * ${RINGLB_PATIENCE:-1})) said

	shift
	until said=$("$@" 2>&1); do
		if ((SECONDS > end)); then
			ktap_note "waited in vain for: $*" "$said"
			return 1
		fi
		sleep 0.05
	done
}

must()			# must COMMAND...: set-up without which the rest means nothing
{
	"$@" && return
	ktap_note "set-up failed: $*"
	exit 1
}

# --- namespaces ---------------------------------------------------------------

# With nsenter, not `ip netns exec`: that mounts a /sys each time, which is slow.
in_ns()			# in_ns NETNS COMMAND...
{
	local ns=$1

	shift
	nsenter --net="/run/netns/$ns" "$@"
}

# Without limits on the rate of ICMP errors, without waiting for duplicates of addresses. Ports
# below 61000 are for tests to choose: no socket without a port of its own is in the way.
ns_add()		# ns_add NAME: a namespace NAME-xxxxxx; its name goes to $NAME
{
	printf -v "$1" '%s-%s' "$1" "$tag"
	must ip netns add "${!1}"
	ktap_defer ip netns del "${!1}"
	must in_ns "${!1}" sysctl -qw net.ipv6.conf.all.accept_dad=0 \
		net.ipv6.conf.default.accept_dad=0 net.ipv6.conf.default.accept_ra=0 \
		net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0 \
		net.ipv4.ip_local_port_range="61000 65535"
	must ip -n "${!1}" link set lo up
}

link_add()		# link_add NS1 DEV1 NS2 DEV2: a cable between two namespaces
{
	must ip -n "$1" link add "$2" type veth peer name "$4" netns "$3"
	must ip -n "$1" link set "$2" up
	must ip -n "$3" link set "$4" up
}

forward()		# forward NETNS: let it forward, and refuse what comes the wrong way
{
	must in_ns "$1" sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
		net.ipv4.conf.all.rp_filter=1
}

backend_add_ns()	# backend_add_ns N: namespace beN, behind gw
{
	ns_add "be$1"
	local -n be_ns=be$1
	local ip4=10.0.2.1$1 ip6=fd00:2::1$1

	link_add "$gw" "be$1" "$be_ns" gw
	must ip -n "$gw" -b - <<-END
		addr add 10.0.2.1/32 dev be$1
		route add $ip4/32 dev be$1
		addr add fd00:2::1/128 dev be$1
		route add $ip6/128 dev be$1
	END
	must ip -n "$be_ns" -b - <<-END
		addr add $ip4/32 dev gw
		route add 10.0.2.1/32 dev gw
		route add default via 10.0.2.1
		addr add $ip6/128 dev gw
		route add fd00:2::1/128 dev gw
		route add default via fd00:2::1
	END
}

link_client()		# the link of $cli and $gw, with addresses and routes
{
	link_add "$cli" gw "$gw" cli
	must ip -n "$gw" -b - <<-END
		addr add 10.0.1.1/24 dev cli
		addr add fd00:1::1/64 dev cli
	END
	must ip -n "$cli" -b - <<-END
		addr add $cli4/24 dev gw
		addr add $cli6/64 dev gw
		route add default via 10.0.1.1
		route add default via fd00:1::1
	END
}

need_module()
{
	[[ -d /sys/module/ringlb ]] || ktap_skip_rest "the module, loaded"
}

need_ko()		# the module, and its file, for tests that unload it
{
	need_module
	[[ -n ${RINGLB_KO:-} ]] || ktap_skip_rest "RINGLB_KO, the module's file"
	ktap_defer eval '[[ -d /sys/module/ringlb ]] || load'
}

unloaded()		# unloaded: try it
{
	rmmod ringlb && [[ ! -d /sys/module/ringlb ]]
}

load()
{
	"$selftests/vm/load" "$RINGLB_KO"
}

client_and_gateway()
{
	need_module
	zygote_start
	ns_add cli
	ns_add gw
	forward "$gw"
	link_client
}

bed()			# bed N: cli, gw, be1..beN
{
	local n

	client_and_gateway
	for ((n = 1; n <= $1; n++)); do
		backend_add_ns "$n"
	done
	backends=$1
}

# Many backends at little cost: each is an address of one host, of its own for all others.
farm()			# farm N: cli, gw, and be1..beN, addresses of the namespace $farm
{
	local n

	client_and_gateway
	ns_add farm
	link_add "$gw" farm "$farm" gw
	must ip -n "$gw" addr add 10.0.2.1/24 dev farm
	for ((n = 1; n <= $1; n++)); do
		echo "addr add $(be_at 4 "$n")/24 dev gw"
	done | must ip -n "$farm" -b -
	must ip -n "$farm" route add default via 10.0.2.1
}

# A second gateway, with the addresses of the first, and cables of its own to cli and farm.
gateway2()		# gateway2: namespace $gw2, beside the $gw of a farm
{
	ns_add gw2
	forward "$gw2"
	link_add "$cli" gw2 "$gw2" cli
	link_add "$farm" gw2 "$gw2" farm
	must ip -n "$gw2" addr add 10.0.1.1/24 dev cli
	must ip -n "$gw2" addr add 10.0.2.1/24 dev farm
}

by_way_of()		# by_way_of gw|gw2: the way of all traffic from now on, both directions
{
	must ip -n "$cli" route replace default via 10.0.1.1 dev "$1" onlink
	must ip -n "$farm" route replace default via 10.0.2.1 dev "$1" onlink
	must ip -n "$farm" route replace 10.0.1.0/24 via 10.0.2.1 dev "$1" onlink
}

# veth hands packets over unfinished and merged; without offloads they are as on a wire.
offloads()		# offloads on|off: of all links of the bed
{
	local n ns dev features=(tx rx tso gso gro)

	for ns in "$cli" "$gw" $(for ((n = 1; n <= backends; n++)); do echo "be$n-$tag"; done); do
		for dev in $(ip -n "$ns" -br link | sed -n 's/@.*//p'); do
			# shellcheck disable=SC2046
			must in_ns "$ns" ethtool -K "$dev" \
				$(printf "%s $1 " "${features[@]}") >/dev/null
		done
	done
}

# --- ringlb -------------------------------------------------------------------

rlb()			# rlb WORD...: ringlb in the gateway
{
	ringlb -n "$gw" "$@"
}

rlb2()			# rlb2 WORD...: ringlb in the second gateway
{
	ringlb -n "$gw2" "$@"
}

# What gw remembers of flows, gw2 is told, as long as $exporter and $importer live.
replicate()
{
	must mkfifo "$tmp/replica"
	ringlb -n "$gw2" flow import "$tmp/replica" >"$tmp/imported" 2>&1 </dev/null &
	importer=$!
	ktap_defer end "$importer"
	ringlb -n "$gw" flow export follow >"$tmp/replica" 2>"$tmp/exported" </dev/null &
	exporter=$!
	ktap_defer end "$exporter"
}

rlbj()			# rlbj WORD...: as JSON
{
	ringlb -n "$gw" -j "$@"
}

# A service NAME, backends with their own port (or none, then the VIP's is kept).
service()		# service NAME tcp|udp|sctp 4|6 VIPPORT BACKENDPORT [N [WORD...]]: with be1..beN
{
	local name=$1 proto=$2 family=$3 port=$4 to=${5:+:$5} n

	must rlb service add "$name" "$proto" "$(at "$family" vip "$port")" method ring "${@:7}"
	# All in one change: a service that was empty has no slot in transition after it.
	for ((n = 1; n <= ${6:-$backends}; n++)); do
		echo "backend add $name $(be_at "$family" "$n" "${to#:}")"
	done | must rlb -b /dev/stdin
}

both_services()		# both_services N: web4, web6, dns4 and dns6, with be1..beN
{
	local family

	for family in 4 6; do
		service "web$family" tcp "$family" 80 8080 "$1"
		service "dns$family" udp "$family" 53 5353 "$1"
	done
}

# What each of these services is for, from cli over both families, small and large.
traffic()		# traffic WORDS PORT N: N flows of each kind, from PORT on; 3 claims
{
	local family proto log=$tmp/traffic.$2

	for family in 4 6; do
		local -n vip=vip$family client=cli$family
		for proto in tcp udp; do
			flows cli "$log.$proto" "$proto" "$vip" \
				"$([[ $proto == tcp ]] && echo 80 || echo 53)" \
				--source "$client" --ports "$2-$(($2 + $3 - 1))"
		done
		flows cli "$log.udp" udp "$vip" 53 --source "$client" --size 8000 --reply 8000
		flows cli "$log.big" tcp "$vip" 80 --op "put:$(scaled 4000000)"
		flows cli "$log.big" tcp "$vip" 80 --op "get:$(scaled 4000000)"
	done
	ktap_check "$1: TCP over both families is answered" judge answered "$log.tcp" $((2 * $3))
	ktap_check "$1: UDP, too, with datagrams of several fragments" \
		judge answered "$log.udp" $((2 * $3 + 2))
	ktap_check "$1: large transfers both ways" judge answered "$log.big" 4
}

counted()		# counted SERVICE|SERVICE/BACKEND COUNTER...: what ringlb counted, a line each
{
	local what=(service show "$1")

	[[ $1 != */* ]] || what=(backend show "${1%%/*}" "${1#*/}")
	shift
	ringlb -n "$gw" -j -s "${what[@]}" |
		jq '[.. | objects] as $all | $ARGS.positional[] as $name |
			[$all[] | .[$name]? | numbers] | add // 0' --args "$@"
}

at()			# at 4|6 vip|cli|gw PORT: as ringlb writes it
{
	local -n address=$2$1

	if [[ $1 == 6 ]]; then
		echo "[$address]:$3"
	else
		echo "$address:$3"
	fi
}

be_at()			# be_at 4|6 N [PORT]
{
	if [[ $1 == 6 && -n ${3:-} ]]; then
		echo "[fd00:2::1$2]:$3"
	elif [[ $1 == 6 ]]; then
		echo "fd00:2::1$2"
	else
		echo "10.0.2.1$2${3:+:$3}"
	fi
}

# --- servers, clients, watchers ------------------------------------------------

background()		# background PATTERN COMMAND...: its output has PATTERN before we go on
{
	local pattern=$1 out

	shift
	out=$(mktemp "$tmp/out.XXXXXX")
	"$@" >"$out" 2>"$out.err" </dev/null &
	background_pid=$! background_out=$out
	ktap_defer end "$background_pid"
	wait_for 30 grep -q "$pattern" "$out" && return
	ktap_note "$(cat "$out.err")"
	exit 1
}

end()			# end PID: of ours; politely, and wait until it is gone
{
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	return 0
}

zygote_start()		# see zygote.py; before the first flows, judge or craft
{
	background port "$selftests/net/zygote.py"
	read -r _ zygote_port <"$background_out"
}

zygote()		# zygote NAME WORD...: NAME.py with these words; words without tabs
{
	local IFS=$'\t' fd line status=1

	exec {fd}<>"/dev/tcp/127.0.0.1/$zygote_port" || return
	printf '%s\n' "$*" >&"$fd"
	while IFS= read -r line <&"$fd"; do
		case $line in
		"status "*) status=${line#status } ;;
		*) printf '%s\n' "$line" ;;
		esac
	done
	exec {fd}>&-
	return "$status"
}

servers()		# servers PORT... [--sctp]: `who` on all backends; what they saw: $servers_log
{
	local n word given=()

	for word; do
		[[ $word == --* ]] && given+=("$word") || given+=(--port "$word")
	done
	for ((n = 1; n <= backends; n++)); do
		given+=("be$n=be$n-$tag")
	done
	background ready "$selftests/net/who.py" --log "$servers_log" "${given[@]}"
}

flows()			# flows NS LOG WORD...: flows.py in $NS, results to LOG
{
	local -n flows_ns=$1
	local log=$2

	shift 2
	must zygote flows --netns "$flows_ns" --log "$log" "$@"
}

declare -A talker_fd talker_said

talker()		# talker NAME PROGRAM WORD...: of zygote; does what each line given it says
{
	local IFS=$'\t' name=$1 fd

	shift
	exec {fd}<>"/dev/tcp/127.0.0.1/$zygote_port" || exit 1
	printf '%s\n' "$*" >&"$fd"
	talker_fd[$name]=$fd
}

hush()			# hush NAME: it has nothing more to do
{
	local fd=${talker_fd[$1]}

	exec {fd}>&-
}

heard()			# heard WORDS NAME SECONDS: it has said that; more words: talker_said[NAME]
{
	local line

	while read -r -t "$3" line; do
		[[ "$line " == "$1 "* ]] || continue
		# shellcheck disable=SC2034 # for those who source this
		talker_said[$2]=${line#"$1"}
		return
	done <&"${talker_fd[$2]}"
	return 1
}

rounds()		# rounds NAME NS WORD...: flows that stay open; results to $tmp/NAME
{
	local name=$1
	local -n rounds_ns=$2

	shift 2
	talker "$name" flows --netns "$rounds_ns" --log "$tmp/$name" --rounds "$@"
}

# Five backends, four of them in the services web and dns, and N flows to each: rounds tcp and
# udp, of which the first one, "first", is over.
open_flows()		# open_flows N
{
	bed 5
	servers 5353 8080
	service web tcp 4 80 8080 4
	service dns udp 6 53 5353 4
	rounds tcp cli tcp "$vip4" 80 --source "$cli4" --ports "20000-$((19999 + $1))" --timeout 5
	rounds udp cli udp "$vip6" 53 --source "$cli6" --ports "20000-$((19999 + $1))" --timeout 5
	round first tcp udp
}

live()			# live NAME NS WORD...: flows that live and end; results to $tmp/NAME
{
	local name=$1
	local -n live_ns=$2

	shift 2
	talker "$name" live --netns "$live_ns" --log "$tmp/$name" "$@"
}

round()			# round LABEL NAME...: each of these does so, and has done so when it returns
{
	local label=$1 name

	shift
	for name; do
		echo "$label" >&"${talker_fd[$name]}"
	done
	for name; do
		must heard "done $label" "$name" $((60 * ${RINGLB_PATIENCE:-1}))
	done
}

sniff()			# sniff NS LOG [OPTION]...: sniff.py in $NS; ends with `end $background_pid`
{
	local -n sniff_ns=$1
	local log=$2

	shift 2
	background ready "$selftests/net/sniff.py" --netns "$sniff_ns" --log "$log" "$@"
}

farm_servers()		# farm_servers N LOG PORT...: `who` on be1..beN of a farm
{
	local n log=$2 where=()

	for ((n = 1; n <= $1; n++)); do
		where+=("be$n=$farm@$(be_at 4 "$n")")
	done
	shift 2
	# shellcheck disable=SC2046
	background ready "$selftests/net/who.py" --log "$log" $(printf -- '--port %s ' "$@") \
		"${where[@]}"
}

judge()			# judge CLAIM WORD...: see judge.py
{
	zygote judge "$@"
}

forget()		# forget: what the servers saw so far
{
	: >"$servers_log"
}

# --- counters ------------------------------------------------------------------

nstat_of()		# nstat_of NS COUNTER: its value since the namespace was made
{
	local -n nstat_ns=$1

	in_ns "$nstat_ns" nstat -asz "$2" | awk -v name="$2" '$1 == name { print $2 }'
}

# What receivers there found damaged: wrong checksums and headers, fragments that never met.
wire_errors()		# wire_errors NS...: all in one number
{
	local name

	for name; do
		local -n errors_ns=$name
		in_ns "$errors_ns" nstat -asz
	done | awk '/^(Ip|Ip6)InHdrErrors|^(Tcp|Udp|Udp6|Icmp|Icmp6|IpExt)InCsumErrors|^TcpInErrs/ ||
		/^(Ip|Ip6)ReasmFails/ { sum += $2 } END { print sum + 0 }'
}

redirects()		# redirects NS...: how many they were sent, all in one number
{
	local ns sum=0 name

	for ns; do
		for name in IcmpInRedirects Icmp6InRedirects; do
			sum=$((sum + $(nstat_of "$ns" "$name")))
		done
	done
	echo "$sum"
}

all_bes()		# the variables of all backends, for wire_errors
{
	seq -f 'be%g' "$backends"
}

# Packets that show a backend's address where only the VIP may be seen.
watch_leaks()		# watch_leaks NS
{
	local -n leaks_ns=$1

	must in_ns "$leaks_ns" nft -f - <<-'END'
		table inet leaks {
			counter seen { }
			chain in {
				type filter hook prerouting priority -500;
				ip saddr 10.0.2.11-10.0.2.19 counter name seen
				ip6 saddr fd00:2::11-fd00:2::19 counter name seen
			}
		}
	END
}

leaks()			# leaks NS: how many since
{
	local -n leaks_ns=$1

	in_ns "$leaks_ns" nft -j list counters | jq '[.nftables[].counter.packets // 0] | add'
}
