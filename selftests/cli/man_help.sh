#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# man_help.sh - manual, help and parser know the same commands, keywords, options and keys
#
# In:  the built tool, its manual, groff, python3; no module, no root.
# `ringlb -j help` prints the parser's own table; the rest is held against it.
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=selftests/ktap.sh
. "$here/../ktap.sh"

ringlb=${RINGLB:-$here/../../userspace/ringlb}
man=${RINGLB_MAN:-$here/../../userspace/man/ringlb.8}
header=$here/../../uapi/linux/ringlb.h
dir=$(mktemp -d)
ktap_defer rm -rf "$dir"

# A network namespace of its own, where one can be had: nothing here may change another.
isolate=()
unshare -rn true 2>/dev/null && isolate=(unshare -rn)

"$ringlb" -j help >"$dir/help.json"
"$ringlb" help >"$dir/help"

# table FILTER: a line for each command, of what FILTER (Python, c: the command) yields
table()
{
	python3 -c "
import json, sys
for c in json.load(open('$dir/help.json')):
    for line in $1:
        print(line)"
}

# The usage lines of the manual: tagged paragraphs in COMMANDS that begin with an object
man_usages()
{
	local objects

	objects=$(table '[c["object"]]' | sort -u | paste -sd'|')
	sed -n '/^\.SH COMMANDS/,/^\.SH FILES/p' "$man" | sed 's/\\-/-/g' |
		grep -A1 -E '^\.T[PQ]$' | sed -n -E "s/^\.B (($objects)( .*)?)\$/\1/p"
}

# Every command with its alternatives, each optional part left out and put in. Of the many
# forms that a command with many pairs has, some.
examples()
{
	python3 - "$dir/help.json" <<-'END'
	import json, random, sys

	VALUES = {"NAME": "web", "SERVICE": "web", "ADDR:PORT": "192.0.2.10:443",
	          "ADDR:FIRST-LAST": "192.0.2.10:8000-8999", "ADDR:*": "[2001:db8::10]:*",
	          "ADDR/BITS:PORT": "192.0.2.0/24:443", "ADDR/BITS": "192.0.2.0/24",
	          "mark:N/MASK": "mark6:0x10/0xf0",
	          "ADDR[:PORT]": "10.0.0.1:80", "ADDR[:PORT]...": "10.0.0.1:80 10.0.0.2",
	          "SRC:PORT": "198.51.100.7:1",
	          "NUMBER": "47", "SRC": "198.51.100.7", "DST": "192.0.2.10",
	          "DST:PORT": "192.0.2.10:443", "N": "4096", "P%": "1.5%", "SECONDS": "60", "BYTES": "65536",
	          "ADDR": "10.0.2.1", "FIRST-LAST": "20000-20999",
	          "W[,W...]": "1,2,4", "0-6": "3", "1-4": "2",
	          "COUNT": "7", "LIST": "1:10,2:4", "OBJECT": "table", "RANGES": "0-4095=10.0.0.1",
	          "CHANGE": "backend add 10.0.0.9 weight 2", "FILE": "/dev/null",
	          "CHANGE...": "service set slack 2% settle 0%",
	          "HEX": "00112233445566778899aabbccddeeff", "DEV": "eth0"}

	def expand(word):
	    if word in VALUES:
	        return [VALUES[word]]
	    if word == "FILE|RANGES":       # of files some are none
	        return [VALUES["RANGES"]]
	    return [VALUES.get(w, w) for w in word.split("|")]

	def split(usage):
	    """-> words, [optional] groups and { one | or another }, at the top level"""
	    parts, depth, part = [], 0, ""
	    for c in usage + " ":
	        if c == " " and not depth:
	            parts += [part] if part else []
	            part = ""
	            continue
	        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(c, 0)
	        part += c
	    return parts

	def draw(parts):
	    """One of all forms that a command may have: they are too many to list them."""
	    line = []
	    for part in parts:
	        if part.startswith("{"):
	            line += draw(split(rng.choice(part[1:-1].split(" | "))))
	        elif not part.startswith("["):
	            line.append(rng.choice(expand(part)))
	        elif rng.random() < .5:
	            line += draw(split(part[1:-1]))
	    return line

	rng = random.Random(1)
	for c in json.load(open(sys.argv[1])):
	    most = 12 if c["object"] == "simulate" else 150    # it has much to reckon
	    forms = {}
	    parts = split(c["usage"])
	    for _ in range(20 * most):
	        line = draw(parts)
	        changes = [k for k in c["keywords"] if k in line and k != "if-generation"]
	        if c.get("command") == "set" and c["keywords"] and not changes:
	            continue        # "at least one"
	        own = {"ring": {"vnodes"}, "seat": {"seats"}, "slots": {"map"}, "maglev": set()}
	        method = line[line.index("method") + 1] if "method" in line else "rendezvous"
	        others = {"slack", "vnodes", "seats", "map"} - own.get(method, {"slack"})
	        if c["object"] == "service" and others & set(line):
	            continue        # a parameter of another method
	        forms[" ".join(line)] = True
	    for form in list(forms)[:most]:
	        print(form)
	END
}

