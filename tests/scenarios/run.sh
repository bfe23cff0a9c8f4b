#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every scenario of a folder with the command given: run.sh PMON FOLDER. A file may say in a comment that its run
# has to fail (`# expect: failure`), or that the checker has to find an error in it (`# check: error`).
set -u
pmon=$1 failed=0 passed=0
for file in "$2"/*.scn; do
  name=${file##*/}
  "$pmon" machine run --scenario "$file" >/dev/null 2>"${TMPDIR:-/tmp}/scenario.$$"
  ran=$?
  "$pmon" machine run --check --scenario "$file" >/dev/null 2>"${TMPDIR:-/tmp}/scenario-check.$$"
  checked=$?
  want=0 want_checked=0
  grep -q '^# expect: failure' "$file" && want=1 want_checked=1
  grep -q '^# check: error' "$file" && want_checked=1
  if [ $ran -ne $want ] || [ $checked -ne $want_checked ]; then
    echo "$name: ended with $ran (expected $want), checked with $checked (expected $want_checked)"
    cat "${TMPDIR:-/tmp}/scenario.$$" "${TMPDIR:-/tmp}/scenario-check.$$"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
done
rm -f "${TMPDIR:-/tmp}/scenario.$$" "${TMPDIR:-/tmp}/scenario-check.$$"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
