#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums gcov's counts of a build by room, as a table for docs/testing.md. Usage: coverage.py BUILD [FOLDER]

A line counts as executed if any program of the build executed it; a branch, if it went that way at least once."""
import collections
import json
import os
import subprocess
import sys

ROOMS = ('src', 'machine', 'cli', 'helper', 'vm')


def reports(build):
    files = [os.path.join(folder, name) for folder, _, names in os.walk(build) for name in names if name.endswith('.gcno')]
    for at in range(0, len(files), 50):
        out = subprocess.run(['gcov', '-b', '-t', '-j'] + [os.path.abspath(f) for f in files[at:at + 50]], cwd=build,
                             capture_output=True, check=False).stdout
        for line in out.decode('utf-8', 'replace').splitlines():
            if line.startswith('{'):
                yield json.loads(line)


def measure(build):
    """Returns {path: {line: [executed, {(function, branch): taken}]}} of the rooms' files."""
    root, found = os.path.realpath('.'), collections.defaultdict(dict)
    for report in reports(build):
        for described in report['files']:
            path = os.path.relpath(os.path.realpath(os.path.join(report['current_working_directory'], described['file'])),
                                   root)
            if path.split(os.sep)[0] not in ROOMS:
                continue
            for n in described['lines']:
                line = found[path].setdefault(n['line_number'], [False, {}])
                line[0] |= n['count'] > 0
                for i, branch in enumerate(n.get('branches', [])):
                    key = (n.get('function_name'), i)
                    line[1][key] = line[1].get(key, False) or branch['count'] > 0
    return found


def sums(lines):
    branches = [taken for _, ways in lines for taken in ways.values()]
    return len(lines), sum(done for done, _ in lines), len(branches), sum(branches)


def row(name, lines):
    n, done, ways, taken = sums(lines)
    print('| `%s` | %d | %.1f %% | %d | %.1f %% |' % (name, n, 100.0 * done / max(n, 1), ways, 100.0 * taken / max(ways, 1)))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    found = measure(sys.argv[1])
    rooms = collections.defaultdict(list)
    for path, lines in found.items():
        rooms[os.path.dirname(path)] += lines.values()
    print('| room | lines | executed | branches | taken |\n|---|---|---|---|---|')
    for room in sorted(rooms):
        row(room, rooms[room])
    row('all', [line for lines in rooms.values() for line in lines])
    for path in sorted(found) if len(sys.argv) == 3 else []:
        if path.startswith(sys.argv[2]):
            row(path, list(found[path].values()))
            missed = [n for n, (done, _) in sorted(found[path].items()) if not done]
            print('  not executed:', ' '.join(map(str, missed)))


main()
