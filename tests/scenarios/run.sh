#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every scenario and stream of bundles of a folder, and checks each run. A file may say in a comment that its run
# has to fail (`# expect: failure`), that it cannot run (`# expect: refusal`), or that the checker has to find an error
# in it (`# check: error`). Usage: run.sh PMON FOLDER
set -u
pmon=$1 folder=$2 failed=0 passed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for file in "$folder"/*.scn "$folder"/*.bundles; do
  [ -e "$file" ] || continue
  name=${file##*/}
  case $name in
  *.scn) set -- --scenario "$file" ;;
  *) set -- -p montecito --bundles "$file" ;;
  esac
  "$pmon" machine run "$@" >"$work/account" 2>"$work/errors"
  ran=$?
  "$pmon" machine run --check "$@" >/dev/null 2>>"$work/errors"
  checked=$?
  want=0 want_checked=0
  grep -q '^# expect: failure' "$file" && want=1 want_checked=1
  grep -q '^# expect: refusal' "$file" && want=2 want_checked=2
  grep -q '^# check: error' "$file" && want_checked=1
  if [ $ran -ne $want ] || [ $checked -ne $want_checked ]; then
    echo "$name: ended with $ran (expected $want), checked with $checked (expected $want_checked)"
    cat "$work/errors"
    failed=$((failed + 1))
  elif [ $ran -eq 0 ] && ! grep -qE '^(simulated_fs|bundles) ' "$work/account"; then
    echo "$name: no account of the run"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
