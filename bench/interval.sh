#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the cost of an interval in the process that reads counters, without the accesses themselves: the
# instructions, counted by Callgrind, that make the values of the default series and the served texts, on an emulated
# server with two sockets and traffic in all channels. It is the difference between nine and four intervals, without
# one-time work, and does not depend on the host's load. More than MOST million fail. Usage: interval.sh [PLATFORM [PMON
# [MOST]]]
set -u
platform=${1-emr}
pmon=$(realpath "${2-build/pmon}")
for tool in valgrind curl; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool" >&2; exit 77; }
done
export MALLOC_PERTURB_=0 # Meson sets it, and all allocated memory would be filled
work=$(mktemp -d) || exit 1
exporter=
trap '[ -z "$exporter" ] || kill $exporter 2>/dev/null; wait; rm -rf "$work"' EXIT
cd "$work" || exit 1
measure() {   # BURSTS: writes the intervals and instructions to the file `measured`
  {
    echo 'set numa=interleave'
    for _ in $(seq "$1"); do
      echo 'thread 0 on core 0: stream past-caches 128K stride 64'
      echo 'thread 0 on core 0: sleep 20ms'
    done
  } >s.scn
  valgrind --tool=callgrind --toggle-collect=stat_print_report --callgrind-out-file=out "$pmon" -p "$platform" exporter \
    --listen unix:socket --scenario s.scn -I 20ms >/dev/null 2>err </dev/null &
  exporter=$!
  until curl -sf --unix-socket socket http://x/metrics 2>/dev/null | grep -q '^pmon_measuring 0'; do
    kill -0 $exporter 2>/dev/null || { cat err >&2; exit 1; }
    timeout 0.1 tail -f /dev/null
  done
  n=$(curl -sf --unix-socket socket http://x/metrics | awk '/^pmon_intervals_total/ { print $2 }')
  kill $exporter
  wait $exporter
  exporter=
  echo "$n $(awk '/Collected/ { print $4 }' err)" >measured
}
# Not in a subshell: the trap ends the exporter, too, if the script is ended.
measure 3
few=$(cat measured)
measure 8
many=$(cat measured)
echo "$platform $few $many ${3-}" | awk '{
  each = ($5 - $3) / ($4 - $2) / 1e6
  printf "%s: %.1f million instructions an interval\n", $1, each
  if ($6 != "" && !(each > 0 && each <= $6)) {
    print "more than " $6 " million"
    exit 1
  }
}'
