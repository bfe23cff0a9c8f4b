#!/bin/sh
# SPDX-License-Identifier: MIT
# pmon stat counts the regions of a program on the emulated machine: names, nesting, recursion, threads, calls, and
# unmatched begins and ends. Without prefetching, a region's misses are the lines that it reads, plus a few of its own
# stack.
# usage: regions.sh PMON PROGRAM FOLDER-OF-THE-PYTHON-MODULE
set -u
pmon=$1 program=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-x86_64: no program was measured" >&2; exit 77; }
bad=0
event=cha/TOR_INSERTS.IA_MISS_DRD/

fail() {
  echo "FAIL: $*" >&2
  bad=1
}
# run WHAT OPTION...: measures the program; prints each result of all packages as REGION|THREAD|CALLS|VALUE|FLAGS|REASON
run() {
  what=$1
  shift
  "$pmon" stat --backend machine --set prefetch=off --csv -e $event "$@" -- "$program" "$what" >"$dir/csv" 2>"$dir/err" ||
    fail "$what: $(cat "$dir/err")"
  rows
}
rows() {
  tr -d '\r' <"$dir/csv" | sed 's/""/'"'"'/g' | awk -v FPAT='([^,]*)|("[^"]*")' '
    BEGIN { FS = "," }
    {
      n = 0; rest = $0
      while (n < 23) {
        if (substr(rest, 1, 1) == "\"") { match(rest, /^"[^"]*"/); f[++n] = substr(rest, 2, RLENGTH - 2) }
        else { match(rest, /^[^,]*/); f[++n] = substr(rest, 1, RLENGTH) }
        rest = substr(rest, RLENGTH + 2)
      }
      if (f[5] == "" && f[4] != "name") print f[21] "|" f[22] "|" f[23] "|" f[8] "|" f[14] "|" f[15]
    }' >"$dir/rows"
}
# region NAME THREAD CALLS LINES: the value is LINES, or up to 3 more
region() {
  awk -F'|' -v name="$1" -v thread="$2" -v calls="$3" -v lines="$4" '
    $1 == name && $2 == thread { n++; ok += $3 == calls && $4 >= lines && $4 <= lines + 3 && $4 != "" }
    END { exit !(n == 1 && ok == 1) }' "$dir/rows" || fail "$what: $1, thread $2: $3 calls and $4 lines: $(cat "$dir/rows")"
}

run simple
region first "" 1 1000
region first 0 1 1000
region "second, with 'quotes' and 100%" "" 1 3000
whole=$(head -n 1 "$dir/rows")
# Over repeated runs, which are equal on the emulated machine, each region has the mean.
run simple -r 2
region first "" 1 1000
region first 0 1 1000
region "second, with 'quotes' and 100%" "" 1 3000
"$pmon" stat --backend machine --set prefetch=off -e $event -r 2 -- "$program" simple >"$dir/text" 2>&1
grep -q '^region first, all threads: 1 call, .*, mean of 2 runs$' "$dir/text" || fail "-r: $(cat "$dir/text")"
run simple
# A second measurement gives the same totals.
[ "$(head -n 1 "$dir/rows")" = "$whole" ] || fail "the whole: $whole, and again: $(cat "$dir/rows")"
# A log includes the regions, and its replay gives the same results.
for what in simple named threads thread-ends; do
  run "$what" --log "$dir/log"
  "$pmon" stat --replay "$dir/log" --csv -e $event >"$dir/later" 2>"$dir/err" || fail "--replay: $(cat "$dir/err")"
  cmp -s "$dir/csv" "$dir/later" || fail "a replay of $what: $(diff "$dir/csv" "$dir/later")"
  grep -q '^# region begin [0-9]* ' "$dir/log" || fail "$what: no region in the log"
done
# A log without its marks does not fit: nothing triggers the readings at the regions.
grep -v '^# region' "$dir/log" >"$dir/log2"
"$pmon" stat --replay "$dir/log2" --csv -e $event >"$dir/later" 2>"$dir/err" && fail "a log without its marks: accepted"
# Intervals that end at overflows: regions cover the whole measurement, except the time in which an overflow has frozen
# the counters. Some 80 inserts of one CHA end 4 intervals and a rest, of two events each; how many of the 3,000 lines
# fall into the frozen time, about a tenth, depends on where the stack is.
run nested --freeze global --every "20,cha0/TOR_INSERTS.ALL/"
awk -F'|' '$1 == "outer" && $2 == "" { ok += $3 == 1 && $4 > 2400 && $4 <= 3003 }
  $1 == "inner" && $2 == "" { ok += $3 == 10 && $4 > 1500 && $4 <= 2003 }
  $1 == "" { n++; sum += $4 } END { exit !(ok == 2 && n >= 6 && n <= 16 && sum > 3001) }' "$dir/rows" ||
  fail "--every: $(cat "$dir/rows")"

# Core events per region: the second region has 20000 instructions more, and IPC is instructions divided by cycles.
case $(uname -m) in
x86_64)
  for platform in emr snbep; do
    "$pmon" -p $platform stat --backend machine --csv -m INSTRUCTIONS,CORE_CYCLES,IPC -- "$program" loops >"$dir/csv" \
      2>"$dir/err" || fail "loops: $(cat "$dir/err")"
    tr -d '\r' <"$dir/csv" | awk -F, '
      NR > 1 && $5 == "" && $22 == "" { value[$4, $21] = $8 }
      END {
        more = value["INSTRUCTIONS", "other"] - value["INSTRUCTIONS", "short"]
        cycles = value["CORE_CYCLES", "other"] - value["CORE_CYCLES", "short"]
        ipc = value["INSTRUCTIONS", "other"] / value["CORE_CYCLES", "other"]
        exit !(more == 20000 && cycles > 9000 && cycles < 12000 && (ipc - value["IPC", "other"]) ^ 2 < 1e-12)
      }' || fail "$platform: cores in regions: $(cat "$dir/csv")"
  done ;;
