#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Extracts the events of the E5-2600 guide (327043) from its text into data/audit/snbep-UNIT.tsv.

    snbep_guide.py GUIDE.txt FACTS.md DIRECTORY

The text runs the columns of its tables together: `RxR_OCCUPANCY0x11020Ingress` is code 0x11, counter 0, increment 20.
Its pages end in the middle of the QPI events; the lost rows, and all of the UBox, R2PCIe and R3QPI, come from the
tables of FACTS.md, which the column `table` shows.
"""
import re
import sys
import guide

UNITS = {'CBO': 'cbo', 'HA': 'ha', 'iMC': 'imc', 'PCU': 'pcu', 'Intel® QPI LL': 'qpi'}
FACTS = {'2': 'ubox', '3': 'cbo', '4': 'ha', '5': 'imc', '6': 'pcu', '7': 'qpi', '8': 'r2pcie', '9': 'r3qpi'}
EXTRA = {'pcu', 'qpi'}                    # their tables have a column for the extra select bit
COLUMNS = guide.COLUMNS[:7] + ('max_inc',) + guide.COLUMNS[7:]


class Event:
    """The guide's data on an event: the head of its entry, or its row in the table of codes, and its umasks."""

    def __init__(self, name):
        self.name, self.code, self.extra, self.counters, self.increment = name, None, 0, '', ''
        self.masks, self.tables = [], []


def coded(text, unit):
    """Parses a row of a table of codes, whose columns run together; None for other lines."""
    extra = '([01])' if unit in EXTRA else '()'
    match = re.match(r'(\w+?)0x([0-9A-F]{2})' + extra + r'(\d-\d|\d)(\d*)(?=\D|$)', text)
    if not match:
        return None
    event = Event(match[1])
    event.code, event.extra = int(match[2], 16), int(match[3] or 0)
    event.counters, event.increment = guide.counters(match[4]), match[5]
    return event


def head(event, text):
    """Stores the data in a line of an entry's head."""
    match = re.match(r'• Event Code: (0x\w+)', text)
    if match:
        event.code = int(match[1], 16)
    if re.match(r'• Extra Select Bit: Y', text):
        event.extra = 1
    match = re.match(r'• Max\. Inc/Cyc: ?(\d*),? *Register Restrictions: ?([\d,-]*)', text)
    if match:
        event.increment, event.counters = match[1], guide.counters(match[2])


def read(lines):
    """Returns {unit: {name: event}} of the text, and the number of rows of the tables of codes."""
    units, counts, unit, table, current = {}, {}, None, None, None
    for i, text in enumerate(lines):
        match = re.match(r'Table (2-\d+)\. ?Performance Monitor Events for (.+?)(?: \(Sheet|$)', text)
        if match:
            unit, table, current = UNITS[match[2].strip()], match[1], None
        elif re.match(r'2\.\d+\.\d+ ?[A-Z]|Table 2-\d+\. ?Metrics', text):
            table = None
        known = units.setdefault(unit, {}) if unit else {}
        row = coded(text, unit) if table else None
        if row:
            row.tables = [table]
            known[row.name] = row
            counts[unit] = counts.get(unit, 0) + 1
        if i + 1 < len(lines) and lines[i + 1].startswith('• Title:') and re.fullmatch(r'\w+', text):
            entry = Event(text)
            known.setdefault(text, entry)
            current = (known[text], entry)
        if not current or table:
            continue
        head(current[1], text)
        match = re.match(r'Table (2-\d+)\. Unit Masks for', text)
        if match and match[1] not in current[0].tables:
            current[0].tables.append(match[1])
        match = re.match(r'([A-Z][\w.]*?)b([01x]{8})', text)
        if match:
            current[0].masks.append((match[1], int(match[2].replace('x', '0'), 2), 'b' + match[2]))
        if text.startswith('• Definition'):
            agree(*current)
    return units, counts


