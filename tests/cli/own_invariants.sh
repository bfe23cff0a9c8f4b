#!/bin/sh
# SPDX-License-Identifier: MIT
# Invariants of a user's own: of a unit, of none, of events that there are not. Usage: own_invariants.sh PMON
pmon=$1 failed=0 work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf 'set sockets=1 cores=1 chas=2 imcs=1 channels=1\nthread 0: stream 64K\n' >"$work/small.scn"
expect() {   # the exit code, part of the output, the invariant; above it in its file: standard input
  code=$1 part=$2 invariant=$3
  { cat; printf 'cite none\ninvariant mine.own\n  brief what is asked for\n  holds %s\n' "$invariant"; } >"$work/mine.rule"
  output=$("$pmon" stat -p "emr,$work/mine.rule" -e imc/CAS_COUNT.RD/ --scenario "$work/small.scn" 2>&1 >/dev/null)
  got=$?
  [ $got -eq "$code" ] || { echo "$invariant: exit code $got, not $code: $output"; failed=1; }
  case $output in *"$part"*) ;; *) echo "$invariant: \"$output\" does not contain \"$part\""; failed=1 ;; esac
}
echo 'unit imc' | expect 0 'invariant violated: mine.own (socket 0, imc 1): what is asked for' 'CAS_COUNT.RD == CAS_COUNT.RD + 1'
echo 'unit imc' | expect 0 '' 'CAS_COUNT.RD <= CAS_COUNT.RD + 1'
[ -z "$output" ] || { echo "an invariant that holds: $output"; failed=1; }
expect 0 'invariant violated: mine.own (socket 0, instance 1): what is asked for' 'CAS_COUNT.RD == CAS_COUNT.RD + 1' </dev/null
echo 'unit cha' | expect 2 'metric mine.own: column 5: cha has no event "CAS_COUNT"' 'CAS_COUNT.RD == 1'
exit $failed
