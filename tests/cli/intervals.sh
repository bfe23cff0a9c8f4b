#!/bin/sh
# SPDX-License-Identifier: MIT
# Intervals as lines of a table: values equal those of the CSV, the header is repeated on each screen, footnotes appear
# once; a table that is too wide becomes one table per interval; --duration. Usage: intervals.sh PMON
pmon=$(realpath "$1")
scenarios=$(dirname "$(realpath "$0")")/../../examples/scenarios
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
printf 'thread 0 on core 0: stream read 2M stride 64\nthread 0 on core 0: sleep 200us\n' >s.scn
run() { timeout -s KILL 600 "$pmon" -p emr stat --scenario s.scn --set prefetch=off --set core.mlp=8 "$@"; }

run -I 50us -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/ -m LLC_DRD_MISS_RATIO >text || complain "no intervals"
run -I 50us -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/ -m LLC_DRD_MISS_RATIO --csv >csv
sed -n 1,2p text | tr '\n' '|' | grep -q "^scenario s.scn|EMULATED: emr on pmon's emr machine, 2 sockets|$" || complain "head: $(head -3 text)"
# The reads of each line equal the totals of the CSV.
tr -d '\r' <csv | awk -F, '$4 == "imc/CAS_COUNT.RD/" && $5 == "" { print $8 }' >reads
awk '$2 ~ /^(ms|s)$/' text | sed 's/- \[/-[/g; s/ %/%/g' | awk '{ gsub(",", "", $4); print $4 }' >shown
cmp reads shown || complain "lines and CSV differ: $(paste reads shown | head -5)"
[ "$(wc -l <reads)" -ge 12 ] || complain "few intervals"
[ "$(grep -c 'denominator zero' text)" -eq 1 ] || complain "footnotes: $(tail -3 text)"
[ "$(grep -c ' time ' text)" -eq 1 ] || complain "a file has one header"

# --summary: the values of the whole measurement follow the intervals.
run -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/ -m LLC_DRD_MISS_RATIO >whole
run -I 50us --summary -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/ -m LLC_DRD_MISS_RATIO >text
head -n "$(($(wc -l <text) - $(wc -l <whole) - 1))" text >lines
run -I 50us -e imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/ -m LLC_DRD_MISS_RATIO | cmp - lines || complain "--summary changes the intervals"
tail -n "$(wc -l <whole)" text | cmp - whole || complain "another summary: $(tail -n 12 text)"
run -I 50us --summary --record with.pmon -e imc/CAS_COUNT.RD/ --csv | tr -d '\r' >csv
[ "$(head -n -3 csv | awk -F, '$5 == "" { n += $8 } END { print n }')" = "$(awk -F, '$5 == "" { n = $8 } END { print n }' csv)" ] ||
  complain "the summary is not the sum of the intervals: $(tail -n 4 csv)"
"$pmon" report -e imc/CAS_COUNT.RD/ with.pmon >/dev/null || complain "--summary removed the recording"
# The intervals add up to the whole also where an answer is under way at the end: that of a device's last read.
echo 'dma read 2GB/s stack 4 port 1 for 3us' >dma.scn
for interval in '' '-I 3us' '-I 700ns'; do
  "$pmon" -p emr stat --scenario dma.scn $interval -e iio/BW_OUT_PORT1/,iio/COMP_BUF_OCCUPANCY.CMPD.PART1/ --csv |
    awk -F, 'NR > 1 && $5 == "" { n[$4] += $8 } END { for (name in n) print name, n[name] }' | sort >sums
  [ -n "$interval" ] || cp sums total
  cmp sums total && grep -q 'BW_OUT_PORT1/ 6016$' sums || complain "$interval: $(cat sums) of $(cat total)"
done
# A time with a fraction is exact: 1.001 ms are 1001000 ns.
ends=$(run -I 1.001us --duration 0.002002 -e imc/CAS_COUNT.RD/ --csv | awk -F, 'NR > 1 && $5 == "" { print $2 }')
[ "$(echo $ends)" = '0.000001001 0.000002002' ] || complain "-I 1.001us --duration 0.002002: $(echo $ends)"
# -D: the beginning is left out; the rest is what intervals after it count.
all=$(awk -F, '$5 == "" { n = $8 } END { print n }' csv)
first=$(awk -F, 'NR > 1 && $5 == "" { print $8; exit }' csv)
rest=$(run -D 50us -e imc/CAS_COUNT.RD/ --csv | tr -d '\r' | awk -F, 'NR > 1 && $5 == "" { print $8 }')
[ "$first" -gt 0 ] && [ "$rest" -eq $((all - first)) ] || complain "-D 50us: $rest of $all, $first before it"
[ "$(run -D 50us -I 50us --duration 100us -e imc/CAS_COUNT.RD/ --csv | awk -F, 'NR > 1 && $5 == ""' | wc -l)" -eq 2 ] ||
  complain "--duration does not begin after -D"
