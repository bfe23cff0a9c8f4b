#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the two-socket machine, fed live by real programs, with cachegrind, which models one core's two cache levels:
# wall time of each program, in alternating runs, medians. The last program is the memory-bound bench/walk.c (256 MB
# filled, then 4 million random look-ups). Programs that are not installed are left out. usage: bench/live.sh [PMON
# [TURNS [WALK]]]
set -eu
pmon=${1:-build/pmon}
turns=${2:-5}
walk=${3:-build/bench/bench_walk}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk 'BEGIN { x = 1; while (n < 1300000) { x = (x * 16807) % 2147483647; print x; n += length(x) + 1 } }' >"$dir/lines"
head -c 400000 "$dir/lines" >"$dir/some"

# Prints the seconds that a command takes.
clock() {
  begin=$(date +%s.%N)
  "$@" >"$dir/stdout" 2>"$dir/stderr"
  end=$(date +%s.%N)
  echo "$begin $end" | awk '{ printf "%.2f\n", $2 - $1 }'
}
median() {
  sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
# NAME COMMAND...
program() {
  name=$1
  shift
  if ! command -v "$1" >/dev/null; then
    echo "$name: not installed, left out"
    return
  fi
  rm -f "$dir/cachegrind" "$dir/run" "$dir/stat"
  for turn in $(seq "$turns"); do
    clock valgrind --tool=cachegrind --cache-sim=yes --cachegrind-out-file=/dev/null "$@" >>"$dir/cachegrind"
    clock "$pmon" machine run -- "$@" >>"$dir/run"
    clock "$pmon" stat -- "$@" >>"$dir/stat"
    echo "$name, turn $turn: cachegrind $(tail -n 1 "$dir/cachegrind") s, machine run $(tail -n 1 "$dir/run") s," \
      "stat $(tail -n 1 "$dir/stat") s"
  done
  echo "$(median "$dir/cachegrind") $(median "$dir/run") $(median "$dir/stat")" | awk -v name="$name" '{
    printf "%s, median: cachegrind %.2f s, machine run %.2f s (%.2f times), stat %.2f s (%.2f times); to be at most %.2f\n",
           name, $1, $2, $2 / $1, $3, $3 / $1, name == "walk" ? 1.3 : 1 }'
}

. bench/programs.sh
[ ! -x "$walk" ] || program walk "$walk"
