#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# save_order.sh - what save prints is read back whole, and is one text for one configuration
#
# In:  the built tool, python3; no module, no root: configurations come from files (-f).
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

# Random configurations with every setting there is, or without; lines of services in any
# order, those of backends after their service's; then what save must print of them.
make_configurations()
{
	python3 - "$dir" <<-'END'
	import ipaddress, random, sys
	rng = random.Random(7)
	names = "abcXYZ019._-"
	for n in range(60):
	    services = {}
	    reals = set()
	    for i in range(rng.randint(0, 6)):
	        name = rng.choice(names[:-1]) + "".join(
	            rng.choice(names) for _ in range(rng.choice([0, 1, 5, 30])))
	        if name in services:
	            continue
	        v6 = rng.random() < .5
	        vip = f"[2001:db8::{n + 1:x}:{i + 1:x}]" if v6 else f"192.0.2.{i + 1}"
	        proto = rng.choice(["tcp", "udp"])
	        key = rng.choice([None, "5tuple", "src"])
	        vnodes = rng.choice([None, 1, 160, 300])
	        method = rng.choice([None, "rendezvous", "ring", "slots"])
	        slots = rng.choice([None, 4096, 65536, 1 << 20])
	        slack = rng.choice([None, "none", "0%", "0.5%", "1.0%", "2%", "100%"])
	        settle = rng.choice([None, "0%", "0.1%", "1%", "12.5%", "100.0%"])
	        track = rng.choice([None, "auto", "none", "all"])
	        timeout = rng.choice([None, 1, 60, 604800])
	        drain = rng.choice([None, 1, 900, 604800])
	        last = rng.choice([None, "on", "off"])
	        udp = rng.choice([None, "keep", "rehash"])
	        none = rng.choice([None, "reject", "drop"])
	        mode = rng.choice([None, "nat", "dsr", "tunnel"])
	        tunnel = rng.choice(["ipip", "gre", "gue"]) if mode == "tunnel" else None
	        outer = rng.choice([None, 1, 6080, 65535]) if tunnel == "gue" else None
	        given = {"method": method, "key": key, "slots": slots, "settle": settle,
	                 "track": track, "timeout": timeout, "drain-timeout": drain,
	                 "last-resort": last, "udp-drain": udp, "none": none, "mode": mode,
	                 "tunnel": tunnel, "tunnel-port": outer}
	        if method != "slots":
	            given["vnodes" if method == "ring" else "slack"] = (
	                vnodes if method == "ring" else slack)
	        pairs = [f"{k} {v}" for k, v in given.items() if v is not None]
	        own = (f"vnodes {vnodes or 160} " if method == "ring" else "" if method == "slots"
	               else f"slack {slack or '1%'} ".replace(".0%", "%"))
	        rng.shuffle(pairs)
	        port = rng.choice([1, 80, 65535])
	        given = f"service add {name} {proto} {vip}:{port} {' '.join(pairs)}"
	        full = (f"service add {name} {proto} {vip}:{port} method {method or 'rendezvous'} "
	                f"key {key or '5tuple'} slots {slots or 65536} {own}"
	                f"settle {(settle or '1%').replace('.0%', '%')} track {track or 'auto'} "
	                f"timeout {timeout or {'tcp': 900, 'udp': 120}[proto]} "
	                f"drain-timeout {drain or 900} last-resort {last or 'on'} "
	                f"udp-drain {udp or 'keep'} none {none or 'reject'} mode {mode or 'nat'}"
	                + (f" tunnel {tunnel}" if tunnel else "")
	                + (f" tunnel-port {outer or 6080}" if tunnel == "gue" else ""))
	        backends = {}
	        for _ in range(rng.choice([0, 1, 3, 20])):
	            v6 = rng.choice([False, True]) if mode == "tunnel" else v6
	            addr = ipaddress.ip_address(
	                (0xfd << 120 | rng.getrandbits(rng.choice([2, 96]))) if v6
	                else 10 << 24 | rng.getrandbits(rng.choice([2, 24])))
	            p = 0 if mode in ("dsr", "tunnel") else rng.choice([0, 0, 80, 81, 255, 256])
	            real = proto, addr, p or port
	            if real in reals:
	                continue
	            reals.add(real)
	            word = (f"[{addr}]:{p}" if v6 else f"{addr}:{p}") if p else str(addr)
	            weight = rng.choice([None, 0, 1, 9])
	            state = rng.choice([None, "up", "drain", "down", "leave"])
	            pairs = [f"weight {weight}"] if weight is not None else []
	            pairs += [f"state {state}"] if state else []
	            number = rng.choice([None, "none", len(reals)])
	            pairs += [f"id {number}"] if number is not None else []
	            saved = f"id {number} " if isinstance(number, int) else ""
	            slow = rng.choice([None, "none", 1, 86400])
	            pairs += [f"slow-start {slow}"] if slow is not None else []
	            start = f" slow-start {slow}" if isinstance(slow, int) else ""
	            rng.shuffle(pairs)
	            backends[addr.version, addr.packed, p] = (
	                " ".join([f"backend add {name} {word}", *pairs]),
	                f"backend add {name} {word} {saved}weight {1 if weight is None else weight} "
	                f"state {state or 'up'}{start}")
	        members = [b[1].split()[3] for b in backends.values() if " weight 0 " not in b[1]]
	        given_map, saved_map, at = [], [], 0
	        while method == "slots" and members and at < (slots or 65536):
	            to = min(at + rng.randint(0, 20000), (slots or 65536) - 1)
	            owner = rng.choice(members)
	            given_map.append(f"{at}-{to}={owner}")
	            if saved_map and saved_map[-1][2] == owner:
	                saved_map[-1][1] = to
	            else:
	                saved_map.append([at, to, owner])
	            at = to + 1
	        rng.shuffle(given_map)
	        maps = [f"service set {name} map {','.join(given_map)}", f"service set {name} map " +
	                ",".join("{}-{}={}".format(*m) for m in saved_map)] if saved_map else []
	        services[name] = given, full, backends, maps
	    order = list(services)
	    rng.shuffle(order)
	    lines, later = [], []
	    for name in order:
	        given, _, backends, maps = services[name]
	        some = [b[0] for b in backends.values()] + maps[:1]
	        rng.shuffle(some)
	        lines.append(given)
	        # No line may come between backends and the map that names them.
	        (lines if rng.random() < .5 and not maps else later).extend(some)
	    secret = f"{rng.getrandbits(128):032x}"
	    lines.insert(rng.randint(0, len(lines)), f"  secret   set {secret.upper()}  # a key")
	    with open(f"{sys.argv[1]}/{n}.given", "w") as f:
	        f.write("# made up\n\n" + "\n".join(lines + later) + "\n")
	    with open(f"{sys.argv[1]}/{n}.expected", "w") as f:
	        f.write(f"secret set {secret}\n")
	        for name in sorted(services):
	            f.write(services[name][1] + "\n")
	            for b in sorted(services[name][2]):
	                f.write(services[name][2][b][1] + "\n")
	            f.write("".join(m + "\n" for m in services[name][3][1:]))
	END
}

