#!/bin/sh
# SPDX-License-Identifier: MIT
# The session in the README is the output of the main job: the words are equal, and numbers differ by no more than other
# libraries below the workload explain. Usage: readme.sh PMON README DEMO
set -u
pmon=$(realpath "$1") readme=$(realpath "$2") demo=$(realpath "$3")
command -v qemu-x86_64 >/dev/null || { echo "skipped: no qemu-x86_64"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/build" "$work/scripts"
ln -s "$pmon" "$work/build/pmon"
cp "$demo" "$work/scripts/demo.sh"
sed -n '/^\$ pmon stat --set numa=interleave -- sort/,/^```$/p' "$readme" | sed '$d' >"$work/output"
[ "$(wc -l <"$work/output")" -gt 10 ] || { echo "$readme shows no session"; exit 1; }
# Test runners make malloc() fill the memory that it returns, which would change the workload's counts.
unset MALLOC_PERTURB_
sh "$work/scripts/demo.sh" >"$work/shown" 2>"$work/errors" || { cat "$work/errors"; exit 1; }
awk '
  function same(a, b) { return a == b || (a ~ /^[0-9.,]+$/ && b ~ /^[0-9.,]+$/ && near(a, b)) }
  function near(a, b) { gsub(",", "", a); gsub(",", "", b); return a - b <= 0.05 * b && b - a <= 0.05 * b }
  NR == FNR { output[FNR] = $0; n = FNR; next }
  {
    lines = FNR
    bad = split(output[FNR], words) != NF
    for (i = 1; i <= NF && !bad; i++) bad = !same($i, words[i])
    if (bad) { printf "README: %s\nshown:  %s\n", output[FNR], $0; failed = 1 }
  }
  END {
    if (lines != n) { printf "README has %d lines, shown were %d\n", n, lines; failed = 1 }
    exit failed
  }' "$work/output" "$work/shown"
