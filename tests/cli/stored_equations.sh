#!/bin/sh
# SPDX-License-Identifier: MIT
# Equations that a recording stores are known by their names to commands that read it; the user's own ones of the same
# name come first. Usage: stored_equations.sh PMON
. "$(dirname "$0")/in_folder.sh"
echo 'thread 0 on core 0: stream 64K' >s.scn
"$pmon" stat --scenario s.scn --record r -m 'DOUBLE=LINES*2,LINES=imc/CAS_COUNT.RD/*1' >out 2>&1 || fail "status $?"
n=$(awk '$1 == "LINES" { gsub(",", ""); print $NF }' out)
check() {   # name, list of -m, expected totals
  totals=$("$pmon" report --csv -m "$2" r 2>err | awk -F, '$5 == "" { printf "%s %s,", $4, $8 }')
  [ "$totals" = "$3" ] || fail "$1: \"$totals\", expected \"$3\"" "$(cat err)"
}
check 'a name' LINES "LINES $n,"
check 'an equation that uses another' DOUBLE "DOUBLE $((2 * n)),"
check 'a new equation that uses it' 'MORE=LINES+1' "MORE $((n + 1)),"
check 'a name and a new equation' 'DOUBLE,MORE=LINES+1' "DOUBLE $((2 * n)),MORE $((n + 1)),"
check 'the same name' 'LINES=imc/CAS_COUNT.RD/*3' "LINES $((3 * n)),"
check 'the same name, used by a stored one' 'LINES=imc/CAS_COUNT.RD/*3,DOUBLE' "LINES $((3 * n)),DOUBLE $((6 * n)),"
check 'a pattern' 'LIN*' "LINES $n,"
check 'a pattern with metrics of the platform' '*[DE]S,MEM_READ_V*' "LINES $n,MEM_BW_READS $((64 * n)),MEM_READ_VOLUME $((64 * n)),"
"$pmon" report -m 'LINEZ*' r >out 2>&1 && fail 'a pattern that matches nothing is no error'
grep -q 'no metric matches "LINEZ\*"; did you mean LINES?' out || fail "a pattern that matches nothing: $(cat out)"
"$pmon" report -m 'UPI_*' r >out 2>&1 && fail 'a pattern without recorded metrics is no error'
grep -q 'the recording has the events of none of the metrics that match UPI_\*$' out || fail "not recorded: $(cat out)"
events=$("$pmon" report --csv -e 'imc/CAS_*/' r 2>err | awk -F, '$5 == "" { printf "%s %s,", $4, $8 }')
[ "$events" = "imc/CAS_COUNT.RD/ $n," ] || fail "a pattern of events: $events $(cat err)"
"$pmon" report -m LINE r >out 2>&1 && fail 'a name that is not stored is no error'
grep -q 'no metric "LINE"; did you mean LINES?' out || fail "a name that is not stored: $(cat out)"
"$pmon" diff -m DOUBLE r r >out 2>&1 || fail "diff: $(cat out)"
[ "$failed" = 0 ]
