#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check_host.sh - ringlb check: each kind of finding is provoked, told, mended by its own cure
#
# timeout: 240
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

found()			# the kinds of findings, a word each; what else of them: $tmp/found
{
	rlbj check >"$tmp/found"
	jq -r '[.[].finding] | join(" ")' "$tmp/found"
}

cure()			# cure [NS|host]: run the cures of what was found there
{
	jq -r '.[].cure' "$tmp/found" >"$tmp/cures"
	if [[ ${1:-} == host ]]; then
		bash -e "$tmp/cures" >/dev/null
	else
		in_ns "${1:-$gw}" bash -e "$tmp/cures" >/dev/null
	fi
}

mended()		# mended KIND WORDS [NS]: it is found, its cure runs, it is gone; 2 claims
{
	ktap_is "check: $2: found" "$(found)" "$1"
	ktap_check "check: $2: the cure runs" cure "${3:-$gw}"
	ktap_is "check: $2: and mends it" "$(found)" ""
}

rules()			# rules TABLE: into the gateway, from standard input
{
	must in_ns "$gw" nft -f -
}

flush_rules()
{
	must in_ns "$gw" nft flush ruleset
}

answered()		# answered [PORT]: a client's flow over IPv4 gets its answer
{
	flows cli "$tmp/answered" tcp "$vip4" "${1:-80}" --timeout 5
	judge answered "$tmp/answered" 1
	local status=$?

	rm -f "$tmp/answered"
	return $status
}

ktap_plan 76
bed 2
servers 8080
ktap_is "check: without services nothing is found" "$(rlb check)" "nothing found"
service web4 tcp 4 80 8080
service web6 tcp 6 80 8080
ktap_is "check: a bed that works: nothing is found, status 0" "$(rlb check) $?" "nothing found 0"
ktap_is "check: as JSON, an empty array" "$(rlbj check)" "[]"

must in_ns "$gw" sysctl -qw net.ipv4.ip_forward=0
mended forwarding "IPv4 not forwarded"
must in_ns "$gw" sysctl -qw net.ipv6.conf.all.forwarding=0
mended forwarding "IPv6 not forwarded"
must in_ns "$gw" sysctl -qw net.ipv4.conf.be1.forwarding=0
mended forwarding "not forwarded from one device"

must ip -n "$gw" link add up1 type dummy
must ip -n "$gw" link add up2 type dummy
must ip -n "$gw" link set up1 up
must ip -n "$gw" link set up2 up
must ip -n "$gw" route add default dev up1 metric 10
must ip -n "$gw" route add default dev up2 metric 20
must in_ns "$gw" sysctl -qw net.ipv4.conf.up2.rp_filter=1
must ip -n "$gw" route add blackhole "$vip4/32"
mended rp_filter "a second default route and a strict filter"
must ip -n "$gw" route del blackhole "$vip4/32"
must ip -n "$gw" link del up1
must ip -n "$gw" link del up2

must ip -n "$gw" route add default via "$cli4"
must ip -n "$gw" route add default via "$cli6"
mended "vip_route vip_route" "VIPs that bounce"
ktap_check "check: a VIP that is a blackhole still answers clients" answered
must ip -n "$gw" link set cli mtu 1480
must rlb service add tun tcp "$vip4:81" tunnel ipip
must rlb backend add tun 10.0.2.11
ktap_is "check: a tunnel that takes all that comes by the default route: nothing is found" \
	"$(found)" ""
must rlb service del tun
must ip -n "$gw" link set cli mtu 1500
must ip -n "$gw" route del default
must ip -n "$gw" -6 route del default
must ip -n "$gw" route del "$vip4/32"
must ip -n "$gw" route del "$vip6/128"

must rlb service add near tcp 10.0.1.77:80
mended vip_unanswered "a VIP in the clients' network"
must rlb service del near

# The client's own address: what the cure above would do for it must not be said.
must rlb service add taken tcp "$cli4:80"
must in_ns "$gw" busybox ping -c 1 -W 5 "$cli4" >/dev/null
mended vip_taken "a VIP that is another host's"

must rlb backend add web4 198.51.100.9:80
mended backend_route "a backend without a route"
must rlb backend del web4 198.51.100.9:80

