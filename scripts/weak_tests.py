#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds tests that cannot fail: runs the tests that take the command as an argument with a false one, and prints those
that pass. Two false commands are tried: `nothing` does nothing and ends with 0; `status` does all that pmon does, and
ends with 99 instead of 0.

usage: weak_tests.py [--seconds N] BUILD SUITE|TEST...

A test that takes longer than N seconds (300 when absent) is stopped, and listed as such. The exit status is 1 if a test
passes that the list below does not name.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

FALSE = {"nothing": "exit 0", "status": '"$REAL" "$@"; code=$?; [ $code != 0 ] || code=99; exit $code'}
# Tests that may pass with a false command, and the reason.
ACCEPTED = {("status", "man"): "compares texts; `options` checks the statuses of --help",
            ("status", "shells"): "shells ignore the status of a completion",
            ("status", "kernel"): "its import has to end with 1"}


def outcome(test, build, command, seconds):
    """Runs a test with the command in place of pmon; returns `passes`, `fails`, `skipped` or `stopped`."""
    real = (os.path.join(build, "pmon"), "./pmon")
    line = [command if word in real else word for word in test["cmd"]]
    environment = {**os.environ, **test["env"], "REAL": real[0]}
    try:
        status = subprocess.run(line, cwd=test["workdir"] or build, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        return "stopped"
    return {0: "passes", 77: "skipped"}.get(status, "fails")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("build")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    with open(os.path.join(build, "meson-info", "intro-tests.json"), encoding="utf-8") as f:
        tests = json.load(f)
    pmon = {"./pmon", os.path.join(build, "pmon")}
    chosen = [t for t in tests if pmon & set(t["cmd"]) and
              {t["name"], *(s.split(":")[-1] for s in t["suite"])} & set(options.names)]
    if not chosen:
        sys.exit("weak_tests.py: no test of these takes the command")
    weak = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, text in FALSE.items():
            command = os.path.join(folder, kind)
            with open(command, "w", encoding="utf-8") as f:
                f.write("#!/bin/sh\n" + text + "\n")
            os.chmod(command, 0o755)
            for test in chosen:
                result = outcome(test, build, command, options.seconds)
                accepted = ACCEPTED.get((kind, test["name"]))
                weak += result == "passes" and not accepted
                if result != "fails":
                    print(f"{kind}\t{test['name']}\t{result}" + (f"\t{accepted}" if accepted else ""), flush=True)
    print(f"{len(chosen)} tests, {weak} times a test is weak")
    sys.exit(weak > 0)


main()
