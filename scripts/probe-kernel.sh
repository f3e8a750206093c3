#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# probe-kernel.sh - find out what a kernel has, by compiling
#
# usage: probe-kernel.sh KDIR OUT [MAKE-VARIABLE...]
#
# Each module/compat/probe/NAME.c is compiled by the kernel's own build, with its flags. OUT
# becomes a header that defines RLB_HAVE_<NAME> for each one that compiles. Exit 1, with the
# compiler's words, if the probing itself does not work: sane_pass must compile, sane_fail must
# not, and a probe may fail only for want of what it asks for.
set -eu

kdir=$1
out=$2
shift 2
probes=$(dirname "$0")/../module/compat/probe
known='undeclared|implicit declaration|has no member|too (many|few) arguments|No such file'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$probes"/*.c "$work"
for probe in "$work"/*.c; do
	echo "obj-m += $(basename "$probe" .c).o"
done >"$work/Kbuild"

fail() {
	echo "probe-kernel: $1" >&2
	cat "$work/log" >&2
	exit 1
}

objects=$(sed -n 's/^obj-m += //p' "$work/Kbuild")
# shellcheck disable=SC2086 # one word an object
make -k -C "$kdir" M="$work" "$@" KCFLAGS=-Werror=implicit-function-declaration \
	$objects >"$work/log" 2>&1 || true

[ -e "$work/sane_pass.o" ] || fail "a probe that must compile does not"
[ ! -e "$work/sane_fail.o" ] || fail "a probe that must not compile does"
{
	echo "/* made by scripts/probe-kernel.sh */"
	for probe in "$work"/*.c; do
		name=$(basename "$probe" .c)
		case $name in sane_*) continue ;; esac
		if [ -e "$work/$name.o" ]; then
			echo "#define RLB_HAVE_${name^^} 1"
		elif ! grep -qE "/$name\.c:.*error:.*($known)" "$work/log"; then
			fail "$name fails for a reason of its own"
		fi
	done
} >"$work/probed.h"
mkdir -p "$(dirname "$out")"
cmp -s "$work/probed.h" "$out" || cp "$work/probed.h" "$out"
