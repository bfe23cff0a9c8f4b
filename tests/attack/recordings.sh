#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile recordings: `pmon report` refuses each with one clear error, in little time and memory. Usage: recordings.sh
# PMON TAMPER SCENARIO [sanitized]
set -u
pmon=$1 tamper=$2 scenario=$3
# The sanitizers reserve address space and cost time.
kilobytes=524288 seconds=30
[ "${4-}" = sanitized ] && kilobytes=unlimited seconds=100
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 n=0

"$pmon" stat -p emr --scenario "$scenario" --record "$work/good" >/dev/null 2>"$work/err" || { cat "$work/err"; exit 1; }
"$pmon" report "$work/good" >/dev/null 2>"$work/err" || { echo "the untouched recording: $(cat "$work/err")"; exit 1; }

# refused NAME SQL TEXT: after SQL has changed it, the recording is refused with TEXT, within 30 s of processor time (10
# s on an idle host) and 512 MB.
refused() {
  n=$((n + 1))
  cp "$work/good" "$work/$1"
  "$tamper" "$work/$1" "$2" || { echo "$1: not tampered with"; bad=1; return; }
  (ulimit -v $kilobytes; ulimit -t $seconds; timeout 200 "$pmon" report "$work/$1") >"$work/out" 2>"$work/err"
  code=$?
  [ "$code" = 2 ] || { echo "$1: exit code $code, not 2: $(head -c 300 "$work/err")"; bad=1; }
  grep -q -- "$3" "$work/err" || { echo "$1: \"$(head -c 300 "$work/err")\" lacks \"$3\""; bad=1; }
}

endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
refused view "DROP TABLE interval; CREATE VIEW interval AS $endless SELECT i AS id, 0 AS begin_ns, 1 AS end_ns, 0 AS freeze,
  0 AS freeze_ns, 0 AS skew_ns FROM n" 'its tables are not those'
refused trigger "CREATE TRIGGER t AFTER INSERT ON count BEGIN DELETE FROM meta; END" 'its tables are not those'
refused virtual "CREATE VIRTUAL TABLE v USING fts5(a)" 'its tables are not those'
refused missing "DROP TABLE sum" 'its tables are not those'
refused text "UPDATE meta SET value = zeroblob(400000000) WHERE key = 'command'" 'damaged\|too big'
refused name "UPDATE event SET name = zeroblob(400000000) WHERE id = 0" 'damaged\|too big'
refused work "INSERT INTO count(interval, event, package, instance) $endless SELECT i + 1000000, 0, 0, 0 FROM n LIMIT 300000" 'damaged\|interrupted'

refused regions "INSERT INTO region $endless SELECT i - 1, 'r', -1, 1, 0, 0, 1, 2, 0, 0 FROM n LIMIT 5000" 'numbered'
refused region-name "INSERT INTO region VALUES(0, zeroblob(400000000), -1, 1, 0, 0, 1, 2, 0, 0)" 'damaged\|too big'
refused region-work "INSERT INTO region $endless SELECT i - 1, 'r', -1, 1, 0, 0, 1, 2, 0, 0 FROM n LIMIT 4096;
  DROP TABLE region_count; CREATE TABLE region_count AS SELECT * FROM count WHERE 0;
  ALTER TABLE region_count RENAME COLUMN interval TO region;
  INSERT INTO region_count(region, event) $endless SELECT 4095, 0 FROM n LIMIT 300000" \
  'damaged\|interrupted'

