#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Measures how many bundles a second of the example programs the emulated Montecito executes with twelve counters: by
# the processor time of `pmon stat`, including system time, less that of the program "hello"; the best of several rounds
# of all programs. Programs of fewer than 40,000 bundles are too short to judge. A second pmon is measured alternately.
# Usage: montecito_programs.py BUILD [TURNS [OTHER_PMON]]
import os, subprocess, sys

build = sys.argv[1]
turns = int(sys.argv[2]) if len(sys.argv) > 2 else 9
commands = [os.path.join(build, "pmon")] + sys.argv[3:4]
events = ("IA64_INST_RETIRED.THIS,CPU_OP_CYCLES.ALL,BACK_END_BUBBLE.ALL,NOPS_RETIRED,BE_EXE_BUBBLE.ALL,"
          "BR_MISPRED_DETAIL.ALL.ALL_PRED,BE_FLUSH_BUBBLE.ALL,L2I_READS.ALL.ALL,L1D_READ_MISSES.ALL,"
          "L2D_REFERENCES.ALL,L3_READS.ALL.ALL,LOADS_RETIRED")
names = ["sort", "search", "share", "mixed"]


def program(name):
    return os.path.join(build, "examples", "montecito", name)


def bundles(name):
    """Returns the bundles of all cores, as the machine itself counts them."""
    shown = subprocess.run([commands[0], "machine", "run", "-p", "montecito", "--", program(name)], check=True,
                           capture_output=True, text=True).stdout
    line = next(line for line in shown.splitlines() if line.startswith("bundles "))
    return sum(int(word) for word in line.split()[1:])


def seconds(pmon, name):
    child = subprocess.Popen([pmon, "-p", "montecito", "stat", "-e", events, "--", program(name)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"montecito_programs: {name}: status {status}")
    return usage.ru_utime + usage.ru_stime


if not os.path.exists(program("hello")):
    sys.exit("montecito_programs: no example programs; they are built with ia64-linux-gnu-as")
best = {}
for _ in range(turns):
    for name in ["hello"] + names:
        for pmon in commands:
            best[name, pmon] = min(best.get((name, pmon), 1e9), seconds(pmon, name))
for name in names:
    n = bundles(name)
    rates = [n * 1e-6 / (best[name, pmon] - best["hello", pmon]) for pmon in commands]
    print(f"{name:8} {n:8} bundles " + ", ".join(f"{rate:6.2f} million/s" for rate in rates))
