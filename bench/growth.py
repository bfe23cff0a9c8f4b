#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Measures how processor time and memory of pmon grow with its work. Each curve varies one parameter, and prints for
# each point the processor time of the process and its children, the largest resident memory, and the slope from the
# previous point: the exponent with which time (memory) grows with the parameter; 1 is linear, 0 is constant. Figures
# are medians of three runs, or of one run that took more than ten seconds. The last line of a curve names the steepest
# step of the upper half.
# Usage: growth.py [--instructions] PMON [CURVE ...]
#   --instructions   prints millions of instructions of pmon itself, of a tenth of each thread's work, under callgrind,
#                    instead of seconds: they do not depend on the host's load
import json, math, os, re, statistics, subprocess, sys, tempfile

counted = "--instructions" in sys.argv
arguments = [a for a in sys.argv[1:] if a != "--instructions"]
pmon = os.path.abspath(arguments[0])
wanted = arguments[1:]
part = 10 if counted else 1
work = tempfile.mkdtemp()
null = open(os.devnull, "w")


def write(name, text):
    path = os.path.join(work, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def run(*arguments):
    """Processor seconds, or millions of instructions, and megabytes of a pmon run."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] if counted else []
    with open(os.path.join(work, "err"), "w") as err:
        child = subprocess.Popen([*valgrind, pmon, *arguments], stdout=null, stderr=err, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
    said = open(os.path.join(work, "err")).read()
    if status:
        sys.exit(f"growth: pmon {' '.join(arguments)[:200]}: status {status}: {said[:500]}")
    if counted:
        return int(re.search(r"Collected : (\d+)", said).group(1)) / 1e6, float("nan")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def slope(before, after, a, b):
    return math.log(b / a) / math.log(after / before) if a > 0 and b > 0 and after > before > 0 else float("nan")


def measure(command, n):
    results = [run(*command(n))]
    while not counted and len(results) < 3 and results[0][0] < 10:
        results.append(run(*command(n)))
    return statistics.median(r[0] for r in results), statistics.median(r[1] for r in results)


def curve(name, title, points, command):
    if wanted and name not in wanted:
        return
    print(f"\n{name}: {title}\n{'':>12} {'M instr.' if counted else 'seconds':>9} {'MB':>7}  slope of time, of memory")
    last = None
    steep = []
    for label, n in points:
        seconds, mb = measure(command, n)
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


# The same work in total: 4 million loads of at most 256 threads. Threads 128 to 255 are on the cores' second hardware
# threads.
def threads(n):
    text = "set prefetch=off\n" + "".join(f"thread {i} on core {i % 128}: random 4M count {4096000 // n // part}\n" for i in range(n))
    return "stat", "-p", "emr", "--scenario", write("threads", text), "-e", "imc/CAS_COUNT.RD/"


def work_of_each(n):
    text = "".join(f"thread {i} on core {i % 128}: random 1M count {50000 // part}\n" for i in range(n))
    return "stat", "-p", "emr", "--scenario", write("each", text), "-e", "imc/CAS_COUNT.RD/"


# The same, with both hardware threads of each core from the start: all points include the cost of shared cores.
def work_of_pairs(n):
    text = "".join(f"thread {i} on core {i // 2}: random 1M count {50000 // part}\n" for i in range(n))
    return "stat", "-p", "emr", "--scenario", write("pairs", text), "-e", "imc/CAS_COUNT.RD/"


def working_set(n):
    step = f"stream read {sized(n // 8)} stride {max(64, n // 500000 // 64 * 64)} times {max(1, 500000 * 64 // n)}\n"
    text = "set prefetch=off\n" + "".join(f"thread {i} on core {i}: {step}" for i in range(8))
    return "stat", "-p", "emr", "--scenario", write("set", text), "-e", "imc/CAS_COUNT.RD/"


def names_of(unit):
    lines = subprocess.run([pmon, "list", "-p", "emr", "-u", unit], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in lines.splitlines() if line.startswith(unit + "/") and "free-running" not in line]


SOME = write("some", "thread 0 on core 0: random 64M count 300k\nthread 1 on core 64: random 64M count 300k\n")


# 1 to 1,000 events of CHAs (64 a socket) and channels; more events than counters are multiplexed.
def events(n):
    return "stat", "-p", "emr", "--scenario", SOME, "-e", ",".join((names_of("cha") + names_of("imc"))[:n])


# Counters of two sockets that count at once, up to all of them: how many more counters, and the events on them.
COUNTING = [
    (16, "imc/CAS_COUNT.RD/"),
    (48, "imc/CAS_COUNT.WR/ imc/ACT_COUNT.ALL/ imc/PRE_COUNT.ALL/"),
    (128, "cha/LLC_LOOKUP.DATA_READ_ALL/"),
    (384, "cha/TOR_INSERTS.IA_MISS/ cha/TOR_INSERTS.IA/ cha/REQUESTS.READS/"),
    (32, "m2m/CLOCKTICKS/ m2m/DIRECTORY_LOOKUP.ANY/ m2m/RxC_AD_INSERTS.ALL/ m2m/RxC_AD_OCCUPANCY/"),
    (64, "upi/CLOCKTICKS/ upi/DIRECT_ATTEMPTS.D2C/ upi/DIRECT_ATTEMPTS.D2K/ upi/FLOWQ_NO_VNA_CRD.AD_VNA_EQ0/ "
         "m3upi/CHA_AD_CREDITS_EMPTY.VNA/ m3upi/CHA_AD_CREDITS_EMPTY.WB/ m3upi/CHA_AD_CREDITS_EMPTY.REQ/ m3upi/CHA_AD_CREDITS_EMPTY.SNP/"),
    (200, "iio/CLOCKTICKS/ iio/COMP_BUF_INSERTS.CMPD.PART0/ iio/COMP_BUF_INSERTS.CMPD.PART1/ iio/COMP_BUF_INSERTS.CMPD.PART2/ "
          "irp/CACHE_TOTAL_OCCUPANCY.ANY/ irp/CACHE_TOTAL_OCCUPANCY.IV_Q/ m2pcie/CLOCKTICKS/ "
          "m2pcie/IIO_CREDITS_ACQUIRED.DRS_0/ m2pcie/IIO_CREDITS_ACQUIRED.DRS_1/ m2pcie/IIO_CREDITS_ACQUIRED.NCB_0/"),
    (112, "mdf/Clockticks/ mdf/FAST_ASSERTED.AD_BNC/ mdf/FAST_ASSERTED.BL_CRD/ mdf/GV_BLOCK/"),
    (144, "cxlcm/RxC_FLITS.VALID/ cxlcm/RxC_FLITS.PROT/ cxlcm/RxC_FLITS.CTRL/ cxlcm/RxC_MISC.RETRY/ "
          "cxlcm/TxC_FLITS.VALID/ cxlcm/TxC_FLITS.PROT/ cxlcm/TxC_FLITS.CTRL/ cxlcm/TxC_FLITS.NO_HDR/ "
          "cxldp/CLOCKTICKS.Clockticks/ cxldp/TxC_AGF_INSERTS.U2C_REQ/ cxldp/TxC_AGF_INSERTS.U2C_RSP0/ cxldp/TxC_AGF_INSERTS.U2C_RSP1/"),
    (12, "pcu/CLOCKTICKS/ pcu/CORE_TRANSITION_CYCLES/ pcu/CROSSTHROT_HAMMER/ pcu/CROSSTHROT_LIGHT/ "
         "ubox/EVENT_MSG.VLW_RCVD/ ubox/EVENT_MSG.MSI_RCVD/"),
]


def counters(n):
    events, total = [], 0
    for more, names in COUNTING:
        if total < n:
            events += names.split()
            total += more
    if not n:
        return "machine", "run", "-p", "emr", "--scenario", SOME
    command = "stat", "-p", "emr", "--scenario", SOME, "-e", ",".join(events)
    if n == 1140: # without multiplexing: all of them count at once
        assert json.loads(subprocess.run([pmon, *command, "--json"], capture_output=True, check=True).stdout)["rounds"] == 1
    return command


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


ALL = [0]
for more, _ in COUNTING:
    ALL.append(ALL[-1] + more)
curve("threads", "4 million random loads shared by 1 to 256 emulated threads", [(str(n), n) for n in doubled(1, 256, 2)], threads)
curve("cores", "50,000 random loads in 1 MB of each of 1 to 256 emulated threads", [(str(n), n) for n in doubled(1, 256, 2)], work_of_each)
curve("pairs", "the same of 2 to 256 emulated threads, two on each core", [(str(n), n) for n in doubled(2, 256, 2)], work_of_pairs)
curve("memory", "half a million loads, spread over 1 MB to 64 GB", [(sized(n), n) for n in doubled(1 << 20, 64 << 30)], working_set)
curve("counters", "counters of two sockets that count at once", [(str(n), n) for n in ALL], counters)
curve("events", "events that are multiplexed", [(str(n), n) for n in doubled(1, 1400)], events)
curve("intervals", "intervals of an idle machine of one socket", [(str(n), n) for n in doubled(1, 1000000, 10)], intervals)
curve("series", "events in a recording with an interval each millisecond", [(str(n), n) for n in doubled(1, 256)], series)
curve("report", "the report of such a recording", [(str(n), n) for n in doubled(1, 256)], report)
curve("processes", "processes that a shell starts one after another", [(str(n), n) for n in doubled(1, 1000, 10)], processes)