run -D 50us --record delayed.pmon -e imc/CAS_COUNT.RD/ >/dev/null
"$pmon" report --csv delayed.pmon | grep -q ",$rest," || complain "another recording: $("$pmon" report delayed.pmon)"
run -D 1s -e imc/CAS_COUNT.RD/ >text 2>&1
[ $? -eq 1 ] && grep -q 'ended before the delay of 1000 ms was over; nothing was measured' text || complain "-D 1s: $(cat text)"

# Short intervals have distinct times.
for step in 5us 500ns; do
  timeout -s KILL 600 "$pmon" -p emr stat --scenario s.scn -I $step --duration 20us -e imc/CAS_COUNT.RD/ >text
  [ -z "$(awk '$2 == "ms" { print $1 }' text | uniq -d)" ] || complain "one time twice: $(head -8 text)"
  [ "$(awk '$2 == "ms"' text | wc -l)" -ge 4 ] || complain "few lines: $(cat text)"
done

# So does a short last interval, and intervals after many seconds; the columns stay aligned.
timeout -s KILL 600 "$pmon" -p emr stat --scenario s.scn -I 10us --duration 20010ns -e imc/CAS_COUNT.RD/ >text
[ "$(awk '$2 == "ms" { print $1 }' text | tail -n 2 | paste -s -d ' ')" = '0.020 0.02001' ] ||
  complain "a short last interval: $(cat text)"
[ "$(awk '/ time / || $2 == "ms" { print length }' text | sort -u | wc -l)" -eq 1 ] || complain "not aligned: $(cat text)"

# Values wider than their column are shortened, so that columns stay aligned.
run -I 50us -m LLC_REQUEST_RATE,MEM_READ_BANDWIDTH >text
grep -q ' M/s' text || complain "no rate in millions: $(cat text)"
[ "$(awk '/ time / || $2 == "ms" { print length }' text | sort -u | wc -l)" -eq 1 ] || complain "not aligned: $(cat text)"

# More reasons than footnotes: no value refers to the footnote of another reason.
timeout -s KILL 600 "$pmon" -p emr stat --scenario "$scenarios/emr-server.scn" -I 10us --slice 0.002 --duration 450us \
  -g LLC,UPI,IO >text || complain "many reasons"
[ "$(grep -c '^\[[0-9]*\] ' text)" -eq 32 ] || complain "few reasons: $(grep '^\[' text)"
grep -q ' - \[+\]' text && grep -qxF '[+] other reasons: --csv or --json prints each' text || complain "$(grep '^\[' text)"

# `report -I` prints the same lines from the recording.
run -I 50us -m LLC_DRD_MISS_RATIO,MEM_READ_BANDWIDTH --record r.pmon >text
timeout -s KILL 600 "$pmon" report -I r.pmon >again
cmp text again || complain "report -I differs"

# The columns of packages have the platform's term: hardware threads of Montecito.
timeout -s KILL 600 "$pmon" -p montecito stat --generate threads:2000 -I 5us --per-socket -e IA64_INST_RETIRED >text
grep -q '^ *time *thread 0 *thread 1 *thread 2 *thread 3$' text || complain "threads: $(head -9 text)"

# --csv=wide has one column per value: as many as the long form has lines, in the same order.
run -I 50us --per-socket -e imc/CAS_COUNT.RD/ -m LLC_DRD_MISS_RATIO --csv=wide >wide || complain "--csv=wide"
run -I 50us --per-socket -e imc/CAS_COUNT.RD/ -m LLC_DRD_MISS_RATIO --csv=long >csv || complain "--csv=long"
tr -d '\r' <wide | head -1 | grep -q ',calls,LLC_DRD_MISS_RATIO socket 0 (ratio),.*,imc/CAS_COUNT.RD/ socket 1,reason,emulated' ||
  complain "columns: $(head -1 wide)"
tr -d '\r' <wide | awk -F, 'NR > 1 { for (i = 13; i < 17; i++) print $2, $i }' | sort >shown
tr -d '\r' <csv | awk -F, 'NR > 1 { print $2, $8 }' | sort >reads
cmp reads shown || complain "wide and long differ: $(diff reads shown | head -5)"
tr -d '\r' <wide | grep -q 'LLC_DRD_MISS_RATIO socket 1 (ratio): ' || complain "no reason: $(tail -1 wide)"
for wrong in '--csv=narrow' '--csv=wide --sort value' '--csv=wide --json'; do
  run -e imc/CAS_COUNT.RD/ $wrong >/dev/null 2>err
  [ $? -eq 2 ] || complain "$wrong is accepted"
done

