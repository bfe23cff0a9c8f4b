#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Extracts registers of the E5-2600 guide (327043) from its text and the tables that restore its lost rows: addresses
into data/audit/snbep-addresses.tsv, fields into data/audit/snbep-fields.tsv, by the name of the register.

    snbep_registers.py GUIDE.txt FACTS.md DIRECTORY
"""
import re
import sys
import guide

BOXES = {'HA': ('ha', 0), 'iMC channel': ('imc', None), 'QPI port': ('qpi', None), 'R2PCIe': ('r2pcie', 0),
         'R3QPI link': ('r3qpi', None)}
ACCESS = {'RV': 'rsvd', 'RW': 'rw', 'RW-V': 'rw', 'WO': 'wo', 'RO-V': 'ro', 'RO': 'ro'}


def msr(lines):
    """Yields the control registers of Tables 2-8 and 2-73."""
    for line in lines:
        match = re.match(r'(?:C(\d)|PCU)_MSR_PMON_(BOX_CTL|CTL\d)0x0([0-9A-F]{3})', line)
        if match:
            name = 'unit_ctl' if match[2] == 'BOX_CTL' else match[2].lower()
            yield 'cbo' if match[1] else 'pcu', int(match[1] or 0), name, f'msr 0x{match[3].lower()}', 'Table'


def lost_msr(rows):
    """Yields the facts' section 1.1: counters, filters and the UBox, whose rows the text lacks."""
    for box, register, address in rows:
        first = int(re.match(r'0x([0-9A-F]+)', address)[1], 16)
        name = re.sub(r'.*_PMON_', '', register).split(' ')[0]
        match = re.match(r'(CTL|CTR)0(?:\.\.(\d))?', name)
        for box_number in range(8 if box.startswith('CBo') else 1):
            unit, base = box.split()[0].lower(), first + 0x20 * box_number
            if match:
                for i in range(int(match[2] or 1) + 1):
                    yield unit, box_number, f'{match[1].lower()}{i}', f'msr 0x{base + i:x}', 'facts 1.1'
            else:
                plain = {'FIXED_CTL': 'fixed_ctl0', 'FIXED_CTR': 'fixed_ctr0', 'BOX_FILTER': 'filter0'}
                yield unit, box_number, plain.get(name, name), f'msr 0x{base:x}', 'facts 1.1'


def pci(rows, lines):
    """The facts' section 1.2, and the filters of the HA and QPI whose addresses the text has. The bus is 63, as the
    fact files call the uncore's: the guide gives none."""
    names = {}
    for line in lines:
        match = re.match(r'(HA_PCI_PMON_BOX_[A-Z]+MATCH[01]?)([0-9A-F]{2})32', line) or \
                re.match(r'(Q_Py_PCI_PMON_PKT_[A-Z]+[01])([0-9A-F]{3})32', line) or \
                re.match(r'(QPI_RATE_STATUS)0x([0-9A-F]{2})32', line)
        if match:
            names[match[1]] = int(match[2], 16)
    like = None
    for box, place, _, control, controls, counters, _ in rows:
        kind = re.match(r'[A-Za-z0-9]+(?: [a-z]+)?', box)[0]
        if kind not in BOXES:
            continue
        unit, instance = BOXES[kind]
        instance = int(box.split()[-1]) if instance is None else instance
        like = (control, controls, counters) if control != 'same' else like
        device = 'pci 63:' + place.replace(':', '.')
        yield unit, instance, 'unit_ctl', f'{device} 0x{like[0].lower()}', 'facts 1.2'
        for i, offset in enumerate(like[1].split()):
            yield unit, instance, f'ctl{i}', f'{device} 0x{offset.lower()}', 'facts 1.2'
        for i, pair in enumerate(like[2].split()):
            yield unit, instance, f'ctr{i}', f'{device} 0x{pair.split("/")[0].lower()}', 'facts 1.2'
        if unit == 'imc':
            yield unit, instance, 'fixed_ctl0', f'{device} 0xf0', 'Table 2-59'
            yield unit, instance, 'fixed_ctr0', f'{device} 0xd0', 'Table 2-59'
        for name, offset in names.items():
            if unit == {'HA': 'ha', 'Q_': 'qpi', 'QP': 'qpi'}[name[:2]]:
                at = device if unit == 'ha' else re.sub(r'\.2$', '.0' if name[:2] == 'QP' else '.6', device)
                yield unit, instance, name, f'{at} 0x{offset:x}', 'Table'


def fields(lines):
    """Yields the rows (register, field, hi, lo, access, reset, table) of the field tables, whose columns run
    together."""
    register, table = None, ''
    for line in lines:
        match = re.match(r'Table (2-\d+)\. ?(\w+?)(\{[^}]*\})? Re ?g ?i? ?ster', line.replace('Regi ster', 'Register'))
        if match:
            register, table = match[2], 'Table ' + match[1]
        elif re.match(r'2\.\d+\.\d+|Table |• ', line):
            register = None
        kinds = r'(RW-V|RW|RV|WO|RO-V|RO)([01])?(?![\w-])'
        match = re.match(r'([a-z]+(\d+)_(\d+))\2:\3' + kinds, line) or \
            re.match(r'([A-Za-z][A-Za-z_]*)(\d+)(?::(\d+))?' + kinds, line)       # a name may end in its own bits
        if match and register:
            yield (register, match[1].lower(), match[2], match[3] or match[2], ACCESS[match[4]], match[5] or '0', table)


def main(text, path, directory):
    """Writes both files."""
    lines = open(text, encoding='utf-8').read().splitlines()
    section, parts = '', {'1.1': [], '1.2': []}
    for line in open(path, encoding='utf-8'):
        section = line.split()[1] if line.startswith('#') else section
        row = guide.cells(line)
        if section in parts and row and row[0] not in ('box',):
            parts[section].append(row)
    about = 'of 327043 and its facts, by tests/audit/snbep_registers.py.'
    addresses = list(msr(lines)) + list(lost_msr(parts['1.1'])) + list(pci(parts['1.2'], lines))
    guide.write(f'{directory}/snbep-addresses.tsv', ('unit', 'instance', 'register', 'address', 'table'), addresses,
                'Addresses ' + about)
    guide.write(f'{directory}/snbep-fields.tsv', ('layout', 'field', 'hi', 'lo', 'access', 'reset', 'table'),
                fields(lines), 'Fields ' + about)


if __name__ == '__main__':
    main(*sys.argv[1:])