# A table whose pages cannot be read, as on a damaged disk: no data are left out without a word.
for table in metric clock part region region_count; do
  refused "pages-$table" "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage =
    (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_meta_1') WHERE name = '$table'" 'cannot be read\|damaged'
done

# The third double of one slice, the factor of a number relative to that by time: 1e299, infinity, NaN, 3, 1/4, -1; no
# session uses these.
zero=0000000000000000
for times in b0f79939fd1c037e 000000000000f07f 000000000000f87f 0000000000000840 000000000000d03f 000000000000f0bf; do
  refused "times-$times" "UPDATE count SET slices = 1, seen = 0, spread = x'$zero$zero$times'" 'a count has an invalid value'
done

# A file in SQLite's write-ahead log mode, a FIFO and a folder: refused, and no further file is created.
refused wal "PRAGMA journal_mode = WAL" 'not a recording'
rm -f "$work"/wal?*
"$pmon" report "$work/wal" 2>"$work/err"
ls "$work"/wal?* 2>/dev/null && { echo "wal: files beside it"; bad=1; }
# The beginning of a recording, as of an interrupted copy; a path longer than a message, whose reason remains.
size=$(wc -c <"$work/good")
for bytes in 100 4096 $((size / 2)); do
  head -c "$bytes" "$work/good" >"$work/begin"
  "$pmon" report "$work/begin" >"$work/out" 2>"$work/err"; code=$?
  [ $code = 2 ] && grep -q "is truncated: it has $bytes of $size bytes; copy it again" "$work/err" ||
    { echo "$bytes bytes: $code, $(cat "$work/err")"; bad=1; }
done
"$pmon" report "$(printf '%06000d' 0)" 2>"$work/err"; code=$?
[ $code = 2 ] && grep -q '^pmon report: cannot read 000*\.\.\.000*: File name too long$' "$work/err" ||
  { echo "a long path: $code, $(cat "$work/err")"; bad=1; }
mkfifo "$work/fifo"
for other in fifo . ; do
  timeout 200 "$pmon" report "$work/$other" 2>"$work/err"; code=$?
  [ $code = 2 ] && grep -q 'regular file' "$work/err" || { echo "$other: $code, $(cat "$work/err")"; bad=1; }
done

# A forged journal that ends with the name of another file: SQLite would delete that file when it rolls back.
cp "$work/good" "$work/forged"
echo keep >"$work/other"
super=$work/other
page_bytes=$(od -An -tu2 --endian=big -j16 -N2 "$work/good" | tr -d ' ')
{
  printf '\331\325\005\371\040\241\143\327\0\0\0\0\0\0\0\0\0\0\0\1\0\0\2\0\0\0'
  printf "\\$(printf %o $((page_bytes / 256)))\\0"
  head -c 484 /dev/zero
  printf '\0\0\0\0%s\0\0\0\%o\0\0\0\0\331\325\005\371\040\241\143\327' "$super" ${#super}
} >"$work/forged-journal"
cp "$work/forged-journal" "$work/forged-before"
"$pmon" report "$work/forged" >"$work/out" 2>"$work/err"; code=$?
[ $code = 2 ] || { echo "forged journal: exit code $code"; bad=1; }
cmp "$work/forged" "$work/good" && cmp "$work/forged-journal" "$work/forged-before" || bad=1
[ "$(cat "$work/other")" = keep ] || { echo "a file that the journal names was changed"; bad=1; }

# An incomplete recording is read up to its end, and not replaced.
cp "$work/good" "$work/killed"
"$tamper" "$work/killed" "DELETE FROM meta WHERE key = 'complete'"
"$pmon" report "$work/killed" >"$work/out" 2>"$work/err" || { echo "killed: $(cat "$work/err")"; bad=1; }
grep -q 'not completed, and ends after 0.000100 s' "$work/err" || { echo "killed: $(cat "$work/err")"; bad=1; }
cp "$work/killed" "$work/killed-before"
"$pmon" stat -p emr --scenario "$scenario" --record "$work/killed" >/dev/null 2>"$work/err"
code=$?
[ $code -eq 2 ] || { echo "killed, again: exit code $code"; bad=1; }
grep -q 'pmon report' "$work/err" || { echo "killed, again: $(cat "$work/err")"; bad=1; }
cmp "$work/killed" "$work/killed-before" || bad=1
ln -s "$work/new" "$work/link"
"$pmon" stat -p emr --scenario "$scenario" --record "$work/link" >/dev/null 2>&1 || { echo "link: failed"; bad=1; }
[ -e "$work/new" ] && { echo "link: written through"; bad=1; }

# An event with a filter that does not act on it, which pmon refuses today: its recorded counts are read.
printf 'set platform=snbep\nthread 0 on core 0: stream read 256K stride 64\n' >"$work/one.scn"
"$pmon" stat -p snbep --scenario "$work/one.scn" -e cbo/TOR_INSERTS.MISS_ALL/ --record "$work/before" >/dev/null 2>"$work/err" ||
  cat "$work/err"
"$tamper" "$work/before" "UPDATE event SET name = 'cbo/TOR_INSERTS.MISS_ALL,opc=0x180/'"
"$pmon" report "$work/before" >"$work/out" 2>"$work/err" || { echo "before: $(cat "$work/err")"; bad=1; }
grep -q 'MISS_ALL,opc=0x180/ *4,097' "$work/out" || { echo "before: $(cat "$work/out")"; bad=1; }

[ "$n" = 22 ] || { echo "$n cases ran"; bad=1; }
exit $bad
