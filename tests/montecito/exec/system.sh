#!/bin/sh
# SPDX-License-Identifier: MIT
# Assembles and runs programs that check themselves: the system level, and what programs at level 3 rely on.
# Usage: system.sh PMON SOURCE...
set -u
pmon=$(realpath "$1")
shift
command -v ia64-linux-gnu-ld >/dev/null || { echo "skipped: no binutils-ia64-linux-gnu"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
for source in "$@"; do
  if ia64-linux-gnu-as -o "$work/object" "$source" 2>"$work/out" &&
     ia64-linux-gnu-ld -static -o "$work/program" "$work/object" 2>>"$work/out" &&
     timeout 600 "$pmon" -p montecito machine run -- "$work/program" >"$work/out" 2>&1 &&
     grep -q '^bundles  *[1-9]' "$work/out"; then
    passed=$((passed + 1))
  else
    echo "$source:"
    head -n 12 "$work/out"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
