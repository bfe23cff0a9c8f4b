#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures the accuracy and cost of a sampled run. For each of the six programs of bench/live.sh: how many values of an
exact run lie in the intervals of `pmon stat --sample-intervals`, and processor time (user and system, of all processes)
and wall time compared with cachegrind. The machine runs in parallel with the emulator: on two free cores a sampled run
takes the time of the longer one. Therefore the processor times of the emulator and of the rest are printed, too.
usage: bench/sampled.py [--pmon FILE] [--share PERCENT] [--turns N] [--text BYTES] [--only NAME,...] [--values]
--text: bytes of text that the programs read (bench/live.sh: 1,300,000). --values: prints each value."""
import argparse, json, os, resource, shutil, subprocess, tempfile, time

PERL = '$n{substr($_, 0, 3)} += $_ % 97; END { print "$_ $n{$_}\\n" for sort keys %n }'
AWK = '{ n[substr($0, 1, 3)] += $0 % 97 } END { for (k in n) print k, n[k] }'


def programs(folder):
    lines, some = f"{folder}/lines", f"{folder}/some"
    return {
        "sort": ["sort", "-o", f"{folder}/sorted", lines],
        "gzip": ["gzip", "-c", lines],
        "bzip2": ["bzip2", "-c", some],
        "xz": ["xz", "-1", "-c", some],
        "perl": ["perl", "-ne", PERL, lines],
        "awk": ["awk", AWK, lines],
    }


def write_text(folder, size):
    n, x, text = 0, 1, []
    while n < size:
        x = x * 16807 % 2147483647
        text.append(f"{x}\n")
        n += len(text[-1])
    text = "".join(text)
    with open(f"{folder}/lines", "w") as f:
        f.write(text)
    with open(f"{folder}/some", "w") as f:
        f.write(text[: size * 4 // 13])


def measure_times(command):
    """Returns processor and wall time of a command, and the processor time of its child with the most: the emulator."""
    before, begin, most = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        children = f"/proc/{process.pid}/task/{process.pid}/children"
        while process.poll() is None:
            most = max(most, child_seconds(children))
            time.sleep(0.005)
    if process.returncode:
        raise SystemExit(f"{command}: exit status {process.returncode}")
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begin
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, wall, most


def child_seconds(children):
    try:
        with open(children) as f:
            pids = f.read().split()
        most = 0
        for pid in pids:
            spent = 0
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/schedstat") as f:
                    spent += int(f.read().split()[0]) * 1e-9
            most = max(most, spent)
        return most
    except (OSError, IndexError):
        return 0


def values(path):
    with open(path) as f:
        report = json.load(f)
    return {(v["name"], v["package"], v["instance"]): v for v in report["values"]}


def half_width(v):
    return (v["high"] - v["low"]) / 2 / v["value"] if v["value"] and v["high"] is not None else None


def measure(name, command, o, folder):
    """Measures one program. Returns the numbers of contained, judged and unknown values, and the times."""
    exact, sampled = f"{folder}/exact.json", f"{folder}/sampled.json"
    valgrind = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"]
    more = ["-g", o.groups] if o.groups else []
    stat = lambda path, *how: [o.pmon, "stat", "--json", *more, "-o", path, *how, "--", *command]
    times = [[], [], []]
    for turn in range(o.turns):
        times[0].append(measure_times(valgrind + command))
        if not turn:
            times[1].append(measure_times(stat(exact)))
        times[2].append(measure_times(stat(sampled, f"--sample-intervals={o.share}")))
    cachegrind, whole, some = (min(t) for t in times)
    truth, contained, judged, unknown, widths = values(exact), 0, 0, 0, []  # of values that are not 0 in both
    for key, v in values(sampled).items():
        t = truth[key]
        if not t["reason"] is None:
            continue
        if v["value"] is None:
            unknown += 1
            continue
        inside = v["low"] * (1 - 1e-9) <= t["value"] <= (float("inf") if v["high"] is None else v["high"] * (1 + 1e-9))
        if not v["value"] and not t["value"]:
            continue
        judged += 1
        contained += inside
        width = half_width(v)
        if width is not None:
            widths.append(width)
        if o.values:
            print(f"  {name} {key[0]} {key[1]} exact {t['value']:.6g} estimate {v['value']:.6g} "
                  f"[{v['low']:.6g}, {v['high'] or 0:.6g}]{'' if inside else '  OUTSIDE'}")
    width = sorted(widths)[len(widths) // 2] * 100 if widths else 0
    print(f"{name}: {contained} of {judged} values contained, {unknown} unknown, median half width {width:.1f} %; "
          f"cachegrind {cachegrind[0]:.2f} s, stat {whole[0]:.2f} s, sampled {some[0]:.2f} s "
          f"({some[0] / cachegrind[0]:.2f} times cachegrind), of it the emulator {some[2]:.2f} s "
          f"({some[2] / cachegrind[0]:.2f} times); wall {cachegrind[1]:.2f}, {whole[1]:.2f}, {some[1]:.2f} s "
          f"({some[1] / cachegrind[1]:.2f} times)", flush=True)
    return (contained, judged, unknown, some[0], cachegrind[0], some[1], cachegrind[1], some[2],
            max(some[2], some[0] - some[2]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pmon", default="build/pmon")
    parser.add_argument("--share", default="2")
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--text", type=int, default=1300000)
    parser.add_argument("--groups")
    parser.add_argument("--only")
    parser.add_argument("--values", action="store_true")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_text(folder, o.text)
        results = [
            measure(name, [shutil.which(command[0]), *command[1:]], o, folder)
            for name, command in programs(folder).items()
            if shutil.which(command[0]) and (not o.only or name in o.only.split(","))
        ]
    contained, judged, unknown, some, cachegrind, wall, other, emulator, longer = (sum(r[i] for r in results)
                                                                                   for i in range(9))
    print(f"all: {contained} of {judged} values contained ({100 * contained / max(judged, 1):.1f} %, to be at least 95), "
          f"{unknown} unknown; {some / cachegrind:.2f} times cachegrind's processor time, the emulator "
          f"{emulator / cachegrind:.2f}, the longer of emulator and machine {longer / cachegrind:.2f}; "
          f"{wall / other:.2f} times its wall time (to be at most 0.50)")


main()
