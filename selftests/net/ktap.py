# SPDX-License-Identifier: GPL-2.0-only
"""
ktap.py - how a test in Python says what it found; selftests/ktap.sh is its twin for the shell

plan(n) first, a claim() for each of them, then finish().
"""
import sys

told = failed = 0


def plan(claims):
    print("TAP version 13")
    print(f"1..{claims}", flush=True)


def claim(ok, name, detail=""):
    """One claim; the detail is told if it does not hold."""
    global told, failed
    told += 1
    print(("ok" if ok else "not ok"), told, name)
    if not ok:
        failed += 1
        print("#", detail)
    sys.stdout.flush()


def finish():
    """Ends the program with a status that agrees with its claims."""
    sys.exit(1 if failed else 0)