def agree(table, entry):
    """Merges two places of the guide: if they differ, the table's value is used and a note printed."""
    if table is entry:
        return
    for name in ('code', 'extra', 'counters', 'increment'):
        a, b = getattr(table, name), getattr(entry, name)
        if a != b:
            print(f'note: {table.name} {name}: table {a}, list {b}', file=sys.stderr)


def facts(path):
    """Returns rows of the facts' tables: events (unit, name, code, counters, increment), umasks (unit, event, name,
    value)."""
    events, masks, unit = [], [], None
    for line in open(path, encoding='utf-8'):
        match = re.match(r'## (\d+) ', line)
        unit = FACTS.get(match[1]) if match else unit
        row = guide.cells(line)
        if unit and row and len(row) >= 5 and re.match(r'0x', row[1]):
            code = int(row[1], 16)
            events.append((unit, row[0], code & 0xff, code >> 8, guide.counters(row[2]), row[3].strip('?')))
        elif unit and row and len(row) >= 3 and re.match(r'0x', row[2]):
            masks.append((unit, row[0], row[1], int(row[2], 16)))
    return events, masks


def complete(units, path):
    """Adds events that the text lacks."""
    events, masks = facts(path)
    for unit, name, code, extra, counters, increment in events:
        known = units.setdefault(unit, {})
        if name not in known:
            known[name] = event = Event(name)
            event.code, event.extra, event.counters, event.increment = code, extra, counters, increment
            event.tables = ['facts']
        elif (known[name].code, known[name].extra) != (code, extra):
            print(f'note: {unit} {name}: text 0x{known[name].code:x}, facts 0x{code:x}', file=sys.stderr)
    for unit, event, name, value in masks:
        known = units[unit][event]
        have = [m for m in known.masks if m[0] == name]
        if not have:
            known.masks.append((name, value, 'facts'))
        elif have[0][1] != value:
            print(f'note: {unit} {event}.{name}: text 0x{have[0][1]:x}, facts 0x{value:x}', file=sys.stderr)


def messages(text, path):
    """Returns (unit, event, umask, match, mask) of the packets in Table 2-92 that CTO_COUNT can count; cells that the
    text lacks, and those with RDS, come from the facts' section 11.4."""
    rows, inside = {}, False
    for line in open(text, encoding='utf-8'):
        inside = 'Table 2-92' in line or (inside and not line.startswith('2.7.3.4'))
        match = re.match(r'(DRS|NCB)\.(\w+?)(0x1[0-9A-F]{3})(0x1[0-9A-F]{3})', line) if inside else None
        if match:
            rows[match[1], match[2]] = (int(match[3], 16), int(match[4], 16), '', '', 'Table 2-92')
    section = ''
    for line in open(path, encoding='utf-8'):
        section = line.split()[1] if line.startswith('#') else section
        row = guide.cells(line) if section == '11.4' else None
        if row and row[1].startswith('0x'):
            event, _, name = row[0].split()[0].partition('.')
            rows[event, name] = (int(row[1], 16), int(row[2], 16), row[3].lower(), row[4].lower(), 'facts 11.4')
    return [('qpi', *key, f'0x{v[0]:x}', f'0x{v[1]:x}', *v[2:]) for key, v in rows.items()]


def printed_metrics(text):
    """Yields the rows (unit, metric, equation, table) of Tables 2-41 and 2-82: the text has their names first, then as
    many equations, in the same order. The text lacks the equations of the other tables."""
    places, unit, names, found = {'HA': 'ha', 'PCU': 'pcu'}, None, [], []
    for line in open(text, encoding='utf-8'):
        match = re.match(r'Table (2-\d+)\. Metrics Derived from (\w+)', line)
        if match or line.startswith('•'):
            if unit and len(names) == len(found):
                yield from ((unit, name, equation, table) for name, equation in zip(names, found))
            unit, names, found = places.get(match[2]) if match else None, [], []
            table = 'Table ' + match[1] if match else ''
        name = re.match(r'([A-Z][A-Z0-9_]+):$', line.strip())
        if unit and name:
            names.append(name[1])
        elif unit and re.fullmatch(r'[A-Z][\w.]+ / [A-Z]\w+', line.strip()):
            found.append(line.strip())


