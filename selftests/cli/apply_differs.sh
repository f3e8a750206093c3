#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# apply_differs.sh - apply finds just what differs between two configurations
#
# In:  the built tool, python3; no module, no root: configurations come from files (-f), which
# nothing changes.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"
pairs=60

# Pairs of configurations of the same few names and addresses, with some settings or all.
make_pairs()
{
	python3 - "$dir" "$pairs" <<-'END'
	import random, sys
	rng = random.Random(11)

	def service(name, reals):
	    proto, method = rng.choice(["tcp", "udp"]), rng.choice(["rendezvous", "ring", "maglev"])
	    pairs = {"method": method, "key": rng.choice(["5tuple", "src"]),
	             "slots": rng.choice([4096, 8192]), "settle": rng.choice(["1%", "0%"]),
	             "track": rng.choice(["auto", "all"]), "timeout": rng.choice([60, 900]),
	             "none": rng.choice(["reject", "drop"])}
	    if method == "ring":
	        pairs["vnodes"] = rng.choice([10, 160])
	    if method == "rendezvous":
	        pairs["slack"] = rng.choice(["none", "1%"])
	    given = [f"{k} {v}" for k, v in pairs.items() if rng.random() < .5 or k == "method"]
	    lines = [f"service add {name} {proto} 192.0.2.{rng.randint(1, 2)}:{ord(name)} "
	             + " ".join(given)]
	    ids = rng.sample(range(9), 9)
	    for n in range(1, 9):
	        if rng.random() < .5 or (proto, n) in reals:
	            continue
	        reals.add((proto, n))
	        line = f"backend add {name} 10.0.0.{n}:80"
	        for key, value in (("weight", rng.randint(0, 3)), ("id", ids[n]),
	                           ("state", rng.choice(["up", "drain", "down"])),
	                           ("slow-start", rng.choice(["none", 5]))):
	            line += f" {key} {value}" if rng.random() < .6 or key == "state" else ""
	        lines.append(line)
	    return lines

	def configuration():
	    reals, lines = set(), []
	    for name in rng.sample("abcd", rng.randint(0, 4)):
	        lines += service(name, reals)
	    return "\n".join(lines) + "\n"

	for n in range(int(sys.argv[2])):
	    for which in "is", "wanted":
	        with open(f"{sys.argv[1]}/{n}.{which}", "w", encoding="ascii") as file:
	            file.write(configuration())
	END
}

all()			# all CLAIM FUNCTION: for every pair
{
	local n out

	for ((n = 0; n < pairs; n++)); do
		if ! out=$("$2" "$dir/$n" 2>&1); then
			ktap_fail "$1" "pair $n:" "$out"
			return
		fi
	done
	ktap_ok "$1"
}

missing()		# missing IS WANTED: what apply would do
{
	"$ringlb" -f "$1" apply "$2"
}

leads_there()
{
	missing "$1.is" "$1.wanted" >"$1.commands" || return
	"$ringlb" -f <(cat "$1.is" "$1.commands") save | diff - <("$ringlb" -f "$1.wanted" save)
}

does_nothing_twice()
{
	[[ -z $(missing "$1.wanted" <("$ringlb" -f "$1.wanted" save)) ]]
}

names_each_once()	# no setting is changed and changed back, no backend removed and added
{
	[[ -z $(grep -v ' id none$' "$1.commands" | cut -d' ' -f1-4 |
		grep -v '^service' | sort | uniq -d) ]]
}

missing_of()		# missing_of IS WANTED: of lines, beside those of $base
{
	missing <(printf '%s\n' "$base" "$1") <(printf '%s\n' "$base" "$2")
}

prints()		# prints CLAIM IS WANTED COMMANDS: 1 claim
{
	ktap_is "apply: $1" "$(missing_of "$2" "$3")" "$4"
}

ktap_plan 19
make_pairs
all "apply: what it prints makes the one of the other" leads_there
all "apply: where both are the same it does nothing" does_nothing_twice
all "apply: each backend is touched once" names_each_once

base="service add web tcp 192.0.2.10:80 slots 4096
backend add web 10.0.0.1 weight 10
backend add web 10.0.0.2 id 2 state down
backend add web 10.0.0.3 id 3"
prints "one backend more: one command" "" "backend add web 10.0.0.4" \
	"backend add web 10.0.0.4 weight 1 state up"
prints "one less" "backend add web 10.0.0.4" "" "backend del web 10.0.0.4"
prints "another weight: that and nothing else" "" "backend set web 10.0.0.1 weight 9" \
	"backend set web 10.0.0.1 weight 9"
prints "a state that the file does not say stays" "backend down web 10.0.0.1 10.0.0.3" "" ""
prints "one that it says is set" "" "backend up web 10.0.0.2" "backend set web 10.0.0.2 state up"
prints "a backend that is about to leave does so" \
	"backend add web 10.0.0.4 state leave" "" ""
prints "unless the file has it" "backend del web 10.0.0.1 drain" "" \
	"backend set web 10.0.0.1 state up"
prints "ids change hands" "" \
	"backend set web 10.0.0.2 id none
backend set web 10.0.0.3 id 2
backend set web 10.0.0.2 id 3" \
	"backend set web 10.0.0.2 id none
backend set web 10.0.0.3 id none
backend set web 10.0.0.2 id 3
backend set web 10.0.0.3 id 2"
prints "a backend goes over to another service: it leaves its own first" \
	"service add a tcp 192.0.2.11:80
backend add a 10.0.0.9" \
	"backend add web 10.0.0.9
service add a tcp 192.0.2.11:80" \
	"backend del a 10.0.0.9
backend add web 10.0.0.9 weight 1 state up"
prints "another address is another service" "service add a tcp 192.0.2.11:80 slots 4096" \
	"service add a tcp 192.0.2.12:80 slots 4096" \
	"service del a
service add a tcp 192.0.2.12:80 method rendezvous key 5tuple slots 4096 slack 1% settle 1% track auto timeout 900 drain-timeout 900 last-resort on udp-drain keep none reject mode nat"
prints "seats that the file does not say stay" "service set web method ring
backend set web 10.0.0.1 id 1
service set web method seat seats 7:1,1:10,2:1,3:1" \
	"backend set web 10.0.0.1 id 1
service set web method seat" \
	""
prints "a map" "" "backend set web 10.0.0.1 weight 10
service set web method slots map 0-4094=10.0.0.1,4095-4095=10.0.0.2" \
	"service set web method slots
service set web map 0-4094=10.0.0.1,4095-4095=10.0.0.2"
prints "the bound of the flow table" "flow set limit 4096" "flow set limit 2048" \
	"flow set limit 2048"
prints "the key is not shown" "secret set 000102030405060708090a0b0c0d0e0f" \
	"secret set 000102030405060708090a0b0c0d0e10" "secret set -"
ktap_is "apply: as JSON" \
	"$("$ringlb" -j -f <(echo "$base") apply <(echo "$base"; echo backend down web 10.0.0.1))" \
	'[{"command":"backend set web 10.0.0.1 state down"}]'
echo "$base
backend add web 10.0.0.1" >"$dir/wrong"
ktap_refuse "apply: a wrong line is named" 2 \
	"^ringlb: $dir/wrong:5: backend add: service has this backend already\$" \
	"$ringlb" apply "$dir/wrong"
