#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the citations of the facts against the text of the guides.

    citations.py PMON [GUIDES] [--list]

PMON is the command, GUIDES the folder with the guides' text (default: $PMON_GUIDES). For each event row, metric, unit
and register: the tables and sections that `cite` names exist in the guide. For each event row, in addition: its name
is in one of these places, its code in a row or entry with the name, and the name of its umask in one of them.
(audit-metrics compares the names of metrics.) A row that cites another source (Intel's event files, other tools) is
not looked up, but counted. data/audit/citations.tsv has the known faults with reasons; other faults, and reasons
without a fault, are printed, and the exit code is 1. --list prints every fault. Without the guides the exit code is
77.
"""
import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tests', 'audit'))
import guide  # noqa: E402

KNOWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data', 'audit', 'citations.tsv')
DOCUMENTS = {'817509': ('emr', 'Emerald Rapids|817509'), '327043': ('snbep', '327043'),
             'Montecito': ('montecito', 'Montecito')}
CAPTION = re.compile(r'\W*(Table|Figure)\W+(\d+-\d+)\s*[.:]')
SECTION = re.compile(r'\W*(\d+(?:\.\d+)+)\s*\W*[A-Z]')


class Place:
    """The text of a table or section: lines, and names as cells and words."""

    def __init__(self):
        self.lines = []

    def finish(self):
        self.text = '\n'.join(self.lines).translate(guide.LATIN).replace('\\', '')
        self.key = guide.key(self.text)
        self.names = {guide.key(w) for w in re.split(r'[^\w.\-]+', self.text)}
        self.rows = []
        for line in self.lines:
            row = guide.cells(line)
            if row:
                self.rows.append(row)
                self.names.update(guide.key(c) for c in row)

    def has(self, name):
        key = guide.key(name)
        if key in self.names or (len(key) > 5 and key in self.key):
            return True
        return re.search(r'(?m)^\W*%s\s*b[x01 ]' % re.escape(name), self.text) is not None

    def has_code(self, name, code):
        """A row with the name and the code; or, in the list of events, the code behind the name."""
        wanted = re.compile(r'0x0*%x(?![0-9a-f])' % code, re.I)
        key = guide.key(name)
        if re.search(r'%s\s*0x%02x' % (re.escape(name), code), self.text, re.I):  # columns run together
            return True
        for row in self.rows:
            if any(guide.key(c) == key for c in row) and any(wanted.search(c) for c in row):
                return True
        lines = self.text.split('\n')
        for i, line in enumerate(lines):
            if key in guide.key(line) and any(wanted.search(near) for near in lines[max(0, i - 6):i + 16]):
                return True
        return False


def places(path):
    """The tables and sections of a guide's text by their numbers."""
    with open(path, encoding='utf-8') as file:
        lines = file.read().split('\n')
    found = collections.defaultdict(Place)
    table, section = None, []
    for line in lines:
        caption, heading = CAPTION.match(line), SECTION.match(line)
        if caption:
            table = '%s %s' % caption.groups()
        elif heading and not line.startswith('|'):
            table, section = None, heading.group(1).split('.')
        if table:
            found[table].lines.append(line)
        for depth in range(2, len(section) + 1):
            found['.'.join(section[:depth])].lines.append(line)
    for place in found.values():
        place.finish()
    return found


def read_guides(folder):
    texts = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, encoding='utf-8', errors='replace') as file:
            head = file.read(200000)
        for key, (_, pattern) in DOCUMENTS.items():
            if re.search(pattern, head) and os.path.getsize(path) > os.path.getsize(texts.get(key, os.devnull)):
                texts[key] = path
    return {key: places(path) for key, path in texts.items()}


def cited(text):
    """Yields the (document, place) pairs of a citation: `817509 Table 2-76, 2.2.6; PM EMR 1.24`."""
    for part in text.split(';'):
        document, _, rest = part.strip().partition(' ')
        for place in rest.split(','):
            place = re.sub(r'\s*\(.*\)', '', place.strip())
            yield document, place


def faults_of(kind, row, guides):
    """Returns the fault of a row's citation; None: no fault, or no cited guide has its text here."""
    pairs = [(d, p) for d, p in cited(row['cite']) if d in guides]
    if not pairs:
        return None
    faults, texts = [], []
    for document, place in pairs:
        if place in guides[document]:
            texts.append(guides[document][place])
        else:
            faults.append('%s %s is not in the text' % (document, place))
    name = row.get('event') or row.get('name')
    if kind != 'event' or not texts:
        return faults
    if not any(t.has(name) for t in texts):
        faults.append('name')
    else:
        if row['code'] and not any(t.has_code(name, row['code']) for t in texts):
            faults.append('code')
        if row.get('umask') and not any(t.has(row['umask']) for t in texts):
            faults.append('umask')
    return faults


def rows(pmon, platform):
    for kind, command in (('event', 'list'), ('metric', 'metrics'), ('unit', 'units'), ('register', 'registers')):
        output = subprocess.run([pmon, command, '-p', platform, '--json'], capture_output=True, text=True, check=True)
        for line in output.stdout.splitlines():
            row = json.loads(line)
            if kind == 'event':
                label = '%s/%s%s' % (row['unit'], row['event'], '.' + row['umask'] if row['umask'] else '')
            else:
                label = '/'.join(row[k] for k in ('unit', 'register', 'name') if row.get(k))
            yield kind, label, row


def read_known():
    known = []
    with open(KNOWN, encoding='utf-8') as file:
        for line in file:
            if not line.startswith('#') and line.strip() and not line.startswith('platform\t'):
                known.append(line.rstrip('\n').split('\t'))
    return known


def covers(entry, platform, label, fault):
    pattern = '^' + re.escape(entry[1]).replace(r'\*', '.*') + '$'
    return entry[0] == platform and entry[2] == fault and re.match(pattern, label) is not None


def check(pmon, folder, list_all):
    guides, known = read_guides(folder), read_known()
    used, bad = [0] * len(known), 0
    for document, (platform, _) in DOCUMENTS.items():
        if document not in guides:
            print('%s: no text of %s' % (platform, document))
            continue
        counts = collections.Counter()
        for kind, label, row in rows(pmon, platform):
            faults = faults_of(kind, row, guides)
            counts[kind, 'elsewhere' if faults is None else 'faulty' if faults else 'good'] += 1
            for fault in faults or []:
                explained = [i for i, entry in enumerate(known) if covers(entry, platform, label, fault)]
                for i in explained:
                    used[i] += 1
                if list_all or not explained:
                    print('\t'.join((platform, label, fault, row['cite'])))
                bad += not explained
        print('%s: %s' % (platform, ', '.join('%d %ss %s' % (n, k, what) for (k, what), n in sorted(counts.items()))))
    for entry, n in zip(known, used):
        if not n or len(entry) != 4:
            print('citations.tsv: no such fault: %s' % '\t'.join(entry))
            bad += 1
    return bad


def main():
    words = [w for w in sys.argv[1:] if w != '--list'] + [os.environ.get('PMON_GUIDES', '')]
    if len(words) < 2:
        sys.exit(__doc__)
    if not os.path.isdir(words[1]):
        print('SKIPPED: PMON_GUIDES names no folder with the text of the guides')
        sys.exit(77)
    sys.exit(1 if check(words[0], words[1], '--list' in sys.argv) else 0)


if __name__ == '__main__':
    main()
