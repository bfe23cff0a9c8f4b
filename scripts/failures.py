#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the tests that failed in each given build folder, with the end of their output, so that a long log ends with
the reasons of the failures. Usage: failures.py BUILD..."""
import json
import pathlib
import sys

LINES = 60   # of a test's output: the failing check and its context
FINE = {"OK", "SKIP", "EXPECTEDFAIL"}

for build in sys.argv[1:]:
    log = pathlib.Path(build) / "meson-logs" / "testlog.json"
    if not log.exists():
        continue
    for line in log.read_text(errors="replace").splitlines():
        test = json.loads(line)
        if test["result"] in FINE:
            continue
        print(f"\n== {build}: {test['name']}: {test['result']} after {test['duration']:.1f} s, exit {test['returncode']}")
        said = (test.get("stdout") or "") + (test.get("stderr") or "")
        print("\n".join(said.splitlines()[-LINES:]))
