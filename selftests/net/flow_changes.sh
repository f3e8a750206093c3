#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# flow_changes.sh - no established flow breaks when backends change; IPVS beside it
#
# Connections and UDP senders live through a script of changes, each made to ringlb and to IPVS
# (mh, tuned), which have the same clients. What broke for them is told by broken.py. A third,
# small service forgets all flows (track none): flows of it break, so what broke is seen.
# A kernel without IPVS has ringlb alone. SCALE makes tables smaller, too, lives shorter, and
# leaves fewer flows to IPVS.
# timeout: 1200
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

systems=(ringlb bare)
declare -A vip=([ringlb]=192.0.2.10 [bare]=192.0.2.20 [ipvs]=192.0.2.30)
declare -A port=([ringlb]=8080 [bare]=8081 [ipvs]=8082)		# of their backends
declare -A source=([ringlb]=10.0.1.2 [bare]=10.0.1.3 [ipvs]=10.0.1.4)
first=16 all=24					# backends at the beginning, and ever
declare -A tcp=([ringlb]=$(scaled 2000 40) [bare]=$(scaled 200 40) [ipvs]=$(scaled 2000 40))
udp=$(scaled 200 20)
slots=65536 every=1 life=5-120 rounds=2		# rounds: messages between two changes, at least
if ((${SCALE:-1} > 1)); then
	slots=4096 every=3 life=2-60 rounds=1 udp=$(scaled 100 20)
	tcp=([ringlb]=$(scaled 1000 40) [bare]=$(scaled 200 40) [ipvs]=$(scaled 330 14))
fi
late=$((5 * ${RINGLB_PATIENCE:-1}))
declare -A weight=() gone=()
steps=0 line=''
talkers=(ringlb.tcp ringlb.udp bare.tcp)

# --- both systems ---------------------------------------------------------------

ringlb_lines()		# ringlb_lines VERB N [VALUE]: what to tell ringlb, for all its services
{
	local verb=$1 service to more=''

	case $verb in
	weight) verb=set more="weight $3" ;;
	leave) verb=del more=drain ;;
	esac
	to=$(be_at 4 "$2")
	for service in web:8080 dns:8080 bare:8081; do
		echo "backend $verb ${service%:*} $to:${service#*:} $more"
	done
}

ipvs_lines()		# ipvs_lines VERB N: and IPVS, which has weights alone
{
	local word=-e w=${weight[$2]:-1} service to

	case $1 in
	add) word=-a ;;
	up) [[ ${gone[$2]:-} ]] && word=-a ;;
	drain | leave) w=0 ;;
	down | del) word=-d ;;
	esac
	to=$(be_at 4 "$2" "${port[ipvs]}")
	for service in "-t ${vip[ipvs]}:80" "-u ${vip[ipvs]}:53"; do
		if [[ $word == -d ]]; then
			echo "-d $service -r $to"
		else
			echo "$word $service -r $to -m -w $w"
		fi
	done
}

now()			# now: seconds, as CLOCK_MONOTONIC has them
{
	local up

	read -r up _ </proc/uptime
	echo "$up"
}

apply()			# apply SYSTEM NAMES COMMAND...: one change, and when it was made
{
	local at name=$1 names=$2

	shift 2
	at=$(now)
	must "$@"
	# /proc/uptime is cut off after the hundredth
	echo "{\"at\":$at,\"done\":$(now)9,\"gone\":[${names%,}]}" >>"$tmp/$name.changes"
}

