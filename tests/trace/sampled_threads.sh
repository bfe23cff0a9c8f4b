#!/bin/sh
# SPDX-License-Identifier: MIT
# --sample-intervals of several threads and processes: each is sampled. The confidence intervals contain the counts of
# the whole run for caches and memory, also where lines move from core to core; for processes in sequence, they contain
# the time, too, which for threads differs from run to run.
# usage: sampled_threads.sh PMON PROGRAM [sanitized]
set -u
pmon=$1 program=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-x86_64" >&2; exit 77; }
# Meson's test runner makes the C library fill allocated memory. The guest's first thread would then write all arrays,
# and the number of requests served from its cache would vary by a tenth from run to run.
unset MALLOC_PERTURB_
bad=0
# prints name, value, low, high and the fraction that was simulated in detail, of the totals of two sockets
stat() {
  timeout -s KILL 600 "$pmon" stat --backend machine --csv -o "$dir/csv" "$@" </dev/null >"$dir/out" 2>"$dir/error" || {
    echo "$*: $(cat "$dir/error")" >&2
    bad=1
  }
  awk -F, 'NR > 1 && $5 == "" && $8 != "" { print $4, $8, $11, $12, $13 ($14 ~ /sampled/ ? "" : " not marked") }' "$dir/csv"
}
# arguments: the program's arguments; the largest fraction that may be simulated in detail; the values to compare; a
# value that only has to be between 0.65 and 1.35 times that of the whole run
contained() {
  stat -- "$program" $1 >"$dir/exact"
  stat --sample-intervals -- "$program" $1 >"$dir/sampled"
  awk -v what="$1" -v most="$2" -v names="$3" -v near="${4-}" -v exact="$dir/exact" '
    BEGIN {
      while ((getline line < exact) > 0) { split(line, f, " "); truth[f[1]] = f[2] }
    }
    NF > 5 || !($5 < most) { print what ": not sampled: " $0; bad = 1 }
    index(" " names " ", " " $1 " ") {
      n++
      inside = truth[$1] > 0 && truth[$1] >= $3 && truth[$1] <= $4
      print what ": " $1, $2, "from", $3, "to", $4 ", in the whole run", truth[$1] (inside ? "" : "  OUTSIDE")
      bad = bad || !inside
    }
    near != "" && $1 == near {
      seen = $2 / truth[near]
      print what ": " $1, $2, "in the whole run", truth[near]
      bad = bad || seen < 0.65 || seen > 1.35
      n++
    }
    END { exit bad || n != split(names " " near, f, " ") }' "$dir/sampled"
}
counts='MEM_VOLUME LLC_REQUESTS LLC_MISSES'
# Which requests the threads' caches send depends on the order of their accesses, which the host determines in each run,
# and more so in a sampled one; without filters that know of the other threads, the estimate is 0.56 times the count.
contained 'handed 3 1500000' 0.2 'MEM_VOLUME LLC_MISSES' LLC_REQUESTS || bad=1
contained 'processes 3 1500000' 0.2 "$counts" || bad=1
# Under the sanitizers this is enough: the other programs run the same code.
[ "${3-}" = sanitized ] && exit $bad
contained 'private 2 1500000' 0.2 "$counts" || bad=1
contained 'streamed 2 4000000' 0.2 'MEM_VOLUME LLC_MISSES' || bad=1
contained 'turns 2 1600000' 0.2 '' LLC_REQUESTS || bad=1
# On a busy host, the time of processes that follow each other is up to 6 % too short in one run of three; the interval
# allows for 8 %.
in_time() { contained 'processes 3 1500000' 0.2 MEM_READ_BANDWIDTH; }
in_time || in_time || in_time || bad=1
exit $bad
