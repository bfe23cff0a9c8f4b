#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows the tests that did not pass in each build folder given, with the end of what each printed, so that the end of
a long log has the reason why it is red. Usage: failures.py BUILD..."""
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
