#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon explain METRIC`: meaning, equation, events and cautions of each kind of metric; the counts of a recording; every
# metric of every platform is explained. Usage: explain_metric.sh PMON
pmon=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
explain() { "$pmon" -p emr explain "$@" >out 2>err || complain "explain $*: $(cat err)"; }
has() { grep -qE -e "$1" out || complain "no $1 in: $(cat out)"; }

explain MEM_BANDWIDTH
has '^metric  MEM_BANDWIDTH$'
has '^  equation    \(CAS_COUNT.RD \+ CAS_COUNT.WR\) \* 64$'
has '^  event       imc/CAS_COUNT.WR/: '
has 'bursts are hidden'
has '^  time        on the emulated machine, time is the result of a model: '
has '^  metric      MEM_READ_BANDWIDTH: '
grep -q '^  shared' out && complain "two events share counters: $(cat out)"
explain PKG_POWER
has 'bursts are hidden'
grep -q '^  ratio' out && complain "a power is a ratio: $(cat out)"
explain cha/llc_drd_miss_ratio
has 'does not show how often'
grep -q '^  time' out && complain "a time in a ratio"
for metric in AVG_INGRESS_LATENCY UNCORE_FREQUENCY AVG_INGRESS_DEPTH; do
  explain $metric
  has '^  time        on the emulated machine, time is the result of a model: '
done
grep -q '^  counted' out && complain "counts without a recording"

printf 'thread 0 on core 0: stream read 2M stride 64\n' >s.scn
"$pmon" -p emr stat --scenario s.scn --set prefetch=off --record r.pmon -m MEM_BANDWIDTH,LLC_DRD_MISS_RATIO,IOTLB_MISS_RATIO >/dev/null || complain "not recorded"
explain --recording r.pmon MEM_BANDWIDTH
has '^  counted     32,769$'
[ "$(grep -c '^  event' out)" -eq 2 ] || complain "events of other metrics: $(cat out)"
has "^  value       $("$pmon" report -m MEM_BANDWIDTH r.pmon | awk '$1 == "MEM_BANDWIDTH" { print $(NF - 1), $NF }' | sed 's/\./\\./')$"
explain --recording r.pmon IOTLB_MISS_RATIO
has '^  few         iio/'
"$pmon" -p emr explain --recording r.pmon LLC_MISS_LATENCY_NS >out 2>err && complain "a metric that was not recorded"
grep -q 'not recorded' err || complain "$(cat err)"
"$pmon" -p emr explain --recording none MEM_BANDWIDTH 2>err && complain "no recording"
"$pmon" -p emr explain NO_SUCH_METRIC 2>err
[ $? -eq 2 ] || complain "an unknown name"

for platform in emr snbep montecito; do
  "$pmon" -p $platform metrics --json | sed -n 's/.*"unit":"\([^"]*\)","name":"\([^"]*\)".*"param":null.*/\1\/\2/p' >names
  [ "$(wc -l <names)" -gt 30 ] || complain "$platform: few metrics"
  xargs "$pmon" -p $platform explain <names >out 2>err
  while IFS= read -r line; do
    case $line in
      *no\ data* | *cannot* | *'only with the filter'*) ;; # the facts say why there is no value
      'pmon explain: '*) complain "$platform: $line" ;;
    esac
  done <err
  [ "$(grep -c '^metric ' out)" -gt 25 ] || complain "$platform: $(grep -c '^metric ' out) metrics explained"
  awk '$1 == "metric" && NF == 2 { name = $2; timed = 0 }
       $1 == "unit" { timed = $0 ~ /, in .*(\/s|cycle|Hz)/ || $NF ~ /^(ns|W|J|degC)$/ }
       $1 == "equation" && /CLOCK|DCLK|CYC|OCCUPANCY|TSC|ENERGY|_TIME|BUBBLE|OUTSTANDING|_LIVE_|_OUT_/ { timed = 1 }
       $1 == "time" && timed { timed = 0; said++ }
       $1 == "next" && timed { print name }
       END { print said }' out >wordless
  [ "$(wc -l <wordless)" -eq 1 ] || complain "$platform: no word on what their time rests on: $(cat wordless)"
  least=60
  [ $platform != montecito ] || least=13
  [ "$(tail -n 1 wordless)" -gt $least ] || complain "$platform: only $(tail -n 1 wordless) metrics with a time"
done
# The parameters behind a metric's time have sources; the processor's own sources differ from the common ones.
source_is() { # PLATFORM PARAMETER SOURCE
  "$pmon" -p "$1" machine describe | grep "^$2 " | grep -qF "[$3]" || complain "$1: $2 is not of $3"
}
source_is emr core.stores 'Intel, unverified'
source_is snbep core.stores 'Intel, unverified'
source_is emr dtlb.miss 'Intel, unverified'
source_is emr dram.trefsbrd 'JEDEC, unverified'
source_is emr cha.tor model
source_is snbep cha.tor guide
exit $failed
