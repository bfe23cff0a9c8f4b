#!/bin/sh
# SPDX-License-Identifier: MIT
# Two hardware threads of a core: while both are busy, each has half of the width, window and queues, and all of it
# while the other waits; they share fill buffers. Each thread's time has a cause. Two equal runs have the same results,
# also in intervals.
# usage: threads.sh PMON STEPS DEPENDENCES
set -u
pmon=$1 steps=$2 dependences=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

# arguments: description, minimum, maximum, actual value
between() {
  awk -v what="$1" -v least="$2" -v most="$3" -v is="$4" 'BEGIN {
    good = is != "" && is >= least && is <= most
    printf "%s: %s, to be from %s to %s%s\n", what, is, least, most, good ? "" : "  WRONG"
    exit !good }' || bad=1
}
# prints the simulated us of a scenario with these threads and a setting; a run that fails leaves a file, since it is in
# a shell of its own
set_=
us() {
  {
    echo "set sockets=1 cores=2 prefetch=off $set_"
    for line in "$@"; do echo "thread $line"; done
  } >"$dir/scenario"
  timeout -s KILL 600 "$pmon" machine run --scenario "$dir/scenario" >"$dir/out" || echo "$*" >>"$dir/failed"
  awk '$1 == "simulated_fs" { gsub(",", "", $2); printf "%.3f", $2 / 1e9 }' "$dir/out"
}
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", a / b }'; }

