#!/bin/sh
# SPDX-License-Identifier: MIT
# Metric groups: each platform's groups can be measured, list their metrics in order, and are accepted wherever metrics
# are; a user-supplied file adds to them. Usage: groups.sh PMON
pmon=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/checks.sh"
listed() { "$pmon" -p "$1" metrics -g "$2" --json | sed 's/.*"name":"\([^"]*\)".*/\1/'; }

# Every group of every platform is measured as it is listed; a parametrized metric gets all its values.
for platform in emr snbep montecito; do
  for group in $("$pmon" -p $platform metrics --groups --json | sed 's/.*"group":"\([^"]*\)".*/\1/'); do
    work="--scenario $folder/small.scn"
    [ $platform = montecito ] && work="--generate mixed:2000"
    "$pmon" -p $platform stat -g "$group" $work --csv 2>"$folder/err" | tr -d '\r' | awk -F, 'NR > 1 { print $4 }' |
      sed 's/\(PART\|PORT\|RANK\)[0-9]\+/\1x/' | awk '!seen[$0]++' >"$folder/measured"
    check "$platform $group" "$(listed $platform "$group")" "$(cat "$folder/measured")"
  done
done
check 'one vocabulary' MEM "$("$pmon" -p snbep metrics -g mem --json | sed -n 's/.*"unit":"imc".*/MEM/p' | sort -u)"

# The default metrics are a group.
"$pmon" stat --scenario "$folder/small.scn" --csv >"$folder/a" 2>"$folder/err"
"$pmon" stat -g DEFAULT --scenario "$folder/small.scn" --csv >"$folder/b" 2>"$folder/err"
check 'DEFAULT' "$(cat "$folder/a")" "$(cat "$folder/b")"

# Recordings: a group's metrics whose events were recorded; several groups; with -m.
"$pmon" stat -m MEM_READ_BANDWIDTH --scenario "$folder/small.scn" --record "$folder/db" >/dev/null 2>&1
check 'report -g' 'MEM_READ_BANDWIDTH' "$("$pmon" report -g MEM --csv "$folder/db" | awk -F, '$5 == "" && NR > 1 { print $4 }' |
  grep -x 'MEM_READ_BANDWIDTH')"
contains 'report -g LLC' 'LLC: the recording lacks the events of all these metrics' "$("$pmon" report -g LLC "$folder/db" 2>&1)"
check 'diff -g' 0 "$("$pmon" diff -g MEM "$folder/db" "$folder/db" >"$folder/diff" 2>&1; echo $?)"
contains 'diff -g' 'all 2 values are equal' "$(cat "$folder/diff")"
contains 'show' 'Memory' "$("$pmon" show MEM)"
contains 'explain' 'pmon stat -g UPI' "$("$pmon" explain upi)"
contains 'completion' 'MEM,LLC' "$("$pmon" __complete stat -g MEM,L)"
contains 'another name' 'emr has no metric group "MEN"; did you mean MEM?' "$("$pmon" stat -g MEN -- true 2>&1)"
contains 'no name near' 'expected DEFAULT, ' "$("$pmon" stat -g whatever -- true 2>&1)"
contains 'a group of another platform' 'emr has no metrics in group QPI; `pmon metrics --groups`' "$("$pmon" stat -g QPI -- true 2>&1)"

# A user-supplied file adds to a group, also to the default one, and defines new groups.
printf 'unit imc\nmetric MY_LINES\n  brief Lines.\n  equation CAS_COUNT.RD\ngroup MEM\n  metrics MY_LINES\ngroup OWN
  brief My own.\n  metrics MY_LINES cha/LLC_MISS_LATENCY_NS\ngroup DEFAULT\n  metrics MY_LINES\n' >"$folder/mine.met"
check 'own group' 'MY_LINES LLC_MISS_LATENCY_NS' "$(echo $(listed "emr,$folder/mine.met" OWN))"
contains 'added to MEM' 'MY_LINES' "$(listed "emr,$folder/mine.met" MEM)"
contains 'added to MEM' 'MEM_READ_BANDWIDTH' "$(listed "emr,$folder/mine.met" MEM)"
contains 'added to the defaults' 'MY_LINES' "$("$pmon" -p "emr,$folder/mine.met" stat --scenario "$folder/small.scn" 2>&1)"
printf 'group MEM\n  metrics NONE\n' >"$folder/mine.met"
contains 'a metric that is none' "mine.met:2:11: name of a metric expected, not 'NONE'" "$("$pmon" -p "emr,$folder/mine.met" metrics 2>&1)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
