#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures how the processor time and memory of pmon grow with its work. Each curve varies one quantity. For each point
it prints the processor time of pmon and its children, the largest resident memory, and the slope of both from the
previous point: the exponent with which they grow with the quantity (1 is linear, 0 is constant). Figures are medians of
three runs, or of one run that took more than ten seconds. The last line of a curve names the steepest step of its upper
half. The last line of all is the largest memory; the exit status is 1 if it is over the limit of 300 MB."""
import argparse, functools, json, math, os, re, statistics, subprocess, sys, tempfile

LIMIT_MB = 300
CURVES = {}  # by name: title, the quantity of each point, the arguments of pmon for a quantity, its text


class ListCurves(argparse.Action):
    def __call__(self, parser, *_):
        for name, (title, points, _, text) in CURVES.items():
            print(f"{name:10} {title}: {text(points[0])} to {text(points[-1])}")
        parser.exit()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog="All curves take a quarter of an hour on a quiet host.")
    parser.add_argument("pmon", metavar="PMON", help="the command to measure, such as build/pmon")
    parser.add_argument("curves", metavar="CURVE", nargs="*", help="the curves to measure (default: all)")
    parser.add_argument("--list", action=ListCurves, nargs=0, help="print the curves and exit")
    parser.add_argument("--instructions", action="store_true", help="measure millions of instructions of pmon itself, "
                        "without its children, under callgrind, instead of seconds: they do not depend on other load")
    parser.add_argument("--part", type=int, metavar="N", help="give emulated threads an Nth part of their work "
                        "(default: 10 with --instructions, otherwise 1)")
    parser.add_argument("--from", dest="first", type=int, default=0, metavar="N", help="leave out smaller points")
    parser.add_argument("--to", dest="last", type=int, default=sys.maxsize, metavar="N", help="leave out larger points")
    given = parser.parse_args()
    for name in given.curves:
        if name not in CURVES:
            parser.error(f"{name}: no such curve; --list prints them: {', '.join(CURVES)}")
    if not os.access(given.pmon, os.X_OK):
        parser.error(f"{given.pmon}: not an executable file")
    return given


def write(name, text):
    path = os.path.join(work, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def run(arguments, counted):
    """Processor seconds, or millions of instructions, and megabytes of a pmon run."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] if counted else []
    with open(os.path.join(work, "err"), "w") as err:
        child = subprocess.Popen([*valgrind, pmon, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
    with open(os.path.join(work, "err")) as err:
        said = err.read()
    if status:
        sys.exit(f"growth: pmon {' '.join(arguments)[:200]}: status {status}: {said[:500]}")
    if counted:
        return int(re.search(r"Collected : (\d+)", said).group(1)) / 1e6, 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def slope(before, after, a, b):
    return math.log(b / a) / math.log(after / before) if a > 0 and b > 0 and after > before > 0 else None


def measure(command, n, counted):
    arguments = command(n)
    results = [run(arguments, counted)]
    while not counted and len(results) < 3 and results[0][0] < 10:
        results.append(run(arguments, counted))
    return statistics.median(r[0] for r in results), statistics.median(r[1] for r in results)


def print_curve(name, counted, first, last):
    """Prints a curve; returns its largest memory."""
    title, points, command, text_of = CURVES[name]
    points = [n for n in points if first <= n <= last]
    print(f"\n{name}: {title}\n{name:>12} " + (f"{'M instr.':>10} {'slope':>7}" if counted else
          f"{'seconds':>10} {'slope':>7} {'MB':>8} {'slope':>7}"))
    before, steps, most = None, [], 0
    for i, n in enumerate(points):
        cost, mb = measure(command, n, counted)
        grown = slope(before[0], n, before[1], cost) if before else None
        mb_grown = slope(before[0], n, before[2], mb) if before else None
        if grown is not None and i >= len(points) // 2:
            steps.append((grown, text_of(n)))
        texts = ["-" if s is None else f"{s:.2f}" for s in (grown, mb_grown)]
        print(f"{text_of(n):>12} {cost:10.3f} {texts[0]:>7}" + ("" if counted else f" {mb:8.1f} {texts[1]:>7}"), flush=True)
        before, most = (n, cost, mb), max(most, mb)
    if steps:
        print("steepest step of the upper half: {:.2f}, up to {}".format(*max(steps)))
    return most


def main():
    most, largest = max((print_curve(name, given.instructions, given.first, given.last), name)
                        for name in given.curves or CURVES)
    if given.instructions:
        return 0
    print(f"\nlargest memory: {most:.0f} MB ({largest}), of {LIMIT_MB} MB")
    return most > LIMIT_MB


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
    step = f"random 4M count {4096000 // n // part}\n"
    text = "set prefetch=off\n" + "".join(f"thread {i} on core {i % 128}: {step}" for i in range(n))
    return "stat", "-p", "emr", "--scenario", write("threads", text), "-e", "imc/CAS_COUNT.RD/"


def work_of_each(n):
    text = "".join(f"thread {i} on core {i % 128}: random 1M count {50000 // part}\n" for i in range(n))
    return "stat", "-p", "emr", "--scenario", write("each", text), "-e", "imc/CAS_COUNT.RD/"


# The same, with both hardware threads of each core from the start: all points include the cost of shared cores.
def work_of_pairs(n):
    text = "".join(f"thread {i} on core {i // 2}: random 1M count {50000 // part}\n" for i in range(n))
    return "stat", "-p", "emr", "--scenario", write("pairs", text), "-e", "imc/CAS_COUNT.RD/"


def working_set(n):
    loads = 500000 // part
    step = f"stream read {sized(n // 8)} stride {max(64, n // loads // 64 * 64)} times {max(1, loads * 64 // n)}\n"
    text = "set prefetch=off\n" + "".join(f"thread {i} on core {i}: {step}" for i in range(8))
    return "stat", "-p", "emr", "--scenario", write("set", text), "-e", "imc/CAS_COUNT.RD/"


@functools.cache
def names_of(unit):
    lines = subprocess.run([pmon, "list", "-p", "emr", "-u", unit], capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in lines.splitlines() if line.startswith(unit + "/") and "free-running" not in line]


def first_events(n):
    return ",".join((names_of("cha") + names_of("imc"))[:n])


# Some work of both sockets.
def some():
    return write("some", "".join(f"thread {i} on core {64 * i}: random 64M count {300000 // part}\n" for i in range(2)))


# Events of CHAs (64 a socket) and channels; more events than counters are multiplexed.
def events(n):
    return "stat", "-p", "emr", "--scenario", some(), "-e", first_events(n)


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
        return "machine", "run", "-p", "emr", "--scenario", some()
    command = "stat", "-p", "emr", "--scenario", some(), "-e", ",".join(events)
    if n == 1140: # without multiplexing: all of them count at once
        assert json.loads(subprocess.run([pmon, *command, "--json"], capture_output=True, check=True).stdout)["rounds"] == 1
    return command


def intervals(n):
    us = 100 if n <= 10000 else 10 if n <= 100000 else 1
    text = f"set cores=2 sockets=1\nthread 0 on core 0: sleep {n * us}us\n"
    return "stat", "-p", "emr", "--scenario", write("long", text), "-e", "imc/CAS_COUNT.RD/", "-I", f"{us}us", "--csv"


def series(n):
    return "stat", "-p", "emr", "--scenario", some(), "-e", first_events(n), "-I", "1ms", "--record", os.path.join(
        work, "recording")


def report(n):
    run(series(n), False)
    return "report", os.path.join(work, "recording")


def processes(n):
    script = write("many", f"i=0; while [ $i -lt {n} ]; do /bin/true; i=$((i + 1)); done\n")
    return "stat", "-p", "emr", "-e", "imc/CAS_COUNT.RD/", "--", "sh", script


ALL = [0]
for more, _ in COUNTING:
    ALL.append(ALL[-1] + more)
CURVES = {
    "threads": ("4 million random loads shared by emulated threads", doubled(1, 256, 2), threads, str),
    "cores": ("50,000 random loads in 1 MB of each emulated thread", doubled(1, 256, 2), work_of_each, str),
    "pairs": ("the same, two threads on each core", doubled(2, 256, 2), work_of_pairs, str),
    "memory": ("memory over which half a million loads are spread", doubled(1 << 20, 64 << 30), working_set, sized),
    "counters": ("counters of two sockets that count at once", ALL, counters, str),
    "events": ("events that are multiplexed", doubled(1, 1400), events, str),
    "intervals": ("intervals of an idle machine of one socket", doubled(1, 1000000, 10), intervals, str),
    "series": ("events in a recording with an interval each millisecond", doubled(1, 256), series, str),
    "report": ("events in the report of such a recording", doubled(1, 256), report, str),
    "processes": ("processes that a shell starts one after another", doubled(1, 1000, 10), processes, str),
}
given = parse_arguments()
pmon, part = os.path.abspath(given.pmon), given.part or (10 if given.instructions else 1)
with tempfile.TemporaryDirectory() as work:
    sys.exit(main())
