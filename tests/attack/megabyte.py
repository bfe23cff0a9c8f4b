# SPDX-License-Identifier: MIT
"""Writes inputs of up to a megabyte with the largest possible demands. Usage: megabyte.py CAPTURE RECORDING DIR PART

CAPTURE and RECORDING are valid ones of emr. Recordings have one PART-th of the rows that a megabyte can have. The
names of captures begin with capture-, those of recordings with recording-, those of journals' registers with
journal-."""
import os, shutil, sqlite3, sys

capture, recording, out = sys.argv[1:4]
PART = int(sys.argv[4])
MOST_BYTES = 1 << 20


def path(name):
    return os.path.join(out, name)


def write(name, lines):
    with open(path(name), 'w') as f:
        f.write('\n'.join(lines) + '\n')
    assert os.path.getsize(path(name)) <= MOST_BYTES, name


# ---- captures ----

lines = [line for line in open(capture).read().splitlines() if line.strip()]
start = [line for line in lines if line.split()[0] in ('pmon-capture', 'platform', 'package')]
table = [line for line in lines if line.startswith('words 0 ')][0].split()


def capture_of(name, body):
    registers = sum(line.split()[0] in ('msr', 'mmio', 'pci', 'ctl') for line in body)
    write('capture-' + name, start + body + [f'end {registers}'])


def discovery(page, unit, n=8191):
    """A discovery page of n units, each with the words of unit(i)."""
    third = int(table[4], 0) & ~0xffff | n
    return ([f'page {page} 65536', f'words 0 {table[2]} {table[3]} {third:#x}'] +
            ['words %d 0x%x 0x%x 0x%x' % (8 * i, *unit(i)) for i in range(1, n + 1)])


capture_of('functions', [f'function 0 {i >> 8}:{i >> 3 & 31}.{i & 7} 0x8086 0x3241 0x880' for i in range(22000)])
capture_of('msr', ['unit 0 cha 0'] + [f'msr {i:#x} 64 0x1 R' for i in range(50000)])
capture_of('mmio', ['unit 0 imc 0'] + [f'mmio MEM0+{8 * i:#x} 64 0x1 R' for i in range(36000)])
capture_of('units', [line for i in range(25000) for line in (f'unit 0 cha {i}', f'msr {0x10000 + i:#x} 64 0x1 R')])
capture_of('names', [line for i in range(25000) for line in (f'unit 0 u{i} 0', f'msr {0x10000 + i:#x} 64 0x1 R')])
capture_of('page', discovery(0, lambda i: (0x108300204, 0x2000 + 16 * i, (i & 0xffff) << 16)))
capture_of('blocks', discovery(0, lambda i: (0xff8ffff04, 0x2000 + 16 * i, (i & 0xffff) << 16 | i % 40)))


# ---- recordings ----

def recording_of(name, *changes):
    file = path('recording-' + name)
    shutil.copy(recording, file)
    db = sqlite3.connect(file)
    for change in changes:
        change(db)
    db.commit()
    db.execute('vacuum')
    db.close()
    assert os.path.getsize(file) <= MOST_BYTES, name


def intervals(n):
    def change(db):
        db.execute('delete from count')
        db.execute('delete from interval')
        db.executemany('insert into interval values(?,?,?,1,0,0)',
                       [(i, i * 1000000, (i + 1) * 1000000) for i in range(n)])
    return change


def events(n):
    def change(db):
        db.execute('delete from count')
        first = db.execute('select count(*) from event').fetchone()[0]
        db.executemany('insert into event values(?,?,1)',
                       [(i, f'imc/CAS_COUNT.RD,thresh={i % 200 + 1}/') for i in range(first, n)])
    return change


def metrics(n, terms=1):
    def change(db):
        db.execute('delete from metric')
        first = db.execute('select name from event').fetchone()[0]
        db.executemany('insert into metric values(?,?,?)',
                       [(i, f'M{i}', ' + '.join([f'{first} * 64'] * terms)) for i in range(n)])
    return change


def regions(n):
    return lambda db: db.executemany('insert into region values(?,?,-1,1,0,0,1,2,0,0)',
                                     [(i, f'r{i}') for i in range(n)])


recording_of('intervals', intervals(38000 // PART))
recording_of('events', events(20000 // PART))
recording_of('metrics', metrics(15000 // PART))
recording_of('equations', metrics(30, 900))
recording_of('metrics-and-intervals', intervals(14000 // PART), metrics(7000 // PART))
recording_of('events-and-intervals', intervals(14000 // PART), events(10000 // PART))
recording_of('regions', regions(20000 // PART))
recording_of('regions-and-metrics', regions(4000 // PART), metrics(7000 // PART))
recording_of('devices', lambda db: db.executemany(
    'insert into device values(0,"iio",?,?,?,?,?)',
    [(i % 16, i % 8, f'0000:{i >> 8 & 255:02x}:{i >> 3 & 31:02x}.{i & 7}', 'x', 1e9) for i in range(15000 // PART)]))
recording_of('parts', lambda db: db.executemany('insert into part values(?,?,?)', [(i, 0, '0 1 2') for i in range(20000 // PART)]))

# ---- journals: the caller writes their heads and checksums ----

write('journal-equal', ['0 msr 0x0 0xd10 64 0x1'] * 40000)
write('journal-foreign', [f'0 msr 0x0 {i:#x} 64 0x1' for i in range(0x1000, 0x1000 + 35000)])
write('journal-pci', [f'0 pci 0x{i & 255:x} 0x{i >> 8:x} 32 0x1' for i in range(35000)])
