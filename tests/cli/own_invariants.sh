#!/bin/sh
# SPDX-License-Identifier: MIT
# User-supplied invariants: of a unit, without a unit, of events that do not exist. Usage: own_invariants.sh PMON
pmon=$1 failed=0 work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf 'set sockets=1 cores=1 chas=2 imcs=1 channels=1\nthread 0: stream 64K\n' >"$work/small.scn"
# Never call this in a pipe: a subshell would run it, and its `failed` would be lost.
expect() {   # exit code, part of the output, the line above the invariant in its file, the invariant
  code=$1 part=$2 above=$3 invariant=$4
  printf '%s\ncite none\ninvariant mine.own\n  brief what is asked for\n  holds %s\n' "$above" "$invariant" >"$work/mine.rule"
  output=$("$pmon" stat -p "emr,$work/mine.rule" -e imc/CAS_COUNT.RD/ --scenario "$work/small.scn" 2>&1 >/dev/null)
  got=$?
  [ $got -eq "$code" ] || { echo "$invariant: exit code $got, not $code: $output"; failed=1; }
  case $output in *"$part"*) ;; *) echo "$invariant: \"$output\" does not contain \"$part\""; failed=1 ;; esac
}
expect 0 'invariant violated: mine.own (socket 0, imc 1): what is asked for' 'unit imc' 'CAS_COUNT.RD == CAS_COUNT.RD + 1'
expect 0 '' 'unit imc' 'CAS_COUNT.RD <= CAS_COUNT.RD + 1'
[ -z "$output" ] || { echo "an invariant that holds: $output"; failed=1; }
expect 0 'invariant violated: mine.own (socket 0, instance 1): what is asked for' '' 'CAS_COUNT.RD == CAS_COUNT.RD + 1'
expect 2 'metric mine.own: cha has no event "CAS_COUNT"' 'unit cha' 'CAS_COUNT.RD == 1'
for sign in '=' '===' '=<' '!=' '<>' '<=='; do
  expect 2 'expected' 'unit imc' "CAS_COUNT.RD $sign CAS_COUNT.RD"
done
expect 2 'two sides with ==, <=, >=, < or > between them expected, not' 'unit imc' 'CAS_COUNT.RD = CAS_COUNT.RD'
# A built-in invariant of intervals: a precharge and the activate that follows it may be on different sides of a boundary.
printf 'set platform=snbep numa=bind:0 cores=4\n' >"$work/rows.scn"
for thread in 0 1 2 3; do echo "thread $thread on core $thread: random read 256M count 1k"; done >>"$work/rows.scn"
output=$("$pmon" stat -e imc/PRE_COUNT.PAGE_MISS/,imc/ACT_COUNT/ -I 500ns -o /dev/null --scenario "$work/rows.scn" 2>&1)
[ -z "$output" ] || { echo "precharges and activates of intervals: $output" | head -4; failed=1; }
exit $failed