must rlb service add gates tcp "$vip4:82" snat on snat-ports 62000-62999 force on
mended snat_ports "ports that are not snat's alone"
must rlb service del gates
must in_ns "$gw" sysctl -qw net.ipv4.ip_local_port_range="61000 65535"

# A backend that answers by another way
must ip -n "$be1" link add away type dummy
must ip -n "$be1" link set away up
must ip -n "$be1" route replace default dev away
must rlb service add fresh tcp "$vip4:81"
must rlb backend del web4 10.0.2.11:8080
must rlb backend add fresh 10.0.2.11:8080
flows cli "$tmp/away" tcp "$vip4" 81 --ports 20000-20019 --timeout 0.5
ktap_is "check: answers that take another way: found" "$(found)" "no_answers"
ktap_check "check: answers that take another way: the cure runs" cure "$be1"
ktap_check "check: answers that take another way: clients are answered" answered 81
ktap_is "check: answers that take another way: mended" "$(found)" ""
must rlb service del fresh
must rlb backend add web4 10.0.2.11:8080

# A tunnel to a backend whose answers pass the gateway as those of any host, and a deaf client
vip=192.0.2.30
must modprobe ipip
must in_ns "$be1" sysctl -qw net.ipv4.conf.all.arp_announce=2
must ip -n "$be1" -b - <<-END
	link add tun type ipip local 10.0.2.11
	link set tun up
	addr add $vip/32 dev lo
END
must ip -n "$gw" route add "$vip/32" dev be1
must rlb service add tun tcp "$vip:8080" tunnel ipip
must rlb backend add tun 10.0.2.11
must in_ns "$cli" nft -f - <<'END'
	table ip deaf {
		chain input {
			type filter hook input priority filter;
			icmp type destination-unreachable drop
		}
	}
END
must ip -n "$gw" link set be1 mtu 1520
ktap_is "check: a link with room for a tunnel: nothing is found" "$(found)" ""
must ip -n "$gw" link set be1 mtu 1500
must ip -n "$gw" route change 10.0.2.11/32 dev be1 mtu 1400
ktap_is "check: a route that takes less: backends are to announce that" \
	"$(rlbj check | jq -r '.[].cure' | grep -o 'size set.*')" "size set 1340'"
must ip -n "$gw" route change 10.0.2.11/32 dev be1
ktap_is "check: a tunnel that clients' packets do not fit into: found" "$(found)" tunnel_mtu
ktap_check "check: a tunnel that clients' packets do not fit into: the cure runs" cure "$be1"
flows cli "$tmp/put" tcp "$vip" 8080 --op put:2000000 --timeout 20
ktap_check "check: a client that hears no ICMP sends 2000000 bytes then" \
	judge answered "$tmp/put" 1
ktap_is "check: no packet of it was too large" "$(counted tun drop_too_big)" 0
ktap_is "check: a tunnel that 1000 packets have fitted into: nothing is found" "$(found)" ""
must rlb service del tun
must in_ns "$cli" nft delete table ip deaf
must ip -n "$gw" route del "$vip/32"
must rlb service add all any 198.18.0.0/24 tunnel gre
must rlb backend add all fd00:2::12
ktap_is "check: a tunnel for every protocol: found, as TCP may come" "$(found)" tunnel_mtu
must in_ns "$cli" bash -c 'for ((i = 0; i < 1000; i++)); do echo >/dev/udp/198.18.0.1/9; done'
ktap_is "check: and not, after 1000 packets that fitted" "$(found)" ""
flows cli "$tmp/large" udp 198.18.0.1 9 --size 1472 --timeout 0.1
flows cli "$tmp/large" udp 198.18.0.2 9 --size 1472 --timeout 0.1
ktap_is "check: but if two of them did not" "$(counted all drop_too_big) $(found)" "2 tunnel_mtu"
must rlb service del all
must ip -n "$gw" link set be1 mtu 1300
must rlb service add six udp "$(at 6 vip 53)" tunnel gue
must rlb backend add six 10.0.2.11
mended tunnel_fragments "a tunnel with less room than IPv6 needs"
must rlb service del six
must ip -n "$gw" link set be1 mtu 1500

