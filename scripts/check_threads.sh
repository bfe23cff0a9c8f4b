#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of multi-threaded code with the thread sanitizer (gcc): independent sessions of the libraries in several
# threads, regions, the exporter with requests while it counts, and both sides of a live run. A report of the sanitizer
# exits with 66, which fails the test. Usage: check_threads.sh
set -u
cd "$(dirname "$0")/.." || exit 1
build=build-threads tests='threads trace-filter trace-live session-regions exporter regions'
again=
if [ -f "$build/build.ninja" ]; then again=--reconfigure; else rm -rf "$build"; fi
CC=${CC:-gcc} meson setup $again "$build" -Db_sanitize=thread -Db_lundef=false -Dhardened=false -Dguests=none \
  -Doptimization=1 -Ddebug=false -Dc_args='-g1 -Wno-tsan' >"$build.log" 2>&1 || { cat "$build.log"; rm -f "$build.log"; exit 1; }
rm -f "$build.log"
# meson builds only what these tests need.
EXPORTER_SECONDS=${EXPORTER_SECONDS-1100} TSAN_OPTIONS="exitcode=66 halt_on_error=1 ${TSAN_OPTIONS-}" \
  meson test -C "$build" --print-errorlogs --timeout-multiplier 10 $tests
