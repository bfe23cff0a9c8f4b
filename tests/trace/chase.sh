#!/bin/sh
# SPDX-License-Identifier: MIT
# A step through a list of 1 MB takes L2's latency: 15 cycles of 3 GHz, within 3 %. Two lists together take the time of
# one. A recording of a program gives the program's time in each replay.
# usage: chase.sh PMON CHASE DEPENDENCES
set -u
pmon=$1 chase=$2 dependences=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-x86_64" >&2; exit 77; }
[ "$dependences" = yes ] || { echo "SKIPPED: the plugin is built without Zydis" >&2; exit 77; }
bad=0

# prints the simulated time of a run, in fs; misses of the first-level TLB are tested by chains.sh. A run that fails
# leaves a file, since it is in a shell of its own.
time_fs() {
  timeout -s KILL 600 "$pmon" machine run --set dtlb.miss=0 "$@" </dev/null >"$dir/account" 2>"$dir/errors" ||
    echo "$*: $(cat "$dir/errors")" >>"$dir/failed"
  awk '$1 == "simulated_fs" { gsub(",", "", $2); print $2 }' "$dir/account"
}
short=$(time_fs -- "$chase" 0x100000 20000)
# 16 KB: L1's latency, 5 cycles.
a=$(time_fs -- "$chase" 0x4000 20000)
b=$(time_fs -- "$chase" 0x4000 220000)
awk -v a="$a" -v b="$b" 'BEGIN {
  ns = (b - a) / 200000 * 1e-6
  printf "first level: %.3f ns a step\n", ns
  exit !(ns > 1.634 && ns < 1.7) }' || bad=1
for chains in 1 2; do
  long=$(time_fs -- "$chase" 0x100000 120000 $chains)
  awk -v a="$short" -v b="$long" -v n=$chains 'BEGIN {
    ns = (b - a) / 100000 * 1e-6
    printf "%d chains: %.3f ns a step\n", n, ns
    exit !(ns > 4.85 && ns < 5.15) }' || bad=1
done
timeout -s KILL 600 "$pmon" machine record -o "$dir/trace" -- "$chase" 0x100000 20000 </dev/null >"$dir/out" 2>&1 || bad=1
first=$(time_fs --trace "$dir/trace")
second=$(time_fs --trace "$dir/trace")
echo "live $short fs, recorded $first and $second fs"
awk -v a="$short" -v b="$first" 'BEGIN { exit !(b > a * 0.99 && b < a * 1.01) }' || bad=1
[ "$first" ] && [ "$first" = "$second" ] || bad=1
# The parameter: steps through a list in L2 overlap unless dependences of L1 misses are tracked. Where they are not
# tracked, loads overlap; but where the chains within blocks are known, a load takes L1's latency.
for mode in off l2-misses; do
  a=$(time_fs --set core.dependences=$mode -- "$chase" 0x100000 20000)
  b=$(time_fs --set core.dependences=$mode -- "$chase" 0x100000 120000)
  awk -v a="$a" -v b="$b" -v mode=$mode 'BEGIN {
    ns = (b - a) / 100000 * 1e-6
    printf "core.dependences=%s: %.3f ns a step\n", mode, ns
    exit !(mode == "off" ? ns > 0.1 && ns < 1 : ns > 1.6 && ns < 1.8) }' || bad=1
done
# Scenario steps, 16,384 lines: dependent loads, and independent ones.
for step in 'chase 1M' 'stream read 1M stride 64 dependent' 'chase 1M independent' 'stream read 1M stride 64'; do
  for times in 2 6; do
    printf 'set sockets=1 cores=1 prefetch=off map=identity\nthread 0: %s times %d\n' "$step" $times >"$dir/$times.scn"
  done
  a=$(time_fs --scenario "$dir/2.scn")
  b=$(time_fs --scenario "$dir/6.scn")
  awk -v a="$a" -v b="$b" -v step="$step" 'BEGIN {
    ns = (b - a) / 4 / 16384 * 1e-6
    waits = step ~ /^chase 1M$|dependent$/ && step !~ /independent/
    printf "scenario, %s: %.3f ns a step\n", step, ns
    exit !(waits ? ns > 4.85 && ns < 5.15 : ns > 0.3 && ns < 2.5) }' || bad=1
done
# A trace without dependences is reported; with dependences switched off, nothing is reported.
printf 'I  400000,4\n L 1000,8\nI  400004,4\n L 2000,8\n' >"$dir/lackey"
timeout -s KILL 600 "$pmon" machine run --trace "$dir/lackey" </dev/null 2>"$dir/note" >/dev/null
grep -q 'the trace has no dependences' "$dir/note" || { echo 'no note'; cat "$dir/note"; bad=1; }
timeout -s KILL 600 "$pmon" machine run --set core.dependences=off --trace "$dir/lackey" </dev/null 2>"$dir/note" >/dev/null
[ -s "$dir/note" ] && { cat "$dir/note"; bad=1; }
[ ! -e "$dir/failed" ] || { cat "$dir/failed"; bad=1; }
exit $bad
