#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reports how many of Linux perf's names of uncore events pmon resolves, and how many to the same code.

    kernel_names.py PLATFORM FOLDER [--list]

FOLDER has perf's own tables of the processor (tools/perf/pmu-events/arch/x86/NAME in Linux' sources, or what
scripts/create_perf_json.py in Intel's perfmon repository writes). Each row is resolved twice: by its name in lower
case, as `perf list` shows it, and as the terms that perf's table compiler makes of its fields. The events that the
kernel's own drivers list in sysfs are not in these tables; tests/event/test_kernel_names.c has them.

PMON_LIBRARY names libpmon.so, and PYTHONPATH the folder python/, if they are not installed.
"""
import collections
import glob
import json
import sys

import pmon

PMUS = {"cbo": "cbox", "qpi ll": "qpi", "upi ll": "upi"}


def terms(row):
    """Returns the fields of a row in the form of perf's table compiler (jevents.py)."""
    code = int(row.get("EventCode", "0"), 0) | int(row.get("ExtSel", "0"), 0) << 8
    found = [f"event={code:#x}"]
    umask = int(row.get("UMask", "0"), 0)
    extension = int(row.get("UMaskExt", "0"), 0)
    for key, term in (("PortMask", "ch_mask"), ("FCMask", "fc_mask")):
        if int(row.get(key, "0"), 0):
            found.append(f"{term}={row[key]}")
    umask |= extension << 8
    if umask:
        found.append(f"umask={umask:#x}")
    if row.get("Filter", "").replace(",", "").strip():
        found.append(row["Filter"])
    return ",".join(found)


def resolve(platform, text):
    try:
        return platform.event(text), ""
    except pmon.Error as error:
        return None, str(error).split(": ", 1)[-1].split(";")[0]


def same(a, b):
    """Returns whether both have equal values for the hardware. A name that the facts have for a code differs from the
    code."""
    if a == b:
        return True
    try:
        return [(r.address, r.value, r.mask) for r in a.encode()] == [(r.address, r.value, r.mask) for r in b.encode()]
    except pmon.Error:  # no registers are known: Linux perf counts the unit
        return (a.code, a.umask_value, a.ext) == (b.code, b.umask_value, b.ext)


def main():
    platform = pmon.Platform(sys.argv[1])
    counts = collections.defaultdict(collections.Counter)
    for name in sorted(glob.glob(sys.argv[2] + "/uncore*.json")):
        with open(name, encoding="utf-8") as file:
            rows = json.load(file)
        for row in rows:
            if "EventName" not in row:
                continue
            unit = row["Unit"].lower()
            unit = PMUS.get(unit, unit)
            event, why = resolve(platform, row["EventName"].lower())
            spelled, spelled_why = resolve(platform, f"uncore_{unit}/{terms(row)}/")
            kind = ("same" if event and spelled and same(event, spelled) else "other" if event and spelled
                    else "name" if event else "terms" if spelled else "neither")
            counts[unit][kind] += 1
            if kind != "same" and "--list" in sys.argv:
                print(f"{kind}\t{unit}\t{row['EventName']}\t{terms(row)}\t{event or why}\t{spelled or spelled_why}")
    print(f"| `{platform.name}` | rows | both, the same | both, different | name alone | terms alone | neither |")
    print("|---|---|---|---|---|---|---|")
    total = sum(counts.values(), collections.Counter())
    for unit, c in sorted(counts.items()) + [("all", total)]:
        print(f"| {unit} | {sum(c.values())} | " +
              " | ".join(str(c[kind]) for kind in ("same", "other", "name", "terms", "neither")) + " |")


main()