def metrics(path):
    """Yields the rows (unit, metric, equation, table) of the facts' section 10."""
    units = {'CBO': 'cbo', 'HA': 'ha', 'iMC': 'imc', 'PCU': 'pcu', 'QPI_LL': 'qpi', 'R2PCIe': 'r2pcie'}
    unit = None
    for line in open(path, encoding='utf-8'):
        match = re.match(r'### (\w+)$', line.strip())
        unit = units.get(match[1]) if match else None if line.startswith('#') else unit
        row = guide.cells(line)
        if unit and row and len(row) == 3 and row[0] != 'metric':
            yield unit, row[0], row[1].strip('`-'), 'facts 10'


def values(text, path):
    """Yields the rows (list, name, value, table): Table 2-13; packet classes and opcodes from the facts' section 11."""
    inside = False
    for line in open(text, encoding='utf-8'):
        inside = 'Table 2-13.' in line or (inside and not line.startswith('2.3.4'))
        match = re.match(r'(0x1[0-9A-F]{2})([A-Z][A-Za-z]*?)(?=[A-Z][a-z]+ |PCIe|Streaming|$)', line)
        if match and inside:
            yield 'CBO_OPC', match[2], match[1].lower(), 'Table 2-13'
    section = ''
    for line in open(path, encoding='utf-8'):
        section = line.split()[1] if line.startswith('#') else section
        row = guide.cells(line)
        if section == '11.1' and row and re.match(r'b[01]{4}$', row[0]):
            yield 'QPI_MC', row[1], f'0x{int(row[0][1:], 2):x}', 'facts 11.1'
        if section == '11.2' and row and re.match(r'b[01]{4}$', row[1]):
            yield 'QPI_OPC_' + row[0], row[2], f'0x{int(row[1][1:], 2):x}', 'facts 11.2'


def main(text, path, directory):
    """Writes one file per unit, and the numbers of rows of the tables of codes."""
    units, counts = read(open(text, encoding='utf-8').read().splitlines())
    complete(units, path)
    for unit, events in units.items():
        rows = []
        for event in events.values():
            where = ' '.join(t if t == 'facts' else 'Table ' + t for t in event.tables) or 'event list'
            for name, value, printed in event.masks or [('', 0, '')]:
                rows.append((unit, event.name, name, f'0x{event.code:x}', f'0x{value:x}', f'0x{event.extra:x}',
                             event.counters, event.increment, where, printed))
        guide.write(f'{directory}/snbep-{unit}.tsv', COLUMNS, rows,
                    'Read from the text of 327043, completed by its facts, by tests/audit/snbep_guide.py.')
    guide.write(f'{directory}/snbep-messages.tsv',
                ('unit', 'event', 'umask', 'match0', 'mask0', 'match_rds', 'mask_rds', 'table'), messages(text, path),
                'Table 2-92 of 327043, completed by its facts, by tests/audit/snbep_guide.py.')
    guide.write(f'{directory}/snbep-metrics.tsv', ('unit', 'metric', 'equation', 'table'),
                list(printed_metrics(text)) + list(metrics(path)),
                'Equations of derived events of 327043 and of its facts, by tests/audit/snbep_guide.py.')
    guide.write(f'{directory}/snbep-values.tsv', ('list', 'name', 'value', 'table'), list(values(text, path)),
                'Opcodes of 327043 and of its facts, by tests/audit/snbep_guide.py.')
    guide.write(f'{directory}/snbep-counts.tsv', ('unit', 'events'), sorted(counts.items()),
                'Rows of the tables of codes in the text of 327043, by tests/audit/snbep_guide.py.')


if __name__ == '__main__':
    main(*sys.argv[1:])
