#!/bin/sh
# SPDX-License-Identifier: MIT
# Results do not depend on --host-threads: a trace of several threads, a damaged one, and a program.
# usage: host_threads.sh PMON STEPS
set -u
pmon=$1 steps=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

# arguments: description, and a command that takes the option at its end
same() {
  what=$1
  shift
  for n in 1 2 4; do
    timeout -s KILL 600 "$@" --host-threads $n >"$dir/out$n" 2>"$dir/err$n"
    echo "status $?" >>"$dir/out$n"
  done
  for n in 2 4; do
    cmp "$dir/out1" "$dir/out$n" && cmp "$dir/err1" "$dir/err$n" && continue
    echo "$what: other results with --host-threads $n"
    diff "$dir/out1" "$dir/out$n" | head -n 3
    diff "$dir/err1" "$dir/err$n" | head -n 3
    bad=1
  done
}

# Three processes at once: each has enough records for several chunks.
# shellcheck disable=SC2016
timeout -s KILL 600 "$pmon" machine record -o "$dir/trace" -- sh -c \
  '"$1" add 20000 & "$1" mixed 20000 & i=0; while [ $i -lt 600 ]; do i=$((i + 1)); done; wait' sh "$steps" \
  >/dev/null 2>&1 </dev/null || { echo 'nothing recorded'; exit 1; }
same 'machine run' "$pmon" machine run --trace "$dir/trace"
grep -q 'status 0' "$dir/out1" && awk '$1 == "simulated_fs" { found = 1 } END { exit !found }' "$dir/out1" ||
  { echo 'machine run: no result'; bad=1; }
same 'intervals' "$pmon" stat -p emr --backend machine --csv -I 0.01 -e imc/CAS_COUNT.RD/,core/CYCLES/ --trace "$dir/trace"
[ "$(wc -l <"$dir/out1")" -gt 20 ] || { echo 'intervals: none'; bad=1; }
same 'an early end' "$pmon" stat -p emr --backend machine --csv --duration 20us -e imc/CAS_COUNT.RD/ --trace "$dir/trace"

# Fourteen processes at once: several host threads execute the private parts of their cores.
# shellcheck disable=SC2016
timeout -s KILL 600 "$pmon" machine record -o "$dir/many" -- sh -c \
  'i=0; while [ $i -lt 14 ]; do "$1" mixed 6000 & i=$((i + 1)); done; wait' sh "$steps" \
  >/dev/null 2>&1 </dev/null || { echo 'nothing recorded of many processes'; exit 1; }
for settings in 'sockets=2' 'l2.size=64K l1d.size=8K' 'sockets=1 cores=14 core.walks=off'; do
  # shellcheck disable=SC2046
  same "fourteen processes with $settings" "$pmon" machine run $(printf -- '--set %s ' $settings) --trace "$dir/many"
done
same 'their intervals' "$pmon" stat -p emr --backend machine --csv -I 0.01 -e imc/CAS_COUNT.RD/,core/CYCLES/ --trace "$dir/many"

# A file cut at any byte, and one with any byte changed: equal results up to that byte, and the same message.
bytes=$(wc -c <"$dir/trace")
for part in 10 63; do
  at=$((bytes * part / 100))
  head -c $at "$dir/trace" >"$dir/torn"
  same "the first $at of $bytes bytes" "$pmon" machine run --trace "$dir/torn"
  grep -q 'status [1-9]' "$dir/out1" && grep -q torn "$dir/err1" || { echo "the first $at bytes: no failure"; bad=1; }
  { head -c $((at - 1)) "$dir/trace"; printf '\125\252'; tail -c +$((at + 2)) "$dir/trace"; } >"$dir/torn"
  same "other bytes at $at" "$pmon" machine run --trace "$dir/torn"
done

# Nothing is read ahead from a pipe.
for n in 1 2; do
  mkfifo "$dir/fifo$n"
  cat "$dir/trace" >"$dir/fifo$n" &
  timeout -s KILL 600 "$pmon" machine run --host-threads $n --trace "$dir/fifo$n" >"$dir/out$n" 2>"$dir/err$n"
done
wait
cmp "$dir/out1" "$dir/out2" || { echo 'from a pipe: other results'; bad=1; }

# A program with one thread, live.
command -v qemu-x86_64 >/dev/null || exit $bad
for n in 1 2 4; do
  timeout -s KILL 600 "$pmon" machine run --host-threads $n -- "$steps" mixed 30000 >"$dir/live$n" 2>&1 </dev/null ||
    { echo "live, $n host threads: failed"; bad=1; }
done
cmp "$dir/live1" "$dir/live2" && cmp "$dir/live1" "$dir/live4" || { echo 'live: other results'; bad=1; }

for value in 0 65 two ''; do
  "$pmon" machine run --host-threads "$value" --trace "$dir/trace" >/dev/null 2>"$dir/err" &&
    { echo "--host-threads '$value' is accepted"; bad=1; }
  grep -q 'a number of threads from 1 to 64' "$dir/err" || { echo "--host-threads '$value': $(cat "$dir/err")"; bad=1; }
done
exit $bad
