#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutation testing: changes one token of a source file, builds, and runs the tests of the file's room.

A mutant that no test notices shows a gap in the tests. The mutants are spread over src/, machine/ and cli/ in proportion
to the size of the files and are the same for the same seed. docs/testing.md describes the use.
"""
import argparse
import csv
import hashlib
import itertools
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import lines
import mutants

HERE = os.path.dirname(os.path.abspath(__file__))
ROOMS = ('src', 'machine', 'cli')
COLUMNS = ['slot', 'file', 'line', 'kind', 'original', 'mutant', 'result', 'test', 'seconds']
COUNTED = ('killed', 'survived', 'timeout', 'equivalent')
LEFT_OUT = {'vm', 'fuzz', 'rooms', 'wording'}
MOST_TRIES = 12
LINES_SECONDS = 3.5
BUILD_SECONDS = 1800
SETUP = ['-Dguests=none']  # few other options, so that ccache has the objects
PLAIN = ['-Dbuildtype=plain', '-Ddebug=false', '-Dwerror=false']


def table(path):
    with open(path, encoding='utf-8') as f:
        return [line.rstrip('\n').split('\t') for line in f if line.strip() and not line.startswith('#')]


def sources(root):
    """Returns the text of each source file of the rooms that can be mutated, by path."""
    found = {}
    for room in ROOMS:
        for folder, _, names in os.walk(os.path.join(root, room)):
            for name in names:
                if name.endswith(('.c', '.h', '.inc')):
                    path = os.path.join(folder, name)
                    with open(path, encoding='utf-8') as f:
                        found[os.path.relpath(path, root)] = f.read()
    return found


class Plan:
    """The selected mutants: slots of files, and for each file a sufficiently long list of candidates."""

    def __init__(self, root, count, seed, only=None):
        self.texts, self.seed = sources(root), seed
        self.neighbours = mutants.enum_neighbours(self.texts[p] for p in sorted(self.texts))
        sizes = {p: len(t.splitlines()) for p, t in self.texts.items()
                 if (not only or p.startswith(only)) and mutants.changes_of(t, self.neighbours)}
        if not sizes:
            sys.exit('mutate.py: no file %s' % only)
        self.slots = []
        for path, n in sorted(mutants.allocation(sizes, count, seed).items()):
            self.slots += [(path, i) for i in range(n)]

    def candidates(self, path):
        return mutants.candidates(path, self.texts[path], self.neighbours, self.seed)

    def first_choices(self):
        lists = {}
        for slot, (path, _) in enumerate(self.slots):
            mutant = next(lists.setdefault(path, self.candidates(path)), None)
            if mutant:
                yield slot, mutant


class Job:
    """One test of the build: its command, and its times after the first run."""

    def __init__(self, described, files, build):
        self.suites = {s.split(':')[-1] for s in described['suite']}
        self.test = described['name']
        self.name = '/'.join(sorted(self.suites)) + '/' + self.test
        self.command, self.folder = described['cmd'], described['workdir'] or build
        self.environment = described['env']
        self.targets = sorted({f for d in described['depends'] for f in files.get(d, [])})
        self.wall = self.cpu = 0.0

    def limits(self):
        """Returns the limits of processor time per process and of wall time, in seconds: endless loops reach the
        first."""
        return int(4 * self.cpu) + 8, int(15 * self.wall) + 60


def run(command, folder, environment, cpu_seconds, wall_seconds, output):
    """Runs a command in a session of its own; returns its exit status, or None at the time limit."""
    def prepare():
        os.setsid()
        if cpu_seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
        resource.setrlimit(resource.RLIMIT_DATA, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    child = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                             stderr=subprocess.STDOUT, preexec_fn=prepare)
    try:
        status = child.wait(wall_seconds)
    except subprocess.TimeoutExpired:
        status = None
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    return None if status == -signal.SIGXCPU else status


class Workshop:
    """A copy of the tree with two build folders: one in which mutants are built and tested, and one that counts which
    lines each test executes."""

    def __init__(self, work, source, with_lines):
        self.work, self.tree = work, os.path.join(work, 'tree')
        self.build = os.path.join(self.tree, 'build')  # the usual name, so that ccache has the objects
        self.counted, self.temporary = os.path.join(work, 'cover'), os.path.join(work, 'tmp')
        self.log = os.path.join(work, 'build.log')
        if not os.path.isdir(self.tree):
            os.makedirs(work, exist_ok=True)
            subprocess.run(['git', 'clone', '-q', '--no-hardlinks', source, self.tree], check=True)
        self.restore()
        self.configure(self.build, [])
        self.jobs, self.counted_jobs = self.jobs_of(self.build), {}
        if with_lines:
            self.configure(self.counted, PLAIN + ['-Doptimization=0', '-Db_coverage=true'])
            self.counted_jobs = {j.name: j for j in self.jobs_of(self.counted)}
        self.lines = lines.Lines(os.path.join(work, 'lines.json'), self.counted, self.tree)
        with open(os.path.join(self.build, 'compile_commands.json'), encoding='utf-8') as f:
            self.objects = {}
            for entry in json.load(f):
                path = os.path.realpath(os.path.join(entry['directory'], entry['file']))
                self.objects.setdefault(os.path.relpath(path, os.path.realpath(self.tree)), []).append(entry['output'])

    def configure(self, build, options):
        if os.path.exists(os.path.join(build, 'build.ninja')):
            return
        environment = dict(os.environ, CC=os.environ.get('CC', 'ccache gcc' if shutil.which('ccache') else 'gcc'))
        if shutil.which('ld.lld'):
            environment['CC_LD'] = 'lld'
        subprocess.run(['meson', 'setup', build, self.tree] + SETUP + options, check=True, stdout=subprocess.DEVNULL,
                       env=environment)

    def introspect(self, build, what):
        return json.loads(subprocess.run(['meson', 'introspect', build, what], check=True, capture_output=True).stdout)

    def jobs_of(self, build):
        files = {t['id']: [os.path.relpath(f, build) for f in t['filename']]
                 for t in self.introspect(build, '--targets')}
        return [Job(t, files, build) for t in self.introspect(build, '--tests')]

    def restore(self):
        subprocess.run(['git', '-C', self.tree, 'checkout', '-q', '--', '.'], check=True)

    def write(self, path, text):
        with open(os.path.join(self.tree, path), 'w', encoding='utf-8') as f:
            f.write(text)

    def make(self, targets, build=None):
        """'' when the targets are built; else 'compile' when a compiler failed, 'build' when another step did. One
        process at a time."""
        with open(self.log, 'w', encoding='utf-8') as out:
            command = ['ninja', '-j1', '-C', build or self.build] + targets
            status = run(command, self.work, None, None, BUILD_SECONDS, out)
        if status == 0:
            return ''
        with open(self.log, encoding='utf-8', errors='replace') as f:
            failed = [line for line in f if line.startswith('FAILED:')]
        return 'compile' if any(line.split()[1].endswith('.o') for line in failed) else 'build'

    def objects_of(self, path):
        """Returns the objects of a source file; for a header or table, all objects."""
        return self.objects.get(path) or sorted(o for names in self.objects.values() for o in names)

    def digest(self, path):
        """Returns a digest of a source file's objects: equal digests mean equal programs."""
        total = hashlib.sha256()
        for name in self.objects_of(path):
            name = os.path.join(self.build, name)
            if os.path.exists(name):
                with open(name, 'rb') as f:
                    total.update(f.read())
        return total.hexdigest()

    def try_job(self, job, limits=None):
        shutil.rmtree(self.temporary, ignore_errors=True)
        os.makedirs(self.temporary)
        cpu, wall = limits or job.limits()
        environment = dict(os.environ, TMPDIR=self.temporary, **job.environment)
        with open(os.path.join(self.temporary, 'output'), 'wb') as out:
            return run(job.command, job.folder, environment, cpu, wall, out)

    def build_tests(self, suites, names, with_lines):
        """Builds the targets of the suites' tests, or of the named tests, and forgets other tests."""
        self.jobs = [j for j in self.jobs if (j.test in names if names else
                                              not j.suites & LEFT_OUT and (not suites or j.suites & suites))]
        if self.make(sorted({t for j in self.jobs for t in j.targets})):
            sys.exit('mutate.py: the tree does not build; see %s' % self.log)
        if with_lines:  # programs without a C library cannot be linked with --coverage
            self.make(['-k', '0'], self.counted)

    def measure(self, with_lines, slowest):
        """Runs each test once without a mutant, so that their times and lines are known; those that fail
        or are far slower than `slowest` are left out. The times are kept for a resumed run. A test slower than
        LINES_SECONDS may execute any line."""
        kept = os.path.join(self.work, 'times.json')
        times = {}
        if os.path.exists(kept):
            with open(kept, encoding='utf-8') as f:
                times = json.load(f)
        good = []
        for job in self.jobs:
            if job.name not in times:
                before, begin = os.times(), time.monotonic()
                status = self.try_job(job, (int(min(4 * slowest, 240)) + 8, min(60 * slowest, 900) + 60))
                after = os.times()
                times[job.name] = [status, time.monotonic() - begin, sum(after[2:4]) - sum(before[2:4])]
                with open(kept, 'w', encoding='utf-8') as f:
                    json.dump(times, f, indent=1)
            status, job.wall, job.cpu = times[job.name]
            if status == 0:
                good.append(job)
            else:
                print('left out: test %s ended with %s' % (job.name, status), file=sys.stderr, flush=True)
        self.jobs = sorted(good, key=lambda j: j.cpu)
        for job in self.jobs if with_lines else []:
            counted = self.counted_jobs.get(job.name)
            if counted and job.cpu <= LINES_SECONDS:
                counted.cpu, counted.wall = 30 + 5 * job.cpu, 60 + 5 * job.wall
                self.lines.measure(job.name, lambda: self.try_job(counted))

    def choose(self, mutant, suites, options):
        """Returns the tests of the suites that execute the mutated line: first those whose name has a word of the
        file's path, then the fastest, as many as fit into --most seconds."""
        jobs = [j for j in self.jobs if options.tests or not suites or j.suites & suites]
        known = self.lines.tests_of(mutant.path, mutant.line)
        if known is not None:
            jobs = [j for j in jobs if j.name in known or not self.lines.has(j.name)]
        words = set(re.findall(r'[a-z0-9]+', mutant.path)) - {'src', 'machine', 'cli', 'c', 'h', 'inc'}
        jobs.sort(key=lambda j: (-len(words & set(re.findall(r'[a-z0-9]+', j.name))), j.cpu))
        chosen = [j for j in jobs if options.fastest < j.cpu <= options.slowest] or jobs[:1]
        total = list(itertools.accumulate(j.cpu for j in chosen))
        return [j for j, t in zip(chosen, total) if t <= options.most] or chosen[:1]

    def judge(self, mutant, suites, options):
        """Returns the result of a mutant, and the test or step that decided; for a survivor, the number of tests that
        passed. A source file's object is compared before the tests, all objects of a header after them."""
        jobs = self.choose(mutant, suites, options)
        is_source = mutant.path in self.objects
        before = self.digest(mutant.path)
        self.write(mutant.path, mutant.text)
        try:
            if is_source and self.make(self.objects_of(mutant.path)):
                return 'no-compile', ''
            if is_source and self.digest(mutant.path) == before:
                return 'same-object', ''
            for job in jobs:
                problem = self.make(job.targets) if job.targets else ''
                if problem:
                    return ('no-compile', '') if problem == 'compile' else ('killed', 'build')
                status = self.try_job(job)
                if status is None:
                    return 'timeout', job.name
                if status != 0 and status != 77:
                    return 'killed', job.name
            if not is_source:
                problem = self.make(self.objects_of(mutant.path))
                if problem:
                    return 'no-compile', ''
                if self.digest(mutant.path) == before:
                    return 'same-object', ''
            return 'survived', '%d tests' % len(jobs)
        finally:
            self.restore()
            self.make(self.objects_of(mutant.path))


