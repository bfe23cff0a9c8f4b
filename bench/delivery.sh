#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the processor time that QEMU needs to deliver a program's accesses, before they are used, as a share of half
# of cachegrind's time: a sampled mode can be no cheaper where each access has to be delivered to keep caches warm.
# Processor time in seconds (user and system), the least of TURNS, of the programs of bench/live.sh with a tenth of the
# text. bare: QEMU alone; nothing, blocks, accesses, count, words, flushes: bench/deliver.c; record: pmon-trace.so with
# a reader that only stores the records, QEMU's and the reader's time together.
# usage: bench/delivery.sh [BUILD [TURNS]]
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1:-build}" && pwd)
turns=${2:-3}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ninja -C "$build" bench/bench_deliver.so pmon plugin/pmon-trace.so >/dev/null
awk 'BEGIN { x = 1; while (n < 130000) { x = (x * 16807) % 2147483647; print x; n += length(x) + 1 } }' >"$dir/lines"
head -c 40000 "$dir/lines" >"$dir/some"

# Prints the least processor time of a command, in seconds.
least() {
  : >"$dir/seconds"
  for turn in $(seq "$turns"); do
    # shellcheck disable=SC2016
    sh -c '"$@" >/dev/null 2>&1; times' sh "$@" | awk -v turn="$turn" '
      NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += 60 * t[1] + t[2] } printf "%.3f\n", s }' >>"$dir/seconds"
  done
  sort -n "$dir/seconds" | head -n 1
}
program() {
  name=$1
  shift
  path=$(command -v "$1") || { echo "$name: not installed, left out"; return; }
  shift
  cachegrind=$(least valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null "$path" "$@")
  line="$name $cachegrind bare=$(least qemu-x86_64 "$path" "$@")"
  for what in nothing blocks count accesses words flushes; do
    line="$line $what=$(least qemu-x86_64 -plugin "$build/bench/bench_deliver.so,what=$what" "$path" "$@")"
  done
  line="$line record=$(least "$build/pmon" machine record --plain -o /dev/null -- "$path" "$@")"
  echo "$line" | awk '{
    printf "%-6s half of cachegrind %.2f s:", $1, $2 / 2
    for (i = 3; i <= NF; i++) { split($i, p, "="); printf "  %s %.2f (%.0f %%)", p[1], p[2], 200 * p[2] / $2 }
    printf "\n"
  }'
}
. bench/programs.sh