# On a terminal: a header on each screen; too narrow for the columns: tables.
if command -v script >/dev/null; then
  on_terminal() {
    size=$1
    shift
    # Without the text that is erased again: the progress line of a run that takes a second or more.
    timeout -s KILL 600 script -qec "stty $size; '$pmon' -p emr stat --scenario s.scn --color never $*" /dev/null </dev/null |
      tr -d '\r' | sed "s/.*$(printf '\033')\[K//"
  }
  on_terminal 'cols 80 rows 10' -I 20us >screen
  [ "$(grep -c '^ *time ' screen)" -ge 3 ] || complain "headers: $(grep -c '^ *time ' screen)"
  awk 'length > 80 { print; bad = 1 } END { exit bad }' screen || complain "wider than the terminal"
  # Totals that are too many for one line continue on a second one below it, in the order of the metrics.
  values() { awk '$2 == "ms" { lines = 1 } lines && !NF { exit } lines' "$1" | tr -d ' \n'; }
  with="--set prefetch=off --set core.mlp=8 -I 100us -g TOP"
  run -I 100us -g TOP >text
  on_terminal 'cols 80 rows 40' $with >screen
  awk 'length > 80 { print; bad = 1 } END { exit bad }' screen || complain "blocks wider than the terminal"
  [ "$(grep -c '^ *time ' screen)" -eq 1 ] || complain "no blocks: $(head -8 screen)"
  [ "$(values text)" = "$(values screen)" ] || complain "blocks have other values: $(values text) $(values screen)"
  on_terminal 'cols 80 rows 12' $with >screen
  [ "$(grep -c '^ *time ' screen)" -ge 3 ] || complain "headers of blocks: $(grep -c '^ *time ' screen)"
  on_terminal 'cols 200 rows 40' $with >screen
  cmp text screen || complain "no single lines where they fit"
  on_terminal 'cols 80 rows 10' -I 100us --per-socket >screen
  grep -q '^ *time ' screen && complain "14 columns in 80"
  grep -qE '^[0-9.]+ - [0-9.]+ ms' screen || complain "no tables: $(head -8 screen)"
else
  echo "not run on a terminal: no script"
fi

# Where reads count in the same round, an event that stays at zero gets an upper bound instead of an estimate. Where all
# events of a round stay at zero while reads in other rounds begin and end, there is no bound either.
metrics=LLC_DRD_MISS_RATIO,LLC_MISS_LATENCY_NS,MEM_READ_BANDWIDTH
run --slice 10us -m $metrics -e "$(printf 'imc/CAS_COUNT.%s/,' RD ALL RD,thresh=1 WR,thresh=1 WR,thresh=2 ALL,thresh=1 \
  RD,thresh=2)imc/CAS_COUNT.WR/" >text 2>/dev/null
grep -qE 'CAS_COUNT.WR/ .*unknown, below [0-9]' text || complain "no bound: $(grep CAS_COUNT.WR text)"
run --slice 10us -m $metrics -e "$(printf 'imc/CAS_COUNT.WR,thresh=%d/,' 1 2 3 4 5 6 7)imc/CAS_COUNT.WR/" >text 2>/dev/null
grep -qE 'CAS_COUNT.WR/ +unknown \[' text || complain "a bound without a witness: $(grep CAS_COUNT.WR text)"

# Loads alone book thousands of messages on a link ahead of the core's time: each interval has its own idle flits.
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); printf ' L %x,8\n' $((i * 64)); done >loads
timeout -s KILL 600 "$pmon" -p snbep stat --set numa=interleave --trace loads -I 20us --csv --per-unit \
  -e qpi/RxL_FLITS_G0.IDLE/,qpi/RxL_FLITS_G0.DATA/,qpi/RxL_FLITS_G0.NON_DATA/,qpi/CLOCKTICKS/ >flits 2>/dev/null
tr -d '\r' <flits | awk -F, '
  $4 ~ /^qpi/ && $7 != "" { at = $1 " " $5 " " $7; if ($4 ~ /CLOCKTICKS/) slots[at] = 2 * $8; else used[at] += $8 }
  END { for (at in slots) { n++; if (used[at] != slots[at]) { print at ": " used[at] " flits in " slots[at]; bad = 1 } }
    exit bad || n < 12 }' >wrong || complain "flits of intervals: $(head -3 wrong)"

run --duration 100us -e imc/CAS_COUNT.RD/ --csv >short
tr -d '\r' <short | awk -F, 'NR == 2 { exit !($3 >= 0.0001 && $3 < 0.00012) }' || complain "duration: $(cat short)"
for wrong in 0 x -1 5d; do
  run --duration "$wrong" >/dev/null 2>err
  [ $? -eq 2 ] || complain "--duration $wrong is accepted"
  grep -q -- --duration err || complain "$(cat err)"
done
exit $failed
