#!/bin/sh
# SPDX-License-Identifier: MIT
# A measured program writes hostile values into the shared memory of its measurement: pmon exits with a report or with
# one clear error, never by a signal of its own, and no later than the signal that stops it. Usage: rings.sh PMON
# RING-WRITER SEEDS
set -u
pmon=$1 writer=$2 seeds=$3
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-user" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 n=0 late=

# attack MODE SEED: the program reports when it is done; then pmon gets SIGTERM.
attack() {
  n=$((n + 1))
  : >"$work/ready"
  env --default-signal "$pmon" stat --backend machine -e imc/CAS_COUNT.RD/ -- "$writer" "$1" "$work/ready" "$2" \
    >"$work/out" 2>"$work/err" &
  pid=$!
  case $1 in
  published | published-back | access-sizes | sleeps | blocks) ;; # pmon detects these by itself
  *)
    # A program that pmon or its own values have stopped reports nothing.
    tries=0
    until [ -s "$work/ready" ] || ! kill -0 "$pid" 2>/dev/null || [ $tries -ge 200 ]; do
      tries=$((tries + 1))
      timeout 0.05 tail -f /dev/null
    done
    [ $tries -lt 200 ] || late="$late $1" # stopped by its own values, or the host is busy
    kill -TERM "$pid" 2>/dev/null ;;
  esac
  timeout 600 tail --pid="$pid" -s 0.02 -f /dev/null || { echo "$1 $2: pmon does not end"; kill -KILL "$pid"; bad=1; }
  wait "$pid"; code=$?
  case $code in
  0 | 1 | 143) ;;
  *) echo "$1 $2: exit code $code: $(head -c 600 "$work/err")"; bad=1 ;;
  esac
  grep -E 'runtime error|AddressSanitizer' "$work/err" && bad=1
  case $1 in
  published | published-back | access-sizes | sleeps | blocks)
    [ "$code" = 1 ] && grep -q 'wrote into it' "$work/err" ||
      { echo "$1: exit code $code, not refused: $(head -c 300 "$work/err")"; bad=1; } ;;
  numbers)
    grep -q 1701978156 "$work/err" "$work/out" && { echo "numbers: invented numbers are reported"; bad=1; } ;;
  sizes)
    [ "$code" = 143 ] || { echo "sizes: exit code $code: the memory can be changed"; bad=1; } ;;
  esac
}

for mode in $("$writer" list); do
  attack "$mode" 1
done
[ "$n" -ge 16 ] || { echo "$n modes ran"; bad=1; }
seed=2
while [ "$seed" -le "$seeds" ]; do
  attack random "$seed"
  seed=$((seed + 1))
done
[ -z "$late" ] || echo "ended before they said that they attack:$late"
exit $bad
