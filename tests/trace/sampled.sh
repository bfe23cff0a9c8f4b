#!/bin/sh
# SPDX-License-Identifier: MIT
# --sample-intervals: a run's estimates are repeatable; table, CSV and JSON mark them as estimates; their confidence
# intervals contain the values of the whole run. A run that ends before anything is skipped is exact; a run with too few
# intervals has no values. Invalid combinations are refused.
# usage: sampled.sh PMON STEPS FAR_CODE STRIDES...
set -u
pmon=$1 steps=$2 far=$3
shift 3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-x86_64" >&2; exit 77; }
bad=0
fail() {
  echo "FAILED: $*" >&2
  bad=1
}
# writes the report of a run to $dir/$1; further arguments: options
stat() {
  to=$1
  shift
  timeout -s KILL 600 "$pmon" stat --backend machine -o "$dir/$to" "$@" </dev/null >/dev/null 2>"$dir/error" ||
    fail "$to: $(cat "$dir/error")"
}
awk 'BEGIN { x = 1; while (n++ < 9000) { x = (x * 16807) % 2147483647; print x } }' >"$dir/lines"
count() { # a program of more than 13 million instructions
  # shellcheck disable=SC2086
  stat "$1" $2 -- awk '{ n[substr($0, 1, 3)] += $0 % 97 } END { for (k in n) print k, n[k] }' "$dir/lines"
}
count exact.csv --csv
count a.csv "--csv --sample-intervals=5"
count b.csv "--csv --sample-intervals=5%"
cmp "$dir/a.csv" "$dir/b.csv" || fail "two runs differ"
count table --sample-intervals
grep -q '^ESTIMATES: .* % of .* instructions simulated in detail, in .* intervals' "$dir/table" || fail "the table's head"
grep -q '±' "$dir/table" || fail "the table has no intervals"
count json "--json --sample-intervals"
grep -q '"sampled":{"fraction":0\.[0-9]*,"instructions":[0-9]*,"intervals":[0-9]*,' "$dir/json" || fail "JSON's key"
grep -q '"flags":\["scaled","sampled"\]' "$dir/json" || fail "JSON's flags"
# name, package and value of the whole run, then low and high of the estimate: at least 95 % of the values other than 0
# lie between
tr -d '\r' <"$dir/exact.csv" | awk -F, 'NR > 1 && $8 != "" { print $4 "," $5 "," $8 }' >"$dir/exact"
tr -d '\r' <"$dir/a.csv" | awk -F, -v exact="$dir/exact" '
  BEGIN { while ((getline line < exact) > 0) { split(line, f, ","); truth[f[1] "," f[2]] = f[3] } }
  NR > 1 && !/scaled sampled/ { print "not marked: " $0; bad = 1 }
  NR > 1 && $8 != "" && truth[$4 "," $5] > 0 {
    n++
    t = truth[$4 "," $5]
    if (t < $11 || t > $12) { print "outside: " $4, t, $11, $12; outside++ } else if (!($12 > $11)) bad = 1
  }
  END { print n - outside " of " n " contained"; exit bad || n < 8 || outside > 0.05 * n }' || fail "the intervals"
# A run that is simulated completely has the same values as without the option: nothing is output twice or in another
# order.
head -60 "$dir/lines" >"$dir/some"
for command in "$steps locked 4000" "sed s/1/22/g $dir/some" "$far 8000000000 4000"; do
  # shellcheck disable=SC2086
  stat short --csv --sample-intervals -- $command
  # shellcheck disable=SC2086
  stat whole --csv -- $command
  cmp "$dir/short" "$dir/whole" || fail "$command: a run that was simulated whole is no estimate"
done
# Misses between intervals take their time once: also before the second interval, and where they take nearly all of it.
for strides; do
  stat once --csv --sample-intervals -- "$strides"
  stat all --csv -- "$strides"
  cat "$dir/all" "$dir/once" | awk -F, '$3 + 0 > 0 { time[++n] = $3 }
    END { part = time[n] / time[1]; print time[1] " s, sampled " time[n] " s"; exit !(part > 0.97 && part < 1.03) }' ||
    fail "$strides: time of misses between intervals"
done
stat few --csv --sample-intervals -- "$steps" add 100000
grep -q 'unknown: the run had only [1-7] of the 8 sampled intervals' "$dir/few" || fail "too few intervals: $(cat "$dir/few")"
# Processes that fork between intervals continue.
# shellcheck disable=SC2016
timeout -s KILL 600 "$pmon" stat --backend machine --sample-intervals -o "$dir/forks" -- sh -c \
  'i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; n=0; while [ $n -lt 20 ]; do (exit 3); echo $?; n=$((n + 1)); done' \
  </dev/null >"$dir/codes" 2>"$dir/error" || fail "forks: $(cat "$dir/error")"
[ "$(sort -u "$dir/codes")" = 3 ] && [ "$(grep -c 3 "$dir/codes")" -eq 20 ] || fail "forks: $(sort "$dir/codes" | uniq -c)"
refuse() {
  text=$1
  shift
  "$pmon" stat --backend machine "$@" >"$dir/out" 2>"$dir/error" && fail "$*: accepted"
  grep -qF -- "$text" "$dir/error" || fail "$*: $(cat "$dir/error")"
}
refuse 'cannot be combined with -I' --sample-intervals -I 1 -- true
refuse 'cannot be combined with --record' --sample-intervals --record "$dir/r" -- true
refuse 'cannot be combined with --every' --sample-intervals --every 10,imc/CAS_COUNT.RD/ -- true
refuse 'cannot be combined with --html' --sample-intervals --html "$dir/h" -- true
refuse 'needs a command' --sample-intervals --trace "$dir/lines"
refuse 'emulated Xeons; use -p emr or -p snbep' -p montecito --sample-intervals -- true
refuse 'a share in percent from 0.1 to 50' --sample-intervals=0 -- true
refuse 'a share in percent from 0.1 to 50' --sample-intervals=5x -- true
refuse 'select fewer events' --sample-intervals -e 'cha/TOR_INSERTS.IA_*/' -- true
exit $bad
