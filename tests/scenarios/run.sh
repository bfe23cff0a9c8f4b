#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every scenario and stream of bundles of a folder with the command given: run.sh PMON FOLDER. A file may say in a
# comment that its run has to fail (`# expect: failure`), that it cannot run (`# expect: refusal`), or that the checker has to find an error in it (`# check: error`).
set -u
pmon=$1 failed=0 passed=0
errors=${TMPDIR:-/tmp}/scenario.$$
for file in "$2"/*.scn "$2"/*.bundles; do
  [ -e "$file" ] || continue
  name=${file##*/}
  case $name in
  *.scn) set -- "$1" "$2" --scenario "$file" ;;
  *) set -- "$1" "$2" -p montecito --bundles "$file" ;;
  esac
  "$pmon" machine run "$3" "$4" ${5+"$5" "$6"} >/dev/null 2>"$errors"
  ran=$?
  "$pmon" machine run --check "$3" "$4" ${5+"$5" "$6"} >/dev/null 2>>"$errors"
  checked=$?
  want=0 want_checked=0
  grep -q '^# expect: failure' "$file" && want=1 want_checked=1
  grep -q '^# expect: refusal' "$file" && want=2 want_checked=2
  grep -q '^# check: error' "$file" && want_checked=1
  if [ $ran -ne $want ] || [ $checked -ne $want_checked ]; then
    echo "$name: ended with $ran (expected $want), checked with $checked (expected $want_checked)"
    cat "$errors"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
done
rm -f "$errors"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
