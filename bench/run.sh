#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs all benchmarks, and prints one table: the figure, its target, and other tools' figures for the same task in the
# same run. BUILD/bench.json has the same as JSON: an array of objects with what, figure, unit, and, where they exist,
# at_most or at_least and the others' figure.
# usage: bench/run.sh [names]     names: without the machine's benchmarks, which take minutes
set -u
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-build}
dir=$(mktemp -d) || exit 1
finish() {
  [ -s "$dir/objects" ] && { echo '['; sed '$!s/$/,/' "$dir/objects"; echo ']'; } >"$build/bench.json"
  rm -rf "$dir"
}
trap finish EXIT
version=$(sh scripts/version.sh)
targets="bench/bench_names bench/bench_engine bench/bench_counters bench/bench_replay bench/bench_walk bench/bench_cores bench/bench_chase bench/bench_probe pmon libpmon.so.$version"
grep -q test_uncertainty "$build/build.ninja" && targets="$targets tests/uncertainty/test_uncertainty plugin/pmon-trace.so"
grep -q bench_pfm "$build/build.ninja" && targets="$targets bench/bench_pfm"
# shellcheck disable=SC2086
ninja -C "$build" $targets >"$dir/build" || { cat "$dir/build"; exit 1; }

# One object of the array: what, figure with its unit, the limit's name, the limit, others.
object() {
  printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" | awk -F '\t' '
    function quote(s) { gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return "\"" s "\"" }
    {
      sub(/^ +/, "", $1)
      figure = $2; unit = $2
      sub(/[ ,].*/, "", figure); sub(/^[^ ]* ?/, "", unit)
      printf "{\"what\": %s, \"figure\": %s, \"unit\": %s", quote($1), figure + 0, quote(unit)
      if ($4 != "" && $4 != "-") printf ", \"%s\": %s", $3, $4 + 0
      if ($5 != "") printf ", \"others\": %s", quote($5)
      print "}"
    }' >>"$dir/objects"
}
# what, figure with its unit, upper limit ("-": none), others
row() {
  object "$1" "$2" at_most "$3" "${4-}"
  verdict=$(echo "${2%% *} ${3%% *}" | awk '$2 == "-" || $2 == "" { print ""; exit } { print ($1 + 0 <= $2 + 0) ? "yes" : "NO" }')
  printf '%-62s %14s %14s %-4s %s\n' "$1" "$2" "$3" "$verdict" "${4-}"
}
rate() {                        # as row(), with a lower limit
  [ "$3" = - ] && { row "$1" "$2" -; return; }
  object "$1" "$2" at_least "$3" "${4-}"
  verdict=$(echo "${2%% *} ${3%% *}" | awk '{ print ($1 + 0 >= $2 + 0) ? "yes" : "NO" }')
  printf '%-62s %14s %14s %-4s %s\n' "$1" "$2" ">= $3" "$verdict" "${4-}"
}
value() {                       # the second column of the line that begins with $2 in file $1
  awk -F '\t' -v what="$2" 'index($1, what) == 1 { print $2; exit }' "$1"
}
# Prints by how many instructions a start with argument $2 exceeds one with `nothing`; nothing without Valgrind.
instructions() {
  command -v valgrind >/dev/null || return
  for mode in "$2" nothing; do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" "$mode" 2>&1 | awk '/Collected/ { print $4 }'
  done | paste -s -d ' ' | awk '{ print $1 - $2 }'
}
# Prints median and mean of the instructions from one text to its registers, over all texts that a program counts.
counted() {
  command -v valgrind >/dev/null || return
  mkdir "$dir/dumps"
  valgrind --tool=callgrind --dump-line=no --callgrind-out-file="$dir/dumps/out" "$@" >/dev/null 2>&1
  times=$(awk '$2 == "COUNTED_TIMES" { print $3 }' bench/counted.h)
  awk -v times="$times" '/^totals:/ && $2 { print $2 / times }' "$dir"/dumps/out.* | sort -n |
    awk '{ v[NR] = $1; all += $1 } END { printf "%d, %d", v[int(NR / 2) + 1], all / NR }'
  rm -r "$dir/dumps"
}
milliseconds() {                # the median wall time of 21 runs of a command
  for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do
    begin=$(date +%s%N)
    "$@" >/dev/null
    end=$(date +%s%N)
    echo "$((end - begin))"
  done | sort -n | awk '{ v[NR] = $1 } END { printf "%.1f\n", v[11] / 1e6 }'
}

printf '%-62s %14s %14s %-4s %s\n' 'what' 'figure' 'to be at most' '' 'libpfm4'
"$build/bench/bench_names" >"$dir/names" || exit 1
: >"$dir/pfm"
[ -x "$build/bench/bench_pfm" ] && "$build/bench/bench_pfm" >"$dir/pfm"
other() {
  figure=$(value "$dir/pfm" "$1")
  [ -n "$figure" ] && echo "$figure $2"
}
row 'start-up with the first look-up' "$(value "$dir/names" start-up) us" '1000 us' "$(other start-up us)"
count=$(instructions "$build/bench/bench_names" start)
beside=
[ -x "$build/bench/bench_pfm" ] && beside=$(instructions "$build/bench/bench_pfm" start)
[ -n "$count" ] && row '  the same, instructions' "$count" - "$beside"
while IFS='	' read -r what figure unit; do
  case $what in
    look-up\ snbep*) row "$what" "$figure $unit" '1000 ns' "$(other look-up ns)" ;;
    look-up*) row "$what" "$figure $unit" '1000 ns' ;;
    encode*) row "$what" "$figure $unit" '1000 ns' ;;
    text*) row "$what" "$figure $unit" '2000 ns' "$(other "$what" ns)" ;;
  esac
