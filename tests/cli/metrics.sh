#!/bin/sh
# SPDX-License-Identifier: MIT
# All derived metrics of a platform, measured in one session on its machine: each has a value somewhere, or a reason:
# its denominator counted nothing, or bursts make it unknown. No other reason is accepted. A metric whose event needs a
# user-supplied filter is refused, and left out. Usage: metrics.sh PMON PLATFORM WORKLOAD...
set -u
pmon=$1 platform=$2
shift 2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "metrics: $platform: $*" >&2; exit 1; }

list=$("$pmon" -p "$platform" metrics | awk '{ print $1 }' | paste -sd,)
for try in 1 2 3 4; do
  "$pmon" -p "$platform" stat -m "$list" --slice 0.01 --record "$folder/db" --csv "$@" >"$folder/csv" 2>"$folder/err" && break
  status=$?
  refused=$(sed -n 's/.* metric \([A-Z_0-9]*\): .* counts only with the filters* .*/\1/p' "$folder/err")
  [ -n "$refused" ] && [ $try -lt 4 ] || { cat "$folder/err" >&2; fail "stat ended with $status"; }
  echo "refused: $refused"
  list=$(echo "$list" | tr ',' '\n' | grep -vx "$refused" | paste -sd,)
done
"$pmon" report --csv "$folder/db" >"$folder/again" || fail "report ended with $?"
cmp "$folder/csv" "$folder/again" || fail "a recording gives other values than the measurement"
awk -F, -v want="$(echo "$list" | tr ',' '\n' | sort -u | wc -l)" '
  NR == 1 { next }
  { seen[$4] = 1 }
  $8 != "" { valued[$4] = 1 }
  /unknown: / { unknown[$4] = 1 }
  $8 == "" && $0 !~ /denominator zero|unknown: / { print "no value: " $0; wrong = 1 }
  END {
    for (name in seen) n++
    for (name in valued) have++
    for (name in unknown) unsure += !(name in valued)
    print n " of " want " metrics, " have " with values, " unsure " unknown"
    exit wrong || n < want || have + unsure < 0.8 * n || have < 0.3 * n
  }' "$folder/csv" || fail "see above"