def suites_of(path, rows):
    best = max((r for r in rows if path.startswith(r[0] + '/')), key=lambda r: len(r[0]), default=None)
    return set(best[1].split(',')) if best else set()


def read_results(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8', newline='') as f:
        return list(csv.DictReader(f, delimiter='\t', quoting=csv.QUOTE_NONE))


def report(rows):
    counts = {name: sum(r['result'] == name for r in rows) for name in COUNTED}
    dead, judged = counts['killed'] + counts['timeout'], sum(counts.values()) - counts['equivalent']
    print('%d mutants: %d killed, %d timeout, %d survived, %d equivalent; score %.1f %%' % (
        sum(counts.values()), counts['killed'], counts['timeout'], counts['survived'], counts['equivalent'],
        100.0 * dead / judged if judged else 0.0))
    for r in rows:
        if r['result'] == 'survived':
            print('survived\t%s:%s\t%s\t%s\t%s' % (r['file'], r['line'], r['kind'], r['original'], r['mutant']))


def slots_of(plan, again):
    """Yields the ordered candidates of each slot; with an earlier run's results, each survivor that still exists."""
    if again:
        for row in read_results(again):
            if row['result'] == 'survived' and row['file'] in plan.texts:
                yield row['slot'], row['file'], [m for m in plan.candidates(row['file'])
                                                 if m.key() == (row['file'], row['original'], row['mutant'])][:1]
        return
    lists, files = {}, sorted({path for path, _ in plan.slots})
    random.Random(plan.seed).shuffle(files)  # so that an interrupted run has covered files of all rooms
    files.sort(key=lambda path: path.endswith('.h'))  # headers last: they rebuild most
    for slot, (path, _) in sorted(enumerate(plan.slots), key=lambda s: files.index(s[1][0])):
        yield str(slot), path, itertools.islice(lists.setdefault(path, plan.candidates(path)), MOST_TRIES)


def work_through(plan, workshop, options):
    rooms, equivalent = table(os.path.join(HERE, 'rooms.tsv')), {tuple(r[:3]) for r in
                                                                 table(os.path.join(HERE, 'equivalent.tsv'))}
    earlier = {(r['file'], r['original'], r['mutant'], r['slot']): r['result'] for r in read_results(options.results)}
    fresh = not os.path.exists(options.results)
    with open(options.results, 'a', encoding='utf-8', newline='') as f:
        out = csv.DictWriter(f, COLUMNS, delimiter='\t', quoting=csv.QUOTE_NONE, quotechar=None, lineterminator='\n')
        if fresh:
            out.writeheader()
        for slot, path, candidates in slots_of(plan, options.again):
            for mutant in candidates:
                result = earlier.get(mutant.key() + (slot,))
                if result is None:
                    begin = time.monotonic()
                    result, test = ('equivalent', '') if mutant.key() in equivalent else workshop.judge(
                        mutant, suites_of(path, rooms), options)
                    out.writerow({'slot': slot, 'file': path, 'line': mutant.line, 'kind': mutant.kind,
                                  'original': mutant.original, 'mutant': mutant.mutant, 'result': result, 'test': test,
                                  'seconds': '%.1f' % (time.monotonic() - begin)})
                    f.flush()
                if result in COUNTED:
                    break


def main():
    p = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    p.add_argument('--count', type=int, default=400, help='number of mutants (default 400)')
    p.add_argument('--seed', type=int, default=1, help='the same seed gives the same mutants (default 1)')
    p.add_argument('--only', metavar='FILE', help='mutants of this file, or of the files with this prefix')
    p.add_argument('--list', action='store_true', help='print the mutants and end')
    p.add_argument('--report', action='store_true', help='print score and survivors of --results and end')
    p.add_argument('--slowest', type=float, default=1e9, metavar='SECONDS',
                   help='leave out tests that use more processor time, except when no faster one executes the line '
                        '(default: none)')
    p.add_argument('--fastest', type=float, default=0, metavar='SECONDS',
                   help='leave out those that use less, for survivors of a run with --slowest (default: none)')
    p.add_argument('--most', type=float, default=1e9, metavar='SECONDS',
                   help='tests of a mutant take no longer than this without it (default: no limit)')
    p.add_argument('--without-lines', action='store_true',
                   help='do not measure which lines each test executes: each test of a room may execute any line')
    p.add_argument('--tests', metavar='NAME,...', type=lambda names: names.split(','),
                   help='only these tests, of whatever suite')
    p.add_argument('--resume', action='store_true', help='continue --results of the same seed and count')
    p.add_argument('--again', metavar='FILE', help='judge the survivors of these results again, on the present tree')
    p.add_argument('--source', default=os.path.dirname(os.path.dirname(HERE)), help='the repository to copy')
    p.add_argument('--work', default='/tmp/pmon-mutants', help='folder of the copy and its build')
    p.add_argument('--results', help='TSV file of results (default: WORK/results.tsv)')
    options = p.parse_args()
    options.work = os.path.abspath(options.work)
    options.results = options.results or os.path.join(options.work, 'results.tsv')
    if options.report:
        return report(read_results(options.results))
    if options.list:
        for slot, m in Plan(options.source, options.count, options.seed, options.only).first_choices():
            print('%d\t%s:%d\t%s\t%s\t%s' % (slot, m.path, m.line, m.kind, m.original, m.mutant))
        return 0
    if os.path.exists(options.results) and not options.resume:
        sys.exit('mutate.py: %s exists; use --resume, or another --results' % options.results)
    workshop = Workshop(options.work, options.source, not options.without_lines)
    plan = Plan(workshop.tree, options.count, options.seed, options.only)
    suites = [suites_of(path, table(os.path.join(HERE, 'rooms.tsv'))) for path, _ in plan.slots]
    workshop.build_tests(set().union(*suites) if all(suites) else set(), options.tests, not options.without_lines)
    workshop.measure(not options.without_lines, options.slowest)
    work_through(plan, workshop, options)
    report(read_results(options.results))
    return 0


if __name__ == '__main__':
    sys.exit(main())
