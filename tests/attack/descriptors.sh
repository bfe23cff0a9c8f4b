#!/bin/sh
# SPDX-License-Identifier: MIT
# Closed and full standard descriptors: no message of pmon goes into a file that it opened for another purpose, and
# output that cannot be written is a failure. Usage: descriptors.sh PMON SCENARIO
set -u
pmon=$1 scenario=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# expect CODE NAME: the exit code of the previous command
expect() {
  [ "$code" = "$1" ] || { echo "$2: exit code $code, not $1"; bad=1; }
}

"$pmon" --version >&- 2>"$work/err"; code=$?
expect 1 'version, closed'
grep -q 'standard output' "$work/err" || { echo "version, closed: \"$(cat "$work/err")\""; bad=1; }
for words in --version --help 'stat --help' 'list -u ubox' 'units --json'; do
  "$pmon" $words >&- 2>/dev/null; code=$?
  expect 1 "$words, closed"
  if [ -w /dev/full ]; then
    "$pmon" $words >/dev/full 2>/dev/null; code=$?
    expect 1 "$words, full"
  fi
done

# The log's descriptor would be 0, 1 or 2: the log equals one that was made with all of them open.
run() {
  "$pmon" stat -p emr --scenario "$scenario" --log "$1" -e imc/CAS_COUNT.RD/
}
run "$work/open.log" >"$work/out" 2>"$work/err" || { cat "$work/err"; exit 1; }
run "$work/1.log" >&-; code=$?
expect 1 'closed output'
run "$work/2.log" >"$work/out2" 2>&-; code=$?
expect 0 'closed error'
run "$work/0.log" <&- >"$work/out0" 2>"$work/err"; code=$?
expect 0 'closed input'
run "$work/all.log" <&- >&- 2>&-; code=$?
expect 1 'all closed'
for log in 0 1 2 all; do
  cmp "$work/open.log" "$work/$log.log" || bad=1
done
cmp "$work/out" "$work/out0" || bad=1
cmp "$work/out" "$work/out2" || bad=1
exit $bad