rules <<'END'
	table inet filter {
		chain forward {
			type filter hook forward priority filter; policy drop;
			ct state established,related accept
			ip daddr 192.0.2.10 tcp dport 80 accept
			ip6 saddr fd00:1::/64 ip6 daddr fd00:2::/64 accept
		}
	}
END
mended firewall_drops "a filter that names the VIP"
ktap_check "check: a filter that names the VIP: clients are answered" answered
flush_rules
rules <<'END'
	table inet filter {
		set clients {
			type ipv4_addr
			flags interval
			elements = { 10.0.1.0/24 }
		}
		chain tcp_ports {
			tcp dport vmap { 22 : drop, 8080 : accept }
		}
		chain forward {
			type filter hook forward priority filter; policy drop;
			ct state vmap { established : accept, related : accept, invalid : drop }
			iifname "cli" ip saddr @clients ip daddr { 10.0.2.11-10.0.2.12 } tcp dport 8080 accept
			ip6 daddr fd00:2::/64 oifname "be*" jump tcp_ports
		}
	}
END
ktap_is "check: a filter that lets flows through is none of the findings" "$(found)" ""
flush_rules
rules <<'END'
	table ip filter {
		chain forward {
			type filter hook forward priority filter; policy accept;
			iifname "be1" tcp sport 1-9000 drop
		}
	}
END
mended firewall_drops "a filter that drops one backend's answers"
flush_rules

rules <<'END'
	table ip nat {
		chain postrouting {
			type nat hook postrouting priority srcnat;
			oifname "cli" masquerade
			oifname "be1" snat to 10.0.2.1
		}
	}
END
mended masquerade "masquerade on the way to clients"
flush_rules

rules <<'END'
	table inet filter {
		flowtable fast {
			hook ingress priority filter
			devices = { cli, be1, be2 }
		}
		chain forward {
			type filter hook forward priority filter; policy accept;
			meta l4proto tcp flow add @fast
		}
	}
END
mended "flowtable flowtable" "a flowtable"
ktap_check "check: a flowtable: clients are answered" answered
flush_rules

rules <<'END'
	table ip raw {
		chain prerouting {
			type filter hook prerouting priority raw;
			ip daddr 192.0.2.10 tcp dport 80 notrack
		}
	}
	table inet filter {
		chain forward {
			type filter hook forward priority filter;
			ct state invalid drop
		}
	}
END
mended half_tracked "requests hidden from conntrack"
ktap_check "check: requests hidden from conntrack: clients are answered" answered
flush_rules

# Conntrack's limit is one for all namespaces; connections are each namespace's own.
limit=$(sysctl -n net.netfilter.nf_conntrack_max)
ktap_defer sysctl -qw "net.netfilter.nf_conntrack_max=$limit"
rules <<'END'
	table inet filter {
		chain forward {
			type filter hook forward priority filter;
			ct state new accept
		}
	}
END
flows cli "$tmp/tracked" tcp "$vip4" 80 --ports 21000-21019
must sysctl -qw "net.netfilter.nf_conntrack_max=$(
	in_ns "$gw" sysctl -n net.netfilter.nf_conntrack_count)"
mended conntrack_full "a full conntrack table" host
flush_rules

rules <<'END'
	table inet raw {
		chain prerouting {
			type filter hook prerouting priority raw;
			iifname { be1, be2 } tcp sport 8000-9000 notrack
		}
	}
END
mended "half_tracked half_tracked" "answers hidden from conntrack"
flush_rules

must mkdir "$tmp/bin"
must ln -s "$(command -v ringlb)" "$tmp/bin/ringlb"
ktap_is "check: without nft rules are not read, and that is told" \
	"$(PATH=$tmp/bin rlbj check | jq -r '[.[].finding] | join(" ")')" firewall_unread

must in_ns "$gw" sysctl -qw net.ipv4.ip_forward=0
ktap_is "check: as text: the finding, what it is about, and the cure below; status 2" \
	"$(rlb check; echo $?)" \
	"forwarding IPv4 this host forwards no IPv4 packets
    cure sysctl -w net.ipv4.ip_forward=1
2"
