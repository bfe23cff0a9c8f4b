#!/bin/sh
# SPDX-License-Identifier: MIT
# pmon bench-driver on the kernel's own driver: some checks pass, and a user's check that expects another count fails;
# the matrix, its JSON and its JUnit report show this. pmon bench-tool: perf's numbers are correct. Usage: bench.sh PMON
# BENCH-FILE
pmon=$1 bench=$2 what="no bench was run"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz perf wrmsr setpci jq
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/checks" <<'END'
check mine: a count that is expected otherwise
inject imc1 CAS_COUNT.WR 40
count uncore_imc_1/event=4,umask=0xc/ 40
count uncore_imc_1/event=4,umask=3/ 5
END
"$pmon" bench-driver --check units,wrap,idle,suspend,resume,mine --checks "$work/checks" --json "$work/json" --junit "$work/junit" \
  --timeout 900 --artifacts "$work/kept" >"$work/out" 2>"$work/errors"
code=$? failed=0
grep -q 'no guest (exit code 125)' "$work/out" && booted 125 "$work/out"
[ $code -eq 1 ] || { echo "exit code $code, not 1"; failed=1; }
jq -e '[.cells[0].checks[] | select(.verdict != "skipped") | [.name, .verdict, .good, .of]] ==
  [["units", "passed", 6, 6], ["idle", "passed", 4, 4], ["wrap", "passed", 3, 3],
   ["suspend", "passed", 3, 3], ["resume", "passed", 3, 3], ["mine", "failed", 1, 2], ["rules", "passed", 1, 1]]' "$work/json" >/dev/null || { cat "$work/json"; failed=1; }
grep -q '^    uncore_imc_1/event=4,umask=3/: 0, expected 5$' "$work/out" &&
  grep -q "^    again: pmon -p snbep bench-driver --sockets 1 --checks $work/checks --check mine\$" "$work/out" || failed=1
grep -q 'failures="1" errors="0"' "$work/junit" || { cat "$work/junit"; failed=1; }
[ $failed -eq 0 ] || cat "$work/out" "$work/errors" "$work/kept"/cell-1/*
"$pmon" bench-tool --bench "$bench" --json "$work/json" >"$work/out" 2>"$work/errors" ||
  { cat "$work/out" "$work/errors"; failed=1; }
jq -e '.passed and (.values | length == 6)' "$work/json" >/dev/null || { cat "$work/json"; failed=1; }
exit $failed
