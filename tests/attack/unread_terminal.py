#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A terminal that is not read, as behind a broken connection: one signal ends `pmon top`, and the terminal's modes are
restored. Usage: unread_terminal.py PMON SCENARIO"""

import fcntl
import os
import signal
import struct
import subprocess
import sys
import termios
import time

LIMIT_S = 100


def take_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def fill(terminal):
    try:
        while True:
            os.write(terminal, b'x' * 4096)
    except BlockingIOError:
        pass


def is_writing(pid):
    """Whether the process waits in a write(): on x86-64, or on other processors."""
    try:
        with open(f'/proc/{pid}/syscall') as call:
            return call.read().split()[0] in ('1', '64')
    except OSError:
        sys.stderr.write('SKIPPED: the kernel does not report system calls\n')
        sys.exit(77)


def main():
    pmon, scenario = sys.argv[1:]
    master, terminal = os.openpty()
    modes = termios.tcgetattr(terminal)
    other = os.open(os.ttyname(terminal), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    top = subprocess.Popen([pmon, '-p', 'emr', 'top', '--scenario', scenario], stdin=terminal, stdout=terminal,
                           stderr=terminal, preexec_fn=take_terminal, env=dict(os.environ, TERM='xterm'))
    begin, lines = time.monotonic(), 24
    while not is_writing(top.pid) and top.poll() is None and time.monotonic() < begin + LIMIT_S:
        fill(other)
        lines = 50 - lines  # another size is drawn as a whole
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', lines, 80, 0, 0))
        time.sleep(0.02)
    top.send_signal(signal.SIGTERM)
    try:
        code = top.wait(LIMIT_S)
    except subprocess.TimeoutExpired:
        top.kill()
        top.wait()
        sys.exit('pmon top does not end')
    if code != 128 + signal.SIGTERM:
        sys.exit(f'exit code {code}')
    if termios.tcgetattr(terminal)[:4] != modes[:4]:
        sys.exit("the terminal's modes are not restored")
    os.close(master)


main()
