#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Extracts the events of the Emerald Rapids guide (817509) from its text into data/audit/emr-UNIT.tsv.

    emr_guide.py GUIDE.txt FACTS.md DIRECTORY

A second transcription, independent of the fact files. Names, codes and counters come from the ordered-by-code tables,
unit masks from the tables of the event lists; a value is copied as the text shows it, even if a digit is lost.
data/audit/emr-differences.tsv has the differences with verdicts. FACTS.md lists events of Intel's event files that the
guide lacks; they follow the guide's rows.
"""
import re
import sys
import guide

SECTIONS = {'2.1': 'cms', '2.2': 'cha', '2.3': 'imc', '2.4': 'iio', '2.5': 'irp', '2.6': 'upi', '2.7': 'm2m',
            '2.8': 'm2pcie', '2.9': 'm3upi', '2.10': 'pcu', '2.11': 'mdf', '2.12': 'cxlcm'}
FACT_UNITS = {'UPI LL': 'upi', 'iMC': 'imc'}


def sections(lines):
    """Yields (unit, its lines) for each unit; CXL's two units follow each other in one section."""
    starts = []
    for i, line in enumerate(lines):
        match = re.match(r'(2\.\d+) \**[A-Z]', line)
        if match and match.group(1) in SECTIONS and not line.startswith('|'):
            starts.append((i, SECTIONS[match.group(1)]))
        if line.startswith('2.12.4 '):
            starts.append((i, 'cxldp'))
        if line.startswith('3 Reference for PMON'):
            starts.append((i, None))
            break
    for (begin, unit), (end, _) in zip(starts, starts[1:]):
        yield unit, lines[begin:end]


def ordered(lines):
    """Returns the rows (symbol, code, counters, table) of the ordered-by-code table; symbol '': lost in the text."""
    rows, table, named = [], None, True
    for line in lines:
        match = re.match(r'Table (2-\d+)\. (?:Directly )?Measured', line)
        if match:
            table = match.group(1)
        elif re.match(r'Table |2\.\d+\.\d+ ', line):
            table = None
        row = guide.cells(line) if table else None
        if not row:
            continue
        if 'Event Code' in row:
            named = 'Symbol Name' in row
            continue
        symbol, code, ctrs = (row + [''] * 3)[:3] if named else ([''] + row + [''])[:3]
        if re.fullmatch(r'0x[0-9A-Fa-f]+', code):
            rows.append((guide.name(symbol), int(code, 16), guide.counters(ctrs), table))
    return rows


class Event:
    """One entry of the event list: its head, and the rows of its umask table."""

    def __init__(self, title):
        self.title, self.code, self.counters, self.rows, self.table = title, None, '', [], ''


def listed(lines):
    """Returns the entries of the event list."""
    events, inside = [], False
    plain = [re.sub(r'[*•]', '', line).strip() for line in lines]
    for i, text in enumerate(plain):
        following = [t for t in plain[i + 1:i + 6] if t][:1]
        if re.fullmatch(r'[A-Za-z][\w ./]*', text) and following and re.match(r'Title\b', following[0]):
            events.append(Event(text.replace(' ', '_')))
            inside = False
            continue
        if not events:
            continue
        event = events[-1]
        match = re.search(r'Event Code:[\s.]*(0x[0-9A-Fa-f]+)', text)
        if match and event.code is None:
            event.code = int(match.group(1), 16)
        match = re.search(r'Register Restrictions ?:\s*([\d,-]+)', text)
        if match:
            event.counters = guide.counters(match.group(1))
        match = re.match(r'Table (2-\d+)\. ?Unit Masks for ([\w /]+?)(?: \(Sheet|$)', text)
        if match:
            inside = True
            event.table = match.group(1)
            if guide.key(match.group(2)) != guide.key(event.title):
                print(f'note: table {event.table} names {match.group(2)}, under {event.title}', file=sys.stderr)
        row = guide.cells(lines[i]) if inside else None
        if row and not row[0].startswith('Extension') and 'Extension' not in row:
            event.rows.append(row)
        elif row:
            event.columns = row
    return events


def mask(event, row):
    """Returns (name, umask, extension, text) of a row; None: the remains of a broken row."""
    if re.search(r'\bb[01x]{6,}$', row[0]):                     # name and pattern in one cell
        row = row[0].split()[:2] + row[1:]
    if len(row) > 2 and not guide.digits(row[1]) and len(guide.digits(row[2])) > 5:      # a name split over two cells
        row = [row[0] + row[1].lstrip('_')] + row[2:]
    xtra = row[2] if len(row) > 2 and any(c.startswith('xtra') for c in event.columns) else ''
    value = guide.number(row[1]) if len(row) > 1 else None
    if value is None or not row[0]:
        return None
    extension = guide.number(xtra) if xtra else 0
    if '[50:36]' in ' '.join(event.columns):                    # IIO: three digits of fc_mask, then twelve of ch_mask
        parts = re.match(r'b([01x]{3}) (b.*)', xtra)
        if parts:
            extension = guide.number(parts.group(1)) << 12 | guide.number(parts.group(2))
    return guide.name(row[0]), value, extension, ' | '.join(c for c in (row[1], xtra) if c)


