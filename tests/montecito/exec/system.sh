#!/bin/sh
# SPDX-License-Identifier: MIT
# Assembles a program that checks the system level itself (system.s, timer.s), and runs it. Usage: system.sh PMON SOURCE
set -u
pmon=$(realpath "$1") source=$(realpath "$2")
command -v ia64-linux-gnu-ld >/dev/null || { echo "skipped: no binutils-ia64-linux-gnu"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
ia64-linux-gnu-as -o system.o "$source" 2>as && ia64-linux-gnu-ld -static -o system system.o ||
  { cat as; echo "0 passed, 1 failed"; exit 1; }
if timeout 60 "$pmon" -p montecito machine run -- ./system >out 2>&1; then
  echo "1 passed, 0 failed"
else
  head -n 12 out
  echo "0 passed, 1 failed"
  exit 1
fi