esac

run nested
region outer "" 1 3000
region inner "" 10 2000
run overlapping
region left "" 1 3000
region right "" 1 6000
run recursive
region recursive "" 1 2000
region recursive 0 1 2000
run named
region "step 0" "" 1 1000
region "step 1" "" 1 2000
region "step 2" "" 1 3000
region " step 0" "" 1 500

run unbalanced
grep -qxF 'never began||0|||no time was measured' "$dir/rows" || fail "an end without begin: $(cat "$dir/rows")"
awk -F'|' '$1 == "never ends" && $2 == "" && $3 == 1 && $4 >= 1000 { n++ } END { exit n != 1 }' "$dir/rows" ||
  fail "a begin without end counts to the end: $(cat "$dir/rows")"
"$pmon" stat --backend machine -e $event -- "$program" unbalanced >"$dir/text" 2>/dev/null
grep -qF 'calls without an end: 1 ' "$dir/text" && grep -qF 'ends without a begin: 1 ' "$dir/text" ||
  fail "text: $(cat "$dir/text")"

# A region of two threads: each thread has its own result; the result of all threads covers the time of both.
run threads
awk -F'|' '$1 == "shared" && $2 == "" { all = $4; calls = $3 }
  $1 == "shared" && $2 != "" { n += $3; sum += $4; most = $4 > most ? $4 : most; few += $4 < 1000 }
  END { exit !(n == 2 && calls == 2 && !few && most >= 4000 && all >= 5000 && all >= most && all <= sum) }' "$dir/rows" ||
  fail "threads: $(cat "$dir/rows")"
# A thread that ends inside its region: the 20000 lines that the program reads after it are not counted there. The first
# thread's work after the other has begun is: some hundred lines, depending on how the host schedules the two.
run thread-ends
awk -F'|' '$1 == "never ends" && $2 == 1 { n++; ok = $3 == 1 && $4 >= 1000 && $4 < 3000 } END { exit !(n == 1 && ok) }' \
  "$dir/rows" || fail "a thread ends in a region: $(cat "$dir/rows")"