# Of 6 instructions a cycle, one thread executes 5; two threads execute 3 each. Where one executes 2, the second changes
# nothing.
for share in '0.2 1.667' '0.5 1'; do
  set_="core.cpi=${share% *}"
  one=$(us '0 on core 0: stream read 4K times 1000')
  two=$(us '0 on core 0: stream read 4K times 1000' '1 on core 0: stream read 4K times 1000')
  between "two threads of $set_ by one" "$(awk "BEGIN { print ${share#* } * 0.99 }")" \
    "$(awk "BEGIN { print ${share#* } * 1.02 }")" "$(quotient "$two" "$one")"
done
awk '{ gsub(",", "", $2); n[$1] = $2 }
  END {
    all = n["issue_fs"] + n["fetch_stall_fs"] + n["walk_stall_fs"] + n["load_stall_fs"] + n["store_stall_fs"] + \
          n["branch_stall_fs"] + n["fence_stall_fs"]
    printf "causes %.0f fs, cycles %d\n", all, n["cycles"]
    exit !(all / 1e9 * 3000 > n["cycles"] - 2 && all / 1e9 * 3000 < n["cycles"] + 2 && all > 1.9 * n["simulated_fs"])
  }' "$dir/out" || { echo 'threads have time without a cause'; bad=1; }
set_='core.cpi=0.2 core.threads=1'
one=$(us '0 on core 0: stream read 4K times 1000')
between 'two that alternate by one' 1.98 2.02 \
  "$(quotient "$(us '0 on core 0: stream read 4K times 1000' '1 on core 0: stream read 4K times 1000')" "$one")"

# A thread beside one that chases pointers, which waits almost always, is hardly slower than alone.
set_='core.cpi=0.167 l2.size=64K'
one=$(us '0 on core 0: stream read 4K times 8000')
between 'a busy thread beside one that waits' 1 1.06 \
  "$(quotient "$(us '0 on core 0: stream read 4K times 8000' '1 on core 0: chase 512K times 1')" "$one")"

# Fill buffers: two threads of one core read as much as one.
set_='core.mlp=4'
one=$(us '0 on core 0: random read 64M count 5000')
between 'two threads that miss by one, on one core' 1.9 2.1 \
  "$(quotient "$(us '0 on core 0: random read 64M count 5000' '1 on core 0: random read 64M count 5000')" "$one")"
cp "$dir/scenario" "$dir/pair"
between 'the same on two cores' 0.95 1.1 \
  "$(quotient "$(us '0 on core 0: random read 64M count 5000' '1 on core 1: random read 64M count 5000')" "$one")"

# Two runs are equal, also in intervals.
for i in 1 2; do
  timeout -s KILL 600 "$pmon" machine run --scenario "$dir/pair" >"$dir/run$i" || bad=1
done
cmp "$dir/run1" "$dir/run2" || { echo 'two runs differ'; bad=1; }
reads() { timeout -s KILL 600 "$pmon" stat -p emr --scenario "$dir/pair" --csv -e imc/CAS_COUNT.RD/ "$@" 2>/dev/null || bad=1; }
reads >"$dir/whole"
reads -I 0.1 >"$dir/parts"
whole=$(awk -F , '$4 ~ /CAS_COUNT/ { print $3, $8 }' "$dir/whole")
parts=$(awk -F , '$4 ~ /CAS_COUNT/ { s += $3; n += $8 } END { printf "%.9f %d\n", s, n }' "$dir/parts")
[ "$whole" = "$parts" ] && [ -n "$whole" ] || { echo "whole: $whole, in parts: $parts"; bad=1; }

# The frequency changes while one thread sleeps and the other runs: no interval has more cycles than two threads can
# have, at 3 GHz in 10 us.
cat >"$dir/slower" <<'END'
set sockets=1 cores=2 prefetch=off
thread 0 on core 0: stream read 4K times 1000
thread 1 on core 0: spin 100
thread 1 on core 0: sleep 100us
thread 1 on core 0: spin 100
power-limit from 20us for 10us
END
timeout -s KILL 600 "$pmon" stat -p emr --scenario "$dir/slower" --csv -I 0.01 -e core/CYCLES/ >"$dir/cycles" 2>/dev/null || bad=1
awk -F , 'NR > 1 { n++; if ($8 + 0 > 2 * 30200) { print "cycles of an interval: " $8; bad = 1 } } END { exit bad || n < 10 }' \
  "$dir/cycles" || bad=1
finish() {
  [ ! -e "$dir/failed" ] || { echo 'runs that failed:'; cat "$dir/failed"; bad=1; }
  exit $bad
}

# A program's instructions: chains of additions lose nothing, six chains at once lose half. One of two processes begins
# earlier, by a time that depends on the host.
command -v qemu-x86_64 >/dev/null && [ "$dependences" = yes ] || finish
live() {     # simulated us of one or two processes that repeat a step, on core 0
  timeout -s KILL 600 "$pmon" machine run --place 0 -- sh -c "$2" sh "$steps" "$1" >"$dir/account" 2>/dev/null </dev/null ||
    echo "$*" >>"$dir/failed"
  awk '$1 == "simulated_fs" { gsub(",", "", $2); printf "%.3f", $2 / 1e9 }' "$dir/account"
}
# The same; prints the first of up to twelve results that is below $3: on a busy host the two hardly run at the same
# time.
early() {
  tries=0
  while [ $tries -lt 12 ]; do
    us=$(live "$1" "$2")
    awk "BEGIN { exit !($us < $3) }" && break
    tries=$((tries + 1))
  done
  echo "$us"
}
alone='"$1" "$2" 1000; "$1" "$2" 1000000' both='"$1" "$2" 1000000 & "$1" "$2" 1000000; wait'
one=$(live add "$alone")
between 'two chains of additions by one' 0.9 1.3 "$(quotient "$(early add "$both" "1.3 * $one")" "$one")"
between 'twice six chains by six' 1.4 2.1 "$(quotient "$(live wide "$both")" "$(live wide "$alone")")"
# Many short processes on both hardware threads of two cores, and intervals that end within their time slices.
# shellcheck disable=SC2016
timeout -s KILL 600 "$pmon" stat --backend machine --place 0,1 -I 0.001 --csv -o "$dir/many" -e imc/CAS_COUNT.RD/ -- \
  sh -c 'n=0; while [ $n -lt 30 ]; do (i=0; while [ $i -lt 20 ]; do i=$((i + 1)); done) & n=$((n + 1)); done; wait' \
  </dev/null >/dev/null 2>&1 || { echo 'many processes: no end'; bad=1; }
finish
