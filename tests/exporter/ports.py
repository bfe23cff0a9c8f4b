# SPDX-License-Identifier: MIT
"""Reserves ports for a test: prints NUMBER of them, and keeps them until process PID ends. Usage: ports.py PID [NUMBER]

A port that was merely found free may be taken before the test's server binds it: by a connection, for instance, of
which other tests have a thousand. A reserved port is bound at all addresses without listen(), so that connections to it
are refused, and the kernel assigns it to no process that binds any port. A server that sets SO_REUSEADDR, as servers
do, can use it."""
import os
import select
import socket
import sys


def reserve():
    try:
        s = socket.socket(socket.AF_INET6)
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        s.bind(('::', 0))
    except OSError:  # this host has no IPv6
        s = socket.socket()
        s.bind(('', 0))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # after bind(): no other reservation shares it
    return s


end = os.pidfd_open(int(sys.argv[1]))
held = [reserve() for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1)]
print('\n'.join(str(s.getsockname()[1]) for s in held), flush=True)
if os.fork() == 0:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):  # a shell's $(...) waits for the end of standard output
        os.dup2(nowhere, fd)
    select.select([end], [], [])
os._exit(0)