change()		# change VERB N [VALUE] [, VERB N [VALUE]]...: as one, in both systems
{
	local names='' words=()

	: >"$tmp/ringlb.in"
	: >"$tmp/ipvs.in"
	while (($#)); do
		words=()
		while (($#)) && [[ $1 != , ]]; do
			words+=("$1")
			shift
		done
		(($# == 0)) || shift
		[[ ${words[0]} != weight ]] || weight[${words[1]}]=${words[2]}
		ringlb_lines "${words[@]}" >>"$tmp/ringlb.in"
		ipvs_lines "${words[@]}" >>"$tmp/ipvs.in"
		case ${words[0]} in
		down | del)
			names+="\"be${words[1]}\","
			gone[${words[1]}]=1
			;;
		up | add) unset "gone[${words[1]}]" ;;
		esac
	done
	sort -s -t ' ' -k 3,3 -o "$tmp/ringlb.in" "$tmp/ringlb.in"	# a service's lines together
	apply ringlb "$names" rlb -b "$tmp/ringlb.in"
	! has_ipvs || apply ipvs "$names" in_ns "$gw" ipvsadm -R <"$tmp/ipvs.in"
}

# --- what is seen ------------------------------------------------------------------

pins()			# pins: flows that ringlb remembers
{
	rlbj flow stats | jq .flows
}

look()			# look WORDS: all flows talk; a line of the table
{
	local n live broken other other_broken=-

	for ((n = 0; n < rounds; n++)); do
		round "$steps.$n" "${talkers[@]}"
	done
	read -r live broken <<<"${talker_said[ringlb.tcp]}"
	read -r other _ <<<"${talker_said[ringlb.udp]}"
	! has_ipvs || read -r _ other_broken <<<"${talker_said[ipvs.tcp]}"
	live=$((live + other))
	pinned=$(pins)
	share=$((live ? pinned * 1000 / live : 0))
	ktap_note "$(printf '%2d  %5d  %5d %3d.%d %%  %5d  %5d  %s' "$steps" "$live" "$pinned" \
		$((share / 10)) $((share % 10)) "$broken" "$other_broken" "$1")"
}

step()			# step WORDS CHANGE...
{
	steps=$((steps + 1))
	change "${@:2}"
	look "$1"
}

# --- set-up -------------------------------------------------------------------------

has_ipvs()
{
	[[ " ${systems[*]} " == *" ipvs "* ]]
}

ipvs_up()
{
	modprobe -n ip_vs_mh 2>/dev/null || return
	must modprobe ip_vs conn_tab_bits=16
	must modprobe ip_vs_mh
	ktap_defer modprobe -r ip_vs_mh
	systems+=(ipvs)
	talkers+=(ipvs.tcp ipvs.udp)
	must ip -n "$gw" addr add "${vip[ipvs]}/32" dev lo
	must in_ns "$gw" sysctl -qw net.ipv4.vs.sloppy_tcp=0 net.ipv4.vs.expire_nodest_conn=1
	must in_ns "$gw" ipvsadm -R <<-END
		-A -t ${vip[ipvs]}:80 -s mh -b mh-port,mh-fallback
		-A -u ${vip[ipvs]}:53 -s mh -b mh-port,mh-fallback
	END
	must in_ns "$gw" ipvsadm --set 30 10 10
	ktap_defer in_ns "$gw" ipvsadm -C
}

ringlb_up()
{
	local words=(drain-timeout 180 slots "$slots")

	must rlb service add web tcp "${vip[ringlb]}:80" timeout 30 "${words[@]}"
	must rlb service add dns udp "${vip[ringlb]}:53" timeout 10 "${words[@]}"
	must rlb service add bare tcp "${vip[bare]}:80" timeout 30 "${words[@]}" track none
}

clients_up()		# each system's have an address of their own
{
	local s words

	for s in "${systems[@]}"; do
		words=(--source "${source[$s]}" --every "$every" --life "$life" --late "$late")
		[[ $s == ringlb ]] || must ip -n "$cli" addr add "${source[$s]}/24" dev gw
		live "$s.tcp" cli "${words[@]}" --lanes "${tcp[$s]}" "${vip[$s]}" 80
		[[ $s == bare ]] ||
			live "$s.udp" cli "${words[@]}" --lanes "$udp" --udp "${vip[$s]}" 53
	done
}

# --- verdicts -----------------------------------------------------------------------

verdict()		# verdict TALKER SILENCE: what broken.py says, to $tmp/TALKER.verdict
{
	must zygote broken "$tmp/$1" "$tmp/${1%.*}.changes" "$servers_log" "$2" >"$tmp/$1.verdict"
	ktap_note "$1: $(jq -c 'del(.some)' "$tmp/$1.verdict")"
}

total()			# total SYSTEM KEY: of its verdicts
{
	cat "$tmp/$1".*.verdict | jq -s "map(.$2) | add"
}

unbroken()		# unbroken PROTO: 1 claim
{
	local v=$tmp/ringlb.$1.verdict

	ktap_is "flows: $1: none breaks through all changes" \
		"$(jq -c '[.flows > 0, .broken, .some]' "$v")" "[true,0,[]]"
}

no_pins()
{
	[[ $(pins) == 0 ]]
}

ktap_plan 6
farm $all
ringlb_up
ipvs_up
farm_servers $all "$servers_log" "${port[@]}"
read -ra words < <(printf ', add %d ' $(seq 2 $first))
change add 1 "${words[@]}"
rm -f "$tmp"/*.changes
ln -s ringlb.changes "$tmp/bare.changes"
clients_up

ktap_note "${tcp[ringlb]} connections and $udp UDP senders at a time" \
	" #   flows   pins  share  broken  ipvs  change"
look "none"
ktap_is "flows: before the first change none is remembered" "$pinned" 0

step "be17 to be20 added at once" add 17 , add 18 , add 19 , add 20
at_most=$share
step "be1 drains" drain 1
step "be2 weighs 2" weight 2 2
step "be1 up" up 1
step "be3 down" down 3
step "be2 weighs 1 again" weight 2 1
step "be3 up" up 3
step "be4 leaves" leave 4
step "be21 added" add 21
step "be5 down, be6 drains" down 5 , drain 6
step "be7 weighs 0" weight 7 0
step "be5 up" up 5
step "be6 up" up 6
step "be7 weighs 3" weight 7 3
step "be8 removed" del 8
step "be8 added again" add 8
must rlb service set web settle 100%
must rlb service set dns settle 100%
step "all settles; be9 weighs 2" weight 9 2
step "be22, be23 added, be10 drains" add 22 , add 23 , drain 10
change down 11
step "be11 down and up at once" up 11
step "be12 leaves" leave 12
step "be9, be7 weigh 1" weight 9 1 , weight 7 1
step "be17 leaves, be24 comes" leave 17 , add 24
step "be10 up" up 10

round stop "${talkers[@]}"
for talker in "${talkers[@]}"; do
	[[ $talker == *.udp ]] && silence=10 || silence=30
	verdict "$talker" "$silence"
done
unbroken tcp
unbroken udp
ktap_check "flows: one in five backends added: at most 40 % of the flows are remembered" \
	test "$at_most" -le 400
ktap_check "flows: an idle timeout after the last has closed none is remembered" \
	wait_for 30 no_pins
ktap_check "flows: without memory (track none) some break, so the judge sees it" \
	test "$(total bare broken)" -gt 0
for system in ringlb ipvs; do
	if [[ " ${systems[*]} " != *" $system "* ]]; then
		line+="; $system: not there"
		continue
	fi
	ktap_note "$system: $(total $system apart) apart: their backend was taken down or removed"
	line+="; $system: broken $(total $system broken) of $(total $system flows)"
done
echo "${line#; }"
