#!/bin/sh
# SPDX-License-Identifier: MIT
# Which lines and branches the tests execute: builds with gcov's counters in build-coverage, runs the tests (except
# those that boot guests), and prints a table by room. Takes some minutes. Usage: coverage.sh [FOLDER]: with a folder,
# also its files.
set -u
cd "$(dirname "$0")/.." || exit 1
command -v gcov >/dev/null && command -v python3 >/dev/null || { echo "coverage: needs gcov and python3" >&2; exit 1; }
build=build-coverage
again=
[ -f "$build/build.ninja" ] && again=--reconfigure
meson setup $again "$build" -Dbuildtype=plain -Doptimization=0 -Db_coverage=true -Dwerror=false -Dguests=none >/dev/null || exit 1
ninja -C "$build" -k 0 --quiet >/dev/null # programs without a C library cannot be linked with counters
find "$build" -name '*.gcda' -delete
meson test -C "$build" --no-rebuild --timeout-multiplier 10 >"$build/tests.log" 2>&1
sed -n '/^Ok:/,/^Timeout:/p' "$build/tests.log"
python3 scripts/coverage.py "$build" "$@"