ktap_plan 15
echo '0-4095 10.0.0.1' >"$dir/map"

groff -ww -man -Tutf8 -z "$man" 2>"$dir/groff"
ktap_is "man: groff has nothing to complain of" "$(cat "$dir/groff")" ""

ktap_is "man: the commands and their words are those of the parser" \
	"$(man_usages | sort)" "$(table '[c["usage"]]' | sort)"

ktap_is "help: the commands and their words are those of the parser" \
	"$(sed -n '/^commands:/,$p' "$dir/help" | sed -n 's/^  \([a-z]\)/\1/p' | sort)" \
	"$(table '[c["usage"]]' | sort)"

missing=$(table 'c["keywords"]' | sort -u | while read -r k; do
	grep -q "^\.B $k\$" "$man" || echo "$k"
done)
ktap_is "man: every keyword has a paragraph of its own" "$missing" ""

ktap_is "man: options are those of help" \
	"$(sed -n '/^\.SH OPTIONS/,/^\.SH COMMANDS/p' "$man" | grep -A1 '^\.TP' |
		sed -n -E 's/^\.BI? \\(-[a-zA-Z])( ".*)?$/\1/p' | sort)" \
	"$(sed -n -E 's/^  (-[a-zA-Z]) .*/\1/p' "$dir/help" | sort)"

# What help says is there, is: an option that is unknown would be told as such.
bad=$(sed -n -E 's/^  (-[a-zA-Z]) (.{6}).*/\1 \2/p' "$dir/help" | while read -r o argument; do
	"$ringlb" "$o" ${argument:+/dev/null} 2>&1 | grep '^ringlb: option' || :
done)
ktap_is "help: every option is known" "$bad" ""

examples >"$dir/examples"
ktap_check "parser: help gives examples enough" test "$(wc -l <"$dir/examples")" -gt 50
bad=$(while read -ra words; do
	# Without a module right words end in 2, wrong ones in 1. Those that answer end in 0.
	[[ ${words[*]} != @(monitor|*follow*) || ! -d /sys/module/ringlb ]] || continue
	input=00112233445566778899aabbccddeeff
	[[ ${words[0]} != apply ]] || input=''		# a file of commands
	"${isolate[@]}" "$ringlb" "${words[@]}" >/dev/null 2>"$dir/err" <<<"$input"
	[[ $? -ne 1 ]] || echo "${words[*]}: $(cat "$dir/err")"
done <"$dir/examples")
ktap_is "parser: every form that help gives is taken" "$bad" ""

# A command, an option or a keyword that is in the manual's examples must be known too.
sed -n '/^\.EX/,/^\.EE/p' "$man" | sed 's/\\-/-/g' |
	grep -oE '(^|\(umask 077; |; ssh gw2 |ssh gw2 )ringlb [^|;>]*' |
	sed -E 's/^.*ringlb //; s/\)$//' >"$dir/man_examples"
ktap_check "man: there are examples enough" test "$(wc -l <"$dir/man_examples")" -ge 10
bad=$(while read -ra words; do
	[[ ${words[0]} != -[bf] ]] || words[1]=/dev/null
	words=("${words[@]/*.svg//dev/null}")
	words=("${words[@]/*.map/$dir/map}")
	"${isolate[@]}" "$ringlb" "${words[@]}" >/dev/null 2>"$dir/err" </dev/null
	status=$?
	[[ $status -ne 1 ]] || grep -v 'standard input' "$dir/err"
done <"$dir/man_examples")
ktap_is "man: every example is taken" "$bad" ""

