#!/bin/sh
# SPDX-License-Identifier: MIT
# Faults of the monitoring hardware from a scenario and from the command line. Usage: faults.sh PMON
pmon=$1 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf 'inject cha LLC_VICTIMS.M_STATE 100 at 1us\ninject cha LLC_VICTIMS.M_STATE 100 at 3us\n' >"$work/plain.scn"
printf "thread 0: stream 256K\n" >"$work/work.scn"
counts() {   # prints the counts of the first CHAs of socket 0, by `pmon stat` with these options
  "$pmon" -p emr stat --csv --per-unit -e cha/LLC_VICTIMS.M_STATE/ "$@" 2>"$work/why" |
    awk -F, '$5 == 0 && $7 < 3 && $4 == "cha/LLC_VICTIMS.M_STATE/" { printf "%s%s", n++ ? " " : "", $8 }'
}
same() {     # name, expected, actual
  [ "$2" = "$3" ] || { echo "$1: \"$3\", not \"$2\""; cat "$work/why"; failed=1; }
}
same "no fault" "200 200 200" "$(counts --scenario "$work/plain.scn")"
{ cat "$work/plain.scn"; echo "fault stuck cha1 at 2us"; } >"$work/stuck.scn"
same "from a scenario" "200 100 200" "$(counts --scenario "$work/stuck.scn")"
same "from both" "300 100 200" "$(counts --scenario "$work/stuck.scn" --fault "double cha0 counter 0 at 2us")"
same "after accesses" "200 0 200" "$(counts --scenario "$work/plain.scn" --fault "stuck cha1 after 100")"
same "after too many accesses" "200 200 200" "$(counts --scenario "$work/plain.scn" --fault "stuck cha1 after 1000000")"
same "of the other socket" "200 200 200" "$(counts --scenario "$work/plain.scn" --fault "stuck cha1 socket 1")"
refused() {  # the fault, a part of the message
  "$pmon" -p emr stat --scenario "$work/plain.scn" --fault "$1" >/dev/null 2>"$work/why"
  code=$?
  [ $code -ge 2 ] || [ $code -eq 1 ] || { echo "$1: exit code $code"; failed=1; }
  grep -qF "$2" "$work/why" || { echo "$1: no \"$2\" in"; cat "$work/why"; failed=1; }
}
refused "broken cha0" "expected a fault, one of stuck, double, no-overflow"
refused "stuck" "expected a unit such as cha3"
refused "stuck cha0 counter many" "a counter"
refused "stuck cha0 at 1us after 3" "after"
refused "page-late" "expected 'at' and a time"
refused "msr 0x2000" "expected 'processor' and a number"
refused "page-stride wide" "expected a number"
refused "stuck qpi0" "fault stuck: the machine has no qpi0 in socket 0"
refused "stuck cha0 counter 9" "cha has 4 counters; expected a counter from 0 to 3, not 9"
printf 'thread 0: spin 1\nfault stuck qpi0\n' >"$work/wrong.scn"
"$pmon" -p emr stat --scenario "$work/wrong.scn" >/dev/null 2>"$work/why" && { echo "a fault of a missing unit"; failed=1; }
grep -qF "line 2 of the scenario: fault stuck: the machine has no qpi0 in socket 0" "$work/why" || { cat "$work/why"; failed=1; }
refused "$(printf 'stuck cha0\nstuck cha1')" "more than one line"
refused "" "expected a fault"
refused "# nothing" "expected a fault"
"$pmon" -p snbep stat -e cbo/CLOCKTICKS/ --fault "page-short 3" -- true >/dev/null 2>"$work/why"
grep -qF "this processor has no discovery page" "$work/why" || { cat "$work/why"; failed=1; }
# A unit that reads as all ones, in 32 bits, is not taken for one that other software programmed: its counts have no
# value.
for gone in "emr imc0 imc/CAS_COUNT.RD/" "snbep imc0 imc/CAS_COUNT.RD/"; do
  set -- $gone
  "$pmon" -p "$1" stat --csv --per-unit --scenario "$work/work.scn" -e "$3" --fault "gone $2" >"$work/gone" \
    2>"$work/why" || { echo "$gone: exit code $?"; cat "$work/why"; failed=1; }
  same "$gone" "none some" "$(awk -F, '$5 == 0 && $7 < 2 && $7 != "" && NR > 1 {
    printf "%s%s", n++ ? " " : "", $8 == "" ? "none" : "some" }' "$work/gone")"
done
# A condition of a memory channel applies to this channel only, also to the first one.
printf 'thread 0: stream 256K\necc imc0 5 at 1us\n' >"$work/ecc.scn"
same "errors of a channel" "5 0 0 0" "$("$pmon" -p snbep stat --csv --per-unit --scenario "$work/ecc.scn" \
  -e imc/ECC_CORRECTABLE_ERRORS/ 2>"$work/why" | awk -F, '$5 == 0 && $7 != "" { printf "%s%s", n++ ? " " : "", $8 }')"
exit $failed