# With intervals, regions still cover the whole measurement.
run nested -I 0.02
region inner "" 10 2000
# A recorded trace has the same regions.
"$pmon" machine record -o "$dir/trace" -- "$program" nested 2>"$dir/err" || fail "record: $(cat "$dir/err")"
"$pmon" stat --trace "$dir/trace" --set prefetch=off --csv -e $event >"$dir/csv" 2>"$dir/err" || fail "$(cat "$dir/err")"
rows
what=trace
region outer "" 1 3000
region inner "" 10 2000

# A recording includes the regions: `pmon report` prints what `pmon stat` printed, in every format.
for format in "" --csv --json "--csv -I 0.02" "-I 0.02"; do
  # shellcheck disable=SC2086
  "$pmon" stat --backend machine --set prefetch=off $format --slice 5 -m MEM_READ_BANDWIDTH,LLC_MISS_LATENCY_NS \
    -e $event,cha/TOR_INSERTS.IA_HIT/,cha/TOR_INSERTS.IA_DRD/,cha/TOR_INSERTS.ALL/ \
    --record "$dir/recording" -- "$program" threads >"$dir/live" 2>"$dir/err" || fail "$(cat "$dir/err")"
  # shellcheck disable=SC2086
  "$pmon" report ${format% 0.02} "$dir/recording" >"$dir/later" 2>"$dir/err" || fail "report: $(cat "$dir/err")"
  grep -q shared "$dir/live" || fail "no region: $(cat "$dir/live")"
  cmp -s "$dir/live" "$dir/later" || fail "a recording's regions ($format): $(diff "$dir/live" "$dir/later" | head -n 20)"
done

# The page of a recording does, too, if pmon was built with the libraries for pages.
if "$pmon" report --html "$dir/page.html" "$dir/recording" 2>"$dir/err"; then
  grep -q '"name": *"shared"' "$dir/page.html" || fail "a page without the regions"
else
  grep -q dygraphs "$dir/err" || fail "report --html: $(cat "$dir/err")"
fi

# Multiplexed events: a region shorter than a round has values only for the events that counted meanwhile, and reasons
# for the others.
run nested --slice 5 -e cha/TOR_INSERTS.IA_HIT/,cha/TOR_INSERTS.IA_DRD/,cha/TOR_INSERTS.ALL/,cha/TOR_INSERTS.IA_RFO/ \
  -e cha/TOR_OCCUPANCY.IA_MISS_DRD/
awk -F'|' '$1 != "" && $4 == "" { reasons += $6 == "it got no time slice on the counters"; none++ }
  $1 != "" && $4 != "" { values++ } END { exit !(values && none && reasons == none) }' "$dir/rows" ||
  fail "multiplexed: $(cat "$dir/rows")"

# JSON: an object for each region and thread.
"$pmon" stat --backend machine --json -e $event -- "$program" nested >"$dir/json" 2>/dev/null
[ "$(grep -c '"region":"inner","thread":null,"calls":10,"missing_ends":0,"missing_begins":0' "$dir/json")" = 1 ] &&
  [ "$(grep -c '"region":"inner","thread":0,"calls":10' "$dir/json")" = 1 ] || fail "JSON: $(cat "$dir/json")"

# Python: the module marks regions without the library.
if command -v python3 >/dev/null; then
  cp "$3/_region.py" "$dir"
  cat >"$dir/region.py" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from _region import region
for i in range(3):
    with region("step"):
        bytearray(100000)
try:
    with region("outer"), region("r\u00e9gion"):
        raise KeyError
except KeyError:
    pass
PYTHON
  "$pmon" stat --backend machine --json -e $event -- "$(python3 -c "import sys; print(sys.executable)")" "$dir/region.py" "$dir" >"$dir/json" 2>"$dir/err" ||
    fail "Python: $(cat "$dir/err")"
  for expected in '"step","thread":null,"calls":3' '"outer","thread":null,"calls":1' '"région","thread":null,"calls":1'; do
    grep -qF "\"region\":$expected,\"missing_ends\":0,\"missing_begins\":0" "$dir/json" ||
      fail "Python: $expected: $(cut -c 1-400 "$dir/json")"
  done
fi
exit $bad
