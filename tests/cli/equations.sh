#!/bin/sh
# SPDX-License-Identifier: MIT
# Equations of -m use each other by name, in any order and over several options; a circle of equations is refused with
# their names. They are printed in the user's order, also of a recording. Usage: equations.sh PMON
pmon=$(realpath "$1") work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "$*"; : >failed; }
printf 'set sockets=1 cores=1 chas=2 imcs=1 channels=1\nthread 0: stream 64K\n' >small.scn   # 1,024 lines, and one more
expect() {   # the totals, or part of the message; the options
  expected=$1 wanted=2
  shift
  case $expected in [A-Z]*=*) wanted=0 ;; esac
  "$pmon" -p emr stat --csv --scenario small.scn "$@" >csv 2>err; code=$?
  [ $code = $wanted ] || fail "$*: exit code $code, not $wanted"
  output=$(awk -F, 'NR > 1 { printf "%s=%s ", $4, $8 }' csv; cat err)
  case $output in *"$expected"*) ;; *) fail "$*: $output" ;; esac
}
expect 'A=1025 B=2050 ' -m 'A=imc/CAS_COUNT.RD,B=A*2'
expect 'B=2050 A=1025 ' -m 'B=A*2,A=imc/CAS_COUNT.RD'
expect 'B=2050 A=1025 ' -m 'B=a*2' -m 'A=imc/CAS_COUNT.RD'
expect 'C=2 D=4100 B=2050 A=1025 ' -m 'C=B/A,D=B*2' -e imc/CAS_COUNT.WR -m 'B=A*2' -m 'A=imc/CAS_COUNT.RD'
expect 'MEM_READ_VOLUME=65600 MEM_BW_TOTAL=65600 A=1025 ' -m 'MEM_READ_VOLUME,MEM_BW_TOTAL,A=imc/CAS_COUNT.RD'
expect 'B=2050 A=1025 ' -m 'B=A*2,A=imc/CAS_COUNT.RD' --record db
names=$("$pmon" report --csv db 2>err | awk -F, 'NR > 1 { printf "%s=%s ", $4, $8 }')
[ "$names" = 'B=2050 A=1025 ' ] || fail "a recording: $names$(cat err)"
# Other commands, too, take each of several -m and -e.
names=$("$pmon" report --csv db -m B -m C=B/2 -e imc/CAS_COUNT.RD -m A 2>err | awk -F, 'NR > 1 { printf "%s=%s ", $4, $8 }')
[ "$names" = 'B=2050 C=1025 A=1025 imc/CAS_COUNT.RD/=1025 ' ] || fail "several -m of report: $names$(cat err)"
names=$("$pmon" diff --csv --sort given db db -m A -m B -e imc/CAS_COUNT.RD 2>err | awk -F, 'NR > 1 { printf "%s ", $3 }')
[ "$names" = 'A B imc/CAS_COUNT.RD/ ' ] || fail "several -m of diff: $names$(cat err)"
expect 'T=1 ' -m 'T=IF(imc/CAS_COUNT.RD/ > 3,1,2)'
# The name of an equation takes precedence over the platform's, except within the equation itself.
expect 'MEM_READ_VOLUME=1025 R=2050 ' -m 'MEM_READ_VOLUME=MEM_READ_VOLUME/64,R=MEM_READ_VOLUME*2'
expect 'metrics that use each other: B uses C, C uses A, A uses B' -m 'B=C*2,C=A+1,A=B'
expect 'metrics that use each other: B uses A, A uses B' -m 'B=A' -m 'A=B'
expect 'metrics that use each other: A uses A' -m 'A=A*2'
expect '2 equations are named A' -m 'A=1,B=A,A=2'
expect 'emr has no event "C"' -m 'B=C' -m 'A=1'
printf 'cite none\nmetric F\n  brief b\n  equation G\nmetric G\n  brief b\n  equation H+1\nmetric H\n  brief b\n  equation G\n' >mine.met
"$pmon" -p emr,mine.met stat -m F --scenario small.scn 2>&1 | grep -q 'metric F: metrics that use each other: G uses H, H uses G$' ||
  fail "a circle in a file"
[ ! -e failed ]
