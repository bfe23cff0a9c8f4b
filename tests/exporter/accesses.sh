#!/bin/sh
# SPDX-License-Identifier: MIT
# The cost of an interval of the default series on two sockets: register accesses, by the exporter's own series. With
# one interval per second and 2 µs per access, 1,500 accesses are 0.3 % of a core. Usage: accesses.sh PMON
pmon=$(realpath "$1")
command -v curl >/dev/null || { echo "SKIPPED: no curl" >&2; exit 77; }
work=$(mktemp -d) || exit 1
running=
trap '[ -z "$running" ] || kill $running; wait; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
# Steady traffic, since the controls of a unit whose counters stop are checked in addition. The scenario lasts far
# longer than the test: after its end there are no more intervals.
for _ in $(seq 5000); do
  echo 'thread 0 on core 0: stream past-caches 64K stride 64'
  echo 'thread 0 on core 0: sleep 50ms'
done >s.scn
# The platforms run one after the other, so that each has the whole host.
start() {
  timeout 500 "$pmon" -p "$1" exporter --listen unix:"$work/$1" --scenario s.scn -I 100ms 2>"$1.err" &
  running=$!
}
stop() {
  kill $running
  wait $running
  running=
}
# Prints the number of intervals so far, and of accesses.
own() {
  curl -s --max-time 60 --unix-socket "$1" http://x/metrics |
    awk '$1 == "pmon_intervals_total" { n = $2 } $1 == "pmon_register_accesses_total" { print n, $2 }'
}
# await PLATFORM INTERVALS: prints both numbers as soon as there are so many intervals
await() {
  for _ in $(seq 2000); do
    set -- "$1" "$2" $(own "$1")
    [ "${3:-0}" -ge "$2" ] && break
    timeout 0.1 tail -f /dev/null
    set -- "$1" "$2"
  done
  echo "$3 $4"
}
# Whole periods of the control checks: 8 intervals
check() {
  start "$1"
  set -- "$1" "$2" $(await "$1" 4)
  set -- "$1" "$2" "$3" "$4" $(await "$1" $((${3:-0} + 8)))
  stop
  [ "${5:-0}" -gt "${3:-0}" ] || { echo "$1: no interval ends: $(cat "$1.err")"; failed=1; return; }
  each=$((($6 - $4) / ($5 - $3)))
  echo "$1: $each accesses an interval"
  [ "$each" -gt 0 ] && [ "$each" -le "$2" ] || { echo "$1: $2 are allowed: $(cat "$1.err")"; failed=1; }
}
check emr 1300
check snbep 1300
exit $failed
