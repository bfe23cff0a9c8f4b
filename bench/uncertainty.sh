#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the table of docs/design/009-uncertainty.md: how many intervals of multiplexed counts contain the count of the
# event alone, by kind of workload (tests/uncertainty/*.kinds), and for eight real programs, whose accesses are recorded
# first.
# usage: bench/uncertainty.sh [BUILD [RUNS [ORDERS]]]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
runs=${2:-3}
orders=${3:-2}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
test=$build/tests/uncertainty/test_uncertainty
status=0
# The table of cases in which shares below the limit are known (docs/design/009-uncertainty.md); a crash is not.
low() { "$test" --table --runs "$runs" --orders "$orders" --slices 3 "$@" || [ $? -lt 128 ] || status=1; }
for platform in emr snbep montecito; do
  "$test" --table --runs "$runs" --orders "$orders" --slices 3 "tests/uncertainty/$platform.kinds" || status=1
done
# Events of CHAs only are multiplexed, all of them: with pmon's own witness, and without it, so that nothing shows the
# activity that a round missed.
echo 'events of CHAs only, beside a witness:'
"$test" --table --runs "$runs" --orders "$orders" --slices 3 --unit cha tests/uncertainty/emr.kinds || status=1
echo 'events of CHAs only, without:'
low --unit cha --no-witness tests/uncertainty/emr.kinds
echo "Montecito's events, all of them multiplexed:"
low tests/uncertainty/montecito-sets.kinds
if ! command -v qemu-x86_64 >/dev/null; then
  echo 'SKIPPED: real programs need qemu-x86_64'
  exit $status
fi
awk 'BEGIN { x = 1; while (n < 12000) { x = (x * 16807) % 2147483647; print x; n += length(x) + 1 } }' >"$dir/lines"
awk '/^kind/ { exit } { print }' tests/uncertainty/emr.kinds >"$dir/programs.kinds"
program() {  # NAME COMMAND...: records it, or leaves it out where it is not installed
  name=$1
  shift
  command -v "$1" >/dev/null || { echo "$name: not installed, left out"; return; }
  "$build/pmon" machine record -o "$dir/$name.pmt" -- "$@" >/dev/null 2>"$dir/error" || { cat "$dir/error"; status=1; return; }
  printf 'kind %s\ntrace %s\n' "$name" "$dir/$name.pmt" >>"$dir/programs.kinds"
}
program sort sort -o /dev/null "$dir/lines"
program grep grep -c 77 "$dir/lines"
program gzip gzip -c "$dir/lines"
# shellcheck disable=SC2016
program awk awk '{ n[substr($0, 1, 3)] += $0 % 97 } END { for (k in n) print k, n[k] }' "$dir/lines"
# shellcheck disable=SC2016
program perl perl -ne '$n{substr($_, 0, 3)} += $_ % 97; END { print "$_ $n{$_}\n" for sort keys %n }' "$dir/lines"
program sed sed 's/1/one/g' "$dir/lines"
program wc wc "$dir/lines"
program md5sum md5sum "$dir/lines"
"$test" --table --orders "$orders" --slices 3 "$dir/programs.kinds" || status=1
exit $status
