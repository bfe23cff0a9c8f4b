#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes QEMU's place, without a guest: does what the steps in PLAN say, one a line; those in RESUMED when the guest begins
with a state.

  say TEXT            a line of the guest's console        mark WORD   one of pmon's init
  out TEXT, err TEXT  the command's output, its errors      hear [WORD] waits for pmon's word to init, which is this one
  wrmsr N VALUE, rdmsr N, memory N, config DEVFN N VALUE    an access, and its answer
  broken NAME         a message on that socket which is none
  qmp TEXT            a line of QEMU's monitor              command     waits for one
  debug [refuse]      answers pmon as a debugger's far end until the guest goes on; refuse: not what it expects
  stop RIP RCX RAX RDX   the guest stops there, and is debugged; then its registers are a line of the output
  wait                until pmon hangs up                   end N       exits
  leave N TEXT        says TEXT, hangs up, and exits a moment later: when another program has taken its place
  shell TEXT          a command of this host

Usage: fake_qemu.py QEMU'S ARGUMENTS; fake_qemu.py --kernel FILE [HEX]: writes a file that begins as a kernel does, with
an image that has a wrmsr at WRITE and a rdmsr at READ, or with the bytes HEX in its place."""
import os
import re
import socket
import struct
import sys

FORMS = (r'socket,id=(\w+),fd=(\d+)', r'pmon-(msr),fd=(\d+)', r'pmon-(window),fd=(\d+)',
         r'x-pci-proxy-(?:express-)?dev,bus=\w+,addr=([\w.]+),.*fd=(\d+)')

CODE, TABLE, HANDLER = 0xffffffff81000000, 0xffffffff82000000, 0xffffffff81000800
WRITE, READ = CODE + 0x14, CODE + 0x20


def kernel_image():
    """An ELF file of one segment, and of the section that names both instructions."""
    names = b'\0__ex_table\0.shstrtab\0'
    table = b''.join(struct.pack('<iii', at - TABLE - 12 * i, 0, 9) for i, at in enumerate((WRITE, READ)))
    code = bytearray(0x100)
    code[0x14:0x16], code[0x20:0x22] = b'\x0f\x30', b'\x0f\x32'
    at = {'code': 0x100, 'table': 0x200, 'names': 0x240, 'sections': 0x280}
    image = bytearray(at['sections'] + 3 * 64)
    image[:64] = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1', 2, 62, 1, 0, 64, at['sections'], 0, 64, 56, 1, 64, 3, 2)
    image[64:120] = struct.pack('<IIQQQQQQ', 1, 5, at['code'], CODE, CODE, len(code), len(code), 1)
    for name, content in (('code', code), ('table', table), ('names', names)):
        image[at[name]:at[name] + len(content)] = content
    for i, words in enumerate(((1, 1, 2, TABLE, at['table'], len(table)), (12, 3, 0, 0, at['names'], len(names)))):
        image[at['sections'] + 64 * (i + 1):at['sections'] + 64 * (i + 2)] = struct.pack('<IIQQQQIIQQ', *words, 0, 0, 1, 0)
    return bytes(image)


class Debugged:
    """A guest's processor as QEMU's debugger interface shows it."""
    registers = [0] * 24
    refused = False

    def __init__(self, end):
        self.end, self.text = end, b''

    def send(self, packet):
        self.end.sendall(b'+$%s#%02x' % (packet, sum(packet) & 255))

    def answer(self, packet):
        if self.refused and packet != b'?':
            return b'E01'
        if packet == b'g':
            return b''.join(struct.pack('<Q', value).hex().encode() for value in self.registers)
        if packet[:1] == b'P':
            number, value = packet[1:].split(b'=')
            self.registers[int(number, 16)] = struct.unpack('<Q', bytes.fromhex(value.decode()))[0]
        if packet[:5] == b'vCont':
            # SVM's MSR accepts only the address of a page: any other value faults, and the guest enters its fault
            # handler.
            fault = self.registers[2] == 0xc0010117 and self.registers[0] & 0xfff
            self.registers[16] = HANDLER if fault else self.registers[16] + 2
        return b'T05thread:01;' if packet == b'?' or packet[:5] == b'vCont' else b'OK'

    def serve(self):
        """Until the guest goes on."""
        while True:
            match = re.search(rb'\x03|\$([^#]*)#..', self.text)
            if not match:
                more = self.end.recv(4096)
                if not more:
                    return
                self.text += more
                continue
            self.text = self.text[match.end():]
            if match[1] == b'c':
                return
            self.send(b'T02thread:01;' if match[1] is None else self.answer(match[1]))


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
        line = line_of(at['serial0' if word == 'hear' else 'monitor']).decode()
        if not line.startswith(rest):
            sys.exit('fake_qemu: %s is not %s' % (line.strip(), rest))
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
    elif word in ('debug', 'stop'):
        debugged = at.setdefault('debugged', Debugged(at['gdb']))
        debugged.refused = rest == 'refuse'
        if word == 'stop':
            rip, rcx, rax, rdx = ({'WRITE': WRITE, 'READ': READ}.get(w) or int(w, 0) for w in rest.split())
            debugged.registers[16], debugged.registers[2], debugged.registers[0], debugged.registers[3] = rip, rcx, rax, rdx
            debugged.send(b'T05thread:01;')
        debugged.serve()
        if word == 'stop':
            line = 'rip %x rcx %x rax %x rdx %x\n' % tuple(debugged.registers[i] for i in (16, 2, 0, 3))
            at['serial1'].sendall(line.encode())
    elif word == 'shell':
        os.system(rest)
    elif word == 'wait':
        while at['serial0'].recv(4096):
            pass
    elif word == 'end':
        os._exit(numbers[0])
    elif word == 'leave':
        code, _, text = rest.partition(' ')
        at['serial0'].sendall((text + '\n').encode())
        os.closerange(3, 1024)
        os.execv(sys.executable, [sys.executable, '-c', 'raise SystemExit(%s)' % code])
    else:
        sys.exit('fake_qemu: no step %s' % word)


def main():
    words = sys.argv[1:]
    if words[:1] == ['--kernel']:
        write_kernel(words[1], bytes.fromhex(words[2]) if len(words) > 2 else kernel_image())
    elif words == ['--version']:
        print('QEMU emulator version 0 (of a test)')
    else:
        at = ends(words)
        for line in os.environ['RESUMED' if '-incoming' in words else 'PLAN'].split('\n'):
            word, _, rest = line.strip().partition(' ')
            if word:
                step(at, word, rest)


main()