counters=$(sed -n -E 's/^\tRINGLB_COUNTER_([A-Z_]+),.*/\L\1/p' "$header" |
	grep -v -E '^(unspec|pad)$')
ktap_is "man: counters are those of the protocol, in its order" \
	"$(sed -n '/^\.SH COUNTERS/,/^\.SH EXIT/p' "$man" | sed -n 's/^\.B \([a-z_]*\)$/\1/p')" \
	"$counters"

ktap_is "man: a device's counters are those of the protocol, in its order" \
	"$(sed -n '/^\.SH THE FAST PATH/,/^\.SH REPL/p' "$man" | sed -n 's/^\.B \([a-z_]*\)$/\1/p' |
		grep -v '^all$')" \
	"$(sed -n -E 's/^\tRINGLB_DEV_((TAKEN|DECLINED)_[A-Z_]+),.*/\L\1/p' "$header")"

# The keys that a show prints are the ones that the manual names for it.
keys()			# keys COMMAND...: of all objects
{
	"$ringlb" -j -f "$dir/conf" "$@" | json_keys
}

json_keys()
{
	python3 -c '
import json, sys
a = json.load(sys.stdin)
a = a if isinstance(a, list) else [a]
a += [n for o in a for v in o.values() if isinstance(v, list) for n in v if isinstance(n, dict)]
print("\n".join({k for o in a for k in o}))'
}

man_keys()		# man_keys PARAGRAPH: less those that a file has not
{
	sed -n '/^\.SH JSON/,/^\.SH COUNTERS/p' "$man" |
		awk -v t=".B $1" '$0 == ".TP" { on = 0 } $0 == t { on = 1 } on' |
		sed -n -E 's/^\.IR? ([a-z_]+).*/\1/p' |
		grep -v -E '^(counters|generation|transitions_left|slow_start_left|flows|unseen_left|drain_left|old_owner|pin)$' |
		sort
}

cat >"$dir/conf" <<'END'
secret set 00112233445566778899aabbccddeeff
service add web tcp 192.0.2.10:443 method ring
backend add web 10.0.0.11
backend add web 10.0.0.12 id 12 weight 2 slow-start 60
service add dns udp 192.0.2.10:53 tunnel gue
service add numbered udp 192.0.2.11:53 method seat seats 1:2
backend add numbered 10.0.0.13 id 1
service add rare udp 192.0.2.12:53 method maglev slots 4096
backend add rare 10.0.1.11 weight 65535
backend add rare 10.0.1.12
service add net udp 198.18.0.0/16:* key quic-cid sid-length 1 track all
backend add net 10.0.2.11 id 1
END
plan_keys()		# of plans that together have all there is
{
	keys plan web service set slots 4096 limit 0%
	keys plan web service set method rendezvous
	keys plan rare backend set 10.0.1.12 weight 2
} 2>/dev/null

python3 "$here/simulate_pcap.py" write "$dir"
simulate_keys()		# of all methods, with traffic
{
	"$ringlb" -j simulate backends 2 slots 4096 pcap "$dir/six.pcap" | json_keys
}

bad=$(for show in 'service show' 'backend show' 'table show web' 'table map web' 'table digest' \
	'lookup udp 198.51.100.7:1 198.18.0.1:443 cid 0001aabbccdd'; do
	title=${show% web}
	# shellcheck disable=SC2086
	diff <(man_keys "${title%% udp*}") <(keys $show | sort) >"$dir/diff" ||
		echo "$show: $(cat "$dir/diff")"
done
diff <(man_keys plan | sort -u) <(plan_keys | sort -u) || echo plan
diff <(man_keys simulate | sort -u) <(simulate_keys | sort -u) || echo simulate)
ktap_is "man: JSON keys are those that are printed" "$bad" ""

ktap_is "man: the version is the tool's" \
	"$(sed -n 's/^\.TH .*"ringlb \([0-9.]*\)".*/\1/p' "$man")" \
	"$("$ringlb" -V | sed 's/^ringlb //')"

version=$here/../../module/version.h
ktap_is "tool: the version is the module's" \
	"$(sed -n 's/^#define RINGLB_VERSION "\(.*\)"/\1/p' "$version")" \
	"$("$ringlb" -V | sed 's/^ringlb //')"