done <"$dir/names"
row '  the same, instructions: median, mean' "$(counted "$build/bench/bench_names" count snbep)" - \
  "$([ -x "$build/bench/bench_pfm" ] && counted "$build/bench/bench_pfm" count snbep)"
if [ -x "$build/bench/bench_pfm" ]; then      # the same texts for both: those of libpfm4 that both encode
  "$build/bench/bench_pfm" texts snbep >"$dir/theirs"
  "$build/bench/bench_names" texts snbep "$dir/theirs" >"$dir/texts"
  "$build/bench/bench_pfm" time snbep "$dir/texts" >"$dir/pfm"
  "$build/bench/bench_names" time snbep "$dir/texts" >"$dir/same"
  while IFS='	' read -r what figure unit; do
    row "$what" "$figure $unit" '2000 ns' "$(other "$what" ns)"
  done <"$dir/same"
  theirs=$(counted "$build/bench/bench_pfm" count snbep "$dir/texts")
  tenth=$(echo "$theirs" | awk '{ print NF ? int($1 / 10) : "-" }')
  row '  the same, instructions: median, mean' "$(counted "$build/bench/bench_names" count snbep "$dir/texts")" "$tenth" "$theirs"
fi
for platform in emr snbep montecito; do
  row "pmon list -p $platform" "$(milliseconds "$build/pmon" list -p $platform) ms" '20 ms'
done
if command -v strip >/dev/null; then
  strip -o "$dir/libpmon.so" "$build/libpmon.so.$version"
  row 'libpmon.so, stripped' "$(wc -c <"$dir/libpmon.so" | awk '{ printf "%.2f", $1 / 1e6 }') MB" '2.5 MB' \
    "$(find /usr/lib -name 'libpfm.so.4.*' -type f -size +0 2>/dev/null | head -n 1 | xargs -r wc -c | awk '{ printf "%.2f MB", $1 / 1e6 }')"
fi
[ "${1-}" = names ] && exit 0

"$build/bench/bench_engine" >"$dir/engine" || echo 'NO: bench_engine failed'
while IFS=: read -r what figure; do
  figure=${figure# }
  case $what in
    'schedule 200 events') row "engine: $what" "${figure%%,*}" '10 ms' ;;
    schedule*) row "engine: $what" "${figure%%,*}" - ;;
    interval*) row "engine: $what" "${figure%%;*}" '100 us' ;;
    *) row "engine: $what" "${figure%%[,;]*}" - ;;
  esac
done <"$dir/engine"
"$build/bench/bench_cores" >"$dir/cores" || echo 'NO: bench_cores failed'
while read -r name alone _ _ counting _; do
  rate "montecito: $name, no counter" "$alone M/s" -
  rate "montecito: $name, twelve counters" "$counting M/s" '3 M/s'
done <"$dir/cores"
if [ -e "$build/examples/montecito/mixed" ] && command -v python3 >/dev/null; then
  python3 bench/montecito_programs.py "$build" >"$dir/programs" || echo 'NO: montecito_programs.py failed'
  while read -r name _ _ figure _; do
    rate "montecito: program $name, twelve counters" "$figure M/s" '3 M/s'
  done <"$dir/programs"
fi
"$build/bench/bench_counters" >"$dir/counters" || echo 'NO: bench_counters failed'
while IFS='	' read -r what figure unit; do
  case $what in
    'every counter') row "counters: $what on, more time than with none" "$figure $unit" '20 %' ;;
    every*) row "counters: $what" "$figure $unit" - ;;
    all*) row "counters: $what" "$figure $unit" '100 us' ;;
    *) row "counters: $what" "$figure $unit" - ;;
  esac
done <"$dir/counters"
if command -v qemu-x86_64 >/dev/null; then
  awk 'BEGIN { x = 1; while (n < 300000) { x = (x * 16807) % 2147483647; print x; n += length(x) + 1 } }' >"$dir/lines"
  if "$build/pmon" machine record -o "$dir/sort.pmt" -- sort -o /dev/null "$dir/lines" 2>"$dir/record"; then
    "$build/bench/bench_replay" "$dir/sort.pmt" >"$dir/replay"
    awk '/accesses\/s/ { figure = $(NF - 2); $(NF - 2) = $(NF - 1) = $NF = ""; print figure "\t" $0 }' "$dir/replay" |
      while IFS='	' read -r figure what; do
        case $what in
          *machine*) rate "replay: $what" "$figure M/s" '50 M/s' ;;
          *) row "replay: $what" "$figure M/s" - ;;
        esac
      done
  else
    cat "$dir/record"
  fi
  if command -v valgrind >/dev/null; then
    sh bench/live.sh "$build/pmon" 3 "$build/bench/bench_walk" >"$dir/live"
    awk '/median/ { gsub(/[(),]/, ""); print $1, $8, $10, $13, $15, $NF }' "$dir/live" |
      while read -r name run run_times stat stat_times most; do
        row "live: $name on the machine, by cachegrind" "$run_times times" "$most times" "($run s)"
        row "live: $name under pmon stat, by cachegrind" "$stat_times times" "$most times" "($stat s)"
      done
  fi
fi
if [ -x "$build/tests/uncertainty/test_uncertainty" ]; then
  sh bench/uncertainty.sh "$build" || echo 'NO: a kind of workload is below 93 %'
fi
if command -v qemu-x86_64 >/dev/null; then
  sh bench/probe.sh "$build/pmon" "$build/bench/bench_probe" "$build/bench/bench_chase" >"$build/probe.md" &&
    echo "latencies and rates of the machines: $build/probe.md"
fi
sh bench/guest.sh "$build/pmon" >"$dir/guest" || echo 'NO: pmon made more accesses in the guest than perf, or took longer'
while IFS= read -r line; do echo "guest: $line"; done <"$dir/guest"
exit 0
