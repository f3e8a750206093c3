#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# netlink_caps.sh - who may ask: CAP_NET_ADMIN where the namespace belongs, for reads as well
set -u
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"

unprivileged()		# unprivileged COMMAND...
{
	setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all \
		--inh-caps=-all "$@"
}

# Nobody may read a checkout in root's home: what nobody is to run lies open elsewhere.
lay_open()
{
	mkdir -p "$tmp/selftests/net" "$tmp/uapi/linux" &&
		cp "$selftests/net/genl.py" "$tmp/selftests/net" &&
		cp "$selftests/../uapi/linux/ringlb.h" "$tmp/uapi/linux" &&
		cp "$(command -v ringlb)" "$tmp" && chmod -R a+rX "$tmp"
}

# Each command of the family once: 0 if all that were sent are refused with EPERM.
all_refused()
{
	python3 - "$tmp/selftests/net" <<-'END'
		import errno, socket, sys
		sys.path.insert(0, sys.argv[1])
		import genl
		g = genl.Genl()
		wrong = []
		for command in range(genl.CMD_INFO_GET, genl.CMD_MAX + 1):
		    for dump in (False, True):
		        try:
		            g.request(command, b"", dump)
		            wrong.append((command, dump, "accepted"))
		        except genl.Refused as r:
		            if r.errno not in (errno.EPERM, errno.EOPNOTSUPP):
		                wrong.append((command, dump, r.errno))
		for group, number in g.groups.items():
		    try:
		        g.sock.setsockopt(genl.SOL_NETLINK, genl.NETLINK_ADD_MEMBERSHIP, number)
		        wrong.append(group)
		    except PermissionError:
		        pass
		if sorted(g.groups) != ["flows", "notices"]:
		    wrong.append(g.groups)
		sys.exit(f"not refused: {wrong}" if wrong else 0)
	END
}

ktap_plan 5
need_module
ns_add own
# shellcheck disable=SC2154 # ns_add sets it
rlb_own() { ringlb -n "$own" "$@"; }
must rlb_own service add web tcp 192.0.2.10:80 method ring

must lay_open
export -f all_refused
export tmp PATH="$tmp:$PATH"
ktap_check "caps: without CAP_NET_ADMIN every command and the notices are refused" \
	unprivileged bash -c all_refused
ktap_refuse "caps: the tool says what is missing" 2 "no permission: needs CAP_NET_ADMIN" \
	unprivileged ringlb service show
ktap_check "caps: root of a user namespace rules its own network namespace" \
	unprivileged unshare --user --map-root-user --net \
	ringlb service add web tcp 192.0.2.10:80 method ring
ktap_refuse "caps: and no other" 2 "no permission" \
	unprivileged unshare --user --map-root-user ringlb service show
ktap_is "caps: nothing has changed" "$(rlb_own save)" \
	"service add web tcp 192.0.2.10:80 method ring key 5tuple slots 65536 vnodes 160 settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat"
