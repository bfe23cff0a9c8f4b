#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Extracts registers of the Emerald Rapids guide (817509) from its text: their addresses, from Tables 1-8 to 1-12 and
2-231, into data/audit/emr-addresses.tsv; their fields, from the tables of field definitions, into
data/audit/emr-fields.tsv; the opcodes of chapter 3 into data/audit/emr-values.tsv.

    emr_registers.py GUIDE.txt DIRECTORY
"""
import re
import sys
import guide

ORDER = ('unit_status', 'unit_ctl', 'ctr3', 'ctr2', 'ctr1', 'ctr0', 'ctl3', 'ctl2', 'ctl1', 'ctl0')
GLOBAL = {'Global Control': ('global_ctl0',), 'Global Status': ('global_status0', 'global_status1'),
          'UCLK Fixed Counter Control': ('fixed_ctl0',), 'UCLK Fixed Counter': ('fixed_ctr0',)}
# `mc` is TC, misread by text recognition.
MSR_BLOCKS = {'CHA': 'cha', 'MDF Blocks': 'mdf', 'M2PCIe*': 'm2pcie', 'IRP': 'irp', 'TC': 'iio', 'mc': 'iio',
              'PCU': 'pcu'}
PCI_BLOCKS = {'M2M': 'm2m', 'M2UPI': 'm3upi', 'UPILL': 'upi'}
# The layout of the fact files for each table; a second name: that layout with these rows replacing its own.
LAYOUTS = {'1-1': ('GLOBAL_CTL', ''), '1-3': ('UNIT_CTL', ''), '1-5': ('CTL', ''), '1-6': ('CTR', ''),
           '2-72': ('CHA_CTL', 'CTL'), '2-73': ('TOR_FILTER', ''), '2-74': ('LLC_LOOKUP_FILTER', ''),
           '2-75': ('CHA_FILTER', ''), '2-129': ('DCLK_FIXED_CTL', ''), '2-130': ('IMC_CTR', ''),
           '2-131': ('IMC_FRCTR', ''), '2-184': ('IIO_CTL', 'CTL'), '2-185': ('IIO_FRCTR', ''),
           '2-212': ('UPI_RATE_STATUS', ''), '2-213': ('UPI_LINK_IDLE', ''), '2-214': ('UPI_LINK_LLR', ''),
           '2-232': ('M2M_OPCODE_MM', ''), '2-233': ('M2M_ADDR0', ''), '2-234': ('M2M_ADDR1', ''),
           '2-419': ('PCU_FILTER', '')}
ACCESS = {'RV': 'rsvd', 'RW': 'rw', 'RW-V': 'rw', 'RW/V': 'rw', 'WO': 'wo', 'RO-V': 'ro', 'RW1C': 'w1c'}


def tables(lines):
    """Yields (number, cells) of every row of every table, until the next heading or table."""
    table = None
    for line in lines:
        match = re.match(r'Table (\d-\d+)\.', line)
        if match:
            table = match[1]
        elif re.match(r'\d+\.\d+(\.\d+)* ', line):
            table = None
        row = guide.cells(line)
        if table and row:
            yield table, row


def hexes(row):
    """Returns the addresses in a row without blanks; '' for an empty cell."""
    values = [re.sub(r'\s', '', c).lower() for c in row]
    return [v if re.fullmatch(r'(0x)?[0-9a-f]+', v) else '' for v in values]


def msr(rows):
    """Yields the rows of Tables 1-8 to 1-11."""
    unit = None
    for table, row in rows:
        if table == '1-8' and row[0].startswith('0x'):
            for name, address in zip(GLOBAL[row[1]], row[0].split(',')):
                yield 'ubox', 0, name, f'msr {address.lower()}', table
        if table == '1-9':
            label = row[0].strip()
            if label in MSR_BLOCKS:
                unit = MSR_BLOCKS[label]
            values = hexes(row[1:])
            if unit and len(values) >= 10 and values[0]:
                number = re.search(r'(\d+)$', label)
                instance = int(number[1]) if number else 0
                for name, value in zip(ORDER, values):
                    if value:
                        yield unit, instance, name, f'msr {value}', table
                if len(values) > 10 and values[10]:
                    owner, name = ('iio', 'free0') if unit == 'irp' else (unit, 'filter0')
                    yield owner, instance, name, f'msr {values[10]}', table
        if table in ('1-10', '1-11') and row[0].startswith('M2IOSF'):
            for port, value in enumerate(reversed(hexes(row[1:9]))):
                number = port + (1 if table == '1-10' else 9)
                yield 'iio', int(row[0].split()[1]), f'free{number}', f'msr {value}', table


def others(rows):
    """Yields the rows of Tables 1-12 and 2-231."""
    devices = {}
    for table, row in rows:
        label = re.sub(r'[\s]', '', row[0])
        text = ' '.join(row)
        match = re.search(r'B:? ?30:D(\d+):F(\d)', text)
        if table == '1-12' and match and 'MEM' not in text:
            unit = 'm2m' if label.startswith('M2M') else 'm3upi' if label.startswith('M2UPI') else 'upi'
            devices.setdefault(unit, []).append((int(match[1]), int(match[2])))
        values = hexes(row[1:])
        if table == '1-12' and label.startswith('Channel'):
            for controller in range(4):
                instance = 2 * controller + int(label[-1])
                for name, value in zip(ORDER + ('fixed_ctl0', 'fixed_ctr0'), values):
                    yield 'imc', instance, name, f'mmio MEM{controller}+{value}', table
        if table == '1-12' and label in PCI_BLOCKS and values[0]:
            unit = PCI_BLOCKS[label]
            for instance, (device, function) in enumerate(devices[unit]):
                for name, value in zip(ORDER, values):
                    yield unit, instance, name, f'pci 30:{device}.{function} {value}', table
        if table == '1-12' and len([v for v in values if v]) == 3 and not label:
            free = [v for v in values if v]
            for instance in range(8):
                for number, value in enumerate(free):
                    yield 'imc', instance, f'free{number}', f'mmio MEM{instance // 2}+{value}', table
        if table == '2-231' and row[0].startswith('M2Mn_'):
            for instance, (device, function) in enumerate(devices['m2m']):
                yield 'm2m', instance, row[0], f'pci 30:{device}.{function} 0x{row[1].lower()}', table


def fields(rows):
    """Returns the rows (layout, field, hi, lo, access, reset, table), completed where one layout refers to another."""
    layouts = {}
    for table, row in rows:
        if table not in LAYOUTS or len(row) < 4:
            continue
        match = re.match(r'(\d+)(?::(\d+))?(?: (\w+) (\S+) |$)', row[1] + (' ' if ' ' in row[1] else ''))
        if not row[0] or not match:
            continue
        high, low = sorted((int(match[1]), int(match[2] or match[1])), reverse=True)
        name = re.sub(r'\(.*', '', row[0].translate(guide.LATIN)).strip().replace(' ', '_').lower()
        access, reset = (match[3], match[4]) if match[3] else (row[2], row[3].split()[0] if row[3] else '')
        access = 'ign' if name == 'ig' else ACCESS.get(access, access)
        reset = int(reset[:-1], 2) if re.fullmatch(r'[01]+b', reset) else reset
        layouts.setdefault(LAYOUTS[table][0], []).append((name, high, low, access, reset, 'Table ' + table))
    for layout, like in LAYOUTS.values():
        own = layouts.get(layout, [])
        for row in layouts.get(like, []):
            if not any(low <= row[1] and row[2] <= high for _, high, low, *_ in own):
                own.append(row)
    return [(layout, *row) for layout, rows in layouts.items() for row in rows]


OPCODE_CLASSES = {'REQ': 'UPI_OPC_REQ', 'SNP': 'UPI_OPC_SNP', 'RSP2-NODATA': 'UPI_OPC_RSP_NODATA',
                  'RSP4-DATA': 'UPI_OPC_RSP_DATA', 'WB': 'UPI_OPC_WB', 'NCB': 'UPI_OPC_NCB', 'NCS': 'UPI_OPC_NCS'}


def values(rows):
    """Yields the rows (list, name, value, table): opcodes of chapter 3, with the list names of the fact files."""
    classes = []
    for table, row in rows:
        where = 'Table ' + table
        if table in ('3-1', '3-2', '3-3', '3-4', '3-5') and re.match(r'0x[0-9A-Fa-f]{3}$', row[0]):
            yield 'CHA_OPC', guide.name(row[1]), row[0].lower(), where
        if table == '3-6' and re.match(r'b[01]{4}$', row[0]) and row[1]:
            name = guide.name(row[1]).replace('-', '_')
            yield 'UPI_CLASS', name, f'0x{int(row[0][1:], 2):x}', where
        if table == '3-7' and not re.match(r'[01]{4}$', row[0]):
            classes = [OPCODE_CLASSES.get(guide.name(c).upper(), '') for c in row[1:]]
        elif table == '3-7':
            for owner, name in zip(classes, row[1:]):
                if owner and name:
                    name = re.sub(r'<.*?>|\(.*', '', name)
                    yield owner, guide.name(name) or '(change)', f'0x{int(row[0], 2):x}', where


def main(text, directory):
    """Writes the files."""
    rows = list(tables(open(text, encoding='utf-8').read().splitlines()))
    about = 'of 817509, read from its text by tests/audit/emr_registers.py.'
    guide.write(f'{directory}/emr-addresses.tsv', ('unit', 'instance', 'register', 'address', 'table'),
                list(msr(rows)) + list(others(rows)), 'Addresses ' + about)
    guide.write(f'{directory}/emr-fields.tsv', ('layout', 'field', 'hi', 'lo', 'access', 'reset', 'table'),
                fields(rows), 'Fields ' + about)
    guide.write(f'{directory}/emr-values.tsv', ('list', 'name', 'value', 'table'), list(values(rows)),
                'Opcodes ' + about)


if __name__ == '__main__':
    main(*sys.argv[1:])
