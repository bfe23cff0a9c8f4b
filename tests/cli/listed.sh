#!/bin/sh
# SPDX-License-Identifier: MIT
# Units that the tables have and this processor has not: its discovery page does not list them, and they are no rows and
# no series. One that the page lists and that cannot be read is missing in its socket's total. Usage: listed.sh PMON
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
counts 'one that is named has a reason' 1 'iio11.*"the processor has no such unit: its discovery page does not list it"' out
counts 'and no other one' 0 'cannot be read' out
for at in '' ' at 2us'; do
  "$pmon" -p emr stat --scenario s.scn --fault "gone cha3$at" -e cha/CLOCKTICKS/ >out 2>&1
  counts "gone$at: the totals of socket 0 and of all" 1 '^cha/CLOCKTICKS/ *no data \[1\] *[0-9,]* *no data \[1\]$' out
done
counts 'reason' 1 'went away' out
[ "$failed" = 0 ]
