#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# How processor time and memory of pmon grow with what it is asked to do. Each curve changes one thing, and prints for each
# point the processor time of the process and its children, the largest resident memory, and the slope to the point before:
# the exponent by which time (memory) follows what grows; 1 is linear, 0 does not grow. The last line of a curve names the
# steepest step of the upper half. Usage: growth.py PMON [CURVE ...]
import math, os, subprocess, sys, tempfile

pmon = os.path.abspath(sys.argv[1])
wanted = sys.argv[2:]
work = tempfile.mkdtemp()
null = open(os.devnull, "w")


def write(name, text):
    path = os.path.join(work, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def run(*arguments):
    """Processor seconds and megabytes of a pmon run."""
    with open(os.path.join(work, "err"), "w") as err:
        child = subprocess.Popen([pmon, *arguments], stdout=null, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"growth: pmon {' '.join(arguments)[:200]}: status {status}: {open(os.path.join(work, 'err')).read()[:500]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def slope(before, after, a, b):
    return math.log(b / a) / math.log(after / before) if a > 0 and b > 0 and after > before else float("nan")


def curve(name, title, points, command, repeats=1):
    if wanted and name not in wanted:
        return
    print(f"\n{name}: {title}\n{'':>12} {'seconds':>9} {'MB':>7}  slope of time, of memory")
    last = None
    steep = []
    for label, n in points:
        results = [run(*command(n)) for _ in range(repeats)]
        seconds, mb = min(r[0] for r in results), min(r[1] for r in results)
        text = ""
        if last and last[0] > 0:
            s, m = slope(last[0], n, last[1], seconds), slope(last[0], n, last[2], mb)
            text = f"{s:6.2f} {m:10.2f}"
            if len(points) // 2 <= len(steep) + 1:
                steep.append((s, label))
            else:
                steep.append((float("-inf"), label))
        print(f"{label:>12} {seconds:9.3f} {mb:7.1f}  {text}", flush=True)
        last = (n, seconds, mb)
    if steep:
        s, label = max(steep)
        print(f"steepest step of the upper half: {s:.2f}, up to {label}")


def doubled(first, last, factor=4):
    points, n = [], first
    while n < last:
        points.append(n)
        n *= factor
    return points + [last]


def sized(n):
    return f"{n >> 30}G" if n >= 1 << 30 else f"{n >> 20}M" if n >= 1 << 20 else f"{n >> 10}K"


# The same work in all: 4 million loads of 128 threads at most.
def threads(n):
    text = "set prefetch=off\n" + "".join(f"thread {i} on core {i}: random 4M count {4096000 // n}\n" for i in range(n))
    return "stat", "-p", "emr", "--scenario", write("threads", text), "-e", "imc/CAS_COUNT.RD/"


def work_of_each(n):
    text = "".join(f"thread {i} on core {i}: random 1M count 50k\n" for i in range(n))
    return "stat", "-p", "emr", "--scenario", write("each", text), "-e", "imc/CAS_COUNT.RD/"


def working_set(n):
    step = f"stream read {sized(n // 8)} stride {max(64, n // 500000 // 64 * 64)} times {max(1, 500000 * 64 // n)}\n"
    text = "set prefetch=off\n" + "".join(f"thread {i} on core {i}: {step}" for i in range(8))
    return "stat", "-p", "emr", "--scenario", write("set", text), "-e", "imc/CAS_COUNT.RD/"


def names_of(unit):
    lines = subprocess.run([pmon, "list", "-p", "emr", "-u", unit], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in lines.splitlines() if line.startswith(unit + "/") and "free-running" not in line]


SOME = write("some", "thread 0 on core 0: random 64M count 300k\nthread 1 on core 64: random 64M count 300k\n")


# 1 to 1,000 events of CHAs (64 a socket) and channels: those beyond the first counters are multiplexed.
def events(n):
    return "stat", "-p", "emr", "--scenario", SOME, "-e", ",".join((names_of("cha") + names_of("imc"))[:n])


# Counters of two sockets that count at once: events of one round of each unit.
COUNTING = {0: [], 16: ["imc/CAS_COUNT.RD/"], 64: ["imc/CAS_COUNT.RD/", "imc/CAS_COUNT.WR/", "imc/ACT_COUNT.ALL/", "imc/PRE_COUNT.ALL/"],
            192: ["imc/CAS_COUNT.RD/", "imc/CAS_COUNT.WR/", "imc/ACT_COUNT.ALL/", "imc/PRE_COUNT.ALL/", "cha/LLC_LOOKUP.DATA_READ_ALL/"],
            576: ["imc/CAS_COUNT.RD/", "imc/CAS_COUNT.WR/", "imc/ACT_COUNT.ALL/", "imc/PRE_COUNT.ALL/", "cha/LLC_LOOKUP.DATA_READ_ALL/",
                  "cha/TOR_INSERTS.IA_MISS/", "cha/TOR_INSERTS.IA/", "cha/REQUESTS.READS/"]}


def counters(n):
    return ("stat", "-p", "emr", "--scenario", SOME, "-e", ",".join(COUNTING[n])) if n else ("machine", "run", "--scenario", SOME)


def intervals(n):
    us = 100 if n <= 10000 else 10 if n <= 100000 else 1
    text = f"set cores=2 sockets=1\nthread 0 on core 0: sleep {n * us}us\n"
    return "stat", "-p", "emr", "--scenario", write("long", text), "-e", "imc/CAS_COUNT.RD/", "-I", f"{us}us", "--csv"


def series(n):
    return "stat", "-p", "emr", "--scenario", SOME, "-e", ",".join((names_of("cha") + names_of("imc"))[:n]), "-I", "1ms", "--record", os.path.join(work, "recording")


def report(n):
    run(*series(n))
    return "report", os.path.join(work, "recording")


def processes(n):
    script = write("many", f"i=0; while [ $i -lt {n} ]; do /bin/true; i=$((i + 1)); done\n")
    return "stat", "-p", "emr", "-e", "imc/CAS_COUNT.RD/", "--", "sh", script


curve("threads", "4 million random loads shared by 1 to 128 emulated threads", [(str(n), n) for n in doubled(1, 128, 2)], threads)
curve("cores", "50,000 random loads in 1 MB of each of 1 to 128 emulated threads", [(str(n), n) for n in doubled(1, 128, 2)], work_of_each)
curve("memory", "half a million loads, spread over 1 MB to 64 GB", [(sized(n), n) for n in doubled(1 << 20, 64 << 30)], working_set)
curve("counters", "counters of two sockets that count", [(str(n), n) for n in COUNTING], counters)
curve("events", "events that are multiplexed", [(str(n), n) for n in doubled(1, 700)], events)
curve("intervals", "intervals of an idle machine of one socket", [(str(n), n) for n in doubled(1, 1000000, 10)], intervals)
curve("series", "events in a recording with an interval each millisecond", [(str(n), n) for n in doubled(1, 256)], series)
curve("report", "the report of such a recording", [(str(n), n) for n in doubled(1, 256)], report)
curve("processes", "processes that a shell starts one after another", [(str(n), n) for n in doubled(1, 1000, 10)], processes)
