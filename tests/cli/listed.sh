#!/bin/sh
# SPDX-License-Identifier: MIT
# Units that the tables have but this processor lacks: its discovery page does not list them, so that they have no rows
# and no series. A unit that the page lists but that cannot be read is missing in its socket's total. Usage: listed.sh
# PMON
. "$(dirname "$0")/in_folder.sh"
echo 'thread 0 on core 0: stream 64K' >s.scn
counts() {   # name, expected number of lines with the pattern, pattern, file
  n=$(grep -c -e "$3" "$4")
  [ "$n" = "$2" ] || { fail "$1: $n lines have \"$3\", expected $2:"; head -30 "$4"; }
}
"$pmon" -p spr stat --scenario s.scn --csv --per-unit -e iio/CLOCKTICKS/ >out 2>&1 || fail "status $?"
counts 'ten stacks of twelve' 20 ',iio/CLOCKTICKS/,' out
counts 'none of these is unreadable' 0 'cannot be read' out
"$pmon" -p spr stat --scenario s.scn --json -e iio11/CLOCKTICKS/,iio/CLOCKTICKS/ >out 2>&1
counts 'one that is named has a reason' 1 'iio11.*"the processor has no such unit: its discovery' out
counts 'and no other one' 0 'cannot be read' out
"$pmon" -p spr stat --scenario s.scn -e iio11/CLOCKTICKS/,iio10/CLOCKTICKS/ >out 2>&1
[ $? = 3 ] || fail "absent units alone: status $?, expected 3"
counts 'absent units alone' 1 \
  'iio10, iio11: the processor has no such unit; its discovery page lists iio0 to iio9$' out
for at in '' ' at 2us'; do
  "$pmon" -p emr stat --scenario s.scn --fault "gone cha3$at" -e cha/CLOCKTICKS/ >out 2>&1
  counts "gone$at: the totals of socket 0 and of all" 1 '^cha/CLOCKTICKS/ *no data \[1\] *[0-9,]* *no data \[1\]$' out
done
counts 'reason' 1 'was removed during' out
# Without a page, the totals lack the unit, and have a note; so have those of a recording. Not so for the units after
# the last one, which smaller models do not have.
"$pmon" -p snbep stat --scenario s.scn --fault 'gone cbo3' -e cbo/CLOCKTICKS/ --record r >out 2>&1
counts 'no page: the totals of socket 0 and of all' 1 '^cbo/CLOCKTICKS/ *[0-9,]* \[1\] *[0-9,]* *[0-9,]* \[1\]$' out
counts 'no page: the note' 1 '^\[1\] without units that cannot be read, although the processor has them' out
"$pmon" report --csv r >out 2>&1
counts 'no page: a recording' 2 ',partial,' out
"$pmon" -p snbep stat --scenario s.scn --fault 'gone cbo3' -e cbo/CLOCKTICKS/ --csv --per-unit >out 2>&1
counts 'no page: the unit' 1 ',cbo,3,.*cannot be read' out
counts 'no page: the other units' 0 ',partial,' out
"$pmon" -p snbep stat --scenario s.scn --fault 'gone cbo7' -e cbo/CLOCKTICKS/ --csv >out 2>&1
counts 'no page: the last one of one socket' 2 ',partial,' out
"$pmon" -p snbep stat --scenario s.scn --set chas=6 -e cbo/CLOCKTICKS/ --csv >out 2>&1
counts 'no page: a smaller model' 0 ',partial,' out
# A recording has the same rows, reasons and totals.
recorded() {   # name, option of both, options of stat alone
  name=$1 both=$2
  shift 2
  "$pmon" stat "$@" ${both:+"$both"} --scenario s.scn --csv --record r >all 2>&1 || fail "$name: stat: status $?"
  "$pmon" report ${both:+"$both"} --csv r >again 2>&1 || fail "$name: report: status $?"
  cmp -s all again || { fail "$name: a report of a recording differs:"; diff all again | cut -c1-200 | head; }
}
recorded 'each unit' --per-unit -p spr -e iio/CLOCKTICKS/,iio11/CLOCKTICKS/
recorded 'totals' '' -p spr -e iio/CLOCKTICKS/,iio11/CLOCKTICKS/
recorded 'a unit that is gone' '' -p emr --fault 'gone cha3' -e cha/CLOCKTICKS/
"$pmon" -p spr stat -I 2us --scenario s.scn --csv --record r -e iio/CLOCKTICKS/ >out 2>&1 || fail "intervals: status $?"
"$pmon" report --per-unit --csv r >out
counts 'intervals together: ten stacks of twelve' 20 ',iio/CLOCKTICKS/,' out
[ "$failed" = 0 ]
