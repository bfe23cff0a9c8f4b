#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes QEMU's place, without a guest: has the devices that HAS names, and does what the steps in PLAN say, one a line.

  say TEXT            a line of the guest's console        mark WORD   one of pmon's init
  out TEXT, err TEXT  the command's output, its errors      hear        waits for pmon's word to init
  wrmsr N VALUE, rdmsr N, memory N, config DEVFN N VALUE    an access, and its answer
  broken NAME         a message on that socket which is none
  qmp TEXT            a line of QEMU's monitor              command     waits for one
  wait                until pmon hangs up                   end N       exits

Usage: fake_qemu.py QEMU'S ARGUMENTS; fake_qemu.py --kernel FILE [HEX]: writes a file that begins as a kernel does, with
the bytes HEX in place of the packed image."""
import os
import re
import socket
import struct
import sys

FORMS = (r'socket,id=(\w+),fd=(\d+)', r'pmon-(msr),fd=(\d+)', r'pmon-(window),fd=(\d+)',
         r'x-pci-proxy-(?:express-)?dev,bus=\w+,addr=([\w.]+),.*fd=(\d+)')


def write_kernel(path, image):
    head = bytearray(1024)
    head[0x1f1] = len(head) // 512 - 1
    head[0x202:0x206] = b'HdrS'
    head[0x20e:0x210] = struct.pack('<H', 0x100)
    head[0x24c:0x250] = struct.pack('<I', len(image))
    head[0x300:0x306] = b'9.9.9\0'
    with open(path, 'wb') as out:
        out.write(head + image)


def ends(words):
    """{name: socket} of the sockets that pmon has opened for QEMU's devices."""
    found = {}
    for word in words:
        for form in FORMS:
            match = re.match(form + '(,|$)', word)
            if match:
                found.setdefault(match[1], socket.socket(fileno=int(match[2])))
    return found


def exchange(end, kind, number, value=0):
    end.sendall(struct.pack('<IIQQII', kind, 8, number, value, 0, 0))
    return end.recv(32, socket.MSG_WAITALL)


def configure(end, offset, value):
    end.sendall(struct.pack('<IIQIII', 2, 0, 12, offset, value, 4))
    return end.recv(24, socket.MSG_WAITALL)


def line_of(end):
    text = b''
    while not text.endswith(b'\n'):
        more = end.recv(1)
        if not more:
            break
        text += more
    return text


def step(at, word, rest):
    numbers = [int(n, 0) for n in rest.split()] if word in ('wrmsr', 'rdmsr', 'memory', 'end') else []
    if word in ('say', 'mark'):
        at['serial0'].sendall((('@pmon-vm ' if word == 'mark' else '') + rest + '\n').encode())
    elif word in ('out', 'err'):
        at['serial1' if word == 'out' else 'serial2'].sendall((rest + '\n').encode())
    elif word in ('hear', 'command'):
        line_of(at['serial0' if word == 'hear' else 'monitor'])
    elif word in ('rdmsr', 'wrmsr', 'memory'):
        exchange(at['window' if word == 'memory' else 'msr'], {'rdmsr': 1, 'wrmsr': 2, 'memory': 3}[word], *numbers)
    elif word == 'config':
        devfn, offset, value = rest.split()
        configure(at[devfn], int(offset, 0), int(value, 0))
    elif word == 'broken':
        at[rest].sendall(b'\xff' * 32)
        at[rest].recv(1)
    elif word == 'qmp':
        at['monitor'].sendall((rest + '\n').encode())
    elif word == 'wait':
        while at['serial0'].recv(4096):
            pass
    elif word == 'end':
        os._exit(numbers[0])
    else:
        sys.exit('fake_qemu: no step %s' % word)


def main():
    words = sys.argv[1:]
    if words[:1] == ['--kernel']:
        write_kernel(words[1], bytes.fromhex(words[2] if len(words) > 2 else '7f454c4600000000'))
    elif words[:1] == ['-device']:
        for name in os.environ['HAS'].split():
            print('name "%s"' % name)
    elif words == ['--version']:
        print('QEMU emulator version 0 (of a test)')
    else:
        at = ends(words)
        for line in os.environ['PLAN'].split('\n'):
            word, _, rest = line.strip().partition(' ')
            if word:
                step(at, word, rest)


main()
