# SPDX-License-Identifier: MIT
"""`pmon exporter` uses only system calls that its systemd unit allows: it serves under the unit's filter, as a user
without privileges; an exporter that a filter kills reports that. Usage: unit.py PMON UNIT"""
import ctypes
import os
import platform
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

USER = 65534
HEADER = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"
LOAD, JUMP_EQUAL, RETURN = 0x20, 0x15, 0x06     # of linux/filter.h
KILL_PROCESS, ALLOW = 0x80000000, 0x7FFF0000    # of linux/seccomp.h
SET_SECCOMP, MODE_FILTER, SET_NO_NEW_PRIVS = 22, 2, 38


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def names_of(word):
    """Returns the system calls of a name, or of a systemd set such as @system-service."""
    if not word.startswith("@"):
        return {word}
    text = subprocess.run(["systemd-analyze", "syscall-filter", word], check=True, capture_output=True, text=True).stdout
    lines = [line.strip() for line in text.splitlines()[1:]]
    return set().union(*(names_of(line) for line in lines if line and not line.startswith("#")))


def allowed_by(unit):
    """The first line says what the others add to or, with ~, take from (systemd.exec(5)); @default is always
    allowed."""
    allowed = set()
    for line in re.findall(r"^SystemCallFilter=(.*)$", unit, re.M):
        words = set().union(*map(names_of, line.lstrip("~").split()))
        allowed = allowed - words if line.startswith("~") else allowed | words
    return allowed | names_of("@default")


def program_of(allowed):
    with open(HEADER) as file:
        numbers = dict(re.findall(r"#define __NR_(\w+)\s+(\d+)", file.read()))
    steps = [(LOAD, 0, 0, 0)]
    for name in sorted(allowed & set(numbers)):
        steps += [(JUMP_EQUAL, 0, 1, int(numbers[name])), (RETURN, 0, 0, ALLOW)]
    steps.append((RETURN, 0, 0, KILL_PROCESS))
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    return Program(len(steps), ctypes.cast(text, ctypes.c_void_p)), text


def start(command, allowed, errors):
    """The command in a process with the filter."""
    program, text = program_of(allowed)
    libc = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if child:
        return child
    try:
        os.dup2(errors.fileno(), 2)
        if os.getuid() == 0:
            os.setgroups([])
            os.setresgid(USER, USER, USER)
            os.setresuid(USER, USER, USER)
        if libc.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(SET_SECCOMP, MODE_FILTER, ctypes.byref(program), 0, 0):
            os._exit(77)
        os.execv(command[0], command)
    finally:
        os._exit(78)


def status_of(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def fetch(path):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(60)
        s.connect(path)
        s.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        return b"".join(iter(lambda: s.recv(65536), b""))


def main(pmon, unit, folder):
    with open(unit) as file:
        allowed = allowed_by(file.read())
    os.chmod(folder, 0o777)     # of a user who may reach neither the build nor its folder
    command = [os.path.join(folder, "pmon"), "-p", "emr", "exporter", "--listen", "unix:socket", "--scenario", "s.scn",
               "-I", "100ms"]
    shutil.copy(pmon, command[0])
    os.chdir(folder)
    with open("s.scn", "w") as file:
        file.write("thread 0 on core 0: stream past-caches 256K stride 64\n")
    os.chmod("s.scn", 0o644)
    with open("errors", "w+") as errors:
        child = start(command, allowed, errors)
        for _ in range(1200):
            try:
                if b"pmon_memory_written_bytes_total{" in fetch("socket"):
                    break
            except OSError:
                pass
            if os.waitpid(child, os.WNOHANG) != (0, 0):
                errors.seek(0)
                sys.exit("ended under the unit's filter: " + errors.read())
            time.sleep(0.05)
        else:
            sys.exit("nothing is served under the unit's filter")
        os.kill(child, signal.SIGTERM)
        assert status_of(child) == 0
    with open("errors", "w+") as errors:
        status = status_of(start(command, allowed - {"capset"}, errors))
        errors.seek(0)
        text = errors.read()
    assert status == 2 and "the network process was terminated by signal 31" in text, (status, text)


if platform.machine() != "x86_64" or not shutil.which("systemd-analyze") or not os.path.exists(HEADER):
    print("SKIPPED: no x86-64, no systemd-analyze or no linux-libc-dev", file=sys.stderr)
    sys.exit(77)
with tempfile.TemporaryDirectory() as scratch:
    main(*sys.argv[1:3], scratch)
