#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Extracts Montecito's monitors from the text of its manual into data/audit/montecito-list.tsv and -codes.tsv.

    montecito_guide.py GUIDE.txt DIRECTORY

The list is section 4.15, one row per event with an umask; the codes are Table 4-42, one row per event.
"""
import re
import sys
import guide

LIST = ('unit', 'event', 'umask', 'code', 'umask_value', 'any', 'max_inc', 'type', 'iar', 'dar', 'opm', 'table')
CODES = ('unit', 'event', 'umask', 'code', 'max_inc', 'type', 'iar', 'dar', 'opm', 'table')


def plain(line):
    """Returns a line without the marks of headings, bold text and escapes."""
    return re.sub(r'[*#\\]', '', line).strip()


def codes(lines):
    """Returns the rows of Table 4-42."""
    rows = []
    for line in lines:
        cells = [c.strip() for c in line.split('\t')]
        if len(cells) >= 7 and re.fullmatch(r'0x[0-9a-f]{2}( 0x[0-9a-f]{2})?', cells[1]):
            iar, dar, opm, increment, kind = (c.lower().replace('n/a', '') for c in cells[2:7])
            rows.append(('pmu', cells[0], '*', f'0x{int(cells[1][:4], 16):x}', increment, kind.upper(), iar, dar, opm,
                         'Table 4-42'))
    return rows


def entries(lines):
    """Returns the rows of 4.15: each entry's head, and its umasks except those that count nothing."""
    rows, head, table, masks = [], None, '', []

    def finish():
        for name, text in masks or ([('', '')] if head else []):
            digits = guide.digits(text)
            value = int(digits.replace('x', '0') or '0', 2)
            unread = int(''.join('1' if d == 'x' else '0' for d in digits) or '0', 2)
            rows.append(('pmu', head['name'], name, head['code'], f'0x{value:x}', f'0x{unread:x}', head['increment'],
                         head['type'], *head['qualifiers'], ('4.15 ' + table).strip()))

    for i, line in enumerate(lines):
        text = plain(line)
        following = [plain(t) for t in lines[i + 1:i + 4] if t.strip()][:1]
        if re.fullmatch(r'[A-Z][A-Z0-9_]+', text) and following and following[0].startswith('- Title:'):
            finish()
            head = {'name': text, 'code': '', 'increment': '', 'type': '', 'qualifiers': ('', '', '')}
            table, masks = '', []
        match = re.search(r'IAR/DAR/OPC: ?([YN]) ?/? ?([YN]) ?/? ?([YN])', text)
        if match and head:
            head['qualifiers'] = tuple(q.lower() for q in match.groups())
        match = re.search(r'Event Code: ?(0x[0-9a-f]+)', text)
        if match and head:
            head['code'] = f'0x{int(match[1], 16):x}'
            head['increment'] = (re.search(r'Inc/Cyc: ?(\d+)', text) or [0, ''])[1]
            head['type'] = (re.search(r'Type: ?([AFSC])', text) or [0, ''])[1]
        match = re.match(r'Table (4-\d+)\. Unit Masks for', text)
        if match:
            table = 'Table ' + match[1]
        cells = [c.strip() for c in line.split('\t')]
        if table and len(cells) > 1 and guide.digits(cells[1]) and not cells[0].startswith('--'):
            masks.append((guide.name(plain(cells[0])), cells[1]))
    finish()
    return rows


def equations(text):
    """Returns the equations of a cell without typesetting marks; some cells have two, joined by `or`."""
    text = re.sub(r'\\frac\{([^}]*)\}\{([^}]*)\}', r'\1 / \2', text)
    return [e.strip() for e in re.sub(r'[$\\]|\*\*|<.*?>', '', text).split(' or ')]


def metrics(lines):
    """Rows (unit, metric, equation, table) of the tables of derived monitors. A second equation gets the metric's name
    and the last word of what it divides by."""
    table, inside = '', False
    for line in lines:
        match = re.match(r'Table (4-\d+)\. ', plain(line))
        table = match[1] if match else table
        cells = [c.strip() for c in line.split('\t')]
        if len(cells) < 3:
            inside = inside and not line.strip()
        elif cells[-1] == 'Equation':
            inside = True
        elif inside:
            name, found = guide.name(plain(cells[0])), equations(' '.join(cells[2:]))
            yield 'pmu', name, found[0], 'Table ' + table
            for other in found[1:]:
                yield 'pmu', name + '_' + other.split('_')[-1], other, 'Table ' + table


def main(text, directory):
    """Writes the files and the number of rows of Table 4-42."""
    lines = open(text, encoding='utf-8').read().splitlines()
    at = [i for i, line in enumerate(lines) if '4.14 Performance Monitors Ordered' in plain(line)][-1]
    middle = [i for i, line in enumerate(lines) if '4.15 Performance Monitor Event List' in plain(line)][-1]
    table = codes(lines[at:middle])
    about = 'Read from the text of the Montecito manual by tests/audit/montecito_guide.py: '
    guide.write(f'{directory}/montecito-codes.tsv', CODES, table, about + 'Table 4-42.')
    guide.write(f'{directory}/montecito-list.tsv', LIST, entries(lines[middle:]), about + 'section 4.15.')
    guide.write(f'{directory}/montecito-metrics.tsv', ('unit', 'metric', 'equation', 'table'),
                list(metrics(lines[:middle])), about + 'derived monitors.')
    guide.write(f'{directory}/montecito-counts.tsv', ('unit', 'events'), [('pmu', len(table))], about + 'Table 4-42.')


if __name__ == '__main__':
    main(*sys.argv[1:])
