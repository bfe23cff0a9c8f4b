# SPDX-License-Identifier: MIT
"""Which test executes which line: measured once in a build with --coverage. Imported by mutate.py."""
import json
import os
import subprocess


def data_files(build):
    for folder, _, names in os.walk(build):
        for name in names:
            if name.endswith('.gcda'):
                yield os.path.join(folder, name)


class Lines:
    """The executed lines of each test, saved in a JSON file so that a resumed run has them."""

    def __init__(self, path, build, tree):
        self.path, self.build, self.tree = path, build, os.path.realpath(tree)
        self.kept = {'tests': {}, 'lines': {}, 'functions': {}}
        if os.path.exists(path):
            with open(path, encoding='utf-8') as f:
                self.kept = json.load(f)

    def has(self, key):
        return key in self.kept['tests']

    def clear(self):
        for name in data_files(self.build):
            os.remove(name)

    def measure(self, key, run_test):
        """Runs a test of the build and adds the lines that it executed. A test that fails in this build may execute
        any line."""
        if key in self.kept['tests']:
            return
        self.clear()
        status = run_test()
        executed, files = {}, sorted(data_files(self.build))
        for at in range(0, len(files), 100):
            out = subprocess.run(['gcov', '-t', '-j'] + files[at:at + 100], cwd=self.build, capture_output=True).stdout
            for line in out.decode('utf-8', 'replace').splitlines():
                if line.startswith('{'):
                    self.add(json.loads(line), executed)
        self.kept['tests'][key] = None if status else {path: sorted(lines) for path, lines in executed.items()}
        with open(self.path + '.new', 'w', encoding='utf-8') as f:
            json.dump(self.kept, f)
        os.replace(self.path + '.new', self.path)

    def add(self, report, executed):
        for described in report['files']:
            path = os.path.relpath(os.path.realpath(os.path.join(report['current_working_directory'],
                                                                 described['file'])), self.tree)
            if path.startswith('..'):
                continue
            executed.setdefault(path, set()).update(n['line_number'] for n in described['lines'] if n['count'])
            known = self.kept['lines'].get(path, [])
            self.kept['lines'][path] = sorted(set(known) | {n['line_number'] for n in described['lines']})
            spans = {tuple(s) for s in self.kept['functions'].get(path, [])}
            self.kept['functions'][path] = sorted(spans | {(f['start_line'], f['end_line'])
                                                           for f in described['functions']})

    def tests_of(self, path, line):
        """Returns the keys of the tests that execute the line. A line of a table counts as executed by each test that
        executes any line of the file. None: no line of the file is known, as for a file that has only tables."""
        if not self.kept['lines'].get(path):
            return None
        if any(first <= line <= last for first, last in self.kept['functions'].get(path, [])):
            before = max((n for n in self.kept['lines'][path] if n <= line), default=None)
            return {key for key, files in self.kept['tests'].items() if files is None or before in files.get(path, ())}
        return {key for key, files in self.kept['tests'].items() if files is None or files.get(path)}
