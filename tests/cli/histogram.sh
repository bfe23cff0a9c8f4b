#!/bin/sh
# SPDX-License-Identifier: MIT
# --histogram: the ranges contain each interval once, as those of the CSV of intervals; the quantiles are of the time.
# Usage: histogram.sh PMON
pmon=$(realpath "$1")
scenarios=$(dirname "$(realpath "$0")")/../../examples/scenarios
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
metrics=MEM_READ_BANDWIDTH,LLC_MISS_RATIO
"$pmon" -p emr stat --scenario "$scenarios/emr-server.scn" -I 20us -m $metrics -e imc/CAS_COUNT.WR/ --record r \
  --histogram --per-socket >live || complain "no histogram"

# The same of the recording, and in the same ranges as the values of the intervals.
"$pmon" report --histogram --per-socket r >again || complain "no histogram of a recording"
cmp live again || complain "a recording has another histogram"
"$pmon" report --histogram --per-socket --csv r | tr -d '\r' >csv || complain "no CSV"
"$pmon" report -I --per-socket --csv r | tr -d '\r' >intervals
# name,package,unit_name,instance,unit,from,to,intervals,seconds,share; and begin,end,seconds,name,package,...,value
awk -F, 'NR == FNR { if (FNR > 1) { row[++n] = $0; last[$1 "," $2] = n }; next }
  FNR > 1 && $8 != "" { v = $4 == "imc/CAS_COUNT.WR/" ? $8 / $3 : $8
    for (i = 1; i <= n; i++) { split(row[i], f, ",")
      if (f[1] == $4 && f[2] == $5 && (v >= f[6] || f[6] == f[7]) && (v < f[7] || last[f[1] "," f[2]] == i)) { count[i]++; time[i] += $3 } } }
  END { for (i = 1; i <= n; i++) { split(row[i], f, ",")
      if (f[8] != count[i] + 0 || (f[9] - time[i]) ^ 2 > 1e-20) { print row[i] " and " count[i] + 0, time[i]; bad = 1 } }
    exit n < 20 || bad }' csv intervals || complain "the ranges and the intervals differ"

# Numbers of the CSV are exactly those of the JSON.
"$pmon" report --histogram --per-socket --json r | jq -r '.bins[] | [.from, .to, .seconds] | @csv' >numbers
tail -n +2 csv | jq -rR 'split(",") | [.[5, 6, 8] | tonumber] | @csv' | cmp - numbers || complain "the CSV rounds numbers"

# Quantiles are of the time, the totals those of all intervals.
printf 'thread 0 on core 0: stream read 64K stride 64\nthread 0 on core 0: sleep 400us\n' >s.scn
"$pmon" -p emr stat --scenario s.scn -I 100us --histogram -m MEM_READ_BANDWIDTH --json >json || complain "no JSON"
jq -e '.name == "MEM_READ_BANDWIDTH" and .package == null and .least == 0 and .median == 0 and .p95 == .greatest and
  (.bins | map(.intervals) | add) == .intervals and .missing == 0' json >/dev/null || complain "JSON: $(cat json)"

# Intervals without a value are counted apart; equal values have one range.
"$pmon" -p emr stat --scenario s.scn -I 100us --histogram -m LLC_MISS_RATIO,UNCORE_FREQUENCY >text || complain "no text"
grep -q '^ *no data  *[1-9][0-9]*  *[0-9.]* %$' text || complain "no line for intervals without a value: $(cat text)"
[ "$(sed -n '/^UNCORE_FREQUENCY/,$p' text | grep -c '#')" -eq 1 ] || complain "equal values: $(cat text)"
[ "$(awk '{ if (length > most) most = length } END { print most }' text)" -le 80 ] || complain "wide lines"

# Without intervals, and with options of tables, there is none.
for options in "" "-I 1 --top 3" "-I 1 --csv=wide" "-I 1 --by device"; do
  "$pmon" -p emr stat --scenario s.scn --histogram $options >text 2>errors
  [ $? -eq 2 ] && grep -q histogram errors || complain "accepted: $options"
done
exit $failed