def transcribe(unit, lines):
    """Returns all rows of a unit; event names are those of the ordered-by-code table."""
    codes, rows, seen = ordered(lines), [], set()
    for event in listed(lines):
        same = [c for c in codes if c[0] and guide.key(c[0]) == guide.key(event.title)]
        same = same or [c for c in codes if not c[0] and c[1] == event.code]
        same = [c for c in same if c[1] == event.code] or same
        symbol, code, ctrs, table = same[0] if same else (guide.name(event.title), None, '', '')
        symbol = symbol or guide.name(event.title)
        if same and event.code is not None and event.code != code:
            print(f'note: {unit} {symbol}: list 0x{event.code:x}, ordered table 0x{code:x}', file=sys.stderr)
        seen.update(same[:1])
        code = event.code if event.code is not None else code
        ctrs = ctrs or event.counters
        where = ' '.join('Table ' + t for t in (table, event.table) if t) or 'event list'
        masks = [m for m in (mask(event, row) for row in event.rows) if m]
        if event.rows and len(masks) < len(event.rows):
            lost = [row for row in event.rows if not mask(event, row)]
            print(f'note: {unit} {symbol}: no row: {lost}', file=sys.stderr)
        for name, value, extension, text in masks or [('', 0, 0, '')]:
            rows.append((unit, symbol, name, f'0x{code:x}' if code is not None else '', f'0x{value:x}',
                         f'0x{extension:x}' if extension is not None else '?', ctrs, where, text))
    for symbol, code, ctrs, table in codes:
        if (symbol, code, ctrs, table) not in seen:
            rows.append((unit, symbol or '?', '', f'0x{code:x}', '0x0', '0x0', ctrs, 'Table ' + table, ''))
    return rows, len(codes)


def beyond(path):
    """Returns the events of the facts that no guide has: {unit: rows}. Section 10.1 and, for the UBox, 4.2."""
    result, section = {}, ''
    for line in open(path, encoding='utf-8'):
        section = line.split()[1] if line.startswith('#') else section
        row = guide.cells(line)
        if section == '10.1' and row and re.match(r'0x', row[2]):
            unit = FACT_UNITS.get(row[0], row[0].lower())
            for item in row[4].split(', '):
                match = re.fullmatch(r'([\w.-]+)=(0x\w+)(?: \+(0x\w+)| ch (0x\w+) fc (0x\w+))?', item.strip())
                if not match:
                    print(f'note: {row[1]}: {item}', file=sys.stderr)
                    continue
                ext = int(match[3] or '0', 16) | int(match[5] or '0', 16) << 12 | int(match[4] or '0', 16)
                umask = '' if match[1] == '-' else match[1]
                result.setdefault(unit, []).append((unit, row[1], umask, f'0x{int(row[2], 16):x}',
                                                    f'0x{int(match[2], 16):x}', f'0x{ext:x}',
                                                    guide.counters(row[3]), 'facts 10.1', ''))
        if section == '4.2' and row and len(row) > 2 and re.match(r'0x', row[1]):
            event, _, umask = row[0].partition('.')
            result.setdefault('ubox', []).append(('ubox', event, umask, f'0x{int(row[1], 16):x}',
                                                  f'0x{int(row[2], 16):x}',
                                                  '0x0', guide.counters(row[3]), 'facts 4.2', ''))
    return result


def metrics(unit, lines):
    """Yields the rows (unit, metric, equation, table) of the tables of derived events."""
    table = None
    for line in lines:
        match = re.match(r'Table (2-\d+)\. .*(?:Metrics|Calculat)', line)
        if match or re.match(r'Table |2\.\d+\.\d+ ', line):
            table = match[1] if match else None
        row = guide.cells(line) if table else None
        if row and ':' in row[0] and not row[0].startswith('Symbol'):
            equation = ' '.join(row[1:]).strip().replace('COUNTERO_', 'COUNTER0_')
            yield unit, guide.name(row[0].split(':')[0]), equation, 'Table ' + table


def main(text, facts, directory):
    """Writes one file per unit, and the numbers of rows of the ordered-by-code tables."""
    lines = open(text, encoding='utf-8').read().splitlines()
    first = max(i for i, line in enumerate(lines) if line.startswith('2.1.1 Mesh'))
    lines = lines[first - 20:]
    extra, counts, equations = beyond(facts), [], []
    for unit, part in list(sections(lines)) + [('ubox', [])]:
        rows, n = transcribe(unit, part)
        counts.append((unit, n))
        equations += metrics(unit, part)
        guide.write(f'{directory}/emr-{unit}.tsv', guide.COLUMNS, rows + extra.get(unit, []),
                    'Read from the text of 817509 by tests/audit/emr_guide.py; not edited by hand.')
    guide.write(f'{directory}/emr-metrics.tsv', ('unit', 'metric', 'equation', 'table'), equations,
                'Tables of derived events of 817509, by tests/audit/emr_guide.py.')
    guide.write(f'{directory}/emr-counts.tsv', ('unit', 'events'), counts,
                'Rows of the ordered-by-code tables of 817509, by tests/audit/emr_guide.py.')


if __name__ == '__main__':
    main(*sys.argv[1:])
