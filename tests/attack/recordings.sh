#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile recordings: `pmon report` refuses each with one clear error, quickly and in little memory.
# Usage: recordings.sh PMON TAMPER SCENARIO [sanitized]
set -u
pmon=$1 tamper=$2 scenario=$3
# The sanitizers reserve address space and take time.
kilobytes=524288 seconds=10
[ "${4-}" = sanitized ] && kilobytes=unlimited seconds=100
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 n=0

"$pmon" stat -p emr --scenario "$scenario" --record "$work/good" >/dev/null 2>"$work/err" || { cat "$work/err"; exit 1; }
"$pmon" report "$work/good" >/dev/null 2>"$work/err" || { echo "the untouched recording: $(cat "$work/err")"; exit 1; }

# refused NAME SQL TEXT: with SQL done to it, the recording is refused with TEXT, in 10 s and 512 MB.
refused() {
  n=$((n + 1))
  cp "$work/good" "$work/$1"
  "$tamper" "$work/$1" "$2" || { echo "$1: not tampered with"; bad=1; return; }
  (ulimit -v $kilobytes; timeout $seconds "$pmon" report "$work/$1") >"$work/out" 2>"$work/err"
  code=$?
  [ "$code" = 2 ] || { echo "$1: exit code $code, not 2: $(head -c 300 "$work/err")"; bad=1; }
  grep -q -- "$3" "$work/err" || { echo "$1: \"$(head -c 300 "$work/err")\" lacks \"$3\""; bad=1; }
}

endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
refused view "DROP TABLE interval; CREATE VIEW interval AS $endless SELECT i AS id, 0 AS begin_ns, 1 AS end_ns, 0 AS freeze,
  0 AS freeze_ns, 0 AS skew_ns FROM n" 'other tables'
refused trigger "CREATE TRIGGER t AFTER INSERT ON count BEGIN DELETE FROM meta; END" 'other tables'
refused virtual "CREATE VIRTUAL TABLE v USING fts5(a)" 'other tables'
refused missing "DROP TABLE sum" 'other tables'
refused text "UPDATE meta SET value = zeroblob(400000000) WHERE key = 'command'" 'damaged\|too big'
refused name "UPDATE event SET name = zeroblob(400000000) WHERE id = 0" 'damaged\|too big'
refused work "INSERT INTO count(interval, event) $endless SELECT i + 1000000, 0 FROM n LIMIT 300000" 'damaged\|interrupted'

refused regions "INSERT INTO region $endless SELECT i - 1, 'r', -1, 1, 0, 0, 1, 2, 0, 0 FROM n LIMIT 5000" 'numbered'
refused region-name "INSERT INTO region VALUES(0, zeroblob(400000000), -1, 1, 0, 0, 1, 2, 0, 0)" 'damaged\|too big'
refused region-work "INSERT INTO region $endless SELECT i - 1, 'r', -1, 1, 0, 0, 1, 2, 0, 0 FROM n LIMIT 4096;
  DROP INDEX count_by_region; INSERT INTO region_count(region, event) $endless SELECT 4095, 0 FROM n LIMIT 300000" \
  'damaged\|interrupted'

[ "$n" = 10 ] || { echo "$n cases ran"; bad=1; }
exit $bad