all()			# all CLAIM FUNCTION: for every configuration
{
	local claim=$1 n

	for ((n = 0; n < 60; n++)); do
		if ! out=$("$2" "$dir/$n" 2>&1); then
			ktap_fail "$claim" "configuration $n:" "$out"
			return
		fi
	done
	ktap_ok "$claim"
}

saves_expected()
{
	"$ringlb" -f "$1.given" save secret >"$1.saved" && diff "$1.expected" "$1.saved"
}

reads_back()
{
	"$ringlb" -f "$1.saved" save secret | diff "$1.saved" -
}

hides_secret()
{
	"$ringlb" -f "$1.given" save >"$1.plain" && ! grep -q secret "$1.plain" &&
		grep -v secret "$1.saved" | diff "$1.plain" -
}

save_to()		# save_to FILE MODE: save secret into a file of this mode
{
	: >"$1"
	chmod "$2" "$1"
	"$ringlb" -f "$dir/0.given" save secret >"$1"
	stat -c %a "$1"
}

ktap_plan 9
make_configurations
ktap_check "save: 60 configurations are not all alike" \
	test "$(cat "$dir"/*.expected | sort -u | wc -l)" -gt 300
all "save: services by name, backends by address, every setting" saves_expected
all "save: what it prints is read back as the same" reads_back
all "save: the secret only when asked for" hides_secret
ktap_is "save secret: a file that others can read becomes mode 0600" \
	"$(save_to "$dir/open" 644)" 600
ktap_is "save secret: a file that the group can write becomes mode 0600" \
	"$(save_to "$dir/group" 620)" 600
ktap_is "save secret: a closed file keeps its mode" "$(save_to "$dir/closed" 400)" 400
grep -v secret "$dir/1.given" >"$dir/no_secret"
ktap_refuse "save secret: a file without the digits has none to save" 2 \
	"^ringlb: $dir/no_secret: no hash key to save\$" "$ringlb" -f "$dir/no_secret" save secret
echo 'service add web tcp 192.0.2.10:80' >"$dir/full"
ktap_refuse "save: a full disk is an error" 2 'output could not be written' \
	bash -c "'$ringlb' -f '$dir/full' save >/dev/full"
