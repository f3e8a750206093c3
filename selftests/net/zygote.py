#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
zygote - starts the Python programs of this directory without starting Python

  zygote.py

In:  connections on a port of 127.0.0.1, each with one line: words separated by tabs, the
     first the name of a program here without .py, the others its arguments.
Out: the port on stdout; then on each connection what the program writes to stdout and
     stderr, and as last line "status N". What else comes on the connection is its stdin.
Each program runs in a process of its own, forked from this one, which has everything
imported: on an emulated processor Python takes a second to start, and tests call for it
dozens of times. Ends with SIGTERM, and all of them with it: no program here has a handler, for
Python could miss a signal that comes just before it waits for something else.
"""

import ctypes
import importlib
import os
import signal
import socket
import sys
import traceback

PR_SET_PDEATHSIG = 1
NAMES = ("broken", "craft", "flows", "judge", "live", "quic", "wire")
PROGRAMS = {name: importlib.import_module(name) for name in NAMES}


def status_of(error):
    """The exit status that Python itself would end with."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code
    print(error.code, file=sys.stderr)
    return 1


def words(connection):
    """The first line's; not a byte more is taken."""
    line = b""
    while not line.endswith(b"\n"):
        seen = connection.recv(4096, socket.MSG_PEEK)
        if not seen:
            break
        line += connection.recv(len(seen.partition(b"\n")[0]) + (b"\n" in seen))
    return line.decode(errors="surrogateescape").rstrip("\n").split("\t")


def run(connection):
    """The forked child: one program, its output to the connection; never returns."""
    name, *args = words(connection)
    for fd in (0, 1, 2):
        os.dup2(connection.fileno(), fd)
    sys.argv = [f"{name}.py", *args]
    status = 1
    try:
        PROGRAMS[name].main()
        status = 0
    except SystemExit as error:
        status = status_of(error)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(1, f"status {status}\n".encode())
        os._exit(0)


def end_with(parent):
    """From here on this process, a child, ends when its parent does."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def main():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)       # nobody waits for children
    me = os.getpid()
    with socket.create_server(("127.0.0.1", 0)) as server:
        print(f"port {server.getsockname()[1]}", flush=True)
        while True:
            connection, _ = server.accept()
            if not os.fork():
                end_with(me)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                server.close()
                run(connection)
            connection.close()


if __name__ == "__main__":
    main()
